"""What the machinery knows of a game; and that the figures of the dispatch game are what they always were."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sim
from kernels.jit import PLAIN
from sim.games import GAMES, game_named, game_of
from sim.games.game import Plan
from sim.running.chunks import Chunk
from sim.running.result import Run
from tests.run_tools import plan_of_bots

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "tests" / "data" / "dispatch_figures.json"
"""Digests of the sums and of the summary of runs, as they were before there was a second game. They change only when
`RULES_VERSION`, the random numbers or a figure's definition does."""

COMPILED = pytest.mark.compiled
CASES = [
    pytest.param("standard", ("random", "random"), 0, 1500, 24, marks=COMPILED),
    pytest.param("standard", ("greedy", "random"), 1, 1300, 24, marks=COMPILED),
    pytest.param("grand", ("greedy", "greedy"), 2, 700, 24, marks=COMPILED),
    pytest.param("crooked", ("random", "greedy"), 3, 640, 24, marks=COMPILED),
    pytest.param("ladder", ("random", "greedy"), 4, 31, 3),
]

GENERIC = (
    *(f"sim/running/{name}.py" for name in ("chunks", "engine", "ledger", "plan", "provenance", "result", "runner")),
    "sim/running/verifying.py",
    "sim/store.py",
    "sim/files.py",
    "sim/match_parts.py",
    "sim/reading.py",
    "sim/api.py",
    "sim/cli/runs.py",
    "sim/stats/figures.py",
    "sim/games/game.py",
    *(
        f"sim/studies/{name}.py"
        for name in ("baseline", "baseline_file", "check", "check_result", "record", "selftest")
    ),
    *(f"sim/stats/{name}.py" for name in ("deltas", "gate", "gate_simulation", "goals")),
    "sim/testing.py",
)
"""Machinery: it serves all games alike."""


def sums_digest(run: Run) -> str:
    """Sha256 of the integer sums, by name and shape."""
    digest = hashlib.sha256()
    for name, array in sorted(run.sums.as_arrays().items()):
        digest.update(f"{name} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    return digest.hexdigest()


def summary_digest(run: Run) -> str:
    """Sha256 of the summary with 12 significant digits: the last ones may depend on the processor."""

    def rounded(value: Any) -> Any:
        return f"{value:.12g}" if isinstance(value, float) else value

    rows = [{key: rounded(value) for key, value in row.items()} for row in run.summary()["estimates"]]
    return hashlib.sha256(json.dumps([run.summary()["level"], rows]).encode()).hexdigest()


@pytest.mark.parametrize(("scenario", "bots", "seed", "matches", "dispatches"), CASES)
def test_games__figures_of_the_dispatch_game_are_what_they_were(scenario, bots, seed, matches, dispatches):
    run = sim.run(scenario, bots=bots, seed=seed, matches=matches, overrides={"dispatches": dispatches})
    name = f"{scenario} {' '.join(bots)} seed {seed} matches {matches} dispatches {dispatches}"
    assert {"sums": sums_digest(run), "summary": summary_digest(run)} == json.loads(FIGURES.read_text())[name]


def imports_of(path: Path) -> set[str]:
    """Modules that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


OF_A_GAME = ("kernels.codes", "sim.stats.sums", "sim.stats.definitions", "sim.stats.metrics", "sim.reports.page")
OF_THE_GAMES = tuple(f"{room}.{game}" for room in ("kernels", "sim.games") for game in GAMES)


def test_games__the_machinery_names_no_game():
    for name in GENERIC:
        found = {one for one in imports_of(ROOT / name) if one.startswith((*OF_A_GAME, *OF_THE_GAMES))}
        assert not found, f"{name} imports {found}"
    assert "sim.games.dispatch.plan" in imports_of(ROOT / "sim/running/benchmark.py")  # so such an import is seen


def test_games__a_plan_is_what_the_machinery_asks_for():
    plan = plan_of_bots("greedy", "random")
    assert isinstance(plan, Plan)
    assert game_of(plan.scenario) is game_named("dispatch")
    other = dataclasses.replace(plan, namespace=1)
    assert other.digest({}) != plan.digest({})
    assert not np.array_equal(plan.play_rows(Chunk(0, 2)), other.play_rows(Chunk(0, 2)))


def test_games__an_unknown_game_is_refused():
    with pytest.raises(sim.BadInput, match="there is no game 'chess'; must be dispatch or mainline"):
        game_named("chess")


def test_games__blocks_are_compared_to_the_last_integer():
    plan = plan_of_bots("greedy", "random")
    rows = plan.play_rows(Chunk(0, 4))
    sums = plan.sum_rows(Chunk(0, 4), rows, 2)
    assert sums.same_block(plan.sum_rows(Chunk(0, 4), rows, 2), 0)
    more = sums + plan.sum_rows(Chunk(4, 1), plan.play_rows(Chunk(4, 1)), 2)  # pair 4 lies in block 0
    assert not sums.same_block(more, 0)
    assert sums.same_block(more, 1)


if __name__ == "__main__":  # records the figures anew
    assert not PLAIN
    found = {}
    for case in CASES:
        scenario, bots, seed, matches, dispatches = case.values
        run = sim.run(scenario, bots=bots, seed=seed, matches=matches, overrides={"dispatches": dispatches})
        name = f"{scenario} {' '.join(bots)} seed {seed} matches {matches} dispatches {dispatches}"
        found[name] = {"sums": sums_digest(run), "summary": summary_digest(run)}
    FIGURES.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
