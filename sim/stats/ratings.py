"""Ratings of bots: how strong each is if strength were one number, and how far it is not.

Axes: `r` resample, `i` and `j` bots, `e` an ending (A won, B won, shared).

References
----------
R. R. Davidson and R. J. Beaver (1977), Biometrics 33, 693 (Bradley and Terry's model with ties and an order effect).
X. Jiang, L.-H. Lim, Y. Yao and Y. Ye (2011), Mathematical Programming 127, 203 (ratings and cycles as parts of a table
of comparisons).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.stats.equilibrium import SolverFailed
from sim.stats.payoffs import Floats, Payoffs
from sim.stats.sums import Int64s

__all__ = ["CyclicShare", "cyclic_parts", "cyclic_share", "ranks", "ratings", "resampled_cyclic_shares"]

VIRTUAL_MATCHES = 0.5
"""Added to each of the three endings of each seating, so that a bot that never loses has a rating all the same."""
MOST_STEPS = 200
LONGEST_STEP = 1.0
SOLVED = 1e-9
SAME = 1e-7
"""Ratings that differ by less are equal."""


def ratings(endings: NDArray[np.float64], matches: float) -> Floats:
    """Ratings by Bradley and Terry's model with ties and a seat term.

    With strengths s, seat A's edge h and ties τ, i in seat A and j in seat B end as "A won", "B won" and "shared" with
    probabilities proportional to exp(s_i + h/2), exp(s_j - h/2) and exp(τ + (s_i + s_j)/2). Every pairing counts the
    same, however many different matches it has.

    Parameters
    ----------
    endings
        Matches by seating and ending, shape (R, n, n, 3): [r, i, j] is i in seat A and j in seat B.
    matches
        What a seating's matches are scaled to.

    Returns
    -------
    ndarray
        Natural logarithms of strengths, mean 0, shape (R, n).

    Raises
    ------
    SolverFailed
        When Newton's steps do not settle.
    """
    n = endings.shape[1]
    seat_a, seat_b = np.nonzero(~np.eye(n, dtype=bool))
    played = endings[:, seat_a, seat_b]
    total = played.sum(axis=2, keepdims=True)
    scaled = matches * np.divide(played, total, out=np.zeros_like(played), where=total > 0) + VIRTUAL_MATCHES
    terms = _terms(n, seat_a, seat_b)
    weight = scaled.sum(axis=2)
    flat = terms.reshape(-1, n + 2)
    squares = (flat[:, :, None] * flat[:, None, :]).reshape(len(flat), -1)
    found = np.zeros((endings.shape[0], n + 2))
    gauge = np.zeros((n + 2, n + 2))
    gauge[:n, :n] = 1.0  # only differences of strengths matter: hold their sum at 0
    for _ in range(MOST_STEPS):
        chances = _chances(found @ flat.T, scaled.shape)
        slope = (scaled - weight[:, :, None] * chances).reshape(len(found), -1) @ flat - found @ gauge
        expected = np.einsum("rce,cek->rck", chances, terms)
        curved = (weight[:, :, None] * chances).reshape(len(found), -1) @ squares
        curved = curved.reshape(-1, n + 2, n + 2) - (weight[:, :, None] * expected).transpose(0, 2, 1) @ expected
        step = np.linalg.solve(curved + gauge, slope[:, :, None])[:, :, 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        found += step * np.minimum(1.0, LONGEST_STEP / np.maximum(longest, LONGEST_STEP))
        if longest.max() < SOLVED:
            strengths = found[:, :n]
            return np.asarray(strengths - strengths.mean(axis=1, keepdims=True), np.float64)
    raise SolverFailed("the ratings did not settle")


def _terms(n: int, seat_a: NDArray[np.intp], seat_b: NDArray[np.intp]) -> Floats:
    """What each ending's logarithm is a sum of: strengths, seat, ties; shape (n(n - 1), 3, n + 2)."""
    terms = np.zeros((seat_a.size, 3, n + 2))
    row = np.arange(seat_a.size)
    terms[row, 0, seat_a] = 1.0
    terms[row, 1, seat_b] = 1.0
    terms[row, 2, seat_a] = terms[row, 2, seat_b] = 0.5
    terms[:, 0, n] = 0.5
    terms[:, 1, n] = -0.5
    terms[:, 2, n + 1] = 1.0
    return terms


def _chances(logarithms: Floats, shape: tuple[int, ...]) -> Floats:
    logarithms = logarithms.reshape(shape)
    raised = np.exp(logarithms - logarithms.max(axis=2, keepdims=True))
    return np.asarray(raised / raised.sum(axis=2, keepdims=True), np.float64)


def ranks(strengths: Floats) -> Int64s:
    """Rank of each bot, 1 the strongest: one more than the number of those above it. Shape (R, n)."""
    above = strengths[:, None, :] > strengths[:, :, None] + SAME
    return np.asarray(1 + above.sum(axis=2), np.int64)


@dataclass(frozen=True)
class CyclicShare:
    """How much of a table of payoffs is no difference of ratings.

    Attributes
    ----------
    cyclic, total
        Squared norm of the cyclic part and of the whole, what noise alone adds to either subtracted.
    observed
        Cyclic share of the table as it is, noise and all.
    """

    cyclic: float
    total: float
    observed: float

    @property
    def value(self) -> float | None:
        """The share, 0 to 1; None where the payoffs do not stand out of the noise."""
        return None if self.total <= 0 else min(max(self.cyclic / self.total, 0.0), 1.0)


def cyclic_parts(tables: Floats) -> Floats:
    """The part of payoffs that no ratings r explain as r_i - r_j, by least squares; shape (…, n, n)."""
    means = tables.mean(axis=-1)
    return np.asarray(tables - (means[..., :, None] - means[..., None, :]), np.float64)


def cyclic_share(payoffs: Payoffs) -> CyclicShare:
    """Cyclic share of payoffs, with what noise adds on average to the squared norms taken off."""
    return resampled_cyclic_shares(payoffs, np.ones((1, payoffs.n_blocks), np.int64))[0]


def resampled_cyclic_shares(payoffs: Payoffs, counts: Int64s) -> list[CyclicShare]:
    """Cyclic shares of resamples that take block b `counts[r, b]` times, each with its own noise taken off."""
    tables, n_blocks = payoffs.resampled(counts), payoffs.n_blocks
    total, cyclic = (tables**2).sum(axis=(1, 2)), (cyclic_parts(tables) ** 2).sum(axis=(1, 2))
    noise = _noise(payoffs.by_block, counts)
    cyclic_noise = _noise(cyclic_parts(payoffs.by_block), counts)
    if n_blocks < 2:
        noise = cyclic_noise = np.zeros(len(counts))
    return [
        CyclicShare(float(one - its_noise), float(whole - all_noise), float(one / whole) if whole > 0 else 0.0)
        for one, its_noise, whole, all_noise in zip(cyclic, cyclic_noise, total, noise, strict=True)
    ]


def _noise(blocks: Floats, counts: Int64s) -> Floats:
    """Expected squared norm of the error of the mean of resampled blocks, shape (R,)."""
    n_blocks = blocks.shape[0]
    centred = (blocks - blocks.mean(axis=0)).reshape(n_blocks, -1)
    mean = np.einsum("rb,bk->rk", counts, centred) / n_blocks
    mean_square = np.einsum("rb,b->r", counts, (centred**2).sum(axis=1)) / n_blocks
    return np.asarray((mean_square - (mean**2).sum(axis=1)) / max(n_blocks - 1, 1), np.float64)
