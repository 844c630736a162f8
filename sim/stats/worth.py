"""What an investment is worth, from restricted play: knockouts, interaction, indifference price, verdicts.

Axes: `k` one of several costs, `b` block, `r` resample. Scores are of a restricted bot against the same bot
unrestricted, in pairs with the seats swapped. The unrestricted bot scores exactly one half of such a pair against
itself (the two matches are one match seen from both sides), so that its score needs no matches.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, unique

import numpy as np
from numpy.typing import NDArray

from sim.stats.figures import DETERMINISTIC, Totals
from sim.stats.intervals import TOO_SMALL, Interval
from sim.stats.paired import Measured, combination, interval, measured
from sim.stats.resampling import BOOTSTRAP, RESAMPLES, can_resample, percentile_limits, resampled_blocks

__all__ = [
    "EVEN",
    "POINTS",
    "SCORE",
    "Crossing",
    "Price",
    "Scale",
    "Vote",
    "indifference_price",
    "panel_verdict",
    "score_variance",
    "unpaired_gain",
    "vote_on",
    "worth_of",
]

Floats = NDArray[np.float64]
Tally = Mapping[str, Totals]
"""What is kept of a played version: figures by core name."""


@dataclass(frozen=True)
class Scale:
    """What a value is measured in.

    Attributes
    ----------
    metric
        The restricted bot's figure.
    even
        What the unrestricted bot has against itself.
    """

    metric: str
    even: float


SCORE = Scale("score.first", 0.5)
POINTS = Scale("margin.mean", 0.0)
EVEN = {"score": SCORE, "points": POINTS}


def worth_of(terms: Sequence[tuple[float, Tally]], scale: Scale, *, exact: bool = False) -> Measured:
    """A combination of what versions of a bot reach against it unrestricted.

    Parameters
    ----------
    terms
        Coefficients and what was played. One that is -1 alone is a knockout: what the bot loses without.
    scale
        Score or points; every version counts from the even value.
    exact
        Nothing is left to chance.
    """
    found = [(coefficient, measured(tally[scale.metric], exact=exact)) for coefficient, tally in terms]
    return combination(found, -scale.even * sum(coefficient for coefficient, _ in terms))


def score_variance(tally: Tally) -> float:
    """Variance of the first side's score from match to match."""
    n = int(tally["score.first"].matches.sum())
    if n == 0:
        return math.nan
    shares = {name: int(tally[name].total.sum()) / n for name in ("win.first", "shared")}
    mean = shares["win.first"] + shares["shared"] / 2
    return shares["win.first"] + shares["shared"] / 4 - mean**2


def unpaired_gain(value: Measured, free: Tally, version: Tally) -> float | None:
    """How many times the matches a knockout would take from single matches on luck of their own.

    There the unrestricted bot plays as many matches of its own, and no seats are swapped. None where the pairing left
    no variance, or there are too few blocks.
    """
    known = value.means[~np.isnan(value.means)]
    if value.exact or known.size < 2 or known.max() == known.min():
        return None
    n = int(version["score.first"].matches.sum())
    apart = (score_variance(free) + score_variance(version)) / n
    return float(apart / (known.var(ddof=1) / known.size))


# -- prices -----------------------------------------------------------------------------------------------------------


@unique
class Crossing(Enum):
    """How the value of a forced purchase runs over the costs."""

    CROSSES = "crosses"
    ALWAYS = "worth it at every price at which it can be bought"
    NEVER = "not worth it even at $0"
    NONE_SEEN = "no value seen at any price"
    NOT_BOUGHT = "cannot be bought at any price"


@dataclass(frozen=True)
class Price:
    """The cost at which buying is as good as not buying.

    Attributes
    ----------
    kind
        Whether there is such a cost.
    value, low, high, method
        The first crossing from above 0 to 0 or below [dollars], its interval, and how that came about; None where there
        is none. An end that lies beyond the costs at which it can be bought is the last of these.
    further
        Later crossings, each after costs at which the value was seen to be above 0 again.
    demand_ends
        The highest cost at which the forced purchase is made [dollars]; None where it never is.
    """

    kind: Crossing
    value: float | None = None
    low: float | None = None
    high: float | None = None
    method: str = ""
    further: tuple[float, ...] = ()
    demand_ends: float | None = None


def indifference_price(
    costs: Sequence[int], values: Sequence[Measured], *, seed: int, level: float = 0.95, resamples: int = RESAMPLES
) -> Price:
    """The price at which the forced purchase stops paying, by a scan of costs on the same luck.

    Parameters
    ----------
    costs
        Rising, those at which the forced purchase is made at all.
    values
        Value of the forced purchase at each: s(bought as soon as affordable) - s(forbidden), both against the
        unrestricted bot at that cost.
    seed
        Of the bootstrap over blocks.
    level
        Confidence; that there is no value at any price is said by intervals that allow for all costs (Bonferroni).
    resamples
        Number of resamples.
    """
    if not costs:
        return Price(Crossing.NOT_BOUGHT)
    line = np.array([value.value for value in values])
    ends = float(costs[-1])
    exact = all(value.exact for value in values)
    if _is_nothing(values, 1 - (1 - level) / len(costs)):
        return Price(Crossing.NONE_SEEN, demand_ends=ends)
    crossings = _crossings(np.array(costs, np.float64), line)
    if not crossings:
        return Price(Crossing.ALWAYS if line[0] > 0 else Crossing.NEVER, demand_ends=ends)
    first = crossings[0][1]
    starts = [k + 1 for k, _ in crossings]
    further = tuple(
        price
        for start, (k, price) in zip(starts, crossings[1:], strict=False)
        if any(_is_above(value, level) for value in values[start : k + 1])
    )
    if exact:
        return Price(Crossing.CROSSES, first, None, None, DETERMINISTIC, further, ends)
    by_block = np.stack([np.broadcast_to(value.means, _blocks(values)) for value in values])
    known = ~np.isnan(by_block).any(axis=0)
    n_blocks = int(known.sum())
    if not can_resample(n_blocks):
        return Price(Crossing.CROSSES, first, None, None, TOO_SMALL, further, ends)
    counts = resampled_blocks(n_blocks, resamples, seed)
    drawn = counts @ by_block[:, known].T / n_blocks + (line - by_block[:, known].mean(axis=1))
    prices = np.array([_first(np.array(costs, np.float64), row) for row in drawn])
    low, high = percentile_limits(prices, n_blocks, level)
    return Price(Crossing.CROSSES, first, min(float(low), first), max(float(high), first), BOOTSTRAP, further, ends)


def _blocks(values: Sequence[Measured]) -> int:
    return max(value.means.size for value in values)


def _is_nothing(values: Sequence[Measured], level: float) -> bool:
    """Whether no cost shows a value, either way."""
    for value in values:
        found = interval(value, level)
        if found.method == DETERMINISTIC:
            if found.value != 0:
                return False
        elif found.low is None or found.high is None or not found.low <= 0 <= found.high:
            return False
    return True


def _is_above(value: Measured, level: float) -> bool:
    """Whether a value is seen to be above 0."""
    found = interval(value, level)
    return found.value > 0 if found.low is None else found.low > 0


def _crossings(costs: Floats, line: Floats) -> list[tuple[int, float]]:
    """Where the line goes from above 0 to 0 or below: the place before, and the cost, interpolated."""
    places = np.flatnonzero((line[:-1] > 0) & (line[1:] <= 0))
    return [(int(k), float(costs[k] + (costs[k + 1] - costs[k]) * line[k] / (line[k] - line[k + 1]))) for k in places]


def _first(costs: Floats, line: Floats) -> float:
    """The first crossing of a resample; where there is none, the end of the costs that it lies beyond."""
    found = _crossings(costs, line)
    return found[0][1] if found else float(costs[-1] if line[0] > 0 else costs[0])


# -- verdicts ---------------------------------------------------------------------------------------------------------


@unique
class Vote(Enum):
    """What one bot says of an investment."""

    HARMFUL = "trap"
    WORTHLESS = "dominated"
    FAIR = "fair"
    MANDATORY = "mandatory"
    UNDECIDED = "undecided"


def vote_on(value: Interval, delta: float, mandatory: float) -> Vote:
    """What a knockout value says.

    Parameters
    ----------
    value
        In score, with its interval.
    delta
        Below it, the upper end says that it is worth nothing.
    mandatory
        Above it, the lower end says that nobody can do without.
    """
    low, high = value.low, value.high
    if value.method == DETERMINISTIC:
        low = high = value.value
    if low is None or high is None:
        return Vote.UNDECIDED
    if high < 0:
        return Vote.HARMFUL
    if low > mandatory:
        return Vote.MANDATORY
    if high < delta:
        return Vote.WORTHLESS
    return Vote.FAIR if low > 0 and high < mandatory else Vote.UNDECIDED


DEPENDS = "depends on the bot"


def panel_verdict(votes: Mapping[str, Vote], buyers: Sequence[str]) -> tuple[str, int]:
    """What a panel says of an investment, and how many bots say so.

    Parameters
    ----------
    votes
        By bot.
    buyers
        Bots that buy it: only they know a trap.

    Returns
    -------
    tuple
        The verdict: trap (every bot that buys it loses by it), dominated (worth under delta to every bot), mandatory or
        fair (to every bot), `DEPENDS` (two bots say different things), or undecided; and the number of bots that agree.
    """
    if buyers and all(votes[bot] is Vote.HARMFUL for bot in buyers):
        return Vote.HARMFUL.value, len(buyers)
    worthless = [bot for bot, vote in votes.items() if vote in (Vote.WORTHLESS, Vote.HARMFUL)]
    if len(worthless) == len(votes):
        return Vote.WORTHLESS.value, len(worthless)
    said = [vote for vote in votes.values() if vote is not Vote.UNDECIDED]
    if len({Vote.WORTHLESS if vote is Vote.HARMFUL else vote for vote in said}) > 1:
        most = max(said.count(vote) for vote in said)
        return DEPENDS, most
    if len(said) == len(votes):
        return said[0].value, len(said)
    return Vote.UNDECIDED.value, len(votes) - len(said)
