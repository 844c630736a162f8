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
    """

    first: Int64s
    last: Int64s
    counts: Int64s
    width: int


def binned(values: Int64s, counts: Int64s, most_bins: int) -> Binned:
    """Put a histogram of whole numbers into at most so many bins of a round width.

    Parameters
    ----------
    values
        Whole numbers, distinct, shape (V,), V at least 1.
    counts
        Matches with each, shape (V,).
    most_bins
        At least 3.
    """
    widest = WIDTHS[-1]
    for width in WIDTHS:
        low, high = _bin_of(int(values.min()), width), _bin_of(int(values.max()), width)
        if high - low < most_bins:
            widest = width
            break
    low, high = _bin_of(int(values.min()), widest), _bin_of(int(values.max()), widest)
    bins = np.arange(low, high + 1, dtype=np.int64)
    first = np.where(bins > 0, (bins - 1) * widest + 1, bins * widest)
    last = np.where(bins < 0, (bins + 1) * widest - 1, bins * widest)
    inside = np.zeros(bins.size, dtype=np.int64)
    places = [_bin_of(int(value), widest) - low for value in values]
    np.add.at(inside, places, counts)
    return Binned(first.astype(np.int64), last.astype(np.int64), inside, widest)


def _bin_of(value: int, width: int) -> int:
    """Bin of a value: 0 for 0 alone, 1 for 1 to `width`, -1 for -1 to -`width`, and so on."""
    size = (abs(value) + width - 1) // width
    return size if value >= 0 else -size
