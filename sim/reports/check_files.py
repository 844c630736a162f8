"""A check for other programs: Markdown for a pull request, JUnit XML, and annotations of GitHub's workflows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from sim.reports.check_words import HEADER, cells, folded, ordered, pair_words, verdict_words
from sim.reports.compare_terminal import change_words
from sim.reports.goals_terminal import goal_cells, verdict_sentence
from sim.stats.gate import State
from sim.stats.goals import GoalVerdict
from sim.studies.check_result import Checked, CheckedFigure, CheckedPairing, Undecided

__all__ = ["annotation_lines", "junit", "markdown"]

MOST_FIGURES = 8
"""Figures that one annotation lists."""

_SIGNS = {State.IDENTICAL: "✅", State.EQUIVALENT: "✅", State.DRIFT: "❌", State.UNDECIDED: "❔"}


# -- Markdown ---------------------------------------------------------------------------------------------------------


def markdown(found: Checked) -> str:
    """A comment for a pull request."""
    lines = [f"### {_SIGNS[found.state]} Balance: {found.state.name}", "", _escaped(found.sentence), ""]
    rows = [[one.scenario, one.pairing, verdict_words(one)] for one in found.pairings]
    lines += [*_table(("scenario", "pairing", "verdict"), rows), ""]
    for one in found.pairings:
        lines += _pairing(one)
    for goals in found.goals:
        lines += [f"**Goals `{goals.file}`**: {_escaped(verdict_sentence(goals))}", ""]
        rows = [[one.estimate.pairing, *goal_cells(one)] for one in goals.results]
        lines += [*_table(("pairing", "goal", "figure", "verdict", "decided by"), rows), ""]
        lines += [f"- {_escaped(failure)}" for failure in goals.failures]
    lines += [f"- {_escaped(note)}" for note in found.notes]
    return "\n".join(lines).rstrip() + "\n"


def _pairing(one: CheckedPairing) -> list[str]:
    moved = ordered(one)
    changes = change_words(one.changes)
    if not moved and not changes:
        return []
    shown = "" if not one.fails and one.state is not State.UNDECIDED else " open"
    lines = [f"<details{shown}><summary>{_html(one.title)}: {verdict_words(one)}</summary>", ""]
    lines += [f"- {_escaped(change)}" for change in changes] + ([""] if changes else [])
    lines += [*_table(("figure", *HEADER[1:]), [cells(figure) for figure in moved]), ""] if moved else []
    if one.pairs is not None:
        lines += [f"- {name}: {pair_words(line)}" for name, line in zip(("base", "now"), one.pairs, strict=True)]
        lines.append("")
    return [*lines, "</details>", ""]


def _table(header: tuple[str, ...], rows: list[list[str]]) -> list[str]:
    every = [list(header), ["---"] * len(header), *([_escaped(cell) for cell in row] for row in rows)]
    return ["| " + " | ".join(row) + " |" for row in every]


def _escaped(text: str) -> str:
    """Text in which nothing is taken for a table, HTML or emphasis."""
    return _html(text).replace("|", "\\|").replace("*", "\\*").replace("_", "\\_").replace("`", "\\`")


def _html(text: str) -> str:
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
            state = State.DRIFT if figure.fails else figure.state
            _outcome(case, state is State.DRIFT, state is State.UNDECIDED, warn, ", ".join(_said(cells(figure))))
        _count(suite)
    for goals in found.goals:
        suite = ElementTree.SubElement(root, "testsuite", name=goals.file)
        for failure in goals.failures:
            _outcome(
                ElementTree.SubElement(suite, "testcase", classname=goals.file, name="play"), True, False, warn, failure
            )
        for result in goals.results:
            name = f"{result.goal.text} ({result.estimate.pairing})"
            case = ElementTree.SubElement(suite, "testcase", classname=goals.file, name=name)
            violated, undecided = (
                result.verdict is verdict for verdict in (GoalVerdict.VIOLATED, GoalVerdict.UNDECIDED)
            )
            _outcome(case, violated, undecided, warn, " ".join(goal_cells(result)).strip())
        _count(suite)
    for key in ("tests", "failures", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ElementTree.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _said(row: list[str]) -> list[str]:
    return [f"{name} {cell}".strip() for name, cell in zip(HEADER, row, strict=True)]


def _outcome(case: ElementTree.Element, failed: bool, undecided: bool, warn: bool, message: str) -> None:
    if failed or (undecided and not warn):
        ElementTree.SubElement(case, "failure", message=message, type="drift" if failed else "undecided")
    elif undecided:
        ElementTree.SubElement(case, "skipped", message=message)


def _count(suite: ElementTree.Element) -> None:
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("errors", "0")
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))


# -- annotations ------------------------------------------------------------------------------------------------------


def annotation_lines(found: Checked) -> Iterator[str]:
    """Workflow commands that mark the scenario files in a pull request, one for each pairing and goal that fails.

    Figures that were undecided when another one ended the check are left out.
    """
    weak = "warning" if found.undecided is Undecided.WARN else "error"
    for one in found.pairings:
        where = f"file={_property(one.source)}," if "/" in one.source or "." in one.source else ""
        drifted = [figure for figure in folded(one.figures) if figure.fails]
        undecided = one.with_state(State.UNDECIDED)
        if drifted:
            yield f"::error {where}title=Balance has drifted::{_data(_list_of(one, drifted))}"
        elif undecided and found.state is State.UNDECIDED:
            yield f"::{weak} {where}title=Balance is undecided::{_data(_list_of(one, undecided))}"
    for goals in found.goals:
        where = f"file={_property(goals.file)},"
        for failure in goals.failures:
            yield f"::error {where}title=Goals::{_data(failure)}"
        for result in goals.results:
            if result.verdict is not GoalVerdict.MET:
                level = "error" if result.verdict is GoalVerdict.VIOLATED else weak
                said = " ".join([result.estimate.pairing + ":", *goal_cells(result)]).strip()
                yield f"::{level} {where}title=Goal {result.verdict.value}::{_data(said)}"


def _list_of(one: CheckedPairing, figures: Sequence[CheckedFigure]) -> str:
    """A pairing's figures in a few lines."""
    rows = [cells(figure) for figure in figures[:MOST_FIGURES]]
    said = [f"{name}: {base} → {now} (change {change}, delta {delta})" for name, base, now, change, delta, _ in rows]
    more = len(figures) - len(rows)
    return "\n".join([f"{one.title}, {one.matches:,} matches", *said, *([f"and {more} more"] if more else [])])


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
