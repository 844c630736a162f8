"""What a check says: every figure with its verdict, every pairing, and all together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum, unique
from typing import Any

from sim.stats.figures import Kind
from sim.stats.gate import State
from sim.stats.goals import GoalVerdict
from sim.studies.changes import Change
from sim.studies.goals import GoalsJudged

__all__ = ["CHECK_SCHEMA", "Checked", "CheckedFigure", "CheckedPairing", "PairLine", "Undecided", "state_of"]

CHECK_SCHEMA = 1


@unique
class Undecided(Enum):
    """What an undecided check is taken for."""

    FAIL = "fail"
    WARN = "warn"


@dataclass(frozen=True)
class PairLine:
    """Pairs by outcome, and what chess testing makes of them.

    Attributes
    ----------
    counts
        Pairs that the first side lost twice, up to those that it won twice: 0, 1/4, 1/2, 3/4 and 1 of their score.
    elo, nelo
        With half-width at 95%; None where no finite one is known.
    """

    counts: tuple[int, ...]
    elo: tuple[float, float] | None
    nelo: tuple[float, float] | None


@dataclass(frozen=True)
class CheckedFigure:
    """One figure of one pairing against the baseline.

    Attributes
    ----------
    metric, unit, kind
        As defined. The difference of a quantile is a share: of the matches that do not exceed the baseline's quantile.
    base, now
        The figure on both sides; None where no match counts.
    change, low, high, method
        The difference with its 95% interval, and how that came about.
    delta
        How large a difference has to be to matter.
    p_drift, p_equivalent
        Holm's adjusted p of the test that it has moved by more than delta, and p of the test that it has not moved by
        delta; both of the look at which it was last judged.
    state
        What is known.
    anchor_change
        Its difference from the anchor; None where the anchor is the baseline.
    anchor_drift
        It has moved by more than three deltas from the anchor.
    """

    metric: str
    unit: str
    kind: Kind
    base: float | None
    now: float | None
    change: float | None
    low: float | None
    high: float | None
    method: str
    delta: float
    p_drift: float
    p_equivalent: float
    state: State
    anchor_change: float | None = None
    anchor_drift: bool = False

    @property
    def fails(self) -> bool:
        """Whether it has drifted, from the baseline or from the anchor."""
        return self.state is State.DRIFT or self.anchor_drift

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self) | {"kind": self.kind.value, "state": self.state.value}


@dataclass(frozen=True)
class CheckedPairing:
    """One pairing on one scenario.

    Attributes
    ----------
    scenario, source, pairing
        Name of the scenario, the file as seen from here (or a shipped name), and who plays.
    changes
        What differs from the recorded scenario and players, key by key.
    matches, look
        Played, and at which look it was last judged, counted from 1.
    state
        IDENTICAL: the digest of all block sums is the same. Else the worst of its figures.
    figures
        Every figure; of an identical pairing as well.
    pairs
        The pentanomial lines of baseline and now; None for equal sides.
    """

    scenario: str
    source: str
    pairing: str
    changes: tuple[Change, ...]
    matches: int
    look: int
    state: State
    figures: tuple[CheckedFigure, ...]
    pairs: tuple[PairLine, PairLine] | None = None

    @property
    def fails(self) -> bool:
        """Whether a figure has drifted."""
        return any(figure.fails for figure in self.figures)

    @property
    def title(self) -> str:
        """Scenario and pairing."""
        return f"{self.scenario}, {self.pairing}"

    def with_state(self, state: State) -> list[CheckedFigure]:
        """Its figures of one state."""
        return [figure for figure in self.figures if figure.state is state]

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "scenario": self.scenario,
            "source": self.source,
            "pairing": self.pairing,
            "state": self.state.value,
            "matches": self.matches,
            "look": self.look,
            "changes": [change.as_dict() for change in self.changes],
            "pentanomial": None
            if self.pairs is None
            else {"baseline": asdict(self.pairs[0]), "now": asdict(self.pairs[1])},
            "figures": [figure.as_dict() for figure in self.figures],
        }


@dataclass(frozen=True)
class Checked:
    """A finished check.

    Attributes
    ----------
    file
        The baseline.
    pairings
        In the order of the baseline.
    matches_needed
        Matches of the last look with which everything may be expected to be decided; None where that cannot be said, or
        all is decided.
    seconds
        How long the matches took.
    notes
        Sentences that a reader must know beside the figures.
    goals
        Goals that were judged along with it.
    undecided
        What an undecided check is taken for.
    """

    file: str
    pairings: tuple[CheckedPairing, ...]
    matches_needed: int | None
    seconds: float
    notes: tuple[str, ...] = ()
    goals: tuple[GoalsJudged, ...] = ()
    undecided: Undecided = Undecided.FAIL

    @property
    def state(self) -> State:
        """DRIFT when a figure has drifted; UNDECIDED when one is; IDENTICAL when all pairings are; else EQUIVALENT."""
        if any(one.fails for one in self.pairings):
            return State.DRIFT
        return state_of([one.state for one in self.pairings])

    @property
    def goals_verdict(self) -> GoalVerdict | None:
        """The worst verdict on the goals; None where there are none."""
        verdicts = [one.verdict for one in self.goals]
        order = (GoalVerdict.VIOLATED, GoalVerdict.UNDECIDED, GoalVerdict.MET)
        return next((one for one in order if one in verdicts), None)

    @property
    def worst(self) -> State:
        """The state of all together, as a colour or a sign shows it: a violated goal weighs as much as a drift."""
        of_goals = {GoalVerdict.VIOLATED: State.DRIFT, GoalVerdict.UNDECIDED: State.UNDECIDED}
        return state_of([self.state, *(of_goals[one.verdict] for one in self.goals if one.verdict in of_goals)])

    @property
    def headline(self) -> str:
        """The verdict in a few words, the goals with it where not all are met."""
        goals = self.goals_verdict
        return self.state.name + ("" if goals in (None, GoalVerdict.MET) else f", goals {goals.value}")

    @property
    def exit_code(self) -> int:
        """0 passed, 1 drift or a violated goal, 3 undecided (0 where that is to warn only)."""
        codes = [{State.DRIFT: 1, State.UNDECIDED: 3}.get(self.state, 0), *(one.exit_code for one in self.goals)]
        if 1 in codes:
            return 1
        return 3 if 3 in codes and self.undecided is Undecided.FAIL else 0

    @property
    def passed(self) -> bool:
        """Whether the exit code is 0."""
        return self.exit_code == 0

    @property
    def sentence(self) -> str:
        """The verdict with its reasons."""
        counts = {state: sum(one.state is state for one in self.pairings) for state in State}
        n = len(self.pairings)
        if self.state is State.IDENTICAL:
            said = "every match adds up to the very same integers."
        elif self.state is State.EQUIVALENT:
            said = "no figure has moved by its delta or more."
        elif self.state is State.DRIFT:
            moved = [
                f"{figure.metric} ({one.title})" for one in self.pairings for figure in one.figures if figure.fails
            ]
            more = f" and {len(moved) - 3} more" if len(moved) > 3 else ""
            said = f"moved by more than delta: {', '.join(moved[:3])}{more}."
        else:
            said = f"{counts[State.UNDECIDED]} of {n} pairings cannot be told from a change of delta."
            if self.matches_needed is not None:
                said += f" About {float(f'{self.matches_needed:.2g}'):,.0f} matches each would decide."
        for goals in self.goals:
            if goals.verdict is not GoalVerdict.MET:
                said += f" Goals of {goals.file}: {goals.verdict.value}."
        return f"{self.headline}: {said}"

    def result(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "schema": CHECK_SCHEMA,
            "baseline": self.file,
            "verdict": self.state.value,
            "goals_verdict": None if self.goals_verdict is None else self.goals_verdict.value,
            "passed": self.passed,
            "exit_code": self.exit_code,
            "matches_needed": self.matches_needed,
            "notes": list(self.notes),
            "pairings": [one.as_dict() for one in self.pairings],
            "goals": [one.result() for one in self.goals],
        }


def state_of(states: Sequence[State]) -> State:
    """The worst of several states: DRIFT, UNDECIDED, EQUIVALENT, IDENTICAL."""
    for state in (State.DRIFT, State.UNDECIDED, State.EQUIVALENT):
        if state in states:
            return state
    return State.IDENTICAL


def drift_table(pairings: Sequence[CheckedPairing]) -> list[Mapping[str, Any]]:
    """Every figure that has drifted, for the baseline's history: six digits of base, now, change and delta."""

    def short(number: float | None) -> float | None:
        return None if number is None else float(f"{number:.6g}")

    return [
        {
            "scenario": one.scenario,
            "pairing": one.pairing,
            "figure": figure.metric,
            "base": short(figure.base),
            "now": short(figure.now),
            "change": short(figure.change),
            "delta": figure.delta,
            "state": figure.state.value,
        }
        for one in pairings
        for figure in one.figures
        if figure.fails
    ]
