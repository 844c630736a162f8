"""A bad map is told which rule it breaks; a good one answers about its graph."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from sim.config.loading import load_map, load_scenario
from sim.config.maps import Network
from tests.config_files import MAP, SCENARIO, changed, problems_of, write
from tests.reference.generate import ODD_LABELS, map_faults, random_map

MUST_BE_TEXT = "which is no text; must be a label: write it in quotes if it is meant as text"

# Each: what is changed in the good map, to what, and the lines that it is told with.
BAD = {
    "track to itself": (
        "  - [aw, ae]",
        "  - [aw, aw]",
        [
            "map.yaml:4: map.tracks[1] gives node aw 4 tracks; a node must have one (a terminal) or three (a junction)",
            "map.yaml:5: map.tracks[2] joins aw with itself; a track must join two different nodes",
            "map.yaml:7: map.tracks[4] gives node ae 2 tracks; a node must have one (a terminal) or three (a junction)",
        ],
    ),
    "second track": (
        "  - [Qe, be]",
        "  - [be, ae]",
        [
            "map.yaml:5: map.tracks[2] gives node ae 4 tracks; a node must have one (a terminal) or three (a junction)",
            "map.yaml:11: map.tracks[8] joins be and ae a second time, after tracks[4]; two nodes may share one "
            "track only",
            "map.yaml:14: map.mirror.Qw names 'Qe', and no track leads to a node of this name; did you mean 'Qw'?",
            "map.yaml:19: map.trains[1].deliveries[1] names 'Qe', and no track leads to a node of this name; "
            "did you mean 'Qw'?",
            "map.yaml:33: map.layout.Qe names 'Qe', and no track leads to a node of this name; did you mean 'Qw'?",
        ],
    ),
    "two pieces": (
        "  - [Qe, be]",
        "  - [Qe, be]\n  - [Z1, Z2]",
        [
            "map.yaml:12: map.tracks[9] is cut off: no way leads from aw to Z1, Z2; every node must be reachable from "
            "every other",
            "map.yaml:13: map.mirror has no image for Z1, Z2; must name every node, in one direction at least",
            "map.yaml:26: map.layout has no point for Z1, Z2; must place every node, or be left out",
        ],
    ),
    "track of three": (
        "  - [aw, ae]",
        "  - [aw, ae, be]",
        [
            "map.yaml:5: map.tracks[2] is [aw, ae, be]; must be a track: a list of the two nodes that it joins, "
            "such as [a, b]"
        ],
    ),
    "label that is a number": (
        "  - [aw, ae]",
        "  - [aw, 12]",
        [f"map.yaml:5: map.tracks[2] is [aw, 12], {MUST_BE_TEXT}"],
    ),
    "mirror to a number": ("  Pw: Pe", "  Pw: 0o17", [f"map.yaml:13: map.mirror.Pw is 0o17, {MUST_BE_TEXT}"]),
    "mirror of a number": (
        "  Pw: Pe",
        "  007: Pe",
        ["map.yaml:13: the key 007 is no text; must be text: write it in quotes if it is a label"],
    ),
    "mirror to nowhere": (
        "  Pw: Pe",
        "  Pw: Pf",
        ["map.yaml:13: map.mirror.Pw names 'Pf', and no track leads to a node of this name; did you mean 'Pe'?"],
    ),
    "mirror that contradicts itself": (
        "  Pw: Pe",
        "  Pw: Pe\n  Pe: Qe",
        [
            "map.yaml:14: map.mirror.Pe makes Qe the image of Pe, but mirror.Pw makes it Pw; must agree",
        ],
    ),
    "mirror that is not whole": (
        "  bw: be\n",
        "",
        ["map.yaml:12: map.mirror has no image for be, bw; must name every node, in one direction at least"],
    ),
    "mirror that is no automorphism": (
        "  Pw: Pe\n  Qw: Qe",
        "  Pw: Qe\n  Qw: Pe",
        [
            "map.yaml:13: map.mirror.Pw takes Pw-aw to Qe-ae, Pe-ae to Qw-aw, Qw-bw to Pe-be, Qe-be to Pw-bw, which "
            "are no tracks; the mirror must take every track to a track"
        ],
    ),
    "identity written out": (
        "mirror:\n  Pw: Pe\n  Qw: Qe\n  aw: ae\n  bw: be",
        "mirror: {Pw: Pw, Pe: Pe, Qw: Qw, Qe: Qe, aw: aw, ae: ae, bw: bw, be: be}",
        ["map.yaml:12: map.mirror maps every node to itself; must be written {} when that is meant"],
    ),
    "no mirror": (
        "mirror:\n  Pw: Pe\n  Qw: Qe\n  aw: ae\n  bw: be\n",
        "",
        ["map.yaml:1: map.mirror is missing; must be given"],
    ),
    "null mirror": (
        "mirror:\n  Pw: Pe\n  Qw: Qe\n  aw: ae\n  bw: be\n",
        "mirror:\n",
        ["map.yaml:12: map.mirror is null; must be a mapping, such as {key: value}"],
    ),
    "start at a junction": (
        "start: Qw",
        "start: bw",
        [
            "map.yaml:18: map.trains[1].start is the junction bw; must also say on which track the train arrived, as "
            "in {at: bw, from: Qw} (neighbours: Qw, aw, be)"
        ],
    ),
    "start nowhere": (
        "start: Qw",
        "start: Qx",
        ["map.yaml:18: map.trains[1].start names 'Qx', and no track leads to a node of this name; did you mean 'Qe'?"],
    ),
    "start at null": ("start: Qw", "start:", [f"map.yaml:18: map.trains[1].start is null, {MUST_BE_TEXT}"]),
    "start without from": (
        "{at: aw, from: Pw}",
        "{at: aw}",
        ["map.yaml:20: map.trains[2].start.from is missing; must be given"],
    ),
    "start with a slip": (
        "{at: aw, from: Pw}",
        "{at: aw, form: Pw}",
        [
            "map.yaml:20: map.trains[2].start.from is missing; must be given",
            "map.yaml:20: map.trains[2].start.form is no key that is known here; did you mean 'from'?",
        ],
    ),
    "start from afar": (
        "{at: aw, from: Pw}",
        "{at: aw, from: Qw}",
        [
            "map.yaml:20: map.trains[2].start.from is 'Qw'; must be a neighbour of aw: Pw, ae, bw; did you mean 'Pw'?",
        ],
    ),
    "terminal from afar": (
        "{at: aw, from: Pw}",
        "{at: Pw, from: bw}",
        ["map.yaml:20: map.trains[2].start.from is 'bw'; must be a neighbour of Pw: aw; did you mean 'aw'?"],
    ),
    "one train": (
        "  - start: Qw\n    deliveries: [Qe, Pe]\n",
        "",
        ["map.yaml:17: map.trains has 1 item; must have at least 2"],
    ),
    "three trains": (
        "  - start: Qw\n",
        "  - {start: Pw, deliveries: [Qw]}\n  - start: Qw\n",
        ["map.yaml:17: map.trains has 3 items; must have at most 2"],
    ),
    "destination": (
        "[Qe, Pe]",
        "[Qe, Qe, Pz]",
        [
            "map.yaml:19: map.trains[1].deliveries[3] names 'Pz', and no track leads to a node of this name; "
            "did you mean 'Pe'?"
        ],
    ),
    "no destinations": ("[Qe, Pe]", "[]", ["map.yaml:19: map.trains[1].deliveries has 0 items; must have at least 1"]),
    "no schedule": (
        "    deliveries: [Qe, Pe]\n",
        "",
        ["map.yaml:18: map.trains[1].deliveries is missing; must be given, since cargo.scope is train"],
    ),
    "first reward": (
        "    deliveries: [Qe, Pe]\n",
        "    deliveries: [Qe, Pe]\n    first_reward: -1\n",
        ["map.yaml:20: map.trains[1].first_reward is -1; must be a whole number, 0 to 1,000"],
    ),
    "route": ("  ae: 2", "  ae: 3", ["map.yaml:24: map.initial_routes.ae is 3; must be 1 or 2"]),
    "route as text": ("  ae: 2", "  ae: '2'", ["map.yaml:24: map.initial_routes.ae is '2'; must be 1 or 2"]),
    "route of a terminal": (
        "  ae: 2",
        "  ae: 2\n  Pe: 1",
        ["map.yaml:25: map.initial_routes.Pe is set, but a terminal has no switch; must be a junction"],
    ),
    "route nowhere": (
        "  ae: 2",
        "  ae: 2\n  zz: 1",
        ["map.yaml:25: map.initial_routes.zz names 'zz', and no track leads to a node of this name"],
    ),
    "layout": (
        "  Pw: [-2, 2]",
        "  Pw: [-2]",
        ["map.yaml:26: map.layout.Pw is [-2]; must be a point: two numbers of at most a million, such as [0, 1.5]"],
    ),
    "layout with a hole": (
        "  Pw: [-2, 2]\n",
        "",
        ["map.yaml:25: map.layout has no point for Pw; must place every node, or be left out"],
    ),
    "layout with one node on another": (
        "  Pw: [-2, 2]",
        "  Pw: [-1, 1]",
        ["map.yaml:27: map.layout.aw is [-1.0, 1.0], where Pw stands already; must be a point of its own"],
    ),
    "a key that is no rule's": (
        "name: ring",
        "name: ring\nmirrors: {}",
        ["map.yaml:3: map.mirrors is no key that is known here; did you mean 'mirror'?"],
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_map__says_what_where_and_which_rule(case: str, tmp_path: Path) -> None:
    old, new, messages = BAD[case]
    assert problems_of(load_scenario, write(tmp_path, rail_map=changed(MAP, old, new))) == messages


def test_company_scope__needs_the_one_queue(tmp_path: Path) -> None:
    scenario = changed(SCENARIO, "scope: train", "scope: company")
    assert problems_of(load_scenario, write(tmp_path, scenario)) == [
        "map.yaml:1: map.deliveries is missing; must be given, since cargo.scope is company"
    ]
    queue = MAP.replace("    deliveries: [Qe, Pe]\n", "") + "deliveries: [Qe, aw]\n"
    assert load_scenario(write(tmp_path, scenario, queue)).map.deliveries == ("Qe", "aw")
    assert load_map(tmp_path / "map.yaml").trains[0].deliveries is None


def test_map_alone__needs_deliveries_in_one_form(tmp_path: Path) -> None:
    write(tmp_path, rail_map=changed(MAP, "    deliveries: [Qe, Pe]\n", ""))
    assert problems_of(load_map, tmp_path / "map.yaml") == [
        "map.yaml:1: deliveries is missing; must be given, unless each of the trains has its own"
    ]


def _line(n_junctions: int) -> dict[str, Any]:
    """A line of junctions, each with a stub; its middle track mirrors onto itself."""
    nodes = [f"j{n:02}" for n in range(n_junctions)]
    ends = [f"t{n:02}" for n in range(n_junctions)]
    tracks = [*pairwise(nodes), *zip(nodes, ends, strict=True), ("u", nodes[0]), ("v", nodes[-1])]
    mirror = dict(zip(nodes, reversed(nodes), strict=True)) | dict(zip(ends, reversed(ends), strict=True)) | {"u": "v"}
    trains = [{"start": "u", "deliveries": ["v"]}, {"start": "v", "deliveries": ["u"]}]
    return {"schema": 1, "name": "line", "tracks": tracks, "mirror": mirror, "trains": trains}


def test_junctions__1_to_62() -> None:
    assert len(Network(load_map(_line(62))).junctions) == 62
    assert len(Network(load_map({**_line(1), "mirror": {}})).junctions) == 1
    assert problems_of(load_map, _line(63)) == ["tracks make 63 junctions; a map must have 1 to 62"]
    none = {**_line(1), "tracks": [["u", "v"]], "mirror": {"u": "v"}}
    assert problems_of(load_map, none) == ["tracks make 0 junctions; a map must have 1 to 62"]


def test_identity__is_a_warning(tmp_path: Path) -> None:
    text = changed(MAP, "mirror:\n  Pw: Pe\n  Qw: Qe\n  aw: ae\n  bw: be", "mirror: {}")
    scenario = load_scenario(write(tmp_path, rail_map=text))
    (warning,) = scenario.warnings
    assert warning.startswith("map ring: the mirror is the identity ({})")
    assert load_scenario(scenario.resolved()).digest == scenario.digest
    assert Network(scenario.map).mirror["Pw"] == "Pw"
    assert load_scenario("standard").warnings == ()


def test_labels__no_on_and_umlauts_are_text(tmp_path: Path) -> None:
    text = (
        MAP.replace("Pw", "no").replace("Pe", "on").replace("aw", "é").replace("Qw", "2024-01-01").replace("bw", "'1'")
    )
    network = Network(load_scenario(write(tmp_path, rail_map=text)).map)
    assert network.labels == ("1", "2024-01-01", "Qe", "ae", "be", "no", "on", "é")
    assert network.mirror["no"] == "on"


@pytest.mark.parametrize("label", [*ODD_LABELS, "a.b", "a=b", " a ", "'", "- x", "?"])
def test_labels__any_printable_text_survives(label: str, tmp_path: Path) -> None:
    text = MAP.replace("Pw", json.dumps(label, ensure_ascii=False))
    scenario = load_scenario(write(tmp_path, rail_map=text))
    assert Network(scenario.map).mirror[label] == "Pe"
    assert load_scenario(scenario.resolved()).digest == scenario.digest


@pytest.mark.parametrize("label", ["", "a\tb", "a\nb", "\x7f"])
def test_labels__that_cannot_be_printed_are_refused(label: str, tmp_path: Path) -> None:
    assert problems_of(load_scenario, write(tmp_path, rail_map=MAP.replace("Pw", json.dumps(label))))


def test_network__answers_about_the_standard_map() -> None:
    network = Network(load_map("standard"))
    assert network.labels == tuple(sorted(network.labels))
    assert (len(network.junctions), len(network.terminals)) == (8, 6)
    assert network.neighbours["bW"] == ("aW", "bE", "dW")
    assert network.mirror["QE"] == "QW"
    assert network.starts == (("QE", "dE"), ("PW", "cW"))
    assert network.starts_of("A") == network.starts
    assert network.starts_of("B") == (("QW", "dW"), ("PE", "cE"))
    assert network.distances["PW"]["PE"] == 7
    assert network.initial_routes == dict.fromkeys(network.junctions, 1)


def test_good_maps__of_the_reference_are_good_here() -> None:
    rng = random.Random(11)
    for _ in range(150):
        plain = random_map(rng)
        assert not map_faults(plain)
        network = Network(load_map(plain))
        assert all(network.distances[one][other] == network.distances[other][one] for one, other in network.map.tracks)


def test_spoiled_maps__are_bad_here_when_they_are_bad_there() -> None:
    rng = random.Random(12)
    n_bad = 0
    for _ in range(300):
        plain = random_map(rng)
        nodes = sorted({node for track in plain["tracks"] for node in track})
        tracks = [list(track) for track in plain["tracks"]]
        kind = rng.randrange(4)
        if kind == 0:
            rng.choice(tracks)[rng.randrange(2)] = rng.choice(nodes)
        elif kind == 1:
            one, other = rng.sample(range(len(tracks)), 2) if len(tracks) > 1 else (0, 0)
            tracks[one][0], tracks[other][0] = tracks[other][0], tracks[one][0]
        elif kind == 2:
            tracks.pop(rng.randrange(len(tracks)))
        elif plain["mirror"]:
            one, other = rng.choice(list(plain["mirror"])), rng.choice(nodes)
            plain["mirror"] = {**plain["mirror"], one: other}
        plain["tracks"] = tracks
        images: dict[str, set[str]] = {}
        for node, image in plain["mirror"].items():
            images.setdefault(node, set()).add(image)
            images.setdefault(image, set()).add(node)
        bad = bool(map_faults(plain)) or any(len(found) > 1 for found in images.values())
        n_bad += bad
        if bad:
            assert problems_of(load_map, plain)
        else:
            load_map(plain)
    assert n_bad > 50


def test_label__as_a_key_that_is_empty(tmp_path: Path) -> None:
    assert problems_of(load_scenario, write(tmp_path, rail_map=changed(MAP, "  ae: 2", "  '': 2"))) == [
        "map.yaml:24: map.initial_routes.'' is no good as a key: must be a label of at least one character"
    ]
