"""Exactness is decided as the rules say, junction by junction, and told in plain words."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from sim.config.errors import BadInput
from sim.config.exactness import BOTH_AT_ONCE, ONE_ROUTE, OTHER_EXITS, TWO_ROUTES, by_rule
from sim.config.loading import load_map
from sim.config.maps import Network, exactness
from tests.config_files import MAP, changed
from tests.reference.generate import exactness_breaches, random_map


def plainly(plain: dict[str, Any]) -> list[str]:
    """The junctions that break rules 7, found by position numbers instead of by comparing orders."""
    near: dict[str, list[str]] = {}
    for one, other in plain["tracks"]:
        near.setdefault(one, []).append(other)
        near.setdefault(other, []).append(one)
    image = {node: node for node in near} if not plain["mirror"] else {}
    for node, other in plain["mirror"].items():
        image[node] = other
        image[other] = node
    routes = plain.get("initial_routes") or {}
    broken = []
    for node, ends in near.items():
        if len(ends) != 3:
            continue
        places = [sorted(near[image[node]]).index(image[end]) for end in sorted(ends)]
        opposite = routes.get(node, 1) != routes.get(image[node], 1)
        if places != ([2, 1, 0] if opposite else [0, 1, 2]):
            broken.append(node)
    return sorted(broken)


@pytest.mark.parametrize("name", ["standard", "compact", "grand", "ladder", "corridor"])
def test_shipped_maps__are_exact(name: str) -> None:
    assert exactness(load_map(name)).exact
    assert exactness(load_map(name)).breaches == ()


def test_crooked__is_not_and_names_the_junctions_with_a_rung() -> None:
    found = exactness(load_map("crooked"))
    assert not found.exact
    assert [breach.junction for breach in found.breaches] == ["Ea", "Eb", "Ed", "Wa", "Wb", "Wd"]
    assert found.breaches[0].reason == (
        "its neighbours EP, Eb, Wa mirror to WP, Wb, Ea, whose alphabetical order is Ea, WP, Wb: the order is neither "
        "kept nor reversed, so a switch setting means different exits at Ea and Wa"
    )


def _of(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    path = tmp_path / "map.yaml"
    path.write_text(text)
    return [(breach.junction, breach.reason) for breach in exactness(load_map(path)).breaches]


def test_order_kept__needs_the_same_route(tmp_path: Path) -> None:
    assert _of(tmp_path, MAP) == []
    found = _of(tmp_path, changed(MAP, "  ae: 2\n", ""))
    assert [junction for junction, _ in found] == ["ae", "aw"]
    assert found[0][1] == (
        "its neighbours Pe, aw, be mirror to Pw, ae, bw: the alphabetical order is kept, so ae and aw must start on "
        "the same route, but ae starts on Route 1 and aw on Route 2"
    )


def test_order_reversed__needs_the_other_route(tmp_path: Path) -> None:
    text = """\
schema: 1
name: reversed
tracks: [[m, n], [a, m], [b, m], [y, n], [z, n]]
mirror: {m: n, a: z, b: y}
trains: [{start: a, deliveries: [z]}, {start: b, deliveries: [y]}]
initial_routes: {ROUTES}
"""
    found = _of(tmp_path, text.replace("ROUTES", ""))
    assert [junction for junction, _ in found] == ["m", "n"]
    assert found[0][1] == (
        "its neighbours a, b, n mirror to z, y, m: the alphabetical order is reversed, so m and n must start on "
        "different routes, but both start on Route 1"
    )
    assert _of(tmp_path, text.replace("ROUTES", "n: 2")) == []


def test_junction_on_the_axis__is_always_a_breach(tmp_path: Path) -> None:
    star = "schema: 1\nname: s\ntracks: [[c, a], [c, b], [c, d]]\nmirror: {a: d, b: b, c: c}\n"
    star += "trains: [{start: a, deliveries: [b]}, {start: b, deliveries: [a]}]\n"
    for routes in ("", "initial_routes: {c: 2}\n"):
        ((junction, reason),) = _of(tmp_path, star + routes)
        assert junction == "c"
        assert reason == (
            "it mirrors to itself and its neighbours a, b, d mirror to d, b, a: the alphabetical order is reversed, so "
            "its switch would have to stand on both routes at once"
        )


def test_identity__is_exact() -> None:
    assert exactness(load_map({**load_map("crooked").resolved(), "mirror": {}})).exact


def test_random_maps__agree_with_two_plain_checkers() -> None:
    rng = random.Random(7)
    n_exact = 0
    for _ in range(400):
        plain = random_map(rng)
        found = [breach.junction for breach in exactness(load_map(plain)).breaches]
        assert found == plainly(plain) == exactness_breaches(plain)
        n_exact += not found
    assert 20 < n_exact < 380
    for _ in range(30):
        assert exactness(load_map(random_map(rng, exact=True))).exact


def test_exact_maps__have_no_node_that_mirrors_to_itself() -> None:
    rng = random.Random(8)
    for _ in range(200):
        rail_map = load_map(random_map(rng))
        if rail_map.mirror and exactness(rail_map).exact:
            assert all(node != image for node, image in Network(rail_map).mirror.items())


def test_exactness__what_is_common_to_junctions_is_said_once():
    ((rule, breaches),) = by_rule(exactness(load_map("crooked")).breaches)
    assert rule == OTHER_EXITS
    assert [breach.junction for breach in breaches] == ["Ea", "Eb", "Ed", "Wa", "Wb", "Wd"]
    assert breaches[0].case == "EP, Eb, Wa mirror to WP, Wb, Ea, in alphabetical order Ea, WP, Wb"
    rules = set()
    rng = random.Random(5)
    for _ in range(300):
        found = exactness(load_map(random_map(rng, exact=False))).breaches
        grouped = by_rule(found)
        rules |= {rule for rule, _ in grouped}
        assert sorted((one for _, group in grouped for one in group), key=lambda one: one.junction) == list(found)
        for rule, group in grouped:
            assert {one.rule for one in group} == {rule}
            for one in group:
                assert one.case
                assert ("Route" in one.case) == (rule in (ONE_ROUTE, TWO_ROUTES))
    assert rules == {ONE_ROUTE, TWO_ROUTES, BOTH_AT_ONCE, OTHER_EXITS}


def test_load_map__a_name_that_does_not_ship_is_told_which_do():
    with pytest.raises(BadInput) as refused:
        load_map("standrad")
    assert str(refused.value) == (
        "standrad: there is no such file, nor a shipped map of this name (compact, corridor, crooked, grand, ladder, "
        "standard); did you mean 'standard'?"
    )
