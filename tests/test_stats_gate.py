"""The gate's tests: known values, exact cases, families, how many matches, and the promises on real covariances."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from sim.stats.deltas import default_delta, match_spread
from sim.stats.figures import Bins, Kind, MetricDefinition, Totals
from sim.stats.gate import (
    Evidence,
    State,
    decide,
    drift_p,
    equivalence_p,
    evidence_of,
    holm,
    matches_for_delta,
    matches_to_decide,
)
from sim.stats.gate_simulation import Unit, one_at_delta, rates, simulate, verdict_of
from sim.stats.paired import Measured
from sim.studies.baseline_file import read_baseline
from sim.studies.selftest import units_of

BASELINES = Path(__file__).parents[1] / "reports" / "baselines"


def evidence(difference, error, delta=1.0, freedom=63) -> Evidence:
    shape = np.broadcast_shapes(np.shape(difference), np.shape(error), (1,))
    values = (np.broadcast_to(np.asarray(one, float), shape).copy() for one in (difference, error, delta, freedom))
    return Evidence(*values)


def changes(means: np.ndarray) -> Measured:
    return Measured(float(np.nanmean(means)) if means.size else math.nan, means, 100)


# -- the two tests ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("difference", [-3.0, -1.0, -0.2, 0.0, 0.9, 2.5])
def test_p_values__are_those_of_students_t(difference):
    error, delta, freedom = 0.4, 1.0, 63
    t = stats.t(freedom)
    wanted = min(1.0, 2 * t.sf((abs(difference) - delta) / error))
    assert drift_p(difference, error, delta, freedom) == pytest.approx(wanted, rel=1e-9)
    wanted = max(t.sf((difference + delta) / error), t.cdf((difference - delta) / error))
    assert equivalence_p(difference, error, delta, freedom) == pytest.approx(wanted, rel=1e-9)


def test_p_values__without_scatter_are_exact():
    sizes = np.array([0.0, 0.5, 1.0, 1.5])
    assert drift_p(sizes, np.zeros(4), 1.0, 63).tolist() == [1, 1, 1, 0]
    assert drift_p(-sizes, np.zeros(4), 1.0, 63).tolist() == [1, 1, 1, 0]
    assert equivalence_p(sizes, np.zeros(4), 1.0, 63).tolist() == [0, 0, 1, 1]  # just delta is neither
    assert equivalence_p(0.0, 0.0, 0.0, 63) == 0


def test_p_values__what_is_not_known_is_nothing():
    for difference, error in ((math.nan, 0.1), (0.0, math.nan), (math.nan, 0.0)):
        assert drift_p(difference, error, 1.0, 63) == 1
        assert equivalence_p(difference, error, 1.0, 63) == 1


def test_evidence__of_blocks():
    rng = np.random.default_rng(1)
    scattered, still = rng.standard_normal(64), np.full(64, 0.1)
    holes = scattered.copy()
    holes[:4] = math.nan
    alone = np.array([0.5] + [math.nan] * 63)
    exact = Measured(0.3, np.array([0.3]), 1, True)
    found = evidence_of([changes(scattered), changes(still), changes(holes), changes(alone), exact], [1.0] * 5)
    assert found.error[0] == pytest.approx(scattered.std(ddof=1) / 8)
    assert found.error[1] == found.error[4] == 0
    assert found.error[2] == pytest.approx(holes[4:].std(ddof=1) / math.sqrt(60))
    assert math.isnan(found.error[3])
    assert found.freedom.tolist() == [63, 63, 59, 1, 1]
    assert found.p_drift[3] == found.p_equivalent[3] == 1


# -- the family -------------------------------------------------------------------------------------------------------


def test_holm__by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.01, 0.9], family=10) == pytest.approx([0.1, 1.0])
    assert holm([]).size == 0
    assert holm([0.5, 0.5, 0.5]).tolist() == [1, 1, 1]


def test_decide__drift_is_corrected_and_equivalence_is_not():
    alone, _ = decide(evidence(2.6, 0.4))
    assert alone.drift.tolist() == [True]
    among, _ = decide(evidence([2.6, *[0.0] * 99], 0.4))
    assert not among.drift.any()
    assert not decide(evidence(2.6, 0.4), family=100)[0].drift.any()
    near, _ = decide(evidence([0.0, *[0.0] * 99], 0.4))
    assert near.equivalent.all()


def test_decide__the_anchor_is_one_family_with_the_rest():
    found, anchor = decide(evidence(0.0, 0.1), evidence([4.0, 2.9, 0.0], 0.1, delta=3.0))
    assert found.equivalent.all()
    assert not found.drift.any()
    assert anchor.drift.tolist() == [True, False, False]
    assert anchor.equivalent.tolist() == [False, False, True]
    assert decide(evidence(0.0, 0.1))[1].drift.size == 0


# -- how many matches -------------------------------------------------------------------------------------------------


def test_matches_for_delta__are_enough_and_half_of_them_are_not():
    """24 figures of deviation 1 and delta 0.05, at the planned number of matches: 97% pass, with half of them fewer."""
    n_blocks, n_figures, delta = 64, 24, 0.05
    planned = float(matches_for_delta(1.0, delta, n_figures, n_blocks))
    shares = []
    for matches in (planned, planned / 2):
        rng = np.random.default_rng(3)
        means = rng.standard_normal((n_blocks, n_figures)) * math.sqrt(n_blocks / matches)
        units = [Unit(means / means.std(axis=0, ddof=1) * math.sqrt(n_blocks / matches), np.full(n_figures, delta))]
        shares.append(rates(units, [np.zeros(n_figures)] * 400, seed=4)[State.EQUIVALENT] / 400)
    assert shares[0] >= 0.95
    assert shares[1] < 0.9


def test_matches_for_delta__without_scatter_or_delta():
    assert matches_for_delta([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], 3, 64).tolist() == [0, 0, math.inf]


def test_matches_to_decide__shrinks_the_error_to_the_gap():
    near = evidence([0.5, 1.4], 0.5)
    needed = matches_to_decide(near, 10_000, 2)
    assert needed is not None
    assert needed > 10_000
    there = evidence([0.5, 1.4], 0.5 * math.sqrt(10_000 / needed) * 0.999)
    decision, _ = decide(there)
    assert decision.equivalent.tolist() == [True, False]
    assert decision.drift.tolist() == [False, True]
    assert matches_to_decide(evidence(1.0, 0.5), 10_000, 1) is None
    assert matches_to_decide(evidence(0.5, math.nan), 10_000, 1) is None
    assert matches_to_decide(evidence([], []), 10_000, 1) is None


# -- deltas -----------------------------------------------------------------------------------------------------------


def metric(name: str, kind: Kind = Kind.MEAN, unit: str = "count", q: float = 0.0, measure=None) -> MetricDefinition:
    return MetricDefinition(name, kind, unit, "", measure, q=q)


def test_delta__of_a_mean_that_hardly_varies_is_a_part_of_itself():
    assert default_delta(metric("deliveries.first"), 8.0, 1.6) == pytest.approx(0.08)
    assert default_delta(metric("purchases.upgrade.first"), 2.0, 0.003) == pytest.approx(0.01)
    assert default_delta(metric("tolls"), 0.0, 0.0) == 0
    assert default_delta(metric("illegal_orders", Kind.PROPORTION, "share"), 0.0, None) == 0


def test_match_spread__of_a_mean_with_a_histogram_is_the_histograms():
    """Pairs that cancel out leave the block means alike; a match still scatters."""
    values = np.array([-2, 0, 2])
    bins = Bins(values, np.tile([10, 20, 10], (64, 1)), np.full(64, 20))
    totals = Totals(np.zeros(64, np.int64), np.full(64, 40), np.full(64, 20))
    known = {
        "margin.mean": metric("margin.mean", measure=lambda _: totals),
        "margin.p50": metric("margin.p50", Kind.QUANTILE, q=0.5, measure=lambda _: bins),
        "other.mean": metric("other.mean", measure=lambda _: totals),
    }
    assert match_spread(known["margin.mean"], known, None) == pytest.approx(math.sqrt(2))
    assert match_spread(known["other.mean"], known, None) == 0
    assert match_spread(known["margin.p50"], known, None) is None
    empty = {
        **known,
        "margin.p50": metric(
            "margin.p50", Kind.QUANTILE, q=0.5, measure=lambda _: Bins(values, bins.counts * 0, bins.pairs)
        ),
    }
    assert match_spread(known["margin.mean"], empty, None) is None


# -- the promises -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def units() -> list[Unit]:
    """The figures of shipped scenarios, with the covariance that they have on the real kernel.

    The standard map, a small one, and the one whose seats are not alike.
    """
    every = units_of(read_baseline(BASELINES / "maps.json"))
    return [every[place] for place in (0, 1, 5)]


def test_gate__cries_no_wolf_at_delta(units):
    """Every figure has moved by just its delta: at most 6 of 2,000 gates say drift."""
    delta = np.concatenate([unit.delta for unit in units])
    found = rates(units, [delta] * 2_000, seed=1)
    assert found[State.DRIFT] <= 6
    assert found[State.EQUIVALENT] == 0


def test_gate__seldom_misses_one_figure_at_delta(units):
    """One figure after the other has moved by just its delta: at most 5% of 2,000 gates pass."""
    found = rates(units, one_at_delta(units, 2_000), seed=2)
    assert found[State.EQUIVALENT] <= 100
    assert found[State.EQUIVALENT] > 0  # so that it is a bound and not an empty one


def test_gate__passes_when_nothing_has_moved(units):
    """On other luck than the baseline's: at least 97% of 2,000 gates pass, and none says drift."""
    delta = np.concatenate([unit.delta for unit in units])
    found = rates(units, [np.zeros(delta.size)] * 2_000, seed=3)
    assert found[State.EQUIVALENT] >= 1_940
    assert found[State.DRIFT] == 0


def test_gate__sees_what_has_moved_by_two_deltas(units):
    delta = np.concatenate([unit.delta for unit in units])
    assert rates(units, [2 * delta] * 50, seed=4)[State.DRIFT] == 50


def test_simulation__looks_nest_and_scatter_as_the_baseline_does(units):
    unit = units[:1]
    rng = np.random.default_rng(5)
    found = np.array([simulate(unit, np.zeros(unit[0].delta.size), rng).difference for _ in range(1_500)])
    varies = unit[0].means.std(axis=0) > 0
    wanted = np.sqrt(2 / 64) * unit[0].means.std(axis=0, ddof=1)[varies]
    assert found[:, 2, varies].std(axis=0) == pytest.approx(wanted, rel=0.1)
    assert found[:, 0, varies].std(axis=0) == pytest.approx(4 * wanted, rel=0.1)
    j = int(np.flatnonzero(varies)[0])
    assert np.corrcoef(found[:, 0, j], found[:, 2, j])[0, 1] == pytest.approx(0.25, abs=0.1)


def test_simulation__units_are_closed_one_by_one():
    """A unit that is settled early stays so; the other goes on alone."""
    calm, wild = (
        Unit(np.random.default_rng(seed).standard_normal((64, 2)) * size, np.ones(2))
        for seed, size in ((1, 0.01), (2, 2.5))
    )
    rng = np.random.default_rng(1)
    found = [verdict_of([calm, wild], simulate([calm, wild], np.zeros(4), rng)) for _ in range(100)]
    alone = [verdict_of([calm], simulate([calm], np.zeros(2), rng)) for _ in range(20)]
    assert set(alone) == {State.EQUIVALENT}
    assert State.UNDECIDED in found
