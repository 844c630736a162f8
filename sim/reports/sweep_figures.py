"""Heat maps of a sweep over two keys: figures by value, goals by verdict, undecided cells hatched."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sim.reports import style
from sim.reports.style import LABEL_POINTS as LABEL
from sim.reports.style import TITLE_POINTS as TITLE
from sim.reports.sweep_choice import View
from sim.reports.words import shortened
from sim.stats.figures import Estimate
from sim.stats.goals import GoalVerdict
from sim.stats.intervals import INVERSION
from sim.stats.rounding import format_value
from sim.studies.sweep_result import CellResult, Sweep
from sim.studies.turning import level_words, short_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sim.reports.sheet import Sheet

__all__ = ["SHARES", "cell_words", "level_labels", "map_figure", "outline", "unit_words", "verdict_of"]

VERDICT_COLOURS = {
    GoalVerdict.MET: "#8FD1BC",
    GoalVerdict.VIOLATED: "#F0B99A",
    GoalVerdict.UNDECIDED: "#F4F4F4",
}
HATCH = "///"
DARKEST = 0.75
"""Of the way from white to blue, so that words can be read on it."""

SHARES = ("share", "share difference")
"""Units that are shown in percent."""

LONGEST_LEVEL = 18
NOTHING = "none"
"""Written where a cell has no such figure, as where no match counts."""

SIZES = (9.0, 8.0, 7.0)
"""Of the words in cells, in points; where none has room there are no words."""

SMALL = 7.0
"""Size that is taken only where else a map would stand alone in its row."""

HEAD, GAP = 0.52, 0.22
"""Height of the title with the name of the key that goes up; space between maps: inches."""

TALL, FLAT, LOWEST, TALLEST = 0.40, 0.30, 0.07, 7.5
"""Height of a row of cells of one map, of one of several, and at least; height of a map with many rows: inches."""

MANY = 24
"""Columns that have room in a narrow picture without words."""

Place = tuple[int, int, int]
Key = tuple[str, str | None, str]
"""Of a legend: colour, hatch, words."""


def map_figure(found: Sweep, view: View, metric: str, goal: str | None) -> Figure:
    """A heat map over two keys, or one for each value of a third: of a figure, or of verdicts where a goal is named.

    Parameters
    ----------
    view
        The keys and the cells.
    metric
        Core name of the figure, whose values are written into the cells.
    goal
        Text of the goal whose verdict colours the cells; "" for all goals together, with the region in which all are
        met outlined and the number of goals that are met written into the cells; None: colours by value.
    """
    from sim.reports.sheet import Sheet, width_of

    with style.applied():
        words = {at: cell_words(found, cell, metric, goal) for at, cell in view.cells.items()}
        room = {size: max(width_of(one, size, "bold") for one in words.values()) + 0.08 for size in SIZES}
        xs, ys = (level_labels(view.grid.levels[key]) for key in (view.across, view.up))
        legend = [] if goal is None else [(VERDICT_COLOURS[one], _hatch(one), one.value) for one in GoalVerdict]
        at = _laid_out(len(view.panels), xs, ys, room, legend)
        if at.size is None and goal is None:
            legend = _scale(found, view, metric)
            at = _laid_out(len(view.panels), xs, ys, room, legend)
        sheet = Sheet(at.width, at.height)
        whole = (goal or "all goals") if goal is not None else f"{metric}{unit_words(found.units[metric])}"
        sheet.words("title", [(0.05, at.height - 0.15, whole)], fontsize=TITLE, fontweight="bold")
        _draw_cells(sheet, view, metric, goal, at, words)
        _draw_labels(sheet, found, view, at, xs, ys)
        _draw_legend(sheet, at, legend)
    return sheet.figure


@dataclass(frozen=True)
class _Layout:
    """Where everything lies, in inches.

    Attributes
    ----------
    width, height
        Of the picture.
    box
        Width and height of a cell.
    corners
        Lower left corners of the maps.
    upper
        Upper right corner of the map that reaches farthest up and right.
    size
        Of the words in cells, in points; None for none.
    behind
        Width of what lies behind them.
    slanted
        Whether the values below columns are.
    foot
        Height of what lies below the values of the lowest map.
    """

    width: float
    height: float
    box: tuple[float, float]
    corners: tuple[tuple[float, float], ...]
    upper: tuple[float, float]
    size: float | None
    behind: float
    slanted: bool
    foot: float

    def place(self, panel: int, x: float, y: float) -> tuple[float, float]:
        """Where a cell has its middle."""
        left, low = self.corners[panel]
        return left + (x + 0.5) * self.box[0], low + (y + 0.5) * self.box[1]


def _laid_out(
    n: int, xs: Sequence[str], ys: Sequence[str], room: Mapping[float, float], legend: Sequence[Key]
) -> _Layout:
    """The smallest picture of `n` maps in which words have room, of which they take `room` by their size."""
    from sim.reports.area import LINE, below_marks
    from sim.reports.sheet import POINT, width_of

    several = n > 1
    left = 0.15 + max(width_of(one, LABEL) for one in ys)
    right = 0.08 if several or not legend else 0.5 + max(width_of(words, LABEL) for _, _, words in legend)
    tall = max(LOWEST, min(FLAT if several else TALL, TALLEST / len(ys)))

    def wide(width: float, columns: int) -> float:
        return (width - left - right - GAP * (columns - 1)) / (columns * len(xs))

    ways = [
        (several and columns == 1, size == SMALL, width, -size, -columns)
        for size in SIZES
        if 1.3 * size * POINT <= tall
        for width in (style.WIDTH_INCHES, style.WHOLE_ROW_INCHES)
        for columns in ((3, 2, 1) if width > style.WIDTH_INCHES else (2, 1))
        if columns <= n and room[size] <= wide(width, columns)
    ]
    width, size, columns = style.WIDTH_INCHES if len(xs) <= MANY else style.WHOLE_ROW_INCHES, None, 1
    if ways:
        _, _, width, size, columns = min(ways)
        size, columns = -size, -columns
    box = wide(width, columns), tall
    above, below = LINE + 0.08 if several else 0.05, below_marks(xs, box[0])
    each = above + tall * len(ys) + below
    foot = LINE + (0.34 if several and legend else 0.04)
    rows = -(-n // columns)
    height = HEAD + rows * each + foot
    corners = tuple(
        (left + place % columns * (box[0] * len(xs) + GAP), height - HEAD - place // columns * each - each + below)
        for place in range(n)
    )
    upper = left + columns * box[0] * len(xs) + (columns - 1) * GAP, height - HEAD - above
    return _Layout(width, height, box, corners, upper, size, room[size] if size else 0.0, below > LINE, foot)


def _draw_cells(
    sheet: Sheet, view: View, metric: str, goal: str | None, at: _Layout, words: Mapping[Place, str]
) -> None:
    """Coloured boxes, hatched ones apart, words in them, and a line around where all goals are met."""
    low, high = _ends(view, metric)
    maps = {panel: n for n, panel in enumerate(view.panels)}
    plain: dict[tuple[float, float], Any] = {}
    hatched: list[tuple[float, float]] = []
    shown: dict[str, list[tuple[float, float, str]]] = {"normal": [], "bold": []}
    for (x, y, panel), cell in view.cells.items():
        middle = at.place(maps[panel], x, y)
        verdict = None if goal is None else verdict_of(cell, goal)
        if verdict is GoalVerdict.UNDECIDED:
            hatched.append(middle)
        elif verdict is not None:
            plain[middle] = VERDICT_COLOURS[verdict]
        else:
            value = _value(cell, metric)
            plain[middle] = _shade(0.0 if value is None or high == low else (value - low) / (high - low))
        shown["bold" if cell.reference else "normal"].append((*middle, words[x, y, panel]))
    sheet.boxes("cells", list(plain), at.box, list(plain.values()))
    sheet.boxes("undecided", hatched, at.box, [VERDICT_COLOURS[GoalVerdict.UNDECIDED]], edge=style.SHARED, hatch=HATCH)
    if at.size is not None:
        sheet.boxes("behind", hatched, (at.behind, min(0.9 * at.box[1], at.size / 50)), [style.PAPER], edge="none")
    for panel, n in maps.items() if goal == "" else ():
        inside = {(x, y) for (x, y, z), cell in view.cells.items() if z == panel and cell.verdict is GoalVerdict.MET}
        edges = [[at.place(n, *end) for end in line] for line in outline(inside)]
        sheet.lines("region", edges, style.FIRST_TEXT, 2.4, capstyle="projecting")
    if at.size is not None:
        for weight, placed in shown.items():
            sheet.words("values", placed, ha="center", fontsize=at.size, fontweight=weight)


def _draw_labels(sheet: Sheet, found: Sweep, view: View, at: _Layout, xs: Sequence[str], ys: Sequence[str]) -> None:
    """Values at the axes, names of the keys, and over each of several maps the third key's value."""
    from sim.reports.area import LINE
    from sim.reports.sheet import width_of

    left, (wide, tall) = at.corners[0][0], at.box
    sheet.words("key up", [(0.05, at.height - 0.4, f"\u2191 {view.up}")], fontsize=LABEL)
    rows = range(0, len(ys), math.ceil(0.15 / tall))
    outer = [n for n, (x, _) in enumerate(at.corners) if x == left]
    sheet.words(
        "levels up", [(left - 0.07, at.place(n, 0, y)[1], ys[y]) for n in outer for y in rows], ha="right",
        fontsize=LABEL,
    )  # fmt: skip
    apart = 0.18 if at.slanted else max(width_of(one, LABEL) for one in xs) + 0.06
    columns = range(0, len(xs), math.ceil(apart / wide))
    below = [(at.place(n, x, 0)[0], low, xs[x]) for n, (_, low) in enumerate(at.corners) for x in columns]
    if at.slanted:
        sheet.slanted("levels across", [(x + 0.05, y - 0.06, word) for x, y, word in below], fontsize=LABEL)
    else:
        sheet.words("levels across", [(x, y - 0.12, word) for x, y, word in below], ha="center", fontsize=LABEL)
    middle = (left + at.upper[0]) / 2
    sheet.words("key across", [(middle, at.foot - LINE / 2, f"{view.across} \u2192")], ha="center", fontsize=LABEL)
    if view.by is None:
        return
    name, levels = short_names(list(found.keys))[view.by], view.grid.levels[view.by]
    room = wide * len(xs) + GAP / 2
    titles = []
    for n, panel in enumerate(view.panels):
        words = f"{name} {level_words(levels[panel])}"
        fits = (
            short
            for most in range(len(words), 3, -1)
            if width_of(short := shortened(words, most), LABEL, "bold") < room
        )
        titles.append((at.corners[n][0], at.corners[n][1] + tall * len(ys) + 0.13, next(fits, words[:3])))
    sheet.words("panels", titles, fontsize=LABEL, fontweight="bold")


def _draw_legend(sheet: Sheet, at: _Layout, legend: Sequence[Key]) -> None:
    """Right of one map, below several."""
    from sim.reports.sheet import width_of

    place = at.corners[0][0], 0.17
    if len(at.corners) == 1:
        place = at.upper[0] + 0.2, at.upper[1] - 0.15
    for colour, hatch, words in legend:
        sheet.boxes("legend", [(place[0] + 0.1, place[1])], (0.24, 0.15), [colour], edge=style.SHARED, hatch=hatch)
        sheet.words("legend", [(place[0] + 0.3, place[1], words)], fontsize=LABEL)
        if len(at.corners) == 1:
            place = place[0], place[1] - 0.25
        else:
            place = place[0] + 0.6 + width_of(words, LABEL), place[1]


def _scale(found: Sweep, view: View, metric: str) -> list[Key]:
    """Values and their colours, the largest first; none where all cells have the same."""
    low, high = _ends(view, metric)
    shares = (1.0, 0.75, 0.5, 0.25, 0.0) if high > low else ()
    values = [low + share * (high - low) for share in shares]
    words = [_bare(format_value(value, (high - low) / 20, found.units[metric])) for value in values]
    return [(_shade(share), None, word) for share, word in zip(shares, words, strict=True)]


def _shade(share: float) -> str:
    """A colour from white to blue."""
    ends = ([int(one[n : n + 2], 16) for n in (1, 3, 5)] for one in (style.PAPER, style.SEAT_A))
    mixed = (round(white + DARKEST * share * (blue - white)) for white, blue in zip(*ends, strict=True))
    return "#" + "".join(f"{one:02x}" for one in mixed)


def _hatch(verdict: GoalVerdict) -> str | None:
    return HATCH if verdict is GoalVerdict.UNDECIDED else None


def _value(cell: CellResult, metric: str) -> float | None:
    one = cell.estimates.get(metric)
    return None if one is None else one.value


def _ends(view: View, metric: str) -> tuple[float, float]:
    known = [value for cell in view.cells.values() if (value := _value(cell, metric)) is not None]
    return (min(known), max(known)) if known else (0.0, 0.0)


def level_labels(levels: Sequence[Any]) -> list[str]:
    """Values of a key, as they stand at an axis."""
    return [shortened(level_words(level), LONGEST_LEVEL) for level in levels]


def cell_words(found: Sweep, cell: CellResult, metric: str, goal: str | None) -> str:
    """What is written into a cell: the figure, or of all goals together how many are met."""
    one = cell.estimates.get(metric)
    if cell.error is not None:
        return "failed"
    if one is None or one.value is None:
        return NOTHING
    if goal == "":
        return str(sum(judged.verdict is GoalVerdict.MET for judged in cell.goals))
    return _digits(one, found.units[metric])


def _digits(one: Estimate, unit: str) -> str:
    """A figure with the digits that its interval supports, without its unit."""
    if one.method == INVERSION:
        return f"{one.value:g}"  # a quantile is a value that a match has
    half = 0.0
    if one.value is not None and one.low is not None and one.high is not None:
        half = max(one.high - one.value, one.value - one.low)
    return _bare(format_value(one.value, half, unit))


def _bare(words: str) -> str:
    """A figure in words without its unit, which stands before or after it."""
    return "".join(re.findall(r"^-|[\d.]+(?:e[+-]?\d+)?", words)[:2]) or words


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


def unit_words(unit: str) -> str:
    """The unit of an axis, in brackets."""
    return {"share": " [%]", "share difference": " [pp]", "count": ""}.get(unit, f" [{unit}]")
