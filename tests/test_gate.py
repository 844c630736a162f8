"""The gate on real matches: what is the same, what has moved, what cannot be said, and what must never pass."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sim
from kernels.jit import PLAIN
from sim.config.deltas import load_deltas
from sim.config.quantities import Quantity
from sim.stats.gate import State
from sim.stats.metrics import METRICS
from sim.studies.baseline import Baseline, Growing, sums_digest
from sim.studies.baseline_edit import add_to_baseline, remove_from_baseline, rename_in_baseline
from sim.studies.baseline_file import _checksum, read_baseline, write_baseline
from sim.studies.check import play_check
from sim.studies.record import Refused
from tests.run_tools import plug_in, scaled

ROOT = Path(__file__).parents[1]
MATCHES = scaled(1_400, 128)
"""Of the first look: 64 blocks, of one pair each where kernels are plain."""
DISPATCHES = scaled(24, 1)
OWN = scaled("greedy", "random")
"""The scenario's own bot."""


def scenario(folder: Path, name: str = "game", **changes: Any) -> Path:
    """A scenario file beside a copy of the shipped ones, with keys changed: `economy__toll=3`."""
    if not (folder / "configs").exists():
        shutil.copytree(ROOT / "configs", folder / "configs")
    data: dict[str, Any] = {"extends": "configs/standard.yaml", "name": name, "dispatches": DISPATCHES}
    data["bots"] = {"A": OWN, "B": OWN}
    for key, value in changes.items():
        place = data
        *parts, last = key.split("__")
        for part in parts:
            place = place.setdefault(part, {})
        place[last] = value
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps(data), encoding="utf-8")  # JSON is YAML
    return path


def recorded(folder: Path, *pairs: tuple[str, str] | None, matches: int = MATCHES, **how: Any) -> Path:
    """A baseline of a folder's `game.yaml`."""
    if not (folder / "game.yaml").exists():
        scenario(folder)
    sim.record_baseline(
        folder / "b.json", [folder / "game.yaml"], bots=pairs or (None,), matches=matches, seed=3, **how
    )
    return folder / "b.json"


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Path:
    """A folder with a scenario and its baseline; to be copied, not changed."""
    folder = tmp_path_factory.mktemp("kept")
    recorded(folder, None, ("greedy", "random"))
    return folder


@pytest.fixture
def folder(kept, tmp_path) -> Path:
    """A copy of that folder, to be changed."""
    shutil.copytree(kept, tmp_path / "f")
    return tmp_path / "f"


# -- identical --------------------------------------------------------------------------------------------------------


def test_check__what_has_not_changed_is_identical(folder):
    found = sim.check(folder / "b.json")
    assert (found.state, found.exit_code, found.passed) == (State.IDENTICAL, 0, True)
    assert [one.look for one in found.pairings] == [1, 1]
    assert [one.pairing for one in found.pairings] == [f"{OWN} vs {OWN}", "greedy vs random"]
    assert all(
        figure.change == 0 and figure.state is State.IDENTICAL for one in found.pairings for figure in one.figures
    )
    assert all(one.changes == () for one in found.pairings)
    assert found.pairings[0].pairs is None
    before, after = found.pairings[1].pairs
    assert before == after
    assert sum(before.counts) == found.pairings[1].matches // 2


@pytest.mark.parametrize("how", [{"threads": 1, "chunk_pairs": 5}, {"threads": 3, "chunk_pairs": 400}], ids=str)
def test_check__threads_and_chunks_change_nothing(folder, how):
    found = play_check(read_baseline(folder / "b.json"), folder / "b.json", **how)
    assert found.state is State.IDENTICAL


def test_check__renamed_nodes_change_nothing(folder):
    """As long as the order of the names stays: every node gets a word in front."""
    plain = sim.load_scenario(folder / "game.yaml").resolved()

    def renamed(value: Any, nodes: frozenset[str]) -> Any:
        if isinstance(value, dict):
            return {renamed(key, nodes): renamed(below, nodes) for key, below in value.items()}
        if isinstance(value, list):
            return [renamed(below, nodes) for below in value]
        return f"station {value}" if isinstance(value, str) and value in nodes else value

    nodes = frozenset(node for track in plain["map"]["tracks"] for node in track)
    other = {**plain, "map": {**renamed({**plain["map"], "name": None}, nodes), "name": "other"}}
    (folder / "game.yaml").write_text(json.dumps(other), encoding="utf-8")
    found = sim.check(folder / "b.json")
    assert found.state is State.IDENTICAL
    assert found.pairings[0].changes


def test_check__from_another_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)
    found = sim.check("b.json")
    assert found.state is State.IDENTICAL
    assert found.pairings[0].source == "game.yaml"
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    assert sim.check("../b.json").pairings[0].source == "../game.yaml"


def test_check__sums_of_every_block_are_in_the_digest():
    plan = sim.api.make_plan("standard", bots=("greedy", "random"), seed=1, overrides={"dispatches": 3})
    one, other = (Growing(plan, 4, 1).to(n) for n in (8, 9))
    assert sums_digest(one) == sums_digest(Growing(plan, 4, 2).to(8)) != sums_digest(other)
    assert sums_digest(one) != sums_digest(Growing(plan, 5, 1).to(8))


# -- drift ------------------------------------------------------------------------------------------------------------

PLANTED = {
    "upgrade cost": {"economy__upgrade_cost": 7},
    "toll": {"economy__toll": 3},
    "rewards": {"cargo__rewards": [3, 4, 6]},
    "no sidings": {"define": {"blind": {"bot": "greedy", "invest": "upgrade"}}, "bots": {"A": "blind", "B": "blind"}},
}


@pytest.fixture(scope="module")
def larger(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("larger")
    recorded(folder, None, matches=4_000)
    return folder


@pytest.mark.compiled
@pytest.mark.parametrize("name", PLANTED)
def test_check__planted_drifts_are_caught(larger, tmp_path, name):
    shutil.copytree(larger, tmp_path / "f")
    scenario(tmp_path / "f", **PLANTED[name])
    found = sim.check(tmp_path / "f" / "b.json")
    assert (found.state, found.exit_code) == (State.DRIFT, 1)
    moved = [figure for figure in found.pairings[0].figures if figure.state is State.DRIFT]
    assert moved
    assert all(abs(figure.change) > figure.delta for figure in moved)
    assert found.pairings[0].changes
    assert "moved by more than delta" in found.sentence


# -- undecided --------------------------------------------------------------------------------------------------------


def test_check__looks_further_as_far_as_it_must(folder):
    """Few matches of a small change: all looks are taken, and it is said why."""
    scenario(folder, economy__starting_cash=5)
    said: list[str] = []
    path = deltas(folder, {"shared": 0.02, "score.first": 0.001, **not_gated("shared", "score.first")})
    (folder / "b.json").unlink()
    scenario(folder)
    recorded(folder, ("greedy", "random"), deltas=path)
    scenario(folder, economy__starting_cash=6, economy__siding_cost=2)
    found = sim.check(folder / "b.json", tell=said.append, progress=True)
    assert found.pairings[0].look == len(said) + 1
    assert all("undecided after" in sentence and "more matches, about" in sentence for sentence in said)
    assert [figure.metric for figure in found.pairings[0].figures] == ["score.first", "shared"]
    again = sim.check(folder / "b.json", budget=0.0)
    assert again.pairings[0].look == 1
    if found.pairings[0].look > 1:
        assert (again.state, again.exit_code) == (State.UNDECIDED, 3)
        assert "budget of 0 s" in again.notes[0]
        assert sim.check(folder / "b.json", budget=0.0, undecided="warn").exit_code == 0


def test_check__undecided_at_the_last_look(folder):
    """Nothing but the luck differs, and there is too little of it for such deltas."""
    path = folder / "b.json"
    old = read_baseline(path)
    entries = tuple(
        type(entry)(entry.source, entry.bots, entry.matches, {**entry.deltas, "margin.mean": 1e-4}, entry.now)
        for entry in old.entries[1:]
    )
    write_baseline(path, Baseline(old.seed + 1, entries))
    said: list[str] = []
    found = sim.check(path, tell=said.append)
    assert (found.state, found.exit_code, len(said)) == (State.UNDECIDED, 3, 2)
    assert found.matches_needed is not None
    assert found.matches_needed > 16 * MATCHES
    assert "matches each would decide" in found.sentence
    assert found.pairings[0].with_state(State.UNDECIDED)


# -- deltas -----------------------------------------------------------------------------------------------------------


def deltas(folder: Path, rules: dict[str, Any]) -> Path:
    path = folder / "deltas.yaml"
    path.write_text(json.dumps({"schema": 1, "deltas": rules}), encoding="utf-8")
    return path


def not_gated(*kept: str) -> dict[str, None]:
    """Rules that leave out all figures but some."""
    return dict.fromkeys(name for name, metric in METRICS.items() if metric.gated and name not in kept)


def test_deltas__are_the_designers(folder):
    rules = {
        "shared": "1pp",
        "deliveries": "0.5 sd",
        "tolls": 0.2,
        "stuck": "0.1 sd",
        "margin.p50": None,
        "margin.p10": "2%",
    }
    path = recorded_again(folder, deltas(folder, rules))
    found = read_baseline(path).entries[0].deltas
    assert (found["shared"], found["tolls"], found["margin.p10"]) == (0.01, 0.2, 0.02)
    assert found["deliveries.first"] > 0 or PLAIN
    assert found["deliveries.first"] == found["deliveries.second"]
    assert found["stuck"] > 0 or PLAIN
    assert "margin.p50" not in found
    assert found["score.first"] == 0.005


def recorded_again(folder: Path, rules: Path) -> Path:
    return recorded(folder, ("greedy", "greedy"), deltas=rules, again=True)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"sharde": 1}, r"deltas.yaml:1: deltas.sharde is no figure; did you mean 'shared'"),
        ({"shared": "2 sd"}, r"deltas.yaml:1: deltas.shared is 2 sd; must be a difference of shares"),
        ({"shared": 1}, r"deltas.shared is 1, a difference of 100pp; must be at most 20pp; did you mean 1pp\?"),
        ({"margin.p10": "25%"}, r"deltas.'margin.p10' is 25%, a difference of 25pp; must be at most 20pp$"),
        ({"shared": 2}, r"deltas.shared is 2; must be a difference of shares, such as 0.5pp"),
        ({"tolls": "1%"}, r"deltas.tolls is 1 %; must be a number, in dollars, or standard deviations of a match"),
        ({"tolls": -1}, r"deltas.tolls is -1; must be 0 or more"),
        ({"tolls": [1]}, r"deltas.tolls is \[1\]; must be 0 or more"),
        ({}, r"deltas has 0 items; must have at least 1"),
    ],
)
def test_deltas__bad_files(tmp_path, rules, message):
    with pytest.raises(sim.BadInput, match=message):
        load_deltas(deltas(tmp_path, rules), METRICS)


def test_deltas__shipped_ones_are_good():
    from sim.games import game_of

    loaded = sim.load_scenario("four-players")
    found = load_deltas(ROOT / "configs" / "deltas" / "mainline.yaml", game_of(loaded).metrics(loaded))
    assert found.rules == {"orientation.east": Quantity(1.0, "pp")}


def test_deltas__stems_stand_for_both_sides(tmp_path):
    found = load_deltas(deltas(tmp_path, {"points": "1 points", "points.second": None}), METRICS)
    assert found.gates(METRICS["points.first"])
    assert not found.gates(METRICS["points.second"])
    assert found.delta(METRICS["points.first"], 9.0) == 1
    assert found.delta(METRICS["tolls"], 9.0) is None
    assert found.rules["points"] == Quantity(1.0, "points")


# -- record -----------------------------------------------------------------------------------------------------------


def test_record__is_what_the_runs_add_up_to(folder):
    entry = read_baseline(folder / "b.json").entries[1]
    for look, matches in zip(entry.now.looks, (MATCHES, 4 * MATCHES, 16 * MATCHES), strict=True):
        assert look.matches == matches
    run = sim.run(folder / "game.yaml", bots=("greedy", "random"), matches=16 * MATCHES, seed=3)
    for name in entry.deltas:
        assert entry.now.shown(name) == run[name].value, name
    again = read_baseline(folder / "b.json").entries[1]
    assert sums_digest(run.sums) == again.now.looks[-1].digest or not np.array_equal(
        run.sums.pairs, next(iter(again.now.looks[-1].totals.values())).pairs
    )


def test_record__an_old_baseline_stays(folder, monkeypatch):
    before = (folder / "b.json").read_bytes()
    with pytest.raises(sim.BadInput, match="exists already; sim baseline update accepts changes"):
        recorded(folder)

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sim.studies.record.record_plan", interrupted)
    with pytest.raises(KeyboardInterrupt):
        recorded(folder, again=True)
    monkeypatch.undo()
    monkeypatch.setattr("sim.studies.baseline_file.write_atomically", interrupted)
    with pytest.raises(KeyboardInterrupt):
        recorded(folder, again=True)
    assert (folder / "b.json").read_bytes() == before
    assert {path.name for path in folder.iterdir()} == {"b.json", "game.yaml", "configs"}


def test_record__the_same_bytes_whatever_the_threads(folder):
    before = (folder / "b.json").read_bytes()
    recorded(folder, None, ("greedy", "random"), again=True, threads=1)
    assert (folder / "b.json").read_bytes() == before


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"matches": 0}, "matches is 0; must be a whole number from 1"),
        ({"matches": 1.5}, "matches is 1.5; must be a whole number"),
        ({"matches": 127 - 1}, "matches is 126; must be 128 or more: with fewer no check could say anything"),
        ({"matches": 1}, "matches is 1; must be 128 or more"),
        ({"seed": -1}, "seed is -1; must be a whole number"),
        ({"bots": [("greedy", "gredy")]}, "did you mean 'greedy'"),
        ({"bots": [None, None]}, "is named twice with the same bots"),
        ({"scenarios": []}, "there is no scenario; name one or more"),
        ({"scenarios": ["nothing"]}, "nothing: there is no such file, nor a shipped scenario"),
        ({"deltas": "absent.yaml"}, "absent.yaml: there is no such file"),
    ],
)
def test_record__bad_input(tmp_path, how, message):
    scenarios = how.pop("scenarios", ["standard"])
    with pytest.raises(sim.BadInput, match=message):
        sim.record_baseline(tmp_path / "b.json", scenarios, **{"matches": 128, **how})
    assert not (tmp_path / "b.json").exists()


def test_record__no_figure_left(tmp_path):
    scenario(tmp_path)
    with pytest.raises(sim.BadInput, match="leaves no figure to look at"):
        recorded(tmp_path, deltas=deltas(tmp_path, not_gated()))


@pytest.mark.compiled
def test_record__as_many_matches_as_the_deltas_need(tmp_path):
    scenario(tmp_path)
    wide = deltas(tmp_path, {"shared": "1pp", **not_gated("shared")})
    found = sim.record_baseline(tmp_path / "b.json", [tmp_path / "game.yaml"], deltas=wide, seed=1)
    assert found.entries[0].matches == 20_000
    narrow = deltas(tmp_path, {"shared": "0.4pp", **not_gated("shared")})
    found = sim.record_baseline(tmp_path / "c.json", [tmp_path / "game.yaml"], deltas=narrow, seed=1, progress=True)
    assert 20_000 < found.entries[0].matches < 60_000
    from sim.reports.baseline_terminal import planned_words

    assert "enough for every delta" in planned_words(found, "c.json")[0]


# -- bots without chance, bots of files -------------------------------------------------------------------------------


def test_check__exact_pairings(tmp_path):
    still = {"define": {"still": {"bot": "greedy", "noise": 0}}, "bots": {"A": "still", "B": "random"}}
    still["dispatches"] = scaled(24, 12)
    scenario(tmp_path, **still)
    path = recorded(tmp_path, ("still", "still"), matches=MATCHES)
    assert read_baseline(path).entries[0].now.exact
    assert sim.check(path).state is State.IDENTICAL
    scenario(tmp_path, **still, economy__upgrade_cost=1, economy__siding_cost=None)
    found = sim.check(path)
    assert found.state is State.DRIFT
    assert found.pairings[0].matches == 1
    # A bot that has become noisy is set against what was exact, and the other way round.
    scenario(tmp_path, **{**still, "define": {"still": {"bot": "greedy", "noise": 4}}})
    assert sim.check(path, budget=0.0).state in (State.DRIFT, State.UNDECIDED)
    if PLAIN:
        return
    noisy = recorded(tmp_path, ("still", "still"), matches=MATCHES, again=True)
    scenario(tmp_path, **still)
    assert sim.check(noisy, budget=0.0).state in (State.DRIFT, State.UNDECIDED)


def test_check__bots_of_files_are_found_again(tmp_path, monkeypatch):
    scenario(tmp_path)
    monkeypatch.chdir(tmp_path)
    own = plug_in(Path("bots"), "return pack_order(0, False, -1, Invest.NONE)", draws_nothing="True")
    path = recorded(tmp_path, (own, "random"), matches=128)
    assert read_baseline(path).entries[0].bots == ("bots/own.py:own", "random")
    monkeypatch.chdir(tmp_path / "bots")
    assert sim.check("../b.json").state is State.IDENTICAL


# -- what differs in words --------------------------------------------------------------------------------------------


def changed_keys(folder: Path) -> list[str]:
    return [change.key for change in sim.check(folder / "b.json", budget=0.0).pairings[0].changes]


def test_check__what_differs_is_told_in_keys_of_the_scenario(tmp_path):
    """A bot that the scenario defines is told once, by its key; one of another name as renamed."""
    mine = {"bot": "random", "invest": "none"} if PLAIN else {"bot": "greedy", "noise": 3}
    scenario(tmp_path, define={"mine": mine}, bots={"A": "mine", "B": "mine"})
    recorded(tmp_path)
    other = {**mine, "invest": "upgrade"} if PLAIN else {**mine, "noise": 2.97}
    scenario(tmp_path, define={"mine": other}, bots={"A": "mine", "B": "mine"})
    found = changed_keys(tmp_path)
    assert found
    assert all(key.startswith("define.mine") for key in found)
    scenario(tmp_path, define={"ours": mine}, bots={"A": "ours", "B": "ours"})
    found = changed_keys(tmp_path)
    assert found[-1] == "bot renamed"
    assert not any("[" in key for key in found)


def test_check__what_differs_beside_the_scenario_is_told_as_well(folder):
    """A shipped bot's own number, and the rules, are in no key of the scenario."""

    def before(data: dict[str, Any]) -> None:
        played = data["entries"][1]["now"]["played"]
        played["players"][0]["values"]["noise"] = 7.0
        played["kernel_sources"] = "other"

    rewritten(folder / "b.json", before)
    found = sim.check(folder / "b.json").pairings[1].changes
    assert [(one.key, one.base) for one in found] == [
        ("bot greedy: noise", 7.0),
        ("sources of the rules and bots", "other"),
    ]


# -- a scenario more, or one less -------------------------------------------------------------------------------------


def test_edit__a_scenario_more_one_less_and_one_moved(folder, monkeypatch):
    monkeypatch.chdir(folder)
    scenario(folder, "more", economy__toll=2)
    before = read_baseline("b.json")
    found = add_to_baseline("b.json", ["more.yaml"], "a map more", bots=[("random", "greedy")], matches=MATCHES)
    assert [one.source for one in found.entries] == ["game.yaml", "game.yaml", "more.yaml"]
    assert found.n_figures > before.n_figures
    assert found.seed == before.seed
    assert sim.check("b.json").state is State.IDENTICAL
    with pytest.raises(sim.BadInput, match=r"holds more.yaml with these bots already"):
        add_to_baseline("b.json", ["more.yaml"], "again", bots=[("random", "greedy")], matches=MATCHES)

    (folder / "more.yaml").rename(folder / "moved.yaml")
    with pytest.raises(sim.BadInput, match=r"names the scenario more.yaml, and there is no such file"):
        sim.check("b.json")
    with pytest.raises(sim.BadInput, match=r"absent.yaml"):
        rename_in_baseline("b.json", "more.yaml", "absent.yaml", "moved")
    rename_in_baseline("b.json", "more.yaml", "moved.yaml", "moved")
    assert sim.check("b.json").state is State.IDENTICAL

    (folder / "moved.yaml").unlink()
    with pytest.raises(sim.BadInput, match=r"has no entry for absent.yaml; it holds game.yaml, moved.yaml"):
        remove_from_baseline("b.json", "absent.yaml", "gone")
    remove_from_baseline("b.json", "moved.yaml", "gone")
    found = remove_from_baseline("b.json", "game.yaml", "one pairing is enough", bots=("greedy", "random"))
    assert [one.bots for one in found.entries] == [None]
    with pytest.raises(sim.BadInput, match=r"holds nothing but game.yaml; must hold one scenario or more"):
        remove_from_baseline("b.json", "game.yaml", "all")
    with pytest.raises(sim.BadInput, match="--reason is empty"):
        remove_from_baseline("b.json", "game.yaml", " ")
    assert [note["verdict"] for note in found.history] == [
        "added: more.yaml",
        "now moved.yaml: more.yaml",
        "removed: moved.yaml",
        "removed: game.yaml",
    ]
    assert sim.check("b.json").state is State.IDENTICAL


def test_record__again_keeps_the_history(folder, monkeypatch):
    monkeypatch.chdir(folder)
    scenario(folder, "more")
    add_to_baseline("b.json", ["more.yaml"], "a map more", matches=MATCHES)
    recorded(folder, again=True)
    found = read_baseline("b.json").history
    assert [note["verdict"] for note in found] == ["added: more.yaml", "recorded anew"]
    (folder / "b.json").write_text("", encoding="utf-8")
    recorded(folder, again=True)
    assert read_baseline("b.json").history == ()


# -- update and anchor ------------------------------------------------------------------------------------------------


def test_update__nothing_new_is_not_written(folder):
    before = (folder / "b.json").read_bytes()
    found = sim.update_baseline(folder / "b.json", "no reason at all")
    assert found.state is State.IDENTICAL
    assert (folder / "b.json").read_bytes() == before
    with pytest.raises(sim.BadInput, match="--reason is empty; must say why"):
        sim.update_baseline(folder / "b.json", " ")


def test_update__keeps_the_reason_and_what_moved(folder):
    scenario(folder, economy__siding_cost=1)
    found = sim.update_baseline(folder / "b.json", "cheap sidings", anchor=True, progress=True)
    assert found.state in (State.DRIFT, State.UNDECIDED)
    kept = read_baseline(folder / "b.json")
    note = kept.history[-1]
    assert (note["reason"], note["anchor"], note["verdict"]) == ("cheap sidings", True, found.state.value)
    assert {"purchases.siding.first", "purchases.siding.second"} & {one["figure"] for one in note["moved"]}
    assert all(one["change"] for one in note["moved"])
    assert kept.entries[0].anchor is None
    assert sim.check(folder / "b.json").state is State.IDENTICAL


@pytest.mark.compiled
def test_update__the_history_lists_only_what_has_drifted(folder):
    """A bot that is a trifle less noisy: matches differ, and no figure by its delta."""
    wide = deltas(folder, {name: "20pp" for name in METRICS if METRICS[name].unit.startswith("share")} | WIDE)
    recorded(folder, deltas=wide, again=True)
    scenario(folder, define={"other": {"bot": "greedy", "noise": 2.99}}, bots={"A": "other", "B": "other"})
    found = sim.update_baseline(folder / "b.json", "a trifle")
    assert found.state is State.EQUIVALENT
    note = read_baseline(folder / "b.json").history[-1]
    assert (note["moved"], note["figures"]) == ([], len(found.pairings[0].figures))


WIDE = dict.fromkeys(("margin.mean", "spread.mean", "points", "deliveries", "tolls", "conflicts"), "9 sd")
WIDE |= {"margin.p10": None, "margin.p50": None, "margin.p90": None}


def test_update__new_deltas(folder):
    wide = deltas(folder, {"shared": "9pp", "stuck": 0.5, "margin.p10": None})
    found = sim.update_baseline(folder / "b.json", "wider", deltas=wide)
    assert found.state is State.IDENTICAL
    kept = read_baseline(folder / "b.json")
    assert (kept.entries[0].deltas["shared"], kept.entries[0].deltas["stuck"]) == (0.09, 0.5)
    assert "margin.p10" not in kept.entries[0].deltas
    assert kept.entries[0].anchor is not None
    assert "stuck" not in kept.entries[0].anchored
    assert kept.n_figures == sum(2 * len(entry.deltas) - 1 for entry in kept.entries)
    assert sim.check(folder / "b.json").state is State.IDENTICAL
    with pytest.raises(sim.BadInput, match="leaves no figure"):
        sim.update_baseline(folder / "b.json", "none", deltas=deltas(folder, not_gated()))


@pytest.mark.compiled
def test_anchor__small_steps_cannot_add_up(tmp_path):
    """Tolls rise step by step, each step accepted: what is more than three deltas from the anchor is not."""
    tolls = [
        sim.run(scenario(tmp_path, economy__toll=toll), matches=20_000, seed=1)["tolls"].value for toll in (1, 6, 7)
    ]
    first, both = tolls[1] - tolls[0], tolls[2] - tolls[0]
    delta = 0.93 * both / 3
    assert both - first < 0.8 * delta
    assert first < 2.9 * delta
    scenario(tmp_path, economy__toll=1)
    rules = deltas(tmp_path, {"tolls": delta, **not_gated("tolls")})
    path = recorded(tmp_path, matches=4_000, deltas=rules)
    scenario(tmp_path, economy__toll=6)
    assert sim.check(path).state is State.DRIFT
    sim.update_baseline(path, "a first step")
    assert sim.check(path).state is State.IDENTICAL
    scenario(tmp_path, economy__toll=7)
    found = sim.check(path)
    assert found.state is State.DRIFT
    figure = found.pairings[0].figures[0]
    assert figure.state is not State.DRIFT
    assert figure.anchor_drift
    assert figure.anchor_change > 3 * delta
    before = path.read_bytes()
    with pytest.raises(Refused, match="more than three deltas from the anchor"):
        sim.update_baseline(path, "a second step")
    assert path.read_bytes() == before
    sim.update_baseline(path, "released", anchor=True)
    assert sim.check(path).state is State.IDENTICAL
    assert [note["anchor"] for note in read_baseline(path).history] == [False, True]


# -- what must never pass ---------------------------------------------------------------------------------------------


def rewritten(path: Path, change: Any) -> None:
    """Change a baseline's content, with a checksum that fits."""
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    data.pop("checksum", None)
    data["checksum"] = _checksum(data)
    path.write_text(json.dumps(data), encoding="utf-8")


def zero(data: dict[str, Any]) -> None:
    for look in data["entries"][0]["now"]["looks"]:
        look["matches"] = [0] * len(look["matches"])


def few_pairs(data: dict[str, Any]) -> None:
    look = data["entries"][0]["now"]["looks"][0]
    look["pairs"] = [63] + [0] * (len(look["pairs"]) - 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.update(schema=0), "schema is 0, from another version; must be 1: record it anew"),
        (lambda data: data.update(entries=[]), "holds no scenario; must hold one or more"),
        (lambda data: data["entries"][0].update(deltas={}), "holds no figure; must hold one or more"),
        (zero, "holds no matches; must hold one or more"),
        (lambda data: data["entries"][0]["now"]["looks"][0].update(played=0), "holds no matches"),
        (few_pairs, "has a look of 63 pairs, from which nothing can be told; must have 64 or more"),
        (lambda data: data["entries"][0]["now"]["looks"].pop(), "has 2 looks; must have 3"),
        (lambda data: data["entries"][0]["deltas"].pop("shared"), "figures and deltas differ"),
        (
            lambda data: data["entries"][0]["now"]["looks"][1]["figures"].pop("shared"),
            "its looks hold different figures",
        ),
        (lambda data: data["entries"][0]["now"]["looks"][0]["pairs"].append(1), "is damaged: score.first does not fit"),
        (
            lambda data: data["entries"][0]["now"]["looks"][0]["matches"].__setitem__(0, 1.5),
            "is damaged: a sum is no whole",
        ),
        (lambda data: data["entries"][0].update(now=None), "is damaged"),
        (lambda data: data["entries"][0].pop("now"), "is damaged: it lacks now"),
        (lambda data: data.update(seed="1"), "is damaged: '1' is of another type"),
    ],
)
def test_baseline__damage_is_named(folder, change, message):
    rewritten(folder / "b.json", change)
    with pytest.raises(sim.BadInput, match=message) as told:
        sim.check(folder / "b.json")
    assert str(told.value).startswith(f"{folder / 'b.json'}: ")


def test_baseline__edited_cut_off_foreign_or_missing(folder):
    path = folder / "b.json"
    text = path.read_text(encoding="utf-8")
    for content, message in (
        (text.replace('"shared": 0.003', '"shared": 0.3'), "was edited by hand or damaged"),
        (text[: len(text) // 2], r"b.json:\d+: is cut off or damaged; restore it"),
        ("", "b.json: is empty; restore it from version control"),
        (f"{{\n<<<<<<< HEAD\n{text[2:]}=======\n", r"b.json:2: holds a merge conflict; take one side whole"),
        ("schema: 1\nbands: {}\n", "b.json: is no baseline; must be JSON that sim baseline record wrote"),
        ("[]", "is no baseline; must be what sim baseline record wrote"),
        ('{"schema": 1}', "is no baseline; must be what"),
    ):
        assert content != text
        path.write_text(content, encoding="utf-8")
        with pytest.raises(sim.BadInput, match=message):
            sim.check(path)
    with pytest.raises(sim.BadInput, match="this is YAML, such as a scenario or a goals file"):
        sim.check(ROOT / "configs" / "standard.yaml")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(sim.BadInput, match="is no text"):
        sim.check(path)
    path.unlink()
    with pytest.raises(sim.BadInput, match="there is no such baseline; sim baseline record makes one"):
        sim.check(path)
    with pytest.raises(sim.BadInput, match="cannot be read"):
        sim.check(folder)


def test_check__what_measures_nothing_never_passes(folder, monkeypatch):
    baseline = read_baseline(folder / "b.json")
    with pytest.raises(sim.BadInput, match="has no entry for what is to be checked"):
        play_check(baseline, folder / "b.json", only=lambda _: False)
    (folder / "game.yaml").rename(folder / "other.yaml")
    with pytest.raises(sim.BadInput, match=r"b.json: names the scenario .*game.yaml, and there is no such file; where"):
        sim.check(folder / "b.json")
    (folder / "other.yaml").rename(folder / "game.yaml")
    metrics = {name: metric for name, metric in METRICS.items() if name != "tolls"}
    monkeypatch.setattr("sim.games.dispatch.plan.METRICS", metrics)
    with pytest.raises(sim.BadInput, match="has no figure tolls any more; record the baseline anew"):
        sim.check(folder / "b.json")


def test_check__illegal_orders_never_pass(tmp_path, monkeypatch):
    scenario(tmp_path)
    monkeypatch.chdir(tmp_path)
    own = plug_in(Path("bots"), "return pack_order(0, False, -1, Invest.NONE)", draws_nothing="True")
    path = recorded(tmp_path, (own, "random"), matches=128)
    plug_in(Path("bots"), "return 1 << 20", draws_nothing="True")
    found = sim.check(path)
    assert found.exit_code != 0
    assert any(figure.metric == "illegal_orders" and figure.change == 1 for figure in found.pairings[0].figures)
    nothing = next(figure for figure in found.pairings[0].figures if figure.metric == "shared")
    assert nothing.now is None
    assert nothing.change is None


# -- goals, and pytest ------------------------------------------------------------------------------------------------


def goals(folder: Path, band: str) -> Path:
    path = folder / "goals.yaml"
    path.write_text(f'schema: 1\nscenario: game.yaml\nbands: {{points.first: "{band}"}}\n', encoding="utf-8")
    return path


def test_check__goals_count_too(folder, monkeypatch):
    monkeypatch.setattr("sim.running.runner.DEFAULT_MATCHES", MATCHES)
    for band, code in ((">= 0", 0), (">= 900", 1)):
        found = sim.check(folder / "b.json", goals=[goals(folder, band)])
        assert (found.state, found.exit_code) == (State.IDENTICAL, code)
        assert ("violated" in found.sentence) == (code == 1)


def test_assert_balance__passes_fails_and_never_measures_nothing(folder):
    found = sim.assert_balance(folder / "game.yaml", baseline=folder / "b.json")
    assert found.state is State.IDENTICAL
    with pytest.raises(sim.BadInput, match=r"has no entry for standard; it holds .*game.yaml$"):
        sim.assert_balance("standard", baseline=folder / "b.json")
    with pytest.raises(sim.BadInput, match="undecided is 'maybe'; must be fail or warn"):
        sim.assert_balance(folder / "game.yaml", baseline=folder / "b.json", undecided="maybe")
    scenario(folder, economy__siding_cost=None, economy__upgrade_cost=None)
    with pytest.raises(AssertionError, match=r"has moved\n(?s:.*)economy.siding_cost: 3 → null(?s:.*)DRIFT"):
        sim.assert_balance(folder / "game.yaml", baseline=folder / "b.json", budget=30)


def test_assert_balance__shipped_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sim.record_baseline("b.json", ["compact"], bots=[("random", "random")], matches=MATCHES, seed=1)
    assert read_baseline("b.json").entries[0].source == "compact"
    assert sim.assert_balance("compact", baseline="b.json").state is State.IDENTICAL


# -- false alarms -----------------------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_gate__cries_no_wolf_on_other_luck(tmp_path):
    """A/A on other seeds: of 20 checks none says drift. (1,000 of them: tests/slow/gate_study.py.)"""
    scenario(tmp_path)
    path = recorded(tmp_path, ("greedy", "random"), matches=1_400)
    baseline = read_baseline(path)
    states = []
    for seed in range(20):
        found = play_check(Baseline(1_000 + seed, baseline.entries), path, budget=0.0)
        assert all(math.isfinite(figure.p_drift) for figure in found.pairings[0].figures)
        states.append(found.state)
    assert State.DRIFT not in states


# -- the other game ---------------------------------------------------------------------------------------------------


def test_check__of_both_games_in_one_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    few = scaled(1_400, 128)
    text = f'{{"extends": "{ROOT}/configs/mainline/one-player.yaml", "name": "line"}}'
    Path("line.yaml").write_text(text, encoding="utf-8")
    scenario(tmp_path)
    sim.record_baseline("b.json", ["line.yaml", "game.yaml"], matches=few, seed=2)
    found = sim.check("b.json")
    assert [one.pairing for one in found.pairings] == ["hold", f"{OWN} vs {OWN}"]
    assert found.state is State.IDENTICAL
    assert {"collisions", "trip_gap"} <= {figure.metric for figure in found.pairings[0].figures}
    if PLAIN:
        return  # the rest needs hundreds of days
    rule = deltas(tmp_path, {"trip_gap": "0.1 Stages", "tolls": "0.2 sd", "collisions": None})
    kept = sim.record_baseline("b.json", ["line.yaml", "game.yaml"], matches=few, seed=2, deltas=rule, again=True)
    assert kept.entries[0].deltas["trip_gap"] == 0.1
    assert "collisions" not in kept.entries[0].deltas
    Path("line.yaml").write_text(f'{text[:-1]}, "policy": {{"admit": 0.9}}, "collision_delay": 9}}', encoding="utf-8")
    changed = sim.check("b.json", budget=0.0)
    assert [one.state is State.IDENTICAL for one in changed.pairings] == [False, True]
    assert "policy" in {change.key.partition(".")[0] for change in changed.pairings[0].changes}
    assert changed.pairings[0].pairs is None
    assert changed.exit_code == 1
