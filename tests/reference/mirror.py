"""What a mirror does to a map and to a match: exactness (7), and orders swapped through it."""

from __future__ import annotations

from typing import Any

from tests.reference.dispatch import COMPANIES, RIVAL, distances_to, mirror_both_ways, neighbours


def keeps_order(map_dict: dict[str, Any], junction: str) -> bool | None:
    """Whether the mirror keeps (True), reverses (False) or shuffles (None) the order of a junction's neighbours."""
    image = mirror_both_ways(map_dict)
    images = [image[node] for node in neighbours(map_dict)[junction]]
    if images == sorted(images):
        return True
    if images == sorted(images, reverse=True):
        return False
    return None


def exactness_breaches(map_dict: dict[str, Any]) -> list[str]:
    """The junctions that keep the mirror from being exact (7), in code-point order.

    The identity breaks nothing: it keeps every order and every route.
    """
    image = mirror_both_ways(map_dict)
    routes = map_dict.get("initial_routes", {})
    breaches = []
    for junction, near in sorted(neighbours(map_dict).items()):
        if len(near) != 3:
            continue
        kept = keeps_order(map_dict, junction)
        same_route = routes.get(junction, 1) == routes.get(image[junction], 1)
        if kept is None or kept != same_route:
            breaches.append(junction)
    return breaches


def is_exact(map_dict: dict[str, Any]) -> bool:
    """Whether the mirror keeps the route numbers of every junction too (7)."""
    return not exactness_breaches(map_dict)


def map_faults(map_dict: dict[str, Any]) -> list[str]:
    """What is wrong with a map by 1.1 and 1.5; empty for a good one."""
    faults = []
    tracks = [frozenset(pair) for pair in map_dict["tracks"]]
    if any(len(track) != 2 for track in tracks):
        faults.append("a track from a node to itself")
    if len(set(tracks)) != len(tracks):
        faults.append("two tracks between the same nodes")
    near = neighbours(map_dict)
    if any(len(others) not in (1, 3) for others in near.values()):
        faults.append("a node that is neither terminal nor junction")
    if not any(len(others) == 3 for others in near.values()):
        faults.append("no junction")
    if len(distances_to(near, next(iter(near)))) != len(near):
        faults.append("not connected")
    image = mirror_both_ways(map_dict)
    if any(image[image[node]] != node for node in near):
        faults.append("the mirror is not its own inverse")
    if {frozenset(image[node] for node in track) for track in tracks} != set(tracks):
        faults.append("the mirror does not map tracks to tracks")
    return faults


def mirrored(record: dict[str, Any]) -> dict[str, Any]:
    """The record with the companies' orders swapped through the mirror."""
    image = mirror_both_ways(record["scenario"]["map"])

    def mirrored_order(order: dict[str, Any], company: str) -> dict[str, Any]:
        invest = order["invest"]
        if invest is not None:
            kind, what = invest.split(":", 1)
            invest = f"{kind}:{company + what[1:] if kind == 'upgrade' else image[what]}"
        toggle = order["toggle"]
        return {
            "train": company + order["train"][1:],
            "move": order["move"],
            "toggle": None if toggle is None else image[toggle],
            "invest": invest,
        }

    orders = [
        {company: mirrored_order(both[RIVAL[company]], company) for company in COMPANIES} for both in record["orders"]
    ]
    return {**record, "orders": orders}


def mirrored_result(map_dict: dict[str, Any], replayed: dict[str, Any]) -> dict[str, Any]:
    """What a replay of the `mirrored` record must give on an exact map, made of the replay of the record itself."""
    image = mirror_both_ways(map_dict)
    routes_kept = {node: keeps_order(map_dict, node) for node, near in neighbours(map_dict).items() if len(near) == 3}

    def renamed(train: str) -> str:
        return RIVAL[train[0]] + train[1:]

    def mirrored_state(state: dict[str, Any]) -> dict[str, Any]:
        return {
            "cash": {company: state["cash"][RIVAL[company]] for company in COMPANIES},
            "points": {company: state["points"][RIVAL[company]] for company in COMPANIES},
            "routes": {image[node]: r if routes_kept[node] else 3 - r for node, r in state["routes"].items()},
            "sidings": {c: sorted(image[node] for node in state["sidings"][RIVAL[c]]) for c in COMPANIES},
            "trains": {
                renamed(train): {**seen, **{key: image[seen[key]] for key in ("at", "from", "to")}}
                for train, seen in state["trains"].items()
            },
        }

    def mirrored_event(event: dict[str, Any]) -> dict[str, Any]:
        other = dict(event)
        if "at" in event:
            other["at"] = image[event["at"]]
        if "by" in event:
            other["by"] = RIVAL[event["by"]]
        if "train" in event:
            other["train"] = renamed(event["train"])
        return other

    def place(event: dict[str, Any]) -> tuple[int, str]:
        return event["tick"], event.get("train", "")

    winner = replayed["result"]["winner"]
    return {
        "states": [mirrored_state(state) for state in replayed["states"]],
        "events": [sorted((mirrored_event(event) for event in events), key=place) for events in replayed["events"]],
        "result": {**replayed["result"], "winner": RIVAL.get(winner, winner)},
    }
