"""Steps that a designer can make: which there are, their order, their units, and planted effects ranked right."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from sim.config.key_units import unit_of_key
from sim.config.loading import load_scenario
from sim.reports.sweep_choice import grid_of
from sim.reports.sweep_page import write_sweep_report
from sim.reports.sweep_terminal import print_sweep
from sim.stats.differences import Verdict
from sim.studies.sweep import sweep
from sim.studies.sweep_result import Sweep
from sim.studies.sweep_steps import ORDER
from tests.slow.planted_study import planted, ranks, unresolved
from tests.test_sweep import written

MATCHES = 2_000


def text(found: Sweep) -> str:
    shown = io.StringIO()
    print_sweep(found, Console(file=shown, width=80, markup=False, highlight=False))
    return shown.getvalue()


@pytest.mark.compiled
def test_sweep__says_from_what_size_on_a_change_matters(tmp_path):
    found = sweep(written(tmp_path, keys="{economy.toll: [1, 2]}"), matches=32)
    assert "delta is" not in text(found)
    small = replace(found.cells[1].differences["shared"], verdict=Verdict.SAME, delta=0.012)
    cell = replace(found.cells[1], differences={**found.cells[1].differences, "shared": small})
    told = replace(found, cells=(found.cells[0], cell))
    assert "under delta" in text(told)
    assert "\n  delta is 1.2 pp\n" in text(told)
    page = write_sweep_report(told, tmp_path / "page")[-1].read_text()
    assert "shared, and its change from the reference; delta is 1.2 pp" in page


def turns(found: Sweep) -> set[tuple[str, object, object]]:
    return {(step.key, str(step.before), str(step.after)) for step in found.steps}


@pytest.mark.compiled
def test_steps__go_from_the_reference_to_the_next_values(tmp_path):
    keys = "{economy.toll: [0, 1, 2, 3], economy.siding_cost: [2, 3, null]}"
    found = sweep(written(tmp_path, keys=keys), matches=32)
    assert turns(found) == {
        ("economy.toll", "1", "0"), ("economy.toll", "1", "2"), ("economy.siding_cost", "3", "2"),
        ("economy.siding_cost", "3", "None"),
    }  # fmt: skip
    assert {step.cell_before for step in found.steps} == {found.reference.number}
    for step in found.steps:
        if step.change.kind.value != "quantile" and step.change.value is not None:
            ends = [found.cells[n].estimates[step.change.metric].value for n in (step.cell_before, step.cell_after)]
            assert step.change.value == pytest.approx(ends[1] - ends[0])


@pytest.mark.compiled
def test_steps__of_one_at_a_time_have_their_unlisted_start(tmp_path):
    keys = "{economy.toll: [0, 3, 5], map.layout: [null, {}]}"
    found = sweep(written(tmp_path, keys=keys, design="oat"), matches=32)
    steps = {(key, after) for key, _, after in turns(found)}
    assert steps == {("economy.toll", "0"), ("economy.toll", "3"), ("map.layout", "None")}, (
        "{} adds nothing to a mapping"
    )


@pytest.mark.compiled
def test_steps__without_the_reference_start_where_most_is_as_it_is(tmp_path):
    found = sweep(written(tmp_path, keys="{economy.toll: [5, 6], economy.income: [2, 3]}"), matches=32)
    start = found.cells[found.steps[0].cell_before]
    assert not start.reference
    assert turns(found) == {("economy.toll", "5", "6"), ("economy.income", "2", "3")}
    assert f"From {start.label}, one key" in " ".join(text(found).split())
    found = sweep(written(tmp_path, keys="{economy.upgrade_cost: [4, 7], economy.toll: [0, 3]}"), matches=32)
    start = found.cells[found.steps[0].cell_before]
    assert dict(start.values) == {"economy.upgrade_cost": 7, "economy.toll": 0}, "all differ in two keys; the nearest"
    assert grid_of(found).cells[grid_of(found).base] is start, "as in the pictures"


@pytest.mark.compiled
def test_steps__of_points_by_chance_and_of_screens_there_are_none(tmp_path):
    keys = "{economy.toll: {from: 0, to: 9}, economy.income: {from: 1, to: 9}}"
    assert sweep(written(tmp_path, keys=keys, design="lhs", cells="5"), matches=32).steps == ()
    assert sweep(written(tmp_path, keys=keys, design="screen", trajectories="2"), matches=32).steps == ()


@pytest.mark.compiled
def test_steps__are_told_in_dollars_and_the_unresolved_last(tmp_path):
    keys = "{economy.siding_cost: [2, 3, 4, 60], map.layout: [null], dispatches: [2, 3]}"
    found = sweep(written(tmp_path, keys=keys, design="oat"), matches=MATCHES)
    said = text(found)
    assert max(map(len, said.splitlines())) <= 80
    assert "economy.siding_cost $3 → $2" in said
    assert "dispatches $" not in said
    for metric in {step.change.metric for step in found.steps}:
        verdicts = [step.change.verdict for step in found.steps if step.change.metric == metric]
        assert verdicts == sorted(verdicts, key=list(ORDER).index)
        ranked = [step for step in found.steps if step.change.metric == metric and step.rank is not None]
        assert all(step.change.verdict is Verdict.MOVED for step in ranked)
        assert [abs(step.change.value) for step in ranked] == sorted(
            (abs(step.change.value) for step in ranked), reverse=True
        )
        assert all(first <= place <= last for place, (first, last) in enumerate((s.rank for s in ranked), 1))
    told = found.result()["steps"]
    assert {"key", "before", "after", "metric", "value", "low", "high", "verdict", "rank"} <= set(told[0])


@pytest.mark.compiled
def test_quantiles__are_said_to_change_by_a_share_of_the_matches(tmp_path):
    bands = "{spread.p90: '<= 4', pick.siding.first: '>= 1%'}"
    (tmp_path / "goals.yaml").write_text(f"schema: 1\nscenario: short.yaml\nbands: {bands}\n")
    keys = "{dispatches: [2, 12], map.layout: [null, {}]}"
    found = sweep(written(tmp_path, keys=keys, design="oat", goals="goals.yaml"), matches=256, out=tmp_path / "out")
    said = " ".join(text(found).split())
    assert "] (change of the share of matches that do not exceed it) cell" in said
    assert "spread.p90 (change of the share of matches that do not exceed its value before the step)" in said
    assert "cell more: 1 identical" in said
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "spread.p90, and the change of the share of matches that do not exceed the reference" in page
    assert "pick.siding.first, and its change from the reference" in page


@pytest.mark.parametrize(
    ("key", "unit"),
    [
        ("economy.toll", "dollars"), ("economy.upgrade_cost", "dollars"), ("economy.upgraded_speed", "ticks"),
        ("dispatches", "dispatches"), ("cargo.rewards", ""), ("map", ""), ("define.x.y", ""), ("economy", ""),
    ],
)  # fmt: skip
def test_units__of_keys_are_those_of_the_models(key, unit):
    assert unit_of_key(load_scenario("standard"), key) == unit


@pytest.mark.compiled
def test_inert__a_toll_where_nothing_can_be_owned(tmp_path):
    (tmp_path / "bare.yaml").write_text("extends: short.yaml\nname: bare\neconomy: {siding_cost: null}\n")
    keys = "{economy.toll: [0, 1, 9], economy.income: [1, 2]}"
    found = sweep(written(tmp_path, scenario="bare.yaml", keys=keys), matches=MATCHES)
    assert found.inert == ("economy.toll",)
    assert all(step.change.verdict is Verdict.IDENTICAL for step in found.steps if step.key == "economy.toll")
    assert "Inert, every match ends as before whatever they are set to: economy.toll." in " ".join(text(found).split())


@pytest.mark.compiled
def test_inert__what_a_card_of_the_mainline_game_says_of_miles(tmp_path):
    keys = "{deck.hilly.mph: [30, 45, 60], policy: [hold, {admit: 0.5}]}"
    found = sweep(written(tmp_path, scenario="two-players", bots=None, keys=keys), matches=64)
    assert found.inert == ("deck.hilly.mph",)


@pytest.mark.compiled
def test_planted__effects_are_ranked_right_where_there_are_matches_enough(tmp_path):
    found = [ranks(planted(tmp_path, 20_000, seed)) for seed in (1, 2)]
    assert found == [[3, 2, 1]] * 2, "of 2, 5 and 10 pp"


@pytest.mark.compiled
def test_planted__effects_are_said_to_be_unresolved_where_there_are_few(tmp_path):
    found = [planted(tmp_path, 200, seed) for seed in range(1, 5)]
    told = unresolved(found)
    assert (told["two"], told["five"]) == (4, 4)
    assert told["ten"] >= 1, "10 points are seen now and then"
    assert all(None in ranks(one) for one in found)
    assert "unresolved" in text(found[0])
