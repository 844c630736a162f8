"""Kernel bots as behaviours of the exact solver, and tests of that bridge."""

from __future__ import annotations

from collections.abc import Mapping
from math import lcm
from typing import Any

import numpy as np
import pytest
from numba import from_dtype, int64, types, void

from kernels.dispatch.bots import SHIPPED, bot
from kernels.dispatch.layout import RULES_DTYPE, STATE_DTYPE, new_state
from kernels.dispatch.match import BOT_SIGNATURE, PARAMS_TYPE
from kernels.dispatch.orders import invest_of, reverse_of, toggle_of, train_of
from kernels.jit import PLAIN, entry
from kernels.random import STREAM_DTYPE, Purpose, draw32, draws, new_streams, seek
from sim.api import make_plan
from sim.catalogue import Player, player
from tests.reference.exact import Order, State
from tests.reference.exact_board import Board
from tests.reference.small_games import LADDER, SHED, SQUARE, small_game

# -- the bridge -------------------------------------------------------------------------------------------------------

SAMPLES = 64 if PLAIN else 4096
"""Orders drawn at a state, at least."""

PAST_SAMPLES = 16
"""Orders drawn once more with another past."""

_ORDERS = int(Purpose.ORDERS)
_GOLDEN = 0.6180339887498949
_ROOT = 1.2207440846057596


class ReadsThePast(Exception):
    """A bot that plays differently after another past is no behaviour of a state."""


@entry(
    void(
        types.Array(from_dtype(RULES_DTYPE), 1, "C", readonly=True),
        types.Array(from_dtype(STATE_DTYPE), 1, "C"),
        types.Array(from_dtype(STREAM_DTYPE), 1, "C"),
        types.FunctionType(BOT_SIGNATURE),
        PARAMS_TYPE,
        int64,
        int64[:, ::1],
        int64[::1],
        int64[::1],
    )
)
def draw_orders(rules, state, streams, bot, params, c, first, orders, taken):
    """Orders of one bot at one state, each with a stream of its own whose first four draws are given.

    `first` is [i, 4]; `orders` and `taken` (draws used) are [i] and filled in place.
    """
    for i in range(first.shape[0]):
        seek(streams[0], 1, 0, _ORDERS, 0, i)
        draw32(streams[0])  # fills the block of four, which is replaced and taken again
        for k in range(4):
            streams[0].buffer[k] = np.uint64(first[i, k])
        streams[0].position = 0
        orders[i] = bot(rules[0], state[0], c, params, streams[0])
        taken[i] = draws(streams[0])


def spread_draws(n: int) -> np.ndarray:
    """`n` times the first four draws, [i, 4], spread evenly: the first alone, its low 16 bits, and all together."""
    i = np.arange(n)
    within = ((i * _GOLDEN) % 1.0 + (7 * i) % 16) / 16
    # Steps of the sequence R3 (a power of the root of x**4 = x + 1 each), which is even in three dimensions at once.
    others = [(0.5 + i * _ROOT**-k) % 1.0 for k in (1, 2, 3)]
    shares = np.stack([(i + within) / n, *others], axis=1)
    return np.ascontiguousarray(np.minimum(shares * 2.0**32, 2.0**32 - 1).astype(np.int64))


class KernelBot:
    """A player of the kernels as a behaviour: the mix of orders that it gives at a state.

    Exact where it draws nothing there, and where its only draw picks uniformly from an order's train, move, toggle and
    investment; else the share of `n` streams whose first four draws are spread evenly. With one draw shares are off by
    about a thousandth, with two to four by some thousandths; with more by chance as well.

    Raises
    ------
    ReadsThePast
        When it gives another order after other past orders and events.
    """

    def __init__(self, who: Player, scenario: Mapping[str, Any], n: int = SAMPLES) -> None:
        self.player = who
        plan = make_plan(dict(scenario), bots=(who, who), seed=0)
        self.rules = plan.rules
        self.bot = who.bot.compiled
        self.params = plan.first_memory
        n_choices = 4 * (int(self.rules[0].n_junctions) + 1)
        n_investments = 3 + int(self.rules[0].n_junctions)
        multiple = n_choices * lcm(*range(1, n_investments + 1))
        self.first = spread_draws(multiple * -(-n // multiple) if n > 1000 else n)
        self.streams = new_streams(1)
        self.board = new_state()
        self.mixes: dict[tuple[State, int], dict[Order, float]] = {}

    def __call__(self, state: State, c: int) -> dict[Order, float]:
        """The mix of company c."""
        found = self.mixes.get((state, c))
        if found is None:
            found = self.mixes[state, c] = self._mix(state, c)
        return found

    def _mix(self, state: State, c: int) -> dict[Order, float]:
        board = self.board[0]
        fill_board(board, state)
        orders, taken = self._drawn(c, self.first[:PAST_SAMPLES])
        if state.dispatch > 1:
            scramble_past(board)
            other, _ = self._drawn(c, self.first[:PAST_SAMPLES])
            if not np.array_equal(orders, other):
                raise ReadsThePast(f"{self.player.name} at {state}")
            fill_board(board, state)
        if taken.max() > 0:
            orders, _ = self._drawn(c, self.first)
        codes, counts = np.unique(orders, return_counts=True)
        return {order_of(int(code)): int(count) / len(orders) for code, count in zip(codes, counts, strict=True)}

    def _drawn(self, c: int, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        orders, taken = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
        draw_orders(self.rules, self.board, self.streams, self.bot, self.params, c, first, orders, taken)
        return orders, taken


def order_of(code: int) -> Order:
    """A packed order in the solver's numbers."""
    return Order(int(train_of(code)), int(reverse_of(code)), int(toggle_of(code)), int(invest_of(code)))


def fill_board(board: np.record, state: State) -> None:
    """Write a state of the solver into the kernel's, without a past."""
    zero = np.zeros(1, STATE_DTYPE)
    for name in STATE_DTYPE.names:
        board[name] = zero[name][0]
    board.dispatch = state.dispatch
    board.routes = state.routes
    board.sidings = state.sidings
    board.cash_dollars = state.cash
    board.points = state.points
    board.arc = state.arcs
    board.upgraded = state.upgraded
    board.cargo_item = state.items
    board.next_item = state.next_items
    board.upgrades = [bits.bit_count() for bits in state.upgraded]
    board.n_sidings = [bits.bit_count() for bits in state.sidings]


def scramble_past(board: np.record) -> None:
    """Another past: last orders and what happened then, and counts of events; not what the state tells anyway."""
    board.last_order = [1, 3]
    board.last_stopped = 1
    for name in ("stuck", "idle", "tolls_dollars"):
        board[name] = [2, 1]
    for name in ("head_ons", "junction_conflicts", "shared_arrivals", "cancelled_toggles"):
        board[name] = 3


def behaviour(who: Player | str, scenario: Mapping[str, Any], n: int = SAMPLES) -> KernelBot:
    """The behaviour of a kernel bot: a player, or the name of a shipped bot."""
    return KernelBot(player(who) if isinstance(who, str) else who, scenario, n)


def shipped_names() -> list[str]:
    """Names of all shipped bots."""
    return list(SHIPPED)


# -- its tests --------------------------------------------------------------------------------------------------------


def test_exact_bots__random_is_uniform():
    for game in (SHED, SQUARE):
        board = Board(game, reduced=False)
        state = board.start()
        mix = behaviour("random", game, 2000)(state, 1)
        n_junctions = board.n_junctions
        n_investments = len({order.invest for order in mix})
        assert n_investments == (5 if game is SHED else 1)
        assert len(mix) == 4 * (n_junctions + 1) * n_investments
        spread = {round(p * len(mix), 9) for p in mix.values()}
        assert spread == {1.0}


def test_exact_bots__without_noise_there_is_one_order():
    quiet = player("still", {"still": {"bot": "greedy", "noise": 0}})
    board = Board(LADDER, reduced=False)
    for c in range(2):
        assert list(behaviour(quiet, LADDER)(board.start(), c).values()) == [1.0]


def test_exact_bots__greedy_takes_the_dearer_of_two_as_often_as_its_noise_says():
    """Both ways are two tracks long, worth 3 and 3, then 4 and 3."""
    trains = [("W1", ["W2"]), ("W2", ["W1"])]
    game = small_game("two ways", LADDER["map"], 4, *trains)
    mix = behaviour("greedy", game)(Board(game, reduced=False).start(), 0)
    assert mix_of_trains(mix) == pytest.approx([0.5, 0.5], abs=0.05 if PLAIN else 0.001)
    game["map"]["trains"][0]["first_reward"] = 1
    quiet = player("quiet", {"quiet": {"bot": "greedy", "noise": 1}})
    mix = behaviour(quiet, game)(Board(game, reduced=False).start(), 0)
    # P(4 (1 + u) < 3 (1 + v)) is the triangle 4 u + 1 < 3 v: base 2 / 3, height 1 / 2.
    assert mix_of_trains(mix) == pytest.approx([5 / 6, 1 / 6], abs=0.05 if PLAIN else 0.001)


def mix_of_trains(mix: Mapping[Order, float]) -> list[float]:
    """Probability of either train."""
    return [sum(p for order, p in mix.items() if order.train == t) for t in range(2)]


def test_exact_bots__as_often_as_with_streams_of_the_generator():
    board = Board(LADDER, reduced=False)
    who = behaviour("greedy", LADDER)
    mix = who(board.start(), 0)
    fill_board(who.board[0], board.start())
    n = 200 if PLAIN else 5_000
    counts: dict[Order, int] = {}
    for lane in range(n):
        seek(who.streams[0], 7, 0, _ORDERS, 0, lane)
        first = np.array([[draw32(who.streams[0]) for _ in range(4)]], np.int64)
        orders, _ = who._drawn(0, first)
        order = order_of(int(orders[0]))
        counts[order] = counts.get(order, 0) + 1
    for order in {*mix, *counts}:
        assert abs(counts.get(order, 0) / n - mix.get(order, 0.0)) < 4 * 0.5 / n**0.5


def test_exact_bots__a_bot_that_reads_the_past_is_refused():
    @bot()
    def sulking(rules, state, c, params, stream):
        return state.last_stopped

    who = behaviour(Player("sulking", sulking, {}), SHED)
    board = Board(SHED, reduced=False)
    assert who(board.start(), 0) == {Order(0, 0, -1, 0): 1.0}
    with pytest.raises(ReadsThePast, match="sulking"):
        who(board.start()._replace(dispatch=2), 0)
