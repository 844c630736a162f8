"""Words of a check that the terminal, a pull request and a continuous integration service share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sim.reports.compare_terminal import DIFFERENCES, signed
from sim.reports.words import counted, shortened
from sim.stats.figures import Kind
from sim.stats.gate import State
from sim.stats.rounding import format_estimate, format_value
from sim.studies.check_result import Checked, CheckedFigure, CheckedPairing, PairLine

__all__ = [
    "HEADER",
    "QUANTILES",
    "about_quantiles",
    "accepted_words",
    "cells",
    "folded",
    "groups",
    "headline",
    "ordered",
    "pair_words",
    "still_words",
    "verdict_words",
]

HEADER = ("", "base", "now", "change", "delta", "verdict")
QUANTILES = "Of a quantile the change is that of the share of matches up to the baseline's value."
ORDER = (State.DRIFT, State.UNDECIDED, State.EQUIVALENT, State.IDENTICAL)


def headline(one: CheckedPairing) -> str:
    """Who played what, how many matches, and the verdict on it."""
    return f"{shortened(one.scenario, 24)}, {shortened(one.pairing, 32)}: {verdict_words(one)}"


def verdict_words(one: CheckedPairing) -> str:
    """The verdict on a pairing and the matches that it rests on."""
    state = State.DRIFT if one.fails else one.state
    return f"{state.name} after {counted(one.matches, 'match')}"


def folded(figures: Sequence[CheckedFigure]) -> list[CheckedFigure]:
    """The figures, those of first and second in one where they are equal, as in mirror-fair self-play."""
    by_name = {one.metric: one for one in figures}
    shown = []
    for one in figures:
        stem, _, which = one.metric.rpartition(".")
        other = by_name.get(f"{stem}.{'second' if which == 'first' else 'first'}")
        if which not in ("first", "second") or other is None or replace(other, metric=one.metric) != one:
            shown.append(one)
        elif which == "first":
            shown.append(replace(one, metric=stem))
    return shown


def ordered(one: CheckedPairing) -> list[CheckedFigure]:
    """The figures of a pairing that moved at all, the worst first."""
    moved = [figure for figure in folded(one.figures) if figure.state is not State.IDENTICAL or figure.anchor_drift]
    return sorted(moved, key=lambda figure: (not figure.fails, ORDER.index(figure.state)))


def groups(one: CheckedPairing) -> list[tuple[str, list[CheckedFigure]]]:
    """The figures of a pairing that moved at all, by verdict, the worst verdict first."""
    found: dict[str, list[CheckedFigure]] = {}
    for figure in ordered(one):
        found.setdefault("drift" if figure.fails else figure.state.value, []).append(figure)
    return list(found.items())


def about_quantiles(pairings: Sequence[CheckedPairing]) -> bool:
    """Whether `QUANTILES` belongs below what is shown of these pairings."""
    return any(figure.kind is Kind.QUANTILE for one in pairings for figure in ordered(one))


def still_words(one: CheckedPairing) -> str:
    """How many figures of a pairing that is not identical are the same in every block; empty where none is."""
    still = sum(figure.state is State.IDENTICAL for figure in one.figures)
    return "" if one.state is State.IDENTICAL or not still else f"{counted(still, 'figure')} the same in every block."


def accepted_words(found: Checked) -> str:
    """What an update takes for right."""
    figures = [figure for one in found.pairings for figure in one.figures]
    drifted = sum(figure.fails for figure in figures)
    if not any(figure.change for figure in figures):
        return "Accepted; no figure had moved."
    undecided = sum(figure.state is State.UNDECIDED and not figure.fails for figure in figures)
    beside = f", {undecided} undecided" if undecided else ""
    return f"Accepted: {drifted} of {counted(len(figures), 'figure')} had drifted{beside}."


def cells(figure: CheckedFigure) -> list[str]:
    """A figure in cells, as `HEADER` names them."""
    quantile = figure.kind is Kind.QUANTILE
    unit = "share difference" if quantile else DIFFERENCES.get(figure.unit, figure.unit)
    half = 0.0
    if not quantile and figure.change is not None and figure.low is not None and figure.high is not None:
        half = max(figure.high - figure.change, figure.change - figure.low)
    base, now = (format_value(side, half, figure.unit) for side in (figure.base, figure.now))
    change = signed(format_estimate(figure.change, figure.low, figure.high, unit, figure.method), figure.change)
    verdict = figure.state.name.lower() if figure.state is not State.DRIFT else "DRIFT"
    if figure.anchor_drift:
        shown = signed(format_value(_digits(figure.anchor_change), 0.0, unit), figure.anchor_change)
        verdict = f"DRIFT since the anchor: {shown}"
    found = [figure.metric, base, now, change, format_value(figure.delta, 0.0, unit), verdict]
    return [cell.removesuffix(" points") for cell in found]


def _digits(number: float | None) -> float | None:
    return None if number is None else float(f"{number:.3g}")


def pair_words(line: PairLine) -> str:
    """Pairs by outcome, Elo and normalised Elo, as chess testing writes them."""
    counts = ", ".join(str(n) for n in line.counts)
    found = [
        f"{name} {value[0]:+.1f} ± {value[1]:.1f}"
        for name, value in (("Elo", line.elo), ("nElo", line.nelo))
        if value is not None
    ]
    return f"Ptnml(0-2): {counts}; {', '.join(found) or 'no finite Elo'}"
