"""One chunk: a run of pairs of one plan, played by the calling thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kernels.codes import N_COLUMNS, POISON, Column
from kernels.dispatch.batch import add_to_blocks, count_margins, fill_rows
from kernels.dispatch.layout import new_state
from kernels.dispatch.resolve import LOG_FIELDS
from kernels.jit import PLAIN
from kernels.random import new_streams
from sim.config.errors import BadInput
from sim.running.plan import Plan
from sim.stats.sums import BlockSums, MarginHistogram

__all__ = ["Bench", "Chunk", "play_rows", "sum_chunk"]

Rows = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Chunk:
    """Pairs `first_pair + stride * p` for p from 0 to `n_pairs - 1`."""

    first_pair: int
    n_pairs: int
    stride: int = 1


class Bench:
    """What one thread plays on: the state of a match and two streams, used again for every match."""

    def __init__(self) -> None:
        self.state = new_state()
        self.streams = new_streams(2)
        self.log = np.zeros((0, LOG_FIELDS), np.int64)


def play_rows(plan: Plan, chunk: Chunk, bench: Bench | None = None) -> Rows:
    """Play a chunk: one row a match, int32 [m, k], k a `kernels.codes.Column`.

    Raises
    ------
    BadInput
        When a bot raised an exception.
    RuntimeError
        When the kernel left a row unwritten.
    """
    bench = bench or Bench()
    rows = np.empty((chunk.n_pairs * plan.n_swaps, N_COLUMNS), np.int32)
    rows[:, Column.OUTCOME] = POISON
    try:
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


def sum_chunk(plan: Plan, chunk: Chunk, rows: Rows, n_blocks: int) -> BlockSums:
    """The block sums of a chunk's rows; a legal match beside an illegal one is marked so in `rows`."""
    total = BlockSums.empty(plan.pairing, n_blocks)
    where = (int(plan.pairing), chunk.first_pair, chunk.stride)
    add_to_blocks(rows, *where, total.pairs, total.outcomes, total.sums, total.squares, total.pair_scores)
    margins = rows[:, Column.POINTS_A].astype(np.int64) - rows[:, Column.POINTS_B]
    values = np.unique(margins)
    counts = np.zeros((n_blocks, 2, values.size), np.int64)
    count_margins(rows, *where, values, counts)
    parts: dict[str, Any] = {**vars(total), "margins": MarginHistogram(values, counts)}
    return BlockSums(**parts)
