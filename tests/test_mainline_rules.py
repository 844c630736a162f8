"""The rules of the mainline game, worked out by hand: every row of their tables, by kernel and oracle alike."""

from __future__ import annotations

import pytest

from sim.config.mainline import REALIGNMENTS, MainlineScenario
from sim.games.mainline.day import answered_day, drawn_day
from tests.mainline_tools import DECK, division, held
from tests.reference.mainline import Day as Oracle

EAST, WEST = 2, 1


def told(plain, rulings=None):
    """The day as the kernel plays it, which the oracle bears out."""
    scenario = MainlineScenario.model_validate(plain)
    if rulings is None:
        day = drawn_day(scenario, 0, 0).words()
        ask = None
    else:
        day = answered_day(scenario, rulings).words()
        answers = iter(rulings)
        ask = lambda *_: next(answers)  # noqa: E731
    assert day == Oracle(plain, ask).words()
    return day


def crossing(card, number, speed="fast", hands=(), **keys):
    """Stages that a lone train takes to cross a card in the first of two slots (plains in the other)."""
    plain = division(card, "plains", trains=[(number, speed, 5)], hands=list(hands), **keys)
    train = told(plain)["trains"][str(number)]
    cards = {one["slot"]: one for one in train["cards"]}
    assert cards[1]["stages"] == cards[1]["crossing"]
    assert train["trip"] == cards[1]["stages"] + 1
    assert train["held"] == 0
    return cards[1]["stages"]


@pytest.mark.parametrize("number", [EAST, WEST])
@pytest.mark.parametrize(
    ("card", "fast", "slow"),
    [
        ("plains", 1, 1),
        ("curves", 2, 2),
        ("hilly", 1, 2),
        ("heavy_grade", 3, 3),
        ("double_track", 1, 1),
        ("uncontrolled_siding", 1, 1),
        ("tunnel", 2, 2),
        ("trestle", 2, 2),
        ("interchange", 1, 1),
    ],
)
def test_mainline_rules__every_card(card, fast, slow, number):
    """Rules 2: Hilly alone reads the class; a train running through starts in front of a back region."""
    assert (crossing(card, number, "fast"), crossing(card, number, "slow")) == (fast, slow)


UP, DOWN = EAST, WEST
"""With `up: east` an eastbound train climbs."""
BRAKES = (held("brakeman", 1, 1), held("airbrakes", 2, 1))


@pytest.mark.parametrize(
    ("hands", "up", "down"),
    [
        ((), 3, 3),
        ((held("helpers", 1, 1),), 2, 3),
        (BRAKES[:1], 3, 2),
        (BRAKES, 3, 1),
        ((*BRAKES, held("helpers", 3, 1)), 2, 1),
    ],
)
def test_mainline_rules__heavy_grade(hands, up, down):
    """Rules 4: 3 up and 3 down; with every modifier 2 up and 1 down; the other way round when up is west."""
    for speed in ("fast", "slow"):
        assert crossing("heavy_grade", UP, speed, hands) == up
        assert crossing("heavy_grade", DOWN, speed, hands) == down
        assert crossing("heavy_grade", UP, speed, hands, up="west") == down
        assert crossing("heavy_grade", DOWN, speed, hands, up={"1": "west"}) == up


def test_mainline_rules__never_under_one_stage():
    """Rules 2.1: a start region never lies past the last region."""
    for regions in (1, 2):
        deck = {**DECK, "heavy_grade": {**DECK["heavy_grade"], "regions": regions}}
        assert crossing("heavy_grade", DOWN, "fast", BRAKES, deck=deck) == 1
    deck = {**DECK, "hilly": {**DECK["hilly"], "fast_start": 7}}
    assert crossing("hilly", EAST, "fast", deck=deck) == 1


def test_mainline_rules__the_printed_speed_is_scenery():
    """Rules 2.1: no rule reads mph."""
    for card in DECK:
        for mph in (None, 0, 5, 1_000):
            deck = {**DECK, card: {**DECK[card], "mph": mph}}
            for speed in ("fast", "slow"):
                assert crossing(card, EAST, speed, deck=deck) == crossing(card, EAST, speed)


def test_mainline_rules__airbrakes_need_a_brakeman():
    """Rules 4: refused without one, and on any other card; nothing lies twice on one card."""
    division_ = division("heavy_grade", "hilly", "plains", trains=[(DOWN, "slow", 6)])
    tries = [
        (held("airbrakes", 1, 1), "no brakeman"),
        (held("brakeman", 2, 2), "wrong card"),
        (held("helpers", 2, 3), "wrong card"),
        (held("brakeman", 3, 1), None),
        (held("brakeman", 3, 1), "already there"),
        (held("airbrakes", 4, 1), None),
        (held("airbrakes", 4, 1), "already there"),
        (held("helpers", 5, 1), None),
        (held("helpers", 5, 1), "already there"),
    ]
    day = told({**division_, "hands": [card for card, _ in tries]})
    assert [card["reason"] for card in day["refused"]] == [reason for _, reason in tries if reason]
    assert [card["card"] for card in day["laid"]] == ["brakeman", "airbrakes", "helpers"]
    assert day["trains"]["1"]["cards"][-1]["stages"] == 1


def test_mainline_rules__modifiers_move_no_train_that_is_on_the_card():
    """Rules 4: laid on an occupied card they help the next train only."""
    plain = division(
        "heavy_grade", "plains", trains=[(DOWN, "slow", 1), (3, "slow", 1)], hands=[held("brakeman", 3, 1)]
    )
    day = told(plain)
    first, second = (day["trains"][number]["cards"][1] for number in ("1", "3"))
    assert (first["entry"], first["stages"]) == (2, 3)
    assert (second["entry"], second["held"], second["stages"]) == (5, 2, 2)
    assert day["laid"] == [{**held("brakeman", 3, 1), "slot": 1}]


@pytest.mark.parametrize("card", list(DECK))
def test_mainline_rules__realignments(card):
    """Rules 4: four of the cards, and no other."""
    day = told(division(card, "tunnel", trains=[(EAST, "slow", 2)], hands=[held("realignment", 1, 1)]))
    if card in REALIGNMENTS:
        now = {
            "plains": "double_track",
            "curves": "plains",
            "uncontrolled_siding": "double_track",
            "trestle": "uncontrolled_siding",
        }[card]
        assert day["realigned"] == [{"stage": 1, "slot": 1, "was": card, "is": now}]
        assert day["trains"]["2"]["cards"][0]["card"] == now
    else:
        assert day["refused"] == [{**held("realignment", 1, 1), "reason": "wrong card"}]
        assert day["realigned"] == []


def test_mainline_rules__a_slot_may_be_realigned_again():
    """Rules 4: Curves to Plains to Double Track; it can make a second Double Track."""
    hands = [held("realignment", 1, 1), held("realignment", 2, 1), held("realignment", 2, 1)]
    day = told(division("curves", "double_track", trains=[(EAST, "slow", 4)], hands=hands))
    assert [change["is"] for change in day["realigned"]] == ["plains", "double_track"]
    assert day["refused"][0]["reason"] == "wrong card"
    assert [card["card"] for card in day["trains"]["2"]["cards"]] == ["double_track", "double_track"]


def test_mainline_rules__realignment_needs_an_unoccupied_card():
    """Rules 4: refused on its slot while a train is on it; the first legal is the next one then."""
    plain = division("curves", "plains", trains=[(EAST, "slow", 1)])
    assert told({**plain, "hands": [held("realignment", 2, 1)]})["refused"][0]["reason"] == "occupied"
    day = told({**plain, "hands": [held("realignment", 2), held("realignment", 3)]})
    # In Stage 2 the train stands on slot 1. In Stage 3, when cards are laid, it has not left it yet.
    assert [card["slot"] for card in day["laid"]] == [2]
    assert day["kept"] == [{**held("realignment", 3), "reason": "no legal place"}]


def test_mainline_rules__a_card_is_kept_when_the_day_is_over():
    day = told(division("plains", "plains", trains=[(EAST, "slow", 1)], hands=[held("realignment", 9, 1)]))
    assert day["stages"] == 3
    assert day["kept"] == [{**held("realignment", 9, 1), "reason": "day over"}]


def test_mainline_rules__one_train_at_a_time():
    """Rules 3.1: the second waits until the card is clear, also a train the other way; first come, first served."""
    day = told(division("tunnel", "tunnel", trains=[(2, "fast", 1), (4, "fast", 1), (1, "fast", 1)]))
    east, next_east, west = (day["trains"][number]["cards"] for number in ("2", "4", "1"))
    assert [(card["slot"], card["entry"], card["leave"]) for card in east] == [(1, 1, 3), (2, 3, 5)]
    # Train 1 comes to slot 1 in Stage 3, in which train 4, there since Stage 1, goes first.
    assert [(card["slot"], card["entry"], card["held"]) for card in west] == [(2, 1, 0), (1, 5, 2)]
    assert [(card["slot"], card["entry"], card["held"]) for card in next_east] == [(1, 3, 2), (2, 5, 0)]
    assert day["trains"]["4"]["held"] == 2


def test_mainline_rules__double_track_passes():
    """Rules 3.1: a following train is not held behind a slower one; the third waits."""
    deck = {**DECK, "double_track": {**DECK["double_track"], "regions": 4, "fast_start": 3}}
    trains = [(2, "slow", 1), (4, "fast", 1), (6, "fast", 1)]
    day = told(division("double_track", "plains", trains=trains, deck=deck))
    cards = [day["trains"][number]["cards"][0] for number in ("2", "4", "6")]
    assert [(card["entry"], card["leave"]) for card in cards] == [(1, 5), (1, 2), (2, 3)]
    assert day["collisions"] == []


def test_mainline_rules__the_siding_costs_one_stage_more():
    """Rules 2.2 d: the second train waits in the siding, needs no ruling, and is across a Stage later."""
    trains = [(2, "fast", 1), (4, "fast", 1), (6, "fast", 1)]
    day = told(division("uncontrolled_siding", "plains", trains=trains), [False])
    first, second, third = (day["trains"][number]["cards"][0] for number in ("2", "4", "6"))
    assert (first["start"], first["crossing"], first["stages"]) == (1, 1, 1)
    assert (second["start"], second["crossing"], second["stages"], second["held"]) == (0, 2, 2, 0)
    # With two on it the card is full (rules 3.2). In Stage 2 the first has left and the second has moved up.
    assert day["rulings"] == [{"stage": 1, "train": 6, "slot": 1, "admitted": False}]
    assert (third["entry"], third["held"], third["start"], third["stages"]) == (2, 1, 0, 2)


def test_mainline_rules__an_extra_takes_the_extra_stage():
    """Rules 3.3: it starts in the back region of the westernmost Interchange; from the next card on it is a train."""
    plain = division("plains", "interchange", "tunnel", trains=[(2, "fast", 4, True), (1, "slow", 4, True)])
    day = told(plain)
    west, east = day["trains"]["1"], day["trains"]["2"]
    assert [(card["slot"], card["stages"]) for card in west["cards"]] == [(2, 2), (1, 1)]
    assert [(card["slot"], card["start"], card["entry"], card["stages"]) for card in east["cards"]] == [
        (2, 0, 6, 2),
        (3, 0, 8, 2),
    ]
    assert east["held"] == 2
    assert told(division("plains", "tunnel", trains=[(2, "fast", 4, True)])) == {
        "trains": {
            "2": {
                "direction": "east",
                "class": "fast",
                "extra": True,
                "departs": 4,
                "state": "not run",
                "arrival": None,
                "trip": None,
                "held": 0,
                "cards": [],
            }
        },
        **{name: [] for name in ("collisions", "laid", "kept", "refused", "realigned", "rulings")},
        "stages": 0,
    }


def test_mainline_rules__an_extra_asks_no_ruling():
    """Rules 3.3: it waits until the Interchange is empty, whatever the policy."""
    plain = division("plains", "interchange", trains=[(2, "fast", 1), (4, "fast", 2, True)], policy={"admit": 1.0})
    day = told(plain, [])
    assert day["rulings"] == []
    assert day["trains"]["4"]["cards"][0]["entry"] == 3


def test_mainline_rules__a_wrong_ruling_is_a_collision():
    """Rules 3.2: the train let in stands in its usual start region, all stop, and nobody enters before all are off."""
    trains = [(2, "slow", 1), (1, "slow", 1), (4, "slow", 1)]
    plain = division("tunnel", "plains", trains=trains, policy={"admit": 0.5}, collision_delay=3)
    day = told(plain, [False, True])
    # Stage 1: train 2 goes onto the tunnel, 1 onto the plains, 4 is held. Stage 2: 4 was there first and is let in; 1
    # comes to the tunnel and finds it jammed, so nobody is asked.
    assert day["rulings"] == [
        {"stage": 1, "train": 4, "slot": 1, "admitted": False},
        {"stage": 2, "train": 4, "slot": 1, "admitted": True},
    ]
    assert day["collisions"] == [{"stage": 2, "slot": 1, "trains": [2, 4]}]
    # All stop in Stages 3 to 5. Train 2 stood in region 1 and leaves in Stage 6, train 4 in Stage 7.
    leaves = {number: [card["leave"] for card in day["trains"][number]["cards"]] for number in ("2", "4", "1")}
    assert (leaves["2"][0], leaves["4"][0]) == (6, 7)
    west = day["trains"]["1"]["cards"][1]
    assert (west["entry"], west["held"]) == (7, 5)


def test_mainline_rules__stages_lost_at_each_office():
    """Rules 5: held before a card and Stages beyond the first, on the two cards beside each Office."""
    day = Oracle(division("tunnel", "plains", "heavy_grade", trains=[(2, "slow", 1), (4, "slow", 1)]), None)
    # Tunnel: 1 lost by each, and 2 held by train 4. Heavy Grade: 2 by each, and train 4 held there by 1.
    lost = dict.fromkeys((1, 2, 3), 0)
    for train in day.words()["trains"].values():
        for card in train["cards"]:
            lost[card["slot"]] += card["held"] + card["stages"] - 1
    assert lost == {1: 4, 2: 0, 3: 5}
    assert day.unevenness() == 1
