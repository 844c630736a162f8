"""Integer sums of days, block by block: all that any figure of the mainline game is computed from.

Axes: `b` block, `k` column of a day's row. Integers add up exactly, so that the order of the work leaves no trace.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kernels.mainline.batch import add_to_blocks
from kernels.mainline.codes import N_COLUMNS, N_HOME, N_LAYINGS, Column
from kernels.mainline.layout import MAX_SLOTS, PER_KIND, row_width
from sim.running.chunks import Chunk, Rows
from sim.stats.blocks import in_a_row
from sim.stats.figures import Int64s

__all__ = ["DaySums"]

_KINDS = N_COLUMNS + 2 * MAX_SLOTS + N_HOME * N_LAYINGS


@dataclass(frozen=True, eq=False)
class DaySums:
    """What days add up to, all int64.

    Attributes
    ----------
    n_slots, n_trains
        Mainline cards of a Division, and trains of the timetable.
    pairs
        Days played, shape (B,); a deal is played once.
    sums
        Sums of the rows, shape (B, K).
    seen
        Days in whose row the column is not 0, shape (B, K): what a mean over trains or crossings rests on.
    """

    n_slots: int
    n_trains: int
    pairs: Int64s
    sums: Int64s
    seen: Int64s

    @property
    def not_by_block(self) -> frozenset[str]:
        """Which of `as_arrays` hold for all blocks."""
        return frozenset({"shape"})

    @property
    def n_blocks(self) -> int:
        """Number of blocks, empty ones included."""
        return int(self.pairs.size)

    @property
    def n_pairs(self) -> int:
        """Days played."""
        return int(self.pairs.sum())

    @property
    def n_matches(self) -> int:
        """Days played."""
        return self.n_pairs

    @classmethod
    def empty(cls, n_slots: int, n_trains: int, n_kinds: int, n_blocks: int) -> DaySums:
        """Sums of no day at all."""
        shape = (n_blocks, row_width(n_kinds))
        zeros = (np.zeros(n_blocks, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.int64))
        return cls(n_slots, n_trains, *zeros)

    def added(self, chunk: Chunk, rows: Rows) -> DaySums:
        """These sums, with a chunk's rows added to them in place."""
        add_to_blocks(rows, chunk.first_pair, chunk.stride, self.pairs, self.sums, self.seen)
        return self

    def __add__(self, other: DaySums) -> DaySums:
        """Sums of both parts, block by block.

        Raises
        ------
        ValueError
            If they are of other Divisions or timetables, or of other numbers of blocks.
        """
        if (self.n_slots, self.n_trains, self.sums.shape) != (other.n_slots, other.n_trains, other.sums.shape):
            raise ValueError("sums of different scenarios or blocks do not add up")
        return DaySums(
            self.n_slots,
            self.n_trains,
            self.pairs + other.pairs,
            self.sums + other.sums,
            self.seen + other.seen,
        )

    def validate(self) -> None:
        """Check that every day is counted once, every card was dealt and every train came to an end.

        Raises
        ------
        ValueError
            With the first thing that does not add up.
        """
        n_kinds, left = divmod(self.sums.shape[1] - _KINDS, PER_KIND) if self.sums.ndim == 2 else (0, 1)
        if n_kinds < 1 or left or self.sums.shape[0] != self.pairs.size or self.seen.shape != self.sums.shape:
            raise ValueError(f"sums have shape {self.sums.shape}, seen {self.seen.shape}, pairs {self.pairs.shape}")
        if self.pairs.dtype != np.int64 or self.sums.dtype != np.int64 or self.seen.dtype != np.int64:
            raise ValueError("sums are not all int64")
        if (self.pairs < 0).any() or (self.seen < 0).any() or (self.seen > self.pairs[:, None]).any():
            raise ValueError("more days were seen than played")
        may_be_negative = [*range(Column.GAP, Column.GAP + 1), *range(Column.SAVED_BRAKEMAN, Column.COMPARED_BRAKEMAN)]
        counts = np.delete(self.sums, may_be_negative, axis=1)
        if (counts < np.delete(self.seen, may_be_negative, axis=1)).any():
            raise ValueError("sums are too small for the days in which something was counted")
        dealt = self.sums[:, _KINDS::PER_KIND].sum(axis=1)
        if (dealt != self.n_slots * self.pairs).any():
            raise ValueError(f"{dealt.sum()} cards were dealt to {self.n_pairs} days of {self.n_slots} slots")
        ends = [Column.ARRIVED_EAST, Column.ARRIVED_WEST, Column.UNFINISHED, Column.NOT_RUN]
        ended = self.sums[:, ends].sum(axis=1)
        if (ended != self.n_trains * self.pairs).any():
            raise ValueError(f"{ended.sum()} trains came to an end, not {self.n_trains} on each of {self.n_pairs} days")
        if (self.sums[:, Column.UNFINISHED_DAY] != self.seen[:, Column.UNFINISHED]).any():
            raise ValueError("unfinished days and unfinished trains differ")

    def as_arrays(self) -> dict[str, Int64s]:
        """Plain int64 arrays by name; `from_arrays` reads them back."""
        shape = np.array([self.n_slots, self.n_trains], np.int64)
        return {"shape": shape, "pairs": self.pairs, "sums": self.sums, "seen": self.seen}

    @classmethod
    def from_arrays(cls, *parts: Mapping[str, Int64s]) -> DaySums:
        """Sums as `as_arrays` gave them, validated; of parts with blocks of their own, one part after the other.

        Raises
        ------
        ValueError
            If an array is missing, the parts do not fit together or the sums do not add up.
        """
        try:
            arrays = in_a_row(parts, ("pairs", "sums", "seen"), "shape")
            n_slots, n_trains = (int(number) for number in arrays["shape"])
            read = cls(n_slots, n_trains, arrays["pairs"], arrays["sums"], arrays["seen"])
        except KeyError as error:
            raise ValueError(f"sums of days lack the array {error}") from None
        read.validate()
        return read

    def same_block(self, other: DaySums, block: int) -> bool:
        """Whether one block holds the same in both, to the last integer."""
        return (
            bool(self.pairs[block] == other.pairs[block])
            and np.array_equal(self.sums[block], other.sums[block])
            and np.array_equal(self.seen[block], other.seen[block])
        )
