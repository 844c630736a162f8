"""Every figure of the dispatch game, defined once: how it is counted, in what unit, and between what limits.

A figure is a total over matches, block by block, divided by the number of those matches. "First" is the bot named
first, wherever it sits; A and B are seats. In self-play and for recorded matches first is seat A.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from kernels.codes import Column, Company, Outcome, Pairing
from sim.stats.figures import Bins, Kind, MetricDefinition, Totals
from sim.stats.sums import BlockSums, Int64s, first_seats

__all__ = [
    "LIMIT_KEYS",
    "METRICS",
    "Bins",
    "Kind",
    "MetricDefinition",
    "Totals",
]

LIMIT_KEYS = ("dispatches", "reward", "ticks", "toll", "upgrades", "sidings")
"""What bounds the figures of one match: its dispatches; the largest reward; the most ticks of movement in a dispatch
(`upgraded_speed`, or 1 where upgrades are not on offer); the toll in dollars; upgrades and sidings that one company can
buy (2 and the number of junctions; 0 where not on offer)."""


def _legal(total: BlockSums, value: Int64s, scale: int = 1) -> Totals:
    return Totals(value, total.legal_matches, total.legal_pairs, scale)


def _count(*outcomes: Outcome) -> Callable[[BlockSums], Totals]:
    return lambda total: _legal(total, _added(total.by_outcome, outcomes))


def _both(*columns: Column) -> Callable[[BlockSums], Totals]:
    return lambda total: _legal(total, _added(total.by_column, columns))


def _added(rows: Int64s, places: Sequence[int]) -> Int64s:
    """Sum of some rows: of integers, so that the order is all the same."""
    total: Int64s = rows[places[0]]
    for place in places[1:]:
        total = total + rows[place]
    return total


def _player(player: int, seat_a: Column, seat_b: Column) -> Callable[[BlockSums], Totals]:
    """Column of the first (0) or second (1) bot, whichever seat it sits in."""
    columns = {pairing: [(seat_a, seat_b)[seat ^ player] for seat in first_seats(pairing)] for pairing in Pairing}

    def measure(total: BlockSums) -> Totals:
        one, other = columns[total.pairing]
        return _legal(total, total.sums[:, 0, one] + total.sums[:, 1, other])

    return measure


def _wins(player: int) -> Callable[[BlockSums], Totals]:
    won = ([Outcome.A_ON_POINTS, Outcome.A_ON_CASH], [Outcome.B_ON_POINTS, Outcome.B_ON_CASH])
    outcomes = {pairing: [won[seat ^ player] for seat in first_seats(pairing)] for pairing in Pairing}

    def measure(total: BlockSums) -> Totals:
        one, other = (_added(total.outcomes[:, s].T, which) for s, which in enumerate(outcomes[total.pairing]))
        return _legal(total, one + other)

    return measure


def _score_first(total: BlockSums) -> Totals:
    return _legal(total, total.pair_scores @ np.arange(total.pair_scores.shape[1], dtype=np.int64), scale=2)


def _score_in_seat(seat: Company) -> Callable[[BlockSums], Totals]:
    """Score of the first bot in the matches in which it sat there.

    In self-play both seats are taken by the bot, so that each match counts for either seat. In single matches nobody
    changes seats: there the first player never sat in seat B.
    """

    def measure(total: BlockSums) -> Totals:
        doubled = total.doubled_scores_a
        if total.pairing == Pairing.SEATS:
            swap = int(seat)
            score = doubled[:, swap] if seat == Company.A else 2 * total.legal_pairs - doubled[:, swap]
            return Totals(score, total.legal_pairs, total.legal_pairs, 2)
        score = doubled[:, 0] + doubled[:, 1]
        return _legal(total, score if seat == Company.A else 2 * total.legal_matches - score, scale=2)

    return measure


def _seat_bias(total: BlockSums) -> Totals:
    """Seat A's score minus seat B's, which is twice seat A's score minus 1."""
    doubled = total.doubled_scores_a
    return _legal(total, doubled[:, 0] + doubled[:, 1] - total.legal_matches)


def _margin_mean(total: BlockSums) -> Totals:
    return _legal(total, total.margin_bins.counts @ total.margin_bins.values)


def _spread_mean(total: BlockSums) -> Totals:
    return _legal(total, total.spread_bins.counts @ total.spread_bins.values)


def _margin_bins(total: BlockSums) -> Bins:
    return total.margin_bins


def _spread_bins(total: BlockSums) -> Bins:
    return total.spread_bins


def _illegal(total: BlockSums) -> Totals:
    return Totals(total.by_outcome[Outcome.ILLEGAL], total.pairs * len(total.swaps), total.pairs)


def _shares() -> list[MetricDefinition]:
    def share(name: str, description: str, measure: Callable[[BlockSums], Totals]) -> MetricDefinition:
        return MetricDefinition(name, Kind.PROPORTION, "share", description, measure)

    return [
        share("score.first", "score of the first bot: 1 a win, 1/2 a shared victory", _score_first),
        share("win.first", "matches that the first bot won, on points or on cash", _wins(0)),
        share("win.second", "matches that the second bot won, on points or on cash", _wins(1)),
        share("shared", "matches with equal points and equal cash", _count(Outcome.SHARED)),
        share(
            "decided_by_cash",
            "matches with equal points that were won on cash",
            _count(Outcome.A_ON_CASH, Outcome.B_ON_CASH),
        ),
        share("score.first.seat_a", "score of the first bot when it sits in seat A", _score_in_seat(Company.A)),
        share(
            "score.first.seat_b",
            "score of the first bot when it sits in seat B; in self-play the score of seat B",
            _score_in_seat(Company.B),
        ),
        MetricDefinition(
            "seat_bias",
            Kind.MEAN,
            "share difference",
            "score of seat A minus score of seat B, whoever sits there",
            _seat_bias,
            signed=True,
        ),
    ]


def _distributions() -> list[MetricDefinition]:
    bound = ("dispatches", "reward")
    listed = []
    for name, words, of_mean, of_bins in (
        ("margin", "points of the first bot minus points of the second", _margin_mean, _margin_bins),
        ("spread", "difference of the two bots' points, without sign", _spread_mean, _spread_bins),
    ):
        signed = name == "margin"
        listed.append(MetricDefinition(f"{name}.mean", Kind.MEAN, "points", f"mean {words}", of_mean, bound, signed))
        listed.extend(
            MetricDefinition(
                f"{name}.p{percent}",
                Kind.QUANTILE,
                "points",
                f"least value that {percent}% of the matches do not exceed: {words}",
                of_bins,
                bound,
                signed,
                percent / 100,
            )
            for percent in (10, 50, 90)
        )
    return listed


def _of_players() -> list[MetricDefinition]:
    mean, share = Kind.MEAN, Kind.PROPORTION
    figures: tuple[tuple[str, Kind, str, str, Column, Column, tuple[str | int, ...]], ...] = (
        ("points", mean, "points", "points of", Column.POINTS_A, Column.POINTS_B, ("dispatches", "reward")),
        ("deliveries", mean, "count", "deliveries of", Column.DELIVERIES_A, Column.DELIVERIES_B, ("dispatches",)),
        ("purchases.upgrade", mean, "count", "upgrades bought by", Column.UPGRADES_A, Column.UPGRADES_B, ("upgrades",)),
        ("purchases.siding", mean, "count", "sidings bought by", Column.SIDINGS_A, Column.SIDINGS_B, ("sidings",)),
        (
            "pick.upgrade",
            share,
            "share",
            "matches with at least one upgrade bought by",
            Column.PICK_UPGRADE_A,
            Column.PICK_UPGRADE_B,
            (1,),
        ),
        (
            "pick.siding",
            share,
            "share",
            "matches with at least one siding bought by",
            Column.PICK_SIDING_A,
            Column.PICK_SIDING_B,
            (1,),
        ),
    )
    return [
        MetricDefinition(f"{name}.{player}", kind, unit, f"{words} the {player} bot", _player(i, a, b), bound)
        for name, kind, unit, words, a, b, bound in figures
        for i, player in enumerate(("first", "second"))
    ]


def _of_matches() -> list[MetricDefinition]:
    def count(name: str, words: str, bound: tuple[str | int, ...], *columns: Column) -> MetricDefinition:
        unit = "dollars" if name == "tolls" else "count"
        return MetricDefinition(name, Kind.MEAN, unit, words, _both(*columns), bound)

    one, two, ticks = ("dispatches",), (2, "dispatches"), ("dispatches", "ticks")
    head_ons, junctions = Column.HEAD_ONS, Column.JUNCTION_CONFLICTS
    return [
        count("head_ons", "head-on conflicts (rules 4.4 a)", one, head_ons),
        count("junction_conflicts", "junction conflicts (rules 4.4 b)", one, junctions),
        count("conflicts", "head-on and junction conflicts together", one, head_ons, junctions),
        count(
            "shared_arrivals", "shared arrivals (rules 4.4 c), with or without a toll", ticks, Column.SHARED_ARRIVALS
        ),
        count("cancelled_toggles", "dispatches in which both toggled one junction", one, Column.CANCELLED_TOGGLES),
        count(
            "stuck",
            "dispatches in which neither train of a company came nearer to its destination, both companies summed",
            two,
            Column.STUCK_A,
            Column.STUCK_B,
        ),
        count(
            "idle", "orders whose train ended where it began, both companies summed", two, Column.IDLE_A, Column.IDLE_B
        ),
        count("tolls", "dollars of toll paid, both companies summed", ("toll", *ticks), Column.TOLLS_A, Column.TOLLS_B),
        MetricDefinition(
            "illegal_orders",
            Kind.PROPORTION,
            "share",
            "matches that ended by an illegal order, of all that were played (rules 3.3)",
            _illegal,
        ),
    ]


UNGATED = {
    *("win.first", "win.second", "score.first.seat_a", "score.first.seat_b", "spread.mean"),
    *("points.first", "points.second", "head_ons", "junction_conflicts", "shared_arrivals"),
    *("cancelled_toggles", "stuck", "idle"),
}
"""Figures that others imply, or that are of interest to whoever looks for causes: the gate leaves them out."""

METRICS: dict[str, MetricDefinition] = {
    definition.name: replace(definition, gated=definition.name not in UNGATED)
    for definition in (*_shares(), *_distributions(), *_of_players(), *_of_matches())
}
"""Every figure of the dispatch game by its core name, in the order in which they are listed."""
