"""How `focus` looks: error spent over the looks, null cells that are at a bound, which cells come next, the budget."""

from __future__ import annotations

import numpy as np
import pytest

from sim.stats.figures import Estimate, Kind, MetricDefinition, Totals, interval_of
from sim.stats.gate import ALPHA, BETA
from sim.stats.goals import Band, Goal, GoalResult, GoalVerdict, Question, judge
from sim.stats.looking import LEAST, LOOKS, MOST, error_shares, expected_factor, next_factor

BOUND = 0.3
GOAL = Goal("shared", Band(float("-inf"), BOUND), "shared <= 30%", "share")
SHARED = MetricDefinition("shared", Kind.PROPORTION, "share", "", lambda sums: sums)
PER_BLOCK = 64
PART = 16


def asked(won: np.ndarray) -> Question:
    """The goal, of a cell with so many shared matches in each block."""
    totals = Totals(won, np.full(won.size, PER_BLOCK), np.full(won.size, PER_BLOCK // 2))

    def estimate(level: float) -> Estimate:
        found = interval_of(totals, SHARED, level, (0.0, 1.0))
        n = int(totals.matches.sum())
        return Estimate("", "shared", found.value, found.low, found.high, n, n // 2, found.method)

    return Question(GOAL, estimate, totals)


def verdicts(truth: float, cells: int, seed: int) -> list[GoalVerdict]:
    """What cells of this truth are called that are looked at as often as they may be, at three times as much each."""
    rng = np.random.default_rng(seed)
    found = []
    for won in rng.binomial(PER_BLOCK, truth, (cells, 3 ** (LOOKS - 3) * PART)):
        verdict = GoalVerdict.UNDECIDED
        for look, share in enumerate(error_shares()):
            upto = min(len(won), round(len(won) / 3 ** (LOOKS - 1 - look)) // PART * PART or PART)
            verdict = judge([asked(won[:upto])], alpha=share * ALPHA, beta=share * BETA)[0].verdict
            if verdict is not GoalVerdict.UNDECIDED:
                break
        found.append(verdict)
    return found


def test_looks__spend_all_of_the_error_and_more_on_the_late_ones():
    shares = error_shares()
    assert len(shares) == LOOKS
    assert sum(shares) == pytest.approx(1)
    assert list(shares) == sorted(shares)
    assert error_shares(2, 3.0) == (0.25, 0.75)


def test_looks__a_cell_just_outside_its_band_is_called_met_at_most_as_often_as_is_allowed():
    n = 600
    met = verdicts(BOUND + 1e-9, n, 1).count(GoalVerdict.MET)
    assert 0 < met <= n * BETA + 2.3 * (n * BETA) ** 0.5, "all looks together err no more than one may"


def test_looks__a_cell_at_its_bound_is_hardly_ever_called_violated():
    assert verdicts(BOUND, 600, 2).count(GoalVerdict.VIOLATED) <= 3


def test_looks__cells_away_from_the_bound_are_decided():
    assert set(verdicts(BOUND - 0.03, 50, 3)) == {GoalVerdict.MET}
    assert set(verdicts(BOUND + 0.04, 50, 4)) == {GoalVerdict.VIOLATED}


def result(value: float, needed: int | None, verdict: GoalVerdict = GoalVerdict.UNDECIDED) -> GoalResult:
    return GoalResult(GOAL, Estimate("", "shared", value, 0.0, 1.0, 1_000, 500, ""), verdict, needed)


def test_looks__what_is_expected_to_be_decided_first_comes_first():
    near, far = result(0.29, 16_000), result(0.2, 1_500)
    assert expected_factor([far]) < expected_factor([near]) < expected_factor([result(0.3, None)])
    assert expected_factor([near, far]) == expected_factor([near]), "both have to be met"
    outside = result(0.4, 3_000)
    assert expected_factor([near, outside]) == expected_factor([outside]), "one that is violated decides alone"
    assert expected_factor([result(0.1, None, GoalVerdict.MET), far]) == expected_factor([far])


def test_looks__grow_within_limits():
    assert [next_factor(factor) for factor in (0.2, 1.5, 2.0, 50.0)] == [LEAST, 2.0999999999999996, 2.8, MOST]
