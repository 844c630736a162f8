"""One day drawn: the Division as a strip with its occupancy, and the traffic as a string-line diagram."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from sim.config.mainline import MainlineScenario
from sim.games.mainline.day import Day
from sim.reports import style
from sim.reports.mainline import words
from sim.reports.mainline.figures import EAST, WEST

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["cards_at_end", "occupied_stages", "places_of", "string_line_figure", "strip_figure"]

MOST_NUMBERS = 24
"""With more trains than this, lines are not numbered."""

WIDEST_NAME = 13
"""Letters of a card's name beside each other in its box."""


def places_of(scenario: MainlineScenario) -> list[str]:
    """What lies between the cards, from the west: Division Points and Offices."""
    offices = [f"Office {number}" for number in range(1, scenario.players + 1)]
    return ["West DP", *offices, "East DP"]


def cards_at_end(day: Day, told: dict[str, Any]) -> list[str]:
    """Cards of the slots, from the west; one that was realigned says so."""
    names = [words.card_title(name) for name in day.dealt]
    for change in told["realigned"]:
        names[change["slot"] - 1] += f"\nthen {words.card_title(change['is'])}"
    return names


def occupied_stages(day: Day, told: dict[str, Any]) -> list[int]:
    """Stages of the day in which a train is on each slot's card."""
    busy: list[set[int]] = [set() for _ in day.dealt]
    for train in told["trains"].values():
        for card in train["cards"]:
            leave = card["leave"] if card["leave"] is not None else day.stages + 1
            busy[card["slot"] - 1].update(range(card["entry"], leave))
    return [len(stages) for stages in busy]


def strip_figure(day: Day) -> Figure:
    """The Division from west to east: places, cards, which way is up, and how much of the day each card is occupied."""
    from matplotlib.patches import Rectangle

    told = day.words()
    names = cards_at_end(day, told)
    shares = [stages / max(day.stages, 1) for stages in occupied_stages(day, told)]
    n = len(names)
    with style.applied():
        figure = style.new_figure(2.1, width_inches=max(style.WIDTH_INCHES, 1.45 * n + 1.0))
        axes = figure.add_subplot()
        axes.plot([0, n], [0, 0], color=style.MUTED, linewidth=3, solid_capstyle="butt", zorder=1)
        for s, (name, share) in enumerate(zip(names, shares, strict=True)):
            axes.add_patch(Rectangle((s + 0.14, -0.3), 0.72, 0.6, facecolor=style.PAPER, edgecolor=style.INK, zorder=2))
            axes.add_patch(Rectangle((s + 0.14, -0.3), 0.72 * share, 0.12, facecolor=style.WARNING, zorder=3))
            label = "\n".join(textwrap.wrap(name.replace("\n", " "), WIDEST_NAME))
            axes.text(s + 0.5, 0.06, label, ha="center", va="center", fontsize=8, linespacing=1.1, zorder=4)
            axes.text(s + 0.5, -0.46, f"{100 * share:.0f}%", ha="center", va="center", fontsize=9.5)
            if day.scenario.card(day.dealt[s]).grade:
                east = day.up[s] == "east"
                ends = [(s + 0.24, 0.4), (s + 0.76, 0.58)] if east else [(s + 0.76, 0.4), (s + 0.24, 0.58)]
                axes.annotate("", ends[1], ends[0], arrowprops={"arrowstyle": "->", "color": style.INK})
                axes.text(s + 0.5, 0.68, f"up: {day.up[s]}", ha="center", fontsize=9)
        for place, label in enumerate(places_of(day.scenario)):
            axes.plot([place], [0], "o", color=style.INK, markersize=8, zorder=5)
            axes.text(place, 0.2, label.replace(" ", "\n"), ha="center", va="bottom", fontsize=8.5)
        axes.set_xlim(-0.3, n + 0.3)
        axes.set_ylim(-0.62, 0.9)
        axes.set_axis_off()
        axes.set_title("The Division of the day, and the share of its Stages in which each card is occupied")
    return figure


def string_line_figure(day: Day) -> Figure:
    """Time along, distance up: a line for every train, flat where it waits, steep where it crosses."""
    told = day.words()
    n = len(day.dealt)
    names = [name.replace("\n", ", ") for name in cards_at_end(day, told)]
    with style.applied():
        figure = style.new_figure(max(3.4, 0.95 + 0.72 * n), width_inches=9.0)
        axes = figure.add_subplot()
        together: dict[tuple[float, float], int] = {}
        for number, train in told["trains"].items():
            stages, places = line_of(train, n, day.stages)
            if not stages:
                continue
            east = train["direction"] == "east"
            axes.plot(
                stages,
                places,
                color=EAST if east else WEST,
                linewidth=1.5,
                linestyle="-" if train["class"] == "fast" else (0, (5, 2)),
                marker="",
            )
            if len(told["trains"]) <= MOST_NUMBERS:
                # Trains that depart together are numbered one above the other, away from the lines.
                before = together.get((stages[0], places[0]), 0)
                together[stages[0], places[0]] = before + 1
                away = (-9 - 8 * before) if east else (4 + 8 * before)
                axes.annotate(
                    number, (stages[0], places[0]), (0, away), textcoords="offset points", fontsize=8, ha="center"
                )
        for hit in told["collisions"]:
            axes.plot([hit["stage"]], [hit["slot"] - 0.5], "X", color=style.INK, markersize=9, zorder=5)
        for place in range(n + 1):
            axes.axhline(place, color=style.RULE, linewidth=0.9, zorder=0)
        axes.set_yticks(range(n + 1), places_of(day.scenario))
        for s, name in enumerate(names):
            axes.text(1.005, (s + 0.5 + 0.3) / (n + 0.6), name, transform=axes.transAxes, fontsize=8.5, va="center")
        axes.set_ylim(-0.3, n + 0.3)
        axes.set_xlim(0.5, day.stages + 0.5)
        axes.set_xlabel("Stage")
        axes.set_title("String-line diagram of the day")
        handles = [
            axes.plot([], [], color=EAST, label="eastbound")[0],
            axes.plot([], [], color=WEST, label="westbound")[0],
            axes.plot([], [], color=style.MUTED, label="fast")[0],
            axes.plot([], [], color=style.MUTED, linestyle=(0, (5, 2)), label="slow")[0],
        ]
        if told["collisions"]:
            handles += axes.plot([], [], "X", color=style.INK, label="collision")
        figure.legend(handles=handles, loc="outside lower left", ncols=len(handles))
    return figure


def line_of(train: dict[str, Any], n_slots: int, last: int) -> tuple[list[float], list[float]]:
    """Stages and distances (0 at the western Division Point) of a train's line.

    Parameters
    ----------
    last
        Stage in which the day ended: a train that is still out stops there.
    """
    east = train["direction"] == "east"
    cards = train["cards"]
    if train["state"] == "not run":
        return [], []
    if cards and train["extra"]:
        place = float(cards[0]["slot"] - 1 if east else cards[0]["slot"])
    else:
        place = 0.0 if east else float(n_slots)
    stages, places = [float(train["departs"])], [place]
    for card in cards:
        stages.append(float(card["entry"]))
        places.append(place)
        if card["leave"] is None:
            done = min((last - card["entry"] + 1) / max(card["crossing"], 1), 0.9)
            stages.append(float(last))
            places.append(place + (done if east else -done))
            return stages, places
        place += 1 if east else -1
        stages.append(float(card["leave"]))
        places.append(place)
    if train["state"] == "unfinished":
        stages.append(float(last))
        places.append(place)
    return stages, places
