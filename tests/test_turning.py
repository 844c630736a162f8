"""A scenario whose keys are turned: the same as when it is loaded anew with each value, and checked as strictly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sim
from sim.config import loading
from sim.config.errors import BadInput
from sim.config.loading import ScenarioTree, load_scenario
from sim.config.network import network_of
from sim.config.recent import Recent
from sim.lowering import lower
from sim.studies.turning import Turning

MAPS = Path(sim.__file__).parents[1] / "configs" / "maps"
STANDARD = load_scenario("standard").resolved()
VALUES: dict[str, dict[str, Any]] = {
    "as it is": {},
    "a number": {"economy.toll": 3},
    "two numbers": {"economy.toll": 3, "dispatches": 9},
    "a list's item": {"cargo.rewards[2]": 9},
    "within the map": {"map.initial_routes.aW": 2, "map.initial_routes.aE": 2},
    "a number again": {"economy.toll": 2},
    "a train": {"map.trains[1].first_reward": 1},
    "bots": {"bots": {"A": "greedy", "B": "random"}},
    "a variant": {"define.careful": {"bot": "greedy", "forbid": ["siding:aW"]}},
}
BAD: dict[str, dict[str, Any]] = {
    "a number": {"economy.toll": -1},
    "no key": {"economy.tol": 1},
    "a label": {"map.initial_routes.zz": 1},
    "a track": {"map.tracks[1]": ["aW", "aW"]},
    "no map": {"map": None},
    "a scope that the map has no deliveries for": {"cargo.scope": "company"},
    "a junction": {"define.careful": {"bot": "greedy", "forbid": ["siding:zz"]}},
    "a bot": {"bots": {"A": "nobody", "B": "random"}},
    "no override": {"economy..toll": 1},
    "an item": {"cargo.rewards[9]": 1},
    "several": {"economy.toll": -1, "map.name": "", "define.careful": {"bot": "nobody"}},
}


def problems_of(load: Any) -> list[tuple[str | None, int | None, str, str]]:
    with pytest.raises(BadInput) as told:
        load()
    return [(one.file, one.line, one.key, one.message) for one in told.value.problems]


def test_scenario_tree__gives_what_loading_anew_gives():
    tree = ScenarioTree(STANDARD)
    for _ in range(2):
        for what, values in VALUES.items():
            one, other = tree.scenario(values), load_scenario(STANDARD, values)
            assert one.resolved() == other.resolved(), what
            assert one.digest == other.digest
            assert lower(one).tobytes() == lower(other).tobytes()


@pytest.mark.parametrize("what", BAD)
def test_scenario_tree__refuses_what_loading_anew_refuses_in_the_same_words(what: str):
    tree = ScenarioTree(STANDARD)
    told = problems_of(lambda: load_scenario(STANDARD, BAD[what]))
    assert problems_of(lambda: tree.scenario(BAD[what])) == told
    assert tree.scenario({"economy.toll": 3}).resolved() == load_scenario(STANDARD, {"economy.toll": 3}).resolved()
    assert problems_of(lambda: tree.scenario(BAD[what])) == told


def test_scenario_tree__tells_of_faults_that_lie_in_the_scenario_itself_each_time():
    plain = {**STANDARD, "dispatches": object(), "map": {**STANDARD["map"], "name": ""}}
    tree = ScenarioTree(plain)
    told = problems_of(lambda: load_scenario(plain))
    assert {key for _, _, key, _ in told} == {"dispatches", "map.name"}
    assert problems_of(tree.scenario) == problems_of(tree.scenario) == told


def test_scenario_tree__checks_a_map_once_that_no_value_lies_in(monkeypatch):
    checked = []
    breaches = loading.map_breaches
    monkeypatch.setattr(loading, "map_breaches", lambda *given: checked.append(given) or breaches(*given))
    tree = ScenarioTree(STANDARD)
    first, second = tree.scenario({"economy.toll": 3}), tree.scenario({"economy.toll": 2})
    assert len(checked) == 1
    assert first.map is second.map
    tree.scenario({"map.initial_routes.aW": 2})
    assert len(checked) == 2


def test_scenario_tree__reads_a_map_of_a_file_each_time(tmp_path):
    text = (MAPS / "standard.yaml").read_text(encoding="utf-8")
    (tmp_path / "own.yaml").write_text(text)
    tree = ScenarioTree({**STANDARD, "map": "own.yaml"}, tmp_path)
    assert tree.scenario().map.name == "standard"
    (tmp_path / "own.yaml").write_text(text.replace("name: standard", "name: other"))
    assert tree.scenario().map.name == "other"


def test_turning__of_maps_by_turns_gives_each_with_its_own_map():
    turning = Turning(load_scenario("standard"), ("greedy", "random"), Path())
    names = [path.stem for path in sorted(MAPS.glob("*.yaml"))]
    for toll in (0, 3):
        for name in names:
            scenario, bots = turning.turned({"map": str(MAPS / f"{name}.yaml"), "economy.toll": toll})
            assert (scenario.map.name, scenario.economy.toll, bots) == (name, toll, ("greedy", "random"))
            assert network_of(scenario.map).map is scenario.map
            assert lower(scenario).tobytes() == lower(load_scenario(scenario.resolved())).tobytes()
    assert turning.turned({})[0] is turning.scenario


def test_turning__a_game_without_a_map_refuses_one():
    turning = Turning(load_scenario("two-players"), None, Path())
    told = problems_of(lambda: turning.turned({"map": str(MAPS / "standard.yaml")}))
    assert [key for _, _, key, _ in told] == ["map"]


def test_turning__true_is_not_one():
    turning = Turning(load_scenario("standard"), None, Path())
    assert turning.turned({"economy.toll": 1})[0] is turning.scenario
    told = problems_of(lambda: turning.turned({"economy.toll": True}))
    assert [key for _, _, key, _ in told] == ["economy.toll"]


def test_recent__asks_once_about_the_same_object_and_forgets_the_oldest():
    asked = []

    def length(items: list[int]) -> int:
        asked.append(items)
        if not items:
            raise ValueError("nothing")
        return len(items)

    recent = Recent(length, 2)
    first, second, third = [1], [1], [1, 2]
    assert [recent(one) for one in (first, first, second, first)] == [1, 1, 1, 1]
    assert [id(one) for one in asked] == [id(first), id(second)]
    assert recent(third) == 2
    recent(first)
    assert len(asked) == 4
    nothing: list[int] = []
    for _ in range(2):
        with pytest.raises(ValueError, match="nothing"):
            recent(nothing)
    assert len(asked) == 6
