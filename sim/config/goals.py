"""A goals file: the scenario, the pairings, and a band for each figure that matters."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from sim.config.errors import BadInput, Problem
from sim.config.levels import Levels, LevelsKind, with_generated
from sim.config.loading import GAMES, load_scenario
from sim.config.quantities import PLAIN_UNIT, Quantity, allowed_amount, amount_in, amount_words, quantity
from sim.config.scenario import AnyScenario, Model, Name, Schema
from sim.config.shapes import shaped
from sim.config.sources import Overrides, beside, file_tree
from sim.config.starters import starter_names, starter_path
from sim.config.tree import KeyPath, Node
from sim.config.values import Kind, did_you_mean, refused, shown
from sim.stats.goals import Band, Goal

if TYPE_CHECKING:
    from sim.stats.figures import MetricDefinition

__all__ = ["DOMINATED_BOTS", "Goals", "load_goals", "scenario_named"]

DOMINATED_BOTS = "dominated_bots"
"""Goal that a tournament of all bots of the file decides."""

_ABSOLUTE = re.compile(r"abs\((.+)\)")
_BOUND = re.compile(r"(<=|>=)\s*(.+)")
_EXAMPLES = 'such as "<= 15%", ">= 2", [35%, 65%] or 0'


@dataclass(frozen=True)
class _Written:
    """A band as written: its ends, either of which may be missing."""

    low: Quantity | None
    high: Quantity | None
    text: str


@dataclass(frozen=True, slots=True)
class _BandKind(Kind):
    """`<= amount`, `>= amount`, a list of two amounts, or one amount."""

    def check(self, value: Any) -> _Written:
        """Return the band, or say what is allowed."""
        if isinstance(value, str) and (found := _BOUND.fullmatch(value.strip())):
            end = quantity(found[2])
            if end is not None:
                text = f"{found[1]} {found[2].strip()}"
                return _Written(None, end, text) if found[1] == "<=" else _Written(end, None, text)
        elif isinstance(value, list | tuple) and len(value) == 2:
            low, high = (quantity(end) for end in value)
            if low is not None and high is not None:
                return _Written(low, high, f"[{value[0]}, {value[1]}]")
        elif (one := quantity(value)) is not None:
            return _Written(one, one, str(value))
        raise refused(f"must be a band, {_EXAMPLES}")

    def json_schema(self) -> dict[str, Any]:
        """Text, number or a list of two."""
        return {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "array", "minItems": 2, "maxItems": 2}]}


@dataclass(frozen=True, slots=True)
class _BotsKind(Kind):
    """The two bots of a pairing."""

    def check(self, value: Any) -> tuple[str, str]:
        """Return the two names, or say what is allowed."""
        if (
            isinstance(value, list | tuple)
            and len(value) == 2
            and all(isinstance(name, str) and name for name in value)
        ):
            return value[0], value[1]
        raise refused("must be a pairing: a list of two bots, such as [greedy, random]")

    def json_schema(self) -> dict[str, Any]:
        """Two names as JSON Schema."""
        return {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}


class GoalsFile(Model):
    """A goals file as written."""

    schema_version: Schema = Field(alias="schema", description="Version of this format.")
    scenario: Name = Field(description="The scenario: a path beside this file, or the name of a shipped one.")
    bots: Annotated[tuple[Annotated[tuple[str, str], _BotsKind()], ...], Field(min_length=1)] | None = Field(
        None, description="Pairings, each `[first, second]`; the scenario's own bots when absent."
    )
    bands: Annotated[dict[Name, Annotated[Any, _BandKind()]], Field(min_length=1)] = Field(
        description="By core name of a figure, or `abs(name)`: `<= x`, `>= x`, `[x, y]`, or one value."
    )
    may_change: Annotated[dict[Name, Annotated[Levels, LevelsKind()]], Field(min_length=1)] | None = Field(
        None,
        description="What `sim tune` may change, by scenario key: a list of values in the order of their steps, or "
        "`{from, to, step}`.",
    )


@dataclass(frozen=True)
class Goals:
    """What a scenario is to be like.

    Attributes
    ----------
    file
        Where it was read from.
    scenario
        The scenario that it is about, with the overrides applied.
    bots
        Pairings; None: the scenario's own bots.
    goals
        Bands on figures, those of the dominated bots left out.
    dominated
        Band on the number of dominated bots; None where the file has none.
    may_change
        What `sim tune` may change, by scenario key; empty where the file says nothing of it.
    root
        The file as a tree, for the lines of errors.
    """

    file: Path
    scenario: AnyScenario
    bots: tuple[tuple[str, str], ...] | None
    goals: tuple[Goal, ...]
    dominated: Goal | None
    may_change: Mapping[str, Levels]
    root: Node

    @property
    def all_bots(self) -> tuple[str, ...]:
        """Every bot that the file names, once."""
        return tuple(dict.fromkeys(name for pair in self.bots or () for name in pair))

    def problem(self, place: KeyPath, message: str) -> Problem:
        """A problem with a key of the file, at its line."""
        return self.root.nearest(place).problem(place, message)

    def told(self, place: KeyPath, error: BadInput) -> BadInput:
        """What is wrong with what a key names, at the line of the key."""
        return BadInput([self.problem(place, f"cannot be used: {words}") for words in _messages(error)])


def load_goals(
    path: str | Path, *, scenario: str | Path | Mapping[str, Any] | AnyScenario | None = None, overrides: Overrides = ()
) -> Goals:
    """Read a goals file and check it against the figures of its scenario's game.

    Parameters
    ----------
    path
        The file.
    scenario
        Judged instead of the one that the file names.
    overrides
        Applied to the scenario.

    Raises
    ------
    BadInput
        With every problem found, each with its line.
    """
    problems: list[Problem] = []
    root = file_tree(Path(path), problems)
    read = shaped(GoalsFile, root.plain(), root, (), problems)
    if read is not None:
        may_change = with_generated(read.may_change or {}, root, "may_change", problems)
        _each_once(read.bots or (), root, problems)
    if read is None or problems:
        raise BadInput(problems)
    loaded = scenario_named(root, scenario, overrides)
    from sim.games import game_of

    metrics = game_of(loaded).metrics(loaded)
    goals: list[Goal] = []
    for key, written in read.bands.items():
        found = _goal(key, written, metrics, root.nearest(("bands", key)), loaded.game, problems)
        goals += [found] if found is not None else []
    dominated = next((goal for goal in goals if goal.metric == DOMINATED_BOTS), None)
    pairs = None if read.bots is None else tuple(_beside_file(pair, root) for pair in read.bots)
    n_bots = len({name for pair in pairs or () for name in pair})
    message = ""
    if dominated is not None and n_bots < 2:
        message = "has no tournament to decide it; bots must name two different bots or more"
    elif dominated is not None and dominated.band.low <= 0 and dominated.band.high >= n_bots - 1:
        message = (
            f"is {dominated.text.removeprefix(DOMINATED_BOTS).strip()}, which is always so: of {n_bots} bots at most "
            f"{n_bots - 1} are dominated; must allow fewer, or bots must name more"
        )
    if message:
        problems.append(root.nearest(("bands", DOMINATED_BOTS)).problem(("bands", DOMINATED_BOTS), message))
    if problems:
        raise BadInput(problems)
    rest = tuple(goal for goal in goals if goal.metric != DOMINATED_BOTS)
    return Goals(Path(path), loaded, pairs, rest, dominated, may_change, root)


def _messages(error: BadInput) -> list[str]:
    """Problems in words, without the place that a name given alone does not have."""
    return [f"{one.key}{' ' if one.key else ''}{one.message}" for one in error.problems]


def _each_once(pairs: Sequence[tuple[str, str]], root: Node, problems: list[Problem]) -> None:
    """No pairing twice: it would count twice among the goals that are judged together."""
    for number, pair in enumerate(pairs):
        if pair in pairs[:number]:
            place = ("bots", number)
            message = f"is {shown(list(pair))} a second time; must name each pairing once"
            problems.append(root.nearest(place).problem(place, message))


def scenario_named(
    root: Node, given: str | Path | Mapping[str, Any] | AnyScenario | None = None, overrides: Overrides = ()
) -> AnyScenario:
    """The scenario of a study's file: that of its key `scenario`, unless another is given."""
    from sim.api import scenario_of

    if given is not None:
        return scenario_of(given, overrides)
    node = root.nearest(("scenario",))
    path = beside(node)
    name = str(node.value)
    if not path.suffix and len(Path(name).parts) == 1 and not path.is_file():
        if starter_path(name) is None:
            names = [one for game in GAMES for one in starter_names(game)]
            message = f"is {name!r}, which is no file and no shipped scenario ({', '.join(names)})"
            raise BadInput([node.problem(("scenario",), message + did_you_mean(name, names))])
        return load_scenario(name, overrides)
    if not path.exists():
        message = f"is {name!r}, and there is no file {path}; must be a scenario file, or the name of a shipped one"
        raise BadInput([node.problem(("scenario",), message)])
    return load_scenario(path, overrides)


def _beside_file(pair: tuple[str, str], root: Node) -> tuple[str, str]:
    """Bots in files start beside the goals file."""
    first, second = (str(root.source.folder / name) if ".py:" in name else name for name in pair)
    return first, second


def _goal(
    key: str,
    written: _Written,
    metrics: Mapping[str, MetricDefinition],
    node: Node,
    game: str,
    problems: list[Problem],
) -> Goal | None:
    absolute = _ABSOLUTE.fullmatch(key)
    name = absolute[1].strip() if absolute else key
    place = ("bands", key)
    if name == DOMINATED_BOTS and not absolute and game == "dispatch":
        unit = "count"
        limits = 0.0, math.inf
    elif name in metrics:
        unit, limits = metrics[name].unit, metrics[name].limits()
    else:
        known = [*metrics, *([DOMINATED_BOTS] if game == "dispatch" else [])]
        tail = did_you_mean(name, known) or f"; must be one of {', '.join(known)}, or abs() of one"
        problems.append(node.problem(place, f"is no figure of the {game} game{tail}"))
        return None
    ends = []
    for end, missing in ((written.low, -math.inf), (written.high, math.inf)):
        amount = missing if end is None else amount_in(end, unit)
        if amount is None:
            problems.append(node.problem(place, f"is {written.text!r}; must be {allowed_amount(unit)}, {_EXAMPLES}"))
            return None
        ends.append(amount)
    low, high = ends
    if low > high:
        problems.append(node.problem(place, f"is {written.text}; must be a band whose first end is the smaller"))
        return None
    least, most = limits
    if absolute:
        least, most = 0.0, max(abs(least), abs(most))
    if high < least or low > most:
        reach = f"from {amount_words(least, unit)} to {amount_words(most, unit)}"
        reach = f"{amount_words(least, unit)} or more" if math.isinf(most) else reach
        message = f"is {written.text}, which no figure can meet; {key} is always {reach}"
        problems.append(node.problem(place, message))
        return None
    end = written.high
    if unit.startswith("share") and end is not None and end.unit == PLAIN_UNIT and low <= least and high >= most:
        message = f"is {written.text}, which is up to 100% and always met; did you mean {end.number:g}%?"
        problems.append(node.problem(place, message))
        return None
    return Goal(name, Band(low, high, absolute is not None), f"{key} {_shown(written)}", unit)


def _shown(written: _Written) -> str:
    return (
        written.text
        if written.text[0] in "<>"
        else f"in {written.text}"
        if written.text[0] == "["
        else f"= {written.text}"
    )
