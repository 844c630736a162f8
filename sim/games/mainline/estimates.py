"""Estimates of the mainline game's figures: by the deal, which is the unit of sampling."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sim.games.mainline.sums import DaySums
from sim.stats.figures import DETERMINISTIC, EXACT, Estimate, MetricDefinition, estimated

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
    listed = [metrics[metric] for metric in (metrics if wanted is None else wanted)]
    found = estimated(listed, days, name, level=level, limits=limits)
    return [_of_days(one, deterministic, exact or {}) for one in found]


def _of_days(found: Estimate, deterministic: bool, exact: Mapping[str, float]) -> Estimate:
    """A measured figure that rests on days, whatever it counts in them, with what is known beforehand."""
    low, high, method = found.low, found.high, found.method
    if found.value is not None and exact.get(found.metric) == found.value:
        low, high, method = found.value, found.value, EXACT
    elif deterministic and found.value is not None:
        low, high, method = None, None, DETERMINISTIC
    return Estimate(found.pairing, found.metric, found.value, low, high, found.n_units, found.n_units, method)
