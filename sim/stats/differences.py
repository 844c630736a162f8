"""Every figure of two scenarios set against each other: what moved, what did not, and what cannot be said yet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum, unique
from functools import cached_property
from typing import Any

import numpy as np

from sim.stats.deltas import default_delta
from sim.stats.figures import DETERMINISTIC, Bins, Kind, MetricDefinition, Totals, limits_of
from sim.stats.intervals import Interval
from sim.stats.paired import (
    IDENTICAL,
    Measured,
    combinations,
    errors_and_gains,
    intervals_together,
    match_deviation,
    measured_together,
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
    _read: dict[str, _Read] = field(default_factory=dict, init=False, repr=False, compare=False)

    def as_base(self, metrics: Sequence[MetricDefinition]) -> list[_Read]:
        """Figures of the side that others are compared with; each read once, however many there are."""
        missing = [metric for metric in metrics if metric.name not in self._read]
        for metric, read in zip(missing, _read(self, missing, [None] * len(missing)), strict=True):
            self._read[metric.name] = read
        return [self._read[metric.name] for metric in metrics]


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
    ones = base.as_base(listed)
    others = _read(variant, listed, [one.shown for one in ones])
    chance = len(listed) - _n_alike([one.compared for one in ones], [one.compared for one in others])
    levels = level, 1 - (1 - level) / (max(1, chance) * comparisons)
    widths = _widths(listed, base, variant)
    found = _compared(ones, others, paired, levels, widths)
    return [
        _difference(metric, one, other, change, (deltas or {}).get(metric.name))
        for metric, one, other, change in zip(listed, ones, others, found, strict=True)
    ]


@dataclass(frozen=True)
class _Read:
    """One figure of one side: as it is shown, and as it is compared."""

    shown: float
    compared: Measured
    found: Totals | Bins

    @cached_property
    def deviation(self) -> float | None:
        """From match to match; None of a quantile, or where unknown."""
        return match_deviation(self.found, self.compared) if isinstance(self.found, Totals) else None


def _read(side: Side, metrics: Sequence[MetricDefinition], at: Sequence[float | None]) -> list[_Read]:
    """Figures of a side; of a histogram its distribution function at a value, None: at its own quantile."""
    measures = [metric.measure(side.sums) for metric in metrics]
    own = [
        quantile_of(found, metric.q) if isinstance(found, Bins) else math.nan
        for metric, found in zip(metrics, measures, strict=True)
    ]
    places = [mine if value is None else value for value, mine in zip(at, own, strict=True)]
    return [
        _Read(mine if isinstance(found, Bins) else compared.value, compared, found)
        for mine, found, compared in zip(
            own, measures, measured_together(measures, places, exact=side.exact), strict=True
        )
    ]


def _n_alike(ones: Sequence[Measured], others: Sequence[Measured]) -> int:
    """How many figures differ in no block."""
    a, b = (np.array([one.means for one in side]) for side in (ones, others))
    if a.shape != b.shape:
        return 0
    return int(np.count_nonzero(((a == b) | (np.isnan(a) & np.isnan(b))).all(axis=1)))


@dataclass(frozen=True)
class _Change:
    """A difference, with its plain and its strict interval, standard error and gain."""

    plain: Interval
    strict: Interval
    error: float | None = None
    gain: float | None = None


def _compared(
    ones: Sequence[_Read],
    others: Sequence[_Read],
    paired: bool,
    levels: tuple[float, float],
    widths: Sequence[float],
) -> list[_Change]:
    if not paired:
        pairs = [(one.compared, other.compared) for one, other in zip(ones, others, strict=True)]
        return [_Change(unpaired_interval(*pair, levels[0]), unpaired_interval(*pair, levels[1])) for pair in pairs]
    changes = combinations([(1.0, [other.compared for other in others]), (-1.0, [one.compared for one in ones])])
    both = intervals_together(changes, levels, widths)
    return [
        _Change(plain, strict, *more) for (plain, strict), more in zip(both, errors_and_gains(changes), strict=True)
    ]


def _difference(metric: MetricDefinition, one: _Read, other: _Read, change: _Change, delta: float | None) -> Difference:
    found = change.plain
    n = min(one.compared.n, other.compared.n)
    n_units = min(one.compared.pairs, other.compared.pairs)
    if delta is None:
        delta = default_delta(metric, one.shown, one.deviation)
    verdict = _verdict(found, change.strict, delta)
    pairs = pairs_to_decide(found, change.strict, n_units, delta) if verdict is Verdict.OPEN else None
    return Difference(
        metric=metric.name,
        unit=metric.unit,
        kind=metric.kind,
        base=_known(one.shown),
        variant=_known(other.shown),
        value=_known(found.value),
        low=found.low,
        high=found.high,
        method=found.method,
        n=n,
        n_units=n_units,
        error=None if change.error is None else _known(change.error),
        gain=change.gain,
        delta=delta,
        verdict=verdict,
        matches_needed=None if pairs is None else math.ceil(pairs * n / n_units),
    )


def _widths(metrics: Sequence[MetricDefinition], base: Side, variant: Side) -> list[float]:
    """The largest difference that one match can make, of each figure."""
    ends = zip(metrics, limits_of(metrics, base.limits), limits_of(metrics, variant.limits), strict=True)
    return [
        1.0 if metric.kind is Kind.QUANTILE else max(one[1], other[1]) - min(one[0], other[0])
        for metric, one, other in ends
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
