"""The kernel plays by the rules: recorded matches, matches worked out by hand, and the oracle on random maps."""

from __future__ import annotations

import os
from collections import Counter

import numpy as np
import pytest

from kernels.codes import Column, Outcome
from kernels.dispatch.batch import replay_orders, replay_row
from kernels.dispatch.layout import RULES_DTYPE, STATE_DTYPE, new_state
from kernels.jit import PLAIN
from kernels.random import STREAM_DTYPE
from sim.config.errors import BadInput
from sim.records import read_record
from sim.replaying import play_record, replay, replay_many
from tests.dispatch_cases import HAND_CASES, REFUSED_CASES, recorded_cases
from tests.kernel_tools import N_MAPS, NO_LOG, board_of, expected_row, seeded, swapped_row
from tests.reference.dispatch import IllegalOrder, played_match
from tests.reference.dispatch import replay as reference_replay
from tests.reference.generate import random_record
from tests.reference.mirror import is_exact, mirrored, mirrored_result


def test_kernel_rules__recorded_cases():
    cases = recorded_cases()
    assert len(cases) == 150
    for case, replayed in zip(cases, replay_many([case["record"] for case in cases]), strict=True):
        assert replayed == case["expected"], case["record"]["scenario"]["name"]


@pytest.mark.parametrize("case", HAND_CASES, ids=lambda case: case.name)
def test_kernel_rules__hand_case(case):
    case.check(replay(case.record))


@pytest.mark.parametrize("case", REFUSED_CASES, ids=lambda case: case.name)
def test_kernel_rules__refused_case(case):
    with pytest.raises(IllegalOrder):
        reference_replay(case.record)
    with pytest.raises(BadInput) as refused:
        replay(case.record)
    assert [str(problem) for problem in refused.value.problems] == [str(refused.value)]
    assert str(refused.value).startswith(f"dispatch {case.dispatch}, company {case.company}: ")


def test_kernel_rules__oracle_on_random_maps():
    """Every state, event, result and count of random matches, and the books of each company."""
    seen: Counter[str] = Counter()
    for number in range(N_MAPS):
        record = random_record(seeded("rules", number))
        match, states = played_match(record)
        played = play_record(read_record(record))
        words = played.words()
        assert words["states"] == states, number
        assert words["events"] == match.events, number
        assert words["result"] == match.result(), number
        row = played.row
        assert row.tolist() == expected_row(match), number
        _check_books(played, number)
        seen["matches"] += 1
        seen[Outcome(int(row[Column.OUTCOME])).name] += 1
        for events in words["events"]:
            for event in events:
                seen[event["event"]] += 1
                seen["later tick"] += event["tick"] > 1
                if event["event"] == "toll":
                    seen["toll of nothing"] += event["paid"] == 0
                    seen[f"toll by {event['by']}"] += 1
        for name in ("CANCELLED_TOGGLES", "STUCK_A", "IDLE_B", "UPGRADES_A", "SIDINGS_B"):
            seen[name] += int(row[Column[name]])
        seen["company scope"] += played.board.scenario.cargo.scope == "company"
    assert seen["matches"] == N_MAPS
    rare = {name for name in WANTED if seen[name] < max(1, N_MAPS // 50)}
    assert not rare, f"the random matches hardly ever show {sorted(rare)}: {seen}"


WANTED = {
    *("head_on", "junction_conflict", "toll", "shared_arrival", "delivery", "later tick", "toll of nothing"),
    *("toll by A", "toll by B", "CANCELLED_TOGGLES", "STUCK_A", "IDLE_B", "UPGRADES_A", "SIDINGS_B", "company scope"),
    *("A_ON_POINTS", "B_ON_POINTS", "A_ON_CASH", "B_ON_CASH", "SHARED", "UNFINISHED"),
}


def _check_books(played, number):
    """Every dollar has come from somewhere and gone somewhere; points are the rewards of deliveries."""
    economy = played.board.scenario.economy
    dispatches = len(played.record.orders)
    row = {column: int(played.row[column]) for column in Column}
    rewards = {"A": 0, "B": 0}
    deliveries = {"A": 0, "B": 0}
    for log in played.logs:
        for event in map(played.board.event_words, log):
            if event["event"] == "delivery":
                rewards[event["train"][0]] += event["reward"]
                deliveries[event["train"][0]] += 1
    for company, rival in ("AB", "BA"):
        assert row[Column[f"POINTS_{company}"]] == rewards[company], number
        assert row[Column[f"DELIVERIES_{company}"]] == deliveries[company], number
        cash = economy.starting_cash + economy.income * dispatches + rewards[company]
        cash -= (economy.upgrade_cost or 0) * row[Column[f"UPGRADES_{company}"]]
        cash -= (economy.siding_cost or 0) * row[Column[f"SIDINGS_{company}"]]
        cash += row[Column[f"TOLLS_{rival}"]] - row[Column[f"TOLLS_{company}"]]
        assert row[Column[f"CASH_{company}"]] == cash >= 0, number


def test_kernel_rules__exact_maps_swap_with_their_mirror():
    """On an exact map, orders swapped through the mirror swap every state, event, count and the result (rules 7)."""
    for number in range(max(20, N_MAPS // 4)):
        record = random_record(seeded("mirror", number), exact=True)
        rail_map = record["scenario"]["map"]
        assert is_exact(rail_map), number
        one = play_record(read_record(record))
        other = play_record(read_record(mirrored(record)), one.board)
        assert other.words() == mirrored_result(rail_map, one.words()), number
        np.testing.assert_array_equal(other.row, swapped_row(one.row))


def test_kernel_rules__longest_match_on_the_largest_map():
    """The limits of rules 8 at once: 62 junctions, 1,000 dispatches, 16 ticks; tables and words are wide enough."""
    for number, scope in enumerate(("train", "company")):
        rng = seeded("largest", number)
        record = random_record(rng, n_junctions=62)
        scenario = record["scenario"]
        scenario["dispatches"] = 1_000
        scenario["economy"] = {"upgraded_speed": 16, "upgrade_cost": 0, "siding_cost": 0, "income": 10_000}
        scenario["economy"]["starting_cash"] = 10_000
        scenario["cargo"] = {"rewards": [1_000] * 64, "scope": scope}
        rail_map = scenario["map"]
        near = rail_map["tracks"]
        # Train 1 shuttles along one track, so that it delivers in every dispatch.
        at, came_from = near[0]
        rail_map["trains"] = [
            {"start": {"at": at, "from": came_from}, "deliveries": [came_from, at]},
            {"start": {"at": at, "from": came_from}, "deliveries": [at]},
        ]
        rail_map["deliveries"] = [came_from, at, *[at, came_from] * 500]  # train 2 loads the second
        order = {"move": "reverse", "toggle": None, "invest": None}
        both = {company: {"train": f"{company}1", **order} for company in "AB"}
        junctions = sorted(board_of(scenario).names.network.junctions)
        record["orders"] = [
            {company: {**both[company], "invest": f"siding:{junctions[d]}" if d < 62 else None} for company in "AB"}
            for d in range(1_000)
        ]
        assert len(junctions) == 62
        match, states = played_match(record)
        played = play_record(read_record(record))
        words = played.words()
        assert words["states"] == states
        assert words["events"] == match.events
        assert played.row.tolist() == expected_row(match)
        assert match.sidings_bought == {"A": 62, "B": 62}
        assert match.deliveries == {"A": 1_000, "B": 1_000}
        assert match.cash["A"] == 10_000 + 1_000 * (10_000 + 1_000)


@pytest.mark.skipif(
    not PLAIN and os.environ.get("NUMBA_BOUNDSCHECK") != "1", reason="compiled kernels do not check bounds"
)
def test_kernel_rules__bounds_are_checked_where_that_is_asked():
    """Else a warm cache would pass for a run with bounds checked."""
    board = board_of(random_record(seeded("bounds", 0))["scenario"])
    orders, verdict, row = np.zeros((0, 2), np.int64), np.zeros(3, np.int64), np.zeros(len(Column) - 20, np.int32)
    state = new_state()
    replay_orders(board.rules, state, orders, 0, NO_LOG, verdict)
    with pytest.raises(IndexError):
        replay_row(board.rules, state, row)


def test_kernel_rules__no_field_hides_behind_a_method_of_numpy_records():
    """`record.item` is a method of numpy's, so that a field of such a name could not be read in plain kernels."""
    for dtype in (RULES_DTYPE, STATE_DTYPE, STREAM_DTYPE):
        assert not set(dtype.names) & set(dir(np.record))
