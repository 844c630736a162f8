"""The report of a map lab: the best maps drawn with their traffic, and all of them in a table."""

from __future__ import annotations

from pathlib import Path

from sim.reports import style
from sim.reports.html import provenance_rows, rendered, write_text
from sim.reports.map_lab_terminal import HEADER, lab_row
from sim.reports.map_picture import map_alt, map_figure
from sim.reports.notebook import Shown, Table, shown_html
from sim.stats.rounding import format_estimate
from sim.studies.map_lab_result import LabMap, MapLab

__all__ = ["map_lab_html", "write_map_lab_report"]

TEMPLATE = "map_lab.html.j2"
MOST_PICTURES = 6


def write_map_lab_report(found: MapLab, folder: Path) -> Path:
    """Write `figures/*.svg` and `report.html`; the same lab gives the same bytes."""
    from markupsafe import Markup

    (folder / "figures").mkdir(parents=True, exist_ok=True)
    pictures = []
    for place, one in enumerate(found.maps[:MOST_PICTURES], 1):
        svg = style.svg_text(map_figure(one.rail_map, traffic=_traffic(one)), title=one.name)
        write_text(folder / "figures" / f"{one.name}.svg", f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}')
        inline = Markup(style.inline_svg(svg, f"map{place}"))
        pictures.append((f"map{place}", _caption(one), map_alt(one.rail_map), inline))
    manifest = dict(found.manifest)
    text = rendered(
        TEMPLATE,
        found=found,
        pictures=pictures,
        header=HEADER,
        rows=[[*lab_row(one), f"{one.n_different:,} of {one.n_matches:,}", f"{one.rank:g}"] for one in found.maps],
        level=f"{100 * float(manifest['level']):g}%",
        provenance=provenance_rows(manifest, manifest["scenario_digest"]),
    )
    page = folder / "report.html"
    write_text(page, text)
    return page


def _traffic(one: LabMap) -> dict[tuple[str, str], float]:
    ends = ["-".join(track) for track in one.rail_map.tracks]
    return {track: one.traffic.get(name, 0.0) for track, name in zip(one.rail_map.tracks, ends, strict=True)}


def _caption(one: LabMap) -> str:
    """A map in a sentence."""

    def shown(name: str, unit: str) -> str:
        found = one.figures[name]
        return format_estimate(found.value, found.low, found.high, unit, found.method)

    dead = f" Never used: {', '.join(one.dead)}." if one.dead else ""
    return (
        f"{one.name}: {shown('close', 'share')} of the matches are close, {shown('shared', 'share')} shared, "
        f"{shown('lead_changes', 'count')} lead changes, stuck in {shown('stuck', 'count')} dispatches.{dead}"
    )


def map_lab_html(found: MapLab) -> str:
    """Maps by chance in a notebook: the best of them drawn, and all in a table."""
    best = found.best
    svg = style.svg_text(map_figure(best.rail_map, traffic=_traffic(best)), title=best.name)
    played = f"{found.pairing} · {best.n_matches:,} matches each · seed {found.manifest['seed']}"
    tables = [Table(HEADER, [lab_row(one) for one in found.maps], "best first")]
    return shown_html(Shown(f"{len(found.maps)} maps by chance", played, [_caption(best)], tables, found.notes, svg))
