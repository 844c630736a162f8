"""What a check prints and writes: terminal, Markdown, JUnit, annotations, JSON; and the commands."""

from __future__ import annotations

import io
import json
import math
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import sim
from sim.reports.baseline_terminal import planned_words, print_baseline
from sim.reports.check_files import annotation_lines, junit, markdown
from sim.reports.check_terminal import print_check
from sim.reports.selftest_terminal import print_selftest
from sim.stats.figures import Estimate, Kind
from sim.stats.gate import State
from sim.stats.goals import Band, Goal, GoalResult, GoalVerdict
from sim.studies.baseline import Baseline
from sim.studies.baseline_file import read_baseline, write_baseline
from sim.studies.changes import Change
from sim.studies.check_result import Checked, CheckedFigure, CheckedPairing, PairLine, Undecided
from sim.studies.goals import GoalsJudged
from sim.studies.selftest import SelfTest, Trial, selftest
from tests.test_gate import MATCHES, recorded, scenario


def figure(metric: str, state: State, change: float = 0.0, half: float = 0.002, **more) -> CheckedFigure:
    of_share = {"unit": "share", "kind": Kind.PROPORTION, "base": 0.06, "now": 0.06 + change, "delta": 0.003}
    ends = {"change": change, "low": change - half, "high": change + half, "method": "t"}
    given = {"metric": metric, **of_share, **ends, "p_drift": 1.0, "p_equivalent": 0.2, "state": state}
    return CheckedFigure(**{**given, **more})


LINE = PairLine((1, 20, 300, 25, 2), (4.5, 0.8), (16.3, 2.8))
FIGURES = (
    figure("shared", State.DRIFT, 0.02, p_drift=1e-5),
    figure("pick.upgrade.first", State.UNDECIDED, -0.002),
    figure("pick.upgrade.second", State.UNDECIDED, -0.002),
    figure("tolls", State.EQUIVALENT, 0.01, unit="dollars", kind=Kind.MEAN, base=0.5, now=0.51),
    figure("margin.p90", State.EQUIVALENT, 0.001, unit="points", kind=Kind.QUANTILE, base=5.0, now=5.0),
    figure("illegal_orders", State.IDENTICAL, 0.0, half=0.0),
)
MOVED = CheckedPairing(
    "standard", "configs/standard.yaml", "greedy vs random", (Change("economy.toll", 1, 3),), 40_000, 1, State.DRIFT,
    FIGURES, (LINE, replace(LINE, elo=None, nelo=None)),
)  # fmt: skip
STILL = replace(
    MOVED, pairing="a|b<c> vs _d_", source="compact", changes=(), state=State.IDENTICAL, figures=FIGURES[5:]
)
OPEN = replace(STILL, state=State.UNDECIDED, figures=FIGURES[1:])


def goals(verdict: GoalVerdict, failures: tuple[str, ...] = ()) -> GoalsJudged:
    goal = Goal("shared", Band(-math.inf, 0.15), "shared <= 15%", "share")
    found = Estimate("greedy vs greedy", "shared", 0.15, 0.14, 0.16, 1_000, 500, "wilson")
    return GoalsJudged("g.yaml", "standard", (GoalResult(goal, found, verdict, 23_456),), 1, failures)


def checked(*pairings: CheckedPairing, **how) -> Checked:
    return Checked("b.json", pairings, how.pop("matches_needed", None), 1.5, **how)


def printed(show, encoding: str = "utf-8") -> str:
    from rich.console import Console

    buffer = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    show(Console(file=buffer, width=80, highlight=False, markup=False, emoji=False))
    buffer.seek(0)
    text = buffer.read()
    assert all(len(line) <= 80 for line in text.splitlines())
    return text


# -- verdicts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "state", "code"),
    [
        (checked(STILL), State.IDENTICAL, 0),
        (checked(STILL, replace(STILL, state=State.EQUIVALENT)), State.EQUIVALENT, 0),
        (checked(STILL, OPEN), State.UNDECIDED, 3),
        (checked(STILL, OPEN, undecided=Undecided.WARN), State.UNDECIDED, 0),
        (checked(OPEN, MOVED, undecided=Undecided.WARN), State.DRIFT, 1),
        (checked(replace(STILL, figures=(replace(FIGURES[5], anchor_drift=True),))), State.DRIFT, 1),
        (checked(STILL, goals=(goals(GoalVerdict.MET),)), State.IDENTICAL, 0),
        (checked(STILL, goals=(goals(GoalVerdict.UNDECIDED),)), State.IDENTICAL, 3),
        (checked(STILL, goals=(goals(GoalVerdict.UNDECIDED),), undecided=Undecided.WARN), State.IDENTICAL, 0),
        (checked(OPEN, goals=(goals(GoalVerdict.VIOLATED),)), State.UNDECIDED, 1),
        (checked(STILL, goals=(goals(GoalVerdict.MET, ("illegal",)),)), State.IDENTICAL, 1),
    ],
)
def test_verdict__and_exit_code(found, state, code):
    assert (found.state, found.exit_code, found.passed) == (state, code, code == 0)
    assert found.sentence.startswith(state.name)
    assert found.result()["exit_code"] == code
    json.dumps(found.result())


@pytest.mark.parametrize(
    ("found", "heading"),
    [
        (checked(STILL), "✅ Balance: IDENTICAL"),
        (checked(STILL, goals=(goals(GoalVerdict.MET),)), "✅ Balance: IDENTICAL"),
        (checked(STILL, goals=(goals(GoalVerdict.VIOLATED),)), "❌ Balance: IDENTICAL, goals violated"),
        (checked(STILL, goals=(goals(GoalVerdict.UNDECIDED),)), "❔ Balance: IDENTICAL, goals undecided"),
        (checked(OPEN, goals=(goals(GoalVerdict.VIOLATED),)), "❌ Balance: UNDECIDED, goals violated"),
        (checked(STILL, goals=(goals(GoalVerdict.MET, ("bad",)),)), "❌ Balance: IDENTICAL, goals violated"),
        (checked(MOVED), "❌ Balance: DRIFT"),
    ],
)
def test_verdict__heads_every_page_as_it_is(found, heading):
    """What failed is never under a green heading."""
    assert markdown(found).startswith(f"### {heading}\n")
    assert found.sentence.startswith(heading.partition(": ")[2] + ": ")
    assert heading.startswith("❌") == (found.exit_code == 1)
    assert found.result()["goals_verdict"] in (None, "met", "violated", "undecided")


def test_verdict__says_what_would_decide():
    assert "About 230,000 matches each would decide." in checked(OPEN, matches_needed=234_567).sentence
    many = replace(MOVED, figures=tuple(replace(FIGURES[0], metric=f"m{n}") for n in range(5)))
    assert "m2 (standard, greedy vs random) and 2 more" in checked(many).sentence


# -- the terminal -----------------------------------------------------------------------------------------------------


def test_terminal__groups_by_verdict_and_folds_equal_sides():
    far = replace(FIGURES[3], anchor_drift=True, anchor_change=0.2)
    found = checked(replace(MOVED, figures=(*FIGURES, far)), STILL, notes=("a note",), goals=(goals(GoalVerdict.MET),))
    text = printed(lambda screen: print_check(found, screen))
    assert "standard, greedy vs random: DRIFT after 40,000 matches" in text
    assert "economy.toll: 1 → 3" in text
    assert "pick.upgrade " in text
    assert "pick.upgrade.first" not in text
    assert "+2.00 ± 0.20 pp" in text
    assert "tolls: DRIFT since the anchor: +$0.2" in text
    assert "1 figure the same in every block." in text
    assert "base Ptnml(0-2): 1, 20, 300, 25, 2; Elo +4.5 ± 0.8, nElo +16.3 ± 2.8" in text
    assert "now  Ptnml(0-2): 1, 20, 300, 25, 2; no finite Elo" in text
    assert "- a note" in text
    assert "shared <= 15%" in text
    assert printed(lambda screen: print_check(found, screen), "ascii").isascii()


# -- files for other programs -----------------------------------------------------------------------------------------


def test_markdown__is_a_table_that_nothing_breaks():
    found = checked(MOVED, STILL, OPEN, notes=("a | note",), goals=(goals(GoalVerdict.UNDECIDED, ("bad",)),))
    text = markdown(found)
    assert text.startswith("### ❌ Balance: DRIFT, goals violated\n")
    assert "Of a quantile the change is" in text
    assert "1 figure the same in every block." in text
    assert "a\\|b&lt;c&gt; vs \\_d\\_" in text
    assert text.count("<details open>") == text.count("</details>") == 2
    assert "| shared &lt;= 15% |" in text.replace("| greedy vs greedy ", "")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    for row in rows:
        assert row.replace("\\|", "").count("|") in (4, 6, 7)


def test_pages__an_identical_pairing_has_no_line_of_elo():
    same = checked(replace(MOVED, state=State.IDENTICAL, figures=FIGURES[5:], pairs=(LINE, LINE)))
    other = checked(replace(same.pairings[0], state=State.EQUIVALENT, figures=FIGURES[3:], pairs=(LINE, LINE)))
    for show in (markdown, lambda found: printed(lambda screen: print_check(found, screen))):
        assert "economy.toll" in show(same)
        assert "Ptnml" not in show(same)
        assert "Ptnml(0-2): 1, 20, 300, 25, 2; Elo +4.5" in show(other)


def test_junit__counts_what_it_holds():
    root = ElementTree.fromstring(junit(checked(MOVED, STILL, goals=(goals(GoalVerdict.VIOLATED, ("bad",)),))))
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("9", "5", "0")
    assert [suite.get("name") for suite in root] == ["standard, greedy vs random", "standard, a|b<c> vs _d_", "g.yaml"]
    kinds = [one.get("type") for one in root.iter("failure")]
    assert kinds == ["drift", "undecided", "undecided", "illegal", "goal"]
    assert "change +2.00 ± 0.20 pp" in str(next(root.iter("failure")).get("message"))
    mild = ElementTree.fromstring(junit(checked(OPEN, undecided=Undecided.WARN, goals=(goals(GoalVerdict.UNDECIDED),))))
    assert (mild.get("failures"), mild.get("skipped")) == ("0", "3")


def test_annotations__one_for_each_pairing_and_goal_that_fails():
    found = list(annotation_lines(checked(MOVED, STILL, OPEN, goals=(goals(GoalVerdict.VIOLATED, ("50% bad",)),))))
    assert len(found) == 3
    assert found[0].startswith(
        "::error file=configs/standard.yaml,title=Balance has drifted::standard, greedy vs random"
    )
    assert "%0Ashared: 6.00%25 → 8.00%25 (change +2.00 ± 0.20 pp, delta 0.3 pp)" in found[0]
    assert found[1] == "::error file=g.yaml,title=Goals::50%25 bad"
    assert found[2].startswith("::error file=g.yaml,title=Goal violated::greedy vs greedy: shared <= 15%25")
    assert all("\n" not in line for line in found)
    assert found[0].endswith("%0A1 figure the same in every block.")
    weak = list(annotation_lines(checked(OPEN, undecided=Undecided.WARN, goals=(goals(GoalVerdict.UNDECIDED),))))
    assert [line.partition(" ")[0] for line in weak] == ["::warning", "::warning"]
    assert weak[0].startswith("::warning title=Balance is undecided::")
    quantile = replace(OPEN, figures=(replace(FIGURES[4], state=State.UNDECIDED),))
    assert "%0AOf a quantile the change is that of the share" in next(annotation_lines(checked(quantile)))
    assert "quantile" not in weak[0]
    many = replace(MOVED, figures=tuple(replace(FIGURES[0], metric=f"m{n}") for n in range(12)))
    assert "and 4 more" in next(annotation_lines(checked(many)))


# -- the commands -----------------------------------------------------------------------------------------------------


@pytest.fixture
def words(tmp_path):
    """What records a baseline of a scenario in the working folder."""
    scenario(tmp_path)
    return ("baseline", "record", "game.yaml", "-o", "b.json", "--matches", MATCHES, "--seed", 3)


def test_commands__from_record_to_update(words, sim_command, tmp_path, monkeypatch):
    made = sim_command(*words, "--bots", "greedy,random")
    assert made.code == 0, made.err
    assert "wrote b.json: 24 figures of 1 pairing, seed 3\n" in made.out
    assert sim_command(*words).err.startswith("b.json: exists already")
    fine = sim_command("check", "b.json", "--junit", "out/j.xml")
    assert (fine.code, "IDENTICAL: every match" in fine.out) == (0, True), fine.err
    assert ElementTree.parse(tmp_path / "out" / "j.xml").getroot().get("failures") == "0"
    refused = sim_command("check", "b.json", "--junit", "b.json")
    assert (refused.code, "must be another file than FILE, which it would overwrite" in refused.err) == (2, True)
    told = json.loads(sim_command("check", "b.json", "--json").out)
    assert (told["verdict"], told["passed"]) == ("identical", True)
    assert sim_command("check", "b.json", "--markdown").out.startswith("### ✅ Balance: IDENTICAL\n")
    shown = sim_command("baseline", "show", "b.json")
    assert "game.yaml, greedy vs random\n" in shown.out
    assert json.loads(sim_command("baseline", "show", "b.json", "--json").out)["seed"] == 3

    scenario(tmp_path, economy__siding_cost=None, economy__upgrade_cost=None)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    drift = sim_command("check", "b.json")
    assert drift.code == 1, drift.out
    assert "economy.siding_cost: 3 → null" in drift.out
    assert "::error file=game.yaml,title=Balance has drifted::" in drift.err
    monkeypatch.delenv("GITHUB_ACTIONS")
    refused = sim_command("baseline", "update", "b.json", "--reason", "no purchases")
    assert (refused.code, refused.out) == (1, "")
    assert "not updated: " in refused.err
    taken = sim_command("baseline", "update", "b.json", "--reason", "no purchases", "--anchor", "--json")
    assert (taken.code, json.loads(taken.out)["verdict"]) == (0, "drift")
    assert "wrote b.json" in taken.err
    scenario(tmp_path)
    taken = sim_command("baseline", "update", "b.json", "--reason", "as it was", "--anchor")
    assert re.search(r"Accepted: \d+ of 24 figures had drifted", taken.out)
    assert "DRIFT:" not in taken.out
    assert "- 2" in sim_command("baseline", "show", "b.json").out.partition("History")[2]
    same = sim_command("baseline", "update", "b.json", "--reason", "nothing")
    assert "b.json is as it was: nothing has changed" in same.err


FAULTS = {
    "missing": ("b.json", lambda path: path.unlink(), "there is no such baseline"),
    "damaged": ("b.json", lambda path: path.write_text("{", encoding="utf-8"), "is cut off or damaged"),
    "bad scenario": (
        "game.yaml",
        lambda path: path.write_text("dispatches: -1\n", encoding="utf-8"),
        "schema is missing",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_commands__what_cannot_be_checked_is_told_everywhere(words, sim_command, tmp_path, monkeypatch, name):
    sim_command(*words)
    file, damage, message = FAULTS[name]
    damage(tmp_path / file)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    told = sim_command("check", "b.json", "--markdown", "--junit", "j.xml")
    assert told.code == 2
    assert told.out.startswith("### ❌ Balance: cannot be checked\n\n- ")
    assert message in told.out
    assert f"::error file={file}," in told.err
    assert "title=Balance cannot be checked::" in told.err
    root = ElementTree.parse(tmp_path / "j.xml").getroot()
    assert root.get("errors") == root.get("tests") != "0"
    assert message in str(next(root.iter("error")).get("message"))
    found = json.loads(sim_command("check", "b.json", "--json").out)
    assert (found["verdict"], found["passed"], found["exit_code"]) == ("error", False, 2)
    assert message in found["problems"][0]
    (tmp_path / "folder").mkdir()
    unwritten = sim_command("check", "b.json", "--junit", "folder")
    assert message in unwritten.err
    assert "cannot write folder: " in unwritten.err


def test_commands__add_rename_remove(words, sim_command, tmp_path):
    sim_command(*words)
    scenario(tmp_path, "more", economy__toll=2)
    reason = ("--reason", "because")
    made = sim_command("baseline", "add", "b.json", "more.yaml", "--matches", MATCHES, *reason)
    assert (made.code, "of 2 pairings, seed 3" in made.out) == (0, True), made.err
    (tmp_path / "more.yaml").rename(tmp_path / "other.yaml")
    assert sim_command("baseline", "rename", "b.json", "more.yaml", "other.yaml", *reason).code == 0
    assert sim_command("check", "b.json").code == 0
    assert "of 1 pairing, seed 3" in sim_command("baseline", "remove", "b.json", "other.yaml", *reason).out
    assert sim_command("baseline", "remove", "b.json", "other.yaml", *reason).code == 2


def test_commands__bad_usage(words, sim_command):
    sim_command(*words)
    for given, message in (
        (("check", "absent.json"), "absent.json: there is no such baseline; sim baseline record makes one"),
        (("check", "b.json", "--undecided", "maybe"), "--undecided is maybe; must be fail or warn"),
        (("check", "b.json", "--budget", "soon"), "--budget is soon; must be a time, such as 60s or 2m"),
        (("check", "b.json", "--json", "--markdown"), "--markdown is given with --json; must be given alone"),
        (("check", "b.json", "--goals", "absent.yaml"), "absent.yaml: there is no such file"),
        (("baseline", "selftest", "absent.json"), "absent.json: there is no such baseline"),
    ):
        found = sim_command(*given)
        assert (found.code, message in found.err, found.out) == (2, True, ""), found.err


@pytest.mark.parametrize(
    ("text", "seconds"), [(None, None), ("90", 90), ("60s", 60), ("2m", 120), ("1.5 min", 90), ("1h", 3600)]
)
def test_commands__budgets(text, seconds):
    from sim.cli.gate import _seconds

    assert _seconds(text) == seconds


def test_commands__selftest(words, sim_command):
    sim_command(*words)
    found = sim_command("baseline", "selftest", "b.json", "--simulations", 100)
    assert found.code == 3, found.out
    assert "An unchanged game would pass too seldom" in found.out
    told = json.loads(sim_command("baseline", "selftest", "b.json", "--simulations", 100, "--json").out)
    assert [trial["name"] for trial in told["trials"]] == ["nothing", "one figure, by delta", "all figures, by delta"]


def test_selftest__says_which_promise_is_not_kept():
    def trial(drift: int) -> Trial:
        return Trial(
            "all figures, by delta", {"equivalent": 0, "undecided": 2_000 - drift, "drift": drift}, "drift", 0.001
        )

    short = Trial("all figures, by delta", {"equivalent": 0, "undecided": 199, "drift": 1}, "drift", 0.001)
    assert short.kept
    assert short.shown is None
    assert replace(short, verdicts={"undecided": 200}).shown is None
    assert replace(short, verdicts={"undecided": 2_000}).shown is True
    assert replace(short, verdicts={"undecided": 190, "drift": 10}).shown is False

    good = Trial("nothing", {"equivalent": 1_990, "undecided": 10, "drift": 0}, "equivalent", 0.97, at_least=True)
    poor = replace(good, verdicts={"equivalent": 1_500, "undecided": 500, "drift": 0})
    few = printed(lambda screen: print_selftest(SelfTest((good, short), 24, 1), "b.json", screen))
    assert "drift at most 0.1%: 1 of 200" in few
    assert "not refuted" in few
    assert "more --simulations say more" in few
    for trials, code, words in (
        ((good, trial(2)), 0, "The gate keeps its promises"),
        ((good, trial(20)), 1, "does not keep its promises"),
        ((poor, trial(2)), 3, "pass too seldom"),
    ):
        found = SelfTest(trials, 24, 1)
        assert found.exit_code == code
        assert words in printed(lambda screen, found=found: print_selftest(found, "b.json", screen))


def test_selftest__needs_something_left_to_chance(tmp_path):
    scenario(tmp_path, define={"still": {"bot": "greedy", "noise": 0}})
    path = recorded(tmp_path, ("still", "still"), matches=4)
    with pytest.raises(sim.BadInput, match="nothing in this baseline is left to chance"):
        selftest(read_baseline(path), 100)
    text = printed(lambda screen: print_baseline(read_baseline(path), "b.json", screen))
    assert "nothing is drawn: one different pair" in text
    assert "enough for every delta" in text


OLD_MOVED = [{"figure": "tolls", "state": "drift"}, {"figure": "shared", "state": "equivalent"}]
"""As older baselines have it: with figures that did not drift."""


def test_show__says_how_many_matches_a_delta_needs(tmp_path):
    path = recorded(tmp_path, ("greedy", "random"))
    found = read_baseline(path)
    first, line, *_ = planned_words(found, "b.json")
    assert re.search(
        r"^Too few matches for the delta of \d+ figures. Record with --matches \d+k? \(of the first", first
    )
    assert re.search(rf"^- game.yaml, greedy vs random: .*: {16 * MATCHES:,} matches recorded, [\d,]+ needed$", line)
    assert planned_words(found, "below/b.json")[1].startswith("- below/game.yaml, ")
    entry = found.entries[0]
    zero = replace(entry, deltas={**entry.deltas, "tolls": 0.0})
    assert any("tolls: no number is enough where delta is 0" in one for one in planned_words(Baseline(1, (zero,)), "b"))
    one_block = {
        name: replace(total, matches=np.eye(1, total.matches.size, dtype=np.int64)[0])
        for name, total in entry.now.looks[-1].totals.items()
    }
    looks = (*entry.now.looks[:-1], replace(entry.now.looks[-1], totals=one_block))
    unknown = replace(entry, now=replace(entry.now, looks=looks))
    said = " ".join(planned_words(Baseline(1, (unknown,)), "b.json"))
    assert "too few matches count to say" in said
    assert "enough for every delta" not in said
    note = {
        "when": "2026-01-02T03:04:05+00:00",
        "reason": "because",
        "anchor": True,
        "verdict": "drift",
        "moved": OLD_MOVED,
    }
    write_baseline(path, Baseline(1, (zero,), (note,)))
    text = printed(lambda screen: print_baseline(read_baseline(path), "b.json", screen))
    assert "no number" in text
    assert "- 2026-01-02: because (drift, 1 figure moved by more than delta, anchor moved)" in " ".join(text.split())
    new = {**note, "anchor": False, "verdict": "equivalent", "figures": 18, "moved": []}
    edited = {**new, "verdict": "removed: a.yaml"}
    write_baseline(path, Baseline(1, (zero,), (new, edited)))
    text = " ".join(printed(lambda screen: print_baseline(read_baseline(path), "b.json", screen)).split())
    assert "because (equivalent, 0 of 18 figures moved by more than delta)" in text
    assert "because (removed: a.yaml)" in text
    assert Path(path).exists()


# -- the action and the hook ------------------------------------------------------------------------------------------

ROOT = Path(__file__).parents[1]


def yaml(name: str):
    from ruamel.yaml import YAML

    return YAML(typ="safe", pure=True).load((ROOT / name).read_text(encoding="utf-8"))


def test_action__every_input_reaches_the_script():
    action = yaml("action.yml")
    step = action["runs"]["steps"][-1]
    assert step["run"] == 'bash "$GITHUB_ACTION_PATH/.github/check-balance.sh"'
    script = (ROOT / ".github" / "check-balance.sh").read_text(encoding="utf-8")
    assert set(re.findall(r"BALANCE_[A-Z]+", script)) == set(step["env"])
    given = re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text(encoding="utf-8"))
    assert set(given) == set(action["inputs"])
    assert "GITHUB_OUTPUT" in script
    for option in ("--goals", "--budget", "--junit", "--undecided", "--markdown"):
        assert option in script


SAID = {
    "### ✅ Balance: IDENTICAL": (0, "", "identical", ""),
    "### ✅ Balance: EQUIVALENT": (0, "g.yaml", "equivalent", "met"),
    "### ❌ Balance: IDENTICAL, goals violated": (1, "g.yaml", "identical", "violated"),
    "### ❔ Balance: UNDECIDED, goals undecided": (3, "g.yaml", "undecided", "undecided"),
    "### ❌ Balance: cannot be checked": (2, "g.yaml", "error", ""),
    "": (2, "", "error", ""),
}


@pytest.mark.skipif(shutil.which("bash") is None, reason="the step of the action is a script of bash")
@pytest.mark.parametrize("heading", SAID)
def test_action__outputs_are_those_of_the_heading(tmp_path, heading):
    code, given, verdict, of_goals = SAID[heading]
    sim_path = tmp_path / "sim"
    sim_path.write_text(f"#!/bin/sh\necho '{heading}'\nexit {code}\n", encoding="utf-8")
    sim_path.chmod(0o755)
    env = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "BALANCE_BASELINE": "b.json",
        "BALANCE_GOALS": given,
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(["bash", str(ROOT / ".github" / "check-balance.sh")], env=env, check=False, cwd=tmp_path)
    assert done.returncode == code
    assert (tmp_path / "summary").read_text(encoding="utf-8") == f"{heading}\n"
    written = dict(line.split("=") for line in (tmp_path / "output").read_text(encoding="utf-8").splitlines())
    assert written == {"passed": "true" if code == 0 else "false", "verdict": verdict, "goals": of_goals}
    declared = yaml("action.yml")["outputs"]
    assert set(declared) == set(written)


def test_hook__is_a_command():
    from tests.test_docs import parsed

    (hook,) = yaml(".pre-commit-hooks.yaml")
    words = [*hook["entry"].split()[1:], *hook["args"]]
    assert parsed(words).params["undecided"] == "warn"
    assert re.search(hook["files"], "reports/baselines/balance.json")
    assert hook["verbose"] is True
    shown = next(block for block in (ROOT / "docs" / "gate.md").read_text("utf-8").split("```") if "hooks:" in block)
    assert f"id: {hook['id']}" in shown


def test_pytest__a_failure_shows_the_table_and_not_the_inside(words, sim_command, tmp_path):
    """What a person reads is the line of the test and what has moved."""
    sim_command(*words)
    scenario(tmp_path, economy__siding_cost=None, economy__upgrade_cost=None)
    shown = []
    for name, error in (("game.yaml", AssertionError), ("other.yaml", sim.BadInput)):
        with pytest.raises(error) as told:
            sim.assert_balance(name, baseline="b.json", budget=1)
        shown.append(str(told.getrepr(style="long")))
    assert "economy.siding_cost: 3 → null" in shown[0]
    assert "has no entry for other.yaml; it holds game.yaml" in shown[1]
    assert all("testing.py" not in text and "check.py" not in text for text in shown)
