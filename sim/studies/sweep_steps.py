"""Steps that a designer can make: from the scenario as it is, one key to its next value, and what that moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sim.running.runner import LEVEL
from sim.stats.differences import Difference, Side, Verdict, differences
from sim.studies.sweep_judge import common_parts
from sim.studies.sweep_plan import SweepPlan
from sim.studies.sweep_result import CellResult, Step, shown_metrics
from sim.studies.sweep_rows import CellParts, stacked
from sim.studies.turning import unlikeness

__all__ = ["ORDER", "stepped_cells", "steps_of"]

ORDER = {Verdict.MOVED: 0, Verdict.SAME: 1, Verdict.OPEN: 2, Verdict.IDENTICAL: 3, Verdict.NOTHING: 4}
"""In which steps are listed by what is known of them."""


@dataclass(frozen=True)
class _Turn:
    """A step before it is measured."""

    key: str
    before: int
    after: int


def steps_of(
    plan: SweepPlan, parts: Mapping[str, CellParts], taken: Sequence[int], cells: Sequence[CellResult]
) -> tuple[Step, ...]:
    """Every step from the reference, figure by figure; the largest first, what is not resolved last.

    Where no cell differs from the reference in one key alone, steps start at the cell that is like it in most keys, of
    such cells at the nearest, that has such neighbours.

    Parameters
    ----------
    plan
        The sweep.
    parts
        What was played, by the key of the cell.
    taken
        How many parts of each cell count.
    cells
        What is said of each.
    """
    if plan.screens:
        return ()
    turns = [turn for turn in _turns(plan) if cells[turn.before].error is None and cells[turn.after].error is None]
    found: dict[str, list[tuple[_Turn, Difference]]] = {}
    for turn in turns:
        own = [plan.cells[number].plan for number in (turn.before, turn.after)]
        n_parts = common_parts(plan, turn.after, taken, turn.before)
        base, variant = (
            Side(
                stacked(plan.game, parts[plan.cells[number].key], 1 if one.deterministic else n_parts),
                one.limits,
                one.deterministic,
            )
            for number, one in zip((turn.before, turn.after), own, strict=True)
        )
        metrics = [own[0].metrics[name] for name in shown_metrics(cells) if all(name in one.metrics for one in own)]
        # However small a step's effect is, it may be summed over many steps: nothing counts as too small.
        deltas = {metric.name: 0.0 for metric in metrics}
        for change in differences(base, variant, metrics, level=LEVEL, deltas=deltas, comparisons=len(turns)):
            found.setdefault(change.metric, []).append((turn, change))
    return tuple(step for rows in found.values() for step in _ranked(plan, rows))


def stepped_cells(plan: SweepPlan) -> set[int]:
    """Numbers of the cells that the steps lie between."""
    return set() if plan.screens else {number for turn in _turns(plan) for number in (turn.before, turn.after)}


def _turns(plan: SweepPlan) -> list[_Turn]:
    """The steps from the reference, or from the cell most like it that has neighbours."""
    own = plan.cells[plan.reference].values

    for base in sorted(range(len(plan.cells)), key=lambda number: (unlikeness(plan.cells[number].values, own), number)):
        found = list(_from(plan, base))
        if found or plan.spec.read.design not in ("grid", "focus"):
            return found
    return []


def _from(plan: SweepPlan, base: int) -> Iterator[_Turn]:
    own = plan.cells[base].values
    values = [cell.values for cell in plan.cells]
    for key, levels in plan.spec.read.keys.items():
        alone = [
            number
            for number, one in enumerate(values)
            if one[key] != own[key] and all(one[other] == own[other] for other in own if other != key)
        ]
        here = own[key]
        if levels.ordered and isinstance(here, int | float) and not isinstance(here, bool):
            below = [number for number in alone if values[number][key] < here]
            above = [number for number in alone if values[number][key] > here]
            alone = sorted(below, key=lambda number: -values[number][key])[:1]  # used at once
            alone += sorted(above, key=lambda number: values[number][key])[:1]
        for number in alone:
            yield _Turn(key, base, number)


def _ranked(plan: SweepPlan, rows: Sequence[tuple[_Turn, Difference]]) -> list[Step]:
    """Steps of one figure with their ranks: those whose places their intervals leave open share them."""
    resolved = [change for _, change in rows if change.verdict is Verdict.MOVED]

    def rank(change: Difference) -> tuple[int, int] | None:
        if change.verdict is not Verdict.MOVED:
            return None
        low, high = _size(change)
        larger = sum(_size(other)[0] > high for other in resolved)
        smaller = sum(_size(other)[1] < low for other in resolved)
        return larger + 1, len(resolved) - smaller

    made = [
        Step(
            turn.key,
            plan.cells[turn.before].values[turn.key],
            plan.cells[turn.after].values[turn.key],
            turn.before,
            turn.after,
            change,
            rank(change),
        )
        for turn, change in rows
    ]
    return sorted(made, key=lambda step: (ORDER[step.change.verdict], -abs(step.change.value or 0.0)))


def _size(change: Difference) -> tuple[float, float]:
    """Interval of how large a difference is, whatever its sign."""
    value = change.value or 0.0
    low, high = (value if end is None else end for end in (change.low, change.high))
    return (0.0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
