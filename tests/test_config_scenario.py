"""A bad scenario says what is wrong, where, and what is allowed; a good one is frozen and canonical."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
from pydantic import ValidationError

from sim.config.errors import BadInput, Problem
from sim.config.loading import load_scenario
from sim.config.scenario import Scenario
from sim.config.values import did_you_mean
from tests.config_files import MAP, SCENARIO, changed, problems_of, write

DOLLARS = "must be a whole number of dollars"

# Each: what is changed in the good scenario, to what, and the one line that it is told with.
BAD = {
    "negative": (
        "siding_cost: 3",
        "siding_cost: -2",
        f"x.yaml:10: economy.siding_cost is -2; {DOLLARS}, 0 to 10,000, or null",
    ),
    "too much": ("toll: 1", "toll: 10001", f"x.yaml:11: economy.toll is 10001; {DOLLARS}, 0 to 10,000"),
    "text for a number": ("toll: 1", "toll: '1'", f"x.yaml:11: economy.toll is '1'; {DOLLARS}, 0 to 10,000"),
    "word for a number": ("toll: 1", "toll: free", f"x.yaml:11: economy.toll is 'free'; {DOLLARS}, 0 to 10,000"),
    "YAML 1.1 for a number": ("toll: 1", "toll: 1_0", f"x.yaml:11: economy.toll is '1_0'; {DOLLARS}, 0 to 10,000"),
    "float": ("income: 1", "income: 1.0", f"x.yaml:7: economy.income is 1.0; {DOLLARS}, 0 to 10,000"),
    "exponent": ("income: 1", "income: 1e2", f"x.yaml:7: economy.income is 1e2; {DOLLARS}, 0 to 10,000"),
    "bool": ("income: 1", "income: true", f"x.yaml:7: economy.income is true; {DOLLARS}, 0 to 10,000"),
    "list": ("income: 1", "income: [1]", f"x.yaml:7: economy.income is [1]; {DOLLARS}, 0 to 10,000"),
    "null where none may be": ("income: 1", "income:", f"x.yaml:7: economy.income is null; {DOLLARS}, 0 to 10,000"),
    "not a number": ("income: 1", "income: .nan", f"x.yaml:7: economy.income is .nan; {DOLLARS}, 0 to 10,000"),
    "speed 0": (
        "upgraded_speed: 2",
        "upgraded_speed: 0",
        "x.yaml:9: economy.upgraded_speed is 0; must be a whole number of ticks, 1 to 16",
    ),
    "speed 17": (
        "upgraded_speed: 2",
        "upgraded_speed: 17",
        "x.yaml:9: economy.upgraded_speed is 17; must be a whole number of ticks, 1 to 16",
    ),
    "no dispatch": (
        "dispatches: 24",
        "dispatches: 0",
        "x.yaml:4: dispatches is 0; must be a whole number of dispatches, 1 to 1,000",
    ),
    "too many dispatches": (
        "dispatches: 24",
        "dispatches: 1001",
        "x.yaml:4: dispatches is 1001; must be a whole number of dispatches, 1 to 1,000",
    ),
    "no rewards": ("[3, 4, 5]", "[]", "x.yaml:13: cargo.rewards has 0 items; must have at least 1"),
    "rewards as text": ("[3, 4, 5]", "3 4 5", "x.yaml:13: cargo.rewards is '3 4 5'; must be a list"),
    "65 rewards": ("[3, 4, 5]", f"{[1] * 65}", "x.yaml:13: cargo.rewards has 65 items; must have at most 64"),
    "reward of 1001": (
        "[3, 4, 5]",
        "[3, 1001]",
        "x.yaml:13: cargo.rewards[2] is 1001; must be a whole number of points, 0 to 1,000",
    ),
    "scope": (
        "scope: train",
        "scope: trian",
        "x.yaml:14: cargo.scope is 'trian'; must be train or company; did you mean 'train'?",
    ),
    "unknown key": (
        "toll: 1",
        "tol: 1",
        "x.yaml:11: economy.tol is no key that is known here; did you mean 'toll'?",
    ),
    "unknown key at the top": (
        "dispatches: 24",
        "dispatch: 24",
        "x.yaml:4: dispatch is no key that is known here; did you mean 'dispatches'?",
    ),
    "unknown key like extends": (
        "dispatches: 24",
        "extend: y.yaml",
        "x.yaml:4: extend is no key that is known here; did you mean 'extends'?",
    ),
    "unknown key like none": (
        "scope: train",
        "zzz: train",
        "x.yaml:14: cargo.zzz is no key that is known here; must be one of rewards, scope",
    ),
    "no name": ("name: small\n", "", "x.yaml:1: name is missing; must be given"),
    "no map": ("map: map.yaml\n", "", "x.yaml:1: map is missing; must be given"),
    "no schema": ("schema: 1\n", "", "x.yaml:1: schema is missing; must be given"),
    "no game": ("game: dispatch\n", "", "x.yaml:1: game is missing; must be given"),
    "schema": ("schema: 1", "schema: 2", "x.yaml:1: schema is 2; must be 1"),
    "schema as bool": ("schema: 1", "schema: true", "x.yaml:1: schema is true; must be 1"),
    "name that is a number": (
        "name: small",
        "name: 0x1F",
        "x.yaml:3: name is 0x1F, which is no text; must be a name: write it in quotes if it is meant as text",
    ),
    "empty name": ("name: small", "name: ''", "x.yaml:3: name is ''; must be a name of at least one character"),
    "game": (
        "game: dispatch",
        "game: dispach",
        "x.yaml:2: game is 'dispach'; must be dispatch or mainline; did you mean 'dispatch'?",
    ),
    "economy as a list": (
        SCENARIO[SCENARIO.index("economy:") : SCENARIO.index("cargo:")],
        "economy: [1]\n",
        "x.yaml:5: economy is [1]; must be a mapping, such as {key: value}",
    ),
    "map as a number": ("map: map.yaml", "map: 5", "x.yaml:15: map is 5; must be the path of a map, or a map in place"),
    "map that is nowhere": (
        "map: map.yaml",
        "map: mapp.yaml",
        "x.yaml:15: map is 'mapp.yaml', and there is no file mapp.yaml; must be the path of a map, "
        "or the name of a shipped one; "
        "did you mean 'map.yaml'?",
    ),
    "one seat": (
        "{A: greedy, B: greedy}",
        "{A: greedy}",
        "x.yaml:16: bots has only the seat A; must have both A and B, or be left out",
    ),
    "third seat": (
        "{A: greedy, B: greedy}",
        "{A: greedy, B: greedy, C: greedy}",
        "x.yaml:16: bots has the seat 'C'; must have the seats A and B and no other",
    ),
    "no seat": ("{A: greedy, B: greedy}", "{}", "x.yaml:16: bots has no seats; must have both A and B, or be left out"),
    "seat that is null": (
        "B: greedy}",
        "B: }",
        "x.yaml:16: bots.B is null, which is no text; must be a name: write it in quotes if it is meant as text",
    ),
    "definition without bot": (
        "bots: {A",
        "define:\n  own:\n    invest: none\nbots: {A",
        "x.yaml:17: define.own has no bot; must name the bot that it is a variant of, as in bot: greedy",
    ),
    "definition of another kind": (
        "bots: {A",
        "define: {own: greedy}\nbots: {A",
        "x.yaml:16: define.own is 'greedy'; must be a mapping, such as {key: value}",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_scenario__says_what_where_and_what_is_allowed(case: str, tmp_path: Path) -> None:
    old, new, message = BAD[case]
    assert problems_of(load_scenario, write(tmp_path, changed(SCENARIO, old, new))) == [message]


def test_bad_scenario__all_problems_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = (
        SCENARIO.replace("toll: 1", "toll: x").replace("dispatches: 24", "dispatches: 0").replace("[3, 4, 5]", "[-1]")
    )
    path = write(tmp_path, text, MAP.replace("[Qe, Pe]", "[Qe, Pz]").replace("name: ring", "name: 5"))
    lines = problems_of(load_scenario, path)
    assert [line.split(" ")[:2] for line in lines] == [
        ["x.yaml:4:", "dispatches"],
        ["x.yaml:11:", "economy.toll"],
        ["x.yaml:13:", "cargo.rewards[1]"],
        ["map.yaml:2:", "map.name"],
    ]


def test_bad_bots__come_with_their_lines(tmp_path: Path) -> None:
    text = changed(SCENARIO, "B: greedy}", "B: greedi}") + "define:\n  own:\n    bot: gredy\n"
    first, second = problems_of(load_scenario, write(tmp_path, text))
    assert first.startswith("x.yaml:16: bots.B is 'greedi'; must be one of ")
    assert second.startswith("x.yaml:19: define.own.bot is 'gredy'; must be ")
    assert second.endswith("did you mean 'greedy'?")


def test_defaults__are_those_of_the_rules() -> None:
    small = load_scenario(
        {"schema": 1, "game": "dispatch", "name": "s", "map": load_scenario("standard").map.resolved()}
    )
    full = load_scenario("standard")
    assert small.bots is None
    assert small.define == {}
    assert (small.dispatches, small.economy, small.cargo) == (full.dispatches, full.economy, full.cargo)
    assert full.economy.model_dump() == {
        "starting_cash": 4,
        "income": 1,
        "upgrade_cost": 8,
        "upgraded_speed": 2,
        "siding_cost": 3,
        "toll": 1,
    }
    assert (full.dispatches, full.cargo.rewards, full.cargo.scope) == (24, (3, 4, 5), "train")


def test_limits__are_allowed_themselves(tmp_path: Path) -> None:
    text = SCENARIO.replace("toll: 1", "toll: 10000").replace("dispatches: 24", "dispatches: 1000")
    text = text.replace("upgraded_speed: 2", "upgraded_speed: 16").replace("siding_cost: 3", "siding_cost: null")
    text = text.replace("[3, 4, 5]", f"{[0, 1000] * 32}").replace("income: 1", "income: 0")
    scenario = load_scenario(write(tmp_path, text))
    assert (scenario.economy.toll, scenario.dispatches, scenario.economy.upgraded_speed) == (10_000, 1_000, 16)
    assert scenario.economy.siding_cost is None
    assert scenario.cargo.rewards == (0, 1000) * 32


def test_scenario__is_frozen() -> None:
    scenario = load_scenario("standard")
    with pytest.raises(ValidationError):
        scenario.economy.toll = 5  # type: ignore[misc]


def test_resolved__has_everything_in_place_and_loads_again(tmp_path: Path) -> None:
    scenario = load_scenario(write(tmp_path))
    plain = scenario.resolved()
    assert plain["map"]["mirror"]["Pe"] == "Pw"
    assert plain["map"]["mirror"]["Pw"] == "Pe"
    assert plain["map"]["initial_routes"] == {"ae": 2, "aw": 2, "be": 1, "bw": 1}
    assert plain["map"]["trains"][0]["start"] == {"at": "Qw", "from": "bw"}
    assert plain["map"]["trains"][0]["first_reward"] == 0
    again = load_scenario(json.loads(json.dumps(plain)))
    assert again.resolved() == plain
    assert again.digest == scenario.digest


def test_digest__is_of_what_is_meant_not_of_how_it_is_written(tmp_path: Path) -> None:
    first = load_scenario(write(tmp_path))
    other = MAP.replace("start: Qw", "start: {from: bw, at: Qw}").replace("Pw: Pe", "Pe: Pw", 1)
    second = load_scenario(write(tmp_path, SCENARIO.replace("  toll: 1\n", ""), other))
    third = load_scenario(write(tmp_path), ["economy.toll=2"])
    assert first.digest == second.digest
    assert first.digest != third.digest
    assert len(first.digest) == 64


def test_bad_input__of_one_message_and_through_a_pickle() -> None:
    assert str(BadInput.of("no such bot")) == "no such bot"
    error = BadInput([Problem("x.yaml", 3, "a.b", "is 1; must be 2"), Problem(None, None, "", "odd")])
    copy = pickle.loads(pickle.dumps(error))
    assert copy.problems == error.problems
    assert str(copy) == "x.yaml:3: a.b is 1; must be 2\nodd"


def test_schema__describes_every_key() -> None:
    schema = Scenario.model_json_schema()
    for model in [schema, *schema["$defs"].values()]:
        for name, field in model["properties"].items():
            assert field.get("description"), name
    assert schema["properties"]["dispatches"]["maximum"] == 1_000


def test_digest__does_not_hang_on_the_order_of_keys() -> None:
    one, two = {"bot": "greedy"}, {"bot": "random"}
    first = load_scenario("standard", {"define": {"one": one, "two": two}})
    second = load_scenario("standard", {"define": {"two": two, "one": one}})
    assert first.digest == second.digest


def test_scope__is_train_when_the_cargo_is_left_out(tmp_path: Path) -> None:
    text = SCENARIO.replace("cargo:\n  rewards: [3, 4, 5]\n  scope: train\n", "")
    rail_map = changed(MAP, "    deliveries: [Qe, Pe]\n", "")
    assert problems_of(load_scenario, write(tmp_path, text, rail_map)) == [
        "map.yaml:18: map.trains[1].deliveries is missing; must be given, since cargo.scope is train"
    ]


def test_bad_scenario__a_limit_is_told_in_the_same_words_whichever_end_was_passed():
    """Also for what is no number at all."""
    said = set()
    for value in (-1, 1001, 1.5, "many", None, True):
        with pytest.raises(BadInput) as refused:
            load_scenario("standard", {"dispatches": value})
        said.add(str(refused.value).partition("; ")[2])
    assert said == {"must be a whole number of dispatches, 1 to 1,000"}


def test_bad_scenario__the_bot_that_is_suggested_ships():
    from kernels.dispatch.bots import SHIPPED

    with pytest.raises(BadInput) as refused:
        load_scenario("standard", {"define": {"own": {"noise": 1}}})
    assert str(refused.value).rpartition("as in bot: ")[2] in SHIPPED


def test_did_you_mean__never_the_word_itself():
    """Which is known elsewhere, and not allowed here."""
    assert did_you_mean("toll", ["toll", "trains"]) == ""
    assert did_you_mean("toll", ["toll", "tolls"]) == "; did you mean 'tolls'?"
    assert did_you_mean("Toll", ["toll", "tolls"]) == "; did you mean 'toll'?"
