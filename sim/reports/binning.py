"""Grouping exact histograms of points for pictures: whole numbers in bins of one width, with 0 on its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Int64s = NDArray[np.int64]

WIDTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)


@dataclass(frozen=True)
class Binned:
    """A histogram of whole numbers in bins.

    Attributes
    ----------
    first, last
        Least and greatest value of each bin, shape (n,), without gaps; empty bins in between are there too.
    counts
        Matches in each bin, shape (n,).
    width
        Values in a bin, save in that of 0, which is alone.
    open_below, open_above
        Whether the outermost bin takes in all that lies beyond it as well.
    """

    first: Int64s
    last: Int64s
    counts: Int64s
    width: int
    open_below: bool = False
    open_above: bool = False


def binned(values: Int64s, counts: Int64s, most_bins: int, *, tail: float = 0.0) -> Binned:
    """Put a histogram of whole numbers into at most so many bins of a round width.

    Parameters
    ----------
    values
        Whole numbers, sorted, distinct, shape (V,), V at least 1.
    counts
        Matches with each, shape (V,).
    most_bins
        At least 3.
    tail
        Share of the matches at either end for which no bins are made: the outermost bins take them in.
    """
    below = np.cumsum(counts) / counts.sum()
    low_value = int(values[np.searchsorted(below, tail, side="right")]) if tail else int(values[0])
    high_value = int(values[np.searchsorted(below, 1 - tail)]) if tail else int(values[-1])
    for width in WIDTHS:
        low, high = _bin_of(low_value, width), _bin_of(high_value, width)
        if high - low < most_bins:
            break
    # Bins to spare show the tails as they are.
    whole = _bin_of(int(values[0]), width), _bin_of(int(values[-1]), width)
    spare = most_bins - (high - low + 1)
    low, high = max(whole[0], low - spare // 2), min(whole[1], high + spare // 2)
    bins = np.arange(low, high + 1, dtype=np.int64)
    first = np.where(bins > 0, (bins - 1) * width + 1, bins * width)
    last = np.where(bins < 0, (bins + 1) * width - 1, bins * width)
    inside = np.zeros(bins.size, dtype=np.int64)
    places = [min(max(_bin_of(int(value), width), low), high) - low for value in values]
    np.add.at(inside, places, counts)
    return Binned(first.astype(np.int64), last.astype(np.int64), inside, width, low > whole[0], high < whole[1])


def _bin_of(value: int, width: int) -> int:
    """Bin of a value: 0 for 0 alone, 1 for 1 to `width`, -1 for -1 to -`width`, and so on."""
    size = (abs(value) + width - 1) // width
    return size if value >= 0 else -size
