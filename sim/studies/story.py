"""One match explained: what both ordered, what came of it, what each order was worth, and the one that turned it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kernels.dispatch.batch import replay_orders
from kernels.dispatch.layout import new_state
from kernels.dispatch.orders import illegality
from kernels.dispatch.resolve import LOG_FIELDS
from kernels.dispatch.sequel import BOTS_OWN, fill_sequels
from kernels.random import new_streams
from sim.catalogue import Player
from sim.config.errors import BadInput
from sim.config.scenario import Scenario
from sim.games.dispatch.plan import DispatchPlan
from sim.games.dispatch.players import player_for
from sim.games.dispatch.recorded import RecordedPlan
from sim.lowering import COMPANIES, TRAINS, pack_words, unpack_words
from sim.records import LINES_SUFFIXES, Record, read_record, read_records
from sim.replaying import Board, Played, play_record
from sim.running.result import Run
from sim.studies.match_record import plain_record, record_of
from sim.studies.picking import Picked, pick_match, pick_of

__all__ = ["PLAY_ON", "Chance", "Costly", "Story", "explain"]

PLAY_ON = "saboteur"
"""Who plays on from a board, in both seats, where nothing else is asked for: strong for its speed, and it draws."""

SEED = 0
CHANCE_LUCKS = 1024
"""Sequels of each board of the match: a chance is known to about 1.5 pp."""

SCREEN_LUCKS = 64
"""Sequels of every other order, by which the most promising are found."""

MOST_CHECKED = 12
"""Orders that are checked with fresh luck, those that seem to have cost most."""

CHECK_LUCKS = 4096
_Z = 1.96


@dataclass(frozen=True)
class Chance:
    """Expected score of company A, a shared victory counting half, when both sides play on alike.

    Attributes
    ----------
    value, half_width
        With the half-width of its 95% interval; 0 where the match is over.
    """

    value: float
    half_width: float


@dataclass(frozen=True)
class Costly:
    """An order that another would have been better than.

    Attributes
    ----------
    dispatch, company
        Whose order it was, and when, counted from 1.
    ordered, better
        The order's words, and those of the better one: another move, or another purchase.
    cost, half_width
        What it cost the company in expected score, with the half-width of its 95% interval. The rival's order of that
        dispatch, which was secret, is whatever the bot that plays on would give.
    cost_points
        The same in points of margin.
    """

    dispatch: int
    company: str
    ordered: dict[str, str | None]
    better: dict[str, str | None]
    cost: float
    half_width: float
    cost_points: float


@dataclass(frozen=True)
class Story:
    """One match, dispatch by dispatch.

    Attributes
    ----------
    scenario, players, record
        What was played, who sat in A and B, and the match record, which `sim replay` takes.
    title, why
        What the match is called, and what it was picked for.
    states
        The board before the first dispatch and after each, in the words of `sim replay`.
    orders, events, moves
        Of each dispatch: both orders; the events of `sim replay`; and (tick, train, from, to) of every move.
    result
        `winner` and `decided_by`; both None while dispatches remain.
    chances
        Company A's chance on each of the boards in `states`.
    costly
        Orders whose cost is surely above 0, the costliest first.
    play_on
        The bot that played on in both seats.
    """

    scenario: Scenario = field(repr=False)
    players: dict[str, str]
    record: dict[str, Any] = field(repr=False)
    title: str
    why: str
    states: list[dict[str, Any]] = field(repr=False)
    orders: list[dict[str, dict[str, str | None]]] = field(repr=False)
    events: list[list[dict[str, Any]]] = field(repr=False)
    moves: list[list[tuple[int, str, str, str]]] = field(repr=False)
    result: dict[str, str | None]
    chances: tuple[Chance, ...] = field(repr=False)
    costly: tuple[Costly, ...] = field(repr=False)
    play_on: str
    number: int | None = field(default=None)

    @property
    def turning_point(self) -> Costly | None:
        """The order that cost most; None where none surely cost anything."""
        return self.costly[0] if self.costly else None

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain data, as `sim match --json` prints it."""
        return {
            "schema": 1,
            "title": self.title,
            "why": self.why,
            "number": self.number,
            "players": self.players,
            "play_on": self.play_on,
            "record": self.record,
            "states": self.states,
            "events": self.events,
            "moves": [[list(move) for move in moves] for moves in self.moves],
            "result": self.result,
            "chance_a": [[round(chance.value, 4), round(chance.half_width, 4)] for chance in self.chances],
            "costly": [
                {
                    "dispatch": one.dispatch,
                    "company": one.company,
                    "ordered": one.ordered,
                    "better": one.better,
                    "cost": round(one.cost, 4),
                    "half_width": round(one.half_width, 4),
                    "cost_points": round(one.cost_points, 2),
                }
                for one in self.costly
            ],
        }

    def _repr_html_(self) -> str:
        from sim.reports.story_page import story_frame

        return story_frame(self)


def explain(source: Run | str | Path, pick: str | int = "closest", *, play_on: str = PLAY_ON) -> Story:
    """Explain one match.

    Parameters
    ----------
    source
        A run, a run folder, or a file of match records (`.json` or `.jsonl`).
    pick
        Which match: `closest`, `blowout`, `comeback`, `shared` or a number counted from 0 (`pick_match`); of a file of
        records only a number, or anything where it holds but one.
    play_on
        The bot that both sides play on like, in what might have been.

    Raises
    ------
    BadInput
        When there is no such match, or the source or the bot is not usable.
    """
    wanted = pick_of(str(pick))
    if not isinstance(source, Run) and Path(source).is_file():
        record, picked = _recorded(Path(source), wanted)
        return _story(record, picked, play_on, picked.number if Path(source).suffix in LINES_SUFFIXES else None)
    from sim.api import plan_of
    from sim.reading import load_run

    run = source if isinstance(source, Run) else load_run(source)
    plan = plan_of(run)
    if isinstance(plan, RecordedPlan):
        picked = pick_match(plan, plan.n_records, wanted)
        return _story(plan.played[picked.number].record, picked, play_on, picked.number)
    if not isinstance(plan, DispatchPlan):
        raise BadInput.of(
            f"{run.scenario.name} is a run of {run.scenario.game}; only matches of dispatch are explained"
        )
    picked = pick_match(plan, run.sums.n_matches, wanted)
    return _story(read_record(record_of(plan, picked.number)), picked, play_on, picked.number)


def _recorded(path: Path, pick: str | int) -> tuple[Record, Picked]:
    """The record of a file that a pick means."""
    records = list(read_records(path)) if path.suffix in LINES_SUFFIXES else [read_record(path)]
    if isinstance(pick, str):
        if len(records) != 1:
            raise BadInput.of(f"pick is {pick!r}; of {len(records)} records must be a number, counted from 0")
        pick = 0
    if not 0 <= pick < len(records):
        raise BadInput.of(f"pick is {pick}; {path} has the records 0 to {len(records) - 1}")
    return records[pick], Picked(pick, f"record {pick} of {path.name}" if len(records) > 1 else path.name)


def _story(record: Record, picked: Picked, play_on: str, number: int | None) -> Story:
    board = Board(record.scenario)
    played = play_record(record, board)
    judge = _Judge(board, player_for(play_on, record.scenario), played)
    words = played.words()
    start = judge.boards[:1]
    plain = plain_record(record)
    orders, players = plain["orders"], plain["players"]
    arcs = board.names.arcs
    return Story(
        scenario=record.scenario,
        players=players,
        record=plain,
        title=f"{players['A']} against {players['B']} on {record.scenario.name}",
        why=picked.why,
        states=[*board.state_words(start), *words["states"]],
        orders=orders,
        events=words["events"],
        moves=[
            [(tick, (TRAINS[0] + TRAINS[1])[train], *arcs[arc]) for tick, train, arc in moves] for moves in played.moves
        ],
        result=words["result"],
        chances=judge.chances(),
        costly=judge.costly(orders),
        play_on=play_on,
        number=number,
    )


class _Judge:
    """What the boards and orders of a match were worth, by playing on from them."""

    def __init__(self, board: Board, player: Player, played: Played) -> None:
        from sim.lowering import names_of
        from sim.restrictions import lower_restrictions

        self.board = board
        self.bot = player.bot
        limits = lower_restrictions(names_of(board.scenario.map), player.restrictions)
        self.memory = player.bot.memory(board.rules, player.values, limits)
        self.streams = new_streams(2)
        self.scratch = new_state()
        self.log = np.zeros((0, LOG_FIELDS), np.int64)
        self.n = len(played.states)
        start = new_state()
        replay_orders(board.rules, start, np.zeros((0, 2), np.int64), 0, self.log, np.zeros(3, np.int64))
        self.boards = np.concatenate([np.asarray(start), played.states])

    def sequels(
        self, d: int, orders: Sequence[tuple[int, int]], lucks: int, first_luck: int
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Scores of A and margins, both of shape (o, l), of playing on from board d by each pair of orders."""
        scores = np.zeros((len(orders), lucks), np.int32)
        margins = np.zeros((len(orders), lucks), np.int32)
        fill_sequels(
            self.board.rules,
            self.boards[d : d + 1].view(np.recarray),
            self.scratch,
            self.streams,
            self.bot.compiled,
            self.memory,
            self.bot.compiled,
            self.memory,
            SEED,
            0,
            first_luck,
            np.array(orders, np.int64).reshape(-1, 2),
            self.log,
            scores,
            margins,
        )
        return scores / 2, margins.astype(np.float64)

    def chances(self) -> tuple[Chance, ...]:
        """Company A's chance before the first dispatch and after each."""
        found = []
        for d in range(self.n + 1):
            over = d == self.board.scenario.dispatches
            scores, _ = self.sequels(d, [(BOTS_OWN, BOTS_OWN)], 1 if over else CHANCE_LUCKS, 0)
            found.append(Chance(float(scores.mean()), 0.0 if over else _half_width(scores[0])))
        return tuple(found)

    def costly(self, orders: Sequence[dict[str, dict[str, str | None]]]) -> tuple[Costly, ...]:
        """Orders that surely cost something: found among all with one luck, measured with another."""
        names = self.board.names
        packed = [(self._packed(0, pair["A"]), self._packed(1, pair["B"])) for pair in orders]
        suspects: list[tuple[float, int, int, int]] = []
        for d, given in enumerate(packed):
            for c in range(2):
                others = self._others(d, c, given[c])
                if not others:
                    continue
                pairs = [_alone(c, order) for order in (given[c], *others)]
                scores, _ = self.sequels(d, pairs, SCREEN_LUCKS, CHANCE_LUCKS)
                worth = scores.mean(axis=1) * (1 if c == 0 else -1)
                best = int(np.argmax(worth))
                if worth[best] > worth[0]:
                    suspects.append((float(worth[best] - worth[0]), d, c, ([given[c], *others])[best]))
        suspects.sort(key=lambda one: (-one[0], one[1], one[2]))
        found = []
        for _, d, c, other in suspects[:MOST_CHECKED]:
            pairs = [_alone(c, packed[d][c]), _alone(c, other)]
            scores, margins = self.sequels(d, pairs, CHECK_LUCKS, CHANCE_LUCKS + SCREEN_LUCKS)
            sign = 1 if c == 0 else -1
            gain = sign * (scores[1] - scores[0])
            half_width = _half_width(gain)
            if gain.mean() > half_width:
                company = COMPANIES[c]
                found.append(
                    Costly(
                        d + 1,
                        company,
                        dict(orders[d][company]),
                        unpack_words(names, c, other),
                        float(gain.mean()),
                        half_width,
                        float(sign * (margins[1] - margins[0]).mean()),
                    )
                )
        return tuple(sorted(found, key=lambda one: (-one.cost, one.dispatch, one.company)))

    def _packed(self, c: int, order: dict[str, str | None]) -> int:
        return pack_words(
            self.board.names, c, str(order["train"]), str(order["move"]), order["toggle"], order["invest"]
        )

    def _others(self, d: int, c: int, given: int) -> list[int]:
        """Every legal order with another move or toggle, or with another purchase, than the one given."""
        n_junctions = len(self.board.names.network.junctions)
        bought = given & ~0x1FF
        moves = [bits | bought for bits in range(4 * (n_junctions + 1))]
        purchases = [given & 0x1FF | invest << 9 for invest in range(3 + n_junctions)]
        rules, state = self.board.rules[0], self.boards[d : d + 1].view(np.recarray)[0]
        return [
            order
            for order in dict.fromkeys([*moves, *purchases])
            if order != given and illegality(rules, state, np.int64(c), np.int64(order)) == 0
        ]


def _alone(c: int, order: int) -> tuple[int, int]:
    """One company's order beside whatever the rival's bot gives: orders are secret, none is blamed for the rival's."""
    return (order, BOTS_OWN) if c == 0 else (BOTS_OWN, order)


def _half_width(values: npt.NDArray[np.float64]) -> float:
    return float(_Z * values.std(ddof=1) / math.sqrt(values.size))
