"""Tuning: planted repairs are found and are the smallest, what cannot be met is said, and what is kept goes on."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

import sim
from kernels.jit import PLAIN
from sim.cli.app import app
from sim.config.errors import BadInput
from sim.config.loading import load_scenario
from sim.reports.tune_terminal import print_tune
from sim.reports.tune_words import around_sentence
from sim.running.executors import executor_of
from sim.running.runner import Interrupted
from sim.stats.goals import GoalVerdict
from sim.store import RunFolder
from sim.studies import tune_search
from sim.studies.sweep_rows import ROWS_FILE
from sim.studies.tune import play_tune, tune
from sim.studies.tune_plan import CONFIRM_TIMES, LEAST_MATCHES, make_tune_plan
from sim.studies.tune_play import TunePlay
from sim.studies.tune_result import Tuned
from sim.studies.tuned_file import write_tuned
from tests.run_tools import interrupting

FEW = LEAST_MATCHES
BARGAIN = '{purchases.upgrade.first: "<= 0.02"}'
"""No upgrades: only a price that nobody can pay brings that about."""

BOTH = '{purchases.upgrade.first: "<= 0.02", purchases.siding.first: "<= 0.02"}'
KEYS = "{economy.toll: [0, 1, 2], economy.upgrade_cost: [6, 8, 90], economy.siding_cost: [3, 90]}"

compiled = [pytest.mark.compiled, pytest.mark.skipif(PLAIN, reason="thousands of matches")]


def goals(folder: Path, bands: str = BARGAIN, keys: str | None = KEYS, **other: str) -> Path:
    lines = {"schema": "1", "scenario": "standard", "bots": "[[greedy, random]]", "bands": bands, **other}
    if keys is not None:
        lines["may_change"] = keys
    path = folder / "goals.yaml"
    path.write_text("".join(f"{key}: {value}\n" for key, value in lines.items()))
    return path


def text(found: Tuned) -> str:
    shown = io.StringIO()
    print_tune(found, Console(file=shown, width=80, markup=False, highlight=False))
    return shown.getvalue()


# -- what may be changed ----------------------------------------------------------------------------------------------


def test_space__edits_by_keys_and_then_steps(tmp_path):
    space = make_tune_plan(goals(tmp_path), seed=1).space
    assert [(ladder.values, ladder.today) for ladder in space.ladders] == [
        ((0, 1, 2), 1),
        ((6, 8, 90), 1),
        ((3, 90), 0),
    ]
    groups = list(space.groups(3))
    sizes = [space.size(group[0]) for group in groups]
    assert sizes == sorted(sizes)
    assert sizes[:3] == [(0, 0), (1, 1), (2, 2)]
    edits = [edit for group in groups for edit in group]
    assert len(edits) == len(set(edits)) == space.n_edits == sum(space.n_by_keys) == 18
    assert space.n_by_keys == (1, 5, 8, 4)
    assert space.label(edits[0]) == "nothing changed"
    assert space.label((2, 1, 1), short=True) == "toll 1 → 2, siding_cost 3 → 90"


def test_space__todays_value_counts_although_it_is_not_listed(tmp_path):
    keys = "{economy.toll: {from: 3, to: 9, step: 3}, cargo.rewards: [[1, 1, 1], [2, 3, 4]]}"
    space = make_tune_plan(goals(tmp_path, keys=keys), seed=1).space
    assert space.ladders[0].values == (1, 3, 6, 9)
    assert space.ladders[1].values == ([3, 4, 5], [1, 1, 1], [2, 3, 4])
    assert space.size((3, 1)) == (2, 4)
    assert space.neighbours((0, 1)) == [(1, 1), (0, 0), (0, 2)]
    assert [space.size(edit) for edit in space.smaller((2, 2))] == [(1, 2), (1, 2), (2, 3), (2, 3)]
    assert set(space.smaller((2, 2))) == {(0, 2), (2, 0), (1, 2), (2, 1)}


def test_space__the_map_that_the_scenario_has_is_todays(tmp_path):
    keys = "{map: [maps/compact.yaml, maps/standard.yaml]}"
    space = make_tune_plan(goals(tmp_path, keys=keys), seed=1).space
    assert space.ladders[0].today == 1


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (None, r"goals.yaml:1: may_change is missing|may_change is missing; must name"),
        ("{economy.toll: []}", r"goals.yaml:5: may_change.'economy.toll' is \[\]; must be a list of values"),
        ("{economy.toll: [1]}", r"goals.yaml:5: .* has no value but today's"),
        ("{economy.toll: {from: 0.5, to: 1.5}}", r"goals.yaml:5: .* has no step"),
        ("{economy.tol: [1, 2]}", r"goals.yaml:5: .* at 1: economy.tol is no key that is known here"),
        ("{economy.toll: [1, -2]}", r"goals.yaml:5: .* at -2: economy.toll is -2; must be a whole number"),
        ("{bots: [greedy, random]}", r"goals.yaml:5: may_change.bots stays as it is"),
        ("{name: [a, b]}", r"goals.yaml:5: may_change.name is no number of the game"),
        ("{map: [maps/compact.yaml], map.initial_routes.aW: [1, 2]}", r"lies within map"),
        ("{map: {generate: {junctions: 7}}}", r"may_change.map.generate.junctions is 7; must be even"),
    ],
)
def test_space__what_cannot_be_changed_is_refused(tmp_path, keys, message):
    with pytest.raises(BadInput, match=message):
        make_tune_plan(goals(tmp_path, keys=keys), seed=1)


def test_plan__dominated_bots_and_numbers_are_refused(tmp_path):
    path = goals(tmp_path, "{dominated_bots: 0, shared: '<= 90%'}")
    with pytest.raises(BadInput, match=r"goals.yaml:4: bands.dominated_bots cannot be tuned for, since it takes a"):
        make_tune_plan(path, seed=1)
    for how in ({"matches": 639}, {"matches": True}, {"trials": 0}, {"seed": -1}):
        with pytest.raises(BadInput, match="must be a whole number"):
            make_tune_plan(goals(tmp_path), **{"seed": 1, **how})


# -- planted repairs --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("tune")


@pytest.fixture(scope="module")
def one_key(folder) -> Tuned:
    return tune(goals(folder), matches=FEW, seed=1, threads=2, out=folder / "one")


class TestFound:
    pytestmark = compiled

    def test_tune__finds_a_repair_of_one_key(self, one_key):
        assert one_key.values == {"economy.upgrade_cost": 90}
        assert (one_key.verdict, one_key.exit_code) == (GoalVerdict.MET, 0)
        assert one_key.found is not None
        assert one_key.found.n_matches >= CONFIRM_TIMES * FEW
        assert one_key.today.verdict is GoalVerdict.VIOLATED
        assert not one_key.smaller_open
        label = one_key.space.label
        judged = {label(other.edit): other.verdict for other in one_key.around}
        assert judged["economy.toll 1 → 2, economy.upgrade_cost 8 → 90"] is GoalVerdict.MET
        assert judged["nothing changed"] is GoalVerdict.VIOLATED
        assert len(judged) == 4

    def test_tune__finds_a_repair_of_two_keys_that_no_one_key_brings(self, folder):
        found = tune(goals(folder, BOTH), matches=FEW, seed=1)
        assert found.values == {"economy.upgrade_cost": 90, "economy.siding_cost": 90}
        ones = [other for other in found.around if found.space.size(other.edit)[0] < 2]
        assert ones
        assert all(other.verdict is GoalVerdict.VIOLATED for other in ones)
        assert found.folder is None

    def test_tune__says_that_nothing_has_to_be_changed(self, folder):
        found = tune(goals(folder, '{shared: "<= 90%"}'), matches=FEW, seed=1)
        assert found.values == {}
        assert "Nothing has to be changed" in text(found)

    def test_tune__says_what_cannot_be_met_and_what_stands_nearest(self, folder):
        impossible = '{purchases.upgrade.first: "<= 0.02", purchases.siding.first: ">= 300"}'
        found = tune(goals(folder, impossible), matches=FEW, seed=1)
        assert (found.verdict, found.exit_code, found.values) == (GoalVerdict.VIOLATED, 1, None)
        assert found.n_tried == found.space.n_edits == 18
        best = found.nearest[0]
        assert found.space.values(best.edit)["economy.upgrade_cost"] == 90
        assert [one.goal.metric for one in best.outside] == ["purchases.siding.first"]
        said = text(found)
        assert "No edit meets all goals." in said
        assert "Nearest: " in said

    def test_tune__all_pairings_have_to_meet_the_goals(self, folder):
        wins = '{score.first: ">= 60%"}'
        keys = "{economy.toll: [1, 2]}"
        assert tune(goals(folder, wins, keys), matches=FEW, seed=1).values == {}
        both = tune(goals(folder, wins, keys, bots="[[greedy, random], [random, greedy]]"), matches=FEW, seed=1)
        assert both.exit_code == 1
        verdicts = {one.estimate.pairing: one.verdict for one in both.today.results}
        assert verdicts == {"greedy vs random": GoalVerdict.MET, "random vs greedy": GoalVerdict.VIOLATED}

    def test_tune__stays_undecided_where_the_figure_lies_on_the_bound(self, folder):
        truth = sim.run("standard", bots=("greedy", "greedy"), matches=400_000, seed=9)["shared"].value
        bands = f'{{shared: "<= {truth:.4f}", purchases.upgrade.first: ">= 0.5"}}'
        keys = "{economy.upgrade_cost: [8, 90]}"
        found = tune(goals(folder, bands, keys, bots="[[greedy, greedy]]"), matches=FEW, seed=1)
        assert (found.verdict, found.exit_code, found.values) == (GoalVerdict.UNDECIDED, 3, None)
        assert [one.edit for one in found.open] == [found.space.today]
        assert "Undecided: no edit was confirmed, and 1 edit may" in " ".join(text(found).split())

    def test_tune__a_winner_that_fresh_luck_denies_gives_way_to_the_next(self, folder, monkeypatch):
        plan = make_tune_plan(goals(folder, '{purchases.upgrade.first: ">= 0.5"}'), matches=FEW, seed=1)
        confirm, denied = TunePlay.confirm, []

        def deny_first(self, edit, attempt):
            one = confirm(self, edit, attempt)
            if attempt > 1:
                return one
            denied.append(edit)
            return tune_search.Tried(edit, one.results, one.n_matches, "denied")

        monkeypatch.setattr(TunePlay, "confirm", deny_first)
        found = play_tune(plan, executor=executor_of(1))
        assert denied == [plan.space.today]
        assert [one.edit for one in found.rejected] == denied
        assert found.space.size(found.found.edit) == (1, 1)
        assert "did not on fresh luck" in text(found)

    def test_tune__judges_on_luck_that_it_did_not_choose_on(self, folder):
        plan = make_tune_plan(goals(folder, '{spread.mean: "<= 90"}'), matches=FEW, seed=1)
        play = TunePlay(plan, executor_of(1), None, None)
        edit = plan.space.today
        seen, fresh = play.race([edit], whole=True)[0], play.confirm(edit, 1)
        assert seen.results[0].estimate.value != fresh.results[0].estimate.value

    def test_tune__search__finds_and_shrinks_where_there_are_too_many(self, folder):
        plan = make_tune_plan(goals(folder, BOTH), matches=FEW, seed=1, trials=30, most_enumerated=6)
        assert (plan.searched, plan.enumerated_keys) == (True, 1)
        found = play_tune(plan, executor=executor_of(2))
        assert found.by_search
        assert found.values == {"economy.upgrade_cost": 90, "economy.siding_cost": 90}
        assert play_tune(plan, executor=executor_of(1)).result() == found.result()
        assert any("a smaller edit than the one found may have been missed" in note for note in found.notes)

    # -- what is kept -------------------------------------------------------------------------------------------------

    def test_tune__is_kept_and_goes_on(self, one_key, folder):
        plan = make_tune_plan(goals(folder), matches=FEW, seed=1)
        with RunFolder(folder / "stopped", plan.digest) as held, pytest.raises(Interrupted):
            play_tune(plan, folder=held, executor=executor_of(1), progress=interrupting(5))
        again = tune(goals(folder), matches=FEW, seed=1, threads=1, out=folder / "stopped")
        assert 0 < again.manifest["matches_played"] < one_key.manifest["matches_played"]
        assert again.result() == one_key.result()
        for name in ("tune.json", "tuned.yaml", ROWS_FILE):
            assert (folder / "stopped" / name).read_bytes() == (folder / "one" / name).read_bytes(), name
        before = {path.name: path.stat().st_mtime_ns for path in (folder / "stopped").iterdir()}
        whole = tune(goals(folder), matches=FEW, seed=1, threads=1, out=folder / "stopped")
        assert whole.result() == one_key.result()
        assert {path.name: path.stat().st_mtime_ns for path in (folder / "stopped").iterdir()} == before

    def test_tune__the_edit_is_a_scenario(self, one_key, folder):
        tuned = load_scenario(folder / "one" / "tuned.yaml")
        assert tuned.name == "standard-tuned"
        assert tuned.economy.upgrade_cost == 90
        assert {**tuned.resolved(), "name": ""} == {
            **load_scenario("standard", ["economy.upgrade_cost=90"]).resolved(),
            "name": "",
        }
        assert "extends: " in (folder / "one" / "tuned.yaml").read_text(encoding="utf-8")

    def test_tune__is_told_in_80_columns_and_on_a_page(self, one_key, folder):
        assert "economy.upgrade_cost 8 → 90" in one_key._repr_html_()
        said = text(one_key)
        assert max(map(len, said.splitlines())) <= 80
        assert "changes 1 key by 1 step, confirmed" in " ".join(said.split())
        assert "economy.upgrade_cost  8 → 90" in said
        assert "One step away" in said
        page = (folder / "one" / "report.html").read_text(encoding="utf-8")
        for words in ("Confirmed on fresh luck", "As it is", "One step away", "VIOLATED", "upgrade_cost 90 → 8"):
            assert words in page, words
        assert json.loads((folder / "one" / "tune.json").read_text())["values"] == {"economy.upgrade_cost": 90}


@pytest.mark.compiled
@pytest.mark.skipif(PLAIN, reason="thousands of matches")
@pytest.mark.parametrize(("bands", "code"), [(BARGAIN, 0), ('{purchases.siding.first: ">= 300"}', 1)])
def test_tune__on_the_command_line(tmp_path, capsys, bands, code):
    path = goals(tmp_path, bands)
    words = ["tune", str(path), "--matches", "640", "--seed", "1", "--out", str(tmp_path / "out"), "--json"]
    with pytest.raises(SystemExit) as stopped:
        app(words)
    assert (stopped.value.code or 0) == code
    told = json.loads(capsys.readouterr().out)
    assert told == json.loads((tmp_path / "out" / "tune.json").read_text())
    assert told["verdict"] == ("met" if code == 0 else "violated")
    assert (tmp_path / "out" / "tuned.yaml").exists() == (code == 0)
    for option, value in (("--trials", "0"), ("--matches", "many"), ("--seed", "-1")):
        with pytest.raises(BadInput, match=option):
            app(["tune", str(path), option, value])


def test_plan__a_search_without_its_package_is_refused(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(BadInput, match=r"goals.yaml:5: may_change allows 18 edits, more than 6, .*install dispatch-ba"):
        make_tune_plan(goals(tmp_path), seed=1, most_enumerated=6)


@pytest.mark.parametrize(
    ("keys", "edit"),
    [
        ("{map: [maps/compact.yaml], economy.toll: [2]}", (1, 1)),
        ("{map: {generate: {count: 2}}}", (2,)),
        ("{'map.trains[2].first_reward': [1, 2]}", (2,)),
        ("{cargo.rewards: [[2, 3, 4]], economy.siding_cost: [null]}", (1, 1)),
    ],
)
def test_tuned_file__is_what_was_played(tmp_path, keys, edit):
    plan = make_tune_plan(goals(tmp_path, keys=keys), seed=1)
    (tmp_path / "out").mkdir()
    path = write_tuned(plan, edit, tmp_path / "out")
    assert {**load_scenario(path).resolved(), "name": ""} == {**plan.scenario(edit).resolved(), "name": ""}


def test_tune__counts_what_lies_one_step_away():
    def around(*verdicts: str) -> str:
        tried = [SimpleNamespace(edit=(n,), verdict=GoalVerdict(word)) for n, word in enumerate(verdicts, 1)]
        space = SimpleNamespace(size=lambda edit: (1, edit[0]), label=lambda *_, **__: "toll 1 → 0")
        return around_sentence(SimpleNamespace(found=SimpleNamespace(edit=(0,)), around=tried, space=space))

    assert around("met", "met", "violated", "undecided") == (
        "Of 4 edits one step away 2 meet all goals, 1 misses one and 1 is open: the edit stands at an edge."
    )
    assert around("met") == (
        "Of 1 edit one step away 1 meets all goals, 0 miss one and 0 are open: the edit stands on a plateau."
    )
