"""Mainline days on the terminal: one screen of figures with their intervals, in 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.games.mainline.figures import homes_of
from sim.reports.mainline import words
from sim.reports.screen import Screen, rounded_speed
from sim.running.result import Run

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_summary"]


def print_summary(run: Run, console: Console) -> None:
    """Print a run's figures."""
    screen = Screen(console)
    _title(screen, run)
    _trips(screen, run)
    _crossings(screen, run)
    _deals(screen, run)
    _hand(screen, run)
    if run.notes:
        screen.heading("Notes")
    for note in run.notes:
        screen.paragraph(f"- {note}", hang="  ")
    said = []
    speed = run.manifest.get("matches_per_second")
    if isinstance(speed, int | float) and speed > 0:
        said.append(f"{rounded_speed(float(speed)):,} days a second")
    if run.folder is not None:
        said.append(f"written to {run.folder}")
    if said:
        console.print()
        screen.paragraph(" · ".join(said), "dim")


def _title(screen: Screen, run: Run) -> None:
    played = words.counted(run.sums.n_matches, "day")
    asked = run.manifest.get("matches_asked")
    if isinstance(asked, int) and asked != run.sums.n_matches:
        played += f" ({asked:,} asked for)"
    players = words.counted(run.scenario.players, "player")
    said = (run.scenario.name, players, f"policy {run.pairing}", played, f"seed {run.manifest['seed']}")
    screen.paragraph(" · ".join(said), "bold")
    if words.is_deterministic(run):
        screen.paragraph("deterministic: exact figures, no intervals")
    else:
        level = f"{float(run.manifest['level']) * 100:g}%"
        screen.paragraph(f"{level} intervals; the deal is the unit of sampling")


def _trips(screen: Screen, run: Run) -> None:
    screen.heading("Trips")
    header = [screen.text(head, "dim") for head in ("  Stages a train", "eastbound", "westbound")]
    rows = [
        (label, *(words.figure(run, f"{metric}.{way}").replace(" Stages", "") for way in ("east", "west")))
        for label, metric in (("trip", "trip_stages"), ("held off the cards", "held_stages"))
    ]
    screen.grid(rows, header=header, widths=(26, 18, 18))
    screen.grid(
        [
            ("trip gap, east minus west", words.figure(run, "trip_gap")),
            ("collisions a day", words.figure(run, "collisions")),
            ("Extras not run, a day", words.figure(run, "extras_not_run")),
            ("trains still out, a day", words.figure(run, "unfinished")),
            ("district unevenness", words.figure(run, "district_unevenness")),
        ],
        widths=(26, 20),
    )


def _crossings(screen: Screen, run: Run) -> None:
    """Crossing times by card; groups that are the same to the last digit shown share a column only by chance."""
    screen.heading("Crossing times in Stages")
    groups = ("east.fast", "east.slow", "west.fast", "west.slow")
    header = [screen.text(head, "dim") for head in ("", *(group.replace(".", " ") for group in groups))]
    rows = []
    for kind in run.scenario.kinds:
        found = [run[f"crossing_stages.{kind}.{group}"] for group in groups]
        if any(one.n for one in found):
            rows.append((words.card_title(kind), *("" if one.value is None else f"{one.value:.4g}" for one in found)))
    screen.grid(rows, header=header, widths=(22, 10, 10, 10, 10))
    screen.paragraph("  Means; their intervals are in report.html and tables/.", "dim")


def _deals(screen: Screen, run: Run) -> None:
    names = [found.metric for found in run.estimates if found.metric.startswith("dealt.")]
    if run.scenario.deal is not None:
        return
    screen.heading("Deals with the card")
    rows = [(words.card_title(name.removeprefix("dealt.")), words.figure(run, name)) for name in names]
    if any(found.metric == "orientation.east" for found in run.estimates):
        rows.append(("grades whose up is east", words.figure(run, "orientation.east")))
    screen.grid(rows, widths=(26, 20))


def _hand(screen: Screen, run: Run) -> None:
    homes = homes_of(run.scenario)
    if not homes:
        return
    screen.heading("Home cards, paired on the same deals")
    header = [screen.text(head, "dim") for head in ("", "saved a train", "laid a day")]
    rows = [
        (words.card_title(home), words.figure(run, f"worth.{home}"), words.figure(run, f"laid.{home}"))
        for home in homes
    ]
    screen.grid(rows, header=header, widths=(22, 24, 18))
