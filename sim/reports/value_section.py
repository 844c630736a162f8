"""A value study in a report: what investments are worth, in pictures, rows and sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sim.reports import style
from sim.reports.value_words import cell, costs_of, half_of, price_cell, subject_words, verdict_words
from sim.stats.rounding import format_estimate
from sim.studies.value_result import ValueStudy, Worth
from sim.studies.versions import KINDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "card_alt",
    "card_figure",
    "card_rows",
    "drawings",
    "knockout_alt",
    "knockout_figure",
    "knockout_rows",
    "of_cards",
    "price_rows",
    "template_values",
    "timing_alt",
    "timing_figure",
    "verdict_sentences",
]


def of_cards(found: ValueStudy) -> bool:
    """Whether it is of the cards of a hand, in the mainline game."""
    return any(one.figure == "worth" for one in found.worths)


def drawings(found: ValueStudy) -> dict[str, tuple[Figure, str]]:
    """Its pictures by name, each with its words."""
    if of_cards(found):
        return {"value": (card_figure(found), card_alt(found))}
    made = {"value": (knockout_figure(found), knockout_alt(found))}
    timings = timing_figure(found)
    if timings is not None:
        made["timing"] = timings, timing_alt(found)
    return made


def template_values(found: ValueStudy, drawn: Mapping[str, str]) -> dict[str, Any]:
    """What `worth.html.j2` shows; `drawn` are the pictures by name, as parts of a page."""
    from markupsafe import Markup

    return {
        "bots": found.bots,
        "said": verdict_sentences(found),
        "rows": knockout_rows(found),
        "prices": price_rows(found),
        "svg": Markup(drawn["value"]),
        "timing": Markup(drawn["timing"]) if "timing" in drawn else None,
        "timing_see": timing_alt(found),
        "cards": card_rows(found) if of_cards(found) else (),
        "notes": found.notes,
    }


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
    subjects = {subject: subject_words(subject, costs_of(found)) for subject in SUBJECTS if _worths(found, subject)}
    return _worth_figure(found, subjects, "knockout.score", 100, "score that is lost without it [pp]")


def card_figure(found: ValueStudy) -> Figure:
    """Stages that each card in hand saves a train, with intervals."""
    subjects = {one.subject: one.subject for one in found.worths if one.figure == "worth"}
    return _worth_figure(found, subjects, "worth", 1, "saved a train [Stages]")


def _worth_figure(found: ValueStudy, subjects: Mapping[str, str], name: str, scale: float, label: str) -> Figure:
    """Intervals of one figure in rows, subject by subject, a mark for each bot; `subjects` has their words."""
    with style.applied():
        figure = style.new_figure(1.5 + 0.62 * len(subjects))
        axes = figure.add_subplot()
        for b, bot in enumerate(found.bots):
            colour, marker = _COLOURS[b % len(_COLOURS)], _MARKERS[b % len(_MARKERS)]
            offset = (b - (len(found.bots) - 1) / 2) * min(0.17, 0.7 / len(found.bots))
            for place, subject in enumerate(subjects):
                one = next((one for one in _worths(found, subject, name) if one.bot == bot), None)
                if one is None or one.value is None:
                    continue
                if one.low is not None and one.high is not None:
                    ends = [scale * one.low, scale * one.high]
                    axes.plot(ends, [place + offset] * 2, "-", color=colour, linewidth=2)
                axes.plot([scale * one.value], [place + offset], marker, color=colour, markersize=6)
            axes.plot([], [], marker, color=colour, label=bot)
        axes.axvline(0, color=style.MUTED, linewidth=1)
        axes.set_yticks(range(len(subjects)), list(subjects.values()))
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(subjects) - 0.5, -0.5)
        axes.spines["left"].set_visible(False)
        style.quiet_grid(axes, "x")
        axes.set_xlabel(label)
        axes.set_title("What cards are worth" if name == "worth" else "What investments are worth")
        figure.legend(loc="outside lower left", ncols=min(4, len(found.bots)))
    return figure


def card_rows(found: ValueStudy) -> list[tuple[str, str, str]]:
    """Card, the Stages that it saves a train, and the verdict."""
    verdicts = {one.subject: one.verdict for one in found.verdicts}
    return [
        (
            one.subject,
            "never laid" if one.value is None else format_estimate(one.value, one.low, one.high, "Stages", one.method),
            verdicts.get(one.subject, ""),
        )
        for one in found.worths
        if one.figure == "worth"
    ]


def card_alt(found: ValueStudy) -> str:
    """What the picture shows."""
    said = "; ".join(f"{card} {shown}" for card, shown, _ in card_rows(found))
    return f"What each card in hand saves a train, without and with it on the same deals: {said}."


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
