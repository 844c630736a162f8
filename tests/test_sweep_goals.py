"""Goals in every cell of a sweep, and `focus`: matches where they are undecided, the same however they were played."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from sim.config.errors import BadInput
from sim.reports.sweep_choice import grid_of, map_view, met_scores
from sim.reports.sweep_curves import curve_figure
from sim.reports.sweep_figures import map_figure, verdict_of
from sim.reports.sweep_page import write_sweep_report
from sim.reports.sweep_terminal import print_sweep
from sim.running.executors import executor_of
from sim.running.parts import PART_BLOCKS
from sim.running.runner import Interrupted
from sim.stats.goals import GoalVerdict
from sim.store import RunFolder
from sim.studies.sweep import play_sweep, sweep
from sim.studies.sweep_plan import FOCUS_SHARE, make_sweep_plan
from sim.studies.sweep_result import Sweep, shown_metrics
from sim.studies.sweep_rows import ROWS_FILE
from tests.run_tools import interrupting
from tests.test_sweep import written
from tests.test_sweep_choice import named

MATCHES = 512
BANDS = '{tolls: "<= 0.02", purchases.siding.first: ">= 0.01", "abs(seat_bias)": "<= 90pp"}'


def goals(folder: Path, bands: str = BANDS) -> Path:
    path = folder / "goals.yaml"
    path.write_text(f"schema: 1\nscenario: short.yaml\nbots: [[greedy, random]]\nbands: {bands}\n")
    return path


def focused(folder: Path) -> Path:
    goals(folder)
    keys = "{economy.siding_cost: [1, 3, 90], economy.toll: [0, 1]}"
    return written(folder, keys=keys, design="focus", goals="goals.yaml", matches=str(MATCHES))


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("focus")


@pytest.fixture(scope="module")
def found(folder) -> Sweep:
    return sweep(focused(folder), out=folder / "whole", threads=2)


def text(found: Sweep) -> str:
    shown = io.StringIO()
    print_sweep(found, Console(file=shown, width=80, markup=False, highlight=False))
    return shown.getvalue()


def test_focus__stays_within_its_budget(found):
    first = 2 * PART_BLOCKS * found.manifest["block_pairs"]
    assert all(cell.n_matches % first == 0 for cell in found.cells)
    assert all(cell.n_matches <= FOCUS_SHARE * MATCHES for cell in found.cells)
    assert FOCUS_SHARE * sum(cell.n_matches for cell in found.cells) <= len(found.cells) * MATCHES
    assert any("of what all cells alike would get" in note for note in found.notes)
    assert any("over the cell's own matches" in note for note in found.notes)


def test_focus__spends_on_the_undecided(found):
    first = 2 * PART_BLOCKS * found.manifest["block_pairs"]
    more = [cell for cell in found.cells if cell.n_matches > first]
    assert more, "something was undecided at the first look"
    dear = [cell for cell in found.cells if cell.values["economy.siding_cost"] == 90]
    assert {result.verdict for cell in dear for result in cell.goals if result.goal.metric.startswith("purch")} <= {
        GoalVerdict.VIOLATED,
        GoalVerdict.UNDECIDED,
    }


def test_focus__is_the_same_however_it_was_played(found, folder):
    path = focused(folder)
    plan = make_sweep_plan(path)
    with RunFolder(folder / "stopped", plan.digest) as held, pytest.raises(Interrupted):
        play_sweep(plan, folder=held, progress=interrupting(8), executor=executor_of(1))
    again = sweep(path, out=folder / "stopped", resume=True, threads=1)
    assert again.result() == found.result()
    assert (folder / "stopped" / ROWS_FILE).read_bytes() == (folder / "whole" / ROWS_FILE).read_bytes()


def test_focus__compares_cells_on_the_blocks_that_both_have(found):
    for cell in found.cells:
        if not cell.reference:
            assert cell.differences["points.first"].n == min(cell.n_matches, found.reference.n_matches)


def test_focus__is_told(found):
    said = text(found)
    assert max(map(len, said.splitlines())) <= 80
    assert "Goals" in said
    assert "all goals" in said
    assert "in up to" in said
    assert shown_metrics(found.cells) == ["tolls", "purchases.siding.first", "seat_bias"]


def test_focus__takes_no_shards(folder):
    plan = make_sweep_plan(focused(folder))
    with RunFolder(folder / "shard", plan.digest) as held, pytest.raises(BadInput, match="must be left out with focus"):
        play_sweep(plan, folder=held, shard=(1, 2))


def test_goals__are_judged_in_every_cell_of_a_grid(folder):
    goals(folder, '{purchases.siding.first: "<= 30", points.first: ">= 30000", shared: [0%, 90%]}')
    found = sweep(written(folder, "grid.yaml", goals="goals.yaml", matches="64"))
    for cell in found.cells:
        told = {one.goal.metric: one.verdict for one in cell.goals}
        assert told["purchases.siding.first"] is not GoalVerdict.VIOLATED
        assert told["points.first"] is not GoalVerdict.MET
        assert cell.verdict is not GoalVerdict.MET
    assert set(found.frame["verdict"]) <= {"violated", "undecided"}


def test_goals__met_cells_are_listed(folder):
    goals(folder, '{shared: ">= 0%"}')
    said = text(sweep(written(folder, "grid.yaml", goals="goals.yaml", matches="64")))
    assert "All goals are met in 4 cells:" in said
    assert "\n  toll 1, income 1 | 2\n  toll 3, income 1 | 2\n" in said


def test_goals__that_take_a_tournament_are_said_not_to_be_judged(folder):
    path = folder / "goals.yaml"
    head = "schema: 1\nscenario: short.yaml\nbots: [[greedy, random]]\n"
    path.write_text(head + "bands: {dominated_bots: 0, shared: '>= 0%'}\n")
    found = sweep(written(folder, "grid.yaml", goals="goals.yaml", matches="32"))
    assert any("takes a tournament" in note for note in found.notes)
    path.write_text(head + "bands: {dominated_bots: 0}\n")
    with pytest.raises(BadInput, match="has no band but dominated_bots"):
        sweep(written(folder, "grid.yaml", goals="goals.yaml", matches="32"))


# -- the report -------------------------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_report__maps_curves_and_every_cell(found, folder):
    page = (folder / "whole" / "report.html").read_text(encoding="utf-8")
    for cell in found.cells:
        assert cell.label in page
    assert "undecided" in page
    assert "http" not in page.replace("http://www.w3.org", "")
    drawn = {path.stem for path in (folder / "whole" / "figures").glob("*.svg")}
    assert {"map-goals", "map-goal1", "map-goal2", "curve1"} <= drawn
    assert "same in every cell: seat_bias." in page
    assert all(f'id="{name}"' in page for name in drawn)
    before = (folder / "whole" / "report.html").read_bytes()
    write_sweep_report(found, folder / "whole")
    assert (folder / "whole" / "report.html").read_bytes() == before


def test_report__undecided_cells_are_hatched(found):
    verdicts = [cell.verdict for cell in found.cells]
    goals = [one.goal.text for one in found.cells[0].goals]
    grid = grid_of(found)
    figure = map_figure(found, map_view(grid, met_scores(grid)), "tolls", "")
    (hatched,) = named(figure, "undecided")
    assert hatched.get_hatch()
    assert len(hatched.get_offsets()) == sum(verdict is GoalVerdict.UNDECIDED for verdict in verdicts)
    boxes = [*named(figure, "cells"), hatched]
    assert sum(len(one.get_offsets()) for one in boxes) == len(found.cells)
    assert {verdict_of(cell, "") for cell in found.cells} == set(verdicts)
    assert verdict_of(found.cells[0], goals[1]) is found.cells[0].goals[1].verdict
    assert verdict_of(found.cells[0], "no goal") is None


@pytest.mark.compiled
def test_report__curves_have_the_figures_of_their_cells(found):
    grid = grid_of(found)
    (curve,) = named(curve_figure(found, grid, "purchases.siding.first", "economy.siding_cost"), "curves")
    heights = np.array(curve.get_segments()[0])[:, 1]
    cells = [cell for cell in found.cells if cell.values["economy.toll"] == found.reference.values["economy.toll"]]
    values = np.array([cell.estimates["purchases.siding.first"].value for cell in cells])
    assert (heights - heights[0]) / np.ptp(heights) == pytest.approx((values - values[0]) / np.ptp(values))
    curves = named(curve_figure(found, grid, "tolls", "economy.siding_cost", "economy.toll"), "curves")[0]
    assert len(curves.get_segments()) == 2


@pytest.mark.compiled
def test_report__without_goals_and_one_key_at_a_time(folder):
    path = written(folder, "oat.yaml", design="oat", matches="32")
    one = sweep(path, out=folder / "oat")
    drawn = {path.stem for path in (folder / "oat" / "figures").glob("*.svg")}
    assert drawn
    assert all(name.startswith("curve") for name in drawn)
    sweep(written(folder, "grid.yaml", matches="32"), out=folder / "plain")
    assert {"map3", "curve3"} <= {path.stem for path in (folder / "plain" / "figures").glob("*.svg")}
    assert one.reference.label in (folder / "oat" / "report.html").read_text(encoding="utf-8")
