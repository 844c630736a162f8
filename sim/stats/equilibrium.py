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

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

__all__ = ["LEAST_SLACK", "Equilibrium", "SolverFailed", "most_even_equilibria", "most_even_equilibrium", "slack_of"]

Floats = NDArray[np.float64]

LEAST_SLACK = 1e-3
"""Slack where payoffs are exact: without any the multipliers have no bound."""
AT_ONCE = 250
"""Games that are solved together: a step of the search costs more than its arithmetic."""
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
        λ, shape (n,): where the search for a similar game's may start.
    """

    weights: Floats
    multipliers: Floats


def slack_of(typical_error: float) -> float:
    """Slack for payoffs with such a standard error."""
    return max(SLACK_ERRORS * typical_error, LEAST_SLACK)


def most_even_equilibrium(payoffs: Floats, slack: float) -> Equilibrium:
    """The equilibrium of greatest entropy.

    Parameters
    ----------
    payoffs
        Antisymmetric, shape (n, n).
    slack
        What it may lose at most to any bot, above 0.

    Raises
    ------
    SolverFailed
        When no solution is reached.
    """
    multipliers = np.zeros((1, payoffs.shape[0]))
    for stage in STAGES:
        if stage > slack:
            multipliers = _minimised(payoffs[None], stage, multipliers)
    for _ in range(3):  # a search that ended early may go on where it stopped
        multipliers = _minimised(payoffs[None], slack, multipliers)
        weights, _ = _weights(payoffs[None], multipliers)
        if _solved(payoffs[None], slack, multipliers, weights)[0]:
            return Equilibrium(weights[0], multipliers[0])
    raise SolverFailed("the most even equilibrium was not found to its precision")


def most_even_equilibria(tables: Floats, slack: float, start: Floats) -> Floats:
    """Weights of the equilibria of many similar games, shape (R, n).

    Their duals add up to one, which is searched for all of them together; what that leaves unsolved is solved alone.

    Parameters
    ----------
    tables
        Payoffs of each, shape (R, n, n).
    slack
        As for one.
    start
        Multipliers of a game near all of them, shape (n,).

    Raises
    ------
    SolverFailed
        When one of them is not reached.
    """
    parts = []
    for first in range(0, len(tables), AT_ONCE):
        some = tables[first : first + AT_ONCE]
        multipliers = _minimised(some, slack, np.tile(start, (len(some), 1)))
        weights, _ = _weights(some, multipliers)
        for r in np.flatnonzero(~_solved(some, slack, multipliers, weights)):
            weights[r] = most_even_equilibrium(some[r], slack).weights
        parts.append(weights)
    return np.concatenate(parts)


def _solved(tables: Floats, slack: float, multipliers: Floats, weights: Floats) -> NDArray[np.bool_]:
    """Which solutions their own duals prove, shape (R,)."""
    spare = _against(tables, weights) + slack
    gap = np.abs((multipliers * spare).sum(axis=1))
    return np.asarray((-spare.min(axis=1) <= MOST_VIOLATION * slack) & (gap <= MOST_GAP))


def _minimised(tables: Floats, slack: float, start: Floats) -> Floats:
    """Multipliers at which the sum of the duals is least, as near as L-BFGS comes; shape (R, n)."""

    def dual(flat: Floats) -> tuple[float, Floats]:
        multipliers = flat.reshape(start.shape)
        weights, heights = _weights(tables, multipliers)
        return float(heights.sum() + slack * flat.sum()), (_against(tables, weights) + slack).ravel()

    found = optimize.minimize(
        dual,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        bounds=optimize.Bounds(np.zeros(start.size), np.full(start.size, np.inf)),
        options={"maxcor": 20, "ftol": 1e-15, "gtol": 1e-9, "maxiter": 5_000, "maxfun": 20_000},
    )
    return np.asarray(found.x, np.float64).reshape(start.shape)


def _weights(tables: Floats, multipliers: Floats) -> tuple[Floats, Floats]:
    """Weights proportional to exp(aλ), shape (R, n), and the logarithms of their sums before these are made 1."""
    heights = np.einsum("rij,rj->ri", tables, multipliers)
    top = heights.max(axis=1, keepdims=True)
    raised = np.exp(heights - top)
    total = raised.sum(axis=1, keepdims=True)
    return raised / total, (top + np.log(total))[:, 0]


def _against(tables: Floats, weights: Floats) -> Floats:
    """What the mixtures win from each bot, shape (R, n)."""
    return np.asarray(np.einsum("ri,rij->rj", weights, tables), np.float64)
