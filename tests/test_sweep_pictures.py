"""Pictures of a sweep: where all goals are met, two goals at once, points by chance, screens, a pick's way."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sim.reports.sweep_choice import grid_of, map_view, scores
from sim.reports.sweep_figures import _digits, map_figure, outline
from sim.reports.sweep_page import write_sweep_report
from sim.reports.sweep_plots import pick_figure, scatter_figure, screen_figure, trade_figure
from sim.stats.figures import Estimate
from sim.stats.goals import Band, Goal
from sim.stats.intervals import t_quantile
from sim.stats.trade import Distances, Side, distances, groups, sides
from sim.studies.sweep import sweep
from tests.test_browser import CHROMIUM, asked
from tests.test_sweep import written
from tests.test_sweep_choice import named, words
from tests.test_sweep_goals import goals

MATCHES = 64


def drawn(folder: Path) -> set[str]:
    return {path.stem for path in (folder / "figures").glob("*.svg")}


# -- what is drawn, as numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "low", "high", "method", "unit", "shown"),
    [
        (0.0009953, 0.0001, 0.0036, "wilson", "share", "0.10"),
        (0.4, 0.398, 0.402, "wilson", "share", "40.00"),
        (4.7712, 4.56, 4.98, "t", "points", "4.77"),
        (0.45, 0.44, 0.46, "t", "dollars", "0.450"),
        (9.0, 8.0, 9.0, "inversion", "points", "9"),
        (0.0, None, None, "exact", "share difference", "0"),
    ],
)
def test_digits__of_a_map_are_those_that_the_interval_supports(value, low, high, method, unit, shown):
    assert _digits(Estimate("a vs b", "x", value, low, high, 1_000, 500, method), unit) == shown


def test_outline__goes_around_a_region_once():
    square = outline({(0, 0), (1, 0), (0, 1), (1, 1)})
    assert len(square) == 8
    ends = [end for line in square for end in line]
    assert all(ends.count(end) == 2 for end in ends), "it is closed"
    assert (min(ends), max(ends)) == ((-0.5, -0.5), (1.5, 1.5))
    ring = {(x, y) for x in range(3) for y in range(3)} - {(1, 1)}
    assert len(outline(ring)) == 12 + 4
    assert outline(set()) == []


def test_sides__of_the_front():
    def known(*values: tuple[float, float]) -> Distances:
        centre, half = np.array(values).T
        return Distances(centre, centre - half, centre + half)

    one = known((0, 0.1), (1, 0.1), (2, 0.1), (2, 0.1), (0.1, 1.0))
    other = known((2, 0.1), (1, 0.1), (0, 0.1), (2, 0.1), (2.1, 1.0))
    assert sides(one, other) == [Side.FRONT, Side.FRONT, Side.FRONT, Side.BEHIND, Side.MAYBE]
    assert sides(known((1, 0.0), (1, 0.0)), known((1, 0.0), (1, 0.0))) == [Side.FRONT, Side.FRONT], "neither beats"


def test_distances__of_intervals_are_smallest_inside():
    goal = Goal("x", Band(0.4, 0.6), "", "share")
    estimates = [
        Estimate("", "x", 0.5, 0.3, 0.8, 10, 5, ""),
        Estimate("", "x", 0.9, None, None, 10, 5, ""),
        Estimate("", "x", None, None, None, 0, 0, ""),
    ]
    found = distances(goal, estimates)
    assert found.value.tolist() == pytest.approx([-1, 3, math.inf])
    assert found.low[0] == pytest.approx(-1, abs=0.05)
    assert found.high[0] == pytest.approx(2)
    assert (found.low[1], found.high[1]) == (pytest.approx(3), pytest.approx(3))


def test_groups__are_means_of_cells_with_t_intervals():
    found = groups([1, 1, 1, 2, 2, 3], [0.0, 1.0, 2.0, 5.0, 7.0, 9.0], 0.95)
    assert [(one.at, one.mean) for one in found] == [(1, 1), (2, 6), (3, 9)]
    assert found[0].high == pytest.approx(1 + t_quantile(3, 0.95) / math.sqrt(3))
    assert (found[1].low, found[2].low) == (None, None), "too few cells for an interval"
    many = groups(list(range(90)), [float(x) for x in range(90)], 0.95)
    assert len(many) == 8
    assert [one.at for one in many] == pytest.approx([one.mean for one in many])
    assert groups([1.0], [math.nan], 0.95) == []
    assert groups([1, 1, 1], [0.0, 1.0, 0.0], 0.95, limits=(0, 1))[0].low == 0


# -- the pictures of sweeps -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("pictures")


@pytest.fixture(scope="module")
def three(folder):
    goals(folder, '{shared: ">= 0%", tolls: "<= 0.02", points.first: "<= 32", "abs(seat_bias)": "<= 90pp"}')
    keys = "{economy.siding_cost: [1, 3, 90], economy.toll: [0, 1], economy.income: [1, 2]}"
    return sweep(written(folder, keys=keys, goals="goals.yaml", matches=str(MATCHES)), out=folder / "three")


@pytest.mark.compiled
def test_pictures__of_three_keys_have_a_map_for_each_value_of_the_third(three, folder):
    assert {"map-goals", "map-goal2", "trade1", "curve2"} <= drawn(folder / "three")
    grid = grid_of(three)
    for metric in ("tolls", "points.first"):
        view = map_view(grid, [scores(grid, metric)])
        figure = map_figure(three, view, metric, "")
        assert view.by is not None
        assert len(words(figure, "values")) == len(three.cells)
        levels = three.keys[view.by]
        assert words(figure, "panels") == [f"{view.by.rpartition('.')[2]} {level}" for level in levels]


@pytest.mark.compiled
def test_pictures__the_region_is_outlined_where_all_goals_are_met(folder):
    goals(folder, '{shared: ">= 0%"}')
    found = sweep(written(folder, "met.yaml", goals="goals.yaml", matches=str(MATCHES)))
    grid = grid_of(found)
    view = map_view(grid, [scores(grid, "shared")])
    (region,) = named(map_figure(found, view, "shared", ""), "region")
    assert len(region.get_segments()) == 8
    assert not named(map_figure(found, view, "shared", None), "region")


@pytest.mark.compiled
def test_pictures__of_two_goals_show_every_cell_once(three):
    bands = {one.goal.metric: one.goal for one in three.cells[0].goals}
    axes = trade_figure(three, bands["tolls"], bands["points.first"]).axes[0]
    shown = sum(len(container.lines[0].get_xdata()) for container in axes.containers)
    assert shown == len(three.cells)
    assert axes.get_xlabel() == "tolls <= 0.02: band units outside"


@pytest.mark.compiled
def test_pictures__of_points_by_chance(folder):
    keys = "{economy.toll: {from: 0, to: 9}, cargo.rewards: [[1, 2], [3, 4, 5]]}"
    found = sweep(written(folder, "lhs.yaml", keys=keys, design="lhs", cells="6"), matches=32, out=folder / "lhs")
    assert any(name.startswith("scatter") for name in drawn(folder / "lhs"))
    figure = scatter_figure(found, "spread.mean")
    assert words(figure, "key") == list(found.keys)
    assert words(figure, "levels")[-2:] == ["[1, 2]", "[3, 4, 5]"]
    points, arms = named(figure, "cells")[0], named(figure, "intervals")[0]
    assert len(points.get_offsets()) == len(arms.get_segments()) == len(found.cells)


@pytest.mark.compiled
def test_pictures__of_a_screen_have_no_key_that_does_nothing(folder):
    keys = "{economy.toll: [0, 1, 2], economy.siding_cost: [1, 90], map.layout: [null, {}]}"
    path = written(folder, "screen.yaml", keys=keys, design="screen", trajectories="3", matches=str(MATCHES))
    found = sweep(path, out=folder / "screen")
    figure = screen_figure(found, "spread.mean")
    assert set(words(figure, "names")) <= {"toll", "siding_cost"}
    assert len(named(figure, "keys")[0].get_offsets()) == len(words(figure, "names"))
    assert any(name.startswith("screen") for name in drawn(folder / "screen"))
    page = (folder / "screen" / "report.html").read_text(encoding="utf-8")
    assert "What the keys do" in page


@pytest.mark.compiled
def test_pictures__of_a_pick_show_its_way(folder):
    goals(folder, '{purchases.siding.first: [0.02, 0.04], tolls: "<= 5"}')
    keys = "{economy.siding_cost: [1, 2, 3, 4, 90], economy.toll: [0, 1]}"
    path = written(folder, "pick.yaml", keys=keys, goals="goals.yaml", pick="best", matches=str(2 * MATCHES))
    found = sweep(path, out=folder / "pick")
    axes = pick_figure(found).axes[0]
    assert len(axes.lines) == len(found.cells)
    assert len(axes.texts) == len(found.pick.finalists)
    page = (folder / "pick" / "report.html").read_text(encoding="utf-8")
    assert f"Best: {found.pick.best.label}." in page
    before = (folder / "pick" / "report.html").read_bytes()
    write_sweep_report(found, folder / "pick")
    assert (folder / "pick" / "report.html").read_bytes() == before


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
@pytest.mark.compiled
def test_browser__the_page_of_a_sweep(three, folder, tmp_path):
    script = """
      const pictures = [...document.querySelectorAll("figure svg")].map((one) => one.getBoundingClientRect());
      for (const one of document.querySelectorAll("details")) one.open = true;
      const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
      return {
        shown: pictures.filter((one) => one.width > 100 && one.height > 50).length, pictures: pictures.length,
        twice: ids.length - new Set(ids).size, wide: document.documentElement.scrollWidth - innerWidth,
        hatched: document.querySelectorAll("pattern").length,
        steps: [...document.querySelectorAll("td")].filter((one) => one.textContent.includes("→")).length,
      };
    """
    told = asked((folder / "three" / "report.html").read_text(encoding="utf-8"), script, tmp_path)
    assert told["shown"] == told["pictures"] == len(drawn(folder / "three"))
    assert told["twice"] == 0
    assert told["wide"] <= 0
    assert told["hatched"] > 0
    assert told["steps"] > 0
