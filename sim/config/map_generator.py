"""Random maps whose mirror is exact by construction, of a given size, each known by its seed and number.

Half of the map is drawn: junctions with three ends of track each. Ends become terminals, tracks of this half, tracks
that cross to the other half, or tracks that the mirror flips end for end. The other half is its image. The two of a
pair have one stem and different endings, and no junction touches both of a pair other than its own, so that the mirror
keeps the alphabetical order everywhere (rules 7).
"""

from __future__ import annotations

import random
from typing import Annotated, Any

from pydantic import Field

from kernels.random import MAX_SEED
from sim.config.network import Network
from sim.config.scenario import Model, RailMap
from sim.config.values import Kind, OneOf, Whole, refused

__all__ = ["MapGenerator", "generated_maps", "random_map"]

MOST_JUNCTIONS = 40
MOST_MAPS = 1_000
TRIES = 2_000
"""Drawings of one map before it is given up."""

MISSES = 5
"""Maps given up, or found a second time, before no more are looked for; the first is not given up twice."""

WEST, EAST = "W", "E"
JUNCTION_STEMS = "abcdefghijklmnopqrst"
TERMINAL_STEMS = "PQRSTUVXYZABCDFGHIJKLMNO"
"""Capitals come before small letters; without the two endings, so that no label is a doubled letter."""


class _LegsKind(Kind):
    """Two whole numbers: the least and the most tracks of a leg."""

    def check(self, value: Any) -> tuple[int, int]:
        """Return the two, or say what is allowed."""
        whole = isinstance(value, list | tuple) and all(isinstance(n, int) and not isinstance(n, bool) for n in value)
        if not whole or len(value) != 2 or not 1 <= value[0] <= value[1] <= 2 * MOST_JUNCTIONS:
            raise refused("must be the least and the most tracks of a leg, such as [3, 4]")
        return value[0], value[1]

    def json_schema(self) -> dict[str, Any]:
        """Two whole numbers as JSON Schema."""
        return {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}


class MapGenerator(Model):
    """What maps are generated."""

    junctions: Annotated[int, Whole("junctions", 2, MOST_JUNCTIONS)] = Field(
        8, description="Junctions of each map, an even number: they come in pairs."
    )
    terminals: Annotated[int, Whole("terminals", 2, MOST_JUNCTIONS)] = Field(
        6, description="Terminals of each map, an even number of at most the junctions: at most one hangs on each."
    )
    count: Annotated[int, Whole("maps", 1, MOST_MAPS)] = Field(20, description="How many.")
    seed: Annotated[int, Whole("", 0, MAX_SEED)] = Field(
        1, description="Of all of them; map 3 is the same whatever the count."
    )
    first_leg: Annotated[tuple[int, int], _LegsKind()] = Field(
        (3, 4), description="Tracks from the start of each train to its first destination, least and most."
    )
    legs: Annotated[tuple[int, int], _LegsKind()] = Field(
        (2, 7), description="Tracks from each destination to the next, the first again after the last."
    )
    deliveries: Annotated[int, Whole("destinations", 2, 12)] = Field(4, description="Destinations of each train.")
    planar: Annotated[bool, OneOf((True, False))] = Field(
        True, description="Whether it must be possible to draw them without tracks that cross."
    )

    def breach(self) -> tuple[str, str] | None:
        """What keeps such maps from being, as the key and what is wrong with it; None where nothing does."""
        for key, number in (("junctions", self.junctions), ("terminals", self.terminals)):
            if number % 2:
                return key, f"is {number}; must be even, since the mirror takes them in pairs"
        if self.terminals > self.junctions:
            return "terminals", f"is {self.terminals}; must be at most the junctions, {self.junctions}"
        return None


def generated_maps(spec: MapGenerator) -> list[dict[str, Any]]:
    """As many different maps as are asked for, or as can be found, as plain data.

    Returns
    -------
    list of dict
        Fewer than `spec.count` where they cannot be found.
    """
    found: dict[str, dict[str, Any]] = {}
    missed = 0
    number = 0
    while len(found) < spec.count and missed < MISSES:
        number += 1
        drawn = random_map(spec, number)
        key = "" if drawn is None else repr((drawn["tracks"], drawn["trains"]))
        if drawn is None or key in found:
            missed += 1 if found else MISSES
            continue
        found[key] = drawn
    return list(found.values())


def random_map(spec: MapGenerator, number: int) -> dict[str, Any] | None:
    """The map of a number, which with the seed says all about it; None where none is found."""
    import networkx as nx

    shape = f"{spec.junctions}-{spec.terminals}-{spec.deliveries}-{spec.first_leg}-{spec.legs}-{spec.planar}"
    draw = random.Random(f"map {spec.seed} {number} {shape}")
    for _ in range(TRIES):
        tracks = _tracks(spec, draw)
        if tracks is None:
            continue
        graph = nx.Graph(tracks)
        if not nx.is_connected(graph) or (spec.planar and not nx.check_planarity(graph)[0]):
            continue
        trains = _trains(spec, tracks, draw)
        if trains is None:
            continue
        nodes = sorted({node for track in tracks for node in track})
        return {
            "schema": 1,
            "name": f"map{spec.junctions}x{spec.terminals}-{spec.seed}-{number}",
            "tracks": [list(track) for track in tracks],
            "mirror": {node: _image(node) for node in nodes if node.endswith(WEST)},
            "trains": trains,
        }
    return None


def _image(node: str) -> str:
    return node[0] + (EAST if node.endswith(WEST) else WEST)


def _tracks(spec: MapGenerator, draw: random.Random) -> list[tuple[str, str]] | None:
    """Tracks of a map, image beside image; None where the draw joins what may not be joined."""
    n_junctions, n_terminals = spec.junctions // 2, spec.terminals // 2
    stems = JUNCTION_STEMS[:n_junctions]
    hosts = draw.sample(stems, n_terminals)
    ends = [stem for stem in stems for _ in range(3)]
    for host in hosts:
        ends.remove(host)
    # Ends are joined in twos; what is left over is flipped by the mirror: few, so that most tracks lie in one half.
    left = len(ends) % 2 or 2
    most = min(n_junctions, len(ends))
    flips = draw.choice([n for n in (left, left + 2) if n <= most] or [0])
    if not flips:
        return None
    axis = draw.sample(stems, flips)
    for stem in axis:
        if stem not in ends:
            return None
        ends.remove(stem)
    draw.shuffle(ends)
    joined = [(min(pair), max(pair)) for pair in zip(ends[::2], ends[1::2], strict=True)]
    if len(set(joined)) < len(joined) or any(one == other for one, other in joined):
        return None
    tracks: list[tuple[str, str]] = []
    for stem, host in zip(TERMINAL_STEMS, sorted(hosts), strict=False):
        tracks += [(stem + WEST, host + WEST), (stem + EAST, host + EAST)]
    for one, other in sorted(joined):
        ends_of = (EAST, WEST) if draw.randrange(4) == 0 else (WEST, EAST)  # one in four crosses to the other half
        tracks += [(one + WEST, other + ends_of[0]), (one + EAST, other + ends_of[1])]
    tracks += [(stem + WEST, stem + EAST) for stem in sorted(axis)]
    return tracks


def _trains(spec: MapGenerator, tracks: list[tuple[str, str]], draw: random.Random) -> list[dict[str, Any]] | None:
    """Company A's two trains, at terminals of different pairs, with legs as are asked for; None where none fit."""
    network = Network(RailMap.model_construct(schema_version=1, name="", tracks=tuple(tracks), mirror={}, trains=()))
    distances, terminals = network.distances, list(network.terminals)
    first = draw.choice(terminals)
    others = [node for node in terminals if node[0] != first[0]] or [node for node in terminals if node != first]
    trains = []
    for start in (first, draw.choice(others)):
        schedule = _schedule(spec, start, terminals, distances, draw)
        if schedule is None:
            return None
        trains.append({"start": start, "deliveries": schedule})
    return trains


def _schedule(
    spec: MapGenerator,
    start: str,
    terminals: list[str],
    distances: dict[str, dict[str, int]],
    draw: random.Random,
) -> list[str] | None:
    """Destinations one after the other, the last one as far from the first as the others from their next."""

    def near(node: str, legs: tuple[int, int]) -> list[str]:
        return [other for other in terminals if other != node and legs[0] <= distances[node][other] <= legs[1]]

    found: list[str] = []
    at, legs = start, spec.first_leg
    for _ in range(spec.deliveries):
        wanted = near(at, legs)
        fresh = [node for node in wanted if node not in found[-2:]] or wanted
        if not fresh:
            return None
        at, legs = draw.choice(fresh), spec.legs
        found.append(at)
    return found if found[0] in near(found[-1], spec.legs) else None
