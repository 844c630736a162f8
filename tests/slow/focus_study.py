"""What `focus` decides with a quarter of the matches, beside the whole grid, and beside fifty times as many.

A grid of 16 x 16: what an upgrade and a siding cost, `greedy` against itself, bands of `configs/goals/standard.yaml`.
The long run has luck of its own. Run as a script it prints the figures of docs/sweeps.md:

    python -m tests.slow.focus_study --matches 20000 --seeds 3
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sim.running.executors import executor_of
from sim.running.parts import Part
from sim.stats.goals import GoalVerdict
from sim.studies.sweep import sweep
from sim.studies.sweep_judge import goals_of
from sim.studies.sweep_plan import SweepPlan, make_sweep_plan
from sim.studies.sweep_result import Sweep

LONGER = 50
LONG_NAMESPACE = 9
GOALS = Path(__file__).parents[2] / "configs" / "goals" / "standard.yaml"


@dataclass(frozen=True)
class Found:
    """One seed: verdicts of the grid and of focus, matches that focus played, and how many were asked of the grid."""

    grid: tuple[GoalVerdict, ...]
    focus: tuple[GoalVerdict, ...]
    played: int
    asked: int

    @property
    def opposed(self) -> int:
        """Cells that one says meet the goals, and the other that they do not."""
        decided = {GoalVerdict.MET, GoalVerdict.VIOLATED}
        return sum({one, other} == decided for one, other in zip(self.grid, self.focus, strict=True))

    def wrong(self, values: Sequence[bool]) -> tuple[int, int]:
        """Cells that focus decided otherwise than they are, and all that it decided."""
        told = [(one, met) for one, met in zip(self.focus, values, strict=True) if one is not GoalVerdict.UNDECIDED]
        return sum((one is GoalVerdict.MET) != met for one, met in told), len(told)


def written(folder: Path, design: str, matches: int, seed: int, costs: int = 16) -> Path:
    """The sweep file."""
    path = folder / f"{design}.yaml"
    path.write_text(
        f"schema: 1\nscenario: standard\nbots: [greedy, greedy]\ndesign: {design}\ngoals: {GOALS}\n"
        f"keys: {{economy.upgrade_cost: {{from: 1, to: {costs}}}, economy.siding_cost: {{from: 1, to: {costs}}}}}\n"
        f"matches: {matches}\nseed: {seed}\n",
        encoding="utf-8",
    )
    return path


def found(folder: Path, matches: int, seed: int, threads: int) -> Found:
    """Play the grid, and focus."""

    def play(design: str) -> tuple[tuple[GoalVerdict, ...], Sweep]:
        one = sweep(written(folder, design, matches, seed), threads=threads)
        verdicts = [cell.verdict for cell in one.cells]
        assert None not in verdicts
        return tuple(verdict for verdict in verdicts if verdict is not None), one

    grid, whole = play("grid")
    focus, part = play("focus")
    return Found(grid, focus, sum(cell.n_matches for cell in part.cells), matches * len(whole.cells))


def long_run(folder: Path, matches: int, threads: int) -> list[bool]:
    """Whether each cell's figures meet all goals over so many matches, on luck of their own."""
    plan = make_sweep_plan(written(folder, "grid", matches, 1))
    pairs = matches // 2
    parts = []
    for number, cell in enumerate(plan.cells):
        own: Any = cell.plan
        parts.append(Part(number, replace(own, namespace=LONG_NAMESPACE), 0, -(-pairs // 16)))
    with executor_of(threads) as executor:
        return [met for _, met in sorted(_met(plan, played) for played in executor.play(parts))]


def _met(plan: SweepPlan, played: Any) -> tuple[int, bool]:
    assert plan.spec.goals is not None
    assert played.error is None
    results = goals_of(plan.cells[played.part.cell], played.sums, plan.spec.goals.goals)
    values = [(one.goal.band, one.estimate.value) for one in results]
    return played.part.cell, all(value is not None and band.holds(value, value) for band, value in values)


def main(words: Sequence[str]) -> int:
    """Print the figures; 1 when one is not as it should be."""
    reading = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reading.add_argument("--matches", type=int, default=4_000)
    reading.add_argument("--seeds", type=int, default=3)
    reading.add_argument("--threads", type=int, default=os.cpu_count())
    given = reading.parse_args(words)
    good = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        values = long_run(folder, LONGER * given.matches, given.threads)
        print(f"over {LONGER * given.matches:,} matches {sum(values)} of {len(values)} cells meet the goals")
        for seed in range(1, given.seeds + 1):
            one = found(folder, given.matches, seed, given.threads)
            wrong, decided = one.wrong(values)
            counts = [Counter(verdicts) for verdicts in (one.grid, one.focus)]
            open_cells = [count[GoalVerdict.UNDECIDED] for count in counts]
            print(
                f"seed {seed}: {100 * one.played / one.asked:.1f}% of the matches; undecided {open_cells[1]}, grid "
                f"{open_cells[0]}; opposed {one.opposed}; wrong {wrong} of {decided}"
            )
            good &= 4 * one.played <= one.asked and one.opposed == 0 and wrong <= 0.05 * decided
            good &= open_cells[1] <= open_cells[0]
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
