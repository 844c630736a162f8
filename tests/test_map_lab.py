"""The map lab: figures are those of runs, a planted poor map comes last, what is written can be played, and goes on."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

import sim
from kernels.jit import PLAIN
from sim.cli.app import app
from sim.config.errors import BadInput
from sim.config.exactness import exactness
from sim.reports.map_lab_terminal import print_map_lab
from sim.running.runner import Interrupted
from sim.stats.rounding import format_longer_arm
from sim.stats.shape import evenness
from sim.store import RunFolder
from sim.studies.map_lab import make_map_lab_plan, map_lab, play_map_lab
from sim.studies.map_lab_result import MapLab, load_map_lab, ranked
from tests.run_tools import interrupting

SPEC = {"count": 4, "seed": 5}
FEW = 1_300
compiled = [pytest.mark.compiled, pytest.mark.skipif(PLAIN, reason="thousands of matches")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="module")
def found(folder) -> MapLab:
    return map_lab(generate=SPEC, bots=("greedy", "greedy"), matches=FEW, out=folder / "whole", threads=2)


class TestLab:
    pytestmark = compiled

    def test_lab__figures_are_those_of_a_run_of_the_map(self, found):
        one = found.maps[1]
        scenario = found.scenario_on(one)
        assert scenario.map.name == one.name
        run = sim.run(scenario, bots=("greedy", "greedy"), matches=FEW, seed=5)
        shape = sim.shape(scenario, bots=("greedy", "greedy"), matches=FEW, seed=5)
        assert one.figures["shared"].value == run["shared"].value
        assert one.figures["spread.mean"].low == run["spread.mean"].low
        assert one.figures["lead_changes"] == shape["lead_changes"]
        assert one.n_different == shape.n_different
        assert 0 < one.figures["close"].low < one.figures["close"].value < 1

    def test_lab__every_map_is_fair_by_proof_and_ranks_are_in_order(self, found):
        assert len(found.maps) == 4
        for one in found.maps:
            assert exactness(one.rail_map).exact
            assert (one.figures["seat_bias"].value, one.figures["seat_bias"].method) == (0, "exact")
            assert one.fair
        keys = [(len(one.dead), one.rank) for one in found.maps]
        assert keys == sorted(keys)
        assert np.mean([one.rank for one in found.maps]) == pytest.approx(2.5)

    def test_lab__a_poor_map_comes_last_and_a_biased_one_after_it(self, found):
        best, *others = found.maps
        poor = {name: replace(best.figures[name], value=value) for name, value in (("close", 0.0), ("shared", 1.0))}
        poor |= {name: replace(best.figures[name], value=0.0) for name in ("lead_changes", "traffic_evenness")}
        poor |= {"stuck": replace(best.figures["stuck"], value=48.0)}
        spoiled = replace(best, figures={**best.figures, **poor})
        assert ranked([spoiled, *others])[-1].name == best.name
        bias = replace(best.figures["seat_bias"], value=0.1, low=0.05, high=0.15, method="mean")
        biased = replace(best, figures={**best.figures, "seat_bias": bias})
        order = ranked([biased, *others, replace(spoiled, dead=("a-b",))])
        assert [one.fair for one in order] == [True, True, True, True, False]
        assert order[-2].dead == ("a-b",)

    def test_lab__maps_that_are_written_can_be_played(self, found, folder):
        files = sorted((folder / "whole" / "maps").glob("*.yaml"))
        assert [path.stem for path in files] == sorted(one.name for one in found.maps)
        for path in files:
            rail_map = sim.load_map(path)
            assert exactness(rail_map).exact
            assert rail_map.resolved() == found[path.stem].rail_map.resolved()
            assert path.read_text(encoding="utf-8").splitlines() == [
                line.rstrip() for line in path.read_text(encoding="utf-8").splitlines()
            ]

    def test_lab__is_kept_and_goes_on(self, found, folder):
        plan = make_map_lab_plan(generate=SPEC, bots=("greedy", "greedy"), matches=FEW)
        with RunFolder(folder / "stopped", plan.digest) as held, pytest.raises(Interrupted):
            play_map_lab(plan, folder=held, progress=interrupting(2))
        again = map_lab(generate=SPEC, bots=("greedy", "greedy"), matches=FEW, out=folder / "stopped")
        assert again.result() == found.result() == load_map_lab(folder / "stopped").result()
        assert (folder / "stopped" / "lab.json").read_bytes() == (folder / "whole" / "lab.json").read_bytes()

    def test_lab__is_told_in_80_columns_and_on_a_page(self, found, folder):
        assert len(repr(found)) < 1_500
        assert all(one.name in found._repr_html_() for one in found.maps)
        shown = io.StringIO()
        print_map_lab(found, Console(file=shown, width=80, markup=False, highlight=False))
        said = shown.getvalue()
        assert max(map(len, said.splitlines())) <= 80
        assert all(one.name in said for one in found.maps)
        for one in found.maps[:4]:
            leads = one.figures["lead_changes"]
            assert format_longer_arm(leads.value, leads.low, leads.high, "count") in said
        page = (folder / "whole" / "report.html").read_text(encoding="utf-8")
        assert all(one.name in page for one in found.maps)
        assert page.count("<figure") == 4

    def test_lab__unequal_bots_have_a_measured_bias(self):
        lab = map_lab(generate={"count": 2, "seed": 5}, bots=("greedy", "random"), matches=FEW)
        assert all(one.figures["seat_bias"].method != "exact" for one in lab.maps)

    def test_lab__on_the_command_line(self, tmp_path, capsys):
        words = f"maplab --count 2 --seed 5 --matches 64 --bots greedy --json --out {tmp_path / 'lab'}"
        with pytest.raises(SystemExit) as stopped:
            app(words.split())
        assert stopped.value.code == 0
        assert len(json.loads(capsys.readouterr().out)["maps"]) == 2
        with pytest.raises(BadInput, match="--legs is '3'; must be the least and the most tracks"):
            app(["maplab", "--legs", "3"])


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"generate": {"junctions": 7}}, "junctions is 7; must be even"),
        ({"generate": {"sed": 7}}, "sed is no key that is known here; did you mean 'seed'"),
        ({"generate": {"first_leg": [9, 9], "legs": [2, 2]}}, "0 such maps are found of 20"),
        ({"matches": 1}, "matches is 1; must be a whole number"),
        ({"scenario": "four-players"}, "maps by chance needs the dispatch game"),
    ],
)
def test_lab__what_cannot_be_played_is_refused(how, message):
    with pytest.raises(BadInput, match=message):
        make_map_lab_plan(**how)


def test_lab__bots_that_leave_nothing_to_chance_are_refused():
    still = sim.load_scenario("standard", ["define={still: {bot: greedy, noise: 0}}"])
    with pytest.raises(BadInput, match="leave nothing to chance"):
        make_map_lab_plan(still, bots=("still", "still"), generate={"count": 1})


def test_evenness__all_alike_is_1_and_one_alone_is_0():
    alike = evenness(np.full((20, 4), 3), 200, 100, "p")
    assert alike.value == pytest.approx(1)
    one = evenness(np.tile([5, 0, 0, 0], (20, 1)), 200, 100, "p")
    assert one.value == pytest.approx(0)
    two = evenness(np.tile([5, 5, 0, 0], (20, 1)), 200, 100, "p")
    assert two.value == pytest.approx(0.5)
    draw = np.random.default_rng(1)
    noisy = evenness(draw.integers(0, 9, (20, 4)), 200, 100, "p")
    assert noisy.low < noisy.value <= noisy.high <= 1
    assert evenness(np.zeros((20, 4), np.int64), 200, 100, "p").value is None
    assert evenness(np.full((3, 4), 3), 6, 3, "p").low is None
