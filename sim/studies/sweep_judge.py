"""From the block sums of a sweep to what is said of its cells: figures, changes from the reference, goals."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sim.running.parts import Played
from sim.running.runner import LEVEL
from sim.stats.differences import Side, differences
from sim.stats.figures import Estimate
from sim.stats.gate import ALPHA, BETA
from sim.stats.goals import Goal, GoalResult, Question, judge
from sim.studies.sweep_plan import Cell, SweepPlan
from sim.studies.sweep_result import CellResult
from sim.studies.sweep_rows import CellParts, stacked

__all__ = ["JudgedMeanwhile", "Judging", "cell_results", "goals_of", "inert_keys", "questions_of"]


def goals_of(cell: Cell, sums: Any, goals: Sequence[Goal], share: float = 1.0) -> tuple[GoalResult, ...]:
    """What is known of each goal in one cell.

    Parameters
    ----------
    cell
        What was played.
    sums
        Its block sums.
    goals
        The bands. Those on figures that the cell does not have, such as of a card not in its deck, are left out.
    share
        Of the chances of error that this look may spend, where the same goals are looked at more than once.
    """
    return tuple(judge(questions_of(cell, sums, goals), alpha=ALPHA * share, beta=BETA * share))


def questions_of(cell: Cell, sums: Any, goals: Sequence[Goal]) -> list[Question]:
    """The goals on figures that a cell has, each with what was played for it."""
    plan = cell.plan

    def question(goal: Goal) -> Question:
        def estimate(level: float) -> Estimate:
            return plan.summarise(sums, level=level, metrics=[goal.metric])[0]

        metric = plan.metrics[goal.metric]
        return Question(goal, estimate, metric.measure(sums), metric.q)

    return [question(goal) for goal in goals if goal.metric in plan.metrics]


class Judging:
    """What is said of the cells of a sweep, one after the other, as soon as a cell and the reference are there.

    Parameters
    ----------
    plan
        The sweep.
    taken
        How many parts of each cell count.
    """

    def __init__(self, plan: SweepPlan, taken: Sequence[int]) -> None:
        self.plan = plan
        self.taken = taken
        self._sides: dict[int, Side] = {}

    def _reference(self, parts: CellParts, n_parts: int) -> Side | None:
        """So many parts of the reference as the side that cells are compared with; read once for each number."""
        own = self.plan.cells[self.plan.reference].plan
        n_parts = 1 if own.deterministic else n_parts
        if parts.errors:
            return None
        if n_parts not in self._sides:
            self._sides[n_parts] = Side(stacked(self.plan.game, parts, n_parts), own.limits, own.deterministic)
        return self._sides[n_parts]

    def result(
        self, number: int, here: CellParts, of_reference: CellParts, judged: tuple[GoalResult, ...] | None = None
    ) -> CellResult:
        """What is said of one cell; `judged` are its goals where they were looked at already."""
        plan, taken = self.plan, self.taken
        cell, is_reference = plan.cells[number], number == plan.reference
        said: dict[str, Any] = {
            "number": number,
            "key": cell.key,
            "values": cell.values,
            "label": cell.label,
            "reference": is_reference,
            "pairing": cell.plan.pairing_name,
        }
        if here.errors:
            error = here.errors[min(here.errors)]
            empty: dict[str, Any] = {"estimates": {}, "differences": {}, "goals": (), "fingerprint": ""}
            return CellResult(**said, **empty, n_matches=0, error=error)
        sums = stacked(plan.game, here, taken[number])
        changes = []
        common = common_parts(plan, number, taken)
        base = None if is_reference else self._reference(of_reference, common)
        if base is not None:
            both = sums if cell.plan.deterministic or common == taken[number] else stacked(plan.game, here, common)
            side = Side(both, cell.plan.limits, cell.plan.deterministic)
            known = plan.cells[plan.reference].plan.metrics
            shared = [known[name] for name in cell.plan.metrics if name in known]
            changes = differences(base, side, shared, level=LEVEL, comparisons=max(1, len(plan.cells) - 1))
        if judged is None:
            judged = goals_of(cell, sums, plan.spec.goals.goals if plan.spec.goals is not None else ())
        return CellResult(
            **said,
            n_matches=sums.n_matches,
            estimates={one.metric: one for one in cell.plan.summarise(sums, level=LEVEL)},
            differences={one.metric: one for one in changes},
            goals=judged,
            fingerprint=_fingerprint(sums),
        )


class JudgedMeanwhile:
    """Cells judged while others are being played, so that little is left to do when the last match is over.

    Attributes
    ----------
    results
        What is known, by number of the cell.
    kept
        Of cells that are needed again: what was played, by the key of the cell.
    """

    def __init__(
        self, plan: SweepPlan, counts: Sequence[int], whole: Iterable[int], again: Collection[int] = ()
    ) -> None:
        """`whole` are the cells of which nothing was there, the others are judged when all is; `again` are kept."""
        self.plan = plan
        self.counts = counts
        self.results: dict[int, CellResult] = {}
        self.kept: dict[str, CellParts] = {}
        self._again = again
        self._judging = Judging(plan, counts)
        self._parts = {number: CellParts(plan.cells[number].key) for number in whole}
        self._waiting: list[int] = []

    def add(self, played: Played) -> None:
        """Take a part that was played."""
        number = played.part.cell
        here = self._parts.get(number)
        if here is None:
            return
        if played.error is not None:
            here.errors[played.part.number] = played.error
        else:
            here.arrays[played.part.number] = played.sums.as_arrays()
        if len(here.errors) + len(here.arrays) < self.counts[number]:
            return
        self._waiting.append(number)
        reference = self._parts.get(self.plan.reference)
        of_it = 0 if reference is None else len(reference.errors) + len(reference.arrays)
        if reference is None or of_it < self.counts[self.plan.reference]:
            return
        for one in self._waiting:
            self.results[one] = self._judging.result(one, self._parts[one], reference)
            if one in self._again:
                self.kept[self._parts[one].key] = self._parts[one]
            if one != self.plan.reference:
                del self._parts[one]
        self._waiting = []


def cell_results(
    plan: SweepPlan,
    parts: Mapping[str, CellParts],
    taken: Sequence[int],
    goals: Mapping[int, tuple[GoalResult, ...]] | None = None,
    known: Mapping[int, CellResult] | None = None,
) -> tuple[CellResult, ...]:
    """What is said of every cell.

    Parameters
    ----------
    plan
        The sweep.
    parts
        What was played, by the key of the cell.
    taken
        How many parts of each cell count.
    goals
        Of cells whose goals were judged already, by number.
    known
        What is said of cells already, by number.
    """
    judging = Judging(plan, taken)
    goals, known = goals or {}, known or {}
    reference = plan.cells[plan.reference].key
    # What was played is looked up for cells of which nothing is said yet only: reading it takes a while.
    return tuple(
        known.get(number) or judging.result(number, parts[cell.key], parts[reference], goals.get(number))
        for number, cell in enumerate(plan.cells)
    )


def common_parts(plan: SweepPlan, number: int, taken: Sequence[int], other: int | None = None) -> int:
    """Parts of a cell that another, the reference unless it is named, has as well, and so shares its luck with.

    Where nothing is left to chance in one of them, all that the other has.
    """
    places = number, plan.reference if other is None else other
    return min([taken[place] for place in places if not plan.cells[place].plan.deterministic], default=1)


def _fingerprint(sums: Any) -> str:
    digest = hashlib.sha256()
    for name, array in sorted(sums.as_arrays().items()):
        digest.update(f"{name}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def inert_keys(keys: Sequence[str], cells: Sequence[CellResult]) -> tuple[str, ...]:
    """Keys that were turned while all others stood still, and moved nothing, ever.

    Parameters
    ----------
    keys
        Keys of the sweep.
    cells
        All cells. Those that failed count as moved; of cells with unequal numbers of matches nothing is known.
    """
    found = []
    for key in keys:
        alike: dict[str, list[CellResult]] = defaultdict(list)
        for cell in cells:
            others = {name: value for name, value in cell.values.items() if name != key}
            alike[json.dumps(others, sort_keys=True, default=str)].append(cell)
        turned = [group for group in alike.values() if len(group) > 1]
        if any(cell.error is not None for group in turned for cell in group):
            continue
        ends = [
            {cell.fingerprint for cell in group if cell.n_matches == n}
            for group in turned
            for n, played in Counter(cell.n_matches for cell in group).items()
            if played > 1
        ]
        if ends and all(len(one) == 1 for one in ends):
            found.append(key)
    return tuple(found)
