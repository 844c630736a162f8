"""Matches that people played: twelve made by hand give the tables that counting by hand gives."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import sim
from sim.config.errors import BadInput
from sim.running.verifying import verify
from sim.studies.story import explain

pytestmark = pytest.mark.usefixtures("fewer_sequels")

SCENARIO = {
    "schema": 1,
    "game": "dispatch",
    "name": "lines",
    "dispatches": 3,
    "economy": {
        "starting_cash": 3,
        "income": 0,
        "upgrade_cost": None,
        "upgraded_speed": 2,
        "siding_cost": 3,
        "toll": 1,
    },
    "cargo": {"rewards": [3], "scope": "train"},
    "map": {
        "schema": 1,
        "name": "lines",
        "tracks": [
            ["Pw", "aw"], ["Qw", "aw"], ["aw", "bw"], ["Rw", "bw"], ["bw", "be"],
            ["Pe", "ae"], ["Qe", "ae"], ["ae", "be"], ["Re", "be"],
        ],
        "mirror": {"Pw": "Pe", "Qw": "Qe", "Rw": "Re", "aw": "ae", "bw": "be"},
        "trains": [{"start": "Pw", "deliveries": ["Qw"]}, {"start": "Rw", "deliveries": ["Pe"]}],
    },
}  # fmt: skip


def order(train, move="forward", toggle=None, invest=None):
    return {"train": train, "move": move, "toggle": toggle, "invest": invest}


def orders(company, *, delivers, buys=False):
    """Of one company in three dispatches: its train 1 delivers in the second, or turns back before; it may build."""
    one, two = f"{company}1", f"{company}2"
    junction = "aw" if company == "A" else "ae"
    return [
        order(one, invest=f"siding:{junction}" if buys else None),
        order(one, "forward" if delivers else "reverse"),
        order(two),
    ]


def match(a, b, *, players=None, length=3):
    pairs = [{"A": x, "B": y} for x, y in zip(orders("A", **a), orders("B", **b), strict=True)][:length]
    return {"schema": 1, "scenario": SCENARIO, **({"players": players} if players else {}), "orders": pairs}


YES, NO = {"delivers": True}, {"delivers": False}
TWELVE = [
    *(match(YES, NO, players={"A": "Ida", "B": "Otto"}) for _ in range(4)),  # A 3 : 0
    *(match(NO, YES, players={"A": "Otto", "B": "Ida"}) for _ in range(2)),  # B 0 : 3
    match(YES, YES),  # shared 3 : 3
    match(NO, NO),  # shared 0 : 0
    match({**YES, "buys": True}, YES),  # 3 : 3, B on cash: A spent $3
    match(NO, {**NO, "buys": True}),  # 0 : 0, A on cash
    match(YES, {**NO, "buys": True}),  # A 3 : 0
    match(YES, NO, length=2),  # in progress
]


@pytest.fixture
def twelve(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in TWELVE))
    return path


def test_recorded__twelve_matches_give_the_figures_counted_by_hand(twelve, tmp_path, no_report):
    run = sim.run_records(twelve, out=tmp_path / "run", keep_matches=True)
    assert run.sums.n_matches == 12
    assert run.manifest["outcomes"] == {
        "a_on_points": 5, "b_on_points": 2, "a_on_cash": 1, "b_on_cash": 1, "shared": 2,
        "illegal": 0, "partner_illegal": 0, "unfinished": 1,
    }  # fmt: skip
    expected = {
        "score.first": 7 / 11,
        "win.first": 6 / 11,
        "win.second": 3 / 11,
        "shared": 2 / 11,
        "decided_by_cash": 2 / 11,
        "seat_bias": 3 / 11,
        "margin.mean": (5 * 3 - 2 * 3) / 11,
        "spread.mean": 7 * 3 / 11,
        "margin.p50": 0,
        "points.first": 7 * 3 / 11,
        "deliveries.second": 4 / 11,
        "pick.siding.first": 1 / 11,
        "pick.siding.second": 2 / 11,
        "purchases.siding.second": 2 / 11,
        "illegal_orders": 0,
    }
    for metric, value in expected.items():
        assert run[metric].value == pytest.approx(value), metric
        assert run[metric].n == (12 if metric == "illegal_orders" else 11), metric
    # Clopper-Pearson where fewer than ten events are on a side, Student's t on eleven matches for means.
    assert (run["shared"].low, run["shared"].high) == pytest.approx((0.02283, 0.51776), abs=1e-5)
    rows = pd.read_parquet(tmp_path / "run" / "matches.parquet")
    assert rows.bot_a.tolist() == ["Ida"] * 4 + ["Otto"] * 2 + ["people"] * 6
    assert rows.winner.tolist() == [*"AAAABB", "shared", "shared", *"BAA", "none"]
    assert rows.decided_by.astype(str).value_counts().to_dict() == {
        "points": 7,
        "cash": 2,
        "shared": 2,
        "unfinished": 1,
    }
    assert any("1 of them is not finished" in note for note in run.notes)


def test_recorded__the_folder_is_whole_by_itself(twelve, tmp_path):
    run = sim.run_records(twelve, out=tmp_path / "run", keep_matches=True)
    twelve.unlink()
    assert verify(tmp_path / "run", every_block=True).identical
    again = sim.load_run(tmp_path / "run")
    assert again.estimates == run.estimates
    assert (again.first, again.second) == ("people", "people")
    assert "12" in (tmp_path / "run" / "report.html").read_text()
    told = explain(tmp_path / "run", "blowout")
    assert (told.number, told.players) == (10, {"A": "player A", "B": "player B"})  # $6 to $0 beside 3 : 0
    assert explain(tmp_path / "run", 5).players == {"A": "Otto", "B": "Ida"}
    assert explain(tmp_path / "run", "shared").number == 6
    with pytest.raises(BadInput, match="from behind"):
        explain(tmp_path / "run", "comeback")
    assert sim.run_records(tmp_path / "run" / "records.jsonl", out=tmp_path / "run").estimates == run.estimates


def test_recorded__who_sits_where_throughout_is_named(twelve, tmp_path):
    lines = twelve.read_text().splitlines()[:4]
    twelve.write_text("\n".join(lines) + "\n")
    run = sim.run_records(twelve)
    assert (run.first, run.second, run.folder) == ("Ida", "Otto", None)


def test_recorded__the_command(twelve, sim_command):
    answer = sim_command("run", "--records", twelve, "--out", "people")
    assert answer.code == 0, answer.err
    assert "lines · people vs people · 12 matches\n" in answer.out
    assert "not finished" in answer.out
    assert "a second" not in answer.out
    assert all(len(line) <= 80 for line in answer.out.splitlines())
    assert sim_command("report", "people").code == 0
    assert sim_command("verify", "people").code == 0
    again = sim_command("run", "--records", twelve, "--out", "people")
    assert again.out == answer.out
    default = sim_command("run", "--records", twelve, "--json")
    assert json.loads(default.out)["estimates"][0]["n"] == 11


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["standard", "--records", "games.jsonl"], "SCENARIO is standard; must be left out with --records"),
        (["--records", "games.jsonl", "--matches", "5"], "--matches is 5; must be left out with --records"),
        (["--records", "games.jsonl", "--goals", "g.yaml"], "--goals is g.yaml; must be left out with --records"),
        (["--records", "none.jsonl"], "none.jsonl: there is no such file"),
        (["--records", "empty.jsonl"], "empty.jsonl: holds no record; must hold one match a line"),
        (["--records", "two.jsonl"], "two.jsonl:2: scenario is not that of the first record"),
        ([], "SCENARIO is missing; must be"),
    ],
)
def test_recorded__the_command_refuses(words, said, twelve, sim_command, tmp_path):
    (tmp_path / "empty.jsonl").write_text("\n")
    other = {**TWELVE[0], "scenario": {**SCENARIO, "dispatches": 4}}
    (tmp_path / "two.jsonl").write_text(json.dumps(TWELVE[0]) + "\n" + json.dumps(other) + "\n")
    answer = sim_command("run", *words)
    assert answer.code == 2
    assert said in answer.err
    assert not (tmp_path / "reports").exists()
