"""Rows of a chunk of matches, and their exact sums: the only door to the dispatch kernels.

A chunk is a run of pair ids; match = 2 * pair + swap. Everything that a chunk writes is integer, so chunks may be
played in any order by any number of threads and merge to the same bytes.
"""

import numpy as np
from numba import from_dtype, int32, int64, types, void

from kernels.codes import Column, Outcome, Pairing
from kernels.dispatch.layout import RULES_DTYPE, STATE_DTYPE
from kernels.dispatch.match import BOT_SIGNATURE, PARAMS_TYPE, outcome, play, reset, write_row
from kernels.dispatch.orders import illegality
from kernels.dispatch.resolve import resolve_dispatch
from kernels.jit import entry
from kernels.random import STREAM_DTYPE, Purpose, seek

__all__ = [
    "BOT_TYPE",
    "LOG_TYPE",
    "ROWS_TYPE",
    "RULES_ARRAY",
    "STATE_ARRAY",
    "STREAMS_ARRAY",
    "add_to_blocks",
    "count_margins",
    "fill_rows",
    "replay_orders",
    "replay_row",
]

_ORDERS = int(Purpose.ORDERS)
_SEATS = int(Pairing.SEATS)
_LANES = int(Pairing.LANES)
_SINGLE = int(Pairing.SINGLE)
_OUTCOME = int(Column.OUTCOME)
_POINTS_A = int(Column.POINTS_A)
_POINTS_B = int(Column.POINTS_B)
_A_ON_POINTS = int(Outcome.A_ON_POINTS)
_A_ON_CASH = int(Outcome.A_ON_CASH)
_SHARED = int(Outcome.SHARED)
_PARTNER_ILLEGAL = int(Outcome.PARTNER_ILLEGAL)
_UNFINISHED = int(Outcome.UNFINISHED)

RULES_ARRAY = types.Array(from_dtype(RULES_DTYPE), 1, "C", readonly=True)
STATE_ARRAY = types.Array(from_dtype(STATE_DTYPE), 1, "C")
STREAMS_ARRAY = types.Array(from_dtype(STREAM_DTYPE), 1, "C")
BOT_TYPE = types.FunctionType(BOT_SIGNATURE)
ROWS_TYPE = int32[:, ::1]
LOG_TYPE = int64[:, ::1]


@entry(
    void(
        RULES_ARRAY, STATE_ARRAY, STREAMS_ARRAY, BOT_TYPE, PARAMS_TYPE, BOT_TYPE, PARAMS_TYPE,
        int64, int64, int64, int64, int64, int64, LOG_TYPE, ROWS_TYPE,
    )
)  # fmt: skip
def fill_rows(  # type: ignore[no-untyped-def]
    rules, state, streams, bot_first, params_first, bot_second, params_second,
    seed, namespace, first_pair, stride, n_pairs, pairing, log, rows,
):  # fmt: skip
    """Play the matches of the pairs `first_pair + stride * p`, p from 0 to `n_pairs - 1`, one row each.

    Parameters
    ----------
    rules, state, streams
        Shape (1,), (1,) and (2,); state and streams are scratch of this call's thread.
    bot_first, params_first, bot_second, params_second
        The two bots, compiled for `match.BOT_SIGNATURE`, and their parameters.
    seed, namespace
        Address of the random streams (`kernels.random`).
    pairing
        A `Pairing`: what the second match of a pair swaps. With SINGLE there is none.
    log
        int64 [1 + events, LOG_FIELDS] or, to keep no events, (0, LOG_FIELDS).
    rows
        int32 [m, k], m = n_pairs * (1 if SINGLE else 2), k a `Column`; filled in place.
    """
    n_swaps = 1 if pairing == _SINGLE else 2
    for p in range(n_pairs):
        pair = first_pair + stride * p
        for swap in range(n_swaps):
            row = rows[p * n_swaps + swap]
            lane_a = 1 if (pairing == _LANES and swap == 1) else 0
            seek(streams[0], seed, namespace, _ORDERS, lane_a, pair)
            seek(streams[1], seed, namespace, _ORDERS, 1 - lane_a, pair)
            if pairing == _SEATS and swap == 1:
                play(
                    rules[0], state[0], bot_second, params_second, streams[0],
                    bot_first, params_first, streams[1], log, row,
                )  # fmt: skip
            else:
                play(
                    rules[0], state[0], bot_first, params_first, streams[0],
                    bot_second, params_second, streams[1], log, row,
                )  # fmt: skip


@entry(
    void(
        ROWS_TYPE, int64, int64, int64, int64[::1], int64[:, :, ::1], int64[:, :, ::1], int64[:, :, ::1], int64[:, ::1]
    )
)  # fmt: skip
def add_to_blocks(  # type: ignore[no-untyped-def]
    rows, pairing, first_pair, stride, pairs, outcomes, sums, squares, pair_scores
):
    """Add a chunk's rows to the sums of their blocks; pair p belongs to block `p % B`.

    Where one match of a pair is illegal, a legal one beside it becomes `Outcome.PARTNER_ILLEGAL` in `rows`, and the
    pair is in `pairs` and `outcomes` only.

    Parameters
    ----------
    rows
        int32 [m, k] as `fill_rows` leaves them.
    pairs
        int64 [b], pairs played, added to in place, as are all that follow.
    outcomes
        int64 [b, swap, o], matches by `Outcome`.
    sums, squares
        int64 [b, swap, k], sums of each column and of its square over matches of legal pairs.
    pair_scores
        int64 [b, 5], legal pairs by twice the first bot's score over the pair.
    """
    n_swaps = 1 if pairing == _SINGLE else 2
    n_blocks = pairs.shape[0]
    n_columns = rows.shape[1]
    n_pairs = rows.shape[0] // n_swaps
    for p in range(n_pairs):
        b = (first_pair + stride * p) % n_blocks
        pairs[b] += 1
        legal = True
        for swap in range(n_swaps):
            legal &= rows[p * n_swaps + swap, _OUTCOME] <= _SHARED
        score = np.int64(0)
        for swap in range(n_swaps):
            row = rows[p * n_swaps + swap]
            code = np.int64(row[_OUTCOME])
            if legal:
                won_a = 2 * (code == _A_ON_POINTS or code == _A_ON_CASH) + (code == _SHARED)
                score += np.int64(2 - won_a if (pairing == _SEATS and swap == 1) else won_a)
                for k in range(n_columns):
                    x = np.int64(row[k])
                    sums[b, swap, k] += x
                    squares[b, swap, k] += x * x
            elif code <= _SHARED:
                code = np.int64(_PARTNER_ILLEGAL)
                row[_OUTCOME] = code
            outcomes[b, swap, code] += 1
        if legal:
            pair_scores[b, score] += 1


@entry(void(ROWS_TYPE, int64, int64, int64, int64[::1], int64[:, :, ::1]))
def count_margins(rows, pairing, first_pair, stride, values, counts):  # type: ignore[no-untyped-def]
    """Count the margins (points of A - points of B) of legal pairs' matches, after `add_to_blocks`.

    Parameters
    ----------
    values
        int64 [v], every margin that occurs in `rows`, ascending.
    counts
        int64 [b, swap, v], added to in place.
    """
    n_swaps = 1 if pairing == _SINGLE else 2
    n_blocks = counts.shape[0]
    for m in range(rows.shape[0]):
        if rows[m, _OUTCOME] <= _SHARED:
            b = (first_pair + stride * (m // n_swaps)) % n_blocks
            margin = np.int64(rows[m, _POINTS_A]) - np.int64(rows[m, _POINTS_B])
            counts[b, m % n_swaps, np.searchsorted(values, margin)] += 1


@entry(int64(RULES_ARRAY, STATE_ARRAY, int64[:, ::1], int64, LOG_TYPE, int64[::1]))
def replay_orders(rules, state, orders, n_played, log, verdict):  # type: ignore[no-untyped-def]
    """Judge and resolve recorded orders, from the start or on from where `state` is.

    Parameters
    ----------
    orders
        int64 [d, c], packed.
    n_played
        Dispatches already resolved in `state`; 0 starts the match anew.
    log
        Events of the dispatches resolved by this call (`resolve_dispatch`); its [0, 0] is set to 0 first.
    verdict
        int64 [3], written when an order is illegal: dispatch, company, `Illegal`.

    Returns
    -------
    Dispatches resolved in all; less than d when an order is illegal.
    """
    if n_played == 0:
        reset(rules[0], state[0])
    if log.shape[0] != 0:
        log[0, 0] = 0
    for d in range(n_played, orders.shape[0]):
        for c in range(2):
            reason = illegality(rules[0], state[0], c, orders[d, c])
            if reason != 0:
                verdict[0] = d + 1
                verdict[1] = c
                verdict[2] = reason
                return d
        resolve_dispatch(rules[0], state[0], orders[d, 0], orders[d, 1], log)
    return orders.shape[0]


@entry(void(RULES_ARRAY, STATE_ARRAY, int32[::1]))
def replay_row(rules, state, row):  # type: ignore[no-untyped-def]
    """Write the `row` [k] of a match that `replay_orders` has played; `Outcome.UNFINISHED` while dispatches remain."""
    row[:] = 0
    write_row(state[0], row)
    row[_OUTCOME] = outcome(state[0]) if state[0].dispatch > rules[0].dispatches else _UNFINISHED
