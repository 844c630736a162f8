"""Edits of a scenario: what may be changed, in steps from what it is today, and how large a change is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, groupby, product
from typing import Any, TypeAlias

from sim.config.errors import BadInput, Problem
from sim.config.goals import Goals
from sim.config.sources import key_parts, not_apart
from sim.config.tree import Source
from sim.studies.turning import Turning, level_words, short_names

__all__ = ["Edit", "Ladder", "Space", "make_space"]

Edit: TypeAlias = tuple[int, ...]
"""The level of every key, as its number on the key's ladder."""

FIXED = ("schema", "game", "name", "bots")
"""Keys that are no numbers of the game, or that the goals file itself decides."""


@dataclass(frozen=True)
class Ladder:
    """The values that a key may have, a step apart.

    Attributes
    ----------
    key
        Of the scenario.
    values
        In the order of their steps: numbers by size, others as they are listed.
    today
        Number of the value that the scenario has; one that is not listed is among them too.
    """

    key: str
    values: tuple[Any, ...]
    today: int


@dataclass(frozen=True)
class Space:
    """All edits that are allowed."""

    ladders: tuple[Ladder, ...]

    @property
    def today(self) -> Edit:
        """Nothing changed."""
        return tuple(ladder.today for ladder in self.ladders)

    @property
    def n_edits(self) -> int:
        """How many there are, that which changes nothing included."""
        return math.prod(len(ladder.values) for ladder in self.ladders)

    @cached_property
    def n_by_keys(self) -> tuple[int, ...]:
        """How many edits change 0 keys, 1 key and so on."""
        counts = [1]
        for ladder in self.ladders:
            others = len(ladder.values) - 1
            counts = [a + others * b for a, b in zip([*counts, 0], [0, *counts], strict=True)]
        return tuple(counts)

    def changed(self, edit: Edit) -> tuple[int, ...]:
        """Numbers of the keys that an edit changes."""
        return tuple(place for place, (level, own) in enumerate(zip(edit, self.today, strict=True)) if level != own)

    def values(self, edit: Edit) -> dict[str, Any]:
        """What an edit changes, by key."""
        return {self.ladders[place].key: self.ladders[place].values[edit[place]] for place in self.changed(edit)}

    def size(self, edit: Edit) -> tuple[int, int]:
        """Keys that it changes, and steps that it takes all together: which of two edits is the smaller."""
        steps = sum(abs(level - own) for level, own in zip(edit, self.today, strict=True))
        return len(self.changed(edit)), steps

    def label(self, edit: Edit, *, since: Edit | None = None, short: bool = False) -> str:
        """An edit in words, such as `economy.toll 1 → 2`.

        Parameters
        ----------
        since
            The edit that it is told from; None: from the scenario as it is.
        short
            Whether keys are named by their last word where that tells them apart.
        """
        before = self.today if since is None else since
        keys = [ladder.key for ladder in self.ladders]
        names = short_names(keys) if short else {key: key for key in keys}
        words = []
        for ladder, own, new in zip(self.ladders, before, edit, strict=True):
            if own != new:
                old, now = level_words(ladder.values[own]), level_words(ladder.values[new])
                words.append(f"{names[ladder.key]} {old} → {now}")
        return ", ".join(words) or "nothing changed"

    def groups(self, most_keys: int) -> Iterator[list[Edit]]:
        """Edits of the same size together, the smallest first; within a group in the order of the keys and levels."""
        for n_keys in range(most_keys + 1):
            edits = list(self._of_keys(n_keys))
            edits.sort(key=lambda edit: self.size(edit)[1])
            for _, group in groupby(edits, key=lambda edit: self.size(edit)[1]):
                yield list(group)

    def _of_keys(self, n_keys: int) -> Iterator[Edit]:
        for places in combinations(range(len(self.ladders)), n_keys):
            others = [[n for n in range(len(self.ladders[p].values)) if n != self.ladders[p].today] for p in places]
            for levels in product(*others):
                edit = list(self.today)
                for place, level in zip(places, levels, strict=True):
                    edit[place] = level
                yield tuple(edit)

    def neighbours(self, edit: Edit) -> list[Edit]:
        """Edits one step away: a key one step less or one step more."""
        found = []
        for place, ladder in enumerate(self.ladders):
            for level in (edit[place] - 1, edit[place] + 1):
                if 0 <= level < len(ladder.values):
                    found.append((*edit[:place], level, *edit[place + 1 :]))
        return found

    def smaller(self, edit: Edit) -> list[Edit]:
        """What an edit may shrink to at once, the smallest first: a key as it is today, or a step back to it."""
        found: dict[Edit, None] = {}
        for place in self.changed(edit):
            own = self.ladders[place].today
            step = 1 if own > edit[place] else -1
            for level in (own, edit[place] + step):
                found[(*edit[:place], level, *edit[place + 1 :])] = None
        return sorted(found, key=self.size)


def make_space(goals: Goals, turning: Turning) -> Space:
    """The edits that a goals file allows.

    Raises
    ------
    BadInput
        When it allows none, or a value alone makes no valid scenario; with every problem found, each with its line.
    """
    if not goals.may_change:
        raise BadInput([goals.problem(("may_change",), "is missing; must name what may be changed, and to what")])
    problems: list[Problem] = []
    _check_keys(goals, list(goals.may_change), problems)
    ladders = []
    for key, levels in () if problems else goals.may_change.items():
        place = ("may_change", key)
        if levels.continuous:
            message = "has no step; must have one, as in {from: 0.1, to: 0.5, step: 0.1}"
            problems.append(goals.problem(place, message))
            continue
        try:
            ladders.append(_ladder(key, levels.values, turning))
        except BadInput as error:
            problems += goals.told(place, error).problems
            continue
        if len(ladders[-1].values) < 2:
            problems.append(goals.problem(place, "has no value but today's; must have another"))
    if problems:
        raise BadInput(problems)
    return Space(tuple(ladders))


def _check_keys(goals: Goals, keys: Sequence[str], problems: list[Problem]) -> None:
    """No key that is no number of the game, and none within another."""
    parts = {}
    for key in keys:
        place = ("may_change", key)
        try:
            parts[key] = key_parts(key, Source())[0]
        except BadInput:
            problems.append(goals.problem(place, "is no key of a scenario; must be one such as economy.toll"))
            continue
        if parts[key][0] in FIXED:
            message = "stays as it is: bots are those of the goals file, under bots" if parts[key][0] == "bots" else ""
            problems.append(goals.problem(place, message or "is no number of the game; must be left out"))
    for key, other in not_apart(parts):
        problems.append(goals.problem(("may_change", key), f"lies within {other}, or {other} in it; must be apart"))


def _ladder(key: str, values: Sequence[Any], turning: Turning) -> Ladder:
    """The values of a key with today's among them; BadInput where one alone makes no valid scenario."""
    own = turning.scenario.digest
    today = None
    for number, value in enumerate(values):
        try:
            scenario, _ = turning.turned({key: value})
        except BadInput as error:
            raise BadInput(
                [Problem(None, None, f"at {level_words(value)}:", f"{one.key} {one.message}") for one in error.problems]
            ) from None
        if scenario.digest == own:
            today = number
    ordered = list(values)
    if today is None:
        ordered.insert(0, turning.own(key))
        today = 0
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in ordered):
        mine = ordered[today]
        ordered.sort()
        today = ordered.index(mine)
    return Ladder(key, tuple(ordered), today)
