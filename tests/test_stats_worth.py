"""Values from restricted play: knockouts, prices with and without a crossing, verdicts of a panel."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim.stats.figures import Totals
from sim.stats.intervals import Interval
from sim.stats.paired import Measured
from sim.stats.worth import (
    DEPENDS,
    POINTS,
    SCORE,
    Crossing,
    Vote,
    indifference_price,
    panel_verdict,
    score_variance,
    unpaired_gain,
    vote_on,
    worth_of,
)

B = 64
COSTS = list(range(12))


def tally(wins, shared=0, n=40, margin=0):
    """What a version reached: wins and shared victories by block, of n matches each."""
    wins = np.broadcast_to(np.asarray(wins, np.int64), B)
    ones = np.ones(B, np.int64)

    def totals(total, scale=1):
        return Totals(np.asarray(total, np.int64), n * ones, n // 2 * ones, scale)

    return {
        "score.first": totals(2 * wins + shared, 2),
        "win.first": totals(wins),
        "shared": totals(shared * ones),
        "margin.mean": totals(margin * ones),
    }


def line_of(values, noise=0.0, seed=1) -> list[Measured]:
    """A value at each cost, with noise from block to block."""
    rng = np.random.default_rng(seed)
    found = []
    for value in values:
        means = value + noise * rng.normal(size=B)
        found.append(Measured(float(means.mean()), means, 640))
    return found


def exactly(values) -> list[Measured]:
    return [Measured(float(value), np.array([float(value)]), 1, True) for value in values]


def test_worth__counts_from_the_even_value():
    assert worth_of([(-1.0, tally(10))], SCORE).value == 0.25
    assert worth_of([(-1.0, tally(20))], SCORE).means.tolist() == [0] * B
    assert worth_of([(-1.0, tally(10, margin=-80))], POINTS).value == 2
    none, upgrade, siding = tally(4), tally(10), tally(16)
    both = worth_of([(1.0, none), (-1.0, upgrade), (-1.0, siding)], SCORE)
    assert both.value == pytest.approx(0.5 - 0.25 - 0.4 + 0.1)
    assert worth_of([(1.0, upgrade), (-1.0, none)], SCORE).value == pytest.approx(0.15)


def test_unpaired_gain__against_single_matches():
    rng = np.random.default_rng(2)
    version, free = tally(10 + rng.integers(-1, 2, B)), tally(18, shared=4)
    assert score_variance(free) == pytest.approx(0.45 + 0.1 / 4 - 0.25)
    value = worth_of([(-1.0, version)], SCORE)
    apart = (score_variance(free) + score_variance(version)) / (40 * B)
    assert unpaired_gain(value, free, version) == pytest.approx(apart / (value.means.var(ddof=1) / B))
    assert unpaired_gain(worth_of([(-1.0, tally(20))], SCORE), free, version) is None
    assert math.isnan(score_variance(tally(0, n=0)))


def test_price__is_interpolated_and_its_interval_covers():
    truth = 6.4
    missed = 0
    for seed in range(60):
        found = indifference_price(
            COSTS, line_of([(truth - cost) / 20 for cost in COSTS], 0.1, seed), seed=seed, resamples=200
        )
        assert found.kind is Crossing.CROSSES
        assert found.method == "bootstrap"
        assert found.low <= found.value <= found.high
        missed += not found.low <= truth <= found.high
    # Of several crossings that noise makes the first is taken, so that the price is a little low.
    assert missed <= 9
    exact = indifference_price(COSTS, exactly((truth - cost) / 20 for cost in COSTS), seed=1)
    assert exact.value == pytest.approx(truth)
    assert (exact.low, exact.method, exact.demand_ends) == (None, "deterministic", 11)


def test_price__without_a_crossing():
    def kind(values, noise=0.01):
        return indifference_price(COSTS, line_of(values, noise), seed=1, resamples=50)

    always = kind([0.3] * 12)
    assert (always.kind, always.demand_ends, always.value) == (Crossing.ALWAYS, 11, None)
    never = kind([-0.1 - cost / 100 for cost in COSTS])
    assert (never.kind, never.demand_ends) == (Crossing.NEVER, 11)
    assert kind([0.0] * 12, noise=0.2).kind is Crossing.NONE_SEEN
    assert kind([0.0] * 12, noise=0).kind is Crossing.NONE_SEEN
    assert indifference_price([], [], seed=1).kind is Crossing.NOT_BOUGHT
    assert indifference_price(COSTS, exactly([0.0] * 12), seed=1).kind is Crossing.NONE_SEEN
    assert indifference_price(COSTS, exactly([0.1] * 12), seed=1).kind is Crossing.ALWAYS


def test_price__further_crossings_are_listed_where_it_was_seen_to_pay_again():
    twice = [0.3, 0.2, -0.2, -0.1, 0.2, 0.3, -0.1, -0.1, -0.1, 0.001, -0.1, -0.1]
    found = indifference_price(COSTS, line_of(twice, 0.05), seed=1, resamples=100)
    assert found.value == pytest.approx(1.5, abs=0.1)
    assert found.further == pytest.approx((5.75,), abs=0.1)
    exact = indifference_price(COSTS, exactly(twice), seed=1)
    assert exact.further == pytest.approx((5.75, 9 + 0.001 / 0.101))


def test_price__from_few_blocks_has_no_interval():
    means = [Measured(1 - cost / 5, np.full(4, 1 - cost / 5), 8) for cost in COSTS]
    for value in means:
        value.means[:] += [0.01, -0.01, 0.02, -0.02]
    found = indifference_price(COSTS, means, seed=1)
    assert (found.method, found.low) == ("n too small", None)
    assert found.value == pytest.approx(5)


def test_price__an_end_beyond_all_costs_is_the_last_of_these():
    found = indifference_price([0, 5], line_of([0.05, -0.001], 0.2), seed=1, resamples=200)
    assert found.kind in (Crossing.CROSSES, Crossing.NONE_SEEN)
    sure = indifference_price([0, 5], line_of([0.4, -0.02], 0.2, seed=3), seed=1, resamples=200)
    assert sure.high == 5


@pytest.mark.parametrize(
    ("low", "high", "vote"),
    [
        (-0.05, -0.01, Vote.HARMFUL),
        (-0.05, 0.005, Vote.WORTHLESS),
        (0.001, 0.009, Vote.WORTHLESS),
        (0.001, 0.09, Vote.FAIR),
        (0.11, 0.2, Vote.MANDATORY),
        (0.05, 0.2, Vote.UNDECIDED),
        (-0.01, 0.02, Vote.UNDECIDED),
        (None, None, Vote.UNDECIDED),
    ],
)
def test_vote(low, high, vote):
    value = 0.0 if low is None else (low + high) / 2
    assert vote_on(Interval(value, low, high, "t"), 0.01, 0.1) is vote


def test_vote__of_what_is_exact():
    assert vote_on(Interval(0.05, None, None, "deterministic"), 0.01, 0.1) is Vote.FAIR
    assert vote_on(Interval(0.0, None, None, "deterministic"), 0.01, 0.1) is Vote.WORTHLESS


T, D, F, M, U = Vote.HARMFUL, Vote.WORTHLESS, Vote.FAIR, Vote.MANDATORY, Vote.UNDECIDED


@pytest.mark.parametrize(
    ("votes", "buyers", "verdict"),
    [
        ((T, T), "ab", ("trap", 2)),
        ((T, D), "a", ("trap", 1)),
        ((T, D), "ab", ("dominated", 2)),
        ((D, D), "", ("dominated", 2)),
        ((F, F), "ab", ("fair", 2)),
        ((M, M), "ab", ("mandatory", 2)),
        ((M, F), "ab", (DEPENDS, 1)),
        ((M, M, T), "abc", (DEPENDS, 2)),
        ((F, U), "ab", ("undecided", 1)),
        ((T, U), "ab", ("undecided", 1)),
        ((F, T, U), "abc", (DEPENDS, 1)),
    ],
)
def test_panel_verdict(votes, buyers, verdict):
    assert panel_verdict(dict(zip("abc", votes, strict=False)), list(buyers)) == verdict
