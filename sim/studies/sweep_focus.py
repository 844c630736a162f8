"""`focus`: matches go to the cells whose goals are undecided, doubling from look to look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sim.stats.goals import GoalResult, GoalVerdict, overall
from sim.studies.sweep_judge import goals_of
from sim.studies.sweep_plan import FOCUS_SHARE, SweepPlan
from sim.studies.sweep_rows import CellParts, stacked

__all__ = ["Focus"]


class Focus:
    """Which parts are played next, decided by what was played before, and by nothing else.

    First every cell gets one part. Then those that are undecided get as many again as they have, as long as all that
    is played stays within the budget; where it does not suffice, those come first that few matches may be expected to
    decide.

    Attributes
    ----------
    taken
        Parts of each cell that count: those at which it was last looked at.
    looks
        Rounds at most, over which the chances of error are split.
    verdicts
        Of each cell at its last look, by number.
    """

    def __init__(self, plan: SweepPlan) -> None:
        assert plan.spec.goals is not None
        self.plan = plan
        self.goals = plan.spec.goals.goals
        n = len(plan.cells)
        own = [plan.n_parts(cell) for cell in range(n)]
        self.most = [1 if plan.cells[cell].plan.deterministic else FOCUS_SHARE * own[cell] for cell in range(n)]
        self.budget = max(n, sum(own) // FOCUS_SHARE)
        self.looks = max(self.most).bit_length()
        self.taken = [0] * n
        self.verdicts: dict[int, tuple[GoalResult, ...]] = {}
        self._round: list[tuple[int, int]] = []

    def rounds(self) -> Iterator[list[tuple[int, int]]]:
        """Parts to be played, (cell, number), round by round; `judge` is called after each."""
        self._round = [(cell, 1) for cell in range(len(self.plan.cells))]
        while self._round:
            yield [(cell, part) for cell, upto in self._round for part in range(self.taken[cell], upto)]
            self._round = self._next()

    def _next(self) -> list[tuple[int, int]]:
        """Cells of the next round and the parts that they have after it."""
        open_cells = [
            cell
            for cell, results in self.verdicts.items()
            if results and overall(results) is GoalVerdict.UNDECIDED and 2 * self.taken[cell] <= self.most[cell]
        ]
        left = self.budget - sum(self.taken)
        chosen = []
        for cell in sorted(open_cells, key=lambda cell: (_needed(self.verdicts[cell]), cell)):
            if self.taken[cell] <= left:
                left -= self.taken[cell]
                chosen.append((cell, 2 * self.taken[cell]))
        return sorted(chosen)

    def judge(self, parts: Mapping[str, CellParts]) -> None:
        """Look at the goals of the cells that were played in this round."""
        for cell, upto in self._round:
            self.taken[cell] = upto
            one = self.plan.cells[cell]
            here = parts[one.key]
            if here.errors:
                self.verdicts[cell] = ()
                continue
            self.verdicts[cell] = goals_of(one, stacked(self.plan.game, here, upto), self.goals, self.looks)

    def for_reference(self) -> list[tuple[int, int]]:
        """Parts that the reference needs so that every cell can be compared with it on the same luck."""
        reference = self.plan.reference
        if self.plan.cells[reference].plan.deterministic:
            return []
        return [(reference, part) for part in range(self.taken[reference], max(self.taken))]


def _needed(results: tuple[GoalResult, ...]) -> float:
    """Matches after which all goals may be expected to be decided."""
    return max((one.matches_needed or float("inf")) for one in results if one.verdict is GoalVerdict.UNDECIDED)
