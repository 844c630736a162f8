"""The report of a value study: one page that needs nothing beside it, and its pictures."""

from __future__ import annotations

from pathlib import Path

from sim.reports import style
from sim.reports.html import provenance_rows, rendered, write_text
from sim.reports.value_section import drawings, template_values
from sim.studies.value_result import ValueStudy

__all__ = ["write_value_report"]

TEMPLATE = "value.html.j2"


def write_value_report(found: ValueStudy, folder: Path) -> list[Path]:
    """Write `figures/*.svg` and `report.html`; the same study gives the same bytes.

    Returns
    -------
    list of Path
        What was written, `report.html` last.
    """
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    drawn, written = {}, []
    for name, (figure, alt) in drawings(found).items():
        svg = style.svg_text(figure, title=alt)
        drawn[name] = style.inline_svg(svg, name)
        path = folder / "figures" / f"{name}.svg"
        write_text(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}')
        written.append(path)
    page = folder / "report.html"
    text = rendered(
        TEMPLATE,
        name=found.manifest["scenario"]["name"],
        manifest=found.manifest,
        level=f"{100 * found.level:g}%",
        value=template_values(found, drawn),
        provenance=provenance_rows(found.manifest, found.manifest["scenario_digest"]),
    )
    write_text(page, text)
    return [*written, page]
