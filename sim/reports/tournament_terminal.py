"""A tournament on the terminal: who beats whom and what that makes of each bot, in 80 columns, in colour or plain."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.reports.lines import PLAIN, WIDEST
from sim.reports.tournament_tables import by_rank, is_dominated
from sim.reports.tournament_words import figure, score_cell, short_names, verdict
from sim.reports.words import shortened
from sim.studies.tournament_result import Tournament

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

LONGEST_ROW = 20
LONGEST_NAME = 18
NARROWEST_CELL = 6
TINY_CELL = 4
WIN, LOSS = "bold green", "bold magenta"


def print_tournament(found: Tournament, console: Console) -> None:
    """Print a tournament; the console's width (80 columns at least), colours and encoding are kept to."""
    _Printer(found, console).print()


class _Printer:
    """One tournament on its way to one console."""

    def __init__(self, found: Tournament, console: Console) -> None:
        self.found = found
        self.console = console
        self.ascii = console.options.ascii_only
        self.width = min(console.width, WIDEST)

    def print(self) -> None:
        """Print all of it, top to bottom."""
        self.title()
        self.matrix()
        self.bots()
        self.heading("What it says")
        for sentence in verdict(self.found):
            self.paragraph(f"- {sentence}", hang="  ")
        self.selves()
        if self.found.notes:
            self.heading("Notes")
            for note in self.found.notes:
                self.paragraph(f"- {note}", hang="  ")
        if self.found.folder is not None:
            self.console.print()
            self.paragraph(f"written to {self.found.folder}", "dim")

    def text(self, content: str, style: str = "") -> Text:
        """A piece of text that the console's encoding can show."""
        from rich.text import Text

        if self.ascii:
            content = content.translate(PLAIN).encode("ascii", "backslashreplace").decode("ascii")
        return Text(content, style=style)

    def paragraph(self, content: str, style: str = "", hang: str = "") -> None:
        for part in textwrap.wrap(content, self.width, subsequent_indent=hang, break_on_hyphens=False):
            self.console.print(self.text(part, style), highlight=False, soft_wrap=True)

    def heading(self, content: str) -> None:
        self.console.print()
        self.paragraph(content, "bold")

    def title(self) -> None:
        """What was played."""
        found, manifest = self.found, self.found.manifest
        said = [
            shortened(found.scenario.name, 40),
            f"tournament of {len(found.bots)} bots",
            f"{manifest['matches_played']:,} matches",
            f"seed {manifest['seed']}",
        ]
        self.paragraph(" · ".join(said), "bold")
        self.paragraph(
            f"{100 * float(manifest['level']):g}% intervals; {manifest['matches_asked']:,} matches a pairing"
        )

    def matrix(self) -> None:
        """Score of the row against the column, its half-width below."""
        bots = self.found.bots
        rows = short_names(bots, LONGEST_NAME)
        label = min(max(map(len, rows)), LONGEST_ROW)
        self.heading("Score of the row against the column [%]; below, the longer arm of its interval")
        room = (self.width - 2 - label) // len(bots) - 1
        if room >= max(NARROWEST_CELL, min(max(map(len, bots)), LONGEST_NAME)):
            width = max(NARROWEST_CELL, max(map(len, rows)))
            self.lines(rows, rows, label, min(width, room), True)
            return
        numbered = [f"{number} {name}" for number, name in enumerate(rows, 1)]
        label = max(map(len, numbered))
        numbers = [str(number) for number in range(1, len(bots) + 1)]
        room = (self.width - 2 - label) // len(bots) - 1
        if room >= NARROWEST_CELL:
            self.lines(numbered, numbers, label, NARROWEST_CELL, True)
        elif room >= TINY_CELL - 1:
            self.lines(numbered, numbers, label, TINY_CELL - 1, False)
        else:
            self.paragraph(
                f"  The table of {len(bots)} bots is too wide for {self.width} columns; it is in the report."
            )

    def lines(self, rows: Sequence[str], columns: Sequence[str], label: int, width: int, halves: bool) -> None:
        """The matrix line by line; without half-widths scores are whole percentages."""
        from rich.text import Text

        head = " " * (2 + label) + "".join(f" {column:>{width}}" for column in columns)
        self.paragraph(head, "dim")
        for row, name in zip(self.found.bots, rows, strict=True):
            above = [self.text(f"  {name:<{label}}")]
            below = [self.text(" " * (2 + label))]
            for column in self.found.bots:
                if row == column:
                    above.append(self.text(f" {'-':>{width}}"))
                    below.append(self.text(" " * (width + 1)))
                    continue
                score = self.found.score(row, column)
                value, half = score_cell(score)
                if not halves and score.value is not None:
                    value = f"{100 * score.value:.0f}"
                style = ""
                if score.low is not None and score.high is not None:
                    style = WIN if score.low > 0.5 else LOSS if score.high < 0.5 else ""
                above.append(self.text(f" {value:>{width}}", style))
                below.append(self.text(f" {half.replace('±', '+-') if self.ascii else half:>{width}}", "dim"))
            self.console.print(Text.assemble(*above), width=self.width, highlight=False)
            if halves:
                self.console.print(Text.assemble(*below), width=self.width, highlight=False)

    def bots(self) -> None:
        """What the scores make of each bot."""
        found = self.found
        self.heading("Each bot")
        names = dict(zip(found.bots, short_names(found.bots, LONGEST_NAME), strict=True))
        rows: list[tuple[str, ...]] = [("", "rank", "mean score", "weight in equilibrium", "")]
        for bot in by_rank(found):
            figures = (figure(found[f"{metric}.{bot}"]) for metric in ("rank", "mean_score", "equilibrium_weight"))
            rows.append((names[bot], *figures, "dominated" if is_dominated(found, bot) else ""))
        self.table(rows)

    def selves(self) -> None:
        """Each bot against itself, a check of the seats."""
        found = self.found
        rows: list[tuple[str, ...]] = [("", "shared", "seat bias, A minus B")]
        for told in found.manifest["pairings"]:
            if told["self_play"]:
                name = told["pairing"]
                shown = (figure(found.estimate(name, metric)) for metric in ("shared", "seat_bias"))
                rows.append((shortened(name.partition(" vs ")[0], LONGEST_NAME), *shown))
        self.heading("Against itself, a check of the seats")
        self.table(rows)

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """Aligned cells, the first row faint."""
        widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
        for number, row in enumerate(rows):
            cells = "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
            self.paragraph(f"  {cells}".rstrip(), "" if number else "dim")
