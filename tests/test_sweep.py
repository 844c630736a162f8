"""Sweeps: which cells there are, that they are runs of their scenarios, what is kept, continued and refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import sim
from sim.config.errors import BadInput
from sim.config.sweep import Levels, load_sweep_file
from sim.files import read_json
from sim.running.executors import executor_of
from sim.running.parts import part_size
from sim.running.runner import Interrupted
from sim.stats.designs import grid, one_at_a_time, sampled, trajectories
from sim.stats.differences import Verdict
from sim.store import RunFolder
from sim.studies.sweep import play_sweep, sweep
from sim.studies.sweep_plan import level_words, make_sweep_plan
from sim.studies.sweep_result import Sweep
from sim.studies.sweep_rows import ROWS_FILE
from tests.run_tools import SHORT, edited, files_under, interrupting, scaled

MATCHES = scaled(1_400, 32)
BASE = {
    "schema": "1",
    "scenario": "short.yaml",
    "bots": "[greedy, random]",
    "keys": "{economy.toll: [1, 3], economy.income: [1, 2]}",
    "design": "grid",
    "matches": str(MATCHES),
    "seed": "3",
}


def written(folder: Path, name: str = "own.yaml", **changes: str | None) -> Path:
    """A sweep file on a short scenario, with other lines where they are given, and without those that are None."""
    dispatches = SHORT.get("dispatches", 24)
    (folder / "short.yaml").write_text(
        f"schema: 1\ngame: dispatch\nname: short\ndispatches: {dispatches}\nmap: {map_of('standard')}\n"
    )
    lines = {key: value for key, value in {**BASE, **changes}.items() if value is not None}
    path = folder / name
    path.write_text("".join(f"{key}: {value}\n" for key, value in lines.items()))
    return path


def map_of(name: str) -> Path:
    return Path(__file__).parents[1] / "configs" / "maps" / f"{name}.yaml"


def refused(path: Path, **how: Any) -> str:
    with pytest.raises(BadInput) as told:
        make_sweep_plan(path, **how)
    return str(told.value)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("sweep")


@pytest.fixture(scope="module")
def found(folder) -> Sweep:
    return sweep(written(folder), out=folder / "whole", threads=2)


# -- what is played ---------------------------------------------------------------------------------------------------


def test_sweep__cells_are_all_combinations_and_one_is_the_scenario_as_it_is(found):
    assert [tuple(cell.values.values()) for cell in found.cells] == [(1, 1), (1, 2), (3, 1), (3, 2)]
    assert found.reference.label == "economy.toll=1, economy.income=1"
    assert [cell.reference for cell in found.cells] == [True, False, False, False]
    assert found["economy.toll=3, economy.income=2"].number == 3
    with pytest.raises(KeyError, match="there is no cell"):
        _ = found["economy.toll=9"]


def test_sweep__a_cell_is_the_run_of_its_scenario(found):
    """The same matches, whatever blocks they lie in."""
    cell = found["economy.toll=3, economy.income=2"]
    scenario = sim.load_scenario("standard", {**SHORT, "economy.toll": 3, "economy.income": 2})
    run = sim.run(scenario, bots=("greedy", "random"), matches=cell.n_matches, seed=3)
    assert run.manifest["matches_played"] == cell.n_matches >= MATCHES
    for name, one in cell.estimates.items():
        assert (one.value, one.n) == (run[name].value, run[name].n), name


def test_sweep__changes_are_those_of_the_block_sums(found):
    cell = found.cells[3]
    assert not found.reference.differences
    for name, change in cell.differences.items():
        if change.kind.value != "quantile" and change.value is not None:
            assert change.value == pytest.approx(cell.estimates[name].value - found.reference.estimates[name].value)
    assert scaled(cell.differences["points.first"].value, 1)


def test_sweep__claims_allow_for_all_cells(folder):
    few, many = (
        sweep(written(folder, "claims.yaml", keys=f"{{economy.income: {levels}}}"), matches=MATCHES)
        for levels in ([1, 2], [1, 2, 3, 4, 5, 6])
    )
    one, other = (found["economy.income=2"].differences["points.first"] for found in (few, many))
    assert (one.low, one.high) == (other.low, other.high)
    if one.verdict is Verdict.OPEN and one.matches_needed is not None and other.matches_needed is not None:
        assert other.matches_needed >= one.matches_needed


def test_sweep__inert_keys_are_named(folder):
    keys = "{map.layout: [null, {}], economy.toll: [1, 2]}"
    found = sweep(written(folder, "inert.yaml", keys=keys), matches=32)
    assert found.inert == ("map.layout",)
    same = [cell for cell in found.cells if cell.values["economy.toll"] == 1 and not cell.reference]
    assert all(one.value in (0, None) for cell in same for one in cell.differences.values())
    toll = "{economy.siding_cost: [null], economy.toll: [1, 2, 9]}"
    assert "economy.toll" in sweep(written(folder, "inert.yaml", keys=toll), matches=32).inert


def test_sweep__maps_bots_and_lists_are_keys_too(folder):
    maps = f"[{map_of('standard')}, {map_of('compact')}]"
    keys = f"{{map: {maps}, bots: [greedy, [greedy, random]], cargo.rewards: [[1, 2]]}}"
    found = sweep(written(folder, "keys.yaml", bots=None, keys=keys), matches=32)
    assert {cell.pairing for cell in found.cells} == {"greedy vs greedy", "greedy vs random"}
    assert "map=compact, bots=greedy vs random, cargo.rewards=[1, 2]" in [cell.label for cell in found.cells]
    assert found.cells[0].reference, "the scenario names no bots, so that the first cell stands for it"
    direct = sim.run(
        "compact",
        bots=("greedy", "random"),
        seed=3,
        matches=found.cells[3].n_matches,
        overrides={**SHORT, "cargo.rewards": [1, 2]},
    )
    assert found.cells[3].estimates["points.first"].value == direct["points.first"].value


def test_sweep__nothing_left_to_chance_is_played_once(folder):
    (folder / "still.yaml").write_text("extends: short.yaml\nname: still\ndefine: {still: {bot: greedy, noise: 0}}\n")
    keys = "{bots: [[still, still], [still, greedy]], economy.toll: [1, 2]}"
    path = written(folder, "exact.yaml", scenario="still.yaml", bots=None, keys=keys)
    found = sweep(path, matches=64)
    assert [cell.n_matches for cell in found.cells] == [1, 1, 64, 64]
    assert any("left to chance" in note for note in found.notes)
    assert found.cells[2].differences["points.first"].n_units >= 1


@pytest.mark.parametrize("design", ["random", "lhs", "sobol"])
def test_sweep__points_by_chance(folder, design):
    path = written(
        folder, "by.yaml", keys="{economy.toll: {from: 0, to: 9}, economy.income: [1, 2]}", design=design, cells="8"
    )
    plan, again = make_sweep_plan(path), make_sweep_plan(path)
    assert [cell.key for cell in plan.cells] == [cell.key for cell in again.cells]
    assert 2 <= len(plan.cells) <= 9
    assert plan.reference == 0 or plan.cells[plan.reference].values == {"economy.toll": 1, "economy.income": 1}


def test_sweep__one_at_a_time(folder):
    plan = make_sweep_plan(written(folder, "oat.yaml", design="oat", keys="{economy.toll: [0, 2], dispatches: [2]}"))
    turned = [tuple(cell.values.values()) for cell in plan.cells]
    own = SHORT.get("dispatches", 24)
    assert turned == [(1, own), (0, own), (2, own), (1, 2)]
    assert plan.reference == 0


def test_sweep__the_mainline_game(folder):
    keys = "{policy: [hold, {admit: 0.5}], collision_delay: {from: 1, to: 2}}"
    path = written(folder, "day.yaml", scenario="two-players", bots=None, keys=keys, design="lhs", cells="3")
    found = sweep(path, matches=16)
    assert not found.failed
    assert found.cells[0].reference
    for cell in found.cells:
        run = sim.run("two-players", overrides=dict(cell.values), matches=16, seed=3)
        assert cell.estimates["trip_gap"].value == run["trip_gap"].value
    assert len(found.cells) <= 4


@pytest.mark.parametrize("name", ["costs", "each-number", "district", "screen", "focus"])
def test_sweep__shipped_files_are_valid(name):
    spec = load_sweep_file(Path(__file__).parents[1] / "configs" / "sweeps" / f"{name}.yaml")
    assert spec.read.matches == 20_000


# -- what is kept -----------------------------------------------------------------------------------------------------


def test_sweep__rows_are_the_same_whatever_the_threads(found, folder):
    sweep(written(folder), out=folder / "one", threads=1)
    assert (folder / "one" / ROWS_FILE).read_bytes() == (folder / "whole" / ROWS_FILE).read_bytes()
    assert (folder / "one" / "sweep.json").read_bytes() == (folder / "whole" / "sweep.json").read_bytes()


def test_sweep__rows_are_told_by_cell_and_block(found, folder):
    table = pq.read_table(folder / "whole" / ROWS_FILE)
    assert table.column_names[:5] == ["cell", "pairing", "namespace", "block", "error"]
    rows = set(zip(table["cell"].to_pylist(), table["block"].to_pylist(), strict=True))
    assert len(rows) == table.num_rows
    pairs = np.concatenate(table["block_pairs"].to_pylist()) if table["block_pairs"].type != "int64" else []
    assert 2 * int(np.sum(pairs)) == sum(cell.n_matches for cell in found.cells)


def test_sweep__the_frame_has_every_figure_of_every_cell(found, folder):
    frame = sim.load_sweep(folder / "whole")
    assert len(frame) == sum(len(cell.estimates) for cell in found.cells)
    row = frame[(frame["economy.toll"] == 3) & (frame["economy.income"] == 2) & (frame["metric"] == "points.first")]
    assert row["value"].item() == found.cells[3].estimates["points.first"].value
    assert row["change"].item() == found.cells[3].differences["points.first"].value
    assert frame["resolved"].dtype == object or frame["resolved"].dtype == bool


def test_sweep__interrupted_and_resumed_is_the_same(folder, found):
    path, where = written(folder), folder / "stopped"
    plan = make_sweep_plan(path)
    with RunFolder(where, plan.digest) as held, pytest.raises(Interrupted) as stopped:
        play_sweep(plan, folder=held, progress=interrupting(3), executor=executor_of(1))
    assert 0 < stopped.value.done < stopped.value.wanted
    with pytest.raises(BadInput, match="--resume goes on"):
        sweep(path, out=where)
    again = sweep(path, out=where, resume=True)
    assert again.result() == found.result()
    assert files_under(where)[ROWS_FILE] == files_under(folder / "whole")[ROWS_FILE]


def test_sweep__a_complete_one_is_read_and_not_played(folder, found, monkeypatch):
    monkeypatch.setattr("sim.running.executors.threads.play_parts", lambda parts, threads: iter([*parts][:0]))
    assert sweep(written(folder), out=folder / "whole").result() == found.result()


def test_sweep__more_matches_are_more_blocks(folder):
    path, where = written(folder), folder / "more"
    few = sweep(path, out=where)
    before = pq.read_table(where / ROWS_FILE)
    with pytest.raises(BadInput, match="--resume"):
        sweep(path, out=where, matches=2 * MATCHES)
    more = sweep(path, out=where, matches=2 * MATCHES, resume=True)
    after = pq.read_table(where / ROWS_FILE)
    assert more.cells[0].n_matches >= 2 * MATCHES > few.cells[0].n_matches
    first = few.cells[0].key
    assert (
        before.filter(before["cell"].to_numpy(zero_copy_only=False) == first)["block_pairs"].to_pylist()
        == (after.filter(after["cell"].to_numpy(zero_copy_only=False) == first)["block_pairs"].to_pylist())[
            : before.num_rows // len(few.cells)
        ]
    )


def test_sweep__shards_merged_are_the_whole(folder, found):
    path = written(folder)
    plan = make_sweep_plan(path)
    for number in (1, 2, 3):
        with RunFolder(folder / f"shard{number}", plan.digest) as held:
            assert play_sweep(plan, folder=held, shard=(number, 3)) is None
    with RunFolder(folder / "merged", plan.digest) as held:
        merged = play_sweep(plan, folder=held, merge=[folder / f"shard{number}" for number in (3, 1, 2)])
    assert merged is not None
    assert merged.result() == found.result()
    assert files_under(folder / "merged")[ROWS_FILE] == files_under(folder / "whole")[ROWS_FILE]
    with RunFolder(folder / "none", plan.digest) as held, pytest.raises(BadInput, match="holds no rows"):
        play_sweep(plan, folder=held, merge=[folder])


def test_sweep__another_sweep_is_refused(folder, found):
    with pytest.raises(BadInput, match="holds another run"):
        sweep(written(folder, "other.yaml", seed="4"), out=folder / "whole")
    with pytest.raises(BadInput, match="holds something else"):
        sweep(written(folder), out=folder)


def test_sweep__a_behaviour_that_changed_is_seen(folder, found, monkeypatch):
    from sim.games.dispatch.plan import DispatchPlan

    play_rows = DispatchPlan.play_rows
    monkeypatch.setattr(DispatchPlan, "play_rows", lambda self, chunk, bench=None: play_rows(self, chunk, bench) + 0)
    assert make_sweep_plan(written(folder)).cells[0].key == found.cells[0].key
    monkeypatch.setattr(DispatchPlan, "play_rows", lambda self, chunk, bench=None: play_rows(self, chunk, bench) + 1)
    assert make_sweep_plan(written(folder)).cells[0].key != found.cells[0].key


def test_sweep__a_damaged_file_is_told_of(folder, found):
    path, where = written(folder), folder / "damaged"
    sweep(path, out=where)
    (where / ROWS_FILE).write_bytes(b"no parquet")
    with pytest.raises(BadInput, match="is damaged"):
        sweep(path, out=where)
    (where / ROWS_FILE).unlink()
    assert sweep(path, out=where, resume=True).result() == found.result()
    edited(where / "blocks.json", lambda data: data.update(block_pairs=0))
    with pytest.raises(BadInput, match="block_pairs is 0"):
        sweep(path, out=where)
    (where / "cells.parquet").write_bytes(b"no parquet")
    with pytest.raises(BadInput, match="is damaged"):
        sim.load_sweep(where)
    with pytest.raises(BadInput, match="is missing"):
        sim.load_sweep(folder)


def test_sweep__a_cell_that_fails_is_a_row_and_the_others_finish(folder, monkeypatch):
    from sim.games.dispatch.plan import DispatchPlan

    play_rows = DispatchPlan.play_rows

    def failing(self, chunk, bench=None):
        if self.scenario.economy.toll == 3:
            raise ZeroDivisionError("a bot divides by 0")
        return play_rows(self, chunk, bench)

    monkeypatch.setattr(DispatchPlan, "play_rows", failing)
    found = sweep(written(folder), out=folder / "failed")
    assert [cell.error for cell in found.cells[2:]] == ["ZeroDivisionError: a bot divides by 0"] * 2
    assert found.failed == found.cells[2:]
    assert all(cell.estimates for cell in found.cells[:2])
    table = pq.read_table(folder / "failed" / ROWS_FILE)
    assert {error for error in table["error"].to_pylist() if error} == {"ZeroDivisionError: a bot divides by 0"}
    frame = sim.load_sweep(folder / "failed")
    assert frame["error"].notna().sum() == 2


def test_sweep__illegal_orders_are_told_of_and_fail(folder, sim_command):
    (folder / "bad.py").write_text(
        "from sim.bots import bot\n\n\n@bot\ndef bad(rules, state, c, params, stream):\n"
        "    return 999999 if rules.toll_dollars == 3 else 0\n"
    )
    path = written(folder, "illegal.yaml", bots="[bad.py:bad, random]", keys="{economy.toll: [1, 3]}")
    answer = sim_command("sweep", path, "--out", folder / "illegal")
    assert answer.code == 1
    told = " ".join(answer.out.split())
    assert "A bot gave illegal orders in 1 of 2 cells, first in economy.toll=3; their pairs do not count." in told


def test_sweep__a_shard_needs_a_folder_of_its_own(folder):
    path = written(folder, "whole.yaml", keys="{economy.toll: [1, 3]}", matches="64")
    sweep(path, out=folder / "finished")
    plan = make_sweep_plan(path)
    message = "holds the whole sweep; a shard of it needs a folder of its own"
    with RunFolder(folder / "finished", plan.digest) as held, pytest.raises(BadInput, match=message):
        play_sweep(plan, folder=held, resume=True, shard=(1, 2))
    assert not (folder / "finished" / "unfinished.json").exists()


def test_sweep__too_many_matches_are_refused(folder):
    assert "matches is 1,000,000,000,000; must be at most 10,000,000 a cell" in refused(written(folder), matches=10**12)


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"keys": "{economy.tol: [1]}"}, "own.yaml:4: keys.economy.tol has no valid cell at economy.tol=1: "),
        ({"keys": "{economy.toll: [1, -2]}"}, "own.yaml:4: keys.economy.toll has no valid cell at economy.toll=-2: "),
        ({"keys": "{economy.toll: {from: 3, to: 1}}"}, "has nothing in it, from 3 to 1"),
        ({"keys": "{economy.toll: []}"}, "must be a list of values"),
        ({"keys": "{economy.toll: [1, 1]}"}, "has 1 twice"),
        ({"keys": "{economy.toll: {from: 1}}"}, "has no to; must be a range"),
        ({"keys": "{economy.toll: {}}"}, "has no from; must be a range"),
        ({"keys": "{economy.toll: {frm: 1, to: 2}}"}, "has the entry 'frm'; must be a range such as"),
        ({"keys": "{economy.toll: {frm: 1, to: 2}}"}, "; did you mean 'from'?"),
        ({"keys": "{economy.toll: {from: .nan, to: 2}}"}, "has nan as its from, which is no number"),
        ({"keys": "{economy.toll: {from: 1, to: '3'}}"}, "has '3' as its to, which is no number"),
        ({"keys": "{extends: [random-map]}"}, "extends is no key that is known here; must be one of schema, game,"),
        ({"keys": "{economy.toll: {from: 1, to: 2, step: 0}}"}, "must be a step above 0"),
        ({"keys": "{economy.toll: {from: 0.5, to: 2}}"}, "has no step; must have one with grid"),
        ({"keys": "{economy.toll: {from: 0, to: 99999}}"}, "has 100,000 values"),
        ({"keys": "{economy.toll: {from: 0, to: 200}, dispatches: {from: 1, to: 200}}"}, "make 40,200 cells"),
        ({"keys": "{bots: [greedy]}"}, "says already who plays; must be left out"),
        ({"bots": None, "keys": "{bots: [3]}"}, "must be two bots"),
        ({"bots": None, "keys": "{bots: [gredy]}"}, "bot 'gredy' is unknown"),
        ({"bots": "[greedy, nobody]"}, "own.yaml:3: bots bot 'nobody' is unknown"),
        ({"scenario": "stndard"}, "own.yaml:2: scenario is 'stndard', which is no file and no shipped scenario"),
        ({"keys": "{economy.toll: [2], economy: [{toll: 1}]}"}, "keys.economy lies within economy.toll, or"),
        ({"keys": "{map: [nowhere.yaml]}"}, "nowhere.yaml there is no such file"),
        ({"bots": "[a, b, c]"}, "must be two bots"),
        ({"design": "scren"}, "is 'scren'; must be grid or random or lhs or sobol or oat or screen or focus"),
        ({"design": "screen", "keys": "{economy.toll: [1]}"}, "has one value; must have two or more with screen"),
        ({"design": "screen", "trajectories": "9000"}, "make 27,000 points; must be at most 10,000"),
        ({"trajectories": "4"}, "trajectories is 4; must be left out, since only screen has trajectories"),
        ({"design": "lhs"}, "cells is missing; must say how many cells lhs takes"),
        ({"cells": "4"}, "cells is 4; must be left out, since grid"),
        ({"design": "sobol", "cells": "6"}, "must be a power of two"),
        ({"design": "focus"}, "goals is missing"),
        ({"goals": "none.yaml"}, "there is no file"),
        ({"scenario": "none.yaml"}, "own.yaml:2: scenario is 'none.yaml', and there is no file"),
        ({"scenario": "four-players"}, "has no bots"),
        ({"matches": "1"}, "must be a whole number of matches a cell"),
        ({"seed": "-1"}, "seed is -1"),
        ({"keys": "{map: [nowhere.yaml]}"}, "keys.map has no valid cell at map=nowhere: "),
    ],
)  # fmt: skip
def test_sweep__bad_sweeps_are_refused_before_a_match(tmp_path, changes, message):
    assert message in refused(written(tmp_path, **changes)).replace(f"{tmp_path}/", "")


def test_sweep__a_combination_that_is_invalid_is_told_of_at_all_keys(tmp_path):
    (tmp_path / "mine.yaml").write_text("extends: short.yaml\nname: mine\ndefine: {mine: {bot: greedy}}\n")
    keys = "{define.mine.bot: [greedy, random], define.mine.noise: [0, 1]}"
    said = refused(written(tmp_path, scenario="mine.yaml", keys=keys)).replace(f"{tmp_path}/", "")
    assert said.startswith("own.yaml:4: keys has no valid cell at define.mine.bot=random, define.mine.noise=0: ")


def test_sweep__matches_have_to_be_possible(tmp_path, monkeypatch):
    monkeypatch.setattr("sim.games.dispatch.plan.BLOCKS", 1e-12)
    assert "must be at most" in refused(written(tmp_path), matches=2**40)


# -- designs ----------------------------------------------------------------------------------------------------------


def test_designs__grid_and_one_at_a_time():
    assert list(grid([2, 3])) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert list(one_at_a_time([2, 1])) == [(0, 0), (0, 1), (1, 0)]


@pytest.mark.parametrize("design", ["random", "lhs", "sobol"])
def test_designs__points_by_chance(design):
    points = sampled(design, 3, 64, 7)
    assert points.shape == (64, 3)
    assert ((points >= 0) & (points < 1)).all()
    assert np.array_equal(points, sampled(design, 3, 64, 7))
    assert not np.array_equal(points, sampled(design, 3, 64, 8))
    parts = np.sort(np.floor(points * 64).astype(int), axis=0)
    assert (parts == np.arange(64)[:, None]).all() == (design != "random")


def test_designs__trajectories_turn_every_key_once():
    counts = [2, 3, 4, 9]
    paths = trajectories(counts, 30, 5)
    assert paths.shape == (30, 5, 4)
    assert ((paths >= 0) & (paths < counts)).all()
    steps = np.diff(paths, axis=1)
    assert (np.count_nonzero(steps, axis=2) == 1).all()
    assert (np.abs(steps).sum(axis=1) == [1, 1, 2, 4]).all()
    assert {tuple(np.argmax(path != 0, axis=1)) for path in steps} > {(0, 1, 2, 3)}, "in any order"
    assert (steps.sum(axis=1) > 0).any(axis=0).all()
    assert (steps.sum(axis=1) < 0).any(axis=0).all()
    assert np.array_equal(paths, trajectories(counts, 30, 5))
    assert not np.array_equal(paths, trajectories(counts, 30, 6))


def test_designs__there_are_no_others():
    with pytest.raises(ValueError, match="must be random, lhs or sobol"):
        sampled("grid", 1, 1, 1)


def test_levels__are_equally_wide():
    levels = Levels((4, 5, 6))
    assert [levels.at(share) for share in (0, 0.33, 0.34, 0.67, 0.999)] == [4, 4, 5, 6, 6]
    wide = Levels((0.0, 2.0), True)
    assert (wide.at(0.25), wide.count, levels.count) == (0.5, None, 3)
    assert levels.stepped == (4, 5, 6)
    assert Levels((0.0, 3.0), True).stepped == (0.0, 1.0, 2.0, 3.0)
    assert [Levels(values).ordered for values in ((1, 2.5), (1, None), ("a", "b"), (True, False))] == [
        True, False, False, False,
    ]  # fmt: skip


def test_levels__in_words():
    assert level_words({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}) == "5 entries"
    assert [level_words(one) for one in (None, True, 3, "maps/grand.yaml", {"admit": 0.2}, ["a", "b"], [1, 2], {})] == [
        "null", "true", "3", "grand", "admit 0.2", "a vs b", "[1, 2]", "{}",
    ]  # fmt: skip


def test_parts__blocks_are_64_or_a_pair_each():
    assert [part_size(n) for n in (1, 639, 640, 10_000)] == [1, 1, 10, 157]


# -- the command ------------------------------------------------------------------------------------------------------


def test_sweep__the_command(sim_command, tmp_path, monkeypatch):
    path = written(tmp_path)
    done = sim_command("sweep", path, "--out", tmp_path / "out", "--threads", 1)
    assert done.code == 0
    assert done.out.startswith("sweep of short · greedy vs random · 4 cells · ")
    assert max(map(len, done.out.splitlines())) <= 80
    assert "reference: economy.toll=1, economy.income=1" in done.out
    again = sim_command("sweep", path, "--out", tmp_path / "out", "--json")
    assert json.loads(again.out)["cells"][0]["label"].startswith("economy.toll=1")
    more = sim_command("sweep", path, "--out", tmp_path / "out", "--matches", 2 * MATCHES)
    assert (more.code, "--resume goes on with it" in more.err) == (2, True)
    for number in (1, 2):
        part = sim_command("sweep", path, "--out", tmp_path / f"part{number}", "--shard", f"{number}/2")
        assert part.code == 0
        assert f"Shard {number}/2 is complete" in part.err
    parts = [word for number in (1, 2) for word in ("--merge", tmp_path / f"part{number}")]
    merged = sim_command("sweep", path, "--out", tmp_path / "merged", *parts)
    assert merged.out.replace("merged", "out") == done.out
    bad = sim_command("sweep", path, "--shard", "3/2")
    assert (bad.code, "must be the number of a shard" in bad.err) == (2, True)


def test_sweep__the_command_interrupted(sim_command, tmp_path, monkeypatch):
    def stopping(parts, threads):
        raise KeyboardInterrupt
        yield

    path = written(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("sim.running.executors.threads.play_parts", stopping)
        stopped = sim_command("sweep", path, "--out", tmp_path / "out")
    assert stopped.code == 130
    assert f"sim sweep {path} --out {tmp_path / 'out'} --resume" in stopped.err
    assert sim_command("sweep", path, "--out", tmp_path / "out", "--resume").code == 0
    words = ["sim", "sweep", str(path), "--out"]
    assert read_json(tmp_path / "out" / "manifest.json")["command"] == [*words, str(tmp_path / "out"), "--resume"]
    assert sim_command("sweep", path, "--out", tmp_path / "other").code == 0
    assert read_json(tmp_path / "other" / "manifest.json")["command"] == [*words, str(tmp_path / "other")]


def test_sweep__the_command_tells_of_failed_cells(sim_command, tmp_path, monkeypatch):
    from sim.games.dispatch.plan import DispatchPlan

    play_rows = DispatchPlan.play_rows

    def failing(self, chunk, bench=None):
        if self.scenario.economy.toll == 3:
            raise ZeroDivisionError("a bot divides by 0")
        return play_rows(self, chunk, bench)

    monkeypatch.setattr(DispatchPlan, "play_rows", failing)
    done = sim_command("sweep", written(tmp_path), "--out", tmp_path / "out")
    assert done.code == 1
    assert "cell 2 failed, economy.toll=3, economy.income=1: ZeroDivisionError" in " ".join(done.out.split())
