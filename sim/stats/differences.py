"""Every figure of two scenarios set against each other: what moved, what did not, and what cannot be said yet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import Enum, unique
from typing import Any

from sim.stats.deltas import default_delta
from sim.stats.figures import DETERMINISTIC, Bins, Kind, MetricDefinition, Totals
from sim.stats.intervals import Interval
from sim.stats.paired import (
    IDENTICAL,
    Measured,
    combination,
    gain,
    intervals_at,
    match_deviation,
    measured,
    pairs_to_decide,
    quantile_of,
    standard_error,
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

    def as_base(self, metric: MetricDefinition) -> _Read:
        """A figure of the side that others are compared with; read once, however many there are."""
        if metric.name not in self._read:
            found = metric.measure(self.sums)
            at = quantile_of(found, metric.q) if isinstance(found, Bins) else math.nan
            self._read[metric.name] = _read(found, metric, at, self.exact)
        return self._read[metric.name]


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
    pairs = [(metric, *_both(metric, base, variant)) for metric in metrics]
    chance = sum(1 for _, one, other in pairs if not _alike(one, other))
    strict = 1 - (1 - level) / (max(1, chance) * comparisons)
    levels = level, strict
    return [_difference(metric, (one, other), (base, variant), paired, levels, deltas) for metric, one, other in pairs]


def _both(metric: MetricDefinition, base: Side, variant: Side) -> tuple[_Read, _Read]:
    one = base.as_base(metric)
    at = one.shown if metric.kind is Kind.QUANTILE else math.nan
    return one, _read(metric.measure(variant.sums), metric, at, variant.exact)


@dataclass(frozen=True)
class _Read:
    """One figure of one side: as it is shown, and as it is compared."""

    shown: float
    compared: Measured
    found: Totals | Bins
    n: int


def _read(found: Totals | Bins, metric: MetricDefinition, at: float, exact: bool) -> _Read:
    compared = measured(found, at, exact=exact)
    shown = quantile_of(found, metric.q) if isinstance(found, Bins) else compared.value
    return _Read(shown, compared, found, found.n)


def _alike(one: _Read, other: _Read) -> bool:
    """Whether a figure differs in no block."""
    a, b = one.compared.means, other.compared.means
    return a.shape == b.shape and bool(((a == b) | ((a != a) & (b != b))).all())


def _difference(
    metric: MetricDefinition,
    read: tuple[_Read, _Read],
    sides: tuple[Side, Side],
    paired: bool,
    levels: tuple[float, float],
    deltas: Mapping[str, float] | None,
) -> Difference:
    one, other = read
    width = _width(metric, sides)
    change = combination([(1.0, other.compared), (-1.0, one.compared)]) if paired else None
    if change is not None:
        found, wide = intervals_at(change, levels, width)
    else:
        found, wide = (unpaired_interval(one.compared, other.compared, level) for level in levels)
    n, n_units = min(one.n, other.n), min(one.compared.pairs, other.compared.pairs)
    delta = (deltas or {}).get(metric.name)
    if delta is None:
        deviation = match_deviation(one.found, one.compared) if isinstance(one.found, Totals) else None
        delta = default_delta(metric, one.shown, deviation)
    verdict = _verdict(found, wide, delta)
    pairs = pairs_to_decide(found, wide, n_units, delta) if verdict is Verdict.OPEN else None
    error = None if change is None else standard_error(change)
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
        error=error if error is None else _known(error),
        gain=None if change is None else gain(change),
        delta=delta,
        verdict=verdict,
        matches_needed=None if pairs is None else math.ceil(pairs * n / n_units),
    )


def _width(metric: MetricDefinition, sides: tuple[Side, Side]) -> float:
    """The largest difference that one match can make."""
    if metric.kind is Kind.QUANTILE:
        return 1.0
    ends = [metric.limits(side.limits) for side in sides]
    return max(high for _, high in ends) - min(low for low, _ in ends)


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
