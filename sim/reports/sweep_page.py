"""The report of a sweep: one page that needs nothing beside it, and its pictures."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

from sim.reports import style
from sim.reports.compare_terminal import change_of
from sim.reports.html import provenance_rows, rendered, write_text
from sim.reports.sweep_figures import curve_figure, levels_of, map_figure, same_but_for
from sim.reports.sweep_terminal import RESOLVED_WORDS, shown_metrics
from sim.stats.rounding import format_estimate
from sim.studies.sweep_result import CellResult, Sweep

__all__ = ["write_sweep_report"]

TEMPLATE = "sweep.html.j2"
MOST_METRICS = 6
MOST_MAPS = 3
"""Pairs of keys that are drawn, those with most cells first."""

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
    drawn = _drawings(found)
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
        pictures=[(name, title, Markup(style.inline_svg(svg, name))) for name, (title, svg) in drawn.items()],
        metrics=[
            (metric, [_row(found, cell, metric) for cell in found.cells[:MOST_ROWS]]) for metric in _metrics(found)
        ],
        left_out=max(0, len(found.cells) - MOST_ROWS),
        provenance=provenance_rows(manifest, manifest["scenario_digest"]),
    )
    page = folder / "report.html"
    write_text(page, text)
    return [*written, page]


def _metrics(found: Sweep) -> list[str]:
    return shown_metrics(found)[:MOST_METRICS]


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


def _drawings(found: Sweep) -> dict[str, tuple[str, str]]:
    """Pictures by name, each with what it shows in words."""
    drawn: dict[str, tuple[str, str]] = {}
    pairs = sorted(combinations(found.keys, 2), key=lambda pair: -len(same_but_for(found, pair)))
    # Two keys make a map where there are cells in which both are turned.
    maps = [pair for pair in pairs if _is_grid(found, pair)][:MOST_MAPS]

    def add(name: str, title: str, figure: Any) -> None:
        drawn[name] = title, style.svg_text(figure, title=title)

    texts = list(dict.fromkeys((one.goal.text, one.goal.metric) for cell in found.cells for one in cell.goals))
    for m, (across, up) in enumerate(maps, 1):
        if texts:
            add(
                f"map{m}-goals",
                f"All goals over {across} and {up}; the numbers are {texts[0][1]}.",
                map_figure(found, across, up, texts[0][1], ""),
            )
        for n, (text, metric) in enumerate(texts, 1):
            add(
                f"map{m}-goal{n}",
                f"{text}, over {across} and {up}; the numbers are {metric}.",
                map_figure(found, across, up, metric, text),
            )
        for n, metric in enumerate([] if texts else _metrics(found), 1):
            add(f"map{m}-{n}", f"{metric} over {across} and {up}.", map_figure(found, across, up, metric, None))
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


def _is_grid(found: Sweep, keys: tuple[str, str]) -> bool:
    """Whether more than half of the combinations of two keys were played."""
    full = len(levels_of(found, keys[0])) * len(levels_of(found, keys[1]))
    own = found.reference.values
    both = [cell for cell in same_but_for(found, keys) if all(cell.values[key] != own[key] for key in keys)]
    return bool(both) and 2 * len(same_but_for(found, keys)) > full
