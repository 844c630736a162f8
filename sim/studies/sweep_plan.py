"""What a sweep plays: its cells, each a scenario and who plays it, all on the same luck, known by what they are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from sim.config.errors import BadInput, Problem
from sim.config.sweep import SAMPLED, SweepSpec, load_sweep_file
from sim.games import game_of
from sim.games.game import Game, Plan
from sim.running.parts import PART_BLOCKS, part_size, parts_of
from sim.running.plan import digest_of
from sim.running.runner import Amount
from sim.stats.designs import grid, one_at_a_time, sampled
from sim.studies.turning import Turning, level_words

__all__ = ["FOCUS_SHARE", "STUDY", "Cell", "SweepPlan", "cell_key", "level_words", "make_sweep_plan"]

STUDY = "sweep"
"""What the manifest says it is."""

PROBE_PAIRS = 2
PROBE_SEED = 0
FOCUS_BLOCKS = 256
"""Blocks that `matches` make with `focus`: a first look costs a sixteenth of them."""

FOCUS_SHARE = 4
"""`focus` plays at most one in so many of the matches that all cells alike would get, and one cell so many times its
own."""


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
    """

    spec: SweepSpec
    cells: tuple[Cell, ...]
    reference: int
    matches: int
    block_pairs: int

    @property
    def game(self) -> Game:
        """The game of all cells."""
        return game_of(self.spec.scenario)

    @property
    def focused(self) -> bool:
        """Whether matches go where the goals are undecided."""
        return self.spec.read.design == "focus"

    def n_parts(self, cell: int) -> int:
        """Parts of a cell, without `focus`."""
        return parts_of(self.cells[cell].plan, self.matches, self.block_pairs)

    @cached_property
    def most_parts(self) -> int:
        """Parts of the cell that has most, without `focus`."""
        return max(self.n_parts(cell) for cell in range(len(self.cells)))

    @property
    def n_matches(self) -> int:
        """Matches of all cells, without `focus`."""
        pairs = PART_BLOCKS * self.block_pairs
        return sum(
            (1 if cell.plan.deterministic else self.n_parts(place) * pairs) * cell.plan.n_swaps
            for place, cell in enumerate(self.cells)
        )

    @cached_property
    def digest(self) -> str:
        """Sha256 (hex) of all that decides what is played, but for how many matches."""
        read = self.spec.read
        identity = {"study": STUDY, "cells": [cell.key for cell in self.cells], "reference": self.reference}
        if self.focused and self.spec.goals is not None:
            goals = [(goal.text, goal.metric) for goal in self.spec.goals.goals]
            identity |= {"design": read.design, "matches": self.matches, "goals": goals}
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
    cells = _Cells(spec)
    found, reference = cells.all()
    pairs = max(cell.plan.n_pairs(wanted) for cell in found)
    if block_pairs is None:
        block_pairs = part_size(pairs) if spec.read.design != "focus" else max(1, -(-pairs // FOCUS_BLOCKS))
    most = min(cell.plan.most_pairs for cell in found)
    if FOCUS_SHARE * pairs + PART_BLOCKS * block_pairs > most:
        raise BadInput.of(f"matches is {wanted}; must be at most {most // FOCUS_SHARE} in these cells")
    keyed = tuple(replace(cell, key=cell_key(cell.plan, block_pairs)) for cell in found)
    return SweepPlan(spec, keyed, reference, wanted, block_pairs)


class _Cells:
    """The cells of a sweep file."""

    def __init__(self, spec: SweepSpec) -> None:
        self.spec = spec
        self.turning = Turning(spec.scenario, spec.bots, spec.file.parent)
        self.found: list[Cell] = []
        self.numbers: dict[str, int] = {}

    def all(self) -> tuple[list[Cell], int]:
        """Every different cell, and which of them is the reference."""
        base = self.base()
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
        identity = _identity(base)
        if identity not in self.numbers:
            self.found.insert(0, Cell({key: self.own(key) for key in self.spec.read.keys}, base))
            return self.found, 0
        return self.found, self.numbers[identity]

    def base(self) -> Plan | None:
        """The scenario as it is; None where only the cells say who plays."""
        names_bots = self.spec.bots is not None or self.turning.plain.get("bots") is not None
        if self.spec.scenario.game == "dispatch" and not names_bots and "bots" in self.spec.read.keys:
            return None
        return self.plan({})

    def enter(self, values: Mapping[str, Any], plan: Plan) -> None:
        """A cell, unless there is one that plays the same."""
        identity = _identity(plan)
        if identity not in self.numbers:
            self.numbers[identity] = len(self.found)
            self.found.append(Cell(values, plan))

    def points(self) -> Iterator[dict[str, Any]]:
        """What the keys are set to, point by point."""
        read = self.spec.read
        keys, levels = list(read.keys), list(read.keys.values())
        if read.design in SAMPLED:
            for point in sampled(read.design, len(keys), read.cells or 1, read.seed):
                yield {key: level.at(float(share)) for key, level, share in zip(keys, levels, point, strict=True)}
            return
        counts = [len(level.values) for level in levels]
        if read.design == "oat":
            own = {key: self.own(key) for key in keys}
            for place, level in one_at_a_time(counts):
                yield {**own, keys[place]: levels[place].values[level]}
            return
        for combination in grid(counts):
            yield {key: level.values[at] for key, level, at in zip(keys, levels, combination, strict=True)}

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
    return [f"{problem.key}{' ' if problem.key else ''}{problem.message}" for problem in error.problems]


def _identity(plan: Plan) -> str:
    """What two plans have in common that play the same, on whatever kernels."""
    told = plan.identity({})
    told.pop("kernel")
    return digest_of(told)


def cell_key(plan: Plan, block_pairs: int) -> str:
    """What a cell is known by, sha256 (hex); a change of the code that moves nothing keeps it."""
    return digest_of({"plays": _identity(plan), "block_pairs": block_pairs, "behaves": _signature(plan)})


def _signature(plan: Plan) -> str:
    """How a fixed probe of matches ends, sha256 (hex): a change of the code that moves nothing keeps it."""
    from sim.running.chunks import Chunk

    probe: Any = replace(plan, seed=PROBE_SEED)  # type: ignore[type-var]  # plans are dataclasses
    chunk = Chunk(0, 1 if plan.deterministic else PROBE_PAIRS)
    try:
        rows = probe.play_rows(chunk)
        probe.sum_rows(chunk, rows, 1)
    except Exception as error:  # it will be the cell's error when it is played
        return type(error).__name__
    return hashlib.sha256(rows.tobytes()).hexdigest()
