"""Generated maps: every one can be played, mirrors exactly, and is what its seed and number say."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import pytest

from sim.config.errors import BadInput
from sim.config.exactness import exactness
from sim.config.loading import load_map
from sim.config.map_generator import MapGenerator, generated_maps, random_map
from sim.config.network import Network
from sim.config.sweep import load_sweep_file
from sim.studies.sweep import sweep
from tests.run_tools import scaled
from tests.test_sweep import written


@pytest.mark.parametrize(("junctions", "terminals"), [(4, 4), (6, 4), (8, 6), (10, 6), (14, 8), (24, 12), (40, 20)])
def test_generator__maps_can_be_played_and_mirror_exactly(junctions, terminals):
    spec = MapGenerator(junctions=junctions, terminals=terminals, count=8, first_leg=(2, 9), legs=(1, 20))
    found = generated_maps(spec)
    assert len(found) == 8
    for plain in found:
        rail_map = load_map(plain)
        network = Network(rail_map)
        assert exactness(rail_map).exact
        assert (len(network.junctions), len(network.terminals)) == (junctions, terminals)
        assert nx.check_planarity(nx.Graph(rail_map.tracks))[0]


def test_generator__legs_are_as_long_as_was_asked_for():
    spec = MapGenerator(count=30, first_leg=(3, 4), legs=(2, 5))
    for plain in generated_maps(spec):
        network = Network(load_map(plain))
        for train in plain["trains"]:
            stops = [train["start"], *train["deliveries"]]
            legs = [network.distances[one][other] for one, other in pairwise(stops)]
            assert 3 <= legs[0] <= 4
            assert all(2 <= leg <= 5 for leg in [*legs[1:], network.distances[stops[-1]][stops[1]]])
        assert plain["trains"][0]["start"][0] != plain["trains"][1]["start"][0]


def test_generator__a_map_is_its_seed_and_number():
    few, many = generated_maps(MapGenerator(count=3)), generated_maps(MapGenerator(count=9))
    assert few == many[:3]
    assert random_map(MapGenerator(), 2) == few[1]
    assert few[1]["name"] == "map8x6-1-2"
    other = generated_maps(MapGenerator(count=3, seed=2))
    assert not [plain for plain in other if plain["tracks"] in [one["tracks"] for one in few] and plain in few]
    assert len({repr((plain["tracks"], plain["trains"])) for plain in many}) == 9


def test_generator__what_a_careless_name_would_break_is_seen():
    """The check that the maps pass is one that can fail: with the ending in front the same tracks are not exact."""
    broken = 0
    for plain in generated_maps(MapGenerator(count=10)):
        text = {node: node[::-1] for track in plain["tracks"] for node in track}
        turned = {
            **plain,
            "tracks": [[text[node] for node in track] for track in plain["tracks"]],
            "mirror": {text[one]: text[other] for one, other in plain["mirror"].items()},
            "trains": [
                {"start": text[train["start"]], "deliveries": [text[node] for node in train["deliveries"]]}
                for train in plain["trains"]
            ],
        }
        broken += not exactness(load_map(turned)).exact
    assert broken > 5


# -- in a sweep -------------------------------------------------------------------------------------------------------


def test_sweep__over_generated_maps(tmp_path):
    path = written(tmp_path, keys="{map: {generate: {count: 3, seed: 7}}}", matches=str(scaled(64, 8)))
    found = sweep(path)
    assert [cell.label for cell in found.cells] == [
        "map=standard",
        "map=map8x6-7-1",
        "map=map8x6-7-2",
        "map=map8x6-7-3",
    ]
    assert found.reference.number == 0
    assert found.cells[1].values["map"] == random_map(MapGenerator(seed=7), 1)
    assert len({cell.fingerprint for cell in found.cells}) == 4


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("{map: {generate: {junctions: 7}}}", r"own.yaml:4: keys.map.generate.junctions is 7; must be even"),
        ("{map: {generate: {terminals: 10}}}", r"keys.map.generate.terminals is 10; must be at most the junctions, 8"),
        ("{map: {generate: {first_leg: [4, 3]}}}", r"first_leg is \[4, 3\]; must be the least and the most tracks"),
        ("{map: {generate: {legs: [2, 2], first_leg: [9, 9]}}}", r"keys.map.generate finds 0 such maps of 20"),
        ("{map: {generate: {sed: 1}}}", r"keys.map.generate.sed is no key that is known here; did you mean 'seed'"),
        ("{map: {generate: 3}}", r"keys.map.generate must be a mapping such as"),
        ("{economy.toll: {generate: {seed: 1}}}", r"generate makes maps; must stand under the key map"),
    ],
)
def test_sweep__generators_that_cannot_be_are_refused(tmp_path, keys, message):
    with pytest.raises(BadInput, match=message):
        load_sweep_file(written(tmp_path, keys=keys))
