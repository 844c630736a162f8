"""What a figure of any game is: a total or a histogram, block by block, with a unit and limits; and its estimate.

Whoever compares, gates or sweeps reads figures through `MetricDefinition.measure`, and never a game's own sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum, unique
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.stats import intervals
from sim.stats.blocks import Floats, by_known_blocks

__all__ = [
    "DETERMINISTIC",
    "EXACT",
    "NO_MATCHES",
    "Bins",
    "Estimate",
    "Kind",
    "MetricDefinition",
    "Quotients",
    "Totals",
    "estimated",
    "interval_of",
    "limits_of",
]

Int64s = NDArray[np.int64]

EXACT = "exact"
DETERMINISTIC = "deterministic"
NO_MATCHES = "no matches"


@unique
class Kind(Enum):
    """How a figure's interval is made."""

    PROPORTION = "proportion"
    MEAN = "mean"
    QUANTILE = "quantile"


@dataclass(frozen=True)
class Totals:
    """Numerator and denominator of a proportion or mean, block by block: the figure is total / (scale * matches).

    Attributes
    ----------
    total
        Sum over matches times `scale`, shape (B,).
    matches
        Matches summed over, shape (B,). Where a figure is a mean over something of which a match has several, or none,
        such as trains, it is the number of those.
    pairs
        Pairs that those matches belong to, shape (B,).
    scale
        2 where halves were doubled to stay whole, else 1.
    ratio
        Whether chance decides how much is summed over, as it does how many crossings of a card there are. The variance
        is then that of the ratio of two sums, not of a mean.
    """

    total: Int64s
    matches: Int64s
    pairs: Int64s
    scale: int = 1
    ratio: bool = False

    @cached_property
    def n(self) -> int:
        """Matches summed over, all blocks together."""
        return int(self.matches.sum())

    @cached_property
    def n_pairs(self) -> int:
        """Pairs that they belong to."""
        return int(self.pairs.sum())


@dataclass(frozen=True)
class Bins:
    """Exact histogram that a quantile is read from.

    Attributes
    ----------
    values
        Sorted, distinct, shape (V,).
    counts
        Matches by block and value, shape (B, V).
    pairs
        Pairs that those matches belong to, shape (B,).
    """

    values: Int64s
    counts: Int64s
    pairs: Int64s

    @cached_property
    def matches(self) -> Int64s:
        """Matches by block, shape (B,)."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def n(self) -> int:
        """Matches, all blocks together."""
        return int(self.matches.sum())

    @cached_property
    def n_pairs(self) -> int:
        """Pairs that they belong to."""
        return int(self.pairs.sum())

    @cached_property
    def up_to(self) -> Int64s:
        """Matches by block with at most each value, shape (B, V)."""
        return np.asarray(self.counts.cumsum(axis=1))

    def totals_up_to(self, value: float) -> Totals:
        """Matches with at most this value, as a figure of its own: the distribution function."""
        place = int(np.count_nonzero(self.values <= value))
        return Totals(self.up_to[:, place - 1] if place else np.zeros_like(self.matches), self.matches, self.pairs)

    @cached_property
    def share(self) -> Floats:
        """Share of all matches with at most each value, shape (V,); at least one match."""
        total = self.up_to.sum(axis=0)
        return np.asarray(total / total[-1])

    @cached_property
    def distribution(self) -> intervals.Distribution:
        """The blocks that have matches: what all quantiles are read from."""
        return intervals.Distribution(self.values, self.up_to[self.matches > 0], self.n_pairs)


@dataclass(frozen=True)
class MetricDefinition:
    """One figure.

    Attributes
    ----------
    name
        Its core name, as in `summary.json`, goals and columns.
    kind
        Proportion, mean or quantile.
    unit
        One of `sim.stats.rounding`: "share", "share difference", "points", "dollars", "count" (a match), "Stages".
    description
        What is counted, in words.
    measure
        Takes the game's sums; gives `Totals`, for a quantile `Bins`.
    bound
        Factors of the greatest value of a match: numbers, and keys of what is given to `limits`.
    signed
        Whether the least value is minus the greatest, rather than 0.
    q
        Which quantile; 0 for other kinds.
    gated
        Whether `sim check` looks at it when nobody says otherwise. Those that others imply are left out.
    """

    name: str
    kind: Kind
    unit: str
    description: str
    measure: Callable[[Any], Totals | Bins]
    bound: tuple[str | int, ...] = (1,)
    signed: bool = False
    q: float = 0.0
    gated: bool = True

    def limits(self, limits: Mapping[str, float] | None = None) -> tuple[float, float]:
        """Least and greatest value that one match can have.

        Parameters
        ----------
        limits
            Value of each key that a `bound` names. A key that is missing makes the figures that need it unbounded.
        """
        high = 1.0
        for factor in self.bound:
            high *= factor if isinstance(factor, int) else (limits or {}).get(factor, math.inf)
            if math.isnan(high):  # 0 times unbounded
                high = math.inf
        return (-high if self.signed else 0.0), high


@dataclass(frozen=True)
class Estimate:
    """One figure of one pairing.

    Attributes
    ----------
    pairing
        Name of the pairing.
    metric
        Core name of the figure.
    value
        The estimate; None where no match counts.
    low, high
        Ends of the interval; None where none may be given.
    n
        Matches that the figure rests on; where nothing is drawn, the different ones.
    n_units
        Pairs that they belong to, or the different matches.
    method
        How the interval came about, or why there is none.
    """

    pairing: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    n_units: int
    method: str

    def as_dict(self) -> dict[str, str | float | int | None]:
        """Return the entry of `summary.json`."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Quotients:
    """Totals of the same blocks, divided at once; each figure comes out as it would alone.

    Attributes
    ----------
    n, n_pairs
        Of each figure, see `Totals`.
    values
        Each over all matches; not a number without one.
    means
        Each block by block, not a number where a block has no match; shape (V, B).
    """

    n: list[int]
    n_pairs: list[int]
    values: list[float]
    means: Floats

    @classmethod
    def of(cls, found: Sequence[Totals]) -> Quotients:
        """Of figures that were measured; one or more."""
        total, matches = np.array([one.total for one in found]), np.array([one.matches for one in found])
        n = matches.sum(axis=1).tolist()
        # Whole numbers of Python: their quotient is rounded once, however large they are.
        values = [
            whole / (one.scale * all_) if all_ else math.nan
            for one, whole, all_ in zip(found, total.sum(axis=1).tolist(), n, strict=True)
        ]
        scale = np.array([[one.scale] for one in found])
        means = total / (scale * np.maximum(matches, 1))
        means[matches <= 0] = math.nan
        return cls(n, np.array([one.pairs for one in found]).sum(axis=1).tolist(), values, means)


def interval_of(
    measured: Totals | Bins, metric: MetricDefinition, level: float, limits: tuple[float, float]
) -> intervals.Interval:
    """The interval of a figure from what was measured of it, by its kind.

    Parameters
    ----------
    measured
        With at least one match in some block.
    level
        Confidence.
    limits
        Least and greatest value that a match can have.
    """
    if isinstance(measured, Bins):
        return measured.distribution.quantile(metric.q, level, limits)
    return _intervals_of([measured], Quotients.of([measured]), [metric], level, [limits])[0]


def _intervals_of(
    found: Sequence[Totals],
    read: Quotients,
    metrics: Sequence[MetricDefinition],
    level: float,
    limits: Sequence[tuple[float, float]],
) -> dict[int, intervals.Interval]:
    """The intervals of several figures, by their places; of those without a match there is none."""
    made: dict[int, intervals.Interval] = {}
    for places, means in by_known_blocks(read.means):
        for kind in (Kind.PROPORTION, Kind.MEAN):
            rows = [row for row, v in enumerate(places) if metrics[v].kind is kind and read.n[v]]
            if not rows:
                continue
            these = [places[row] for row in rows]
            values, n_pairs = [read.values[v] for v in these], [read.n_pairs[v] for v in these]
            if kind is Kind.PROPORTION:
                ends = intervals.proportions(values, means[rows], n_pairs, level)
            else:
                bounds = [limits[v] for v in these]
                parts = _parts_of_error([found[v] for v in these], values, means[rows], bounds)
                ends = [one for (one,) in intervals.means_at(values, parts, n_pairs, (level,), bounds)]
            made.update(zip(these, ends, strict=True))
    return made


def _parts_of_error(
    found: Sequence[Totals], values: Sequence[float], means: Floats, limits: Sequence[tuple[float, float]]
) -> Floats:
    """Block means whose scatter is the error of the figure; `means`, changed, where that is of a ratio of two sums."""
    ratios = [row for row, one in enumerate(found) if one.ratio]
    usual = intervals.usual_values(means[ratios], [limits[row] for row in ratios]) if ratios else []
    rows = [row for row, often in zip(ratios, usual, strict=True) if often is None]
    if rows:
        matches = np.array([found[row].matches[found[row].matches > 0] for row in rows])
        # What a block adds to the error of the ratio, to first order, as a mean of its own.
        weights = matches / matches.mean(axis=1, keepdims=True)
        value = np.array([[values[row]] for row in rows])
        means[rows] = value + (means[rows] - value) * weights
    return means


def estimated(
    metrics: Sequence[MetricDefinition],
    sums: Any,
    pairing_name: str,
    *,
    level: float,
    limits: Mapping[str, float] | None,
) -> list[Estimate]:
    """Figures as they were measured, with nothing known beforehand.

    All are measured and estimated at once; each comes out as it would alone.

    Parameters
    ----------
    metrics
        The figures.
    sums
        Block sums of their game.
    pairing_name
        Written into every estimate.
    level
        Confidence of the intervals.
    limits
        What bounds the figures of one match (`MetricDefinition.limits`).
    """
    measured = [metric.measure(sums) for metric in metrics]
    bounds = limits_of(metrics, limits)
    places = [v for v, one in enumerate(measured) if isinstance(one, Totals)]
    found = [one for one in measured if isinstance(one, Totals)]
    made: dict[int, intervals.Interval] = {}
    n, n_pairs = [0] * len(measured), [0] * len(measured)
    if found:
        read = Quotients.of(found)
        alone = _intervals_of(found, read, [metrics[v] for v in places], level, [bounds[v] for v in places])
        made = {places[f]: one for f, one in alone.items()}
        for f, v in enumerate(places):
            n[v], n_pairs[v] = read.n[f], read.n_pairs[f]
    for v, (metric, one) in enumerate(zip(metrics, measured, strict=True)):
        if isinstance(one, Bins):
            n[v], n_pairs[v] = one.n, one.n_pairs
            if one.n:
                made[v] = interval_of(one, metric, level, bounds[v])
    return [
        Estimate(pairing_name, metric.name, None, None, None, 0, 0, NO_MATCHES)
        if (ends := made.get(v)) is None
        else Estimate(pairing_name, metric.name, ends.value, ends.low, ends.high, n[v], n_pairs[v], ends.method)
        for v, metric in enumerate(metrics)
    ]


def limits_of(
    metrics: Sequence[MetricDefinition], limits: Mapping[str, float] | None = None
) -> list[tuple[float, float]]:
    """Least and greatest value that one match can have, of each figure (`MetricDefinition.limits`)."""
    known: dict[tuple[tuple[str | int, ...], bool], tuple[float, float]] = {}
    for metric in metrics:
        if (metric.bound, metric.signed) not in known:
            known[metric.bound, metric.signed] = metric.limits(limits)
    return [known[metric.bound, metric.signed] for metric in metrics]
