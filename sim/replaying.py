"""Recorded orders judged and played again: states, events and the result, in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kernels.codes import N_COLUMNS, Column, Illegal, Outcome
from kernels.dispatch.batch import replay_orders, replay_row
from kernels.dispatch.layout import STATE_DTYPE, new_state
from kernels.dispatch.resolve import (
    DELIVERY,
    EVENT_FIELDS,
    HEAD_ON,
    JUNCTION_CONFLICT,
    LOG_FIELDS,
    LOG_ROWS,
    MOVE,
    SHARED_ARRIVAL,
    TOLL,
)
from sim.config.errors import BadInput, Problem
from sim.config.scenario import Scenario
from sim.config.values import shown
from sim.lowering import COMPANIES, TRAINS, lower, names_of, pack_words
from sim.records import MAX_PROBLEMS, Order, Record, RecordSource, limited, read_record, read_records

__all__ = ["Played", "play_record", "play_records", "replay", "replay_many"]

EVENT_WORDS = {
    HEAD_ON: "head_on",
    JUNCTION_CONFLICT: "junction_conflict",
    TOLL: "toll",
    SHARED_ARRIVAL: "shared_arrival",
    DELIVERY: "delivery",
}
"""Names of the events in a replay, by the codes of the kernel's log."""

_RESULTS: dict[int, tuple[str | None, str | None]] = {
    Outcome.A_ON_POINTS: ("A", "points"),
    Outcome.B_ON_POINTS: ("B", "points"),
    Outcome.A_ON_CASH: ("A", "cash"),
    Outcome.B_ON_CASH: ("B", "cash"),
    Outcome.SHARED: ("shared", "shared"),
    Outcome.UNFINISHED: (None, None),
}
_ALL_TRAINS = TRAINS[0] + TRAINS[1]


def replay(record: RecordSource) -> dict[str, Any]:
    """Judge the orders of a match record and play them.

    Parameters
    ----------
    record
        The record as plain data, or the path of the JSON file that holds it.

    Returns
    -------
    dict
        ``states`` and ``events``, one item for each dispatch, both after it has resolved in full, and ``result``, with
        ``winner`` (A, B or shared) and ``decided_by`` (points, cash or shared), both None while dispatches remain.

    Raises
    ------
    BadInput
        When the record is malformed, or an order is illegal (rules 3.3): with its place, dispatch, company and reason.
    """
    return play_record(read_record(record)).words()


def replay_many(records: Iterable[RecordSource] | str | Path) -> list[dict[str, Any]]:
    """Judge and play many match records.

    Parameters
    ----------
    records
        The path of a `.jsonl` file, one record a line, or an iterable of whatever `replay` takes.

    Returns
    -------
    list of dict
        What `replay` gives for each record, in order.

    Raises
    ------
    BadInput
        With the problems of all records, each with its place, up to a hundred.
    """
    return [played.words() for played in play_records(read_records(records))]


@dataclass(frozen=True)
class Played:
    """A record after its orders were played.

    Attributes
    ----------
    states
        `STATE_DTYPE` [d]: the board after each dispatch.
    logs
        Rows of events of each dispatch: code, tick and the numbers that `EVENT_FIELDS` names.
    moves
        Of each dispatch the tick, the train (`2 * company + train`) and the arc of every move.
    row
        int32 [k], k a `Column`: the match as a row of outcomes; `Outcome.UNFINISHED` while dispatches remain.
    """

    record: Record
    board: Board
    states: npt.NDArray[Any]
    logs: list[list[list[int]]]
    moves: list[list[tuple[int, int, int]]]
    row: npt.NDArray[np.int32]

    def words(self) -> dict[str, Any]:
        """States, events and result as `sim replay --json` prints them."""
        winner, decided_by = _RESULTS[int(self.row[Column.OUTCOME])]
        return {
            "states": self.board.state_words(self.states),
            "events": [[self.board.event_words(row) for row in log] for log in self.logs],
            "result": {"winner": winner, "decided_by": decided_by},
        }


class Board:
    """One scenario, lowered, with the words for what happens on it."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.rules = lower(scenario)
        self.names = names_of(scenario.map)
        self._packed: dict[tuple[int, str, str, str | None, str | None], int] = {}

    @cached_property
    def _cargo_nodes(self) -> list[list[list[int]]]:
        nodes: list[list[list[int]]] = self.rules["cargo_node"][0].tolist()
        return nodes

    @cached_property
    def _cargo_rewards(self) -> list[list[list[int]]]:
        rewards: list[list[list[int]]] = self.rules["cargo_reward"][0].tolist()
        return rewards

    def packed(self, c: int, order: Order) -> int:
        """The packed order of company c; LookupError names the word that fits nothing here."""
        words = (c, order.train, order.move, order.toggle, order.invest)
        found = self._packed.get(words)
        if found is None:
            found = self._packed[words] = pack_words(self.names, *words)
        return found

    def state_words(self, states: npt.NDArray[Any]) -> list[dict[str, Any]]:
        """The public state after each dispatch, `states` being `STATE_DTYPE` [d]."""
        junctions, nodes, arcs = self.names.network.junctions, self.names.nodes, self.names.arcs
        speeds = (1, self.scenario.economy.upgraded_speed)
        fields = ("cash_dollars", "points", "routes", "sidings", "arc", "cargo_item", "upgraded")
        owned = cache(self.names.junctions_of)
        words = []
        for cash, points, routes, sidings, arc, item, upgraded in zip(
            *(states[name].tolist() for name in fields), strict=True
        ):
            trains = {}
            for c, own in enumerate(TRAINS):
                for t, train in enumerate(own):
                    came_from, at = arcs[arc[c][t]]
                    k = item[c][t]
                    trains[train] = {
                        "at": at,
                        "from": came_from,
                        "to": nodes[self._cargo_nodes[c][t][k]],
                        "reward": self._cargo_rewards[c][t][k],
                        "speed": speeds[upgraded[c] >> t & 1],
                    }
            words.append(
                {
                    "cash": dict(zip(COMPANIES, cash, strict=True)),
                    "points": dict(zip(COMPANIES, points, strict=True)),
                    "routes": {label: 1 + (routes >> j & 1) for j, label in enumerate(junctions)},
                    "sidings": {company: list(owned(sidings[c])) for c, company in enumerate(COMPANIES)},
                    "trains": trains,
                }
            )
        return words

    def event_words(self, row: list[int]) -> dict[str, Any]:
        """One event, from a row of the kernel's log."""
        code, tick, *numbers = row
        event: dict[str, Any] = {"tick": tick, "event": EVENT_WORDS[code]}
        for name, number in zip(EVENT_FIELDS[code], numbers, strict=False):
            if name == "at":
                event[name] = self.names.nodes[number]
            elif name == "train":
                event[name] = _ALL_TRAINS[number]
            elif name == "by":
                event[name] = COMPANIES[number]
            else:
                event[name] = number
        return event


def play_record(record: Record, board: Board | None = None) -> Played:
    """Judge and play the orders of a record that was read.

    Raises
    ------
    BadInput
        When an order is illegal.
    """
    board = Board(record.scenario) if board is None else board
    orders = _packed_orders(record, board)
    state = new_state()
    verdict = np.zeros(3, np.int64)
    log = np.zeros((LOG_ROWS, LOG_FIELDS), np.int64)
    states = np.zeros(len(orders), STATE_DTYPE)
    board_now = state.view(STATE_DTYPE, np.ndarray)  # a record array is slow to read
    logs = []
    moves = []
    replay_orders(board.rules, state, orders[:0], 0, log, verdict)
    for d in range(len(orders)):
        if replay_orders(board.rules, state, orders[: d + 1], d, log, verdict) == d:
            raise BadInput([_illegal_order(record, d, int(verdict[1]), int(verdict[2]), state)])
        states[d] = board_now[0]
        noted = log[1 : 1 + log[0, 0]].tolist()
        logs.append([row for row in noted if row[0] != MOVE])
        moves.append([(tick, train, arc) for code, tick, train, arc, _ in noted if code == MOVE])
    row = np.zeros(N_COLUMNS, np.int32)
    replay_row(board.rules, state, row)
    return Played(record, board, states, logs, moves, row)


def play_records(records: Iterable[Record]) -> list[Played]:
    """Judge and play records; equal scenarios are lowered once.

    Raises
    ------
    BadInput
        With the first illegal order of each record, up to a hundred.
    """
    boards: dict[int, Board] = {}
    played: list[Played] = []
    problems: list[Problem] = []
    for record in records:
        board = boards.get(id(record.scenario))
        if board is None:
            board = boards[id(record.scenario)] = Board(record.scenario)
        try:
            played.append(play_record(record, board))
        except BadInput as error:
            problems.extend(error.problems)
        if len(problems) > MAX_PROBLEMS:
            break
    if problems:
        raise limited(problems)
    return played


def _packed_orders(record: Record, board: Board) -> npt.NDArray[np.int64]:
    """Packed orders, int64 [d, c]; BadInput with every word that fits nothing on the board."""
    packed = np.zeros((len(record.orders), 2), np.int64)
    problems: list[Problem] = []
    for d, orders in enumerate(record.orders):
        for c, order in enumerate((orders.A, orders.B)):
            try:
                packed[d, c] = board.packed(c, order)
            except LookupError:
                problems.extend(_misfits(record, board, d, c, order))
    if problems:
        raise limited(problems)
    return packed


def _misfits(record: Record, board: Board, d: int, c: int, order: Order) -> list[Problem]:
    """Each word of an order that fits nothing on the board, tried alone."""
    own = TRAINS[c][0]
    problems = []
    for key, words in (
        ("train", (order.train, order.move, None, None)),
        ("toggle", (own, order.move, order.toggle, None)),
        ("invest", (own, order.move, None, order.invest)),
    ):
        try:
            pack_words(board.names, c, *words)
        except LookupError as error:
            problems.append(_order_problem(record, d, c, key, str(error)))
    return problems


def _order_problem(record: Record, d: int, c: int, key: str, message: str) -> Problem:
    company = COMPANIES[c]
    text = f"dispatch {d + 1}, company {company}: {message}"
    return record.place.problem("", text, f"orders[{d + 1}].{company}.{key}")


def _illegal_order(record: Record, d: int, c: int, code: int, state: npt.NDArray[Any]) -> Problem:
    """Why the board refuses an order, in the words of whoever gave it (rules 3.2, 3.3)."""
    orders = record.orders[d]
    invest = (orders.A if c == 0 else orders.B).invest
    assert invest is not None, "only an investment can be illegal once every word fits the map"
    kind, _, what = invest.partition(":")
    economy = record.scenario.economy
    cost = economy.upgrade_cost if kind == "upgrade" else economy.siding_cost
    reasons = {
        Illegal.NOT_ON_OFFER: f"{kind}s are not on offer here (economy.{kind}_cost is null)",
        Illegal.ALREADY_UPGRADED: f"{what} is upgraded already",
        Illegal.ALREADY_OWNED: f"company {COMPANIES[c]} owns a siding there already",
        Illegal.TOO_EXPENSIVE: f"costs ${cost} but only ${state['cash_dollars'][0, c]} is held",
    }
    return _order_problem(record, d, c, "invest", f"invest is {shown(invest)}; {reasons[Illegal(code)]}")
