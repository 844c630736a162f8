"""The exact solver: against brute force with the plain oracle, known matrix games, the kernel, and what must hold."""

from __future__ import annotations

import copy
import random
import re
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import sim
from kernels.dispatch.batch import replay_orders
from kernels.dispatch.layout import new_state
from kernels.dispatch.orders import pack_order
from kernels.jit import PLAIN
from sim.api import make_plan
from sim.config.loading import load_scenario
from sim.lowering import lower
from tests.kernel_tools import NO_LOG, seeded
from tests.reference import exact_matrix
from tests.reference.by_hand import STAR
from tests.reference.dispatch import Match
from tests.reference.exact import Order, Solution, State, best_response, solve, value_of
from tests.reference.exact_board import Board
from tests.reference.exact_matrix import guarantees, matrix_game
from tests.reference.exact_positions import Position
from tests.reference.exact_table import BLOCK, PAGE, rows_of
from tests.reference.generate import random_orders, random_scenario
from tests.reference.mirror import is_exact, map_faults
from tests.reference.small_games import CROSSING, LADDER, SHED, SMALL_GAMES, SQUARE, H, shortened, small_game
from tests.run_tools import scaled
from tests.test_exact_bots import behaviour, fill_board, shipped_names

QUICK = {
    "shed": shortened(SHED, 2),
    "ladder": shortened(LADDER, 3),
    "crossing": shortened(CROSSING, 3),
    "square": shortened(SQUARE, 3 if PLAIN else 4),
}
"""The small games, short enough for a test."""

quick_games = pytest.mark.parametrize("game", QUICK.values(), ids=list(QUICK))


# -- matrix games -----------------------------------------------------------------------------------------------------


def value_by_linprog(payoff: Any) -> float:
    """The value of a matrix game by HiGHS."""
    matrix = np.array(payoff, float)
    m, n = matrix.shape
    found = linprog(
        np.r_[np.zeros(m), -1.0],
        A_ub=np.c_[-matrix.T, np.ones(n)],
        b_ub=np.zeros(n),
        A_eq=[[1.0] * m + [0.0]],
        b_eq=[1.0],
        bounds=[(0, 1)] * m + [(None, None)],
    )
    assert found.status == 0
    return -found.fun


PENNIES = [[1.0, 0.0], [0.0, 1.0]]
ROCK_PAPER_SCISSORS = [[0.5, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.5]]


@pytest.mark.parametrize(("payoff", "value"), [(PENNIES, 0.5), (ROCK_PAPER_SCISSORS, 0.5)], ids=["pennies", "rps"])
def test_exact_matrix__known_games_embedded_among_worse_orders(payoff, value):
    n = len(payoff)
    bigger = [[-1.0] * (n + 2), *([2.0, *row, 3.0] for row in payoff), [*([-2.0] * (n + 1)), 5.0]]
    found, rows, columns = matrix_game(bigger)
    assert found == pytest.approx(value, abs=1e-12)
    assert rows == pytest.approx(dict.fromkeys(range(1, n + 1), 1 / n))
    assert columns == pytest.approx(dict.fromkeys(range(1, n + 1), 1 / n))


def test_exact_matrix__unequal_pennies():
    value, rows, columns = matrix_game([[3.0, -1.0], [-2.0, 1.0]])
    assert value == pytest.approx(1 / 7)
    assert rows == pytest.approx({0: 3 / 7, 1: 4 / 7})
    assert columns == pytest.approx({0: 2 / 7, 1: 5 / 7})


def test_exact_matrix__a_saddle_is_pure():
    assert matrix_game([[1.0, 0.25, 0.5], [0.0, 0.0, 1.0]]) == (0.25, {0: 1.0}, {1: 1.0})


POOLS = (
    [0.0, 0.5, 1.0],
    [0.0, 0.5, 1.0, 1 / 3, 0.25, 0.123],
    [random.Random(1).random() for _ in range(99)],
    [0.5, 0.5 + 1e-12, 0.5 - 1e-12, 1 / 3, 0.0, 1.0],
    [-7.0, 0.0, 12.5, 3.0, 1000.0],
)


@pytest.mark.parametrize("pool", POOLS, ids=["thirds", "few", "any", "near ties", "points"])
def test_exact_matrix__as_by_linear_programming(pool):
    rng = seeded("matrix", len(pool))
    for _ in range(120):
        m, n = rng.randint(1, 9), rng.randint(1, 9)
        payoff = [[rng.choice(pool) for _ in range(n)] for _ in range(m)]
        value, rows, columns = matrix_game(payoff)
        scale = max(1.0, abs(max(map(max, payoff))))
        assert abs(value - value_by_linprog(payoff)) < 1e-8 * scale, payoff
        assert guarantees(payoff, rows, columns) == pytest.approx((value, value), abs=1e-8 * scale)
        assert sum(rows.values()) == pytest.approx(1.0)
        assert sum(columns.values()) == pytest.approx(1.0)


def test_exact_matrix__fractions_where_floats_go_astray(monkeypatch):
    monkeypatch.setattr(exact_matrix, "_simplex", lambda payoff: ([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]))
    assert matrix_game(ROCK_PAPER_SCISSORS)[0] == pytest.approx(0.5, abs=1e-15)
    monkeypatch.setattr(exact_matrix, "_fractional_simplex", exact_matrix._simplex)
    with pytest.raises(ArithmeticError, match=r"guarantee 0\.0 and 1\.0"):
        matrix_game(ROCK_PAPER_SCISSORS)


# -- the compact rules against the plain ones -----------------------------------------------------------------------


def state_of(match: Match, board: Board) -> State:
    """A plain match as a state of the solver."""
    arcs = {train: board.arc_number[match.came_from[train], at] for train, at in match.at.items()}
    company_scope = match.scope == "company"
    items = {train: match.cargoes_loaded[train] - 1 for train in match.at}
    if company_scope:  # two loads at the start, then one for each delivery, in the order of the events
        items = {"A1": 0, "A2": 1, "B1": 0, "B2": 1}
        loaded = {"A": 2, "B": 2}
        for events in match.events:
            for event in events:
                if event["event"] == "delivery":
                    company = event["train"][0]
                    items[event["train"]] = loaded[company]
                    loaded[company] += 1
    return State(
        match.played + 1,
        sum(1 << j for j, label in enumerate(match.junctions) if match.routes[label] == 2),
        tuple(sum(1 << match.junctions.index(label) for label in match.sidings[c]) for c in "AB"),
        tuple(match.cash[c] for c in "AB"),
        tuple(match.points[c] for c in "AB"),
        tuple((arcs[f"{c}1"], arcs[f"{c}2"]) for c in "AB"),
        tuple(sum(1 << t for t in range(2) if f"{c}{t + 1}" in match.upgraded) for c in "AB"),
        tuple((items[f"{c}1"], items[f"{c}2"]) for c in "AB"),
        tuple(match.items_loaded[c] if company_scope else 2 for c in "AB"),
    )


def order_of_words(board: Board, words: dict[str, str | None]) -> Order:
    """A plain order in numbers."""
    toggle = -1 if words["toggle"] is None else board.junctions.index(words["toggle"])
    invest = 0
    if words["invest"] is not None:
        kind, what = words["invest"].split(":", 1)
        invest = int(what[1]) if kind == "upgrade" else 3 + board.junctions.index(what)
    return Order(int(words["train"][1]) - 1, int(words["move"] == "reverse"), toggle, invest)


def played_on(board: Board, position: Any, orders: tuple[Order, Order]) -> Any:
    """The position after both orders."""
    routes = position.routes
    kinds = []
    for order, part in zip(orders, (position.a, position.b), strict=True):
        offered, which = board.kinds(part)
        kinds.append(offered[which[order.train, order.reverse, order.invest]])
        if order.toggle >= 0:
            routes ^= 1 << order.toggle
    return board.after(position, routes, *kinds)


def small_random_scenario(rng: random.Random, **how: Any) -> dict[str, Any]:
    scenario = random_scenario(rng, n_junctions=rng.choice((2, 4)), **how)
    scenario["dispatches"] = min(scenario.get("dispatches", 24), 16)
    return scenario


def test_exact_board__plays_as_the_plain_rules():
    events = set()
    for number in range(scaled(150, 60)):
        rng = seeded("exact board", number)
        scenario = small_random_scenario(rng)
        match, board = Match(scenario), Board(scenario, reduced=False)
        position = board.position(board.start())
        for _ in range(match.dispatches):
            assert board.state(position) == state_of(match, board), number
            for c, company in enumerate("AB"):
                legal = {order_of_words(board, words) for words in match.legal_orders(company)}
                which = board.kinds((position.a, position.b)[c])[1]
                assert {(o.train, o.reverse, o.invest) for o in legal} == set(which)
            words = random_orders(rng, match)
            orders = tuple(order_of_words(board, words[company]) for company in "AB")
            assert [board.words(c, order) for c, order in enumerate(orders)] == [words["A"], words["B"]]
            events |= {event["event"] for event in match.play(words)}
            position = played_on(board, position, orders)
            assert position.lead == match.points["A"] - match.points["B"]
            assert position.surplus == match.cash["A"] - match.cash["B"] - position.lead
    assert events == {"head_on", "junction_conflict", "toll", "shared_arrival", "delivery"}


def test_exact_board__kernel_agrees_on_all_positions_of_a_small_game():
    game = shortened(CROSSING, 2)
    board = Board(game, reduced=False)
    rules = lower(load_scenario(game))
    start = board.position(board.start())
    todo, seen = [start], {start}
    kernel, verdict = new_state(), np.zeros(3, np.int64)
    n_checked = 0
    while todo:
        position = todo.pop()
        if position.remaining == 0:
            continue
        state = board.state(position)
        fill_board(kernel[0], state)
        before = kernel.copy()
        orders = np.zeros((state.dispatch, 2), np.int64)
        offered = [all_orders(board, part) for part in (position.a, position.b)]
        if PLAIN:
            offered = [orders_of[:: 1 + state.dispatch**2] for orders_of in offered]
        for order_a in offered[0]:
            for order_b in offered[1]:
                after = played_on(board, position, (order_a, order_b))
                kernel[:] = before
                orders[-1] = [pack_order(*order_a), pack_order(*order_b)]
                assert replay_orders(rules, kernel, orders, state.dispatch - 1, NO_LOG, verdict) == state.dispatch
                assert kernel_state(kernel[0]) == board.state(after), (state, order_a, order_b)
                n_checked += 1
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
    assert len(seen) > (20 if PLAIN else 1000)
    assert n_checked > (100 if PLAIN else 20_000)


def all_orders(board: Board, part: int) -> list[Order]:
    """Orders of a part, of forward and reverse at a terminal one only."""
    return [
        Order(kind.train, kind.reverse, toggle, kind.invest)
        for kind in board.kinds(part)[0]
        for toggle in range(-1, board.n_junctions)
    ]


def kernel_state(board: np.record) -> State:
    """The kernel's state as the solver's."""

    def pair(name: str) -> tuple[Any, Any]:
        first, second = board[name].tolist()
        return (tuple(first), tuple(second)) if isinstance(first, list) else (first, second)

    names = ("sidings", "cash_dollars", "points", "arc", "upgraded", "cargo_item", "next_item")
    return State(int(board.dispatch), int(board.routes), *map(pair, names))


def test_exact_board__what_is_cut_off_changes_no_order_toll_or_result():
    """The reduced board beside the whole one, along random matches that keep the purse near what can still be spent."""
    n_tolls = 0
    for number in range(scaled(400, 200)):
        rng = seeded("cut", number)
        scenario = small_random_scenario(rng)
        scenario["dispatches"] = rng.randint(2, 7)
        scenario["economy"] = {
            "starting_cash": rng.randint(0, 12),
            "income": rng.choice((0, 0, 1)),
            "upgrade_cost": rng.choice((None, 1, 2, 5)),
            "siding_cost": rng.choice((None, 1, 2, 3)),
            "toll": rng.choice((1, 2, 5)),
        }
        match = Match(scenario)
        whole, reduced = Board(scenario, reduced=False), Board(scenario, reduced=True)
        both = [board.position(board.start()) for board in (whole, reduced)]
        for _ in range(match.dispatches):
            for part, cut in ((both[0].a, both[1].a), (both[0].b, both[1].b)):
                assert set(whole.kinds(part)[1]) == set(reduced.kinds(cut)[1]), number
            words = random_orders(rng, match)
            orders = tuple(order_of_words(whole, words[company]) for company in "AB")
            n_tolls += sum(event["event"] == "toll" for event in match.play(words))
            both = [played_on(board, position, orders) for board, position in zip((whole, reduced), both, strict=True)]
            assert both[1][:4] == both[0][:4], number
    assert n_tolls > 10


# -- values against brute force -----------------------------------------------------------------------------------


def value_by_force(match: Match, objective: str) -> float:
    """The value of a position by plain recursion over all legal orders, every matrix game by linear programming."""
    if match.played == match.dispatches:
        if objective == "points":
            return match.points["A"] - match.points["B"]
        return {"A": 1.0, "B": 0.0, "shared": 0.5}[match.result()["winner"]]
    payoff = []
    for order_a in match.legal_orders("A"):
        row = []
        for order_b in match.legal_orders("B"):
            after = copy.copy(match)
            for name, held in vars(match).items():
                if name in {"sidings"}:
                    after.sidings = {company: set(owned) for company, owned in held.items()}
                elif isinstance(held, dict | set | list) and not name.startswith("_"):
                    setattr(after, name, held.copy())
            after.play({"A": order_a, "B": order_b})
            row.append(value_by_force(after, objective))
        payoff.append(row)
    if len({entry for row in payoff for entry in row}) == 1:
        return payoff[0][0]
    return value_by_linprog(payoff)


@pytest.mark.parametrize("objective", ["score", "points"])
def test_exact__one_dispatch_as_by_force(objective):
    values = []
    for number in range(scaled(24, 12)):
        rng = seeded("one dispatch", number)
        scenario = small_random_scenario(rng)
        scenario["dispatches"] = rng.randint(2, 6)
        match = Match(scenario)
        for _ in range(match.dispatches - 1):
            match.play(random_orders(rng, match))
        if len(match.legal_orders("A")) * len(match.legal_orders("B")) > 2000:
            continue
        solution = Solution(scenario, objective)
        values.append(solution.value_at(state_of(match, solution.board)))
        assert values[-1] == pytest.approx(value_by_force(match, objective), abs=1e-8), number
    assert len({round(value, 6) for value in values}) > 2


FORCED_H = small_game("forced", H, 4, ("W1", ["p", "E1"]), ("E2", ["q", "W2"]), starting_cash=0)
FORCED_STAR = small_game(
    "forced", STAR, 4, ("W", ["m", "E", "m"]), ("N", ["E", "m", "W"]), siding_cost=2, toll=2, starting_cash=2
)


@pytest.mark.parametrize(
    ("game", "objective", "n_values"),
    [(FORCED_H, "score", 1), (FORCED_H, "points", 1), (FORCED_STAR, "score", 3), (FORCED_STAR, "points", 3)],
)
def test_exact__two_dispatches_as_by_force(game, objective, n_values):
    """At random positions of different values."""
    rng = seeded("two dispatches", n_values)
    solution = Solution(game, objective)
    found: set[float] = set()
    for _ in range(300):
        match = Match(game)
        for _ in range(2):
            match.play(random_orders(rng, match))
        state = state_of(match, solution.board)
        value = solution.value_at(state)
        if value not in found | {0.0, 1.0} and len(match.legal_orders("A") + match.legal_orders("B")) <= 24:
            found.add(value)
            assert value == pytest.approx(value_by_force(match, objective), abs=1e-8)
        if len(found) == n_values:
            return
    raise AssertionError(f"only {len(found)} different values")


def value_unreduced(board: Board, position: Position, known: dict[Position, float]) -> float:
    """The score by recursion with nothing cut off, settled early, or mirrored."""
    if position.remaining == 0:
        decided = position.lead or position.surplus
        return 0.5 if decided == 0 else float(decided > 0)
    if position not in known:
        offered = [all_orders(board, part) for part in (position.a, position.b)]
        known[position] = matrix_game(
            [
                [value_unreduced(board, played_on(board, position, (a, b)), known) for b in offered[1]]
                for a in offered[0]
            ]
        )[0]
    return known[position]


REDUCED = {
    "tolls as long as there is cash": (
        {"siding_cost": 1, "toll": 2, "starting_cash": 3},
        ("W", ["m", "E"]),
        ("N", ["E", "m"]),
    ),
    "tolls dearer than sidings": ({"siding_cost": 2, "toll": 5, "starting_cash": 6}, ("W", ["m"]), ("N", ["W", "N"])),
    "two purchases": (
        {"siding_cost": 1, "upgrade_cost": 2, "income": 0, "starting_cash": 3},
        ("W", ["m", "m"]),
        ("E", ["m", "N"]),
    ),
    "the same place again": ({"siding_cost": 1, "starting_cash": 2}, ("W", ["m", "W", "W"]), ("N", ["N", "N"])),
}


@pytest.mark.parametrize(("prices", "one", "two"), REDUCED.values(), ids=list(REDUCED))
def test_exact__reductions_lose_nothing(prices, one, two):
    """On one junction, at random positions of a match, with two and in small ones three dispatches to go."""
    rng = seeded("reductions", len(one[1]))
    game = small_game("reduced", STAR, 5, one, two, **prices)
    board, solution = Board(game, reduced=False), Solution(game)
    known: dict[Position, float] = {}
    n_open = 0
    for number in range(20 if "upgrade_cost" in prices else scaled(40, 20)):
        match = Match(game)
        for _ in range(2 if number % 20 == 0 and len(prices) == 2 else 3):
            match.play(random_orders(rng, match))
        state = state_of(match, board)
        money = tuple(rng.randint(0, 8) for _ in range(2)) if number % 2 else match.cash.values()
        points = (rng.randint(0, 9), rng.randint(0, 9)) if number % 2 else match.points.values()
        # Cash and points may be any: only a board that is not reduced tells the points by the items.
        position = board.position(state._replace(cash=tuple(money), points=tuple(points)))
        expected = value_unreduced(board, position, known)
        found = solution.value_at(state._replace(cash=tuple(money), points=tuple(points)))
        assert found == pytest.approx(expected, abs=1e-9), (state, tuple(money), tuple(points))
        n_open += 0.0 < expected < 1.0
    assert n_open > 1


# -- what must hold -----------------------------------------------------------------------------------------------


def test_exact__small_games_are_good_maps_with_exact_mirrors():
    for game in SMALL_GAMES.values():
        assert map_faults(game["map"]) == []
        assert is_exact(game["map"])
        assert Board(game, reduced=True).symmetric
        load_scenario(game)
        assert 3 <= game["dispatches"] <= 6


@quick_games
def test_exact__symmetric_games_are_worth_half(game):
    assert solve(game).value == pytest.approx(0.5, abs=1e-9)
    assert solve(game, objective="points").value == pytest.approx(0.0, abs=1e-9)


@quick_games
def test_exact__mirror_changes_no_value(game):
    with_mirror, without = solve(game), solve(game, use_mirror=False)
    assert without.value == pytest.approx(with_mirror.value, abs=1e-9)
    assert without.n_positions > 1.5 * with_mirror.n_positions
    other = named_values(with_mirror)
    n_compared = 0
    for position, value in named_values(without).items():
        if position in other:
            assert value == pytest.approx(other[position], abs=1e-9)
            n_compared += 1
    assert n_compared == with_mirror.n_positions


def named_values(solution: Solution) -> dict[Any, float]:
    """Values by what stands in the positions; the numbers of parts are a solution's own."""
    parts = solution.board.parts
    return {(*position[:4], parts[position.a], parts[position.b]): v for position, v in solution._values.items()}


@pytest.mark.parametrize("routes", [{"p": 2}, {"q": 2}])
def test_exact__unequal_routes_at_the_start_break_the_mirror(routes):
    game = small_game("unfair", {**H, "initial_routes": routes}, 3, ("W1", ["W2", "q"]), ("E2", ["p", "W1"]))
    solution, without = solve(game), solve(game, use_mirror=False)
    assert not solution.board.symmetric
    assert named_values(solution) == named_values(without)
    game["map"]["initial_routes"] = {"p": 2, "q": 2}
    assert Board(game, reduced=True).symmetric


@pytest.mark.parametrize("objective", ["score", "points"])
def test_exact__nobody_gains_against_the_equilibrium(objective):
    for game in (QUICK["shed"], QUICK["crossing"]):
        solution = solve(game, objective=objective)
        for seat in range(2):
            got = best_response(game, solution.mix, seat, objective=objective)
            assert got == pytest.approx(0.5 if objective == "score" else 0.0, abs=1e-9)
        assert value_of(game, solution.mix, solution.mix, objective=objective) == pytest.approx(
            solution.value, abs=1e-9
        )


@quick_games
def test_exact__best_response_is_at_least_equilibrium_play_and_that_at_least_the_value(game):
    if PLAIN:
        game = shortened(game, 2)
    solution = solve(game)
    for name in ("greedy",) if PLAIN else ("random", "greedy") if game["dispatches"] == 2 else ("greedy",):
        bot = behaviour(name, game)
        of_equilibrium = value_of(game, solution.mix, bot)
        best = best_response(game, bot, 0)
        assert solution.value - 1e-9 <= of_equilibrium <= best + 1e-9
        assert best_response(game, bot, 1) == pytest.approx(best, abs=1e-9)  # the bot is fair to both seats


def first_order(state: State, c: int) -> dict[Order, float]:
    """Train 1 forward, or train 2 with the switch of junction 0."""
    return {Order(0, 0, -1, 0): 0.25, Order(1, 0, 0, 0): 0.75}


def best_by_force(match: Match, seat: int, board: Board) -> float:
    """The best response to `first_order` by plain recursion."""
    if match.played == match.dispatches:
        return {"AB"[seat]: 1.0, "BA"[seat]: 0.0, "shared": 0.5}[match.result()["winner"]]
    own, other = "AB"[seat], "BA"[seat]
    best = 0.0
    for order in match.legal_orders(own):
        got = 0.0
        for theirs, p in first_order(None, 1 - seat).items():
            after = copy.deepcopy(match)
            after.play({own: order, other: board.words(1 - seat, theirs)})
            got += p * best_by_force(after, seat, board)
        best = max(best, got)
    return best


@pytest.mark.parametrize("seat", [0, 1])
def test_exact__best_response_as_by_force(seat):
    game = small_game("forced", LADDER["map"], 2, ("W1", ["p", "E1"]), ("W2", ["q", "W1"]), upgrade_cost=4)
    expected = best_by_force(Match(game), seat, Board(game, reduced=False))
    assert best_response(game, first_order, seat) == pytest.approx(expected, abs=1e-12)


def test_exact__more_dispatches_than_needed_change_nothing_when_nothing_can_be_earned():
    game = {**QUICK["crossing"], "cargo": {"rewards": [0], "scope": "train"}}
    solution = solve(game)
    assert solution.value == 0.5
    assert solve(game, objective="points").value == 0.0


def test_exact__a_dollar_ahead_is_never_worse():
    """Monotone in cash and in points."""
    solution = solve(QUICK["crossing"])
    start = solution.board.start()
    values = [solution.value_at(start._replace(cash=(4 + more, 4))) for more in range(4)]
    assert values == sorted(values)
    assert values[0] == pytest.approx(0.5)
    assert values[-1] > 0.5
    values = [solution.value_at(start._replace(points=(more, 4))) for more in range(9)]
    assert values == sorted(values)
    assert values[0] + values[-1] == pytest.approx(1.0)


def test_exact__says_what_is_wrong():
    with pytest.raises(ValueError, match="must be score or points"):
        solve(SHED, objective="cash")
    for mix, message in (
        ({Order(0, 0, -1, 3): 1.0}, "illegal for company B"),
        ({Order(0, 0, 9, 0): 1.0}, "illegal for company B"),
        ({Order(0, 0, -1, 0): 0.9}, r"add up to 0\.9"),
    ):
        with pytest.raises(ValueError, match=message):
            best_response(QUICK["ladder"], lambda state, c, mix=mix: mix, 0)


# -- bots, the kernel's matches, and the table --------------------------------------------------------------------


@pytest.mark.parametrize(("name", "against"), [("ladder", "random"), ("crossing", "random"), ("square", "greedy")])
def test_exact__expectation_is_what_matches_of_the_kernel_give(name, against):
    game = {
        **(shortened(SMALL_GAMES[name], 2) if PLAIN else QUICK[name]),
        "define": {"quiet": {"bot": "greedy", "noise": 1, "invest": "none"}},
    }
    plain = {key: value for key, value in game.items() if key != "define"}
    pairing = ("greedy", against) if against == "random" else ("greedy", "quiet")
    first = behaviour("greedy", plain)
    second = behaviour(make_plan(game, bots=pairing, seed=1).second, plain)
    run = sim.run(game, bots=pairing, matches=scaled(100_000, 400), seed=11)
    exact = {
        "score.first": (value_of(plain, first, second) + 1.0 - value_of(plain, second, first)) / 2,
        "margin.mean": (
            value_of(plain, first, second, objective="points") - value_of(plain, second, first, objective="points")
        )
        / 2,
    }
    for figure, expected in exact.items():
        found = run[figure]
        reach = 2.0 * (found.high - found.low) / 2 + 0.002  # twice a 95% half-width, and the spread of the draws
        assert abs(found.value - expected) <= reach, (figure, expected, found)


def test_exact__the_page_has_a_row_for_every_game():
    rows = [line.split(" | ") for line in BLOCK.search(PAGE.read_text(encoding="utf-8"))[2].splitlines()[2:]]
    assert list(dict.fromkeys(row[0].strip("| ") for row in rows)) == list(SMALL_GAMES)
    for row in rows:
        assert row[4] == "0.5000"
        if "reads the past" not in row[6]:
            score, lost, best = (float(cell.strip(" |")) for cell in row[6:])
            assert score <= 0.5 + 1e-9
            assert score + lost == pytest.approx(0.5, abs=2e-4)
            assert best >= 1.0 - score - 2e-4
            if row[5] == "greedy":
                assert best >= 0.55


@pytest.mark.compiled
def test_exact__the_page_has_what_a_quick_game_gives_now():
    listed = [
        re.split(r" \| ", line.strip("| "))[:5]
        for line in BLOCK.search(PAGE.read_text(encoding="utf-8"))[2].splitlines()
        if line.startswith("| shed")
    ]
    solution = solve(SHED)
    now = ["shed", "3", f"{solution.n_positions:,}", f"{solution.n_mixed:,}", f"{solution.value:.4f}"]
    assert listed
    assert all(cells == now for cells in listed)


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL_GAMES)
def test_exact__the_page_has_what_the_games_give_now(name):
    listed = [
        line.strip("| ").split(" | ")
        for line in BLOCK.search(PAGE.read_text(encoding="utf-8"))[2].splitlines()
        if line.startswith(f"| {name} ")
    ]
    assert rows_of(name, shipped_names()) == listed
