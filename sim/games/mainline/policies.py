"""What a Superintendent's policy costs: the same deals played under each policy of the catalogue, and under its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sim.config.mainline import Admit, MainlineScenario
from sim.games.mainline.plan import MainlinePlan
from sim.running.chunks import Chunk
from sim.stats.figures import Estimate

__all__ = ["CATALOGUE", "COMPARED", "PolicyFigures", "by_policy"]

CATALOGUE: tuple[float | None, ...] = (None, 0.05, 0.2, 0.5, 1.0)
"""Policies that are compared: hold, and admit with these chances."""

COMPARED = ("collisions", "trip_stages.east", "trip_stages.west", "trip_gap", "unfinished")
"""Figures that are compared."""

MOST_DEALS = 2_000


@dataclass(frozen=True)
class PolicyFigures:
    """Figures of one policy over the first deals of a run."""

    policy: str
    own: bool
    deals: int
    estimates: tuple[Estimate, ...]


def by_policy(plan: MainlinePlan, n_days: int, *, level: float = 0.95) -> list[PolicyFigures]:
    """Play the first deals of a run under each policy; the same deals, orientations and departures under all.

    Parameters
    ----------
    n_days
        Days of the run; at most 2,000 of them are played again.
    """
    chances = sorted({*CATALOGUE, plan.scenario.admit}, key=lambda chance: -1.0 if chance is None else chance)
    return [_figures(plan, chance, min(n_days, MOST_DEALS), level) for chance in chances]


def _figures(plan: MainlinePlan, chance: float | None, n_days: int, level: float) -> PolicyFigures:
    own = chance == plan.scenario.admit
    policy: str | Admit = "hold" if chance is None else Admit(admit=chance)
    scenario: MainlineScenario = plan.scenario.model_copy(update={"policy": policy})
    other = replace(plan, scenario=scenario)
    n = other.n_pairs(n_days)
    chunk = Chunk(0, n)
    days = other.sum_rows(chunk, other.play_rows(chunk), other.n_blocks(n))
    return PolicyFigures(other.pairing_name, own, n, tuple(other.summarise(days, level=level, metrics=COMPARED)))
