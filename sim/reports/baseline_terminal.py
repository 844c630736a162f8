"""A baseline on the terminal: what the gate looks at, from what change on it cares, and what was accepted when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.games import game_named
from sim.reports.compare_terminal import DIFFERENCES
from sim.reports.lines import Lines
from sim.reports.words import counted, shortened
from sim.stats.figures import MetricDefinition
from sim.stats.gate import LOOKS, matches_for_delta
from sim.stats.rounding import format_value
from sim.studies.baseline import Baseline, Entry

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["planned_words", "print_baseline"]


def print_baseline(found: Baseline, file: str, console: Console) -> None:
    """Print a baseline; the console's width (80 columns at least), colours and encoding are kept to."""
    lines = Lines(console)
    looks = ", ".join(f"{found.matches * times:,}" for times in LOOKS)
    lines.line(lines.text(f"baseline {file} · seed {found.seed} · looks at {looks} matches", "bold"))
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
    exact = ", nothing drawn" if entry.now.exact else ""
    lines.heading(f"{entry.source}, {shortened(names, 40)}: {counted(last.matches, 'match')}{exact}")
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
    needed = {}
    for name, delta in entry.deltas.items():
        of_blocks = entry.now.measured(name, len(LOOKS) - 1)
        totals = entry.now.looks[-1].totals[name]
        per_block = int(totals.matches.sum()) / max(1, of_blocks.n_blocks)
        deviation = (of_blocks.spread * per_block) ** 0.5
        needed[name] = float(matches_for_delta(deviation, delta, found.n_figures, max(2, of_blocks.n_blocks)))
    return needed


def planned_words(found: Baseline) -> str:
    """Whether the recorded matches are enough for the deltas, in a sentence."""
    every = {
        (matches, f"{name} of {entry.source}")
        for entry in found.entries
        if not entry.now.exact
        for name, matches in needed_by_figure(found, entry).items()
    }
    most, what = max(every, default=(0.0, ""))
    played = found.matches * LOOKS[-1]
    if most <= played:
        return f"The last look has {played:,} matches, enough for every delta: a game that has not changed passes."
    wanted = (
        "no number of matches is enough" if most == float("inf") else f"{float(f'{most:.2g}'):,.0f} matches are needed"
    )
    return (
        f"The last look has {played:,} matches. For the delta of {what} {wanted}: record with more --matches, or give "
        "it a wider delta. Until then a change of luck alone may stay undecided."
    )
