"""Worked by hand: what happens where the companies' trains meet (rules 4.4 and 4.5)."""

from __future__ import annotations

from tests.reference.by_hand import (
    BOTH_ON_2,
    FREE,
    FROM_MIDDLE,
    FROM_TERMINAL,
    LADDER,
    STAR,
    HandCase,
    back,
    conflict,
    delivery,
    go,
    head_on,
    record,
    scenario,
    shared,
    start,
    toll,
    train_at,
)

MEETINGS = [
    HandCase(
        "both would enter the same junction, nobody owns a siding: both stay",
        record(scenario(STAR), (go("A1"), go("B1"))),
        [[conflict("m")]],
        {1: {"cash": {"A": 5, "B": 5}, "trains": {"A1": train_at("W", "m"), "B1": train_at("E", "m")}}},
    ),
    HandCase(
        "the same, along the same track",
        record(scenario(STAR), (go("A2"), go("B2"))),
        [[conflict("m")]],
        {1: {"trains": {"A2": train_at("N", "m"), "B2": train_at("N", "m")}}},
    ),
    HandCase(
        "the same track and a siding: both enter",
        record(scenario(STAR), (go("A2"), go("B2", invest="siding:m"))),
        [[toll("m", 1, "A")]],
        {1: {"cash": {"A": 4, "B": 3}, "trains": {"A2": train_at("m", "N"), "B2": train_at("m", "N")}}},
    ),
    HandCase(
        "the same track to a terminal: free, both deliver there, A's first",
        record(
            scenario(STAR, trains=[start("m", "N", "N"), start("m", "N", "N")]),
            (back("A2"), back("B1")),
        ),
        [[delivery("A2", "N", 3), delivery("B1", "N", 3)]],
        {1: {"cash": {"A": 8, "B": 8}, "points": {"A": 3, "B": 3}, "trains": {"A2": train_at("N", "m")}}},
    ),
    HandCase(
        "parked trains block nothing",
        record(scenario(STAR, trains=[start("W", "m", "W"), start("m", "N", "m")]), (go("A1"), back("B2"))),
        [[]],
        {1: {"trains": {"A1": train_at("m", "W"), "A2": train_at("m", "N"), "B2": train_at("N", "m")}}},
    ),
    HandCase(
        "one enters the junction that the other leaves",
        record(scenario(LADDER, trains=FROM_TERMINAL, routes={"p": 2}), (go("A1"), go("B1"))),
        [[]],
        {1: {"trains": {"A1": train_at("q", "p"), "B1": train_at("E2", "q")}}},
    ),
    HandCase(
        "siding bought and both enter on that tick: the other pays the toll",
        record(scenario(STAR), (go("A1", invest="siding:m"), go("B1"))),
        [[toll("m", 1, "B")]],
        {
            1: {
                "cash": {"A": 3, "B": 4},
                "sidings": {"A": ["m"], "B": []},
                "trains": {"A1": train_at("m", "W"), "B1": train_at("m", "E")},
            }
        },
    ),
    HandCase(
        "a siding lasts, and so does its toll",
        record(
            scenario(STAR, trains=[{"start": "W", "deliveries": ["m"]}, {"start": "N", "deliveries": ["E"]}]),
            (go("A2", invest="siding:m"), go("B2")),
            (back("A2"), back("B2")),
            (go("A2"), go("B2")),
        ),
        [[toll("m", 1, "B")], [], [toll("m", 1, "B")]],
        {1: {"cash": {"A": 3, "B": 4}}, 2: {"cash": {"A": 4, "B": 5}}, 3: {"cash": {"A": 6, "B": 5}}},
    ),
    HandCase(
        "both own a siding: both enter, no toll",
        record(scenario(STAR), (go("A1", invest="siding:m"), go("B1", invest="siding:m"))),
        [[shared("m")]],
        {
            1: {
                "cash": {"A": 2, "B": 2},
                "sidings": {"A": ["m"], "B": ["m"]},
                "trains": {"A1": train_at("m", "W"), "B1": train_at("m", "E")},
            }
        },
    ),
    HandCase(
        "toll due with $0 left: pays $0, both enter",
        record(
            scenario(STAR, upgrade_cost=4),
            (go("A1", invest="siding:m"), go("B1", invest="upgrade:B2")),
        ),
        [[toll("m", 0, "B")]],
        {1: {"cash": {"A": 2, "B": 1}, "trains": {"A1": train_at("m", "W"), "B1": train_at("m", "E")}}},
    ),
    HandCase(
        "toll due with too little: pays what it has",
        record(scenario(STAR, toll=6), (go("A1"), go("B1", invest="siding:m"))),
        [[toll("m", 4, "A")]],
        {1: {"cash": {"A": 1, "B": 6}}},
    ),
    HandCase(
        "a toll of $0 is still an event",
        record(scenario(STAR, toll=0), (go("A1"), go("B1", invest="siding:m"))),
        [[toll("m", 0, "A")]],
        {1: {"cash": {"A": 5, "B": 2}}},
    ),
    HandCase(
        "the toll is settled before the delivery of that tick",
        record(
            scenario(STAR, trains=[start("W", "m", "m"), start("N", "m", "W")], upgrade_cost=4),
            (go("A1", invest="siding:m"), go("B1", invest="upgrade:B2")),
        ),
        [[toll("m", 0, "B"), delivery("A1", "m", 3), delivery("B1", "m", 3)]],
        {1: {"cash": {"A": 5, "B": 4}, "points": {"A": 3, "B": 3}}},
    ),
    HandCase(
        "no delivery where a conflict stopped the trains",
        record(scenario(STAR, trains=[start("W", "m", "m"), start("N", "m", "W")]), (go("A1"), go("B1"))),
        [[conflict("m")]],
        {1: {"points": {"A": 0, "B": 0}, "trains": {"A1": train_at("W", "m", to="m", reward=3)}}},
    ),
    HandCase(
        "toggle and siding at the junction of the meeting",
        record(
            scenario(STAR),
            (go("A1", toggle="m", invest="siding:m"), go("B1")),
            (go("A1"), go("B1")),
        ),
        [[toll("m", 1, "B")], []],
        {
            1: {"routes": {"m": 2}, "trains": {"A1": train_at("m", "W"), "B1": train_at("m", "E")}},
            2: {"routes": {"m": 2}, "trains": {"A1": train_at("N", "m"), "B1": train_at("W", "m")}},
        },
    ),
    HandCase(
        "a siding elsewhere does not help",
        record(
            scenario(LADDER, trains=FROM_TERMINAL, routes={"p": 2}),
            (go("A1", invest="siding:p"), go("B2", invest="siding:p")),
        ),
        [[conflict("q")]],
        {1: {"cash": {"A": 2, "B": 2}, "trains": {"A1": train_at("p", "W1"), "B2": train_at("E2", "q")}}},
    ),
    HandCase(
        "speed 2 against 1, conflict on tick 1: the second tick is lost too",
        record(scenario(STAR, starting_cash=8), (go("A1", invest="upgrade:A1"), go("B1"))),
        [[conflict("m")]],
        {1: {"cash": {"A": 1, "B": 9}, "trains": {"A1": train_at("W", "m", speed=2), "B1": train_at("E", "m")}}},
    ),
    HandCase(
        "speed 2 against 1, head-on on tick 1: the second tick is lost too",
        record(
            scenario(LADDER, trains=FROM_TERMINAL, routes=BOTH_ON_2, starting_cash=8),
            (go("A1", invest="upgrade:A1"), go("B1")),
        ),
        [[head_on()]],
        {1: {"trains": {"A1": train_at("p", "W1", speed=2), "B1": train_at("q", "E1")}}},
    ),
    HandCase(
        "the same junction on different ticks: no conflict",
        record(
            scenario(LADDER, routes={"p": 2}, starting_cash=8),
            (go("A1", invest="upgrade:A1"), go("B1")),
        ),
        [[]],
        {1: {"trains": {"A1": train_at("q", "p"), "B1": train_at("q", "E1")}}},
    ),
    HandCase(
        "head-on on tick 2: what was moved on tick 1 stays",
        record(
            scenario(LADDER, routes=BOTH_ON_2, starting_cash=8),
            (go("A1", invest="upgrade:A1"), go("B1", invest="upgrade:B1")),
        ),
        [[head_on(2)]],
        {1: {"trains": {"A1": train_at("p", "W1"), "B1": train_at("q", "E1")}}},
    ),
    HandCase(
        "conflict on tick 2",
        record(
            scenario(LADDER, trains=FROM_TERMINAL, routes={"p": 2}, **FREE),
            (go("A2", invest="upgrade:A2"), back("B1", invest="upgrade:B1")),
        ),
        [[conflict("q", 2)]],
        {1: {"trains": {"A2": train_at("p", "W2"), "B1": train_at("E1", "q")}}},
    ),
    HandCase(
        "toll on tick 2",
        record(
            scenario(LADDER, trains=FROM_TERMINAL, routes={"p": 2}, **FREE),
            (go("A1", invest="siding:q"), back("B2")),
            (back("A1", invest="upgrade:A2"), back("B2", invest="upgrade:B1")),
            (go("A2"), back("B1")),
        ),
        [[toll("q", 1, "B")], [], [toll("q", 1, "B", 2)]],
        {3: {"cash": {"A": 9, "B": 5}, "trains": {"A2": train_at("q", "p"), "B1": train_at("q", "E1")}}},
    ),
    HandCase(
        "head-on while each owns sidings everywhere: still blocked",
        record(
            scenario(LADDER, trains=FROM_TERMINAL, routes=BOTH_ON_2, **FREE),
            (go("A2", invest="siding:p"), go("B2", invest="siding:q")),
            (go("A1", invest="siding:q"), go("B1", invest="siding:p")),
        ),
        [[], [head_on()]],
        {
            2: {
                "cash": {"A": 6, "B": 6},
                "sidings": {"A": ["p", "q"], "B": ["p", "q"]},
                "trains": {"A1": train_at("p", "W1"), "B1": train_at("q", "E1")},
            }
        },
    ),
    HandCase(
        "head-on at a terminal's track",
        record(
            scenario(LADDER, trains=[start("p", "W1", "W2"), start("E2", "q", "p")]),
            (go("A1", invest="siding:p"), go("B2")),
        ),
        [[head_on()]],
        {
            1: {
                "cash": {"A": 2, "B": 5},
                "points": {"A": 0, "B": 0},
                "trains": {"A1": train_at("p", "W1"), "B2": train_at("W2", "p")},
            }
        },
    ),
    HandCase(
        "a reverse stopped by a head-on has not turned the train",
        record(
            scenario(LADDER, trains=FROM_MIDDLE),
            (back("A1"), back("B1")),
            (go("A1"), go("B1")),
        ),
        [[head_on()], []],
        {
            1: {"trains": {"A1": train_at("p", "q"), "B1": train_at("q", "p")}},
            2: {"trains": {"A1": train_at("W1", "p"), "B1": train_at("E1", "q")}},
        },
    ),
    HandCase(
        "a reverse stopped at a junction has not turned the train",
        record(
            scenario(LADDER, trains=FROM_MIDDLE),
            (back("A1"), go("B2")),
            (go("A1"), go("B2")),
        ),
        [[conflict("q")], []],
        {
            1: {"trains": {"A1": train_at("p", "q"), "B2": train_at("E2", "q")}},
            2: {"trains": {"A1": train_at("W1", "p"), "B2": train_at("q", "E2")}},
        },
    ),
]
