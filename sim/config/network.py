"""A map as a graph: nodes in alphabetical order, neighbours, distances, the complete mirror."""

from __future__ import annotations

from collections import deque
from functools import cached_property
from typing import TYPE_CHECKING

from sim.config.recent import Recent

if TYPE_CHECKING:
    from sim.config.scenario import RailMap


class Network:
    """Answers about one map; everything is ordered by the code points of the labels (rules 1.3).

    It is made of a map that `load_map` or `load_scenario` has accepted.
    """

    def __init__(self, rail_map: RailMap) -> None:
        self.map = rail_map

    @cached_property
    def neighbours(self) -> dict[str, tuple[str, ...]]:
        """Each node's neighbours, sorted; so Route 1 leads to the first that is not excluded."""
        ends: dict[str, list[str]] = {}
        for one, other in self.map.tracks:
            ends.setdefault(one, []).append(other)
            ends.setdefault(other, []).append(one)
        return {node: tuple(sorted(ends[node])) for node in sorted(ends)}

    @property
    def labels(self) -> tuple[str, ...]:
        """Every node, sorted."""
        return tuple(self.neighbours)

    @cached_property
    def junctions(self) -> tuple[str, ...]:
        """The nodes with three tracks, sorted."""
        return tuple(node for node, near in self.neighbours.items() if len(near) == 3)

    @cached_property
    def terminals(self) -> tuple[str, ...]:
        """The nodes with one track, sorted."""
        return tuple(node for node, near in self.neighbours.items() if len(near) == 1)

    @cached_property
    def mirror(self) -> dict[str, str]:
        """Every node's mirror image, both directions written out; the identity when the map says ``{}``."""
        if not self.map.mirror:
            return {node: node for node in self.labels}
        both = dict(self.map.mirror)
        for node, image in self.map.mirror.items():
            both.setdefault(image, node)
        return {node: both[node] for node in sorted(both)}

    @cached_property
    def initial_routes(self) -> dict[str, int]:
        """The route (1 or 2) on which each junction's switch starts."""
        return {junction: self.map.initial_routes.get(junction, 1) for junction in self.junctions}

    @cached_property
    def starts(self) -> tuple[tuple[str, str], ...]:
        """Where A's two trains stand and the neighbour that each came from, as ``(at, from)``."""
        places = []
        for train in self.map.trains:
            if isinstance(train.start, str):
                places.append((train.start, self.neighbours[train.start][0]))
            else:
                places.append((train.start.at, train.start.from_))
        return tuple(places)

    def starts_of(self, company: str) -> tuple[tuple[str, str], ...]:
        """The starts of company ``"A"`` or ``"B"``, as ``(at, from)``."""
        if company == "A":
            return self.starts
        return tuple((self.mirror[at], self.mirror[came_from]) for at, came_from in self.starts)

    @cached_property
    def distances(self) -> dict[str, dict[str, int]]:
        """Tracks on the shortest way between any two nodes, switches left aside."""
        return {node: self._distances_from(node) for node in self.labels}

    def _distances_from(self, origin: str) -> dict[str, int]:
        found = {origin: 0}
        waiting = deque([origin])
        while waiting:
            node = waiting.popleft()
            for near in self.neighbours[node]:
                if near not in found:
                    found[near] = found[node] + 1
                    waiting.append(near)
        return found


network_of: Recent[RailMap, Network] = Recent(Network)
"""The network of a map; of the maps that were asked for last it is the same object, with what it has worked out."""
