"""Whether the mirror of a map is exact, so that neither seat is favoured by the labels (rules 7)."""

from __future__ import annotations

from dataclasses import dataclass

from sim.config.network import Network
from sim.config.scenario import RailMap


@dataclass(frozen=True, slots=True)
class Breach:
    """A junction at which the mirror does not keep the route numbers, and why in plain words."""

    junction: str
    reason: str


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
    network = Network(rail_map)
    found = (_reason(junction, network) for junction in network.junctions)
    breaches = tuple(
        Breach(junction, reason) for junction, reason in zip(network.junctions, found, strict=True) if reason
    )
    return Exactness(not breaches, breaches)


def _reason(junction: str, network: Network) -> str | None:
    image = network.mirror[junction]
    near = network.neighbours[junction]
    mirrored = tuple(network.mirror[node] for node in near)
    ordered = network.neighbours[image]
    route, image_route = network.initial_routes[junction], network.initial_routes[image]
    names = f"its neighbours {', '.join(near)} mirror to {', '.join(mirrored)}"
    if mirrored == ordered:
        if route == image_route:
            return None
        return (
            f"{names}: the alphabetical order is kept, so {junction} and {image} must start on the same route, "
            f"but {junction} starts on Route {route} and {image} on Route {image_route}"
        )
    if mirrored == ordered[::-1]:
        if route != image_route:
            return None
        if image == junction:
            return (
                f"it mirrors to itself and {names}: the alphabetical order is reversed, so its switch would have to "
                "stand on both routes at once"
            )
        return (
            f"{names}: the alphabetical order is reversed, so {junction} and {image} must start on different routes, "
            f"but both start on Route {route}"
        )
    itself = "it mirrors to itself and " if image == junction else ""
    return (
        f"{itself}{names}, whose alphabetical order is {', '.join(ordered)}: the order is neither kept nor reversed, "
        f"so a switch setting means different exits at {junction} and {image}"
    )
