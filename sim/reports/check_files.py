"""A check for other programs: Markdown for a pull request, JUnit XML, and annotations of GitHub's workflows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from sim.reports.check_words import (
    HEADER,
    QUANTILES,
    about_quantiles,
    cells,
    folded,
    ordered,
    pair_words,
    still_words,
    verdict_words,
)
from sim.reports.compare_terminal import change_words
from sim.reports.goals_terminal import goal_cells, verdict_sentence
from sim.stats.figures import Kind
from sim.stats.gate import State
from sim.stats.goals import GoalVerdict
from sim.studies.check_result import Checked, CheckedFigure, CheckedPairing, Undecided

__all__ = [
    "annotated",
    "annotation_lines",
    "counted_up",
    "escaped",
    "junit",
    "junit_text",
    "markdown",
    "property_text",
]

MOST_FIGURES = 8
"""Figures that one annotation lists."""

_SIGNS = {State.IDENTICAL: "✅", State.EQUIVALENT: "✅", State.DRIFT: "❌", State.UNDECIDED: "❔"}


# -- Markdown ---------------------------------------------------------------------------------------------------------


def markdown(found: Checked) -> str:
    """A comment for a pull request."""
    lines = [f"### {_SIGNS[found.worst]} Balance: {found.headline}", "", escaped(found.sentence), ""]
    rows = [[one.scenario, one.pairing, verdict_words(one)] for one in found.pairings]
    lines += [*_table(("scenario", "pairing", "verdict"), rows), ""]
    for one in found.pairings:
        lines += _pairing(one)
    if about_quantiles(found.pairings):
        lines += [QUANTILES, ""]
    for goals in found.goals:
        lines += [f"**Goals `{goals.file}`**: {escaped(verdict_sentence(goals))}", ""]
        rows = [[one.estimate.pairing, *goal_cells(one)] for one in goals.results]
        header = ["pairing", "goal", "figure", "verdict", "would be decided by"]
        if not any(row[-1] for row in rows):
            header, rows = header[:-1], [row[:-1] for row in rows]
        lines += [*_table(header, rows), ""]
        lines += [f"- {escaped(failure)}" for failure in goals.failures]
    lines += [f"- {escaped(note)}" for note in found.notes]
    return "\n".join(lines).rstrip() + "\n"


def _pairing(one: CheckedPairing) -> list[str]:
    moved = ordered(one)
    changes = change_words(one.changes)
    if not moved and not changes:
        return []
    shown = "" if not one.fails and one.state is not State.UNDECIDED else " open"
    lines = [f"<details{shown}><summary>{html(one.title)}: {verdict_words(one)}</summary>", ""]
    lines += [f"- {escaped(change)}" for change in changes] + ([""] if changes else [])
    lines += [*_table(("figure", *HEADER[1:]), [cells(figure) for figure in moved]), ""] if moved else []
    if still := still_words(one):
        lines += [f"- {still}", *([""] if one.pairs is None else [])]
    if one.pairs is not None and one.state is not State.IDENTICAL:
        lines += [f"- {name}: {pair_words(line)}" for name, line in zip(("base", "now"), one.pairs, strict=True)]
        lines.append("")
    return [*lines, "</details>", ""]


def _table(header: Sequence[str], rows: list[list[str]]) -> list[str]:
    every = [list(header), ["---"] * len(header), *([escaped(cell) for cell in row] for row in rows)]
    return ["| " + " | ".join(row) + " |" for row in every]


def escaped(text: str) -> str:
    """Text in which nothing is taken for a table, HTML or emphasis."""
    return html(text).replace("|", "\\|").replace("*", "\\*").replace("_", "\\_").replace("`", "\\`")


def html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


# -- JUnit ------------------------------------------------------------------------------------------------------------


def junit(found: Checked) -> str:
    """JUnit XML: a suite for each pairing and goals file, a case for each figure and goal."""
    root = ElementTree.Element("testsuites", name="sim check", time=f"{found.seconds:.3f}")
    warn = found.undecided is Undecided.WARN
    for one in found.pairings:
        suite = ElementTree.SubElement(root, "testsuite", name=one.title)
        for figure in one.figures:
            case = ElementTree.SubElement(suite, "testcase", classname=one.title, name=figure.metric)
            kind = "drift" if figure.fails else "undecided" if figure.state is State.UNDECIDED else ""
            _outcome(case, kind, warn, ", ".join(_said(cells(figure))))
        counted_up(suite)
    for goals in found.goals:
        suite = ElementTree.SubElement(root, "testsuite", name=goals.file)
        for failure in goals.failures:
            case = ElementTree.SubElement(suite, "testcase", classname=goals.file, name="play")
            _outcome(case, "illegal", warn, failure)
        for result in goals.results:
            name = f"{result.goal.text} ({result.estimate.pairing})"
            case = ElementTree.SubElement(suite, "testcase", classname=goals.file, name=name)
            kind = {GoalVerdict.VIOLATED: "goal", GoalVerdict.UNDECIDED: "undecided"}.get(result.verdict, "")
            _outcome(case, kind, warn, " ".join(goal_cells(result)).strip())
        counted_up(suite)
    return junit_text(root)


def junit_text(root: ElementTree.Element) -> str:
    """Suites of cases as a file, each suite's outcomes counted up for all."""
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ElementTree.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _said(row: list[str]) -> list[str]:
    return [f"{name} {cell}".strip() for name, cell in zip(HEADER, row, strict=True)]


def _outcome(case: ElementTree.Element, kind: str, warn: bool, message: str) -> None:
    """What a case came to: a kind of failure, or none where `kind` is empty; skipped where undecided only warns."""
    if kind == "undecided" and warn:
        ElementTree.SubElement(case, "skipped", message=message)
    elif kind:
        ElementTree.SubElement(case, "failure", message=message, type=kind)


def counted_up(suite: ElementTree.Element) -> None:
    """Set how many cases a suite holds, and what they came to."""
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("errors", str(len(suite.findall("testcase/error"))))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))


# -- annotations ------------------------------------------------------------------------------------------------------


def annotation_lines(found: Checked) -> Iterator[str]:
    """Workflow commands that mark the scenario files in a pull request, one for each pairing and goal that fails.

    Figures that were undecided when another one ended the check are left out.
    """
    weak = "warning" if found.undecided is Undecided.WARN else "error"
    for one in found.pairings:
        where = f"file={property_text(one.source)}," if "/" in one.source or "." in one.source else ""
        drifted = [figure for figure in folded(one.figures) if figure.fails]
        undecided = one.with_state(State.UNDECIDED)
        if drifted:
            yield f"::error {where}title=Balance has drifted::{annotated(_list_of(one, drifted))}"
        elif undecided and found.state is State.UNDECIDED:
            yield f"::{weak} {where}title=Balance is undecided::{annotated(_list_of(one, undecided))}"
    for goals in found.goals:
        where = f"file={property_text(goals.file)},"
        for failure in goals.failures:
            yield f"::error {where}title=Goals::{annotated(failure)}"
        for result in goals.results:
            if result.verdict is not GoalVerdict.MET:
                level = "error" if result.verdict is GoalVerdict.VIOLATED else weak
                said = " ".join([result.estimate.pairing + ":", *goal_cells(result)]).strip()
                yield f"::{level} {where}title=Goal {result.verdict.value}::{annotated(said)}"


def _list_of(one: CheckedPairing, figures: Sequence[CheckedFigure]) -> str:
    """A pairing's figures in a few lines."""
    rows = [cells(figure) for figure in figures[:MOST_FIGURES]]
    said = [f"{name}: {base} → {now} (change {change}, delta {delta})" for name, base, now, change, delta, _ in rows]
    more = len(figures) - len(rows)
    beside = [f"and {more} more"] if more else []
    beside += [QUANTILES] if any(figure.kind is Kind.QUANTILE for figure in figures[:MOST_FIGURES]) else []
    beside += [still] if (still := still_words(one)) else []
    return "\n".join([f"{one.title}, {one.matches:,} matches", *said, *beside])


def annotated(text: str) -> str:
    """Text as a workflow command writes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def property_text(text: str) -> str:
    """Text as a property of a workflow command writes it."""
    return annotated(text).replace(":", "%3A").replace(",", "%2C")
