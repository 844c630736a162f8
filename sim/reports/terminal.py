"""A run on the terminal: one screen of figures with their intervals, in 80 columns, in colour or plain."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.codes import Outcome, Pairing
from sim.reports import words
from sim.reports.binning import Binned, binned
from sim.reports.screen import Screen, rounded_speed
from sim.reports.tables import MATCH_FIGURES, PLAYER_FIGURES
from sim.reports.verdict import deterministic_words, seat_words
from sim.running.result import Run
from sim.stats.metrics import histogram

if TYPE_CHECKING:
    from rich.console import Console

HISTOGRAM_COLUMNS = 73
HISTOGRAM_LINES = 4
TAIL = 0.001
"""Share of the matches on either side that the outermost column of a histogram may take in."""
EIGHTHS = " ▁▂▃▄▅▆▇█"
HALVES = " .:|#"
SCORE = "win 1, shared 0.5"
STYLES = {"A": "bold dodger_blue2", "B": "bold dark_orange3", "first": "bold green", "second": "bold magenta"}


def print_summary(run: Run, console: Console) -> None:
    """Print a run's figures.

    Parameters
    ----------
    run
        The run.
    console
        Where to; its width (at least 80 columns are made use of), its colours and its encoding are kept to. Where the
        encoding is not a Unicode one, the output is ASCII.
    """
    _Printer(run, console).print()


class _Printer(Screen):
    """One summary on its way to one console."""

    def __init__(self, run: Run, console: Console) -> None:
        super().__init__(console)
        self.run = run
        sides = words.players(run)
        self.sides = replace(sides, first=words.shortened(sides.first, 22), second=words.shortened(sides.second, 22))
        self.styles = (STYLES["A"], STYLES["B"]) if self.sides.by_seat else (STYLES["first"], STYLES["second"])

    def print(self) -> None:
        """Print all of it, top to bottom."""
        self.title()
        empty = words.nothing_to_show(self.run)
        if empty:
            self.paragraph(empty)
        else:
            if words.is_deterministic(self.run) and not self.run.notes:
                self.paragraph(deterministic_words(self.run))
            self.results()
            self.distances()
            self.of_sides()
            self.of_matches()
        self.left_out()
        self.notes()
        self.speed_and_place()

    def title(self) -> None:
        """What was played: scenario, pairing, matches, seed."""
        run = self.run
        played = words.counted(run.sums.n_matches, "match")
        asked = run.manifest.get("matches_asked")
        if isinstance(asked, int) and asked != run.sums.n_matches:
            played += f" ({asked:,} asked for)"
        said = [words.shortened(run.scenario.name, 40), words.shortened(f"{run.first} vs {run.second}", 60), played]
        if run.manifest.get("seed") is not None and not words.is_recorded(run):
            said.append(f"seed {run.manifest['seed']}")
        self.line(self.text(" · ".join(said), "bold"))
        if words.is_deterministic(run):
            self.paragraph("deterministic: exact figures, no intervals")
        elif n_units := int(run.sums.legal_pairs.sum()):
            unit = "match" if run.sums.pairing == Pairing.SINGLE else "pair"
            self.paragraph(f"{words.level_words(run)} intervals from {words.counted(n_units, unit)}")

    def results(self) -> None:
        """Who wins, and how."""
        run, sides = self.run, self.sides
        self.heading("Result")
        rows = [
            (f"{sides.first} wins", words.figure(run, "win.first")),
            (f"{sides.second} wins", words.figure(run, "win.second")),
            ("shared", words.figure(run, "shared")),
            ("decided by cash", words.figure(run, "decided_by_cash")),
        ]
        if sides.by_seat:
            rows.append((f"score of {sides.first} ({SCORE})", words.figure(run, "score.first")))
        else:
            rows += [
                (f"score of {sides.first} ({SCORE})", words.figure(run, "score.first")),
                ("  when in seat A", words.figure(run, "score.first.seat_a")),
                ("  when in seat B", words.figure(run, "score.first.seat_b")),
            ]
        rows.append(("seat bias, A minus B", words.figure(run, "seat_bias")))
        self.grid(rows, widths=(36, 20))
        if not words.is_deterministic(run):
            self.paragraph(seat_words(run))

    def distances(self) -> None:
        """Margin and spread: quantiles and the margin's histogram."""
        run, sides = self.run, self.sides
        self.heading(f"Margin in points: {sides.first} minus {sides.second}")
        rows = []
        for label, metric in (("margin", "margin"), ("spread", "spread")):
            figures = [words.figure(run, f"{metric}.{part}") for part in ("mean", "p10", "p50", "p90")]
            rows.append((label, *(shown.replace(" points", "") for shown in figures)))
        header = [self.text(head, "dim") for head in ("  points", "mean", "p10", "p50", "p90")]
        self.grid(rows, header=header, widths=(8, 14, 11, 11, 11))
        self.histogram()

    def histogram(self) -> None:
        """The margin's histogram, in a few lines of characters."""
        values, counts = histogram(self.run.sums)
        if values.size < 2:
            if values.size:
                self.paragraph(f"  Every match ended with a margin of {values[0]}.")
            return
        columns = min(HISTOGRAM_COLUMNS, self.width - 4)
        bins = binned(values, counts, columns, tail=TAIL)
        levels = HALVES if self.ascii else EIGHTHS
        for row in _bars(bins, HISTOGRAM_LINES, levels):
            pieces = [self.text("  ")]
            for character, first in zip(row.rstrip(), bins.first, strict=False):
                style = "" if first == 0 else self.styles[0 if first > 0 else 1]
                pieces.append(self.text(character, style))
            self.line(*pieces)
        self.line(self.text("  " + _axis(bins)))
        wide = "" if bins.width == 1 else f"; a column is {bins.width} points, 0 has its own"
        winners = f"{self.sides.second} ahead on the left, {self.sides.first} on the right{wide}"
        self.paragraph("  " + winners, "dim", hang="  ")

    def of_sides(self) -> None:
        """Figures that there are of either side."""
        self.heading("Per match, for each side")
        header = [
            self.text(""),
            self.text(self.sides.first, self.styles[0]),
            self.text(self.sides.second, self.styles[1]),
        ]
        rows = [
            (label, *(words.figure(self.run, f"{name}.{player}") for player in ("first", "second")))
            for name, label in PLAYER_FIGURES.items()
        ]
        self.grid(rows, header=header, widths=(22, 22, 22))

    def of_matches(self) -> None:
        """Figures of both sides together."""
        self.heading("Per match, both sides together")
        cells = [(label, words.figure(self.run, metric)) for metric, label in MATCH_FIGURES.items()]
        self.grid(cells, widths=(28, 20))

    def left_out(self) -> None:
        """Matches that ended by an illegal order or not at all."""
        run = self.run
        endings = {
            "ended by an illegal order": Outcome.ILLEGAL,
            "beside these in a pair": Outcome.PARTNER_ILLEGAL,
            "not finished": Outcome.UNFINISHED,
        }
        numbers = {label: words.n_ended(run, outcome) for label, outcome in endings.items()}
        if any(numbers.values()):
            self.heading("Played and not counted")
            rows = [(label, words.counted(n, "match")) for label, n in numbers.items() if n]
            if numbers["ended by an illegal order"]:
                rows.append(("share with an illegal order", words.figure(run, "illegal_orders")))
            self.grid(rows, widths=(36, 20))

    def notes(self) -> None:
        """Sentences that a reader must know beside the figures."""
        if self.run.notes:
            self.heading("Notes")
        for note in self.run.notes:
            self.paragraph(f"- {note}", hang="  ")

    def speed_and_place(self) -> None:
        """How fast it went and where the files are."""
        speed = self.run.manifest.get("matches_per_second")
        said = []
        if isinstance(speed, int | float) and speed > 0 and not words.is_recorded(self.run):
            said.append(f"{rounded_speed(float(speed)):,} matches a second")
        if self.run.folder is not None:
            said.append(f"written to {self.run.folder}")
        if said:
            self.console.print()
            self.paragraph(" · ".join(said), "dim")


def _bars(bins: Binned, n_lines: int, levels: str) -> list[str]:
    """Lines of characters, top first, one column a bin; whatever was seen at all leaves a trace."""
    steps = len(levels) - 1
    heights = bins.counts / bins.counts.max() * n_lines * steps
    ticks = [max(1, round(float(height))) if height > 0 else 0 for height in heights]
    return [
        "".join(levels[min(max(tick - line * steps, 0), steps)] for tick in ticks)
        for line in range(n_lines - 1, -1, -1)
    ]


def _axis(bins: Binned) -> str:
    """Labels below the columns: the ends and 0."""
    n = bins.counts.size
    axis = [" "] * n
    ends = (
        (0, f"{'≤' * bins.open_below}{bins.last[0] if bins.open_below else bins.first[0]}", 0),
        (n - 1, f"{'≥' * bins.open_above}{bins.first[-1] if bins.open_above else bins.last[-1]}", 1),
    )
    for place, label, right in ends:
        start = max(place - (len(label) - 1) * right, 0)
        axis[start : start + len(label)] = label
    zeros = [place for place, first in enumerate(bins.first) if first == 0 and bins.last[place] == 0]
    around = range(max(zeros[0] - 1, 0), min(zeros[0] + 2, n)) if zeros else range(0)
    if zeros and all(axis[place] == " " for place in around):
        axis[zeros[0]] = "0"
    return "".join(axis).rstrip()
