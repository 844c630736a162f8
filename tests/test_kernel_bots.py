"""Bots playing: a played match is its orders replayed, illegal orders end it, `random` is uniform, legal and fair."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from kernels.codes import NO_TOGGLE, POISON, Column, Illegal, Invest, Outcome, Pairing
from kernels.dispatch.batch import add_to_blocks, replay_orders, replay_row
from kernels.dispatch.bots import SHIPPED, Parameter, bot
from kernels.dispatch.layout import new_state
from kernels.dispatch.orders import invest_of, pack_order, reverse_of, toggle_of, train_of
from kernels.jit import PLAIN
from kernels.random import Purpose, draws, new_streams, seek
from sim.config.loading import load_scenario
from sim.replaying import Board
from tests.kernel_tools import N_MAPS, NO_LOG, board_of, judged, rows_played, seeded, swapped_row
from tests.reference.generate import random_scenario

MAPS = max(12, N_MAPS // (100 if PLAIN else 5))
RANDOM = SHIPPED["random"]
ANY_BOT = [
    # On a large map a plain match of these takes minutes.
    pytest.param(each, id=name, marks=[pytest.mark.compiled] if name in ("planner", "equilibrium") else [])
    for name, each in SHIPPED.items()
]


@bot(params={"order": Parameter(0.0), "dispatch": Parameter(1.0)})
def stubborn(rules, state, c, params, stream):
    """Gives one order, right or wrong, in one dispatch; before that, train 1 forward."""
    if state.dispatch < params[1]:
        return 0
    return int(params[0])


def test_decorator__may_be_written_bare():
    def last(rules, state, c, params, stream):
        return pack_order(0, False, NO_TOGGLE, Invest.NONE)

    bare, called = bot(last), bot()(last)
    assert (bare.name, bare.mirror_fair, dict(bare.params)) == (called.name, False, {}) == ("last", False, {})


def place(streams, seed: int, pair: int, *, swapped: bool = False):
    """Both seats' streams at the start of a match."""
    for lane in (0, 1):
        stream = streams[lane]
        seek(stream, np.int64(seed), np.int64(0), np.int64(Purpose.ORDERS), np.int64(lane ^ swapped), np.int64(pair))


def orders_of(board: Board, first, second, *, seed: int, pair: int):
    """The orders that two bots give in a match, int64 [d, c], and the draws that they took, asked one by one."""
    streams = new_streams(2)
    place(streams, seed, pair)
    state = new_state()
    orders = np.zeros((board.scenario.dispatches, 2), np.int64)
    verdict = np.zeros(3, np.int64)
    replay_orders(board.rules, state, orders[:0], 0, NO_LOG, verdict)
    for d in range(len(orders)):
        for c, each in enumerate((first, second)):
            params = each.memory(board.rules, each.values({}))
            orders[d, c] = each.compiled(board.rules[0], state[0], np.int64(c), params, streams[c])
        assert replay_orders(board.rules, state, orders[: d + 1], d, NO_LOG, verdict) == d + 1
    return orders, state, [int(draws(streams[c])) for c in (0, 1)]


@pytest.mark.parametrize("one", ANY_BOT)
def test_kernel_bots__a_played_match_is_its_orders_replayed(one):
    for number in range(5):
        board = board_of(random_scenario(seeded("played", number)))
        rows = rows_played(board.rules, one, RANDOM, n_pairs=2, pairing=Pairing.SINGLE, seed=7, first_pair=3, stride=5)
        for p, pair in enumerate((3, 8)):
            _, state, taken = orders_of(board, one, RANDOM, seed=7, pair=pair)
            row = np.zeros(len(Column), np.int32)
            replay_row(board.rules, state, row)
            row[[Column.DRAWS_A, Column.DRAWS_B]] = taken
            np.testing.assert_array_equal(rows[p], row)


@pytest.mark.parametrize("one", ANY_BOT)
def test_kernel_bots__shipped_bots_are_legal_everywhere(one):
    for number in range(MAPS):
        board = board_of(random_scenario(seeded("legal bots", number)))
        rows = rows_played(board.rules, one, RANDOM, n_pairs=2, pairing=Pairing.SEATS, seed=number)
        assert (rows != POISON).all()
        assert (rows[:, Column.OUTCOME] <= Outcome.SHARED).all(), number
        assert (rows[:, [Column.ILLEGAL_DISPATCH, Column.ILLEGAL_COMPANY, Column.ILLEGAL_REASON]] == 0).all()


@pytest.mark.parametrize("fair", ANY_BOT)
def test_kernel_bots__on_exact_maps_swapped_luck_is_the_mirrored_match(fair):
    assert fair.mirror_fair
    for number in range(MAPS):
        board = board_of(random_scenario(seeded("fair", number), exact=True))
        rows = rows_played(board.rules, fair, fair, n_pairs=2, pairing=Pairing.LANES, seed=number)
        for one, other in (rows[:2], rows[2:]):
            np.testing.assert_array_equal(other, swapped_row(one), err_msg=str(number))


def test_kernel_bots__with_swapped_seats_luck_stays_with_the_seats():
    board = Board(load_scenario("standard"))
    rows = rows_played(board.rules, RANDOM, RANDOM, n_pairs=20, pairing=Pairing.SEATS)
    np.testing.assert_array_equal(rows[0::2], rows[1::2])
    lanes = rows_played(board.rules, RANDOM, RANDOM, n_pairs=20, pairing=Pairing.LANES)
    np.testing.assert_array_equal(lanes[0::2], rows[0::2])
    single = rows_played(board.rules, RANDOM, RANDOM, n_pairs=20, pairing=Pairing.SINGLE)
    np.testing.assert_array_equal(single, rows[0::2])


def test_kernel_bots__a_match_is_the_same_from_any_chunk():
    board = Board(load_scenario("standard"))
    together = rows_played(board.rules, RANDOM, RANDOM, n_pairs=9, pairing=Pairing.LANES, first_pair=4)
    for first, stride, n in ((4, 1, 3), (7, 1, 6), (4, 4, 3), (12, 1, 1)):
        alone = rows_played(
            board.rules, RANDOM, RANDOM, n_pairs=n, pairing=Pairing.LANES, first_pair=first, stride=stride
        )
        pairs = [first - 4 + stride * p for p in range(n)]
        np.testing.assert_array_equal(alone.reshape(n, 2, -1), together.reshape(9, 2, -1)[pairs])
    assert len({row.tobytes() for row in together}) > 9


# -- `random` -------------------------------------------------------------------------------------------------------


def _boards_for_uniformity():
    """Boards with no, some and all investments to choose from."""
    scenario = load_scenario("standard", ["economy.starting_cash=0"])
    yield Board(scenario), {}
    yield Board(load_scenario("standard", ["economy.starting_cash=5"])), {"sidings": [0b101, 0b11]}
    yield Board(load_scenario("standard", ["economy.starting_cash=20"])), {"upgraded": [2, 1], "upgrades": [1, 1]}
    yield Board(load_scenario("standard", ["economy.starting_cash=9", "economy.siding_cost=null"])), {}


@pytest.mark.parametrize("c", [0, 1])
def test_kernel_bots__random_is_uniform_over_legal_orders(c):
    n = 8_000
    for number, (board, changes) in enumerate(_boards_for_uniformity()):
        state = new_state()
        replay_orders(board.rules, state, np.zeros((0, 2), np.int64), 0, NO_LOG, np.zeros(3, np.int64))
        state["dispatch"] = 2  # so that nothing resets the board
        for field, values in changes.items():
            state[field][0] = values
        state["n_sidings"][0] = [bin(bits).count("1") for bits in state["sidings"][0].tolist()]
        n_junctions = len(board.names.network.junctions)
        legal = [
            invest
            for invest in range(Invest.SIDING + n_junctions)
            if judged(board.rules, state, c, invest << 9) == Illegal.NO
        ]
        streams = new_streams(2)
        place(streams, 11, number)
        params = RANDOM.memory(board.rules, {})
        orders = [int(RANDOM.compiled(board.rules[0], state[0], np.int64(c), params, streams[0])) for _ in range(n)]
        fields = [[int(f(np.int64(order))) for f in (train_of, reverse_of, toggle_of, invest_of)] for order in orders]
        allowed = [[0, 1], [0, 1], [NO_TOGGLE, *range(n_junctions)], legal]
        for place_, values in enumerate(allowed):
            _check_uniform([field[place_] for field in fields], values)
        for i, j in itertools.combinations(range(4), 2):
            if i < 2 or len(legal) < 6:  # cells of 8 orders or more
                pairs = list(itertools.product(allowed[i], allowed[j]))
                _check_uniform([(field[i], field[j]) for field in fields], pairs)


def _check_uniform(found, values):
    counts = Counter(found)
    assert set(counts) <= set(values)
    if len(values) > 1:
        assert chisquare([counts[value] for value in values]).pvalue > 1e-4, counts


# -- illegal orders -------------------------------------------------------------------------------------------------

TOO_EXPENSIVE = int(pack_order(np.int64(0), np.int64(0), np.int64(NO_TOGGLE), np.int64(Invest.UPGRADE_1)))


@pytest.mark.parametrize(
    ("order", "reason"),
    [(-1, Illegal.MALFORMED), (127 << 2, Illegal.UNKNOWN_JUNCTION), (TOO_EXPENSIVE, Illegal.TOO_EXPENSIVE)],
)
@pytest.mark.parametrize("dispatch", [1, 3, 24])
def test_kernel_bots__an_illegal_order_ends_the_match(order, reason, dispatch):
    board = Board(load_scenario("standard", ["economy.income=0"]))
    wrong = {"order": float(order), "dispatch": float(dispatch)}
    rows = rows_played(
        board.rules, stubborn, stubborn, n_pairs=1, pairing=Pairing.SEATS, params_first={}, params_second=wrong
    )
    for swap, row in enumerate(rows):
        assert row[Column.OUTCOME] == Outcome.ILLEGAL
        assert row[Column.ILLEGAL_DISPATCH] == dispatch
        assert row[Column.ILLEGAL_COMPANY] == 1 - swap
        assert row[Column.ILLEGAL_REASON] == reason
        assert row[Column.STUCK_A] + row[Column.STUCK_B] <= 2 * (dispatch - 1)
    both = rows_played(
        board.rules, stubborn, stubborn, n_pairs=1, pairing=Pairing.SINGLE, params_first=wrong, params_second=wrong
    )
    assert both[0, Column.ILLEGAL_COMPANY] == 0


def test_kernel_bots__an_illegal_match_takes_its_partner_out_of_every_figure():
    board = Board(load_scenario("standard"))
    rows = rows_played(board.rules, RANDOM, RANDOM, n_pairs=3, pairing=Pairing.SEATS)
    legal = rows.copy()
    rows[3, Column.OUTCOME] = Outcome.ILLEGAL
    b, k = 2, len(Column)
    pairs, outcomes = np.zeros(b, np.int64), np.zeros((b, 2, len(Outcome)), np.int64)
    sums, squares = np.zeros((b, 2, k), np.int64), np.zeros((b, 2, k), np.int64)
    scores = np.zeros((b, 5), np.int64)
    add_to_blocks(rows, int(Pairing.SEATS), 0, 1, pairs, outcomes, sums, squares, scores)
    assert pairs.tolist() == [2, 1]
    assert outcomes[1, 0, Outcome.PARTNER_ILLEGAL] == outcomes[1, 1, Outcome.ILLEGAL] == 1
    assert outcomes.sum() == 6
    assert rows[2, Column.OUTCOME] == Outcome.PARTNER_ILLEGAL
    assert not sums[1].any()
    assert not squares[1].any()
    assert scores.sum(axis=1).tolist() == [2, 0]
    wide = legal[[0, 4]].astype(np.int64)
    np.testing.assert_array_equal(sums[0, 0], wide.sum(axis=0))
    np.testing.assert_array_equal(squares[0, 0], (wide**2).sum(axis=0))


def test_kernel_bots__a_row_that_nobody_wrote_is_seen():
    board = Board(load_scenario("standard"))
    rows = rows_played(board.rules, RANDOM, RANDOM, n_pairs=3, pairing=Pairing.LANES)
    assert (rows != POISON).all()
    short = np.full((8, len(Column)), POISON, np.int32)
    short[:6] = rows
    assert np.flatnonzero((short == POISON).all(axis=1)).tolist() == [6, 7]
