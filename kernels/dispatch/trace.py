"""Matches played again and written down: orders, standings after each dispatch, and where trains ran and met.

`batch.fill_rows` keeps no more than a row of a match, which is what makes it quick. This plays the same matches, from
the same streams, and keeps what a match's shape is told from.
"""

import numpy as np
from numba import from_dtype, int32, int64, types, void

from kernels.codes import Pairing
from kernels.dispatch.layout import RULES_DTYPE, STATE_DTYPE
from kernels.dispatch.match import BOT_SIGNATURE, PARAMS_TYPE, reset
from kernels.dispatch.orders import illegality
from kernels.dispatch.resolve import HEAD_ON, JUNCTION_CONFLICT, MOVE, SHARED_ARRIVAL, TOLL, resolve_dispatch
from kernels.jit import entry
from kernels.random import STREAM_DTYPE, Purpose, seek

__all__ = ["MEETINGS", "STANDINGS", "fill_traces"]

STANDINGS = ("points_a", "points_b", "cash_a", "cash_b")
"""What `standings` holds after each dispatch, in points and dollars."""

MEETINGS = ("conflict", "toll", "shared")
"""What `meetings` counts at a junction: conflicts (rules 4.4 b), arrivals with a toll and without one (4.4 c)."""

_ORDERS = int(Purpose.ORDERS)
_SEATS = int(Pairing.SEATS)
_LANES = int(Pairing.LANES)
_SINGLE = int(Pairing.SINGLE)

_RULES = types.Array(from_dtype(RULES_DTYPE), 1, "C", readonly=True)
_STATE = types.Array(from_dtype(STATE_DTYPE), 1, "C")
_STREAMS = types.Array(from_dtype(STREAM_DTYPE), 1, "C")
_BOT = types.FunctionType(BOT_SIGNATURE)


@entry(
    void(
        _RULES, _STATE, _STREAMS, _BOT, PARAMS_TYPE, _BOT, PARAMS_TYPE, int64, int64, int64, int64, int64, int64,
        int64[:, ::1], int64[:, :, ::1], int32[:, :, ::1], int64[::1], int64[:, ::1], int64[:, ::1], int64[:, :, ::1],
    )
)  # fmt: skip
def fill_traces(  # type: ignore[no-untyped-def]
    rules, state, streams, bot_first, params_first, bot_second, params_second, seed, namespace, first_pair, stride,
    n_pairs, pairing, log, orders, standings, lengths, runs, head_ons, meetings,
):  # fmt: skip
    """Play the matches of the pairs `first_pair + stride * p`, p from 0 to `n_pairs - 1`, and write them down.

    A match that ends by an illegal order (rules 3.3) is written down up to the dispatch before, and what happened in it
    is counted like that of any other.

    Parameters
    ----------
    rules, state, streams, bot_first, params_first, bot_second, params_second, seed, namespace, pairing
        As in `batch.fill_rows`.
    log
        int64 [`resolve.LOG_ROWS`, LOG_FIELDS], scratch of this call's thread.
    orders
        int64 [m, d, c], packed, filled in place. Companies are seats.
    standings
        int32 [m, d, s], s as in `STANDINGS`, after each dispatch, filled in place.
    lengths
        int64 [m], dispatches that were resolved; what lies beyond in `orders` and `standings` is left alone.
    runs
        int64 [b, a], how often a train ran along an arc, added to in place; pair p belongs to block `p % B`.
    head_ons
        int64 [b, e], head-ons on a track (rules 4.4 a), added to in place.
    meetings
        int64 [b, j, x], x as in `MEETINGS`, added to in place.
    """
    n_swaps = 1 if pairing == _SINGLE else 2
    n_blocks = runs.shape[0]
    for p in range(n_pairs):
        pair = first_pair + stride * p
        b = pair % n_blocks
        for swap in range(n_swaps):
            m = p * n_swaps + swap
            lane_a = 1 if (pairing == _LANES and swap == 1) else 0
            swapped = pairing == _SEATS and swap == 1
            seek(streams[0], seed, namespace, _ORDERS, lane_a, pair)
            seek(streams[1], seed, namespace, _ORDERS, 1 - lane_a, pair)
            reset(rules[0], state[0])
            lengths[m] = 0
            for d in range(rules[0].dispatches):
                if swapped:
                    order_a = bot_second(rules[0], state[0], np.int64(0), params_second, streams[0])
                    order_b = bot_first(rules[0], state[0], np.int64(1), params_first, streams[1])
                else:
                    order_a = bot_first(rules[0], state[0], np.int64(0), params_first, streams[0])
                    order_b = bot_second(rules[0], state[0], np.int64(1), params_second, streams[1])
                if illegality(rules[0], state[0], 0, order_a) != 0 or illegality(rules[0], state[0], 1, order_b) != 0:
                    break
                log[0, 0] = 0
                resolve_dispatch(rules[0], state[0], order_a, order_b, log)
                orders[m, d, 0] = order_a
                orders[m, d, 1] = order_b
                for c in range(2):
                    standings[m, d, c] = state[0].points[np.uint64(c)]
                    standings[m, d, 2 + c] = state[0].cash_dollars[np.uint64(c)]
                lengths[m] = d + 1
                for i in range(1, log[0, 0] + 1):
                    code = log[i, 0]
                    if code == MOVE:
                        runs[b, log[i, 3]] += 1
                    elif code == HEAD_ON:
                        head_ons[b, log[i, 2]] += 1
                    elif code == JUNCTION_CONFLICT:
                        meetings[b, log[i, 2], 0] += 1
                    elif code == TOLL:
                        meetings[b, log[i, 2], 1] += 1
                    elif code == SHARED_ARRIVAL:
                        meetings[b, log[i, 2], 2] += 1
