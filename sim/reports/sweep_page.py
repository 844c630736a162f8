"""The report of a sweep: one page that needs nothing beside it, and its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from sim.config.sweep import SAMPLED
from sim.reports import style
from sim.reports.compare_terminal import change_of
from sim.reports.html import provenance_rows, rendered, write_text
from sim.reports.sweep_figures import curve_figure, levels_of, map_figure, same_but_for
from sim.reports.sweep_pick_terminal import pick_sentences
from sim.reports.sweep_plots import pick_figure, scatter_figure, screen_figure, trade_figure
from sim.reports.sweep_screen_terminal import SCREEN_HEADER, SCREEN_LEGEND, screen_row
from sim.reports.sweep_steps import STEPS_HEADER, step_row, steps_by_figure, steps_heading, still_words
from sim.reports.sweep_terminal import RESOLVED_WORDS
from sim.reports.sweep_words import pairing_words
from sim.stats.differences import Verdict
from sim.stats.goals import Goal
from sim.stats.rounding import format_estimate
from sim.studies.sweep_result import CellResult, Sweep, shown_metrics

__all__ = ["get_ready", "write_sweep_report"]

TEMPLATE = "sweep.html.j2"
MOST_METRICS = 6
MOST_MAPS = 3
"""Pairs of keys that are drawn, those with most cells first."""

MOST_TRADES = 3
"""Pairs of goals that are drawn."""

MOST_ROWS = 400


def write_sweep_report(found: Sweep, folder: Path) -> list[Path]:
    """Write `figures/*.svg` and `report.html`; the same sweep gives the same bytes.

    Returns
    -------
    list of Path
        What was written, `report.html` last.
    """
    from markupsafe import Markup

    folder.mkdir(parents=True, exist_ok=True)
    drawn = drawings(found)
    (folder / "figures").mkdir(exist_ok=True)
    written = []
    for name, (_, svg) in drawn.items():
        path = folder / "figures" / f"{name}.svg"
        write_text(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}')
        written.append(path)
    manifest = dict(found.manifest)
    text = rendered(
        TEMPLATE,
        found=found,
        level=f"{100 * float(manifest['level']):g}%",
        pairing=pairing_words(found),
        pictures=[(name, title, Markup(style.inline_svg(svg, name))) for name, (title, svg) in drawn.items()],
        metrics=[
            (metric, [_row(found, cell, metric) for cell in found.cells[:MOST_ROWS]]) for metric in _metrics(found)
        ],
        tables=_tables(found),
        best=[] if found.pick is None else pick_sentences(found.pick),
        screen_legend=SCREEN_LEGEND if found.screen else "",
        left_out=max(0, len(found.cells) - MOST_ROWS),
        provenance=provenance_rows(manifest, manifest["scenario_digest"]),
    )
    page = folder / "report.html"
    write_text(page, text)
    return [*written, page]


def get_ready() -> None:
    """Import what drawing and writing need, which takes a while: good to do while others are busy."""
    import pandas  # noqa: F401


def _tables(found: Sweep) -> list[tuple[str, Sequence[str], list[list[str]], str]]:
    """Of each figure what the keys of a screen or one step does: its name, header, rows and a last sentence."""
    if found.screen:
        shown = {metric: [one for one in found.screen if one.metric == metric] for metric in _metrics(found)}
        return [
            (metric, SCREEN_HEADER, [screen_row(one) for one in rows], "")
            for metric, rows in shown.items()
            if any(not one.found.still for one in rows)
        ]
    tables: list[tuple[str, Sequence[str], list[list[str]], str]] = []
    for metric, steps in steps_by_figure(found).items():
        moving = [step for step in steps if step.change.verdict is not Verdict.IDENTICAL]
        tables.append(
            (
                steps_heading(metric, steps),
                STEPS_HEADER,
                [step_row(found, step) for step in moving],
                still_words(found, steps),
            )
        )
    return tables


def _metrics(found: Sweep) -> list[str]:
    return shown_metrics(found.cells)[:MOST_METRICS]


def _row(found: Sweep, cell: CellResult, metric: str) -> list[str]:
    one, change = cell.estimates.get(metric), cell.differences.get(metric)
    shown = (
        (cell.error or "not measured")
        if one is None
        else format_estimate(one.value, one.low, one.high, found.units[metric], one.method)
    )
    verdict = "" if cell.verdict is None else cell.verdict.value
    if change is None:
        return [cell.label, shown, "reference" if cell.reference else "", "", verdict]
    return [cell.label, shown, change_of(change), RESOLVED_WORDS[change.verdict], verdict]


def drawings(found: Sweep) -> dict[str, tuple[str, str]]:
    """Pictures by name, each with what it shows in words."""
    drawn: dict[str, tuple[str, str]] = {}

    def add(name: str, title: str, figure: Any) -> None:
        drawn[name] = title, style.svg_text(figure, title=title)

    if found.pick is not None:
        add("pick", "How the best cell was found: finalists in blue, the best in bold.", pick_figure(found))
    moving = [metric for metric in _metrics(found) if _moves(found, metric)]
    for n, metric in enumerate(moving if found.screen else [], 1):
        title = (
            f"{metric}: what each key does. Grey lines reach to twice the noise; a key that ends within its own is not "
            "resolved, and drawn hollow."
        )
        add(f"screen{n}", title, screen_figure(found, metric))
    if found.screen:
        return drawn
    pairs = sorted(combinations(found.keys, 2), key=lambda pair: -len(same_but_for(found, pair)))
    # Two keys make a map where there are cells in which both are turned.
    maps = [pair for pair in pairs if _is_grid(found, pair)][:MOST_MAPS]
    goals = list({one.goal.text: one.goal for cell in found.cells for one in cell.goals}.values())
    for m, (across, up) in enumerate(maps, 1):
        by = _third(found, across, up) if m == 1 else None
        for n, goal in enumerate(goals, 1):
            if n == 1:
                words = f"All goals over {across} and {up}, outlined where all are met; the numbers are {goal.metric}."
                add(f"map{m}-goals", words, map_figure(found, across, up, goal.metric, ""))
            if n == 1 and by is not None:
                words = f"The same, for each value of {by}."
                add(f"map{m}-goals-by", words, map_figure(found, across, up, goal.metric, "", by))
            words = f"{goal.text}, over {across} and {up}; the numbers are {goal.metric}."
            add(f"map{m}-goal{n}", words, map_figure(found, across, up, goal.metric, goal.text))
        for n, metric in enumerate([] if goals else _metrics(found), 1):
            add(f"map{m}-{n}", f"{metric} over {across} and {up}.", map_figure(found, across, up, metric, None))
            if by is not None:
                words = f"The same, for each value of {by}."
                add(f"map{m}-{n}-by", words, map_figure(found, across, up, metric, None, by))
    for n, (across_goal, up_goal) in enumerate(_trades(found, goals), 1):
        title = f"{across_goal.text} against {up_goal.text}: cells that no other beats in both are joined."
        add(f"trade{n}", title, trade_figure(found, across_goal, up_goal))
    if found.manifest["design"] in SAMPLED:
        for n, metric in enumerate(moving, 1):
            title = f"{metric} at every point over each key; lines are means of points, with their bands."
            add(f"scatter{n}", title, scatter_figure(found, metric))
        return drawn
    for n, metric in enumerate(_metrics(found), 1):
        if maps:
            across, up = maps[0]
            title = f"{metric} over {across}, a curve for each {up}."
            add(f"curve{n}", title, curve_figure(found, metric, across, up))
            continue
        for k, key in enumerate(found.keys, 1):
            if len({str(cell.values[key]) for cell in same_but_for(found, [key])}) > 1:
                add(f"curve{n}-{k}", f"{metric} over {key}.", curve_figure(found, metric, key))
    return drawn


def _moves(found: Sweep, metric: str) -> bool:
    """Whether a figure differs from cell to cell."""
    return len({one.value for cell in found.cells if (one := cell.estimates.get(metric)) is not None}) > 1


def _third(found: Sweep, across: str, up: str) -> str | None:
    """The key with fewest values of those that are turned together with two others; None where there is none."""
    rest = [key for key in found.keys if key not in (across, up)]
    two = len(same_but_for(found, [across, up]))
    rest = [key for key in rest if len(same_but_for(found, [across, up, key])) >= 2 * two]
    return min(rest, key=lambda key: len(levels_of(found, key)), default=None)


def _trades(found: Sweep, goals: Sequence[Goal]) -> list[tuple[Goal, Goal]]:
    """Pairs of goals whose figures both differ from cell to cell, and that are not both met everywhere."""
    moving = [goal for goal in goals if _moves(found, goal.metric)]
    met = {
        goal.text: all(_holds(goal, cell) for cell in found.cells if goal.metric in cell.estimates) for goal in moving
    }
    pairs = [pair for pair in combinations(moving, 2) if pair[0].metric != pair[1].metric]
    return [pair for pair in pairs if not (met[pair[0].text] and met[pair[1].text])][:MOST_TRADES]


def _holds(goal: Goal, cell: CellResult) -> bool:
    one = cell.estimates.get(goal.metric)
    return one is None or one.value is None or goal.band.holds(one.value, one.value)


def _is_grid(found: Sweep, keys: tuple[str, str]) -> bool:
    """Whether more than half of the combinations of two keys were played."""
    full = len(levels_of(found, keys[0])) * len(levels_of(found, keys[1]))
    own = found.reference.values
    both = [cell for cell in same_but_for(found, keys) if all(cell.values[key] != own[key] for key in keys)]
    return bool(both) and 2 * len(same_but_for(found, keys)) > full
