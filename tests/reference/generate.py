"""Random scenarios and matches of the dispatch game, and what a mirror does to them.

Everything is drawn from the `random.Random` that is passed in: the same seed gives the same record. Maps are built as
one half and its copy, glued by tracks on the axis or by nodes that mirror to themselves, so that their mirror is an
automorphism by construction.
"""

from __future__ import annotations

import random
from typing import Any

from tests.reference.dispatch import COMPANIES, MOVES, RIVAL, Match, distances_to, mirror_both_ways, neighbours
from tests.reference.mirror import exactness_breaches, is_exact, keeps_order, map_faults, mirrored, mirrored_result

__all__ = [
    "exactness_breaches",
    "is_exact",
    "map_faults",
    "mirrored",
    "mirrored_result",
    "random_map",
    "random_orders",
    "random_record",
    "random_scenario",
]

Node = tuple[str, int, int]
"""A node before it has a label: ("half", number, side 0 or 1), or ("fixed", number, 0)."""

ODD_LABELS = [
    *("no", "on", "yes", "off", "N", "y", "null", "true", "1", "2", "10", "007", "1e3", "0x1F", "-1", "3.0"),
    *("é", "e\u0301", "ö", "Ö", "ß", "Zürich Hbf", "São Tomé", "a b", "a  b", "東京", "Ω", "ω", "\U0001f682", "\uff21"),
    *("a:b", "siding:a", "upgrade:A1", "A1", "B2", "forward", "#7", "~", "&b", "*c", "[x, y]", "{z}", "it's", '"q"'),
    *("<b>", "%s", "a,b", "a/b", "\\", "Aa", "aA", "AA", "aa"),
]


# -- maps -----------------------------------------------------------------------------------------------------------


def mirror_node(node: Node) -> Node:
    """The mirror image of a node without a label."""
    kind, number, side = node
    return node if kind == "fixed" else (kind, number, 1 - side)


class _Sketch:
    """A map under construction: every track is laid together with its mirror image."""

    def __init__(self) -> None:
        self.tracks: set[frozenset[Node]] = set()
        self.nodes: set[Node] = set()
        self.made = 0

    def new(self, kind: str) -> Node:
        node = (kind, self.made, 0)
        self.made += 1
        self.nodes |= {node, mirror_node(node)}
        return node

    def can_lay(self, one: Node, other: Node) -> bool:
        # u - m(v) beside v - m(u) is one stub of each; with v = u it is a single track over the axis.
        return one != other and frozenset((one, other)) not in self.tracks

    def lay(self, one: Node, other: Node) -> None:
        self.tracks |= {frozenset((one, other)), frozenset((mirror_node(one), mirror_node(other)))}

    def connected(self) -> bool:
        seen = {next(iter(self.nodes))}
        grown = True
        while grown:
            reached = {node for track in self.tracks if track & seen for node in track}
            grown = not reached <= seen
            seen |= reached
        return seen == self.nodes


def _sketch(rng: random.Random, n_half: int, n_fixed: int) -> _Sketch:
    sketch = _Sketch()
    fixed_stubs: list[Node] = []
    double_stubs: list[Node] = []
    for _ in range(n_fixed):
        node = sketch.new("fixed")
        if rng.random() < 0.6:  # one neighbour mirrors to itself, the other two to each other
            fixed_stubs.append(node)
            double_stubs.append(node)
        else:
            fixed_stubs += [node] * 3
    stubs: list[Node] = []
    for _ in range(n_half):
        node = sketch.new("half")
        if stubs:
            other = stubs.pop(rng.randrange(len(stubs)))
            sketch.lay(node, other)
            stubs += [node] * 2
        else:
            stubs += [node] * 3
    for node in double_stubs:
        if stubs and rng.random() < 0.8:
            other = stubs.pop(rng.randrange(len(stubs)))
            if sketch.can_lay(node, other):
                sketch.lay(node, other)
                continue
            stubs.append(other)
        sketch.lay(node, sketch.new("half"))
    while fixed_stubs:
        node = fixed_stubs.pop(rng.randrange(len(fixed_stubs)))
        partners = [other for other in fixed_stubs if sketch.can_lay(node, other)]
        if partners and rng.random() < 0.5:
            other = rng.choice(partners)
            fixed_stubs.remove(other)
            sketch.lay(node, other)
        else:
            sketch.lay(node, sketch.new("fixed"))
    weights = rng.choice([(4, 2, 2, 2), (1, 3, 3, 3), (6, 1, 1, 1), (1, 1, 8, 2), (0, 1, 4, 4), (3, 6, 0, 0)])
    while stubs:
        node = stubs.pop(rng.randrange(len(stubs)))
        how = rng.choices(("terminal", "axis", "plain", "cross"), weights)[0]
        if how == "axis" and sketch.can_lay(node, mirror_node(node)):
            sketch.lay(node, mirror_node(node))
            continue
        if how in ("plain", "cross"):
            ends = {other: other if how == "plain" else mirror_node(other) for other in stubs if other != node}
            partners = [other for other in ends if sketch.can_lay(node, ends[other])]
            if partners:
                other = rng.choice(sorted(partners))
                stubs.remove(other)
                sketch.lay(node, ends[other])
                continue
        sketch.lay(node, sketch.new("half"))
    return sketch


def _label_pool(rng: random.Random, count: int) -> list[str]:
    """Different labels, as many as asked."""
    style = rng.choice(("letters", "digits", "words", "odd", "odd"))
    pool: set[str] = set()
    if style == "odd":
        pool |= set(rng.sample(ODD_LABELS, min(count, len(ODD_LABELS))))
    while len(pool) < count:
        if style == "letters":
            pool.add("".join(rng.choices("abcdefgXYZ", k=rng.randint(1, 3))))
        elif style == "digits":
            pool.add(str(rng.randrange(3 * count)))
        else:
            pool.add("".join(rng.choices("aàbBeéoöOÖ19_- .", k=rng.randint(2, 4))).strip(" ") or "x")
    return rng.sample(sorted(pool), count)


def _labels(rng: random.Random, nodes: list[Node]) -> dict[Node, str]:
    pool = _label_pool(rng, len(nodes))
    return dict(zip(nodes, pool, strict=True))


def _labels_that_keep_or_reverse(rng: random.Random, nodes: list[Node], tracks: set[frozenset[Node]]) -> dict:
    """Labels under which the mirror keeps or reverses the order at every junction."""
    pool = sorted(_label_pool(rng, len(nodes)))
    west = [node for node in nodes if node[2] == 0]
    rng.shuffle(west)
    near: dict[Node, list[Node]] = {node: [] for node in nodes}
    for track in tracks:
        one, other = sorted(track)
        near[one].append(other)
        near[other].append(one)

    def paired(keep: bool) -> dict[Node, str]:
        label = {}
        for place, node in enumerate(west):
            pair = (pool[2 * place], pool[2 * place + 1]) if keep else (pool[place], pool[-1 - place])
            first, second = rng.sample((node, mirror_node(node)), 2)
            label[first], label[second] = pair
        return label

    def good(label: dict[Node, str]) -> bool:
        for node in near:
            images = [label[mirror_node(other)] for other in sorted(near[node], key=label.__getitem__)]
            if images not in (sorted(images), sorted(images, reverse=True)):
                return False
        return True

    label = paired(keep=True)
    if rng.random() < 0.5 or not good(label):
        label = paired(keep=False)
    # Swap labels for as long as they stay good, so that some junctions keep and others reverse.
    for _ in range(min(40, 4 * len(nodes))):
        one, other = rng.sample(nodes, 2)
        swapped = {**label, one: label[other], other: label[one]}
        if good(swapped):
            label = swapped
    return label


def _n_junctions(rng: random.Random) -> int:
    if rng.random() < 0.03:
        return rng.randint(21, 62)
    return rng.choice((rng.randint(1, 4), rng.randint(2, 10), rng.randint(1, 20)))


def random_map(rng: random.Random, *, exact: bool = False, n_junctions: int | None = None) -> dict[str, Any]:
    """A random map with tracks, mirror, trains, both forms of deliveries and initial routes.

    Parameters
    ----------
    exact
        The mirror is exact (7) and no node mirrors to itself; an odd `n_junctions` is rounded up, or down from 61.
    n_junctions
        1 to 62; drawn when absent.
    """
    wanted = _n_junctions(rng) if n_junctions is None else n_junctions
    while True:
        if exact:
            n_half, n_fixed = min(31, (wanted + 1) // 2), 0
        else:
            n_fixed = wanted % 2 + 2 * rng.choice((0, 0, 0, 1)) if wanted > 2 else rng.choice((wanted, wanted % 2))
            n_half = (wanted - n_fixed) // 2
        sketch = _sketch(rng, n_half, n_fixed)
        if sketch.connected():
            break
    nodes = sorted(sketch.nodes)
    rng.shuffle(nodes)
    label = _labels_that_keep_or_reverse(rng, nodes, sketch.tracks) if exact else _labels(rng, nodes)
    tracks = [[label[node] for node in rng.sample(sorted(track), 2)] for track in sorted(sketch.tracks, key=sorted)]
    rng.shuffle(tracks)
    image = {label[node]: label[mirror_node(node)] for node in nodes}
    if not exact and rng.random() < 0.08:
        image = {node: node for node in image}
    map_dict: dict[str, Any] = {"schema": 1, "name": "random", "tracks": tracks, "mirror": _written_mirror(rng, image)}
    _add_routes(rng, map_dict, image, exact=exact)
    _add_trains(rng, map_dict)
    return map_dict


def _written_mirror(rng: random.Random, image: dict[str, str]) -> dict[str, str]:
    """The mirror as a map file writes it: some pairs both ways, some one way; the identity is empty."""
    if all(node == other for node, other in image.items()):
        return {}
    written = {}
    nodes = sorted(image)
    rng.shuffle(nodes)
    for node in nodes:
        if written.get(image[node]) != node or image[node] == node or rng.random() < 0.2:
            written[node] = image[node]
    return written


def _add_routes(rng: random.Random, map_dict: dict[str, Any], image: dict[str, str], *, exact: bool) -> None:
    junctions = sorted(node for node, near in neighbours(map_dict).items() if len(near) == 3)
    routes: dict[str, int] = {}
    share = rng.choice((0.0, 0.5))
    for junction in junctions:
        if exact and junction > image[junction]:
            route = routes[image[junction]]
            routes[junction] = route if keeps_order(map_dict, junction) else 3 - route
        else:
            routes[junction] = 2 if rng.random() < share else 1
    on_second = {junction: 2 for junction, route in routes.items() if route == 2}
    if on_second or rng.random() < 0.3:
        map_dict["initial_routes"] = on_second


def _add_trains(rng: random.Random, map_dict: dict[str, Any]) -> None:
    near = neighbours(map_dict)
    nodes = sorted(near)
    image = mirror_both_ways(map_dict)
    reach = rng.choice((1, 2, 3, 200))
    trains = []
    for _ in range(2):
        at = rng.choice(nodes)
        for _ in range(2):  # rather near the rival, so that they meet
            other = rng.choice(nodes)
            if distances_to(near, image[other])[other] < distances_to(near, image[at])[at]:
                at = other
        came_from = rng.choice(near[at])
        plain = len(near[at]) == 1 and rng.random() < 0.7
        near_by = [node for node, tracks in distances_to(near, at).items() if tracks <= reach]
        train = {
            "start": at if plain else {"at": at, "from": came_from},
            "deliveries": [rng.choice(near_by) for _ in range(rng.choice((1, 1, 2, 3, 5)))],
            "first_reward": rng.choice((0, 0, 1, 2, 7)),
        }
        if train["first_reward"] == 0 and rng.random() < 0.5:
            del train["first_reward"]
        trains.append(train)
    map_dict["trains"] = trains
    map_dict["deliveries"] = [rng.choice(nodes) for _ in range(rng.randint(1, 7))]


# -- scenarios ------------------------------------------------------------------------------------------------------


def random_scenario(rng: random.Random, *, exact: bool = False, n_junctions: int | None = None) -> dict[str, Any]:
    """A random valid scenario (8) with its map in place; some keys are left to their defaults."""
    economy = {
        "starting_cash": rng.choice((0, 1, 2, 4, 4, 9, 20, 10_000)),
        "income": rng.choice((0, 0, 1, 1, 1, 2, 5)),
        "upgrade_cost": rng.choice((None, 0, 1, 2, 5, 8, 8, 10_000)),
        "upgraded_speed": rng.choice((1, 2, 2, 2, 3, 3, 4, 5, 8, 16)),
        "siding_cost": rng.choice((None, 0, 1, 2, 3, 3, 3)),
        "toll": rng.choice((0, 1, 1, 1, 2, 5, 20, 10_000)),
    }
    highest = rng.choice((1, 5, 9, 9, 1_000))
    cargo = {
        "rewards": [rng.randint(0, highest) for _ in range(rng.choice((1, 2, 3, 3, 5, 64)))],
        "scope": rng.choice(("train", "train", "company")),
    }
    for group in (economy, cargo):
        for key in list(group):
            if rng.random() < 0.08:
                del group[key]
    map_dict = random_map(rng, exact=exact, n_junctions=n_junctions)
    # A map may carry both forms; the one that the scope does not pick may be absent.
    if rng.random() < 0.7:
        if cargo.get("scope", "train") == "train":
            del map_dict["deliveries"]
        else:
            for train in map_dict["trains"]:
                del train["deliveries"]
                train.pop("first_reward", None)
    scenario = {"schema": 1, "game": "dispatch", "name": "random"}
    if rng.random() < 0.95:
        scenario["dispatches"] = rng.choice((1, 2, 5, 8, 8, 12, 12, 16, 24, 40))
    scenario.update({"economy": economy, "cargo": cargo, "map": map_dict})
    return scenario


# -- orders ---------------------------------------------------------------------------------------------------------


def _meetings(match: Match) -> list[tuple[str, str, str, str]]:
    """(A's train, move, B's train, move) that would meet on the first tick as the switches stand."""
    found = []
    ways = {company: [(company + number, move) for number in "12" for move in MOVES] for company in COMPANIES}
    for train_a, move_a in ways["A"]:
        to_a = match.next_node(train_a, move_a)
        for train_b, move_b in ways["B"]:
            to_b = match.next_node(train_b, move_b)
            swap = to_a == match.at[train_b] and to_b == match.at[train_a]
            if swap or (to_a == to_b and to_a in match.junctions):
                found.append((train_a, move_a, train_b, move_b))
    return found


def _towards(rng: random.Random, match: Match, company: str, *, rival: bool) -> tuple[str, str, str | None]:
    """A train, move and toggle that bring it nearer to its destination, or to a train of the rival."""
    chased = match.at[RIVAL[company] + rng.choice("12")]
    best: list[tuple[str, str, str | None]] = []
    best_gain = -1_000
    for train in (f"{company}1", f"{company}2"):
        goal = chased if rival else match.to[train]
        at = match.at[train]
        for move in MOVES:
            for toggle in (None, at):
                if toggle is not None and (move == "reverse" or at not in match.junctions):
                    continue
                node = match.next_node(train, move)
                if toggle is not None:
                    node = next(n for n in match.near[at] if n not in (match.came_from[train], node))
                gain = match.distance(at, goal) - match.distance(node, goal)
                if node == goal:
                    gain += 1
                if gain > best_gain:
                    best, best_gain = [], gain
                if gain == best_gain:
                    best.append((train, move, toggle))
    return rng.choice(best)


def _random_toggle(rng: random.Random, match: Match, company: str) -> str | None:
    roll = rng.random()
    if roll < 0.4:
        return None
    if roll < 0.7:
        standing = [at for train, at in sorted(match.at.items()) if train[0] == company and at in match.junctions]
        if standing:
            return rng.choice(standing)
    return rng.choice(match.junctions)


def _random_invest(rng: random.Random, match: Match, company: str) -> str | None:
    if rng.random() < 0.65:
        return None
    investments = match.legal_investments(company)
    if rng.random() < 0.6:
        soon = {f"siding:{match.next_node(train, move)}" for train in match.at for move in MOVES}
        liked = [what for what in investments if what is not None and (what in soon or what.startswith("upgrade"))]
        if liked:
            return rng.choice(liked)
    return rng.choice(investments)


def random_orders(rng: random.Random, match: Match) -> dict[str, dict[str, str | None]]:
    """Legal orders of both companies, drawn so that trains meet, deliver and invest more than by pure chance."""
    orders: dict[str, dict[str, str | None]] = {}
    for company in COMPANIES:
        roll = rng.random()
        if roll < 0.65:
            train, move, toggle = _towards(rng, match, company, rival=roll < 0.15)
        else:
            train, move, toggle = company + rng.choice("12"), rng.choice(MOVES), None
        if toggle is None:
            toggle = _random_toggle(rng, match, company)
        orders[company] = {
            "train": train,
            "move": move,
            "toggle": toggle,
            "invest": _random_invest(rng, match, company),
        }
    if rng.random() < 0.25:
        meetings = _meetings(match)
        if meetings:
            orders["A"]["train"], orders["A"]["move"], orders["B"]["train"], orders["B"]["move"] = rng.choice(meetings)
            if rng.random() < 0.7:
                orders["A"]["toggle"] = orders["B"]["toggle"] = None
    if rng.random() < 0.06:
        orders["B"]["toggle"] = orders["A"]["toggle"]
    return orders


def random_record(rng: random.Random, *, exact: bool = False, n_junctions: int | None = None) -> dict[str, Any]:
    """A random scenario with legal orders, most often for all its dispatches."""
    scenario = random_scenario(rng, exact=exact, n_junctions=n_junctions)
    match = Match(scenario)
    n_orders = match.dispatches if rng.random() < 0.8 else rng.randint(0, match.dispatches)
    orders = []
    for _ in range(n_orders):
        both = random_orders(rng, match)
        orders.append(both)
        match.play(both)
    return {"schema": 1, "scenario": scenario, "orders": orders}
