"""Matches worked out by hand, rule by rule: what is asserted was written down from the rules, never computed.

Three little maps, drawn here once. Exits are in code-point order, capitals before small letters.

``LADDER``: ``W1 W2 - p - q - E1 E2``, left and right mirrored (exact).
    At p from W1: Route 1 to W2, Route 2 to q. From W2: W1, q. From q: W1, W2.
    At q from E1: Route 1 to E2, Route 2 to p. From E2: E1, p. From p: E1, E2.
``STAR``: ``W - m - E`` with N at m as well; W and E mirrored, m and N mirror to themselves.
    At m from W: Route 1 to E, Route 2 to N. From E: N, W. From N: E, W.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

LADDER = {
    "schema": 1,
    "name": "ladder",
    "tracks": [["W1", "p"], ["W2", "p"], ["p", "q"], ["q", "E1"], ["q", "E2"]],
    "mirror": {"W1": "E1", "E2": "W2", "p": "q"},
    "trains": [{"start": "W1", "deliveries": ["E1", "W2"]}, {"start": "W2", "deliveries": ["E2", "W1"]}],
}
STAR = {
    "schema": 1,
    "name": "star",
    "tracks": [["m", "W"], ["N", "m"], ["E", "m"]],
    "mirror": {"W": "E", "N": "N", "m": "m"},
    "trains": [{"start": "W", "deliveries": ["W"]}, {"start": "N", "deliveries": ["N"]}],
}


@dataclass(frozen=True)
class HandCase:
    """One match and what a replay of it must give.

    Attributes
    ----------
    events
        Those of every dispatch, in full.
    states
        By dispatch, counted from 1: the part of the state that the case is about.
    result
        (winner, decided by), or None where the case is not about it.
    """

    name: str
    record: dict[str, Any]
    events: list[list[dict[str, Any]]]
    states: dict[int, dict[str, Any]] = field(default_factory=dict)
    result: tuple[str | None, str | None] | None = None

    def check(self, replayed: dict[str, Any]) -> None:
        """Fail where a replay of the record differs from what was worked out."""
        _check_part(replayed["events"], self.events, f"{self.name}, events")
        _check_part(len(replayed["states"]), len(self.record["orders"]), f"{self.name}, number of states")
        for dispatch, expected in self.states.items():
            _check_part(replayed["states"][dispatch - 1], expected, f"{self.name}, dispatch {dispatch}")
        if self.result is not None:
            winner, decided_by = self.result
            _check_part(replayed["result"], {"winner": winner, "decided_by": decided_by}, f"{self.name}, result")


@dataclass(frozen=True)
class RefusedCase:
    """A match with an illegal order, and whose it is; dispatches count from 1."""

    name: str
    record: dict[str, Any]
    dispatch: int
    company: str


def _check_part(found: Any, expected: Any, place: str) -> None:
    if isinstance(expected, dict):
        for key, part in expected.items():
            _check_part(found[key], part, f"{place}, {key}")
    else:
        assert found == expected, f"{place}: {found!r}, worked out as {expected!r}"


def scenario(
    map_dict: dict[str, Any],
    *,
    trains: list[dict[str, Any]] | None = None,
    routes: dict[str, int] | None = None,
    queue: list[str] | None = None,
    rewards: list[int] | None = None,
    dispatches: int = 24,
    **economy: int | None,
) -> dict[str, Any]:
    """A scenario on the map; a `queue` makes the cargo scope the company's."""
    own_map = copy.deepcopy(map_dict)
    if trains is not None:
        own_map["trains"] = copy.deepcopy(trains)
    if routes is not None:
        own_map["initial_routes"] = routes
    cargo: dict[str, Any] = {"rewards": [3, 4, 5] if rewards is None else rewards, "scope": "train"}
    if queue is not None:
        own_map["deliveries"] = queue
        cargo["scope"] = "company"
    return {
        "schema": 1,
        "game": "dispatch",
        "name": "worked by hand",
        "dispatches": dispatches,
        "economy": economy,
        "cargo": cargo,
        "map": own_map,
    }


def record(scenario_dict: dict[str, Any], *dispatches: tuple[dict[str, Any], dict[str, Any]]) -> dict[str, Any]:
    """A match record of (A's order, B's order) for each dispatch."""
    return {"schema": 1, "scenario": scenario_dict, "orders": [{"A": a, "B": b} for a, b in dispatches]}


def order(train: str, move: str, toggle: str | None = None, invest: str | None = None) -> dict[str, Any]:
    """One order as a record writes it."""
    return {"train": train, "move": move, "toggle": toggle, "invest": invest}


def go(train: str, toggle: str | None = None, invest: str | None = None) -> dict[str, Any]:
    """Order the train forward."""
    return order(train, "forward", toggle, invest)


def back(train: str, toggle: str | None = None, invest: str | None = None) -> dict[str, Any]:
    """Order the train to reverse."""
    return order(train, "reverse", toggle, invest)


def start(at: str, came_from: str, *deliveries: str, **more: int) -> dict[str, Any]:
    """A train that starts at `at`, having come from `came_from`."""
    return {"start": {"at": at, "from": came_from}, "deliveries": list(deliveries), **more}


def train_at(at: str, came_from: str, **more: Any) -> dict[str, Any]:
    """The part of a state that says where a train is."""
    return {"at": at, "from": came_from, **more}


def head_on(tick: int = 1) -> dict[str, Any]:
    """The event of trains that would swap nodes."""
    return {"tick": tick, "event": "head_on"}


def conflict(at: str, tick: int = 1) -> dict[str, Any]:
    """The event of trains stopped before a junction."""
    return {"tick": tick, "event": "junction_conflict", "at": at}


def shared(at: str, tick: int = 1) -> dict[str, Any]:
    """The event of an arrival where both own a siding."""
    return {"tick": tick, "event": "shared_arrival", "at": at}


def toll(at: str, paid: int, by: str, tick: int = 1) -> dict[str, Any]:
    """The event of an arrival where only the other company owns a siding."""
    return {"tick": tick, "event": "toll", "at": at, "paid": paid, "by": by}


def delivery(train: str, at: str, reward: int, tick: int = 1) -> dict[str, Any]:
    """The event of a delivery."""
    return {"tick": tick, "event": "delivery", "train": train, "at": at, "reward": reward}


# A's trains where the first has come to p from a terminal, or from q; B's are their mirror images.
FROM_TERMINAL = [start("p", "W1", "E1", "W2"), start("W2", "p", "E2", "W1")]
FROM_MIDDLE = [start("p", "q", "E1", "W2"), start("W2", "p", "E2", "W1")]
BOTH_ON_2 = {"p": 2, "q": 2}
FREE = {"upgrade_cost": 0, "siding_cost": 0}
