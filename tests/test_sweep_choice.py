"""Which keys of a sweep are drawn, and where everything lies in what is drawn without axes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from sim.reports import style
from sim.reports.area import Area, beside, scale_of
from sim.reports.sheet import Sheet, rounded_ticks, width_of
from sim.reports.style import LABEL_POINTS
from sim.reports.sweep_choice import effects, grid_of, levels_of, map_view, met_scores, scores, spread_out
from sim.reports.sweep_curves import curve_figure, keys_figure
from sim.reports.sweep_figures import cell_words, map_figure
from sim.reports.sweep_pictures import drawings, still_metrics
from sim.reports.sweep_plots import scatter_figure, trade_figure
from sim.stats.figures import NO_MATCHES, Estimate
from sim.stats.goals import Band, Goal, GoalResult, GoalVerdict
from sim.studies.sweep_judge import inert_keys
from sim.studies.sweep_result import CellResult, Sweep

THREE = {"a": (1, 2, 3), "b": (1, 2, 3), "c": (1, 2, 3), "d": (1, 2, 3)}
Measured = Callable[[Mapping[str, Any]], float]


def made(
    keys: Mapping[str, Sequence[Any]],
    value: Measured,
    reference: Mapping[str, Any] | None = None,
    goal: Goal | None = None,
    design: str = "grid",
) -> Sweep:
    """A sweep of figures that follow from the keys, in points ± 1; a reference beside the grid comes last."""
    own = reference or {key: values[0] for key, values in keys.items()}
    places = [dict(zip(keys, values, strict=True)) for values in product(*keys.values())]
    places = places[::2] if design == "lhs" else places
    places += [] if own in places else [dict(own)]
    if design == "oat":
        places = [one for one in places if sum(one[key] != own[key] for key in keys) <= 1]
    cells = []
    for n, values in enumerate(places):
        x = value(values)
        one = Estimate("p", "spread.mean", x, x - 1, x + 1, 100, 50, "t")
        met = () if goal is None else (GoalResult(goal, one, _verdict(goal, x)),)
        label = ", ".join(f"{key}={level}" for key, level in values.items())
        cells.append(CellResult(n, f"{n}", values, label, values == own, "p", 100, {"spread.mean": one}, {}, met, ""))
    units = {"spread.mean": "points"}
    return Sweep(
        "made", {k: tuple(v) for k, v in keys.items()}, tuple(cells), units, (), {"design": design, "level": 0.95}
    )


def _verdict(goal: Goal, x: float) -> GoalVerdict:
    if goal.band.holds(x - 1, x + 1):
        return GoalVerdict.MET
    return GoalVerdict.VIOLATED if goal.band.excludes(x - 1, x + 1) else GoalVerdict.UNDECIDED


def view_of(found: Sweep) -> Any:
    grid = grid_of(found)
    return map_view(grid, [scores(grid, "spread.mean")])


def named(figure: Any, name: str) -> list[Any]:
    """What was drawn under a name."""
    return [one for one in figure.artists if one.get_label() == name]


def words(figure: Any, name: str) -> list[str]:
    return [word for one in named(figure, name) if hasattr(one, "placed") for _, _, word in one.placed]


# -- which keys -------------------------------------------------------------------------------------------------------


def test_view__has_the_two_keys_that_move_a_figure_most():
    view = view_of(made(THREE, lambda at: 10 * at["d"] + 3 * at["b"] + 0.1 * at["c"]))
    assert (view.across, view.up, view.by) == ("b", "d", "c")
    assert view.ranked == ("d", "b", "c", "a")
    assert len(view.cells) == 27
    assert {cell.values["a"] for cell in view.cells.values()} == {1}


def test_view__of_keys_that_do_as_much_has_those_named_first():
    view = view_of(made(THREE, lambda at: 0.1 * at["a"] + 0.1 * at["b"] + 0.1 * at["c"] + 0.1 * at["d"]))
    assert (view.across, view.up, view.by) == ("a", "b", "c")


def test_view__has_no_third_key_that_moves_nothing():
    view = view_of(made(THREE, lambda at: at["a"] + 2 * at["b"]))
    assert view.by is None
    assert view.panels == (0,)
    assert len(view.cells) == 9


def test_view__of_all_goals_has_the_keys_that_decide():
    goal = Goal("spread.mean", Band(0, 16.5), "spread.mean <= 16.5", "points")
    found = made(THREE, lambda at: 6 * at["c"] + 5 * at["d"], goal=goal)
    grid = grid_of(found)
    together, each = met_scores(grid)
    assert together.tolist() == each.tolist()
    assert set(together.tolist()) == {0.0, 0.5, 1.0}
    view = map_view(grid, [together, each])
    assert (view.across, view.up) == ("c", "d")


def test_effects__are_ranges_of_means_over_the_whole_grid():
    found = made({"a": (1, 2), "b": (1, 2, 3)}, lambda at: at["a"] * at["b"])
    grid = grid_of(found)
    values = scores(grid, "spread.mean")
    assert effects(grid, values).tolist() == pytest.approx([2 / 3, 1])  # means 2 and 4; 1.5, 3 and 4.5; of the largest
    values[0] = np.nan
    assert np.isfinite(effects(grid, values)).all()
    assert effects(grid, np.zeros(6)).tolist() == [0, 0]


def test_grid__stands_at_the_nearest_cell_where_the_reference_is_none():
    found = made({"a": (1, 2, 3), "b": (1, 2, 3), "c": ("x", "y")}, lambda at: at["a"], {"a": 9, "b": 2, "c": "y"})
    grid = grid_of(found)
    assert len(grid.cells) == len(found.cells) - 1
    assert grid.cells[grid.base].values == {"a": 3, "b": 2, "c": "y"}
    assert levels_of(found, "a") == [1, 2, 3, 9]
    assert drawings(found)["map1"].title.endswith("always with c y. The reference is no cell of the grid; it has 9.0.")


def test_view__of_long_words_has_them_beside_the_rows():
    rewards = ([2, 3, 4], [4, 5, 6, 7, 8])
    view = view_of(made({"rewards": rewards, "a": (1, 2)}, lambda at: at["a"] + len(at["rewards"])))
    assert (view.across, view.up) == ("a", "rewards")


def test_view__needs_cells_in_which_both_keys_are_turned():
    assert view_of(made(THREE, lambda at: at["a"], design="oat")) is None
    assert view_of(made({"a": (1, 2, 3)}, lambda at: at["a"])) is None


@pytest.mark.parametrize(
    ("n", "base", "most", "found"),
    [(4, 2, 6, (0, 1, 2, 3)), (11, 0, 3, (0, 5, 10)), (11, 4, 3, (0, 4, 10)), (100, 99, 6, (0, 20, 40, 59, 79, 99))],
)
def test_spread_out__has_the_base(n, base, most, found):
    assert spread_out(n, base, most) == found


# -- what is drawn ----------------------------------------------------------------------------------------------------


def test_map__has_a_box_and_a_number_for_every_cell():
    found = made({"a": (1, 2, 3), "b": (1, 2)}, lambda at: 10 * at["a"] + at["b"])
    figure = map_figure(found, view_of(found), "spread.mean", None)
    (boxes,) = named(figure, "cells")
    places = sorted(boxes.get_offsets().tolist(), key=lambda place: (place[0], place[1]))
    assert len(places) == 6
    shown = sorted((x, y, word) for one in named(figure, "values") for x, y, word in one.placed)
    assert [word for _, _, word in shown] == ["11.0", "12.0", "21.0", "22.0", "31.0", "32.0"]
    assert [place[:2] for place in shown] == [tuple(place) for place in places]
    assert [one.get_fontweight() for one in named(figure, "values")] == ["normal", "bold"]
    assert words(figure, "levels across") == ["1", "2", "3"]
    assert words(figure, "levels up") == ["1", "2"]
    assert figure.get_figwidth() == style.WIDTH_INCHES


def test_map__of_many_cells_is_wide_and_of_more_has_a_scale():
    found = made({"a": range(20), "b": (1, 2)}, lambda at: 100 + at["a"] / 3)
    wide = map_figure(found, view_of(found), "spread.mean", None)
    assert wide.get_figwidth() == style.WHOLE_ROW_INCHES
    assert len([word for one in named(wide, "values") for word in one.placed]) == 40
    found = made({"a": range(61), "b": (1, 2)}, lambda at: 100 + at["a"])
    bare = map_figure(found, view_of(found), "spread.mean", None)
    assert not named(bare, "values")
    assert words(bare, "legend") == ["160.0", "145.0", "130.0", "115.0", "100.0"]
    across = words(bare, "levels across")
    assert across == [str(n) for n in range(0, 61, int(across[1]))]
    assert 1 < int(across[1]) < 5


def test_map__of_words_too_long_for_their_columns_slants_them():
    names = tuple(f"a bot called {n}" for n in range(6))
    found = made({"a": names, "b": tuple(f"and its rival {n}" for n in range(6))}, lambda at: float(at["a"][-1]))
    figure = map_figure(found, view_of(found), "spread.mean", None)
    slanted = named(figure, "levels across")
    assert {one.get_rotation() for one in slanted} == {45}
    lowest = min(one.get_position()[1] - 0.71 * width_of(one.get_text(), 10.0) for one in slanted)
    (name,) = named(figure, "key across")
    assert lowest > name.placed[0][1], "they do not reach down to the name of the key"


def test_map__of_a_third_key_has_its_values_over_the_maps():
    found = made({"a": (1, 2), "b": (1, 2), "c": range(9)}, lambda at: 9 * at["a"] + 8 * at["b"] + at["c"] / 4)
    figure = map_figure(found, view_of(found), "spread.mean", None)
    assert words(figure, "panels") == [f"c {n}" for n in (0, 2, 3, 5, 6, 8)]
    assert "for 6 of 9 values of c" in drawings(found)["map1"].title
    inside = [(x, y) for x, y, _ in named(figure, "values")[0].placed]
    assert all(0 < x < figure.get_figwidth() and 0 < y < figure.get_figheight() for x, y in inside)
    assert len(set(inside)) == len(inside)


def test_pictures__of_what_is_the_same_everywhere_are_not_drawn():
    found = made(THREE, lambda at: 7.0)
    assert still_metrics(found) == ["spread.mean"]
    assert drawings(found) == {}


def test_pictures__say_why_these_keys():
    drawn = drawings(made(THREE, lambda at: 10 * at["d"] + 3 * at["b"] + 0.1 * at["c"]))
    assert drawn["map1"].title == (
        "spread.mean over b and d, the two keys that move it most, for each value of c, always with a 1."
    )
    assert drawn["curve1"].title == (
        "spread.mean over d, which moves it most, a curve for each b, always with a 1 and c 1."
    )
    alone = drawings(made(THREE, lambda at: 10 * at["d"] + 3 * at["b"], design="oat"))
    assert alone["curve1"].title == (
        "spread.mean over one key at a time, the key that moves it most first; larger dots are the reference. "
        "Nothing moves with a, c."
    )


def test_pictures__over_one_key_at_a_time_have_that_of_the_longest_curve_first():
    a, b, c = {1: 0.0, 2: -10.0}, {1: 0.0, 2: -6.0, 3: 3.0}, {n: -7.0 * (n > 1) for n in range(1, 6)}
    found = made(
        {"c": tuple(c), "b": tuple(b), "a": tuple(a)}, lambda at: a[at["a"]] + b[at["b"]] + c[at["c"]], design="oat"
    )
    grid = grid_of(found)
    assert np.argmax(effects(grid, scores(grid, "spread.mean"))) == 1, "by means over all cells, the others turned"
    svg = drawings(found)["curve1"].svg
    assert re.findall(r">([abc])</text>", svg) == ["a", "b", "c"]


def test_curves__lie_where_their_figures_do():
    found = made({"a": (1, 2, 4), "b": (1, 2)}, lambda at: at["a"] + 10 * at["b"])
    figure = curve_figure(found, grid_of(found), "spread.mean", "a", "b")
    (curves,) = named(figure, "curves")[:1]
    first, second = (np.array(one) for one in curves.get_segments())
    inches = (first[2, 1] - first[0, 1]) / 3
    assert np.diff(first[:, 1]).tolist() == pytest.approx([inches, 2 * inches])
    assert (second[:, 1] - first[:, 1]).tolist() == pytest.approx([10 * inches] * 3)
    (bands,) = named(figure, "bands")
    reach = [np.ptp([y for x, y in path.vertices if x == first[0, 0]]) for path in bands.get_paths()]
    assert reach == pytest.approx([2 * inches] * 2), "from one end of the interval to the other"


def test_curves__over_each_key_share_a_scale():
    found = made({"a": (1, 2, 3), "b": (1, 2)}, lambda at: at["a"] + 10 * at["b"], design="oat")
    figure = keys_figure(found, grid_of(found), "spread.mean", ["b", "a"])
    over_b, over_a = (np.array(one.get_segments()[0])[:, 1] for one in named(figure, "curves"))
    assert np.ptp(over_b) == pytest.approx(5 * np.ptp(over_a))
    assert over_b[0] == pytest.approx(over_a[0])
    assert len(named(figure, "start")) == 2


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0.0, 1.0, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (-1.0, 1.0, ["\u22121.0", "\u22120.5", "0.0", "0.5", "1.0"]),
        (9.9, 12.1, ["10.0", "10.5", "11.0", "11.5", "12.0"]),
        (0.0, 0.12, ["0.000", "0.025", "0.050", "0.075", "0.100"]),
        (0.0, 40000.0, ["0", "10,000", "20,000", "30,000", "40,000"]),
    ],
)
def test_ticks__are_round(low, high, shown):
    assert [word for _, word in rounded_ticks(low, high)] == shown


def test_words__are_anchored_in_svg_and_drawn_in_png():
    with style.applied():
        sheet = Sheet(2, 1)
        sheet.words("one", [(1, 0.5, "a<b"), (1, 0.2, "c")], ha="center", fontsize=9)
    svg = style.svg_text(sheet.figure)
    assert svg.count("text-anchor: middle") == 2
    assert "a&lt;b" in svg
    assert float(re.search(r'x="([\d.]+)"', svg[svg.index("<text") :])[1]) == 72
    assert svg == style.svg_text(sheet.figure)
    assert style.png_bytes(sheet.figure, 40).startswith(b"\x89PNG")


def test_scale__of_shares_has_no_number_outside_what_they_can_be():
    marks, ends = scale_of([99.0, 100.0], "share")
    assert [word for _, word in marks] == ["99.00", "99.25", "99.50", "99.75", "100.00"]
    assert ends == pytest.approx((98.95, 100.05))
    assert scale_of([], "points")[1] == pytest.approx((-0.05, 0.05))


def test_points__by_chance_lie_where_their_cells_do():
    bots = ("greedy", "a rival with a long name")
    found = made({"a": (1, 2, 4), "b": bots, "c": range(9)}, lambda at: at["a"] + 10.0 * len(at["b"]), design="lhs")
    figure = scatter_figure(found, "spread.mean")
    assert words(figure, "key") == ["a", "b", "c"]
    assert words(figure, "levels") == ["1", "2", "4", "0", "2", "4", "6", "8"]
    assert [one.get_text() for one in named(figure, "levels") if not hasattr(one, "placed")] == [
        bots[0],
        "a rival wit…g name",
    ]
    over_a = named(figure, "cells")[0].get_offsets()
    x = np.array(sorted(set(over_a[:, 0].tolist())))
    assert np.diff(x)[1] == pytest.approx(2 * np.diff(x)[0])
    assert len(over_a) == len(found.cells)
    drawn = drawings(found)
    assert "scatter1" in drawn
    assert not any(name.startswith("curve") for name in drawn)


def test_two_goals__have_their_front_named_by_numbers():
    goal = Goal("spread.mean", Band(0, 12), "spread.mean <= 12", "points")
    found = made({"a": (1, 2, 4), "b": (1, 2)}, lambda at: at["a"] + 10 * at["b"], goal=goal)
    axes = trade_figure(found, goal, Goal("spread.mean", Band(13, 30), "spread.mean in [13, 30]", "points")).axes[0]
    assert [text.get_text() for text in axes.texts] == ["1", "2", "3", "4"]
    (legend,) = axes.figure.legends
    shown = [text.get_text() for text in legend.get_texts()]
    assert shown[-4:] == ["1: a 1, b 1", "2: a 2, b 1", "3: a 4, b 1", "4: a 1, b 2"]
    found = made({"a": (1, 2, 4), "b": (1, 2)}, lambda at: at["a"] + 4 * at["b"], goal=goal)
    axes = trade_figure(found, goal, Goal("spread.mean", Band(20, 30), "spread.mean in [20, 30]", "points")).axes[0]
    shown = [text.get_text() for text in axes.figure.legends[0].get_texts()]
    assert shown[-1] == "and 1 more, further right"
    assert not any(word[0].isdigit() for word in shown[:-5])


def test_words__beside_points_lie_on_none_and_not_on_each_other():
    area = Area(Sheet(4, 3), (0.5, 0.5), (3, 2), (0, 1), (0, 1))
    points = [area.at(x, y) for x, y in ((0.5, 0.5), (0.52, 0.5), (0.5, 0.53), (1.0, 1.0), (0.0, 0.0))]
    placed = beside(points, ["a name", "another", "one more", "upper right", "lower left"], area)
    boxes = [(x, y - 0.08, x + width_of(word, 9.0), y + 0.08) for x, y, word in placed]
    for n, (left, low, right, high) in enumerate(boxes):
        assert left >= 0.5
        assert right <= 3.5
        assert not any(left < x < right and low < y < high for x, y in points)
        assert not any(left < b[2] and b[0] < right and low < b[3] and b[1] < high for b in boxes[:n])


def test_words__beside_points_that_lie_in_a_corner_are_all_read():
    area = Area(Sheet(4, 3), (0.5, 0.5), (3, 2), (0, 100), (0, 100))
    points = [area.at(x, y) for x, y in ((1.3, 3.0), (0.3, 1.0), (0.25, 0.8), (0.03, 0.1))]
    placed = beside(points, ["rewards", "toll", "siding_cost", "upgraded_speed"], area)
    heights = sorted(y for x, y, word in placed if x < 1)
    assert min(np.diff(heights)) > 0.12, "one above the other"


def test_map__of_goals_has_a_legend_and_a_region():
    goal = Goal("spread.mean", Band(0, 16.5), "spread.mean <= 16.5", "points")
    found = made(THREE, lambda at: 6 * at["c"] + 5 * at["d"], goal=goal)
    view = view_of(found)
    figure = map_figure(found, view, "spread.mean", "")
    assert words(figure, "legend") == ["met", "violated", "undecided"]
    n = [cell.verdict for cell in view.cells.values()]
    assert len(named(figure, "undecided")[0].get_offsets()) == n.count(GoalVerdict.UNDECIDED) > 0
    assert len(named(figure, "cells")[0].get_offsets()) == len(n) - n.count(GoalVerdict.UNDECIDED)
    assert sum(len(one.get_segments()) for one in named(figure, "region")) == 4 * n.count(GoalVerdict.MET)
    assert sorted(words(figure, "values")) == ["0"] * (len(n) - n.count(GoalVerdict.MET)) + ["1"] * n.count(
        GoalVerdict.MET
    )
    drawn = drawings(found)
    assert {"map-goals", "map-goal1", "curve1"} == set(drawn)
    assert "the two keys that decide most" in drawn["map-goals"].title
    assert drawn["map-goals"].title.endswith("Outlined where all are met; the numbers say how many of the 1 are.")


def test_two_goals__leave_out_cells_without_a_figure():
    goal, other = Goal("spread.mean", Band(0, 12), "a", "points"), Goal("other", Band(13, 30), "b", "points")
    found = made({"a": (1, 2, 4), "b": (1, 2)}, lambda at: at["a"] + 10 * at["b"], goal=goal)
    cells = []
    for cell in found.cells:
        gap = cell.number % 2 == 1
        more = {} if cell.number == 2 else {"other": _without(cell) if gap else cell.estimates["spread.mean"]}
        goals = (*cell.goals, replace(cell.goals[0], goal=other))
        cells.append(replace(cell, estimates={**cell.estimates, **more}, goals=goals))
    two = replace(found, cells=tuple(cells), units={**found.units, "other": "points"})
    assert "trade1" in drawings(two)
    lines = trade_figure(two, goal, other).axes[0].containers
    assert sum(len(one[0].get_xdata()) for one in lines) == 2
    assert words(map_figure(two, view_of(two), "other", None), "values").count("none") == 4
    alone = [cell for cell in cells if cell.number not in (0, 4)]
    assert not any(name.startswith("trade") for name in drawings(replace(two, cells=(two.cells[0], *alone))))


def _without(cell: CellResult) -> Estimate:
    return replace(cell.estimates["spread.mean"], metric="other", value=None, low=None, high=None, method=NO_MATCHES)


def test_words__in_any_script_are_measured_without_a_warning():
    assert width_of("\u65e5\u672c\u8a9e", 9.0) > 0
    found = made({"a": ("\u65e5\u672c", "x$y$", "<b>"), "b": (1, 2)}, lambda at: len(at["a"]) + at["b"])
    assert "map1" in drawings(found)


@pytest.mark.parametrize("n", [2, 5, 12])
def test_slanted_words__begin_within_the_picture(n):
    names = tuple(f"a rival whose name is {k:02d}" for k in range(n))
    found = made({"a": names, "b": (1, 2)}, lambda at: names.index(at["a"]) / 1000 + at["b"])
    grid = grid_of(found)
    for figure in (
        curve_figure(found, grid, "spread.mean", "a", "b"),
        keys_figure(found, grid, "spread.mean", ["a"]),
        keys_figure(found, grid, "spread.mean", ["b", "a"]),
    ):
        for one in named(figure, "levels"):
            if not hasattr(one, "placed"):
                assert one.get_position()[0] > width_of(one.get_text(), LABEL_POINTS) / 2**0.5


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (-2.0, "dollars", "-2"),
        (1.5e6, "dollars", "1.5e+06"),
        (-0.03, "share difference", "-3"),
        (0.125, "share", "12.5"),
    ],
)
def test_cells__have_their_figures_without_units(value, unit, shown):
    found = made({"a": (1,)}, lambda at: 0.0)
    one = replace(found.cells[0].estimates["spread.mean"], value=value, low=None, high=None, method="deterministic")
    cell = replace(found.cells[0], estimates={"spread.mean": one})
    assert cell_words(replace(found, units={"spread.mean": unit}), cell, "spread.mean", None) == shown


def test_inert__is_no_key_that_makes_cells_fail_or_was_never_set_against_as_many_matches():
    cells = [replace(cell, fingerprint="f") for cell in made({"a": (1, 2), "b": (1, 2)}, lambda at: 0.0).cells]
    assert inert_keys(["a", "b"], cells) == ("a", "b")
    failed = [replace(cells[0], error="it raised", fingerprint="", n_matches=0), *cells[1:]]
    assert inert_keys(["a", "b"], failed) == ()
    assert inert_keys(["a", "b"], [replace(cell, error="it raised", n_matches=0) for cell in cells]) == ()
    fewer = [replace(cell, n_matches=cell.values["a"]) for cell in cells]
    assert inert_keys(["a", "b"], fewer) == ("b",)
