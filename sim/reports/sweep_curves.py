"""Response curves of a sweep: figures over the values of a key, with the bands of their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sim.reports import style
from sim.reports.style import LABEL_POINTS as LABEL
from sim.reports.style import TITLE_POINTS as TITLE
from sim.reports.sweep_choice import Grid, spread_out
from sim.reports.sweep_figures import SHARES, level_labels, unit_words
from sim.reports.words import shortened
from sim.studies.sweep_result import CellResult, Sweep
from sim.studies.turning import short_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sim.reports.area import Area

__all__ = ["MOST_CURVES", "curve_figure", "keys_figure"]

MOST_CURVES = 5
COLOURS = (style.SEAT_A, style.SEAT_B, style.FIRST, style.SECOND, style.WARNING)
TALL = 2.1
"""Height of the lines, in inches."""

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
    from sim.reports.area import HEAD, LINE, Area, below_marks, left_of, scale_of
    from sim.reports.sheet import Sheet, width_of

    cells = grid.turned([key] if by is None else [key, by])
    places: Sequence[int] = (0,)
    if by is not None:
        places = spread_out(len(grid.levels[by]), grid.base[grid.keys.index(by)], MOST_CURVES)
    curves = [
        _points(found, metric, {at[0]: cell for at, cell in cells.items() if at[1:] in ((), (place,))})
        for place in places
    ]
    with style.applied():
        names = [] if by is None else [level_labels(grid.levels[by])[place] for place in places]
        heading = "" if by is None else shortened(short_names(list(found.keys))[by], 20)
        right = 0.1
        if by is not None:
            right = 0.25 + max(width_of(heading, LABEL), *(0.35 + width_of(one, LABEL) for one in names))
        ticks, ends = scale_of(_reached(curves), found.units[metric])
        marks, reach = _marks(grid.levels[key])
        left = left_of(ticks, [word for _, word in marks], style.WIDTH_INCHES - right)
        below = below_marks([word for _, word in marks], (style.WIDTH_INCHES - left - right) / len(marks))
        sheet = Sheet(style.WIDTH_INCHES, HEAD + TALL + below + LINE + 0.05)
        title = f"{metric}{unit_words(found.units[metric])}"
        sheet.words("title", [(0.05, sheet.height - 0.15, title)], fontsize=TITLE, fontweight="bold")
        area = Area(sheet, (left, LINE + 0.05 + below), (sheet.width - left - right, TALL), reach, ends)
        area.rule(ticks)
        area.mark(marks, key)
        _draw(area, curves)
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
    from sim.reports.area import panels, scale_of

    with style.applied():
        curves = [_points(found, metric, {at[0]: cell for at, cell in grid.turned([key]).items()}) for key in keys]
        title = f"{metric}{unit_words(found.units[metric])}"
        below = [(key, *_marks(grid.levels[key])) for key in keys]
        scale = scale_of(_reached(curves), found.units[metric])
        sheet, areas = panels(title, below, scale, TALL if len(keys) == 1 else FLAT)
        for key, curve, area in zip(keys, curves, areas, strict=True):
            _draw(area, [curve], grid.base[grid.keys.index(key)])
    return sheet.figure


def _marks(levels: Sequence[Any]) -> tuple[list[tuple[float, str]], tuple[float, float]]:
    """Values of a key at their places, and the ends of their scale."""
    return [(float(x), word) for x, word in enumerate(level_labels(levels))], (-0.5, len(levels) - 0.5)


def _reached(curves: Sequence[Sequence[Point]]) -> list[float]:
    return [end for curve in curves for _, _, *reach in curve for end in reach]


def _draw(area: Area, curves: Sequence[Sequence[Point]], start: int | None = None) -> None:
    """Curves with bands and dots, the dot at `start` larger."""
    drawn = [(curve, colour) for curve, colour in zip(curves, COLOURS, strict=False) if curve]
    bands = [
        [*(area.at(x, low) for x, _, low, _ in curve), *(area.at(x, high) for x, _, _, high in reversed(curve))]
        for curve, _ in drawn
    ]
    colours = [colour for _, colour in drawn]
    area.sheet.bands("bands", bands, colours, 0.15)
    lines = [[area.at(x, value) for x, value, _, _ in curve] for curve, _ in drawn]
    area.sheet.lines("curves", lines, colours, 1.5)
    dots = [(place, colour) for line, colour in zip(lines, colours, strict=True) for place in line]
    area.sheet.dots("dots", [place for place, _ in dots], [colour for _, colour in dots], DOT)
    larger = [area.at(x, value) for curve, _ in drawn for x, value, _, _ in curve if x == start]
    area.sheet.dots("start", larger, colours[:1], 4 * DOT)


def _points(found: Sweep, metric: str, cells: Mapping[int, CellResult]) -> list[Point]:
    scale = 100 if found.units[metric] in SHARES else 1
    points = []
    for place in sorted(cells):
        one = cells[place].estimates.get(metric)
        if one is not None and one.value is not None:
            low, high = (one.value if end is None else end for end in (one.low, one.high))
            points.append((place, scale * one.value, scale * low, scale * high))
    return points
