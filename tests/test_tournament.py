"""Tournaments: what is played, what is kept, that nothing depends on how it was played, and what goes wrong."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sim
from sim.running.runner import Interrupted
from sim.stats import metagame
from sim.stats.metagame import ALL_BOTS, meta_game
from sim.store import RunFolder
from sim.studies import playing
from sim.studies import tournament as study
from sim.studies.tournament import TournamentPlan, make_tournament_plan, play_tournament
from sim.studies.tournament_result import PAIRING_METRICS, Tournament
from tests.run_tools import SHORT, edited, files_under, interrupting, plug_in, scaled

DEFINE = {
    "twin": {"bot": "greedy"},
    "poor": {"bot": "greedy", "invest": "none"},
    "still": {"bot": "greedy", "noise": 0},
    "dull": {"bot": "greedy", "noise": 0, "invest": "none"},
}
MATCHES = scaled(1_400, 44)
"""Enough for 64 blocks, or for ten where kernels are plain."""
BOTS = ("twin", "random", "greedy", "poor", "still", "dull")


too_short = pytest.mark.compiled
"""Nobody can afford anything in the short matches of plain kernels, so that variants that differ there are equal."""


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    monkeypatch.setattr(study, "meta_game", partial(meta_game, resamples=40))


def plan_of(*bots: str, matches: int = MATCHES, seed: int = 7, **overrides: Any) -> TournamentPlan:
    """A tournament on the standard map, of shorter matches when kernels are plain."""
    return make_tournament_plan(
        "standard", bots=bots, matches=matches, seed=seed, overrides={**SHORT, "define": DEFINE, **overrides}
    )


def kept(path: Path, plan: TournamentPlan, **how: Any) -> Tournament:
    """Play a tournament into a folder, or go on with what is there."""
    with RunFolder(path, plan.digest) as folder:
        assert folder.state != "complete"
        return play_tournament(plan, folder=folder, **how)


@pytest.fixture(scope="module")
def found() -> Tournament:
    """A tournament with a clone, a hopeless bot and two that draw nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "meta_game", partial(meta_game, resamples=40))
        return play_tournament(plan_of(*BOTS), threads=2)


@pytest.fixture
def no_report(monkeypatch):
    """Folders do without a report, which takes longer than the matches."""

    def stand_in(found: Tournament, folder: Path) -> None:
        (folder / "report.html").write_text("a report", encoding="utf-8")

    monkeypatch.setattr("sim.reports.tournament.write_tournament_report", stand_in)


# -- what is played ---------------------------------------------------------------------------------------------------


def test_tournament__all_pairings_and_self_play_once(found):
    pairings = [told["pairing"] for told in found.manifest["pairings"]]
    unequal = [f"{a} vs {b}" for i, a in enumerate(BOTS) for b in BOTS[i + 1 :] if {a, b} != {"twin", "greedy"}]
    selves = [f"{bot} vs {bot}" for bot in BOTS if bot != "greedy"]
    assert pairings == unequal + selves
    told = {one["pairing"]: one for one in found.manifest["pairings"]}
    assert told["still vs dull"]["matches_played"] == 2
    assert told["dull vs dull"]["matches_played"] == 1
    assert told["random vs poor"]["matches_played"] == MATCHES
    assert sum(one["matches_played"] for one in told.values()) == found.manifest["matches_played"]
    assert sum(found.manifest["outcomes"].values()) == found.manifest["matches_played"]
    for one in told.values():
        assert sum(one["outcomes"].values()) == one["matches_played"]


def test_tournament__every_figure_is_in_the_summary(found):
    entries = {(one["pairing"], one["metric"]) for one in found.summary()["estimates"]}
    assert len(entries) == len(found.summary()["estimates"])
    for told in found.manifest["pairings"]:
        assert {(told["pairing"], metric) for metric in PAIRING_METRICS} <= entries
    for metric in ("dominated_bots", "cyclic_share", "equilibrium_weight.poor", "rank.still", "mean_score.dull"):
        assert (ALL_BOTS, metric) in entries
    weights = [found[f"equilibrium_weight.{bot}"].value for bot in BOTS]
    assert sum(weights) == pytest.approx(1)
    assert "equilibrium_weight.poor" in set(found.estimates_frame["metric"])


@pytest.mark.parametrize("bots", [("random", "poor"), ("still", "dull"), ("twin", "twin")], ids=" ".join)
def test_tournament__a_pairing_is_the_run_of_its_bots(found, bots):
    run = sim.run("standard", bots=bots, matches=MATCHES, seed=7, overrides={**SHORT, "define": DEFINE})
    for metric in PAIRING_METRICS:
        assert found.estimate(f"{bots[0]} vs {bots[1]}", metric) == run[metric]


def test_tournament__scores_are_the_same_from_either_side(found):
    frame = found.scores_frame
    assert np.isnan(np.diag(frame)).all()
    assert (frame + frame.T).to_numpy()[~np.eye(len(BOTS), dtype=bool)] == pytest.approx(1)
    one, other = found.score("random", "poor"), found.score("poor", "random")
    assert (other.value, other.low, other.high) == (1 - one.value, 1 - one.high, 1 - one.low)
    assert found.score("twin", "greedy").value == found.score("greedy", "twin").value == 0.5
    with pytest.raises(KeyError, match="no figure of this tournament"):
        found.score("random", "nobody")


@too_short
def test_tournament__payoffs_are_scores(found):
    """Mean scores are the scores' means, over the distinct bots: greedy's clone counts once."""
    distinct = [bot for bot in BOTS if bot != "greedy"]
    for bot in distinct:
        scores = [found.score(bot, other).value for other in distinct if other != bot]
        assert found[f"mean_score.{bot}"].value == pytest.approx(np.mean(scores), abs=1e-12)


def test_tournament__bots_that_draw_nothing_are_played_once(found):
    score = found.score("still", "dull")
    assert (score.method, score.low, score.n) == ("deterministic", None, 2)
    assert any("Neither bot draws in still vs dull" in note for note in found.notes)


@too_short
def test_tournament__all_without_chance():
    found = play_tournament(plan_of("still", "dull"))
    assert found.manifest["matches_played"] == 4
    assert found["dominated_bots"].method == "deterministic"
    assert found.failures == ()


def test_tournament__by_default_all_bots_take_part():
    from kernels.dispatch.bots import SHIPPED

    plan = make_tournament_plan("standard", overrides={"define": DEFINE}, seed=1)
    assert plan.names == (*SHIPPED, *DEFINE)
    assert plan.matches == study.DEFAULT_MATCHES


# -- clones -----------------------------------------------------------------------------------------------------------


@too_short
@pytest.mark.parametrize("order", [("twin", "random", "greedy", "poor"), ("random", "greedy", "poor", "twin")])
def test_tournament__a_clone_splits_the_weight_and_changes_nothing_else(order):
    without = play_tournament(plan_of("random", "greedy", "poor"))
    found = play_tournament(plan_of(*order))
    assert {frozenset(group) for group in found.clones} == {frozenset({"twin", "greedy"})}
    for metric in ("dominated_bots", "cyclic_share", "distinct_bots"):
        assert found[metric].value == pytest.approx(without[metric].value, abs=1e-9)
        assert found[metric].low == (None if without[metric].low is None else pytest.approx(without[metric].low))
    for bot in ("random", "greedy", "poor"):
        for metric in ("rank", "mean_score", "equilibrium_weight", "dominance_margin"):
            parts = 2 if (metric, bot) == ("equilibrium_weight", "greedy") else 1
            one, other = found[f"{metric}.{bot}"], without[f"{metric}.{bot}"]
            for end in ("value", "low", "high"):
                expected = getattr(other, end)
                expected = None if expected is None else pytest.approx(expected / parts, abs=1e-6)
                assert getattr(one, end) == expected, (metric, bot, end)
    weights = [found[f"equilibrium_weight.{bot}"].value for bot in ("twin", "greedy")]
    assert weights[0] == weights[1]


def test_tournament__a_clone_that_does_not_say_so_is_recognised():
    """Without sidings it does not matter how much one thinks of them: another identity, the same play."""
    define = {**DEFINE, "other": {"bot": "greedy", "contest": 0.5}}
    found = play_tournament(plan_of("random", "other", "greedy", **{"economy.siding_cost": None, "define": define}))
    assert found.clones == (("other", "greedy"),)
    score = found.estimate("other vs greedy", "score.first")
    assert score.value == 0.5
    assert score.n == MATCHES
    assert any("other, greedy have equal rows of payoffs" in note for note in found.notes)
    assert found["equilibrium_weight.other"] != found["equilibrium_weight.random"]


def test_tournament__only_clones():
    found = play_tournament(plan_of("twin", "greedy"))
    assert [told["pairing"] for told in found.manifest["pairings"]] == ["twin vs twin"]
    assert found["distinct_bots"].value == 1
    assert found["equilibrium_weight.twin"].value == 0.5


# -- nothing depends on how it was played -----------------------------------------------------------------------------


@pytest.mark.usefixtures("no_report")
def test_tournament__threads_and_chunks_leave_no_trace(tmp_path):
    plan = plan_of("twin", "random", "still", "dull")
    found = []
    for place, (threads, chunk_pairs) in enumerate([(1, None), (2, 17), (3, 10**6)]):
        kept(tmp_path / str(place), plan, threads=threads, chunk_pairs=chunk_pairs)
        found.append((tmp_path / str(place) / "summary.json").read_bytes())
    assert found[0] == found[1] == found[2]
    other = play_tournament(plan_of("twin", "random", "still", "dull", seed=8))
    assert json.loads(found[0])["estimates"] != other.summary()["estimates"]


@pytest.mark.usefixtures("no_report")
def test_tournament__interrupted_and_continued(tmp_path):
    plan = plan_of("twin", "random", "still", "dull")
    kept(tmp_path / "whole", plan, threads=2)
    folder = tmp_path / "stopped"
    stops = []
    for attempt in range(1_000):
        try:
            how = {"threads": 1 + attempt % 2, "chunk_pairs": MATCHES // 14}
            run = kept(folder, plan, progress=interrupting(3 + attempt), **how)
        except Interrupted as stopped:
            stops.append(stopped)
            with pytest.raises(sim.BadInput):
                sim.load_tournament(folder)
        else:
            break
    assert {(stopped.folder, stopped.wanted) for stopped in stops} == {(folder, plan.n_matches)}
    done = [stopped.done for stopped in stops]
    assert len(done) >= 2
    assert done == sorted(set(done))
    assert run.manifest["continued_after"] == done[-1]
    assert (folder / "summary.json").read_bytes() == (tmp_path / "whole" / "summary.json").read_bytes()
    pairings = [files_under(path / "pairings") for path in (folder, tmp_path / "whole")]
    assert list(pairings[0]) == list(pairings[1])
    assert not {path.name for path in folder.iterdir()} & {"unfinished.npz", "unfinished.json", ".lock"}


@pytest.mark.usefixtures("no_report")
def test_tournament__interrupted_while_the_figures_are_made(tmp_path, monkeypatch):
    plan = plan_of("greedy", "random")

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(study, "meta_game", stop)
        with pytest.raises(Interrupted):
            kept(tmp_path / "run", plan)
    found = kept(tmp_path / "run", plan)
    assert found.manifest["continued_after"] == found.manifest["matches_played"] == plan.n_matches


def test_tournament__read_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    how: dict[str, Any] = {"matches": MATCHES, "seed": 3, "overrides": SHORT, "bots": ("greedy", "random")}
    made = sim.tournament("standard", out="here", **how)
    again = sim.tournament("standard", out="here", **how)
    assert again.summary() == made.summary() == sim.load_tournament("here").summary()
    assert (again.bots, again.notes, again.dominated) == (made.bots, made.notes, made.dominated)
    assert sim.tournament("standard", **how).summary() == made.summary()
    names = {path.name for path in Path("here").iterdir()}
    assert names == {"manifest.json", "summary.json", "report.html", "figures", "tables", "pairings"}
    with pytest.raises(sim.BadInput, match="another run"):
        sim.tournament("standard", out="here", **{**how, "seed": 4})
    with pytest.raises(sim.BadInput, match="another run"):
        sim.run("standard", out="here", matches=2, seed=3)


def test_tournament__damaged_folders_are_refused(tmp_path):
    folder = tmp_path / "run"
    sim.tournament("standard", out=folder, matches=20, seed=3, overrides=SHORT, bots=("greedy", "random"))
    whole = (folder / "manifest.json").read_text()
    changes = {
        "holds no tournament": lambda data: data.pop("study"),
        "failures is None": lambda data: data.pop("failures"),
        "is of schema 9": lambda data: data.update(schema=9),
        "names no schema": lambda data: data.pop("schema"),
        "in its scenario": lambda data: data["scenario"].update(dispatches=-1),
        "mean_score.nobody": lambda data: data["bots"][0].update(name="nobody"),
    }
    for message, change in changes.items():
        edited(folder / "manifest.json", change)
        with pytest.raises(sim.BadInput, match=message):
            sim.load_tournament(folder)
        (folder / "manifest.json").write_text(whole)
    edited(folder / "summary.json", lambda data: data["estimates"][0].pop("low"))
    with pytest.raises(sim.BadInput, match="damaged"):
        sim.load_tournament(folder)


# -- what goes wrong --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"bots": ["greedy", "nobody"]}, "bot 'nobody' is unknown"),
        ({"bots": ["greedy"]}, "must name two or more"),
        ({"bots": []}, "must name two or more"),
        ({"bots": "greedy,random"}, "must be a list"),
        ({"bots": ["greedy", "random", "greedy"]}, "greedy is named twice"),
        ({"bots": ["greedy", 3]}, "bot is 3"),
        ({"matches": 0}, "matches is 0"),
        ({"matches": 2**60}, "matches is"),
        ({"matches": 1.5}, "matches is 1.5"),
        ({"seed": -1}, "seed is -1"),
    ],
    ids=str,
)
def test_tournament__bad_input_is_told(given, message):
    with pytest.raises(sim.BadInput, match=message):
        sim.tournament("standard", **given)


def test_tournament__too_many_matches_for_exact_sums():
    dear = {"economy.starting_cash": 10_000, "dispatches": 1_000, "economy.income": 10_000}
    with pytest.raises(sim.BadInput, match="must be at most"):
        make_tournament_plan("standard", bots=("greedy", "random"), matches=2**52, overrides=dear)


def test_tournament__illegal_orders_are_counted_and_left_out(tmp_path):
    bad = plug_in(tmp_path, "return np.int64(-1)")
    plan = make_tournament_plan("standard", bots=("greedy", bad), matches=20, seed=1, overrides=SHORT)
    found = play_tournament(plan)
    assert found.n_illegal == 20 + 20
    assert found.failures == (f"no match of greedy vs {bad} counts, so that there is no table of payoffs",)
    assert found["dominated_bots"].value is None
    assert any("ended with an illegal order" in note for note in found.notes)


@pytest.mark.usefixtures("no_report")
def test_tournament__a_false_declaration_is_refused_and_leaves_nothing(tmp_path):
    body = "draw32(stream)\nreturn pack_order(0, 0, -1, 0)"
    bot = plug_in(tmp_path, body, draws_nothing="True")
    plan = make_tournament_plan("standard", bots=(bot, "greedy"), matches=4, seed=1, overrides=SHORT)
    with pytest.raises(sim.BadInput, match="declares that it draws nothing"):
        kept(tmp_path / "run", plan)
    assert not (tmp_path / "run").exists()


@too_short
def test_tournament__a_failed_solver_is_no_finding(monkeypatch):
    def fail(*_: object) -> None:
        raise metagame.SolverFailed("no solution")

    monkeypatch.setattr(metagame, "dominance_margin", fail)
    monkeypatch.setattr(metagame, "most_even_equilibrium", fail)
    found = play_tournament(plan_of("greedy", "random", "poor"))
    assert found.failures[0] == "equilibrium: no solution"
    assert len(found.failures) == 4
    assert found["dominated_bots"].value is None
    assert found["dominated_bots"].method == "solver failed"
    assert found["equilibrium_weight.greedy"].method == "solver failed"


def test_tournament__few_matches_give_no_intervals():
    found = play_tournament(plan_of("greedy", "random", matches=7))
    assert found["dominated_bots"].method == "n too small"
    assert found.manifest["matches_played"] == 24
    assert any("7 matches a pairing were asked for; 8 were played" in note for note in found.notes)


# -- the command ------------------------------------------------------------------------------------------------------

SHORTLY = [word for key, value in SHORT.items() for word in ("--set", f"{key}={value}")]


def command(*words: object) -> list[object]:
    return ["tournament", "standard", "--seed", 1, "--matches", MATCHES, "--bots", "greedy,random", *SHORTLY, *words]


def test_tournament__the_command_writes_a_folder_and_knows_it_again(sim_command):
    first = sim_command(*command("--out", "here"))
    assert first.code == 0, first.err
    assert "Score of the row against the column" in first.out
    assert first.err == ""
    again = sim_command(*command("--out", "here"))
    assert again.code == 0
    assert "complete already in here" in again.err
    assert again.out == first.out
    anew = sim_command(*command("--out", "here", "--again", "--threads", 1))
    assert anew.code == 0
    assert anew.out == first.out
    made = sim_command("report", "here")
    assert (made.code, made.out) == (0, "wrote here/report.html\n")
    told = json.loads(Path("here/manifest.json").read_text())
    assert told["command"][:5] == ["sim", "tournament", "standard", "--bots", "greedy,random"]


@pytest.mark.usefixtures("no_report")
def test_tournament__json_prints_the_summary_and_nothing_else(sim_command):
    answer = sim_command(*command("--json"))
    assert answer.code == 0
    (folder,) = Path("reports/runs").iterdir()
    assert folder.name.startswith("standard-tournament-")
    assert json.loads(answer.out) == json.loads((folder / "summary.json").read_text())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--bots", "greedy,nobody"), "bot 'nobody' is unknown; must be one of"),
        (("--bots", "greedy"), "must name two or more"),
        (("--bots", "greedy,"), "--bots is 'greedy,'; must be names"),
        (("--bots", "greedy,random,greedy"), "bot greedy is named twice"),
        (("--matches", "0"), "--matches is 0"),
        (("--seed", "x"), "--seed is x"),
        (("--set", "economy.tol=1"), "economy.tol"),
    ],
    ids=str,
)
def test_tournament__the_command_refuses_bad_input(sim_command, words, message):
    answer = sim_command(*command(*words))
    assert answer.code == 2
    assert message in answer.err
    assert answer.out == ""
    assert "Traceback" not in answer.err


@pytest.mark.usefixtures("no_report")
def test_tournament__the_command_is_interrupted_and_goes_on(sim_command, monkeypatch):
    import shlex

    play = playing.play_pairs
    calls = []

    def stopping(plan: Any, ledger: Any, n_pairs: int, **how: Any) -> None:
        calls.append(plan.pairing_name)
        if len(calls) == 2:
            raise KeyboardInterrupt
        play(plan, ledger, n_pairs, **how)

    with monkeypatch.context() as patch:
        patch.setattr(playing, "play_pairs", stopping)
        stopped = sim_command(*command("--out", "here"))
    assert stopped.code == 130
    assert f"interrupted after {MATCHES:,} of {3 * MATCHES:,} matches; kept in here" in stopped.err
    words = shlex.split(stopped.err.splitlines()[-1])
    assert words[0] == "sim"
    done = sim_command(*words[1:])
    assert done.code == 0
    whole = sim_command(*command("--out", "whole"))
    assert whole.code == 0
    assert Path("here/summary.json").read_bytes() == Path("whole/summary.json").read_bytes()


def test_tournament__the_command_fails_loudly_where_a_solver_does(sim_command, monkeypatch):
    from types import SimpleNamespace

    from sim.stats import dominance

    monkeypatch.setattr(
        dominance.optimize, "linprog", lambda *_, **__: SimpleNamespace(success=False, message="time limit")
    )
    answer = sim_command(*command("--out", "here"))
    assert answer.code == 3
    assert (
        "solver failed: dominance of greedy: the linear programme of dominance was not solved: time limit" in answer.err
    )
    assert "How many bots are dominated is not known" in " ".join(answer.out.split())
    assert "No bot is dominated" not in answer.out
    page = Path("here/report.html").read_text(encoding="utf-8")
    assert "A solver failed" in page
    assert "time limit" in page
    assert sim_command(*command("--out", "here")).code == 3  # as said by what was kept


@pytest.mark.usefixtures("no_report")
def test_tournament__the_command_warns_of_illegal_orders(sim_command, tmp_path):
    bad = plug_in(tmp_path, "return np.int64(-1)")
    answer = sim_command(*command("--bots", f"greedy,random,{bad}", "--matches", 20))
    assert answer.code == 1
    assert "matches ended with an illegal order" in answer.err


def test_tournament__python_shows_progress(capsys):
    sim.tournament("standard", bots=("greedy", "random"), matches=40, seed=1, progress=True)
    assert capsys.readouterr().out == ""
