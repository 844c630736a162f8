"""Mainline scenarios: what they say, what they resolve to, and what is told of bad ones."""

from __future__ import annotations

import json

import pytest

import sim
from kernels.mainline import layout
from sim.config import mainline
from sim.config.loading import load_scenario
from sim.config.mainline import HOME_CARDS, SHIPPED_DECK, MainlineScenario
from sim.config.starters import starter_names, starters_dir
from sim.games.mainline.lowering import lower
from tests.mainline_tools import division, held

NAMES = ["busy", "four-players", "grades", "hands", "one-player", "three-players", "two-players"]


def test_mainline_config__shipped_scenarios():
    assert starter_names("mainline") == NAMES
    assert not set(NAMES) & set(starter_names())
    for name in NAMES:
        scenario = load_scenario(name)
        assert isinstance(scenario, MainlineScenario)
        assert scenario.name == name
        assert scenario.warnings == ()
        assert load_scenario(starters_dir() / "mainline" / f"{name}.yaml").digest == scenario.digest
    assert dict(load_scenario("four-players").deck) == SHIPPED_DECK
    players = [load_scenario(name).players for name in ("one-player", "two-players", "three-players", "four-players")]
    assert players == [1, 2, 3, 4]
    trains = load_scenario("four-players").timetable
    assert len(trains) == 12
    assert sum(train.direction == "east" for train in trains) == 6


@pytest.mark.parametrize("name", NAMES)
def test_mainline_config__what_is_resolved_is_the_same_scenario(name):
    scenario = load_scenario(name)
    again = load_scenario(json.loads(json.dumps(scenario.resolved())))
    assert again.digest == scenario.digest
    assert (lower(again) == lower(scenario)).all()
    # The order in which a deck or timetable is written says nothing.
    plain = scenario.resolved()
    plain["deck"] = dict(reversed(plain["deck"].items()))
    plain["timetable"] = plain["timetable"][::-1]
    assert load_scenario(plain).digest == scenario.digest
    assert (lower(load_scenario(plain)) == lower(scenario)).all()


def test_mainline_config__the_limits_are_those_of_the_kernels():
    for name in ("MAX_DECK", "MAX_HAND", "MAX_KINDS", "MAX_NUMBER", "MAX_STAGES", "MAX_TRAINS"):
        assert getattr(mainline, name) == getattr(layout, name)
    assert mainline.MAX_PLAYERS + 1 == layout.MAX_SLOTS
    assert [home.name.lower() for home in sim.games.mainline.lowering.HOMES.values()] == list(HOME_CARDS)


def test_mainline_config__a_deck_left_out_is_the_shipped_one():
    plain = load_scenario("two-players").resolved()
    del plain["deck"]
    assert load_scenario(plain).digest == load_scenario("two-players").digest
    assert load_scenario("two-players", ["deck=null"]).digest == load_scenario("two-players").digest


def test_mainline_config__slots_may_be_numbers(tmp_path):
    path = tmp_path / "d.yaml"
    path.write_text(f"extends: {starters_dir() / 'mainline' / 'two-players.yaml'}\nup: {{1: east, '3': west}}\n")
    assert load_scenario(path).up == {1: "east", 3: "west"}
    assert load_scenario("two-players", {"up": {2: "east"}}).up == {2: "east"}
    assert load_scenario("two-players", ["up.2=east"]).up == {2: "east"}
    assert load_scenario("two-players", ["up={2: east, 3: west}"]).up == {2: "east", 3: "west"}
    path.write_text("schema: 1\ngame: dispatch\nname: d\nmap: {tracks: [], up: {1: a}}\n")
    with pytest.raises(sim.BadInput, match="the key 1 is no text"):
        load_scenario(path)


PLAIN = division("plains", "heavy_grade", "tunnel")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"players": 10}, "players is 10; must be a whole number of players, 1 to 9"),
        (
            {"deal": None, "deck": {"plains": {"regions": 1, "copies": 2}}},
            "must be at most 1 with 2 cards",
        ),
        ({"deal": None, "deck": {"plains": {"regions": 1}}}, "of which there must be two or more with 1 cards"),
        ({"deck": {"plains": {}}}, "deck.plains.regions is missing; must be given"),
        (
            {"deck": {"plains": {"regions": 1, "mhp": 3}}},
            "mhp is no key that is known here; did you mean 'mph'?",
        ),
        ({"deck": {"x": {"regions": 2, "siding": True}}}, "deck.x.siding is true; must be false on a card without"),
        ({"deck": {"x": {"regions": 2, "extras": True}}}, "deck.x.extras is true; must be false on a card without"),
        (
            {"deck": {"x": {"regions": 1, "back_region": True}}},
            "regions is 1; must be at least 2 on a card with",
        ),
        (
            {"deck": {"x": {"regions": 2, "back_region": True, "siding": True, "holds": 2}}},
            "deck.x.holds is 2; must be 1 on a card with a siding",
        ),
        ({"deck": {f"c{n}": {"regions": 1} for n in range(33)}}, "deck has 33 kinds of card; must have at most 32"),
        (
            {"deck": {"x": {"regions": 1, "copies": 100}, "y": {"regions": 1, "copies": 100}}},
            "has 200 cards; must",
        ),
        ({"deal": ["plains", "tunnel"]}, "deal has 2 cards; must have 3, one more than players"),
        (
            {"deal": ["plains", "tunel", "hilly"]},
            "deal[2] is 'tunel'; must be a card of the deck; did you mean",
        ),
        ({"up": {"4": "east"}}, "up.4 is no slot; must be from 1 to 3"),
        ({"up": {"x": "east"}}, "up has the slot 'x'; must have slots counted from 1 at the west"),
        ({"up": {"1": "north"}}, "up has 'north' on slot 1; must have east or west"),
        ({"up": 3}, "up is 3; must be east, west, or slots with east or west"),
        ({"timetable": []}, "timetable has 0 items; must have at least 1"),
        (
            {"timetable": [{"number": 0, "class": "fast", "departs": 1}]},
            "number is 0; must be a whole number",
        ),
        ({"timetable": [{"number": 1, "class": "fats", "departs": 1}]}, "must be fast or slow; did you mean 'fast'?"),
        ({"timetable": [{"number": 1, "class": "fast", "departs": 0}]}, "departs is 0; must be a Stage, 1 to 10,000"),
        ({"timetable": [{"number": 1, "class": "fast", "departs": [5, 3]}]}, "whose first Stage is not after its last"),
        (
            {"timetable": [{"number": 1, "class": "fast", "departs": [5, 300]}]},
            "300; must be at most max_stages",
        ),
        (
            {"timetable": [{"number": 1, "class": "fast", "departs": 1}] * 2},
            "is 1, as of timetable[1]; must be a",
        ),
        ({"policy": "admit"}, "policy is 'admit'; must be hold, or a mapping with a chance, such as {admit: 0.2}"),
        ({"policy": {"admit": 2}}, "policy.admit is 2; must be a chance: a number from 0 to 1"),
        ({"hands": [held("helper", 1)]}, "hands[1].card is 'helper'; must be brakeman or airbrakes"),
        ({"hands": [held("helpers", 0)]}, "hands[1].stage is 0; must be a whole number of Stages, 1 to 10,000"),
        ({"hands": [held("helpers", 1, "last")]}, "hands[1].on is 'last'; must be a slot, counted from 1 at the west"),
        ({"hands": [held("helpers", 1, 4)]}, "hands[1].on is 4; must be a slot from 1 to 3"),
        (
            {"hands": [held("helpers", 1, 1)]},
            "is 1, where plains lies then; helpers is refused there: wrong",
        ),
        ({"hands": [held("airbrakes", 1, 2)]}, "airbrakes is refused there: no brakeman"),
        ({"hands": [held("airbrakes", 1, 2), held("brakeman", 2, 2)]}, "airbrakes is refused there: no brakeman"),
        ({"hands": [held("brakeman", 1, 2), held("brakeman", 1, 2)]}, "hands[2].on is 2, where heavy_grade lies then"),
        ({"hands": [held("realignment", 1, 1)] * 2}, "hands[2].on is 1, where double_track lies then; realignment is"),
        (
            {"hands": [held("realignment", 2, 3)]},
            "is 3, where tunnel lies then; realignment is refused there",
        ),
    ],
)
def test_mainline_config__bad_scenarios(change, said):
    with pytest.raises(sim.BadInput) as error:
        load_scenario({**PLAIN, **change})
    assert said in str(error.value)


def test_mainline_config__a_hand_is_checked_in_the_order_of_its_stages():
    hands = [held("airbrakes", 2, 2), held("brakeman", 1), held("realignment", 1), held("realignment", 9)]
    assert len(load_scenario({**PLAIN, "hands": hands}).hands) == 4


def test_mainline_config__dealing_more_than_the_deck_has_is_said():
    scenario = load_scenario({**PLAIN, "deal": ["tunnel", "tunnel", "plains"]})
    assert scenario.warnings == ("The fixed deal has tunnel 2 times, of which the deck has 1.",)


def test_mainline_config__other_commands_say_which_game_they_need(sim_command):
    for words in (("tournament", "four-players"), ("run", "four-players", "--bots", "greedy,random")):
        answer = sim_command(*words)
        assert (answer.code, answer.out) == (2, "")
        assert "mainline" in answer.err
    (answer := sim_command("run", "mainlin"))
    assert answer.code == 2
    assert "four-players" in answer.err
