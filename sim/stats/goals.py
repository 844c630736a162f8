"""Whether figures lie where they are to lie: MET, VIOLATED, or UNDECIDED and how many matches would decide it.

The same two tests as in the gate (`sim.stats.gate`), made by intervals, so that shares near 0, quantiles and figures
known by proof are judged as well as they are estimated. A goal is met when the two-sided 1 - 2 beta interval lies
wholly in its band (two one-sided tests at beta, no correction: all goals have to be met). It is violated when the
interval at the level that Holm's procedure asks for lies wholly outside.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from enum import Enum, unique
from typing import Any

from sim.stats.figures import DETERMINISTIC, EXACT, Bins, Estimate, Totals
from sim.stats.gate import ALPHA, BETA
from sim.stats.paired import MOST_PAIRS, interval, measured, quantile_of

__all__ = ["Band", "Goal", "GoalResult", "GoalVerdict", "Question", "judge", "overall"]


@unique
class GoalVerdict(Enum):
    """What is known of a goal."""

    MET = "met"
    VIOLATED = "violated"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Band:
    """Values from `low` to `high`, both allowed; with `absolute` it is the figure's size that has to lie there."""

    low: float
    high: float
    absolute: bool = False

    def seen(self, low: float, high: float) -> tuple[float, float]:
        """An interval of the figure as one of what the band is about."""
        if not self.absolute:
            return low, high
        return (0.0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))

    def holds(self, low: float, high: float) -> bool:
        """Whether an interval of the figure lies wholly in the band."""
        low, high = self.seen(low, high)
        return self.low <= low and high <= self.high

    def excludes(self, low: float, high: float) -> bool:
        """Whether an interval of the figure lies wholly outside."""
        low, high = self.seen(low, high)
        return high < self.low or low > self.high


@dataclass(frozen=True)
class Goal:
    """A band on one figure.

    Attributes
    ----------
    metric
        Core name.
    band
        In the figure's own unit.
    text
        The goal in words, as in `shared <= 15%`.
    unit
        Of the figure.
    """

    metric: str
    band: Band
    text: str
    unit: str


@dataclass(frozen=True)
class Question:
    """A goal and what was played for it.

    Attributes
    ----------
    goal
        The goal.
    estimate
        The figure with its interval at a level; the same whatever the level where there is but one.
    found
        The figure block by block (`MetricDefinition.measure`); None where there are no blocks.
    q
        Which quantile the figure is; 0 for others.
    """

    goal: Goal
    estimate: Callable[[float], Estimate]
    found: Totals | Bins | None = None
    q: float = 0.0


@dataclass(frozen=True)
class GoalResult:
    """A goal judged.

    Attributes
    ----------
    goal
        The goal.
    estimate
        The figure with its 95% interval.
    verdict
        MET, VIOLATED or UNDECIDED.
    matches_needed
        Matches after which an undecided goal may be expected to be decided, those already played included; None where
        that cannot be said.
    """

    goal: Goal
    estimate: Estimate
    verdict: GoalVerdict
    matches_needed: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in `goals.json`."""
        return {
            "goal": self.goal.text,
            **asdict(self.estimate),
            "verdict": self.verdict.value,
            "matches_needed": self.matches_needed,
        }


def judge(questions: Sequence[Question], *, alpha: float = ALPHA, beta: float = BETA) -> list[GoalResult]:
    """Judge all goals together.

    Parameters
    ----------
    questions
        The goals, of every pairing.
    alpha
        Chance that any goal is called violated that is met, at most (Holm).
    beta
        Chance that a goal is called met that is violated, at most, each.
    """
    results = [GoalResult(one.goal, one.estimate(0.95), GoalVerdict.UNDECIDED) for one in questions]
    left = list(range(len(questions)))
    found: list[int] | None = None
    while left and found != []:
        found = [place for place in left if _excluded(questions[place], 1 - alpha / len(left))]
        for place in found:
            results[place] = replace(results[place], verdict=GoalVerdict.VIOLATED)
        left = [place for place in left if place not in found]
    for place in left:
        question = questions[place]
        if _held(question, 1 - 2 * beta):
            results[place] = replace(results[place], verdict=GoalVerdict.MET)
        else:
            needed = _needed(question, 1 - 2 * beta, 1 - alpha / len(questions))
            results[place] = replace(results[place], matches_needed=needed)
    return results


def overall(results: Sequence[GoalResult]) -> GoalVerdict:
    """VIOLATED when one is, UNDECIDED when one is and none is violated, else MET."""
    verdicts = {one.verdict for one in results}
    for worst in (GoalVerdict.VIOLATED, GoalVerdict.UNDECIDED):
        if worst in verdicts:
            return worst
    return GoalVerdict.MET


def _ends(found: Estimate) -> tuple[float, float] | None:
    """Ends of an interval; of a figure that is exact, twice itself; None where there is none."""
    if found.value is not None and found.method in (EXACT, DETERMINISTIC):
        return found.value, found.value
    return None if found.low is None or found.high is None else (found.low, found.high)


def _excluded(question: Question, level: float) -> bool:
    ends = _ends(question.estimate(level))
    return ends is not None and question.goal.band.excludes(*ends)


def _held(question: Question, level: float) -> bool:
    ends = _ends(question.estimate(level))
    return ends is not None and question.goal.band.holds(*ends)


def _needed(question: Question, plain: float, strict: float) -> int | None:
    """Matches that may be expected to decide, taking the figure for what it seems to be."""
    band = question.goal.band
    if isinstance(question.found, Bins):
        return _needed_quantile(question.found, question.q, band, plain, strict)
    ways = []
    for level in (plain, strict):
        one = question.estimate(level)
        if one.value is None or one.low is None or one.high is None or not one.n:
            return None
        value = abs(one.value) if band.absolute else one.value
        inside = band.low <= value <= band.high
        half = max(one.high - one.value, one.value - one.low)
        distance = min(abs(value - end) for end in (band.low, band.high) if math.isfinite(end))
        if inside == (level == plain) and distance > 0:
            ways.append(one.n * max(1.0, (half / distance) ** 2))
    return _whole(ways)


def _needed_quantile(bins: Bins, q: float, band: Band, plain: float, strict: float) -> int | None:
    """The same for a quantile, from how far the shares of the matches at the band's ends are from `q`."""
    n = int(bins.counts.sum())
    value = quantile_of(bins, q)
    level = plain if band.holds(value, value) else strict
    ends = [end for end in (band.low - 1, band.high) if math.isfinite(end)]  # below the one, and up to the other
    if band.absolute:
        ends += [-end - 1 for end in ends]
    ways = []
    for end in ends:
        found = interval(measured(bins, math.floor(end)), level)
        if found.low is None or found.high is None:
            return None
        half, distance = max(found.high - found.value, found.value - found.low), abs(found.value - q)
        ways.append(n * (half / distance) ** 2 if distance > 0 else math.inf)
    return _whole([max(n, *ways)]) if ways else None  # the end that is nearest takes longest


def _whole(ways: Sequence[float]) -> int | None:
    return math.ceil(min(ways)) if ways and min(ways) < MOST_PAIRS else None
