"""Matches written down are the matches that were played, and traffic is what the moves and meetings in them say."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.codes import Column
from sim.api import make_plan
from sim.games.dispatch.traces import play_traces
from sim.lowering import COMPANIES, pack_words, unpack_words
from sim.records import read_record
from sim.replaying import Board, play_record
from sim.running.chunks import Chunk
from tests.reference.dispatch import Match
from tests.run_tools import SHORT, plan_of_bots, scaled

KINDS = ("junction_conflict", "toll", "shared_arrival")
"""Events of the reference in the order of `MEETINGS`."""

PAIRINGS = [("greedy", "greedy", "standard"), ("greedy", "random", "crooked"), ("still", "still", "corridor")]


@pytest.mark.parametrize(("first", "second", "scenario"), PAIRINGS)
def test_traces__are_the_rows_that_are_played(first, second, scenario):
    plan = plan_of_bots(first, second, scenario)
    chunk = Chunk(3, scaled(200, 4), 2)
    rows = plan.play_rows(chunk)
    traces = play_traces(plan, chunk)
    assert (traces.lengths == plan.scenario.dispatches).all()
    last = [Column.POINTS_A, Column.POINTS_B, Column.CASH_A, Column.CASH_B]
    np.testing.assert_array_equal(traces.standings[:, -1], rows[:, last])
    assert traces.head_ons.sum() == rows[:, Column.HEAD_ONS].sum()
    conflicts, tolls, shared = traces.meetings.sum(axis=(0, 1))
    assert conflicts == rows[:, Column.JUNCTION_CONFLICTS].sum()
    assert tolls + shared == rows[:, Column.SHARED_ARRIVALS].sum()


@pytest.mark.parametrize(("first", "second", "scenario"), PAIRINGS)
def test_traces__replay_as_records(first, second, scenario):
    plan = plan_of_bots(first, second, scenario)
    traces = play_traces(plan, Chunk(0, 2))
    board = Board(plan.scenario)
    for m in range(len(traces.orders)):
        orders = [
            {company: unpack_words(board.names, c, int(pair[c])) for c, company in enumerate(COMPANIES)}
            for pair in traces.orders[m]
        ]
        record = read_record({"schema": 1, "scenario": plan.scenario.resolved(), "orders": orders})
        played = play_record(record)
        points = [[state["points"]["A"], state["points"]["B"]] for state in played.words()["states"]]
        np.testing.assert_array_equal(traces.standings[m, :, :2], points)


@pytest.mark.parametrize(("first", "second", "scenario"), PAIRINGS)
def test_traces__traffic_and_meetings_are_those_of_the_reference(first, second, scenario):
    plan = plan_of_bots(first, second, scenario, **{"economy.starting_cash": 20, "economy.upgraded_speed": 3})
    n_blocks = 2
    traces = play_traces(plan, Chunk(1, n_pairs := scaled(20, 4)), n_blocks)
    names = Board(plan.scenario).names
    runs = np.zeros_like(traces.runs)
    head_ons = np.zeros_like(traces.head_ons)
    meetings = np.zeros_like(traces.meetings)
    for m in range(n_pairs * plan.n_swaps):
        b = (1 + m // plan.n_swaps) % n_blocks
        match = Match(plan.scenario.resolved())
        for pair in traces.orders[m]:
            match.play({company: unpack_words(names, c, int(pair[c])) for c, company in enumerate(COMPANIES)})
        for arc, n in match.runs.items():
            runs[b, names.arc_numbers[arc]] += n
        for (one, other), n in match.head_on_tracks.items():
            head_ons[b, names.arc_numbers[one, other] // 2] += n
        for event in (event for events in match.events for event in events):
            if event["event"] in KINDS:
                meetings[b, names.node_numbers[event["at"]], KINDS.index(event["event"])] += 1
    np.testing.assert_array_equal(traces.runs, runs)
    np.testing.assert_array_equal(traces.head_ons, head_ons)
    np.testing.assert_array_equal(traces.meetings, meetings)
    assert runs.any()


def test_traces__stop_at_an_illegal_order(tmp_path):
    bots = tmp_path / "bots.py"
    bots.write_text(
        "from sim.bots import bot\n\n\n@bot()\ndef wrong(rules, state, c, params, stream):\n"
        '    """Orders what no map has in dispatch 3."""\n    return -1 if state.dispatch == 3 else 0\n'
    )
    plan = make_plan("standard", bots=(f"{bots}:wrong", "random"), seed=1, overrides=SHORT)
    traces = play_traces(plan, Chunk(0, 1))
    assert traces.lengths.tolist() == [2, 2]
    assert not traces.orders[:, 2:].any()
    assert not traces.standings[:, 2:].any()
    assert (traces.standings[:, :2, 2:] > 0).all()


def test_unpack_words__is_the_way_back():
    board = Board(plan_of_bots("greedy", "greedy").scenario)
    for c, own in enumerate((("A1", "A2"), ("B1", "B2"))):
        for train in own:
            for move in ("forward", "reverse"):
                for toggle in (None, *board.names.network.junctions):
                    for invest in (None, f"upgrade:{own[0]}", f"upgrade:{own[1]}", "siding:bW"):
                        words = {"train": train, "move": move, "toggle": toggle, "invest": invest}
                        assert unpack_words(board.names, c, pack_words(board.names, c, **words)) == words
