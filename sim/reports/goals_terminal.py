"""Goals on the terminal: each with its figure, its verdict and what would decide it, in 80 columns."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from sim.reports.lines import Lines
from sim.reports.words import counted, shortened
from sim.stats.goals import GoalResult, GoalVerdict
from sim.stats.metagame import ALL_BOTS
from sim.stats.rounding import format_estimate
from sim.studies.goals import GoalsJudged

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["goal_cells", "print_goals", "verdict_sentence"]

STYLES = {GoalVerdict.MET: "green", GoalVerdict.VIOLATED: "bold red", GoalVerdict.UNDECIDED: "yellow"}


def print_goals(found: GoalsJudged, console: Console) -> None:
    """Print goals; the console's width (80 columns at least), colours and encoding are kept to."""
    lines = Lines(console)
    said = [f"goals {found.file}", f"scenario {shortened(found.scenario, 30)}", f"seed {found.seed}"]
    lines.line(lines.text(" · ".join(said), "bold"))
    for pairing, group in groupby(found.results, key=lambda one: one.estimate.pairing):
        results = list(group)
        n = max(one.estimate.n for one in results)
        lines.heading(f"{shortened(pairing, 50)}, {counted(n, 'match')}" if pairing != ALL_BOTS else pairing)
        styles = [STYLES[one.verdict] for one in results]
        lines.table([goal_cells(one) for one in results], ["goal", "figure", "verdict", ""], styles)
    if found.dominated:
        lines.paragraph(f"  Dominated: {', '.join(found.dominated)}.", hang="    ")
    lines.blank()
    for failure in found.failures:
        lines.paragraph(failure, "bold red")
    lines.paragraph(verdict_sentence(found), STYLES[found.verdict])


def goal_cells(one: GoalResult) -> list[str]:
    """A goal in cells: what is wanted, the figure, the verdict, and what would decide it."""
    found = one.estimate
    figure = format_estimate(found.value, found.low, found.high, one.goal.unit, found.method)
    if one.verdict is not GoalVerdict.UNDECIDED:
        return [one.goal.text, figure, one.verdict.name, ""]
    if one.matches_needed is None:
        return [one.goal.text, figure, one.verdict.name, "more matches"]
    return [one.goal.text, figure, one.verdict.name, f"about {counted(_rounded(one.matches_needed), 'match')}"]


def _rounded(number: int) -> int:
    """A number of matches with two digits, since it is a forecast."""
    return int(float(f"{number:.2g}"))


def verdict_sentence(found: GoalsJudged) -> str:
    """The verdict on all goals in one sentence."""
    n = {verdict: sum(one.verdict is verdict for one in found.results) for verdict in GoalVerdict}
    parts = [f"{n[verdict]} {verdict.value}" for verdict in GoalVerdict if n[verdict]]
    return f"{found.verdict.name}: of {counted(len(found.results), 'goal')} {', '.join(parts)}."
