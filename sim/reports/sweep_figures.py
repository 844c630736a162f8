"""Pictures of a sweep: response curves with bands, and for two keys heat maps, undecided cells hatched."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sim.reports import style
from sim.reports.words import shortened
from sim.stats.figures import Estimate
from sim.stats.goals import GoalVerdict
from sim.stats.intervals import INVERSION
from sim.stats.rounding import format_value
from sim.studies.sweep_result import CellResult, Sweep
from sim.studies.turning import level_words, short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["curve_figure", "levels_of", "map_figure", "outline", "same_but_for", "unit_words", "verdict_of"]

MOST_CURVES = 7
COLOURS = (style.SEAT_A, style.SEAT_B, style.FIRST, style.SECOND, style.WARNING, style.INK, style.SHARED)
VERDICT_COLOURS = {
    GoalVerdict.MET: "#8FD1BC",
    GoalVerdict.VIOLATED: "#F0B99A",
    GoalVerdict.UNDECIDED: "#F4F4F4",
}
LONGEST_LEVEL = 14
MOST_PANELS = 6
PANELS_ACROSS = 2
_SHARES = ("share", "share difference")


def levels_of(found: Sweep, key: str) -> list[Any]:
    """Values of a key that occur, in the order of the cells; numbers by size."""
    values: list[Any] = []
    for cell in found.cells:
        if cell.values[key] not in values:
            values.append(cell.values[key])
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    return sorted(values) if numbers else values


def same_but_for(found: Sweep, keys: Sequence[str]) -> list[CellResult]:
    """Cells that are the reference but for these keys."""
    own = found.reference.values
    return [cell for cell in found.cells if all(cell.values[key] == own[key] for key in own if key not in keys)]


def curve_figure(found: Sweep, metric: str, key: str, by: str | None = None) -> Figure:
    """A figure over the values of a key, with the band of its interval; a curve for each value of another key.

    Parameters
    ----------
    metric
        Core name of the figure.
    key
        Along the axis.
    by
        A curve for each of its values; None: one curve, of the cells that are the reference but for `key`.
    """
    levels, scale = levels_of(found, key), 100 if found.units[metric] in _SHARES else 1
    curves = [None] if by is None else levels_of(found, by)[:MOST_CURVES]
    cells = same_but_for(found, [key] if by is None else [key, by])
    with style.applied():
        figure = style.new_figure(3.2)
        axes = figure.add_subplot()
        for colour, curve in zip(COLOURS, curves, strict=False):
            points = []
            for place, level in enumerate(levels):
                cell = next(
                    (c for c in cells if c.values[key] == level and (by is None or c.values[by] == curve)), None
                )
                one = None if cell is None else cell.estimates.get(metric)
                if one is not None and one.value is not None:
                    ends = (one.value if end is None else end for end in (one.low, one.high))
                    points.append((place, scale * one.value, *(scale * end for end in ends)))
            if points:
                x, y, low, high = zip(*points, strict=True)
                name = "" if by is None else shortened(level_words(curve), LONGEST_LEVEL)
                axes.plot(x, y, color=colour, marker="o", markersize=4, label=name)
                axes.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
        axes.set_xticks(range(len(levels)), [shortened(level_words(level), LONGEST_LEVEL) for level in levels])
        axes.set_xlabel(key)
        axes.set_title(f"{metric}{unit_words(found.units[metric])}")
        style.quiet_grid(axes, "y")
        if by is not None:
            axes.legend(title=by, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


def map_figure(found: Sweep, across: str, up: str, metric: str, goal: str | None, by: str | None = None) -> Figure:
    """A heat map over two keys: of the figure, with its value in each cell; by verdict where a goal is named.

    Parameters
    ----------
    across, up
        The two keys.
    metric
        Core name of the figure, whose values are written into the cells.
    goal
        Text of the goal whose verdict colours the cells, "" for all goals together, with the region in which all are
        met outlined; None: colours by value.
    by
        A third key, with a map for each of its values; None: all other keys are as in the reference.
    """
    from matplotlib.patches import Patch

    xs, ys = levels_of(found, across), levels_of(found, up)
    panels = [None] if by is None else levels_of(found, by)[:MOST_PANELS]
    cells = same_but_for(found, [across, up] if by is None else [across, up, by])
    known = [v for cell in cells if (one := cell.estimates.get(metric)) is not None and (v := one.value) is not None]
    ends = (min(known), max(known)) if known else (0.0, 1.0)
    columns = min(len(panels), PANELS_ACROSS)
    rows = -(-len(panels) // columns)
    with style.applied():
        wide = max(style.WIDTH_INCHES, columns * (0.9 + 0.62 * len(xs)) + 0.7)
        figure = style.new_figure(rows * (1.0 + 0.42 * len(ys)) + 0.5, wide)
        for place, panel in enumerate(panels):
            axes = figure.add_subplot(rows, columns, place + 1)
            here = {
                (xs.index(cell.values[across]), ys.index(cell.values[up])): cell
                for cell in cells
                if by is None or cell.values[by] == panel
            }
            _draw_map(axes, found, here, metric, goal, ends)
            axes.set_xlim(-0.5, len(xs) - 0.5)
            axes.set_ylim(-0.5, len(ys) - 0.5)
            axes.set_xticks(range(len(xs)), [shortened(level_words(level), LONGEST_LEVEL) for level in xs])
            axes.set_yticks(range(len(ys)), [shortened(level_words(level), LONGEST_LEVEL) for level in ys])
            axes.tick_params(length=0)
            axes.set_xlabel(across)
            if place % columns == 0:
                axes.set_ylabel(up)
            whole = (goal or "all goals") if goal is not None else f"{metric}{unit_words(found.units[metric])}"
            axes.set_title(whole if by is None else shortened(f"{short_names([by])[by]} {level_words(panel)}", 28))
            for spine in axes.spines.values():
                spine.set_visible(False)
        if goal is not None:
            patches = [
                Patch(
                    facecolor=VERDICT_COLOURS[one],
                    edgecolor=style.SHARED,
                    hatch="///" if one is GoalVerdict.UNDECIDED else None,
                    label=one.value,
                )
                for one in GoalVerdict
            ]
            if by is None:
                figure.axes[0].legend(handles=patches, loc="center left", bbox_to_anchor=(1.01, 0.5))
            else:
                figure.legend(handles=patches, loc="outside lower center", ncols=3)
    return figure


def _draw_map(
    axes: Axes,
    found: Sweep,
    cells: Mapping[tuple[int, int], CellResult],
    metric: str,
    goal: str | None,
    ends: tuple[float, float],
) -> None:
    """Cells at their places, coloured, with the figure's value."""
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Rectangle

    low, high = ends
    shades = LinearSegmentedColormap.from_list("values", [style.PAPER, style.SEAT_A], N=41)
    for (x, y), cell in cells.items():
        one = cell.estimates.get(metric)
        value = None if one is None else one.value
        verdict = None if goal is None else verdict_of(cell, goal)
        share = 0.0 if value is None or high == low else 0.75 * (value - low) / (high - low)
        colour = shades(share) if verdict is None else VERDICT_COLOURS[verdict]
        hatch = "///" if verdict is GoalVerdict.UNDECIDED else None
        edge = style.SHARED if hatch else style.PAPER
        axes.add_patch(
            Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor=edge, hatch=hatch, linewidth=0.8)
        )
        words = "failed" if one is None or value is None else _digits(one, found.units[metric])
        weight = "bold" if cell.reference else "normal"
        axes.text(x, y, words, ha="center", va="center", fontsize=9, fontweight=weight, bbox=_behind(hatch))
    if goal == "":
        inside = {place for place, cell in cells.items() if cell.verdict is GoalVerdict.MET}
        for line in outline(inside):
            axes.plot(*zip(*line, strict=True), color=style.FIRST_TEXT, linewidth=2.4, solid_capstyle="projecting")


def _digits(one: Estimate, unit: str) -> str:
    """A figure with the digits that its interval supports, without its unit."""
    if one.method == INVERSION:
        return f"{one.value:g}"  # a quantile is a value that a match has
    half = 0.0
    if one.value is not None and one.low is not None and one.high is not None:
        half = max(one.high - one.value, one.value - one.low)
    return re.sub(r"[^\d.+-].*$", "", format_value(one.value, half, unit).lstrip("$"))


def outline(inside: Collection[tuple[int, int]]) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """The edges of a region of unit squares around whole numbers: those with no square of it on the other side."""
    lines = []
    for x, y in sorted(inside):
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            if (x + dx, y + dy) not in inside:
                mid = (x + dx / 2, y + dy / 2)
                lines.append(
                    ((mid[0] - dy / 2, mid[1] - dx / 2), (mid[0] + dy / 2, mid[1] + dx / 2)),
                )
    return lines


def verdict_of(cell: CellResult, goal: str) -> GoalVerdict | None:
    """What is known of one goal in a cell, or of all where it is ""."""
    if not goal:
        return cell.verdict
    return next((one.verdict for one in cell.goals if one.goal.text == goal), None)


def _behind(hatch: str | None) -> dict[str, Any] | None:
    return None if hatch is None else {"facecolor": style.PAPER, "edgecolor": "none", "pad": 1.2}


def unit_words(unit: str) -> str:
    """The unit of an axis, in brackets."""
    return {"share": " [%]", "share difference": " [pp]", "count": ""}.get(unit, f" [{unit}]")
