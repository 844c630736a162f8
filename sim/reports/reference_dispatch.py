"""The generated reference of the dispatch game: costs, cycles, maps and schedules of shipped scenarios.

All of it is read back from the record that the kernels read, so that it says what is played.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm
from typing import Any

from kernels.codes import NO_COST, CargoScope
from sim.config.exactness import exactness
from sim.config.loading import dispatch_only, load_scenario
from sim.config.network import Network
from sim.config.scenario import Scenario
from sim.config.starters import starter_names
from sim.lowering import COMPANIES, TRAINS, Names, lower
from sim.reports.markdown import table

__all__ = ["dispatch_reference"]


def dispatch_reference() -> Iterator[str]:
    """Lines of the dispatch game's part."""
    scenarios = [dispatch_only(load_scenario(name), "its reference") for name in starter_names()]
    rules = {one.name: lower(one)[0] for one in scenarios}
    yield "## Dispatch game"
    yield ""
    yield "### Scenarios"
    yield ""
    header = ("scenario", "map", "dispatches", "starting cash", "income", "upgrade", "upgraded speed", "siding", "toll")
    yield from table((*header, "cargo", "rewards", "bots"), [_row(one, rules[one.name]) for one in scenarios])
    yield ""
    yield "Income is paid after the movement of every dispatch. An upgraded train moves so many ticks in a dispatch,"
    yield "any other one. Rewards follow each other in a cycle."
    yield ""
    for one in scenarios:
        yield from _map(one, rules[one.name])


def _row(one: Scenario, rules: Any) -> list[str]:
    def price(dollars: int) -> str:
        return "not on offer" if dollars == NO_COST else f"${dollars}"

    scope = "each train its own" if rules.cargo_scope == CargoScope.TRAIN else "one queue a company"
    rewards = ", ".join(str(int(reward)) for reward in one.cargo.rewards)
    bots = "" if one.bots is None else f"{one.bots['A']}, {one.bots['B']}"
    return [
        one.name,
        one.map.name,
        str(int(rules.dispatches)),
        f"${int(rules.starting_cash_dollars)}",
        f"${int(rules.income_dollars)}",
        price(int(rules.upgrade_cost_dollars)),
        f"{int(rules.upgraded_speed_ticks)} ticks",
        price(int(rules.siding_cost_dollars)),
        f"${int(rules.toll_dollars)}",
        scope,
        rewards,
        bots,
    ]


def _map(one: Scenario, rules: Any) -> Iterator[str]:
    network = Network(one.map)
    names = Names(network)
    n_arcs = int(rules.n_arcs)
    yield f"### Map {one.map.name}"
    yield ""
    exact = "exact" if exactness(one.map).exact else "not exact"
    yield (
        f"{int(rules.n_junctions)} junctions, {int(rules.n_nodes) - int(rules.n_junctions)} terminals, {n_arcs // 2} "
        f"tracks; the mirror is {exact}."
    )
    yield ""
    tracks = [f"{names.nodes[rules.head[a + 1]]}-{names.nodes[rules.head[a]]}" for a in range(0, n_arcs, 2)]
    yield f"Tracks: {', '.join(tracks)}."
    yield ""
    pairs = sorted({tuple(sorted((label, names.nodes[rules.mirror_node[n]]))) for n, label in enumerate(names.nodes)})
    yield f"Mirror: {', '.join(a if a == b else f'{a} to {b}' for a, b in pairs)}."
    yield ""
    on_two = [label for j, label in enumerate(network.junctions) if int(rules.start_routes) >> j & 1]
    yield f"Junctions that start on Route 2: {', '.join(on_two) or 'none'}; all others on Route 1."
    yield ""
    header = ("train", "starts at", "coming from", "cargoes, in a cycle (destination: reward)")
    yield from table(header, _trains(one, rules, names))
    yield ""


def _trains(one: Scenario, rules: Any, names: Names) -> list[list[str]]:
    """One row a train: where it starts, and its schedule with the rewards, until both begin anew together."""
    rows = []
    for c, company in enumerate(COMPANIES):
        for t, train in enumerate(TRAINS[c]):
            came_from, at = names.arcs[int(rules.start_arc[c, t])]
            deliveries = one.map.trains[t].deliveries if one.cargo.scope == "train" else one.map.deliveries
            n = len(deliveries or ())
            items = _cycle(n, len(one.cargo.rewards))
            cargo = ", ".join(
                f"{names.nodes[rules.cargo_node[c, t, i]]}: {int(rules.cargo_reward[c, t, i])}" for i in range(items)
            )
            queue = cargo if one.cargo.scope == "train" else f"{cargo} (queue of company {company})"
            rows.append([train, at, came_from, queue])
    return rows


def _cycle(destinations: int, rewards: int) -> int:
    """Cargoes until destinations and rewards begin anew together."""
    return lcm(destinations, rewards)
