"""The gate tried out on simulated matches: how often it cries wolf, how often it misses, how often it passes.

Axes: `b` block, `j` figure. Noise is normal, with the covariance that the figures have between blocks; baseline and
check share no luck, which is the worst case. Looks nest, as they do in a check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sim.stats.blocks import Floats
from sim.stats.gate import LOOKS, Evidence, State, decide

__all__ = ["Simulated", "Unit", "simulate", "verdict_of"]


@dataclass(frozen=True, eq=False)
class Unit:
    """A pairing.

    Attributes
    ----------
    means
        Block means of its figures at the last look, shape (B, J).
    delta
        Shape (J,).
    """

    means: Floats
    delta: Floats

    @cached_property
    def factor(self) -> Floats:
        """R with RᵀR the covariance of the block means, shape (K, J), K at most J."""
        centred = (self.means - self.means.mean(axis=0)) / np.sqrt(self.means.shape[0] - 1)
        return np.asarray(np.linalg.qr(centred, mode="r"), np.float64)


@dataclass(frozen=True, eq=False)
class Simulated:
    """Differences of one simulated gate: shape (K, J), K looks, the figures of all units side by side."""

    difference: Floats
    error: Floats


def simulate(units: Sequence[Unit], shift: Floats, rng: np.random.Generator) -> Simulated:
    """One gate in which the figures have truly moved by `shift`, shape (J,)."""
    differences, errors = [], []
    for unit in units:
        n_blocks, n_figures = unit.means.shape
        total, played = np.zeros((n_blocks, n_figures)), 0
        of_unit = []
        for times in LOOKS:
            parts = times - played
            # A block of one part of the last look's LOOKS[-1] scatters with that many times the variance; two sides.
            deviation = np.sqrt(2 * LOOKS[-1] * parts)
            total += deviation * (rng.standard_normal((n_blocks, unit.factor.shape[0])) @ unit.factor)
            played = times
            of_unit.append(total / times)
        blocks = np.array(of_unit)
        differences.append(blocks.mean(axis=1))
        errors.append(blocks.std(axis=1, ddof=1) / np.sqrt(n_blocks))
    return Simulated(np.concatenate(differences, axis=1) + shift, np.concatenate(errors, axis=1))


def verdict_of(units: Sequence[Unit], found: Simulated) -> State:
    """What the gate says: look by look, units closed as they are found equivalent."""
    delta = np.concatenate([unit.delta for unit in units])
    freedom = np.concatenate([np.full(unit.delta.size, unit.means.shape[0] - 1.0) for unit in units])
    owner = np.concatenate([np.full(unit.delta.size, place) for place, unit in enumerate(units)])
    left = np.ones(delta.size, dtype=bool)
    for look in range(len(LOOKS)):
        evidence = Evidence(found.difference[look, left], found.error[look, left], delta[left], freedom[left])
        decision, _ = decide(evidence, family=delta.size)
        if decision.drift.any():
            return State.DRIFT
        undecided = set(owner[left][~decision.equivalent].tolist())
        left &= np.isin(owner, list(undecided))
        if not left.any():
            return State.EQUIVALENT
    return State.UNDECIDED


def rates(units: Sequence[Unit], shifts: Sequence[Floats], seed: int) -> Counter[State]:
    """Verdicts of one gate for each shift."""
    rng = np.random.default_rng(seed)
    return Counter(verdict_of(units, simulate(units, shift, rng)) for shift in shifts)


def one_at_delta(units: Sequence[Unit], n: int) -> list[Floats]:
    """Shifts of `n` gates in which one figure after the other has moved by delta, up and down in turn, the rest not."""
    delta = np.concatenate([unit.delta for unit in units])
    varies: NDArray[np.intp] = np.flatnonzero(delta > 0)
    shifts = []
    for number in range(n):
        shift = np.zeros(delta.size)
        place = varies[number % varies.size]
        shift[place] = delta[place] if (number // varies.size) % 2 == 0 else -delta[place]
        shifts.append(shift)
    return shifts
