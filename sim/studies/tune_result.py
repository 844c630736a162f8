"""What a tuning leaves: the smallest edit that meets all goals, or what stands nearest; and all that was looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sim.stats.goals import GoalVerdict
from sim.studies.tune_play import Tried
from sim.studies.tune_space import Space
from sim.studies.turning import level_words

__all__ = ["TUNE_SCHEMA", "Tuned"]

TUNE_SCHEMA = 1


@dataclass(frozen=True)
class Tuned:
    """A finished tuning.

    Attributes
    ----------
    scenario, file
        Name of the scenario, and the goals file.
    pairings
        Who played.
    space
        What was allowed.
    today
        The scenario as it is.
    found
        The smallest edit that meets all goals, as it was confirmed on fresh luck; None where none does.
    around
        Edits one step away from `found`.
    peers
        Edits as small that met all goals in the search as well; they were not confirmed.
    rejected
        Edits that the search let pass and fresh luck did not.
    open
        Edits that nothing decided.
    nearest
        Where there is none: what stands nearest, measured anew.
    n_tried
        Edits that were played.
    n_invalid
        Edits that are no valid scenario, or that could not be played, and why the first of them is none.
    by_search
        Whether not all edits of fewer keys were tried.
    enumerated_keys
        Edits of up to so many keys were all allowed to be tried.
    manifest, notes, folder
        Provenance, what a reader must know, and where it is kept (None when nothing was written).
    """

    scenario: str
    file: str
    pairings: tuple[str, ...]
    space: Space = field(repr=False)
    today: Tried = field(repr=False)
    found: Tried | None
    around: tuple[Tried, ...] = field(repr=False)
    peers: tuple[Tried, ...] = field(repr=False)
    rejected: tuple[Tried, ...] = field(repr=False)
    open: tuple[Tried, ...] = field(repr=False)
    nearest: tuple[Tried, ...] = field(repr=False)
    n_tried: int
    n_invalid: int
    by_search: bool
    enumerated_keys: int
    manifest: Mapping[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
    folder: Path | None = None

    @property
    def verdict(self) -> GoalVerdict:
        """MET when an edit was confirmed, VIOLATED when none meets the goals, UNDECIDED when that is not known."""
        if self.found is not None:
            return GoalVerdict.MET
        return GoalVerdict.UNDECIDED if self.open else GoalVerdict.VIOLATED

    @property
    def exit_code(self) -> int:
        """0 found and confirmed, 1 there is none, 3 undecided."""
        return {GoalVerdict.MET: 0, GoalVerdict.VIOLATED: 1, GoalVerdict.UNDECIDED: 3}[self.verdict]

    @property
    def values(self) -> dict[str, Any] | None:
        """What the edit that was found changes, by key; None where none was."""
        return None if self.found is None else self.space.values(self.found.edit)

    @property
    def smaller_open(self) -> tuple[Tried, ...]:
        """Edits smaller than the one that was found of which nothing is known."""
        if self.found is None:
            return self.open
        return tuple(one for one in self.open if self.space.size(one.edit) < self.space.size(self.found.edit))

    def result(self) -> dict[str, Any]:
        """What `tune.json` holds."""
        return {
            "schema": TUNE_SCHEMA,
            "goals": self.file,
            "scenario": self.scenario,
            "pairings": list(self.pairings),
            "verdict": self.verdict.value,
            "may_change": {
                ladder.key: {
                    "values": [level_words(value) for value in ladder.values],
                    "today": level_words(ladder.values[ladder.today]),
                }
                for ladder in self.space.ladders
            },
            "edits": self.space.n_edits,
            "tried": self.n_tried,
            "by_search": self.by_search,
            "values": self.values,
            "today": self._told(self.today),
            "found": None if self.found is None else self._told(self.found),
            **{
                name: [self._told(one) for one in getattr(self, name)]
                for name in ("around", "peers", "rejected", "open", "nearest")
            },
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        from sim.reports.tune_page import tune_html

        return tune_html(self)

    def _told(self, one: Tried) -> dict[str, Any]:
        n_keys, steps = self.space.size(one.edit)
        return {
            "edit": self.space.label(one.edit),
            "values": self.space.values(one.edit),
            "keys": n_keys,
            "steps": steps,
            "matches": one.n_matches,
            "verdict": one.verdict.value,
            "failure": one.failure,
            "goals": [{"pairing": result.estimate.pairing, **result.as_dict()} for result in one.results],
        }
