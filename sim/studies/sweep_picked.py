"""What `pick: best` found: the rounds of the search, and the finalists on luck of their own."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from enum import Enum, unique
from typing import Any

from sim.stats.goals import GoalResult, GoalVerdict, overall
from sim.stats.standing import Standing

__all__ = ["Apart", "Finalist", "Pick", "PickRound"]


@unique
class Apart(Enum):
    """What fresh luck says of another finalist, beside the one that was best."""

    BEST = "best"
    WORSE = "worse"
    BETTER = "better"
    OPEN = "not told apart"


@dataclass(frozen=True)
class PickRound:
    """One round: parts that every cell in it had, and how the cells stood, the best first."""

    parts: int
    standings: tuple[tuple[int, Standing], ...]


@dataclass(frozen=True)
class Finalist:
    """One of the last cells.

    Attributes
    ----------
    cell, label
        Which.
    searched
        How it stood when it was chosen: too well, since it was chosen for it.
    fresh
        How it stands on luck of its own; None where it failed there.
    n_matches
        Of the fresh ones.
    goals
        What is known of each goal from the fresh matches alone.
    apart
        Whether it can be told from the best.
    """

    cell: int
    label: str
    searched: Standing
    fresh: Standing | None
    n_matches: int
    goals: tuple[GoalResult, ...]
    apart: Apart

    @property
    def verdict(self) -> GoalVerdict | None:
        """Of all goals together, from the fresh matches; None where there are none."""
        return overall(self.goals) if self.goals else None


@dataclass(frozen=True)
class Pick:
    """What was picked, and on which way.

    Attributes
    ----------
    rounds
        Of the search.
    finalists
        The best first, then the others as they stood.
    share
        Matches played, those on fresh luck included, as a share of what all cells alike would get.
    """

    rounds: tuple[PickRound, ...]
    finalists: tuple[Finalist, ...]
    share: float

    @property
    def best(self) -> Finalist:
        """The one that stood best in the search."""
        return self.finalists[0]

    def as_dict(self) -> dict[str, Any]:
        """The entry of `sweep.json`."""
        return {
            "share": self.share,
            "rounds": [
                {"parts": one.parts, "standings": [{"cell": cell, **_plain(own)} for cell, own in one.standings]}
                for one in self.rounds
            ],
            "finalists": [
                {
                    "cell": one.cell,
                    "label": one.label,
                    "searched": _plain(one.searched),
                    "fresh": None if one.fresh is None else _plain(one.fresh),
                    "matches": one.n_matches,
                    "goals": [goal.as_dict() for goal in one.goals],
                    "verdict": None if one.verdict is None else one.verdict.value,
                    "apart": one.apart.value,
                }
                for one in self.finalists
            ],
        }


def _plain(own: Standing) -> dict[str, Any]:
    return {name: value if math.isfinite(value) else None for name, value in asdict(own).items()}
