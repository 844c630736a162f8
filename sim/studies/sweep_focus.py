"""`focus`: matches go to the cells whose goals are undecided, and among them to those that few would decide."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from sim.stats.goals import GoalResult, GoalVerdict, overall
from sim.stats.looking import LOOKS, error_shares, expected_factor, next_factor
from sim.studies.sweep_judge import goals_of
from sim.studies.sweep_plan import FOCUS_SHARE, SweepPlan
from sim.studies.sweep_rows import CellParts, stacked

__all__ = ["Focus"]

OF_WHAT_IS_LEFT = 3
"""A round spends one in so many of the matches that are left, so that what it finds can guide the next."""

FOR_REFERENCE = 16
"""One in so many of all matches at most goes to the reference, which all cells are compared with."""


class Focus:
    """Which parts are played next, decided by what was played before, and by nothing else.

    First every cell gets one part. Then, round by round, those of the undecided cells get more of which the fewest
    matches may be expected to decide them, as long as all that is played stays within the budget.

    Attributes
    ----------
    taken
        Parts of each cell that count: those at which it was last looked at.
    verdicts
        Of each cell at its last look, by number.
    """

    def __init__(self, plan: SweepPlan) -> None:
        assert plan.spec.goals is not None
        self.plan = plan
        self.goals = plan.spec.goals.goals
        n = len(plan.cells)
        fixed = [cell.plan.deterministic for cell in plan.cells]
        self.budget = max(n, plan.parts_of_share)
        self.most = [1 if fixed[cell] else FOCUS_SHARE * plan.n_parts(cell) for cell in range(n)]
        self.shares = error_shares()
        self.taken = [0] * n
        self.looks = [0] * n
        self.verdicts: dict[int, tuple[GoalResult, ...]] = {}
        self._round = [(cell, 1) for cell in range(n)]
        own = plan.n_parts(plan.reference)
        self._of_reference = 1 if fixed[plan.reference] else max(1, min(own, self.budget // FOR_REFERENCE))

    @property
    def counted(self) -> list[int]:
        """Parts of each cell that are compared: the reference has a few more than it was judged by."""
        taken = list(self.taken)
        taken[self.plan.reference] = max(taken[self.plan.reference], self._of_reference)
        return taken

    def rounds(self) -> Iterator[list[tuple[int, int]]]:
        """Parts to be played, (cell, number), round by round; `judge` is called after each."""
        while self._round:
            yield [(cell, part) for cell, upto in self._round for part in range(self.taken[cell], upto)]
            self._round = self._next()
        reference = self.plan.reference
        more = [(reference, part) for part in range(self.taken[reference], self._of_reference)]
        if more:
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
