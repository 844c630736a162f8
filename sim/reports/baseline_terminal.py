"""A baseline on the terminal: what the gate looks at, from what change on it cares, and what was accepted when."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sim.games import game_named
from sim.reports.compare_terminal import DIFFERENCES
from sim.reports.lines import Lines
from sim.reports.words import counted, shortened
from sim.stats.figures import MetricDefinition
from sim.stats.gate import LOOKS
from sim.stats.rounding import format_value
from sim.studies.baseline import Baseline, Entry, matches_needed

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["planned_words", "print_baseline"]


def print_baseline(found: Baseline, file: str, console: Console) -> None:
    """Print a baseline; the console's width (80 columns at least), colours and encoding are kept to."""
    lines = Lines(console)
    lines.line(lines.text(f"baseline {file} · seed {found.seed}", "bold"))
    for entry in found.entries:
        _print_entry(lines, found, entry)
    lines.blank()
    lines.paragraph(planned_words(found))
    if found.history:
        lines.heading("History")
        for note in found.history:
            moved = counted(len(note["moved"]), "figure")
            anchor = ", anchor moved" if note["anchor"] else ""
            lines.paragraph(f"- {note['when'][:10]}: {note['reason']} ({note['verdict']}, {moved}{anchor})", hang="  ")


def _print_entry(lines: Lines, found: Baseline, entry: Entry) -> None:
    metrics = _metrics(entry)
    needed = needed_by_figure(found, entry)
    last = entry.now.looks[-1]
    names = " vs ".join(entry.bots) if entry.bots is not None else "the scenario's own bots"
    lines.heading(f"{entry.source}, {shortened(names, 40)}")
    looks = ", ".join(f"{look.matches:,}" for look in entry.now.looks)
    lines.paragraph(f"  looks at {looks} matches" if not entry.now.exact else "  nothing is drawn: one different pair")
    rows = []
    for name, delta in entry.deltas.items():
        metric = metrics[name]
        unit = "share difference" if metric.q else DIFFERENCES.get(metric.unit, metric.unit)
        value = format_value(float(f"{entry.now.shown(name):.4g}"), 0.0, metric.unit)
        matches = needed[name]
        told = "-" if not matches else "no number" if matches == float("inf") else f"{float(f'{matches:.2g}'):,.0f}"
        rows.append([name, value.removesuffix(" points"), format_value(delta, 0.0, unit).removesuffix(" points"), told])
    lines.table(rows, ["figure", "value", "delta", "matches for delta"])
    anchor = "the anchor is the baseline" if entry.anchor is None else "the anchor is an older recording"
    lines.paragraph(f"  {anchor}; sums {last.digest[:12]}")


def _metrics(entry: Entry) -> dict[str, MetricDefinition]:
    from sim.config.loading import load_scenario

    scenario = load_scenario(entry.now.scenario, bots=False)
    return dict(game_named(scenario.game).metrics(scenario))


def needed_by_figure(found: Baseline, entry: Entry) -> dict[str, float]:
    """Matches of the last look with which a figure passes on other luck when nothing has changed, by core name."""
    last = entry.now.looks[-1]
    return {
        name: matches_needed(last.totals[name], last.matches, delta, found.n_figures)
        for name, delta in entry.deltas.items()
    }


def planned_words(found: Baseline) -> str:
    """Whether the recorded matches are enough for the deltas, in a sentence."""
    short = []
    for entry in found.entries:
        name, most = max(needed_by_figure(found, entry).items(), key=lambda one: one[1])
        if not entry.now.exact and most > entry.matches * LOOKS[-1]:
            wanted = "no number is enough" if math.isinf(most) else f"{float(f'{most:.2g}'):,.0f} are needed"
            short.append(f"{name} of {entry.source}: {wanted}, {entry.matches * LOOKS[-1]:,} recorded")
    if not short:
        return "The matches recorded are enough for every delta: a game that has not changed passes."
    return (
        f"Too few matches for a delta ({'; '.join(short)}): record with more --matches, or give a wider delta. Until "
        "then a change of luck alone may stay undecided."
    )
