"""Intervals of proportions, means and quantiles from block means.

Axes: `b` block, `v` one of several figures on the same blocks. A block is a fixed set of pairs; a pair is the unit of
sampling, since its two matches share their luck. Nothing here knows what is measured.

References
----------
E. B. Wilson (1927), Journal of the American Statistical Association 22, 209. C. J. Clopper and E. S. Pearson (1934),
Biometrika 26, 404. E. L. Korn and B. I. Graubard (1998), Survey Methodology 24, 193 (effective sample size and t
quantile for clustered proportions). R. S. Woodruff (1952), JASA 47, 635 (quantiles by inversion). M. P. Fay and E. J.
Feuer (1997), Statistics in Medicine 16, 791 (gamma interval of a sum of rare events that weigh differently).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
import scipy  # its parts are loaded when they are first used, which takes a tenth of a second
from numpy.typing import ArrayLike, NDArray

from sim.stats.blocks import variances

Floats = NDArray[np.float64]

MIN_UNITS = 10
"""Under this many blocks no interval is given (a proportion gets Clopper-Pearson)."""
MIN_EVENTS = 10
"""With fewer successes or failures than this, counted in pairs, a proportion gets Clopper-Pearson."""

FEW_BLOCKS = 20
"""With events in fewer blocks than this, and in no more than half of them, a mean gets the gamma interval: block means
that are mostly alike are too skew for Student's t, which then covers 70 to 92% where 95% are claimed."""
UNSEEN = 2.0
"""Event that the gamma interval allows for, as a multiple of the largest that a block showed."""

WILSON = "wilson"
CLOPPER_PEARSON = "clopper-pearson"
STUDENT = "t"
GAMMA = "gamma"
ZERO_VARIANCE = "zero variance"
INVERSION = "inversion"
TOO_SMALL = "n too small"
NO_RANGE = "range unknown"


@dataclass(frozen=True)
class Interval:
    """A figure with its interval.

    Attributes
    ----------
    value
        The estimate.
    low, high
        Ends of the two-sided interval; None where none may be given.
    method
        How the interval came about, or why there is none: one of this module's constants.
    """

    value: float
    low: float | None
    high: float | None
    method: str


@lru_cache(4096)
def t_quantile(n_units: int, level: float) -> float:
    """Two-sided Student quantile with `n_units` - 1 degrees of freedom: t with P(-t < T < t) = `level`."""
    return float(scipy.special.stdtrit(n_units - 1, 0.5 + _checked(level) / 2))


def wilson_limits(p: ArrayLike, n: ArrayLike, quantile: float) -> tuple[Floats, Floats]:
    """Wilson's score interval, (p + q²/2n ± q √(p(1-p)/n + q²/4n²)) / (1 + q²/n).

    Parameters
    ----------
    p
        Observed share or shares, 0 to 1.
    n
        Number of independent trials, or the effective number; need not be whole, above 0.
    quantile
        q: of the normal distribution for independent trials, of Student's for an effective number.
    """
    share, trials = np.asarray(p, dtype=np.float64), np.asarray(n, dtype=np.float64)
    shrink = quantile**2 / trials
    centre = (share + shrink / 2) / (1 + shrink)
    half = np.sqrt(shrink) * np.sqrt(share * (1 - share) + shrink / 4) / (1 + shrink)
    # The ends touch 0 and 1 at shares of 0 and 1, and rounding must not part the interval from its own estimate.
    low, high = np.minimum(centre - half, share), np.maximum(centre + half, share)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def clopper_pearson_limits(k: ArrayLike, n: ArrayLike, level: float) -> tuple[Floats, Floats]:
    """Clopper-Pearson interval, beta form: quantile alpha/2 of Beta(k, n-k+1), and 1-alpha/2 of Beta(k+1, n-k).

    Parameters
    ----------
    k
        Number or numbers of successes, 0 to `n`; need not be whole.
    n
        Number or numbers of trials, above 0.
    level
        Confidence, 1 - alpha.
    """
    trials = np.asarray(n, dtype=np.float64)
    successes = np.minimum(np.maximum(np.asarray(k, dtype=np.float64), 0.0), trials)
    failures = trials - successes
    tail = (1 - _checked(level)) / 2
    low = np.zeros_like(successes)
    high = np.ones_like(successes)
    some, short = successes > 0, failures > 0
    low[some] = scipy.special.betaincinv(successes[some], failures[some] + 1, tail)
    high[short] = scipy.special.betainccinv(successes[short] + 1, failures[short], tail)
    share = successes / trials
    return np.minimum(low, share), np.maximum(high, share)


@lru_cache(4096)
def unseen_share(n_pairs: int, level: float) -> float:
    """Largest share of something that none of so many pairs showed (Clopper-Pearson with k = 0)."""
    return float(clopper_pearson_limits(0.0, n_pairs, level)[1])


def proportion_limits(
    values: Floats, means: Floats, n_pairs: ArrayLike, level: float
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Intervals of several proportions that were measured on the same blocks.

    Wilson with n_eff = p(1-p) / (s²/B), s² the sample variance of the B block means, and Student's quantile with
    B - 1 degrees of freedom. Where s² = 0, n_eff is the number of pairs. Under 10 blocks, or with k = p · pairs or
    pairs - k under 10: Clopper-Pearson with n = pairs, because the two matches of a pair may be one event seen twice.

    Parameters
    ----------
    values
        Shares over all matches, shape (V,).
    means
        The same shares block by block, shape (B, V).
    n_pairs
        Number of pairs that they rest on, above 0; one for all, or shape (V,).
    level
        Confidence.

    Returns
    -------
    tuple
        Lower and upper ends, and True where they are Clopper-Pearson's, each of shape (V,).
    """
    n_blocks = means.shape[0]
    pairs = np.broadcast_to(np.asarray(n_pairs, dtype=np.float64), values.shape)
    events = values * pairs
    rare = (events < MIN_EVENTS) | (pairs - events < MIN_EVENTS) | (n_blocks < MIN_UNITS)
    low, high = np.empty_like(values), np.empty_like(values)
    if rare.any():
        low[rare], high[rare] = clopper_pearson_limits(events[rare], pairs[rare], level)
    common = ~rare
    if common.any():
        p, of_blocks, n_effective = values[common], np.ascontiguousarray(means.T[common]), pairs[common]
        varies = of_blocks.max(axis=1) > of_blocks.min(axis=1)
        squared_error = variances(of_blocks[varies]) / n_blocks
        n_effective[varies] = p[varies] * (1 - p[varies]) / squared_error
        low[common], high[common] = wilson_limits(p, n_effective, t_quantile(n_blocks, level))
    return low, high, rare


def proportion(value: float, means: Floats, n_pairs: int, level: float = 0.95) -> Interval:
    """Interval of one proportion (`proportion_limits`); a score counts as one, a shared victory as half a success.

    Parameters
    ----------
    value
        The share over all matches.
    means
        Share of each block that has matches, shape (B,).
    n_pairs
        Number of pairs, above 0.
    level
        Confidence.
    """
    return proportions([value], means[None], [n_pairs], level)[0]


def proportions(values: Sequence[float], means: Floats, n_pairs: Sequence[int], level: float) -> list[Interval]:
    """The same of several proportions on as many blocks: `means` of shape (V, B)."""
    low, high, rare = (
        found.tolist() for found in proportion_limits(np.array(values), means.T, np.array(n_pairs), level)
    )
    methods = [CLOPPER_PEARSON if one else WILSON for one in rare]
    return [Interval(*ends) for ends in zip(values, low, high, methods, strict=True)]


def mean(
    value: float, means: Floats, n_pairs: int, level: float = 0.95, limits: tuple[float, float] = (-math.inf, math.inf)
) -> Interval:
    """Interval of a mean: value ± t s/√B from the B block means, t with B - 1 degrees of freedom.

    Where matches nearly always have the least value that there is (or the greatest), and only a few blocks hold
    exceptions, the gamma interval (`rare_limits`).

    Where all block means are equal, the share of pairs that could yet differ is at most u = 1 - (alpha/2)^(1/pairs)
    (Clopper-Pearson with k = 0), and the interval is value ± u * the width of the range.

    Parameters
    ----------
    value
        The mean over all matches.
    means
        Mean of each block that has matches, shape (B,).
    n_pairs
        Number of pairs, above 0.
    level
        Confidence.
    limits
        Least and greatest value that a match can have; infinite where unknown.
    """
    return means_at([value], means[None], [n_pairs], (level,), [limits])[0][0]


def means_at(
    values: Sequence[float],
    means: Floats,
    n_pairs: Sequence[int],
    levels: Sequence[float],
    limits: Sequence[tuple[float, float]],
) -> list[list[Interval]]:
    """The same of several means on as many blocks, each at several levels: `means` of shape (V, B)."""
    n_blocks = means.shape[1]
    if n_blocks < MIN_UNITS:
        return [[Interval(value, None, None, TOO_SMALL)] * len(levels) for value in values]
    varies = means.max(axis=1) > means.min(axis=1)
    errors = np.where(varies, np.sqrt(variances(means) / n_blocks), 0.0)
    low, high = np.array(limits, dtype=np.float64).T
    value = np.array(values)
    methods = [STUDENT if one else ZERO_VARIANCE for one in varies.tolist()]
    found: list[list[Interval]] = [[] for _ in values]
    usual = usual_values(means, limits)
    for level in levels:
        half = t_quantile(n_blocks, level) * errors
        for v in np.flatnonzero(~varies).tolist():
            half[v] = unseen_share(n_pairs[v], level) * (limits[v][1] - limits[v][0])
        lows = np.minimum(np.maximum(value - half, low), value).tolist()
        highs = np.maximum(np.minimum(value + half, high), value).tolist()
        ends = zip(values, lows, highs, methods, half.tolist(), usual, strict=True)
        for v, (one, less, more, method, width, often) in enumerate(ends):
            if often is not None:
                less, more = rare_limits(one, often, means[v], level)
                made = Interval(one, max(less, limits[v][0]), min(more, limits[v][1]), GAMMA)
            elif width == math.inf:
                made = Interval(one, None, None, NO_RANGE)
            else:
                made = Interval(one, less, more, method)
            found[v].append(made)
    return found


def usual_values(means: Floats, limits: Sequence[tuple[float, float]]) -> list[float | None]:
    """The least value that there is (or the greatest) where nearly all blocks have it, and only a few exceptions.

    Parameters
    ----------
    means
        Of several figures, shape (V, B).
    limits
        Least and greatest value that a match can have, for each figure.

    Returns
    -------
    list
        None for each figure of which that cannot be said.
    """
    n_blocks = means.shape[1]
    if n_blocks < MIN_UNITS:
        return [None] * len(means)
    most = min(FEW_BLOCKS - 1, n_blocks // 2)
    few = [np.count_nonzero(means != np.array(ends)[:, None], axis=1) for ends in zip(*limits, strict=True)]
    found: list[float | None] = [None] * len(means)
    for v in np.flatnonzero(np.minimum(*few) <= most).tolist():
        usual = limits[v][0 if few[0][v] <= most else 1]
        found[v] = usual if min(n[v] for n in few) else None
    return found


def rare_limits(value: float, usual: float, means: Floats, level: float) -> tuple[float, float]:
    """Interval of a mean that is the usual value but for a few events in one direction, after Fay and Feuer.

    What the blocks have beyond the usual value, x_b, is taken for a sum of Poisson events: with y = Σ x_b, v = Σ x_b²
    and w = 2 max x_b, the ends are the alpha/2 quantile of a gamma distribution with mean y and variance v, and the
    1 - alpha/2 quantile of one with mean y + w and variance v + w². With k events of one size and w that size these
    are the exact Poisson limits; the 2 allows for an event larger than any seen.

    Parameters
    ----------
    value
        The mean over all matches.
    usual
        What a match without such an event has: the least or the greatest possible.
    means
        Mean of each block, shape (B,), not all of them `usual`.
    level
        Confidence.
    """
    beyond = np.abs(means - usual)
    tail = (1 - _checked(level)) / 2
    y, v, w = float(beyond.sum()), float((beyond**2).sum()), UNSEEN * float(beyond.max())
    less = float(scipy.special.gammaincinv(y**2 / v, tail)) * v / y
    more = float(scipy.special.gammainccinv((y + w) ** 2 / (v + w**2), tail)) * (v + w**2) / (y + w)
    ends = sorted(usual + (value - usual) * sum_ / y for sum_ in (less, more))
    return min(ends[0], value), max(ends[1], value)


def quantile(
    q: float,
    values: NDArray[np.int64],
    counts: NDArray[np.int64],
    n_pairs: int,
    level: float = 0.95,
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> Interval:
    """Interval of a quantile from an exact histogram, by inverting the block interval of F at every value.

    The estimate is the least value v with F(v) ≥ `q`. Its interval holds every v whose F could be the first to reach
    `q`: from the least v with upper end of F(v) ≥ `q` to the least v from which on the lower end stays ≥ `q`. Where
    even the extremes seen do not settle an end, it is the end of the range.

    Parameters
    ----------
    q
        Which quantile, between 0 and 1.
    values
        Values that occurred, sorted and distinct, shape (V,).
    counts
        Matches by block and value, no block empty, shape (B, V).
    n_pairs
        Number of pairs, above 0.
    level
        Confidence.
    limits
        Least and greatest value that a match can have; infinite where unknown: then that end is None.
    """
    return Distribution(values, counts.cumsum(axis=1), n_pairs).quantile(q, level, limits)


@dataclass(frozen=True, eq=False)
class Distribution:
    """An exact histogram by block, with the limits of its distribution function, which all its quantiles share.

    Attributes
    ----------
    values, n_pairs
        See `quantile`.
    cumulative
        Matches by block with at most each value, no block empty, shape (B, V).
    """

    values: NDArray[np.int64]
    cumulative: NDArray[np.int64]
    n_pairs: int
    _limits: dict[float, tuple[Floats, Floats]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def share(self) -> Floats:
        """F at each value, all blocks together, shape (V,)."""
        total = self.cumulative.sum(axis=0)
        return np.asarray(total / total[-1])

    def share_limits(self, level: float) -> tuple[Floats, Floats]:
        """Lower and upper ends of F at each value, each of shape (V,)."""
        if level not in self._limits:
            of_blocks = self.cumulative / self.cumulative[:, -1:]
            self._limits[level] = proportion_limits(self.share, of_blocks, self.n_pairs, level)[:2]
        return self._limits[level]

    def quantile(self, q: float, level: float, limits: tuple[float, float]) -> Interval:
        """Interval of a quantile (`intervals.quantile`)."""
        # A share that equals q as a fraction is rounded to the same number as q: no tolerance is needed.
        value = float(self.values[int(np.argmax(self.share >= q))])
        if self.cumulative.shape[0] < MIN_UNITS:
            return Interval(value, None, None, TOO_SMALL)
        lower, upper = self.share_limits(level)
        low = limits[0] if unseen_share(self.n_pairs, level) >= q else float(self.values[int(np.argmax(upper >= q))])
        unsettled = np.flatnonzero(lower < q)
        after = int(unsettled[-1]) + 1 if unsettled.size else 0
        high = float(self.values[after]) if after < self.values.size else limits[1]
        return Interval(
            value,
            None if math.isinf(low) else min(low, value),
            None if math.isinf(high) else max(high, value),
            INVERSION,
        )


def _checked(level: float) -> float:
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; must lie between 0 and 1")
    return level
