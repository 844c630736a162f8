"""The mixture of bots that nobody can beat, and of all such mixtures the most even one.

In a symmetric game of two players with antisymmetric payoffs a[i, j], a mixture p of the bots that wins at least -ε
from every bot is an equilibrium with slack ε. There are many; the one of greatest entropy is unique, treats equal bots
equally, and moves little when a payoff moves little. It is found by its convex dual,

    minimise over λ ≥ 0:  log Σ_i exp((aλ)_i) + ε Σ_j λ_j,   p ∝ exp(aλ) = exp(-aᵀλ).

References
----------
L. E. Ortiz, R. E. Schapire and S. M. Kakade (2007), Maximum entropy correlated equilibria, AISTATS. D. Balduzzi, K.
Tuyls, J. Perolat and T. Graepel (2018), Re-evaluating evaluation, NeurIPS (most even mixtures as ratings).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

__all__ = ["LEAST_SLACK", "Equilibrium", "SolverFailed", "most_even_equilibrium", "slack_of"]

Floats = NDArray[np.float64]

LEAST_SLACK = 1e-3
"""Slack where payoffs are exact: without any the multipliers have no bound."""
SLACK_ERRORS = 0.25
"""Slack in standard errors of a payoff: small beside what is not known anyway."""
STAGES = (0.3, 0.1, 0.03, 0.01, 0.003)
"""Slacks that a solution from nothing goes through, from easy to hard."""
MOST_GAP = 1e-6
"""Duality gap that counts as solved: the weights are then right to √(2 * gap) in all, about 0.1%."""
MOST_VIOLATION = 1e-2
"""Part of the slack by which a solution may overstep it."""


class SolverFailed(Exception):
    """A numerical solver did not reach a solution; nothing may be concluded from that."""


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A most even equilibrium.

    Attributes
    ----------
    weights
        Of the bots, shape (n,), above 0, summing to 1.
    multipliers
        λ, shape (n,): where another solution nearby may start.
    """

    weights: Floats
    multipliers: Floats


def slack_of(typical_error: float) -> float:
    """Slack for payoffs with such a standard error."""
    return max(SLACK_ERRORS * typical_error, LEAST_SLACK)


def most_even_equilibrium(payoffs: Floats, slack: float, start: Floats | None = None) -> Equilibrium:
    """The equilibrium of greatest entropy.

    Parameters
    ----------
    payoffs
        Antisymmetric, shape (n, n).
    slack
        What it may lose at most to any bot, above 0.
    start
        Multipliers of a similar game; tried first.

    Raises
    ------
    SolverFailed
        When neither from `start` nor from nothing a solution is reached.
    """
    n = payoffs.shape[0]
    if n == 1:
        return Equilibrium(np.ones(1), np.zeros(1))
    if start is not None:
        found = _solved(payoffs, slack, start)
        if found is not None:
            return found
    multipliers = np.zeros(n)
    for stage in STAGES:
        if stage > slack:
            multipliers = _minimised(payoffs, stage, multipliers)
    found = _solved(payoffs, slack, multipliers)
    if found is None:
        raise SolverFailed("the most even equilibrium was not found to its precision")
    return found


def _solved(payoffs: Floats, slack: float, start: Floats) -> Equilibrium | None:
    """A solution that its own dual proves, or None."""
    multipliers = start
    for _ in range(3):  # a search that ends early may go on where it stopped
        multipliers = _minimised(payoffs, slack, multipliers)
        weights, _ = _weights(payoffs, multipliers)
        spare = weights @ payoffs + slack
        gap = float(multipliers @ spare)
        if float(-spare.min()) <= MOST_VIOLATION * slack and abs(gap) <= MOST_GAP:
            return Equilibrium(weights, multipliers)
    return None


def _minimised(payoffs: Floats, slack: float, start: Floats) -> Floats:
    """Multipliers at which the dual is least, as near as L-BFGS comes."""

    def dual(multipliers: Floats) -> tuple[float, Floats]:
        weights, height = _weights(payoffs, multipliers)
        return height + slack * float(multipliers.sum()), weights @ payoffs + slack

    found = optimize.minimize(
        dual,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * start.size,
        options={"maxcor": 30, "ftol": 1e-15, "gtol": 1e-9, "maxiter": 5_000, "maxfun": 20_000},
    )
    return np.asarray(found.x, np.float64)


def _weights(payoffs: Floats, multipliers: Floats) -> tuple[Floats, float]:
    """Weights proportional to exp(aλ), and the logarithm of their sum before it is made 1."""
    heights = payoffs @ multipliers
    top = float(heights.max())
    raised = np.exp(heights - top)
    total = float(raised.sum())
    return raised / total, top + math.log(total)
