"""A comparison on the terminal: what changed, what moved, what did not, what cannot be said yet, in 80 columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any

from sim.reports.lines import Lines
from sim.reports.words import counted, plural, shortened
from sim.stats.differences import Difference, Verdict
from sim.stats.figures import Estimate, Kind
from sim.stats.rounding import format_estimate, format_value
from sim.studies.changes import Change
from sim.studies.comparison import Comparison, Variant

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["change_words", "print_comparison", "signed"]

MOST_CHANGES = 12
"""Of one part of the scenario that are listed; more are counted."""
LONGEST_VALUE = 24
DIFFERENCES = {"share": "share difference"}
"""Unit of a difference by that of the figure, where it is another."""


def print_comparison(found: Comparison, console: Console) -> None:
    """Print a comparison; the console's width (80 columns at least), colours and encoding are kept to."""
    _Printer(found, console).print()


class _Printer(Lines):
    """One comparison on its way to one console."""

    def __init__(self, found: Comparison, console: Console) -> None:
        super().__init__(console)
        self.found = found
        self.paired = all(variant.paired for variant in found.variants)
        self.sizes = {one["matches_played"] for one in found.manifest["entrants"]}
        self.noun = noun_of(found)

    def print(self) -> None:
        """Print all of it, top to bottom."""
        found, manifest = self.found, self.found.manifest
        said = [
            f"compared with {shortened(found.base, 40)}",
            shortened(found.pairing, 40),
            counted(manifest["matches_played_base"], self.noun) + (" each" if len(self.sizes) == 1 else ""),
        ]
        if not all(one.get("recorded") for one in manifest["entrants"]):
            said.append(f"seed {manifest['seed']}")
        self.line(self.text(" · ".join(said), "bold"))
        luck = ", block by block on the same luck" if self.paired else ""
        quantiles = any(one.kind is Kind.QUANTILE for variant in found.variants for one in variant.differences)
        of_them = f" Of a quantile the change is that of the share of {plural(self.noun)} up to the base's value."
        self.paragraph(f"{100 * found.level:g}% intervals of the change{luck}.{of_them if quantiles else ''}")
        for variant in found.variants:
            self.variant(variant)
        self.ending(found.notes, found.folder)

    def variant(self, variant: Variant) -> None:
        """One variant against the base."""
        self.heading(shortened(variant.label, 76))
        if len(self.sizes) > 1:
            n = next(one["matches_played"] for one in self.found.manifest["entrants"] if one["label"] == variant.label)
            self.paragraph(f"  {shortened(variant.pairing, 50)}, {counted(n, self.noun)}")
        for words in change_words(variant.changes):
            self.paragraph(f"  {words}", hang="    ")
        if variant.inert and not variant.changes:
            self.paragraph(f"Nothing differs: every {self.noun} ends as before.")
            return
        if variant.inert:
            keys = ", ".join(change.key for change in variant.changes)
            self.paragraph(f"Inert: every {self.noun} ends as before, in every figure. Here {keys} moves nothing.")
            return
        self.paragraph(matches_words(variant, self.noun))
        shown = folded(variant.differences)
        moved = [one for one in shown if one.verdict is Verdict.MOVED]
        still = [one for one in shown if one.verdict is Verdict.SAME]
        unsaid = [one for one in shown if one.verdict is Verdict.OPEN]
        self.figures("Moved", moved, ())
        self.figures("Moved by less than delta, or not at all", still, ("delta", delta_words))
        self.figures("Cannot be said yet", unsaid, ("decided by", lambda one: needed_words(one, self.noun)))
        same = [one.metric for one in shown if one.verdict is Verdict.IDENTICAL]
        if same:
            self.blank()
            self.paragraph(f"Exactly the same in every block: {', '.join(families(same))}.", hang="  ")
        gains = [one.gain for one in variant.differences if one.gain is not None]
        if gains and variant.paired:
            self.blank()
            self.paragraph(
                f"Common luck was worth {median(gains):.1f} times the {plural(self.noun)} (median over the figures; "
                f"{min(gains):.1f} to {max(gains):.1f})."
            )

    def figures(
        self, head: str, rows: Sequence[Difference], last: tuple[str, Callable[[Difference], str]] | tuple[()]
    ) -> None:
        """A table of differences; `last` is what stands in its last column."""
        if not rows:
            return
        self.heading(head)
        header = ["", "base", "variant", "change", *last[:1]]
        self.table(
            [[one.metric, *side_words(one), change_of(one), *(tell(one) for tell in last[1:])] for one in rows], header
        )


def change_words(changes: Sequence[Change]) -> list[str]:
    """What changed in the scenario, a line a key; where a part changed in very many, how many."""
    parts: dict[str, list[Change]] = {}
    for change in changes:
        parts.setdefault(change.key.partition(".")[0], []).append(change)
    lines = []
    for part, listed in parts.items():
        if len(listed) > MOST_CHANGES:
            name = next((one for one in listed if one.key == f"{part}.name"), None)
            named = f": {name.base} → {name.variant}" if name is not None else ""
            lines.append(f"{part}{named} ({counted(len(listed), 'key')} differ)")
        else:
            lines += [f"{one.key}: {_value(one.base)} → {_value(one.variant)}" for one in listed]
    return lines


def _value(value: Any) -> str:
    import json

    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shortened(text, LONGEST_VALUE)


def noun_of(found: Comparison) -> str:
    """What one match is called in this game."""
    return "day" if found.manifest.get("game") == "mainline" else "match"


def matches_words(variant: Variant, noun: str) -> str:
    """How many matches went otherwise."""
    if variant.changed is None:
        return f"The {plural(noun)} were not set against each other one by one."
    if variant.flipped is None:
        return f"Another end in {_share(variant.changed, noun)}."
    return f"Another winner in {_share(variant.flipped, noun)}; another end in {_share(variant.changed, noun)}."


def _share(found: Estimate, noun: str) -> str:
    if found.value in (0, 1):
        return f"{'every' if found.value else 'no'} {noun}"
    return format_estimate(found.value, found.low, found.high, "share", found.method) + f" of the {plural(noun)}"


def families(names: Sequence[str]) -> list[str]:
    """Names of figures; very many of one family, as `crossing_stages.<card>.<direction>.<class>`, in one word."""
    heads = [name.partition(".")[0] for name in names]
    shown: list[str] = []
    for name, head in zip(names, heads, strict=True):
        if heads.count(head) <= MOST_CHANGES:
            shown.append(name)
        elif (word := f"{head}.* ({heads.count(head)} figures)") not in shown:
            shown.append(word)
    return shown


def folded(differences: Sequence[Difference]) -> list[Difference]:
    """The differences, those of first and second in one where they are equal, as in mirror-fair self-play.

    The name of the one figure is that of the two without `.first` and `.second`.
    """
    by_name = {one.metric: one for one in differences}
    shown = []
    for one in differences:
        stem, _, which = one.metric.rpartition(".")
        other = by_name.get(f"{stem}.{'second' if which == 'first' else 'first'}")
        if which not in ("first", "second") or other is None or replace(other, metric=one.metric) != one:
            shown.append(one)
        elif which == "first":
            shown.append(replace(one, metric=stem))
    return shown


def side_words(one: Difference) -> tuple[str, str]:
    """The figure on both sides, with as many digits as the difference supports."""
    if one.kind is Kind.QUANTILE or one.value is None or one.low is None or one.high is None:
        half = 0.0
    else:
        half = max(one.high - one.value, one.value - one.low)
    base, variant = (format_value(side, half, one.unit) for side in (one.base, one.variant))
    return base.removesuffix(" points"), variant.removesuffix(" points")


def change_of(one: Difference) -> str:
    """A difference with its interval; of a quantile the share of matches that do not exceed the base's."""
    quantile = one.kind is Kind.QUANTILE
    unit = "share difference" if quantile else DIFFERENCES.get(one.unit, one.unit)
    return signed(format_estimate(one.value, one.low, one.high, unit, one.method), one.value).removesuffix(" points")


def signed(phrase: str, value: float | None) -> str:
    """A difference's phrase with its sign."""
    return f"+{phrase}" if value is not None and value > 0 and not phrase.startswith("exactly") else phrase


def delta_words(one: Difference) -> str:
    """From what size on a difference matters."""
    if one.delta is None:
        return ""
    unit = "share difference" if one.kind is Kind.QUANTILE else DIFFERENCES.get(one.unit, one.unit)
    return format_value(float(f"{one.delta:.2g}"), 0.0, unit).removesuffix(" points")


def needed_words(one: Difference, noun: str = "match") -> str:
    """How many matches would decide."""
    return "?" if one.matches_needed is None else counted(int(float(f"{one.matches_needed:.2g}")), noun)
