"""What junctions and tracks are worth: planted worth is found, none where nobody goes, and it is what runs say."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

import sim
from kernels.jit import PLAIN
from sim.cli.app import app
from sim.config.errors import BadInput
from sim.config.starters import starters_dir
from sim.reports.knockout_terminal import print_knockout
from sim.running.runner import Interrupted
from sim.store import RunFolder
from sim.studies.knockout import Knockout, knockout, load_knockout, make_knockout_plan, play_knockout
from tests.run_tools import interrupting

FEW = 1_300
pytestmark = [pytest.mark.compiled, pytest.mark.skipif(PLAIN, reason="thousands of matches")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("knockout")


@pytest.fixture(scope="module")
def found(folder) -> Knockout:
    return knockout("grand", matches=FEW, seed=3, threads=2, out=folder / "whole")


def test_knockout__a_place_that_all_deliveries_need_is_worth_much(found):
    needed = found["junction:gw"]
    assert needed.low is not None
    assert needed.low > 0.2
    assert needed.n >= FEW
    assert found.of("greedy", "junction:gw", "points").value > 1


def test_knockout__where_no_train_goes_nothing_is_lost(found):
    assert "fe-fw" in found.dead["greedy"]
    unused = found["track:fe - fw"]
    assert unused.value == 0
    assert found["junction:fw"].value == pytest.approx(0, abs=0.03)
    assert found.looked == {"greedy": FEW}


def test_knockout__is_what_runs_say(found):
    define = {"off": {"bot": "greedy", "avoid": {"tracks": [["aw", "gw"]]}}}
    run = sim.run("grand", bots=("off", "greedy"), matches=FEW, seed=3, overrides={"define": define})
    one = found["track:aw - gw"]
    assert one.value == pytest.approx(0.5 - run["score.first"].value)
    assert one.value > 0.05


def test_knockout__is_kept_and_goes_on(found, folder):
    plan = make_knockout_plan("grand", matches=FEW, seed=3)
    with RunFolder(folder / "stopped", plan.digest) as held, pytest.raises(Interrupted):
        play_knockout(plan, folder=held, progress=interrupting(6))
    again = knockout("grand", matches=FEW, seed=3, out=folder / "stopped")
    assert again.result() == found.result() == load_knockout(folder / "stopped").result()
    assert json.loads((folder / "stopped" / "knockout.json").read_text()) == found.result()
    page = (folder / "whole" / "report.html").read_text(encoding="utf-8")
    assert "junction gw" in page
    assert "no train ran along" in page
    assert (folder / "whole" / "map.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_knockout__is_told_in_80_columns(found):
    assert "junction gw" in found._repr_html_()
    shown = io.StringIO()
    print_knockout(found, Console(file=shown, width=80, markup=False, highlight=False))
    said = shown.getvalue()
    assert max(map(len, said.splitlines())) <= 80
    assert "junction gw" in said
    assert "no train ran along" in said


def test_knockout__a_map_is_played_by_the_rules_of_standard(tmp_path):
    (tmp_path / "own.yaml").write_text((starters_dir() / "maps" / "compact.yaml").read_text())
    plan = make_knockout_plan(str(tmp_path / "own.yaml"), seed=1)
    assert plan.value.scenario.map.resolved() == sim.load_scenario("compact").map.resolved()
    assert plan.value.scenario.economy == sim.load_scenario("standard").economy
    with pytest.raises(BadInput, match="needs the dispatch game"):
        make_knockout_plan(sim.load_scenario("four-players"))


def test_knockout__on_the_command_line(tmp_path, capsys):
    words = f"map compact --knockout --bots greedy,random --matches 64 --seed 1 --json --out {tmp_path / 'k'}"
    with pytest.raises(SystemExit) as stopped:
        app(words.split())
    assert stopped.value.code == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["map"], told["bots"]) == ("compact", ["greedy", "random"])
    for option in (["--bots", "greedy"], ["--matches", "10"], ["--seed", "1"]):
        with pytest.raises(BadInput, match="left out without --knockout"):
            app(["map", "compact", *option])
