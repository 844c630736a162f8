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

from sim.stats.blocks import Floats, by_known_blocks, variances
from sim.stats.figures import DETERMINISTIC, NO_MATCHES, Bins, Quotients, Totals
from sim.stats.intervals import (
    FEW_BLOCKS,
    GAMMA,
    MIN_UNITS,
    TOO_SMALL,
    ZERO_VARIANCE,
    Interval,
    means_at,
    rare_limits,
    t_quantile,
)

__all__ = [
    "IDENTICAL",
    "WELCH",
    "Measured",
    "combination",
    "combinations",
    "errors_and_gains",
    "gain",
    "interval",
    "intervals_at",
    "intervals_together",
    "match_deviation",
    "measured",
    "measured_together",
    "pairs_to_decide",
    "quantile_of",
    "standard_error",
    "unpaired_interval",
]

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
    n
        Matches that it rests on (the fewest, where several figures are combined).
    """

    value: float
    means: Floats
    pairs: int
    exact: bool = False
    spread: float = 0.0
    n: int = 0

    @cached_property
    def known(self) -> Floats:
        """Means of the blocks with matches."""
        return self.means[~np.isnan(self.means)]

    @property
    def n_blocks(self) -> int:
        """Blocks with matches."""
        return self.known.size


def quantile_of(bins: Bins, q: float) -> float:
    """The least value v with F(v) ≥ q, all blocks together; not a number without a match."""
    return float(bins.values[int(np.argmax(bins.share >= q))]) if bins.n else math.nan


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
    return measured_together([found], [at], exact=exact)[0]


def measured_together(found: Sequence[Totals | Bins], at: Sequence[float], *, exact: bool = False) -> list[Measured]:
    """The same of several figures of the same blocks; each comes out as it would alone."""
    totals = [one.totals_up_to(v) if isinstance(one, Bins) else one for one, v in zip(found, at, strict=True)]
    if not totals:
        return []
    read = Quotients.of(totals)
    if exact:
        means, spreads = np.array(read.values)[:, None], [0.0] * len(totals)
    else:
        means, spreads = read.means, _variances(read.means)
    return [
        Measured(value, of_blocks, n_pairs if n else 0, exact, spread, n)
        for value, of_blocks, n, n_pairs, spread in zip(read.values, means, read.n, read.n_pairs, spreads, strict=True)
    ]


def _variances(means: Floats) -> list[float]:
    """Of block means, shape (V, B); 0 where they are equal, and under two."""
    found = [0.0] * len(means)
    for places, known in by_known_blocks(means):
        if known.shape[1] > 1:
            varies = known.max(axis=1) > known.min(axis=1)  # equal numbers need not have a mean equal to them
            for place, one in zip(places, np.where(varies, variances(known), 0.0).tolist(), strict=True):
                found[place] = one
    return found


def combination(terms: Sequence[tuple[float, Measured]], constant: float = 0.0) -> Measured:
    """The figure `constant` + Σ coefficient · figure, block by block.

    Figures that leave nothing to chance are the same in all blocks.

    Raises
    ------
    ValueError
        If two figures have different numbers of blocks.
    """
    return combinations([(coefficient, [term]) for coefficient, term in terms], constant)[0]


def combinations(terms: Sequence[tuple[float, Sequence[Measured]]], constant: float = 0.0) -> list[Measured]:
    """The same of several figures: every term is a coefficient with as many figures, all of one side's blocks."""
    n_figures = len(terms[0][1]) if terms else 1
    sizes = {one.means.size for _, figures in terms for one in figures if not one.exact}
    if len(sizes) > 1:
        raise ValueError(f"figures have {sorted(sizes)} blocks; must have the same")
    size = sizes.pop() if sizes else 1
    means = np.full((n_figures, size), constant)
    for coefficient, figures in terms:
        means = means + coefficient * _of_blocks(figures)
    values, spreads = np.full(n_figures, constant), np.zeros(n_figures)
    for coefficient, figures in terms:
        values = values + coefficient * np.array([one.value for one in figures])
        spreads = spreads + coefficient**2 * np.array([one.spread for one in figures])
    parts = [figures for _, figures in terms]
    of_chance = [figures for figures in parts if not figures[0].exact]
    pairs = [min(one.pairs for one in figure) for figure in zip(*(of_chance or parts), strict=True)]
    n = [min(one.n for one in figure) for figure in zip(*parts, strict=True)]
    return [
        Measured(value, of_blocks, n_pairs, not of_chance, spread, n_matches)
        for value, of_blocks, n_pairs, spread, n_matches in zip(
            values.tolist(), means, pairs or [0], spreads.tolist(), n or [0], strict=True
        )
    ]


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
    return intervals_together([found], levels, [width])[0]


def intervals_together(
    found: Sequence[Measured], levels: Sequence[float], widths: Sequence[float]
) -> list[list[Interval]]:
    """The same of several differences on the same blocks; each comes out as it would alone."""
    made: dict[int, list[Interval]] = {}
    for places, known in by_known_blocks(_of_blocks(found)):
        n_blocks, usual = known.shape[1], []
        for row, (v, moved) in enumerate(zip(places, np.count_nonzero(known, axis=1).tolist(), strict=True)):
            one, width = found[v], widths[v]
            if math.isnan(one.value):
                without = Interval(math.nan, None, None, NO_MATCHES)
            elif one.exact:
                without = Interval(one.value, None, None, DETERMINISTIC)
            elif not moved:
                without = Interval(0.0, 0.0, 0.0, IDENTICAL)
            elif n_blocks < MIN_UNITS:
                without = Interval(one.value, None, None, TOO_SMALL)
            elif moved < FEW_BLOCKS and 2 * moved <= n_blocks:
                ends = [_rare(one.value, known[row], level) for level in levels]
                made[v] = [Interval(one.value, max(low, -width), min(high, width), GAMMA) for low, high in ends]
                continue
            else:
                usual.append(row)
                continue
            made[v] = [without] * len(levels)
        if usual:
            these = [places[row] for row in usual]
            values, pairs = [found[v].value for v in these], [found[v].pairs for v in these]
            limits = [(-widths[v], widths[v]) for v in these]
            made.update(zip(these, means_at(values, known[usual], pairs, levels, limits), strict=True))
    return [made[v] for v in range(len(found))]


def _of_blocks(found: Sequence[Measured]) -> Floats:
    """Block means of several figures of the same blocks, shape (V, B)."""
    return np.array([one.means for one in found])


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
    return errors_and_gains([found])[0][0]


def gain(found: Measured) -> float | None:
    """How many times the matches a comparison without common luck would need: Σ c² s² over the variance of the sum.

    None where the pairing left no variance at all, or nothing was left to chance.
    """
    return errors_and_gains([found])[0][1]


def errors_and_gains(found: Sequence[Measured]) -> list[tuple[float | None, float | None]]:
    """Both of several differences on the same blocks; each comes out as it would alone."""
    means = _of_blocks(found)
    n_known = np.count_nonzero(~np.isnan(means), axis=1).tolist()
    made: list[tuple[float | None, float | None]] = []
    for one, n_blocks, variance in zip(found, n_known, _variances(means), strict=True):
        if one.exact:
            made.append((0.0, None))
        elif n_blocks < 2:
            made.append((None, None))
        else:
            made.append((math.sqrt(variance / n_blocks), one.spread / variance if variance > 0 else None))
    return made


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
