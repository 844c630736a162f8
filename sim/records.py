"""Match records: the orders of a match that was played, read and checked as far as words go.

A record is plain data, a JSON file, or a line of a `.jsonl` file. Whether its orders are legal on the board is for
`sim.replaying` to judge.
"""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, Field, ValidationError

from sim.config.errors import BadInput, Problem
from sim.config.loading import dispatch_only, load_scenario
from sim.config.scenario import MAX_DISPATCHES, Label, Model, Name, Scenario, Schema
from sim.config.shapes import shaped
from sim.config.starters import starter_names
from sim.config.tree import Node, Source, dotted, plain_tree
from sim.config.values import OneOf, Text, did_you_mean, refused, shown

__all__ = [
    "LINES_SUFFIXES",
    "MAX_PROBLEMS",
    "Order",
    "Orders",
    "Place",
    "Record",
    "documents",
    "limited",
    "read_record",
    "read_records",
]

LINES_SUFFIXES = (".jsonl", ".ndjson")
"""Files with one record a line; any other file is one record."""

MAX_PROBLEMS = 100
"""Reading many records stops after this many problems."""

RecordSource: TypeAlias = Mapping[str, Any] | str | Path


class Order(Model):
    """What one company orders in one dispatch (rules 3.1, 3.2); every key must be written."""

    train: Annotated[str, Text("the company's train that moves")]
    move: Annotated[str, OneOf(("forward", "reverse"))]
    toggle: Label | None
    invest: Annotated[str, Text("an investment, such as siding:a")] | None


class Orders(Model):
    """Both companies' orders of one dispatch."""

    A: Order
    B: Order


def _both_seats(players: dict[str, str]) -> dict[str, str]:
    if set(players) != {"A", "B"}:
        raise refused("must name the players of both seats, A and B, and no other")
    return players


class _Shape(Model):
    """The shape of a record; its scenario is checked apart."""

    schema_version: Schema = Field(alias="schema")
    scenario: Any
    players: Annotated[dict[str, Name], AfterValidator(_both_seats)] | None = None
    orders: Annotated[tuple[Orders, ...], Field(max_length=MAX_DISPATCHES)]


@dataclass(frozen=True)
class Place:
    """Where a record was written, for the problems that are found in it later.

    Attributes
    ----------
    file
        The file as the user wrote its path; for one of many records given as plain data, ``record 5``; else None.
    line
        Line of the file on which the record begins, counted from 1, or None.
    text
        The record's JSON, in which the lines of its keys are found when they are asked for.
    """

    file: str | None = None
    line: int | None = None
    text: str | None = field(default=None, repr=False)

    @functools.cached_property
    def _lines(self) -> dict[str, int]:
        return {} if self.text is None else dict(_key_lines(self.text, self.line or 1))

    def problem(self, key: str, message: str, at: str | None = None) -> Problem:
        """A problem at a dotted key, named by it unless `at` is what it is found by."""
        return Problem(self.file, self._line_of(key if at is None else at), key, message)

    def _line_of(self, key: str) -> int | None:
        """The line of a dotted key, or of the nearest one above it that is written."""
        while key and key not in self._lines:
            key = key[: max(key.rfind("."), key.rfind("["), 0)]
        return self._lines.get(key, self.line)


@dataclass(frozen=True)
class Record:
    """A match record that is well formed: its scenario is loaded, its orders are words not yet judged.

    Attributes
    ----------
    scenario
        One object for all records that were read together and have equal scenarios.
    orders
        One for each dispatch played; at most the scenario's `dispatches`.
    players
        Who played, by seat, when the record says so.
    """

    scenario: Scenario
    orders: tuple[Orders, ...]
    players: Mapping[str, str] | None
    place: Place


def read_record(source: RecordSource) -> Record:
    """Read one record.

    Parameters
    ----------
    source
        Plain data, or the path of a file that holds one record.

    Raises
    ------
    BadInput
        With every problem of the record.
    """
    if not isinstance(source, str | Path):
        return _Reader().record(source, Place(), Path())
    records = read_records(source)
    if len(records) != 1:
        message = f"holds {len(records)} records; must hold one (a file of many is for replay_many)"
        raise BadInput.of(message, file=str(source))
    return records[0]


def read_records(sources: Iterable[RecordSource] | str | Path) -> list[Record]:
    """Read many records.

    Parameters
    ----------
    sources
        The path of a `.jsonl` file (blank lines are passed over) or of a file that holds one record; or any iterable
        of records as plain data and such paths.

    Raises
    ------
    BadInput
        With the problems of all records, up to `MAX_PROBLEMS`.
    """
    reader = _Reader()
    records: list[Record] = []
    problems: list[Problem] = []
    for document, place, folder in documents(sources, problems):
        try:
            records.append(reader.record(document, place, folder))
        except BadInput as error:
            problems.extend(error.problems)
        if len(problems) >= MAX_PROBLEMS:
            break
    if problems:
        raise limited(problems)
    return records


def limited(problems: list[Problem]) -> BadInput:
    """Bad input of at most `MAX_PROBLEMS` problems, and a word when there are more."""
    if len(problems) > MAX_PROBLEMS:
        more = Problem(None, None, "", f"and more: only the first {MAX_PROBLEMS} problems are told")
        problems = [*problems[:MAX_PROBLEMS], more]
    return BadInput(problems)


# -- from files to plain data ---------------------------------------------------------------------------------------


def documents(
    sources: Iterable[RecordSource] | str | Path, problems: list[Problem]
) -> Iterator[tuple[Any, Place, Path]]:
    """Each record's plain data, place, and the folder from which its paths start; what is no JSON is a problem."""
    if isinstance(sources, str | Path):
        yield from _in_file(Path(sources), problems)
        return
    if isinstance(sources, Mapping):
        raise BadInput.of("is a mapping; must be a list of records, or the path of a .jsonl file")
    for number, source in enumerate(sources, start=1):
        if isinstance(source, str | Path):
            yield from _in_file(Path(source), problems)
        else:
            yield source, Place(f"record {number}"), Path()


def _in_file(path: Path, problems: list[Problem]) -> Iterator[tuple[Any, Place, Path]]:
    display = str(path)
    one_a_line = path.suffix.lower() in LINES_SUFFIXES
    try:
        with path.open("rb") as stream:
            # Lines end at line feeds only: text in JSON may hold the other characters that end a line of text.
            for line, raw in enumerate(stream if one_a_line else [stream.read()], start=1):
                if one_a_line and not raw.strip():
                    continue
                try:
                    document, text = _parsed(raw, display, line)
                except BadInput as error:
                    problems.extend(error.problems)
                    continue
                yield document, Place(display, line, text), path.parent
    except FileNotFoundError:
        problems.append(Problem(display, None, "", f"there is no such file{did_you_mean(path.name, _beside(path))}"))
    except IsADirectoryError:
        problems.append(Problem(display, None, "", "is a folder; must be a JSON file of match records"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        problems.append(Problem(shown(display), None, "", f"cannot be read: {reason}"))


def _beside(path: Path) -> list[str]:
    try:
        return sorted(other.name for other in path.parent.iterdir() if other.suffix in {".json", *LINES_SUFFIXES})
    except (OSError, ValueError):
        return []


class _TwiceError(ValueError):
    """A key is written twice in one JSON object."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _TwiceError
    return found


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_number)


def _parsed(raw: bytes, file: str, line: int) -> tuple[Any, str]:
    """The JSON value that starts on a line of a file, and its text."""

    def stop(message: str, below: int = 0) -> BadInput:
        return BadInput.of(message, file=file, line=line + below)

    try:
        text = raw.decode("utf-8-sig" if line == 1 else "utf-8").rstrip(" \t\r\n")
    except UnicodeDecodeError as error:
        raise stop("is not text in UTF-8; must be a match record in JSON", raw[: error.start].count(b"\n")) from None
    if not text:
        raise stop("is empty; must be a match record in JSON")
    try:
        return _DECODER.decode(text), text
    except json.JSONDecodeError as error:
        what = f"{error.msg} at column {error.colno}"
        raise stop(f"is not JSON: {what[0].lower()}{what[1:]}", error.lineno - 1) from None
    except _TwiceError:
        repeated: list[Problem] = []
        first: dict[str, int] = {}
        for key, at in _key_lines(text, line):
            if key in first:
                message = f"is written twice, first on line {first[key]}; must be written once"
                repeated.append(Problem(file, at, key, message))
            first.setdefault(key, at)
        raise BadInput(repeated) from None
    except RecursionError:
        raise stop("is nested too deeply; must be a match record") from None
    except ValueError as error:
        raise stop(f"is not JSON: {error}") from None


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def _key_lines(text: str, line: int) -> Iterator[tuple[str, int]]:
    """Dotted keys of JSON text, which is known to be JSON, each with its line; `line` is the first one's."""
    path: list[str | int] = []
    key_next = False
    place = 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", place, token.start())
        place = token.start()
        word = token[0]
        if word == "{":
            path.append("")
            key_next = True
        elif word == "[":
            path.append(0)
            yield dotted(tuple(path)), line
        elif word in "}]":
            path.pop()
            key_next = False
        elif word == ",":
            if isinstance(path[-1], int):
                path[-1] += 1
                yield dotted(tuple(path)), line + text.count("\n", place, _next_token(text, token.end()))
            else:
                key_next = True
        elif key_next:
            path[-1] = json.loads(word)
            key_next = False
            yield dotted(tuple(path)), line


def _next_token(text: str, place: int) -> int:
    token = _TOKEN.search(text, place)
    return len(text) if token is None else token.start()


# -- from plain data to records -------------------------------------------------------------------------------------

_ORDER_KEY = re.compile(r"orders\[(\d+)\]\.([AB])\.?(.*)", re.DOTALL)


class _Reader:
    """Reads records, loading each scenario once."""

    def __init__(self) -> None:
        self.scenarios: dict[tuple[str, str], Scenario] = {}

    def record(self, document: Any, place: Place, folder: Path) -> Record:
        problems: list[Problem] = []
        shape = _shape(document, place, problems)
        scenario = None
        if isinstance(document, Mapping) and "scenario" in document:
            try:
                scenario = self.scenario(document["scenario"], place, folder)
            except BadInput as error:
                problems.extend(error.problems)
        if shape is not None and scenario is not None and len(shape.orders) > scenario.dispatches:
            message = (
                f"has {len(shape.orders)} items; must have at most {scenario.dispatches}, the dispatches of a match"
            )
            problems.append(place.problem("orders", message, f"orders[{scenario.dispatches + 1}]"))
        if problems or shape is None or scenario is None:
            raise BadInput(problems)
        return Record(scenario, shape.orders, shape.players, place)

    def scenario(self, written: Any, place: Place, folder: Path) -> Scenario:
        """The scenario that a record writes: itself in place, or a path from the record's folder or the working one."""
        if isinstance(written, str | Path):
            key = ("path", os.path.join(folder, written))
        elif isinstance(written, Mapping):
            key = (str(folder), _canonical(written))
        else:
            message = f"is {shown(written)}; must be the path of a scenario, or the scenario itself"
            raise BadInput([place.problem("scenario", message)])
        found = self.scenarios.get(key) if key[1] else None
        if found is None:
            if isinstance(written, str | Path):
                loaded = load_scenario(_scenario_path(str(written), place, folder), bots=False)
                found = dispatch_only(loaded, "a match record")
            else:
                found = _scenario_in_place(written, place, folder)
            self.scenarios[key] = found
        return found


def _shape(document: Any, place: Place, problems: list[Problem]) -> _Shape | None:
    """The record as a model; what is wrong with it is appended."""
    try:
        if isinstance(document, dict) and isinstance(document.get("orders"), list | tuple):
            return _Shape.model_validate(document)
    except ValidationError:
        pass  # once more, in words
    found: list[Problem] = []
    shape = None
    try:
        node = plain_tree(document, Source(), found)
    except BadInput as error:
        node = Node({}, Source())
        found.extend(error.problems)
    if not isinstance(node.value, dict):
        found.append(Problem(None, None, "", f"holds {shown(node.plain())}; must hold a match record, a mapping"))
    elif not found:
        shape = shaped(_Shape, node.plain(), node, (), found)
    problems.extend(_in_words(problem, place) for problem in found)
    return shape


def _in_words(problem: Problem, place: Place) -> Problem:
    """A problem of the record with its line; one with an order names the dispatch and the company."""
    order = _ORDER_KEY.fullmatch(problem.key)
    if order is None:
        return place.problem(problem.key, problem.message)
    name = f"dispatch {order[1]}, company {order[2]}: {order[3] or 'the order'}"
    return place.problem(name, problem.message, problem.key)


def _canonical(written: Mapping[str, Any]) -> str:
    """Text that is equal for equal data; empty for what is no JSON, which is then not shared."""
    try:
        return json.dumps(written, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return ""


def _scenario_in_place(written: Mapping[str, Any], place: Place, folder: Path) -> Scenario:
    try:
        return dispatch_only(load_scenario(written, folder=folder, bots=False), "a match record")
    except BadInput as error:
        # Problems inside the files that the scenario refers to have places of their own.
        raise BadInput(
            place.problem(f"scenario{'.' if p.key else ''}{p.key}", p.message) if p.file is None else p
            for p in error.problems
        ) from None


def _scenario_path(written: str, place: Place, folder: Path) -> str | Path:
    """The scenario's file, beside the record or from the working folder, or the name of a shipped one."""
    path = Path(written)
    for candidate in (folder / path, path):
        if "\0" not in written and os.path.lexists(candidate):
            return candidate
    if written in starter_names():
        return written
    near = did_you_mean(written, starter_names())
    message = f"is {shown(written)}, and there is no file {folder / path}; must be the path of a scenario{near}"
    raise BadInput([place.problem("scenario", message)])
