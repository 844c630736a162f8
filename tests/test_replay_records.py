"""Reading match records: what is wrong is told in words, with file and line, all of it at once."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from sim.config.errors import BadInput
from sim.config.loading import load_scenario
from sim.records import MAX_PROBLEMS, read_record, read_records
from sim.replaying import replay, replay_many
from tests.reference.by_hand import LADDER, record, scenario
from tests.reference.by_hand import order as order_of

FORWARD = {"train": "A1", "move": "forward", "toggle": None, "invest": None}


def a_record(**changes: Any) -> dict[str, Any]:
    """A good record of one dispatch, with changes."""
    good = record(scenario(LADDER), (order_of("A1", "forward"), order_of("B1", "forward")))
    return {**copy.deepcopy(good), **changes}


def with_order(company: str = "A", **changes: Any) -> dict[str, Any]:
    """A good record with changes to one order."""
    changed = a_record()
    changed["orders"][0][company].update(changes)
    return changed


def without(key: str, company: str = "A") -> dict[str, Any]:
    """A good record without a key of one order."""
    changed = a_record()
    del changed["orders"][0][company][key]
    return changed


def complaints(source: Any, read: Any = read_record) -> list[str]:
    """What is said of a source."""
    with pytest.raises(BadInput) as refused:
        read(source)
    return [str(problem) for problem in refused.value.problems]


# -- plain data -----------------------------------------------------------------------------------------------------

BAD_RECORDS = {
    "not a record": ([1], "holds [1]; must hold a match record, a mapping"),
    "nothing": (None, "holds null; must hold a match record, a mapping"),
    "no schema": ({k: v for k, v in a_record().items() if k != "schema"}, "schema is missing; must be given"),
    "no scenario": ({k: v for k, v in a_record().items() if k != "scenario"}, "scenario is missing; must be given"),
    "no orders": ({k: v for k, v in a_record().items() if k != "orders"}, "orders is missing; must be given"),
    "another schema": (a_record(schema=2), "schema is 2; must be 1"),
    "schema as text": (a_record(schema="1"), "schema is '1'; must be 1"),
    "schema as truth": (a_record(schema=True), "schema is true; must be 1"),
    "an unknown key": (a_record(player={}), "player is no key that is known here; did you mean 'players'?"),
    "orders in words": (a_record(orders="none"), "orders is 'none'; must be a list"),
    "an order for nobody": (a_record(orders=[{}]), "dispatch 1, company A: the order is missing; must be given"),
    "an order that is null": (
        a_record(orders=[{"A": None, "B": {**FORWARD, "train": "B1"}}]),
        "dispatch 1, company A: the order is null; must be a mapping, such as {key: value}",
    ),
    "a dispatch that is none": (a_record(orders=[7]), "orders[1] is 7; must be a mapping, such as {key: value}"),
    "a third company": (
        a_record(orders=[{**a_record()["orders"][0], "C": {}}]),
        "orders[1].C is no key that is known here; must be one of A, B",
    ),
    "no train": (without("train"), "dispatch 1, company A: train is missing; must be given"),
    "no move": (without("move", "B"), "dispatch 1, company B: move is missing; must be given"),
    "no toggle": (without("toggle"), "dispatch 1, company A: toggle is missing; must be given"),
    "no invest": (without("invest", "B"), "dispatch 1, company B: invest is missing; must be given"),
    "a key misspelt": (
        with_order(togle=None),
        "dispatch 1, company A: togle is no key that is known here; did you mean 'toggle'?",
    ),
    "no way to move": (with_order(move="stay"), "dispatch 1, company A: move is 'stay'; must be forward or reverse"),
    "a way misspelt": (
        with_order(move="Forward"),
        "dispatch 1, company A: move is 'Forward'; must be forward or reverse; did you mean 'forward'?",
    ),
    "a train by number": (
        with_order(train=1),
        "dispatch 1, company A: train is 1, which is no text; ",
    ),
    "a junction by number": (
        with_order(toggle=0),
        "dispatch 1, company A: toggle is 0, which is no text; ",
    ),
    "an empty toggle": (
        with_order(toggle=""),
        "dispatch 1, company A: toggle is ''; must be a label of at least one character",
    ),
    "a list of investments": (
        with_order(invest=["siding:p"]),
        "dispatch 1, company A: invest is [siding:p]; must be an investment, such as siding:a, which is text",
    ),
    "a player too few": (
        a_record(players={"A": "Ann"}),
        "players is a mapping; must name the players of both seats, A and B, and no other",
    ),
    "a player who is a number": (
        a_record(players={"A": "Ann", "B": 7}),
        "players.B is 7, which is no text; ",
    ),
    "a scenario by number": (
        a_record(scenario=3),
        "scenario is 3; must be the path of a scenario, or the scenario itself",
    ),
    "a scenario that is not there": (
        a_record(scenario="nowhere.yaml"),
        "scenario is 'nowhere.yaml', and there is no file nowhere.yaml; must be the path of a scenario",
    ),
    "a scenario misspelt": (
        a_record(scenario="standart"),
        "scenario is 'standart', and there is no file standart; must be the path of a scenario; "
        "did you mean 'standard'?",
    ),
}


@pytest.mark.parametrize(("bad", "said"), BAD_RECORDS.values(), ids=BAD_RECORDS)
def test_replay_records__bad_record(bad, said):
    assert any(text.startswith(said) for text in complaints(bad))


def test_replay_records__everything_wrong_is_said_at_once():
    bad = with_order(train=None, move="up")
    del bad["orders"][0]["B"]["toggle"]
    bad["scenario"]["economy"]["siding_cost"] = -2
    bad["scenario"]["map"]["mirror"] = {"W1": "nowhere"}
    bad["schema"] = 0
    said = complaints(bad)
    assert [text.split(" is ")[0] for text in said[:4]] == [
        "schema",
        "dispatch 1, company A: train",
        "dispatch 1, company A: move",
        "dispatch 1, company B: toggle",
    ]
    assert "scenario.economy.siding_cost is -2; must be a whole number of dollars, 0 to 10,000, or null" in said
    assert any(text.startswith("scenario.map.mirror") for text in said)


def test_replay_records__more_orders_than_dispatches():
    bad = a_record()
    bad["orders"] *= 25
    assert complaints(bad) == ["orders has 25 items; must have at most 24, the dispatches of a match"]
    bad["orders"] = bad["orders"][:24]
    assert len(read_record(bad).orders) == 24
    bad["orders"] *= 60
    assert complaints(bad) == ["orders has 1440 items; must have at most 1000"]


def test_replay_records__odd_python_data_is_taken():
    """What is read like a record is one: mappings, tuples, numpy's integers."""
    good = a_record()
    odd = MappingProxyType({**good, "schema": np.int64(1), "orders": tuple(good["orders"]), "players": None})
    assert read_record(odd).orders == read_record(good).orders
    assert "schema is of the Python type set; must be text, a number, a list or a mapping" in complaints(
        a_record(schema={1})
    )


def test_replay_records__players_are_kept():
    assert read_record(a_record(players={"A": "Ann", "B": "Bob"})).players == {"A": "Ann", "B": "Bob"}
    assert read_record(a_record()).players is None


def test_replay_records__a_record_among_many_is_named_by_number():
    bad = with_order(move="up")
    assert complaints([a_record(), bad, None], read_records) == [
        "record 2: dispatch 1, company A: move is 'up'; must be forward or reverse",
        "record 3: holds null; must hold a match record, a mapping",
    ]


def test_replay_records__a_mapping_is_not_many_records():
    assert complaints(a_record(), read_records) == [
        "is a mapping; must be a list of records, or the path of a .jsonl file"
    ]


def test_replay_records__equal_scenarios_are_loaded_once():
    records = read_records([a_record(), a_record(), a_record(scenario="standard"), a_record(scenario="standard")])
    assert records[0].scenario is records[1].scenario
    assert records[2].scenario is records[3].scenario
    assert records[0].scenario is not records[2].scenario
    other = a_record()
    other["scenario"]["economy"]["toll"] = 7
    one, two = read_records([a_record(), other])
    assert (one.scenario.economy.toll, two.scenario.economy.toll) == (1, 7)


# -- files ----------------------------------------------------------------------------------------------------------


def written(folder: Path, name: str, *lines: Any) -> Path:
    """A file of lines: records as JSON, text and bytes as they are."""
    path = folder / name
    raw = [line if isinstance(line, bytes) else line.encode() if isinstance(line, str) else json.dumps(line).encode()
           for line in lines]  # fmt: skip
    path.write_bytes(b"\n".join(raw))
    return path


def test_replay_records__one_a_line_and_blank_lines_are_passed_over(tmp_path):
    good = a_record()
    path = written(tmp_path, "played.jsonl", "", good, "  \t ", json.dumps(good) + "\r", "", "")
    assert [record.place.line for record in read_records(path)] == [2, 4]
    assert replay_many(path) == replay_many(str(path)) == [replay(good)] * 2
    assert replay_many(written(tmp_path, "empty.jsonl", "")) == []


def test_replay_records__a_byte_order_mark_is_no_matter(tmp_path):
    good = a_record(players={"A": "Ann", "B": "é"})
    path = written(tmp_path, "marked.jsonl", b"\xef\xbb\xbf" + json.dumps(good, ensure_ascii=False).encode(), good)
    assert len(read_records(path)) == 2


def test_replay_records__a_json_file_is_one_record(tmp_path):
    good = a_record()
    path = tmp_path / "played.json"
    path.write_text(json.dumps(good, indent=2))
    assert replay(path) == replay(str(path)) == replay(good)
    assert replay_many(path) == replay_many([path, str(path)])[:1]


def test_replay_records__one_record_of_many_must_be_one(tmp_path):
    path = written(tmp_path, "played.jsonl", a_record(), a_record())
    assert complaints(path) == [f"{path}: holds 2 records; must hold one (a file of many is for replay_many)"]
    assert replay(written(tmp_path, "one.jsonl", a_record())) == replay(a_record())


BAD_LINES = {
    "no json": ("{nonsense", "is not JSON: expecting property name enclosed in double quotes at column 2"),
    "cut short": ('{"schema": 1', "is not JSON: expecting ',' delimiter at column 13"),
    "two on a line": ("{} {}", "is not JSON: extra data at column 4"),
    "no utf-8": (b'{"schema": "\xff"}', "is not text in UTF-8; must be a match record in JSON"),
    "not a number": ('{"schema": NaN}', "is not JSON: NaN is no number of JSON"),
    "a number without end": ('{"schema": ' + "9" * 5000 + "}", "is not JSON: "),
    "too deep": ("[" * 100_000, "is nested too deeply; must be a match record"),
    "too deep, but json": ("[" * 60 + "]" * 60, "[1][1][1] is too large; must be at most 40 levels deep"),
    "no mapping": ("[1, 2]", "holds [1, 2]; must hold a match record, a mapping"),
    "a word": ('"played"', "holds 'played'; must hold a match record, a mapping"),
    "half a character": (
        json.dumps(with_order(toggle="\ud800")),
        "dispatch 1, company A: toggle is '\\ud800', with characters that cannot be printed",
    ),
    "a key twice": ('{"schema": 1, "schema": 1}', "schema is written twice, first on line 2; must be written once"),
    "a key twice, deep": (
        '{"orders": [{}, {"A": {"train": "A1", "train": "A2"}}]}',
        "orders[2].A.train is written twice, first on line 2; must be written once",
    ),
}


@pytest.mark.parametrize(("bad", "said"), BAD_LINES.values(), ids=BAD_LINES)
def test_replay_records__bad_line(tmp_path, bad, said):
    path = written(tmp_path, "played.jsonl", a_record(), bad, a_record())
    (found,) = {text for text in complaints(path, read_records) if said in text}
    assert found.startswith(f"{path}:2: {said}")


def test_replay_records__bad_lines_are_all_told(tmp_path):
    path = written(tmp_path, "played.jsonl", "{", a_record(schema=3), "", a_record(), "nul")
    assert [text.split(": ")[0] for text in complaints(path, read_records)] == [f"{path}:{line}" for line in (1, 2, 5)]


def test_replay_records__a_flood_of_problems_is_cut(tmp_path):
    said = complaints(written(tmp_path, "played.jsonl", *["{"] * 1_000), read_records)
    assert 0 < len(said) <= MAX_PROBLEMS + 1


def test_replay_records__lines_inside_a_written_out_record(tmp_path):
    """In a record over many lines, a problem is told with the line of its key."""
    bad = a_record()
    bad["scenario"]["economy"] = {"toll": -1}
    bad["orders"].append(copy.deepcopy(bad["orders"][0]))
    bad["orders"][1]["B"]["move"] = "up"
    del bad["orders"][1]["A"]["toggle"]
    text = json.dumps(bad, indent=1)
    lines = text.splitlines()
    path = written(tmp_path, "played.json", text)
    said = complaints(path)
    toll = next(n for n, line in enumerate(lines, 1) if '"toll"' in line)
    move = next(n for n, line in enumerate(lines, 1) if '"up"' in line)
    second = [n for n, line in enumerate(lines, 1) if line.strip() == '"A": {'][1]
    assert f"{path}:{toll}: scenario.economy.toll is -1; must be a whole number of dollars, 0 to 10,000" in said
    assert f"{path}:{move}: dispatch 2, company B: move is 'up'; must be forward or reverse" in said
    assert f"{path}:{second}: dispatch 2, company A: toggle is missing; must be given" in said


def test_replay_records__the_line_of_the_order_too_many(tmp_path):
    bad = a_record()
    bad["scenario"]["dispatches"] = 1
    bad["orders"] *= 2
    text = json.dumps(bad, indent=1)
    path = written(tmp_path, "played.json", text)
    line = [n for n, line in enumerate(text.splitlines(), 1) if line == "  {"][-1]
    assert complaints(path) == [f"{path}:{line}: orders has 2 items; must have at most 1, the dispatches of a match"]


def test_replay_records__files_that_are_none(tmp_path):
    written(tmp_path, "played.jsonl", a_record())
    missing = tmp_path / "playd.jsonl"
    assert complaints(missing, read_records) == [f"{missing}: there is no such file; did you mean 'played.jsonl'?"]
    assert complaints(tmp_path, read_records) == [f"{tmp_path}: is a folder; must be a JSON file of match records"]
    assert "cannot be read" in complaints("a\0b.json")[0]
    for name in ("empty.json", "blank.json"):
        path = written(tmp_path, name, "" if name == "empty.json" else " \n ")
        assert complaints(path) == [f"{path}:1: is empty; must be a match record in JSON"]
    binary = written(tmp_path, "binary.json", bytes(range(256)))
    assert complaints(binary)[0].startswith(f"{binary}:")
    wide = written(tmp_path, "wide.json", json.dumps(a_record()).encode("utf-16"))
    assert complaints(wide) == [f"{wide}:1: is not text in UTF-8; must be a match record in JSON"]


def test_replay_records__the_scenario_stands_beside_the_record(tmp_path, monkeypatch):
    """A path starts at the record's file; else, as printed in a project's own records, at the working folder."""
    own = tmp_path / "own"
    own.mkdir()
    plain = load_scenario("standard").resolved()
    (own / "ours.yaml").write_text(json.dumps({**plain, "name": "beside"}))
    (tmp_path / "ours.yaml").write_text(json.dumps({**plain, "name": "working"}))
    (tmp_path / "theirs.yaml").write_text(json.dumps({**plain, "name": "working"}))
    monkeypatch.chdir(tmp_path)
    for link, name in (("ours.yaml", "beside"), ("../theirs.yaml", "working"), ("theirs.yaml", "working")):
        path = written(own, "played.jsonl", a_record(scenario=link))
        assert read_record(path).scenario.name == name
    path = written(own, "played.jsonl", a_record(scenario=str(own / "ours.yaml")))
    assert read_record(path).scenario.name == "beside"
    assert read_record(a_record(scenario="ours.yaml")).scenario.name == "working"
    assert read_record(a_record(scenario="standard")).scenario.name == "standard"


def test_replay_records__a_map_beside_the_record(tmp_path):
    good = a_record()
    (tmp_path / "ladder.yaml").write_text(json.dumps(good["scenario"]["map"]))
    linked = a_record(scenario={**good["scenario"], "map": "ladder.yaml"})
    assert replay(written(tmp_path, "played.json", linked)) == replay(good)
    bad = {**good["scenario"]["map"], "tracks": [["W1", "W1"]]}
    (tmp_path / "ladder.yaml").write_text(json.dumps(bad))
    assert complaints(tmp_path / "played.json")[0].startswith(f"{tmp_path / 'ladder.yaml'}:1: ")
    missing = a_record(scenario={**good["scenario"], "map": "lader.yaml"})
    path = written(tmp_path, "missing.jsonl", "", missing)
    (said,) = complaints(path)
    assert said.startswith(f"{path}:2: scenario.map is 'lader.yaml', and there is no file")
    assert said.endswith("did you mean 'ladder.yaml'?")


def test_replay_records__a_bad_scenario_file_is_told_with_its_own_lines(tmp_path):
    (tmp_path / "bad.yaml").write_text("schema: 1\ngame: dispatch\nname: bad\nmap: nowhere.yaml\ndispatches: 0\n")
    path = written(tmp_path, "played.jsonl", a_record(scenario="bad.yaml"))
    assert any(text.startswith(f"{tmp_path / 'bad.yaml'}:5: dispatches is 0") for text in complaints(path))


def test_replay_records__mangled_files_never_raise_anything_else(tmp_path):
    """Records with bytes changed, cut and doubled are read or refused in words."""
    text = json.dumps(a_record(players={"A": "Ann", "B": "é"}), ensure_ascii=False, indent=1).encode()
    rng = random.Random(8)
    refused = 0
    for number in range(600):
        raw = bytearray(text)
        for _ in range(rng.randint(1, 3)):
            place = rng.randrange(len(raw))
            how = rng.randrange(4)
            if how == 0:
                raw[place] = rng.choice(b'{}[]",:x0\\ \n\xc3')
            elif how == 1:
                del raw[place : place + rng.randint(1, 30)]
            elif how == 2:
                raw[place:place] = raw[place : place + rng.randint(1, 60)]
            else:
                raw[place:place] = rng.choice((b"null", b"[]", b"-1", b'"p"', b"\x00", b"1e999"))
        path = tmp_path / f"mangled.{'json' if number % 2 else 'jsonl'}"
        path.write_bytes(bytes(raw))
        problems = []
        try:
            replay_many(path)
        except BadInput as error:
            problems = list(error.problems)
        refused += bool(problems)
        assert all(str(problem).startswith(str(path)) for problem in problems)
    assert refused > 300
