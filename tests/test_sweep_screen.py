"""Screens: each step measured in four namespaces, noise floors, ranks only where they are resolved, what is kept."""

from __future__ import annotations

import io
import math
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import sim
from sim.reports.sweep_terminal import print_sweep
from sim.running.executors import executor_of
from sim.running.runner import Interrupted
from sim.stats.screening import RESOLVED_FLOORS, screened
from sim.store import RunFolder
from sim.studies.sweep import play_sweep, sweep
from sim.studies.sweep_plan import NAMESPACES, make_sweep_plan
from sim.studies.sweep_result import Sweep
from sim.studies.sweep_rows import ROWS_FILE
from tests.run_tools import SHORT, interrupting
from tests.test_sweep import written

MATCHES = 2_000
KEYS = "{economy.toll: [0, 1, 2], economy.siding_cost: [1, 3, 90, 91], map.layout: [null, {}]}"


def screening(folder: Path, name: str = "screen.yaml", **changes: str) -> Path:
    lines = {"keys": KEYS, "design": "screen", "trajectories": "4", "matches": str(MATCHES), **changes}
    return written(folder, name, **lines)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("screen")


@pytest.fixture(scope="module")
def found(folder) -> Sweep:
    return sweep(screening(folder), out=folder / "whole", threads=2)


def effect(found: Sweep, key: str, metric: str):
    return next(one for one in found.screen if (one.key, one.metric) == (key, metric))


# -- the measures -----------------------------------------------------------------------------------------------------


def test_screened__of_known_effects():
    one = screened(np.array([[2.0, 2.0, 2.0, 2.0], [-4.0, -4.0, -4.0, -4.0]]))
    assert (one.mu, one.mu_star, one.floor) == (-1.0, 3.0, 0.0)
    assert one.sigma == pytest.approx(math.sqrt(18))
    assert (one.resolved, one.still, one.n_effects, one.n_resolved) == (True, False, 2, 2)
    scattered = screened(np.array([[1.0, 3.0, 1.0, 3.0]]))
    assert scattered.floor == pytest.approx(math.sqrt(2 / math.pi) * math.sqrt(4 / 3) / 2)
    assert scattered.resolved == (RESOLVED_FLOORS * scattered.floor <= 2.0)
    assert screened(np.zeros((3, 4))).still
    assert not screened(np.zeros((3, 4))).resolved
    assert screened(np.full((2, 4), math.nan)) is None
    assert screened(np.array([[1.0, math.nan], [2.0, 2.0]])).n_effects == 1


def test_screened__noise_alone_has_the_size_of_its_floor_and_is_seldom_resolved():
    rng = np.random.default_rng(5)
    alone = [screened(rng.normal(0, 1, (20, NAMESPACES))) for _ in range(300)]
    assert np.mean([one.mu_star / one.floor for one in alone]) == pytest.approx(1, abs=0.05)
    assert sum(one.resolved for one in alone) == 0
    alike = [screened(np.repeat(rng.normal(0, 1, (1, NAMESPACES)), 20, axis=0)) for _ in range(2000)]
    share = np.mean([one.resolved for one in alike])
    assert 0.1 < share < 0.3, "twenty times the same step is one step, whatever its number"


def test_screened__an_effect_of_four_floors_is_resolved():
    rng = np.random.default_rng(6)
    found = [screened(rng.normal(0.8 * 4 * 0.5, 1, (20, NAMESPACES))) for _ in range(300)]
    assert all(one.resolved for one in found)


# -- a screen ---------------------------------------------------------------------------------------------------------


def test_screen__steps_are_between_cells_that_differ_in_one_key(folder):
    plan = make_sweep_plan(screening(folder))
    assert len(plan.moves) == 4 * 3
    for move in plan.moves:
        before, after = (plan.cells[number].values for number in (move.before, move.after))
        assert [key for key in before if before[key] != after[key]] == [move.key]
    assert {abs(move.share) for move in plan.moves if move.key == "economy.siding_cost"} == {2 / 3}
    assert {abs(move.share) for move in plan.moves if move.key == "map.layout"} == {1.0}
    points = {tuple(map(str, cell.values.values())) for cell in plan.cells}
    assert len(points) == len(plan.cells), "no point is played twice"


@pytest.mark.compiled
def test_screen__parts_take_the_namespaces_in_turn(found, folder):
    table = pq.read_table(folder / "whole" / ROWS_FILE)
    spaces, blocks = (table[name].to_numpy() for name in ("namespace", "block"))
    assert np.array_equal(spaces, blocks // 16 % NAMESPACES)
    assert set(spaces) == set(range(NAMESPACES))
    assert found.manifest["namespaces"] == [0, 1, 2, 3]
    assert len({cell.n_matches for cell in found.cells}) == 1


@pytest.mark.compiled
def test_screen__effects_are_those_of_the_played_steps(found, folder):
    plan = make_sweep_plan(screening(folder))
    moves = [move for move in plan.moves if move.key == "economy.siding_cost"]
    steps = [
        (found.cells[m.after].estimates["points.first"].value - found.cells[m.before].estimates["points.first"].value)
        / m.share
        for m in moves
    ]
    one = effect(found, "economy.siding_cost", "points.first").found
    assert one.mu == pytest.approx(np.mean(steps))
    assert one.mu_star == pytest.approx(np.mean(np.abs(steps)))
    assert one.sigma == pytest.approx(np.std(steps, ddof=1))
    assert one.floor > 0


@pytest.mark.compiled
def test_screen__a_layout_does_exactly_nothing(found):
    assert found.inert == ("map.layout",)
    for one in found.screen:
        if one.key == "map.layout":
            assert (one.found.mu_star, one.rank) == (0.0, None)
            assert one.found.still


@pytest.mark.compiled
def test_screen__ranks_go_by_size_and_only_where_they_are_resolved(found):
    for metric in {one.metric for one in found.screen}:
        rows = [one for one in found.screen if one.metric == metric]
        ranked = [one for one in rows if one.rank is not None]
        assert [one.rank for one in rows[: len(ranked)]] == list(range(1, len(ranked) + 1))
        assert all(one.found.resolved for one in ranked)
        sizes = [one.found.mu_star for one in ranked]
        assert sizes == sorted(sizes, reverse=True)
    dear = effect(found, "economy.siding_cost", "purchases.siding.first")
    assert dear.rank == 1
    assert dear.found.mu < 0


@pytest.mark.compiled
def test_screen__is_told(found, folder):
    shown = io.StringIO()
    print_sweep(found, Console(file=shown, width=80, markup=False, highlight=False))
    said = shown.getvalue()
    assert max(map(len, said.splitlines())) <= 80
    assert "exactly 0" in said
    assert "reference" not in said, "a screen compares nothing with it"
    assert "Inert, every match ends as before" in said
    assert "map.layout: the values are no numbers" in " ".join(said.split())
    told = found.result()["screen"]
    assert {"key", "metric", "mu", "mu_star", "sigma", "floor", "resolved", "rank"} <= set(told[0])
    assert len(told) == len(found.screen)


@pytest.mark.compiled
def test_screen__is_the_same_however_it_was_played(found, folder):
    path = screening(folder)
    plan = make_sweep_plan(path)
    with RunFolder(folder / "stopped", plan.digest) as held, pytest.raises(Interrupted):
        play_sweep(plan, folder=held, progress=interrupting(3), executor=executor_of(1))
    again = sweep(path, out=folder / "stopped", resume=True, threads=1)
    assert again.result() == found.result()
    more = sweep(path, out=folder / "stopped", resume=True, matches=2 * MATCHES)
    assert more.cells[0].n_matches >= 2 * MATCHES
    assert set(pq.read_table(folder / "stopped" / ROWS_FILE)["namespace"].to_pylist()) == set(range(NAMESPACES))


@pytest.mark.compiled
def test_screen__nothing_left_to_chance_has_no_noise(folder):
    (folder / "still.yaml").write_text("extends: short.yaml\nname: still\ndefine: {still: {bot: greedy, noise: 0}}\n")
    path = screening(folder, "exact.yaml", scenario="still.yaml", bots="[still, still]")
    found = sweep(path, matches=64)
    assert {cell.n_matches for cell in found.cells} == {1}
    assert {one.found.floor for one in found.screen} == {0.0}


@pytest.mark.compiled
def test_screen__the_mainline_game_and_its_scenery(folder):
    keys = "{deck.hilly.mph: [30, 40], policy: [hold, {admit: 0.5}]}"
    found = sweep(screening(folder, "day.yaml", scenario="two-players", bots=None, keys=keys), matches=64)
    assert found.inert == ("deck.hilly.mph",)
    assert all(one.found.still for one in found.screen if one.key == "deck.hilly.mph")
    assert any(note.startswith("policy: the values are no numbers") for note in found.notes)


@pytest.mark.compiled
def test_screen__shards_merged_are_the_whole(found, folder):
    plan = make_sweep_plan(screening(folder))
    for number in (1, 2):
        with RunFolder(folder / f"shard{number}", plan.digest) as held:
            assert play_sweep(plan, folder=held, shard=(number, 2)) is None
    with RunFolder(folder / "merged", plan.digest) as held:
        merged = play_sweep(plan, folder=held, merge=[folder / "shard1", folder / "shard2"])
    assert merged is not None
    assert merged.result() == found.result()


@pytest.mark.compiled
def test_screen__of_a_short_scenario_is_a_run_of_each_namespace(found):
    """A cell's figure is that of all four namespaces together, and differs from namespace 0 alone."""
    cell = found.reference
    run = sim.run("standard", bots=("greedy", "random"), matches=cell.n_matches, seed=3, overrides=SHORT)
    assert run["points.first"].n == cell.estimates["points.first"].n
    assert run["points.first"].value != cell.estimates["points.first"].value
