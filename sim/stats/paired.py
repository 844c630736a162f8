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
    "MeasuredFigures",
    "combination",
    "combinations",
    "errors_and_gains",
    "gain",
    "interval",
    "intervals_at",
    "intervals_together",
    "match_deviation",
    "measured",
    "pairs_to_decide",
    "quantile_of",
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


@dataclass(frozen=True, eq=False)
class MeasuredFigures:
    """Several figures, or differences, of the same blocks; each comes out as it would alone.

    Attributes
    ----------
    values, pairs, spreads, n
        Of each, see `Measured`; shape (V,).
    means
        Shape (V, B), or (V, 1) where nothing is left to chance.
    exact
        Nothing is left to chance in any of them.
    """

    values: Floats
    means: Floats
    pairs: list[int]
    exact: bool
    spreads: Floats
    n: list[int]

    @classmethod
    def of(cls, found: Sequence[Totals | Bins], at: Sequence[float], *, exact: bool = False) -> MeasuredFigures:
        """Figures as `measured` takes them, one or more."""
        totals = [one.totals_up_to(v) if isinstance(one, Bins) else one for one, v in zip(found, at, strict=True)]
        read = Quotients.of(totals)
        values = np.array(read.values)
        pairs = [n_pairs if n else 0 for n_pairs, n in zip(read.n_pairs, read.n, strict=True)]
        if exact:
            return cls(values, values[:, None], pairs, True, np.zeros(len(totals)), read.n)
        return cls(values, read.means, pairs, False, _variances(read.means), read.n)

    @classmethod
    def alone(cls, one: Measured) -> MeasuredFigures:
        """Of one figure."""
        values, spreads = np.array([one.value]), np.array([one.spread])
        return cls(values, one.means[None], [one.pairs], one.exact, spreads, [one.n])

    def __getitem__(self, v: int) -> Measured:
        value, spread = float(self.values[v]), float(self.spreads[v])
        return Measured(value, self.means[v], self.pairs[v], self.exact, spread, self.n[v])


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
    return MeasuredFigures.of([found], [at], exact=exact)[0]


def _variances(means: Floats) -> Floats:
    """Of block means, shape (V, B); 0 where they are equal, and under two."""
    found = np.zeros(len(means))
    for places, known in by_known_blocks(means):
        if known.shape[1] > 1:
            varies = known.max(axis=1) > known.min(axis=1)  # equal numbers need not have a mean equal to them
            found[places] = np.where(varies, variances(known), 0.0)
    return found


def combination(terms: Sequence[tuple[float, Measured]], constant: float = 0.0) -> Measured:
    """The figure `constant` + Σ coefficient · figure, block by block.

    Figures that leave nothing to chance are the same in all blocks.

    Raises
    ------
    ValueError
        If two figures have different numbers of blocks.
    """
    return combinations([(coefficient, MeasuredFigures.alone(term)) for coefficient, term in terms], constant)[0]


def combinations(terms: Sequence[tuple[float, MeasuredFigures]], constant: float = 0.0) -> MeasuredFigures:
    """The same of several figures: every term is a coefficient with as many of them."""
    sizes = {figures.means.shape[1] for _, figures in terms if not figures.exact}
    if len(sizes) > 1:
        raise ValueError(f"figures have {sorted(sizes)} blocks; must have the same")
    n_figures = len(terms[0][1].values) if terms else 1
    means = np.full((n_figures, sizes.pop() if sizes else 1), constant)
    values, spreads = np.full(n_figures, constant), np.zeros(n_figures)
    for coefficient, figures in terms:
        values = values + coefficient * figures.values
        means = means + coefficient * figures.means
        spreads = spreads + coefficient**2 * figures.spreads
    parts = [figures for _, figures in terms]
    of_chance = [figures for figures in parts if not figures.exact]
    pairs = [min(pairs) for pairs in zip(*(figures.pairs for figures in of_chance or parts), strict=True)]
    n = [min(n) for n in zip(*(figures.n for figures in parts), strict=True)]
    return MeasuredFigures(values, means, pairs or [0], not of_chance, spreads, n or [0])


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
    return intervals_together(MeasuredFigures.alone(found), levels, [width])[0]


def intervals_together(
    found: MeasuredFigures, levels: Sequence[float], widths: Sequence[float]
) -> list[list[Interval]]:
    """The same of several differences."""
    made: list[list[Interval]] = [[] for _ in widths]
    all_values = found.values.tolist()
    for places, known in by_known_blocks(found.means):
        n_blocks, usual = known.shape[1], []
        for row, (v, moved) in enumerate(zip(places, np.count_nonzero(known, axis=1).tolist(), strict=True)):
            value, width = all_values[v], widths[v]
            if math.isnan(value):
                without = Interval(math.nan, None, None, NO_MATCHES)
            elif found.exact:
                without = Interval(value, None, None, DETERMINISTIC)
            elif not moved:
                without = Interval(0.0, 0.0, 0.0, IDENTICAL)
            elif n_blocks < MIN_UNITS:
                without = Interval(value, None, None, TOO_SMALL)
            elif moved < FEW_BLOCKS and 2 * moved <= n_blocks:
                ends = [_rare(value, known[row], level) for level in levels]
                made[v] = [Interval(value, max(low, -width), min(high, width), GAMMA) for low, high in ends]
                continue
            else:
                usual.append(row)
                continue
            made[v] = [without] * len(levels)
        if usual:
            these = [places[row] for row in usual]
            values, pairs = [all_values[v] for v in these], [found.pairs[v] for v in these]
            limits = [(-widths[v], widths[v]) for v in these]
            for v, ends_at in zip(these, means_at(values, known[usual], pairs, levels, limits), strict=True):
                made[v] = ends_at
    return made


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


def gain(found: Measured) -> float | None:
    """How many times the matches a comparison without common luck would need: Σ c² s² over the variance of the sum.

    None where the pairing left no variance at all, or nothing was left to chance.
    """
    return errors_and_gains(MeasuredFigures.alone(found))[0][1]


def errors_and_gains(found: MeasuredFigures) -> list[tuple[float | None, float | None]]:
    """Of several differences the standard error, s/√B, and the gain.

    The error is 0 of what is exact or the same in all blocks, None under two blocks.
    """
    if found.exact:
        return [(0.0, None)] * len(found.values)
    n_blocks, scatter = np.count_nonzero(~np.isnan(found.means), axis=1), _variances(found.means)
    errors = np.sqrt(scatter / np.maximum(n_blocks, 1)).tolist()
    gains = (found.spreads / np.where(scatter > 0, scatter, math.nan)).tolist()
    enough, varies = (n_blocks > 1).tolist(), (scatter > 0).tolist()
    return [
        (error if known else None, gain if moves else None)
        for error, gain, known, moves in zip(errors, gains, enough, varies, strict=True)
    ]


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
