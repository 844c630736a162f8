"""Pictures of a run: how matches end, how far apart, and what each side does. Every number is one of the run's own.

A function takes a run and gives a figure; where there is nothing to draw, the figure says why in words. What a picture
shows is put into sentences by `sim.reports.captions`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.reports import style, words
from sim.reports.binning import Binned, binned
from sim.reports.captions import no_spread, outcome_counts
from sim.reports.tables import PLAYER_FIGURES
from sim.running.result import Run
from sim.stats.metrics import Estimate, histogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase

MOST_BARS = 101
FEW_MATCHES = 200
"""Below so many matches a histogram counts them; above, it shows their share."""
CLOSE = "#56B4E9"
BETWEEN = "#BDBDBD"
CASH_HATCH = "////"
LABEL_WIDTH = 0.068
"""Room for the label of a quantile, as a share of the axis."""


def _drawn(draw: Callable[[Run], Figure]) -> Callable[[Run], Figure]:
    """Draw in the common style; where no match counts, say so instead."""

    @wraps(draw)
    def figure_of(run: Run) -> Figure:
        empty = words.nothing_to_show(run)
        if empty:
            return style.plain_figure(empty)
        with style.applied():
            return draw(run)

    return figure_of


@_drawn
def outcomes_figure(run: Run) -> Figure:
    """How matches end: won on points or on cash by either side, or shared; whiskers are the intervals of the wins."""
    sides = words.players(run)
    rows = outcome_counts(run)
    if sides.by_seat:
        figure = style.new_figure(2.9)
        _outcomes_panel(figure, run)
    else:
        heights = [2.3 + 0.44 * len(rows), 1.9]
        figure = style.new_figure(sum(heights))
        upper, lower = figure.subfigures(2, 1, height_ratios=heights, squeeze=False)[:, 0]
        _outcomes_panel(upper, run)
        _score_panel(lower.add_subplot(), run)
    return figure


def _outcomes_panel(figure: FigureBase, run: Run) -> None:
    """Stacked bars, one for each row of the outcomes, with the run's own figures in the legend."""
    from matplotlib.patches import Patch

    sides = words.players(run)
    colours = style.side_colours(sides)
    axes = figure.add_subplot()
    rows = outcome_counts(run)
    fills: list[dict[str, Any]] = [
        {"facecolor": colours[0]},
        {"facecolor": colours[0], "edgecolor": style.PAPER, "hatch": CASH_HATCH},
        {"facecolor": style.SHARED},
        {"facecolor": colours[1], "edgecolor": style.PAPER, "hatch": CASH_HATCH},
        {"facecolor": colours[1]},
    ]
    for place, (_, counts) in enumerate(rows):
        shares = np.array(counts) / sum(counts) * 100
        lefts = np.concatenate([[0.0], np.cumsum(shares)[:-1]])
        for left, share, fill in zip(lefts, shares, fills, strict=True):
            axes.barh(place, share, left=left, height=0.62, linewidth=0, **fill)
    _whisker(axes, -0.13, words.estimate(run, "win.first"), lambda share: 100 * share)
    _whisker(axes, 0.13, words.estimate(run, "win.second"), lambda share: 100 - 100 * share)
    axes.set_yticks(range(len(rows)), [label for label, _ in rows])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.spines["left"].set_visible(False)
    axes.set_xlim(0, 100)
    axes.set_xlabel("matches [%]")
    axes.set_title("How matches end")
    cash = {"facecolor": style.MUTED, "edgecolor": style.PAPER, "hatch": CASH_HATCH}
    figure.legend(
        [Patch(linewidth=0, **fill) for fill in (fills[0], fills[2], fills[4], cash)],
        [
            f"{sides.first} wins: {words.figure(run, 'win.first')}",
            f"shared: {words.figure(run, 'shared')}",
            f"{sides.second} wins: {words.figure(run, 'win.second')}",
            f"hatched, won on cash: {words.figure(run, 'decided_by_cash')}",
        ],
        loc="outside lower left",
    )


def _score_panel(axes: Axes, run: Run) -> None:
    """Score of the first bot, overall and in either seat."""
    sides = words.players(run)
    names = {"score.first": "both seats", "score.first.seat_a": "in seat A", "score.first.seat_b": "in seat B"}
    colours = (style.FIRST, style.SEAT_A, style.SEAT_B)
    for place, (metric, colour) in enumerate(zip(names, colours, strict=True)):
        _dot(axes, place, words.estimate(run, metric), colour, 100)
    axes.axvline(50, color=style.MUTED, linewidth=1, linestyle=(0, (4, 3)))
    axes.set_yticks(range(3), list(names.values()))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(2.6, -0.6)
    axes.spines["left"].set_visible(False)
    style.quiet_grid(axes, "x")
    axes.set_xlabel("score [%], a shared victory counts half")
    axes.set_title(f"Score of {sides.first}, by seat")


@_drawn
def margin_figure(run: Run) -> Figure:
    """Histogram of the points of the first side minus those of the second; at 0, who won on cash and what is shared."""
    flat = no_spread(run)
    if flat:
        return style.plain_figure(flat)
    sides = words.players(run)
    colours = style.side_colours(sides)
    values, counts = histogram(run.sums, "margin")
    bins = binned(values, counts, MOST_BARS)
    scale, unit = _height_unit(int(counts.sum()))
    inks = style.side_text_colours(sides)
    figure = style.new_figure(3.5)
    axes = figure.add_subplot()
    fills = [style.SHARED if first == 0 else colours[int(first < 0)] for first in bins.first]
    _bars(axes, bins, scale, fills)
    _at_zero(axes, run, colours, scale)
    _quantiles(axes, run, "margin", bins, scale)
    axes.set_xlabel(f"points of {sides.first} minus points of {sides.second}{_bin_words(bins)}")
    axes.set_ylabel(unit)
    axes.set_title("Margin", pad=20)
    _corner(axes, f"← {sides.second} ahead", "left", inks[1])
    _corner(axes, f"{sides.first} ahead →", "right", inks[0])
    return figure


@_drawn
def spread_figure(run: Run) -> Figure:
    """Histogram of the difference in points without its sign, with what counts as close and as a blow-out."""
    from matplotlib.patches import Patch

    flat = no_spread(run)
    if flat:
        return style.plain_figure(flat)
    values, counts = histogram(run.sums, "spread")
    bins = binned(values, counts, MOST_BARS)
    scale, unit = _height_unit(int(counts.sum()))
    close, blown = words.close_limit(run), words.blow_out_limit(run)
    figure = style.new_figure(4.2)
    axes = figure.add_subplot()
    fills = [
        CLOSE if last <= close else style.WARNING if first >= blown else BETWEEN
        for first, last in zip(bins.first, bins.last, strict=True)
    ]
    _bars(axes, bins, scale, fills)
    axes.set_xlim(left=-1.5)
    _quantiles(axes, run, "spread", bins, scale)
    axes.set_xlabel(f"points between the two sides{_bin_words(bins)}")
    axes.set_ylabel(unit)
    axes.set_title("Spread")
    named = [
        (CLOSE, f"close, at most {close}", words.close_share(run)),
        (BETWEEN, f"in between, {close + 1} to {blown - 1}", words.spread_share(run, close + 1, blown - 1)),
        (style.WARNING, f"blow-out, {blown} or more", words.blow_out_share(run)),
    ]
    figure.legend(
        [Patch(facecolor=colour) for colour, _, _ in named],
        [f"{label}: {words.phrase(found, 'share')}" for _, label, found in named],
        loc="outside lower left",
    )
    return figure


@_drawn
def players_figure(run: Run) -> Figure:
    """What each side delivers, buys and scores a match: a dot and its interval for either side."""
    sides = words.players(run)
    colours = style.side_colours(sides)
    figure = style.new_figure(5.2)
    panels = figure.subplots(3, 2)
    for axes, (name, label) in zip(panels.flat, PLAYER_FIGURES.items(), strict=True):
        scale = 100 if name.startswith("pick.") else 1
        top = 0.0
        for place, player in enumerate(("first", "second")):
            found = words.estimate(run, f"{name}.{player}")
            _dot(axes, place, found, colours[place], scale)
            if found is not None and found.value is not None:
                top = max(top, scale * found.value, scale * (found.high or 0.0))
            shown = words.figure(run, f"{name}.{player}").replace(" points", "")
            axes.text(0.0, place - 0.27, shown, transform=axes.get_yaxis_transform(), fontsize=9.5, va="center")
        axes.set_xlim(0, 100 if scale == 100 else (top * 1.12 or 1))
        axes.set_ylim(1.5, -0.6)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        style.quiet_grid(axes, "x")
        axes.set_title(label + (" [% of matches]" if scale == 100 else " a match"), fontsize=10.5)
    figure.legend(
        [panels[0, 0].plot([], [], "o", color=colour)[0] for colour in colours],
        [sides.first, sides.second],
        loc="outside upper left",
        ncols=2,
    )
    return figure


def _height_unit(n: int) -> tuple[float, str]:
    """Factor from matches to heights, and what the heights are."""
    return (1.0, "matches") if n < FEW_MATCHES else (100 / n, "matches [%]")


def _bin_words(bins: Binned) -> str:
    return "" if bins.width == 1 else f"\n(a bar takes in {bins.width} values, 0 has its own)"


def _bars(axes: Axes, bins: Binned, scale: float, fills: list[str]) -> None:
    from matplotlib.ticker import MaxNLocator

    lefts = bins.first - 0.5
    widths = bins.last - bins.first + 1
    gap = 0.12 if bins.counts.size <= 60 else 0.0
    axes.bar(lefts + gap / 2, bins.counts * scale, widths - gap, align="edge", color=fills, linewidth=0)
    axes.set_xlim(float(bins.first[0]) - 1.5, float(bins.last[-1]) + 1.5)
    axes.set_ylim(0, float(bins.counts.max() * scale) * 1.4)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    if scale == 1:
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    style.quiet_grid(axes, "y")


def _at_zero(axes: Axes, run: Run, colours: tuple[str, str], scale: float) -> None:
    """The bar of equal points once more, parted by what decided: cash for either side (hatched), or nothing."""
    _, (_, first_cash, shared, second_cash, _) = outcome_counts(run)[0]
    parts = ((second_cash, colours[1], CASH_HATCH), (shared, style.SHARED, ""), (first_cash, colours[0], CASH_HATCH))
    bottom = 0.0
    for n, colour, hatch in parts:
        axes.bar(0, n * scale, 0.94, bottom=bottom, facecolor=colour, edgecolor=style.PAPER, hatch=hatch, linewidth=0)
        bottom += n * scale


def _quantiles(axes: Axes, run: Run, metric: str, bins: Binned, scale: float) -> None:
    """The p10, p50 and p90 in one row above the bars, each with its interval and a line down to its bar."""
    top = axes.get_ylim()[1]
    left, right = axes.get_xlim()
    found = [words.estimate(run, f"{metric}.p{percent}") for percent in (10, 50, 90)]
    known = [
        (percent, one.value, max(one.low, left), min(one.high, right))
        for percent, one in zip((10, 50, 90), found, strict=True)
        if one is not None and one.value is not None and one.low is not None and one.high is not None
    ]
    places = _apart([value for _, value, _, _ in known], LABEL_WIDTH * (right - left), left, right)
    line: dict[str, Any] = {"color": style.INK, "linewidth": 1.1}
    before, level = -np.inf, 0.8 * top
    for (percent, value, low, high), place in zip(known, places, strict=True):
        bar = float(bins.counts[np.searchsorted(bins.first, value, side="right") - 1]) * scale
        level = (1.55 * top - level) if low <= before else 0.8 * top  # intervals that overlap lie one above the other
        before = high
        axes.plot([value, value], [bar + 0.015 * top, 0.8 * top], linestyle=(0, (4, 2)), **line)
        axes.plot([low, high], [level, level], "-", color=style.INK, linewidth=2.2, solid_capstyle="butt")
        axes.plot([value, place], [0.8 * top, 0.84 * top], **line)
        shown = f"p{percent}\n{value:g}".replace("-", "\u2212")
        ground: dict[str, Any] = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 0.5}
        axes.text(place, 0.85 * top, shown, ha="center", va="bottom", fontsize=9.5, linespacing=1.15, bbox=ground)


def _apart(values: list[float], gap: float, left: float, right: float) -> list[float]:
    """Places in the same order, between the ends, as near to the values as a gap between neighbours lets them be."""
    groups: list[list[float]] = []
    for value in values:
        groups.append([value])
        # A group stands around the mean of its values; where two of them touch, they become one.
        while (
            len(groups) > 1
            and _centre(groups[-1]) - _centre(groups[-2]) < gap * (len(groups[-1]) + len(groups[-2])) / 2
        ):
            groups[-2:] = [groups[-2] + groups[-1]]
    places: list[float] = []
    for group in groups:
        half = gap * (len(group) - 1) / 2
        centre = min(max(_centre(group), left + half), right - half)
        places += [centre - half + gap * position for position in range(len(group))]
    return places


def _centre(group: list[float]) -> float:
    return sum(group) / len(group)


def _corner(axes: Axes, content: str, side: str, colour: str) -> None:
    """A few words above a corner of the axes."""
    place = {"left": 0.0, "right": 1.0}[side]
    axes.text(place, 1.01, content, transform=axes.transAxes, ha=side, va="bottom", color=colour, fontweight="bold")


def _whisker(axes: Axes, place: float, found: Estimate | None, to_axis: Callable[[float], float]) -> None:
    """The interval of a share at a border of the stacked bar."""
    if found is None or found.value is None or found.low is None or found.high is None:
        return
    ends = sorted((to_axis(found.low), to_axis(found.high)))
    for colour, extra in ((style.PAPER, 2.0), (style.INK, 0.0)):
        axes.plot(ends, [place, place], color=colour, linewidth=1.6 + extra, solid_capstyle="butt")
        axes.plot(ends, [place, place], "|", color=colour, markersize=8 + extra, markeredgewidth=1.6 + extra)


def _dot(axes: Axes, place: float, found: Estimate | None, colour: str, scale: float) -> None:
    """A figure as a dot, with its interval where there is one."""
    if found is None or found.value is None:
        return
    if found.low is not None and found.high is not None:
        ends = [scale * found.low, scale * found.high]
        axes.plot(ends, [place, place], "-", color=colour, linewidth=2.2, solid_capstyle="butt")
        axes.plot(ends, [place, place], "|", color=colour, markersize=8, markeredgewidth=1.8)
    elif found.method != "deterministic":
        return
    axes.plot([scale * found.value], [place], "o", color=colour, markersize=6.5, clip_on=False)
