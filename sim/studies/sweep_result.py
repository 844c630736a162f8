"""What a sweep leaves: every cell with its figures, their changes from the reference, and how it meets the goals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.config.errors import BadInput
from sim.parquet import read_frame
from sim.stats.differences import Difference, Verdict
from sim.stats.figures import Estimate
from sim.stats.goals import GoalResult, GoalVerdict, overall
from sim.studies.sweep_picked import Pick
from sim.studies.sweep_plan import level_words
from sim.studies.sweep_screen import KeyEffect

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CELLS_FILE", "SWEEP_SCHEMA", "CellResult", "Step", "Sweep", "load_sweep", "shown_metrics"]

SWEEP_SCHEMA = 1
CELLS_FILE = "cells.parquet"
RESOLVED = (Verdict.MOVED, Verdict.SAME, Verdict.IDENTICAL)


@dataclass(frozen=True)
class CellResult:
    """One cell.

    Attributes
    ----------
    number, key, values, label
        Which it is (`sim.studies.sweep_plan.Cell`).
    reference
        Whether it is the one that the others are compared with.
    pairing
        Who played.
    n_matches
        Played.
    estimates
        Every figure by its core name; empty where the cell failed.
    differences
        Its changes from the reference by core name; empty for the reference and where the cell failed.
    goals
        What is known of each goal; empty where there are none.
    fingerprint
        Digest of all block sums: two cells that have the same one ended the same in every block.
    error
        Why it could not be played; None where it was.
    """

    number: int
    key: str
    values: Mapping[str, Any]
    label: str
    reference: bool
    pairing: str
    n_matches: int
    estimates: Mapping[str, Estimate] = field(repr=False)
    differences: Mapping[str, Difference] = field(repr=False)
    goals: tuple[GoalResult, ...] = field(repr=False)
    fingerprint: str
    error: str | None = None

    @property
    def verdict(self) -> GoalVerdict | None:
        """Of all goals together; None where nothing is judged."""
        return overall(self.goals) if self.goals else None


@dataclass(frozen=True)
class Step:
    """One key turned from one value to another, all others standing still, and what that does to one figure.

    Attributes
    ----------
    key, before, after
        What is turned.
    cell_before, cell_after
        Numbers of the two cells.
    change
        Of the figure, with its interval; it is said to have moved at a level that allows for all steps and figures.
    rank
        First and last place by size that its interval leaves it, from 1; None where it is not resolved, or too small to
        matter.
    """

    key: str
    before: Any
    after: Any
    cell_before: int
    cell_after: int
    change: Difference
    rank: tuple[int, int] | None

    def as_dict(self) -> dict[str, Any]:
        """The entry of `sweep.json`."""
        return {
            "key": self.key,
            "before": self.before,
            "after": self.after,
            "cells": [self.cell_before, self.cell_after],
            **self.change.as_dict(),
            "rank": None if self.rank is None else list(self.rank),
        }


SHOWN = ("score.first", "shared", "spread.mean", "pick.upgrade.first", "pick.siding.first")
SHOWN_OF_DAYS = ("trip_gap", "unfinished", "collisions", "trip_stages.east")
"""Figures that are looked at first, where no goals say which matter."""


def shown_metrics(cells: Sequence[CellResult]) -> list[str]:
    """Figures that are looked at first: those of the goals, else a few of the game's."""
    wanted = list(dict.fromkeys(one.goal.metric for cell in cells for one in cell.goals))
    known = next((cell.estimates for cell in cells if cell.reference and cell.estimates), None)
    known = known or next((cell.estimates for cell in cells if cell.estimates), {})
    named = [name for name in wanted or SHOWN if name in known]
    return named or [name for name in known if name in SHOWN_OF_DAYS]


@dataclass(frozen=True)
class Sweep:
    """A finished sweep.

    Attributes
    ----------
    scenario
        Name of the scenario.
    keys
        What each key was set to, in order.
    cells
        In the order of the design.
    units
        Unit of every figure.
    inert
        Keys that move nothing: cells that differ in nothing else end the same in every block.
    manifest
        Provenance.
    notes
        What a reader must know beside the figures.
    folder
        Where it is kept; None when nothing was written.
    screen
        Of a screen, what each key does to each figure; empty with other designs.
    pick
        The cell that meets the goals best, where that was asked for.
    steps
        What each step from the reference does, for the figures that are looked at first.
    key_units
        Unit of each key, such as dollars; "" where it has none.
    """

    scenario: str
    keys: Mapping[str, tuple[Any, ...]]
    cells: tuple[CellResult, ...] = field(repr=False)
    units: Mapping[str, str] = field(repr=False)
    inert: tuple[str, ...]
    manifest: Mapping[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
    folder: Path | None = None
    screen: tuple[KeyEffect, ...] = field(default=(), repr=False)
    pick: Pick | None = field(default=None, repr=False)
    steps: tuple[Step, ...] = field(default=(), repr=False)
    key_units: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def reference(self) -> CellResult:
        """The cell that the others are compared with."""
        return next(cell for cell in self.cells if cell.reference)

    @property
    def failed(self) -> tuple[CellResult, ...]:
        """Cells that could not be played."""
        return tuple(cell for cell in self.cells if cell.error is not None)

    @property
    def illegal(self) -> tuple[CellResult, ...]:
        """Cells in which a bot gave illegal orders: their pairs do not count."""
        return tuple(cell for cell in self.cells if (one := cell.estimates.get("illegal_orders")) and one.value)

    def __getitem__(self, label: str) -> CellResult:
        """A cell by its label, such as ``sweep["economy.toll=2"]``."""
        for cell in self.cells:
            if cell.label == label:
                return cell
        raise KeyError(f"there is no cell {label}; there are {', '.join(cell.label for cell in self.cells[:20])}")

    @cached_property
    def frame(self) -> pd.DataFrame:
        """A row for every figure of every cell, and one for every cell that failed.

        Columns: `cell`, `key` (its hash, `cell` of the block rows), `label`, a column for each key, `reference`,
        `pairing`, `metric`, `value`, `low`, `high`, `n`, `n_units`, `method`, `change`, `change_low`, `change_high`,
        `resolved`, `verdict` (of all goals), `error`.
        """
        import pandas as pd

        found = pd.DataFrame([row for cell in self.cells for row in _rows(cell)])
        for key in self.keys:
            if any(isinstance(value, str) for value in found[key]):  # one type a column, or no file could hold it
                found[key] = [None if value is None else str(value) for value in found[key]]
        return found

    def result(self) -> dict[str, Any]:
        """What `sweep.json` holds, beside what was asked for."""
        return {
            "schema": SWEEP_SCHEMA,
            "scenario": self.scenario,
            "keys": {key: [level_words(value) for value in values] for key, values in self.keys.items()},
            "reference": self.reference.number,
            "inert": list(self.inert),
            "cells": [
                {
                    "cell": cell.number,
                    "key": cell.key,
                    "label": cell.label,
                    "values": dict(cell.values),
                    "pairing": cell.pairing,
                    "matches": cell.n_matches,
                    "verdict": None if cell.verdict is None else cell.verdict.value,
                    "goals": [one.as_dict() for one in cell.goals],
                    "error": cell.error,
                }
                for cell in self.cells
            ],
            **({"screen": [one.as_dict() for one in self.screen]} if self.screen else {}),
            "steps": [one.as_dict() for one in self.steps],
            **({"pick": self.pick.as_dict()} if self.pick is not None else {}),
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        from sim.reports.notebook import sweep_html

        return sweep_html(self)


def _rows(cell: CellResult) -> list[dict[str, Any]]:
    said: dict[str, Any] = {
        "cell": cell.number,
        "key": cell.key,
        "label": cell.label,
        **{key: _plain(value) for key, value in cell.values.items()},
        "reference": cell.reference,
        "pairing": cell.pairing,
    }
    ended = {"verdict": None if cell.verdict is None else cell.verdict.value, "error": cell.error}
    if cell.error is not None:
        return [{**said, "metric": None, **ended}]
    rows = []
    for name, one in cell.estimates.items():
        change = cell.differences.get(name)
        rows.append(
            {
                **said,
                "metric": name,
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "n": one.n,
                "n_units": one.n_units,
                "method": one.method,
                "change": None if change is None else change.value,
                "change_low": None if change is None else change.low,
                "change_high": None if change is None else change.high,
                "resolved": None if change is None else change.verdict in RESOLVED,
                **ended,
            }
        )
    return rows


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float | bool) or value is None else level_words(value)


def load_sweep(path: str | Path) -> pd.DataFrame:
    """The figures of a finished sweep: a row for every figure of every cell (`Sweep.frame`).

    Parameters
    ----------
    path
        The folder.

    Raises
    ------
    BadInput
        When it is no folder of a finished sweep, or it is damaged.
    """
    file = Path(path) / CELLS_FILE
    try:
        return read_frame(file, "the sweep's command writes it anew with --resume")
    except FileNotFoundError:
        message = f"{file} is missing; must be the folder of a finished sweep; its command finishes it with --resume"
        raise BadInput.of(message) from None
