"""The shape of matches: who leads when, how often that changes, when it is over, and where trains run and meet.

Axes: `m` match, `d` dispatch (place 0 is after dispatch 1), `k` points behind, `b` block. Leads are those of seat A.
Each figure is defined here and nowhere else; how near matches end is in `sim.stats.closeness`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sim.stats import intervals
from sim.stats.figures import DETERMINISTIC, NO_MATCHES, Estimate, Int64s, Kind, MetricDefinition, Totals, estimated
from sim.stats.resampling import BOOTSTRAP, RESAMPLES, can_resample, percentile_limits, resampled_blocks

__all__ = [
    "DECIDED",
    "FEWEST_SIDES",
    "SHAPE_METRICS",
    "Comeback",
    "Courses",
    "Place",
    "estimates_of_shape",
    "evenness",
    "places",
]

DECIDED = 0.95
"""A match is decided when the leader's expected score is above this, and stays so."""

FEWEST_SIDES = 20
"""A comeback is read from at least so many sides: fewer are taken together with the next smaller deficits."""


@dataclass(frozen=True, eq=False)
class Courses:
    """How matches went, of wholly legal pairs.

    Attributes
    ----------
    points, dollars
        Of A minus of B, after each dispatch, shape (m, d).
    blocks
        Block of each match, shape (m,).
    n_blocks
        Number of blocks.
    n_swaps
        Matches of a pair.
    """

    points: Int64s
    dollars: Int64s
    blocks: Int64s
    n_blocks: int
    n_swaps: int

    @property
    def n_matches(self) -> int:
        """Number of matches."""
        return int(self.points.shape[0])

    @property
    def n_dispatches(self) -> int:
        """Length of a match."""
        return int(self.points.shape[1])

    @cached_property
    def leaders(self) -> NDArray[np.int8]:
        """Who leads after each dispatch, on points, else on cash: 1 A, -1 B, 0 nobody; shape (m, d)."""
        found = np.where(self.points != 0, np.sign(self.points), np.sign(self.dollars))
        return np.asarray(found, np.int8)

    @cached_property
    def winners(self) -> NDArray[np.int8]:
        """Who leads in the end: 1 A, -1 B, 0 shared; shape (m,)."""
        return np.asarray(self.leaders[:, -1], np.int8)

    @cached_property
    def comeback(self) -> Comeback:
        """What sides that are behind still score."""
        return Comeback.of(self.points, self.winners)

    def totals(self, values: Int64s, counted: NDArray[np.bool_] | None = None, scale: int = 1) -> Totals:
        """Whole numbers of matches, shape (m,), added up by block; `counted` says which matches have one."""
        use = np.ones(self.n_matches, bool) if counted is None else counted
        total = np.zeros(self.n_blocks, np.int64)
        matches = np.zeros(self.n_blocks, np.int64)
        np.add.at(total, self.blocks[use], values[use])
        np.add.at(matches, self.blocks[use], 1)
        return Totals(total, matches, -(-matches // self.n_swaps), scale)


@dataclass(frozen=True, eq=False)
class Comeback:
    """Score of a side that is so many points behind after a dispatch.

    Attributes
    ----------
    behind
        Deficits in points, 1 upwards, shape (k,).
    doubled
        Twice the score of all such sides together, shape (d, k).
    sides
        How many there are, shape (d, k).
    """

    behind: Int64s
    doubled: Int64s
    sides: Int64s

    @classmethod
    def of(cls, points: Int64s, winners: NDArray[np.int8]) -> Comeback:
        """The comeback of matches with these leads of A, shape (m, d), and these winners, shape (m,)."""
        n_dispatches = points.shape[1]
        deficit = np.abs(points)
        most = int(deficit.max(initial=0))
        sides = np.zeros((n_dispatches, most + 1), np.int64)
        doubled = np.zeros_like(sides)
        for d in range(n_dispatches):
            # The side that is behind is B where A leads: it wins 2, 1 or 0 halves.
            halves = 1 - np.sign(points[:, d]) * winners
            sides[d] = np.bincount(deficit[:, d], minlength=most + 1)
            doubled[d] = np.bincount(deficit[:, d], halves, most + 1).astype(np.int64)
        return cls(np.arange(1, most + 1), doubled[:, 1:], sides[:, 1:])

    @cached_property
    def expected(self) -> NDArray[np.float64]:
        """Score to be expected of a side that is k points behind, shape (d, k + 1), k from 0; level is one half.

        Deficits that fewer than `FEWEST_SIDES` sides had are taken together with the next smaller ones, from the
        largest down, so that no rare deficit is read from a single match. Not a number where nobody was so far behind.
        """
        n_dispatches, most = self.sides.shape
        found = np.full((n_dispatches, most + 1), np.nan)
        found[:, 0] = 0.5
        for d in range(n_dispatches):
            start = most
            n = won = 0
            for k in range(most, 0, -1):
                n += int(self.sides[d, k - 1])
                won += int(self.doubled[d, k - 1])
                if n >= FEWEST_SIDES or (k == 1 and n):
                    found[d, k : start + 1] = won / (2 * n)
                    start, n, won = k - 1, 0, 0
            found[d, 1:][self.sides[d] == 0] = np.nan
        return found

    def score(self, dispatch: int, behind: int) -> tuple[float, int]:
        """Score of sides that were exactly so many points behind after a dispatch (from 1), and how many there were."""
        if not 1 <= dispatch <= self.sides.shape[0] or not 1 <= behind <= self.behind.size:
            return float("nan"), 0
        n = int(self.sides[dispatch - 1, behind - 1])
        return (int(self.doubled[dispatch - 1, behind - 1]) / (2 * n) if n else float("nan")), n


def _lead_changes(courses: Courses) -> Totals:
    """From A to B or back; dispatches after which nobody leads are passed over."""
    changes = np.zeros(courses.n_matches, np.int64)
    last = np.zeros(courses.n_matches, np.int8)
    for d in range(courses.n_dispatches):
        now = courses.leaders[:, d]
        changes += last * now == -1
        last = np.where(now != 0, now, last)
    return courses.totals(changes)


def _drama(courses: Courses) -> Totals:
    """Points that the winner was behind, added up over the dispatches; 0 if shared."""
    behind: Int64s = np.maximum(0, -courses.points * courses.winners[:, None].astype(np.int64))
    return courses.totals(behind.sum(axis=1, dtype=np.int64), scale=courses.n_dispatches)


def _decided_at(courses: Courses) -> Totals:
    """First dispatch after which the leader's expected score stays above `DECIDED`, of matches that somebody won.

    What is never so, such as a match that is won on cash, is decided by the last dispatch.
    """
    expected = courses.comeback.expected
    d = np.arange(courses.n_dispatches)
    sure = 1 - expected[d, np.abs(courses.points)] > DECIDED
    sure &= np.sign(courses.points) == courses.winners[:, None]
    unsure = ~sure
    n_last_sure = np.where(unsure.any(axis=1), np.argmax(unsure[:, ::-1], axis=1), courses.n_dispatches)
    decided = np.minimum(courses.n_dispatches - n_last_sure + 1, courses.n_dispatches)
    return courses.totals(np.asarray(decided, np.int64), courses.winners != 0)


def _comebacks(courses: Courses) -> Totals:
    """Matches whose winner was behind in points after some dispatch, of those that somebody won."""
    behind = (courses.points * courses.winners[:, None] < 0).any(axis=1)
    return courses.totals(np.asarray(behind, np.int64), courses.winners != 0)


SHAPE_METRICS: dict[str, MetricDefinition] = {
    one.name: one
    for one in (
        MetricDefinition(
            "lead_changes",
            Kind.MEAN,
            "count",
            "times that the lead goes from one side to the other (points, then cash, after each dispatch)",
            _lead_changes,
            ("dispatches",),
        ),
        MetricDefinition(
            "drama",
            Kind.MEAN,
            "points",
            "points that the eventual winner is behind, mean over the dispatches; 0 while it leads, and if shared",
            _drama,
            ("dispatches", "reward"),
        ),
        MetricDefinition(
            "comebacks",
            Kind.PROPORTION,
            "share",
            "won matches whose winner was behind in points after some dispatch",
            _comebacks,
        ),
        MetricDefinition(
            "decided_at",
            Kind.MEAN,
            "count",
            "first dispatch after which the leader's expected score stays above 95%, of won matches",
            _decided_at,
            ("dispatches",),
        ),
    )
}
"""Figures of a match's course by their core names."""


def estimates_of_shape(
    courses: Courses,
    pairing: str,
    limits: Mapping[str, float],
    *,
    level: float = 0.95,
    deterministic: bool = False,
) -> list[Estimate]:
    """Estimate every figure of the courses.

    Parameters
    ----------
    pairing
        Written into the estimates.
    limits
        What bounds the figures of one match (`MetricDefinition.limits`).
    level
        Confidence.
    deterministic
        No bot draws: then there are no intervals.
    """
    found = estimated(list(SHAPE_METRICS.values()), courses, pairing, level=level, limits=limits)
    if not deterministic:
        return found
    return [one if one.value is None else replace(one, low=None, high=None, method=DETERMINISTIC) for one in found]


# -- where it happens -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """How often something happens at a track or a junction in a match.

    Attributes
    ----------
    name
        A junction, or the two ends of a track with a dash.
    what
        `runs` and `head_ons` of tracks; `conflicts`, `tolls`, `shared_arrivals` and `sidings` (bought) of junctions.
    value, low, high, method
        Mean a match, and its interval.
    never
        It happened in no match that was looked at.
    """

    name: str
    what: str
    value: float
    low: float | None
    high: float | None
    method: str
    never: bool


def places(
    names: list[str],
    what: str,
    counts: Int64s,
    matches: Int64s,
    pairs: int,
    *,
    level: float = 0.95,
    deterministic: bool = False,
) -> list[Place]:
    """How often something happens at each of several places.

    Parameters
    ----------
    names
        Of the places, P of them.
    counts
        By block and place, shape (B, P).
    matches
        By block, shape (B,).
    pairs
        Pairs that they belong to.
    level
        Confidence.
    deterministic
        No bot draws: then there are no intervals.
    """
    full = matches > 0
    n = int(matches.sum())
    found = []
    for p, name in enumerate(names):
        total = int(counts[:, p].sum())
        value = total / n if n else 0.0
        means = counts[full, p] / matches[full]
        if deterministic or n == 0:
            low, high, method = None, None, DETERMINISTIC if n else NO_MATCHES
        elif total == 0:
            # In no pair; at most this share of pairs could yet have it (Clopper-Pearson), once.
            low, high = 0.0, float(intervals.clopper_pearson_limits(0.0, pairs, level)[1])
            method = intervals.CLOPPER_PEARSON
        else:
            one = intervals.mean(value, means, pairs, level, (0.0, np.inf))
            low, high, method = one.low, one.high, one.method
        found.append(Place(name, what, value, low, high, method, total == 0))
    return found


def evenness(
    counts: Int64s, matches: int, pairs: int, pairing: str, *, level: float = 0.95, deterministic: bool = False
) -> Estimate:
    """How evenly something is spread over places: 1 where each has the same share, 0 where one has all.

    Shannon's entropy of the shares, in shares of its largest value.

    Parameters
    ----------
    counts
        By block and place, shape (B, P).
    matches, pairs
        In which it was counted, and the pairs that they belong to.
    pairing
        Who played.
    level
        Confidence of the interval, by bootstrap over blocks.
    deterministic
        No bot draws: then there is no interval.
    """
    total = counts.sum(axis=0)
    if not total.sum() or total.size < 2:
        return Estimate(pairing, "traffic_evenness", None, None, None, 0, 0, NO_MATCHES)
    value = float(_entropy(total[None, :])[0])
    if deterministic or not can_resample(len(counts)):
        method = DETERMINISTIC if deterministic else intervals.TOO_SMALL
        return Estimate(pairing, "traffic_evenness", value, None, None, matches, pairs, method)
    drawn = _entropy(resampled_blocks(len(counts), RESAMPLES, 0) @ counts)
    low, high = percentile_limits(drawn, len(counts), level)
    ends = min(float(low), value), max(float(high), value)
    return Estimate(pairing, "traffic_evenness", value, *ends, matches, pairs, BOOTSTRAP)


def _entropy(counts: Int64s) -> NDArray[np.float64]:
    """Entropy of the shares of each row, shape (R, P), in shares of the largest that P places can have."""
    shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    terms = np.where(shares > 0, shares * np.log(np.where(shares > 0, shares, 1.0)), 0.0)
    found: NDArray[np.float64] = -terms.sum(axis=1) / np.log(counts.shape[1])
    return found
