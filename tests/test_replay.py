"""`replay` and `replay_many`: the documented form, key by key, and illegal orders refused in words."""

from __future__ import annotations

import copy
import json
import time

import pytest

from kernels.codes import Column, Outcome
from kernels.dispatch.resolve import EVENT_FIELDS
from sim.config.errors import BadInput
from sim.records import MAX_PROBLEMS, read_record, read_records
from sim.replaying import EVENT_WORDS, play_record, play_records, replay, replay_many
from tests.dispatch_cases import recorded_cases
from tests.kernel_tools import seeded
from tests.reference.by_hand import LADDER, order, record, scenario
from tests.reference.generate import random_record

FORMS = {
    "head_on": ["tick", "event"],
    "junction_conflict": ["tick", "event", "at"],
    "toll": ["tick", "event", "at", "paid", "by"],
    "shared_arrival": ["tick", "event", "at"],
    "delivery": ["tick", "event", "train", "at", "reward"],
}
STANDS = (order("A1", "forward"), order("B1", "forward"))


def complaints(source, play=replay):
    """What is said of a source."""
    with pytest.raises(BadInput) as refused:
        play(source)
    return [str(problem) for problem in refused.value.problems]


def test_replay__form_and_order_of_keys():
    seen = set()
    for case in recorded_cases():
        replayed = replay(case["record"])
        assert list(replayed) == ["states", "events", "result"]
        assert list(replayed["result"]) == ["winner", "decided_by"]
        assert len(replayed["states"]) == len(replayed["events"]) == len(case["record"]["orders"])
        for state in replayed["states"]:
            assert list(state) == ["cash", "points", "routes", "sidings", "trains"]
            for key in ("cash", "points", "sidings"):
                assert list(state[key]) == ["A", "B"]
            assert list(state["trains"]) == ["A1", "A2", "B1", "B2"]
            for train in state["trains"].values():
                assert list(train) == ["at", "from", "to", "reward", "speed"]
            for labels in (list(state["routes"]), *state["sidings"].values()):
                assert labels == sorted(labels)
        for event in (event for events in replayed["events"] for event in events):
            seen.add(event["event"])
            assert list(event) == FORMS[event["event"]]
        assert json.loads(json.dumps(replayed)) == replayed  # Python's own numbers, no numpy's
    assert seen == set(FORMS)


def test_replay__every_event_of_the_kernel_has_a_word():
    assert set(EVENT_WORDS) == set(EVENT_FIELDS)
    assert {EVENT_WORDS[code]: ["tick", "event", *fields] for code, fields in EVENT_FIELDS.items()} == FORMS


def test_replay__states_are_apart():
    """Nothing in one state is shared with another, so that a reader may change what it got."""
    replayed = replay(record(scenario(LADDER), (order("A1", "forward", None, "siding:p"), STANDS[1]), STANDS))
    replayed["states"][0]["sidings"]["A"].append("x")
    replayed["states"][0]["routes"]["p"] = 0
    assert replayed["states"][1]["sidings"] == {"A": ["p"], "B": []}
    assert replayed["states"][1]["routes"]["p"] == 1


def test_replay__no_orders_yet():
    assert replay(record(scenario(LADDER))) == {
        "states": [],
        "events": [],
        "result": {"winner": None, "decided_by": None},
    }


def test_replay__the_record_is_left_alone():
    given = random_record(seeded("alone", 1))
    before = copy.deepcopy(given)
    replay(given)
    assert given == before


def test_replay__many_are_what_each_is():
    records = [random_record(seeded("many", number)) for number in range(60)]
    mixed = [record for one in records for record in (one, {**one, "orders": one["orders"][:1]})]
    assert replay_many(iter(mixed)) == [replay(one) for one in mixed]
    assert replay_many([]) == []


def test_replay__thousands_of_one_scenario_are_quick():
    one = random_record(seeded("quick", 0), n_junctions=8)
    replay_many([one] * 10)
    started = time.process_time()
    assert len(replay_many([one] * 1_000)) == 1_000
    assert time.process_time() - started < 20  # about 1 second; plain kernels take several


def test_replay__rows_of_played_records():
    """The door for matches that people played: rows like those of bots, unfinished ones told apart."""
    finished = record(scenario(LADDER, dispatches=2), STANDS, STANDS)
    unfinished = record(scenario(LADDER, dispatches=3), STANDS, STANDS)
    rows = [played.row for played in play_records(read_records([finished, unfinished]))]
    assert [Outcome(int(row[Column.OUTCOME])) for row in rows] == [Outcome.SHARED, Outcome.UNFINISHED]
    assert rows[0][Column.CASH_A] == 6
    assert not any(rows[0][[Column.DRAWS_A, Column.ILLEGAL_DISPATCH, Column.ILLEGAL_REASON]])


# -- illegal orders -------------------------------------------------------------------------------------------------

REFUSED = {
    "a train of nobody": ({"train": "A3"}, {}, "train is 'A3'; company A has A1 and A2"),
    "the rival's train": ({"train": "B1"}, {}, "train is 'B1'; company A has A1 and A2"),
    "no junction": ({"toggle": "P"}, {}, "toggle is 'P'; must be a junction of the map; did you mean 'p'?"),
    "a terminal toggled": ({"toggle": "W1"}, {}, "toggle is 'W1'; must be a junction of the map: p, q"),
    "a siding at no junction": (
        {"invest": "siding:W1"},
        {},
        "invest is 'siding:W1'; a siding must be at a junction of the map: p, q",
    ),
    "the rival's upgrade": (
        {"invest": "upgrade:B1"},
        {},
        "invest is 'upgrade:B1'; must be null, upgrade:A1, upgrade:A2 or siding:JUNCTION",
    ),
    "no investment": (
        {"invest": "tunnel"},
        {},
        "invest is 'tunnel'; must be null, upgrade:A1, upgrade:A2 or siding:JUNCTION",
    ),
    "too expensive": (
        {"invest": "siding:p"},
        {"starting_cash": 2},
        "invest is 'siding:p'; costs $3 but only $2 is held",
    ),
    "an upgrade too expensive": (
        {"invest": "upgrade:A2"},
        {},
        "invest is 'upgrade:A2'; costs $8 but only $4 is held",
    ),
    "no upgrades": (
        {"invest": "upgrade:A2"},
        {"upgrade_cost": None},
        "invest is 'upgrade:A2'; upgrades are not on offer here (economy.upgrade_cost is null)",
    ),
    "no sidings": (
        {"invest": "siding:p"},
        {"siding_cost": None},
        "invest is 'siding:p'; sidings are not on offer here (economy.siding_cost is null)",
    ),
}


@pytest.mark.parametrize(("changes", "economy", "said"), REFUSED.values(), ids=REFUSED)
def test_replay__illegal_order(changes, economy, said):
    bad = record(scenario(LADDER, **economy), ({**STANDS[0], **changes}, STANDS[1]))
    assert complaints(bad) == [f"dispatch 1, company A: {said}"]


def test_replay__bought_already():
    rich = scenario(LADDER, starting_cash=100)
    for what, said in (
        ("siding:q", "company B owns a siding there already"),
        ("upgrade:B2", "B2 is upgraded already"),
    ):
        buys = order("B1", "forward", None, what)
        bad = record(rich, STANDS, (STANDS[0], buys), STANDS, (STANDS[0], buys))
        assert complaints(bad) == [f"dispatch 4, company B: invest is {what!r}; {said}"]


def test_replay__words_that_fit_nothing_are_all_told():
    bad = record(
        scenario(LADDER),
        (order("A1", "forward", "x", "siding:y"), STANDS[1]),
        (STANDS[0], order("A1", "forward", "z", None)),
    )
    assert [text.partition(" is ")[0] for text in complaints(bad)] == [
        "dispatch 1, company A: toggle",
        "dispatch 1, company A: invest",
        "dispatch 2, company B: train",
        "dispatch 2, company B: toggle",
    ]


def test_replay__illegal_orders_have_file_and_line(tmp_path):
    poor = scenario(LADDER, starting_cash=0, income=0)
    bad = record(poor, STANDS, STANDS, (STANDS[0], order("B1", "forward", None, "siding:p")))
    lines = tmp_path / "played.jsonl"
    lines.write_text("\n".join(["", json.dumps(record(poor)), json.dumps(bad), json.dumps(bad)]))
    said = "dispatch 3, company B: invest is 'siding:p'; costs $3 but only $0 is held"
    assert complaints(lines, replay_many) == [f"{lines}:3: {said}", f"{lines}:4: {said}"]
    one = tmp_path / "played.json"
    text = json.dumps(bad, indent=2)
    one.write_text(text)
    line = 1 + next(n for n, line in enumerate(text.splitlines()) if "siding:p" in line)
    assert complaints(one) == [f"{one}:{line}: {said}"]
    assert complaints([record(poor), bad], replay_many) == [f"record 2: {said}"]
    assert complaints(bad) == [said]


def test_replay__a_flood_of_illegal_orders_is_cut():
    bad = record(scenario(LADDER), (order("A1", "forward", "x"), STANDS[1]))
    said = complaints([bad] * 500, replay_many)
    assert len(said) == MAX_PROBLEMS + 1
    assert said[-1] == f"and more: only the first {MAX_PROBLEMS} problems are told"


def test_replay__the_first_illegal_order_ends_the_judging():
    """What comes after an illegal order has no board to be judged on."""
    poor = scenario(LADDER, starting_cash=0, income=0)
    buys = (order("A1", "forward", None, "siding:p"), order("B1", "forward", None, "siding:p"))
    (said,) = complaints(record(poor, buys, buys))
    assert said.startswith("dispatch 1, company A: ")


def test_replay__played_once_and_again_is_the_same():
    read = read_record(random_record(seeded("again", 0)))
    first = play_record(read)
    again = play_record(read, first.board)
    assert first.words() == again.words()
    assert first.states.tobytes() == again.states.tobytes()
