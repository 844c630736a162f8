"""How small a difference has to be for a designer not to care: one delta for each figure.

References
----------
D. J. Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15, 657 (equivalence within ± delta).
"""

from __future__ import annotations

from collections.abc import Mapping

from sim.stats.figures import Kind, MetricDefinition

__all__ = ["default_delta"]

SHARES: Mapping[str, float] = {"shared": 0.003, "seat_bias": 0.005}
"""By core name, where it is not `SHARE`."""

SHARE = 0.005
"""Of every other share or difference of shares."""
QUANTILE_SHARE = 0.01
"""Of the distribution function, at the quantile of the scenario compared with."""

PICK_RELATIVE = 0.05
"""Of a pick rate at least so much of itself."""

DEVIATIONS = 0.05
"""Of any other mean: so much of the standard deviation of a match."""


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
    return None if deviation is None else DEVIATIONS * deviation
