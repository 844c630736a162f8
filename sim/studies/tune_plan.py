"""What `tune` plays: edits of a scenario with every pairing of the goals file, all on the same luck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from sim.config.errors import BadInput
from sim.config.goals import DOMINATED_BOTS, Goals, load_goals
from sim.config.scenario import AnyScenario
from sim.games import game_of
from sim.games.game import Game, Plan
from sim.running.parts import PART_BLOCKS
from sim.running.plan import checked_seed, digest_of
from sim.studies.cell_keys import cell_key
from sim.studies.goals import pairings_of
from sim.studies.sweep_plan import Cell
from sim.studies.tune_space import Edit, Space, make_space
from sim.studies.turning import Turning

__all__ = [
    "CONFIRMING",
    "CONFIRM_TIMES",
    "DEFAULT_MATCHES",
    "DEFAULT_TRIALS",
    "FIRST_SHARE",
    "MOST_ENUMERATED",
    "SEARCHING",
    "STUDY",
    "TunePlan",
    "make_tune_plan",
]

STUDY = "tune"
"""What the manifest says it is."""

DEFAULT_MATCHES = 20_000
DEFAULT_TRIALS = 300

FIRST_SHARE = 16
"""A first look at an edit costs one in so many of its matches."""

CONFIRM_TIMES = 10
"""The edit that is chosen plays so many times the matches, on luck of its own."""

SEARCHING, CONFIRMING = 0, 1
"""Namespaces of the random streams. What is chosen on the luck that it is measured on looks better than it is."""

MOST_ENUMERATED = 5_000
"""Edits that are all tried; where there are more, those of few keys are, and the others are searched."""

LEAST_MATCHES = 640
"""So that the last look rests on blocks enough for an interval in every pairing."""

MOST_MATCHES = 10_000_000


@dataclass(frozen=True)
class TunePlan:
    """A goals file whose scenario is to be changed.

    Attributes
    ----------
    goals
        The file.
    space
        What may be changed.
    turning
        The scenario as it is, to be turned.
    matches, seed
        Of each edit that is tried to the end, in each pairing.
    trials
        Edits that a search may try, where there are too many to try them all.
    most_enumerated
        See `MOST_ENUMERATED`.
    """

    goals: Goals
    space: Space
    turning: Turning
    matches: int
    seed: int
    trials: int
    most_enumerated: int = MOST_ENUMERATED

    @property
    def game(self) -> Game:
        """The game of all edits."""
        return game_of(self.goals.scenario)

    @cached_property
    def today(self) -> tuple[Plan, ...]:
        """What is played of the scenario as it is, a plan for each pairing."""
        return pairings_of(self.goals, self.goals.scenario, self.seed)

    @cached_property
    def block_pairs(self) -> int:
        """Pairs of a block: so many that 16 parts hold the matches."""
        pairs = max(plan.n_pairs(self.matches) for plan in self.today)
        return max(1, -(-pairs // (FIRST_SHARE * PART_BLOCKS)))

    @property
    def searched(self) -> bool:
        """Whether there are more edits than are all tried."""
        return self.space.n_edits > self.most_enumerated

    @cached_property
    def enumerated_keys(self) -> int:
        """Edits of up to so many keys are all tried."""
        n, keys = 0, -1
        for more in self.space.n_by_keys:
            n += more
            if n > self.most_enumerated and keys >= 0:
                break
            keys += 1
        return keys

    def scenario(self, edit: Edit) -> AnyScenario:
        """The scenario with an edit; BadInput when it is not valid."""
        return self.turning.turned(self.space.values(edit))[0]

    def cells(self, edit: Edit, namespace: int) -> tuple[Cell, ...]:
        """What is played of an edit, one for each pairing; BadInput when the scenario is not valid."""
        values = self.space.values(edit)
        plans = pairings_of(self.goals, self.scenario(edit), self.seed) if values else self.today
        pairs = self.pairs_of_block(namespace)
        placed: list[Any] = [replace(plan, namespace=namespace) for plan in plans]  # type: ignore[type-var]
        return tuple(Cell(values, plan, cell_key(plan, pairs)) for plan in placed)

    def pairs_of_block(self, namespace: int) -> int:
        """Pairs of a block: confirming, blocks are larger, so that there are as many."""
        return self.block_pairs * (CONFIRM_TIMES if namespace == CONFIRMING else 1)

    @cached_property
    def digest(self) -> str:
        """Sha256 (hex) of all that decides the outcome."""
        identity: Mapping[str, Any] = {
            "study": STUDY,
            "today": [cell.key for cell in self.cells(self.space.today, SEARCHING)],
            "may_change": [(ladder.key, list(ladder.values), ladder.today) for ladder in self.space.ladders],
            "goals": [(goal.text, goal.metric) for goal in self.goals.goals],
            "matches": self.matches,
            "search": [self.trials, self.most_enumerated] if self.searched else None,
        }
        return digest_of(identity)


def make_tune_plan(
    file: str | Path,
    *,
    matches: int | None = None,
    seed: int | None = None,
    trials: int | None = None,
    most_enumerated: int = MOST_ENUMERATED,
) -> TunePlan:
    """What `tune` would play, without playing more than a probe.

    Raises
    ------
    BadInput
        When the goals file, what may be changed, a number or the seed are not usable.
    """
    goals = load_goals(file)
    if goals.dominated is not None:
        message = (
            "cannot be tuned for, since it takes a tournament for every edit; must be left out, and judged of the "
            "tuned scenario with sim run --goals"
        )
        raise BadInput([goals.problem(("bands", DOMINATED_BOTS), message)])
    matches = DEFAULT_MATCHES if matches is None else matches
    trials = DEFAULT_TRIALS if trials is None else trials
    for name, given, low, high in (
        ("matches", matches, LEAST_MATCHES, MOST_MATCHES),
        ("trials", trials, 1, 100_000),
    ):
        if isinstance(given, bool) or not isinstance(given, int) or not low <= given <= high:
            raise BadInput.of(f"{name} is {given!r}; must be a whole number from {low:,} to {high:,}")
    seed = checked_seed(seed)
    pairings_of(goals, goals.scenario, seed)  # bots that there are not are told first
    turning = Turning(goals.scenario, None, Path(file).parent)
    plan = TunePlan(goals, make_space(goals, turning), turning, matches, seed, trials, most_enumerated)
    if plan.searched:
        from sim.studies.tune_search import check_optuna

        check_optuna(plan)
    most = min(one.most_pairs for one in plan.today)
    if FIRST_SHARE * PART_BLOCKS * plan.pairs_of_block(CONFIRMING) > most:
        raise BadInput.of(f"matches is {matches}; must be at most {most // (2 * CONFIRM_TIMES)} in this scenario")
    return plan
