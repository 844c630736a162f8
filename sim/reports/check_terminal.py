"""A check on the terminal, in 80 columns: what changed in the files, what moved, and the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.reports.check_words import (
    HEADER,
    QUANTILES,
    about_quantiles,
    accepted_words,
    cells,
    groups,
    headline,
    pair_words,
    still_words,
)
from sim.reports.compare_terminal import change_words
from sim.reports.goals_terminal import print_goals
from sim.reports.lines import Lines
from sim.stats.gate import State
from sim.studies.check_result import Checked, CheckedPairing

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["STYLES", "print_check"]

STYLES = {State.IDENTICAL: "green", State.EQUIVALENT: "green", State.DRIFT: "bold red", State.UNDECIDED: "yellow"}


def print_check(found: Checked, console: Console, *, accepted: bool = False) -> None:
    """Print a check; the console's width (80 columns at least), colours and encoding are kept to.

    With `accepted` what has moved is meant, and no verdict ends the page.
    """
    lines = Lines(console)
    lines.line(lines.text(f"checked against {found.file}", "bold"))
    for one in found.pairings:
        _print_pairing(lines, one)
    if about_quantiles(found.pairings):
        lines.blank()
        lines.paragraph(QUANTILES)
    if found.notes:
        lines.heading("Notes")
        for note in found.notes:
            lines.paragraph(f"- {note}", hang="  ")
    for goals in found.goals:
        lines.blank()
        print_goals(goals, console)
    lines.blank()
    if accepted:
        lines.paragraph(accepted_words(found))
    else:
        lines.paragraph(found.sentence, STYLES[found.worst])


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
    if still := still_words(one):
        lines.paragraph(f"  {still}")
    if one.pairs is not None and one.state is not State.IDENTICAL:
        same = one.pairs[0] == one.pairs[1]
        for name, line in zip(("base", "now"), one.pairs[: 1 if same else 2], strict=False):
            lines.paragraph(f"  {'' if same else f'{name:4} '}{pair_words(line)}", hang="    ")
