"""Scenario -> `Rules`, records -> packed orders: the only place where a name becomes a code.

The way back, from codes to labels, is `Names`, made of the same network; so the two cannot disagree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kernels.codes import NO_COST, NO_TOGGLE, CargoScope, Invest, Move, Route
from kernels.dispatch.layout import MAX_ITEMS, MAX_JUNCTIONS, RULES_DTYPE, new_rules
from sim.config.network import Network, network_of
from sim.config.recent import Recent
from sim.config.scenario import RailMap, Scenario
from sim.config.values import did_you_mean, shown

__all__ = ["COMPANIES", "TRAINS", "Names", "lower", "names_of", "pack_words", "unpack_words"]

COMPANIES = ("A", "B")
TRAINS = (("A1", "A2"), ("B1", "B2"))
"""Names of the trains, [c][t]."""

_SCOPES = {"train": CargoScope.TRAIN, "company": CargoScope.COMPANY}


@dataclass(frozen=True)
class Names:
    """Numbers of a map's nodes and arcs: junctions first, then terminals, each by code points of the labels.

    The two directions of track e, as the map lists it, are the arcs 2e (towards the second node) and 2e + 1.
    """

    network: Network

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """Labels by node number; junctions stand first, so theirs is also the junction number."""
        return self.network.junctions + self.network.terminals

    @cached_property
    def node_numbers(self) -> dict[str, int]:
        """Node number by label."""
        return {label: n for n, label in enumerate(self.nodes)}

    @cached_property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """(from, at) by arc number."""
        return tuple(arc for u, v in self.network.map.tracks for arc in ((u, v), (v, u)))

    @cached_property
    def arc_numbers(self) -> dict[tuple[str, str], int]:
        """Arc number by (from, at)."""
        return {arc: a for a, arc in enumerate(self.arcs)}

    def junctions_of(self, bits: int) -> list[str]:
        """Labels of a set of junctions, in code-point order."""
        return [label for j, label in enumerate(self.network.junctions) if bits >> j & 1]


names_of: Recent[RailMap, Names] = Recent(lambda rail_map: Names(network_of(rail_map)))
"""The names of a map; of the maps that were asked for last they are the same object."""


def lower(scenario: Scenario) -> np.recarray[Any, Any]:
    """The `Rules` record of a scenario, shape (1,), read only."""
    names = names_of(scenario.map)
    number, mirror = names.node_numbers, names.network.mirror
    economy = scenario.economy
    array = _of_map(scenario.map).copy()
    rules = array.view(RULES_DTYPE, np.ndarray)  # the fields of a record array are slow to reach
    rules["dispatches"] = scenario.dispatches
    rules["starting_cash_dollars"] = economy.starting_cash
    rules["income_dollars"] = economy.income
    rules["upgrade_cost_dollars"] = NO_COST if economy.upgrade_cost is None else economy.upgrade_cost
    rules["siding_cost_dollars"] = NO_COST if economy.siding_cost is None else economy.siding_cost
    rules["upgraded_speed_ticks"] = economy.upgraded_speed
    rules["toll_dollars"] = economy.toll
    rules["cargo_scope"] = _SCOPES[scenario.cargo.scope]
    items = np.arange(MAX_ITEMS)
    rewards = np.array(scenario.cargo.rewards)
    cargo_node, cargo_reward = rules["cargo_node"][0], rules["cargo_reward"][0]
    for t in range(len(scenario.map.trains)):
        schedule, offset = _schedule(scenario, t)
        seen = np.array([[number[label] for label in schedule], [number[mirror[label]] for label in schedule]])
        cargo_node[:, t] = seen.take(items % len(schedule), axis=1)
        cargo_reward[:, t] = rewards[(items + offset) % len(rewards)]
    array.flags.writeable = False
    return array


def _lowered_map(rail_map: RailMap) -> np.recarray[Any, Any]:
    """A `Rules` record, shape (1,), in which everything is that the map alone decides."""
    names = names_of(rail_map)
    network, number = names.network, names.node_numbers
    array = new_rules()
    rules = array[0]
    rules.n_junctions = len(network.junctions)
    rules.n_nodes = len(names.nodes)
    rules.n_arcs = len(names.arcs)
    rules.start_routes = sum(1 << j for j, label in enumerate(network.junctions) if network.initial_routes[label] == 2)
    # A field of a record is looked up by name each time: once is enough.
    head, exits, mirror_node, distance_tracks, fan = (
        rules.head,
        rules.exit,
        rules.mirror_node,
        rules.distance_tracks,
        rules.fan,
    )
    for a, (came_from, at) in enumerate(names.arcs):
        head[a] = number[at]
        onward = [near for near in network.neighbours[at] if near != came_from]
        for route in Route:
            # A terminal has one exit, the track that the train came on (rules 1.4).
            exits[a, route] = names.arc_numbers[at, onward[route] if onward else came_from]
    for label, n in number.items():
        mirror_node[n] = number[network.mirror[label]]
        for other, tracks in network.distances[label].items():
            distance_tracks[n, number[other]] = tracks
        leaving = [names.arc_numbers[label, near] for near in network.neighbours[label]]
        fan[n, : len(leaving)] = leaving
        fan[n, 3] = len(leaving)
    for j, label in enumerate(network.junctions):
        rules.own_junction[0, j] = j
        rules.own_junction[1, j] = number[network.mirror[label]]
        rules.own_toggle[:, j] = rules.own_junction[:, j] + 1
    for c, company in enumerate(COMPANIES):
        for t, (at, came_from) in enumerate(network.starts_of(company)):
            rules.start_arc[c, t] = names.arc_numbers[came_from, at]
    array.flags.writeable = False
    return array


_of_map: Recent[RailMap, np.recarray[Any, Any]] = Recent(_lowered_map)


def _schedule(scenario: Scenario, t: int) -> tuple[list[str], int]:
    """Company A's schedule for train t and the offset of its rewards (rules 2.3, 2.4)."""
    if scenario.cargo.scope == "company":
        return list(scenario.map.deliveries or ()), 0
    train = scenario.map.trains[t]
    return list(train.deliveries or ()), train.first_reward


def pack_words(names: Names, c: int, train: str, move: str, toggle: str | None, invest: str | None) -> int:
    """The packed order of record words; LookupError names the word that fits nothing on this map."""
    if train not in TRAINS[c]:
        raise LookupError(f"train is {shown(train)}; company {COMPANIES[c]} has {' and '.join(TRAINS[c])}")
    t = TRAINS[c].index(train)
    bits = t | (Move[move.upper()] << 1)
    j = NO_TOGGLE if toggle is None else _junction(names, toggle, f"toggle is {shown(toggle)}; must be")
    return bits | ((j + 1) << 2) | (_investment(names, c, invest) << 9)


def unpack_words(names: Names, c: int, order: int) -> dict[str, str | None]:
    """The words of a packed legal order of company c, as in a match record: `pack_words` gives the order back."""
    junctions = names.network.junctions
    toggle = (order >> 2 & 127) - 1
    invest = order >> 9
    bought = None
    if invest >= Invest.SIDING:
        bought = f"siding:{junctions[invest - Invest.SIDING]}"
    elif invest != Invest.NONE:
        bought = f"upgrade:{TRAINS[c][invest - Invest.UPGRADE_1]}"
    return {
        "train": TRAINS[c][order & 1],
        "move": Move(order >> 1 & 1).name.lower(),
        "toggle": None if toggle == NO_TOGGLE else junctions[toggle],
        "invest": bought,
    }


def _junction(names: Names, label: str, found: str) -> int:
    j = names.node_numbers.get(label, MAX_JUNCTIONS)
    junctions = names.network.junctions
    if j >= len(junctions):
        near = did_you_mean(label, junctions) or f": {', '.join(junctions)}"
        raise LookupError(f"{found} a junction of the map{near}")
    return j


def _investment(names: Names, c: int, invest: str | None) -> int:
    if invest is None:
        return int(Invest.NONE)
    kind, colon, what = invest.partition(":")
    if kind == "upgrade" and what in TRAINS[c]:
        return int(Invest.UPGRADE_1) + TRAINS[c].index(what)
    if kind == "siding" and colon:
        return int(Invest.SIDING) + _junction(names, what, f"invest is {shown(invest)}; a siding must be at")
    allowed = f"null, {', '.join(f'upgrade:{train}' for train in TRAINS[c])} or siding:JUNCTION"
    raise LookupError(f"invest is {shown(invest)}; must be {allowed}")
