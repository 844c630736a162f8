"""Planning for a half-width: looks, stopping, and how many matches it takes."""

import dataclasses
import math

import numpy as np
import pytest

from sim.stats import intervals
from sim.stats.metrics import Estimate
from sim.stats.precision import half_width, is_precise, matches_needed, plan_looks

PILOT = Estimate("x", "score.first", 0.5, 0.48, 0.52, 2000, 1000, "wilson")


@pytest.mark.parametrize(
    ("first", "cap", "matches"),
    [
        (1000, 8000, (1000, 2000, 4000, 8000)),
        (1000, 9001, (1000, 2000, 4000, 8000, 9002)),
        (999, 1500, (1000, 1500)),
        (500, 500, (500,)),
        (7, 8, (8,)),
    ],
)
def test_plan_looks__doublings_up_to_the_cap(first, cap, matches):
    plan = plan_looks(first, cap)
    assert plan.matches == matches
    assert plan.level == pytest.approx(1 - 0.05 / len(matches))


@pytest.mark.parametrize(("first", "cap"), [(0, 100), (200, 100)])
def test_plan_looks__refuses(first, cap):
    with pytest.raises(ValueError, match="first look"):
        plan_looks(first, cap)


def test_half_width__longer_arm_or_none_or_certain():
    assert half_width(dataclasses.replace(PILOT, high=0.53)) == pytest.approx(0.03)
    assert half_width(dataclasses.replace(PILOT, low=None, high=None, method="n too small")) == math.inf
    assert half_width(dataclasses.replace(PILOT, low=None, high=None, method="deterministic")) == 0
    assert half_width(dataclasses.replace(PILOT, low=0.5, high=0.5, method="exact")) == 0


def test_is_precise__both_figures_of_every_pairing():
    wide = dataclasses.replace(PILOT, metric="shared", value=0.1, low=0.07, high=0.13)
    other = dataclasses.replace(PILOT, metric="tolls", low=None, high=None)
    assert is_precise([PILOT, wide, other], 0.031)
    assert not is_precise([PILOT, wide, other], 0.025)
    assert is_precise([PILOT], 0.025, watched=["score.first"])
    assert not is_precise([PILOT, wide, dataclasses.replace(wide, pairing="y", high=0.2)], 0.031)
    with pytest.raises(ValueError, match="no estimate of shared"):
        is_precise([PILOT], 0.1)


def test_matches_needed__root_of_n():
    assert matches_needed(PILOT, 0.01) == 8000
    assert matches_needed(PILOT, 0.02) == 2000
    assert matches_needed(PILOT, 0.04) == 500


def test_matches_needed__no_variance_shrinks_with_n_itself():
    pilot = Estimate("x", "tolls", 0.0, 0.0, 0.1, 2000, 1000, intervals.ZERO_VARIANCE)
    assert matches_needed(pilot, 0.01) == 20000


def test_matches_needed__nothing_seen_yet():
    """No shared victory in 1000 pairs: at 0 the upper bound is 1 - 0.025^(1/n), 0.001 at 3688 pairs."""
    found = intervals.proportion(0.0, np.zeros(64), 1000)
    pilot = Estimate("x", "shared", 0.0, found.low, found.high, 2000, 1000, found.method)
    assert matches_needed(pilot, 0.001) == 2 * math.ceil(math.log(0.025) / math.log(1 - 0.001))


def test_matches_needed__unknown_and_certain():
    assert matches_needed(dataclasses.replace(PILOT, low=None, high=None, method="n too small"), 0.01) is None
    assert matches_needed(dataclasses.replace(PILOT, low=0.5, high=0.5, method="exact"), 0.01) == 2000
    with pytest.raises(ValueError, match="above 0"):
        matches_needed(PILOT, 0)


def test_matches_needed__is_what_it_takes():
    """Half-widths after as many matches as a pilot asked for are within a tenth of the target."""
    rng = np.random.default_rng(23)
    reached = []
    for _ in range(200):
        means = rng.binomial(20, 0.3, 640) / 20
        found = intervals.proportion(float(means.mean()), means, 12800)
        pilot = Estimate("x", "shared", found.value, found.low, found.high, 25600, 12800, found.method)
        pairs = matches_needed(pilot, 0.004) // 2
        later = rng.binomial(pairs // 64, 0.3, 64) / (pairs // 64)
        found = intervals.proportion(float(later.mean()), later, pairs)
        reached.append(max(found.value - found.low, found.high - found.value))
    assert np.mean(reached) == pytest.approx(0.004, rel=0.1)


@pytest.mark.parametrize("correlation", [0.0, 1.0])
def test_looks__stopping_early_keeps_the_level(correlation):
    """Looks at four doublings, stopped at the first that is precise: 95% still covers the truth."""
    rng = np.random.default_rng(41)
    plan = plan_looks(1280, 10240)
    covered, stops = 0, set()
    for _ in range(1000):
        played = np.zeros(64)
        pairs = 0
        for matches in plan.matches:
            more = matches // 2 // 64 - pairs
            first = rng.binomial(more, 0.5, 64)
            second = first if correlation else rng.binomial(more, 0.5, 64)
            played += (first + second) / 2
            pairs += more
            means = played / pairs
            found = intervals.proportion(float(means.mean()), means, 64 * pairs, plan.level)
            if found.high - found.value <= 0.024:
                break
        stops.add(matches)
        covered += found.low <= 0.5 <= found.high
    assert len(stops) > 1
    assert covered / 1000 >= 0.94
