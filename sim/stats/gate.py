"""The tests of the gate: has a figure drifted by more than delta, is it within delta, or can neither be said yet.

Axes: `j` a figure of a pairing, `b` block. Differences are taken block by block on common luck (`sim.stats.paired`); D
is their mean, se its standard error, T Student's t with B - 1 degrees of freedom.

- Minimal-effect test, hypothesis |difference| ≤ delta: p_F = min(1, 2 P(T > (|D| - delta) / se)). Figures have drifted
  where Holm's adjusted p_F is below alpha.
- Equivalence test (two one-sided tests), hypothesis |difference| ≥ delta: p_E = max(P(T > (D + delta) / se),
  P(T < (D - delta) / se)). All is equivalent when every p_E is below beta: an intersection-union test, which takes no
  correction.

The gate looks at most `len(LOOKS)` times, each time at alpha and beta divided by that number, so that both promises
hold for the whole. What was found equivalent at one look stays so.

References
----------
R. L. Berger (1982), Technometrics 24, 295 (intersection-union). S. Holm (1979), Scandinavian Journal of Statistics 6,
65. K. R. Murphy and B. Myors (1999), Journal of Applied Psychology 84, 234 (minimal-effect tests). D. J. Schuirmann
(1987), Journal of Pharmacokinetics and Biopharmaceutics 15, 657 (two one-sided tests).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, unique

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from sim.stats.blocks import Floats
from sim.stats.paired import MOST_PAIRS, Measured

__all__ = [
    "ALPHA",
    "ANCHOR_TIMES",
    "BETA",
    "LOOKS",
    "PASS_RATE",
    "Decision",
    "Evidence",
    "State",
    "decide",
    "drift_p",
    "equivalence_p",
    "evidence_of",
    "holm",
    "matches_for_delta",
    "matches_to_decide",
]

ALPHA = 0.001
"""Chance that the gate calls anything a drift although all differences are at most delta."""
BETA = 0.05
"""Chance that the gate passes although one figure has moved by delta or more."""
LOOKS = (1, 4, 16)
"""Matches at each look, as multiples of the first."""
ANCHOR_TIMES = 3.0
"""The anchor is looked at with so many deltas."""
PASS_RATE = 0.97
"""How often a game that has not changed is to pass at the last look, on other luck."""


@unique
class State(Enum):
    """What is known of a figure."""

    IDENTICAL = "identical"
    EQUIVALENT = "equivalent"
    DRIFT = "drift"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Evidence:
    """What the matches say of figures, all of one look.

    Attributes
    ----------
    difference, error
        D and its standard error, shape (J,); the error is 0 where all blocks agree.
    delta
        How large a difference has to be to matter, shape (J,).
    freedom
        Degrees of freedom, blocks less 1, shape (J,).
    """

    difference: Floats
    error: Floats
    delta: Floats
    freedom: Floats

    @property
    def p_drift(self) -> Floats:
        """p_F, shape (J,)."""
        return drift_p(self.difference, self.error, self.delta, self.freedom)

    @property
    def p_equivalent(self) -> Floats:
        """p_E, shape (J,)."""
        return equivalence_p(self.difference, self.error, self.delta, self.freedom)


@dataclass(frozen=True)
class Decision:
    """What a look says.

    Attributes
    ----------
    drift, equivalent
        Which figures have drifted, and which lie within delta, shape (J,).
    p_drift, p_equivalent
        Holm's adjusted p_F, and p_E, shape (J,).
    """

    drift: NDArray[np.bool_]
    equivalent: NDArray[np.bool_]
    p_drift: Floats
    p_equivalent: Floats


def evidence_of(changes: Sequence[Measured], deltas: Sequence[float]) -> Evidence:
    """Evidence from differences (`paired.combination`) and their deltas.

    Where there are fewer than two blocks with matches and something is left to chance the error is not a number, and
    nothing can be decided.
    """
    values = np.array([one.value for one in changes], np.float64)
    errors, freedom = np.zeros(len(changes)), np.ones(len(changes))
    for j, one in enumerate(changes):
        means = one.means[~np.isnan(one.means)]
        if one.exact:
            continue
        if means.size < 2:
            errors[j] = math.nan
            continue
        freedom[j] = means.size - 1
        if means.max() > means.min():
            errors[j] = math.sqrt(float(means.var(ddof=1)) / means.size)
    return Evidence(values, errors, np.array(deltas, np.float64), freedom)


def drift_p(difference: ArrayLike, error: ArrayLike, delta: ArrayLike, freedom: ArrayLike) -> Floats:
    """p_F of the minimal-effect test, elementwise; decided exactly (0 or 1) where the error is 0.

    Not a number in anything gives 1: what is not known is no drift.
    """
    gap = np.abs(np.asarray(difference, np.float64)) - np.asarray(delta, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = scipy.special.stdtr(np.asarray(freedom, np.float64), -gap / np.asarray(error, np.float64))
    p = np.where(np.asarray(error) == 0, np.where(gap > 0, 0.0, 1.0), np.minimum(1.0, 2 * tail))
    return np.where(np.isnan(p) | np.isnan(gap), 1.0, p)


def equivalence_p(difference: ArrayLike, error: ArrayLike, delta: ArrayLike, freedom: ArrayLike) -> Floats:
    """p_E of the two one-sided tests, elementwise; decided exactly (0 or 1) where the error is 0.

    Not a number in anything gives 1: what is not known is not equivalent.
    """
    size, limit = np.abs(np.asarray(difference, np.float64)), np.asarray(delta, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        # Of the two tails the one on the side of D is the larger.
        tail = scipy.special.stdtr(np.asarray(freedom, np.float64), (size - limit) / np.asarray(error, np.float64))
    p = np.where(np.asarray(error) == 0, np.where((size < limit) | (size == 0), 0.0, 1.0), tail)
    return np.where(np.isnan(p) | np.isnan(size), 1.0, p)


def holm(p: ArrayLike, family: int | None = None) -> Floats:
    """Holm's adjusted p-values, shape (J,).

    Parameters
    ----------
    p
        Shape (J,).
    family
        Hypotheses in all, at least J; those not given count as accepted. None: J.
    """
    raw = np.asarray(p, np.float64)
    m = raw.size if family is None else family
    order = np.argsort(raw, kind="stable")
    factors = m - np.arange(raw.size)
    adjusted = np.empty(raw.size)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * raw[order]))
    return adjusted


def decide(
    found: Evidence,
    anchor: Evidence | None = None,
    *,
    family: int | None = None,
    looks: int = len(LOOKS),
    alpha: float = ALPHA,
    beta: float = BETA,
) -> tuple[Decision, Decision]:
    """What one look says of figures against the baseline, and against the anchor.

    Parameters
    ----------
    found
        Differences from the baseline.
    anchor
        Differences from the anchor, with the anchor's deltas; None where it is the baseline.
    family
        Hypotheses of the whole gate, those included that are not looked at any more; None: those given.
    looks
        How often the gate may look.
    """
    n = found.difference.size
    p_equivalent = found.p_equivalent
    adjusted = found.p_drift
    if anchor is not None:
        adjusted = np.concatenate([adjusted, anchor.p_drift])
        p_equivalent = np.concatenate([p_equivalent, anchor.p_equivalent])
    adjusted = holm(adjusted, family)
    drift, equivalent = adjusted < alpha / looks, p_equivalent < beta / looks

    def part(which: slice) -> Decision:
        return Decision(drift[which], equivalent[which], adjusted[which], p_equivalent[which])

    return part(slice(n)), part(slice(n, None))


def matches_for_delta(
    deviation: ArrayLike,
    delta: ArrayLike,
    n_figures: int,
    n_blocks: int,
    *,
    pass_rate: float = PASS_RATE,
    looks: int = len(LOOKS),
    beta: float = BETA,
) -> Floats:
    """Matches at the last look with which an unchanged game passes on other luck, elementwise.

    The chance of not passing is spread evenly over the figures; both sides scatter, and share no luck.

    Parameters
    ----------
    deviation
        Standard deviation of a figure from match to match, as `paired.match_deviation` gives it.
    delta
        Of the figure; 0 gives infinity, or 0 where the deviation is 0 as well.
    n_figures
        Figures of the whole gate.
    n_blocks
        Blocks.
    """
    freedom = max(1, n_blocks - 1)
    tail = (1 - pass_rate) / (2 * max(1, n_figures))
    reach = float(scipy.special.stdtrit(freedom, 1 - beta / looks)) + float(scipy.special.ndtri(1 - tail))
    spread, limit = np.asarray(deviation, np.float64), np.asarray(delta, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        wanted = 2 * (reach * spread / limit) ** 2
    return np.where(spread == 0, 0.0, wanted)


def matches_to_decide(found: Evidence, matches: int, family: int, *, looks: int = len(LOOKS)) -> int | None:
    """Matches with which all figures may be expected to be decided, if every difference is what it seems to be.

    None where that cannot be said: a difference that seems to be just delta, or an error that is not known.

    Parameters
    ----------
    found
        Evidence of the figures that are undecided.
    matches
        Matches behind it.
    family
        Hypotheses of the whole gate.
    """
    far = np.abs(found.difference) > found.delta
    tails = np.where(far, ALPHA / looks / (2 * max(1, family)), BETA / looks)
    reach = scipy.special.stdtrit(found.freedom, 1 - tails)
    gap = np.abs(np.abs(found.difference) - found.delta)
    with np.errstate(divide="ignore", invalid="ignore"):
        wanted = matches * np.maximum(1.0, (reach * found.error / gap) ** 2)
    if not wanted.size or not np.isfinite(wanted).all() or wanted.max() >= MOST_PAIRS:
        return None
    return math.ceil(float(wanted.max()))
