"""Chunks of dispatch matches: their rows, and the sums of the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.codes import N_COLUMNS, POISON, Column, Pairing
from kernels.dispatch.batch import add_to_blocks, count_margins, fill_rows
from kernels.dispatch.layout import new_state
from kernels.dispatch.resolve import LOG_FIELDS
from kernels.jit import PLAIN
from kernels.random import new_streams
from sim.config.errors import BadInput
from sim.running.chunks import Chunk, Rows
from sim.stats.margins import MarginHistogram
from sim.stats.sums import BlockSums

if TYPE_CHECKING:
    from sim.games.dispatch.plan import DispatchPlan

__all__ = ["Bench", "checked_rows", "play_rows", "sum_rows"]


class Bench:
    """What one thread plays on: the state of a match and two streams, used again for every match."""

    def __init__(self) -> None:
        self.state = new_state()
        self.streams = new_streams(2)
        self.log = np.zeros((0, LOG_FIELDS), np.int64)


def play_rows(plan: DispatchPlan, chunk: Chunk, bench: Bench) -> Rows:
    """Play a chunk: one row a match, int32 [m, k], k a `kernels.codes.Column`; raises as `checked_rows` does."""

    def fill(rows: Rows) -> None:
        fill_rows(
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
            bench.log,
            rows,
        )

    return checked_rows(plan, chunk, fill)


def checked_rows(plan: DispatchPlan, chunk: Chunk, fill: Callable[[Rows], None]) -> Rows:
    """The rows of a chunk, int32 [m, k], as a kernel fills them.

    Raises
    ------
    BadInput
        When a bot raised an exception.
    RuntimeError
        When the kernel left a row unwritten.
    """
    rows = np.empty((chunk.n_pairs * plan.n_swaps, N_COLUMNS), np.int32)
    rows[:, Column.OUTCOME] = POISON
    try:
        fill(rows)
    except Exception as error:  # the kernel itself raises nothing: a bot did
        if PLAIN:
            raise  # its author wants to see where
        raise BadInput.of(
            f"a bot of {plan.pairing_name} raised {type(error).__name__}: {error}; must return an order, whatever the "
            "board (with NUMBA_DISABLE_JIT=1 it plays as plain Python and says where)"
        ) from error
    if (rows[:, Column.OUTCOME] == POISON).any():
        raise RuntimeError(f"the kernel left rows of {chunk} unwritten")
    return rows


def sum_rows(pairing: Pairing, chunk: Chunk, rows: Rows, n_blocks: int) -> BlockSums:
    """The block sums of a chunk's rows; a legal match beside an illegal one is marked so in `rows`."""
    total = BlockSums.empty(pairing, n_blocks)
    where = (int(pairing), chunk.first_pair, chunk.stride)
    add_to_blocks(rows, *where, total.pairs, total.outcomes, total.sums, total.squares, total.pair_scores)
    margins = rows[:, Column.POINTS_A].astype(np.int64) - rows[:, Column.POINTS_B]
    values = np.unique(margins)
    counts = np.zeros((n_blocks, 2, values.size), np.int64)
    count_margins(rows, *where, values, counts)
    parts: dict[str, Any] = {**vars(total), "margins": MarginHistogram(values, counts)}
    return BlockSums(**parts)
