"""The shipped files load, draw well, and can be copied; pictures of other maps follow the mirror."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

import pytest

from sim.config.errors import BadInput
from sim.config.loading import load_map, load_scenario
from sim.config.maps import Network, layout_positions
from sim.config.scenario import RailMap
from sim.config.starters import copy_starters, starter_names, starter_path, starters_dir
from tests.reference.generate import random_map

NAMES = ["compact", "corridor", "crooked", "grand", "ladder", "standard"]


def _crossings(rail_map: RailMap, points: dict[str, tuple[float, float]]) -> int:
    def side(a: str, b: str, c: str) -> float:
        (ax, ay), (bx, by), (cx, cy) = points[a], points[b], points[c]
        return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)

    n = 0
    for (a, b), (c, d) in combinations(rail_map.tracks, 2):
        if not {a, b} & {c, d}:
            n += side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
    return n


def test_shipped_scenarios__are_these_and_load_by_name() -> None:
    assert set(NAMES) <= set(starter_names())
    for name in NAMES:
        scenario = load_scenario(name)
        assert scenario.name == scenario.map.name == name
        assert scenario.warnings == ()
    assert starter_path("standard") == starters_dir() / "standard.yaml"
    assert starter_path("nothing") is None


@pytest.mark.parametrize("name", NAMES)
def test_shipped_layouts__mirror_left_to_right_and_cross_nowhere(name: str) -> None:
    rail_map = load_map(name)
    assert rail_map.layout is not None
    points = layout_positions(rail_map)
    for node, image in Network(rail_map).mirror.items():
        assert points[image] == (-points[node][0], points[node][1])
    assert _crossings(rail_map, points) == 0
    assert list(points) == sorted(points)


@pytest.mark.parametrize("name", NAMES)
def test_first_legs__are_short(name: str) -> None:
    network = Network(load_map(name))
    for train, (at, _) in zip(network.map.trains, network.starts, strict=True):
        assert train.deliveries is not None
        assert network.distances[at][train.deliveries[0]] in (3, 4)


@pytest.mark.parametrize("name", NAMES)
def test_automatic_layout__of_the_shipped_maps(name: str) -> None:
    rail_map = load_map(name).model_copy(update={"layout": None})
    points = layout_positions(rail_map)
    assert points == layout_positions(rail_map)
    assert _crossings(rail_map, points) == 0
    mirror = Network(rail_map).mirror
    signs = [(-1, 1), (-1, -1)]
    assert any(
        all(
            abs(points[image][axis] - sign[axis] * points[node][axis]) < 0.002
            for node, image in mirror.items()
            for axis in (0, 1)
        )
        for sign in signs
    )


def test_automatic_layout__of_any_map_keeps_nodes_apart() -> None:
    rng = random.Random(3)
    for _ in range(12):
        rail_map = load_map(random_map(rng))
        points = layout_positions(rail_map)
        assert set(points) == set(Network(rail_map).labels)
        assert len(set(points.values())) == len(points)


def test_copy_starters__copies_all_and_overwrites_nothing(tmp_path: Path) -> None:
    made = copy_starters(tmp_path / "lab")
    assert tmp_path / "lab" / "maps" / "standard.yaml" in made
    assert load_scenario(tmp_path / "lab" / "standard.yaml").digest == load_scenario("standard").digest
    mine = tmp_path / "other"
    (mine / "maps").mkdir(parents=True)
    (mine / "maps" / "ladder.yaml").write_text("mine")
    (mine / "grand.yaml").write_text("mine")
    with pytest.raises(BadInput) as caught:
        copy_starters(mine)
    assert str(caught.value).splitlines() == [
        f"{mine / 'grand.yaml'}: exists already; starter files overwrite nothing",
        f"{mine / 'maps' / 'ladder.yaml'}: exists already; starter files overwrite nothing",
    ]
    assert sorted(path.name for path in mine.rglob("*") if path.is_file()) == ["grand.yaml", "ladder.yaml"]


def test_copy_starters__to_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be written"):
        copy_starters(tmp_path / "file")
