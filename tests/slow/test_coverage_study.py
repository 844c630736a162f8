"""The intervals of runs hold the truth as often as they say, and a fair map shows no seat bias: minutes long."""

from __future__ import annotations

import os

import pytest

from sim.running.runner import threads_here
from tests.slow.coverage_study import CASES, coverage, estimates, seat_bias_z, table

TRUTH = int(os.environ.get("DISPATCH_BALANCE_TRUTH", "50000000"))
REPLICATIONS = 2_000
MATCHES = 2_000

pytestmark = [pytest.mark.slow, pytest.mark.compiled]


@pytest.mark.parametrize("name", CASES)
def test_coverage_study__intervals_hold_the_truth(name):
    case = CASES[name]
    found = coverage(case, replications=REPLICATIONS, matches=MATCHES, truth=TRUTH, threads=threads_here(None))
    print(table(found))
    for figure in found:
        if case.rare:
            rarity = min(figure.truth, 1 - figure.truth)
            assert 0.0005 < rarity < 0.01, table(found)
            assert figure.methods["clopper-pearson"] > REPLICATIONS / 2, table(found)
            assert figure.share >= 0.94, table(found)
        else:
            assert 0.935 <= figure.share <= 0.965, table(found)


def test_coverage_study__what_is_proven_is_no_estimate():
    """With swapped lanes, greedy against itself on the standard map: score and seat bias are exact in every run."""
    case = CASES["one-seating"]
    for seed in range(1, 201):
        plan = type(case)("both", case.scenario, case.bots)
        by_name = {estimate.metric: estimate for estimate in estimates(plan, seed, MATCHES)}
        for metric, value in case.proven.items():
            assert (by_name[metric].value, by_name[metric].low, by_name[metric].high) == (value, value, value)
            assert by_name[metric].method == "exact"
        assert by_name["shared"].method == "wilson"


@pytest.mark.parametrize("scenario", ["standard", "compact", "corridor", "grand", "ladder"])
def test_coverage_study__exact_maps_favour_no_seat(scenario):
    bias, z = seat_bias_z(scenario, 1_000_000, threads_here(None))
    assert abs(z) < 3.5, (bias, z)


def test_coverage_study__the_crooked_map_favours_a_seat():
    bias, z = seat_bias_z("crooked", 1_000_000, threads_here(None))
    assert abs(z) > 3.5, (bias, z)
