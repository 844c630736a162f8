"""A sweep on the terminal: what each key does, cell by cell, compared with the reference, in 80 columns."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sim.reports.compare_terminal import change_of
from sim.reports.lines import Lines
from sim.reports.sweep_pick_terminal import print_pick
from sim.reports.sweep_screen_terminal import print_screen
from sim.reports.sweep_steps import print_steps
from sim.reports.sweep_words import delta_of, grouped_words, pairing_words, turned_words
from sim.reports.words import counted, shortened
from sim.stats.differences import Difference, Verdict
from sim.stats.figures import Kind
from sim.stats.goals import GoalVerdict
from sim.stats.rounding import format_estimate
from sim.studies.sweep_result import CellResult, Sweep, shown_metrics

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["RESOLVED_WORDS", "print_sweep"]

MOST_TABLES = 6
MOST_ROWS = 32
RESOLVED_WORDS = {
    Verdict.MOVED: "moved",
    Verdict.SAME: "under delta",
    Verdict.IDENTICAL: "identical",
    Verdict.OPEN: "unresolved",
    Verdict.NOTHING: "",
}
STYLES = {GoalVerdict.MET: "green", GoalVerdict.VIOLATED: "bold red", GoalVerdict.UNDECIDED: "yellow"}


def print_sweep(found: Sweep, console: Console) -> None:
    """Print a sweep; the console's width (80 columns at least), colours and encoding are kept to."""
    lines = Lines(console)
    said = [
        f"sweep of {shortened(found.scenario, 30)}",
        pairing_words(found),
        counted(len(found.cells), "cell"),
        counted(found.manifest["matches_played"], "match"),
        f"seed {found.manifest['seed']}",
    ]
    lines.line(lines.text(" · ".join(said), "bold"))
    if not found.screen:
        lines.paragraph(
            f"{100 * found.manifest['level']:g}% intervals of the change from the reference, block by block on the "
            "same luck. Moved: there is a change, at a level that allows for all figures of all cells. Under delta: "
            "there is none that matters. Unresolved: neither can be said with so many matches. A cell is named by what "
            "is not as in the reference."
        )
        lines.paragraph(f"reference: {found.reference.label}", hang="  ")
    _goals(lines, found)
    print_pick(lines, found)
    shown = shown_metrics(found.cells)
    still = [metric for metric in shown if _stands_still(found, metric)]
    moving = [metric for metric in shown if metric not in still][:MOST_TABLES]
    if found.screen:
        print_screen(lines, found, moving)
    else:
        for metric in moving:
            _metric(lines, found, metric)
    if still:
        lines.blank()
        lines.paragraph(f"Exactly the same in every block of every cell: {', '.join(still)}.", hang="  ")
    print_steps(lines, found)
    if found.inert:
        lines.blank()
        lines.paragraph(f"Inert, every match ends as before whatever they are set to: {', '.join(found.inert)}.")
    for cell in found.failed:
        lines.paragraph(f"cell {cell.number} failed, {cell.label}: {cell.error}", "bold red", hang="  ")
    lines.ending(found.notes, found.folder)


def _stands_still(found: Sweep, metric: str) -> bool:
    """Whether a figure is in all cells what it is in the reference."""
    changes = [cell.differences[metric] for cell in found.cells if metric in cell.differences]
    return bool(changes) and all(one.verdict is Verdict.IDENTICAL for one in changes)


def _change(one: Difference) -> str:
    return "exactly 0" if one.verdict is Verdict.IDENTICAL else change_of(one)


def _metric(lines: Lines, found: Sweep, metric: str) -> None:
    """The figure in every cell in which it is another; where there are many, in those that moved most."""
    cells = [cell for cell in found.cells if metric in cell.differences]
    of_what = ""
    if any(cell.differences[metric].kind is Kind.QUANTILE for cell in cells):
        of_what = " (change of the share of matches that do not exceed it)"
    lines.heading(f"{metric}, reference {_own(found, found.reference, metric)}{of_what}")
    listed = [cell for cell in cells if cell.differences[metric].verdict is not Verdict.IDENTICAL]
    if len(cells) > MOST_ROWS:
        moved = [cell for cell in cells if cell.differences[metric].verdict is Verdict.MOVED]
        listed = sorted(moved, key=lambda cell: -abs(cell.differences[metric].value or 0.0))[:MOST_ROWS]
    kept = {cell.number for cell in listed}
    rows = []
    for cell in cells:
        if cell.number in kept:
            change = cell.differences[metric]
            rows.append(
                [turned_words(found, cell), _own(found, cell, metric), _change(change), RESOLVED_WORDS[change.verdict]]
            )
    if rows:
        lines.table(rows, ["cell", "", "change", ""])
    if len(cells) > len(rows):
        left = Counter(cell.differences[metric].verdict for cell in cells if cell.number not in kept)
        told = ", ".join(f"{n:,} {RESOLVED_WORDS[verdict] or 'not measured'}" for verdict, n in left.items())
        left_out = counted(len(cells) - len(rows), "cell")
        most = "these moved most; " if left[Verdict.MOVED] else ""
        lines.paragraph(f"  {most}and {left_out} more: {told}" if rows else f"  of {left_out}: {told}", hang="    ")
    if delta := delta_of(found, metric):
        lines.paragraph(f"  {delta}")


def _own(found: Sweep, cell: CellResult, metric: str) -> str:
    """A figure of one cell."""
    one = cell.estimates.get(metric)
    if one is None:
        return "not measured"
    return format_estimate(one.value, one.low, one.high, found.units[metric], one.method).removesuffix(" points")


def _goals(lines: Lines, found: Sweep) -> None:
    """How many cells meet each goal, and all of them."""
    judged = [cell for cell in found.cells if cell.verdict is not None]
    if not judged:
        return
    lines.heading("Goals")
    texts = list(dict.fromkeys(one.goal.text for cell in judged for one in cell.goals))
    rows = []
    for text in texts:
        n = Counter(one.verdict for cell in judged for one in cell.goals if one.goal.text == text)
        rows.append([text, *(f"{n[verdict]:,}" for verdict in GoalVerdict)])
    whole = Counter(cell.verdict for cell in judged)
    rows.append(["all goals", *(f"{whole[verdict]:,}" for verdict in GoalVerdict)])
    lines.table(rows, ["cells", *(verdict.value for verdict in GoalVerdict)])
    for verdict, head in (
        (GoalVerdict.MET, "All goals are met in"),
        (GoalVerdict.UNDECIDED, "More matches have to say of"),
    ):
        cells = [cell for cell in judged if cell.verdict is verdict]
        if cells:
            lines.blank()
            lines.paragraph(f"{head} {counted(len(cells), 'cell')}:", STYLES[verdict])
            listed = grouped_words(found, cells)
            for words in listed[:MOST_ROWS]:
                lines.paragraph(f"  {words}", hang="    ")
            if len(listed) > MOST_ROWS:
                lines.paragraph(f"  and {len(listed) - MOST_ROWS:,} lines more; the report has a picture of them")
