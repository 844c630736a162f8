"""`check`: play the scenarios of a baseline as they stand, and say whether the game's balance has moved.

First a digest of all block sums. Where it is another, every figure is tested block by block on common luck, at 1, 4 and
16 times the matches as far as it takes (`sim.stats.gate`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sim.config.deltas import DeltaRules
from sim.config.errors import BadInput
from sim.games.game import Plan
from sim.running.progress import bar
from sim.running.runner import Progress, threads_here
from sim.stats.gate import (
    LOOKS,
    Decision,
    Evidence,
    decide,
)
from sim.studies.baseline import (
    Baseline,
    Entry,
    Growing,
    deltas_of,
    looked_at,
    on_top,
    record_plan,
    sums_digest,
)
from sim.studies.baseline_file import read_baseline
from sim.studies.check_entry import EntryGate, entry_plan, source_path
from sim.studies.check_result import Checked, Undecided
from sim.studies.check_told import needed_matches, notes_of, pairing_of, reason
from sim.studies.goals import GoalsPlan, make_goals_plan, play_goals

__all__ = ["check", "play_check", "recorded_anew"]

Tell = Callable[[str], None]
Plans = Callable[[Entry, Baseline, Path], Plan]


def check(
    file: str | Path,
    *,
    goals: Sequence[str | Path] = (),
    threads: int | None = None,
    budget: float | None = None,
    undecided: str | Undecided = Undecided.FAIL,
    only: Callable[[Entry], bool] | None = None,
    progress: bool = False,
    tell: Tell | None = None,
) -> Checked:
    """Play the scenarios of a baseline as they stand now, and say whether the balance has moved.

    Parameters
    ----------
    file
        The baseline.
    goals
        Goals files to judge as well.
    threads
        One for each core when absent. The verdict does not depend on it.
    budget
        Seconds that the matches may take; a look that would take longer is not begun. The first look always is.
    undecided
        What an undecided check is taken for: "fail" or "warn".
    only
        Which entries to check; None: all. The promises still allow for all figures of the file.
    progress
        Show a bar.
    tell
        Called with a sentence before each further look: what is played, and why.

    Raises
    ------
    BadInput
        When the baseline, a scenario, a bot or a goals file is not usable: a check that measured nothing never passes.
    """
    baseline = read_baseline(file)
    plans = [make_goals_plan(one, seed=baseline.seed) for one in goals]
    showing: AbstractContextManager[Progress | None] = bar() if progress else nullcontext()
    with showing as show:
        return play_check(
            baseline,
            Path(file),
            goals=plans,
            threads=threads,
            budget=budget,
            undecided=Undecided(undecided),
            only=only,
            progress=show,
            tell=tell,
        )


def play_check(
    baseline: Baseline,
    file: Path,
    *,
    goals: Sequence[GoalsPlan] = (),
    threads: int | None = None,
    chunk_pairs: int | None = None,
    budget: float | None = None,
    undecided: Undecided = Undecided.FAIL,
    only: Callable[[Entry], bool] | None = None,
    progress: Progress | None = None,
    tell: Tell | None = None,
    plans: Plans | None = None,
) -> Checked:
    """Check a baseline that was read; `plans` says what is played of an entry (None: `entry_plan`).

    Raises
    ------
    BadInput
        When a scenario or a bot is not usable, or no entry is left to check.
    """
    wanted_entries = [one for one in baseline.entries if only is None or only(one)]
    gates = [_gate(one, baseline, file, threads, chunk_pairs, plans) for one in wanted_entries]
    if not gates:
        raise BadInput.of("has no entry for what is to be checked", file=str(file))
    watch = _Watch(gates, progress)
    started, notes = time.monotonic(), list[str]()
    family = baseline.n_figures
    for look in range(len(LOOKS)):
        playing = [gate for gate in gates if gate.open and not (look and gate.last)]
        for gate in playing:
            watch.play(gate)
        if not _judge(gates, playing, family):
            break
        left = [gate for gate in gates if gate.open and not gate.last]
        if not left:
            break
        spent = time.monotonic() - started
        wanted = sum(gate.growing.seconds * gate.extra / max(1, gate.sums.n_matches) for gate in left if gate.sums)
        if budget is not None and spent + wanted > budget:
            notes.append(f"The next look takes about {wanted:.0f} s, beyond the budget of {budget:g} s: not begun.")
            break
        if tell is not None:
            tell(reason(left, wanted))
    needed = needed_matches(gates, baseline, family)
    judged = tuple(play_goals(one, threads=threads, progress=progress) for one in goals)
    return Checked(
        file=str(file),
        pairings=tuple(pairing_of(gate) for gate in gates),
        matches_needed=needed,
        seconds=time.monotonic() - started,
        notes=(*notes, *notes_of(gates)),
        goals=judged,
        undecided=undecided,
    )


def _gate(
    entry: Entry,
    baseline: Baseline,
    file: Path,
    threads: int | None,
    chunk_pairs: int | None = None,
    plans: Plans | None = None,
) -> EntryGate:
    plan = (plans or entry_plan)(entry, baseline, file)
    plan.compile()
    n_blocks = plan.n_blocks(plan.n_pairs(entry.matches))
    if not entry.now.exact and not plan.deterministic:
        n_blocks = next(iter(entry.now.looks[0].totals.values())).total.size
    return EntryGate(
        entry, source_path(entry.source, file), plan, Growing(plan, n_blocks, threads_here(threads), chunk_pairs)
    )


def recorded_anew(
    baseline: Baseline,
    file: Path,
    *,
    rules: DeltaRules | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[Checked, list[Entry]]:
    """Play all looks of every entry anew; what has moved since, judged at the last look, and the entries as they are.

    Parameters
    ----------
    rules
        New deltas; None keeps the old ones.

    Raises
    ------
    BadInput
        When a scenario or a bot is not usable.
    """
    gates, entries = [], []
    started = time.monotonic()
    done, wanted = 0, 0
    # Where the baseline is the anchor itself, what is accepted now is a first step away from it.
    steps = [replace(entry, anchor=entry.anchor or entry.now) for entry in baseline.entries]
    plans = [_gate(entry, baseline, file, threads) for entry in steps]
    wanted = sum(gate.n_pairs(len(LOOKS) - 1) * gate.plan.n_swaps for gate in plans)
    for gate in plans:
        if progress is not None:
            gate.growing.on_matches = partial(on_top, progress, done, wanted)
        names = gate.names if rules is None else [one.name for one in looked_at(gate.plan, rules)]
        recording, sums = record_plan(gate.growing, gate.entry.matches, names)
        done += sums.n_matches
        deltas = gate.entry.deltas if rules is None else deltas_of(gate.plan, sums, rules)
        entries.append(replace(gate.entry, now=recording, deltas=deltas))
        gate.look, gate.sums = len(LOOKS) - 1, sums
        gate.identical = sums_digest(sums) == gate.entry.now.looks[-1].digest
        gate.open = not gate.identical
        gates.append(gate)
    _judge(gates, gates, replace(baseline, entries=tuple(steps)).n_figures, looks=1)
    seconds = time.monotonic() - started
    found = Checked(str(file), tuple(pairing_of(gate) for gate in gates), None, seconds, tuple(notes_of(gates)))
    return found, entries


def _judge(gates: Sequence[EntryGate], playing: Sequence[EntryGate], family: int, looks: int = len(LOOKS)) -> bool:
    """Judge what was played, all figures together; whether the gate goes on."""
    tested = [gate for gate in playing if not gate.identical]
    evidence = [gate.evidence() for gate in tested]
    anchors = [gate.anchor_evidence() for gate in playing]
    decision, anchor = decide(_joined(evidence), _joined(anchors), family=family, looks=looks)
    place = 0
    for gate in playing:
        gate.anchor = _part(anchor, slice(place, place := place + len(gate.entry.anchored)))
    place = 0
    for gate in tested:
        gate.decision = _part(decision, slice(place, place := place + len(gate.names)))
        # Whether it is more than three deltas from the anchor is looked into as well, but need not be known to pass.
        assert gate.anchor is not None
        gate.open = not (gate.decision.equivalent.all() and gate.anchor.equivalent.all())
    return not decision.drift.any() and not anchor.drift.any() and any(gate.open for gate in gates)


def _part(found: Decision, which: slice) -> Decision:
    return Decision(found.drift[which], found.equivalent[which], found.p_drift[which], found.p_equivalent[which])


def _joined(parts: Sequence[Evidence]) -> Evidence:
    """Evidence of several pairings in one."""
    none: list[Any] = [np.zeros(0)]
    return Evidence(
        *(
            np.concatenate([*none, *(getattr(part, key) for part in parts)])
            for key in ("difference", "error", "delta", "freedom")
        )
    )


class _Watch:
    """One bar for all that is played."""

    def __init__(self, gates: Sequence[EntryGate], progress: Progress | None) -> None:
        self.progress = progress
        self.done = 0
        self.gates = gates

    def play(self, gate: EntryGate) -> None:
        """Take a gate's next look, and show how far all are."""
        before = 0 if gate.sums is None else gate.sums.n_matches
        wanted = self.done + sum(
            one.extra for one in self.gates if one.open and one.look <= gate.look and not (one.look >= 0 and one.last)
        )
        progress = self.progress
        if progress is not None:
            gate.growing.on_matches = lambda n: progress(self.done + n - before, max(wanted, self.done + n - before))
        gate.play()
        assert gate.sums is not None
        self.done += gate.sums.n_matches - before
