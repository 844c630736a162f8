"""The report of a knockout: the map with what each place is worth, and the table."""

from __future__ import annotations

from pathlib import Path

from sim.config.exactness import exactness
from sim.reports import style
from sim.reports.html import provenance_rows, rendered, write_text
from sim.reports.knockout_terminal import dead_sentences, place_rows
from sim.reports.map_picture import map_alt, map_figure
from sim.reports.notebook import Shown, Table, shown_html
from sim.studies.knockout import Knockout

__all__ = ["knockout_html", "write_knockout_report"]

TEMPLATE = "knockout.html.j2"


def write_knockout_report(found: Knockout, folder: Path) -> Path:
    """Write `map.svg` and `report.html`; the same knockout gives the same bytes."""
    from markupsafe import Markup

    folder.mkdir(parents=True, exist_ok=True)
    rail_map = found.scenario.map
    title, svg = _drawn(found)
    write_text(folder / "map.svg", f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}')
    manifest = dict(found.manifest)
    text = rendered(
        TEMPLATE,
        found=found,
        title=title,
        alt=map_alt(rail_map),
        picture=Markup(style.inline_svg(svg, "map")),
        rows=place_rows(found),
        n=found.worths[0].n,
        dead=dead_sentences(found),
        level=f"{100 * float(manifest['level']):g}%",
        provenance=provenance_rows(manifest, manifest["scenario_digest"]),
    )
    page = folder / "report.html"
    write_text(page, text)
    return page


def knockout_html(found: Knockout) -> str:
    """What places are worth in a notebook: the map and the table."""
    head = ["place", *(f"{bot} [pp]" for bot in found.bots), *(f"{bot} [points]" for bot in found.bots)]
    played = f"{found.worths[0].n:,} matches each · seed {found.manifest['seed']}"
    tables = [Table(head, place_rows(found), "what a bot loses that keeps off a place")]
    title = f"places of {found.scenario.map.name}"
    return shown_html(Shown(title, played, dead_sentences(found), tables, found.notes, _drawn(found)[1]))


def _drawn(found: Knockout) -> tuple[str, str]:
    """The picture: its title, and the drawing."""
    rail_map = found.scenario.map
    worth = {place: 100 * (found[place].value or 0.0) for place in found.places}
    title = f"{rail_map.name}: what its places are worth to {found.bots[0]}"
    return title, style.svg_text(map_figure(rail_map, exactness=exactness(rail_map), worth=worth), title=title)
