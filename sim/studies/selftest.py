"""`baseline selftest`: the gate tried out on simulated matches that scatter as those of a baseline do."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sim.config.errors import BadInput
from sim.stats.gate import ALPHA, BETA, LOOKS, PASS_RATE, State
from sim.stats.gate_simulation import Unit, one_at_delta, rates
from sim.studies.baseline import Baseline

__all__ = ["SelfTest", "Trial", "selftest", "units_of"]

SLACK = 4.0
"""Standard errors that a simulated rate may lie beyond what is promised."""


@dataclass(frozen=True)
class Trial:
    """Simulated gates of one kind.

    Attributes
    ----------
    name
        What has truly moved.
    verdicts
        Gates by verdict.
    counted
        The verdict that is promised to be seldom, or often.
    promised
        Share of the gates that it has at most, or at least where `at_least`.
    """

    name: str
    verdicts: dict[str, int]
    counted: str
    promised: float
    at_least: bool = False

    @property
    def n(self) -> int:
        """Gates."""
        return sum(self.verdicts.values())

    @property
    def rate(self) -> float:
        """Share of the gates with the verdict counted."""
        return self.verdicts.get(self.counted, 0) / self.n

    @property
    def shown(self) -> bool | None:
        """Whether the promise was seen to be kept (True) or broken (False); None where so few gates cannot tell.

        A rate beyond the promise by less than chance explains does not refute it, nor does none of fewer gates than
        the promise allows one in.
        """
        if not self.kept:
            return False
        if self.at_least:
            return True if self.rate >= self.promised else None
        return True if self.rate <= self.promised and self.n * self.promised >= 1 else None

    @property
    def kept(self) -> bool:
        """Whether the promise is kept, as far as so many simulations can tell."""
        slack = SLACK * math.sqrt(self.promised * (1 - self.promised) / self.n)
        return self.rate >= self.promised - slack if self.at_least else self.rate <= self.promised + slack


@dataclass(frozen=True)
class SelfTest:
    """What the trials say."""

    trials: tuple[Trial, ...]
    n_figures: int
    seed: int

    @property
    def exit_code(self) -> int:
        """0 all promises kept; 1 one of the errors is too frequent; 3 an unchanged game passes too seldom."""
        if not all(one.kept for one in self.trials if not one.at_least):
            return 1
        return 0 if all(one.kept for one in self.trials) else 3

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        trials = [asdict(one) | {"rate": one.rate, "kept": one.kept, "shown": one.shown} for one in self.trials]
        return {"figures": self.n_figures, "seed": self.seed, "exit_code": self.exit_code, "trials": trials}


def units_of(baseline: Baseline) -> list[Unit]:
    """The pairings of a baseline that leave something to chance, as the simulation takes them."""
    units = []
    for entry in baseline.entries:
        if entry.now.exact:
            continue
        means = np.stack([entry.now.measured(name, len(LOOKS) - 1).means for name in entry.deltas], axis=1)
        units.append(Unit(np.nan_to_num(means), np.array(list(entry.deltas.values()))))
    return units


def selftest(baseline: Baseline, simulations: int = 2_000, seed: int = 0) -> SelfTest:
    """Simulate gates in which no figure has moved, one has moved by its delta, and all have.

    Raises
    ------
    BadInput
        When nothing in the baseline is left to chance.
    """
    units = units_of(baseline)
    if not units:
        raise BadInput.of("nothing in this baseline is left to chance: its gate compares exact figures")
    delta = np.concatenate([unit.delta for unit in units])
    still = rates(units, [np.zeros(delta.size)] * simulations, seed)
    one = rates(units, one_at_delta(units, simulations), seed + 1)
    every = rates(units, [delta] * simulations, seed + 2)
    return SelfTest(
        (
            Trial("nothing", _named(still), State.EQUIVALENT.value, PASS_RATE, at_least=True),
            Trial("one figure, by delta", _named(one), State.EQUIVALENT.value, BETA),
            Trial("all figures, by delta", _named(every), State.DRIFT.value, ALPHA),
        ),
        int(delta.size),
        seed,
    )


def _named(found: Counter[State]) -> dict[str, int]:
    return {state.value: found[state] for state in (State.EQUIVALENT, State.UNDECIDED, State.DRIFT)}
