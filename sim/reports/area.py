"""Where points and lines of a picture without axes lie: an area with a scale beside it and marks below, or several."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from sim.reports import style
from sim.reports.sheet import Sheet, rounded_ticks, width_of
from sim.reports.style import LABEL_POINTS as LABEL
from sim.reports.style import TITLE_POINTS as TITLE

__all__ = [
    "HEAD",
    "LINE",
    "NAME",
    "Area",
    "Mark",
    "below_marks",
    "beside",
    "is_number",
    "left_of",
    "panels",
    "scale_of",
]

HEAD, LINE, GAP = 0.4, 0.22, 0.25
"""Height of a title and of a line of words, space between areas: inches."""

NAME = 9.0
"""Size of words beside points, in points."""

COLUMNS = 2
ENDS = 0.05
"""How much farther a scale reaches than what lies on it."""

SLANT = 0.71
"""How far slanted words reach to the left, of their length."""

Mark = tuple[float, str]
"""A place on a scale, and what is written there."""


class Area:
    """An area of a sheet.

    Parameters
    ----------
    sheet
        Drawn on.
    corner, size
        Lower left corner, width and height, in inches.
    reach, ends
        The scales: what lies at its left and right end, and at its lower and upper one.
    """

    def __init__(
        self,
        sheet: Sheet,
        corner: tuple[float, float],
        size: tuple[float, float],
        reach: tuple[float, float],
        ends: tuple[float, float],
    ) -> None:
        self.sheet, self.corner, self.size, self.reach, self.ends = sheet, corner, size, reach, ends

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where something lies, in inches."""
        across = (x - self.reach[0]) / (self.reach[1] - self.reach[0])
        up = (y - self.ends[0]) / (self.ends[1] - self.ends[0])
        return self.corner[0] + across * self.size[0], self.corner[1] + up * self.size[1]

    def rule(self, ticks: Sequence[Mark]) -> None:
        """Faint lines across, with their numbers beside them."""
        left, right = self.corner[0], self.corner[0] + self.size[0]
        heights = [(self.at(self.reach[0], value)[1], word) for value, word in ticks]
        self.sheet.lines("grid", [[(left, y), (right, y)] for y, _ in heights], style.RULE, 0.7)
        self.sheet.words("ticks", [(left - 0.07, y, word) for y, word in heights], ha="right", fontsize=LABEL)

    def mark(self, marks: Sequence[Mark], name: str) -> None:
        """Words below their places, and below them what they are."""
        low, room = self.corner[1], _room(marks, self.reach, self.size[0])
        places = [(self.at(x, self.ends[0])[0], word) for x, word in marks]
        below = below_marks([word for _, word in marks], room)
        if below > LINE:
            self.sheet.slanted("levels", [(x + 0.05, low - 0.06, word) for x, word in places], fontsize=LABEL)
        else:
            step = math.ceil((max((width_of(word, LABEL) for _, word in marks), default=0.0) + 0.06) / room)
            shown = [(x, low - 0.13, word) for x, word in places[::step]]
            self.sheet.words("levels", shown, ha="center", fontsize=LABEL)
        middle = self.corner[0] + self.size[0] / 2
        self.sheet.words("key", [(middle, low - below - LINE / 2, name)], ha="center", fontsize=LABEL)


def _room(marks: Sequence[Mark], reach: tuple[float, float], wide: float) -> float:
    """How much each mark has below an area of a width, in inches."""
    apart = [b - a for (a, _), (b, _) in pairwise(marks)]
    return wide * min(apart, default=reach[1] - reach[0]) / (reach[1] - reach[0])


def is_number(word: str) -> bool:
    """Whether a mark is a number: such may be left out between others, where words are slanted."""
    return re.fullmatch(r"[-\u2212]?[\d.,]+", word) is not None


def below_marks(words: Sequence[str], room: float) -> float:
    """How much room words take below an axis on which each has so much: slanted where they do not fit; inches."""
    longest = max((width_of(word, LABEL) for word in words), default=0.0)
    return LINE if longest + 0.06 <= room or all(is_number(word) for word in words) else 0.1 + 0.75 * longest


def left_of(ticks: Sequence[Mark], words: Sequence[str], width: float, columns: int = 1) -> float:
    """How much room is needed left of an area: for the numbers beside it, and for slanted words that begin there.

    Parameters
    ----------
    ticks
        Beside the area.
    words
        Below it, evenly spread.
    width
        Of all areas in a row and what lies left of each, in inches.
    columns
        So many.
    """
    left = 0.15 + max((width_of(word, LABEL) for _, word in ticks), default=0.0)
    for _ in words:  # a little farther right each has a little less, until all fit
        room = (width / columns - left) / len(words)
        if below_marks(words, room) == LINE:
            break
        reach = max(SLANT * width_of(word, LABEL) - (n + 0.5) * room for n, word in enumerate(words))
        if reach <= left:
            break
        left = reach + 0.01
    return left


def scale_of(values: Iterable[float], unit: str) -> tuple[list[Mark], tuple[float, float]]:
    """Round numbers of a scale, and its ends: a little farther out than the values.

    Parameters
    ----------
    values
        In percent where the unit is a share.
    unit
        Of the figure: no number lies outside what a share can be.
    """
    known = list(values) or [0.0]
    low, high = min(known), max(known)
    wide = high - low or abs(high) / 10 or 1.0
    low, high = low - ENDS * wide, high + ENDS * wide
    least, most = (0.0, 100.0) if unit == "share" else (-math.inf, math.inf)
    return rounded_ticks(max(low, least), min(high, most)), (low, high)


def beside(points: Sequence[tuple[float, float]], words: Sequence[str], area: Area) -> list[tuple[float, float, str]]:
    """Words at the sides of points where they lie over no other point or word, or over as few as can be.

    Parameters
    ----------
    points
        In inches.
    words
        Of each point.
    area
        They lie inside it.

    Returns
    -------
    list
        Words and where their left ends lie, in inches.
    """
    near, high = 0.08, NAME * 1.4 / 72
    taken = [(x - near / 2, y - near / 2, x + near / 2, y + near / 2) for x, y in points]
    placed = []
    for (x, y), word in zip(points, words, strict=True):
        wide = width_of(word, NAME)
        ways = [
            (left, y + up)
            for up in (0.13, -0.13, 0.0, 0.2, -0.2, 0.33, -0.33, 0.46, -0.46, 0.6, 0.74)
            for left in ((x + near, x - near - wide) if abs(up) < high else (x - wide / 2, x, x - wide))
        ]
        boxes = [(left, middle - high / 2, left + wide, middle + high / 2) for left, middle in ways]
        costs = [(_outside(box, area) + sum(_shared(box, one) for one in taken), n) for n, box in enumerate(boxes)]
        best = min(costs)[1]
        taken.append(boxes[best])
        placed.append((*ways[best], word))
    return placed


Box = tuple[float, float, float, float]
"""Left, lower, right and upper end, in inches."""


def _shared(one: Box, other: Box) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0.0


def _outside(box: Box, area: Area) -> float:
    (left, low), (wide, high) = area.corner, area.size
    whole = (box[2] - box[0]) * (box[3] - box[1])
    return whole - _shared(box, (left, low, left + wide, low + high))


def panels(
    title: str,
    below: Sequence[tuple[str, Sequence[Mark], tuple[float, float]]],
    scale: tuple[Sequence[Mark], tuple[float, float]],
    tall: float,
) -> tuple[Sheet, list[Area]]:
    """A sheet with areas that share a scale, two in a row.

    Parameters
    ----------
    title
        In its first line.
    below
        Of each area what lies below it: a name, marks, and the ends of the scale that they lie on.
    scale
        Beside all areas: marks and ends (`scale_of`).
    tall
        Height of an area, in inches.
    """
    ticks, ends = scale
    columns = min(COLUMNS, len(below))
    across = style.WIDTH_INCHES - 0.1 - (columns - 1) * GAP
    left = max(left_of(ticks, [word for _, word in marks], across, columns) for _, marks, _ in below)
    wide = across / columns - left
    feet = [below_marks([word for _, word in marks], _room(marks, reach, wide)) for _, marks, reach in below]
    rows = [max(feet[n : n + columns]) + LINE + 0.15 for n in range(0, len(feet), columns)]
    sheet = Sheet(style.WIDTH_INCHES, HEAD + len(rows) * tall + sum(rows))
    sheet.words("title", [(0.05, sheet.height - 0.15, title)], fontsize=TITLE, fontweight="bold")
    areas = []
    for n, (name, marks, reach) in enumerate(below):
        row, column = divmod(n, columns)
        low = sheet.height - HEAD - (row + 1) * tall - sum(rows[:row])
        areas.append(Area(sheet, (left + column * (left + wide + GAP), low), (wide, tall), reach, ends))
        areas[-1].rule(ticks)
        areas[-1].mark(marks, name)
    return sheet, areas
