"""A run's summary on a console: lines, and rows of figures aligned under each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sim.reports.lines import GAP, Lines

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["Screen", "rounded_speed"]


class Screen(Lines):
    """A console to print a summary on."""

    def grid(self, rows: Iterable[Sequence[str]], *, header: Sequence[Text] = (), widths: Sequence[int]) -> None:
        """Rows of aligned cells, the first of each indented; columns are as wide as said, where there is room.

        No cell is broken: where even columns as wide as their cells are too wide together, each row becomes its label
        and a line for each of its figures, under the name that heads the column.
        """
        from rich.text import Text

        listed = [[self.text(("  " if place == 0 else "") + cell) for place, cell in enumerate(row)] for row in rows]
        every = [list(header), *listed] if header else listed
        needed = [max(row[place].cell_len for row in every) for place in range(len(widths))]
        gaps = len(GAP) * (len(widths) - 1)
        wanted = [max(one, other) for one, other in zip(widths, needed, strict=True)]
        if sum(wanted) + gaps > self.width:
            wanted = needed
        if sum(wanted) + gaps > self.width and len(header) > 2:
            column = max(head.cell_len for head in header[1:])
            for label, *figures in listed:
                self.line(label)
                for head, figure in zip(header[1:], figures, strict=True):
                    padded = Text.assemble("    ", head)
                    padded.pad_right(4 + column - padded.cell_len)
                    self.line(padded, Text(GAP), figure)
            return
        for row in every:
            for cell, width in zip(row[:-1], wanted, strict=False):
                cell.pad_right(width + len(GAP) - cell.cell_len)
            self.line(*row)


def rounded_speed(number: float) -> int:
    """Two significant digits: a speed is never known better."""
    return int(float(f"{number:.2g}"))
