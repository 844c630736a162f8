"""Blocks: parts joined block after block, and block means of several figures at once.

Axes: `v` figure, `b` block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["by_known_blocks", "in_a_row", "variances"]

Floats = NDArray[np.float64]
Int64s = NDArray[np.int64]


def in_a_row(parts: Sequence[Mapping[str, Int64s]], by_block: Iterable[str], alike: str) -> Mapping[str, Int64s]:
    """The arrays of all parts joined; what does not depend on the blocks is that of the first.

    Parameters
    ----------
    parts
        Arrays by name, `pairs` among them; one part or more.
    by_block
        Names of the arrays whose first axis is the block.
    alike
        Name of an array that must be the same in all parts.

    Raises
    ------
    KeyError
        If an array is missing.
    ValueError
        If the parts do not fit together.
    """
    if len(parts) == 1:
        return parts[0]
    for part in parts:
        for name in by_block:
            if len(part[name]) != len(part["pairs"]):
                raise ValueError(f"{name} has {len(part[name])} blocks, must have {len(part['pairs'])}")
        if not np.array_equal(part[alike], parts[0][alike]):
            raise ValueError(f"{alike} is {part[alike].tolist()} in one part and {parts[0][alike].tolist()} in another")
    return {**parts[0], **{name: np.concatenate([part[name] for part in parts]) for name in by_block}}


def variances(means: Floats) -> Floats:
    """Sample variances of the block means of several figures, shape (V, B) in C order, B two or more: shape (V,).

    Of each figure `var(ddof=1)` to the last bit, which depends on the order of the blocks alone: in C order they lie
    beside each other, as those of a single figure do.
    """
    n_blocks = means.shape[1]
    off = means - np.add.reduce(means, axis=1, keepdims=True) / n_blocks
    return np.asarray(np.add.reduce(off * off, axis=1) / (n_blocks - 1))


def by_known_blocks(means: Floats) -> Iterator[tuple[list[int], Floats]]:
    """Figures by the blocks that have matches: where all have, at once, and each other one alone.

    Parameters
    ----------
    means
        Block by block, not a number where a block has no match, shape (V, B).

    Yields
    ------
    tuple
        Places of figures, and their means in the blocks that have matches, in C order.
    """
    if not np.isnan(np.add.reduce(means, axis=None)):
        yield list(range(len(means))), np.ascontiguousarray(means)
        return
    empty = np.isnan(means)
    gaps = empty.any(axis=1)
    whole = np.flatnonzero(~gaps)
    if whole.size:
        yield whole.tolist(), means[whole]
    for place in np.flatnonzero(gaps).tolist():
        yield [place], means[place, ~empty[place]][None]
