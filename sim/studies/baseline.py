"""What the gate remembers: block sums of every gated figure at each look, as they were when they were accepted.

Axes: `b` block. A baseline has entries, each a scenario with a pairing. An entry has the recording that is compared
with, and the anchor, which only a release moves. A recording has looks: 1, 4 and 16 times the matches of the first.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernels import source_digest
from sim.config.deltas import DeltaRules
from sim.config.errors import BadInput
from sim.games.game import PairScored, Plan, Sums
from sim.running.engine import play_pairs
from sim.running.ledger import Ledger
from sim.running.plan import BLOCKS
from sim.stats.deltas import default_delta, match_spread
from sim.stats.figures import Bins, Int64s, MetricDefinition, Totals
from sim.stats.gate import LOOKS, matches_for_delta
from sim.stats.paired import Measured, interval, match_deviation, measured, quantile_of

__all__ = [
    "FEWEST_PAIRS",
    "Baseline",
    "Entry",
    "Growing",
    "Look",
    "Recording",
    "deltas_of",
    "looked_at",
    "matches_needed",
    "on_top",
    "played_words",
    "record_plan",
    "sums_digest",
    "up_to",
]

FEWEST_PAIRS = BLOCKS
"""Of a look where something is left to chance: with fewer the tests could say nothing."""


@dataclass(frozen=True, eq=False)
class Look:
    """What one pairing's matches added up to at one look.

    Attributes
    ----------
    matches
        Played so far.
    digest
        Sha256 (hex) of all integer sums, block by block.
    totals
        Every gated figure by core name; of a quantile the matches that do not exceed the recording's quantile.
    pair_scores
        Pairs by outcome, shape (5,); None where there are no such outcomes.
    """

    matches: int
    digest: str
    totals: Mapping[str, Totals]
    pair_scores: Int64s | None = None


@dataclass(frozen=True, eq=False)
class Recording:
    """A pairing as it was played.

    Attributes
    ----------
    scenario
        Resolved, as plain data.
    played
        What else decides the outcome: players, seed, versions.
    exact
        Nothing is left to chance: there is one look.
    at
        Quantiles by core name, in the figure's unit: where the distribution function is read.
    looks
        From the shortest to the longest.
    """

    scenario: Mapping[str, Any]
    played: Mapping[str, Any]
    exact: bool
    at: Mapping[str, float]
    looks: tuple[Look, ...]

    def measured(self, name: str, look: int) -> Measured:
        """A figure at a look, block by block."""
        return measured(self.looks[min(look, len(self.looks) - 1)].totals[name], exact=self.exact)

    def half_width(self, name: str) -> float:
        """Half of the 95% interval of a figure at the last look; 0 of a quantile, and where none is known."""
        found = interval(self.measured(name, len(self.looks) - 1))
        if name in self.at or found.low is None or found.high is None:
            return 0.0
        return max(found.high - found.value, found.value - found.low)

    def shown(self, name: str) -> float:
        """A figure at the last look, as it is shown: of a quantile the quantile."""
        return self.at[name] if name in self.at else self.measured(name, len(self.looks) - 1).value


@dataclass(frozen=True, eq=False)
class Entry:
    """A scenario with a pairing.

    Attributes
    ----------
    source
        The scenario: the name of a shipped one, or a path as seen from the baseline's folder.
    bots
        Two names; None: the scenario's own bots.
    matches
        Of the first look.
    deltas
        By core name, in the figure's unit (of a quantile in shares): the figures that are looked at.
    now
        What is compared with.
    anchor
        What the last release was; None: `now`.
    """

    @property
    def anchored(self) -> list[str]:
        """Core names of the figures that are looked at in the anchor too; none where the anchor is `now`."""
        return [] if self.anchor is None else [name for name in self.deltas if name in self.anchor.looks[0].totals]

    source: str
    bots: tuple[str, str] | None
    matches: int
    deltas: Mapping[str, float]
    now: Recording
    anchor: Recording | None = None


@dataclass(frozen=True, eq=False)
class Baseline:
    """All that one gate compares with.

    Attributes
    ----------
    seed
        Of all pairings.
    entries
        Scenarios with pairings.
    history
        What was accepted since: `when`, `reason`, `anchor` (it was moved too), `verdict`, and the figures that `moved`.
    """

    seed: int
    entries: tuple[Entry, ...]
    history: tuple[Mapping[str, Any], ...] = ()

    @property
    def n_figures(self) -> int:
        """Hypotheses of the whole gate: every figure against the baseline, and against an anchor that is another."""
        return sum(len(one.deltas) + len(one.anchored) for one in self.entries)


@dataclass
class Growing:
    """Matches of one plan, look by look: what was played for the last look is not played again.

    Attributes
    ----------
    plan
        What is played.
    n_blocks
        Blocks.
    threads
        Threads to play on; nothing depends on it.
    chunk_pairs
        Pairs of a chunk; None: as many as take a tenth of a second.
    on_matches
        Called with the matches played so far.
    """

    plan: Plan
    n_blocks: int
    threads: int
    chunk_pairs: int | None = None
    on_matches: Callable[[int], None] | None = None
    seconds: float = 0.0
    ledger: Ledger[Any] = field(init=False)

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.plan.empty_sums(self.n_blocks), [])

    def to(self, n_pairs: int) -> Sums:
        """The sums of so many pairs, not fewer than before.

        Raises
        ------
        BadInput
            When a bot raises, or draws although it declared that it does not.
        """
        started = time.monotonic()

        def on_chunk(now: Ledger[Any]) -> None:
            if self.on_matches is not None:
                self.on_matches(now.n_pairs * self.plan.n_swaps)

        play_pairs(
            self.plan,
            self.ledger,
            n_pairs,
            threads=self.threads,
            chunk_pairs=self.chunk_pairs,
            on_chunk=on_chunk,
        )
        self.seconds += time.monotonic() - started
        sums: Sums = self.ledger.sums
        sums.validate()
        wrong = self.plan.fault(sums)
        if wrong is not None:
            raise BadInput.of(wrong)
        return sums


def on_top(progress: Callable[[int, int], None], done: int, wanted: int, now: int) -> None:
    """Show matches on top of those that were done before."""
    progress(done + now, wanted)


def sums_digest(sums: Sums) -> str:
    """Sha256 (hex) of integer sums, by name, shape and block: equal where every block is equal to the last integer."""
    digest = hashlib.sha256()
    for name, array in sorted(sums.as_arrays().items()):
        digest.update(f"{name} {array.shape}\0".encode())
        digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    return digest.hexdigest()


def played_words(plan: Plan) -> dict[str, Any]:
    """What decides the outcome beside the scenario: players, seed, versions, and the sources of the kernels."""
    identity = plan.identity({})
    words = {key: identity[key] for key in identity if key not in ("scenario", "amount", "kernel")}
    plain: dict[str, Any] = json.loads(json.dumps({**words, "kernel_sources": source_digest()[:16]}))
    return plain


def looked_at(plan: Plan, rules: DeltaRules) -> list[MetricDefinition]:
    """The figures that the gate looks at."""
    return [metric for metric in plan.metrics.values() if rules.gates(metric)]


def deltas_of(plan: Plan, sums: Sums, rules: DeltaRules) -> dict[str, float]:
    """Delta of every figure that is looked at, with three digits, by core name; see `sim.stats.deltas`."""
    deltas = {}
    for metric in looked_at(plan, rules):
        deviation = match_spread(metric, plan.metrics, sums) or 0.0
        found = metric.measure(sums)
        value = 0.0 if isinstance(found, Bins) else measured(found).value
        delta = rules.delta(metric, deviation)
        if delta is None:
            delta = default_delta(metric, 0.0 if np.isnan(value) else value, deviation)
        deltas[metric.name] = float(f"{delta or 0.0:.3g}")
    return deltas


def record_plan(growing: Growing, matches: int, names: Iterable[str]) -> tuple[Recording, Sums]:
    """Play all looks of a plan, and record the figures of these names; also the sums of the last look.

    Parameters
    ----------
    growing
        Of which nothing has been played.
    matches
        Of the first look.
    """
    plan = growing.plan
    sizes = [plan.n_pairs(matches * times) for times in LOOKS]
    sums = [growing.to(n_pairs) for n_pairs in dict.fromkeys(sizes)]
    names = list(names)
    at = {}
    for name in names:
        found = plan.metrics[name].measure(sums[-1])
        if isinstance(found, Bins):
            quantile = quantile_of(found, plan.metrics[name].q)
            at[name] = 0.0 if np.isnan(quantile) else quantile
    looks = tuple(_look(plan, one, names, at) for one in sums)
    return Recording(plan.scenario.resolved(), played_words(plan), plan.deterministic, at, looks), sums[-1]


def _look(plan: Plan, sums: Sums, names: Sequence[str], at: Mapping[str, float]) -> Look:
    totals = {}
    for name in names:
        found = plan.metrics[name].measure(sums)
        totals[name] = up_to(found, at[name]) if isinstance(found, Bins) else found
    scores = plan.pair_scores(sums) if isinstance(plan, PairScored) else None
    return Look(sums.n_matches, sums_digest(sums), totals, scores)


def up_to(found: Bins, at: float) -> Totals:
    """The matches of a histogram that do not exceed a value."""
    below = np.asarray(found.counts[:, found.values <= at].sum(axis=1), np.int64)
    return Totals(below, np.asarray(found.counts.sum(axis=1), np.int64), found.pairs)


def matches_needed(found: Totals, played: int, delta: float, n_figures: int) -> float:
    """Matches of the last look with which a figure passes on other luck when nothing has changed.

    0 where nothing varies; infinite where it varies and delta is 0; not a number where too few blocks have matches to
    say.

    Parameters
    ----------
    found
        The figure.
    played
        Matches that were played for it; it may rest on fewer, or on more than one thing in each.
    delta
        Its delta.
    n_figures
        Figures of the whole gate.
    """
    of_blocks = measured(found)
    deviation = match_deviation(found, of_blocks)
    if deviation is None:
        return math.nan
    needed = float(matches_for_delta(deviation, delta, n_figures, of_blocks.n_blocks))
    return needed * played / max(1, int(found.matches.sum()))
