"""What was picked, on the terminal: the best cell on fresh luck, and who cannot be told from it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sim.reports.sweep_words import turned_words
from sim.reports.words import counted
from sim.stats.goals import GoalVerdict
from sim.stats.rounding import format_estimate
from sim.studies.sweep_picked import Apart, Finalist, Pick

if TYPE_CHECKING:
    from sim.reports.lines import Lines
    from sim.studies.sweep_result import Sweep

__all__ = ["pick_sentences", "print_pick", "standing_words"]


def standing_words(one: Finalist) -> tuple[str, str]:
    """How many figures lie outside on fresh luck, and by how much, or how deep inside all lie, in band units."""
    own = one.fresh
    if own is None:
        return "failed", ""
    if own.outside:
        return f"{own.outside}", f"{own.distance:.3f} outside" if math.isfinite(own.distance) else "not measured"
    return "0", f"{-own.nearest:.3f} inside"


def pick_sentences(found: Pick) -> list[str]:
    """What was played, what was picked, and who cannot be told from it."""
    best = found.best
    first = found.rounds[0]
    n, halvings = len(first.standings), counted(len(found.rounds), "round")
    said = [
        f"{counted(n, 'cell')} halved in {halvings} on the same luck down to {len(found.finalists)}, which played "
        f"again on luck of their own: {100 * found.share:.1f}% of what all cells alike would get."
    ]
    words = {
        GoalVerdict.MET: "all goals are met there",
        GoalVerdict.VIOLATED: "a goal is violated there",
        GoalVerdict.UNDECIDED: "whether all goals are met there is undecided",
        None: "it could not be played there",
    }
    said.append(f"Best: {best.label}. On {counted(best.n_matches, 'fresh match')} {words[best.verdict]}.")
    level = [one.label for one in found.finalists if one.apart is Apart.OPEN]
    if level:
        many = "It cannot be told apart from" if len(level) == 1 else "They cannot be told apart, it and"
        said.append(f"{many} {'; '.join(level)}.")
    better = [one.label for one in found.finalists if one.apart is Apart.BETTER]
    if better:
        said.append(f"On fresh luck it was surely worse than {'; '.join(better)}: the search was too short.")
    return said


def print_pick(lines: Lines, found: Sweep) -> None:
    """The best cell, and the finalists as they stand on fresh luck."""
    if found.pick is None:
        return
    lines.heading("Best")
    for sentence in pick_sentences(found.pick):
        lines.paragraph(sentence, hang="  ")
    lines.blank()
    rows = []
    for one in found.pick.finalists:
        apart = "" if one.apart is Apart.BEST else one.apart.value
        rows.append([turned_words(found, found.cells[one.cell]), *standing_words(one), apart])
    lines.table(rows, ["finalist, on fresh luck", "goals outside", "band units", ""])
    for goal in found.pick.best.goals:
        found_at = goal.estimate
        shown = format_estimate(found_at.value, found_at.low, found_at.high, goal.goal.unit, found_at.method)
        lines.paragraph(f"  {goal.goal.text}: {shown}, {goal.verdict.value}", hang="    ")
