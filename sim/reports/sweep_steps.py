"""Steps of a sweep in words: `upgrade_cost $8 → $7`, what it moves, and its place among the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sim.reports.compare_terminal import change_of
from sim.reports.words import shortened
from sim.stats.differences import Verdict
from sim.stats.figures import Kind
from sim.studies.sweep_result import Step, Sweep
from sim.studies.turning import level_words

if TYPE_CHECKING:
    from sim.reports.lines import Lines

__all__ = ["STEPS_HEADER", "print_steps", "step_row", "steps_by_figure", "steps_heading", "still_words"]

STEPS_HEADER = ("", "step", "change")
MOST_STEPS = 16
LONGEST_LEVEL = 14
LONGEST_STEP = 46
WORDS = {Verdict.OPEN: "unresolved", Verdict.NOTHING: "not measured"}


def step_words(found: Sweep, step: Step) -> str:
    """The key and its two values, with the sign of dollars."""

    def words(value: Any) -> str:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        sign = "$" if number and found.key_units.get(step.key) == "dollars" else ""
        return sign + shortened(level_words(value), LONGEST_LEVEL)

    return f"{step.key} {words(step.before)} → {words(step.after)}"


def step_row(found: Sweep, step: Step) -> list[str]:
    """Place, step and change."""
    first, last = step.rank or (0, 0)
    place = "-" if step.rank is None else f"{first}" if first == last else f"{first}-{last}"
    tail = WORDS.get(step.change.verdict, "")
    change = f"{change_of(step.change)}{'  ' if tail else ''}{tail}"
    return [place, shortened(step_words(found, step), LONGEST_STEP), change]


def still_words(found: Sweep, steps: Sequence[Step]) -> str:
    """The steps that change a figure in no block, in a sentence; "" where there are none."""
    still = [step_words(found, step) for step in steps if step.change.verdict is Verdict.IDENTICAL]
    return f"exactly 0: {'; '.join(still)}" if still else ""


def steps_by_figure(found: Sweep) -> dict[str, list[Step]]:
    """The steps of each figure; figures that no step moves are left out."""
    rows: dict[str, list[Step]] = {}
    for step in found.steps:
        rows.setdefault(step.change.metric, []).append(step)
    return {
        metric: steps
        for metric, steps in rows.items()
        if any(step.change.verdict is not Verdict.IDENTICAL for step in steps)
    }


def steps_heading(metric: str, steps: Sequence[Step]) -> str:
    """The figure; of a quantile also what its change is a change of."""
    if any(step.change.kind is Kind.QUANTILE for step in steps):
        return f"{metric} (change of the share of matches that do not exceed its value before the step)"
    return metric


def print_steps(lines: Lines, found: Sweep) -> None:
    """For each figure the steps that a designer can make, the largest first, those unresolved last and said so."""
    tables = steps_by_figure(found)
    if not tables:
        return
    lines.heading("What one step does")
    base = found.cells[found.steps[0].cell_before]
    start = "the reference" if base.reference else base.label
    lines.paragraph(
        f"From {start}, one key to its next value. Ranked by size where the change is resolved; steps whose intervals "
        "overlap share their places."
    )
    for metric, steps in tables.items():
        lines.heading(steps_heading(metric, steps))
        moving = [step for step in steps if step.change.verdict is not Verdict.IDENTICAL]
        shown = moving[:MOST_STEPS]
        lines.table([step_row(found, step) for step in shown], STEPS_HEADER, ["" if s.rank else "dim" for s in shown])
        if len(moving) > len(shown):
            lines.paragraph(f"  and {len(moving) - len(shown)} more in sweep.json")
        if still := still_words(found, steps):
            lines.paragraph(f"  {still}", hang="    ")
