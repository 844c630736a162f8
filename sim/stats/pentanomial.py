"""Pair statistics as chess testing keeps them: five outcomes of a pair, Elo, normalised Elo and likelihood ratio.

A pair's score is 0, 1/4, 1/2, 3/4 or 1 of what could be won. Elo is a score on the logistic scale; normalised Elo is
the score's distance from one half in standard deviations of a match, so that it says how many matches a difference
takes to be seen.

References
----------
M. Van den Bergh, "Normalized Elo" and "A practical introduction to the GSPRT" (the mathematics of the Fishtest server).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from sim.stats.sums import N_PAIR_SCORES, Int64s

ELO_PER_LOGIT = 400 / math.log(10)
NELO_PER_SIGMA = 800 / math.log(10)


@dataclass(frozen=True)
class PairScore:
    """Mean and spread of the pairs' scores.

    Attributes
    ----------
    n_pairs
        Number of pairs.
    mean
        Mean score of a pair, 0 to 1.
    deviation
        Standard deviation of a pair's score (divisor: the number of pairs).
    """

    n_pairs: int
    mean: float
    deviation: float

    @property
    def effect(self) -> float:
        """Distance of the mean from one half in standard deviations of a pair.

        Raises
        ------
        ValueError
            If all pairs ended alike: then no distance can be told.
        """
        if self.deviation == 0:
            raise ValueError("all pairs ended alike: their scores have no deviation to measure by")
        return (self.mean - 0.5) / self.deviation


def pair_score(pair_scores: Int64s) -> PairScore:
    """Mean and deviation over pairs.

    Parameters
    ----------
    pair_scores
        Pairs by twice the first bot's total score, 0 to 4, shape (5,) or block by block (B, 5).

    Raises
    ------
    ValueError
        If there is no pair.
    """
    counts = pair_scores.reshape(-1, N_PAIR_SCORES).sum(axis=0)
    n_pairs = int(counts.sum())
    if n_pairs == 0:
        raise ValueError("no pair was played")
    quarters = np.arange(N_PAIR_SCORES, dtype=np.int64)
    total, squared = int(counts @ quarters), int(counts @ quarters**2)
    # In whole numbers until the root, so that pairs that all ended alike have a deviation of exactly 0.
    variance = (n_pairs * squared - total**2) / (4 * n_pairs) ** 2
    return PairScore(n_pairs, total / (4 * n_pairs), math.sqrt(variance))


def elo(pair_scores: Int64s, level: float = 0.95) -> tuple[float, float]:
    """Elo, 400 log10(s / (1 - s)), and its half-width: half the span of the Elos of s -+ z sigma / sqrt(pairs).

    Raises
    ------
    ValueError
        If the score or an end of its interval is 0 or 1 or beyond: no finite Elo.
    """
    score = pair_score(pair_scores)
    half = _normal_quantile(level) * score.deviation / math.sqrt(score.n_pairs)
    low, high = score.mean - half, score.mean + half
    if low <= 0 or high >= 1:
        raise ValueError("the score's interval reaches 0 or 1: it has no finite Elo")
    return _logistic(score.mean), (_logistic(high) - _logistic(low)) / 2


def normalised_elo(pair_scores: Int64s, level: float = 0.95) -> tuple[float, float]:
    """Normalised Elo, 800/ln 10 * (mean - 1/2) / (sigma * sqrt 2), and its half-width, 800/ln 10 * z / sqrt(2 pairs).

    Sigma is of pairs; sigma * sqrt 2 is what a match would have if the two of a pair were independent.
    """
    score = pair_score(pair_scores)
    half = NELO_PER_SIGMA * _normal_quantile(level) / math.sqrt(2 * score.n_pairs)
    return NELO_PER_SIGMA * score.effect / math.sqrt(2), half


def log_likelihood_ratio(pair_scores: Int64s, low: float, high: float) -> float:
    """Log-likelihood ratio of normalised Elo `high` against `low`.

    N/2 ln((1 + (t - t0)^2) / (1 + (t - t1)^2)), N pairs, t their effect in deviations, t0 and t1 the bounds on that
    scale: the ratio for a normal mean with unknown deviation (generalised sequential probability ratio test).
    """
    score = pair_score(pair_scores)
    t_low, t_high = (bound / NELO_PER_SIGMA * math.sqrt(2) for bound in (low, high))
    ratio = (1 + (score.effect - t_low) ** 2) / (1 + (score.effect - t_high) ** 2)
    return score.n_pairs / 2 * math.log(ratio)


def _logistic(share: float) -> float:
    return ELO_PER_LOGIT * math.log(share / (1 - share))


def _normal_quantile(level: float) -> float:
    return float(scipy.special.ndtri(0.5 + level / 2))
