"""Worked by hand: cargoes, rewards, results (rules 2.3, 2.4, 4.6 to 5.1), and orders that are refused (3.1 to 3.3)."""

from __future__ import annotations

from tests.reference.by_hand import (
    FREE,
    LADDER,
    STAR,
    HandCase,
    RefusedCase,
    back,
    delivery,
    go,
    order,
    record,
    scenario,
    start,
    toll,
    train_at,
)

CARGOES = [
    HandCase(
        "delivery on tick 1 at speed 2: it stops there",
        record(
            scenario(LADDER, trains=[start("W1", "p", "p", "E2"), start("W2", "p", "E1")], starting_cash=8),
            (go("A1", invest="upgrade:A1"), go("B2")),
        ),
        [[delivery("A1", "p", 3)]],
        {
            1: {
                "cash": {"A": 4, "B": 9},
                "points": {"A": 3, "B": 0},
                "trains": {"A1": {"at": "p", "from": "W1", "to": "E2", "reward": 4, "speed": 2}},
            }
        },
    ),
    HandCase(
        "delivery on tick 2 of 3",
        record(
            scenario(
                LADDER,
                trains=[start("W1", "p", "q"), start("W2", "p", "W1")],
                routes={"p": 2},
                upgraded_speed=3,
                **FREE,
            ),
            (go("A1", invest="upgrade:A1"), go("B2")),
        ),
        [[delivery("A1", "q", 3, 2)]],
        {1: {"trains": {"A1": train_at("q", "p", to="q", reward=4)}}},
    ),
    HandCase(
        "a train that delivered is done: the rival enters after it without a conflict",
        record(
            scenario(LADDER, trains=[start("W1", "p", "p"), start("W2", "p", "E1")], routes={"q": 2}, **FREE),
            (go("A1", invest="upgrade:A1"), go("B2", invest="upgrade:B2")),
        ),
        [[delivery("A1", "p", 3)]],
        {1: {"trains": {"A1": train_at("p", "W1"), "B2": train_at("p", "q")}}},
    ),
    HandCase(
        "one destination for ever: entered anew each time, rewards in turn",
        record(
            scenario(LADDER, trains=[start("W1", "p", "p"), start("W2", "p", "W2")]),
            (go("A1"), go("B1")),
            (back("A1"), back("B1")),
            (go("A1"), go("B1")),
            (go("A1"), go("B1")),
            (back("A1"), back("B1")),
            (back("A1"), back("B1")),
            (go("A1"), go("B1")),
        ),
        [
            [delivery("A1", "p", 3), delivery("B1", "q", 3)],
            [],
            [delivery("A1", "p", 4), delivery("B1", "q", 4)],
            [],
            [delivery("A1", "p", 5), delivery("B1", "q", 5)],
            [],
            [delivery("A1", "p", 3), delivery("B1", "q", 3)],
        ],
        {
            1: {"trains": {"A1": train_at("p", "W1", to="p", reward=4)}},
            4: {"trains": {"A1": train_at("W2", "p", to="p", reward=5)}},
            7: {"points": {"A": 15, "B": 15}, "cash": {"A": 26, "B": 26}},
        },
    ),
    HandCase(
        "a cargo for the node where it was loaded: the train must come back",
        record(
            scenario(LADDER, trains=[start("W1", "p", "W1"), start("W2", "p", "W1")]),
            (go("A1"), go("B1")),
            (back("A1"), go("B1")),
        ),
        [[], [delivery("A1", "W1", 3)]],
        {1: {"points": {"A": 0, "B": 0}}, 2: {"points": {"A": 3, "B": 0}, "trains": {"B1": train_at("E2", "q")}}},
    ),
    HandCase(
        "there and back in one dispatch is an entry",
        record(
            scenario(LADDER, trains=[start("p", "W1", "p"), start("W2", "p", "W1")], **FREE),
            (back("A1", invest="upgrade:A1"), go("B1")),
        ),
        [[delivery("A1", "p", 3, 2)]],
        {1: {"trains": {"A1": train_at("p", "W1"), "B1": train_at("E2", "q")}}},
    ),
    HandCase(
        "schedules repeat, each train's rewards from its own offset",
        record(
            scenario(
                LADDER,
                trains=[start("W1", "p", "p", "W1", first_reward=2), start("W2", "p", "p", first_reward=4)],
            ),
            (go("A1"), go("B2")),
            (back("A1"), back("B2")),
            (go("A1"), go("B2")),
        ),
        [
            [delivery("A1", "p", 5), delivery("B2", "q", 4)],
            [delivery("A1", "W1", 3)],
            [delivery("A1", "p", 4), delivery("B2", "q", 5)],
        ],
        {3: {"trains": {"A1": {"to": "W1", "reward": 5}, "A2": {"reward": 4}, "B1": {"reward": 5}}}},
    ),
    HandCase(
        "one queue for a company: items in the order of loading",
        record(
            scenario(LADDER, queue=["p", "W2", "p"], dispatches=3),
            (go("A1"), go("B2")),
            (go("A1"), back("B2")),
            (back("A1"), go("B2")),
        ),
        [
            [delivery("A1", "p", 3)],
            [delivery("B2", "E2", 4)],
            [delivery("A1", "p", 5), delivery("B2", "q", 5)],
        ],
        {
            1: {
                "trains": {
                    "A1": {"to": "p", "reward": 5},
                    "A2": {"to": "W2", "reward": 4},
                    "B1": {"to": "q", "reward": 3},
                    "B2": {"to": "E2", "reward": 4},
                }
            },
            2: {"trains": {"B1": {"to": "q", "reward": 3}, "B2": {"to": "q", "reward": 5}}},
            3: {
                "points": {"A": 8, "B": 9},
                "cash": {"A": 15, "B": 16},
                "trains": {
                    "A1": {"to": "p", "reward": 3},
                    "A2": {"to": "W2", "reward": 4},
                    "B2": {"to": "q", "reward": 3},
                },
            },
        },
        ("B", "points"),
    ),
    HandCase(
        "a queue of one item, and no first_reward in it",
        record(
            scenario(
                LADDER,
                trains=[start("W1", "p", "E1", first_reward=2), start("W2", "p", "E2", first_reward=1)],
                queue=["p"],
            ),
            (go("A2"), go("B1")),
        ),
        [[delivery("A2", "p", 4), delivery("B1", "q", 3)]],
        {
            1: {
                "trains": {
                    "A1": {"to": "p", "reward": 3},
                    "A2": {"to": "p", "reward": 5},
                    "B1": {"to": "q", "reward": 5},
                    "B2": {"to": "q", "reward": 4},
                }
            }
        },
    ),
]

TWELVE = [start("W1", "p", "p"), start("W2", "p", "W2")]
RESULTS = [
    HandCase(
        "12 : 12 points, $9 : $7: A wins on cash",
        record(
            scenario(LADDER, trains=TWELVE, rewards=[12], dispatches=2, income=0, siding_cost=7, upgrade_cost=9),
            (go("A1"), go("B1")),
            (go("A1", invest="siding:p"), go("B1", invest="upgrade:B2")),
        ),
        [[delivery("A1", "p", 12), delivery("B1", "q", 12)], []],
        {2: {"points": {"A": 12, "B": 12}, "cash": {"A": 9, "B": 7}}},
        ("A", "cash"),
    ),
    HandCase(
        "12 : 12 points, $7 : $9: B wins on cash",
        record(
            scenario(LADDER, trains=TWELVE, rewards=[12], dispatches=2, income=0, siding_cost=7, upgrade_cost=9),
            (go("A1"), go("B1")),
            (go("A1", invest="upgrade:A2"), go("B1", invest="siding:p")),
        ),
        [[delivery("A1", "p", 12), delivery("B1", "q", 12)], []],
        {2: {"cash": {"A": 7, "B": 9}}},
        ("B", "cash"),
    ),
    HandCase(
        "12 : 12 points, $9 : $9: shared",
        record(
            scenario(LADDER, trains=TWELVE, rewards=[12], dispatches=2, income=0, siding_cost=7, upgrade_cost=9),
            (go("A1"), go("B1")),
            (go("A1", invest="siding:q"), go("B1", invest="siding:q")),
        ),
        [[delivery("A1", "p", 12), delivery("B1", "q", 12)], []],
        {2: {"points": {"A": 12, "B": 12}, "cash": {"A": 9, "B": 9}}},
        ("shared", "shared"),
    ),
    HandCase(
        "points beat cash",
        record(
            scenario(LADDER, trains=[start("W1", "p", "p"), start("W2", "p", "W2")], rewards=[1], dispatches=1),
            (go("A1", invest="siding:p"), go("B2")),
        ),
        [[delivery("A1", "p", 1)]],
        {1: {"points": {"A": 1, "B": 0}, "cash": {"A": 3, "B": 5}}},
        ("A", "points"),
    ),
    HandCase(
        "income after the last dispatch too",
        record(scenario(LADDER, dispatches=1, starting_cash=0, income=2), (go("A1"), go("B1"))),
        [[]],
        {1: {"cash": {"A": 2, "B": 2}}},
        ("shared", "shared"),
    ),
    HandCase(
        "a match in progress has no winner yet",
        record(scenario(LADDER, trains=TWELVE, dispatches=2), (go("A1"), go("B2"))),
        [[delivery("A1", "p", 3)]],
        {1: {"points": {"A": 3, "B": 0}}},
        (None, None),
    ),
    HandCase("a match without orders", record(scenario(LADDER)), [], {}, (None, None)),
    HandCase(
        "a scenario that leaves everything out has the printed values",
        record(
            {"schema": 1, "game": "dispatch", "name": "bare", "map": STAR},
            (go("A1", invest="siding:m"), go("B1")),
            *[(back("A1"), back("B1")), (go("A1"), go("B1"))] * 11,
            (back("A1", invest="upgrade:A1"), back("B1", invest="upgrade:B2")),
        ),
        [
            [toll("m", 1, "B")],
            *[
                [delivery("A1", "W", r), delivery("B1", "E", r)] if t == 0 else [toll("m", 1, "B")]
                for r in (3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4)
                for t in (0, 1)
            ],
            [delivery("A1", "W", 5), delivery("B1", "E", 5)],
        ],
        {
            1: {"cash": {"A": 3, "B": 4}},
            2: {"cash": {"A": 7, "B": 8}, "points": {"A": 3, "B": 3}},
            # 4 + 24 income + 48 rewards, then 12 tolls, one siding and one upgrade.
            24: {"cash": {"A": 77, "B": 56}, "points": {"A": 48, "B": 48}},
        },
        ("A", "cash"),
    ),
]

STEP = (go("A1"), go("B1"))
REFUSED: list[RefusedCase] = [
    RefusedCase("the rival's train", record(scenario(LADDER), (go("B1"), go("B1"))), 1, "A"),
    RefusedCase("no such train", record(scenario(LADDER), STEP, (go("A1"), go("B3"))), 2, "B"),
    RefusedCase("no such move", record(scenario(LADDER), (order("A1", "stay"), go("B1"))), 1, "A"),
    RefusedCase("a toggle at a terminal", record(scenario(LADDER), (go("A1"), go("B1", toggle="W1"))), 1, "B"),
    RefusedCase("a toggle nowhere", record(scenario(LADDER), STEP, (go("A1", toggle="P"), go("B1"))), 2, "A"),
    RefusedCase("no such investment", record(scenario(LADDER), (go("A1", invest="toll:p"), go("B1"))), 1, "A"),
    RefusedCase("an investment without a colon", record(scenario(LADDER), (go("A1"), go("B1", invest="p"))), 1, "B"),
    RefusedCase("a siding at a terminal", record(scenario(LADDER), (go("A1", invest="siding:W1"), go("B1"))), 1, "A"),
    RefusedCase(
        "an upgrade of the rival's train",
        record(scenario(LADDER, starting_cash=20), (go("A1", invest="upgrade:B1"), go("B1"))),
        1,
        "A",
    ),
    RefusedCase(
        "an upgrade with $7",
        record(scenario(LADDER, starting_cash=7), (go("A1", invest="upgrade:A1"), STEP[1])),
        1,
        "A",
    ),
    RefusedCase(
        "an upgrade twice, even to speed 1",
        record(
            scenario(LADDER, upgraded_speed=1, **FREE),
            (go("A1"), go("B1", invest="upgrade:B1")),
            (go("A1"), go("B1", invest="upgrade:B1")),
        ),
        2,
        "B",
    ),
    RefusedCase(
        "a siding twice",
        record(
            scenario(LADDER, **FREE),
            (go("A1", invest="siding:p"), go("B1")),
            (back("A1", invest="siding:p"), back("B1")),
        ),
        2,
        "A",
    ),
    RefusedCase(
        "a siding not on offer",
        record(scenario(LADDER, siding_cost=None), (go("A1"), go("B1", invest="siding:p"))),
        1,
        "B",
    ),
    RefusedCase(
        "an upgrade not on offer",
        record(scenario(LADDER, upgrade_cost=None, starting_cash=100), (go("A1", invest="upgrade:A2"), go("B1"))),
        1,
        "A",
    ),
    RefusedCase(
        "a siding to be paid from the toll, reward and income of the same dispatch",
        record(
            scenario(STAR, trains=[start("W", "m", "m"), start("N", "m", "N")], starting_cash=2),
            (go("A1"), go("B1", invest="siding:m")),
        ),
        1,
        "B",
    ),
]
