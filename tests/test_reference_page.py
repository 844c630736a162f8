"""The generated reference agrees with the configs and with what the kernels play."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.config.loading import load_scenario
from sim.config.mainline import SHIPPED_DECK, Card
from sim.config.starters import starter_names
from sim.games.mainline.card_facts import facts_of, reading
from sim.reports.reference import COMMAND, reference_text
from tests.mainline_tools import division
from tests.test_mainline_config import NAMES

FILE = Path(__file__).parents[1] / "reports" / "as-built.md"


def test_reference_page__what_is_checked_in_is_what_is_shipped():
    assert FILE.read_text(encoding="utf-8") == reference_text(), f"run {COMMAND} again"


def test_reference_page__names_every_scenario_card_and_command():
    text = FILE.read_text(encoding="utf-8")
    assert f"`{COMMAND}`" in text
    for name in (*starter_names(), *NAMES, *SHIPPED_DECK):
        assert f"| {name} |" in text
    for name in starter_names():
        assert f"### Map {load_scenario(name).map.name}\n" in text


def test_reference_page__follows_a_change(monkeypatch):
    """Of a scenario, and of what the kernel plays."""
    changed = load_scenario("four-players", {"deck.hilly.regions": 4, "deck.tunnel.holds": 3, "collision_delay": 9})
    monkeypatch.setattr("sim.reports.reference_mainline.starter_names", lambda game: ["four-players"])
    monkeypatch.setattr("sim.reports.reference_mainline.load_scenario", lambda name: changed)
    text = reference_text()
    assert "- **hilly**: 3 Stages for a fast train, 4 for a slow one; holds 1 train at once." in text
    assert "- **tunnel**: 2 Stages for any train; holds 3 trains at once." in text
    assert "| hold | 9 Stages | 200 Stages |" in text
    toll = load_scenario("standard", {"economy.toll": 7, "economy.siding_cost": None})
    monkeypatch.setattr("sim.reports.reference_dispatch.starter_names", lambda: ["standard"])
    monkeypatch.setattr("sim.reports.reference_dispatch.load_scenario", lambda name: toll)
    assert "| not on offer | $7 |" in reference_text()


FACTS = {
    "plains": "1 Stage for any train; holds 1 train at once; a Realignment makes it double track.",
    "hilly": "1 Stage for a fast train, 2 for a slow one; holds 1 train at once.",
    "double_track": "1 Stage for any train; holds 2 trains at once.",
    "interchange": "1 Stage for any train; holds 1 train at once; an Extra may start on it and takes 2.",
    "heavy_grade": (
        "3 Stages up and 3 down; 2 up with Helpers; 2 down with Brakeman; 1 down with Brakeman and Airbrakes; "
        "holds 1 train at once."
    ),
    "uncontrolled_siding": (
        "1 Stage for any train; holds 1 and one in the siding: a train that finds it occupied waits there and takes 2; "
        "a Realignment makes it double track."
    ),
}


@pytest.mark.parametrize("name", list(FACTS))
def test_reference_page__cards_are_described_as_played(name):
    facts = facts_of(load_scenario("four-players"), name)
    assert reading(facts) == FACTS[name]
    assert facts.refused.get("airbrakes") == ("no brakeman" if name == "heavy_grade" else "wrong card")


def test_reference_page__a_grade_that_reads_the_class_says_so():
    steep = Card(regions=4, fast_start=1, grade=True)
    deck = {"plains": {"regions": 1}, "x": steep.model_dump()}
    scenario = load_scenario({**division("plains", "plains"), "deck": deck})
    said = reading(facts_of(scenario, "x"))
    assert said.startswith("4 Stages up and 4 down; for a fast train 3 up and 3 down; 3 up with Helpers;")


def test_reference_page__command(sim_command, tmp_path):
    answer = sim_command("reference")
    assert (answer.code, answer.out, answer.err) == (0, "wrote reports/as-built.md\n", "")
    assert (tmp_path / "reports" / "as-built.md").read_bytes() == FILE.read_bytes()
    assert sim_command("reference", "--check").code == 0
    (tmp_path / "reports" / "as-built.md").write_text("old")
    answer = sim_command("reference", "--check")
    assert (answer.code, answer.err) == (1, "reports/as-built.md is not what sim reference writes; run it again\n")
    assert sim_command("reference", "--check", "--out", "none.md").code == 1
    (tmp_path / "file").touch()
    assert sim_command("reference", "--out", "file/x.md").code == 2
