"""The oracle itself: held against recorded matches, matches worked out by hand, and what must be true of any match."""

from __future__ import annotations

import ast
import random
from collections import Counter
from pathlib import Path

import pytest

from tests.dispatch_cases import HAND_CASES, REFUSED_CASES, recorded_cases
from tests.reference.by_hand import FROM_TERMINAL, LADDER, STAR, back, go, order, record, scenario, start
from tests.reference.dispatch import COMPANIES, MOVES, RIVAL, IllegalOrder, Match, played_match, replay
from tests.reference.generate import random_map, random_orders, random_record, random_scenario
from tests.reference.mirror import exactness_breaches, is_exact, map_faults, mirrored, mirrored_result

REVERSED = {
    "tracks": [["a", "p"], ["b", "p"], ["p", "q"], ["q", "y"], ["q", "z"]],
    "mirror": {"a": "z", "b": "y", "p": "q"},
}


def test_reference__shares_nothing_with_what_it_judges():
    for file in Path(__file__).with_name("reference").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert not {name.split(".")[0] for name in names} & {"sim", "kernels", "numpy", "numba"}, file.name


def test_reference__recorded_cases():
    cases = recorded_cases()
    assert len(cases) == 150
    for case in cases:
        assert replay(case["record"]) == case["expected"], case["record"]["scenario"]["name"]


@pytest.mark.parametrize("case", HAND_CASES, ids=lambda case: case.name)
def test_reference__hand_case(case):
    assert map_faults(case.record["scenario"]["map"]) == []
    case.check(replay(case.record))


@pytest.mark.parametrize("case", REFUSED_CASES, ids=lambda case: case.name)
def test_reference__refused_case(case):
    with pytest.raises(IllegalOrder) as refused:
        replay(case.record)
    assert (refused.value.dispatch, refused.value.company) == (case.dispatch, case.company)
    assert refused.value.reason


def test_reference__hand_cases_have_names_of_their_own():
    names = [case.name for case in (*HAND_CASES, *REFUSED_CASES)]
    assert len(set(names)) == len(names)


def test_reference__a_hand_case_notices_a_difference():
    case = HAND_CASES[0]
    replayed = replay(case.record)
    replayed["states"][0]["routes"]["p"] = 2
    with pytest.raises(AssertionError, match="stays put, dispatch 1, routes, p"):
        case.check(replayed)


def test_reference__more_orders_than_dispatches_are_an_error():
    with pytest.raises(ValueError, match="2 orders for 1 dispatches"):
        replay(record(scenario(LADDER, dispatches=1), (go("A1"), go("B1")), (back("A1"), back("B1"))))


def test_reference__a_start_at_a_junction_needs_from():
    with pytest.raises(ValueError, match="'p' needs 'from'"):
        Match(scenario(LADDER, trains=[{"start": "p", "deliveries": ["p"]}] * 2))


def test_reference__counters_worked_by_hand():
    match, _ = played_match(
        record(
            # A1 and B1 head for E1 and W1, A2 and B2 for E2 and W2.
            scenario(LADDER, trains=FROM_TERMINAL, routes={"p": 2, "q": 2}, starting_cash=30, toll=2),
            (go("A1"), go("B1")),  # head-on: both idle, both stuck
            (go("A1"), go("B2")),  # conflict at q: both idle, both stuck
            (go("A1", "p", "siding:q"), back("B1", "p")),  # cancelled; A1 to q: nearer; B1 to E1: stuck
            (go("A1", "q"), go("B1", "q", "upgrade:B1")),  # cancelled; A1 q to E2: stuck; B1 E1, q, p: nearer
            (back("A1"), go("B2")),  # both enter q: B pays 2; both nearer
            (go("A2"), back("B1")),  # A2 to p: nearer; B1 p, q, E2: stuck
            (go("A1", "q", "siding:p"), go("B1")),  # A1 q to E1 delivers; B1 E2, q, E1: stuck
        )
    )
    assert (match.head_ons, match.junction_conflicts, match.shared_arrivals, match.cancelled_toggles) == (1, 1, 1, 2)
    assert match.deliveries == {"A": 1, "B": 0}
    assert match.upgrades == {"A": 0, "B": 1}
    assert match.sidings_bought == {"A": 2, "B": 0}
    assert match.tolls_paid == {"A": 0, "B": 2}
    assert match.stuck == {"A": 3, "B": 5}
    assert match.idle == {"A": 2, "B": 2}


def test_reference__idle_is_where_a_train_ends_not_how():
    # Speed 2 out of a terminal and back into it: p to W1 and back is where it began.
    one = scenario(LADDER, trains=FROM_TERMINAL, upgrade_cost=0)
    match, _ = played_match(record(one, (back("A1", invest="upgrade:A1"), go("B1"))))
    assert match.idle == {"A": 1, "B": 0}
    assert match.stuck == {"A": 1, "B": 1}


def test_reference__a_delivery_is_nearer_even_from_the_destination_itself():
    # A1 stands at p with a cargo for p: out to W1 and in again, no track nearer and yet not stuck.
    one = scenario(LADDER, trains=[start("p", "W1", "p"), start("W2", "p", "p")], upgrade_cost=0)
    match, _ = played_match(record(one, (back("A1", invest="upgrade:A1"), go("B1"))))
    assert match.deliveries == {"A": 1, "B": 0}
    assert match.stuck == {"A": 0, "B": 1}
    assert match.idle == {"A": 1, "B": 0}


def test_reference__legal_orders_of_a_small_map():
    match = Match(scenario(LADDER, starting_cash=8))
    orders = match.legal_orders("A")
    investments = [None, "upgrade:A1", "upgrade:A2", "siding:p", "siding:q"]
    assert len(orders) == 2 * 2 * 3 * 5
    assert [one["invest"] for one in orders[:5]] == investments
    match.play({"A": go("A1", invest="siding:p"), "B": go("B1")})
    assert match.legal_investments("A") == [None, "siding:q"]
    assert match.legal_investments("B") == [None, "upgrade:B1", "upgrade:B2", "siding:p", "siding:q"]


@pytest.mark.parametrize("seed", range(12))
def test_reference__legal_orders_are_those_that_are_not_refused(seed):
    rng = random.Random(seed)
    one = random_scenario(rng, n_junctions=1 + seed % 3)
    played = []
    match = Match(one)
    for _ in range(rng.randrange(match.dispatches)):
        played.append(random_orders(rng, match))
        match.play(played[-1])
    company = rng.choice(COMPANIES)
    places = [None, *sorted(match.near), "nowhere"]
    investments = [None, "toll", *(f"upgrade:{train}" for train in ("A1", "A2", "A3", "B1", "B2"))]
    investments += [f"siding:{node}" for node in places[1:]]
    legal = match.legal_orders(company)
    rival = match.legal_orders(RIVAL[company])[0]
    for train in ("A1", "A2", "B1", "B2"):
        for move in (*MOVES, None):
            for toggle in places:
                for invest in investments:
                    tried = order(train, move, toggle, invest)
                    if rng.random() < 0.7 and tried not in legal:
                        continue
                    reason = None
                    try:
                        match._check(company, tried)
                    except IllegalOrder as illegal:
                        reason = illegal.reason
                    assert (reason is None) == (tried in legal), (tried, reason)
    match.play({company: rng.choice(legal), RIVAL[company]: rival})


def test_reference__every_dollar_is_accounted_for():
    for seed in range(250):
        one = random_record(random.Random(seed))
        match, states = played_match(one)
        economy = one["scenario"]["economy"]
        cash = dict.fromkeys(COMPANIES, economy.get("starting_cash", 4))
        points = dict.fromkeys(COMPANIES, 0)
        for orders, events, state in zip(one["orders"], match.events, states, strict=True):
            for company in COMPANIES:
                kind = (orders[company]["invest"] or "").split(":")[0]
                costs = {"upgrade": economy.get("upgrade_cost", 8), "siding": economy.get("siding_cost", 3), "": 0}
                cash[company] += economy.get("income", 1) - costs[kind]
            for event in events:
                if event["event"] == "delivery":
                    cash[event["train"][0]] += event["reward"]
                    points[event["train"][0]] += event["reward"]
                elif event["event"] == "toll":
                    assert 0 <= event["paid"] <= economy.get("toll", 1)
                    cash[event["by"]] -= event["paid"]
                    cash[RIVAL[event["by"]]] += event["paid"]
            assert state["cash"] == cash
            assert state["points"] == points
            assert min(cash.values()) >= 0
        for company in COMPANIES:
            counted = match.starting_cash + match.income_paid[company] + match.rewards_paid[company]
            counted += match.tolls_paid[RIVAL[company]] - match.tolls_paid[company] - match.investments_paid[company]
            assert counted == match.cash[company]


def test_reference__what_no_dispatch_may_break():
    for seed in range(1_000, 1_200):
        one = random_record(random.Random(seed))
        match = Match(one["scenario"])
        for orders in one["orders"]:
            before = match.state()
            match.play(orders)
            after = match.state()
            for train, seen in after["trains"].items():
                assert seen["from"] in match.near[seen["at"]]
                if train != orders[train[0]]["train"]:
                    parked = {**before["trains"][train], "speed": seen["speed"]}
                    assert seen == parked
            toggled = Counter(orders[company]["toggle"] for company in COMPANIES)
            for junction, route in after["routes"].items():
                assert (route != before["routes"][junction]) == (toggled[junction] == 1)
            if match.events[-1] == []:
                assert all(after["points"][c] == before["points"][c] for c in COMPANIES)


def test_reference__exact_maps_swap_the_result():
    seen = Counter()
    for seed in range(250):
        one = random_record(random.Random(seed), exact=True)
        replayed = replay(one)
        assert replay(mirrored(one)) == mirrored_result(one["scenario"]["map"], replayed), seed
        seen[replayed["result"]["winner"]] += 1
        assert mirrored(mirrored(one)) == one
    assert min(seen["A"], seen["B"], seen["shared"]) >= 10


def test_reference__inexact_maps_do_not():
    differ = 0
    for seed in range(150):
        one = random_record(random.Random(seed))
        if not is_exact(one["scenario"]["map"]):
            try:
                differ += replay(mirrored(one)) != mirrored_result(one["scenario"]["map"], replay(one))
            except IllegalOrder:  # the cash has gone another way
                differ += 1
    assert differ >= 50


@pytest.mark.parametrize(
    ("map_dict", "breaches"),
    [
        (LADDER, []),
        ({**LADDER, "initial_routes": {"p": 2}}, ["p", "q"]),
        ({**LADDER, "initial_routes": {"p": 2, "q": 2}}, []),
        ({**LADDER, "initial_routes": {"p": 1, "q": 1}}, []),
        (STAR, ["m"]),
        ({**STAR, "mirror": {}}, []),
        (REVERSED, ["p", "q"]),
        ({**REVERSED, "initial_routes": {"q": 2}}, []),
        ({**REVERSED, "mirror": {"a": "y", "b": "z", "p": "q"}}, ["p", "q"]),
    ],
)
def test_mirror__exactness_by_hand(map_dict, breaches):
    assert map_faults(map_dict) == []
    assert exactness_breaches(map_dict) == breaches
    assert is_exact(map_dict) == (not breaches)


def test_mirror__exact_is_when_every_exit_mirrors():
    outcomes = Counter()
    for seed in range(300):
        rng = random.Random(seed)
        map_dict = random_map(rng, exact=seed % 3 == 0, n_junctions=rng.randint(1, 8))
        match = Match({"map": map_dict})
        breaches = set()
        for junction in match.junctions:
            for came_from in match.near[junction]:
                match.at.update(A1=junction, B1=match.mirror[junction])
                match.came_from.update(A1=came_from, B1=match.mirror[came_from])
                if match.mirror[match.next_node("A1", "forward")] != match.next_node("B1", "forward"):
                    breaches.add(junction)
        assert exactness_breaches(map_dict) == sorted(breaches), seed
        if map_dict["mirror"]:
            outcomes[not breaches] += 1
            assert breaches or all(node != image for node, image in match.mirror.items())
    assert min(outcomes.values()) >= 50


@pytest.mark.parametrize(
    ("tracks", "mirror", "fault"),
    [
        ([["a", "a"], ["a", "b"]], {}, "a track from a node to itself"),
        ([["a", "b"], ["b", "a"]], {}, "two tracks between the same nodes"),
        ([["a", "b"], ["b", "c"]], {}, "a node that is neither terminal nor junction"),
        ([["a", "b"]], {}, "no junction"),
        ([*STAR["tracks"], ["x", "y"]], {}, "not connected"),
        (STAR["tracks"], {"N": "W", "W": "E"}, "the mirror is not its own inverse"),
        (STAR["tracks"], {"m": "N"}, "the mirror does not map tracks to tracks"),
    ],
)
def test_mirror__faults_of_a_map(tracks, mirror, fault):
    assert fault in map_faults({"tracks": tracks, "mirror": mirror})


def test_generate__maps_are_valid_and_of_many_kinds():
    sizes, kinds = Counter(), Counter()
    for seed in range(600):
        exact = seed % 2 == 0
        one = random_scenario(random.Random(seed), exact=exact)
        map_dict = one["map"]
        assert map_faults(map_dict) == [], seed
        match = Match(one)
        sizes[len(match.junctions)] += 1
        fixed = [node for node, image in match.mirror.items() if node == image]
        assert not (exact and (fixed or not is_exact(map_dict))), seed
        kinds["identity"] += not map_dict["mirror"]
        kinds["fixed nodes"] += 0 < len(fixed) < len(match.near)
        kinds["one direction"] += 0 < len(map_dict["mirror"]) < len(match.near)
        kinds["routes"] += bool(map_dict.get("initial_routes"))
        kinds["queue"] += match.scope == "company"
        kinds["no upgrade"] += match.upgrade_cost is None
        kinds["no siding"] += match.siding_cost is None
        kinds["fast"] += match.upgraded_speed > 3
        kinds["no terminals"] += len(match.junctions) == len(match.near)
    assert set(sizes) >= set(range(1, 21))
    assert max(sizes) > 40
    assert min(kinds.values()) >= 5, kinds


@pytest.mark.parametrize("n_junctions", [1, 2, 3, 21, 61, 62])
def test_generate__a_map_of_the_size_asked(n_junctions):
    for seed in range(5):
        match = Match({"map": random_map(random.Random(seed), n_junctions=n_junctions)})
        assert len(match.junctions) == n_junctions
        match = Match({"map": random_map(random.Random(seed), exact=True, n_junctions=n_junctions)})
        assert len(match.junctions) == n_junctions + n_junctions % 2


def test_generate__orders_are_legal():
    for seed in range(30):
        rng = random.Random(seed)
        match = Match(random_scenario(rng, n_junctions=rng.randint(1, 6)))
        for _ in range(min(match.dispatches, 6)):
            orders = random_orders(rng, match)
            for company in COMPANIES:
                assert orders[company] in match.legal_orders(company)
            match.play(orders)


def test_generate__everything_happens_often():
    seen, n_dispatches = Counter(), 0
    for seed in range(300):
        match, _ = played_match(random_record(random.Random(seed)))
        n_dispatches += match.played
        seen["cancelled"] += match.cancelled_toggles
        seen["upgrades"] += sum(match.upgrades.values())
        seen["sidings"] += sum(match.sidings_bought.values())
        for events in match.events:
            for event in events:
                seen[event["event"]] += 1
                seen["later"] += event["tick"] > 1
                seen["no cash"] += event["event"] == "toll" and event["paid"] < match.toll
    assert n_dispatches > 3_000
    for kind, least in {"cancelled": 0.05, "upgrades": 0.05, "sidings": 0.1, "delivery": 0.2, "later": 0.05}.items():
        assert seen[kind] > least * n_dispatches, (kind, seen)
    for kind in ("head_on", "junction_conflict", "shared_arrival", "toll"):
        assert seen[kind] > 0.005 * n_dispatches, (kind, seen)
    assert seen["no cash"] >= 10


def test_generate__same_seed_same_record():
    assert random_record(random.Random(7)) == random_record(random.Random(7))
    assert random_record(random.Random(7)) != random_record(random.Random(8))
