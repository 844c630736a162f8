"""Exact solutions of small dispatch games: a matrix game at every position, from the last dispatch back to the first.

    solution = solve(scenario)                      # equilibrium; objective "score" or "points"
    solution.value                                  # what A gets from the start when both play well
    solution.mix(state, 0)                          # A's equilibrium mix there: {Order: probability}
    value_of(scenario, mix_a, mix_b)                # what A gets when two given behaviours meet
    best_response(scenario, mix_of, seat)           # the most that the other seat gets against a behaviour

A behaviour is a function of (state, company) that gives {Order: probability}. Score is 1 for a win, one half for a
shared victory (5); points are the margin of A. Seats are 0 for A and 1 for B.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, Literal

from tests.reference.exact_board import Board
from tests.reference.exact_matrix import matrix_game
from tests.reference.exact_positions import Kind, Order, Position, State

__all__ = ["Behaviour", "Mix", "Order", "Solution", "State", "best_response", "solve", "value_of"]

Objective = Literal["score", "points"]
Mix = Mapping[Order, float]
Behaviour = Callable[[State, int], Mix]

DIGITS = 12
"""Values are rounded to so many, so that equal ones are equal and rows can be merged."""


class _Payoff:
    """What a position is worth where no more play is needed to say it, and which positions are worth the same."""

    def __init__(self, board: Board, objective: Objective) -> None:
        if objective not in ("score", "points"):
            raise ValueError(f"objective is {objective!r}; must be score or points")
        self.board = board
        self.points = objective == "points"

    def mirrored(self, value: float) -> float:
        """What the other company gets."""
        return -value if self.points else 1.0 - value

    def settled(self, position: Position) -> float | None:
        """The value of a position that nobody can change any more."""
        remaining, _, lead, surplus, a, b = position
        if self.points:
            return float(lead) if remaining == 0 else None
        if remaining == 0:
            decided = lead or surplus
            return 0.5 if decided == 0 else float(decided > 0)
        if lead > 0 and lead > max(self.board.gains(1, b, remaining)):
            return 1.0
        if lead < 0 and -lead > max(self.board.gains(0, a, remaining)):
            return 0.0
        return None

    def reduced(self, position: Position) -> Position:
        """A position of the same value with a surplus that is not larger than it matters.

        By points neither the lead nor the surplus decides what is best; the lead is added by the caller.
        """
        remaining, routes, lead, surplus, a, b = position
        if self.points:
            return Position(remaining, routes, 0, 0, a, b)
        board = self.board
        if surplus:
            mine, theirs = board.gains(0, a, remaining), board.gains(1, b, remaining)
            if not any(lead + gain in theirs for gain in mine):
                return Position(remaining, routes, lead, 0, a, b)
            most = max(board.spending(a, remaining), board.spending(b, remaining)) + 1
            if surplus > most:
                return Position(remaining, routes, lead, most, a, b)
            if surplus < -most:
                return Position(remaining, routes, lead, -most, a, b)
        return position


class Solution:
    """Values and equilibrium mixes of a scenario.

    Positions are solved when they are first asked about; `solve` asks about the start.
    """

    def __init__(self, scenario: dict[str, Any], objective: Objective = "score", *, use_mirror: bool = True) -> None:
        self.board = Board(scenario, reduced=True)
        self.objective = objective
        self._payoff = _Payoff(self.board, objective)
        self._use_mirror = use_mirror and self.board.symmetric
        self._values: dict[Position, float] = {}
        self._mixes: dict[Position, tuple[dict[Order, float], dict[Order, float]]] = {}
        self.n_mixed = 0
        """Positions solved that have no best pure order."""

    @cached_property
    def value(self) -> float:
        """What A gets from the start; it is solved also where the mirror would tell it."""
        start = self._payoff.reduced(self.board.position(self.board.start()))
        return self._solved(start)

    @property
    def n_positions(self) -> int:
        """Positions solved so far; those that the mirror or the score settles are not among them."""
        return len(self._values)

    def value_at(self, state: State) -> float:
        """What A gets from a state on; with points, the lead it has already among them."""
        return self._value(self.board.position(state))

    def mix(self, state: State, company: int) -> dict[Order, float]:
        """A company's equilibrium mix at a state; of orders with equal consequences one stands for all."""
        position = self._payoff.reduced(self.board.position(state))
        found = self._mixes.get(position)
        if found is None:
            rows, columns, payoff = self._game(position)
            _, x, y = matrix_game(payoff)
            found = {rows[i]: p for i, p in x.items()}, {columns[k]: p for k, p in y.items()}
            self._mixes[position] = found
        return found[company]

    def _value(self, position: Position) -> float:
        payoff = self._payoff
        settled = payoff.settled(position)
        if settled is not None:
            return settled
        lead = position.lead if payoff.points else 0
        position = payoff.reduced(position)
        found = self._values.get(position)
        if found is not None:
            return lead + found
        if self._use_mirror:
            other = self.board.mirrored(position)
            if other == position:
                return lead + payoff.mirrored(0.0) / 2
            found = self._values.get(other)
            if found is not None:
                return lead + payoff.mirrored(found)
        return lead + self._solved(position)

    def _solved(self, position: Position) -> float:
        value, x, _ = matrix_game(self._game(position)[2])
        self.n_mixed += len(x) > 1
        self._values[position] = round(value, DIGITS)
        return self._values[position]

    def _game(self, position: Position) -> tuple[list[Order], list[Order], list[list[float]]]:
        """The orders of both companies and what A gets from each pair; orders of equal consequences are one."""
        board = self.board
        kinds_a, kinds_b = board.kinds(position.a)[0], board.kinds(position.b)[0]
        masks = [0, *(1 << j for j in range(board.n_junctions))]
        tables: dict[int, list[list[float]]] = {}
        for mask_a in masks:
            for mask_b in masks:
                flips = mask_a ^ mask_b
                if flips not in tables:
                    tables[flips] = self._table(position, position.routes ^ flips, kinds_a, kinds_b)
        payoff = []
        for mask_a in masks:
            across = [tables[mask_a ^ mask_b] for mask_b in masks]
            payoff += [[value for table in across for value in table[i]] for i in range(len(kinds_a))]
        rows = [_order(kind, j) for j in range(-1, board.n_junctions) for kind in kinds_a]
        columns = [_order(kind, j) for j in range(-1, board.n_junctions) for kind in kinds_b]
        return rows, columns, payoff

    def _table(self, position: Position, routes: int, kinds_a: list[Kind], kinds_b: list[Kind]) -> list[list[float]]:
        """What A gets from each pair of orders with the switches as they stand during movement.

        This is `Board.after` written out: the loop that all time goes into.
        """
        board, value = self.board, self._value
        remaining, lead, surplus = position.remaining - 1, position.lead, position.surplus
        encounters = board.encounters
        runs_b = [(kind, *board.go(1, kind.bought, kind.train, kind.reverse, routes, remaining)) for kind in kinds_b]
        table = []
        known: dict[tuple[int, ...], float] = {}
        for kind_a in kinds_a:
            way_a, part_a, earned_a = board.go(0, kind_a.bought, kind_a.train, kind_a.reverse, routes, remaining)
            row = []
            for kind_b, way_b, part_b, earned_b in runs_b:
                met = encounters(way_a, way_b)
                if met:
                    gained, tolls, a, b = board.meet(kind_a, kind_b, way_a, way_b, met, remaining)
                else:
                    gained, tolls, a, b = earned_a - earned_b, 0, part_a, part_b
                ahead = lead + gained
                saved = surplus + tolls - kind_a.price + kind_b.price
                key = (ahead, saved, a, b)
                found = known.get(key)
                if found is None:
                    found = known[key] = value(Position(remaining, routes, ahead, saved, a, b))
                row.append(found)
            table.append(row)
        return table


def solve(scenario: dict[str, Any], *, objective: Objective = "score", use_mirror: bool = True) -> Solution:
    """Solve a game.

    Parameters
    ----------
    scenario
        As plain data with the map in place.
    objective
        ``score``, or ``points`` for the expected margin.
    use_mirror
        On an exact map take a position and its mirror image as one; False solves both.
    """
    solution = Solution(scenario, objective, use_mirror=use_mirror)
    _ = solution.value
    return solution


def _order(kind: Kind, toggle: int) -> Order:
    return Order(kind.train, kind.reverse, toggle, kind.invest)


class _Play:
    """Positions of two behaviours, nothing cut off: a behaviour may look at all of a state."""

    def __init__(self, scenario: dict[str, Any], objective: Objective) -> None:
        self.board = Board(scenario, reduced=False)
        self.payoff = _Payoff(self.board, objective)
        self.values: dict[Position, float] = {}

    def chances(self, behaviour: Behaviour, position: Position, c: int) -> list[tuple[int, Kind, float]]:
        """(toggled bit, kind, probability) of what a behaviour gives, equal consequences added up."""
        kinds, which = self.board.kinds(position.b if c else position.a)
        weights: dict[tuple[int, int], float] = {}
        for order, probability in behaviour(self.board.state(position), c).items():
            toggle = 1 << order.toggle if 0 <= order.toggle < self.board.n_junctions else 0
            kind = which.get((order.train, order.reverse, order.invest))
            if kind is None or (toggle == 0 and order.toggle != -1):
                raise ValueError(f"{order} is illegal for company {'AB'[c]} at {self.board.state(position)}")
            weights[toggle, kind] = weights.get((toggle, kind), 0.0) + probability
        if abs(sum(weights.values()) - 1.0) > 1e-9:
            raise ValueError(f"probabilities of company {'AB'[c]} add up to {sum(weights.values())}, not to 1")
        return [(toggle, kinds[kind], weight) for (toggle, kind), weight in weights.items()]

    def start(self) -> Position:
        return self.board.position(self.board.start())


def value_of(scenario: dict[str, Any], mix_a: Behaviour, mix_b: Behaviour, *, objective: Objective = "score") -> float:
    """What A expects when two behaviours meet: the sum over everything that can happen."""
    play = _Play(scenario, objective)

    def value(position: Position) -> float:
        settled = play.payoff.settled(position)
        if settled is not None:
            return settled
        found = play.values.get(position)
        if found is None:
            of_b = play.chances(mix_b, position, 1)
            found = 0.0
            for toggle_a, kind_a, p in play.chances(mix_a, position, 0):
                for toggle_b, kind_b, q in of_b:
                    routes = position.routes ^ toggle_a ^ toggle_b
                    found += p * q * value(play.board.after(position, routes, kind_a, kind_b))
            play.values[position] = found
        return found

    return value(play.start())


def best_response(scenario: dict[str, Any], mix_of: Behaviour, seat: int, *, objective: Objective = "score") -> float:
    """The most that `seat` gets against a behaviour of the other seat that it knows and that stays as it is."""
    play = _Play(scenario, objective)
    board = play.board
    masks = [0, *(1 << j for j in range(board.n_junctions))]
    best = min if seat else max

    def value(position: Position) -> float:
        settled = play.payoff.settled(position)
        if settled is not None:
            return settled
        found = play.values.get(position)
        if found is None:
            found = play.values[position] = best(answers(position))
        return found

    def answers(position: Position) -> Iterator[float]:
        """What A gets on average from each order of the seat."""
        theirs: dict[int, list[tuple[Kind, float]]] = {}
        for toggle, kind, p in play.chances(mix_of, position, 1 - seat):
            theirs.setdefault(toggle, []).append((kind, p))
        for own in board.kinds(position.b if seat else position.a)[0]:
            known: dict[tuple[int, Kind], float] = {}
            for mask in masks:
                got = 0.0
                for toggle, kinds in theirs.items():
                    routes = position.routes ^ toggle ^ mask
                    for kind, p in kinds:
                        worth = known.get((routes, kind))
                        if worth is None:
                            both = (kind, own) if seat else (own, kind)
                            worth = known[routes, kind] = value(board.after(position, routes, *both))
                        got += p * worth
                yield got

    of_a = value(play.start())
    return play.payoff.mirrored(of_a) if seat else of_a
