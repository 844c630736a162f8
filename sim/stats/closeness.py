"""How near to each other matches end: shares of the matches that are close, and that are blow-outs.

Both are measured in the largest reward that a delivery can earn, so that they mean the same on every scenario.
"""

from __future__ import annotations

import math

from sim.stats import intervals
from sim.stats.metrics import DETERMINISTIC, NO_MATCHES, Estimate
from sim.stats.sums import BlockSums

__all__ = ["blow_out_from", "blow_out_share", "close_share", "close_up_to", "spread_share"]

CLOSE_REWARDS = 1
"""A match is close when the spread is at most so many times the largest reward."""
BLOW_OUT_REWARDS = 2
"""A match is a blow-out when the spread is at least so many times the largest reward."""


def close_up_to(reward: int) -> int:
    """Largest spread of a close match, in points, by the largest reward."""
    return CLOSE_REWARDS * reward


def blow_out_from(reward: int) -> int:
    """Least spread of a blow-out, in points, by the largest reward."""
    return BLOW_OUT_REWARDS * reward


def close_share(
    sums: BlockSums, reward: int, pairing_name: str, *, level: float = 0.95, deterministic: bool = False
) -> Estimate:
    """Share of close matches; arguments as of `spread_share`, `reward` being the largest that a delivery can earn."""
    return spread_share(sums, 0, close_up_to(reward), pairing_name, level=level, deterministic=deterministic)


def blow_out_share(
    sums: BlockSums, reward: int, pairing_name: str, *, level: float = 0.95, deterministic: bool = False
) -> Estimate:
    """Share of blow-outs; arguments as of `spread_share`, `reward` being the largest that a delivery can earn."""
    return spread_share(sums, blow_out_from(reward), math.inf, pairing_name, level=level, deterministic=deterministic)


def spread_share(
    sums: BlockSums,
    low: float,
    high: float,
    pairing_name: str,
    *,
    level: float = 0.95,
    deterministic: bool = False,
) -> Estimate:
    """Share of the matches whose spread lies from `low` to `high`, with its interval.

    Parameters
    ----------
    sums
        The pairing's block sums.
    low, high
        Both included [points].
    pairing_name
        Written into the estimate.
    level
        Confidence of the interval.
    deterministic
        No bot draws: then there is no interval.
    """
    values, counts = sums.spread_bins.values, sums.spread_bins.counts
    inside = counts[:, (values >= low) & (values <= high)].sum(axis=1)
    matches = counts.sum(axis=1)
    full = matches > 0
    n, n_units = int(matches.sum()), int(sums.legal_pairs.sum())
    name = f"spread from {low:g} to {high:g}"
    if n == 0:
        return Estimate(pairing_name, name, None, None, None, 0, 0, NO_MATCHES)
    value = int(inside.sum()) / n
    if deterministic:
        return Estimate(pairing_name, name, value, None, None, n, n_units, DETERMINISTIC)
    found = intervals.proportion(value, inside[full] / matches[full], n_units, level)
    return Estimate(pairing_name, name, found.value, found.low, found.high, n, n_units, found.method)
