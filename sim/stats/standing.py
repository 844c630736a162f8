"""How well figures meet their goals, so that of several cells the best can be named; and whether two differ at all.

The distance of a figure from its band is counted in band units: the half-width of a band with two ends, else the size
of its one end (`band_unit`). It is above 0 outside and below 0 inside. One cell is better than another when fewer of
its figures lie outside; of as many, when the sum of their distances outside is smaller; of equal sums, such as 0, when
the figure nearest to its bound, or farthest outside, lies deeper inside.

Axes: `r` resample of blocks. Resamples take the same blocks in all cells, which share their luck.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.stats.figures import Bins, Totals
from sim.stats.goals import Band, Goal

__all__ = ["Standing", "band_unit", "distance_from", "share_better", "standing", "values_by_resample"]

Floats = NDArray[np.float64]

SMALLEST_UNITS = {"share": 0.01, "share difference": 0.01}
"""Band unit of a band that is a single 0, by the figure's unit; 1 of the others."""


@dataclass(frozen=True, order=True)
class Standing:
    """How a cell stands to its goals; the smaller is the better.

    Attributes
    ----------
    outside
        Figures outside their bands.
    distance
        Sum of their distances, in band units.
    nearest
        Largest distance of a figure from its band: below 0 where all lie inside, by how much the nearest does.
    """

    outside: int
    distance: float
    nearest: float


def band_unit(goal: Goal) -> float:
    """What distances from a band are counted in: its half-width, or the size of its one end."""
    band = goal.band
    low = -math.inf if band.absolute and band.low <= 0 else band.low  # a size is never below 0
    if math.isfinite(low) and math.isfinite(band.high):
        unit = (band.high - low) / 2 or abs(low)
    else:
        unit = abs(band.high if math.isfinite(band.high) else low)
    return unit if unit > 0 and math.isfinite(unit) else SMALLEST_UNITS.get(goal.unit, 1.0)


def distance_from(goal: Goal, values: Floats) -> Floats:
    """How far figures lie outside their band, in band units; below 0 inside, infinite where there is no figure."""
    band: Band = goal.band
    sizes = np.abs(values) if band.absolute else values
    low = -math.inf if band.absolute and band.low <= 0 else band.low
    far = np.maximum(low - sizes, sizes - band.high) / band_unit(goal)
    return np.where(np.isnan(far), math.inf, far)


def standing(goals: Sequence[Goal], values: Sequence[float]) -> Standing:
    """How one cell stands.

    Parameters
    ----------
    goals
        At least one.
    values
        The figure of each; not a number where no match counts.
    """
    outside, distance, nearest = _standings(goals, [np.array([value]) for value in values])
    return Standing(int(outside[0]), float(distance[0]), float(nearest[0]))


def _standings(goals: Sequence[Goal], values: Sequence[Floats]) -> tuple[Floats, Floats, Floats]:
    far = np.array([distance_from(goal, value) for goal, value in zip(goals, values, strict=True)])
    return (far > 0).sum(axis=0).astype(np.float64), np.maximum(far, 0).sum(axis=0), far.max(axis=0)


def share_better(goals: Sequence[Goal], one: Sequence[Floats], other: Sequence[Floats]) -> float:
    """Share of the resamples in which one cell is strictly better than the other.

    Parameters
    ----------
    goals
        The goals.
    one, other
        Their figures in each resample, an array (r) for each goal (`values_by_resample`).
    """
    better = np.zeros(one[0].shape, np.bool_)
    equal = np.ones(one[0].shape, np.bool_)
    for mine, theirs in zip(_standings(goals, one), _standings(goals, other), strict=True):
        better |= equal & (mine < theirs)
        equal &= mine == theirs
    return float(better.mean())


def values_by_resample(found: Totals | Bins, counts: NDArray[np.int64], q: float = 0.0) -> Floats:
    """A figure in each resample.

    Parameters
    ----------
    found
        The figure block by block; where there is but one block, nothing is left to chance.
    counts
        How often each resample takes each block, shape (r, b).
    q
        Which quantile, of a histogram.
    """
    if len(found.pairs) == 1:
        counts = np.ones((len(counts), 1), np.int64)
    if isinstance(found, Bins):
        below = (counts @ found.counts).cumsum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            at = np.argmax(below / below[:, -1:] >= q, axis=1)
        return np.where(below[:, -1] > 0, found.values[at], np.nan).astype(np.float64)
    n = found.scale * (counts @ found.matches)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(n > 0, (counts @ found.total) / n, np.nan)
