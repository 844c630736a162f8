"""Cells and keys of a sweep in as few words as tell them apart."""

from __future__ import annotations

from collections.abc import Sequence

from sim.reports.compare_terminal import delta_words
from sim.reports.words import counted, shortened
from sim.stats.differences import Verdict
from sim.studies.sweep_result import CellResult, Sweep
from sim.studies.turning import level_words, short_names

__all__ = ["delta_of", "grouped_words", "pairing_words", "turned_words"]

LONGEST_LEVEL = 28


def grouped_words(found: Sweep, cells: Sequence[CellResult]) -> list[str]:
    """Cells in lines: those that differ in nothing but the last key stand in one."""
    keys, names = list(found.keys), short_names(list(found.keys))

    def words(cell: CellResult, key: str) -> str:
        return shortened(level_words(cell.values[key]), LONGEST_LEVEL)

    groups: dict[tuple[str, ...], list[str]] = {}
    for cell in cells:
        groups.setdefault(tuple(words(cell, key) for key in keys[:-1]), []).append(words(cell, keys[-1]))
    lines = []
    for first, last in groups.items():
        parts = [f"{names[key]} {level}" for key, level in zip(keys[:-1], first, strict=True)]
        lines.append(", ".join([*parts, f"{names[keys[-1]]} {' | '.join(last)}"]))
    return lines


def pairing_words(found: Sweep) -> str:
    """Who plays; where that is turned too, how many pairings."""
    pairings = {cell.pairing for cell in found.cells}
    return shortened(next(iter(pairings)), 40) if len(pairings) == 1 else counted(len(pairings), "pairing")


def delta_of(found: Sweep, metric: str) -> str:
    """From what size on a change of a figure matters; "" where no cell is said to be under it."""
    changes = [cell.differences[metric] for cell in found.cells if metric in cell.differences]
    return next((f"delta is {delta_words(one)}" for one in changes if one.verdict is Verdict.SAME), "")


def turned_words(found: Sweep, cell: CellResult) -> str:
    """The keys in which a cell differs from the reference, each by its last word, as short as it has to be."""
    own = found.reference.values
    turned = {key: value for key, value in cell.values.items() if value != own.get(key)} or dict(cell.values)
    names = short_names(list(found.keys))
    words = [f"{names[key]} {shortened(level_words(value), LONGEST_LEVEL)}" for key, value in turned.items()]
    return shortened(", ".join(words), 70)
