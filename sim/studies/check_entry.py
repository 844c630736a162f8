"""One entry of a baseline being checked: what its file says now, its looks, and the evidence of each figure."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sim.api import make_plan
from sim.config.errors import BadInput
from sim.config.starters import starter_path
from sim.games.game import Plan, Sums
from sim.stats.gate import ANCHOR_TIMES, LOOKS, Decision, Evidence, evidence_of
from sim.stats.paired import Measured, combination, measured
from sim.studies.baseline import Baseline, Entry, Growing, Recording, played_words, sums_digest
from sim.studies.changes import Change, scenario_changes

__all__ = ["EntryGate", "entries_of", "entry_plan", "source_path"]


def source_path(source: str, file: Path) -> str:
    """The scenario of an entry as seen from the working folder; a shipped name stays one.

    Parameters
    ----------
    source
        As the baseline has it.
    file
        The baseline.
    """
    if starter_path(source) is not None:
        return source
    return os.path.relpath(file.parent / source)


def entry_plan(entry: Entry, baseline: Baseline, file: Path) -> Plan:
    """What an entry's scenario file says now.

    Raises
    ------
    BadInput
        When the scenario or its bots are not usable, or have lost a figure that was recorded.
    """
    bots = None
    if entry.bots is not None:
        bots = tuple(os.path.relpath(file.parent / name) if ".py:" in name else name for name in entry.bots)
    source = source_path(entry.source, file)
    if starter_path(source) is None and not Path(source).exists():
        raise BadInput.of(
            f"names the scenario {source}, and there is no such file; where it was moved: sim baseline rename "
            f"{file} {source} NEW, where it is gone: sim baseline remove {file} {source}",
            file=str(file),
        )
    plan = make_plan(source, bots=bots, seed=baseline.seed)
    gone = [name for name in entry.deltas if name not in plan.metrics]
    if gone:
        raise BadInput.of(f"{source} has no figure {gone[0]} any more; record the baseline anew", file=str(file))
    return plan


def entries_of(baseline: Baseline, file: Path, scenario: str | Path) -> list[Entry]:
    """The entries of a scenario: a file as seen from the working folder or the baseline's, or a shipped name.

    Raises
    ------
    BadInput
        When there is none; it says what there is.
    """
    wanted = str(scenario)
    found = [one for one in baseline.entries if one.source == wanted]
    found = found or [one for one in baseline.entries if _place(source_path(one.source, file)) == _place(wanted)]
    if not found:
        held = ", ".join(dict.fromkeys(source_path(one.source, file) for one in baseline.entries))
        raise BadInput.of(f"has no entry for {wanted}; it holds {held}", file=str(file))
    return found


def _place(scenario: str) -> str | Path:
    """What tells scenarios apart: the file, or the shipped name."""
    if not Path(scenario).is_file() and starter_path(scenario) is not None:
        return scenario
    return Path(scenario).resolve()


PLAYED = {
    "rules_version": "version of the rules",
    "rng_scheme": "scheme of random numbers",
    "kernel_sources": "sources of the rules and bots",
}
"""What decides the outcome beside the scenario and its bots, as a reader knows it."""


def _changes_of_play(
    was: Mapping[str, Any], now: Mapping[str, Any], of_scenario: Sequence[Change]
) -> tuple[Change, ...]:
    """What differs beside the scenario: bots, as far as no key of the scenario tells it already, and versions."""
    before, after = (list(zip(one.get("names", ()), one.get("players", ()), strict=False)) for one in (was, now))
    found: list[Change] = []
    for (old_name, old), (new_name, new) in zip(before, after, strict=False):
        if old_name != new_name and old == new:
            found.append(Change("bot renamed", old_name, new_name))
        told = ("bots", f"define.{old_name}", f"define.{new_name}")
        if old != new and not any(change.key.startswith(told) for change in of_scenario):
            keys = scenario_changes(old, new)
            found += [
                Change(f"bot {new_name}: {one.key.replace('values.', '')}", one.base, one.variant) for one in keys
            ]
    found += [
        Change(words, was[key], now[key])
        for key, words in PLAYED.items()
        if key in was and key in now and was[key] != now[key]
    ]
    return tuple(one for place, one in enumerate(found) if one not in found[:place])


@dataclass
class EntryGate:
    """One entry on its way through the looks."""

    entry: Entry
    source: str
    plan: Plan
    growing: Growing
    look: int = -1
    sums: Sums | None = None
    identical: bool = False
    decision: Decision | None = None
    anchor: Decision | None = None
    open: bool = True
    changes: tuple[Change, ...] = field(init=False)

    def __post_init__(self) -> None:
        was = self.entry.now
        found = scenario_changes(was.scenario, self.plan.scenario.resolved())
        self.changes = found + _changes_of_play(was.played, played_words(self.plan), found)

    @property
    def names(self) -> list[str]:
        """Core names of the figures, in the order of their evidence."""
        return list(self.entry.deltas)

    @property
    def last(self) -> bool:
        """Whether there is no further look."""
        return (self.plan.deterministic and self.entry.now.exact) or self.look == len(LOOKS) - 1

    def n_pairs(self, look: int) -> int:
        """Pairs of a look."""
        return self.plan.n_pairs(self.entry.matches * LOOKS[look])

    @property
    def extra(self) -> int:
        """Matches that the next look takes on top."""
        more = self.n_pairs(self.look + 1) - (0 if self.look < 0 else self.n_pairs(self.look))
        return more * self.plan.n_swaps

    def play(self) -> None:
        """Take the next look."""
        self.look += 1
        self.sums = self.growing.to(self.n_pairs(self.look))
        recorded = self.entry.now.looks[min(self.look, len(self.entry.now.looks) - 1)]
        self.identical = sums_digest(self.sums) == recorded.digest
        self.open = not self.identical

    def now(self, name: str, at: float | None) -> Measured:
        """A figure as it is now, block by block."""
        assert self.sums is not None
        where = math.nan if at is None else at
        return measured(self.plan.metrics[name].measure(self.sums), where, exact=self.plan.deterministic)

    def change(self, name: str, recording: Recording) -> Measured:
        """Now minus a recording, block by block, at the look that was taken last."""
        now = self.now(name, recording.at.get(name))
        return combination([(1.0, now), (-1.0, recording.measured(name, self.look))])

    def evidence(self) -> Evidence:
        """What the matches say against the baseline."""
        changes = [self.change(name, self.entry.now) for name in self.names]
        return evidence_of(changes, list(self.entry.deltas.values()))

    def anchor_evidence(self) -> Evidence:
        """What they say against the anchor, with its wider deltas."""
        names, anchor = self.entry.anchored, self.entry.anchor
        changes = [] if anchor is None else [self.change(name, anchor) for name in names]
        return evidence_of(changes, [ANCHOR_TIMES * self.entry.deltas[name] for name in names])
