"""Response curves of a sweep: figures over the values of a key, with the bands of their intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sim.reports import style
from sim.reports.sweep_choice import Grid, spread_out
from sim.reports.sweep_figures import LABEL, LINE, SHARES, TITLE, is_number, level_labels, unit_words
from sim.reports.words import shortened
from sim.studies.sweep_result import CellResult, Sweep
from sim.studies.turning import short_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sim.reports.sheet import Sheet

__all__ = ["MOST_CURVES", "curve_figure", "keys_figure"]

MOST_CURVES = 5
COLOURS = (style.SEAT_A, style.SEAT_B, style.FIRST, style.SECOND, style.WARNING)
HEAD, TALL, GAP = 0.4, 2.1, 0.25
"""Height of the title and of the lines, space between those beside each other: inches."""

FLAT = 1.2
"""Height of the lines where every key has its own, in inches."""

DOT = 14.0
"""Size of a dot, in square points."""

Point = tuple[int, float, float, float]
"""Place of the level, the figure, and the ends of its interval."""


def curve_figure(found: Sweep, grid: Grid, metric: str, key: str, by: str | None = None) -> Figure:
    """A figure over the values of a key, with the band of its interval; a curve for each value of another key.

    Parameters
    ----------
    grid
        The cells.
    metric
        Core name of the figure.
    key
        Along the axis.
    by
        A curve for each of its values; None: one curve, of the cells that stand still but for `key`.
    """
    from sim.reports.sheet import Sheet, width_of

    cells = grid.turned([key] if by is None else [key, by])
    places: Sequence[int] = (0,)
    if by is not None:
        places = spread_out(len(grid.levels[by]), grid.base[grid.keys.index(by)], MOST_CURVES)
    curves = [
        _points(found, metric, {at[0]: cell for at, cell in cells.items() if at[1:] in ((), (place,))})
        for place in places
    ]
    labels = level_labels(grid.levels[key])
    with style.applied():
        names = [] if by is None else [level_labels(grid.levels[by])[place] for place in places]
        heading = "" if by is None else shortened(short_names(list(found.keys))[by], 20)
        right = 0.1
        if by is not None:
            right = 0.25 + max(width_of(heading, LABEL), *(0.35 + width_of(one, LABEL) for one in names))
        below = _below(labels, (style.WIDTH_INCHES - 0.7 - right) / len(labels))
        sheet = Sheet(style.WIDTH_INCHES, HEAD + TALL + below + LINE + 0.05)
        title = f"{metric}{unit_words(found.units[metric])}"
        sheet.words("title", [(0.05, sheet.height - 0.15, title)], fontsize=TITLE, fontweight="bold")
        ticks, ends = _ticks(found, metric, curves)
        left = 0.15 + max(width_of(word, LABEL) for _, word in ticks)
        area = _Area(sheet, (left, LINE + 0.05 + below), (sheet.width - left - right, TALL), len(labels), ends)
        area.draw(curves, ticks)
        area.name(labels, key)
        x, y = sheet.width - right + 0.15, sheet.height - HEAD - 0.15
        if by is not None:
            y = min(y, area.corner[1] + TALL / 2 + 0.12 * len(names))
            sheet.words("curves", [(x, y, heading)], fontsize=LABEL)
            rows = [(x, y - 0.24 * (n + 1), word) for n, word in enumerate(names)]
            for (at, height, _), colour in zip(rows, COLOURS, strict=False):
                sheet.lines("legend", [[(at, height), (at + 0.25, height)]], colour, 1.5)
                sheet.dots("legend", [(at + 0.125, height)], [colour], DOT)
            sheet.words("curves", [(at + 0.35, height, word) for at, height, word in rows], fontsize=LABEL)
    return sheet.figure


def keys_figure(found: Sweep, grid: Grid, metric: str, keys: Sequence[str]) -> Figure:
    """A figure over the values of each of several keys, all others standing still, on one scale; the start is larger.

    Parameters
    ----------
    grid, metric
        As of `curve_figure`.
    keys
        One at least.
    """
    from sim.reports.sheet import Sheet, width_of

    with style.applied():
        curves = [_points(found, metric, {at[0]: cell for at, cell in grid.turned([key]).items()}) for key in keys]
        ticks, ends = _ticks(found, metric, curves)
        left, columns = 0.15 + max(width_of(word, LABEL) for _, word in ticks), min(2, len(keys))
        wide = (style.WIDTH_INCHES - 0.1 - columns * left - (columns - 1) * GAP) / columns
        labels = [level_labels(grid.levels[key]) for key in keys]
        below = [_below(words, wide / len(words)) for words in labels]
        tall = TALL if len(keys) == 1 else FLAT
        feet = [max(below[n : n + columns]) + LINE + 0.15 for n in range(0, len(keys), columns)]
        sheet = Sheet(style.WIDTH_INCHES, HEAD + len(feet) * tall + sum(feet))
        title = f"{metric}{unit_words(found.units[metric])}"
        sheet.words("title", [(0.05, sheet.height - 0.15, title)], fontsize=TITLE, fontweight="bold")
        for n, (key, curve) in enumerate(zip(keys, curves, strict=True)):
            row, column = divmod(n, columns)
            low = sheet.height - HEAD - (row + 1) * tall - sum(feet[:row])
            area = _Area(sheet, (left + column * (left + wide + GAP), low), (wide, tall), len(labels[n]), ends)
            area.draw([curve], ticks, grid.base[grid.keys.index(key)])
            area.name(labels[n], key)
    return sheet.figure


class _Area:
    """Where curves are drawn: its lower left corner, its size, how many levels it has, and the ends of its scale."""

    def __init__(
        self, sheet: Sheet, corner: tuple[float, float], size: tuple[float, float], n: int, ends: tuple[float, float]
    ) -> None:
        self.sheet, self.corner, self.size, self.n, self.ends = sheet, corner, size, n, ends

    def at(self, level: int, value: float) -> tuple[float, float]:
        """Where a value of a level lies."""
        low, high = self.ends
        share = (value - low) / (high - low)
        return self.corner[0] + (level + 0.5) / self.n * self.size[0], self.corner[1] + share * self.size[1]

    def draw(
        self, curves: Sequence[Sequence[Point]], ticks: Sequence[tuple[float, str]], start: int | None = None
    ) -> None:
        """Curves with bands and dots, the dot at `start` larger, over faint lines with their numbers."""
        left, right = self.corner[0], self.corner[0] + self.size[0]
        heights = [(self.at(0, value)[1], word) for value, word in ticks]
        self.sheet.lines("grid", [[(left, y), (right, y)] for y, _ in heights], style.RULE, 0.7)
        self.sheet.words("ticks", [(left - 0.07, y, word) for y, word in heights], ha="right", fontsize=LABEL)
        drawn = [(curve, colour) for curve, colour in zip(curves, COLOURS, strict=False) if curve]
        bands = [
            [*(self.at(x, low) for x, _, low, _ in curve), *(self.at(x, high) for x, _, _, high in reversed(curve))]
            for curve, _ in drawn
        ]
        colours = [colour for _, colour in drawn]
        self.sheet.bands("bands", bands, colours, 0.15)
        lines = [[self.at(x, value) for x, value, _, _ in curve] for curve, _ in drawn]
        self.sheet.lines("curves", lines, colours, 1.5)
        dots = [(place, colour) for line, colour in zip(lines, colours, strict=True) for place in line]
        self.sheet.dots("dots", [place for place, _ in dots], [colour for _, colour in dots], DOT)
        larger = [self.at(x, value) for curve, _ in drawn for x, value, _, _ in curve if x == start]
        self.sheet.dots("start", larger, colours[:1], 4 * DOT)

    def name(self, labels: Sequence[str], key: str) -> None:
        """Levels and the name of their key below."""
        from sim.reports.sheet import width_of

        left, low = self.corner
        each = self.size[0] / self.n
        below = _below(labels, each)
        if below > LINE:
            places = [(left + (x + 0.5) * each + 0.05, low - 0.06, word) for x, word in enumerate(labels)]
            self.sheet.slanted("levels", places, fontsize=LABEL)
        else:
            step = math.ceil((max(width_of(word, LABEL) for word in labels) + 0.06) / each)
            places = [(left + (x + 0.5) * each, low - 0.13, labels[x]) for x in range(0, self.n, step)]
            self.sheet.words("levels", places, ha="center", fontsize=LABEL)
        middle = left + self.size[0] / 2
        self.sheet.words("key", [(middle, low - below - LINE / 2, key)], ha="center", fontsize=LABEL)


def _points(found: Sweep, metric: str, cells: Mapping[int, CellResult]) -> list[Point]:
    scale = 100 if found.units[metric] in SHARES else 1
    points = []
    for place in sorted(cells):
        one = cells[place].estimates.get(metric)
        if one is not None and one.value is not None:
            low, high = (one.value if end is None else end for end in (one.low, one.high))
            points.append((place, scale * one.value, scale * low, scale * high))
    return points


def _ticks(
    found: Sweep, metric: str, curves: Sequence[Sequence[Point]]
) -> tuple[list[tuple[float, str]], tuple[float, float]]:
    """Round numbers at the axis of a figure, and the ends of its scale: a little more than bands reach."""
    from sim.reports.sheet import rounded_ticks

    ends = [end for curve in curves for _, _, *reach in curve for end in reach] or [0.0]
    low, high = min(ends), max(ends)
    wide = high - low or abs(high) / 10 or 1.0
    low, high = low - 0.05 * wide, high + 0.05 * wide
    least, most = (0.0, 100.0) if found.units[metric] == "share" else (-math.inf, math.inf)
    return rounded_ticks(max(low, least), min(high, most)), (low, high)


def _below(labels: Sequence[str], room: float) -> float:
    """How much room values take below an axis on which each has so much: slanted where words do not fit."""
    from sim.reports.sheet import width_of

    longest = max(width_of(word, LABEL) for word in labels)
    numbers = all(is_number(word) for word in labels)
    return LINE if numbers or longest + 0.06 <= room else 0.1 + 0.75 * longest
