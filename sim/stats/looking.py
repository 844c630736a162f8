"""Looking at the same goals again while more is played: how error is spent, and how many matches to play next.

A goal that is judged at several looks is judged at a share of the allowed error each time; the shares add up to 1, so
that the chance of a wrong verdict at any look is at most what it would be at a single one, whichever looks are taken
and whatever decides between them (Boole's inequality).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sim.stats.goals import GoalResult, GoalVerdict

__all__ = ["GROWTH", "LOOKS", "error_shares", "expected_factor", "next_factor"]

LOOKS = 7
"""Looks at most."""

GROWTH = 1.25
"""Each look may err so many times as often as the one before: what is decided late is what is close to a bound."""

HOPE = 0.25
"""Standard errors, as a share of what a verdict takes, by which a figure is hoped to lie farther from its bound."""

AMPLE = 1.4
"""So many times what is expected to decide is played, since what is expected is missed every other time."""

LEAST, MOST = 1.5, 3.0
"""Each look has at least and at most so many times the matches of the one before."""


def error_shares(looks: int = LOOKS, growth: float = GROWTH) -> tuple[float, ...]:
    """Shares of the allowed error by look, growing, 1 in all."""
    raw = [growth**look for look in range(looks)]
    return tuple(one / sum(raw) for one in raw)


def expected_factor(results: Sequence[GoalResult]) -> float:
    """How many times what was played may be expected to decide an undecided cell, seen with some hope.

    A goal whose figure lies outside decides alone, being violated; else all that are undecided have to be met.

    Parameters
    ----------
    results
        Its goals, at least one of them undecided.
    """
    waiting = [one for one in results if one.verdict is GoalVerdict.UNDECIDED]
    outside = [
        one
        for one in waiting
        if one.estimate.value is not None and not one.goal.band.holds(one.estimate.value, one.estimate.value)
    ]
    factors = [_hoped(one) for one in outside or waiting]
    return min(factors) if outside else max(factors)


def _hoped(one: GoalResult) -> float:
    distance = math.sqrt(one.estimate.n / one.matches_needed) if one.matches_needed else 0.0
    return (distance + HOPE) ** -2


def next_factor(expected: float) -> float:
    """How many times what was played the next look should have."""
    return min(MOST, max(LEAST, AMPLE * expected))
