"""A sweep file: the scenario, the keys that are turned and over what, the design, and how much is played."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from kernels.random import MAX_SEED
from sim.config.errors import BadInput, Problem
from sim.config.goals import DOMINATED_BOTS, Goals, load_goals, scenario_named
from sim.config.levels import MOST_CELLS, Levels, LevelsKind, with_generated
from sim.config.scenario import AnyScenario, Model, Name, Schema
from sim.config.shapes import shaped
from sim.config.sources import beside, file_tree, not_apart
from sim.config.tree import Node
from sim.config.values import Kind, OneOf, Whole, refused

__all__ = ["BEST", "DESIGNS", "MOST_CELLS", "SAMPLED", "Levels", "SweepFile", "SweepSpec", "load_sweep_file"]

DESIGNS = ("grid", "random", "lhs", "sobol", "oat", "screen", "focus")
SAMPLED = ("random", "lhs", "sobol")
"""Designs whose number of cells has to be said."""

BEST = "best"
"""What `pick` looks for."""

TRAJECTORIES = 20
"""Of a screen whose file does not say how many."""

MOST_MATCHES = 10_000_000

Matches: TypeAlias = Annotated[int, Whole("matches a cell", 2, MOST_MATCHES)]


@dataclass(frozen=True, slots=True)
class _BotsKind(Kind):
    """One bot, which plays itself, or two."""

    def check(self, value: Any) -> tuple[str, str]:
        """Return the two names, or say what is allowed."""
        names = [value] if isinstance(value, str) else value
        if isinstance(names, list | tuple) and 1 <= len(names) <= 2 and all(isinstance(n, str) and n for n in names):
            return names[0], names[-1]
        raise refused("must be two bots such as [greedy, planner], or one that plays itself")

    def json_schema(self) -> dict[str, Any]:
        """Two names as JSON Schema."""
        return {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "maxItems": 2}]}


class SweepFile(Model):
    """A sweep file as written."""

    schema_version: Schema = Field(alias="schema", description="Version of this format.")
    scenario: Name = Field(description="The scenario: a path beside this file, or the name of a shipped one.")
    bots: Annotated[tuple[str, str], _BotsKind()] | None = Field(
        None, description="Who plays, `[first, second]`; the scenario's own bots when absent."
    )
    keys: Annotated[dict[Name, Annotated[Levels, LevelsKind()]], Field(min_length=1)] = Field(
        description="By scenario key, as `economy.toll`, `map` or `bots`: a list of values, `{from, to, step}`, or "
        "for `map` `{generate: …}`."
    )
    design: Annotated[str, OneOf(DESIGNS)] = Field(
        description="`grid`: all combinations. `random`, `lhs` (Latin hypercube), `sobol`: so many points. `oat`: one "
        "key at a time. `screen`: Morris trajectories, which rank many keys. `focus`: all combinations, with the "
        "matches where the goals are still undecided."
    )
    cells: Annotated[int, Whole("cells", 1, MOST_CELLS)] | None = Field(
        None, description="How many points `random`, `lhs` and `sobol` take."
    )
    trajectories: Annotated[int, Whole("trajectories", 2, MOST_CELLS)] | None = Field(
        None, description=f"How many `screen` takes; {TRAJECTORIES} when absent."
    )
    pick: Annotated[str, OneOf((BEST,))] | None = Field(
        None, description="`best`: look for the cell that meets the goals best, by sequential halving."
    )
    matches: Matches = Field(description="Of each cell.")
    seed: Annotated[int, Whole("", 0, MAX_SEED)] = Field(description="The same for every cell, and of the points.")
    goals: Name | None = Field(None, description="A goals file beside this one, whose bands are judged in every cell.")


@dataclass(frozen=True)
class SweepSpec:
    """A sweep file, read and checked as far as that can be done cell by cell unseen.

    Attributes
    ----------
    file
        Where it was read from.
    read
        What it says.
    scenario
        The scenario that keys are turned in.
    bots
        Who plays; None: the scenario's own bots.
    goals
        What is judged in every cell; None where the file names none.
    root
        The file as a tree, for the lines of errors.
    """

    file: Path
    read: SweepFile
    scenario: AnyScenario
    bots: tuple[str, str] | None
    goals: Goals | None
    root: Node

    def place(self, key: str, message: str) -> Problem:
        """A problem with a line of the file."""
        return self.root.nearest((key,)).problem((key,), message)

    def problem(self, key: str | None, message: str) -> Problem:
        """A problem with one of the keys that are turned, or with all of them."""
        place = ("keys",) if key is None else ("keys", key)
        node = self.root.nearest(place)
        return Problem(node.source.file, node.line, "keys" if key is None else f"keys.{key}", message)


def load_sweep_file(path: str | Path) -> SweepSpec:
    """Read a sweep file, its scenario and its goals.

    Raises
    ------
    BadInput
        With every problem found, each with its line.
    """
    problems: list[Problem] = []
    root = file_tree(Path(path), problems)
    read = shaped(SweepFile, root.plain(), root, (), problems)
    if read is None or problems:
        raise BadInput(sorted(problems, key=lambda problem: problem.line or 0))
    read = read.model_copy(update={"keys": with_generated(read.keys, root, "keys", problems)})
    if problems:
        raise BadInput(sorted(problems, key=lambda problem: problem.line or 0))
    _check_design(read, root, problems)
    scenario = scenario_named(root)
    if read.bots is not None and scenario.game != "dispatch":
        message = f"is {list(read.bots)}; must be left out, since the {scenario.game} game has no bots"
        problems.append(root.nearest(("bots",)).problem(("bots",), message))
    for key in read.keys:
        if read.bots is not None and (key == "bots" or key.startswith("bots.")):
            message = "says already who plays; must be left out, or the line bots: must be"
            problems.append(root.nearest(("keys", key)).problem(("keys", key), message))
    for key, other in not_apart(read.keys):
        message = f"lies within {other}, or {other} in it; must be apart, since one would undo the other"
        problems.append(root.nearest(("keys", key)).problem(("keys", key), message))
    if problems:
        raise BadInput(sorted(problems, key=lambda problem: problem.line or 0))
    goals = None
    if read.goals is not None:
        node = root.nearest(("goals",))
        if not beside(node).is_file():
            message = f"is {read.goals!r}, and there is no file {beside(node)}; must be a goals file"
            raise BadInput([node.problem(("goals",), message)])
        goals = load_goals(beside(node), scenario=scenario)
        if not goals.goals:
            message = f"has no band but {DOMINATED_BOTS}, which needs a tournament; must have one that a cell can meet"
            raise BadInput([node.problem(("goals",), message)])
    return SweepSpec(Path(path), read, scenario, _bots(read.bots, root), goals, root)


def _check_design(read: SweepFile, root: Node, problems: list[Problem]) -> None:
    """Whether the design has what it needs, and nothing that it does not read."""
    design = root.nearest(("design",))
    if read.design in SAMPLED and read.cells is None:
        message = f"is missing; must say how many cells {read.design} takes, such as 64"
        problems.append(design.problem(("cells",), message))
    elif read.design not in SAMPLED and read.cells is not None:
        message = f"is {read.cells}; must be left out, since {read.design} takes as many cells as the keys make"
        problems.append(root.nearest(("cells",)).problem(("cells",), message))
    elif read.design == "sobol" and read.cells is not None and read.cells & (read.cells - 1):
        message = f"is {read.cells}; must be a power of two with sobol, whose points are evenly spread only then"
        problems.append(root.nearest(("cells",)).problem(("cells",), message))
    if read.design == "focus" and read.goals is None:
        problems.append(design.problem(("goals",), "is missing; must name the goals file that focus decides"))
    if read.pick is not None:
        _check_pick(read, root, problems)
    if read.trajectories is not None and read.design != "screen":
        message = f"is {read.trajectories}; must be left out, since only screen has trajectories"
        problems.append(root.nearest(("trajectories",)).problem(("trajectories",), message))
    if read.design in SAMPLED:
        return
    if read.design == "screen":
        _check_screen(read, root, problems)
        return
    for key, levels in read.keys.items():
        if levels.continuous:
            message = f"has no step; must have one with {read.design}, as in {{from: 0.1, to: 0.5, step: 0.1}}"
            problems.append(root.nearest(("keys", key)).problem(("keys", key), message))
    counts = [levels.count or 1 for levels in read.keys.values()]
    n = 1 + sum(counts) if read.design == "oat" else math.prod(counts)
    if n > MOST_CELLS:
        message = f"make {n:,} cells; must be at most {MOST_CELLS:,}: take fewer values, or design lhs"
        problems.append(root.nearest(("keys",)).problem(("keys",), message))


def _check_pick(read: SweepFile, root: Node, problems: list[Problem]) -> None:
    """Whether there is something to pick from, and something to pick by."""
    pick = root.nearest(("pick",))
    if read.goals is None:
        problems.append(
            pick.problem(("goals",), f"is missing; must name the goals file by which {read.pick} is judged")
        )
    if read.design in ("screen", "focus"):
        message = f"is {read.pick}; must be left out with {read.design}, which spreads its matches in its own way"
        problems.append(pick.problem(("pick",), message))


def _check_screen(read: SweepFile, root: Node, problems: list[Problem]) -> None:
    """Whether every key can make a step, and there are not too many points."""
    for key, levels in read.keys.items():
        if len(levels.values) < 2:
            message = "has one value; must have two or more with screen, which makes steps from one to another"
            problems.append(root.nearest(("keys", key)).problem(("keys", key), message))
    n = (read.trajectories or TRAJECTORIES) * (len(read.keys) + 1)
    if n > MOST_CELLS:
        message = f"make {n:,} points; must be at most {MOST_CELLS:,}: take fewer keys or trajectories"
        problems.append(root.nearest(("keys",)).problem(("keys",), message))


def _bots(bots: tuple[str, str] | None, root: Node) -> tuple[str, str] | None:
    """Bots in files start beside the sweep file."""
    if bots is None:
        return None
    first, second = (str(root.source.folder / name) if ".py:" in name else name for name in bots)
    return first, second
