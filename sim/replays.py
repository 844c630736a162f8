"""`replay` of either game: match records are judged and told, mainline days are played and told."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sim.config.errors import BadInput, Problem
from sim.records import LINES_SUFFIXES, MAX_PROBLEMS, Place, RecordSource, documents, limited

__all__ = ["holds_days", "replay", "replay_many"]


def replay(record: RecordSource) -> dict[str, Any]:
    """Play a record: a match of the dispatch game, or a day of the mainline game.

    Parameters
    ----------
    record
        The record as plain data, or the path of the JSON file that holds it.

    Returns
    -------
    dict
        Of a match, ``states``, ``events`` and ``result`` (`sim.replaying.replay`). Of a day, ``trains`` by number,
        ``collisions``, ``laid``, ``kept``, ``refused``, ``realigned``, ``rulings`` and ``stages``.

    Raises
    ------
    BadInput
        When the record is malformed or cannot be played: an illegal order, too few rulings.
    """
    if not holds_days(record):
        from sim.replaying import replay as replay_match

        return replay_match(record)
    if isinstance(record, Mapping):
        from sim.games.mainline.replay import play_day_record

        return play_day_record(record, Place(), Path()).words()
    found = _days(record)
    if len(found) != 1:
        message = f"holds {len(found)} days; must hold one (a file of many is for replay_many)"
        raise BadInput.of(message, file=str(record))
    return found[0]


def replay_many(records: Iterable[RecordSource] | str | Path) -> list[dict[str, Any]]:
    """Play many records of one game: what `replay` gives for each, in order.

    Parameters
    ----------
    records
        The path of a `.jsonl` file, one record a line, or an iterable of whatever `replay` takes.

    Raises
    ------
    BadInput
        With the problems of all records, each with its place, up to a hundred.
    """
    if not isinstance(records, str | Path | Mapping):
        records = list(records)
        days = bool(records) and holds_days(records[0])
    else:
        days = holds_days(records)
    if not days:
        from sim.replaying import replay_many as replay_matches

        return replay_matches(records)
    return _days(records)


def holds_days(source: Any) -> bool:
    """Whether a record, or the first one of a file, is a day of the mainline game; False where it cannot be read."""
    if not isinstance(source, str | Path):
        return is_day(source)
    path = Path(source)
    try:
        if path.suffix.lower() not in LINES_SUFFIXES:
            return is_day(json.loads(path.read_bytes()))
        with path.open("rb") as lines:
            return is_day(json.loads(next(line for line in lines if line.strip())))
    except (OSError, ValueError, RecursionError, StopIteration):
        return False


def is_day(document: Any) -> bool:
    """Whether a document is meant as a day of the mainline game, not as a match of the dispatch game."""
    if not isinstance(document, Mapping) or "orders" in document:
        return False
    scenario = document.get("scenario")
    return "rulings" in document or (isinstance(scenario, Mapping) and scenario.get("game") == "mainline")


def _days(sources: Any) -> list[dict[str, Any]]:
    from sim.games.mainline.replay import play_day_record

    days: list[dict[str, Any]] = []
    problems: list[Problem] = []
    for document, place, folder in documents(sources, problems):
        try:
            days.append(play_day_record(document, place, folder).words())
        except BadInput as error:
            problems.extend(error.problems)
        if len(problems) >= MAX_PROBLEMS:
            break
    if problems:
        raise limited(problems)
    return days
