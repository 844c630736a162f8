"""`check`: play the scenarios of a baseline as they stand, and say whether the game's balance has moved.

First a digest of all block sums. Where it is another, every figure is tested block by block on common luck, at 1, 4 and
16 times the matches as far as it takes (`sim.stats.gate`).
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sim.api import make_plan
from sim.config.deltas import DeltaRules
from sim.config.errors import BadInput
from sim.config.starters import starter_path
from sim.games.game import PairScored, Plan, Sums
from sim.running.progress import bar
from sim.running.runner import Progress, threads_here
from sim.stats.figures import Bins, Int64s, MetricDefinition
from sim.stats.gate import (
    ANCHOR_TIMES,
    LOOKS,
    Decision,
    Evidence,
    State,
    decide,
    evidence_of,
    matches_to_decide,
)
from sim.stats.paired import Measured, combination, interval, measured, quantile_of
from sim.stats.pentanomial import elo, normalised_elo
from sim.studies.baseline import (
    Baseline,
    Entry,
    Growing,
    Recording,
    deltas_of,
    looked_at,
    on_top,
    played_words,
    record_plan,
    sums_digest,
)
from sim.studies.baseline_file import read_baseline
from sim.studies.changes import Change, scenario_changes
from sim.studies.check_result import Checked, CheckedFigure, CheckedPairing, PairLine, Undecided, state_of
from sim.studies.goals import GoalsPlan, make_goals_plan, play_goals

__all__ = ["check", "entry_plan", "play_check", "recorded_anew", "source_path"]

Tell = Callable[[str], None]
Plans = Callable[[Entry, Baseline, Path], Plan]


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
    plan = make_plan(source, bots=bots, seed=baseline.seed)
    gone = [name for name in entry.deltas if name not in plan.metrics]
    if gone:
        raise BadInput.of(f"{source} has no figure {gone[0]} any more; record the baseline anew", file=str(file))
    return plan


@dataclass
class _Gate:
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
        now, was = self.entry.now, (self.plan.scenario.resolved(), played_words(self.plan))
        self.changes = scenario_changes(now.scenario, was[0]) + scenario_changes(now.played, was[1])

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
            tell(_reason(left, wanted))
    needed = _needed(gates, baseline, family)
    judged = tuple(play_goals(one, threads=threads, progress=progress) for one in goals)
    return Checked(
        file=str(file),
        pairings=tuple(_pairing(gate) for gate in gates),
        matches_needed=needed,
        seconds=time.monotonic() - started,
        notes=(*notes, *_notes(gates)),
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
) -> _Gate:
    plan = (plans or entry_plan)(entry, baseline, file)
    plan.compile()
    n_blocks = plan.n_blocks(plan.n_pairs(entry.matches))
    if not entry.now.exact and not plan.deterministic:
        n_blocks = next(iter(entry.now.looks[0].totals.values())).total.size
    return _Gate(
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
    found = Checked(str(file), tuple(_pairing(gate) for gate in gates), None, seconds, tuple(_notes(gates)))
    return found, entries


def _judge(gates: Sequence[_Gate], playing: Sequence[_Gate], family: int, looks: int = len(LOOKS)) -> bool:
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

    def __init__(self, gates: Sequence[_Gate], progress: Progress | None) -> None:
        self.progress = progress
        self.done = 0
        self.gates = gates

    def play(self, gate: _Gate) -> None:
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


def _reason(left: Sequence[_Gate], seconds: float) -> str:
    """What the next look is for."""
    parts = []
    for gate in left:
        decision, anchor = gate.decision, gate.anchor
        assert decision is not None
        assert anchor is not None
        names = [name for name, known in zip(gate.names, decision.equivalent, strict=True) if not known]
        known = zip(gate.entry.anchored, anchor.equivalent, strict=True)
        names += [f"{name} against the anchor" for name, is_known in known if not is_known]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        played = 0 if gate.sums is None else gate.sums.n_matches
        who = f"{gate.plan.scenario.name}, {gate.plan.pairing_name}"
        parts.append(f"{who}: {', '.join(names[:3])}{more} undecided after {played:,} matches")
    extra = sum(gate.extra for gate in left)
    return f"{'; '.join(parts)}. Playing {extra:,} more matches, about {max(1, round(seconds))} s"


def _needed(gates: Sequence[_Gate], baseline: Baseline, family: int) -> int | None:
    """Matches of the longest look with which all may be expected to be decided."""
    most = 0
    for gate in gates:
        if not gate.open or gate.decision is None or gate.sums is None or gate.decision.drift.any():
            continue
        found = gate.evidence()
        mask = ~gate.decision.equivalent
        if not mask.any():
            continue
        part = Evidence(found.difference[mask], found.error[mask], found.delta[mask], found.freedom[mask])
        needed = matches_to_decide(part, gate.sums.n_matches, family)
        if needed is None:
            return None
        most = max(most, needed)
    return most or None


def _notes(gates: Sequence[_Gate]) -> list[str]:
    notes = []
    for gate in gates:
        assert gate.sums is not None
        if not gate.identical and gate.decision is not None and not gate.evidence().difference.any():
            title = f"{gate.plan.scenario.name}, {gate.plan.pairing_name}"
            notes.append(f"{title}: matches differ, but none of the figures looked at.")
        notes += [f"{gate.plan.scenario.name}: {warning}" for warning in gate.plan.scenario.warnings]
    return list(dict.fromkeys(notes))


def _pairing(gate: _Gate) -> CheckedPairing:
    figures = tuple(_figure(gate, j, name) for j, name in enumerate(gate.names))
    assert gate.sums is not None
    state = State.IDENTICAL if gate.identical else state_of([State.EQUIVALENT, *(one.state for one in figures)])
    return CheckedPairing(
        scenario=gate.plan.scenario.name,
        source=gate.source,
        pairing=gate.plan.pairing_name,
        changes=gate.changes,
        matches=gate.sums.n_matches,
        look=gate.look + 1,
        state=state,
        figures=figures,
        pairs=_pair_lines(gate),
    )


def _figure(gate: _Gate, j: int, name: str) -> CheckedFigure:
    metric, base = gate.plan.metrics[name], gate.entry.now
    change = gate.change(name, base)
    found = interval(change, 0.95, 1.0 if metric.q else math.inf)
    decision = gate.decision
    if gate.identical or decision is None:
        p_drift, p_equivalent, state = 1.0, 0.0, State.IDENTICAL
    else:
        p_drift, p_equivalent = float(decision.p_drift[j]), float(decision.p_equivalent[j])
        state = State.DRIFT if decision.drift[j] else State.EQUIVALENT if decision.equivalent[j] else State.UNDECIDED
        if not np.nan_to_num(change.means, nan=1.0).any():
            state = State.IDENTICAL
    anchor = gate.entry.anchor if name in gate.entry.anchored else None
    far = False
    if anchor is not None and gate.anchor is not None:
        far = bool(gate.anchor.drift[gate.entry.anchored.index(name)])
    return CheckedFigure(
        metric=name,
        unit=metric.unit,
        kind=metric.kind,
        base=_known(base.at[name] if name in base.at else base.measured(name, gate.look).value),
        now=_known(_now(metric, gate)),
        change=_known(found.value),
        low=found.low,
        high=found.high,
        method=found.method,
        delta=gate.entry.deltas[name],
        p_drift=p_drift,
        p_equivalent=p_equivalent,
        state=state,
        anchor_change=None if anchor is None else _known(gate.change(name, anchor).value),
        anchor_drift=far,
    )


def _now(metric: MetricDefinition, gate: _Gate) -> float:
    assert gate.sums is not None
    found = metric.measure(gate.sums)
    return quantile_of(found, metric.q) if isinstance(found, Bins) else measured(found).value


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number


def _pair_lines(gate: _Gate) -> tuple[PairLine, PairLine] | None:
    before = gate.entry.now.looks[min(gate.look, len(gate.entry.now.looks) - 1)].pair_scores
    after = gate.plan.pair_scores(gate.sums) if isinstance(gate.plan, PairScored) else None
    return None if before is None or after is None else (_pair_line(before), _pair_line(after))


def _pair_line(scores: Int64s) -> PairLine:
    found: list[tuple[float, float] | None] = []
    for figure in (elo, normalised_elo):
        try:
            found.append(figure(scores))
        except ValueError:  # all pairs alike, or a score that reaches 0 or 1
            found.append(None)
    return PairLine(tuple(int(n) for n in scores), *found)
