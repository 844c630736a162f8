"""Cells and keys of a sweep in as few words as tell them apart."""

from __future__ import annotations

from sim.reports.words import shortened
from sim.studies.sweep_result import CellResult, Sweep
from sim.studies.turning import level_words, short_names

__all__ = ["turned_words"]

LONGEST_LEVEL = 16


def turned_words(found: Sweep, cell: CellResult) -> str:
    """The keys in which a cell differs from the reference, each by its last word, as short as it has to be."""
    own = found.reference.values
    turned = {key: value for key, value in cell.values.items() if value != own.get(key)} or dict(cell.values)
    names = short_names(list(found.keys))
    words = [f"{names[key]} {shortened(level_words(value), LONGEST_LEVEL)}" for key, value in turned.items()]
    return shortened(", ".join(words), 44)
