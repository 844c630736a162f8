"""The report of mainline days: one page that needs nothing beside it, its pictures and its tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.games.mainline.day import Day, drawn_day
from sim.games.mainline.figures import homes_of, metrics_of
from sim.games.mainline.game import GAME
from sim.games.mainline.policies import PolicyFigures, by_policy
from sim.reports.html import provenance_rows, rendered, write_text
from sim.reports.mainline import words
from sim.reports.mainline.tables import crossing_rows, hand_rows, tables, write_tables
from sim.running.result import Run
from sim.stats.rounding import format_estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["write_report"]

TEMPLATE = "mainline.html.j2"


def write_report(run: Run, folder: Path) -> list[Path]:
    """Write `tables/*.csv`, `figures/*.svg` and `report.html`.

    The first day of the run is drawn and told; the first deals are played again under each policy. Both are the run's
    own deals, played again from its seed, so that the same run gives the same bytes.

    Returns
    -------
    list of Path
        What was written, `report.html` last.
    """
    plan = GAME.plan_of(run)
    day = drawn_day(plan.scenario, plan.seed, 0, plan.namespace)
    policies = by_policy(plan, run.sums.n_matches, level=float(run.manifest["level"]))
    folder.mkdir(parents=True, exist_ok=True)
    written = write_tables(tables(run, day, policies), folder / "tables")
    drawn = _drawings(run, day, policies)
    (folder / "figures").mkdir(exist_ok=True)
    for name, (_, svg, _) in drawn.items():
        path = folder / "figures" / f"{name}.svg"
        write_text(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}')
        written.append(path)
    page = folder / "report.html"
    write_text(page, _page(run, day, policies, drawn))
    return [*written, page]


def _drawings(run: Run, day: Day, policies: Sequence[PolicyFigures]) -> dict[str, tuple[str, str, str]]:
    """Every picture by its name: as part of a page, as a file of its own, and what it shows in words."""
    from sim.reports import style
    from sim.reports.mainline import day_figures, figures

    n = words.counted(day.stages, "Stage")
    made = {
        "strip": (
            day_figures.strip_figure(day),
            f"The first day of the run: its Division from west to east. The bars are the share of its {n} in which a "
            "train is on the card.",
        ),
        "string_line": (
            day_figures.string_line_figure(day),
            "The same day as railway people draw it: time runs to the right, distance up. A flat line waits, two lines "
            "that cross between two places would have met on the card.",
        ),
        **run_pictures(run),
        "policies": (
            figures.policies_figure(policies),
            f"The first {words.counted(policies[0].deals, 'deal')} of the run under each policy; the filled marks are "
            "the scenario's own.",
        ),
    }
    files = {name: (style.svg_text(figure, title=see), see) for name, (figure, see) in made.items()}
    return {name: (style.inline_svg(svg, name), svg, see) for name, (svg, see) in files.items()}


def run_pictures(run: Run) -> dict[str, tuple[Figure, str]]:
    """The pictures of the run as a whole by name, each with what is to be seen in it."""
    from sim.reports.mainline import figures

    made = {
        "crossings": (
            figures.crossings_figure(run),
            "How long a card takes, by direction and class: more than its printed crossing where trains go into a "
            "siding or collide, less where Home cards help.",
        ),
        "trips": (figures.trips_figure(run), words.gap_words(run)),
        "deals": (figures.deals_figure(run), "How often each card is dealt, and how often the east of a grade is up."),
    }
    if homes_of(run.scenario):
        made["worth"] = (
            figures.worth_figure(run),
            "Each deal is played with the whole hand and once more without the cards of one kind, with the same luck.",
        )
    return made


def _page(run: Run, day: Day, policies: Sequence[PolicyFigures], drawn: dict[str, tuple[str, str, str]]) -> str:
    from markupsafe import Markup

    metrics = metrics_of(run.scenario)
    wide = ("strip", "string_line")
    return rendered(
        TEMPLATE,
        run=run,
        scenario=run.scenario,
        n_played=run.sums.n_matches,
        n_asked=run.manifest.get("matches_asked"),
        level=f"{float(run.manifest['level']) * 100:g}%",
        deterministic=words.is_deterministic(run),
        verdict=words.verdict(run),
        wide=[{"name": name, "svg": Markup(drawn[name][0]), "see": drawn[name][2]} for name in wide],
        pictures=[
            {"name": name, "svg": Markup(inline), "see": see}
            for name, (inline, _, see) in drawn.items()
            if name not in wide
        ],
        trips=_trips(run),
        crossings=_crossings(run),
        policies=[_policy(one, metrics) for one in policies],
        hand=hand_rows(run),
        day=day.words(),
        trains=_trains(day),
        every=[
            {
                "metric": found.metric,
                "shown": words.phrase(found, metrics[found.metric].unit),
                "n": found.n,
                "method": found.method,
                "description": metrics[found.metric].description,
            }
            for found in run.estimates
        ],
        provenance=provenance_rows(run.manifest, run.scenario.digest),
        card_title=words.card_title,
    )


def _trips(run: Run) -> list[tuple[str, str, str]]:
    """Rows of the table of results: label, core name, figure."""
    rows = [
        ("trip, eastbound", "trip_stages.east"),
        ("trip, westbound", "trip_stages.west"),
        ("trip gap, east minus west", "trip_gap"),
        ("held off the cards, eastbound", "held_stages.east"),
        ("held off the cards, westbound", "held_stages.west"),
        ("collisions a day", "collisions"),
        ("Extras that did not run, a day", "extras_not_run"),
        ("trains still out, a day", "unfinished"),
        ("district unevenness", "district_unevenness"),
    ]
    for home in homes_of(run.scenario):
        rows.append((f"worth of {words.card_title(home)}, a train", f"worth.{home}"))
        rows.append((f"{words.card_title(home)} laid, a day", f"laid.{home}"))
    return [(label, metric, words.figure(run, metric)) for label, metric in rows]


def _crossings(run: Run) -> list[dict[str, Any]]:
    """One row a card: crossing times by direction and class."""
    counts: dict[str, int] = {}
    for row in crossing_rows(run):
        counts[row["card"]] = counts.get(row["card"], 0) + row["crossings"]
    groups = ("east.fast", "east.slow", "west.fast", "west.slow")
    return [
        {
            "card": words.card_title(kind),
            "crossings": counts[kind],
            "figures": [
                (
                    f"crossing_stages.{kind}.{group}",
                    words.figure(run, f"crossing_stages.{kind}.{group}").removesuffix(" Stages"),
                )
                for group in groups
            ],
        }
        for kind in run.scenario.kinds
    ]


def _policy(one: PolicyFigures, metrics: Any) -> dict[str, Any]:
    shown = {
        found.metric: format_estimate(found.value, found.low, found.high, metrics[found.metric].unit, found.method)
        for found in one.estimates
    }
    return {"policy": one.policy, "own": one.own, "shown": list(shown.values())}


def _trains(day: Day) -> list[dict[str, Any]]:
    return [{"number": number, **train} for number, train in day.words()["trains"].items()]
