"""Estimates of every defined figure from one pairing's block sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from kernels.codes import Column, Company, Outcome, Pairing
from sim.stats.definitions import METRICS
from sim.stats.figures import DETERMINISTIC, EXACT, NO_MATCHES, Estimate, MetricDefinition, estimated
from sim.stats.sums import BlockSums, Int64s, first_seats

__all__ = [
    "DETERMINISTIC",
    "EXACT",
    "METRICS",
    "NO_MATCHES",
    "Certainty",
    "Estimate",
    "MetricDefinition",
    "histogram",
    "seat_table",
    "summarise",
]

PROVEN = ("score.first", "score.first.seat_a", "score.first.seat_b", "seat_bias")
"""Figures that equal, mirror-fair bots on an exact map have by proof (rules 7): one half, and no bias."""


@dataclass(frozen=True)
class Certainty:
    """What is known of a pairing beforehand.

    Attributes
    ----------
    deterministic
        No bot draws, so that all matches of a seating are one match. Honoured only while the draw counters stand at 0.
    mirror_proof
        Equal bots that are declared mirror-fair, on an exact map: the seats have equal chances (rules 7). Honoured only
        when every pair played is legal, finished and sums to exactly 1.
    """

    deterministic: bool = False
    mirror_proof: bool = False


def summarise(
    sums: BlockSums,
    pairing_name: str,
    *,
    level: float = 0.95,
    exact: Certainty | None = None,
    limits: Mapping[str, float] | None = None,
    metrics: Iterable[str] | None = None,
) -> list[Estimate]:
    """Estimate every figure of a pairing.

    Parameters
    ----------
    sums
        The pairing's block sums, valid ones.
    pairing_name
        Written into every estimate.
    level
        Confidence of the intervals.
    exact
        What is known beforehand; None: nothing.
    limits
        Value of each of `definitions.LIMIT_KEYS`: what a figure that never varied might yet have been.
    metrics
        Core names, in the order wanted; None: all.

    Returns
    -------
    list of Estimate
        One for each name.

    Raises
    ------
    KeyError
        If a name is not defined.
    """
    known = _honoured(sums, exact or Certainty())
    wanted = [METRICS[name] for name in (METRICS if metrics is None else metrics)]
    found = estimated(wanted, sums, pairing_name, level=level, limits=limits)
    return [_with_known(one, sums, known) for one in found]


def _honoured(sums: BlockSums, exact: Certainty) -> Certainty:
    """Strip the claims that the matches themselves do not bear out."""
    drawn = sums.sums[:, :, [Column.DRAWS_A, Column.DRAWS_B]].any()
    even_score = 1 if sums.pairing == Pairing.SINGLE else 2
    even = sums.pairing != Pairing.SEATS and int(sums.pair_scores[:, even_score].sum()) == sums.n_pairs
    return Certainty(exact.deterministic and not drawn, exact.mirror_proof and even)


def _with_known(found: Estimate, sums: BlockSums, known: Certainty) -> Estimate:
    """A measured figure, with what is known of it beforehand."""
    if found.value is None:
        return found
    # In single matches the first bot never sat in seat B, unless the bots are proven to be equal.
    if found.metric == "score.first.seat_b" and sums.pairing == Pairing.SINGLE and not known.mirror_proof:
        return replace(found, value=None, low=None, high=None, n=0, n_units=0, method=NO_MATCHES)
    if known.deterministic:
        n = found.n // found.n_units if sums.pairing == Pairing.SEATS else 1
        found = replace(found, low=None, high=None, n=n, n_units=n, method=DETERMINISTIC)
    if known.mirror_proof and _is_proven(found.metric, found.value):
        found = replace(found, low=found.value, high=found.value, method=EXACT)
    return found


def _is_proven(name: str, value: float | None) -> bool:
    """Mirrored pairs have opposite margins, so that a mean margin of exactly 0 is proven along with the score."""
    return name in PROVEN or (name == "margin.mean" and value == 0)


def histogram(sums: BlockSums, metric: str = "margin") -> tuple[Int64s, Int64s]:
    """Exact histogram over all blocks: values in points, and matches with each.

    Parameters
    ----------
    sums
        One pairing's block sums.
    metric
        "margin" (points of first minus second) or "spread" (its absolute value).

    Raises
    ------
    ValueError
        If the metric is neither.
    """
    if metric == "margin":
        bins = sums.margin_bins
    elif metric == "spread":
        bins = sums.spread_bins
    else:
        raise ValueError(f"metric is {metric!r}; must be 'margin' or 'spread'")
    return bins.values, np.asarray(bins.counts.sum(axis=0), dtype=np.int64)


def seat_table(sums: BlockSums) -> list[dict[str, str | int]]:
    """How the matches of each seating ended: one row for every seat that the first bot sat in.

    Returns
    -------
    list of dict
        `first_seat` ("A" or "B"), `matches`, and of these the first bot's `won_on_points`, `won_on_cash`, `shared`,
        `lost_on_points`, `lost_on_cash`. Matches of illegal or unfinished pairs are in none of them.
    """
    points = (Outcome.A_ON_POINTS, Outcome.B_ON_POINTS)
    cash = (Outcome.A_ON_CASH, Outcome.B_ON_CASH)
    rows: dict[Company, dict[str, str | int]] = {}
    for s, seat in enumerate(first_seats(sums.pairing)):
        ended = sums.outcomes[:, s].sum(axis=0)
        counts = {
            "matches": sums.legal_pairs.sum() if s in sums.swaps else 0,
            "won_on_points": ended[points[seat]],
            "won_on_cash": ended[cash[seat]],
            "shared": ended[Outcome.SHARED],
            "lost_on_points": ended[points[seat ^ 1]],
            "lost_on_cash": ended[cash[seat ^ 1]],
        }
        row = rows.setdefault(seat, {"first_seat": seat.name, **dict.fromkeys(counts, 0)})
        for name, number in counts.items():
            row[name] = int(row[name]) + int(number)
    return list(rows.values())
