"""What a figure of any game is: a total or a histogram, block by block, with a unit and limits; and its estimate.

Whoever compares, gates or sweeps reads figures through `MetricDefinition.measure`, and never a game's own sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from enum import Enum, unique
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.stats import intervals

__all__ = [
    "DETERMINISTIC",
    "EXACT",
    "NO_MATCHES",
    "Bins",
    "Estimate",
    "Kind",
    "MetricDefinition",
    "Totals",
    "interval_of",
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
    def distribution(self) -> intervals.Distribution:
        """The blocks that have matches: what all quantiles are read from."""
        return intervals.Distribution(self.values, self.counts[self.matches > 0], self.n_pairs)


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
    matches, n_pairs = measured.matches, measured.n_pairs
    full = matches > 0
    value = int(measured.total.sum()) / (measured.scale * measured.n)
    means = measured.total[full] / (measured.scale * matches[full])
    if metric.kind is Kind.PROPORTION:
        return intervals.proportion(value, means, n_pairs, level)
    if measured.ratio and not intervals.is_rare(means, limits):
        # What a block adds to the error of the ratio, to first order, as a mean of its own.
        weights = matches[full] / matches[full].mean()
        means = value + (means - value) * weights
    return intervals.mean(value, means, n_pairs, level, limits)
