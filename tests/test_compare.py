"""Comparisons: what is played, what is said of it, that nothing depends on how it was played, and what goes wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import sim
from sim.cli.app import app
from sim.reports.compare_terminal import change_words, print_comparison
from sim.running.runner import Interrupted
from sim.stats.differences import Side, Verdict, differences
from sim.stats.figures import Kind
from sim.stats.paired import IDENTICAL
from sim.store import RunFolder
from sim.studies.changes import Change, scenario_changes
from sim.studies.compare import play_comparison
from sim.studies.compare_plan import ComparisonPlan, make_comparison_plan
from sim.studies.comparison import Comparison, load_comparison
from tests.run_tools import SHORT, edited, files_under, interrupting, scaled

MATCHES = scaled(1_400, 44)
"""Enough for 64 blocks, or for 22 where kernels are plain."""
TOLL = {"economy.toll": 3, "economy.starting_cash": 9}


def scenario(**overrides: Any) -> sim.config.scenario.Scenario:
    return sim.load_scenario("standard", {**SHORT, **overrides})


def plan_of(*variants: Any, seed: int = 3, matches: int = MATCHES, **how: Any) -> ComparisonPlan:
    how = {"bots": ("greedy", "random"), **how}
    return make_comparison_plan(scenario(), variants, matches=matches, seed=seed, **how)


def kept(path: Path, plan: ComparisonPlan, **how: Any) -> Comparison:
    with RunFolder(path, plan.digest) as folder:
        assert folder.state != "complete"
        return play_comparison(plan, folder=folder, **how)


@pytest.fixture(scope="module")
def found() -> Comparison:
    return play_comparison(plan_of(scenario(**TOLL, name="dear"), overrides=["economy.income=3"]), threads=2)


def test_compare__each_side_is_the_run_of_its_scenario(found):
    for place, how in enumerate(({}, TOLL, {"economy.income": 3})):
        run = sim.run(scenario(**how), bots=("greedy", "random"), matches=MATCHES, seed=3)
        for one in found[max(0, place - 1)].differences:
            shown = one.variant if place else one.base
            assert shown == run[one.metric].value


def test_compare__labels_changes_and_provenance(found):
    assert (found.base, [one.label for one in found.variants]) == ("standard", ["dear", "economy.income=3"])
    assert found["dear"].changes == (Change("economy.starting_cash", 4, 9), Change("economy.toll", 1, 3))
    assert found[1].changes == (Change("economy.income", 1, 3),)
    assert found.manifest["matches_played"] == 3 * MATCHES
    assert {one["matches_played"] for one in found.manifest["entrants"]} == {MATCHES}
    with pytest.raises(KeyError, match="no variant"):
        _ = found["cheap"]
    with pytest.raises(KeyError, match="no figure"):
        _ = found[0]["wins"]


def test_compare__flipped_and_changed_matches_are_counted_one_by_one(found):
    ends = []
    for how in ({}, {"economy.income": 3}):
        plan = sim.api.make_plan(scenario(**how), bots=("greedy", "random"), seed=3)
        rows = [sim.play_match(plan, m) for m in range(40)]
        ends.append([{key: row[key] for key in row if key != "match"} for row in rows])
    few = play_comparison(plan_of(overrides=["economy.income=3"], matches=40))
    pairs = list(zip(*ends, strict=True))
    assert few[0].changed.value == np.mean([one != other for one, other in pairs])
    assert few[0].flipped.value == np.mean([one["winner"] != other["winner"] for one, other in pairs])
    assert few[0].changed.value > 0
    assert found[1].changed.n == MATCHES


@pytest.mark.parametrize("how", [{"threads": 1, "chunk_pairs": 7}, {"threads": 3, "chunk_pairs": 64}], ids=str)
def test_compare__does_not_depend_on_threads(found, how):
    plan = plan_of(scenario(**TOLL, name="dear"), overrides=["economy.income=3"])
    assert play_comparison(plan, **how).result() == found.result()


@pytest.mark.parametrize("after", [1, 4, 9])
def test_compare__goes_on_where_it_was_interrupted(tmp_path, found, after):
    plan = plan_of(scenario(**TOLL, name="dear"), overrides=["economy.income=3"])
    with pytest.raises(Interrupted) as stopped:
        kept(tmp_path / "c", plan, chunk_pairs=MATCHES // 8, progress=interrupting(after), threads=1)
    assert 0 < stopped.value.done < plan.n_matches == stopped.value.wanted
    again = kept(tmp_path / "c", plan)
    assert again.result() == found.result()
    assert load_comparison(tmp_path / "c") == again
    assert "unfinished" not in {path.name for path in (tmp_path / "c").iterdir()}
    assert set(files_under(tmp_path / "c")) == {
        "compare.json", "manifest.json", "pairings/0000.npz", "pairings/0001.npz", "pairings/0002.npz",
        "tables/changes.csv", "tables/differences.csv", "tables/matches.csv",
    }  # fmt: skip


def test_compare__a_complete_one_is_read_not_played(tmp_path):
    how: dict[str, Any] = {"overrides": {"economy.toll": 0}, "matches": 20, "seed": 1, "out": tmp_path / "c"}
    one = sim.compare(scenario(), **how)
    assert sim.compare(scenario(), **how) == one == sim.load_comparison(tmp_path / "c")
    assert sim.compare(scenario(), **how, again=True, progress=True).result() == one.result()
    assert len(one.differences_frame) == len(one[0].differences)


def test_compare__the_same_scenario_differs_in_nothing():
    same = play_comparison(plan_of(scenario(), matches=24))[0]
    assert same.changes == ()
    assert same.inert
    assert {one.verdict for one in same.differences} == {Verdict.IDENTICAL}
    assert (same.flipped.value, same.changed.value) == (0, 0)


def test_compare__an_inert_key_is_named():
    """Nobody can pay for a siding, and what it costs moves nothing."""
    base = scenario(**{"economy.siding_cost": 9_000})
    found = make_comparison_plan(base, overrides=["economy.siding_cost=9999"], matches=24, seed=1)
    compared = play_comparison(found)
    assert compared[0].inert
    assert {one.method for one in compared[0].differences} == {IDENTICAL}
    assert "Here economy.siding_cost moves nothing." in " ".join(printed(compared).split())


def test_compare__with_run_folders(tmp_path):
    one = sim.run(scenario(), bots=("greedy", "random"), matches=MATCHES, seed=3, out=tmp_path / "one")
    found = sim.compare(tmp_path / "one", scenario(**TOLL))
    played = play_comparison(plan_of(scenario(**TOLL)))
    assert found[0].differences == played[0].differences
    assert (found[0].flipped, found[0].paired) == (None, True)
    assert found.manifest["matches_played"] == MATCHES
    other = sim.run(scenario(), bots=("greedy", "random"), matches=MATCHES, seed=4)
    apart = sim.compare(one, other)
    assert not apart[0].paired
    assert apart.manifest["matches_played"] == 0
    assert any("another seed or number" in note for note in apart.notes)
    assert "not set against each other" in printed(apart)
    with pytest.raises(sim.BadInput, match="seed is 3; must be left out where a run is compared"):
        sim.compare(one, scenario(), seed=3)


def test_compare__what_people_played_beside_bots(tmp_path):
    """Twelve records of people's matches, against the same scenario played by bots, and against a variant of it."""
    from tests.test_recorded import SCENARIO, TWELVE

    records = tmp_path / "people.jsonl"
    records.write_text("".join(json.dumps(record) + "\n" for record in TWELVE), encoding="utf-8")
    people = sim.run_records(records, out=tmp_path / "people", named=True)
    found = sim.compare(tmp_path / "people", SCENARIO, bots=("greedy", "random"), matches=40, seed=0)
    one = found[0]
    assert (one.paired, one.flipped, one.changes) == (False, None, ())
    played = sim.run(SCENARIO, bots=("greedy", "random"), matches=40, seed=0)
    finished = people.sums.n_matches - people.manifest["outcomes"]["unfinished"]
    for metric in ("shared", "points.first", "deliveries.second"):
        assert (one[metric].base, one[metric].variant) == (people[metric].value, played[metric].value)
        assert one[metric].n == finished
    assert one["points.first"].method == "welch"
    assert (found.manifest["seed"], found.manifest["matches_played"]) == (0, 40)
    assert any("what people played" in note for note in found.notes)
    assert not any("bots' doing" in note for note in found.notes)
    text = printed(found)
    assert "12 matches" in text
    assert "greedy vs random, 40 matches" in text
    assert "same luck" not in text
    both = sim.compare(SCENARIO, tmp_path / "people", bots=("greedy", "random"), matches=40, seed=0)
    assert both[0]["shared"].value == pytest.approx(-one["shared"].value)


def test_compare__bots_without_chance(tmp_path):
    define = {"define": {"still": {"bot": "greedy", "noise": 0}}}
    base, dear = scenario(**define), scenario(**define, **TOLL)
    found = sim.compare(base, dear, bots=("still", "still"), seed=1)
    assert found.manifest["matches_played"] == 2
    assert found[0]["points.first"].method == "deterministic"
    assert any("No bot draws" in note for note in found.notes)
    mixed = sim.compare(base, scenario(**define, bots={"A": "greedy", "B": "still"}), seed=1, matches=MATCHES)
    assert any("may be the bots' doing" in note for note in mixed.notes)
    assert mixed[0]["points.second"].low is not None
    printed(found)


@pytest.mark.compiled
def test_compare__intervals_of_equal_scenarios_miss_0_seldom():
    """A/A on fresh seeds: of 200 comparisons each figure's 95% interval misses 0 in at most 22."""
    from sim.running.engine import play_pairs
    from sim.running.ledger import Ledger

    def side(seed: int) -> Side:
        plan = sim.api.make_plan("compact", bots=("greedy", "random"), seed=seed, overrides={"dispatches": 12})
        ledger = Ledger(plan.empty_sums(64), [])
        play_pairs(plan, ledger, 640, threads=2)
        return Side(ledger.sums, plan.limits)

    metrics = list(sim.api.make_plan("compact", seed=1).metrics.values())
    misses = dict.fromkeys((metric.name for metric in metrics), 0)
    for seed in range(200):
        for one in differences(side(2 * seed), side(2 * seed + 1), metrics, paired=seed % 2 == 0):
            if one.low is not None and one.high is not None:
                misses[one.metric] += not one.low <= 0 <= one.high
    assert max(misses.values()) <= 22, misses
    assert sum(misses.values()) > 100


# -- what changed -----------------------------------------------------------------------------------------------------


def test_changes__key_by_key():
    base = {"name": "a", "x": {"y": 1, "z": [1, 2]}, "list": [1], "map": {"layout": {"a": 1}}, "flag": True}
    other = {"name": "b", "x": {"y": 2, "z": [1, 3], "w": 0}, "list": [1, 2], "map": {"layout": {"a": 2}}, "flag": 1}
    assert scenario_changes(base, other) == (
        Change("x.y", 1, 2),
        Change("x.z[2]", 2, 3),
        Change("x.w", "absent", 0),
        Change("list", [1], [1, 2]),
        Change("flag", True, 1),
    )
    assert scenario_changes(other, other) == ()


def test_changes__of_another_map_are_counted():
    base, other = sim.load_scenario("standard").resolved(), sim.load_scenario("grand").resolved()
    words = change_words(scenario_changes(base, other))
    assert len(words) == 1
    assert words[0].startswith("map: standard → grand (")
    assert change_words([Change("define.x", "absent", {"bot": "greedy", "invest": "none", "noise": 1.5})]) == [
        'define.x: absent → {"bot": "greedy…e": 1.5}'
    ]


# -- what is shown ----------------------------------------------------------------------------------------------------


def printed(found: Comparison, width: int = 80, encoding: str = "utf-8") -> str:
    import io

    from rich.console import Console

    buffer = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=buffer, width=width, highlight=False, markup=False, emoji=False)
    print_comparison(found, console)
    buffer.seek(0)
    text = buffer.read()
    assert all(len(line) <= width for line in text.splitlines())
    return text


def test_terminal__holds_every_figure_once_in_80_columns(found):
    text = printed(found)
    for one in found[0].differences:
        assert one.metric in text or one.metric.rpartition(".")[0] in text
    assert "economy.toll: 1 → 3" in text
    assert "written to" not in text
    assert printed(found, encoding="ascii").isascii()


@pytest.mark.compiled
def test_terminal__groups_by_what_is_known():
    found = sim.compare("standard", overrides=["economy.upgrade_cost=7"], seed=1, matches=20_000)
    text = printed(found)
    moved, rest = text.split("Moved by less than delta", 1)
    still, unsaid = rest.split("Cannot be said yet", 1)
    assert "points " in moved
    assert "win " in still
    assert "shared " in unsaid
    assert " matches\n" in unsaid
    assert "Common luck was worth" in unsaid
    assert {one.kind for one in found[0].with_verdict(Verdict.MOVED)} >= {Kind.MEAN, Kind.QUANTILE}


@pytest.mark.compiled
def test_terminal__tells_days_as_days_and_long_names_on_lines_of_their_own():
    text = printed(sim.compare("four-players", "three-players", seed=1, matches=2_000))
    assert "2,000 days each" in text
    assert "match" not in text
    lines = text.splitlines()
    (at,) = [n for n, line in enumerate(lines) if line == "  crossing_stages.uncontrolled_siding.east.slow"]
    assert re.fullmatch(r"    [\d.]+ Stages +[\d.]+ Stages +\+[\d.]+ ± [\d.]+ Stages +[\d,]+ days", lines[at + 1])
    assert "crossing_stages.* (32 figures)" in text
    assert "Of a quantile" not in text


# -- the command ------------------------------------------------------------------------------------------------------


def run_command(*words: str) -> Any:
    return CliRunner().invoke(app, ["compare", *words])


def test_command__writes_prints_and_says_when_complete(tmp_path):
    words = ["standard", "--set", "dispatches=3", "--matches", "20", "--seed", "5", "--out", str(tmp_path / "c")]
    one = run_command(*words)
    assert one.exit_code == 0, one.output
    assert "dispatches: 24 → 3" in one.stdout
    told = run_command(*words, "--json")
    assert json.loads(told.stdout) == json.loads((tmp_path / "c" / "compare.json").read_text(encoding="utf-8"))
    assert "complete already" in told.stderr
    command = json.loads((tmp_path / "c" / "manifest.json").read_text(encoding="utf-8"))["command"]
    assert command == ["sim", "compare", "standard", "--set", "dispatches=3", *words[3:]]


def test_command__interrupted_tells_how_to_go_on(tmp_path, monkeypatch):
    def stop(plan, **_):
        raise Interrupted(3, 40, tmp_path)

    monkeypatch.setattr("sim.studies.compare.play_comparison", stop)
    found = run_command("standard", "compact", "--seed", "5", "--out", str(tmp_path / "c"))
    assert found.exit_code == 130
    assert f"sim compare standard compact --seed 5 --out {tmp_path / 'c'}" in found.stderr


# -- what goes wrong --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sim.compare("standard"), "there is no variant; name another scenario, or change a key"),
        (lambda: sim.compare("standard", "grandest"), "grandest: there is no such file, nor a shipped scenario"),
        (lambda: sim.compare("standard", "grand", matches=0), "matches is 0; must be a whole number from 1"),
        (lambda: sim.compare("standard", "grand", seed=-1), "seed is -1; must be a whole number"),
        (lambda: sim.compare("standard", "configs"), "manifest.json is missing; this is no finished run folder"),
        (lambda: sim.compare("standard", overrides=["economy.tol=1"]), "did you mean"),
        (lambda: sim.load_comparison("configs"), "manifest.json is missing"),
    ],
    ids=range(7),
)
def test_compare__bad_input(call, message):
    with pytest.raises(sim.BadInput, match=message):
        call()


def test_load__damage_is_named(tmp_path):
    path = tmp_path / "c"
    sim.compare(scenario(), overrides=["economy.toll=0"], matches=8, seed=1, out=path)

    def damaged(file: str, change: Any, message: str) -> None:
        before = (path / file).read_bytes()
        edited(path / file, change)
        with pytest.raises(sim.BadInput, match=message):
            load_comparison(path)
        (path / file).write_bytes(before)

    damaged("manifest.json", lambda told: told.update(study="tournament"), "holds no comparison")
    damaged("manifest.json", lambda told: told.pop("notes"), "damaged: 'notes'")
    damaged("compare.json", lambda told: told.update(schema=9), "of schema 9, from another version; must be 1")
    damaged("compare.json", lambda told: told.pop("schema"), "names no schema")
    damaged("compare.json", lambda told: told["variants"][0].update(inert=None), "does not agree with itself")
    damaged("compare.json", lambda told: told["variants"][0]["differences"][0].pop("low"), "is damaged")
    load_comparison(path)
