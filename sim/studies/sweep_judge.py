"""From the block sums of a sweep to what is said of its cells: figures, changes from the reference, goals."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sim.running.runner import LEVEL
from sim.stats.differences import Side, differences
from sim.stats.figures import Estimate
from sim.stats.gate import ALPHA, BETA
from sim.stats.goals import Goal, GoalResult, Question, judge
from sim.studies.sweep_plan import Cell, SweepPlan
from sim.studies.sweep_result import CellResult
from sim.studies.sweep_rows import CellParts, stacked

__all__ = ["cell_results", "goals_of", "inert_keys", "questions_of"]


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


def cell_results(
    plan: SweepPlan,
    parts: Mapping[str, CellParts],
    taken: Sequence[int],
    goals: Mapping[int, tuple[GoalResult, ...]] | None = None,
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
        Of cells that were judged already, by number.
    """
    compared = len(plan.cells) - 1
    of_reference = parts[plan.cells[plan.reference].key]
    sides: dict[int, Side] = {}

    def reference(n_parts: int) -> Side | None:
        own = plan.cells[plan.reference].plan
        n_parts = 1 if own.deterministic else n_parts
        if of_reference.errors:
            return None
        if n_parts not in sides:
            sides[n_parts] = Side(stacked(plan.game, of_reference, n_parts), own.limits, own.deterministic)
        return sides[n_parts]

    results = []
    for number, cell in enumerate(plan.cells):
        here = parts[cell.key]
        is_reference = number == plan.reference
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
            results.append(CellResult(**said, **empty, n_matches=0, error=error))
            continue
        sums = stacked(plan.game, here, taken[number])
        changes = []
        common = common_parts(plan, number, taken)
        base = None if is_reference else reference(common)
        if base is not None:
            both = sums if cell.plan.deterministic or common == taken[number] else stacked(plan.game, here, common)
            side = Side(both, cell.plan.limits, cell.plan.deterministic)
            known = plan.cells[plan.reference].plan.metrics
            shared = [known[name] for name in cell.plan.metrics if name in known]
            changes = differences(base, side, shared, level=LEVEL, comparisons=max(1, compared))
        judged = (goals or {}).get(number)
        if judged is None:
            bands = plan.spec.goals.goals if plan.spec.goals is not None else ()
            judged = goals_of(cell, sums, bands)
        results.append(
            CellResult(
                **said,
                n_matches=sums.n_matches,
                estimates={one.metric: one for one in cell.plan.summarise(sums, level=LEVEL)},
                differences={one.metric: one for one in changes},
                goals=judged,
                fingerprint=_fingerprint(sums),
            )
        )
    return tuple(results)


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
        digest.update(array.tobytes())
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
        groups: dict[tuple[str, int], list[CellResult]] = defaultdict(list)
        for cell in cells:
            others = {name: value for name, value in cell.values.items() if name != key}
            groups[json.dumps(others, sort_keys=True, default=str), cell.n_matches].append(cell)
        turned = [group for group in groups.values() if len(group) > 1]
        if turned and all(len({cell.fingerprint or cell.key for cell in group}) == 1 for group in turned):
            found.append(key)
    return tuple(found)
