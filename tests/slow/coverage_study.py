"""How often the intervals of short runs hold what very long runs say, on the real kernel.

    python -m tests.slow.coverage_study [--replications 2000] [--matches 2000] [--truth 50000000] [--threads 2] [CASE …]

Every replication is a run of its own from its own seed; the truth is from another namespace of the random streams. A
figure under 1% (or over 99%) is looked at apart: its intervals are Clopper-Pearson's, which cover more than they say.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from kernels.codes import Pairing
from sim.api import make_plan
from sim.games.dispatch.plan import DispatchPlan
from sim.running.chunks import Chunk
from sim.running.engine import play_pairs
from sim.running.ledger import Ledger
from sim.running.plan import BLOCKS
from sim.stats.metrics import Estimate, summarise
from sim.stats.sums import BlockSums

COMMON = ("score.first", "seat_bias", "shared")
TRUTH_NAMESPACE = 1
CALM = {"calm": {"bot": "greedy", "noise": 1.0}}
FRUGAL = {"frugal": {"bot": "greedy", "invest": "none"}}


@dataclass(frozen=True)
class Case:
    """A pairing on a scenario, and the figures whose intervals are counted.

    `rare` says that the figures are so near 0 or 1 that Clopper-Pearson applies; `swaps` as in `DispatchPlan`;
    `proven` are truths known by proof (rules 7).
    """

    name: str
    scenario: str
    bots: tuple[str, str]
    metrics: tuple[str, ...] = COMMON
    overrides: dict[str, Any] = field(default_factory=dict)
    rare: bool = False
    swaps: bool = True
    proven: dict[str, float] = field(default_factory=dict)

    def plan(self, seed: int, namespace: int = 0) -> DispatchPlan:
        """What one replication plays."""
        plan = make_plan(self.scenario, bots=self.bots, seed=seed, overrides=self.overrides)
        return DispatchPlan(plan.scenario, plan.first, plan.second, seed, namespace, self.swaps)


CASES: dict[str, Case] = {
    case.name: case
    for case in (
        Case("random", "crooked", ("random", "random")),
        Case(
            "random-rare",
            "crooked",
            ("random", "random"),
            ("pick.upgrade.first", "pick.upgrade.second"),
            {"economy": {"upgrade_cost": 14}},
            rare=True,
        ),
        Case("noises", "crooked", ("greedy", "calm"), overrides={"define": CALM}),
        Case(
            "noises-rare",
            "crooked",
            ("greedy", "calm"),
            ("pick.upgrade.first", "pick.upgrade.second"),
            {"define": CALM, "economy": {"upgrade_cost": 22}},
            rare=True,
        ),
        Case("one-seating", "standard", ("greedy", "greedy"), swaps=False, proven={"score.first": 0.5, "seat_bias": 0}),
        Case(
            "frugal-rare",
            "standard",
            ("greedy", "frugal"),
            ("decided_by_cash",),
            {"define": FRUGAL},
            rare=True,
        ),
    )
}


@dataclass(frozen=True)
class Coverage:
    """How often one figure's interval held its truth."""

    case: Case
    metric: str
    truth: float
    replications: int
    covered: int
    methods: Counter[str]

    @property
    def share(self) -> float:
        """Share of the replications whose interval held the truth."""
        return self.covered / self.replications


def truths(case: Case, matches: int, threads: int) -> dict[str, float]:
    """The figures from very many matches that no replication plays, or by proof."""
    plan = case.plan(0, TRUTH_NAMESPACE)
    ledger = Ledger(BlockSums.empty(plan.pairing, BLOCKS), [])
    play_pairs(plan, ledger, plan.n_pairs(matches), threads=threads)
    found = summarise(ledger.sums, case.name, limits=plan.limits, metrics=case.metrics)
    return {estimate.metric: float(estimate.value or 0) for estimate in found} | case.proven


def estimates(case: Case, seed: int, matches: int) -> list[Estimate]:
    """The figures of one replication, as a run gives them."""
    plan = case.plan(seed)
    n_pairs = plan.n_pairs(matches)
    chunk = Chunk(0, n_pairs)
    sums = plan.sum_rows(chunk, plan.play_rows(chunk), plan.n_blocks(n_pairs))
    return summarise(sums, case.name, exact=plan.certainty, limits=plan.limits, metrics=case.metrics)


def coverage(case: Case, *, replications: int, matches: int, truth: int, threads: int) -> list[Coverage]:
    """Count how often the intervals of a case's figures hold the truth."""
    true = truths(case, truth // 5 if case.rare else truth, threads)
    covered: Counter[str] = Counter()
    methods: dict[str, Counter[str]] = {metric: Counter() for metric in case.metrics}
    with ThreadPoolExecutor(threads) as pool:
        runs = pool.map(lambda seed: estimates(case, seed, matches), range(1, replications + 1))
        for estimate in (estimate for run in runs for estimate in run):
            assert estimate.low is not None
            assert estimate.high is not None
            covered[estimate.metric] += estimate.low <= true[estimate.metric] <= estimate.high
            methods[estimate.metric][estimate.method] += 1
    return [
        Coverage(case, metric, true[metric], replications, covered[metric], methods[metric]) for metric in case.metrics
    ]


def seat_bias_z(scenario: str, matches: int, threads: int) -> tuple[float, float]:
    """Seat bias of random against itself with lanes not swapped, and how many standard errors it is from 0."""
    plan = Case("seats", scenario, ("random", "random"), swaps=False).plan(1)
    assert plan.pairing is Pairing.SINGLE
    ledger = Ledger(BlockSums.empty(plan.pairing, BLOCKS), [])
    play_pairs(plan, ledger, plan.n_pairs(matches), threads=threads)
    (found,) = summarise(ledger.sums, scenario, level=0.6826894921370859, metrics=["seat_bias"])
    assert found.value is not None
    assert found.high is not None
    return found.value, found.value / (found.high - found.value)


def table(results: Iterable[Coverage]) -> str:
    """The results in 80 columns."""
    lines = [f"{'case':<13}{'figure':<21}{'truth':>10}{'runs':>7}{'covered':>9}  methods"]
    for found in results:
        methods = ", ".join(f"{name} {n}" for name, n in found.methods.most_common())
        lines.append(
            f"{found.case.name:<13}{found.metric:<21}{found.truth:>10.5f}{found.replications:>7}{found.share:>9.2%}"
            f"  {methods}"
        )
    return "\n".join(lines)


def main(words: list[str]) -> None:
    """Run the study and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--replications", type=int, default=2_000)
    parser.add_argument("--matches", type=int, default=2_000, help="of each replication")
    parser.add_argument("--truth", type=int, default=50_000_000, help="matches that tell the truth")
    parser.add_argument("--seats", type=int, default=1_000_000, help="matches on each map of the seat-bias study")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args(words)
    for name in given.cases or CASES:
        started = time.monotonic()
        found = coverage(
            CASES[name],
            replications=given.replications,
            matches=given.matches,
            truth=given.truth,
            threads=given.threads,
        )
        print(table(found), f"{time.monotonic() - started:.0f} s", sep="\n", flush=True)
    if not given.cases:
        for scenario in ("standard", "compact", "corridor", "grand", "ladder", "crooked"):
            bias, z = seat_bias_z(scenario, given.seats, given.threads)
            print(f"{scenario:<13}seat bias, one seating {bias:>+9.5f}  z {z:>+7.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
