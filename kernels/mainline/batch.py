"""Rows of a chunk of days, and their exact sums: the only door to the mainline kernels.

A chunk is a run of deals, which are the pairs of this game: one day each. Everything that a chunk writes is integer, so
chunks may be played in any order by any number of threads and merge to the same bytes.
"""

import numpy as np
from numba import from_dtype, int32, int64, types, void

from kernels.jit import entry, helper
from kernels.mainline.codes import N_COLUMNS, N_HOME, N_LAYINGS, NOBODY, Column, Direction, Laying, Status
from kernels.mainline.deal import deal_division
from kernels.mainline.layout import MAX_SLOTS, PER_KIND, RULES_DTYPE, STATE_DTYPE
from kernels.mainline.traffic import play_day
from kernels.random import STREAM_DTYPE, Purpose, seek

__all__ = ["add_to_blocks", "fill_rows", "play_one"]

_RULINGS = int(Purpose.RULINGS)
_EAST = int(Direction.EAST)
_WEST = int(Direction.WEST)
_ARRIVED = int(Status.ARRIVED)
_NOT_RUN = int(Status.NOT_RUN)
_LAID = int(Laying.LAID)
_NOBODY = NOBODY
_N_COLUMNS = N_COLUMNS
_N_HOME = N_HOME
_N_LAYINGS = N_LAYINGS
_MAX_SLOTS = MAX_SLOTS
_PER_KIND = PER_KIND

_UNFINISHED_DAY = int(Column.UNFINISHED_DAY)
_STAGES = int(Column.STAGES)
_COLLISIONS = int(Column.COLLISIONS)
_NOT_RUN_COLUMN = int(Column.NOT_RUN)
_UNFINISHED = int(Column.UNFINISHED)
_UNEVENNESS = int(Column.UNEVENNESS)
_GRADES = int(Column.GRADES)
_GRADES_EAST = int(Column.GRADES_EAST)
_TRIP = int(Column.TRIP_EAST)
_TRIPS = int(Column.TRIPS_EAST)
_HELD = int(Column.HELD_EAST)
_N_ARRIVED = int(Column.ARRIVED_EAST)
_GAP = int(Column.GAP)
_GAP_PAIRS = int(Column.GAP_PAIRS)
_SAVED = int(Column.SAVED_BRAKEMAN)
_COMPARED = int(Column.COMPARED_BRAKEMAN)

_RULES = types.Array(from_dtype(RULES_DTYPE), 1, "C", readonly=True)
_STATE = types.Array(from_dtype(STATE_DTYPE), 1, "C")
_STREAMS = types.Array(from_dtype(STREAM_DTYPE), 1, "C")
_ROWS = int32[:, ::1]
_LOG = int64[:, ::1]


@helper
def write_deal(rules, state, row):  # type: ignore[no-untyped-def]
    """Write what was dealt."""
    kinds = _N_COLUMNS + 2 * _MAX_SLOTS + _N_HOME * _N_LAYINGS
    for s in range(rules.n_slots):
        slot = np.uint64(s)
        k = state.dealt[slot]
        row[_N_COLUMNS + s] = k + 1
        row[kinds + _PER_KIND * k] += 1
        if rules.is_grade[np.uint64(k)] == 1:
            row[_N_COLUMNS + _MAX_SLOTS + s] = state.up[slot] + 1
            row[_GRADES] += 1
            row[_GRADES_EAST] += state.up[slot] == _EAST


@helper
def write_trains(rules, state, row):  # type: ignore[no-untyped-def]
    """Write what became of the trains."""
    for t in range(rules.n_trains):
        train = np.uint64(t)
        direction = rules.direction[train]
        if state.status[train] == _ARRIVED:
            row[_HELD + direction] += state.held[train]
            row[_N_ARRIVED + direction] += 1
            if rules.is_extra[train] == 0:
                row[_TRIP + direction] += state.arrival[train] - state.departs[train]
                row[_TRIPS + direction] += 1
        elif state.status[train] == _NOT_RUN:
            row[_NOT_RUN_COLUMN] += 1
        else:
            row[_UNFINISHED] += 1
    row[_UNFINISHED_DAY] = row[_UNFINISHED] > 0
    east, west = row[_TRIPS + _EAST], row[_TRIPS + _WEST]
    row[_GAP] = row[_TRIP + _EAST] * west - row[_TRIP + _WEST] * east
    row[_GAP_PAIRS] = east * west


@helper
def write_day(rules, state, row):  # type: ignore[no-untyped-def]
    """Write the counts of the day that was played into `row` [k], all but what Home cards saved."""
    row[:] = 0
    write_deal(rules, state, row)
    write_trains(rules, state, row)
    row[_STAGES] = state.stage
    row[_COLLISIONS] = state.collisions
    worst, best = np.int64(0), np.int64(0)
    for s in range(rules.n_slots - 1):
        lost = state.lost_stages[np.uint64(s)] + state.lost_stages[np.uint64(s + 1)]
        worst = max(worst, lost) if s > 0 else lost
        best = min(best, lost) if s > 0 else lost
    row[_UNEVENNESS] = worst - best
    place = _N_COLUMNS + 2 * _MAX_SLOTS
    for home in range(_N_HOME):
        for laying in range(_N_LAYINGS):
            row[place] = state.layings[np.uint64(home), np.uint64(laying)]
            place += 1
    for k in range(rules.n_kinds):
        place += 1  # cards dealt, already written
        for i in range(4):
            row[place] = state.crossing_stages[np.uint64(k), np.uint64(i >> 1), np.uint64(i & 1)]
            row[place + 4] = state.crossings[np.uint64(k), np.uint64(i >> 1), np.uint64(i & 1)]
            place += 1
        place += 4


@helper
def compare(rules, state, luck, answers, log, row):  # type: ignore[no-untyped-def]
    """Play the day again without each kind of Home card that was laid, and write the Stages that it saved.

    A kind of which no card was laid has changed nothing: there the day is not played again.
    """
    arrived = np.int64(0)
    for t in range(rules.n_trains):
        train = np.uint64(t)
        state.base_arrival[train] = state.arrival[train] if state.status[train] == _ARRIVED else 0
        arrived += state.status[train] == _ARRIVED and rules.is_extra[train] == 0
    first = _N_COLUMNS + 2 * _MAX_SLOTS
    for home in range(_N_HOME):
        held = 0
        for laying in range(_N_LAYINGS):
            held += row[first + home * _N_LAYINGS + laying]
        if held == 0:
            continue
        if row[first + home * _N_LAYINGS + _LAID] == 0:
            row[_COMPARED + home] = arrived
            continue
        play_day(rules, state, luck, home, answers, log)
        for t in range(rules.n_trains):
            train = np.uint64(t)
            if state.status[train] == _ARRIVED and state.base_arrival[train] > 0 and rules.is_extra[train] == 0:
                row[_SAVED + home] += state.arrival[train] - state.base_arrival[train]
                row[_COMPARED + home] += 1


@entry(void(_RULES, _STATE, _STREAMS, int64, int64, int64, int64, int64, int64[::1], _LOG, _ROWS))
def fill_rows(  # type: ignore[no-untyped-def]
    rules, state, streams, seed, namespace, first_pair, stride, n_pairs, answers, log, rows
):
    """Play the days of the deals `first_pair + stride * p`, p from 0 to `n_pairs - 1`, one row each.

    Parameters
    ----------
    rules, state, streams
        Shape (1,), (1,) and (2,); state and streams are scratch of this call's thread.
    seed, namespace
        Address of the random streams (`kernels.random`).
    answers, log
        int64 (0,) and (0, LOG_FIELDS): a chunk's rulings are the policy's, and no events are kept.
    rows
        int32 [m, k], m = n_pairs, k as in `layout.row_width`; filled in place.
    """
    for p in range(n_pairs):
        pair = first_pair + stride * p
        deal_division(rules[0], state[0], streams[0], seed, namespace, pair)
        seek(streams[1], seed, namespace, _RULINGS, 0, pair)
        play_day(rules[0], state[0], streams[1], np.int64(_NOBODY), answers, log)
        write_day(rules[0], state[0], rows[p])
        if rules[0].n_hand > 0:
            compare(rules[0], state[0], streams[1], answers, log, rows[p])


@entry(void(_RULES, _STATE, _STREAMS, int64, int64, int64, int64[::1], _LOG))
def play_one(rules, state, streams, seed, namespace, pair, answers, log):  # type: ignore[no-untyped-def]
    """Play one day into `state` and `log`, with recorded answers where the rules say so."""
    deal_division(rules[0], state[0], streams[0], seed, namespace, pair)
    seek(streams[1], seed, namespace, _RULINGS, 0, pair)
    play_day(rules[0], state[0], streams[1], np.int64(_NOBODY), answers, log)


@entry(void(_ROWS, int64, int64, int64[::1], int64[:, ::1], int64[:, ::1]))
def add_to_blocks(rows, first_pair, stride, pairs, sums, seen):  # type: ignore[no-untyped-def]
    """Add a chunk's rows to the sums of their blocks; pair p belongs to block `p % B`.

    Parameters
    ----------
    pairs
        int64 [b], days; added to in place, as the others.
    sums
        int64 [b, k], sums of the rows.
    seen
        int64 [b, k], days whose column is not 0.
    """
    n_blocks = pairs.shape[0]
    for p in range(rows.shape[0]):
        b = (first_pair + stride * p) % n_blocks
        pairs[b] += 1
        for k in range(rows.shape[1]):
            x = np.int64(rows[p, k])
            sums[b, k] += x
            seen[b, k] += x != 0
