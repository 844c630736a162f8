"""Estimates of the mainline game's figures: by the deal, which is the unit of sampling."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sim.games.mainline.sums import DaySums
from sim.stats.figures import DETERMINISTIC, EXACT, NO_MATCHES, Estimate, MetricDefinition, interval_of

__all__ = ["summarise_days"]


def summarise_days(
    days: DaySums,
    name: str,
    metrics: Mapping[str, MetricDefinition],
    *,
    level: float,
    limits: Mapping[str, float],
    deterministic: bool = False,
    exact: Mapping[str, float] | None = None,
    wanted: Iterable[str] | None = None,
) -> list[Estimate]:
    """Estimate figures.

    Parameters
    ----------
    name
        Written into every estimate.
    metrics
        The figures by core name; `wanted` are those to estimate, None: all.
    limits
        The largest values, by the keys that bounds name.
    deterministic
        Nothing is drawn, so that all days are one day.
    exact
        Figures that the rules settle, whatever is dealt, and their values. Honoured where the days bear them out.
    """
    return [
        _estimate(days, name, metrics[metric], level, limits, deterministic, exact or {})
        for metric in (metrics if wanted is None else wanted)
    ]


def _estimate(
    days: DaySums,
    name: str,
    metric: MetricDefinition,
    level: float,
    limits: Mapping[str, float],
    deterministic: bool,
    exact: Mapping[str, float],
) -> Estimate:
    measured = metric.measure(days)
    n = int(measured.pairs.sum())
    if n == 0:
        return Estimate(name, metric.name, None, None, None, 0, 0, NO_MATCHES)
    found = interval_of(measured, metric, level, metric.limits(limits))
    if found.value is not None and exact.get(metric.name) == found.value:
        found = replace(found, low=found.value, high=found.value, method=EXACT)
    elif deterministic:
        found = replace(found, low=None, high=None, method=DETERMINISTIC)
    return Estimate(name, metric.name, found.value, found.low, found.high, n, n, found.method)
