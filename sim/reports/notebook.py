"""What a notebook shows of a result: a few sentences and figures in the reader's own colours, a screen at most."""

from __future__ import annotations

import hashlib
import html
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sim.reports.html import rendered

if TYPE_CHECKING:
    from sim.config.scenario import RailMap
    from sim.running.result import Run
    from sim.studies.comparison import Comparison, Variant
    from sim.studies.day_story import DayStory
    from sim.studies.exploit_result import Exploit
    from sim.studies.goals import GoalsJudged
    from sim.studies.sweep_result import Sweep
    from sim.studies.tournament_result import Tournament
    from sim.studies.value_result import ValueStudy

__all__ = [
    "comparison_html",
    "day_html",
    "exploit_html",
    "figure_words",
    "framed",
    "goals_html",
    "inline",
    "map_html",
    "run_html",
    "sweep_html",
    "tournament_html",
    "value_html",
]

TEMPLATE = "shown.html.j2"
MOST_ROWS = 12
"""Of one table; the others are counted."""
MOST_PARTS = 4
"""Variants of a comparison, or figures of a sweep."""
MOST_NOTES = 4


@dataclass(frozen=True)
class Table:
    """Cells as text; the first of each row names it."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""


@dataclass(frozen=True)
class Shown:
    """What is shown of a result."""

    title: str
    played: str = ""
    sentences: Sequence[str] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    svg: str = field(default="", repr=False)


def shown_html(shown: Shown) -> str:
    """The part of a page; all text in it is escaped."""
    from markupsafe import Markup

    return rendered(TEMPLATE, shown=shown, picture=Markup(inline(shown.svg)), most=MOST_ROWS)


def inline(svg: str) -> str:
    """A drawing as part of a page that may hold others: its identifiers are its own."""
    from sim.reports.style import inline_svg

    return inline_svg(svg, "p" + hashlib.sha256(svg.encode()).hexdigest()[:10])


def framed(page: str, title: str, height: int) -> str:
    """A whole page in a frame: its style and its scripts stay its own."""
    return (
        f'<iframe srcdoc="{html.escape(page, quote=True)}" title="{html.escape(title)}" '
        f'style="width:100%;height:{height}px;border:0"></iframe>'
    )


def figure_words(run: Run, metric: str) -> str:
    """A figure of a run of any game with its interval, as the tool prints it; an unknown one is a `KeyError`."""
    _ = run[metric]
    if run.scenario.game == "mainline":
        from sim.reports.mainline.words import figure as of_days

        return of_days(run, metric)
    from sim.reports.words import figure

    return figure(run, metric)


def run_html(run: Run) -> str:
    """A run: its verdict and its main figures."""
    if run.scenario.game == "mainline":
        return shown_html(_days(run))
    from sim.reports import words
    from sim.reports.brief import main_rows
    from sim.reports.verdict import verdict

    seed = "" if words.is_recorded(run) else f" · seed {run.manifest.get('seed')}"
    return shown_html(
        Shown(
            f"{run.scenario.name} · {run.pairing}",
            f"{words.counted(run.sums.n_matches, 'match')}{seed} · {words.level_words(run)} intervals",
            verdict(run),
            [Table(["", "estimate"], main_rows(run))] if words.n_counting(run) else [],
            _few(run.notes),
        )
    )


def _days(run: Run) -> Shown:
    from sim.reports.mainline import words

    rows = [
        ("trip, eastbound", "trip_stages.east"),
        ("trip, westbound", "trip_stages.west"),
        ("trip gap, east minus west", "trip_gap"),
        ("collisions a day", "collisions"),
        ("trains still out, a day", "unfinished"),
        ("district unevenness", "district_unevenness"),
    ]
    return Shown(
        f"{run.scenario.name} · policy {run.pairing}",
        f"{words.counted(run.sums.n_matches, 'day')} · seed {run.manifest['seed']}",
        words.verdict(run),
        [Table(["", "estimate"], [(label, words.figure(run, metric)) for label, metric in rows])],
        _few(run.notes),
    )


def _few(notes: Sequence[str]) -> Sequence[str]:
    """The first notes; how many there are more."""
    left = len(notes) - MOST_NOTES
    return [*notes[:MOST_NOTES], f"and {left} notes more"] if left > 1 else notes


def comparison_html(found: Comparison) -> str:
    """A comparison: of each variant what moved, and how much could not be said."""
    from sim.reports.compare_terminal import noun_of
    from sim.reports.words import counted

    noun = noun_of(found)
    sentences: list[str] = []
    tables: list[Table] = []
    for one in found.variants[:MOST_PARTS]:
        said, moved = _variant(one, noun)
        sentences += said
        tables += moved
    left = len(found.variants) - MOST_PARTS
    notes = [f"and {counted(left, 'variant')} more"] if left > 0 else []
    return shown_html(
        Shown(
            f"compared with {found.base} · {found.pairing}",
            f"{counted(found.manifest['matches_played_base'], noun)} of the base · seed {found.manifest['seed']} · "
            f"{100 * found.level:g}% intervals of the change",
            sentences,
            tables,
            [*notes, *_few(found.notes)],
        )
    )


def _variant(one: Variant, noun: str) -> tuple[list[str], list[Table]]:
    from sim.reports.compare_terminal import change_of, change_words, folded, matches_words, side_words
    from sim.stats.differences import Verdict

    changes = "; ".join(change_words(one.changes)) or "nothing differs"
    if one.inert:
        return [f"{one.label} ({changes}): every {noun} ends as before, in every figure."], []
    shown = folded(one.differences)
    n = Counter(difference.verdict for difference in shown)
    said = (
        f"{one.label} ({changes}). {matches_words(one, noun)} Moved: {n[Verdict.MOVED]} figures; by less than delta, "
        f"or not at all: {n[Verdict.SAME] + n[Verdict.IDENTICAL]}; cannot be said yet: {n[Verdict.OPEN]}."
    )
    rows = [
        (difference.metric, *side_words(difference), change_of(difference))
        for difference in shown
        if difference.verdict is Verdict.MOVED
    ]
    return [said], [Table(["", "base", "variant", "change"], rows, f"moved by {one.label}")] if rows else []


def sweep_html(found: Sweep) -> str:
    """A sweep: how many cells meet the goals, and the cells whose figures moved most."""
    from sim.reports.compare_terminal import change_of
    from sim.reports.sweep_terminal import RESOLVED_WORDS
    from sim.reports.words import counted
    from sim.stats.differences import Verdict
    from sim.stats.goals import GoalVerdict
    from sim.studies.sweep_result import shown_metrics

    tables = []
    judged = [cell for cell in found.cells if cell.verdict is not None]
    if judged:
        counts = {"all goals": Counter(cell.verdict for cell in judged)}
        for cell in judged:
            for one in cell.goals:
                counts.setdefault(one.goal.text, Counter())[one.verdict] += 1
        rows = [(text, *(f"{n[verdict]:,}" for verdict in GoalVerdict)) for text, n in counts.items()]
        tables.append(Table(["cells", *(verdict.value for verdict in GoalVerdict)], rows, "goals"))
    for metric in shown_metrics(found.cells)[:MOST_PARTS]:
        cells = [cell for cell in found.cells if metric in cell.differences]
        moved = [cell for cell in cells if cell.differences[metric].verdict is not Verdict.IDENTICAL]
        moved.sort(key=lambda cell: -abs(cell.differences[metric].value or 0.0))
        told = [
            (cell.label, change_of(cell.differences[metric]), RESOLVED_WORDS[cell.differences[metric].verdict])
            for cell in moved
        ]
        if told:
            tables.append(Table(["cell", "change", ""], told, f"{metric}: change from the reference, largest first"))
    sentences = [f"Reference: {found.reference.label}."]
    if found.inert:
        sentences.append(f"Inert, every match ends as before whatever they are set to: {', '.join(found.inert)}.")
    sentences += [f"Cell {cell.label} failed: {cell.error}" for cell in found.failed[:MOST_PARTS]]
    return shown_html(
        Shown(
            f"sweep of {found.scenario} · {', '.join(found.keys)}",
            f"{counted(len(found.cells), 'cell')} · {counted(found.manifest['matches_played'], 'match')} · "
            f"seed {found.manifest['seed']}",
            sentences,
            tables,
            _few(found.notes),
        )
    )


def tournament_html(found: Tournament) -> str:
    """A tournament: what it says, and each bot."""
    from sim.reports.tournament_tables import by_rank, is_dominated
    from sim.reports.tournament_words import figure, verdict

    rows = [
        (
            bot,
            *(figure(found[f"{metric}.{bot}"]) for metric in ("rank", "mean_score", "equilibrium_weight")),
            "dominated" if is_dominated(found, bot) else "",
        )
        for bot in by_rank(found)
    ]
    return shown_html(
        Shown(
            f"{found.scenario.name} · tournament of {len(found.bots)} bots",
            f"{found.manifest['matches_played']:,} matches · seed {found.manifest['seed']}",
            verdict(found),
            [Table(["bot", "rank", "mean score", "weight in equilibrium", ""], rows)],
            _few(found.notes),
        )
    )


def value_html(found: ValueStudy) -> str:
    """A value study: what the panel says, and the score that is lost without each investment."""
    from sim.reports.value_section import knockout_rows, price_rows, verdict_sentences
    from sim.stats.rounding import format_estimate

    tables = []
    if cards := [one for one in found.worths if one.figure == "worth"]:
        shown = [(one.subject, format_estimate(one.value, one.low, one.high, "Stages", one.method)) for one in cards]
        tables.append(Table(["Home card", "saved a train"], shown))
    if rows := [(subject, *cells, said) for subject, cells, said in knockout_rows(found)]:
        tables.append(Table(["", *found.bots, "verdict"], rows, "score that is lost without it [pp]"))
    if prices := [(kind, *cells) for kind, cells in price_rows(found)]:
        tables.append(Table(["", *found.bots], prices, "price at which buying it is as good as not"))
    return shown_html(
        Shown(
            f"{found.scenario.name} · what investments are worth",
            f"{found.manifest['matches_played']:,} matches · seed {found.manifest['seed']}",
            verdict_sentences(found),
            tables,
            _few(found.notes),
        )
    )


def goals_html(found: GoalsJudged) -> str:
    """Goals: each with its figure, its verdict and what would decide it."""
    from sim.reports.goals_terminal import goal_cells, verdict_sentence

    rows = [(one.estimate.pairing, *goal_cells(one)) for one in found.results]
    return shown_html(
        Shown(
            f"goals of {found.file} · {found.scenario}",
            f"seed {found.seed}",
            [verdict_sentence(found), *found.failures],
            [Table(["pairing", "goal", "figure", "verdict", "decided by"], rows)],
        )
    )


def exploit_html(found: Exploit) -> str:
    """Answers to a bot."""
    from sim.reports.exploit_terminal import figure

    rows = [
        (one.kind, one.model, str(one.looks), figure(one, "score.first"), figure(one, "margin.mean"))
        for one in found.answers
    ]
    return shown_html(
        Shown(
            f"answers to {found.bot} · {found.scenario.name}",
            f"seed {found.manifest['seed']}",
            (),
            [Table(["answer", "takes it for", "looks", "score of the answer", "margin"], rows)],
            _few(found.notes),
        )
    )


def map_html(rail_map: RailMap) -> str:
    """A map: its picture, and whether its mirror is exact."""
    from sim.config.exactness import exactness
    from sim.config.network import Network
    from sim.reports.map_picture import map_alt, map_figure
    from sim.reports.style import svg_text

    network, found = Network(rail_map), exactness(rail_map)
    broken = ", ".join(dict.fromkeys(breach.junction for breach in found.breaches))
    said = (
        "The mirror is exact: equal bots have equal chances."
        if found.exact
        else f"The mirror is not exact, at {broken}: the labels alone can favour a seat."
    )
    return shown_html(
        Shown(
            f"map {rail_map.name}",
            f"{len(network.junctions)} junctions · {len(network.terminals)} terminals · {len(rail_map.tracks)} tracks",
            [said, *rail_map.warnings],
            svg=svg_text(map_figure(rail_map, exactness=found), title=map_alt(rail_map)),
        )
    )


def day_html(story: DayStory) -> str:
    """One mainline day, as its page."""
    from sim.reports.mainline.day_page import day_page

    return framed(day_page(story), story.title, 900)
