"""No bot favours a seat: mirrored states get mirrored orders, and a bot that does favour one is found out."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.codes import NO_TOGGLE
from kernels.dispatch.batch import replay_orders
from kernels.dispatch.bots import SHIPPED, bot
from kernels.dispatch.layout import new_state
from kernels.dispatch.orders import pack_order
from sim.config.loading import load_scenario
from sim.replaying import Board
from tests.kernel_tools import NO_LOG
from tests.run_tools import scaled
from tests.slow.mirror_study import EXACT, Mirror, SeatBias, detectable, holm, seat_bias, unmirrored
from tests.slow.mix_study import states_met

SHORT = [f"dispatches={scaled(24, 3)}"]


@pytest.mark.parametrize("scenario", EXACT)
def test_bots_fairness__a_mirrored_state_gets_the_mirrored_order(scenario):
    for shipped in SHIPPED.values():
        assert unmirrored(shipped, scenario, scaled(100, 1), SHORT) == []


@bot()
def first_junction(rules, state, c, params, stream):
    """Toggles the first junction by its label, whoever orders."""
    return pack_order(0, 0, np.int64(0), 0)


def test_bots_fairness__a_bot_that_goes_by_labels_is_found_out():
    assert len(unmirrored(first_junction, "standard", 4, SHORT)) == 4


def test_bots_fairness__the_mirror_is_its_own_inverse():
    moved = 0
    for scenario in EXACT:
        board = Board(load_scenario(scenario, SHORT))
        mirror = Mirror(board.rules)
        for state in states_met(board, scaled(20, 12), "inverse"):
            image = mirror.state(state)
            moved += image.tobytes() != state.tobytes()
            assert mirror.state(image).tobytes() == state.tobytes()
        assert mirror.order(int(pack_order(1, 1, np.int64(NO_TOGGLE), np.int64(2)))) == pack_order(1, 1, NO_TOGGLE, 2)
    assert moved > 0


def test_bots_fairness__the_start_is_its_own_image():
    for scenario in EXACT:
        board = Board(load_scenario(scenario))
        state = new_state()
        replay_orders(board.rules, state, np.zeros((0, 2), np.int64), 0, NO_LOG, np.zeros(3, np.int64))
        assert Mirror(board.rules).state(state).tobytes() == state.tobytes()


@pytest.mark.compiled
@pytest.mark.parametrize("name", list(SHIPPED))
def test_bots_fairness__self_play_shows_no_bias(name):
    matches = {"planner": 3_000, "equilibrium": 300}.get(name, 20_000)
    assert holm([seat_bias(name, "standard", matches), seat_bias(name, "compact", matches)]) == []


@pytest.mark.compiled
def test_bots_fairness__a_bias_is_seen():
    """On this map the labels alone favour a seat."""
    found = seat_bias("random", "crooked", 400_000)
    assert holm([found]) == [found]
    assert 0 < detectable(found, 1) < abs(found.value) * 1.5


def test_bots_fairness__holm_stops_at_the_first_that_may_be_chance():
    biases = [SeatBias("x", "y", 100, value, 0.01) for value in (0.0, 0.2, 0.031, 0.022)]
    assert [one.value for one in holm(biases)] == [0.2, 0.031]
    assert holm(biases[:1]) == []
    assert SeatBias("x", "y", 100, 0.0, 0.0).p == 1.0
