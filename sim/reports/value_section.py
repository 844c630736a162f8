"""A value study in a report: what investments are worth, in pictures, rows and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.reports import style
from sim.reports.value_words import cell, costs_of, half_of, price_cell, subject_words, verdict_words
from sim.studies.value_result import ValueStudy, Worth
from sim.studies.versions import KINDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "knockout_alt",
    "knockout_figure",
    "knockout_rows",
    "price_rows",
    "timing_alt",
    "timing_figure",
    "verdict_sentences",
]

SUBJECTS = (*KINDS, "both", "hostile toggles")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_COLOURS = (style.FIRST, style.SEAT_A, style.SEAT_B, style.SECOND, style.WARNING, style.INK, "#56B4E9", style.SHARED)


def _worths(found: ValueStudy, subject: str, figure: str = "knockout.score") -> list[Worth]:
    return [one for one in found.worths if one.subject == subject and one.figure == figure]


def knockout_rows(found: ValueStudy) -> list[tuple[str, list[str], str]]:
    """Subject, the score lost without it for every bot [pp], and the panel's verdict; single purchases too."""
    verdicts = {one.subject: one.verdict for one in found.verdicts}
    subjects = dict.fromkeys(one.subject for one in found.worths if one.figure == "knockout.score")
    rows = []
    for subject in subjects:
        cells = {one.bot: cell(one) for one in _worths(found, subject)}
        shown = [cells.get(bot, "-") for bot in found.bots]
        rows.append((subject_words(subject, costs_of(found)), shown, verdicts.get(subject, "")))
    return rows


def price_rows(found: ValueStudy) -> list[tuple[str, list[str]]]:
    """Kind, and the price at which buying it is as good as not, for every bot."""
    rows = []
    for kind in KINDS:
        cells = {one.bot: price_cell(one.price) for one in found.prices if one.kind == kind}
        if cells:
            rows.append((subject_words(kind, costs_of(found)), [cells.get(bot, "-") for bot in found.bots]))
    return rows


def verdict_sentences(found: ValueStudy) -> list[str]:
    """What the panel says of each kind and of hostile toggles."""
    return [
        f"{subject_words(one.subject, costs_of(found))}: {verdict_words(found, one)}."
        for one in found.verdicts
        if one.subject in SUBJECTS
    ]


def knockout_figure(found: ValueStudy) -> Figure:
    """Score lost without each kind, for every bot of the panel, with intervals."""
    subjects = [subject for subject in SUBJECTS if _worths(found, subject)]
    with style.applied():
        figure = style.new_figure(1.5 + 0.62 * len(subjects))
        axes = figure.add_subplot()
        for b, bot in enumerate(found.bots):
            colour, marker = _COLOURS[b % len(_COLOURS)], _MARKERS[b % len(_MARKERS)]
            offset = (b - (len(found.bots) - 1) / 2) * min(0.17, 0.7 / len(found.bots))
            for place, subject in enumerate(subjects):
                one = next((one for one in _worths(found, subject) if one.bot == bot), None)
                if one is None or one.value is None:
                    continue
                if one.low is not None and one.high is not None:
                    axes.plot([100 * one.low, 100 * one.high], [place + offset] * 2, "-", color=colour, linewidth=2)
                axes.plot([100 * one.value], [place + offset], marker, color=colour, markersize=6)
            axes.plot([], [], marker, color=colour, label=bot)
        axes.axvline(0, color=style.MUTED, linewidth=1)
        axes.set_yticks(range(len(subjects)), [subject_words(subject, costs_of(found)) for subject in subjects])
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(subjects) - 0.5, -0.5)
        axes.spines["left"].set_visible(False)
        style.quiet_grid(axes, "x")
        axes.set_xlabel("score that is lost without it [pp]")
        axes.set_title("What investments are worth")
        figure.legend(loc="outside lower left", ncols=min(4, len(found.bots)))
    return figure


def knockout_alt(found: ValueStudy) -> str:
    """What the picture shows."""
    parts = []
    for subject in SUBJECTS:
        cells = [f"{one.bot} {cell(one)}" for one in _worths(found, subject)]
        if cells:
            parts.append(f"{subject_words(subject, costs_of(found))}: {', '.join(cells)}")
    return f"Score lost without each investment, in percentage points, by bot. {'; '.join(parts)}."


def timing_figure(found: ValueStudy) -> Figure | None:
    """Worth of a purchase by the dispatch at which it is made, for every bot; None where it was not measured."""
    kinds = [kind for kind in KINDS if any(_worths(found, kind, "timing.score"))]
    if not kinds:
        return None
    with style.applied():
        figure = style.new_figure(3.4)
        panels = figure.subplots(1, len(kinds), sharey=True, squeeze=False)[0]
        for axes, kind in zip(panels, kinds, strict=True):
            for b, bot in enumerate(found.bots):
                points = [
                    one for one in _worths(found, kind, "timing.score") if one.bot == bot and one.value is not None
                ]
                colour, marker = _COLOURS[b % len(_COLOURS)], _MARKERS[b % len(_MARKERS)]
                at = [one.at for one in points]
                values = [100 * (one.value or 0.0) for one in points]
                axes.errorbar(
                    at,
                    values,
                    yerr=[100 * half_of(one) for one in points],
                    color=colour,
                    marker=marker,
                    markersize=5,
                    linewidth=1.6,
                    label=bot,
                )
            axes.axhline(0, color=style.MUTED, linewidth=1)
            style.quiet_grid(axes, "y")
            axes.set_xlabel("dispatch of the purchase")
            axes.set_title(f"one {kind}")
        panels[0].set_ylabel("worth [pp of score]")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower left", ncols=min(4, len(found.bots)))
    return figure


def timing_alt(found: ValueStudy) -> str:
    """What the picture of timings shows."""
    parts = []
    for kind in KINDS:
        for bot in found.bots:
            points = [one for one in _worths(found, kind, "timing.score") if one.bot == bot and one.value is not None]
            if points:
                best = max(points, key=lambda one: one.value or 0.0)
                parts.append(f"one {kind} is worth most to {bot} at dispatch {best.at} ({cell(best)} pp)")
    return "; ".join(parts).capitalize() + "." if parts else "No timings were measured."
