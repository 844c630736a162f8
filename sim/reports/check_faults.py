"""A check that could not be made, for the programs that wait for its result: nothing was measured, and all say so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

from sim.config.errors import Problem
from sim.reports.check_files import annotated, counted_up, escaped, junit_text, property_text
from sim.studies.check_result import CHECK_SCHEMA

__all__ = ["fault_annotations", "fault_junit", "fault_markdown", "fault_words"]

HEADLINE = "cannot be checked"


def fault_markdown(problems: Sequence[Problem]) -> str:
    """A comment for a pull request."""
    told = [f"- {escaped(line)}" for problem in problems for line in str(problem).splitlines()]
    return "\n".join([f"### ❌ Balance: {HEADLINE}", "", *told]) + "\n"


def fault_junit(file: str, problems: Sequence[Problem]) -> str:
    """JUnit XML: a case with an error for each problem."""
    root = ElementTree.Element("testsuites", name="sim check")
    suite = ElementTree.SubElement(root, "testsuite", name=file)
    for problem in problems:
        case = ElementTree.SubElement(suite, "testcase", classname=file, name=HEADLINE)
        ElementTree.SubElement(case, "error", message=str(problem), type="input")
    counted_up(suite)
    return junit_text(root)


def fault_annotations(problems: Sequence[Problem]) -> Iterator[str]:
    """Workflow commands that mark each problem at its file and line."""
    for problem in problems:
        where = "" if problem.file is None else f"file={property_text(problem.file)},"
        where += "" if problem.line is None else f"line={problem.line},"
        yield f"::error {where}title=Balance {HEADLINE}::{annotated(str(problem))}"


def fault_words(file: str, problems: Sequence[Problem], exit_code: int) -> dict[str, Any]:
    """What `--json` prints."""
    return {
        "schema": CHECK_SCHEMA,
        "baseline": file,
        "verdict": "error",
        "passed": False,
        "exit_code": exit_code,
        "problems": [str(problem) for problem in problems],
    }
