"""Pictures drawn in inches, without axes: a few collections and words, which matplotlib draws in milliseconds.

Axes, their ticks and a layout that is found by drawing twice cost more than all else in a picture of many small cells.
Here whoever draws says where everything lies, and asks how wide words are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from matplotlib.collections import CircleCollection, LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.ticker import MaxNLocator

from sim.reports import style

if TYPE_CHECKING:
    from matplotlib.backend_bases import RendererBase

__all__ = ["POINT", "Sheet", "Words", "rounded_ticks", "width_of"]

POINT = 1 / 72
"""Inches."""

CAPITALS = 0.73
"""Height of capitals and digits, of the size of the font."""

Place = tuple[float, float]


class Words(Text):
    """Many words that look alike, drawn quicker than as one text each.

    Parameters
    ----------
    placed
        Words and where they lie, in inches: the middle of their height, and their left end, middle or right end.
    look
        As of `matplotlib.text.Text`: `ha` ("left", "center" or "right"), `fontsize`, `fontweight`, `color`.
    """

    def __init__(self, placed: Sequence[tuple[float, float, str]], **look: Any) -> None:
        super().__init__(**look)
        self.placed = list(placed)

    def draw(self, renderer: RendererBase) -> None:
        """Draw them all."""
        from matplotlib.colors import to_rgba

        gc: Any = renderer.new_gc()
        gc.set_foreground(to_rgba(self.get_color()), isRGBA=True)
        font, turned = self.get_fontproperties(), self.get_transform()
        down = CAPITALS / 2 * float(cast(Any, renderer.points_to_pixels(font.get_size_in_points())))
        before = {"left": 0.0, "center": 0.5, "right": 1.0}[self.get_horizontalalignment()]
        height = renderer.get_canvas_width_height()[1]
        for x, y, word in self.placed:
            self.set_position((x, y))  # SVG anchors a text where this one says that it is
            left, middle = turned.transform((x, y))
            if before:
                left -= before * renderer.get_text_width_height_descent(word, font, False)[0]
            base = middle - down
            renderer.draw_text(
                gc, left, height - base if renderer.flipy() else base, word, font, 0, ismath=False, mtext=self
            )
        gc.restore()
        self.stale = False


class Sheet:
    """A picture under way. All places and lengths are in inches, from the lower left corner.

    Parameters
    ----------
    width, height
        Of the picture.
    """

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.figure = Figure(figsize=(width, height))

    def words(self, name: str, placed: Sequence[tuple[float, float, str]], *, ha: str = "left", **look: Any) -> None:
        """Words that look alike (`Words`), known by a name."""
        if placed:
            self._add(Words(placed, ha=ha, **look), name)

    def slanted(self, name: str, placed: Sequence[tuple[float, float, str]], **look: Any) -> None:
        """Words that rise to their upper right end, which lies at their place."""
        for x, y, word in placed:
            self._add(Text(x, y, word, rotation=45, rotation_mode="anchor", ha="right", va="top", **look), name)

    def boxes(
        self,
        name: str,
        centres: Sequence[Place],
        size: Place,
        colours: Sequence[Any],
        *,
        edge: str = style.PAPER,
        hatch: str | None = None,
    ) -> None:
        """Boxes of one size, with one edge and one hatch."""
        if not centres:
            return
        x, y = size[0] / 2, size[1] / 2
        self._add(
            PolyCollection(
                [[(-x, -y), (x, -y), (x, y), (-x, y)]], offsets=centres, offset_transform=self.figure.dpi_scale_trans,
                facecolors=list(colours), edgecolors=edge, linewidths=0.8, hatch=hatch,
            ),
            name,
        )  # fmt: skip

    def lines(self, name: str, lines: Sequence[Sequence[Place]], colours: Any, width: float, **look: Any) -> None:
        """Lines through points; colours one for all, or one each; width in points."""
        if lines:
            self._add(LineCollection(list(lines), colors=colours, linewidths=width, **look), name)

    def bands(self, name: str, bands: Sequence[Sequence[Place]], colours: Sequence[str], alpha: float) -> None:
        """Areas without edges, one colour each."""
        if bands:
            self._add(PolyCollection(list(bands), facecolors=list(colours), edgecolors="none", alpha=alpha), name)

    def dots(self, name: str, centres: Sequence[Place], colours: Sequence[str], size: float) -> None:
        """Dots of so many square points, one colour each."""
        if centres:
            where = {"offsets": centres, "offset_transform": self.figure.dpi_scale_trans}
            self._add(CircleCollection([size], facecolors=list(colours), edgecolors="none", **where), name, False)

    def _add(self, artist: Any, name: str, inches: bool = True) -> None:
        artist.set_label(name)
        artist.set_zorder(len(self.figure.artists))  # what comes later lies on top
        if inches:
            artist.set_transform(self.figure.dpi_scale_trans)
        self.figure.add_artist(artist)


@lru_cache(maxsize=4096)
def width_of(words: str, size: float, weight: str = "normal") -> float:
    """How wide words are, in inches."""
    font = FontProperties(family=["DejaVu Sans"], size=size, weight=weight)
    with style.no_glyph_warnings():
        return float(text_to_path.get_text_width_height_descent(words, font, False)[0]) * POINT


def rounded_ticks(low: float, high: float, most: int = 5) -> list[tuple[float, str]]:
    """Round numbers from `low` to `high`, at most `most` and one more, and as they are written."""
    ticks = [float(one) for one in MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)]
    step = ticks[1] - ticks[0]
    digits = max(0, -math.floor(math.log10(step)))
    if not math.isclose(step, round(step, digits), rel_tol=1e-6):
        digits += 1  # steps of 2.5
    return [(one, f"{one + 0.0:,.{digits}f}".replace("-", "\u2212")) for one in ticks if low <= one <= high]
