"""`greedy`: legal and mirror-fair anywhere, by the shortest way, obedient to its parameters, careful with money."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.codes import NO_TOGGLE, Column, Invest, Outcome, Pairing
from kernels.dispatch.batch import replay_orders
from kernels.dispatch.bots import SHIPPED
from kernels.dispatch.layout import new_state
from kernels.dispatch.orders import invest_of, reverse_of, toggle_of, train_of
from kernels.random import Purpose, draws, new_streams, seek
from sim.config.loading import load_scenario
from sim.lowering import TRAINS, pack_words
from sim.replaying import Board
from sim.restrictions import Restrictions, lower_restrictions
from tests.kernel_tools import NO_LOG, board_of, rows_played, seeded, swapped_row
from tests.reference.dispatch import COMPANIES, MOVES, Match
from tests.reference.generate import random_orders, random_scenario
from tests.run_tools import scaled

GREEDY, RANDOM = SHIPPED["greedy"], SHIPPED["random"]
EXACT = ["standard", "compact", "corridor", "grand", "ladder"]
INVESTS = ("free", "none", "upgrade", "siding")


# -- what it orders on a board ----------------------------------------------------------------------------------------


class Desk:
    """A board in both forms, kernel and oracle, that moves on by recorded orders; greedy is asked what it would do."""

    def __init__(self, scenario: dict[str, Any]) -> None:
        self.board = board_of(scenario)
        self.match = Match(scenario)
        self.state = new_state()
        self.orders = np.zeros((0, 2), np.int64)
        self._replay(0)

    def _replay(self, n_played: int) -> None:
        verdict = np.zeros(3, np.int64)
        assert replay_orders(self.board.rules, self.state, self.orders, n_played, NO_LOG, verdict) == len(self.orders)

    def play(self, both: dict[str, dict[str, Any]]) -> None:
        packed = [
            pack_words(self.board.names, c, *(both[company][key] for key in ("train", "move", "toggle", "invest")))
            for c, company in enumerate(COMPANIES)
        ]
        self.orders = np.vstack([self.orders, np.array(packed, np.int64)])
        self._replay(len(self.orders) - 1)
        self.match.play(both)

    def asked(self, company: str, **params: Any) -> dict[str, str | None]:
        """What greedy orders now, in words."""
        c = COMPANIES.index(company)
        given = {"noise": 0, **params}
        restrictions, wrong = Restrictions.read(given, self.board.names.network)
        assert not wrong
        values = GREEDY.memory(
            self.board.rules,
            GREEDY.values({key: value for key, value in given.items() if key in GREEDY.params}),
            lower_restrictions(self.board.names, restrictions),
        )
        streams = new_streams(1)
        seek(streams[0], np.int64(1), np.int64(0), np.int64(Purpose.ORDERS), np.int64(c), np.int64(self.match.played))
        before = self.state.copy()
        order = np.int64(GREEDY.compiled(self.board.rules[0], self.state[0], np.int64(c), values, streams[0]))
        assert self.state.tobytes() == before.tobytes(), "a bot writes to nothing"
        assert int(draws(streams[0])) == (values[0] > 0)
        junctions = self.board.names.network.junctions
        toggle, invest = int(toggle_of(order)), int(invest_of(order))
        bought: str | None = None
        if invest >= Invest.SIDING:
            bought = f"siding:{junctions[invest - Invest.SIDING]}"
        elif invest:
            bought = f"upgrade:{TRAINS[c][invest - Invest.UPGRADE_1]}"
        return {
            "train": TRAINS[c][int(train_of(order))],
            "move": MOVES[int(reverse_of(order))],
            "toggle": None if toggle == NO_TOGGLE else junctions[toggle],
            "invest": bought,
        }


def run_alone(match: Match, train: str, move: str, toggle: str | None) -> str:
    """Where a train ends a dispatch when nothing else moves; it stops where its cargo goes."""
    saved = dict(match.at), dict(match.came_from), dict(match.routes)
    if toggle is not None:
        match.routes[toggle] = 3 - match.routes[toggle]
    for tick in range(match.speed(train)):
        node = match.next_node(train, move if tick == 0 else "forward")
        match.at[train], match.came_from[train] = node, match.at[train]
        if node == match.to[train]:
            break
    end = match.at[train]
    match.at, match.came_from, match.routes = saved
    return end


def left_after(match: Match, train: str, move: str, toggle: str | None) -> int:
    return match.distance(run_alone(match, train, move, toggle), match.to[train])


def worth(match: Match, train: str) -> float:
    """Its cargo's reward over the dispatches to its destination by the best order; 0 if it cannot arrive."""
    left = min(left_after(match, train, move, j) for move in MOVES for j in (None, *match.junctions))
    dispatches = 1 + -(-left // match.speed(train))
    return match.reward[train] / dispatches if dispatches <= match.dispatches - match.played else 0.0


def random_desk(number: int, *, exact: bool = False) -> tuple[Desk, Any]:
    rng = seeded("greedy", number)
    scenario = random_scenario(rng, exact=exact)
    return Desk(scenario), rng


def test_bots_greedy__takes_the_shortest_way_and_the_switch_that_it_needs():
    """Of all moves and all toggles there are, by brute force with the oracle; and no toggle that brings nothing."""
    seen = {"toggles": 0, "reverses": 0, "fast": 0, "deliveries": 0, "second train": 0}
    for number in range(scaled(150, 25)):
        desk, rng = random_desk(number)
        match = desk.match
        while match.played < min(match.dispatches, 12):
            for company in COMPANIES:
                order = desk.asked(company)
                train, move, toggle = order["train"], order["move"], order["toggle"]
                ways = {(m, j): left_after(match, train, m, j) for m in MOVES for j in (None, *match.junctions)}
                assert ways[move, toggle] == min(ways.values()), (number, match.played, order)
                if toggle is not None:
                    assert min(ways[m, None] for m in MOVES) > ways[move, toggle]
                if move == "reverse":
                    assert ways["forward", toggle] > ways[move, toggle] or ways["forward", None] > ways[move, toggle]
                worths = [worth(match, f"{company}{t}") for t in "12"]
                assert worths["12".index(train[1])] == max(worths), (number, match.played, order, worths)
                if worths[0] == worths[1]:
                    assert train.endswith("1")
                seen["toggles"] += toggle is not None
                seen["reverses"] += move == "reverse"
                seen["fast"] += match.speed(train) > 1
                seen["deliveries"] += run_alone(match, train, move, toggle) == match.to[train]
                seen["second train"] += train.endswith("2")
            desk.play(random_orders(rng, match))
    assert min(seen.values()) >= 5, seen


def plain_purchase(match: Match, company: str, order: dict[str, Any], *, contest: float, allowed: str) -> str | None:
    """What the documentation says that it buys, from the oracle's board."""
    rival = "B" if company == "A" else "A"
    remaining = match.dispatches - match.played
    offers: list[tuple[float, float, str]] = []
    if match.upgrade_cost is not None and allowed in ("free", "upgrade"):
        for train in (f"{company}1", f"{company}2"):
            if train in match.upgraded:
                continue
            if match.scope == "train":
                schedule, item = match.schedules[train], match.cargoes_loaded[train]
            else:
                schedule, item = match.schedules[company], match.items_loaded[company]
            leg = match.distance(match.to[train], schedule[item % len(schedule)])
            slow, fast = max(1, leg), max(1, -(-leg // match.upgraded_speed))
            gain = 0.5 * match.reward[train] * (slow - fast) / (slow * fast)
            if gain * remaining >= 1:
                offers.append((match.upgrade_cost / gain, match.upgrade_cost, f"upgrade:{train}"))
    saved = dict(match.routes)
    if order["toggle"] is not None:
        match.routes[order["toggle"]] = 3 - match.routes[order["toggle"]]
    entered = match.next_node(order["train"], order["move"])
    match.routes = saved
    near = any(match.distance(match.at[f"{rival}{t}"], entered) == 1 for t in "12")
    if match.siding_cost is not None and allowed in ("free", "siding") and entered in match.junctions and near:
        gain = contest * (match.toll + max(worth(match, f"{company}{t}") for t in "12"))
        if entered not in match.sidings[company] and gain * remaining >= 1:
            offers.append((match.siding_cost / gain, match.siding_cost, f"siding:{entered}"))
    if not offers:
        return None
    soonest = min(offer[0] for offer in offers)
    _, price, best = next(offer for offer in offers if offer[0] == soonest)
    return best if price <= match.cash[company] else None


def test_bots_greedy__buys_what_pays_for_itself_first_or_saves_up_for_it():
    bought = {"upgrade": 0, "siding": 0, None: 0}
    for number in range(scaled(150, 20)):
        desk, rng = random_desk(1_000 + number)
        match = desk.match
        allowed = rng.choice(INVESTS)
        contest = rng.choice((0.0, 0.08, 0.5, 1.0))
        while match.played < min(match.dispatches, 12):
            for company in COMPANIES:
                order = desk.asked(company, invest=allowed, contest=contest)
                expected = plain_purchase(match, company, order, contest=contest, allowed=allowed)
                assert order["invest"] == expected, (number, match.played, order)
                bought[expected and expected.split(":")[0]] += 1
            desk.play(random_orders(rng, match))
    assert min(bought.values()) >= 10, bought


def test_bots_greedy__worked_positions():
    """On the ring: a1 is bound for Qe over bw and be, and the switch at bw stands towards aw."""
    scenario = load_scenario("compact").resolved()
    scenario["cargo"]["rewards"] = [5]
    desk = Desk(scenario)
    still = {"move": "reverse", "toggle": None, "invest": None}

    def asked() -> tuple[str | None, ...]:
        order = desk.asked("A", invest="none")
        return order["train"], order["move"], order["toggle"]

    # Both trains are three tracks from their destinations; the first one goes, and needs no switch on this track.
    assert asked() == ("A1", "forward", None)
    desk.play({"A": {"train": "A1", "move": "forward", "toggle": None, "invest": None}, "B": {"train": "B2", **still}})
    assert desk.match.at["A1"] == "bw"
    # From Qw the neighbours of bw are aw (Route 1) and be (Route 2): it sets the switch and runs in one dispatch.
    assert asked() == ("A1", "forward", "bw")
    desk.play({"A": {"train": "A1", "move": "forward", "toggle": "bw", "invest": None}, "B": {"train": "B2", **still}})
    assert desk.match.at["A1"] == "be"
    # From bw the neighbours of be are Qe (Route 1) and ae: nothing to set.
    assert asked() == ("A1", "forward", None)
    desk.play({"A": {"train": "A1", "move": "forward", "toggle": "be", "invest": None}, "B": {"train": "B1", **still}})
    # That order was another's: the switch took A1 to ae, so it comes back by reverse.
    assert desk.match.at["A1"] == "ae"
    assert asked() == ("A1", "reverse", None)


# -- matches ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scenario", EXACT)
@pytest.mark.parametrize("bot", scaled(list(SHIPPED), ["random", "greedy"]))
def test_bots_greedy__with_swapped_lanes_a_shipped_exact_map_gives_the_mirrored_match(scenario, bot):
    board = Board(load_scenario(scenario))
    rows = rows_played(board.rules, SHIPPED[bot], SHIPPED[bot], n_pairs=scaled(500, 3), pairing=Pairing.LANES, seed=9)
    for one, other in zip(rows[::2], rows[1::2], strict=True):
        np.testing.assert_array_equal(other, swapped_row(one))
    assert len(np.unique(rows, axis=0)) > scaled(400, 3)


@pytest.mark.parametrize("invest", INVESTS)
@pytest.mark.parametrize("noise", [0, 0.5, 100])
def test_bots_greedy__is_mirror_fair_on_random_exact_maps_with_any_parameters(invest, noise):
    params = {"invest": invest, "noise": noise, "contest": 0.7}
    for number in range(scaled(60, 4)):
        board = board_of(random_scenario(seeded("fair greedy", number), exact=True))
        rows = rows_played(
            board.rules,
            GREEDY,
            GREEDY,
            n_pairs=2,
            pairing=Pairing.LANES,
            seed=number,
            params_first=params,
            params_second=params,
        )
        for one, other in zip(rows[::2], rows[1::2], strict=True):
            np.testing.assert_array_equal(other, swapped_row(one), err_msg=str(number))
            if noise == 0:
                np.testing.assert_array_equal(one, other)
                assert one[Column.OUTCOME] == Outcome.SHARED


def extremes():
    """Scenarios at the limits of rules 8."""
    rng = seeded("extremes", 0)
    for n_junctions in (1, 2, 62):
        for dispatches in (1, scaled(1_000, 30)):
            for scope in ("train", "company"):
                scenario = random_scenario(rng, n_junctions=n_junctions)
                scenario["dispatches"] = dispatches
                scenario["cargo"] = {"rewards": rng.choice(([0], [1_000], [0, 1_000, 3])), "scope": scope}
                near = [node for track in scenario["map"]["tracks"] for node in track]
                scenario["map"]["deliveries"] = [rng.choice(near)]
                for train in scenario["map"]["trains"]:
                    train["deliveries"] = [rng.choice(near)]
                scenario["economy"] = {
                    "starting_cash": rng.choice((0, 10_000)),
                    "income": rng.choice((0, 10_000)),
                    "upgrade_cost": rng.choice((None, 0, 10_000)),
                    "siding_cost": rng.choice((None, 0, 10_000)),
                    "upgraded_speed": rng.choice((1, 16)),
                    "toll": rng.choice((0, 10_000)),
                }
                yield scenario


def test_bots_greedy__is_legal_at_every_limit():
    rng = seeded("limits", 1)
    n = 0
    for scenario in (one for _ in range(scaled(6, 1)) for one in extremes()):
        board = board_of(scenario)
        for invest in INVESTS:
            params = {"invest": invest, "noise": rng.choice((0, 3, 100)), "contest": rng.choice((0, 0.08, 1))}
            for rival in (GREEDY, RANDOM):
                rows = rows_played(
                    board.rules, GREEDY, rival, n_pairs=1, pairing=Pairing.SEATS, seed=n, params_first=params
                )
                assert (rows[:, Column.OUTCOME] <= Outcome.SHARED).all()
                n += 1
    assert n >= 96


def bought(scenario: str, overrides: list[str], **params: Any) -> np.ndarray:
    """Upgrades and sidings of the first bot, who plays the second, greedy as it ships, in both seats."""
    board = Board(load_scenario(scenario, overrides))
    n = scaled(500, 6)
    rows = rows_played(board.rules, GREEDY, GREEDY, n_pairs=n, pairing=Pairing.SEATS, params_first=params)
    a, b = rows[::2], rows[1::2]
    both = [[Column.UPGRADES_A, Column.SIDINGS_A], [Column.UPGRADES_B, Column.SIDINGS_B]]
    return np.concatenate([a[:, both[0]], b[:, both[1]]]).sum(axis=0)


def test_bots_greedy__obeys_what_it_may_buy():
    assert bought("standard", [], invest="none").tolist() == [0, 0]
    upgrades, sidings = bought("standard", [], invest="upgrade")
    assert (upgrades > 0, sidings) == (True, 0)
    upgrades, sidings = bought("standard", [], invest="siding")
    assert (upgrades, sidings > 0) == (0, True)
    assert bought("standard", [], invest="free").min() > 0
    assert bought("standard", ["economy.upgrade_cost=null"], invest="free")[0] == 0
    assert bought("standard", ["economy.siding_cost=null"], invest="free")[1] == 0
    assert bought("standard", [], invest="free", contest=0)[1] == 0


def test_bots_greedy__buys_nothing_that_can_no_longer_earn():
    rich = ["economy.starting_cash=10000"]
    assert bought("standard", [*rich, "dispatches=1"]).tolist() == [0, 0]
    assert bought("standard", [*rich, "economy.upgraded_speed=1"])[0] == 0
    assert bought("standard", [*rich, "cargo.rewards=[0]", "economy.toll=0"]).tolist() == [0, 0]
    assert bought("standard", [*rich, "cargo.rewards=[1000]", "dispatches=2"])[0] > 0
    scenario = load_scenario("standard", rich).resolved()
    desk = Desk(scenario)
    idle = {"move": "reverse", "toggle": None, "invest": None}
    wanted = []
    while desk.match.played < desk.match.dispatches:
        wanted.append(desk.asked("A", invest="upgrade")["invest"])
        desk.play({company: {"train": f"{company}1", **idle} for company in COMPANIES})
    assert wanted[0] is not None
    given_up = wanted.index(None)
    assert given_up > 1
    assert set(wanted[given_up:]) == {None}


def test_bots_greedy__draws_once_a_dispatch_and_nothing_without_noise():
    board = Board(load_scenario("standard"))
    for noise, expected in ((0, 0), (1e-9, 24), (3, 24)):
        rows = rows_played(
            board.rules, GREEDY, RANDOM, n_pairs=2, pairing=Pairing.SINGLE, params_first={"noise": noise}
        )
        assert (rows[:, Column.DRAWS_A] == expected).all()
        assert GREEDY.draws_nothing({"noise": noise}) == (expected == 0)


def test_bots_greedy__noise_makes_matches_differ():
    board = Board(load_scenario("standard"))
    n = scaled(200, 4)
    for noise in (0, 3):
        params = {"noise": noise}
        rows = rows_played(
            board.rules, GREEDY, GREEDY, n_pairs=n, pairing=Pairing.SINGLE, params_first=params, params_second=params
        )
        different = len(np.unique(rows, axis=0))
        assert different > n // 2 if noise else different == 1


def test_bots_greedy__beats_random_by_far():
    board = Board(load_scenario("standard"))
    rows = rows_played(board.rules, GREEDY, RANDOM, n_pairs=scaled(500, 8), pairing=Pairing.SEATS)
    won = np.concatenate([rows[::2, Column.OUTCOME] == Outcome.A_ON_POINTS, rows[1::2, Column.OUTCOME] == 1])
    assert won.mean() > 0.95
