"""Matches written down: both sides' orders, the standings after each dispatch, and where trains ran and met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kernels.dispatch.resolve import HEAD_ON, JUNCTION_CONFLICT, LOG_FIELDS, LOG_ROWS, SHARED_ARRIVAL, TOLL
from kernels.dispatch.trace import MEETINGS, STANDINGS, fill_traces
from sim.games.dispatch.playing import Bench
from sim.running.chunks import Chunk

if TYPE_CHECKING:
    from sim.games.dispatch.plan import DispatchPlan
    from sim.games.dispatch.recorded import RecordedPlan

__all__ = ["Traces", "play_traces", "recorded_traces"]

_MEETINGS = {JUNCTION_CONFLICT: 0, TOLL: 1, SHARED_ARRIVAL: 2}


@dataclass(frozen=True)
class Traces:
    """Matches of a chunk, written down. Companies are seats, A first.

    Attributes
    ----------
    orders
        int64 [m, d, c], packed.
    standings
        int32 [m, d, s], s as in `kernels.dispatch.trace.STANDINGS`: points and dollars after each dispatch.
    lengths
        int64 [m], dispatches that were resolved: all of them, unless an order was illegal (rules 3.3). Beyond it
        `orders` and `standings` are 0.
    runs
        int64 [b, a], how often a train ran along an arc (2e and 2e + 1 are the directions of track e).
    head_ons
        int64 [b, e], head-ons on a track (rules 4.4 a).
    meetings
        int64 [b, j, x], x as in `kernels.dispatch.trace.MEETINGS`: what happened where both entered a junction.
    """

    orders: npt.NDArray[np.int64]
    standings: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.int64]
    runs: npt.NDArray[np.int64]
    head_ons: npt.NDArray[np.int64]
    meetings: npt.NDArray[np.int64]


def play_traces(plan: DispatchPlan, chunk: Chunk, n_blocks: int = 1, bench: Bench | None = None) -> Traces:
    """Play a chunk and write it down; the matches are those of `play_rows`.

    Parameters
    ----------
    n_blocks
        B: pair p is counted in block `p % B`.
    """
    bench = bench or Bench()
    n_matches, n_dispatches = chunk.n_pairs * plan.n_swaps, plan.scenario.dispatches
    rules: Any = plan.rules[0]
    traces = Traces(
        orders=np.zeros((n_matches, n_dispatches, 2), np.int64),
        standings=np.zeros((n_matches, n_dispatches, len(STANDINGS)), np.int32),
        lengths=np.zeros(n_matches, np.int64),
        runs=np.zeros((n_blocks, int(rules.n_arcs)), np.int64),
        head_ons=np.zeros((n_blocks, int(rules.n_arcs) // 2), np.int64),
        meetings=np.zeros((n_blocks, int(rules.n_junctions), len(MEETINGS)), np.int64),
    )
    fill_traces(
        plan.rules,
        bench.state,
        bench.streams,
        plan.first.bot.compiled,
        plan.first_memory,
        plan.second.bot.compiled,
        plan.second_memory,
        plan.seed,
        plan.namespace,
        chunk.first_pair,
        chunk.stride,
        chunk.n_pairs,
        int(plan.pairing),
        np.zeros((LOG_ROWS, LOG_FIELDS), np.int64),
        traces.orders,
        traces.standings,
        traces.lengths,
        traces.runs,
        traces.head_ons,
        traces.meetings,
    )
    return traces


def recorded_traces(plan: RecordedPlan, chunk: Chunk, n_blocks: int = 1) -> Traces:
    """Recorded matches as `play_traces` writes down bots' ones; those in progress have fewer dispatches."""
    numbers = chunk.first_pair + chunk.stride * np.arange(chunk.n_pairs)
    n_dispatches = plan.scenario.dispatches
    rules: Any = plan.played[0].board.rules[0]
    traces = Traces(
        orders=np.zeros((numbers.size, n_dispatches, 2), np.int64),
        standings=np.zeros((numbers.size, n_dispatches, len(STANDINGS)), np.int32),
        lengths=np.zeros(numbers.size, np.int64),
        runs=np.zeros((n_blocks, int(rules.n_arcs)), np.int64),
        head_ons=np.zeros((n_blocks, int(rules.n_arcs) // 2), np.int64),
        meetings=np.zeros((n_blocks, int(rules.n_junctions), len(MEETINGS)), np.int64),
    )
    for m, number in enumerate(numbers.tolist()):
        one, b = plan.played[number], number % n_blocks
        n = len(one.states)
        traces.lengths[m] = n
        traces.orders[m, :n] = one.states["last_order"]
        traces.standings[m, :n, :2] = one.states["points"]
        traces.standings[m, :n, 2:] = one.states["cash_dollars"]
        for _, _, arc in (move for moves in one.moves for move in moves):
            traces.runs[b, arc] += 1
        for code, _, x, _, _ in (row for log in one.logs for row in log):
            if code == HEAD_ON:
                traces.head_ons[b, x] += 1
            elif code in _MEETINGS:
                traces.meetings[b, x, _MEETINGS[code]] += 1
    return traces
