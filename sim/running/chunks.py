"""One chunk: a run of pairs of one plan, played by the calling thread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Chunk", "Rows"]

Rows = npt.NDArray[np.int32]
"""One row a match, in the columns of its game."""


@dataclass(frozen=True)
class Chunk:
    """Pairs `first_pair + stride * p` for p from 0 to `n_pairs - 1`."""

    first_pair: int
    n_pairs: int
    stride: int = 1
