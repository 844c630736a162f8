"""Screening by trajectories: how far each key moves a figure, and whether more than noise was seen.

Axes: `e` elementary effect (a step of the key, all others standing still, divided by how much of the key's way it is),
`s` namespace of the random streams. Every effect is measured in several namespaces, which share no luck; their mean is
the effect, and how they scatter says how well it is known.

References
----------
M. D. Morris (1991), Technometrics 33, 161. F. Campolongo, J. Cariboni, A. Saltelli (2007), Environmental Modelling &
Software 22, 1509 (mu*).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["RESOLVED_FLOORS", "Screened", "screened"]

RESOLVED_FLOORS = 2.0
"""A size is resolved when it is at least so many times the noise floor."""

HALF_NORMAL = math.sqrt(2 / math.pi)
"""Mean size of a normal variable of standard error 1: what noise alone looks like."""


@dataclass(frozen=True)
class Screened:
    """What a key does to a figure over its whole way, from the first level to the last.

    Attributes
    ----------
    mu
        Mean of the elementary effects; that of a key that works both ways may be near 0.
    mu_star
        Mean of their sizes.
    sigma
        Standard deviation of the elementary effects: large where the key works otherwise elsewhere, alone or together
        with other keys.
    floor
        Noise floor: what `mu_star` would be expected to be if the key did nothing, sqrt(2/pi) times the standard error
        of an effect. 0 where nothing is left to chance.
    resolved
        Whether `mu_star` is at least twice the floor, and not 0.
    n_effects
        Elementary effects.
    n_resolved
        Those that are at least twice their own floor, and not 0.
    """

    mu: float
    mu_star: float
    sigma: float
    floor: float
    resolved: bool
    n_effects: int
    n_resolved: int

    @property
    def still(self) -> bool:
        """Whether every effect is exactly 0."""
        return self.mu_star == 0.0 and self.floor == 0.0


def screened(effects: NDArray[np.float64]) -> Screened | None:
    """Morris' measures of one key and one figure.

    Parameters
    ----------
    effects
        Shape (e, s). Effects that are not a number in some namespace, such as of a figure without a match, are left
        out. With one namespace nothing is left to chance.

    Returns
    -------
    Screened or None
        None without an effect.
    """
    known = effects[~np.isnan(effects).any(axis=1)]
    if not len(known):
        return None
    n_namespaces = known.shape[1]
    means = known.mean(axis=1)
    errors = known.std(axis=1, ddof=1) / math.sqrt(n_namespaces) if n_namespaces > 1 else np.zeros(len(known))
    floor = HALF_NORMAL * math.sqrt(float((errors**2).mean()))
    size = float(np.abs(means).mean())
    own = np.abs(means) >= RESOLVED_FLOORS * HALF_NORMAL * errors
    return Screened(
        mu=float(means.mean()),
        mu_star=size,
        sigma=float(means.std(ddof=1)) if len(known) > 1 else 0.0,
        floor=floor,
        resolved=size > 0 and size >= RESOLVED_FLOORS * floor,
        n_effects=len(known),
        n_resolved=int(np.count_nonzero(own & (means != 0))),
    )
