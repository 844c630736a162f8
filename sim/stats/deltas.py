"""How small a difference has to be for a designer not to care: one delta for each figure.

References
----------
D. J. Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15, 657 (equivalence within ± delta).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from sim.stats.figures import Bins, Kind, MetricDefinition
from sim.stats.paired import match_deviation, measured

__all__ = ["default_delta", "match_spread"]

SHARES: Mapping[str, float] = {"shared": 0.003, "seat_bias": 0.005, "illegal_orders": 0.0}
"""By core name, where it is not `SHARE`. An illegal order is a bot's bug, however seldom it comes."""

SHARE = 0.005
"""Of every other share or difference of shares."""
QUANTILE_SHARE = 0.01
"""Of the distribution function, at the quantile of the scenario compared with."""

PICK_RELATIVE = 0.05
"""Of a pick rate at least so much of itself."""

DEVIATIONS = 0.05
"""Of any other mean: so much of the standard deviation of a match."""
MEAN_RELATIVE = 0.005
"""Of any other mean at least so much of itself: nearly every match may buy two upgrades, and one in a million none."""


def default_delta(metric: MetricDefinition, value: float, deviation: float | None) -> float | None:
    """The delta of a figure that nobody has set one for.

    Parameters
    ----------
    metric
        The figure.
    value
        Its value in the scenario compared with.
    deviation
        Its standard deviation from match to match; None where unknown.

    Returns
    -------
    float or None
        In the figure's own unit, of a quantile in shares of the distribution function; None for a mean of unknown
        deviation.
    """
    if metric.kind is Kind.QUANTILE:
        return QUANTILE_SHARE
    if metric.name in SHARES:
        return SHARES[metric.name]
    if metric.name.startswith("pick."):
        return max(SHARE, PICK_RELATIVE * value)
    if metric.unit in ("share", "share difference"):
        return SHARE
    return None if deviation is None else max(DEVIATIONS * deviation, MEAN_RELATIVE * abs(value))


def match_spread(metric: MetricDefinition, metrics: Mapping[str, MetricDefinition], sums: Any) -> float | None:
    """Standard deviation of a mean from match to match; None where no match counts, or it cannot be known.

    Of a mean that has a histogram beside it (as `margin.mean` has that of `margin.p50`) it is the histogram's, which
    also holds where the two matches of a pair cancel out; of others what the scatter of the block means implies.
    """
    found = metric.measure(sums)
    if isinstance(found, Bins):
        return None
    stem, _, last = metric.name.rpartition(".")
    beside = next((one for one in metrics.values() if one.name.startswith(f"{stem}.p") and one.q), None)
    if last == "mean" and beside is not None and isinstance(bins := beside.measure(sums), Bins):
        counts = bins.counts.sum(axis=0)
        if not counts.sum():
            return None
        mean = float(counts @ bins.values) / int(counts.sum())
        return math.sqrt(float(counts @ (bins.values - mean) ** 2) / int(counts.sum()))
    return match_deviation(found, measured(found))
