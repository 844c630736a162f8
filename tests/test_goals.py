"""Goals: what a file may say, that verdicts are the tests', what is played for them, and the command."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import sim
from sim.config.goals import load_goals
from sim.config.quantities import Quantity, amount_in, quantity
from sim.reports.goals_terminal import print_goals
from sim.running.runner import Interrupted
from sim.stats.figures import DETERMINISTIC, EXACT, Bins, Estimate
from sim.stats.goals import Band, Goal, GoalVerdict, Question, judge, overall
from sim.stats.intervals import Interval, mean, quantile
from tests.run_tools import SHORT, scaled

FILE = """\
schema: 1
scenario: standard
bots: [[greedy, greedy], [greedy, random]]
bands:
  shared: "<= 100%"
  abs(seat_bias): "<= 99pp"
  spread.p90: [0, 100]
  pick.upgrade.first: ">= -0"
"""
MATCHES = scaled(1_400, 44)


def goals_file(folder: Path, text: str = FILE, **replaced: str) -> Path:
    for old, new in replaced.items():
        assert old in text
        text = text.replace(old, new)
    path = folder / "goals.yaml"
    path.write_text(text, encoding="utf-8")
    return path


# -- what is written --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "unit", "amount"),
    [
        ("15%", "share", 0.15),
        ("0.5 pp", "share difference", 0.005),
        (0.15, "share", 0.15),
        ("15", "share", None),
        (9, "points", 9),
        ("9 points", "points", 9),
        ("9%", "points", None),
        ("-3", "points", -3),
        ("2.5 Stages", "Stages", 2.5),
        ("2 points", "Stages", None),
        ("1e-2", "count", 0.01),
        ("1e-2 x", "count", None),
    ],
)
def test_quantity__in_the_unit_of_a_figure(written, unit, amount):
    found = quantity(written)
    assert found is not None
    assert amount_in(found, unit) == (None if amount is None else pytest.approx(amount))


@pytest.mark.parametrize("written", ["", "x", "1 2", True, None, [1], math.nan, math.inf, "nan", "1e999", "--1"])
def test_quantity__what_is_none(written):
    assert quantity(written) is None
    assert quantity("1") == Quantity(1.0)


def test_goals__are_read(tmp_path):
    found = load_goals(goals_file(tmp_path))
    assert [goal.metric for goal in found.goals] == ["shared", "seat_bias", "spread.p90", "pick.upgrade.first"]
    assert found.goals[0].band == Band(-math.inf, 1.0)
    assert found.goals[1].band == Band(-math.inf, 0.99, absolute=True)
    assert found.goals[2].band == Band(0, 100)
    assert (found.goals[0].text, found.goals[2].text) == ("shared <= 100%", "spread.p90 in [0, 100]")
    assert (found.bots, found.all_bots) == ((("greedy", "greedy"), ("greedy", "random")), ("greedy", "random"))
    other = load_goals(goals_file(tmp_path), scenario="compact", overrides=["economy.toll=2"])
    assert (other.scenario.name, other.scenario.economy.toll) == ("compact", 2)


def test_goals__shipped_ones_are_good():
    from sim.config.starters import starters_dir

    files = sorted((starters_dir() / "goals").glob("*.yaml"))
    assert files
    for file in files:
        assert load_goals(file).goals


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("shared:", "sharde:", r"goals.yaml:5: bands.sharde is no figure of the dispatch game; did you mean 'shared'"),
        ('"<= 100%"', '"< 90%"', r"goals.yaml:5: bands.shared is '< 90%'; must be a band, such as"),
        ('"<= 100%"', '"<= 90"', r"goals.yaml:5: bands.shared is '<= 90'; must be a share, such as 15% or 0.15"),
        ("[0, 100]", '"<= 9%"', r"goals.yaml:7: .* is '<= 9%'; must be a number, in points"),
        ('"<= 99pp"', "2", r"goals.yaml:6: .* is '2'; must be a difference of shares, such as 0.5pp"),
        ("[0, 100]", "[0, 1, 2]", r"goals.yaml:7: bands.'spread.p90' is \[0, 1, 2\]; must be a band"),
        ("[0, 100]", "[100, 0]", r"goals.yaml:7: .* must be a band whose first end is the smaller"),
        (
            '"<= 99pp"',
            '"<= -1pp"',
            r"goals.yaml:6: .* no figure can meet; abs\(seat_bias\) is always from 0pp to 100pp",
        ),
        ('"<= 100%"', '"<= -1"', r"goals.yaml:5: .* no figure can meet; shared is always from 0% to 100%"),
        ('"<= 100%"', '"<= 1"', r"goals.yaml:5: .* which is up to 100% and always met; did you mean 1%\?"),
        ('"<= 100%"', '">= 130%"', r"goals.yaml:5: .* no figure can meet; shared is always from 0% to 100%"),
        ("[0, 100]", '"<= -2"', r"goals.yaml:7: .* no figure can meet; spread.p90 is always 0 or more"),
        ("[greedy, random]]", "[greedy, greedy]]", r"goals.yaml:3: bots\[2\] is \[greedy, greedy\] a second time"),
        ("[greedy, random]]", "[greedy]]", r"goals.yaml:3: bots\[2\] is \[greedy\]; must be a pairing"),
        ("scenario: standard", "scenario: standrad", r"goals.yaml:2: .* no shipped scenario .* mean 'standard'"),
        ("scenario: standard", "scenario: x/y.yaml", r"goals.yaml:2: scenario is 'x/y.yaml', and there is no file"),
        ("schema: 1", "schema: 2", r"goals.yaml:1: schema is 2; must be 1"),
        ("bands:", "may: 1\nbands:", r"goals.yaml:4: may is no key that is known here"),
        ("  shared:", "  dominated_bots: 0\n  shared:", None),
    ],
)
def test_goals__bad_files(tmp_path, old, new, message):
    path = goals_file(tmp_path, **{old: new})
    if message is None:
        assert load_goals(path).dominated is not None
        path = goals_file(
            tmp_path, path.read_text("utf-8"), **{"[[greedy, greedy], [greedy, random]]": "[[greedy, greedy]]"}
        )
        message = r"goals.yaml:5: bands.dominated_bots has no tournament to decide it"
    with pytest.raises(sim.BadInput, match=message):
        load_goals(path)


def test_goals__bots_that_there_are_not_are_told_at_their_line(tmp_path):
    path = goals_file(tmp_path, **{"[greedy, random]]": "[greedy, randon]]"})
    with pytest.raises(sim.BadInput, match=r"goals.yaml:3: bots\[2\] cannot be used: bot 'randon' .* mean 'random'"):
        sim.judge_goals(path, matches=2, seed=1)
    with pytest.raises(sim.BadInput, match=r"^bot 'randon' is unknown"):
        sim.judge_goals(path, bots=("greedy", "randon"), matches=2, seed=1)


# -- the tests --------------------------------------------------------------------------------------------------------


def test_band__holds_and_excludes():
    band, size = Band(-1, 2), Band(-math.inf, 0.5, absolute=True)
    assert band.holds(-1, 2)
    assert not band.holds(-1.1, 2)
    assert band.excludes(2.1, 3)
    assert not band.excludes(2, 3)
    assert size.holds(-0.5, 0.4)
    assert not size.holds(-0.6, 0.4)
    assert size.excludes(-0.9, -0.6)
    assert not size.excludes(-0.9, 0.1)
    assert Band(0.1, math.inf, absolute=True).excludes(-0.05, 0.05)


def question(value: float, deviation: float, band: Band, blocks: int = 64, seed: int = 0) -> Question:
    """A figure of block means around a value, judged as a mean is."""
    means = value + deviation * np.random.default_rng(seed).standard_normal(blocks)

    def estimate(level: float) -> Estimate:
        found: Interval = mean(float(means.mean()), means, 10_000, level)
        return Estimate("p", "m", found.value, found.low, found.high, 10_000, 5_000, found.method)

    return Question(Goal("m", band, "m", "count"), estimate)


def test_judge__the_three_verdicts_and_what_would_decide():
    band = Band(-math.inf, 1.0)
    met, violated, near = (question(value, 0.1, band) for value in (0.5, 1.5, 0.995))
    found = judge([met, violated, near])
    assert [one.verdict for one in found] == [GoalVerdict.MET, GoalVerdict.VIOLATED, GoalVerdict.UNDECIDED]
    assert overall(found) is GoalVerdict.VIOLATED
    assert overall(found[::2]) is GoalVerdict.UNDECIDED
    assert found[2].matches_needed is not None
    assert found[2].matches_needed > 10_000
    assert found[0].matches_needed is None


def test_judge__errors_are_seldom():
    """At the edge of the band: 2,000 goals, called violated in at most 6, and called met in at most 6%."""
    found = [judge([question(1.0, 0.1, Band(0.0, 1.0), seed=seed)])[0].verdict for seed in range(2_000)]
    assert found.count(GoalVerdict.VIOLATED) <= 6
    assert 50 < found.count(GoalVerdict.MET) <= 120


def test_judge__corrects_for_many_goals():
    """With what one goal alone would be called violated for, 100 are not."""
    one = question(1.05, 0.1, Band(-math.inf, 1.0))
    assert judge([one])[0].verdict is GoalVerdict.VIOLATED
    assert (
        judge([one] + [question(0.0, 0.1, Band(0.0, 1.0), seed=seed) for seed in range(2_000)])[0].verdict
        is GoalVerdict.UNDECIDED
    )


@pytest.mark.parametrize("method", [EXACT, DETERMINISTIC])
def test_judge__exact_figures_are_decided(method):
    def exactly(value: float) -> Question:
        found = Estimate("p", "m", value, None, None, 1, 1, method)
        return Question(Goal("m", Band(0, 1), "m", "count"), lambda level: found)

    assert [one.verdict for one in judge([exactly(1.0), exactly(1.01)])] == [GoalVerdict.MET, GoalVerdict.VIOLATED]


def test_judge__quantiles_by_their_distribution():
    """F(4) is far below 0.9 and F(5) just above: whether p90 is at most 5 takes more matches, or very many."""

    def of(top: int, n: int) -> Question:
        counts = np.tile(np.array([80, 10 - top, top + 10]) * n, (64, 1))
        counts[::2] += np.array([-4, 0, 4]) * n
        counts[1::2] -= np.array([-4, 0, 4]) * n
        bins = Bins(np.array([4, 5, 6]), counts, counts.sum(axis=1) // 2)

        def estimate(level: float) -> Estimate:
            found = quantile(0.9, bins.values, bins.counts, int(bins.pairs.sum()), level, (0, 9))
            return Estimate("p", "s.p90", found.value, found.low, found.high, int(counts.sum()), 1, found.method)

        return Question(Goal("s.p90", Band(-math.inf, 5), "s.p90", "points"), estimate, bins, 0.9)

    sure, unsure = judge([of(-5, 100), of(0, 1)])
    assert sure.verdict is GoalVerdict.MET
    assert unsure.verdict is GoalVerdict.UNDECIDED
    assert unsure.matches_needed is None  # the share is just the one asked for
    third = judge([of(1, 1)])[0]
    assert third.verdict is GoalVerdict.UNDECIDED
    assert third.matches_needed is not None
    assert third.matches_needed > 6_400


def test_judge__too_few_matches_decide_nothing():
    few = question(0.5, 0.1, Band(-math.inf, 1.0), blocks=5)
    found = judge([few])[0]
    assert (found.verdict, found.matches_needed) == (GoalVerdict.UNDECIDED, None)


# -- played -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def played(tmp_path):
    path = goals_file(tmp_path)
    return sim.judge_goals(path, matches=MATCHES, seed=1, overrides=SHORT, out=tmp_path / "out"), path


def test_goals__are_those_of_the_runs(played, tmp_path, no_report):
    found, path = played
    assert (found.verdict, found.exit_code) == (GoalVerdict.MET, 0)
    for pair in (("greedy", "greedy"), ("greedy", "random")):
        run = sim.run("standard", bots=pair, matches=MATCHES, seed=1, overrides=SHORT)
        mine = [one.estimate for one in found.results if one.estimate.pairing == " vs ".join(pair)]
        assert mine == [run[one.metric] for one in mine]
        assert len(mine) == 4
    told = json.loads((tmp_path / "out" / "goals.json").read_text(encoding="utf-8"))
    assert told == found.result()
    again = sim.judge_goals(path, matches=MATCHES, seed=1, overrides=SHORT, out=tmp_path / "out", progress=True)
    assert again == found
    assert len(list((tmp_path / "out").glob("*/manifest.json"))) == 2


def test_goals__dominated_bots_by_a_tournament(tmp_path):
    path = goals_file(tmp_path, **{"bands:": "bands:\n  dominated_bots: 0"})
    found = sim.judge_goals(path, matches=scaled(2_000, 30), seed=1, overrides=SHORT)
    last = found.results[-1]
    assert (last.goal.metric, last.estimate.pairing) == ("dominated_bots", "all bots")
    met = sim.tournament("standard", bots=["greedy", "random"], matches=scaled(2_000, 30), seed=1, overrides=SHORT)
    assert last.estimate == met["dominated_bots"]
    assert found.dominated == tuple(one["bot"] for one in met.dominated)
    if scaled(True, False):
        assert last.verdict is GoalVerdict.VIOLATED
        assert found.exit_code == 1
        assert found.dominated == ("random",)
        assert "\n  Dominated: random.\n" in printed(found)


def test_goals__a_number_of_dominated_bots_that_is_always_met_is_refused(tmp_path):
    path = goals_file(tmp_path, **{"bands:": 'bands:\n  dominated_bots: "<= 1"'})
    with pytest.raises(sim.BadInput, match=r"dominated_bots is <= 1, which is always so: of 2 bots at most 1 are"):
        load_goals(path)


@pytest.mark.compiled
def test_goals__a_tournament_in_doubt_says_what_would_decide(tmp_path):
    path = goals_file(tmp_path, **{"bands:": "bands:\n  dominated_bots: 0", "random]]": "twin]]"})
    few = 300
    how = {"dispatches": 6, "define": {"twin": {"bot": "greedy", "noise": 2.9}}}
    found = sim.judge_goals(path, matches=few, seed=1, overrides=how, out=tmp_path / "out")
    assert found.results[-1].verdict is GoalVerdict.UNDECIDED
    assert found.results[-1].matches_needed is not None
    assert found.results[-1].matches_needed > few
    assert sim.judge_goals(path, matches=few, seed=1, overrides=how, out=tmp_path / "out") == found
    assert "about " in printed(found)


def test_goals__one_pairing_instead_of_the_files(tmp_path):
    found = sim.judge_goals(goals_file(tmp_path), bots=("random", "random"), matches=20, seed=1, overrides=SHORT)
    assert {one.estimate.pairing for one in found.results} == {"random vs random"}
    path = goals_file(tmp_path, **{"bands:": "bands:\n  dominated_bots: 0"})
    with pytest.raises(sim.BadInput, match="must be left out, since dominated_bots"):
        sim.judge_goals(path, bots=("random", "random"), matches=20, seed=1)


def printed(found, encoding="utf-8") -> str:
    import io

    from rich.console import Console

    buffer = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    print_goals(found, Console(file=buffer, width=80, highlight=False, markup=False, emoji=False))
    buffer.seek(0)
    text = buffer.read()
    assert all(len(line) <= 80 for line in text.splitlines())
    return text


def test_goals__on_the_terminal(played):
    text = printed(played[0])
    assert "shared <= 100%" in text
    assert "MET: of 8 goals 8 met." in text
    assert printed(played[0], "ascii").isascii()


def test_command__exit_codes_and_folders(tmp_path, sim_command, no_report):
    path = goals_file(tmp_path)
    short = [word for key, value in SHORT.items() for word in ("--set", f"{key}={value}")]
    words = ("run", "--goals", path, "--matches", MATCHES, "--seed", 1, *short)
    met = sim_command(*words)
    assert (met.code, "MET: of 8 goals" in met.out) == (0, True), met.err
    assert len(list((tmp_path / "reports" / "runs").glob("standard-goals-*/goals.json"))) == 1
    violated = goals_file(tmp_path, **{"[0, 100]": "[90, 100]"})
    told = sim_command(*words, "--json")
    assert (told.code, json.loads(told.out)["verdict"]) == (1, "violated")
    assert violated == path
    goals_file(tmp_path, **{'"<= 100%"': '">= 40%"'})
    open_ = sim_command("run", "standard", "--goals", path, "--matches", 4, "--seed", 1, "--bots", "random", *short)
    assert (open_.code, "UNDECIDED" in open_.out) == (3, True), open_.out


def test_command__bad_usage(tmp_path, sim_command):
    assert sim_command("run").err == (
        "SCENARIO is missing; must be a YAML file or the name of a shipped scenario, --goals or --records a file\n"
    )
    found = sim_command("run", "--goals", goals_file(tmp_path), "--half-width", "1pp")
    assert (found.code, "--half-width is 1pp; must be left out with --goals" in found.err) == (2, True)
    assert sim_command("run", "--goals", "absent.yaml").err == "absent.yaml: there is no such file\n"


def test_command__interrupted_tells_how_to_go_on(tmp_path, sim_command, monkeypatch):
    def stop(plan, **_):
        raise Interrupted(3, 40, tmp_path)

    monkeypatch.setattr("sim.studies.goals.play_goals", stop)
    path = goals_file(tmp_path)
    found = sim_command("run", "--goals", path, "--seed", 5)
    assert found.code == 130
    assert f"sim run --seed 5 --goals {path}" in found.err


def test_goals__of_the_other_game(tmp_path):
    bands = 'bands: {collisions: ">= 0", abs(trip_gap): "<= 90 Stages"}'
    path = tmp_path / "goals.yaml"
    path.write_text(f"schema: 1\nscenario: one-player\n{bands}\n", encoding="utf-8")
    found = sim.judge_goals(path, matches=scaled(1_400, 40), seed=1)
    assert found.verdict is GoalVerdict.MET
    assert "abs(trip_gap) <= 90 Stages" in printed(found)
    path.write_text("schema: 1\nscenario: one-player\nbands: {dominated_bots: 0}\n", encoding="utf-8")
    with pytest.raises(sim.BadInput, match=r"bands.dominated_bots is no figure of the mainline game; must be one of"):
        sim.judge_goals(path)
