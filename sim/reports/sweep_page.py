"""The report of a sweep: one page that needs nothing beside it, and its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sim.reports import style
from sim.reports.compare_terminal import change_of
from sim.reports.html import provenance_rows, rendered, write_text
from sim.reports.sweep_pick_terminal import pick_sentences
from sim.reports.sweep_pictures import drawings, drawn_metrics, still_metrics
from sim.reports.sweep_screen_terminal import SCREEN_HEADER, SCREEN_LEGEND, screen_row
from sim.reports.sweep_steps import STEPS_HEADER, step_row, steps_by_figure, steps_heading, still_words
from sim.reports.sweep_terminal import RESOLVED_WORDS
from sim.reports.sweep_words import delta_of, pairing_words
from sim.stats.differences import Verdict
from sim.stats.figures import Kind
from sim.stats.rounding import format_estimate
from sim.studies.sweep_result import CellResult, Sweep

__all__ = ["get_ready", "write_sweep_report"]

TEMPLATE = "sweep.html.j2"
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
    for name, picture in drawn.items():
        path = folder / "figures" / f"{name}.svg"
        write_text(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{picture.svg}')
        written.append(path)
    manifest = dict(found.manifest)
    text = rendered(
        TEMPLATE,
        found=found,
        level=f"{100 * float(manifest['level']):g}%",
        pairing=pairing_words(found),
        pictures=[(name, one, Markup(style.inline_svg(one.svg, name))) for name, one in drawn.items()],
        still=still_metrics(found),
        mapped=any(name.startswith("map") for name in drawn),
        metrics=[
            (metric, [_row(found, cell, metric) for cell in found.cells[:MOST_ROWS]]) for metric in drawn_metrics(found)
        ],
        deltas={metric: delta_of(found, metric) for metric in drawn_metrics(found)},
        quantiles={
            name for cell in found.cells for name, change in cell.differences.items() if change.kind is Kind.QUANTILE
        },
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
    """Import what drawing and writing need, and find the fonts. That takes a while: good to do while others play."""
    import pandas  # noqa: F401

    import sim.reports.sheet  # noqa: F401

    style.svg_text(style.plain_figure("Ready."))


def _tables(found: Sweep) -> list[tuple[str, Sequence[str], list[list[str]], str]]:
    """Of each figure what the keys of a screen or one step does: its name, header, rows and a last sentence."""
    if found.screen:
        shown = {metric: [one for one in found.screen if one.metric == metric] for metric in drawn_metrics(found)}
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
