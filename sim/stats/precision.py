"""How many matches a half-width needs: looks at doublings, and what a pilot foretells.

Whoever looks at the same growing sample K times has K chances to stop on a lucky interval. The error is therefore split
over the looks that were planned: every interval has level 1 - alpha/K (Bonferroni), so that the one finally shown
covers with at least 1 - alpha wherever the run stopped.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile

import numpy as np

from sim.stats import intervals
from sim.stats.metrics import DETERMINISTIC, EXACT, Estimate

WATCHED = ("score.first", "shared")
"""Figures of the dispatch game that a half-width is asked of."""


@dataclass(frozen=True)
class LookPlan:
    """When to look, and with what level.

    Attributes
    ----------
    matches
        Matches played in all at each look, rising; the last is the cap.
    level
        Of the intervals at every look.
    """

    matches: tuple[int, ...]
    level: float


def plan_looks(first: int, cap: int, level: float = 0.95) -> LookPlan:
    """Looks at `first` matches, at every doubling of it below the cap, and at the cap.

    Parameters
    ----------
    first
        Matches at the first look, at least 2; an odd number is rounded up to whole pairs.
    cap
        Most matches that may be played, rounded up likewise.
    level
        Confidence of the whole procedure: each of the K looks takes 1 - (1 - `level`)/K.

    Raises
    ------
    ValueError
        If `first` is under 2 or above the cap.
    """
    if not 2 <= first <= cap:
        raise ValueError(f"first look at {first} matches; must be 2 or more and at most the cap of {cap}")
    start, end = first + first % 2, cap + cap % 2
    doublings = takewhile(lambda matches: matches < end, (start * 2**look for look in range(64)))
    matches = (*doublings, end)
    return LookPlan(matches, 1 - (1 - level) / len(matches))


def half_width(estimate: Estimate) -> float:
    """Length of the longer arm of the interval; 0 for what is exact, infinite where no interval is given."""
    if estimate.method in (EXACT, DETERMINISTIC):
        return 0.0
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return math.inf
    return max(estimate.value - estimate.low, estimate.high - estimate.value)


def is_precise(estimates: Iterable[Estimate], target: float, watched: Iterable[str] = WATCHED) -> bool:
    """Whether every watched figure of every pairing is known to within `target`.

    Parameters
    ----------
    estimates
        Of one look, at the plan's level; other figures are passed over.
    target
        Half-width, in the figures' own unit (0.002 for 0.2 pp).
    watched
        Core names.

    Raises
    ------
    ValueError
        If a watched figure is not among the estimates.
    """
    listed = list(estimates)
    missing = set(watched := tuple(watched)) - {estimate.metric for estimate in listed}
    if missing:
        raise ValueError(f"no estimate of {', '.join(sorted(missing))}")
    return all(half_width(estimate) <= target for estimate in listed if estimate.metric in watched)


def matches_needed(pilot: Estimate, target: float, level: float = 0.95) -> int | None:
    """Matches after which a figure's half-width may be expected to be `target`.

    Half-widths shrink with the root of the number of matches; where nothing has varied yet, with the number itself; a
    rare event's as its Clopper-Pearson and then Wilson interval would if it kept its share.

    Parameters
    ----------
    pilot
        The figure as estimated so far.
    target
        Half-width, in the figure's own unit, above 0.
    level
        Confidence of the pilot's interval.

    Returns
    -------
    int or None
        Whole pairs' worth of matches, all those already played included; None where the pilot has no interval.
    """
    if target <= 0:
        raise ValueError(f"half-width is {target}; must be above 0")
    now = half_width(pilot)
    if math.isinf(now) or pilot.value is None:
        return None
    if now == 0:
        return pilot.n
    matches_per_pair = pilot.n / pilot.n_units
    if pilot.method == intervals.CLOPPER_PEARSON:
        pairs = _pairs_of_rare(pilot.value, target, level)
    elif pilot.method == intervals.ZERO_VARIANCE:
        pairs = pilot.n_units * now / target
    else:
        pairs = pilot.n_units * (now / target) ** 2
    return math.ceil(matches_per_pair * math.ceil(pairs * (1 - 1e-12)))


def _pairs_of_rare(share: float, target: float, level: float) -> float:
    """Find the number of independent pairs by bisection on a half-width that falls as they grow."""

    def reached(pairs: float) -> bool:
        n = max(1, round(pairs))
        found = intervals.proportion(share, np.full(intervals.MIN_UNITS, share), n, level)
        return found.low is not None and found.high is not None and max(share - found.low, found.high - share) <= target

    low, high = 1.0, 2.0
    while not reached(high):
        low, high = high, 2 * high
    while high - low > 0.5:
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return float(round(high))
