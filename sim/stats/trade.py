"""Two goals at a time: which cells no other beats in both, and how figures follow a key from cell to cell.

Axes: `i` cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, unique

import numpy as np
from numpy.typing import NDArray

from sim.stats.figures import Estimate
from sim.stats.goals import Goal
from sim.stats.intervals import t_quantile
from sim.stats.standing import distance_from

__all__ = ["Distances", "Group", "Side", "distances", "groups", "sides"]

Floats = NDArray[np.float64]

FEWEST = 3
"""Cells that a mean with an interval needs."""

FINE = 33
"""Points of an interval at which the distance is looked at: it may be smallest inside."""


@unique
class Side(Enum):
    """On which side of the front a cell lies."""

    FRONT = "on the front"
    MAYBE = "behind it, or on it: the intervals overlap"
    BEHIND = "surely behind it"


@dataclass(frozen=True)
class Distances:
    """How far the figures of all cells lie outside a band, in band units: values and intervals, each of shape (i,)."""

    value: Floats
    low: Floats
    high: Floats


def distances(goal: Goal, estimates: Sequence[Estimate]) -> Distances:
    """Distances of a goal's figure from its band in all cells; below 0 inside."""
    value = np.array([math.nan if one.value is None else one.value for one in estimates])
    low, high = (
        np.array([centre if end is None else end for centre, end in zip(value, ends, strict=True)], np.float64)
        for ends in ([one.low for one in estimates], [one.high for one in estimates])
    )
    fine = distance_from(goal, np.linspace(low, high, FINE))
    return Distances(distance_from(goal, value), fine.min(axis=0), fine.max(axis=0))


def sides(one: Distances, other: Distances) -> list[Side]:
    """Where each cell lies: no other is nearer to, or deeper inside, both bands than one on the front.

    A cell is surely behind the front when some other cell's interval lies below its own in both.
    """
    found = []
    for i in range(len(one.value)):
        nearer = (one.value <= one.value[i]) & (other.value <= other.value[i])
        strictly = (one.value < one.value[i]) | (other.value < other.value[i])
        surely = (one.high < one.low[i]) & (other.high < other.low[i])
        found.append(Side.BEHIND if surely.any() else Side.MAYBE if (nearer & strictly).any() else Side.FRONT)
    return found


@dataclass(frozen=True)
class Group:
    """Cells whose key has the same value, or lies in the same stretch: where they are, and the mean of their figures.

    The interval is of that mean over such cells as the design takes, from how they scatter; None of fewer than three.
    """

    at: float
    mean: float
    low: float | None
    high: float | None


def groups(
    x: Sequence[float],
    y: Sequence[float],
    level: float,
    most: int = 8,
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> list[Group]:
    """Means of figures over a key.

    Parameters
    ----------
    x
        Value of the key, or number of its level.
    y
        The figure.
    level
        Confidence of the intervals.
    most
        Groups at most; where the key has more values than that, stretches with as many cells each.
    limits
        Least and greatest value that the figure can have.
    """
    places, values = np.asarray(x, np.float64), np.asarray(y, np.float64)
    known = ~np.isnan(values)
    places, values = places[known], values[known]
    if not places.size:
        return []
    distinct = np.unique(places)
    if distinct.size <= most:
        members = [places == one for one in distinct]
    else:
        order = np.argsort(places, kind="stable")
        members = [np.isin(np.arange(places.size), part) for part in np.array_split(order, min(most, places.size // 3))]
    found = []
    for chosen in members:
        here = values[chosen]
        mean, half = float(here.mean()), None
        if here.size >= FEWEST:
            half = t_quantile(here.size, level) * float(here.std(ddof=1)) / math.sqrt(here.size)
        ends = (None, None) if half is None else (max(mean - half, limits[0]), min(mean + half, limits[1]))
        found.append(Group(float(places[chosen].mean()), mean, *ends))
    return found
