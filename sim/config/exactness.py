"""Whether the mirror of a map is exact, so that neither seat is favoured by the labels (rules 7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sim.config.network import Network, network_of
from sim.config.scenario import RailMap

ALPHABET = "the alphabetical order of the neighbours"
ONE_ROUTE = f"the mirror keeps {ALPHABET}, so that a junction and its image must start on the same route"
TWO_ROUTES = f"the mirror reverses {ALPHABET}, so that a junction and its image must start on different routes"
BOTH_AT_ONCE = (
    f"the mirror takes the junction to itself and reverses {ALPHABET}, so that its switch would have to stand on both "
    "routes at once"
)
OTHER_EXITS = (
    f"the mirror neither keeps nor reverses {ALPHABET}, so that a switch setting means different exits at a junction "
    "and at its image"
)


@dataclass(frozen=True, slots=True)
class Breach:
    """A junction at which the mirror does not keep the route numbers.

    Attributes
    ----------
    junction
        Its label.
    reason
        Why, in plain words.
    rule
        The same for all junctions with this kind of breach: `ONE_ROUTE`, `TWO_ROUTES`, `BOTH_AT_ONCE` or `OTHER_EXITS`.
    case
        What is so at this one.
    """

    junction: str
    reason: str
    rule: str
    case: str


def by_rule(breaches: Iterable[Breach]) -> list[tuple[str, list[Breach]]]:
    """Breaches of one kind together, kinds in the order of their first junction."""
    groups: dict[str, list[Breach]] = {}
    for breach in breaches:
        groups.setdefault(breach.rule, []).append(breach)
    return list(groups.items())


@dataclass(frozen=True, slots=True)
class Exactness:
    """Whether a map's mirror is exact; if not, every junction that breaks it, sorted by label."""

    exact: bool
    breaches: tuple[Breach, ...]


def exactness(rail_map: RailMap) -> Exactness:
    """Decide whether swapping the companies' orders through the mirror swaps the result (rules 7).

    At every junction the mirror must keep the alphabetical order of the three neighbours, with the mirrored junction
    on the same initial route, or reverse it, with the mirrored junction on the other one. The identity does that
    everywhere.

    Parameters
    ----------
    rail_map
        A map that `load_map` or `load_scenario` has accepted.
    """
    network = network_of(rail_map)
    found = (_breach(junction, network) for junction in network.junctions)
    breaches = tuple(breach for breach in found if breach is not None)
    return Exactness(not breaches, breaches)


def _breach(junction: str, network: Network) -> Breach | None:
    image = network.mirror[junction]
    near = network.neighbours[junction]
    mirrored = tuple(network.mirror[node] for node in near)
    ordered = network.neighbours[image]
    route, image_route = network.initial_routes[junction], network.initial_routes[image]
    case = f"{', '.join(near)} mirror to {', '.join(mirrored)}"
    names = f"its neighbours {case}"
    if mirrored == ordered:
        if route == image_route:
            return None
        reason = (
            f"{names}: the alphabetical order is kept, so {junction} and {image} must start on the same route, "
            f"but {junction} starts on Route {route} and {image} on Route {image_route}"
        )
        return Breach(junction, reason, ONE_ROUTE, f"starts on Route {route} and {image} on Route {image_route}")
    if mirrored == ordered[::-1]:
        if route != image_route:
            return None
        if image == junction:
            reason = (
                f"it mirrors to itself and {names}: the alphabetical order is reversed, so its switch would have to "
                "stand on both routes at once"
            )
            return Breach(junction, reason, BOTH_AT_ONCE, case)
        reason = (
            f"{names}: the alphabetical order is reversed, so {junction} and {image} must start on different routes, "
            f"but both start on Route {route}"
        )
        return Breach(junction, reason, TWO_ROUTES, f"starts on Route {route} and {image} too")
    itself = "it mirrors to itself and " if image == junction else ""
    reason = (
        f"{itself}{names}, whose alphabetical order is {', '.join(ordered)}: the order is neither kept nor reversed, "
        f"so a switch setting means different exits at {junction} and {image}"
    )
    return Breach(junction, reason, OTHER_EXITS, f"{case}, in alphabetical order {', '.join(ordered)}")
