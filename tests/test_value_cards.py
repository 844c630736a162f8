"""The worth of cards in the mainline game, and comparisons of its scenarios, by the commands of the dispatch game."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import sim
from sim.cli.app import app
from sim.reports.compare_terminal import print_comparison
from sim.reports.value_page import write_value_report
from sim.reports.value_section import card_rows
from sim.reports.value_terminal import print_value
from sim.running.runner import Interrupted
from sim.store import RunFolder
from sim.studies import playing
from sim.studies.value import play_any, value_plan_of
from tests.run_tools import interrupting, scaled

MATCHES = scaled(1_000, 24)
CARDS = ["brakeman", "airbrakes", "helpers", "realignment"]


@pytest.fixture(scope="module")
def found():
    return sim.value("hands", matches=MATCHES, seed=4)


def printed(show: Any, found: Any) -> str:
    from rich.console import Console

    buffer = io.StringIO()
    show(found, Console(file=buffer, width=80, highlight=False, markup=False, emoji=False))
    assert all(len(line) <= 80 for line in buffer.getvalue().splitlines())
    return buffer.getvalue()


def test_cards__are_worth_what_the_run_says(found):
    run = sim.run("hands", matches=MATCHES, seed=4)
    assert sorted(one.subject for one in found.worths) == sorted(CARDS)
    for one in found.worths:
        same = run[f"worth.{one.subject}"]
        assert (one.value, one.low, one.high, one.n, one.method) == (
            same.value, same.low, same.high, same.n, same.method,
        )  # fmt: skip
    assert found.bots == ("hold",)
    assert (found.prices, found.manifest["matches_played"]) == ((), MATCHES)


@pytest.mark.compiled
def test_cards__verdicts_are_what_the_intervals_say_of_0(found):
    for card in CARDS:
        one = found.worth("hold", card, "worth")
        assert one.low > 0
        assert found.verdict(card).verdict == "worth it"
    text = printed(print_value, found)
    assert "what the cards in hand are worth on hands" in text
    assert all(card in text for card in CARDS)


def test_cards__are_kept_continued_and_read_again(tmp_path, found):
    plan = value_plan_of("hands", matches=MATCHES, seed=4)
    with pytest.raises(Interrupted) as stopped, RunFolder(tmp_path / "v", plan.digest) as folder:
        play_any(plan, folder=folder, progress=interrupting(1), threads=1)
    assert stopped.value.folder == tmp_path / "v"
    how: dict[str, Any] = {"matches": MATCHES, "seed": 4, "out": tmp_path / "v"}
    again = sim.value("hands", **how)
    assert again.result() == found.result()
    assert sim.load_value(tmp_path / "v") == again == sim.value("hands", **how)


def test_cards__the_command(tmp_path):
    words = ["value", "hands", "--matches", "20", "--seed", "4", "--out", str(tmp_path / "v")]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == json.loads(Path(tmp_path / "v" / "value.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("scenario", "how", "message"),
    [
        ("four-players", {}, "scenario four-players has no card in hand, so that there is none to value"),
        ("hands", {"bots": ["greedy"]}, "bots is .'greedy'.; must be left out in the game mainline"),
        ("hands", {"scan_matches": 4}, "scan_matches is 4; must be left out"),
        ("hands", {"matches": 1}, "matches is 1; must be a whole number from 2"),
    ],
    ids=range(4),
)
def test_cards__bad_input(scenario, how, message):
    with pytest.raises(sim.BadInput, match=message):
        sim.value(scenario, **how)


def test_cards__have_a_page(tmp_path, found):
    for path in write_value_report(found, tmp_path):
        assert path.stat().st_size > 500
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for card, shown, verdict in card_rows(found):
        assert f'<tr><th scope="row">{card}</th><td class="figure">{shown}</td><td>{verdict}</td></tr>' in page
    assert f"{MATCHES:,} days of hold, seed 4" in page


def test_cards__what_cannot_be_kept_leaves_no_folder(tmp_path, monkeypatch):
    def refuse(*_: Any, **__: Any) -> None:
        raise sim.BadInput.of("no room")

    monkeypatch.setattr(playing, "play_pairs", refuse)
    with pytest.raises(sim.BadInput, match="no room"):
        sim.value("hands", matches=20, seed=4, out=tmp_path / "v")
    assert not (tmp_path / "v").exists()


def test_compare__works_for_mainline_scenarios():
    found = sim.compare("four-players", "hands", matches=MATCHES, seed=1)
    one = found[0]
    assert one.paired
    assert one.flipped is None  # nobody wins a day
    assert one.changed.value > 0
    for name in ("trip_stages.east", "held_stages.west"):
        pair = [sim.run(scenario, matches=MATCHES, seed=1)[name].value for scenario in ("four-players", "hands")]
        assert (one[name].base, one[name].variant) == tuple(pair)
    assert "trip_stages.east" in printed(print_comparison, found)
    with pytest.raises(sim.BadInput, match="scenarios are of the games dispatch and mainline; must be of one"):
        sim.compare("standard", "hands")
