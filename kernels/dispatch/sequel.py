"""How a match goes on from any board: what an order was worth is told by what follows, played many times."""

import numpy as np
from numba import from_dtype, int32, int64, types, void

from kernels.codes import Outcome
from kernels.dispatch.layout import RULES_DTYPE, STATE_DTYPE
from kernels.dispatch.match import BOT_SIGNATURE, PARAMS_TYPE, outcome
from kernels.dispatch.orders import illegality
from kernels.dispatch.resolve import resolve_dispatch
from kernels.jit import entry
from kernels.random import STREAM_DTYPE, Purpose, seek

__all__ = ["BOTS_OWN", "fill_sequels"]

BOTS_OWN = -1
"""In place of an order: the company's bot gives the one of the next dispatch too."""

_SEQUEL = int(Purpose.SEQUEL)
_A_ON_POINTS = int(Outcome.A_ON_POINTS)
_A_ON_CASH = int(Outcome.A_ON_CASH)
_SHARED = int(Outcome.SHARED)

_RULES = types.Array(from_dtype(RULES_DTYPE), 1, "C", readonly=True)
_STATE = types.Array(from_dtype(STATE_DTYPE), 1, "C")
_STREAMS = types.Array(from_dtype(STREAM_DTYPE), 1, "C")
_BOT = types.FunctionType(BOT_SIGNATURE)


@entry(
    void(
        _RULES, _STATE, _STATE, _STREAMS, _BOT, PARAMS_TYPE, _BOT, PARAMS_TYPE,
        int64, int64, int64, int64[:, ::1], int64[:, ::1], int32[:, ::1], int32[:, ::1],
    )
)  # fmt: skip
def fill_sequels(  # type: ignore[no-untyped-def]
    rules, board, state, streams, bot_a, params_a, bot_b, params_b, seed, namespace, first_luck, orders, log, scores,
    margins,
):  # fmt: skip
    """Play a board to the end, once for every pair of next orders and every luck.

    Parameters
    ----------
    rules, board
        Shape (1,); the board is left as it is.
    state, streams
        Shape (1,) and (2,), scratch of this call's thread.
    bot_a, params_a, bot_b, params_b
        Who plays on in seat A and in seat B.
    seed, namespace, first_luck
        Address of the random streams: luck l is pair `first_luck + l` of purpose SEQUEL, the same for all orders.
    orders
        int64 [o, c], packed and legal, for the next dispatch, or `BOTS_OWN`.
    log
        As in `resolve.resolve_dispatch`.
    scores
        int32 [o, l], twice the score of A (a shared victory counts half), filled in place. A bot that gives an illegal
        order loses (rules 3.3 end the match there; who gave none is not to blame).
    margins
        int32 [o, l], points of A minus points of B, filled in place.
    """
    for o in range(orders.shape[0]):
        for luck in range(scores.shape[1]):
            state[:] = board
            seek(streams[0], seed, namespace, _SEQUEL, np.int64(0), first_luck + luck)
            seek(streams[1], seed, namespace, _SEQUEL, np.int64(1), first_luck + luck)
            doubled = -1
            next_a = orders[o, 0]
            next_b = orders[o, 1]
            while state[0].dispatch <= rules[0].dispatches:
                order_a = next_a
                if order_a == BOTS_OWN:
                    order_a = bot_a(rules[0], state[0], np.int64(0), params_a, streams[0])
                order_b = next_b
                if order_b == BOTS_OWN:
                    order_b = bot_b(rules[0], state[0], np.int64(1), params_b, streams[1])
                if illegality(rules[0], state[0], 0, order_a) != 0:
                    doubled = 0
                    break
                if illegality(rules[0], state[0], 1, order_b) != 0:
                    doubled = 2
                    break
                resolve_dispatch(rules[0], state[0], order_a, order_b, log)
                next_a = np.int64(BOTS_OWN)
                next_b = np.int64(BOTS_OWN)
            if doubled < 0:
                code = outcome(state[0])
                doubled = 2 * (code == _A_ON_POINTS or code == _A_ON_CASH) + (code == _SHARED)
            scores[o, luck] = doubled
            margins[o, luck] = state[0].points[np.uint64(0)] - state[0].points[np.uint64(1)]
