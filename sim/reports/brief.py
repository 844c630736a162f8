"""The report in Markdown, short enough for a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sim.reports import shape_section, value_section, words
from sim.reports.shape_section import ShapeTold
from sim.reports.verdict import verdict
from sim.running.result import Run
from sim.studies.value_result import ValueStudy

__all__ = ["main_rows", "report_markdown"]

_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\`*_{}[]<>#|~"})


def report_markdown(run: Run, shape: ShapeTold | None = None, value: ValueStudy | None = None) -> str:
    """The verdict, the main figures, the shape of matches and the worth of investments, with their intervals."""
    lines = [f"## {_text(run.scenario.name)}: {_text(run.pairing)}", ""]
    seed = "" if words.is_recorded(run) else f", seed {run.manifest.get('seed')}"
    lines += [f"{words.counted(run.sums.n_matches, 'match')}{seed}. {words.level_words(run)} intervals.", ""]
    for sentence in verdict(run):
        lines += [_text(sentence), ""]
    if words.n_counting(run):
        rows = main_rows(run)
        if shape is not None:
            rows += [(label, shown) for label, _, shown in shape_section.figure_rows(shape)]
        lines += _table(["figure", "estimate"], rows)
    if shape is not None:
        lines += [_text(sentence) for sentence in shape_section.dead_words(shape)]
    if value is not None:
        lines += ["### What investments are worth", ""]
        for sentence in value_section.verdict_sentences(value):
            lines += [f"- {_text(sentence)}"]
        lines += ["", "Score that is lost without it, in percentage points:", ""]
        lines += _table(
            ["", *value.bots, "verdict"],
            [(subject, *cells, said) for subject, cells, said in value_section.knockout_rows(value)],
        )
    for note in run.notes:
        lines.append(f"- {_text(note)}")
    return "\n".join(lines).rstrip() + "\n"


def main_rows(run: Run) -> list[tuple[str, str]]:
    """The figures that are looked at first, with their intervals."""
    sides = words.players(run)
    return [
        (f"{sides.first} wins", words.figure(run, "win.first")),
        (f"{sides.second} wins", words.figure(run, "win.second")),
        ("shared", words.figure(run, "shared")),
        ("decided by cash", words.figure(run, "decided_by_cash")),
        ("seat bias, A minus B", words.figure(run, "seat_bias")),
        ("spread, half of the matches at most", words.figure(run, "spread.p50")),
        ("spread, nine in ten at most", words.figure(run, "spread.p90")),
        ("conflicts a match", words.figure(run, "conflicts")),
    ]


def _table(head: Sequence[str], rows: Iterable[tuple[str, ...]]) -> list[str]:
    every = [tuple(head), tuple(["---"] * len(head)), *(tuple(_text(cell) for cell in row) for row in rows)]
    return ["| " + " | ".join(row) + " |" for row in every] + [""]


def _text(content: str) -> str:
    """Text that Markdown takes as it is."""
    return " ".join(content.translate(_SPECIAL).split())
