"""A tuning on the terminal, in 80 columns."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from sim.reports.goals_terminal import STYLES, goal_cells
from sim.reports.lines import Lines
from sim.reports.tune_words import around_sentence, headline, looked_sentence, missed_words, size_words, step_rows
from sim.reports.words import counted, shortened
from sim.studies.tune_play import Tried
from sim.studies.tune_result import Tuned
from sim.studies.turning import level_words

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_tune"]

MOST_ROWS = 12
LONGEST_STEP = 74
LONGEST_MISS = 50


def print_tune(found: Tuned, console: Console) -> None:
    """Print a tuning; the console's width (80 columns at least), colours and encoding are kept to."""
    lines = Lines(console)
    who = found.pairings[0] if len(found.pairings) == 1 else counted(len(found.pairings), "pairing")
    said = [f"tune {shortened(found.scenario, 30)}", shortened(who, 40), f"seed {found.manifest['seed']}"]
    lines.line(lines.text(" · ".join(said), "bold"))
    lines.paragraph(looked_sentence(found))
    lines.blank()
    lines.paragraph(headline(found), STYLES[found.verdict])
    if found.found is not None:
        _found(lines, found, found.found)
    else:
        _nearest(lines, found)
    if found.smaller_open and found.found is not None:
        lines.heading("Smaller, and open")
        for one in found.smaller_open[:MOST_ROWS]:
            lines.paragraph(f"  {found.space.label(one.edit, short=True)}: {missed_words(one, 3)}", hang="    ")
    failed = [one for one in found.rejected if one not in found.open]
    if failed:
        lines.heading("Seemed to meet the goals, and did not on fresh luck")
        for one in failed[:MOST_ROWS]:
            lines.paragraph(f"  {found.space.label(one.edit, short=True)}: {missed_words(one, 3)}", hang="    ")
    lines.ending(found.notes, found.folder)
    if found.found is not None and found.folder is not None:
        lines.paragraph(f"the edit as a scenario: {found.folder / 'tuned.yaml'}", "dim")


def _found(lines: Lines, found: Tuned, one: Tried) -> None:
    """The edit, its figures on fresh luck, and what is around it."""
    rows = []
    for place in found.space.changed(one.edit):
        ladder = found.space.ladders[place]
        own, new = (level_words(ladder.values[level]) for level in (ladder.today, one.edit[place]))
        rows.append([ladder.key, f"{shortened(own, 20)} → {shortened(new, 20)}"])
    lines.table(rows)
    _goals(lines, one, "Confirmed")
    if one.edit != found.space.today:
        _goals(lines, found.today, "As it is")
    if found.peers:
        lines.heading("Edits as small that met all goals in the search as well")
        for peer in found.peers[:MOST_ROWS]:
            lines.paragraph(f"  {found.space.label(peer.edit, short=True)}", hang="    ")
    lines.heading("One step away")
    rows = [[shortened(row[0], LONGEST_STEP), *row[1:3], shortened(row[3], LONGEST_MISS)] for row in step_rows(found)]
    styles = [STYLES[other.verdict] for other in found.around]
    lines.table(rows[: 2 * MOST_ROWS], ["step", "edit", "goals", "misses, or leaves open"], styles[: 2 * MOST_ROWS])
    if len(rows) > 2 * MOST_ROWS:
        lines.paragraph(f"  and {len(rows) - 2 * MOST_ROWS:,} more")
    lines.paragraph(around_sentence(found))


def _nearest(lines: Lines, found: Tuned) -> None:
    """What stands nearest, measured anew."""
    _goals(lines, found.today, "As it is")
    for place, one in enumerate(found.nearest):
        label = found.space.label(one.edit, short=True)
        if place == 0:
            _goals(lines, one, f"Nearest: {label} ({size_words(found, one)}), measured anew on fresh luck")
            lines.heading("Then")
            continue
        lines.paragraph(f"  {label} ({size_words(found, one)}): {missed_words(one, 3) or 'met'}", hang="    ")


def _goals(lines: Lines, one: Tried, title: str) -> None:
    """All goals of an edit, pairing by pairing."""
    lines.blank()
    lines.paragraph(f"{title}, {counted(one.n_matches, 'match')} in all:", "bold")
    if one.failure is not None:
        lines.paragraph(f"  {one.failure}", "bold red", hang="    ")
    pairings = {result.estimate.pairing for result in one.results}
    for pairing, group in groupby(one.results, key=lambda result: result.estimate.pairing):
        results = list(group)
        if len(pairings) > 1:
            lines.paragraph(f"  {shortened(pairing, 60)}")
        lines.table([goal_cells(result)[:3] for result in results], (), [STYLES[result.verdict] for result in results])
