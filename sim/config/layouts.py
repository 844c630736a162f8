"""Where the nodes of a map stand in a picture: as the map says, or laid out with the mirror left to right."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sim.config.network import network_of
from sim.config.scenario import RailMap

Places: TypeAlias = npt.NDArray[np.float64]
"""Shape (nodes, 2), in the order of the labels."""


def layout_positions(rail_map: RailMap) -> dict[str, tuple[float, float]]:
    """The point of every node, by label.

    The map's own `layout` when it has one. Otherwise the best of a few drawings: mirror images face each other over a
    vertical middle line (or over the middle point), few tracks cross, no two nodes are too near. The same map gives the
    same picture.

    Parameters
    ----------
    rail_map
        A map that `load_map` or `load_scenario` has accepted.
    """
    if rail_map.layout is not None:
        return {node: rail_map.layout[node] for node in sorted(rail_map.layout)}
    network = network_of(rail_map)
    labels = network.labels
    index = {label: n for n, label in enumerate(labels)}
    tracks = [(index[one], index[other]) for one, other in rail_map.tracks]
    images = np.array([index[network.mirror[label]] for label in labels])
    candidates = [_scaled(places, tracks) for places in _candidates(tracks, images)]
    places = min(candidates, key=lambda places: _ugliness(places, tracks, images))
    if sum(places[index[at], 0] for at, _ in network.starts) > 1e-6:
        places = places * np.array([-1.0, 1.0])  # A's trains to the left.
    return {
        label: (round(float(x), 3) + 0.0, round(float(y), 3) + 0.0)
        for label, (x, y) in zip(labels, places, strict=True)
    }


def _candidates(tracks: list[tuple[int, int]], images: npt.NDArray[np.int64]) -> list[Places]:
    """Drawings to choose from: each plain, and made symmetric and relaxed again."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(len(images)))
    graph.add_edges_from(tracks)
    starts: list[Places] = [_array(nx.circular_layout(graph))]
    if nx.check_planarity(graph)[0]:
        starts.append(_array(nx.planar_layout(graph)))

    def relaxed(places: Places) -> Places:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _array(nx.kamada_kawai_layout(graph, pos=dict(enumerate(places))))

    found: list[Places] = []
    folds: list[Callable[[Places, npt.NDArray[np.int64]], Places]] = [_folded, _turned]
    for start in starts:
        plain = relaxed(start)
        found.append(plain)
        if np.array_equal(images, np.arange(len(images))):
            continue
        for fold in folds:
            half = _parted(fold(plain, images), tracks)
            found += [fold(relaxed(half), images), fold(plain, images), fold(start, images)]
    return found


def _array(places: dict[int, npt.NDArray[np.float64]]) -> Places:
    return np.array([places[n] for n in range(len(places))], dtype=np.float64)


def _folded(places: Places, images: npt.NDArray[np.int64]) -> Places:
    """Made symmetric about the vertical line that fits best, with that line at x = 0."""
    centred = places - places.mean(axis=0)
    mirrored = centred[images]
    across = float((mirrored[:, 0] * centred[:, 0] - mirrored[:, 1] * centred[:, 1]).sum())
    along = float((mirrored[:, 0] * centred[:, 1] + mirrored[:, 1] * centred[:, 0]).sum())
    turn = math.pi / 2 - math.atan2(along, across) / 2
    rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    upright = centred @ rotation.T
    mean: Places = (upright + upright[images] * np.array([-1.0, 1.0])) / 2
    return mean


def _turned(places: Places, images: npt.NDArray[np.int64]) -> Places:
    """Made symmetric about the middle point, by half a turn."""
    centred = places - places.mean(axis=0)
    mean: Places = (centred - centred[images]) / 2
    widest = np.linalg.eigh(mean.T @ mean)[1][:, 1]
    wide: Places = mean @ np.array([[widest[0], -widest[1]], [widest[1], widest[0]]])
    return wide


def _parted(places: Places, tracks: list[tuple[int, int]]) -> Places:
    """Nodes that fell on one point moved a little apart, each its own way."""
    step = 0.05 * (float(np.ptp(places)) or 1.0)
    moved = places.copy()
    for one, other in combinations(range(len(places)), 2):
        if np.hypot(*(moved[one] - moved[other])) < step / 4:
            moved[other] += step * np.array([math.cos(other), math.sin(other)])
    return moved


def _scaled(places: Places, tracks: list[tuple[int, int]]) -> Places:
    """Centred, with a track one unit long in the middle (by the median)."""
    lengths = [float(np.hypot(*(places[one] - places[other]))) for one, other in tracks]
    middle = (places.max(axis=0) + places.min(axis=0)) / 2
    scaled: Places = (places - middle) / (float(np.median(lengths)) or 1.0)
    return scaled


def _ugliness(places: Places, tracks: list[tuple[int, int]], images: npt.NDArray[np.int64]) -> tuple[float, ...]:
    """Smaller is better: nodes too near others or tracks, then crossings, then missing symmetry, then uneven tracks."""
    if not np.isfinite(places).all():
        return (math.inf,)
    gaps = np.hypot(*(places[:, None, :] - places[None, :, :]).transpose(2, 0, 1)) + np.eye(len(places)) * 9
    starts, ends = places[[one for one, _ in tracks]], places[[other for _, other in tracks]]
    near = int((gaps < 0.3).sum()) + _touching(places, starts, ends, tracks)
    flipped = places[images] * np.array([-1.0, 1.0])
    asymmetry = min(float(np.abs(flipped - places).max()), float(np.abs(places[images] + places).max()))
    lengths = np.hypot(*(starts - ends).T)
    n_crossings = _crossings(places, tracks)
    return (10 * near + n_crossings, asymmetry > 1e-6, n_crossings, round(float(np.std(lengths)), 6))


def _touching(places: Places, starts: Places, ends: Places, tracks: list[tuple[int, int]]) -> int:
    """How many nodes lie on a track that is not theirs."""
    along = ends - starts
    reach = np.maximum((along**2).sum(axis=1), 1e-12)
    share = ((places[:, None, :] - starts) * along).sum(axis=2) / reach
    foot = starts + np.clip(share, 0, 1)[:, :, None] * along
    distance = np.hypot(*(places[:, None, :] - foot).transpose(2, 0, 1))
    for track, ends_of in enumerate(tracks):
        distance[list(ends_of), track] = np.inf
    return int((distance < 0.15).sum())


def _crossings(places: Places, tracks: list[tuple[int, int]]) -> int:
    """How many pairs of tracks cross."""

    def side(a: Places, b: Places, c: Places) -> float:
        return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

    crossings = 0
    for one, other in combinations(tracks, 2):
        if set(one) & set(other):
            continue
        a, b, c, d = places[one[0]], places[one[1]], places[other[0]], places[other[1]]
        if side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0:
            crossings += 1
    return crossings
