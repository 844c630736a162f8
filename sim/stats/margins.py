"""Exact histograms of the margin between the seats, block by block.

Axes: `b` block, `s` swap, `v` a value of the histogram.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernels.codes import Pairing

__all__ = ["N_SWAPS", "MarginHistogram", "check_array", "first_margins", "spreads"]

Int64s = NDArray[np.int64]

N_SWAPS = 2


@dataclass(frozen=True, eq=False)
class MarginHistogram:
    """Exact histogram of the margin between the seats.

    Attributes
    ----------
    values
        Points of seat A minus points of seat B, shape (V,), sorted and distinct.
    counts
        Matches of wholly legal, finished pairs by block, swap and value, shape (B, 2, V).
    """

    values: Int64s
    counts: Int64s

    def check(self, n_blocks: int) -> None:
        """ValueError when the arrays are not what they must be for so many blocks."""
        check_array("margin_values", self.values, (self.values.size,))
        check_array("margin_counts", self.counts, (n_blocks, N_SWAPS, self.values.size))
        if (self.values[1:] <= self.values[:-1]).any():
            raise ValueError("margin_values are not sorted and distinct")

    def of_block(self, block: int) -> list[tuple[int, ...]]:
        """What one block holds: value, matches of swap 0 and of swap 1, for each value that occurred in it."""
        counts = self.counts[block]
        seen = counts.any(axis=0)
        return [(int(value), *map(int, counts[:, v])) for v, value in enumerate(self.values) if seen[v]]

    def __add__(self, other: MarginHistogram) -> MarginHistogram:
        """Counts added value by value; values that never occurred are left out of the result."""
        values = np.union1d(self.values, other.values).astype(np.int64)
        counts = np.zeros((*self.counts.shape[:2], values.size), dtype=np.int64)
        for part in (self, other):
            counts[:, :, np.searchsorted(values, part.values)] += part.counts
        return _seen(values, counts)

    @classmethod
    def in_a_row(cls, parts: Sequence[MarginHistogram]) -> MarginHistogram:
        """Histogram of the blocks of all parts, one part after the other, over the values that occurred in any.

        Raises
        ------
        ValueError
            If the arrays of a part are not what they must be.
        """
        if len(parts) == 1:
            return parts[0]
        for part in parts:
            part.check(len(part.counts))
        values = np.unique(np.concatenate([part.values for part in parts]))
        counts = np.zeros((sum(len(part.counts) for part in parts), N_SWAPS, values.size), dtype=np.int64)
        start = 0
        for part in parts:
            stop = start + len(part.counts)
            counts[start:stop, :, np.searchsorted(values, part.values)] = part.counts
            start = stop
        return _seen(values, counts)


def check_array(name: str, array: Int64s, shape: tuple[int, ...]) -> None:
    """ValueError when an array of sums is of another type or shape."""
    if array.dtype != np.int64:
        raise ValueError(f"{name} is {array.dtype}, must be int64")
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}, must be {shape}")


def _seen(values: Int64s, counts: Int64s) -> MarginHistogram:
    """Without the values that never occurred."""
    seen = counts.any(axis=(0, 1))
    return MarginHistogram(values, counts) if seen.all() else MarginHistogram(values[seen], counts[:, :, seen])


def first_margins(margins: MarginHistogram, pairing: Pairing) -> tuple[Int64s, Int64s]:
    """Histogram of the first bot's points minus the second's: values, shape (V,), and counts by block, (B, V)."""
    if pairing != Pairing.SEATS:
        return margins.values, np.asarray(margins.counts.sum(axis=1), dtype=np.int64)
    return _rebinned(
        np.concatenate([margins.values, -margins.values]),
        np.concatenate([margins.counts[:, 0], margins.counts[:, 1]], axis=1),
    )


def spreads(margins: MarginHistogram) -> tuple[Int64s, Int64s]:
    """Histogram of the absolute margin: values, shape (V,), and counts by block, (B, V)."""
    return _rebinned(np.abs(margins.values), np.asarray(margins.counts.sum(axis=1), dtype=np.int64))


def _rebinned(values: Int64s, counts: Int64s) -> tuple[Int64s, Int64s]:
    distinct, place = np.unique(values, return_inverse=True)
    binned = np.zeros((counts.shape[0], distinct.size), dtype=np.int64)
    np.add.at(binned.T, place, counts.T)
    seen = binned.any(axis=0)
    return distinct[seen], binned[:, seen]
