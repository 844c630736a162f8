"""The gate on real matches: false alarms on other luck, planted drifts, and every figure at its delta.

    python -m tests.slow.gate_study aa [--gates 1000] [--matches 1280] [--bots greedy,twin]
    python -m tests.slow.gate_study planted [--matches 10000]
    python -m tests.slow.gate_study missed [--gates 2000]

`aa` checks the standard scenario against itself, each time on two namespaces of the random streams that no other check
has, and sets the p-values of plain t-tests (delta 0) against the uniform distribution. `planted` changes something, the
resolver's source among it, and looks whether the gate sees it. `missed` moves one figure by its delta, and counts how
often the gate passes, figure by figure, by simulation.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import sim
from sim.api import make_plan
from sim.config.deltas import DeltaRules
from sim.games.game import Plan
from sim.running.runner import threads_here
from sim.stats.gate import State, evidence_of, holm
from sim.stats.gate_simulation import rates
from sim.stats.intervals import FEW_BLOCKS
from sim.stats.paired import combination
from sim.studies.baseline import Baseline, Entry, Growing, deltas_of, looked_at, record_plan
from sim.studies.baseline_file import read_baseline
from sim.studies.check import play_check
from sim.studies.selftest import units_of

ROOT = Path(__file__).parents[2]
ALPHA = 0.001

RULE = ("kernels/dispatch/resolve.py", "if owned_a | owned_b == 0:", "if owned_a | owned_b == -1:")
"""What switches rule 4.4 b off: trains that enter a junction together run on."""

TWIN = {"twin": {"bot": "greedy", "noise": 2}}
"""Nearly as strong as greedy, so that pairs of the two end in every way."""

PLANTED: Mapping[str, dict[str, Any]] = {
    "upgrade cost 8 to 7": {"economy": {"upgrade_cost": 7}},
    "toll 1 to 3": {"economy": {"toll": 3}},
    "rewards [3, 4, 5] to [3, 4, 6]": {"cargo": {"rewards": [3, 4, 6]}},
    "a bot that ignores sidings": {
        "define": {"blind": {"bot": "greedy", "invest": "upgrade"}},
        "bots": {"A": "blind", "B": "blind"},
    },
}


@dataclass(frozen=True)
class FalseAlarms:
    """Checks of a scenario against itself.

    Attributes
    ----------
    verdicts
        Checks by verdict.
    uniform
        Of every figure that varies, Holm's adjusted p of the test that its p-values are uniform.
    rare
        Figures that are passed over there: in some check they differ in fewer than 20 blocks.
    """

    verdicts: Counter[State]
    uniform: dict[str, float]
    rare: tuple[str, ...]


def false_alarms(
    gates: int, matches: int, bots: tuple[str, str], tell: Callable[[int], None] | None = None
) -> FalseAlarms:
    """Check the standard scenario `gates` times against itself, each time on luck that nothing else has."""
    plan = make_plan("standard", bots=bots, seed=77, overrides={"define": TWIN})
    rules, threads = DeltaRules({}), threads_here(None)
    names = [metric.name for metric in looked_at(plan, rules)]
    verdicts: Counter[State] = Counter()
    p_values: dict[str, list[float]] = {name: [] for name in names}
    moved = dict.fromkeys(names, 64)
    for gate in range(gates):
        base, other = (replace(plan, namespace=1_000 + 2 * gate + side) for side in (0, 1))  # type: ignore[type-var]
        growing = Growing(base, base.n_blocks(base.n_pairs(matches)), threads)
        recording, sums = record_plan(growing, matches, names)
        entry = Entry("standard", bots, matches, deltas_of(base, sums, rules), recording)

        def playing(entry: Entry, baseline: Baseline, file: Path, other: Plan = other) -> Plan:
            return other

        found = play_check(Baseline(77, (entry,)), Path("study.json"), plans=playing, threads=threads)
        verdicts[found.state] += 1
        for name, p, n_moved in _plain_tests(recording, other, matches, threads, names):
            p_values[name].append(p)
            moved[name] = min(moved[name], n_moved)
        if tell is not None:
            tell(gate + 1)
    varying = [name for name in names if moved[name] >= FEW_BLOCKS]
    raw = [float(stats.kstest(p_values[name], "uniform").pvalue) for name in varying]
    adjusted = dict(zip(varying, holm(raw).tolist(), strict=True))
    return FalseAlarms(verdicts, adjusted, tuple(name for name in names if name not in varying))


def _plain_tests(
    recording: Any, other: Plan, matches: int, threads: int, names: list[str]
) -> list[tuple[str, float, int]]:
    """Of every figure: p of the t-test on the block differences of the first look, and blocks that differ."""
    from sim.stats.paired import measured

    sums = Growing(other, other.n_blocks(other.n_pairs(matches)), threads).to(other.n_pairs(matches))
    found = []
    for name in names:
        now = measured(other.metrics[name].measure(sums), recording.at.get(name, np.nan))
        change = combination([(1.0, now), (-1.0, recording.measured(name, 0))])
        p = float(evidence_of([change], [0.0]).p_drift[0])
        found.append((name, p, int(np.count_nonzero(change.means))))
    return found


def planted(matches: int) -> dict[str, tuple[State, list[str]]]:
    """What the gate says of each planted change, and which figures have drifted."""
    found = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        shutil.copytree(ROOT / "configs", folder / "configs")
        file = folder / "b.json"
        _write(folder, {})
        sim.record_baseline(file, [folder / "game.yaml"], matches=matches, seed=5)
        for name, change in PLANTED.items():
            _write(folder, change)
            checked = sim.check(file)
            found[name] = (checked.state, [figure.metric for figure in checked.pairings[0].figures if figure.fails])
        _write(folder, {})
        found["rule 4.4 b switched off"] = _without_rule(folder, file)
    return found


def _write(folder: Path, change: dict[str, Any]) -> None:
    text = json.dumps({"extends": "configs/standard.yaml", "name": "game", **change})
    (folder / "game.yaml").write_text(text, encoding="utf-8")


def _without_rule(folder: Path, file: Path) -> tuple[State, list[str]]:
    """The check by a copy of the tool whose resolver lacks the rule, in a process of its own."""
    for package in ("kernels", "sim"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    name, old, new = RULE
    source = (folder / name).read_text(encoding="utf-8")
    assert source.count(old) == 1, f"{name} does not hold {old!r} once: say anew how the rule is switched off"
    (folder / name).write_text(source.replace(old, new), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(folder), "DISPATCH_BALANCE_CACHE": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-m", "sim", "check", str(file), "--json"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1, 3), done.stderr
    told = json.loads(done.stdout)
    figures = told["pairings"][0]["figures"]
    return State(told["verdict"]), [one["metric"] for one in figures if one["state"] == State.DRIFT.value]


def missed(gates: int) -> dict[str, float]:
    """Of every figure of the standard scenario: how often the gate passes although it has moved by its delta."""
    baseline = read_baseline(ROOT / "reports" / "baselines" / "maps.json")
    unit = units_of(baseline)[0]
    found = {}
    for j, name in enumerate(baseline.entries[0].deltas):
        if unit.delta[j] > 0:
            shift = np.zeros(unit.delta.size)
            shift[j] = unit.delta[j]
            found[name] = rates([unit], [shift] * gates, seed=j)[State.EQUIVALENT] / gates
    return found


def main(arguments: list[str]) -> int:
    """Run a study and print what it found."""
    parser = argparse.ArgumentParser(description="Try the gate out on real matches.")
    parser.add_argument("study", choices=("aa", "planted", "missed"))
    parser.add_argument("--gates", type=int)
    parser.add_argument("--matches", type=int)
    parser.add_argument("--bots", default="greedy,twin")
    options = parser.parse_args(arguments)
    if options.study == "aa":
        first, second = options.bots.split(",")
        found = false_alarms(options.gates or 1_000, options.matches or 1_280, (first, second))
        print({state.value: n for state, n in found.verdicts.items()})
        for name, p in sorted(found.uniform.items(), key=lambda one: one[1]):
            print(f"{name:28} {p:.4f}{'' if p >= ALPHA else '  NOT UNIFORM'}")
        print("too rare:", ", ".join(found.rare))
    elif options.study == "planted":
        for name, (state, figures) in planted(options.matches or 10_000).items():
            print(f"{name:32} {state.value:10} {', '.join(figures)}")
    else:
        for name, share in sorted(missed(options.gates or 2_000).items(), key=lambda one: -one[1]):
            print(f"{name:28} {100 * share:.2f}%")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
