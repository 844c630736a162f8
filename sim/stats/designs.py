"""Designs of experiments: which points of a space of keys are looked at. Numbers only.

A point has a share from 0 to 1 (not included) for each key, or the number of a level.

References
----------
M. D. McKay, R. J. Beckman, W. J. Conover (1979), Technometrics 21, 239 (Latin hypercubes). I. M. Sobol' (1967), USSR
Computational Mathematics and Mathematical Physics 7, 86; A. B. Owen (1998), ACM Transactions on Modeling and Computer
Simulation 8, 71 (scrambling). M. D. Morris (1991), Technometrics 33, 161 (screening by trajectories).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

__all__ = ["grid", "one_at_a_time", "sampled", "screen_step", "trajectories"]


def grid(counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every combination of levels, the last key turning fastest.

    Parameters
    ----------
    counts
        Levels of each key.
    """
    return product(*(range(count) for count in counts))


def one_at_a_time(counts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Key and level of every point of which only one key is turned."""
    return ((key, level) for key, count in enumerate(counts) for level in range(count))


def sampled(design: str, n_keys: int, n_points: int, seed: int) -> NDArray[np.float64]:
    """Points of a design by chance, the same for the same seed.

    Parameters
    ----------
    design
        ``random``, ``lhs`` (a Latin hypercube: of each key every n-th part holds one point) or ``sobol`` (scrambled).
    n_keys, n_points
        Size of the design; with ``sobol`` a power of two.
    seed
        Any whole number from 0 on.

    Returns
    -------
    array
        Shares, shape (n_points, n_keys), each at least 0 and below 1.

    Raises
    ------
    ValueError
        If there is no such design.
    """
    from scipy.stats import qmc

    rng = np.random.default_rng(seed)
    if design == "random":
        return rng.random((n_points, n_keys))
    if design == "lhs":
        points = qmc.LatinHypercube(n_keys, seed=rng).random(n_points)
    elif design == "sobol":
        points = qmc.Sobol(n_keys, seed=rng).random(n_points)
    else:
        raise ValueError(f"design is {design!r}; must be random, lhs or sobol")
    return np.minimum(np.asarray(points, np.float64), np.nextafter(1.0, 0.0))


def screen_step(count: int) -> int:
    """Levels that a step of a screen goes up or down: half of them, rounded down, at least one."""
    return max(1, count // 2)


def trajectories(counts: Sequence[int], n_trajectories: int, seed: int) -> NDArray[np.int64]:
    """Morris trajectories: from a point by chance, every key makes one step, in an order by chance.

    Steps are whole levels (`screen_step`), up or down with the same chance.

    Parameters
    ----------
    counts
        Levels of each key, two or more.
    n_trajectories
        How many.
    seed
        Any whole number from 0 on.

    Returns
    -------
    array
        Levels, shape (trajectories, keys + 1, keys); two points that follow each other differ in one key.
    """
    rng = np.random.default_rng(seed)
    sizes = np.array(counts, np.int64)
    steps = np.array([screen_step(count) for count in counts], np.int64)
    found = np.empty((n_trajectories, len(counts) + 1, len(counts)), np.int64)
    for path in found:
        low = rng.integers(0, sizes - steps)
        down = rng.random(len(counts)) < 0.5
        path[:] = np.where(down, low + steps, low)
        for place, key in enumerate(rng.permutation(len(counts))):
            path[place + 1 :, key] += -steps[key] if down[key] else steps[key]
    return found
