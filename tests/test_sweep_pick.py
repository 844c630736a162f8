"""`pick: best`: what better means, the budget, halving on the same luck, fresh luck, and who cannot be told apart."""

from __future__ import annotations

import io
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from sim.config.errors import BadInput
from sim.reports.sweep_pick_terminal import pick_sentences
from sim.reports.sweep_terminal import print_sweep
from sim.running.executors import executor_of
from sim.running.runner import Interrupted
from sim.stats.figures import Bins, Totals
from sim.stats.goals import Band, Goal
from sim.stats.resampling import resampled_blocks
from sim.stats.standing import Standing, band_unit, distance_from, share_better, standing, values_by_resample
from sim.store import RunFolder
from sim.studies.sweep import play_sweep, sweep
from sim.studies.sweep_picked import Apart
from sim.studies.sweep_plan import CONFIRM_FROM, FOCUS_SHARE, make_sweep_plan
from sim.studies.sweep_result import Sweep
from sim.studies.sweep_rows import ROWS_FILE
from tests.run_tools import interrupting
from tests.test_sweep import refused, written
from tests.test_sweep_goals import goals

MATCHES = 2_048
BANDS = '{purchases.siding.first: [0.02, 0.04], tolls: "<= 5"}'


def goal(low: float, high: float, *, absolute: bool = False, unit: str = "share") -> Goal:
    return Goal("x", Band(low, high, absolute), "", unit)


# -- what better means ------------------------------------------------------------------------------------------------


def test_standing__distances_are_counted_in_band_units():
    assert band_unit(goal(0.35, 0.65)) == pytest.approx(0.15)
    assert band_unit(goal(-math.inf, 0.3)) == 0.3
    assert band_unit(goal(0.5, math.inf)) == 0.5
    assert band_unit(goal(-math.inf, 0.005, absolute=True)) == 0.005
    assert band_unit(goal(0.0, 0.005, absolute=True)) == 0.005, "a size is never below 0"
    assert band_unit(goal(0.0, 0.0)) == 0.01
    assert band_unit(goal(0.0, 0.0, unit="count")) == 1.0
    assert band_unit(goal(3.0, 3.0, unit="points")) == 3.0
    far = distance_from(goal(0.35, 0.65), np.array([0.2, 0.35, 0.5, 0.8, math.nan]))
    assert far.tolist() == pytest.approx([1, 0, -1, 1, math.inf])
    assert distance_from(goal(-math.inf, 0.5, absolute=True), np.array([-1.0])).item() == 1.0


def test_standing__fewer_outside_then_nearer_then_deeper_inside():
    bands = [goal(0, 1), goal(-math.inf, 1)]
    deep, inside, edge = (standing(bands, values) for values in ((0.5, 0.2), (0.5, 0.8), (0.5, 1.0)))
    near, far, both = (standing(bands, values) for values in ((0.5, 1.1), (0.5, 3.0), (1.1, 1.1)))
    assert deep < inside < edge < near < far < both
    assert edge == Standing(0, 0.0, 0.0)
    assert (near.outside, near.distance) == (1, pytest.approx(0.1))
    assert standing(bands, (0.5, math.nan)).distance == math.inf


def test_share_better__of_resamples_on_common_luck():
    bands = [goal(-math.inf, 1, unit="points")]
    counts = resampled_blocks(16, 400, 1)
    luck = np.random.default_rng(2).integers(80, 120, 16)

    def played(shift: int) -> list[np.ndarray]:
        return [values_by_resample(Totals(luck + shift, np.full(16, 100), np.full(16, 50)), counts)]

    assert share_better(bands, played(0), played(1)) == 1.0, "the luck is common"
    assert share_better(bands, played(1), played(0)) == 0.0
    assert share_better(bands, played(0), played(0)) == 0.0, "strictly"
    other = np.random.default_rng(3).integers(80, 120, 16) + 1
    apart = share_better(bands, played(0), [values_by_resample(Totals(other, np.full(16, 100), luck), counts)])
    assert 0.02 < apart < 0.98, "luck of its own does not cancel"


def test_values__of_quantiles_and_of_what_is_left_to_nothing():
    bins = Bins(np.array([0, 1, 2]), np.array([[5, 5, 0], [0, 0, 10]]), np.array([5, 5]))
    counts = np.array([[2, 0], [1, 1], [0, 2]])
    assert values_by_resample(bins, counts, 0.9).tolist() == [1, 2, 2]
    one = Totals(np.array([3]), np.array([4]), np.array([2]))
    assert values_by_resample(one, counts).tolist() == [0.75] * 3
    none = Totals(np.array([0, 3]), np.array([0, 4]), np.array([0, 2]))
    assert np.isnan(values_by_resample(none, counts)[0])


# -- a pick -----------------------------------------------------------------------------------------------------------


def picking(folder: Path, name: str = "pick.yaml", bands: str = BANDS, **changes: str) -> Path:
    goals(folder, bands)
    keys = "{economy.siding_cost: [1, 2, 3, 4, 88, 89, 90, 91], economy.toll: [0, 1]}"
    lines = {"keys": keys, "pick": "best", "goals": "goals.yaml", "matches": str(MATCHES), **changes}
    return written(folder, name, **lines)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("pick")


@pytest.fixture(scope="module")
def found(folder) -> Sweep:
    return sweep(picking(folder), out=folder / "whole", threads=2)


def text(found: Sweep) -> str:
    shown = io.StringIO()
    print_sweep(found, Console(file=shown, width=80, markup=False, highlight=False))
    return shown.getvalue()


@pytest.mark.compiled
def test_pick__stays_within_its_budget(found):
    pick = found.pick
    played = sum(cell.n_matches for cell in found.cells) + sum(one.n_matches for one in pick.finalists)
    assert played == found.manifest["matches_played"]
    assert FOCUS_SHARE * played <= len(found.cells) * MATCHES
    assert pick.share == pytest.approx(played / (len(found.cells) * MATCHES))
    assert 0.1 < pick.share <= 1 / FOCUS_SHARE


@pytest.mark.compiled
def test_pick__halves_the_cells_down_to_four_and_the_better_ones_stay(found):
    rounds = found.pick.rounds
    assert [len(one.standings) for one in rounds] == [16, 8, 4]
    for before, after in pairwise(rounds):
        assert before.parts < after.parts
        assert {cell for cell, _ in after.standings} == {cell for cell, _ in before.standings[: len(after.standings)]}
        assert [own for _, own in before.standings] == sorted(own for _, own in before.standings)
    assert [one.cell for one in found.pick.finalists] == [cell for cell, _ in rounds[-1].standings]


@pytest.mark.compiled
def test_pick__finalists_play_on_luck_of_their_own(found, folder):
    table = pq.read_table(folder / "whole" / ROWS_FILE)
    fresh = table.filter(table["namespace"].to_numpy() == 1)
    assert set(fresh["cell"].to_pylist()) == {found.cells[one.cell].key for one in found.pick.finalists}
    assert min(fresh["block"].to_pylist()) == 16 * CONFIRM_FROM
    assert found.manifest["namespaces"] == [0, 1]
    assert [one.apart is Apart.BEST for one in found.pick.finalists] == [True, False, False, False]


@pytest.mark.compiled
def test_pick__is_the_same_however_it_was_played(found, folder):
    path = picking(folder)
    plan = make_sweep_plan(path)
    with RunFolder(folder / "stopped", plan.digest) as held, pytest.raises(Interrupted):
        play_sweep(plan, folder=held, progress=interrupting(9), executor=executor_of(1))
    again = sweep(path, out=folder / "stopped", resume=True, threads=1)
    assert again.result() == found.result()
    assert (folder / "stopped" / ROWS_FILE).read_bytes() == (folder / "whole" / ROWS_FILE).read_bytes()


@pytest.mark.compiled
def test_pick__is_told(found):
    said = text(found)
    assert max(map(len, said.splitlines())) <= 80
    assert f"Best: {found.pick.best.label}." in " ".join(said.split())
    assert "of what all cells alike would get" in " ".join(said.split())
    told = found.result()["pick"]
    assert len(told["finalists"]) == 4
    assert told["finalists"][0]["apart"] == "best"
    assert len(told["rounds"]) == 3


@pytest.mark.compiled
def test_pick__a_planted_best_is_found_and_told_apart(folder):
    """Only in one cell anything can be bought."""
    keys = "{economy.siding_cost: [null, 3], economy.upgrade_cost: [null, 8], economy.income: [1, 2, 3]}"
    path = picking(folder, "plant.yaml", '{"pick.siding.first": ">= 50%", "pick.upgrade.first": "<= 1%"}', keys=keys)
    found = sweep(path, matches=2_048)
    best = found.cells[found.pick.best.cell]
    assert best.values["economy.siding_cost"] == 3
    assert best.values["economy.upgrade_cost"] is None
    assert len(found.pick.rounds[0].standings) == 12


@pytest.mark.compiled
def test_pick__cells_that_play_alike_cannot_be_told_apart(folder):
    path = picking(folder, "same.yaml", keys="{map.layout: [null, {}], economy.toll: [1, 9]}")
    found = sweep(path, matches=MATCHES)
    best = found.pick.best.cell
    apart = {one.cell: one.apart for one in found.pick.finalists}
    same = [
        other.number
        for other in found.cells
        if other.number != best and other.fingerprint == found.cells[best].fingerprint
    ]
    assert same
    assert all(apart[cell] is Apart.OPEN for cell in same if cell in apart)
    assert any("told apart" in sentence for sentence in pick_sentences(found.pick))


def test_pick__takes_no_shards_and_no_design_that_spreads_its_matches(folder):
    plan = make_sweep_plan(picking(folder))
    with RunFolder(folder / "shard", plan.digest) as held, pytest.raises(BadInput, match="left out with pick: best"):
        play_sweep(plan, folder=held, shard=(1, 2))
    assert "pick is best; must be left out with focus" in refused(picking(folder, design="focus"))
    assert "pick is best; must be left out with screen" in refused(picking(folder, design="screen"))
    assert "pick is 'worst'; must be best" in refused(picking(folder, pick="worst"))
    path = written(folder, "none.yaml", pick="best")
    assert "goals is missing; must name the goals file by which best is judged" in refused(path)


@pytest.mark.compiled
def test_pick__where_every_cell_fails_nothing_is_picked(folder, monkeypatch):
    from sim.games.dispatch.plan import DispatchPlan

    def failing(self, chunk, bench=None):
        raise ZeroDivisionError("a bot divides by 0")

    monkeypatch.setattr(DispatchPlan, "play_rows", failing)
    found = sweep(picking(folder), matches=64)
    assert found.pick is None
    assert len(found.failed) == len(found.cells)
