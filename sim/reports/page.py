"""The report of a run: one page that needs nothing beside it, its pictures and its tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernels.codes import Outcome, Pairing
from sim.config.exactness import by_rule, exactness
from sim.reports import captions, shape_section, value_section, words
from sim.reports.brief import report_markdown
from sim.reports.html import provenance_rows, rendered, write_text
from sim.reports.shape_section import ShapeTold
from sim.reports.tables import MATCH_FIGURES, PLAYER_FIGURES, outcomes_table, write_tables
from sim.reports.verdict import verdict
from sim.running.result import Run
from sim.stats.metrics import METRICS
from sim.studies.value_result import ValueStudy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TEMPLATE = "report.html.j2"


@dataclass(frozen=True)
class Picture:
    """A picture of the report, with its file's name and its words."""

    name: str
    figure: Callable[[Run], Figure]
    alt: Callable[[Run], str]
    see: Callable[[Run], str]


def pictures() -> tuple[Picture, ...]:
    """Every picture of a run but its map, in the order of the report."""
    from sim.reports import figures

    return (
        Picture("outcomes", figures.outcomes_figure, captions.outcomes_alt, captions.outcomes_see),
        Picture("spread", figures.spread_figure, captions.spread_alt, captions.spread_see),
        Picture("margin", figures.margin_figure, captions.margin_alt, captions.margin_see),
        Picture("players", figures.players_figure, captions.players_alt, captions.players_see),
    )


def write_report(
    run: Run,
    folder: Path,
    *,
    shape: Callable[[], ShapeTold | None] = lambda: None,
    value: ValueStudy | None = None,
) -> list[Path]:
    """Write `tables/*.csv`, `figures/*.svg`, `report.md` and `report.html`.

    Parameters
    ----------
    run
        The run. The same run gives the same bytes.
    folder
        The run folder; made when absent.
    shape
        Called once for how its first matches went (`sim.studies.shape.shape_beside`); None leaves that out.
    value
        What investments are worth on the same scenario; None leaves that out.

    Returns
    -------
    list of Path
        What was written, `report.html` last.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = write_tables(run, folder / "tables")
    told = shape()
    drawn = _drawings(run, told, value)
    (folder / "figures").mkdir(exist_ok=True)
    for name, (_, svg) in drawn.items():
        path = folder / "figures" / f"{name}.svg"
        write_text(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}')
        written.append(path)
    brief = folder / "report.md"
    write_text(brief, report_markdown(run, told, value))
    page = folder / "report.html"
    write_text(page, _page(run, {name: inline for name, (inline, _) in drawn.items()}, told, value))
    return [*written, brief, page]


def report_page(run: Run, *, shape: ShapeTold | None = None, value: ValueStudy | None = None) -> str:
    """The report as HTML, with its pictures in it."""
    drawn = _drawings(run, shape, value)
    return _page(run, {name: inline for name, (inline, _) in drawn.items()}, shape, value)


def _drawings(run: Run, shape: ShapeTold | None, value: ValueStudy | None) -> dict[str, tuple[str, str]]:
    """Every picture by its name: as part of a page, and as a file of its own."""
    from sim.reports import style
    from sim.reports.map_picture import map_alt, map_figure

    made = {picture.name: (picture.figure(run), picture.alt(run)) for picture in pictures()}
    rail_map = run.scenario.map
    drawn_on: dict[str, Any] = {}
    alt = map_alt(rail_map)
    if shape is not None:
        runs = shape_section.traffic_of(shape)
        # Tracks are named by both ends, which may hold dashes themselves: the order is the map's.
        drawn_on = {
            "traffic": dict(zip(rail_map.tracks, runs.values(), strict=True)),
            "conflicts": shape_section.at_junctions(shape, "conflicts"),
            "sidings": shape_section.at_junctions(shape, "sidings"),
        }
        alt += f" {shape_section.places_see(shape)}"
        dispatches = run.scenario.dispatches
        made["comebacks"] = (
            shape_section.comeback_figure(shape, dispatches),
            shape_section.comeback_alt(shape, dispatches),
        )
    if value is not None:
        made |= value_section.drawings(value)
    made["map"] = map_figure(rail_map, exactness=exactness(rail_map), **drawn_on), alt
    files = {name: style.svg_text(figure, title=alt) for name, (figure, alt) in made.items()}
    return {name: (style.inline_svg(svg, name), svg) for name, svg in files.items()}


def _page(run: Run, drawn: dict[str, str], shape: ShapeTold | None, value: ValueStudy | None) -> str:
    from markupsafe import Markup

    rail_map = run.scenario.map
    sides = words.players(run)
    # A picture that only says in words why there is none needs no drawing beside its caption.
    shown = [
        {"name": picture.name, "see": see, "svg": "" if see == picture.alt(run) else Markup(drawn[picture.name])}
        for picture in pictures()
        for see in [picture.see(run)]
    ]
    return rendered(
        TEMPLATE,
        run=run,
        sides=sides,
        n_played=run.sums.n_matches,
        n_asked=run.manifest.get("matches_asked"),
        recorded=words.is_recorded(run),
        unit="matches" if run.sums.pairing == Pairing.SINGLE else "pairs",
        n_units=int(run.sums.legal_pairs.sum()),
        level=words.level_words(run),
        deterministic=words.is_deterministic(run),
        counts=words.n_counting(run) > 0,
        verdict=verdict(run),
        pictures=shown,
        results=_results(run),
        of_sides=[
            (
                label,
                f"{name}.first",
                words.figure(run, f"{name}.first"),
                f"{name}.second",
                words.figure(run, f"{name}.second"),
            )
            for name, label in PLAYER_FIGURES.items()
        ],
        of_matches=[(label.strip(), metric, words.figure(run, metric)) for metric, label in MATCH_FIGURES.items()],
        outcomes=outcomes_table(run).to_dict("records"),
        every=_every(run),
        illegal=words.n_ended(run, Outcome.ILLEGAL),
        map_svg=Markup(drawn["map"]),
        map_name=rail_map.name,
        breaches=by_rule(exactness(rail_map).breaches),
        provenance=provenance_rows(run.manifest, run.scenario.digest),
        close=words.close_limit(run),
        blow_out=words.blow_out_limit(run),
        shape=None if shape is None else _shape_values(run, shape, drawn),
        value=None if value is None else value_section.template_values(value, drawn),
    )


def _shape_values(run: Run, shape: ShapeTold, drawn: dict[str, str]) -> dict[str, Any]:
    """What the section on the shape of matches shows."""
    from markupsafe import Markup

    dispatches = run.scenario.dispatches
    see = shape_section.comeback_see(shape, dispatches)
    return {
        "n": shape["matches"],
        "said": shape_section.shape_words(shape, dispatches),
        "rows": shape_section.figure_rows(shape),
        "svg": "" if see == shape_section.comeback_alt(shape, dispatches) else Markup(drawn["comebacks"]),
        "see": see,
        "places": shape_section.places_see(shape),
        "tracks": shape_section.track_rows(shape),
        "junctions": shape_section.junction_rows(shape),
    }


def _results(run: Run) -> list[tuple[str, str, str]]:
    """Rows of the table of results: label, core name, figure."""
    sides = words.players(run)
    rows = [
        (f"{sides.first} wins", "win.first"),
        (f"{sides.second} wins", "win.second"),
        ("shared victories", "shared"),
        ("decided by cash", "decided_by_cash"),
        (f"score of {sides.first}, shared counts half", "score.first"),
    ]
    if not sides.by_seat:
        rows += [
            (f"score of {sides.first} in seat A", "score.first.seat_a"),
            (f"score of {sides.first} in seat B", "score.first.seat_b"),
        ]
    rows.append(("seat bias: score of seat A minus seat B", "seat_bias"))
    for word, name in (("margin", f"margin, {sides.first} minus {sides.second}"), ("spread", "spread, without sign")):
        rows += [(f"{name}: {part}", f"{word}.{part}") for part in ("mean", "p10", "p50", "p90")]
    return [(label, metric, words.figure(run, metric)) for label, metric in rows]


def _every(run: Run) -> list[dict[str, Any]]:
    """Every estimate, for the long table at the end."""
    return [
        {
            "metric": found.metric,
            "shown": words.phrase(found, METRICS[found.metric].unit),
            "n": found.n,
            "n_units": found.n_units,
            "method": found.method,
            "description": METRICS[found.metric].description,
        }
        for found in run.estimates
    ]
