"""Words to numbers and back: every arc, exit, route and cargo against its plain definition on random maps."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from kernels.codes import NO_COST, NO_TOGGLE, CargoScope, Invest, Move, Route
from kernels.dispatch.layout import MAX_ITEMS
from kernels.dispatch.orders import invest_of, reverse_of, toggle_of, train_of
from sim.config.loading import load_scenario
from sim.config.network import Network
from sim.lowering import COMPANIES, TRAINS, Names, lower, pack_words
from tests.kernel_tools import seeded
from tests.reference.dispatch import Match, distances_to, mirror_both_ways, neighbours
from tests.reference.generate import random_scenario
from tests.reference.mirror import keeps_order
from tests.run_tools import scaled

MAPS = scaled(300, 60)


def boards(subject: str, n: int = MAPS, **how: Any):
    """(number, scenario as data, names, rules record) of random scenarios."""
    for number in range(n):
        scenario = random_scenario(seeded(subject, number), **how)
        loaded = load_scenario(scenario)
        yield number, scenario, Names(Network(loaded.map)), lower(loaded)[0]


def test_lowering__numbers_and_labels_go_round():
    for number, scenario, names, rules in boards("names"):
        near = neighbours(scenario["map"])
        junctions = sorted(node for node in near if len(near[node]) == 3)
        terminals = sorted(node for node in near if len(near[node]) == 1)
        assert list(names.nodes) == junctions + terminals, number
        assert (rules.n_junctions, rules.n_nodes) == (len(junctions), len(near))
        assert rules.n_arcs == 2 * len(scenario["map"]["tracks"]) == len(names.arcs)
        for n, label in enumerate(names.nodes):
            assert names.node_numbers[label] == n
        for a, arc in enumerate(names.arcs):
            assert names.arc_numbers[arc] == a
            assert names.arcs[a ^ 1] == arc[::-1]
        for bits in (0, 1, (1 << len(junctions)) - 1, 0b1010 & ((1 << len(junctions)) - 1)):
            assert names.junctions_of(bits) == [label for j, label in enumerate(junctions) if bits & (1 << j)]


def test_lowering__arcs_exits_and_routes_are_those_of_the_rules():
    """Rules 1.2 to 1.4, from the neighbours alone."""
    for number, scenario, names, rules in boards("exits"):
        near = neighbours(scenario["map"])
        for a, (came_from, at) in enumerate(names.arcs):
            assert names.nodes[rules.head[a]] == at, number
            assert names.nodes[rules.head[a ^ 1]] == came_from
            onward = sorted(set(near[at]) - {came_from}) or [came_from] * 2
            for route in Route:
                assert names.arcs[rules.exit[a, route]] == (at, onward[route]), number
        routes = scenario["map"].get("initial_routes", {})
        assert names.junctions_of(int(rules.start_routes)) == sorted(node for node in routes if routes[node] == 2)


def test_lowering__distances_fans_and_mirror():
    for _, scenario, names, rules in boards("distances"):
        near = neighbours(scenario["map"])
        image = mirror_both_ways(scenario["map"])
        for n, label in enumerate(names.nodes):
            far = distances_to(near, label)
            assert [int(rules.distance_tracks[n, m]) for m in range(len(near))] == [far[node] for node in names.nodes]
            leaving = [names.arcs[a] for a in rules.fan[n, : rules.fan[n, 3]]]
            assert leaving == [(label, other) for other in near[label]]
            assert names.nodes[rules.mirror_node[n]] == image[label]
        for j in range(rules.n_junctions):
            assert rules.own_junction[0, j] == j
            assert rules.own_junction[1, j] == rules.mirror_node[j] < rules.n_junctions


def test_lowering__on_exact_maps_the_mirror_commutes_with_exits():
    """Mirroring arc and switches, then going on, is going on and then mirroring (rules 7)."""
    kept = Counter()
    for number, scenario, names, rules in boards("exact", exact=True):
        image = mirror_both_ways(scenario["map"])

        def mirrored(a: int, names: Names = names, image: dict[str, str] = image) -> int:
            came_from, at = names.arcs[a]
            return names.arc_numbers[image[came_from], image[at]]

        for a, (_, at) in enumerate(names.arcs):
            keeps = keeps_order(scenario["map"], at) if at in names.network.junctions else True
            kept[keeps] += 1
            for route in Route:
                there = rules.exit[mirrored(a), route if keeps else 1 - route]
                assert there == mirrored(int(rules.exit[a, route])), number
        for j, label in enumerate(names.network.junctions):
            bit, other = (int(rules.start_routes) >> k & 1 for k in (j, int(rules.mirror_node[j])))
            assert (bit == other) == keeps_order(scenario["map"], label)
        for t in range(2):
            assert rules.start_arc[1, t] == mirrored(int(rules.start_arc[0, t]))
    assert min(kept.values()) > MAPS


@pytest.mark.parametrize("scope", ["train", "company"])
def test_lowering__unrolled_cargoes_are_those_of_the_rules(scope):
    """Rules 2.3 and 2.4, item by item, beyond what a match of 1,000 dispatches can load."""
    offsets = Counter()
    for number in range(MAPS):
        scenario = random_scenario(seeded(f"cargo {scope}", number))
        if scenario["cargo"].get("scope", "train") != scope:
            continue
        rules = lower(load_scenario(scenario))[0]
        names = Names(Network(load_scenario(scenario).map))
        rewards = scenario["cargo"].get("rewards", [3, 4, 5])
        image = mirror_both_ways(scenario["map"])
        for c, company in enumerate(COMPANIES):
            for t, train in enumerate(scenario["map"]["trains"]):
                schedule = train["deliveries"] if scope == "train" else scenario["map"]["deliveries"]
                offset = train.get("first_reward", 0) if scope == "train" else 0
                offsets[offset > 0] += 1
                for k in (*range(20), 999, 1_001, MAX_ITEMS - 1):
                    to = schedule[k % len(schedule)]
                    expected = to if company == "A" else image[to]
                    assert names.nodes[rules.cargo_node[c, t, k]] == expected, number
                    assert rules.cargo_reward[c, t, k] == rewards[(k + offset) % len(rewards)], number
        assert rules.cargo_scope == (CargoScope.TRAIN if scope == "train" else CargoScope.COMPANY)
    assert offsets[False] > MAPS / 4
    assert scope == "company" or offsets[True] > MAPS / 8


def test_lowering__starts_and_economy():
    nulls = 0
    for number, scenario, names, rules in boards("starts"):
        match = Match(scenario)
        for c, company in enumerate(COMPANIES):
            for t in range(2):
                came_from, at = names.arcs[rules.start_arc[c, t]]
                assert (at, came_from) == match.starts[f"{company}{t + 1}"], number
        assert rules.dispatches == match.dispatches
        assert rules.starting_cash_dollars == match.starting_cash
        assert rules.income_dollars == match.income
        assert rules.upgraded_speed_ticks == match.upgraded_speed
        assert rules.toll_dollars == match.toll
        for cost, lowered in (
            (match.upgrade_cost, rules.upgrade_cost_dollars),
            (match.siding_cost, rules.siding_cost_dollars),
        ):
            assert lowered == (NO_COST if cost is None else cost)
            nulls += cost is None
    assert nulls > 5


def test_lowering__first_cargoes_are_those_of_a_match():
    """What the oracle loads at the start, whichever the scope."""
    for _, scenario, names, rules in boards("first cargoes"):
        match = Match(scenario)
        for c, company in enumerate(COMPANIES):
            for t in range(2):
                item = t if match.scope == "company" else 0
                train = f"{company}{t + 1}"
                assert names.nodes[rules.cargo_node[c, t, item]] == match.to[train]
                assert rules.cargo_reward[c, t, item] == match.reward[train]


def test_lowering__rules_are_read_only_and_alike():
    scenario = load_scenario("standard")
    one, two = lower(scenario), lower(scenario)
    assert one.tobytes() == two.tobytes()
    with pytest.raises(ValueError, match="read-only"):
        one["toll_dollars"] = 5
    assert one.shape == (1,)


def test_lowering__the_order_in_which_tracks_are_written_changes_no_match():
    """Arcs are numbered otherwise; all that a bot can see by label is the same."""
    for number in range(20):
        rng = seeded("order", number)
        scenario = random_scenario(rng)
        tracks = [list(reversed(track)) if rng.random() < 0.5 else track for track in scenario["map"]["tracks"]]
        shuffled = {**scenario, "map": {**scenario["map"], "tracks": rng.sample(tracks, len(tracks))}}
        (names, rules), (other_names, other) = (
            (Names(Network(load_scenario(s).map)), lower(load_scenario(s))[0]) for s in (scenario, shuffled)
        )
        assert names.nodes == other_names.nodes
        for a, arc in enumerate(names.arcs):
            b = other_names.arc_numbers[arc]
            for route in Route:
                assert names.arcs[rules.exit[a, route]] == other_names.arcs[other.exit[b, route]]
        for field in ("distance_tracks", "cargo_node", "cargo_reward", "mirror_node", "own_junction", "start_routes"):
            np.testing.assert_array_equal(rules[field], other[field])


# -- orders -----------------------------------------------------------------------------------------------------------


def test_lowering__orders_go_round():
    for _, _, names, rules in boards("orders", 40):
        junctions = names.network.junctions
        for c in range(2):
            for t, train in enumerate(TRAINS[c]):
                for move in ("forward", "reverse"):
                    for j, toggle in [(NO_TOGGLE, None), *enumerate(junctions)]:
                        upgrades = [(Invest.UPGRADE_1 + i, f"upgrade:{own}") for i, own in enumerate(TRAINS[c])]
                        sidings = [(Invest.SIDING + i, f"siding:{label}") for i, label in enumerate(junctions)]
                        for invest, words in [(Invest.NONE, None), *upgrades, *sidings[:3], sidings[-1]]:
                            order = np.int64(pack_words(names, c, train, move, toggle, words))
                            assert 0 <= order < 1 << 16
                            fields = [int(of(order)) for of in (train_of, reverse_of, toggle_of, invest_of)]
                            assert fields == [t, Move[move.upper()], j, invest]
        assert rules.n_junctions == len(junctions)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("B1", "forward", None, None), "train is 'B1'; company A has A1 and A2"),
        (("A1", "forward", "zz", None), "toggle is 'zz'; must be a junction of the map"),
        (("A1", "forward", "PW", None), "toggle is 'PW'; must be a junction of the map"),
        (
            ("A1", "forward", None, "upgrade:B1"),
            "invest is 'upgrade:B1'; must be null, upgrade:A1, upgrade:A2 or siding",
        ),
        (("A1", "forward", None, "siding:PW"), "invest is 'siding:PW'; a siding must be at a junction of the map"),
        (("A1", "forward", None, "siding"), "invest is 'siding'; must be null, "),
        (("A1", "forward", None, "upgrade:"), "invest is 'upgrade:'; must be null, "),
        (("A1", "forward", None, ""), "must be null, "),
    ],
)
def test_lowering__words_that_fit_nothing(words, said):
    names = Names(Network(load_scenario("standard").map))
    with pytest.raises(LookupError) as refused:
        pack_words(names, 0, *words)
    assert said in str(refused.value.args[0])
