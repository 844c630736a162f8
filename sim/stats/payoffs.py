"""What every bot wins from every other, block by block: the one table that the meta-game is computed from.

Axes: `b` block, `i` the bot of the row, `j` its rival, `r` resample. A payoff is twice the score minus 1, from -1
(loses every match) to 1. What one bot wins its rival loses, so that payoffs are antisymmetric, exactly: they are ratios
of whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kernels.codes import Outcome, Pairing
from sim.stats.sums import BlockSums, Int64s

__all__ = ["Payoffs", "Played"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Played:
    """One pairing of a table of payoffs.

    Attributes
    ----------
    i, j
        Places of the first and the second bot.
    sums
        What they played; None for two bots that are one by declaration: their payoff is 0 by symmetry.
    exact
        Nothing is left to chance: the payoff is known, and the same in every block.
    """

    i: int
    j: int
    sums: BlockSums | None
    exact: bool = False


@dataclass(frozen=True, eq=False)
class Payoffs:
    """Whole-number sums under all payoffs, on common blocks.

    Attributes
    ----------
    bots
        Names, n of them.
    gains
        Matches that i won from j minus those it lost, int64, shape (B, n, n), antisymmetric in i and j.
    matches
        Matches that count, int64, shape (B, n, n), symmetric; the payoff is gains over matches.
    endings
        Matches with i in seat A and j in seat B that A won, B won, and shared, int64, shape (B, n, n, 3).
    exact
        Pairings that leave nothing to chance, each the same in all blocks; the diagonal is such. Shape (n, n).
    """

    bots: tuple[str, ...]
    gains: Int64s
    matches: Int64s
    endings: Int64s
    exact: NDArray[np.bool_]

    @classmethod
    def of(cls, bots: Iterable[str], pairings: Iterable[Played]) -> Payoffs:
        """Payoffs of all pairings of bots, each given once, in either order.

        Raises
        ------
        ValueError
            If a pairing is missing, or chance ones have different numbers of blocks.
        """
        names, played = tuple(bots), list(pairings)
        sizes = {pairing.sums.n_blocks for pairing in played if pairing.sums is not None and not pairing.exact}
        if len(sizes) > 1:
            raise ValueError(f"pairings have {sorted(sizes)} blocks; must have the same")
        n_blocks = sizes.pop() if sizes else 1
        n = len(names)
        gains = np.zeros((n_blocks, n, n), np.int64)
        matches = np.zeros((n_blocks, n, n), np.int64)
        endings = np.zeros((n_blocks, n, n, 3), np.int64)
        exact = np.eye(n, dtype=bool)
        seen = np.eye(n, dtype=bool)
        matches[:, range(n), range(n)] = 1
        for pairing in played:
            i, j = pairing.i, pairing.j
            if seen[i, j]:
                raise ValueError(f"{names[i]} and {names[j]} are given twice")
            seen[i, j] = seen[j, i] = True
            exact[i, j] = exact[j, i] = pairing.exact or pairing.sums is None
            if pairing.sums is None:
                matches[:, [i, j], [j, i]] = 1
                continue
            gain, counted = _gains(pairing.sums)
            gains[:, i, j], gains[:, j, i] = gain, -gain
            matches[:, i, j] = matches[:, j, i] = counted
            endings[:, i, j], endings[:, j, i] = _endings(pairing.sums)
        if not seen.all():
            i, j = (int(places[0]) for places in np.nonzero(~seen))
            raise ValueError(f"{names[i]} and {names[j]} have not played")
        return cls(names, gains, matches, endings, exact)

    @property
    def n_bots(self) -> int:
        """Number of bots."""
        return len(self.bots)

    @property
    def n_blocks(self) -> int:
        """Number of common blocks; 1 where all is exact."""
        return int(self.gains.shape[0])

    @property
    def all_exact(self) -> bool:
        """Whether nothing is left to chance in any pairing."""
        return bool(self.exact.all())

    @property
    def uncounted(self) -> list[tuple[str, str]]:
        """Pairings without a match that counts: their payoffs are unknown."""
        i, j = np.nonzero(np.triu(self.matches.sum(axis=0) == 0))
        return [(self.bots[one], self.bots[other]) for one, other in zip(i, j, strict=True)]

    @cached_property
    def table(self) -> Floats:
        """Payoffs, shape (n, n)."""
        return np.asarray(self.gains.sum(axis=0) / self.matches.sum(axis=0), np.float64)

    @cached_property
    def by_block(self) -> Floats:
        """Payoffs whose mean over blocks is the table and whose scatter is its error, shape (B, n, n).

        Where blocks have equally many matches they are the blocks' own payoffs; else those are weighted, to first
        order, as the ratio of sums weights them.
        """
        share = self.n_blocks / self.matches.sum(axis=0)
        found: Floats = self.table + share * (self.gains - self.table * self.matches)
        found[:, self.exact] = self.table[self.exact]
        return found

    @cached_property
    def typical_error(self) -> float:
        """Root mean square of the standard errors of all payoffs of different bots; 0 where all is exact."""
        if self.n_blocks < 2 or self.n_bots < 2:
            return 0.0
        squared = self.by_block.var(axis=0, ddof=1) / self.n_blocks
        return float(np.sqrt(squared.sum() / (self.n_bots * (self.n_bots - 1))))

    def resampled(self, counts: Int64s) -> Floats:
        """Payoffs of resamples that take block b `counts[r, b]` times, shape (R, n, n); not numbers without a match."""
        n = self.n_bots
        gains = counts @ self.gains.reshape(self.n_blocks, n * n)
        matches = counts @ self.matches.reshape(self.n_blocks, n * n)
        with np.errstate(invalid="ignore"):
            return np.asarray((gains / matches).reshape(-1, n, n), np.float64)

    def clones(self) -> list[list[int]]:
        """Places of bots whose rows are equal to the last integer, together; each bot is in one group, in order.

        Two bots' rows are equal when in every block they win nothing from each other and the same, of equally many
        matches, from every third. That is what a bot and its copy do: against a third bot both play the same matches,
        and against each other, seats swapped, every pair of matches cancels out.
        """
        groups: list[list[int]] = []
        for j in range(self.n_bots):
            group = next((group for group in groups if self._equal(group[0], j)), None)
            if group is None:
                groups.append([j])
            else:
                group.append(j)
        return groups

    def _equal(self, i: int, j: int) -> bool:
        others = [k for k in range(self.n_bots) if k not in (i, j)]
        return (
            bool(self.matches[:, i, j].any())
            and not self.gains[:, i, j].any()
            and np.array_equal(self.gains[:, i, others], self.gains[:, j, others])
            and np.array_equal(self.matches[:, i, others], self.matches[:, j, others])
        )

    def only(self, places: list[int]) -> Payoffs:
        """The payoffs among some of the bots."""
        square = np.ix_(range(self.n_blocks), places, places)
        return Payoffs(
            bots=tuple(self.bots[place] for place in places),
            gains=self.gains[square],
            matches=self.matches[square],
            endings=self.endings[square],
            exact=self.exact[np.ix_(places, places)],
        )


def _gains(sums: BlockSums) -> tuple[Int64s, Int64s]:
    """Of the first bot, block by block: its wins minus its losses in matches, and the matches."""
    per_pair = len(sums.swaps)
    doubled = sums.pair_scores @ np.arange(5, dtype=np.int64)
    counted = per_pair * sums.legal_pairs
    return doubled - counted, counted


def _endings(sums: BlockSums) -> tuple[Int64s, Int64s]:
    """Matches that A won, B won and shared, block by block: with the first bot in A, and with the second in A."""
    won_a = sums.outcomes[:, :, [Outcome.A_ON_POINTS, Outcome.A_ON_CASH]].sum(axis=2)
    won_b = sums.outcomes[:, :, [Outcome.B_ON_POINTS, Outcome.B_ON_CASH]].sum(axis=2)
    ended = np.stack([won_a, won_b, sums.outcomes[:, :, Outcome.SHARED]], axis=2)
    if sums.pairing == Pairing.SEATS:
        return ended[:, 0], ended[:, 1]
    return ended.sum(axis=1), np.zeros_like(ended[:, 0])
