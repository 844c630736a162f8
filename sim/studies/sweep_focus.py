"""`focus`: matches go to the cells whose goals are undecided, and among them to those that few would decide."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from sim.stats.goals import GoalVerdict, overall
from sim.stats.looking import LOOKS, error_shares, expected_factor, next_factor
from sim.studies.sweep_choosing import Choosing
from sim.studies.sweep_judge import goals_of
from sim.studies.sweep_plan import SweepPlan
from sim.studies.sweep_rows import CellParts, stacked

__all__ = ["Focus"]

OF_WHAT_IS_LEFT = 3
"""A round spends one in so many of the matches that are left, so that what it finds can guide the next."""


class Focus(Choosing):
    """Matches for the cells that are undecided.

    First every cell gets one part. Then, round by round, those of the undecided cells get more of which the fewest
    matches may be expected to decide them, as long as all that is played stays within the budget.
    """

    def __init__(self, plan: SweepPlan) -> None:
        super().__init__(plan)
        n = len(plan.cells)
        self.shares = error_shares()
        self.looks = [0] * n
        self._round = [(cell, 1) for cell in range(n)]

    def rounds(self) -> Iterator[list[tuple[int, int]]]:
        """Parts to be played, (cell, number), round by round; `judge` is called after each."""
        while self._round:
            yield [(cell, part) for cell, upto in self._round for part in range(self.taken[cell], upto)]
            self._round = self._next()
        if more := self.for_reference():
            yield more

    def _next(self) -> list[tuple[int, int]]:
        """Cells of the next round and the parts that they have after it."""
        wanted = []
        for cell, results in self.verdicts.items():
            here = self.taken[cell]
            if not results or overall(results) is not GoalVerdict.UNDECIDED or self.looks[cell] == LOOKS:
                continue
            expected = expected_factor(results)
            upto = min(self.most[cell], max(here + 1, math.ceil(next_factor(expected) * here)))
            if upto > here:
                wanted.append(((expected - 1) * here, cell, upto))
        left = self.budget - sum(self.counted)
        chosen: list[tuple[int, int]] = []
        spent, most = 0, left // OF_WHAT_IS_LEFT
        for _, cell, upto in sorted(wanted):
            cost = self._cost(cell, upto)
            if spent + cost <= (most if chosen else left):
                spent += cost
                chosen.append((cell, upto))
        return sorted(chosen)

    def _cost(self, cell: int, upto: int) -> int:
        """Parts that a cell takes of what is left; those of the reference are set aside already."""
        return upto - self.taken[cell] if cell != self.plan.reference else max(0, upto - self.counted[cell])

    def judge(self, parts: Mapping[str, CellParts]) -> None:
        """Look at the goals of the cells that were played in this round."""
        for cell, upto in self._round:
            self.taken[cell] = upto
            one = self.plan.cells[cell]
            here = parts[one.key]
            if here.errors:
                self.verdicts[cell] = ()
                continue
            sums = stacked(self.plan.game, here, upto)
            self.verdicts[cell] = goals_of(one, sums, self.goals, self.shares[self.looks[cell]])
            self.looks[cell] += 1
        self._round = []
