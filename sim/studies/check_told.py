"""What a check says of its entries: verdicts of figures, why there is a further look, and what would decide."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sim.games.game import PairScored
from sim.stats.figures import Bins, Int64s, MetricDefinition
from sim.stats.gate import Evidence, State, matches_to_decide
from sim.stats.paired import interval, measured, quantile_of
from sim.stats.pentanomial import elo, normalised_elo
from sim.studies.baseline import Baseline
from sim.studies.check_entry import EntryGate
from sim.studies.check_result import CheckedFigure, CheckedPairing, PairLine, state_of

__all__ = ["needed_matches", "notes_of", "pairing_of", "reason"]


def reason(left: Sequence[EntryGate], seconds: float) -> str:
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


def needed_matches(gates: Sequence[EntryGate], baseline: Baseline, family: int) -> int | None:
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


def notes_of(gates: Sequence[EntryGate]) -> list[str]:
    """Sentences that a reader must know beside the verdicts."""
    notes = []
    for gate in gates:
        assert gate.sums is not None
        if not gate.identical and gate.decision is not None and not gate.evidence().difference.any():
            title = f"{gate.plan.scenario.name}, {gate.plan.pairing_name}"
            notes.append(f"{title}: matches differ, but none of the figures looked at.")
        if not gate.identical and gate.decision is not None:
            lost = [name for name, one in zip(gate.names, gate.evidence().error, strict=True) if np.isnan(one)]
            if lost:
                more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
                title = f"{gate.plan.scenario.name}, {gate.plan.pairing_name}"
                notes.append(f"{title}: too few matches count to say anything of {', '.join(lost[:3])}{more}.")
        notes += [f"{gate.plan.scenario.name}: {warning}" for warning in gate.plan.scenario.warnings]
    return list(dict.fromkeys(notes))


def pairing_of(gate: EntryGate) -> CheckedPairing:
    """An entry as it stands after its last look."""
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


def _figure(gate: EntryGate, j: int, name: str) -> CheckedFigure:
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


def _now(metric: MetricDefinition, gate: EntryGate) -> float:
    assert gate.sums is not None
    found = metric.measure(gate.sums)
    return quantile_of(found, metric.q) if isinstance(found, Bins) else measured(found).value


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number


def _pair_lines(gate: EntryGate) -> tuple[PairLine, PairLine] | None:
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
