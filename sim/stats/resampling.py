"""Bootstrap over blocks: which blocks each resample takes, and percentile limits that are as wide as Student's.

Axes: `r` resample, `b` block.

References
----------
B. Efron (1979), Annals of Statistics 7, 1. T. C. Hesterberg (2015), The American Statistician 69, 371 (percentile
limits widened for few units).
"""

from __future__ import annotations

import math

import numpy as np
import scipy
from numpy.typing import NDArray

from sim.stats.intervals import MIN_UNITS, t_quantile

__all__ = ["BOOTSTRAP", "RESAMPLES", "can_resample", "percentile_limits", "resampled_blocks"]

BOOTSTRAP = "bootstrap"
RESAMPLES = 1_000

Floats = NDArray[np.float64]


def can_resample(n_blocks: int) -> bool:
    """Whether there are blocks enough for an interval."""
    return n_blocks >= MIN_UNITS


def resampled_blocks(n_blocks: int, n_resamples: int, seed: int) -> NDArray[np.int64]:
    """How often each resample takes each block, the same for the same seed.

    Returns
    -------
    ndarray
        Shape (R, B); every row sums to B.
    """
    drawn = np.random.Generator(np.random.Philox(key=seed)).integers(0, n_blocks, size=(n_resamples, n_blocks))
    drawn += n_blocks * np.arange(n_resamples, dtype=np.int64)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=n_resamples * n_blocks)
    return counts.reshape(n_resamples, n_blocks).astype(np.int64)


def percentile_limits(values: Floats, n_blocks: int, level: float = 0.95) -> tuple[Floats, Floats]:
    """Percentiles of resampled values between which the truth is taken to lie.

    The tails are those of a normal variable at Student's quantile times √(B / (B - 1)), so that the limits of a mean
    would be those of the t interval.

    Parameters
    ----------
    values
        Shape (R, …).
    n_blocks
        Blocks B that were resampled.
    level
        Confidence.
    """
    reach = t_quantile(n_blocks, level) * math.sqrt(n_blocks / (n_blocks - 1))
    tail = float(scipy.special.ndtr(-reach))
    low, high = np.quantile(values, [tail, 1 - tail], axis=0)
    return np.asarray(low, np.float64), np.asarray(high, np.float64)
