"""Pictures of a sweep beside maps and curves: two goals traded off, points by chance, screens, the way of a pick."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.reports import style
from sim.reports.sweep_choice import levels_of
from sim.reports.sweep_figures import SHARES, level_labels, unit_words
from sim.reports.words import shortened
from sim.stats.goals import Goal
from sim.stats.screening import RESOLVED_FLOORS
from sim.stats.trade import Side, distances, groups, sides
from sim.studies.sweep_result import CellResult, Sweep
from sim.studies.turning import level_words, short_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["has_figures", "pick_figure", "scatter_figure", "screen_figure", "trade_figure"]

MOST_NAMED = 4
"""Cells or keys that are named in a picture."""

LONGEST_LABEL = 44
LONGEST_UP = 34
"""Letters of a goal beside an axis that goes up."""

MOST_TICKS = 8
BEHIND = {"facecolor": style.PAPER, "edgecolor": "none", "alpha": 0.8, "pad": 0.6}
"""Of numbers that may lie on points."""

BOTH_MET = "#E7F4EF"


def trade_figure(found: Sweep, across: Goal, up: Goal) -> Figure:
    """How far two goals' figures lie outside their bands, cell by cell, with intervals; the front is joined."""
    cells = [cell for cell in found.cells if has_figures(cell, (across.metric, up.metric))]
    x, y = (distances(goal, [cell.estimates[goal.metric] for cell in cells]) for goal in (across, up))
    where = sides(x, y)
    looks: dict[Side, dict[str, Any]] = {
        Side.BEHIND: {"color": style.RULE, "markersize": 4, "zorder": 2},
        Side.MAYBE: {"color": style.MUTED, "markersize": 5, "markerfacecolor": style.PAPER, "zorder": 3},
        Side.FRONT: {"color": style.SEAT_A, "markersize": 6, "zorder": 4},
    }
    with style.applied():
        figure = style.new_figure(4.6)
        axes = figure.add_subplot()
        axes.axvline(0, color=style.MUTED, linewidth=0.8)
        axes.axhline(0, color=style.MUTED, linewidth=0.8)
        for side, look in looks.items():
            chosen = np.array([one is side for one in where], np.bool_)
            if not chosen.any():
                continue
            arms = [
                np.array([one.value[chosen] - one.low[chosen], one.high[chosen] - one.value[chosen]]) for one in (x, y)
            ]
            axes.errorbar(
                x.value[chosen], y.value[chosen], xerr=np.maximum(arms[0], 0), yerr=np.maximum(arms[1], 0),
                fmt="o", elinewidth=0.8, ecolor=style.RULE, label=side.value, **look,
            )  # fmt: skip
        front = sorted((float(x.value[i]), float(y.value[i]), i) for i, one in enumerate(where) if one is Side.FRONT)
        if front:
            axes.step([p for p, _, _ in front], [q for _, q, _ in front], where="post", color=style.SEAT_A, linewidth=1)
        for n, (p, q, i) in enumerate(front[:MOST_NAMED], 1):
            axes.annotate(
                str(n),
                (p, q),
                xytext=(5, 5),
                textcoords="offset points",
                fontsize=9,
                fontweight="bold",
                zorder=5,
                bbox=BEHIND,
            )
            axes.plot([], [], " ", label=f"{n}: {_short(found, cells[i].values)}")
        if len(front) > MOST_NAMED:
            axes.plot([], [], " ", label=f"and {len(front) - MOST_NAMED} more, further right")
        low, high = axes.get_xlim(), axes.get_ylim()
        axes.axvspan(
            min(low[0], -0.01), 0, ymax=max(0.0, (0 - high[0]) / (high[1] - high[0])), color=BOTH_MET, zorder=0
        )
        axes.set_xlim(low)
        axes.set_ylim(high)
        axes.set_xlabel(textwrap.fill(f"{across.text}: band units outside", 2 * LONGEST_LABEL))
        axes.set_ylabel(f"{shortened(up.text, LONGEST_UP)}:\nband units outside")
        axes.set_title("Two goals at once; shaded where both are met")
        named = zip(*axes.get_legend_handles_labels(), strict=True)
        handles = [handle for handle, _ in sorted(named, key=lambda pair: pair[1] not in {side.value for side in Side})]
        figure.legend(handles=handles, loc="outside lower left")
    return figure


def has_figures(cell: CellResult, metrics: Sequence[str]) -> bool:
    """Whether all of these were measured in a cell: no figure is where no match counts, or a card is in no deck."""
    estimates = (cell.estimates.get(metric) for metric in metrics)
    return all(one is not None and one.value is not None for one in estimates)


def _short(found: Sweep, values: Any) -> str:
    names = short_names(list(found.keys))
    return shortened(", ".join(f"{names[key]} {level_words(value)}" for key, value in values.items()), LONGEST_LABEL)


def scatter_figure(found: Sweep, metric: str) -> Figure:
    """A figure over each key, every cell with its interval, and means of cells with bands."""
    from sim.reports.area import panels, scale_of

    scale = 100 if found.units[metric] in SHARES else 1
    cells = [cell for cell in found.cells if (one := cell.estimates.get(metric)) is not None and one.value is not None]
    y = [scale * float(cell.estimates[metric].value or 0.0) for cell in cells]
    low, high = (
        [centre if end is None else scale * end for centre, end in zip(y, ends, strict=True)]
        for ends in (
            [cell.estimates[metric].low for cell in cells],
            [cell.estimates[metric].high for cell in cells],
        )
    )
    limits = (0.0, 100.0) if found.units[metric] == "share" else (-math.inf, math.inf)
    below, xs, means = [], [], []
    for key in found.keys:
        words, marks, reach = _along(levels_of(found, key))
        xs.append([words.index(level_words(cell.values[key])) if words else cell.values[key] for cell in cells])
        means.append(groups(xs[-1], y, float(found.manifest["level"]), limits=limits))
        below.append((key, marks, reach))
    with style.applied():
        reached = [*low, *high, *(end for one in means for group in one for end in (group.low, group.high) if end)]
        title = f"{metric}{unit_words(found.units[metric])}"
        sheet, areas = panels(title, below, scale_of(reached, found.units[metric]), 1.7)
        for area, x, line in zip(areas, xs, means, strict=True):
            arms = [[area.at(at, end) for end in ends] for at, *ends in zip(x, low, high, strict=True)]
            sheet.lines("intervals", arms, style.RULE, 0.9)
            sheet.dots("cells", [area.at(at, value) for at, value in zip(x, y, strict=True)], [style.MUTED], 9)
            known = [one for one in line if one.low is not None and one.high is not None]
            band = [area.at(one.at, one.low or 0.0) for one in known]
            band += [area.at(one.at, one.high or 0.0) for one in reversed(known)]
            sheet.bands("bands", [band] if len(known) > 1 else [], [style.SEAT_A], 0.2)
            sheet.lines("means", [[area.at(one.at, one.mean) for one in line]], style.SEAT_A, 1.5)
    return sheet.figure


def _along(levels: Sequence[Any]) -> tuple[list[str], list[tuple[float, str]], tuple[float, float]]:
    """Where values of a key lie: in words where they are no numbers, their marks, and the ends of their scale."""
    from sim.reports.sheet import rounded_ticks

    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in levels):
        words = list(dict.fromkeys(level_words(one) for one in levels))
        shown = level_labels(levels) if len(words) == len(levels) <= MOST_TICKS else []
        return words, [(float(n), word) for n, word in enumerate(shown)], (-0.5, len(words) - 0.5)
    low, high = float(levels[0]), float(levels[-1])
    few = len(levels) <= MOST_TICKS
    marks = [(float(one), level_words(one)) for one in levels] if few else rounded_ticks(low, high)
    edge = 0.08 * (high - low) or 1.0
    return [], marks, (low - edge, high + edge)


def screen_figure(found: Sweep, metric: str) -> Figure:
    """Keys by the size of their effects and how much these differ; grey lines reach to twice the noise floor."""
    from sim.reports.area import HEAD, LINE, NAME, Area, beside
    from sim.reports.sheet import Sheet, rounded_ticks, width_of

    rows = [one for one in found.screen if one.metric == metric and not one.found.still]
    unit = {"share": " [pp]", "share difference": " [pp]"}.get(found.units[metric], unit_words(found.units[metric]))
    scale = 100 if found.units[metric] in SHARES else 1
    names = short_names(list(found.keys))
    floors = [scale * RESOLVED_FLOORS * one.found.floor for one in rows]
    right = 1.08 * max(*floors, *(scale * one.found.mu_star for one in rows)) or 1.0
    top = 1.12 * max(scale * one.found.sigma for one in rows) or 1.0
    with style.applied():
        sheet = Sheet(style.WIDTH_INCHES, 4.0)
        height = sheet.height
        sheet.words("title", [(0.05, height - 0.15, metric)], fontsize=style.TITLE_POINTS, fontweight="bold")
        sheet.words("sigma", [(0.05, height - 0.42, f"\u2191 sigma{unit}")], fontsize=style.LABEL_POINTS)
        ticks = rounded_ticks(0.0, top)
        left, low = 0.15 + max(width_of(word, style.LABEL_POINTS) for _, word in ticks), 2 * LINE + 0.05
        area = Area(sheet, (left, low), (sheet.width - left - 0.1, height - HEAD - 0.2 - low), (0.0, right), (0.0, top))
        area.rule(ticks)
        area.mark(rounded_ticks(0.0, right), f"mu*: mean size of the effect of the key's whole way{unit} \u2192")
        points = [area.at(scale * one.found.mu_star, scale * one.found.sigma) for one in rows]
        reaches = [[(left, y), (area.at(floor, 0.0)[0], y)] for (_, y), floor in zip(points, floors, strict=True)]
        sheet.lines("floors", reaches, style.SHARED, 2.0, alpha=0.5)
        sheet.dots("keys", points, [style.SEAT_A], 40)
        hollow = [place for place, one in zip(points, rows, strict=True) if one.rank is None]
        sheet.dots("unresolved", hollow, [style.PAPER], 20)
        sheet.words("names", beside(points, [names[one.key] for one in rows], area), fontsize=NAME)
    return sheet.figure


def pick_figure(found: Sweep) -> Figure:
    """The way of a pick: the place of every cell, round by round; those that were kept go on."""
    pick = found.pick
    assert pick is not None
    last = {one.cell for one in pick.finalists}
    ways: dict[int, list[tuple[int, int]]] = {}
    for at, one in enumerate(pick.rounds):
        for place, (cell, _) in enumerate(one.standings, 1):
            ways.setdefault(cell, []).append((at, place))
    with style.applied():
        figure = style.new_figure(3.8)
        axes = figure.add_subplot()
        for cell, way in sorted(ways.items(), key=lambda pair: pair[0] in last):
            colour = style.SEAT_A if cell in last else style.RULE
            axes.plot(
                *zip(*way, strict=True), color=colour, marker="o", markersize=3, linewidth=1.6 if cell in last else 1
            )
        for end in pick.finalists:
            weight = "bold" if end.cell == pick.best.cell else "normal"
            look: dict[str, Any] = {"xytext": (8, -3), "textcoords": "offset points", "fontsize": 9}
            axes.annotate(_short(found, found.cells[end.cell].values), ways[end.cell][-1], fontweight=weight, **look)
        axes.set_yscale("log", base=2)
        top = len(pick.rounds[0].standings)
        ticks = [2**power for power in range(top.bit_length())]
        axes.set_yticks(ticks, [f"{tick}" for tick in ticks])
        axes.set_ylim(1.3 * top, 0.8)
        axes.set_xlim(-0.2, max(1, len(pick.rounds) - 1) * 1.7)
        axes.set_xticks(range(len(pick.rounds)), [f"round {n}" for n in range(1, len(pick.rounds) + 1)])
        axes.set_ylabel("place")
        axes.set_title("Halving: the place of every cell, round by round")
    return figure
