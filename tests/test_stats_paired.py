"""Differences on common blocks: right on average, exactly 0 where nothing differs, honest where events are rare."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from sim.stats.definitions import Bins, Kind, MetricDefinition, Totals
from sim.stats.deltas import default_delta
from sim.stats.differences import Difference, Side, Verdict, differences
from sim.stats.paired import (
    IDENTICAL,
    WELCH,
    Measured,
    MeasuredFigures,
    combination,
    errors_and_gains,
    gain,
    interval,
    match_deviation,
    measured,
    pairs_to_decide,
    quantile_of,
    unpaired_interval,
)

B = 64


def totals(by_block, per_block=20) -> Totals:
    total = np.asarray(by_block, np.int64)
    return Totals(total, np.full(total.shape, per_block), np.full(total.shape, per_block // 2))


def metric(name="shared", kind=Kind.PROPORTION, unit="share", q=0.0) -> MetricDefinition:
    return MetricDefinition(name, kind, unit, "what the sums are", lambda sums: sums, q=q)


def test_measured__is_the_ratio_of_sums_and_of_each_block():
    found = measured(Totals(np.array([3, 5, 0]), np.array([4, 2, 0]), np.array([2, 1, 0]), scale=2))
    assert found.value == 8 / 12
    assert found.means[:2].tolist() == [3 / 8, 5 / 4]
    assert np.isnan(found.means[2])
    assert (found.pairs, found.n_blocks) == (3, 2)
    empty = measured(totals([0, 0], per_block=0))
    assert math.isnan(empty.value)
    assert interval(empty).method == "no matches"


def test_measured__of_a_histogram_is_its_distribution_function():
    bins = Bins(np.array([-2, 0, 7]), np.array([[1, 2, 1], [0, 4, 0]]), np.array([2, 2]))
    assert [quantile_of(bins, q) for q in (0.1, 0.125, 0.126, 0.875, 0.9)] == [-2, -2, 0, 0, 7]
    assert measured(bins, 0).means.tolist() == [0.75, 1.0]
    assert measured(bins, 0).value == 7 / 8
    assert math.isnan(quantile_of(Bins(np.zeros(0, np.int64), np.zeros((2, 0), np.int64), np.zeros(2, np.int64)), 0.5))


def standard_error(found: Measured) -> float | None:
    return errors_and_gains(MeasuredFigures.alone(found))[0][0]


def test_interval__is_students_on_block_differences():
    rng = np.random.default_rng(1)
    one, other = rng.integers(0, 20, B), rng.integers(0, 20, B)
    change = combination([(1, measured(totals(other))), (-1, measured(totals(one)))])
    found = interval(change, 0.95)
    d = (other - one) / 20
    half = special.stdtrit(B - 1, 0.975) * d.std(ddof=1) / math.sqrt(B)
    assert found.value == pytest.approx(d.mean())
    assert (found.low, found.high) == pytest.approx((d.mean() - half, d.mean() + half))
    assert standard_error(change) == pytest.approx(d.std(ddof=1) / math.sqrt(B))
    assert gain(change) == pytest.approx((one.var(ddof=1) + other.var(ddof=1)) / 400 / d.var(ddof=1))


def test_interval__of_nothing_is_exactly_nothing():
    one = measured(totals(range(B)))
    found = interval(combination([(1, one), (-1, one)]))
    assert (found.value, found.low, found.high, found.method) == (0, 0, 0, IDENTICAL)
    assert gain(combination([(1, one), (-1, one)])) is None


def test_interval__without_chance_or_blocks():
    still = measured(Totals(np.array([3]), np.array([4]), np.array([2])), exact=True)
    moving = measured(totals(range(B)))
    assert interval(combination([(1, still)], -0.5)).method == "deterministic"
    mixed = combination([(1, moving), (-1, still)])
    assert mixed.means.size == B
    assert not mixed.exact
    assert mixed.value == pytest.approx(moving.value - 0.75)
    few = combination([(1, measured(totals([1, 2, 3]))), (-1, measured(totals([1, 2, 2])))])
    assert interval(few).method == "n too small"
    assert (standard_error(still), gain(still)) == (0, None)
    assert standard_error(Measured(0.5, np.array([0.5]), 1)) is None
    with pytest.raises(ValueError, match="must have the same"):
        combination([(1, moving), (1, measured(totals([1, 2])))])


@pytest.mark.parametrize("rates", [(0.05, 0.0), (0.0, 0.05), (0.04, 0.04), (0.08, 0.02)], ids=str)
def test_interval__covers_rare_differences(rates):
    """Most blocks do not differ; the few that do may lie on either side."""
    rng = np.random.default_rng(2)
    up, down = (rng.poisson(rate, (400, B)) for rate in rates)
    missed, judged = 0, 0
    for d in (up - down).astype(np.float64):
        if d.any():
            found = interval(Measured(float(d.mean()), d, B * 10))
            judged += 1
            truth = rates[0] - rates[1]
            missed += not found.low <= truth <= found.high
    assert judged > 350
    assert missed <= 0.06 * judged + 8


def test_unpaired_interval__covers_and_is_wider_than_paired():
    rng = np.random.default_rng(3)
    luck = rng.integers(0, 12, (300, B))
    misses = 0
    for shared in luck:
        one = measured(totals(shared + rng.integers(0, 5, B)))
        other = measured(totals(shared + rng.integers(0, 5, B)))
        fresh = measured(totals(rng.integers(0, 12, B) + rng.integers(0, 5, B)))
        wide, tight = unpaired_interval(one, other), interval(combination([(1, other), (-1, one)]))
        assert wide.method == WELCH
        assert wide.high - wide.low > tight.high - tight.low
        apart = unpaired_interval(one, fresh)
        misses += not apart.low <= 0 <= apart.high
    assert 3 <= misses <= 27
    still = measured(totals([5]), exact=True)
    assert unpaired_interval(still, still).method == "deterministic"
    assert unpaired_interval(still, measured(totals([4] * B))).method == "zero variance"
    assert unpaired_interval(still, measured(totals([4, 3]))).method == "n too small"
    assert unpaired_interval(still, measured(totals([0], per_block=0))).method == "no matches"


def test_match_deviation__of_independent_matches():
    rng = np.random.default_rng(4)
    matches = rng.normal(3, 2, (B, 500))
    total = np.round(1000 * matches).astype(np.int64).sum(axis=1)
    found = Totals(total, np.full(B, 500), np.full(B, 250), scale=1000)
    assert match_deviation(found, measured(found)) == pytest.approx(2, rel=0.2)
    assert match_deviation(found, measured(found, exact=True)) is None


def test_pairs_to_decide__takes_the_easier_of_two_questions():
    def at(value, half):
        return interval_of(value, half)

    assert pairs_to_decide(at(0.02, 0.03), at(0.02, 0.04), 1000, 0.005) == 4000  # seen to be there: (0.04 / 0.02)²
    assert pairs_to_decide(at(0.001, 0.008), at(0.001, 0.01), 1000, 0.005) == 4000  # seen to be small
    assert pairs_to_decide(at(0.0, 0.01), at(0.0, 0.012), 1000, None) is None
    assert pairs_to_decide(at(1e-12, 0.01), at(1e-12, 0.01), 1000, None) is None


def interval_of(value, half):
    from sim.stats.intervals import Interval

    return Interval(value, value - half, value + half, "t")


def side(sums, exact=False) -> Side:
    return Side(sums, {}, exact)


def only(one, other, definition=None, **how) -> Difference:
    return differences(one, other, [definition or metric()], **how)[0]


def test_differences__verdicts():
    rng = np.random.default_rng(5)
    base = rng.binomial(20_000, 0.5, B)
    shift = rng.binomial(4_000, 0.5, B) - 2_000

    def against(more, **how):
        return only(side(totals(base, 20_000)), side(totals(base + more, 20_000)), **how)

    assert against(0).verdict is Verdict.IDENTICAL
    assert against(1_000 + shift).verdict is Verdict.MOVED
    assert against(shift, deltas={"shared": 0.01}).verdict is Verdict.SAME
    unsure = against(shift, deltas={"shared": 1e-5})
    assert unsure.verdict is Verdict.OPEN
    assert unsure.matches_needed > unsure.n == 20_000 * B
    assert unsure.n_units == 10_000 * B
    assert only(side(totals([0], 0)), side(totals([0], 0))).verdict is Verdict.NOTHING
    few = only(side(totals([1, 2])), side(totals([2, 2])))
    assert (few.verdict, few.matches_needed) == (Verdict.OPEN, None)
    still = only(side(totals([3]), True), side(totals([4]), True))
    assert (still.verdict, still.method, still.value) == (Verdict.MOVED, "deterministic", pytest.approx(0.05))
    assert only(side(totals([3]), True), side(totals([3]), True)).verdict is Verdict.IDENTICAL


def test_differences__a_claim_allows_for_all_figures_compared():
    """A figure whose own interval just lies off 0 has not moved when thirty others were looked at as well."""
    rng = np.random.default_rng(6)
    base = rng.binomial(2_000, 0.5, B)
    d = rng.normal(size=B)
    d = np.round(1e6 * ((d - d.mean()) / d.std(ddof=1) + 2.3 / math.sqrt(B))).astype(np.int64)
    one = Totals(base * 10**6, np.full(B, 2_000), np.full(B, 1_000), 10**6)
    other = Totals(base * 10**6 + d, np.full(B, 2_000), np.full(B, 1_000), 10**6)
    alone = differences(side(one), side(other), [metric()], deltas={"shared": 0})
    among = differences(side(one), side(other), [metric(f"m{i}") for i in range(30)], deltas={"shared": 0})
    assert alone[0].low > 0
    assert alone[0].verdict is Verdict.MOVED
    assert {one.verdict for one in among} <= {Verdict.OPEN, Verdict.SAME}
    assert [one.low for one in among] == [alone[0].low] * 30


def test_differences__of_a_quantile_is_the_share_at_the_bases_value():
    counts = np.tile([5, 10, 5], (B, 1))
    base = Bins(np.array([0, 1, 2]), counts, np.full(B, 10))
    higher = Bins(np.array([1, 2, 3]), counts, np.full(B, 10))
    found = only(side(base), side(higher), metric("margin.p50", Kind.QUANTILE, "points", 0.5))
    assert (found.base, found.variant) == (1, 2)
    assert found.value == pytest.approx(0.25 - 0.75)
    assert found.low <= found.value <= found.high
    assert found.verdict is Verdict.MOVED


def test_differences__read_back():
    rng = np.random.default_rng(7)
    found = only(side(totals(rng.integers(0, 20, B))), side(totals(rng.integers(0, 20, B))))
    assert Difference.read(found.as_dict()) == found
    apart = only(side(totals(rng.integers(0, 20, B))), side(totals(rng.integers(0, 20, B))), paired=False)
    assert (apart.method, apart.gain, apart.error) == (WELCH, None, None)


def test_deltas__by_figure():
    assert default_delta(metric("shared"), 0.1, None) == 0.003
    assert default_delta(metric("score.first"), 0.1, None) == 0.005
    assert default_delta(metric("seat_bias", Kind.MEAN, "share difference"), 0.1, None) == 0.005
    assert default_delta(metric("margin.p90", Kind.QUANTILE, "points"), 5, None) == 0.01
    assert default_delta(metric("pick.siding.first"), 0.05, None) == 0.005
    assert default_delta(metric("pick.siding.first"), 0.5, None) == pytest.approx(0.025)
    assert default_delta(metric("points.first", Kind.MEAN, "points"), 30, 8.0) == pytest.approx(0.4)
    assert default_delta(metric("points.first", Kind.MEAN, "points"), 30, None) is None


def test_differences__the_base_is_read_once_however_many_are_compared_with_it():
    asked = []

    def measure(sums):
        asked.append(sums)
        return sums

    definition = MetricDefinition("shared", Kind.PROPORTION, "share", "what the sums are", measure)
    one, *others = (side(totals((np.arange(B) + k) % 7)) for k in range(4))
    found = [differences(one, other, [definition])[0] for other in others]
    assert sum(sums is one.sums for sums in asked) == 1
    fresh = [differences(side(one.sums), other, [definition])[0] for other in others]
    assert found == fresh


def test_differences__a_figure_alone_is_as_it_is_among_all():
    """Whatever else is compared, and of whatever kind: only the strict level knows how many there are."""
    rng = np.random.default_rng(8)
    played = [rng.integers(0, 20, (2, B)), np.zeros((2, B)), np.repeat(rng.integers(0, 20, (1, B)), 2, axis=0)]
    few = rng.integers(0, 20, (1, B)).repeat(2, axis=0)
    few[1, :3] += 1
    gaps = rng.integers(0, 20, (2, B)), rng.integers(0, 3, (2, B))
    counts = rng.integers(1, 9, (2, B, 5))

    def measured_of(place, which):
        if place < 4:
            return totals([*played, few][place][which])
        if place == 4:
            return Totals(gaps[0][which] * (gaps[1][which] > 0), gaps[1][which], gaps[1][which])
        if place == 5:
            return totals(np.zeros(B), per_block=0)
        return Bins(np.arange(5) + which, counts[which], counts[which].sum(axis=1))

    metrics = [
        MetricDefinition(f"m{place}", kind, "points", "", lambda which, place=place: measured_of(place, which), q=0.5)
        for place, kind in enumerate([Kind.PROPORTION, *[Kind.MEAN] * 5, Kind.QUANTILE])
    ]
    for exact in ((False, False), (True, False)):
        sides = [side(which, exact=exact[which]) for which in (0, 1)]
        for paired in (True, False):
            together = differences(*sides, metrics, paired=paired)
            fresh = [side(which, exact=exact[which]) for which in (0, 1)]
            for one, whole in zip(metrics, together, strict=True):
                (alone,) = differences(*fresh, [one], paired=paired)
                assert alone.as_dict() | {"verdict": None, "matches_needed": None} == whole.as_dict() | {
                    "verdict": None,
                    "matches_needed": None,
                }
    assert [one.method for one in differences(side(0), side(1), metrics)] == [
        *("t", IDENTICAL, IDENTICAL, "gamma", "t", "no matches", "t")
    ]
    assert differences(side(0), side(1), []) == []
