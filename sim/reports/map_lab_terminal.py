"""Maps by chance on the terminal, best first, in 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.reports.lines import Lines
from sim.reports.words import counted, shortened
from sim.stats.figures import Estimate
from sim.stats.rounding import format_estimate, format_longer_arm
from sim.studies.map_lab_result import LabMap, MapLab

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["HEADER", "fair_words", "lab_row", "print_map_lab"]

MOST_ROWS = 20
LEGEND = {
    "map": "",
    "fair": "seat bias",
    "close": "matches that end within one delivery",
    "leads": "lead changes a match",
    "even": "how evenly trains spread over the tracks, 100% where all are used alike",
    "shared": "",
    "stuck": "dispatches in which a company comes no nearer",
    "dead": "tracks that nobody uses",
}
"""What the columns are; those without a word need none."""

HEADER = tuple(LEGEND)


def print_map_lab(found: MapLab, console: Console) -> None:
    """Print a map lab; the console's width (80 columns at least), colours and encoding are kept to."""
    lines = Lines(console)
    said = [
        counted(len(found.maps), "map"),
        shortened(found.pairing, 40),
        f"{counted(found.best.n_matches, 'match')} each",
        f"seed {found.manifest['seed']}",
    ]
    lines.line(lines.text(" · ".join(said), "bold"))
    lines.blank()
    rows = [lab_row(one) for one in found.maps]
    # What is the same everywhere, and good, is in the notes.
    told = [n for n in range(len(HEADER)) if {row[n] for row in rows} not in ({"exact"}, {"0"})]
    lines.table([[row[n] for n in told] for row in rows[:MOST_ROWS]], [HEADER[n] for n in told])
    if len(found.maps) > MOST_ROWS:
        lines.paragraph(f"  and {len(found.maps) - MOST_ROWS} more, in lab.json and on the page")
    lines.blank()
    told_of = [f"{HEADER[n]}: {LEGEND[HEADER[n]]}." for n in told if LEGEND[HEADER[n]]]
    lines.paragraph(f"{' '.join(told_of)} With the longer arms of 95% intervals.")
    same = [one.name for one in found.maps if one.n_different < one.n_matches // 2]
    if same:
        lines.paragraph(f"Fewer than half of the matches are different on {', '.join(same[:8])}.")
    lines.ending(found.notes, found.folder)
    if found.folder is not None:
        lines.paragraph(f"the best map: {found.folder / 'maps' / (found.best.name + '.yaml')}", "dim")


def lab_row(one: LabMap) -> list[str]:
    """A map in cells, by `HEADER`."""
    figures = one.figures
    return [
        one.name,
        fair_words(figures["seat_bias"]),
        _percent(figures["close"]),
        _number(figures["lead_changes"]),
        _percent(figures["traffic_evenness"]),
        _percent(figures["shared"]),
        _number(figures["stuck"]),
        str(len(one.dead)),
    ]


def fair_words(bias: Estimate) -> str:
    """The seat bias in as little as says it."""
    if bias.method == "exact":
        return "exact"
    return format_estimate(bias.value, bias.low, bias.high, "share difference", bias.method)


def _percent(one: Estimate) -> str:
    return format_longer_arm(one.value, one.low, one.high, "share")


def _number(one: Estimate) -> str:
    return format_longer_arm(one.value, one.low, one.high, "count")
