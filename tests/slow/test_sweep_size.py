"""Sweeps of a designer's size: what they cost beside their matches, and how soon a large one is open."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

import sim
from kernels.jit import PLAIN
from sim.running.executors import executor_of
from sim.studies.sweep import sweep
from sim.studies.sweep_plan import make_sweep_plan

pytestmark = [pytest.mark.slow, pytest.mark.skipif(PLAIN, reason="speeds of compiled kernels")]

ROOT = Path(sim.__file__).parents[1]
MOST_SECONDS = 60.0
MOST_MEGABYTES = 600
KEYS = ("economy.toll", "economy.income", "economy.upgrade_cost", "economy.siding_cost")

WHOLE = """
import resource, sys, time
started = time.perf_counter()
from sim.studies.sweep import sweep
sweep(sys.argv[1], out=sys.argv[2], threads=2)
print(time.perf_counter() - started, time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3)
"""
OPEN = """
import sys, time
import sim
started = time.perf_counter(), time.process_time()
frame = sim.load_sweep(sys.argv[1])
print(time.perf_counter() - started[0], time.process_time() - started[1], len(frame))
"""


def told_by(code: str, *words: object) -> list[float]:
    """The numbers that a new Python prints."""
    words = sys.executable, "-c", code, *map(str, words)
    return [float(one) for one in subprocess.check_output(words, cwd=ROOT, text=True).split()]


def written(folder: Path, levels: int, matches: int) -> Path:
    """All combinations of so many levels of four keys."""
    keys = "".join(f"  {key}: {{from: 1, to: {levels}}}\n" for key in KEYS)
    path = folder / "own.yaml"
    lines = ["schema: 1", "scenario: standard", "bots: [greedy, greedy]", f"keys:\n{keys}design: grid"]
    path.write_text("\n".join([*lines, f"matches: {matches}", "seed: 1\n"]))
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="no peak of memory to read")
def test_sweep_size__256_cells(tmp_path, capsys):
    """From the start of Python to the finished report; the matches alone are the same parts on the same threads."""
    path = written(tmp_path, 4, 20_000)
    plan = make_sweep_plan(path)
    numbers = range(len(plan.cells))
    parts = [plan.part(cell, part) for part in range(max(map(plan.n_parts, numbers))) for cell in numbers]
    with executor_of(threads=2) as workers:
        started = time.perf_counter(), time.process_time()
        n_matches = sum(played.sums.n_matches for played in workers.play(parts))
        alone, worked = time.perf_counter() - started[0], time.process_time() - started[1]
    whole, worked_in_all, megabytes = told_by(WHOLE, path, tmp_path / "out")
    beside = worked_in_all - worked
    with capsys.disabled():
        print(f"\n{len(plan.cells)} cells, {n_matches:,} matches: {whole:.1f} s, {alone:.1f} s for the matches alone")
        print(
            f"{beside:.1f} s of work beside the matches, {1000 * beside / len(plan.cells):.0f} ms a cell, "
            f"{100 * beside / (worked / 2):.0f}% of the time that two idle cores need for them; "
            f"{megabytes:.0f} MB at most"
        )
    assert whole < MOST_SECONDS
    assert megabytes < MOST_MEGABYTES


def test_sweep_size__10_000_cells_are_open_soon(tmp_path, capsys):
    """A table of as many rows as 10,000 cells have, read by a new Python."""
    few = sweep(written(tmp_path, 1, 640), out=tmp_path / "few").frame
    copies = -(-10_000 // few["cell"].nunique())
    many = pd.concat([few.assign(cell=few["cell"] + 2 * n, key=f"{n:064x}") for n in range(copies)], ignore_index=True)
    (tmp_path / "many").mkdir()
    many.to_parquet(tmp_path / "many" / "cells.parquet", index=False)
    seconds, worked, rows = told_by(OPEN, tmp_path / "many")
    with capsys.disabled():
        print(f"\n{rows:,.0f} rows of {many['cell'].nunique():,} cells: {seconds:.2f} s, {worked:.2f} s of work")
    assert rows == len(many) > 300_000
    assert min(seconds, worked) < 2, "waiting for other processes is not counted"
