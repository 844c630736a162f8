"""`pick: best`: the cell that meets the goals best, by sequential halving, confirmed on luck of its own.

References
----------
Z. Karnin, T. Koren, O. Somekh (2013), Proceedings of the 30th International Conference on Machine Learning, 1238
(sequential halving).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sim.running.parts import PART_BLOCKS
from sim.stats.goals import GoalResult
from sim.stats.resampling import RESAMPLES, resampled_blocks
from sim.stats.standing import Standing, share_better, standing, values_by_resample
from sim.studies.sweep_choosing import Choosing
from sim.studies.sweep_judge import goals_of
from sim.studies.sweep_picked import Apart, Finalist, Pick, PickRound
from sim.studies.sweep_plan import CONFIRM_FROM, SweepPlan
from sim.studies.sweep_rows import CellParts, stacked

__all__ = ["Picking"]

FINALISTS = 4
FOR_CONFIRMING = 4
"""One in so many of all matches is kept for the finalists' own luck."""

CHANCE = 0.05
"""Of calling a finalist worse than the best, or better, that is not, all finalists together."""


class Picking(Choosing):
    """Matches for the cells that meet the goals best.

    Every round plays as many matches as the others, spread over the cells that are left, all on the same luck, and
    keeps the better half, down to four. These play once more on luck that no choice has seen.
    """

    def __init__(self, plan: SweepPlan) -> None:
        super().__init__(plan)
        n = len(plan.cells)
        self.rounds_done: list[PickRound] = []
        self.left = list(range(n))
        self.n_rounds = 1
        while n > FINALISTS:
            n = _kept(n)
            self.n_rounds += 1
        self.confirming = 0
        self._searching = True

    def rounds(self) -> Iterator[list[tuple[int, int]]]:
        """Parts to be played, (cell, number), round by round; `judge` is called after each."""
        search = self.budget - self._of_reference - self.budget // FOR_CONFIRMING
        for rest in range(self.n_rounds, 0, -1):
            if not self.left:
                return
            each = max(1 if rest == self.n_rounds else 0, (search - sum(self.taken)) // rest // len(self.left))
            before = list(self.taken)
            for cell in self.left:
                self.taken[cell] = min(self.most[cell], self.taken[cell] + each)
            yield [(cell, part) for cell in self.left for part in range(before[cell], self.taken[cell])]
        self._searching = False
        self.left = [cell for cell, _ in self.rounds_done[-1].standings[:FINALISTS]] if self.rounds_done else []
        last = self.for_reference()
        if self.left:
            room = (self.budget - sum(self.counted)) // len(self.left)
            self.confirming = max(1, min(self.plan.n_parts(self.left[0]), room))
            last += [(cell, CONFIRM_FROM + part) for cell in self.left for part in range(self._fresh_parts(cell))]
        yield last

    def _fresh_parts(self, cell: int) -> int:
        return 1 if self.fixed[cell] else self.confirming

    def judge(self, parts: Mapping[str, CellParts]) -> None:
        """Look at the cells that were played in this round, and keep the better half."""
        if not self._searching:
            return
        found = []
        for cell in self.left:
            one, here = self.plan.cells[cell], parts[self.plan.cells[cell].key]
            if here.errors:
                self.verdicts[cell] = ()
                continue
            sums = stacked(self.plan.game, here, self.taken[cell])
            # A cell may be left after any round, so that its verdict is one of several that there could have been.
            self.verdicts[cell] = goals_of(one, sums, self.goals, 1 / self.n_rounds)
            found.append((_standing_of(self.verdicts[cell]), cell))
        found.sort()
        most = max((self.taken[cell] for cell in self.left), default=0)
        self.rounds_done.append(PickRound(most, tuple((cell, own) for own, cell in found)))
        self.left = [cell for _, cell in found[: _kept(len(found))]]

    def result(self, parts: Mapping[str, CellParts], n_matches: int) -> Pick | None:
        """What was picked, after all rounds; None where every cell failed.

        Parameters
        ----------
        parts
            What was played.
        n_matches
            Of all cells, fresh ones left out.
        """
        plan = self.plan
        if not self.left:
            return None
        searched = dict(self.rounds_done[-1].standings)
        fresh: dict[int, tuple[GoalResult, ...]] = {}
        resampled: dict[int, Any] = {}
        played: dict[int, int] = {}
        counts = resampled_blocks(PART_BLOCKS * self.confirming, RESAMPLES, plan.spec.read.seed)
        for cell in self.left:
            here, own = parts[plan.cells[cell].key], plan.cells[cell]
            if here.errors:
                continue
            sums = stacked(plan.game, here, self._fresh_parts(cell), CONFIRM_FROM)
            fresh[cell] = goals_of(own, sums, self.goals)
            metrics = [own.plan.metrics[one.goal.metric] for one in fresh[cell]]
            resampled[cell] = [values_by_resample(metric.measure(sums), counts, metric.q) for metric in metrics]
            played[cell] = sums.n_matches
        best = self.left[0]
        chance = CHANCE / 2 / max(1, len(self.left) - 1)

        def apart(cell: int) -> Apart:
            if cell == best:
                return Apart.BEST
            goals = [one.goal for one in fresh.get(cell, ())]
            if not goals or goals != [one.goal for one in fresh.get(best, ())]:
                return Apart.OPEN
            if share_better(goals, resampled[best], resampled[cell]) >= 1 - chance:
                return Apart.WORSE
            return Apart.BETTER if share_better(goals, resampled[cell], resampled[best]) >= 1 - chance else Apart.OPEN

        finalists = tuple(
            Finalist(
                cell,
                plan.cells[cell].label,
                searched[cell],
                _standing_of(fresh[cell]) if fresh.get(cell) else None,
                played.get(cell, 0),
                fresh.get(cell, ()),
                apart(cell),
            )
            for cell in self.left
        )
        return Pick(tuple(self.rounds_done), finalists, (n_matches + sum(played.values())) / plan.matches_asked)


def _kept(n: int) -> int:
    """Cells that are kept of so many: the better half, and no fewer than the finalists."""
    return max(min(n, FINALISTS), -(-n // 2))


def _standing_of(results: Sequence[GoalResult]) -> Standing:
    values = [math.nan if one.estimate.value is None else one.estimate.value for one in results]
    return standing([one.goal for one in results], values)
