"""Sweeps and tunings that are small enough for plain kernels: what is written and printed of each kind, end to end."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from sim.reports.sweep_terminal import print_sweep
from sim.reports.tune_terminal import print_tune
from sim.running.executors import executor_of
from sim.stats.goals import GoalVerdict
from sim.store import RunFolder
from sim.studies import tune_plan
from sim.studies.sweep import sweep
from sim.studies.sweep_result import Sweep
from sim.studies.tune import play_tune
from sim.studies.tune_result import Tuned

DISPATCHES = 1
"""One dispatch, in which a siding can be bought and nothing else happens that matters."""

MATCHES = 64


def written(folder: Path, name: str, *lines: str) -> Path:
    standard = Path(__file__).parents[1] / "configs" / "standard.yaml"
    (folder / "short.yaml").write_text(f"extends: {standard}\nname: short\ndispatches: {DISPATCHES}\n")
    path = folder / name
    path.write_text("\n".join(["schema: 1", "scenario: short.yaml", *lines, ""]))
    return path


def printed(show, found) -> str:
    screen = io.StringIO()
    show(found, Console(file=screen, width=80, markup=False, highlight=False))
    assert all(len(line) <= 80 for line in screen.getvalue().splitlines())
    return screen.getvalue()


def swept(folder: Path, name: str, *lines: str) -> Sweep:
    path = written(folder, name, "bots: [random, random]", f"matches: {MATCHES}", "seed: 1", *lines)
    found = sweep(path, out=folder / path.stem, threads=1)
    page = (folder / path.stem / "report.html").read_text(encoding="utf-8")
    assert "random vs random" in page
    assert page.count("<svg") == len(list((folder / path.stem / "figures").glob("*.svg")))
    return found


GOALS = "bands: {purchases.siding.first: '<= 0.3'}"


def test_pick__ends_at_a_cell_in_which_nobody_can_buy(tmp_path):
    written(tmp_path, "goals.yaml", "bots: [[random, random]]", GOALS)
    keys = "keys: {economy.siding_cost: [3, 4, 99], economy.toll: [0, 1]}"
    found = swept(tmp_path, "pick.yaml", keys, "design: grid", "pick: best", "goals: goals.yaml")
    assert found.pick is not None
    assert found.cells[found.pick.best.cell].values["economy.siding_cost"] == 99
    told = printed(print_sweep, found)
    assert "siding_cost 99" in told


def test_screen__ranks_what_buys_above_what_does_nothing(tmp_path):
    keys = "keys: {economy.siding_cost: [3, 99], map.layout: [null, {}]}"
    found = swept(tmp_path, "screen.yaml", keys, "design: screen", "trajectories: 2")
    sidings = {one.key: one for one in found.screen if one.metric == "purchases.siding.first"}
    assert sidings["map.layout"].found.still
    assert sidings["economy.siding_cost"].found.mu_star > 0
    assert "siding_cost" in printed(print_sweep, found)


@pytest.mark.parametrize("design", ["lhs", "grid"])
def test_sweep__pictures_of_points_and_of_goals(tmp_path, design):
    written(
        tmp_path, "goals.yaml", "bots: [[random, random]]", "bands: {purchases.siding.first: '<= 0', shared: '>= 1%'}"
    )
    if design == "lhs":
        lines = ["keys: {economy.siding_cost: {from: 1, to: 9}, economy.toll: [0, 1]}", "design: lhs", "cells: 6"]
    else:
        lines = ["keys: {economy.siding_cost: [3, 99], economy.toll: [0, 1], economy.income: [0, 1]}", "design: grid"]
    found = swept(tmp_path, f"{design}.yaml", *lines, "goals: goals.yaml")
    told = printed(print_sweep, found)
    assert told.index("Goals") < told.index("purchases.siding.first, reference")
    assert all(cell.verdict is not None for cell in found.cells)


@pytest.fixture
def fewer(monkeypatch):
    """Studies of few matches, for the way that they take and not for what they promise."""
    monkeypatch.setattr(tune_plan, "LEAST_MATCHES", 2)
    monkeypatch.setattr(tune_plan, "CONFIRM_TIMES", 2)


def tuned(folder: Path, bands: str, keys: str, **how: Any) -> Tuned:
    path = written(folder, "goals.yaml", "bots: [[random, random]]", bands, f"may_change: {keys}")
    plan = tune_plan.make_tune_plan(path, matches=MATCHES, seed=1, **how)
    with RunFolder(folder / "tuned", plan.digest) as held:
        found = play_tune(plan, executor=executor_of(threads=1), folder=held)
    assert (folder / "tuned" / "report.html").stat().st_size > 1_000
    return found


def test_tune__finds_the_price_that_nobody_can_pay(tmp_path, fewer):
    found = tuned(tmp_path, GOALS, "{economy.siding_cost: [3, 4, 99], economy.toll: [1, 2]}")
    assert found.found is not None
    assert found.found.edit == (2, 0)
    assert "economy.siding_cost  3 → 99" in printed(print_tune, found)
    assert (tmp_path / "tuned" / "tuned.yaml").exists()


def test_tune__says_what_stands_nearest(tmp_path, fewer):
    found = tuned(tmp_path, "bands: {purchases.siding.first: '>= 2'}", "{economy.siding_cost: [3, 99]}")
    assert (found.found, found.verdict) == (None, GoalVerdict.VIOLATED)
    assert "Nearest" in printed(print_tune, found)


def test_tune__searches_where_there_is_too_much_to_go_through(tmp_path, fewer):
    pytest.importorskip("optuna")
    keys = "{economy.siding_cost: [3, 4, 99], economy.toll: [0, 1, 2]}"
    found = tuned(tmp_path, GOALS, keys, trials=6, most_enumerated=2)
    assert found.by_search
    assert "search" in printed(print_tune, found)


def test_command__of_a_tuning(tmp_path, fewer, sim_command):
    path = written(
        tmp_path, "goals.yaml", "bots: [[random, random]]", GOALS, "may_change: {economy.siding_cost: [3, 99]}"
    )
    words = ["tune", path, "--matches", str(MATCHES), "--seed", "1", "--threads", "1", "--out", tmp_path / "out"]
    first = sim_command(*words)
    assert first.code == 0, first.err
    assert "economy.siding_cost  3 → 99" in first.out
    again = sim_command(*words, "--json")
    assert again.code == 0
    assert '"economy.siding_cost": 99' in again.out
    assert "complete already" in again.err
