"""Every figure of two scenarios set against each other: what moved, what did not, and what cannot be said yet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum, unique
from functools import cached_property
from typing import Any

import numpy as np

from sim.stats.blocks import Floats
from sim.stats.deltas import default_delta
from sim.stats.figures import DETERMINISTIC, Bins, Kind, MetricDefinition, Totals, limits_of
from sim.stats.intervals import Interval
from sim.stats.paired import (
    IDENTICAL,
    MeasuredFigures,
    combinations,
    errors_and_gains,
    intervals_together,
    match_deviation,
    pairs_to_decide,
    quantile_of,
    unpaired_interval,
)

__all__ = ["Difference", "Side", "Verdict", "differences"]


@unique
class Verdict(Enum):
    """What is known of a difference."""

    IDENTICAL = "identical"
    MOVED = "moved"
    SAME = "same"
    OPEN = "open"
    NOTHING = "nothing to compare"


@dataclass(frozen=True)
class Side:
    """One of the two that are compared.

    Attributes
    ----------
    sums
        Block sums of its game.
    limits
        What bounds the figures of one match (`MetricDefinition.limits`).
    exact
        Nothing is left to chance.
    """

    sums: Any
    limits: Mapping[str, float]
    exact: bool = False
    _read: dict[tuple[str, ...], _Read] = field(default_factory=dict, init=False, repr=False, compare=False)

    def as_base(self, metrics: Sequence[MetricDefinition]) -> _Read:
        """Figures of the side that others are compared with; read once, however many there are."""
        names = tuple(metric.name for metric in metrics)
        if names not in self._read:
            self._read[names] = _read(self, metrics)
        return self._read[names]


@dataclass(frozen=True)
class Difference:
    """One figure of the variant minus that of the base.

    Attributes
    ----------
    metric, unit
        Core name and unit of the figure.
    base, variant
        The figure on both sides; None where no match counts.
    kind
        Of the figure. The difference of a quantile is a share: of the matches of the variant that do not exceed the
        base's quantile, minus of those of the base. Above 0 the variant's values are smaller.
    value, low, high, method
        The difference, its interval, and how that came about.
    n, n_units
        Matches of either side, and the pairs that they belong to.
    error
        Standard error; None where unknown.
    gain
        How many times the matches it would have taken without common luck; None where that cannot be said.
    delta
        How large a difference has to be to matter; None where unknown.
    verdict
        IDENTICAL: exactly 0 in every block. SAME: the interval lies within ± delta. MOVED: it does not, and at a level
        that allows for all figures compared it lies off 0. OPEN: neither.
    matches_needed
        Of each side, to decide an open one, those already played included; None where that cannot be said.
    """

    metric: str
    unit: str
    kind: Kind
    base: float | None
    variant: float | None
    value: float | None
    low: float | None
    high: float | None
    method: str
    n: int
    n_units: int
    error: float | None
    gain: float | None
    delta: float | None
    verdict: Verdict
    matches_needed: int | None

    def as_dict(self) -> dict[str, Any]:
        """The entry of `compare.json`."""
        return asdict(self) | {"kind": self.kind.value, "verdict": self.verdict.value}

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Difference:
        """A difference as `as_dict` gave it."""
        return cls(**{**told, "kind": Kind(told["kind"]), "verdict": Verdict(told["verdict"])})


def differences(
    base: Side,
    variant: Side,
    metrics: Iterable[MetricDefinition],
    *,
    paired: bool = True,
    level: float = 0.95,
    deltas: Mapping[str, float] | None = None,
    comparisons: int = 1,
) -> list[Difference]:
    """Set every figure of a variant against the base.

    Parameters
    ----------
    base, variant
        What was played.
    metrics
        The figures.
    paired
        Both were played on the same luck, block by block.
    level
        Confidence of the intervals shown, and of the whole set of claims that figures moved (Bonferroni).
    deltas
        By core name; others have their default (`deltas.default_delta`).
    comparisons
        How many such comparisons are made together, all of whose claims are allowed for.
    """
    listed = list(metrics)
    if not listed:
        return []
    one = base.as_base(listed)
    other = _read(variant, listed, one.shown)
    chance = len(listed) - _n_alike(one.compared.means, other.compared.means)
    levels = level, 1 - (1 - level) / (max(1, chance) * comparisons)
    changes = (_paired if paired else _unpaired)(one.compared, other.compared, levels, _widths(one, other))
    shown = zip(one.shown, other.shown, strict=True)
    n, n_units = map(min, one.compared.n, other.compared.n), map(min, one.compared.pairs, other.compared.pairs)
    given = deltas or {}
    smallest = [given.get(metric.name, delta) for metric, delta in zip(listed, one.deltas, strict=True)]
    rests_on = zip(n, n_units, strict=True)
    return list(map(_difference, listed, shown, rests_on, changes, smallest))


@dataclass(frozen=True)
class _Read:
    """Figures of one side: as they are shown, and as they are compared."""

    metrics: Sequence[MetricDefinition]
    found: Sequence[Totals | Bins]
    shown: list[float]
    compared: MeasuredFigures
    limits: Mapping[str, float]

    @cached_property
    def ends(self) -> list[tuple[float, float]]:
        """Least and greatest value of a match."""
        return limits_of(self.metrics, self.limits)

    @cached_property
    def deltas(self) -> list[float | None]:
        """How large a difference from each has to be to matter, where nobody says otherwise."""
        return [
            default_delta(metric, shown, match_deviation(one, self.compared[v]) if isinstance(one, Totals) else None)
            for v, (metric, one, shown) in enumerate(zip(self.metrics, self.found, self.shown, strict=True))
        ]


def _read(side: Side, metrics: Sequence[MetricDefinition], at: Sequence[float] | None = None) -> _Read:
    """Figures of a side; of a histogram its distribution function at a value, None: at its own quantile."""
    found = [metric.measure(side.sums) for metric in metrics]
    own = [
        quantile_of(one, metric.q) if isinstance(one, Bins) else math.nan
        for metric, one in zip(metrics, found, strict=True)
    ]
    compared = MeasuredFigures.of(found, own if at is None else at, exact=side.exact)
    shown = [
        quantile if isinstance(one, Bins) else value
        for one, quantile, value in zip(found, own, compared.values.tolist(), strict=True)
    ]
    return _Read(metrics, found, shown, compared, side.limits)


def _n_alike(one: Floats, other: Floats) -> int:
    """How many figures differ in no block."""
    if one.shape != other.shape:
        return 0
    return int(np.count_nonzero(((one == other) | (np.isnan(one) & np.isnan(other))).all(axis=1)))


_Change = tuple[Interval, Interval, float | None, float | None]
"""A difference with its plain and its strict interval, its standard error and its gain."""


def _paired(
    one: MeasuredFigures, other: MeasuredFigures, levels: tuple[float, float], widths: Sequence[float]
) -> list[_Change]:
    changes = combinations([(1.0, other), (-1.0, one)])
    both = intervals_together(changes, levels, widths)
    return [(plain, strict, *more) for (plain, strict), more in zip(both, errors_and_gains(changes), strict=True)]


def _unpaired(
    one: MeasuredFigures, other: MeasuredFigures, levels: tuple[float, float], widths: Sequence[float]
) -> list[_Change]:
    found = [[unpaired_interval(one[v], other[v], level) for level in levels] for v in range(len(widths))]
    return [(plain, strict, None, None) for plain, strict in found]


def _difference(
    metric: MetricDefinition,
    shown: tuple[float, float],
    rests_on: tuple[int, int],
    change: _Change,
    delta: float | None,
) -> Difference:
    found, strict, error, gain = change
    n, n_units = rests_on
    verdict = _verdict(found, strict, delta)
    pairs = pairs_to_decide(found, strict, n_units, delta) if verdict is Verdict.OPEN else None
    base, variant = shown
    return Difference(
        metric.name,
        metric.unit,
        metric.kind,
        _known(base),
        _known(variant),
        _known(found.value),
        found.low,
        found.high,
        found.method,
        n,
        n_units,
        None if error is None else _known(error),
        gain,
        delta,
        verdict,
        None if pairs is None else math.ceil(pairs * n / n_units),
    )


def _widths(one: _Read, other: _Read) -> list[float]:
    """The largest difference that one match can make, of each figure."""
    return [
        1.0 if metric.kind is Kind.QUANTILE else max(high, other_high) - min(low, other_low)
        for metric, (low, high), (other_low, other_high) in zip(one.metrics, one.ends, other.ends, strict=True)
    ]


def _verdict(found: Interval, wide: Interval, delta: float | None) -> Verdict:
    if math.isnan(found.value):
        return Verdict.NOTHING
    if found.method == DETERMINISTIC:
        return Verdict.MOVED if found.value else Verdict.IDENTICAL
    if found.method == IDENTICAL:
        return Verdict.IDENTICAL
    if found.low is None or found.high is None or wide.low is None or wide.high is None:
        return Verdict.OPEN
    if delta is not None and -delta < found.low and found.high < delta:
        return Verdict.SAME
    return Verdict.MOVED if wide.low > 0 or wide.high < 0 else Verdict.OPEN


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number
