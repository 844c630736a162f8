"""Bots that nobody should play: another bot, or a mixture of others, wins more against every rival.

Axes: `r` resample, `i` the bot in question, `k` one of the others, `j` the rival.

A mixture q of the other bots dominates bot i by the margin

    t = max over q of min over j of  Σ_k q_k (a[k, j] - a[i, j]),

the value of a linear programme; where t is 0 or less, no mixture does. That bot i itself is among the rivals changes
nothing of that, and that the payoff against bots alone is looked at is said wherever it is shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse

from sim.stats import intervals
from sim.stats.equilibrium import SolverFailed
from sim.stats.payoffs import Floats, Payoffs

__all__ = ["Margin", "dominance_margin", "dominance_margins", "pure_dominators"]

AT_ONCE = 250
"""Resamples whose programmes are solved side by side, as one: a solver's start costs more than such a programme."""


@dataclass(frozen=True, eq=False)
class Margin:
    """By how much a mixture of other bots beats one bot against every rival.

    Attributes
    ----------
    value
        t, from -2 to 2; above 0 it dominates.
    mixture
        Weights of the others, shape (n,), 0 for the bot itself.
    """

    value: float
    mixture: Floats


def dominance_margin(payoffs: Floats, i: int) -> Margin:
    """The margin of the best mixture against bot i.

    Parameters
    ----------
    payoffs
        Shape (n, n), n at least 2.

    Raises
    ------
    SolverFailed
        When the linear programme is not solved.
    """
    values, mixtures = _solved(payoffs[None], i)
    return Margin(float(values[0]), mixtures[0])


def dominance_margins(tables: Floats, i: int) -> Floats:
    """The margins against bot i in many tables, shape (R, n, n); shape (R,).

    Raises
    ------
    SolverFailed
        When one of the linear programmes is not solved.
    """
    parts = [_solved(tables[start : start + AT_ONCE], i)[0] for start in range(0, len(tables), AT_ONCE)]
    return np.concatenate(parts)


def _solved(tables: Floats, i: int) -> tuple[Floats, Floats]:
    """Margins and mixtures in all tables, from one linear programme with a block for each."""
    n_tables, n = tables.shape[:2]
    others = [k for k in range(n) if k != i]
    gains = tables[:, others, :] - tables[:, [i], :]
    # In each block: the n - 1 weights, then t. For every rival t - Σ q_k gain_kj is at most 0; the weights add up to 1.
    rows = np.concatenate([-gains.transpose(0, 2, 1), np.ones((n_tables, n, 1))], axis=2)
    one = sparse.csr_array(np.append(np.ones(n - 1), 0.0)[None])
    at_most: Any = sparse.block_diag(list(rows), format="csr")
    equal: Any = sparse.block_diag([one] * n_tables, format="csr")
    found = optimize.linprog(
        np.tile(np.append(np.zeros(n - 1), -1.0), n_tables),
        A_ub=at_most,
        b_ub=np.zeros(n_tables * n),
        A_eq=equal,
        b_eq=np.ones(n_tables),
        bounds=([(0, None)] * (n - 1) + [(None, None)]) * n_tables,
        method="highs",
    )
    if not found.success:
        raise SolverFailed(f"the linear programme of dominance was not solved: {found.message}")
    solution = np.asarray(found.x, np.float64).reshape(n_tables, n)
    mixtures = np.zeros((n_tables, n))
    mixtures[:, others] = solution[:, :-1]
    return solution[:, -1], mixtures


def pure_dominators(payoffs: Payoffs, n_pairs: int, level: float = 0.95) -> NDArray[np.bool_]:
    """Which bot k wins more than bot i against every rival, beyond chance; shape (n, n), [i, k].

    The differences a[k, j] - a[i, j] are taken block by block, so that luck common to both cancels out; each interval
    has to lie above 0. Where both pairings are exact the difference is.
    """
    n = payoffs.n_bots
    found = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for k in range(n):
            found[i, k] = k != i and all(_above(payoffs, k, i, j, n_pairs, level) for j in range(n))
    return found


def _above(payoffs: Payoffs, k: int, i: int, j: int, n_pairs: int, level: float) -> bool:
    difference = float(payoffs.table[k, j] - payoffs.table[i, j])
    if difference <= 0:
        return False
    if payoffs.exact[k, j] and payoffs.exact[i, j]:
        return True
    by_block = payoffs.by_block[:, k, j] - payoffs.by_block[:, i, j]
    found = intervals.mean(difference, by_block, n_pairs, level, (-2.0, 2.0))
    return found.low is not None and found.low > 0
