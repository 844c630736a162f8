"""Worked by hand: switches, investments and how far a train runs (rules 1.3, 1.4, 3.2, 4.1 to 4.3)."""

from __future__ import annotations

from tests.reference.by_hand import (
    BOTH_ON_2,
    FREE,
    FROM_MIDDLE,
    FROM_TERMINAL,
    LADDER,
    HandCase,
    back,
    conflict,
    go,
    record,
    scenario,
    start,
    train_at,
)

SWITCHES = [
    HandCase(
        "both toggle the same junction: it stays put",
        record(scenario(LADDER), (go("A1", toggle="p"), go("B1", toggle="p"))),
        [[]],
        {
            1: {
                "routes": {"p": 1, "q": 1},
                "cash": {"A": 5, "B": 5},
                "points": {"A": 0, "B": 0},
                "trains": {
                    "A1": {"at": "p", "from": "W1", "to": "E1", "reward": 3, "speed": 1},
                    "A2": {"at": "W2", "from": "p", "to": "E2", "reward": 3, "speed": 1},
                    "B1": {"at": "q", "from": "E1", "to": "W1", "reward": 3, "speed": 1},
                    "B2": {"at": "E2", "from": "q", "to": "W2", "reward": 3, "speed": 1},
                },
            }
        },
        (None, None),
    ),
    HandCase(
        "A toggles p, B toggles q: both flip",
        record(scenario(LADDER), (go("A1", toggle="p"), go("B1", toggle="q"))),
        [[]],
        {1: {"routes": {"p": 2, "q": 2}}},
    ),
    HandCase(
        "each toggles the other's junction and back again",
        record(
            scenario(LADDER, routes={"q": 2}),
            (go("A1", toggle="q"), go("B1", toggle="p")),
            (back("A1", toggle="q"), back("B1")),
        ),
        [[], []],
        {1: {"routes": {"p": 2, "q": 1}}, 2: {"routes": {"p": 2, "q": 2}}},
    ),
    HandCase(
        "a toggle works before the trains move, the rival's too",
        record(scenario(LADDER, trains=FROM_TERMINAL), (go("A1"), go("B2", toggle="p"))),
        [[conflict("q")]],
        {1: {"routes": {"p": 2, "q": 1}, "trains": {"A1": train_at("p", "W1"), "B2": train_at("E2", "q")}}},
    ),
    HandCase(
        "one position, two exits: Route 1 from W1 and from q",
        record(scenario(LADDER, trains=[start("p", "W1", "E1"), start("p", "q", "E1")]), (go("A1"), go("B2"))),
        [[]],
        {1: {"trains": {"A1": train_at("W2", "p"), "B2": train_at("E1", "q")}}},
    ),
    HandCase(
        "Route 2 from q and from W2",
        record(
            scenario(LADDER, trains=[start("p", "q", "E1"), start("p", "W2", "E1")], routes=BOTH_ON_2),
            (go("A1"), go("B2")),
        ),
        [[]],
        {1: {"trains": {"A1": train_at("W2", "p"), "B2": train_at("p", "q")}}},
    ),
    HandCase(
        "labels in code-point order: 10, 9, é",
        record(
            scenario(
                {
                    "schema": 1,
                    "name": "labels",
                    "tracks": [["9", "a:b"], ["a:b", "é"], ["10", "a:b"]],
                    "mirror": {},
                    "trains": [start("a:b", "é", "é"), start("a:b", "10", "é")],
                }
            ),
            (go("A1", invest="siding:a:b"), go("B2")),
        ),
        [[]],
        {
            1: {
                "trains": {"A1": train_at("10", "a:b"), "B2": train_at("9", "a:b")},
                "sidings": {"A": ["a:b"], "B": []},
            }
        },
    ),
    HandCase(
        "labels in code-point order: capitals, then small letters, then accents",
        record(
            scenario(
                {
                    "schema": 1,
                    "name": "labels",
                    "tracks": [["a", "m"], ["m", "é"], ["Z", "m"]],
                    "mirror": {},
                    "trains": [start("m", "Z", "Z"), start("m", "é", "m")],
                },
                routes={"m": 2},
            ),
            (go("A1"), go("B2")),
        ),
        [[]],
        {1: {"trains": {"A1": train_at("é", "m"), "B2": train_at("a", "m")}}},
    ),
]

INVESTMENTS = [
    HandCase(
        "upgrade bought and that train moved: it moves two tracks",
        record(scenario(LADDER, starting_cash=8), (go("A1", invest="upgrade:A1"), go("B1"))),
        [[]],
        {
            1: {
                "cash": {"A": 1, "B": 9},
                "trains": {"A1": train_at("W2", "p", speed=2), "A2": train_at("W2", "p", speed=1)},
            }
        },
    ),
    HandCase(
        "upgrade of the parked train moves nothing further",
        record(
            scenario(LADDER, starting_cash=8),
            (go("A1", invest="upgrade:A2"), go("B1")),
            (go("A2"), back("B1")),
        ),
        [[], []],
        {
            1: {"trains": {"A1": train_at("p", "W1", speed=1), "A2": train_at("W2", "p", speed=2)}},
            2: {"trains": {"A2": train_at("W1", "p", speed=2)}},
        },
    ),
    HandCase(
        "both buy at once, each from its own cash",
        record(
            scenario(LADDER, starting_cash=8),
            (go("A1", invest="upgrade:A1"), go("B1", invest="siding:p")),
            (back("A1", invest=None), back("B1", invest="siding:q")),
        ),
        [[], []],
        {
            1: {"cash": {"A": 1, "B": 6}, "sidings": {"A": [], "B": ["p"]}},
            2: {"cash": {"A": 2, "B": 4}, "sidings": {"A": [], "B": ["p", "q"]}},
        },
    ),
    HandCase(
        "sidings in code-point order, whatever order they were bought in",
        record(
            scenario(LADDER, **FREE),
            (go("A1", invest="siding:q"), go("B1")),
            (back("A1", invest="siding:p"), back("B1")),
        ),
        [[], []],
        {2: {"sidings": {"A": ["p", "q"], "B": []}, "cash": {"A": 6, "B": 6}}},
    ),
    HandCase(
        "upgraded to 3: three tracks, and the rival done after its one",
        record(
            scenario(LADDER, starting_cash=8, upgraded_speed=3, routes=BOTH_ON_2),
            (go("A1", invest="upgrade:A1"), go("B1")),
        ),
        [[]],
        {1: {"trains": {"A1": train_at("E2", "q", speed=3), "B1": train_at("q", "E1", speed=1)}}},
    ),
    HandCase(
        "upgraded to 5: turned at the terminal on the way",
        record(
            scenario(LADDER, starting_cash=8, upgraded_speed=5, routes=BOTH_ON_2),
            (go("A1", invest="upgrade:A1"), go("B1")),
        ),
        [[]],
        {1: {"trains": {"A1": train_at("p", "q", speed=5)}}},
    ),
    HandCase(
        "upgraded to 1: paid for, and no faster",
        record(
            scenario(LADDER, starting_cash=8, upgraded_speed=1),
            (go("A1", invest="upgrade:A1"), go("B1")),
        ),
        [[]],
        {1: {"cash": {"A": 1, "B": 9}, "trains": {"A1": train_at("p", "W1", speed=1)}}},
    ),
    HandCase(
        "speed 2 reverses: back along its track, then forward by the switch of that node",
        record(
            scenario(LADDER, trains=FROM_MIDDLE, routes={"q": 2}, **FREE),
            (back("A1", invest="upgrade:A1"), go("B1")),
        ),
        [[]],
        {1: {"trains": {"A1": train_at("E2", "q", speed=2), "B1": train_at("E2", "q")}}},
    ),
    HandCase(
        "speed 3 reverses into a terminal and out again",
        record(
            scenario(LADDER, trains=FROM_TERMINAL, upgraded_speed=3, **FREE),
            (back("A1", invest="upgrade:A1"), go("B1")),
        ),
        [[]],
        {1: {"trains": {"A1": train_at("W2", "p", speed=3)}}},
    ),
    HandCase(
        "forward and reverse are one at a terminal",
        record(scenario(LADDER), (back("A1"), go("B1"))),
        [[]],
        {1: {"trains": {"A1": train_at("p", "W1"), "B1": train_at("q", "E1")}}},
    ),
]
