"""Mainline days through the commands and verbs: run, verify, report, replay, bench; the same by the same machinery."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import sim
from kernels.mainline.codes import Column
from sim.games import game_named
from sim.games.game import Plan
from sim.games.mainline.sums import DaySums
from sim.running.chunks import Chunk
from sim.running.plan import BLOCKS
from sim.running.runner import Amount, play
from sim.running.verifying import verify
from tests.mainline_tools import division, held
from tests.run_tools import contents, edited, interrupting, kept, scaled
from tests.test_mainline_config import NAMES

FEW = scaled(2_000, 14)
FIXED = division("plains", "heavy_grade", trains=[(2, "fast", 1), (1, "slow", 1)])
HAND = [held("helpers", 1), held("brakeman", 2), held("realignment", 3)]


def plan_of(name="four-players", seed=3, **overrides):
    return sim.api.make_plan(name, seed=seed, overrides=overrides)


def test_mainline_runs__a_plan_is_what_the_machinery_asks_for():
    assert isinstance(plan_of(), Plan)
    assert game_named("mainline").rules_version == "mainline/1"


@pytest.mark.parametrize("name", NAMES)
def test_mainline_runs__every_shipped_scenario_is_played_reported_and_verified(name, sim_command):
    n = scaled(700, 3)
    answer = sim_command("run", name, "--matches", n, "--seed", 1, "--out", "run")
    assert (answer.code, answer.err) == (0, "")
    assert max(map(len, answer.out.splitlines())) <= 80
    assert sim_command("verify", "run").out.startswith("IDENTICAL")
    if name == "hands":
        page = Path("run/report.html").read_bytes()
        assert sim_command("report", "run").code == 0
        assert Path("run/report.html").read_bytes() == page
    again = sim_command("run", name, "--matches", n, "--seed", 1, "--out", "run", "--json")
    assert again.err.startswith("This run is complete already")
    assert json.loads(again.out) == json.loads(Path("run/summary.json").read_text())


@pytest.mark.usefixtures("no_mainline_report")
def test_mainline_runs__the_same_whatever_the_threads_chunks_or_interruptions(tmp_path):
    plan, amount = plan_of("hands", policy={"admit": 0.1}), Amount(FEW)
    kept(tmp_path / "one", plan, amount, with_matches=True, threads=1)
    kept(tmp_path / "two", plan, amount, with_matches=True, threads=2, chunk_pairs=scaled(300, 7))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    with pytest.raises(sim.Interrupted):
        kept(tmp_path / "three", plan, amount, with_matches=True, chunk_pairs=scaled(500, 5), progress=interrupting(2))
    kept(tmp_path / "three", plan, amount, with_matches=True)
    assert contents(tmp_path / "one") == contents(tmp_path / "three")
    assert verify(tmp_path / "three", every_block=True).identical


@pytest.mark.usefixtures("no_mainline_report")
def test_mainline_runs__verify_sees_a_changed_sum(tmp_path):
    plan = plan_of()
    kept(tmp_path / "run", plan, Amount(FEW))
    arrays = dict(np.load(tmp_path / "run" / "sums.npz"))
    arrays["sums"][:, Column.STAGES] += 1
    np.savez(tmp_path / "run" / "sums.npz", **arrays)
    assert not verify(tmp_path / "run").identical
    arrays["sums"][0, Column.UNFINISHED] += 1
    np.savez(tmp_path / "run" / "sums.npz", **arrays)
    with pytest.raises(sim.BadInput, match="damaged"):
        verify(tmp_path / "run")
    edited(tmp_path / "run" / "manifest.json", lambda manifest: manifest.update(policy=3))
    with pytest.raises(sim.BadInput, match="damaged"):
        sim.load_run(tmp_path / "run")


def test_mainline_runs__sums_that_do_not_add_up_are_refused():
    plan = plan_of(max_stages=19)
    good = plan.sum_rows(Chunk(0, 30), plan.play_rows(Chunk(0, 30)), 5)
    good.validate()
    arrays = good.as_arrays()
    assert DaySums.from_arrays(arrays).same_block(good, 2)
    column = plan.columns.dealt("hilly")
    for name, place, said in (
        ("pairs", 0, "cards were dealt"),
        ("seen", (0, column), "more days were seen"),
        ("sums", (0, column), "cards were dealt"),
        ("sums", (0, Column.ARRIVED_EAST), "trains came to an end"),
        ("sums", (0, Column.UNFINISHED_DAY), "unfinished days"),
    ):
        bad = {key: array.copy() for key, array in arrays.items()}
        bad[name][place] += 30
        with pytest.raises(ValueError, match=said):
            DaySums.from_arrays(bad)
    with pytest.raises(ValueError, match="lack the array"):
        DaySums.from_arrays({key: array for key, array in arrays.items() if key != "seen"})
    for name in ("sums", "seen"):
        with pytest.raises(ValueError, match="shape"):
            DaySums.from_arrays({**arrays, name: arrays[name][:, :-1]})
    with pytest.raises(ValueError, match="int64"):
        DaySums.from_arrays({**arrays, "pairs": arrays["pairs"].astype(np.int32)})
    with pytest.raises(ValueError, match="too small"):
        DaySums.from_arrays({**arrays, "sums": np.where(arrays["seen"] > 0, 0, arrays["sums"])})
    with pytest.raises(ValueError, match="do not add up"):
        good + plan.empty_sums(4)


def test_mainline_runs__figures_are_those_of_the_rows():
    plan = plan_of("hands", timetable=[{"number": n, "class": "slow", "departs": 1} for n in (1, 2, 3)])
    n = scaled(6_400, 64)
    run = play(plan, Amount(n))
    rows = plan.play_rows(Chunk(0, n)).astype(np.int64)
    east, west = rows[:, Column.TRIP_EAST].mean(), rows[:, Column.TRIP_WEST].mean() / 2
    assert run["trip_stages.east"].value == pytest.approx(east, rel=1e-12)
    assert run["trip_gap"].value == pytest.approx(east - west, rel=1e-12)
    assert run["trip_gap"].low < run["trip_gap"].value < run["trip_gap"].high
    grade = rows[:, plan.columns.dealt("heavy_grade")] > 0
    assert run["dealt.heavy_grade"].value == pytest.approx(grade.mean())
    assert run["orientation.east"].n_units == grade.sum()
    saved = rows[:, Column.SAVED_HELPERS].sum() / rows[:, Column.COMPARED_HELPERS].sum()
    assert run["worth.helpers"].value == pytest.approx(saved)
    assert run["collisions"].method == run["extras_not_run"].method == "exact"
    assert set(run.manifest["outcomes"]) == {"all_arrived", "unfinished"}
    assert sum(run.manifest["outcomes"].values()) == run.manifest["matches_played"] == n
    assert run.sums.n_blocks == (BLOCKS if n >= 640 else n)
    assert [estimate.metric for estimate in run.estimates] == list(plan.metrics)
    assert {estimate.pairing for estimate in run.estimates} == {"hold"}


def test_mainline_runs__worth_is_the_same_deals_without_the_card():
    """The paired figure is the difference of two runs on one seed, where all trains arrive."""
    n = scaled(3_000, 40)
    whole = play(plan_of(hands=[held("helpers", 1), held("brakeman", 1)]), Amount(n))
    without = play(plan_of(hands=[held("brakeman", 1)]), Amount(n))
    assert whole["unfinished"].value == without["unfinished"].value == 0
    mean = [(run["trip_stages.east"].value + run["trip_stages.west"].value) / 2 for run in (whole, without)]
    assert whole["worth.helpers"].value == pytest.approx(mean[1] - mean[0], abs=1e-12)
    assert whole["worth.helpers"].value > 0


def test_mainline_runs__nothing_drawn_is_one_day():
    run = sim.run(FIXED, matches=500, seed=1)
    assert run.sums.n_matches == 1
    assert run["trip_stages.east"].method == "deterministic"
    assert run["trip_stages.east"].low is None
    assert any("Nothing is drawn" in note for note in run.notes)
    for drawn in (
        {"up": None},
        {"policy": {"admit": 0.5}},
        {"timetable": [{"number": 1, "class": "slow", "departs": [1, 2]}]},
    ):
        assert sim.run({**FIXED, **drawn}, matches=3, seed=1).sums.n_matches == 3
    assert sim.run({**FIXED, "deal": ["plains", "tunnel"], "up": None}, matches=3, seed=1).sums.n_matches == 1


def test_mainline_runs__one_office_is_even():
    run = play(plan_of("one-player"), Amount(FEW))
    assert (run["district_unevenness"].value, run["district_unevenness"].method) == (0, "exact")


@pytest.mark.compiled
def test_mainline_runs__half_width_is_in_stages(sim_command):
    run = sim.run("two-players", half_width=0.05, seed=1)
    assert run.manifest["precise"]
    found = run["trip_gap"]
    assert max(found.value - found.low, found.high - found.value) <= 0.05
    answer = sim_command("run", "two-players", "--half-width", "0.0001", "--matches", "2000", "--out", "x")
    assert answer.code == 3
    assert "were not enough for a half-width of 0.0001 Stages on trip_gap; raise --matches" in answer.err
    for bad in ("0.2pp", "0", "x", "nan"):
        answer = sim_command("run", "two-players", "--half-width", bad)
        assert answer.code == 2
        assert f"--half-width is {bad}; must be a number above 0, in Stages, such as 0.05" in answer.err
    with pytest.raises(sim.BadInput, match="must be above 0 Stages"):
        sim.run("two-players", half_width=-1)


@pytest.mark.usefixtures("no_mainline_report")
def test_mainline_runs__kept_days_are_in_words(tmp_path):
    plan = plan_of(hands=HAND)
    n = scaled(200, 20)
    kept(tmp_path / "run", plan, Amount(n), with_matches=True)
    table = pq.read_table(tmp_path / "run" / "matches.parquet")
    rows = plan.play_rows(Chunk(0, n))
    found = table.to_pandas()
    assert list(found["match"]) == list(range(n))
    assert set(found["card_1"]) <= set(plan.columns.kinds)
    assert [plan.columns.kinds[code - 1] for code in rows[:, plan.columns.card(4)]] == list(found["card_5"])
    assert list(found["trip_east"]) == list(rows[:, Column.TRIP_EAST])
    assert list(found["saved_helpers"]) == list(rows[:, Column.SAVED_HELPERS])
    assert set(found["up_2"]) <= {"none", "east", "west"}
    assert table.schema.metadata[b"scenario_digest"].decode() == plan.scenario.digest
    row = sim.play_match(sim.load_run(tmp_path / "run"), 7)
    assert row["match"] == 7
    assert row["trip_east"] == found["trip_east"][7]


def test_mainline_runs__too_many_days_for_the_sums():
    with pytest.raises(sim.BadInput, match="would not fit 64 bits"):
        sim.run("busy", matches=2**53, seed=1, overrides={"max_stages": 10_000})


# -- reports ----------------------------------------------------------------------------------------------------------


def test_mainline_runs__report_says_what_the_run_says(tmp_path):
    run = sim.run(
        "hands", matches=scaled(1_500, 20), seed=2, out=tmp_path / "run", overrides={"policy": {"admit": 0.1}}
    )
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    shown = dict(re.findall(r'data-metric="([^"]+)">([^<]*)<', page))
    assert set(shown) == {estimate.metric for estimate in run.estimates}
    for name in ("strip", "string_line", "crossings", "trips", "deals", "policies", "worth"):
        assert f'id="{name}"' in page
        assert (tmp_path / "run" / "figures" / f"{name}.svg").read_text().startswith("<?xml")
    assert "http" not in re.sub(r"http://www.w3.org/[^\"]*", "", page)
    tables = {path.stem for path in (tmp_path / "run" / "tables").glob("*.csv")}
    assert tables == {"estimates", "outcomes", "crossings", "policies", "day", "hands"}
    policies = (tmp_path / "run" / "tables" / "policies.csv").read_text()
    for policy in ("hold", "admit 0.05", "admit 0.1", "admit 1"):
        assert f"\n{policy}," in policies


def test_mainline_runs__report_of_odd_days(tmp_path):
    """One day; trains that never arrive; Extras that do not run; many trains; collisions."""
    sim.run(FIXED, matches=1, seed=0, out=tmp_path / "one")
    assert "Nothing is left to chance" in (tmp_path / "one" / "report.html").read_text()
    late = {"max_stages": 6, "timetable": [{"number": n, "class": "slow", "departs": 1 + n // 8} for n in range(1, 31)]}
    late["timetable"].append({"number": 40, "class": "slow", "departs": 1, "extra": True})
    run = sim.run(
        "one-player", matches=scaled(20, 5), seed=0, out=tmp_path / "late", overrides={**late, "policy": {"admit": 0.5}}
    )
    assert run["unfinished"].value > 0
    assert any("still out after 6 Stages" in note for note in run.notes)
    hopeless = {**late, "max_stages": 4, "players": 4}
    run = sim.run("four-players", matches=scaled(12, 3), seed=0, out=tmp_path / "none", overrides=hopeless)
    assert run["trip_gap"].value is None
    page = (tmp_path / "none" / "report.html").read_text()
    assert "the directions cannot be compared" in page


# -- replay and bench -------------------------------------------------------------------------------------------------

DAY = {
    "schema": 1,
    "scenario": {**FIXED, "policy": {"admit": 0.5}, "hands": [held("helpers", 1), held("realignment", 99, 1)]},
    "rulings": [True, False, False],
}


def test_mainline_runs__replay(sim_command, tmp_path):
    told = sim.replay(DAY)
    (tmp_path / "day.json").write_text(json.dumps(DAY))
    answer = sim_command("replay", "day.json")
    assert (answer.code, answer.err) == (0, "")
    assert max(map(len, answer.out.splitlines())) <= 80
    assert json.loads(sim_command("replay", "day.json", "--json").out) == told
    (tmp_path / "days.jsonl").write_text(f"{json.dumps(DAY)}\n\n{json.dumps(DAY)}\n")
    assert sim.replay_many(tmp_path / "days.jsonl") == [told, told] == sim.replay_many([DAY, tmp_path / "day.json"])
    answer = sim_command("replay", "days.jsonl")
    assert answer.out.count("the day took") == 2
    with pytest.raises(sim.BadInput, match="holds 2 days; must hold one"):
        sim.replay(tmp_path / "days.jsonl")
    # The policy is not read, and answers that nobody asks for are passed over.
    more = {**DAY, "scenario": {**DAY["scenario"], "policy": "hold"}, "rulings": [*DAY["rulings"], True, True]}
    assert sim.replay(more)["trains"] == told["trains"]


def test_mainline_runs__too_few_rulings_say_who_asks(tmp_path):
    trains = [{"number": 2, "class": "slow", "departs": 1}, {"number": 4, "class": "slow", "departs": 1}]
    day = {**DAY, "scenario": {**FIXED, "timetable": trains}, "rulings": []}
    (tmp_path / "day.json").write_text(json.dumps(day, indent=1))
    with pytest.raises(sim.BadInput) as error:
        sim.replay(tmp_path / "day.json")
    line = (tmp_path / "day.json").read_text().splitlines().index(' "rulings": []') + 1
    assert str(error.value) == (
        f"{tmp_path / 'day.json'}:{line}: rulings has 0 answers; must have one more: in Stage 1 train 4 asks to enter "
        "slot 1"
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rulings": [1]}, "rulings[1] is 1; must be true or false"),
        ({"ruling": []}, "ruling is no key that is known here"),
        ({"scenario": 3}, "scenario is 3; must be the path of a scenario, or the scenario itself"),
        ({"scenario": "standard"}, "scenario is of the game dispatch; must be of the mainline game"),
        ({"scenario": "four-players"}, "scenario.deal is missing; must be fixed in a recorded day"),
        ({"scenario": {**FIXED, "up": None}}, "scenario.up is open for heavy_grade on slot 2; must be fixed"),
        ({"scenario": {**FIXED, "players": 3}}, "scenario.deal has 2 cards; must have 4"),
        (
            {"scenario": {**FIXED, "timetable": [{"number": 1, "class": "slow", "departs": [1, 2]}]}},
            "scenario.timetable[1].departs is [1, 2]; must be one Stage in a recorded day",
        ),
    ],
)
def test_mainline_runs__bad_days(change, said):
    with pytest.raises(sim.BadInput) as error:
        sim.replay({**DAY, **change})
    assert said in str(error.value)
    with pytest.raises(sim.BadInput, match="record 2: "):
        sim.replay_many([DAY, {**DAY, **change}])


def test_mainline_runs__a_day_without_rulings_is_told_from_a_match():
    with pytest.raises(sim.BadInput, match="rulings is missing; must be given"):
        sim.replay({"schema": 1, "scenario": FIXED})
    with pytest.raises(sim.BadInput, match="a match record needs the dispatch game"):
        sim.replay({"schema": 1, "scenario": FIXED, "orders": []})


def test_mainline_runs__bench(sim_command):
    answer = sim_command("bench", "one-player", "--seconds", "0.05", "--rounds", "1", "--threads", "1")
    assert (answer.code, answer.err) == (0, "")
    assert "one-player: days a second" in answer.out
    assert max(map(len, answer.out.splitlines())) <= 80
    assert sim_command("bench", "one-player", "--bots", "greedy").code == 2


def test_mainline_runs__crossings_that_the_rules_settle_are_exact():
    run = sim.run("four-players", matches=scaled(300, 20), seed=1)
    for name, stages in (
        ("curves.east.slow", 2),
        ("hilly.east.fast", 1),
        ("hilly.west.slow", 2),
        ("heavy_grade.west.fast", 3),
    ):
        found = run[f"crossing_stages.{name}"]
        assert (found.value, found.low, found.high, found.method) == (stages, stages, stages, "exact"), name
    assert run["crossing_stages.uncontrolled_siding.east.slow"].method != "exact"
    admitted = sim.run("four-players", matches=scaled(300, 20), seed=1, overrides={"policy": {"admit": 0.5}})
    assert admitted["crossing_stages.curves.east.slow"].method != "exact"
    helped = sim.run("hands", matches=scaled(300, 20), seed=1)
    assert all(
        one.method != "exact" for one in helped.estimates if one.metric.startswith("crossing_stages.heavy_grade")
    )
