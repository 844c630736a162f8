"""Lines of text on a console: 80 columns at least, in colour or plain, in Unicode or ASCII."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["Lines"]

WIDEST = 100
PLAIN = str.maketrans({"±": "+/-", "·": "-", "…": "...", "≤": "<=", "≥": ">=", "→": "->", "δ": "delta"})
GAP = "  "
"""Between the columns of a table."""


class Lines:
    """What prints a study's result on one console; its width, colours and encoding are kept to."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.ascii = console.options.ascii_only
        self.width = min(console.width, WIDEST)

    def text(self, content: str, style: str = "") -> Text:
        """A piece of text that the console's encoding can show."""
        from rich.text import Text

        if self.ascii:
            content = content.translate(PLAIN).encode("ascii", "backslashreplace").decode("ascii")
        return Text(content, style=style)

    def line(self, *pieces: Text) -> None:
        """One line, without blanks at its end; wrapped where it is too long."""
        from rich.text import Text

        whole = Text.assemble(*pieces)
        whole.rstrip()
        for part in whole.wrap(self.console, self.width):
            part.rstrip()
            self.console.print(part, highlight=False, soft_wrap=True)

    def blank(self) -> None:
        """An empty line."""
        self.console.print()

    def paragraph(self, content: str, style: str = "", hang: str = "") -> None:
        """A text in lines; those after the first begin with `hang`."""
        for part in textwrap.wrap(content, self.width, subsequent_indent=hang, break_on_hyphens=False):
            self.line(self.text(part, style))

    def heading(self, content: str) -> None:
        """A heading, after an empty line."""
        self.blank()
        self.line(self.text(content, "bold"))

    def ending(self, notes: Sequence[str], folder: Path | None) -> None:
        """What a reader must know beside the figures, and where they are kept."""
        if notes:
            self.heading("Notes")
        for note in notes:
            self.paragraph(f"- {note}", hang="  ")
        if folder is not None:
            self.blank()
            self.paragraph(f"written to {folder}", "dim")

    def table(
        self, rows: Sequence[Sequence[str]], header: Sequence[str] = (), styles: Sequence[str] = (), right: int = 0
    ) -> None:
        """Aligned cells, indented, the header faint; the last `right` columns but the very last are flush right.

        `styles` has a style for each row. A table that is too wide has the first cell of each row on a line of its own.
        """
        every = [header, *rows] if header else list(rows)
        if not every:
            return
        texts = [[self.text(cell) for cell in row] for row in every]
        n = len(every[0])
        widths = [max(row[place].cell_len for row in texts) for place in range(n)]
        room_for = self.width - 2 - sum(widths)
        gap = GAP if len(GAP) * (n - 1) <= room_for else " "
        apart = n > 2 and len(gap) * (n - 1) > room_for
        if apart and 4 + sum(widths[1:]) + len(GAP) * (n - 2) <= self.width:
            gap = GAP
        for number, row in enumerate(texts):
            style = "dim" if header and number == 0 else styles[number - bool(header)] if styles else ""
            pieces = [self.text("  ")]
            if apart:
                row[0].stylize(style)
                if row[0].cell_len:
                    self.line(self.text("  "), row[0])
                pieces = [self.text("    ")]
            for place, cell in enumerate(row):
                if apart and place == 0:
                    continue
                room = widths[place] - cell.cell_len
                if n - 1 - right <= place < n - 1:
                    cell.pad_left(room)
                elif place < n - 1:
                    cell.pad_right(room)
                cell.stylize(style)
                pieces += [cell, self.text(gap)]
            self.line(*pieces)
