"""One look for every picture: colours that colour-blind readers can tell apart, one font, sizes for a small screen.

Colours are those of M. Okabe and K. Ito, "Color Universal Design" (2008).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sim.reports.words import Players

SEAT_A = "#0072B2"
"""Blue: seat A, and the first side where it sits there throughout."""
SEAT_B = "#D55E00"
"""Vermilion: seat B."""
FIRST = "#009E73"
"""Bluish green: the first of two unequal bots, which sits in either seat."""
SECOND = "#CC79A7"
"""Reddish purple: the second of two unequal bots."""
SEAT_B_TEXT = "#A84A00"
FIRST_TEXT = "#00704F"
SECOND_TEXT = "#9C4A78"
"""Darker of the same hue, for words on white."""
SHARED = "#8C8C8C"
"""Grey: shared victories, and whatever belongs to both."""
WARNING = "#E69F00"
"""Orange: what asks for attention."""
INK = "#222222"
MUTED = "#595959"
RULE = "#D5D5D5"
PAPER = "#FFFFFF"

TITLE_POINTS, LABEL_POINTS = 11.5, 10.0
"""Sizes of titles, and of what is written at axes."""

WIDTH_INCHES = 6.0
WHOLE_ROW_INCHES = 9.6
"""Of a picture that takes the whole row of a page (`.whole-row`)."""
FONTS = ("DejaVu Sans", "Verdana", "Segoe UI", "Helvetica Neue", "Arial", "sans-serif")

RC: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": list(FONTS),
    "font.size": 10.5,
    "axes.titlesize": TITLE_POINTS,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 10.5,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "xtick.labelsize": LABEL_POINTS,
    "ytick.labelsize": LABEL_POINTS,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.color": INK,
    "text.parse_math": False,
    "legend.fontsize": LABEL_POINTS,
    "legend.frameon": False,
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "hatch.linewidth": 1.2,
    "svg.fonttype": "none",
    "svg.hashsalt": "dispatch-balance",
    "path.simplify": False,
}
"""Settings under which every figure is made and drawn; nobody else's settings are changed."""


@contextmanager
def applied() -> Iterator[None]:
    """The common style, within the block only."""
    import matplotlib as mpl

    with mpl.rc_context():
        cast(dict[str, Any], mpl.rcParams).update(RC)
        yield


def side_colours(sides: Players) -> tuple[str, str]:
    """Colours of the first and the second side: those of their seats, or of bots where they change seats."""
    return (SEAT_A, SEAT_B) if sides.by_seat else (FIRST, SECOND)


def side_text_colours(sides: Players) -> tuple[str, str]:
    """Colours of words about the first and the second side."""
    return (SEAT_A, SEAT_B_TEXT) if sides.by_seat else (FIRST_TEXT, SECOND_TEXT)


def new_figure(height_inches: float, width_inches: float = WIDTH_INCHES) -> Figure:
    """An empty figure of the common width with a constrained layout."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width_inches, height_inches), layout="constrained")


def plain_figure(sentence: str) -> Figure:
    """A figure that only says why there is nothing to draw."""
    import textwrap

    lines = textwrap.wrap(sentence, 62)
    with applied():
        figure = new_figure(0.5 + 0.24 * len(lines))
        figure.text(0.5, 0.5, "\n".join(lines), ha="center", va="center", linespacing=1.4, parse_math=False)
    return figure


def quiet_grid(axes: Axes, axis: str) -> None:
    """Faint lines across the values."""
    axes.grid(axis="x" if axis == "x" else "y", color=RULE, linewidth=0.7)


def inline_svg(svg: str, prefix: str) -> str:
    """A drawing as `svg_text` gives it, as part of an HTML page.

    Parameters
    ----------
    svg
        The drawing.
    prefix
        Put before every identifier, so that several drawings can stand in one page.
    """
    bare = re.sub(r' xmlns(?::xlink)?="[^"]*"', "", svg).replace("xlink:href=", "href=")
    return re.sub(r'(\bid="|url\(#|href="#)', lambda found: f"{found[1]}{prefix}-", bare)


def svg_text(figure: Figure, *, title: str = "") -> str:
    """A figure as SVG, the same text every time.

    Parameters
    ----------
    figure
        Any figure of this package.
    title
        What a screen reader says of it.

    Returns
    -------
    str
        An ``<svg>`` element without XML declaration, document type or metadata.
    """
    import html
    import io

    from matplotlib.backends.backend_svg import FigureCanvasSVG

    drawn = io.StringIO()
    with applied(), no_glyph_warnings():
        cast(Any, FigureCanvasSVG(figure)).print_svg(
            drawn, metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
        )
    text = drawn.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    label = html.escape(title, quote=True)
    return text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1) if title else text


def png_bytes(figure: Figure, dots_per_inch: int = 150) -> bytes:
    """A figure as PNG."""
    import io

    from matplotlib.backends.backend_agg import FigureCanvasAgg

    drawn = io.BytesIO()
    with applied(), no_glyph_warnings():
        figure.set_dpi(dots_per_inch)
        cast(Any, FigureCanvasAgg(figure)).print_png(drawn, metadata={"Software": None})
    return drawn.getvalue()


@contextmanager
def no_glyph_warnings() -> Iterator[None]:
    """No word of missing glyphs: labels may be in any script, and a reader's own fonts draw what ours lack."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*Glyph.*")
        yield
