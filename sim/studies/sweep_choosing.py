"""What `focus` and `pick` have in common: a budget, what of it is taken, and what is set aside for the reference."""

from __future__ import annotations

from sim.stats.goals import GoalResult
from sim.studies.sweep_plan import FOCUS_SHARE, SweepPlan

__all__ = ["Choosing"]

FOR_REFERENCE = 16
"""One in so many of all parts at most goes to the reference, which all cells are compared with."""


class Choosing:
    """Which parts are played next, decided by what was played before, and by nothing else.

    Attributes
    ----------
    budget
        Parts that may be played in all: one in `FOCUS_SHARE` of what all cells alike would get, but one of each cell.
    most
        Parts of each cell at most.
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
        self.fixed = [cell.plan.deterministic for cell in plan.cells]
        self.budget = max(n, plan.parts_of_share)
        self.most = [1 if self.fixed[cell] else FOCUS_SHARE * plan.n_parts(cell) for cell in range(n)]
        self.taken = [0] * n
        self.verdicts: dict[int, tuple[GoalResult, ...]] = {}
        own = plan.n_parts(plan.reference)
        self._of_reference = max(1, min(own, self.budget // FOR_REFERENCE))

    @property
    def counted(self) -> list[int]:
        """Parts of each cell that are compared: the reference may have more than it was judged by."""
        taken = list(self.taken)
        taken[self.plan.reference] = max(taken[self.plan.reference], self._of_reference)
        return taken

    def for_reference(self) -> list[tuple[int, int]]:
        """Parts that the reference still lacks, as (cell, number)."""
        reference = self.plan.reference
        return [(reference, part) for part in range(self.taken[reference], self._of_reference)]
