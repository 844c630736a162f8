"""Every shipped bot keeps to every restriction, in both seats, on boards of all kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.codes import NO_TOGGLE, Invest
from kernels.dispatch.batch import replay_orders
from kernels.dispatch.bots import SHIPPED, limits
from kernels.dispatch.layout import new_state
from kernels.dispatch.orders import invest_of, reverse_of, toggle_of, train_of
from kernels.random import Purpose, new_streams, seek
from sim.catalogue import check_bots, player
from sim.config.loading import load_scenario
from sim.config.network import Network
from sim.replaying import Board
from sim.restrictions import Restrictions, lower_restrictions
from tests.kernel_tools import NO_LOG
from tests.run_tools import scaled

SHORTER = [f"dispatches={scaled(24, 6)}"]
BOTS = [name for name, bot in SHIPPED.items() if bot.restrictable]


class Watched:
    """A match of a restricted bot in one seat against the same bot unrestricted, order by order."""

    def __init__(self, name: str, c: int, pair: int, scenario: str = "standard", **given: Any) -> None:
        self.board = Board(load_scenario(scenario, SHORTER))
        self.c = c
        bot = SHIPPED[name]
        restrictions, wrong = Restrictions.read(given, self.board.names.network)
        assert not wrong
        values = bot.values({})
        memory = [bot.memory(self.board.rules, values)] * 2
        memory[c] = bot.memory(self.board.rules, values, lower_restrictions(self.board.names, restrictions))
        streams = new_streams(2)
        for lane in (0, 1):
            address = (np.int64(3), np.int64(0), np.int64(Purpose.ORDERS), np.int64(lane), np.int64(pair))
            seek(streams[lane], *address)
        self.state = new_state()
        n = self.board.scenario.dispatches
        self.orders = np.zeros((n, 2), np.int64)
        self.ran_along: list[set[tuple[str, str]]] = []
        verdict = np.zeros(3, np.int64)
        replay_orders(self.board.rules, self.state, self.orders[:0], 0, NO_LOG, verdict)
        self.cash = []
        self.owned: list[tuple[int, int]] = []
        for d in range(n):
            for seat in (0, 1):
                order = bot.compiled(self.board.rules[0], self.state[0], np.int64(seat), memory[seat], streams[seat])
                self.orders[d, seat] = order
            state = self.state[0]
            self.cash.append(int(state.cash_dollars[c]))
            self.owned.append((int(state.upgraded[c]), int(state.sidings[c])))
            self.ran_along.append(self._path(int(self.orders[d, c])))
            assert replay_orders(self.board.rules, self.state, self.orders[: d + 1], d, NO_LOG, verdict) == d + 1

    def _path(self, order: int) -> set[tuple[str, str]]:
        """Tracks along which the order would take the train if the rival did nothing, as sorted pairs."""
        rules, state, arcs = self.board.rules[0], self.state[0], self.board.names.arcs
        train, toggle = int(train_of(order)), int(toggle_of(order))
        routes = int(state.routes) ^ (0 if toggle == NO_TOGGLE else 1 << toggle)
        arc = int(state.arc[self.c, train])
        # A train that is upgraded in this very dispatch moves on, along what the bot did not yet see.
        fast = int(state.upgraded[self.c]) >> train & 1
        to = int(rules.cargo_node[self.c, train, int(state.cargo_item[self.c, train])])
        path = set()
        for tick in range(int(rules.upgraded_speed_ticks) if fast else 1):
            at = int(rules.head[arc])
            arc = arc ^ 1 if tick == 0 and int(reverse_of(order)) else int(rules.exit[arc, routes >> (at & 63) & 1])
            path.add(tuple(sorted(arcs[arc])))
            if int(rules.head[arc]) == to:
                break
        return path

    def seen(self, label: str) -> str:
        """The label in the seat's own half: itself, or its mirror image in seat B."""
        return label if self.c == 0 else self.board.names.network.mirror[label]

    @property
    def bought(self) -> list[int]:
        """Investments of the restricted bot, by dispatch."""
        return [int(invest_of(order)) for order in self.orders[:, self.c]]

    @property
    def toggled(self) -> set[str]:
        """Junctions that it toggled."""
        nodes = self.board.names.nodes
        toggles = {int(toggle_of(order)) for order in self.orders[:, self.c]}
        return {nodes[toggle] for toggle in toggles if toggle != NO_TOGGLE}


def matches(name: str, **given: Any) -> list[Watched]:
    """A few matches in each seat."""
    slow = name in ("planner", "equilibrium")
    return [Watched(name, c, pair, **given) for c in (0, 1) for pair in range(scaled(4 if slow else 12, 1))]


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("invest", ["none", "upgrade", "siding"])
def test_bots_restrictions__invest(name, invest):
    kinds = set()
    for match in matches(name, invest=invest):
        kinds |= {"upgrade" if code < Invest.SIDING else "siding" for code in match.bought if code}
    assert kinds <= ({invest} - {"none"})


@pytest.mark.parametrize("name", BOTS)
def test_bots_restrictions__forbid(name):
    for match in matches(name, forbid=["upgrade:2", "siding:bW", "siding:bE"]):
        number = match.board.names.node_numbers
        assert Invest.UPGRADE_2 not in match.bought
        assert not {int(Invest.SIDING) + number[label] for label in ("bW", "bE")} & set(match.bought)


@pytest.mark.parametrize("name", BOTS)
def test_bots_restrictions__buy_at(name):
    for match in matches(name, buy_at={"upgrade:2": 3, "siding:aW": 5}):
        number = match.board.names.node_numbers
        siding = int(Invest.SIDING) + number[match.seen("aW")]
        for code, due, cost in ((int(Invest.UPGRADE_2), 3, 8), (siding, 5, 3)):
            dispatches = [d for d, bought in enumerate(match.bought, start=1) if bought == code]
            affordable = [d for d, cash in enumerate(match.cash, start=1) if d >= due and cash >= cost]
            assert len(dispatches) <= 1
            if dispatches:
                # Due and affordable, and nothing forced stood before it.
                assert dispatches[0] in affordable
                earlier = [d for d in affordable if d < dispatches[0]]
                assert all(match.bought[d - 1] in (int(Invest.UPGRADE_2), siding) for d in earlier)
            else:
                assert len([d for d in affordable if match.bought[d - 1] == 0]) == 0


@pytest.mark.parametrize("name", BOTS)
def test_bots_restrictions__avoid_junctions(name):
    for match in matches(name, avoid={"junctions": ["aW", "bE"]}):
        avoided = {match.seen("aW"), match.seen("bE")}
        assert not match.toggled & avoided
        number = match.board.names.node_numbers
        assert not {int(Invest.SIDING) + number[label] for label in avoided} & set(match.bought)


@pytest.mark.parametrize("name", BOTS)
def test_bots_restrictions__avoid_tracks(name):
    for match in matches(name, avoid={"tracks": [["bW", "bE"], ["cE", "aE"]]}):
        avoided = {tuple(sorted((match.seen(a), match.seen(b)))) for a, b in (("bW", "bE"), ("cE", "aE"))}
        assert not any(path & avoided for path in match.ran_along)


@pytest.mark.parametrize("name", BOTS)
def test_bots_restrictions__without_hostility_a_toggle_is_of_a_switch_that_the_own_train_reads(name):
    for match in matches(name, hostile=False):
        for d, order in enumerate(match.orders[:, match.c]):
            toggle = int(toggle_of(order))
            if toggle != NO_TOGGLE:
                label = match.board.names.nodes[toggle]
                ends = {node for track in match.ran_along[d] for node in track}
                assert label in ends


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["saboteur", "planner", "equilibrium"])
def test_bots_restrictions__hostility_shows_where_it_is_allowed(name):
    free = sum(len(match.toggled) for match in matches(name))
    tame = sum(len(match.toggled) for match in matches(name, hostile=False))
    assert tame < free


def test_bots_restrictions__an_unrestricted_bot_is_not_slowed_by_words_that_say_nothing():
    words = limits.packed(limits.new_limits())
    assert words[0] == 0.0
    assert words.size == limits.SIZE
    barred = limits.new_limits()
    barred[1, limits.HOSTILE] = 0
    assert limits.packed(barred)[0] == 1.0


def test_bots_restrictions__high_arcs_reach_the_sign_bit():
    board = Board(load_scenario("grand"))
    tracks = [list(track) for track in board.scenario.map.tracks]
    restrictions, wrong = Restrictions.read({"avoid": {"tracks": tracks}}, board.names.network)
    assert not wrong
    lowered = lower_restrictions(board.names, restrictions)
    n_arcs = len(board.names.arcs)
    for c in (0, 1):
        avoided = [arc for arc in range(256) if int(lowered[c, limits.AVOIDED + arc // 64]) >> (arc % 64) & 1]
        assert avoided == list(range(n_arcs))
        assert lowered[c, limits.N_AVOIDED] == n_arcs


@pytest.mark.parametrize(
    ("given", "path", "said"),
    [
        ({"hostile": "no"}, ("hostile",), "is 'no'; must be true or false"),
        ({"buy_at": {"upgrade:3": 2}}, ("buy_at", "upgrade:3"), "is 'upgrade:3'; must be upgrade:1, upgrade:2 or "),
        ({"buy_at": {"upgrade:1": 0}}, ("buy_at", "upgrade:1"), "is 0; must be a dispatch"),
        ({"buy_at": ["upgrade:1"]}, ("buy_at",), "is [upgrade:1]; must map purchases to dispatches"),
        ({"forbid": "siding:aW"}, ("forbid",), "is 'siding:aW'; must be a list of purchases"),
        ({"forbid": ["siding:zz"]}, ("forbid",), "names the junction 'zz'; the map's junctions are aE, aW, "),
        ({"avoid": {"junction": ["aW"]}}, ("avoid", "junction"), "is unknown; must have junctions, tracks or both"),
        ({"avoid": {"junctions": ["PW"]}}, ("avoid", "junctions"), "names the junction 'PW'; the map's junctions"),
        ({"avoid": {"tracks": [["aW", "dW"]]}}, ("avoid", "tracks"), "must be two nodes that a track of the map joins"),
    ],
)
def test_bots_restrictions__bad_ones_are_told(given, path, said):
    network = Network(load_scenario("standard").map)
    problems = check_bots(None, {"own": {"bot": "greedy", **given}}, network=network)
    ((where, message),) = problems
    assert where == ("define", "own", *path)
    assert said in message


def test_bots_restrictions__they_are_part_of_who_a_bot_is():
    define = {"tame": {"bot": "greedy", "hostile": False}, "same": {"bot": "greedy", "hostile": True}}
    assert player("tame", define).identity != player("greedy").identity
    assert player("same", define).identity == player("greedy").identity
