"""A check on the terminal, in 80 columns: what changed in the files, what moved, and the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.reports.check_words import HEADER, cells, groups, headline, pair_words
from sim.reports.compare_terminal import change_words
from sim.reports.goals_terminal import print_goals
from sim.reports.lines import Lines
from sim.reports.words import counted
from sim.stats.figures import Kind
from sim.stats.gate import State
from sim.studies.check_result import Checked, CheckedPairing

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["STYLES", "print_check"]

STYLES = {State.IDENTICAL: "green", State.EQUIVALENT: "green", State.DRIFT: "bold red", State.UNDECIDED: "yellow"}


def print_check(found: Checked, console: Console) -> None:
    """Print a check; the console's width (80 columns at least), colours and encoding are kept to."""
    lines = Lines(console)
    lines.line(lines.text(f"checked against {found.file}", "bold"))
    for one in found.pairings:
        _print_pairing(lines, one)
    shown = [figure for one in found.pairings for _, figures in groups(one) for figure in figures]
    if any(figure.kind is Kind.QUANTILE for figure in shown):
        lines.blank()
        lines.paragraph("Of a quantile the change is that of the share of matches up to the baseline's value.")
    if found.notes:
        lines.heading("Notes")
        for note in found.notes:
            lines.paragraph(f"- {note}", hang="  ")
    for goals in found.goals:
        lines.blank()
        print_goals(goals, console)
    lines.blank()
    lines.paragraph(found.sentence, STYLES[found.state])


def _print_pairing(lines: Lines, one: CheckedPairing) -> None:
    lines.blank()
    lines.line(lines.text(headline(one), STYLES[State.DRIFT if one.fails else one.state]))
    for words in change_words(one.changes):
        lines.paragraph(f"  {words}", hang="    ")
    for name, figures in groups(one):
        style = STYLES[State.DRIFT if figures[0].fails else figures[0].state]
        rows = [cells(figure) for figure in figures]
        lines.table([row[:-1] for row in rows], [name, *HEADER[1:-1]], [style] * len(rows))
    for figure in one.figures:
        if figure.anchor_drift:
            lines.paragraph(f"  {figure.metric}: {cells(figure)[-1]}, more than three deltas", hang="    ")
    still = sum(figure.state is State.IDENTICAL for figure in one.figures)
    if one.state is not State.IDENTICAL and still:
        lines.paragraph(f"  {counted(still, 'figure')} the same in every block.")
    if one.pairs is not None:
        same = one.pairs[0] == one.pairs[1]
        for name, line in zip(("base", "now"), one.pairs[: 1 if same else 2], strict=False):
            lines.paragraph(f"  {'' if same else f'{name:4} '}{pair_words(line)}", hang="    ")
