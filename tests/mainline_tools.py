"""What the mainline tests share: random Divisions, timetables and hands, small scenarios, and rows expected of the
oracle.
"""

from __future__ import annotations

import random
from typing import Any

from sim.config.mainline import SHIPPED_DECK

WAYS = ("east", "west")
DECK: dict[str, dict[str, Any]] = {name: card.model_dump(exclude={"mph"}) for name, card in SHIPPED_DECK.items()}


def division(*cards: str, trains: list[Any] | None = None, **keys: Any) -> dict[str, Any]:
    """A scenario on a fixed deal, in full; `trains` are (number, class, departs) with True behind for an Extra."""
    timetable = [
        {"number": number, "class": speed, "departs": departs, "extra": bool(extra)}
        for number, speed, departs, *extra in (trains or [(2, "fast", 1)])
    ]
    return {
        "schema": 1,
        "game": "mainline",
        "name": "by hand",
        "players": len(cards) - 1,
        "deck": DECK,
        "deal": list(cards),
        "up": "east",
        "timetable": timetable,
        "policy": "hold",
        "collision_delay": 3,
        "max_stages": 200,
        "hands": [],
        **keys,
    }


def held(card: str, stage: int, on: int | str = "first_legal") -> dict[str, Any]:
    """A Home card of a hand."""
    return {"card": card, "stage": stage, "on": on}


def random_division(number: int) -> dict[str, Any]:
    """Division `number` of the random ones: deal, orientations, timetable, policy and hand, all fixed or drawn here."""
    luck = random.Random(f"mainline/{number}")
    deck = {name: dict(card) for name, card in DECK.items()}
    if luck.random() < 0.4:  # a deck of one's own
        for name in luck.sample(sorted(deck), 3):
            card = deck[name]
            card["regions"] = luck.randint(2 if card["back_region"] else 1, 4)
            card["fast_start"] = luck.choice([0, 0, 1, 2])
            if not card["siding"]:
                card["holds"] = luck.choice([1, 1, 2, 3])
        deck["ridge"] = {**deck["heavy_grade"], "regions": luck.randint(1, 5), "copies": 2}
        deck["yard"] = {**deck["interchange"], "regions": luck.randint(2, 4), "copies": 2}
        if luck.random() < 0.3:
            del deck["double_track"]
    pack = [name for name, card in sorted(deck.items()) for _ in range(card["copies"])]
    players = luck.randint(1, min(9, len(pack) - 1))
    deal = luck.sample(pack, players + 1)
    n_trains = luck.randint(1, 10)
    last = luck.choice([1, 6, 24])
    timetable = [
        {
            "number": number,
            "class": luck.choice(["fast", "slow"]),
            "departs": luck.randint(1, last),
            "extra": luck.random() < 0.15,
        }
        for number in luck.sample(range(1, 60), n_trains)
    ]
    hands = []
    for _ in range(luck.choice([0, 0, 1, 4, 8])):
        on: int | str = luck.choice(["first_legal", luck.randint(1, players + 1)])
        card = luck.choice(["brakeman", "brakeman", "airbrakes", "helpers", "realignment", "realignment"])
        hands.append(held(card, luck.randint(1, luck.choice([3, 30])), on))
    return {
        "schema": 1,
        "game": "mainline",
        "name": f"random {number}",
        "players": players,
        "deck": deck,
        "deal": deal,
        "up": {str(slot): luck.choice(["east", "west"]) for slot in range(1, players + 2)},
        "timetable": timetable,
        "policy": luck.choice(["hold", {"admit": 0.1}, {"admit": 0.5}, {"admit": 1.0}]),
        "collision_delay": luck.choice([0, 1, 3, 7]),
        "max_stages": luck.choice([200, 200, 60, 25]),
        "hands": hands,
    }


def expected_row(day: Any, columns: Any, others: dict[str, Any]) -> dict[int, int]:
    """The columns of an oracle's day that are not of the deal or the hand, by place; `others` are the oracle's days
    without a kind of Home card, by that kind.
    """
    from kernels.mainline.codes import Column, Direction, Home, Speed

    told = day.words()["trains"].values()
    row = {
        Column.UNFINISHED_DAY: int(any(t["state"] == "unfinished" for t in told)),
        Column.STAGES: day.stage,
        Column.COLLISIONS: len(day.collisions),
        Column.NOT_RUN: sum(t["state"] == "not run" for t in told),
        Column.UNFINISHED: sum(t["state"] == "unfinished" for t in told),
        Column.UNEVENNESS: day.unevenness(),
    }
    whole = [t for t in told if t["trip"] is not None and not t["extra"]]
    trips = {way: [t["trip"] for t in whole if t["direction"] == way] for way in WAYS}
    for way, direction in zip(WAYS, Direction, strict=True):
        arrived = [t for t in told if t["trip"] is not None and t["direction"] == way]
        row[Column.TRIP_EAST + direction] = sum(trips[way])
        row[Column.TRIPS_EAST + direction] = len(trips[way])
        row[Column.HELD_EAST + direction] = sum(t["held"] for t in arrived)
        row[Column.ARRIVED_EAST + direction] = len(arrived)
    row[Column.GAP] = sum(east - west for east in trips["east"] for west in trips["west"])
    row[Column.GAP_PAIRS] = len(trips["east"]) * len(trips["west"])
    for home in Home:
        both = []
        if home.name.lower() in others:
            without = others[home.name.lower()].words()["trains"]
            both = [
                without[number]["arrival"] - t["arrival"]
                for number, t in day.words()["trains"].items()
                if t["arrival"] and without[number]["arrival"] and not t["extra"]
            ]
        row[Column.SAVED_BRAKEMAN + home] = sum(both)
        row[Column.COMPARED_BRAKEMAN + home] = len(both)
    for kind, direction, speed in columns.groups():
        spent = [
            card["stages"]
            for t in told
            for card in t["cards"]
            if card["card"] == kind
            and t["direction"] == WAYS[direction]
            and t["class"] == Speed(speed).name.lower()
            and card["stages"] is not None
        ]
        row[columns.crossing(kind, direction, speed)] = sum(spent)
        row[columns.crossings(kind, direction, speed)] = len(spent)
    return {int(column): value for column, value in row.items()}
