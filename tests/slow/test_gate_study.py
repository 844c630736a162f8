"""The gate keeps its promises on real matches: minutes long."""

from __future__ import annotations

import pytest

from sim.stats.gate import State
from tests.slow.gate_study import ALPHA, PLANTED, false_alarms, missed, planted

pytestmark = [pytest.mark.slow, pytest.mark.compiled]


@pytest.mark.parametrize("bots", [("greedy", "twin"), ("greedy", "greedy")], ids=" ".join)
def test_gate_study__cries_no_wolf_on_other_luck(bots):
    found = false_alarms(1_000, 1_280, bots)
    assert found.verdicts[State.DRIFT] == 0
    assert len(found.uniform) >= 8
    assert min(found.uniform.values()) >= ALPHA, found.uniform


def test_gate_study__planted_drifts_are_caught():
    found = planted(10_000)
    assert len(found) == len(PLANTED) + 1
    for name, (state, figures) in found.items():
        assert state is State.DRIFT, name
        assert figures, name


def test_gate_study__misses_no_figure_more_often_than_promised():
    assert max(missed(2_000).values()) <= 0.05
