"""Pictures of a tournament: who beats whom, and what that makes of each bot. Every number is one of its own figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.reports import style
from sim.reports.tournament_words import score_cell, short_names
from sim.stats.metrics import DETERMINISTIC, Estimate
from sim.studies.tournament_result import Tournament

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LONGEST_LABEL = 18
LEAST_CELL_INCHES = 0.52
SHADES = 41
"""Odd, so that one half is white; under 50, so that the scale is drawn as shapes, not as a picture in the picture."""
NOTHING = "#EFEFEF"
MOST_WITH_HALF_WIDTHS = 12


def scores_figure(found: Tournament) -> Figure:
    """Heat map of the score of the row against the column, with the values in the cells."""
    from matplotlib.colors import LinearSegmentedColormap

    n = len(found.bots)
    names = short_names(found.bots, LONGEST_LABEL)
    values = np.full((n, n), np.nan)
    for i, row in enumerate(found.bots):
        for j, column in enumerate(found.bots):
            value = None if i == j else found.score(row, column).value
            values[i, j] = np.nan if value is None else 100 * value
    # Bluish green and reddish purple on either side of white: told apart by colour-blind readers, and by a printer.
    scale = LinearSegmentedColormap.from_list("scores", [style.SECOND, style.PAPER, style.FIRST], N=SHADES)
    edges = np.arange(n + 1) - 0.5
    label_inches = 0.3 + 0.085 * max(map(len, names))
    width = max(style.WIDTH_INCHES, label_inches + LEAST_CELL_INCHES * n + 0.9)
    cell = min((width - label_inches - 1.1) / n, 0.8)
    with style.applied():
        figure = style.new_figure(cell * n + 1.1 + 0.06 * max(map(len, names)), width)
        axes = figure.add_subplot()
        axes.set_facecolor(NOTHING)
        cells = np.ma.masked_invalid(values)
        image = axes.pcolormesh(edges, edges, cells, cmap=scale, vmin=0, vmax=100, edgecolor=style.PAPER, linewidth=2)
        axes.set_xlim(-0.5, n - 0.5)
        axes.set_ylim(n - 0.5, -0.5)
        for i, row in enumerate(found.bots):
            for j, column in enumerate(found.bots):
                if i != j:
                    _cell(axes, i, j, found.score(row, column), n)
        turned = n * max(map(len, names)) > 48
        axes.set_xticks(range(n), names, rotation=40 if turned else 0, ha="left" if turned else "center")
        axes.set_yticks(range(n), names)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.set_title("Score of the row against the column [%]")
        bar = figure.colorbar(image, ax=axes, shrink=0.9, pad=0.02, ticks=[0, 25, 50, 75, 100])
        bar.outline.set_visible(False)
        if bar.solids is not None:
            bar.solids.set_edgecolor("face")  # no seams between its steps
        bar.ax.tick_params(length=0)
    return figure


def _cell(axes: Axes, i: int, j: int, found: Estimate, n: int) -> None:
    value, half = score_cell(found)
    with_half = bool(half) and n <= MOST_WITH_HALF_WIDTHS
    axes.text(j, i - (0.12 if with_half else 0), value, ha="center", va="center", fontsize=10.5 if n <= 8 else 9)
    if with_half:
        axes.text(j, i + 0.24, half, ha="center", va="center", fontsize=7.5 if n <= 8 else 6.5, color=style.INK)


def bots_figure(found: Tournament) -> Figure:
    """Mean score and weight in the equilibrium of every bot, a dot and its interval each."""
    names = short_names(found.bots, LONGEST_LABEL)
    n = len(names)
    with style.applied():
        figure = style.new_figure(1.1 + 0.34 * n)
        left, right = figure.subplots(1, 2, sharey=True)
        for axes, metric, label in (
            (left, "mean_score", "mean score [%]"),
            (right, "equilibrium_weight", "weight in equilibrium [%]"),
        ):
            for place, bot in enumerate(found.bots):
                _dot(axes, place, found[f"{metric}.{bot}"])
            axes.set_xlim(-3, 103)
            axes.set_xlabel(label)
            axes.spines["left"].set_visible(False)
            axes.tick_params(axis="y", length=0)
            style.quiet_grid(axes, "x")
        left.axvline(50, color=style.MUTED, linewidth=1, linestyle=(0, (4, 3)))
        left.set_yticks(range(n), names)
        left.set_ylim(n - 0.5, -0.5)
    return figure


def _dot(axes: Axes, place: int, found: Estimate) -> None:
    if found.value is None:
        axes.text(50, place, found.method, ha="center", va="center", fontsize=9.5, color=style.MUTED)
        return
    if found.low is not None and found.high is not None:
        axes.plot([100 * found.low, 100 * found.high], [place, place], color=style.SEAT_A, linewidth=1.8)
    filled = found.low is not None or found.method == DETERMINISTIC
    axes.plot(100 * found.value, place, "o", color=style.SEAT_A, markersize=5, fillstyle="full" if filled else "none")
