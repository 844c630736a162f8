"""The report of a tournament: one page that needs nothing beside it, its pictures and its tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sim.reports import style
from sim.reports.html import provenance_rows, rendered, write_text
from sim.reports.tournament_tables import by_rank, description_of, is_dominated, write_tournament_tables
from sim.reports.tournament_words import figure, score_cell, verdict
from sim.reports.words import counted
from sim.stats.metagame import ALL_BOTS, METAGAME_METRICS
from sim.stats.metrics import DETERMINISTIC
from sim.studies.tournament_result import Tournament

TEMPLATE = "tournament.html.j2"
SELF_PLAY_METRICS = ("win.first", "win.second", "shared", "seat_bias")


def write_tournament_report(found: Tournament, folder: Path) -> list[Path]:
    """Write `tables/*.csv`, `figures/*.svg` and `report.html`; the same tournament gives the same bytes.

    Returns
    -------
    list of Path
        What was written, `report.html` last.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = write_tournament_tables(found, folder / "tables")
    drawn = {name: svg for name, (_, svg) in drawings(found).items()}
    (folder / "figures").mkdir(exist_ok=True)
    for name, svg in drawn.items():
        path = folder / "figures" / f"{name}.svg"
        write_text(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}')
        written.append(path)
    page = folder / "report.html"
    write_text(page, _page(found, drawn))
    return [*written, page]


def tournament_page(found: Tournament) -> str:
    """The report as HTML, with its pictures in it."""
    return _page(found, {name: svg for name, (_, svg) in drawings(found).items()})


def drawings(found: Tournament) -> dict[str, tuple[str, str]]:
    """Pictures by name, each with what it shows in words."""
    from sim.reports.tournament_figures import bots_figure, scores_figure

    scores = "; ".join(
        f"{row} scores {figure(found.score(row, column))} against {column}"
        for place, row in enumerate(found.bots)
        for column in found.bots[place + 1 :]
    )
    bots = "; ".join(
        f"{bot}: mean score {figure(found[f'mean_score.{bot}'])}, weight {figure(found[f'equilibrium_weight.{bot}'])}"
        for bot in found.bots
    )
    made = {
        "scores": (scores_figure(found), f"Score of each bot against each other. {scores}."),
        "bots": (bots_figure(found), f"Each bot. {bots}."),
    }
    return {name: (words, style.svg_text(drawn, title=words)) for name, (drawn, words) in made.items()}


def _page(found: Tournament, drawn: dict[str, str]) -> str:
    from markupsafe import Markup

    manifest = found.manifest
    pairings = [told for told in manifest["pairings"] if not told["self_play"]]
    return rendered(
        TEMPLATE,
        found=found,
        n_bots=counted(len(found.bots), "bot"),
        n_pairings=counted(len(pairings), "pairing"),
        n_played=manifest["matches_played"],
        asked=manifest["matches_asked"],
        verdict=verdict(found),
        level=f"{100 * float(manifest['level']):g}%",
        slack=f"{50 * float(manifest['slack']):.2g}",
        pictures={name: Markup(style.inline_svg(svg, name)) for name, svg in drawn.items()},
        cells=[
            [None if row == column else score_cell(found.score(row, column)) for column in found.bots]
            for row in found.bots
        ],
        bots=[_bot(found, bot) for bot in by_rank(found)],
        whole=[(name, figure(found[name]), text) for name, (_, text) in METAGAME_METRICS.items()],
        selves=[_itself(found, told) for told in manifest["pairings"] if told["self_play"]],
        pairings=[_pairing(found, told) for told in manifest["pairings"]],
        every=[
            {
                "pairing": one.pairing,
                "metric": one.metric,
                "shown": figure(one),
                "n": one.n,
                "n_units": one.n_units,
                "method": one.method,
                "description": description_of(one.metric),
            }
            for one in sorted(found.estimates, key=lambda one: one.pairing != ALL_BOTS)
        ],
        provenance=provenance_rows(manifest, found.scenario.digest),
    )


def _bot(found: Tournament, bot: str) -> dict[str, Any]:
    return {
        "name": bot,
        "rank": figure(found[f"rank.{bot}"]),
        "mean_score": figure(found[f"mean_score.{bot}"]),
        "weight": figure(found[f"equilibrium_weight.{bot}"]),
        "margin": figure(found[f"dominance_margin.{bot}"]),
        "dominated": is_dominated(found, bot),
    }


def _itself(found: Tournament, told: dict[str, Any]) -> dict[str, Any]:
    name = told["pairing"]
    return {
        "bot": name.partition(" vs ")[0],
        "n": told["matches_played"],
        "figures": [figure(found.estimate(name, metric)) for metric in SELF_PLAY_METRICS],
    }


def _pairing(found: Tournament, told: dict[str, Any]) -> dict[str, Any]:
    counts = told["outcomes"]
    return {
        "name": told["pairing"],
        "n": told["matches_played"],
        "wins_a": counts["a_on_points"] + counts["a_on_cash"],
        "wins_b": counts["b_on_points"] + counts["b_on_cash"],
        "shared": counts["shared"],
        "left_out": counts["illegal"] + counts["partner_illegal"] + counts["unfinished"],
        "exact": found.estimate(told["pairing"], "score.first").method == DETERMINISTIC,
    }
