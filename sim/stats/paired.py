"""Differences of figures that were measured on the same blocks: common random numbers.

Axes: `b` block. Two scenarios (or two versions of a bot) are played from the same seed, so that block b has the same
luck on both sides. What is common to both cancels out of the difference of the two block means, and the interval comes
from how the B differences scatter. Comparison, value studies, sweeps and checks all take their differences from here.

References
----------
A. M. Law (2015), Simulation Modeling and Analysis, chapter 11 (common random numbers). B. L. Welch (1947), Biometrika
34, 28 (two samples that share no luck). G. Y. Zou and A. Donner (2008), Statistics in Medicine 27, 1693 (interval of a
difference from the intervals of its parts).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sim.stats.figures import DETERMINISTIC, NO_MATCHES, Bins, Totals
from sim.stats.intervals import (
    FEW_BLOCKS,
    GAMMA,
    MIN_UNITS,
    TOO_SMALL,
    ZERO_VARIANCE,
    Interval,
    mean_at,
    rare_limits,
    t_quantile,
    variance,
)

__all__ = [
    "IDENTICAL",
    "WELCH",
    "Measured",
    "combination",
    "gain",
    "interval",
    "intervals_at",
    "match_deviation",
    "measured",
    "pairs_to_decide",
    "quantile_of",
    "standard_error",
    "unpaired_interval",
]

Floats = NDArray[np.float64]

IDENTICAL = "identical"
"""Method of a difference that is exactly 0 in every block."""
WELCH = "welch"
"""Method of a difference of two samples that share no luck."""

MOST_PAIRS = 2**52
"""Above this many pairs a number of matches is no advice."""


@dataclass(frozen=True, eq=False)
class Measured:
    """One figure, or a difference of figures, block by block.

    Attributes
    ----------
    value
        Over all matches.
    means
        Of each block, not a number where a block has no match; shape (B,), or (1,) where nothing is left to chance.
    pairs
        Pairs that it rests on (the fewest, where several figures are combined).
    exact
        Nothing is left to chance.
    spread
        Σ c² s², s² the variances of the block means that were combined with coefficients c: the variance that `means`
        would have if the parts shared no luck; 0 where exact.
    """

    value: float
    means: Floats
    pairs: int
    exact: bool = False
    spread: float = 0.0

    @cached_property
    def known(self) -> Floats:
        """Means of the blocks with matches."""
        return self.means[~np.isnan(self.means)]

    @property
    def n_blocks(self) -> int:
        """Blocks with matches."""
        return self.known.size

    @cached_property
    def variance(self) -> float:
        """Of the block means; 0 where they are equal."""
        return _variance(self.known)


def quantile_of(bins: Bins, q: float) -> float:
    """The least value v with F(v) ≥ q, all blocks together; not a number without a match."""
    total = bins.counts.sum(axis=0).cumsum()
    if total.size == 0 or total[-1] == 0:
        return math.nan
    return float(bins.values[int(np.argmax(total / total[-1] >= q))])


def measured(found: Totals | Bins, at: float = math.nan, *, exact: bool = False) -> Measured:
    """A figure block by block; of a histogram the share of matches with at most `at`.

    Parameters
    ----------
    found
        What `MetricDefinition.measure` gave.
    at
        For a histogram: the value at which its distribution function is read.
    exact
        Nothing is left to chance.
    """
    if isinstance(found, Bins):
        total, scale = found.counts[:, found.values <= at].sum(axis=1), 1
    else:
        total, scale = found.total, found.scale
    matches, n = found.matches, found.n
    if n == 0:
        return Measured(math.nan, np.full(matches.shape, math.nan), 0, exact)
    value = int(total.sum()) / (scale * n)
    if exact:
        return Measured(value, np.array([value]), found.n_pairs, True)
    full = matches > 0
    means = total / (scale * np.maximum(matches, 1))
    means[~full] = math.nan
    return Measured(value, means, found.n_pairs, False, _variance(means[full]))


def _variance(known: Floats) -> float:
    varies = known.size > 1 and known.max() > known.min()  # equal numbers need not have a mean equal to them
    return variance(known) if varies else 0.0


def combination(terms: Sequence[tuple[float, Measured]], constant: float = 0.0) -> Measured:
    """The figure `constant` + Σ coefficient · figure, block by block.

    Figures that leave nothing to chance are the same in all blocks.

    Raises
    ------
    ValueError
        If two figures have different numbers of blocks.
    """
    sizes = {term.means.size for _, term in terms if not term.exact}
    if len(sizes) > 1:
        raise ValueError(f"figures have {sorted(sizes)} blocks; must have the same")
    size = sizes.pop() if sizes else 1
    value, means, spread = constant, np.full(size, constant), 0.0
    for coefficient, term in terms:
        value += coefficient * term.value
        means = means + coefficient * term.means
        spread += coefficient**2 * term.spread
    chance = [term.pairs for _, term in terms if not term.exact]
    pairs = min(chance) if chance else min((term.pairs for _, term in terms), default=0)
    return Measured(value, means, pairs, not chance, spread)


def interval(found: Measured, level: float = 0.95, width: float = math.inf) -> Interval:
    """Interval of a difference: value ± t s/√B from the B block differences.

    Where no block differs it is exactly 0 (`IDENTICAL`). Where all but a few blocks are exactly 0, what lies above 0
    and what lies below are two sums of rare events (`intervals.rare_limits`).

    Parameters
    ----------
    found
        A difference: a combination whose expectation is 0 where nothing differs.
    level
        Confidence.
    width
        The largest difference that two matches can have; infinite where unknown.

    Returns
    -------
    Interval
        Without ends where nothing is left to chance, or where there are too few blocks.
    """
    return intervals_at(found, (level,), width)[0]


def intervals_at(found: Measured, levels: Sequence[float], width: float = math.inf) -> list[Interval]:
    """The same at several levels."""
    without = None
    if math.isnan(found.value):
        without = Interval(math.nan, None, None, NO_MATCHES)
    elif found.exact:
        without = Interval(found.value, None, None, DETERMINISTIC)
    elif not (moved := int(np.count_nonzero(found.known))):
        without = Interval(0.0, 0.0, 0.0, IDENTICAL)
    elif found.known.size < MIN_UNITS:
        without = Interval(found.value, None, None, TOO_SMALL)
    elif moved < FEW_BLOCKS and 2 * moved <= found.known.size:
        ends = [_rare(found.value, found.known, level) for level in levels]
        return [Interval(found.value, max(low, -width), min(high, width), GAMMA) for low, high in ends]
    if without is not None:
        return [without] * len(levels)
    return mean_at(found.value, found.known, found.pairs, levels, (-width, width))


def _rare(value: float, means: Floats, level: float) -> tuple[float, float]:
    """Ends of a difference that nearly every block has at exactly 0.

    It is the sum of what lies above 0 less the sum of what lies below, each with its gamma interval; the arms are added
    as squares (Zou and Donner's method). Where all that was seen lies on one side, the other may still have so many
    events, as large as the largest seen, as a Poisson number can have that came out as 0.
    """
    unseen = -math.log((1 - level) / 2) * float(np.abs(means).max()) / means.size
    arms = []
    for part in (np.maximum(means, 0.0), np.maximum(-means, 0.0)):
        mid = float(part.mean())
        low, high = rare_limits(mid, 0.0, part, level) if part.any() else (0.0, unseen)
        arms.append((mid - low, high - mid))
    (less_up, more_up), (less_down, more_down) = arms
    return value - math.hypot(less_up, more_down), value + math.hypot(more_up, less_down)


def unpaired_interval(base: Measured, variant: Measured, level: float = 0.95) -> Interval:
    """Interval of variant - base where the two share no luck (Welch)."""
    value = variant.value - base.value
    if math.isnan(value):
        return Interval(math.nan, None, None, NO_MATCHES)
    if base.exact and variant.exact:
        return Interval(value, None, None, DETERMINISTIC)
    parts = [side for side in (base, variant) if not side.exact]
    if any(side.n_blocks < MIN_UNITS for side in parts):
        return Interval(value, None, None, TOO_SMALL)
    errors = [side.spread / side.n_blocks for side in parts]
    squared = sum(errors)
    if squared == 0:
        return Interval(value, None, None, ZERO_VARIANCE)
    freedom = squared**2 / sum(error**2 / (side.n_blocks - 1) for error, side in zip(errors, parts, strict=True))
    half = t_quantile(max(2, math.floor(freedom) + 1), level) * math.sqrt(squared)
    return Interval(value, value - half, value + half, WELCH)


def standard_error(found: Measured) -> float | None:
    """Standard error of a difference, s/√B; 0 where it is exact or the same in all blocks, None under two blocks."""
    if found.exact:
        return 0.0
    if found.n_blocks < 2:
        return None
    return math.sqrt(found.variance / found.n_blocks)


def gain(found: Measured) -> float | None:
    """How many times the matches a comparison without common luck would need: Σ c² s² over the variance of the sum.

    None where the pairing left no variance at all, or nothing was left to chance.
    """
    if found.exact or found.n_blocks < 2:
        return None
    return found.spread / found.variance if found.variance > 0 else None


def match_deviation(found: Totals, of_blocks: Measured) -> float | None:
    """Standard deviation of one match, as the scatter of block means implies it; None under two blocks.

    Two matches of a pair hang together, so that this is the deviation that counts: of n matches the mean has an error
    of deviation/√n.
    """
    if of_blocks.exact or of_blocks.n_blocks < 2:
        return None
    per_block = found.n / of_blocks.n_blocks
    return math.sqrt(of_blocks.spread * per_block)


def pairs_to_decide(found: Interval, strict: Interval, n_pairs: int, delta: float | None) -> int | None:
    """Pairs after which it may be expected to be seen whether a difference is there, or smaller than `delta`.

    Decided is when the strict interval lies off 0, or the plain one wholly within ± delta; half-widths shrink with the
    root of the number. Taking the difference for what it seems to be, the first needs a half-width below |D|, the
    second one below delta - |D|, and the easier of the two comes first.

    Parameters
    ----------
    found, strict
        The difference with its interval, and with the wider one that a claim needs.
    n_pairs
        Pairs played.
    delta
        How large a difference has to be to matter; None where unknown.

    Returns
    -------
    int or None
        All pairs, those already played included; None where there is no interval to go by.
    """
    ways = []
    for ends, goal in ((strict, abs(found.value)), (found, (delta or 0.0) - abs(found.value))):
        if ends.low is not None and ends.high is not None and goal > 0:
            half = max(ends.high - ends.value, ends.value - ends.low)
            ways.append(n_pairs * max(1.0, (half / goal) ** 2))
    return math.ceil(min(ways)) if ways and min(ways) < MOST_PAIRS else None
