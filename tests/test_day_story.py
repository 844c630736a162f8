"""One mainline day told: the record plays the same day again, and pages and tables say what it says."""

from __future__ import annotations

import json

import pytest

import sim
from sim.config.errors import BadInput
from sim.reports.mainline.day_page import day_page
from sim.studies.day_story import explain_day
from tests.run_tools import scaled


@pytest.mark.parametrize("scenario", ["four-players", "hands", "busy", "one-player"])
@pytest.mark.parametrize("policy", ["hold", {"admit": 0.3}])
def test_day_story__the_record_plays_the_same_day(scenario, policy):
    run = sim.run(scenario, matches=scaled(40, 6), seed=3, overrides={"policy": policy})
    for number in range(scaled(20, 3)):
        story = explain_day(run, number)
        told = sim.replay(json.loads(json.dumps(story.record)))
        day = story.day.words()
        for key in ("trains", "collisions", "laid", "realigned", "stages"):
            assert told[key] == day[key], (number, key)
        admitted = [one for one in told["rulings"] if one["admitted"]]
        assert admitted == [one for one in day["rulings"] if one["admitted"]]


def test_day_story__the_page_shows_every_train_and_needs_nothing_beside_it():
    run = sim.run("hands", matches=4, seed=1)
    story = explain_day(run, 2)
    page = day_page(story)
    assert "https://" not in page
    day = story.day.words()
    assert page.count('<th scope="row" class="number">') == len(day["trains"]) + sum(
        len(train["cards"]) for train in day["trains"].values()
    )
    assert day_page(story) == page


@pytest.mark.parametrize("pick", ["closest", "4", "-1", "1.5"])
def test_day_story__there_is_no_such_day(pick):
    run = sim.run("one-player", matches=4, seed=1)
    with pytest.raises(BadInput, match="must be the number of one, from 0 to 3"):
        explain_day(run, pick)
    with pytest.raises(BadInput, match="must be one of mainline"):
        explain_day(sim.run("compact", matches=2, seed=1, overrides={"dispatches": 2}), "0")


def test_day_story__the_command(sim_command, tmp_path):
    assert sim_command("run", "one-player", "--matches", 6, "--seed", 1, "--out", "days").code == 0
    answer = sim_command("match", "days", "--pick", 3, "--record", "day.json")
    assert answer.code == 0, answer.err
    assert all(len(line) <= 80 for line in answer.out.splitlines())
    assert "written to reports/matches/days-3.html and day.json" in answer.out
    assert (tmp_path / "reports/matches/days-3.html").exists()
    replayed = sim_command("replay", "day.json", "--json")
    assert (
        json.loads(replayed.out)["trains"]
        == json.loads(sim_command("match", "days", "--pick", 3, "--json").out)["trains"]
    )
    refused = sim_command("match", "days")
    assert (refused.code, "of mainline days must be the number of one" in refused.err) == (2, True)
