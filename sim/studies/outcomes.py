"""How each match of a plan ended, match by match: what two scenarios are set against each other by.

Axes: `m` match.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from sim.games.game import Plan
from sim.running.chunks import Chunk, Rows

__all__ = ["NO_WINNER", "UNPLAYED", "Outcomes", "TellsWinners"]

UNPLAYED = -1
NO_WINNER = 3


@runtime_checkable
class TellsWinners(Protocol):
    """A plan of a game whose matches are won."""

    def winners(self, rows: Rows) -> npt.NDArray[np.int8]:
        """Who won each match, int8 [m]: 0 and 1 the seats, 2 shared, `NO_WINNER` where there is no result."""


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The end of every match, written chunk by chunk, each match by one thread.

    Attributes
    ----------
    winners
        int8 [m] as of `TellsWinners`, or `UNPLAYED`; `NO_WINNER` throughout in a game that nobody wins.
    prints
        uint64 [m]: a fingerprint of all that the match's row holds.
    """

    winners: npt.NDArray[np.int8]
    prints: npt.NDArray[np.uint64]

    @classmethod
    def of(cls, n_matches: int) -> Outcomes:
        """None of so many matches is played yet."""
        return cls(np.full(n_matches, UNPLAYED, np.int8), np.zeros(n_matches, np.uint64))

    def enter(self, plan: Plan, chunk: Chunk, rows: Rows) -> None:
        """Enter a chunk's rows, in place."""
        start = chunk.first_pair * plan.n_swaps
        place = slice(start, start + rows.shape[0])
        self.winners[place] = plan.winners(rows) if isinstance(plan, TellsWinners) else NO_WINNER
        self.prints[place] = fingerprints(rows)

    def flipped(self, other: Outcomes) -> npt.NDArray[np.bool_]:
        """Matches with another winner than the other's; those without a result on either side are none, [m]."""
        counted = (self.winners != NO_WINNER) & (other.winners != NO_WINNER)
        return np.asarray(counted & (self.winners != other.winners), np.bool_)

    def changed(self, other: Outcomes) -> npt.NDArray[np.bool_]:
        """Matches of which any figure is another than the other's, [m]."""
        return np.asarray(self.prints != other.prints, np.bool_)


def fingerprints(rows: Rows) -> npt.NDArray[np.uint64]:
    """64 bits of every row, uint64 [m]: equal rows have equal ones, unequal rows hardly ever."""
    found = np.full(rows.shape[0], 0x9E3779B97F4A7C15, np.uint64)
    for k in range(rows.shape[1]):
        # Steele, Lea and Flood's mixing step (splitmix64), column after column; wraps around as it is meant to.
        found ^= rows[:, k].astype(np.int64).view(np.uint64)
        found *= np.uint64(0xBF58476D1CE4E5B9)
        found ^= found >> np.uint64(29)
    return found
