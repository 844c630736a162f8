"""A value study on the terminal: what each investment is worth to each bot, and what to make of it, in 80 columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sim.config.scenario import Scenario
from sim.reports.lines import Lines
from sim.reports.tournament_words import short_names
from sim.reports.value_words import (
    SHORT_VERDICTS,
    cell,
    cost_words,
    costs_of,
    half_of,
    price_cell,
    price_words,
    subject_words,
    verdict_words,
)
from sim.reports.words import counted, shortened
from sim.stats.rounding import format_estimate
from sim.studies.value_play import HOSTILE
from sim.studies.value_result import FIGURES, ValueStudy, Worth
from sim.studies.versions import KINDS

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_value"]

AT_ONCE = 4
"""Bots side by side."""
LONGEST_BOT = 11
LONGEST_SUBJECT = 17


def print_value(found: ValueStudy, console: Console) -> None:
    """Print a value study; the console's width (80 columns at least), colours and encoding are kept to."""
    if isinstance(found.scenario, Scenario):
        _Printer(found, console).print()
    else:
        _print_cards(found, Lines(console))


def _print_cards(found: ValueStudy, lines: Lines) -> None:
    """What each card in hand is worth."""
    said = [
        f"what the cards in hand are worth on {shortened(found.scenario.name, 30)}",
        shortened(found.bots[0], 30),
        counted(found.manifest["matches_played"], "day"),
        f"seed {found.manifest['seed']}",
    ]
    lines.line(lines.text(" · ".join(said), "bold"))
    lines.paragraph(f"The same deals without and with the card; {100 * found.level:g}% intervals.")
    lines.heading("Saved a train")
    rows = []
    for one in found.worths:
        unit = FIGURES[one.figure][0]
        shown = format_estimate(one.value, one.low, one.high, unit, one.method)
        rows.append([one.subject, shown, found.verdict(one.subject).verdict])
    lines.table(rows, ["", "", "verdict"])
    lines.ending(found.notes, found.folder)


class _Printer(Lines):
    """One value study on its way to one console."""

    def __init__(self, found: ValueStudy, console: Console) -> None:
        super().__init__(console)
        self.found = found
        self.names = dict(zip(found.bots, short_names(found.bots, LONGEST_BOT), strict=True))
        self.costs = costs_of(found)
        self.kept = {(one.bot, one.subject, one.figure, one.at): one for one in found.worths}

    def print(self) -> None:
        """Print all of it, top to bottom."""
        found, manifest = self.found, self.found.manifest
        said = [
            f"what investments are worth on {shortened(found.scenario.name, 30)}",
            f"{manifest['matches_played']:,} matches",
            f"seed {manifest['seed']}",
        ]
        self.line(self.text(" · ".join(said), "bold"))
        self.paragraph(
            f"Each bot against itself restricted, seats swapped. {100 * found.level:g}% intervals; ± is the longer arm."
        )
        kinds = [*KINDS, "both"]
        self.heading("Score that is lost without it [pp]")
        rows = [(subject, "knockout.score") for subject in kinds]
        self.by_bot([*rows, ("both", "interaction.score"), (HOSTILE, "knockout.score")], verdicts=True)
        self.heading("Points that are lost without it")
        rows = [(subject, "knockout.points") for subject in kinds]
        self.by_bot([*rows, ("both", "interaction.points"), (HOSTILE, "knockout.points")], scale=1.0)
        self.heading("Score that is lost without this one purchase [pp]")
        single = [one.subject for one in found.verdicts if ":" in one.subject]
        items = [subject for subject in single if subject.startswith(tuple(f"{kind}:" for kind in KINDS))]
        self.by_bot([(item, "knockout.score") for item in items], verdicts=True)
        places = [subject for subject in single if subject not in items]
        if places:
            self.heading("Score that is lost by keeping off a junction or a track [pp]")
            self.by_bot([(place, "knockout.score") for place in places])
        self.heading("Bought by a side in so many of its matches")
        self.by_bot([(kind, "pick") for kind in KINDS], show=_share)
        self.prices()
        for kind in KINDS:
            self.timing(kind)
        self.conclusions()
        self.ending(found.notes, found.folder)

    def groups(self) -> list[Sequence[str]]:
        """The bots, as many at once as fit side by side."""
        bots = self.found.bots
        return [bots[start : start + AT_ONCE] for start in range(0, len(bots), AT_ONCE)]

    def by_bot(
        self,
        rows: Sequence[tuple[str, str]],
        *,
        scale: float = 100.0,
        verdicts: bool = False,
        show: Callable[[Worth], str] | None = None,
    ) -> None:
        """A table of subjects by bots; where asked for, the panel's verdict in the last column."""
        says = {one.subject: SHORT_VERDICTS.get(one.verdict, one.verdict) for one in self.found.verdicts}
        for number, bots in enumerate(self.groups(), 1):
            last = verdicts and number == len(self.groups())
            header = ["", *(self.names[bot] for bot in bots), *(["verdict"] if last else [])]
            lines = []
            for subject, figure in rows:
                beyond = figure.startswith("interaction")
                label = "interaction" if beyond else subject_words(subject, self.costs)
                found = [self.kept[bot, subject, figure, None] for bot in bots]
                cells = [cell(one, scale) if show is None else show(one) for one in found]
                lines.append([shortened(label, LONGEST_SUBJECT), *cells])
                if last:
                    lines[-1].append("" if beyond else says[subject])
            self.table(lines, header)

    def prices(self) -> None:
        """What would make each kind a matter of taste."""
        self.heading("Price at which buying it is as good as not")
        for bots in self.groups():
            lines = [
                [subject_words(kind, self.costs), *(price_cell(self.found.price(bot, kind)) for bot in bots)]
                for kind in KINDS
            ]
            self.table(lines, ["", *(self.names[bot] for bot in bots)])

    def timing(self, kind: str) -> None:
        """What a forced purchase is worth by the dispatch at which it is made."""
        values = [one for one in self.found.worths if (one.subject, one.figure) == (kind, "timing.score")]
        at = sorted({one.at for one in values if one.at is not None})
        if not at:
            return
        self.heading(f"One {kind} at dispatch …, above never buying one [pp]")
        lines = []
        for price in self.found.prices:
            if price.kind == kind:
                curve = [self.kept[price.bot, kind, "timing.score", dispatch] for dispatch in at]
                lines.append([f"{self.names[price.bot]} ({price.item.partition(':')[2]})", *map(_short, curve)])
        self.table(lines, ["", *map(str, at)], right=len(at) - 1)
        widest = max((half_of(one) for one in values), default=0.0)
        if widest:
            self.paragraph(f"  intervals of at most ±{100 * widest:.1f}; in brackets the one that is bought", "dim")

    def conclusions(self) -> None:
        """What to make of it, for each kind and the toggles."""
        self.heading("What it says")
        for subject in (*KINDS, HOSTILE):
            words = verdict_words(self.found, self.found.verdict(subject))
            if subject in KINDS:
                today = cost_words(self.costs[subject])
                self.paragraph(f"- {subject}, {today}: {words}.", hang="  ")
                for bot in self.found.bots:
                    price = self.found.price(bot, subject)
                    said = price_words(price, self.costs[subject])
                    self.paragraph(f"  price for {bot}: {said}.", hang="    ")
            else:
                self.paragraph(f"- {subject}: {words}.", hang="  ")
        file = self.found.manifest["study_file"]
        self.paragraph(
            f"  Dominated: worth under {100 * file['worthless_below']:g} pp to every bot. Mandatory: over "
            f"{100 * file['mandatory_above']:g} pp to every bot. Fair: between 0 and that. Trap: every bot that buys "
            "it loses by it.",
            "dim",
            hang="  ",
        )


def _share(one: Worth) -> str:
    return format_estimate(one.value, one.low, one.high, "share", one.method).partition(" ")[0].rstrip("%") + "%"


def _short(one: Worth) -> str:
    if one.value is None:
        return "?"
    text = f"{100 * one.value:+.1f}"
    return "0" if float(text) == 0 else text
