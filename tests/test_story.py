"""One match explained: picks, records, chances, the turning point, and what is shown of it."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import sim
from kernels.dispatch.sequel import BOTS_OWN
from sim.config.errors import BadInput
from sim.games.dispatch.players import player_for
from sim.lowering import pack_words
from sim.records import read_record
from sim.replaying import Board, play_record
from sim.reports.story_page import story_page
from sim.studies import picking, story
from sim.studies.picking import pick_match, pick_of
from sim.studies.story import explain, record_of
from tests.run_tools import SHORT, plan_of_bots, scaled

pytestmark = pytest.mark.usefixtures("fewer_sequels")


def order(train, move="forward", toggle=None, invest=None):
    return {"train": train, "move": move, "toggle": toggle, "invest": invest}


def judged(record):
    """The board of a record, and the record played on it."""
    read = read_record(record)
    board = Board(read.scenario)
    return board, play_record(read, board)


# -- picks ------------------------------------------------------------------------------------------------------------


def rows_of(plan, n_matches):
    from sim.running.chunks import Chunk

    return plan.row_table(0, plan.play_rows(Chunk(0, n_matches // plan.n_swaps))).to_pandas()


@pytest.mark.parametrize("scenario", ["compact", "ladder"])
def test_picking__picks_are_the_extremes_of_the_rows(scenario):
    plan = plan_of_bots("greedy", "random", scenario)
    n = scaled(400, 12)
    rows = rows_of(plan, n)
    gap = (rows.points_a - rows.points_b).abs()
    dollars = (rows.cash_a - rows.cash_b).abs()
    won = rows.winner != "shared"
    order = rows[won].assign(gap=gap, dollars=dollars)
    closest = order.sort_values(["gap", "dollars", "match"]).iloc[0]
    widest = order.sort_values(["gap", "dollars", "match"], ascending=[False, False, True]).iloc[0]
    assert pick_match(plan, n, "closest").number == closest.match
    assert pick_match(plan, n, "blowout").number == widest.match
    if (~won).any():
        assert pick_match(plan, n, "shared").number == rows[~won].match.min()
    else:
        with pytest.raises(BadInput, match="is shared"):
            pick_match(plan, n, "shared")


def test_picking__comeback_was_furthest_behind(monkeypatch):
    monkeypatch.setattr(picking, "_CHUNK_PAIRS", 3)
    plan = plan_of_bots("greedy", "greedy", **{} if scaled(1, 0) else {"dispatches": 12})
    n = scaled(200, 8)
    deficits = {}
    for m in range(n):
        told = sim.replay(record_of(plan, m))
        winner = told["result"]["winner"]
        if winner != "shared":
            loser = "AB"["BA".index(winner)]
            deficits[m] = max(state["points"][loser] - state["points"][winner] for state in told["states"])
    if max(deficits.values(), default=0) > 0:
        best = max(deficits.values())
        assert pick_match(plan, n, "comeback").number == min(m for m, d in deficits.items() if d == best)
    else:
        with pytest.raises(BadInput, match="from behind"):
            pick_match(plan, n, "comeback")


@pytest.mark.parametrize("text", ["best", "-1", "1.5", "", "٣"])
def test_picking__refuses(text):
    with pytest.raises(BadInput, match=re.escape(repr(text))):
        pick_of(text)


def test_picking__a_number_beyond_the_run_is_refused():
    with pytest.raises(BadInput, match="pick is 10; must be a whole number from 0 to 9"):
        pick_match(plan_of_bots("greedy", "random"), 10, 10)


# -- records and states -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("first", "second"), [("greedy", "random"), ("greedy", "greedy")])
def test_story__the_record_replays_to_the_row(first, second):
    plan = plan_of_bots(first, second)
    rows = rows_of(plan, 4)
    for m in range(4):
        record = record_of(plan, m)
        told = sim.replay(json.loads(json.dumps(record)))
        row = rows.iloc[m]
        assert record["players"] == {"A": row.bot_a, "B": row.bot_b}
        assert told["states"][-1]["points"] == {"A": row.points_a, "B": row.points_b}
        assert told["result"] == {"winner": row.winner, "decided_by": row.decided_by}


def test_story__tells_what_replay_tells(tmp_path, no_report):
    run = sim.run(
        "compact", bots=("greedy", "random"), matches=scaled(50, 4), seed=3, overrides=SHORT, out=tmp_path / "run"
    )
    told = explain(run, 3)
    assert told.as_dict() == explain(tmp_path / "run", "3").as_dict()
    replayed = sim.replay(told.record)
    assert told.states[1:] == replayed["states"]
    assert told.events == replayed["events"]
    assert told.result == replayed["result"]
    for before, after, moves in zip(told.states, told.states[1:], told.moves, strict=False):
        where = {train: (x["from"], x["at"]) for train, x in before["trains"].items()}
        for _, train, came_from, at in moves:
            assert came_from == where[train][1]
            where[train] = (came_from, at)
        assert where == {train: (x["from"], x["at"]) for train, x in after["trains"].items()}


# -- chances and the turning point ------------------------------------------------------------------------------------


def test_story__chances_are_even_at_the_start_and_sure_at_the_end():
    run = sim.run("standard", bots=("greedy", "greedy"), matches=8, seed=1, overrides=SHORT)
    told = explain(run, 0)
    first, last = told.chances[0], told.chances[-1]
    assert first.value == pytest.approx(0.5, abs=scaled(3 * first.half_width, 1))
    assert last.value == {"A": 1.0, "B": 0.0, "shared": 0.5}[told.result["winner"]]
    assert last.half_width == 0


def blunder_record(*, blunder):
    """Both deliver once, in dispatch 2, unless A turns back before its destination; then it is too late for another."""
    scenario = {
        "schema": 1,
        "game": "dispatch",
        "name": "blunder",
        "dispatches": 3,
        "economy": {
            "starting_cash": 0,
            "income": 0,
            "upgrade_cost": None,
            "upgraded_speed": 2,
            "siding_cost": None,
            "toll": 1,
        },
        "cargo": {"rewards": [3], "scope": "train"},
        "map": {
            "schema": 1,
            "name": "lines",
            "tracks": [
                ["Pw", "aw"],
                ["Qw", "aw"],
                ["aw", "bw"],
                ["Rw", "bw"],
                ["bw", "be"],
                ["Pe", "ae"],
                ["Qe", "ae"],
                ["ae", "be"],
                ["Re", "be"],
            ],
            "mirror": {"Pw": "Pe", "Qw": "Qe", "Rw": "Re", "aw": "ae", "bw": "be"},
            "trains": [{"start": "Pw", "deliveries": ["Qw"]}, {"start": "Rw", "deliveries": ["Pe"]}],
        },
    }
    a = [order("A1"), order("A1", "reverse" if blunder else "forward"), order("A2")]
    b = [order("B1"), order("B1"), order("B2")]
    return {"schema": 1, "scenario": scenario, "orders": [{"A": x, "B": y} for x, y in zip(a, b, strict=True)]}


def test_story__a_planted_blunder_is_the_turning_point(tmp_path):
    path = tmp_path / "record.json"
    path.write_text(json.dumps(blunder_record(blunder=True)))
    told = explain(path, play_on="greedy")
    turned = told.turning_point
    assert turned is not None
    assert (turned.dispatch, turned.company) == (2, "A")
    assert turned.ordered == order("A1", "reverse")
    assert (turned.better["train"], turned.better["move"]) == ("A1", "forward")
    assert turned.cost >= 0.5
    assert turned.cost_points >= 3
    assert told.result == {"winner": "B", "decided_by": "points"}
    assert explain(path, play_on="greedy").as_dict() == told.as_dict()
    well = tmp_path / "well.json"
    well.write_text(json.dumps(blunder_record(blunder=False)))
    assert explain(well, play_on="greedy").result == {"winner": "shared", "decided_by": "shared"}


def test_sequels__from_the_last_board_are_the_result():
    plan = plan_of_bots("greedy", "random")
    board, played = judged(record_of(plan, 0))
    judge = story._Judge(board, player_for("greedy", plan.scenario), played)
    scores, margins = judge.sequels(judge.n, [(BOTS_OWN, BOTS_OWN)], 3, 0)
    points = judge.boards[-1]["points"]
    assert (margins == points[0] - points[1]).all()
    assert (scores == scores[0, 0]).all()


def test_sequels__given_orders_are_played_before_the_bots_go_on():
    plan = plan_of_bots("still", "still", dispatches=3)
    record = record_of(plan, 0)
    board, played = judged(record)
    judge = story._Judge(board, player_for("still", plan.scenario), played)
    names = board.names
    given = [pack_words(names, c, *(record["orders"][0][company].values())) for c, company in enumerate("AB")]
    own, _ = judge.sequels(0, [(BOTS_OWN, BOTS_OWN)], 2, 0)
    same, _ = judge.sequels(0, [(given[0], BOTS_OWN), (BOTS_OWN, given[1]), (given[0], given[1])], 2, 5)
    assert (same == own[0, 0]).all()  # the bots draw nothing, and these are their own orders
    before = judge.boards.copy()
    judge.sequels(1, [(given[0], given[1])], 2, 0)
    np.testing.assert_array_equal(judge.boards, before)


def test_sequels__who_orders_what_is_illegal_loses(tmp_path):
    bots = tmp_path / "bots.py"
    bots.write_text(
        "from sim.bots import bot\n\n\n@bot()\ndef wrong(rules, state, c, params, stream):\n"
        '    """B orders what no map has."""\n    return -1 if c == 1 else 0\n'
    )
    plan = plan_of_bots("greedy", "random")
    board, played = judged(record_of(plan, 0))
    judge = story._Judge(board, player_for(f"{bots}:wrong", plan.scenario), played)
    scores, _ = judge.sequels(0, [(BOTS_OWN, BOTS_OWN)], 2, 0)
    assert (scores == 1).all()


# -- what is shown -------------------------------------------------------------------------------------------------


def told_of(**more):
    run = sim.run("compact", bots=("greedy", "random"), matches=8, seed=3, overrides={**SHORT, **more})
    return explain(run, 1)


def test_story_page__needs_nothing_beside_it_and_says_what_the_story_says():
    told = told_of()
    page = story_page(told)
    assert not re.findall(r"""(?:src|href)=["'](?!#)""", page)
    data = json.loads(re.search(r'<script type="application/json" id="match">(.*?)</script>', page, re.DOTALL)[1])
    assert data["states"] == told.states
    assert [[value, width] for value, width in data["chances"]] == told.as_dict()["chance_a"]
    assert page.count("<tr><td") >= len(told.orders)
    assert story_page(told) == page


def test_story_page__labels_are_text(tmp_path):
    label = "</script><b>&"
    record = blunder_record(blunder=True)
    text = json.dumps(record).replace("Qw", label).replace("Qe", "<!--")
    path = tmp_path / "record.json"
    path.write_text(text)
    page = story_page(explain(path, play_on="greedy"))
    assert page.count("</script>") == 3
    data = json.loads(re.search(r'id="match">(.*?)</script>', page, re.DOTALL)[1])
    assert label in data["nodes"]
    assert "<b>" not in page.replace(json.dumps(label), "").split('<script type="application/json"')[0]


def test_story__the_command(sim_command, tmp_path, no_report):
    kept = sim_command("run", "compact", "--bots", "greedy,random", "--matches", 8, "--seed", 2, "--out", "run",
                       *(f"--set={key}={value}" for key, value in SHORT.items()))  # fmt: skip
    assert kept.code == 0
    answer = sim_command("match", "run", "--pick", "blowout", "--record", "told/record.json")
    assert answer.code == 0, answer.err
    assert all(len(line) <= 80 for line in answer.out.splitlines() if not line.startswith("written to"))
    [page] = (tmp_path / "reports/matches").iterdir()
    assert f"written to reports/matches/{page.name} and told/record.json" in answer.out
    again = sim_command("match", "told/record.json", "--json", "--out", "again.html")
    first = sim_command("match", "run", "--pick", "blowout", "--json")
    said, before = json.loads(again.out), json.loads(first.out)
    assert said["states"] == before["states"]
    assert said["chance_a"] == before["chance_a"]
    assert sim.replay(said["record"])["result"] == said["result"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--pick", "best"), "pick is 'best'; must be closest, blowout, comeback, shared, or the number of a match"),
        (("--pick", "2"), "pick is 2; "),
        (("--play-on", "greedi"), "did you mean 'greedy'"),
        (("--out", "/dev/null/page.html"), "cannot write /dev/null/page.html"),
    ],
)
def test_story__the_command_refuses(words, said, sim_command, tmp_path):
    (tmp_path / "two.jsonl").write_text("\n".join(json.dumps(blunder_record(blunder=b)) for b in (True, False)) + "\n")
    answer = sim_command("match", "two.jsonl", *(() if "--pick" in words else ("--pick", 1)), *words)
    assert answer.code == 2
    assert said in answer.err
    assert "Traceback" not in answer.err


def test_story__a_file_of_records_needs_a_number(sim_command, tmp_path):
    (tmp_path / "two.jsonl").write_text("\n".join(json.dumps(blunder_record(blunder=b)) for b in (True, False)) + "\n")
    answer = sim_command("match", "two.jsonl")
    assert answer.code == 2
    assert "of 2 records must be a number" in answer.err
    assert "victory is shared" in sim_command("match", "two.jsonl", "--pick", 1).out


def test_story__a_match_in_progress_has_no_result(tmp_path):
    record = blunder_record(blunder=False)
    record["orders"] = record["orders"][:1]
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record))
    told = explain(path, play_on="greedy")
    assert told.result == {"winner": None, "decided_by": None}
    assert len(told.chances) == 2
    assert "Dispatches remain" in story_page(told)


def test_story__the_command_overwrites_nothing_that_is_read_or_kept(sim_command, tmp_path, no_report):
    record = tmp_path / "record.json"
    record.write_text(json.dumps(blunder_record(blunder=True)))
    text = record.read_bytes()
    for words, said in (
        (("--out", "record.json"), "--out is record.json; must be another file than RUN, which it would overwrite"),
        (("--out", "x.html", "--record", "x.html"), "--record is x.html; must be another file than --out"),
    ):
        answer = sim_command("match", "record.json", *words)
        assert (answer.code, said in answer.err) == (2, True), answer.err
        assert record.read_bytes() == text
        assert not (tmp_path / "x.html").exists()
    assert sim_command("run", "--records", "record.json", "--out", "run").code == 0
    kept = (tmp_path / "run" / "manifest.json").read_bytes()
    for option in ("--out", "--record"):
        answer = sim_command("match", "run", "--pick", 0, option, "run/manifest.json")
        assert answer.code == 2
        assert f"{option} is run/manifest.json; must be a new file" in answer.err
    assert (tmp_path / "run" / "manifest.json").read_bytes() == kept
    assert sim_command("match", "run", "--pick", 0, "--out", "run/page.html").code == 0
