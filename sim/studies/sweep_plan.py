"""What a sweep plays: its cells, each a scenario and who plays it, all on the same luck, known by what they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from sim.config.errors import BadInput, Problem
from sim.config.sweep import MOST_MATCHES, SAMPLED, TRAJECTORIES, SweepSpec, load_sweep_file
from sim.games import game_of
from sim.games.game import Game, Plan
from sim.running.parts import PART_BLOCKS, Part, part_size, parts_of
from sim.running.plan import digest_of
from sim.running.runner import Amount
from sim.stats.designs import grid, one_at_a_time, sampled, trajectories
from sim.studies.cell_keys import cell_key, identity_of
from sim.studies.turning import Turning, level_words

__all__ = [
    "CONFIRM_FROM",
    "FOCUS_SHARE",
    "NAMESPACES",
    "STUDY",
    "Cell",
    "Move",
    "SweepPlan",
    "level_words",
    "make_sweep_plan",
]

STUDY = "sweep"
"""What the manifest says it is."""

FOCUS_BLOCKS = 512
"""Blocks that `matches` make where matches go to some cells only: a first look costs one in 32 of them."""

FOCUS_SHARE = 4
"""`focus` plays at most one in so many of the matches that all cells alike would get, and one cell so many times its
own."""

NAMESPACES = 4
"""Namespaces of the random streams that a screen's parts take in turn, so that each effect is measured four times."""

CONFIRM_FROM = 2**16
"""Parts from this number on confirm what was picked; they have a namespace of their own."""


@dataclass(frozen=True)
class Move:
    """A step of a screen: one key is turned, all others stand still.

    Attributes
    ----------
    key
        The key.
    before, after
        Numbers of the two cells.
    share
        Of the way from the key's first level to its last, below 0 downwards.
    """

    key: str
    before: int
    after: int
    share: float


@dataclass(frozen=True)
class Cell:
    """One point of a sweep.

    Attributes
    ----------
    values
        What each key is set to; of the reference that is no point of the design, what the scenario says.
    plan
        What is played.
    key
        Sha256 (hex) of the resolved scenario, who plays, the blocks, the random numbers and how a probe of matches
        ends: two cells of the same key are the same.
    """

    values: Mapping[str, Any]
    plan: Plan
    key: str = ""

    @property
    def label(self) -> str:
        """What it is called."""
        return ", ".join(f"{key}={level_words(value)}" for key, value in self.values.items())


@dataclass(frozen=True)
class SweepPlan:
    """All cells of a sweep.

    Attributes
    ----------
    spec
        The file.
    cells
        In the order of the design; a reference that is no point of it comes first.
    reference
        Number of the cell that the others are compared with: the scenario as it is.
    matches
        Asked for, of each cell.
    block_pairs
        Pairs of a block.
    moves
        Steps of a screen, trajectory by trajectory; empty with other designs.
    """

    spec: SweepSpec
    cells: tuple[Cell, ...]
    reference: int
    matches: int
    block_pairs: int
    moves: tuple[Move, ...] = ()

    @property
    def game(self) -> Game:
        """The game of all cells."""
        return game_of(self.spec.scenario)

    @property
    def focused(self) -> bool:
        """Whether matches go where the goals are undecided."""
        return self.spec.read.design == "focus"

    @property
    def picks(self) -> bool:
        """Whether the best cell is looked for."""
        return self.spec.read.pick is not None

    @property
    def matches_asked(self) -> int:
        """Matches that all cells alike would get."""
        return sum(cell.plan.n_pairs(self.matches) * cell.plan.n_swaps for cell in self.cells)

    @property
    def screens(self) -> bool:
        """Whether steps of the keys are measured in several namespaces."""
        return self.spec.read.design == "screen"

    def n_parts(self, cell: int) -> int:
        """Parts of a cell, where all get alike; of a screen as many in each namespace."""
        plan = self.cells[cell].plan
        n = parts_of(plan, self.matches, self.block_pairs)
        return -(-n // NAMESPACES) * NAMESPACES if self.screens and not plan.deterministic else n

    def namespace(self, number: int) -> int:
        """Namespace of the random streams of a part."""
        if self.screens:
            return number % NAMESPACES
        return 1 if number >= CONFIRM_FROM else 0

    def part(self, cell: int, number: int) -> Part:
        """A part of a cell, as it is played."""
        place = cell, self.namespace(number)
        if place not in self._plans:
            own: Any = self.cells[cell].plan
            self._plans[place] = replace(own, namespace=place[1]) if place[1] else own
        return Part(cell, self._plans[place], number, self.block_pairs)

    @cached_property
    def _plans(self) -> dict[tuple[int, int], Plan]:
        """Of each cell in each namespace, made once: a plan keeps what it has worked out."""
        return {}

    @property
    def n_matches(self) -> int:
        """Matches of all cells, without `focus`."""
        pairs = PART_BLOCKS * self.block_pairs
        return sum(
            (1 if cell.plan.deterministic else self.n_parts(place) * pairs) * cell.plan.n_swaps
            for place, cell in enumerate(self.cells)
        )

    @property
    def parts_of_share(self) -> int:
        """Parts that make one in `FOCUS_SHARE` of the matches asked for in all cells alike, rounded down."""
        chance = [cell.plan for cell in self.cells if not cell.plan.deterministic]
        pairs = sum(plan.n_pairs(self.matches) for plan in chance)
        return len(self.cells) - len(chance) + pairs // (FOCUS_SHARE * PART_BLOCKS * self.block_pairs)

    @cached_property
    def digest(self) -> str:
        """Sha256 (hex) of all that decides what is played, but for how many matches."""
        read = self.spec.read
        identity = {"study": STUDY, "cells": [cell.key for cell in self.cells], "reference": self.reference}
        if (self.focused or self.picks) and self.spec.goals is not None:
            goals = [(goal.text, goal.metric) for goal in self.spec.goals.goals]
            identity |= {"design": read.design, "matches": self.matches, "goals": goals}
        if self.picks:
            identity |= {"pick": read.pick}
        if self.screens:
            moves = [[move.key, move.before, move.after] for move in self.moves]
            identity |= {"design": read.design, "moves": moves}
        return digest_of(identity)


def make_sweep_plan(file: str | Path, *, matches: int | None = None, block_pairs: int | None = None) -> SweepPlan:
    """What a sweep would play, without playing more than a probe of each cell.

    Parameters
    ----------
    file
        The sweep file.
    matches
        Of each cell, instead of the file's.
    block_pairs
        Pairs of a block, where matches are added to what is there; None: so that `matches` make 64 blocks.

    Raises
    ------
    BadInput
        When the file, a key, a cell or the number of matches are not usable.
    """
    spec = load_sweep_file(file)
    wanted = spec.read.matches if matches is None else Amount(matches).matches
    if wanted > MOST_MATCHES:
        raise BadInput.of(f"matches is {wanted:,}; must be at most {MOST_MATCHES:,} a cell")
    cells = _Cells(spec)
    found, reference = cells.all()
    pairs = max(cell.plan.n_pairs(wanted) for cell in found)
    if block_pairs is None:
        spread = spec.read.design == "focus" or spec.read.pick is not None
        block_pairs = max(1, -(-pairs // FOCUS_BLOCKS)) if spread else part_size(pairs)
    most = min(cell.plan.most_pairs for cell in found)
    if FOCUS_SHARE * pairs + PART_BLOCKS * block_pairs > most:
        raise BadInput.of(f"matches is {wanted}; must be at most {most // FOCUS_SHARE} in these cells")
    namespaces = NAMESPACES if spec.read.design == "screen" else 1
    keyed = tuple(
        replace(cell, key=cell_key(cell.plan, block_pairs, namespaces, plays=plays))
        for cell, plays in zip(found, cells.identities, strict=True)
    )
    return SweepPlan(spec, keyed, reference, wanted, block_pairs, cells.moves())


class _Cells:
    """The cells of a sweep file."""

    def __init__(self, spec: SweepSpec) -> None:
        self.spec = spec
        self.turning = Turning(spec.scenario, spec.bots, spec.file.parent)
        self.found: list[Cell] = []
        self.identities: list[str] = []
        """Of each cell, what it plays."""
        self.numbers: dict[str, int] = {}
        self.places: list[int] = []
        """Of each point, the number of its cell."""

    def all(self) -> tuple[list[Cell], int]:
        """Every different cell, and which of them is the reference."""
        try:
            base = self.base()
        except BadInput as error:
            # The scenario alone is usable, so that it is who plays that is not.
            raise BadInput([self.spec.place("bots", text) for text in _messages(error)]) from None
        points = list(self.points())
        problems: list[Problem] = []
        for values in points:
            try:
                self.enter(values, self.plan(values))
            except BadInput as error:
                problems += [one for one in self.told(values, error) if one.key not in {p.key for p in problems}]
        if problems:
            raise BadInput(problems)
        if base is None:
            return self.found, 0
        identity = identity_of(base)
        if identity not in self.numbers:
            self.found.insert(0, Cell({key: self.own(key) for key in self.spec.read.keys}, base))
            self.identities.insert(0, identity)
            self.places = [place + 1 for place in self.places]
            return self.found, 0
        number = self.numbers[identity]
        if self.spec.read.design == "oat":  # a level that says in other words what the scenario says
            self.found[number] = replace(self.found[number], values={key: self.own(key) for key in self.spec.read.keys})
        return self.found, number

    def base(self) -> Plan | None:
        """The scenario as it is; None where only the cells say who plays."""
        names_bots = self.spec.bots is not None or self.turning.plain.get("bots") is not None
        if self.spec.scenario.game == "dispatch" and not names_bots and "bots" in self.spec.read.keys:
            return None
        return self.plan({})

    def enter(self, values: Mapping[str, Any], plan: Plan) -> None:
        """A cell, unless there is one that plays the same."""
        identity = identity_of(plan)
        if identity not in self.numbers:
            self.numbers[identity] = len(self.found)
            self.found.append(Cell(values, plan))
            self.identities.append(identity)
        self.places.append(self.numbers[identity])

    def points(self) -> Iterator[dict[str, Any]]:
        """What the keys are set to, point by point."""
        read = self.spec.read
        keys, levels = list(read.keys), list(read.keys.values())
        if read.design in SAMPLED:
            for point in sampled(read.design, len(keys), read.cells or 1, read.seed):
                yield {key: level.at(float(share)) for key, level, share in zip(keys, levels, point, strict=True)}
            return
        if read.design == "screen":
            for path in self.paths():
                for point in path:
                    yield {key: level.stepped[at] for key, level, at in zip(keys, levels, point, strict=True)}
            return
        counts = [len(level.values) for level in levels]
        if read.design == "oat":
            own = {key: self.own(key) for key in keys}
            for place, level in one_at_a_time(counts):
                yield {**own, keys[place]: levels[place].values[level]}
            return
        for combination in grid(counts):
            yield {key: level.values[at] for key, level, at in zip(keys, levels, combination, strict=True)}

    def paths(self) -> Any:
        """Trajectories of a screen: levels, shape (trajectories, keys + 1, keys)."""
        read = self.spec.read
        counts = [len(level.stepped) for level in read.keys.values()]
        return trajectories(counts, read.trajectories or TRAJECTORIES, read.seed)

    def moves(self) -> tuple[Move, ...]:
        """Steps of a screen between the cells that `all` found; none of another design."""
        read = self.spec.read
        if read.design != "screen":
            return ()
        keys, counts = list(read.keys), [len(level.stepped) for level in read.keys.values()]
        found, places = [], iter(self.places)
        for path in self.paths():
            cells = [next(places) for _ in path]
            for at in range(1, len(path)):
                step = path[at] - path[at - 1]
                key = int(step.nonzero()[0][0])
                found.append(Move(keys[key], cells[at - 1], cells[at], int(step[key]) / (counts[key] - 1)))
        return tuple(found)

    def own(self, key: str) -> Any:
        """What the scenario itself says of a key."""
        return self.turning.own(key)

    def plan(self, values: Mapping[str, Any]) -> Plan:
        """What is played at a point."""
        scenario, bots = self.turning.turned(values)
        return game_of(scenario).make_plan(scenario, bots=bots, seed=self.spec.read.seed)

    def told(self, values: Mapping[str, Any], error: BadInput) -> list[Problem]:
        """What is wrong at a point, at the line of the key whose value alone is wrong, else of all keys."""
        alone = None
        for key, value in values.items():
            try:
                self.plan({key: value})
            except BadInput as found:
                if set(_messages(found)) & set(_messages(error)):
                    alone = key
                    break
        shown = values if alone is None else {alone: values[alone]}
        label = ", ".join(f"{key}={level_words(value)}" for key, value in shown.items())
        return [self.spec.problem(alone, f"has no valid cell at {label}: {text}") for text in _messages(error)]


def _messages(error: BadInput) -> list[str]:
    return [
        " ".join(part for part in (problem.key or problem.file, problem.message) if part) for problem in error.problems
    ]
