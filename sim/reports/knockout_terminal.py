"""What the places of a map are worth, on the terminal, in 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.reports.lines import Lines
from sim.reports.value_words import cell, subject_words
from sim.reports.words import counted, shortened
from sim.studies.knockout import Knockout

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["dead_sentences", "place_rows", "print_knockout"]

MOST_BOTS = 4


def place_rows(found: Knockout) -> list[list[str]]:
    """A row for each place, the most valuable to the first bot first: score to each bot, then its points."""
    order = sorted(found.places, key=lambda place: -(found[place].value or 0.0))
    return [
        [
            subject_words(place, {}),
            *(cell(found.of(bot, place)) for bot in found.bots),
            *(cell(found.of(bot, place, "points"), 1.0) for bot in found.bots),
        ]
        for place in order
    ]


def dead_sentences(found: Knockout) -> list[str]:
    """Tracks that nobody uses, bot by bot."""
    said = []
    for bot in found.bots:
        n = counted(found.looked[bot], "match")
        tracks = found.dead[bot]
        what = f"no train ran along {', '.join(tracks)}" if tracks else "every track was used"
        said.append(f"{bot} against itself, {n}: {what}.")
    return said


def print_knockout(found: Knockout, console: Console) -> None:
    """Print a knockout; the console's width (80 columns at least), colours and encoding are kept to."""
    lines = Lines(console)
    n = found.worths[0].n
    said = [
        f"places of {shortened(found.scenario.map.name, 30)}",
        f"{counted(n, 'match')} each",
        f"seed {found.manifest['seed']}",
    ]
    lines.line(lines.text(" · ".join(said), "bold"))
    lines.paragraph(
        "What a bot loses that keeps off a place, against itself, seats swapped, on the same luck: in points of a "
        "hundred of the score, and in points of the game. 95% intervals."
    )
    bots = found.bots[:MOST_BOTS]
    rows = place_rows(found)
    if len(found.bots) == 1:
        lines.table(rows, ["place", "score [pp]", "points"])
    else:
        rows = [[row[0], *row[1 : 1 + len(bots)]] for row in rows]
        lines.table(rows, ["place", *(shortened(bot, 14) for bot in bots)])
    lines.blank()
    for sentence in dead_sentences(found):
        lines.paragraph(sentence, hang="  ")
    lines.ending(found.notes, found.folder)
