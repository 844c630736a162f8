"""The baseline's file: JSON of integers that a person can review, written whole or not at all, read with checks."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sim.config.errors import BadInput
from sim.files import told, write_atomically
from sim.stats.figures import Int64s, Totals
from sim.stats.gate import LOOKS
from sim.studies.baseline import FEWEST_PAIRS, Baseline, Entry, Look, Recording

__all__ = ["BASELINE_SCHEMA", "baseline_words", "read_baseline", "write_baseline"]

BASELINE_SCHEMA = 1

_NUMBERS = re.compile(r"\[\s*(-?\d+(?:,\s*-?\d+)*)\s*\]")


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline; an old one stays as it is until the new one is there whole.

    Raises
    ------
    BadInput
        When it cannot be written.
    """
    data = baseline_words(baseline)
    data["checksum"] = _checksum(data)
    text = json.dumps(data, indent=1, ensure_ascii=False)
    # A list of numbers in one line: a figure that changed is one line of the difference that a reviewer sees.
    text = _NUMBERS.sub(lambda found: "[" + re.sub(r"\s+", " ", found[1]) + "]", text)
    with told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, (text + "\n").encode())


def read_baseline(path: str | Path) -> Baseline:
    """Read a baseline.

    Raises
    ------
    BadInput
        When there is none, it is cut off, edited, of another schema, or holds nothing to compare with.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadInput.of("there is no such baseline; sim baseline record makes one", file=str(file)) from None
    except UnicodeDecodeError:
        raise BadInput.of("is no text; must be what sim baseline record wrote", file=str(file)) from None
    except OSError as error:
        raise BadInput.of(f"cannot be read: {error.strerror or error}", file=str(file)) from None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unreadable(text, error, file) from None
    if not isinstance(data, dict) or "schema" not in data or "checksum" not in data:
        raise BadInput.of("is no baseline; must be what sim baseline record wrote", file=str(file))
    if data["schema"] != BASELINE_SCHEMA:
        message = f"schema is {data['schema']!r}, from another version; must be {BASELINE_SCHEMA}: record it anew"
        raise BadInput.of(message, file=str(file))
    if data.pop("checksum") != _checksum(data):
        raise BadInput.of(
            "was edited by hand or damaged: its checksum is not that of its content; restore it, or accept changes "
            "with sim baseline update",
            file=str(file),
        )
    try:
        found = _baseline(data)
    except KeyError as error:
        raise BadInput.of(f"is damaged: it lacks {error.args[0]}", file=str(file)) from None
    except (TypeError, ValueError, IndexError, AttributeError) as error:
        raise BadInput.of(f"is damaged: {error}", file=str(file)) from None
    _check(found, str(file))
    return found


def _unreadable(text: str, error: Exception, file: Path) -> BadInput:
    """Why a text is no JSON, and what to do."""
    line = error.lineno if isinstance(error, json.JSONDecodeError) else None
    conflict = next((n for n, one in enumerate(text.splitlines(), 1) if one.startswith("<<<<<<< ")), None)
    if not text.strip():
        line, message = None, "is empty; restore it from version control, or record it anew with --again"
    elif conflict is not None:
        line = conflict
        message = (
            "holds a merge conflict; take one side whole (git checkout --ours or --theirs), then accept what has "
            "changed with sim baseline update"
        )
    elif not text.lstrip().startswith(("{", "[")):
        line = None
        message = "is no baseline; must be JSON that sim baseline record wrote"
        if file.suffix in (".yaml", ".yml"):
            message += ", and this is YAML, such as a scenario or a goals file"
    else:
        message = "is cut off or damaged; restore it from version control, or record it anew with --again"
    return BadInput.of(message, file=str(file), line=line)


def _checksum(data: Mapping[str, Any]) -> str:
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _check(found: Baseline, file: str) -> None:
    """Refuse what could only ever pass."""
    if not found.entries:
        raise BadInput.of("holds no scenario; must hold one or more", file=file)
    for entry in found.entries:
        if not entry.deltas:
            raise BadInput.of(f"{entry.source}: holds no figure; must hold one or more", file=file)
        for recording in (entry.now, entry.anchor):
            if recording is not None:
                _check_recording(recording, entry, file)
        if set(entry.now.looks[0].totals) != set(entry.deltas):
            raise BadInput.of(f"{entry.source}: figures and deltas differ", file=file)


def _check_recording(recording: Recording, entry: Entry, file: str) -> None:
    if len(recording.looks) != (1 if recording.exact else len(LOOKS)):
        raise BadInput.of(f"{entry.source}: has {len(recording.looks)} looks; must have {len(LOOKS)}", file=file)
    for look in recording.looks:
        pairs = max(int(total.pairs.sum()) for total in look.totals.values())
        if look.matches < 1 or not any(total.matches.any() for total in look.totals.values()):
            raise BadInput.of(f"{entry.source}: holds no matches; must hold one or more", file=file)
        if not recording.exact and pairs < FEWEST_PAIRS:
            message = f"{entry.source}: has a look of {pairs} pairs, from which nothing can be told; must have "
            raise BadInput.of(f"{message}{FEWEST_PAIRS} or more: record it anew with --again", file=file)
        if set(look.totals) != set(recording.looks[0].totals) or not set(recording.at) <= set(look.totals):
            raise BadInput.of(f"{entry.source}: its looks hold different figures", file=file)


def baseline_words(baseline: Baseline) -> dict[str, Any]:
    """A baseline as plain data, as in its file."""
    return {
        "schema": BASELINE_SCHEMA,
        "seed": baseline.seed,
        "history": [dict(one) for one in baseline.history],
        "entries": [
            {
                "scenario": entry.source,
                "bots": None if entry.bots is None else list(entry.bots),
                "matches": entry.matches,
                "deltas": dict(entry.deltas),
                "now": _plain_recording(entry.now),
                "anchor": None if entry.anchor is None else _plain_recording(entry.anchor),
            }
            for entry in baseline.entries
        ],
    }


def _plain_recording(recording: Recording) -> dict[str, Any]:
    return {
        "exact": recording.exact,
        "scenario": dict(recording.scenario),
        "played": dict(recording.played),
        "quantiles": {name: int(value) for name, value in recording.at.items()},
        "looks": [_plain_look(look) for look in recording.looks],
    }


def _plain_look(look: Look) -> dict[str, Any]:
    usual = next(iter(look.totals.values()))
    figures = {}
    for name, found in look.totals.items():
        one: dict[str, Any] = {"total": found.total.tolist()}
        if found.scale != 1:
            one["scale"] = found.scale
        if not np.array_equal(found.matches, usual.matches):
            one["matches"] = found.matches.tolist()
        figures[name] = one
    return {
        "played": look.matches,
        "digest": look.digest,
        "pair_scores": None if look.pair_scores is None else look.pair_scores.tolist(),
        "matches": usual.matches.tolist(),
        "pairs": usual.pairs.tolist(),
        "figures": figures,
    }


def _baseline(data: Mapping[str, Any]) -> Baseline:
    entries = tuple(
        Entry(
            source=_of(str, one["scenario"]),
            bots=None if one["bots"] is None else (_of(str, one["bots"][0]), _of(str, one["bots"][1])),
            matches=_of(int, one["matches"]),
            deltas={name: float(_of((int, float), delta)) for name, delta in _of(dict, one["deltas"]).items()},
            now=_recording(one["now"]),
            anchor=None if one["anchor"] is None else _recording(one["anchor"]),
        )
        for one in _of(list, data["entries"])
    )
    history = tuple(_of(dict, one) for one in _of(list, data["history"]))
    return Baseline(_of(int, data["seed"]), entries, history)


def _recording(data: Mapping[str, Any]) -> Recording:
    return Recording(
        scenario=_of(dict, data["scenario"]),
        played=_of(dict, data["played"]),
        exact=_of(bool, data["exact"]),
        at={name: float(_of(int, value)) for name, value in _of(dict, data["quantiles"]).items()},
        looks=tuple(_look(one) for one in _of(list, data["looks"])),
    )


def _look(data: Mapping[str, Any]) -> Look:
    matches, pairs = _integers(data["matches"]), _integers(data["pairs"])
    totals = {}
    for name, one in _of(dict, data["figures"]).items():
        found = Totals(
            total=_integers(one["total"]),
            matches=_integers(one["matches"]) if "matches" in one else matches,
            pairs=pairs,
            scale=_of(int, one.get("scale", 1)),
        )
        if found.total.shape != found.matches.shape or found.total.shape != found.pairs.shape or found.scale < 1:
            raise ValueError(f"{name} does not fit its matches")
        totals[name] = found
    scores = data["pair_scores"]
    return Look(
        _of(int, data["played"]), _of(str, data["digest"]), totals, None if scores is None else _integers(scores)
    )


def _integers(data: Any) -> Int64s:
    listed = _of(list, data)
    if any(type(one) is not int for one in listed):
        raise TypeError("a sum is no whole number")
    return np.array(listed, dtype=np.int64)


def _of(kind: Any, value: Any) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise TypeError(f"{str(value)[:40]!r} is of another type than it must be")
    return value
