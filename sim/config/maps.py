"""Whether a map is one (rules 1 and 2): every breach with its key and the rule in words."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from sim.config.exactness import Breach, Exactness, exactness
from sim.config.layouts import layout_positions
from sim.config.network import Network, network_of
from sim.config.scenario import MAX_JUNCTIONS, RailMap, Start
from sim.config.tree import KeyPath
from sim.config.values import did_you_mean, shown

Found = tuple[KeyPath, str]

MAX_NAMED = 6


def map_breaches(rail_map: RailMap, scope: str | None) -> list[Found]:
    """What keeps a map from being played.

    Parameters
    ----------
    rail_map
        A map of the right shape.
    scope
        `cargo.scope` of the scenario, ``"train"`` or ``"company"``; None for a map on its own, which may carry
        either form of deliveries.

    Returns
    -------
    list of (key path, message)
        In the order of the rules; empty when the map is good.
    """
    network = network_of(rail_map)
    of_tracks = [*_tracks(rail_map), *_graph(rail_map, network)]
    of_mirror = list(_mirror(rail_map, network))
    if not of_tracks and not of_mirror:
        of_mirror = list(_automorphism(rail_map, network))
    return [
        *of_tracks,
        *of_mirror,
        *_starts(rail_map, network),
        *_deliveries(rail_map, network, scope),
        *_initial_routes(rail_map, network),
        *_layout(rail_map, network),
    ]


def listed(labels: Sequence[str]) -> str:
    """Labels in a sentence, the first few of many."""
    named = ", ".join(labels[:MAX_NAMED])
    return named if len(labels) <= MAX_NAMED else f"{named} and {len(labels) - MAX_NAMED} more"


def _unknown(label: str, network: Network) -> str:
    return f"names {shown(label)}, and no track leads to a node of this name{did_you_mean(label, network.labels)}"


def _tracks(rail_map: RailMap) -> Iterator[Found]:
    """No track from a node to itself, no second track between two nodes (rules 1.1)."""
    first: dict[frozenset[str], int] = {}
    for position, track in enumerate(rail_map.tracks):
        ends = frozenset(track)
        if len(ends) == 1:
            yield ("tracks", position), f"joins {track[0]} with itself; a track must join two different nodes"
        elif ends in first:
            there = f"tracks[{first[ends] + 1}]"
            message = (
                f"joins {track[0]} and {track[1]} a second time, after {there}; two nodes may share one track only"
            )
            yield ("tracks", position), message
        else:
            first[ends] = position


def _graph(rail_map: RailMap, network: Network) -> Iterator[Found]:
    """One track or three at every node, all in one piece, 1 to 62 junctions (rules 1.1 and 8)."""
    first_track = {
        node: position for position in reversed(range(len(rail_map.tracks))) for node in rail_map.tracks[position]
    }
    for node, near in network.neighbours.items():
        if len(near) not in (1, 3):
            message = f"gives node {node} {len(near)} tracks; a node must have one (a terminal) or three (a junction)"
            yield ("tracks", first_track[node]), message
    origin = rail_map.tracks[0][0]
    reached = _reached(network, origin)
    apart = [node for node in network.labels if node not in reached]
    if apart:
        message = (
            f"is cut off: no way leads from {origin} to {listed(apart)}; every node must be reachable from every other"
        )
        yield ("tracks", min(first_track[node] for node in apart)), message
    n_junctions = len(network.junctions)
    if n_junctions > MAX_JUNCTIONS or (
        n_junctions == 0 and all(len(near) == 1 for near in network.neighbours.values())
    ):
        yield ("tracks",), f"make {n_junctions} junctions; a map must have 1 to {MAX_JUNCTIONS}"


def _reached(network: Network, origin: str) -> set[str]:
    reached, waiting = {origin}, deque([origin])
    while waiting:
        for near in network.neighbours[waiting.popleft()]:
            if near not in reached:
                reached.add(near)
                waiting.append(near)
    return reached


def _mirror(rail_map: RailMap, network: Network) -> Iterator[Found]:
    """Every node has one image, and is the image of its image (rules 1.5)."""
    mirror = rail_map.mirror
    if not mirror:
        return
    image_of: dict[str, str] = {}
    source_of: dict[str, str] = {}
    sound = True
    for node, image in mirror.items():
        unknown = [label for label in dict.fromkeys((node, image)) if label not in network.neighbours]
        for label in unknown:
            yield ("mirror", node), _unknown(label, network)
        if unknown:
            sound = False
            continue
        for one, other in ((node, image), (image, node)):
            before = image_of.setdefault(one, other)
            if before != other:
                sound = False
                message = f"makes {other} the image of {one}, but mirror.{source_of[one]} makes it {before}; must agree"
                yield ("mirror", node), message
                break
            source_of.setdefault(one, node)
    missing = [node for node in network.labels if node not in image_of]
    if missing and sound:
        message = f"has no image for {listed(missing)}; must name every node, in one direction at least"
        yield ("mirror",), message
    elif sound and all(node == image for node, image in image_of.items()):
        yield ("mirror",), "maps every node to itself; must be written {} when that is meant"


def _automorphism(rail_map: RailMap, network: Network) -> Iterator[Found]:
    """The mirror takes tracks to tracks (rules 1.5)."""
    mirror = network.mirror
    lost = [(one, other) for one, other in rail_map.tracks if mirror[other] not in network.neighbours[mirror[one]]]
    if not lost:
        return
    takes = [f"{one}-{other} to {mirror[one]}-{mirror[other]}" for one, other in lost]
    one, other = lost[0]
    written = next((node for node in (one, other, mirror[one], mirror[other]) if node in rail_map.mirror), None)
    key: KeyPath = ("mirror",) if written is None else ("mirror", written)
    noun = "which is no track" if len(lost) == 1 else "which are no tracks"
    yield key, f"takes {listed(takes)}, {noun}; the mirror must take every track to a track"


def _starts(rail_map: RailMap, network: Network) -> Iterator[Found]:
    """Trains stand at terminals, or at junctions with the track that they arrived on (rules 2.2)."""
    for position, train in enumerate(rail_map.trains):
        key: KeyPath = ("trains", position, "start")
        if isinstance(train.start, Start):
            at, came_from = train.start.at, train.start.from_
            if at not in network.neighbours:
                yield (*key, "at"), _unknown(at, network)
            elif came_from not in network.neighbours[at]:
                near = listed(network.neighbours[at])
                message = f"is {shown(came_from)}; must be a neighbour of {at}: {near}"
                yield (*key, "from"), message + did_you_mean(came_from, network.neighbours[at])
        elif train.start not in network.neighbours:
            yield key, _unknown(train.start, network)
        elif len(network.neighbours[train.start]) > 1:
            ways = network.neighbours[train.start]
            message = (
                f"is the junction {train.start}; must also say on which track the train arrived, "
                f"as in {{at: {train.start}, from: {ways[0]}}} (neighbours: {listed(ways)})"
            )
            yield key, message


def _deliveries(rail_map: RailMap, network: Network, scope: str | None) -> Iterator[Found]:
    """Destinations exist, in the form that the scope asks for (rules 2.3 and 2.4)."""
    lacking = [position for position, train in enumerate(rail_map.trains) if train.deliveries is None]
    if scope == "company" and rail_map.deliveries is None:
        yield ("deliveries",), "is missing; must be given, since cargo.scope is company"
    if scope == "train":
        for position in lacking:
            yield ("trains", position, "deliveries"), "is missing; must be given, since cargo.scope is train"
    if scope is None and lacking and rail_map.deliveries is None:
        message = "is missing; must be given, unless each of the trains has its own"
        yield ("deliveries",), message
    schedules: list[tuple[KeyPath, tuple[str, ...]]] = [
        (("trains", position, "deliveries"), train.deliveries or ()) for position, train in enumerate(rail_map.trains)
    ]
    for key, schedule in [*schedules, (("deliveries",), rail_map.deliveries or ())]:
        for place, label in enumerate(schedule):
            if label not in network.neighbours:
                yield (*key, place), _unknown(label, network)


def _initial_routes(rail_map: RailMap, network: Network) -> Iterator[Found]:
    """Only junctions have switches (rules 1.3)."""
    for node in rail_map.initial_routes:
        if node not in network.neighbours:
            yield ("initial_routes", node), _unknown(node, network)
        elif len(network.neighbours[node]) == 1:
            yield ("initial_routes", node), "is set, but a terminal has no switch; must be a junction"


def _layout(rail_map: RailMap, network: Network) -> Iterator[Found]:
    """A layout places every node, and no two on one point."""
    if rail_map.layout is None:
        return
    there: dict[tuple[float, float], str] = {}
    for node, point in rail_map.layout.items():
        if node not in network.neighbours:
            yield ("layout", node), _unknown(node, network)
        elif point in there:
            yield (
                ("layout", node),
                f"is {shown(list(point))}, where {there[point]} stands already; must be a point of its own",
            )
        else:
            there[point] = node
    missing = [node for node in network.labels if node not in rail_map.layout]
    if missing:
        yield ("layout",), f"has no point for {listed(missing)}; must place every node, or be left out"


__all__ = ["Breach", "Exactness", "Network", "exactness", "layout_positions", "map_breaches"]
