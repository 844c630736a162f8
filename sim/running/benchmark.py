"""How fast matches are played here: whole chunks with their sums, as `run` plays them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from sim.catalogue import Player
from sim.config.scenario import Scenario
from sim.games.dispatch.plan import DispatchPlan
from sim.games.game import Plan
from sim.running.engine import play_pairs
from sim.running.ledger import Ledger
from sim.running.plan import BLOCKS

__all__ = ["Speed", "measure", "measure_plans"]


@dataclass(frozen=True)
class Speed:
    """Speed of one bot in self-play, or of one policy, with so many threads, over all rounds.

    Attributes
    ----------
    matches_per_second
        Of each round, in the order measured.
    """

    bot: str
    threads: int
    matches_per_second: tuple[float, ...]

    @property
    def median(self) -> float:
        """Median over the rounds."""
        return median(self.matches_per_second)


def measure(
    scenario: Scenario,
    players: Sequence[Player],
    threads: Sequence[int],
    *,
    seconds: float = 1.0,
    rounds: int = 5,
    progress: Callable[[int, int], None] | None = None,
) -> list[Speed]:
    """Measure self-play of each player with each number of threads.

    All are measured in turn, round by round, so that a machine whose speed drifts slows all of them alike; ratios
    within a round mean more than any single figure.

    Parameters
    ----------
    seconds
        What one measurement should take, about.
    """
    plans: list[tuple[str, Plan]] = [
        (player.name, DispatchPlan(scenario, player, player, seed=0)) for player in players
    ]
    return measure_plans(plans, threads, seconds=seconds, rounds=rounds, progress=progress)


def measure_plans(
    named: Sequence[tuple[str, Plan]],
    threads: Sequence[int],
    *,
    seconds: float = 1.0,
    rounds: int = 5,
    progress: Callable[[int, int], None] | None = None,
) -> list[Speed]:
    """Measure plans of any game, each with its name, as `measure` does."""
    plans = [plan for _, plan in named]
    pairs = [_pairs_in(plan, seconds) for plan in plans]
    found: dict[tuple[int, int], list[float]] = {(p, n): [] for p in range(len(plans)) for n in threads}
    steps = 0
    for _ in range(rounds):
        for (p, n), rates in found.items():
            rates.append(_rate(plans[p], pairs[p] * n, n))
            steps += 1
            if progress is not None:
                progress(steps, rounds * len(found))
    return [Speed(named[p][0], n, tuple(rates)) for (p, n), rates in found.items()]


def _rate(plan: Plan, n_pairs: int, threads: int) -> float:
    ledger = Ledger(plan.empty_sums(BLOCKS), [])
    started = time.perf_counter()
    play_pairs(plan, ledger, n_pairs, threads=threads)
    return n_pairs * plan.n_swaps / (time.perf_counter() - started)


def _pairs_in(plan: Plan, seconds: float) -> int:
    """Pairs that one thread plays in so many seconds."""
    n_pairs = 16
    _rate(plan, n_pairs, 1)  # compiles the bot, which is not to be taken for its speed
    while True:
        rate = _rate(plan, n_pairs, 1)
        if n_pairs * plan.n_swaps / rate > min(0.2, seconds):
            return max(16, int(rate * seconds / plan.n_swaps))
        n_pairs *= 4
