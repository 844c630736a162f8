"""A baseline on the terminal: what the gate looks at, from what change on it cares, and what was accepted when."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.games import game_named
from sim.reports.compare_terminal import DIFFERENCES
from sim.reports.lines import Lines
from sim.reports.words import counted, shortened
from sim.stats.figures import MetricDefinition
from sim.stats.gate import LOOKS, State
from sim.stats.rounding import format_value
from sim.studies.baseline import Baseline, Entry, matches_needed
from sim.studies.check_entry import source_path

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["planned_words", "print_baseline", "print_planned"]

MOST_NAMES = 3
"""Figures that a sentence names."""


def print_baseline(found: Baseline, file: str, console: Console) -> None:
    """Print a baseline; the console's width (80 columns at least), colours and encoding are kept to."""
    lines = Lines(console)
    lines.line(lines.text(f"baseline {file} · seed {found.seed}", "bold"))
    for entry in found.entries:
        _print_entry(lines, found, entry, file)
    lines.blank()
    print_planned(found, file, console)
    if found.history:
        lines.heading("History")
        for note in found.history:
            lines.paragraph(f"- {note['when'][:10]}: {note['reason']} ({_history_words(note)})", hang="  ")


def print_planned(found: Baseline, file: str, console: Console) -> None:
    """Print whether the recorded matches are enough."""
    lines = Lines(console)
    for words in planned_words(found, file):
        lines.paragraph(words, hang="  " if words.startswith("-") else "")


def _print_entry(lines: Lines, found: Baseline, entry: Entry, file: str) -> None:
    metrics = _metrics(entry)
    needed = needed_by_figure(found, entry)
    last = entry.now.looks[-1]
    lines.heading(_title(entry, file))
    looks = ", ".join(f"{look.matches:,}" for look in entry.now.looks)
    lines.paragraph(f"  looks at {looks} matches" if not entry.now.exact else "  nothing is drawn: one different pair")
    rows = []
    for name, delta in entry.deltas.items():
        metric = metrics[name]
        unit = "share difference" if metric.q else DIFFERENCES.get(metric.unit, metric.unit)
        half = entry.now.half_width(name)
        shown = entry.now.shown(name)
        value = format_value(shown if half else float(f"{shown:.4g}"), half, metric.unit)
        told = _needed(needed[name])
        rows.append([name, value.removesuffix(" points"), format_value(delta, 0.0, unit).removesuffix(" points"), told])
    lines.table(rows, ["figure", "value", "delta", "matches for delta"])
    anchor = "the anchor is the baseline" if entry.anchor is None else "the anchor is an older recording"
    lines.paragraph(f"  {anchor}; sums {last.digest[:12]}")


def _needed(matches: float) -> str:
    if math.isnan(matches):
        return "not known"
    return "-" if not matches else "no number" if math.isinf(matches) else f"{_rounded(matches):,}"


def _metrics(entry: Entry) -> dict[str, MetricDefinition]:
    from sim.config.loading import load_scenario

    scenario = load_scenario(entry.now.scenario, bots=False)
    return dict(game_named(scenario.game).metrics(scenario))


def needed_by_figure(found: Baseline, entry: Entry) -> dict[str, float]:
    """Matches of the last look with which a figure passes on other luck when nothing has changed, by core name."""
    last = entry.now.looks[-1]
    return {
        name: 0.0 if entry.now.exact else matches_needed(last.totals[name], last.matches, delta, found.n_figures)
        for name, delta in entry.deltas.items()
    }


def planned_words(found: Baseline, file: str) -> list[str]:
    """Whether the recorded matches are enough for the deltas: a sentence, and a line for each that has too few."""
    listed, n, most = [], 0, 0.0
    for entry in found.entries:
        needed = {} if entry.now.exact else needed_by_figure(found, entry)
        recorded = entry.matches * LOOKS[-1]
        short = {name: one for name, one in needed.items() if recorded < one < math.inf}
        n += len(short)
        most = max([most, *short.values()])
        never = [name for name, one in needed.items() if math.isinf(one)]
        unknown = [name for name, one in needed.items() if math.isnan(one)]
        by_need = sorted(short, key=lambda name: -short[name])
        said = (
            [f"{_some(by_need)}: {recorded:,} matches recorded, {_rounded(max(short.values())):,} needed"]
            if short
            else []
        )
        said += [f"{_some(never)}: no number is enough where delta is 0"] if never else []
        said += [f"{_some(unknown)}: too few matches count to say"] if unknown else []
        listed += [f"- {_title(entry, file)}: {one}" for one in said]
    if not listed:
        return ["The matches recorded are enough for every delta: a game that has not changed passes."]
    words = "Until then a change of luck alone may stay undecided."
    if not n:
        return [f"Not every figure can be decided. {words}", *listed]
    advice = f"Record with --matches {_first_look(most)} (of the first look), or give wider deltas."
    return [f"Too few matches for the delta of {counted(n, 'figure')}. {advice} {words}", *listed]


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def _first_look(needed: float) -> str:
    """Matches of a first look after which the last has enough, as `--matches` takes them; two digits, not too few."""
    size = math.ceil(needed / LOOKS[-1])
    step = max(1, 10 ** (len(str(size)) - 2))
    size = math.ceil(size / step) * step
    return f"{size // 1000}k" if size % 1000 == 0 else str(size)


def _rounded(needed: float) -> int:
    return int(float(f"{needed:.2g}"))


def _title(entry: Entry, file: str) -> str:
    """An entry's scenario as seen from the working folder, and who plays."""
    names = " vs ".join(entry.bots) if entry.bots is not None else "the scenario's own bots"
    return f"{source_path(entry.source, Path(file))}, {shortened(names, 40)}"


def _history_words(note: Mapping[str, Any]) -> str:
    """What was accepted: the verdict, and how many figures had drifted."""
    anchor = ", anchor moved" if note["anchor"] else ""
    if note["verdict"] not in [state.value for state in State]:
        return f"{note['verdict']}{anchor}"
    # Before `figures` was kept, equivalent ones were listed too.
    drifted = note["moved"] if "figures" in note else [one for one in note["moved"] if one.get("state") == "drift"]
    of_all = f" of {note['figures']}" if "figures" in note else ""
    noun = "figures" if of_all or len(drifted) != 1 else "figure"
    return f"{note['verdict']}, {len(drifted)}{of_all} {noun} moved by more than delta{anchor}"
