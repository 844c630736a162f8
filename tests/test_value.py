"""Value studies: planted values are found, nothing depends on how it was played, and what goes wrong is said."""

from __future__ import annotations

import io
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import sim
from sim.catalogue import player
from sim.cli.app import app
from sim.config.value_study import load_value_study
from sim.reports.value_section import knockout_rows, price_rows
from sim.reports.value_terminal import print_value
from sim.restrictions import Restrictions
from sim.running.runner import Interrupted
from sim.stats.paired import IDENTICAL
from sim.stats.worth import Crossing, Price
from sim.store import RunFolder
from sim.studies import value_play
from sim.studies.value import play_value
from sim.studies.value_notes import value_notes
from sim.studies.value_plan import ValuePlan, costs_to_scan, make_value_plan
from sim.studies.value_result import FIGURES, BotPrice, ValueStudy, Worth, load_value
from sim.studies.versions import forced, keeping_off, peaceful, places_of, without, without_items
from tests.run_tools import SHORT, edited, files_under, interrupting, plug_in, scaled

NUMBERS: dict[str, Any] = scaled({"matches": 1_400, "scan_matches": 640}, {"matches": 6, "scan_matches": 4})
KEEN = {"keen": {"bot": "greedy", "buy_at": {"upgrade:1": 1}}, "still": {"bot": "greedy", "noise": 0}}

SHUTTLE = {
    "schema": 1,
    "name": "shuttle",
    "tracks": [["W1", "jW"], ["W2", "jW"], ["jW", "jE"], ["jE", "E1"], ["jE", "E2"]],
    "mirror": {"W1": "E1", "W2": "E2", "jW": "jE"},
    "trains": [
        {"start": "W1", "deliveries": ["W2", "W1"]},
        {"start": "W2", "deliveries": ["W1", "W2"]},
    ],
}
"""Both companies run to and fro on their own side, and never meet."""


def plan_of(*bots: str, seed: int = 3, **overrides: Any) -> ValuePlan:
    """A study on the smallest map, of shorter matches when kernels are plain."""
    given = {"dispatches": 8, **SHORT, "define": KEEN, **overrides}
    return make_value_plan("compact", bots=bots, seed=seed, overrides=given, **NUMBERS)


def kept(path: Path, plan: ValuePlan, **how: Any) -> ValueStudy:
    with RunFolder(path, plan.digest) as folder:
        assert folder.state != "complete"
        return play_value(plan, folder=folder, **how)


@pytest.fixture(scope="module")
def found() -> ValueStudy:
    return play_value(plan_of("random", "greedy"), threads=2)


# -- planted values ---------------------------------------------------------------------------------------------------


def test_value__of_what_is_not_on_offer_is_exactly_0():
    plan = plan_of("random", "keen", **{"economy.upgrade_cost": None, "economy.siding_cost": None})
    found = play_value(plan)
    for one in found.worths:
        bought = one.subject in ("upgrade", "siding", "both", *plan.items)
        if bought and one.figure.startswith(("knockout", "interaction")):
            assert (one.value, one.low, one.high, one.method) == (0, 0, 0, IDENTICAL), one
    assert {one.figure for one in found.worths} >= {"scan.score", "pick"}
    assert not [one for one in found.worths if one.figure in ("timing.score", "headroom")]
    assert found.verdict("upgrade").verdict == found.verdict("siding").verdict == "dominated"
    assert sum("is not on offer" in note for note in found.notes) == 2
    assert "(not on offer)" in printed(found)


@pytest.mark.compiled
def test_value__an_upgrade_that_speeds_nothing_up_is_a_trap():
    """Who never buys it loses exactly nothing without; who buys it has spent what breaks ties."""
    found = sim.value(
        "compact",
        bots=("greedy", "keen"),
        matches=4_000,
        scan_matches=640,
        seed=2,
        overrides={"dispatches": 12, "define": KEEN, "economy.upgraded_speed": 1, "economy.siding_cost": None},
    )
    idle, keen = (found.worth(bot, "upgrade") for bot in ("greedy", "keen"))
    assert (idle.value, idle.method) == (0, IDENTICAL)
    assert keen.high < 0
    assert found.worth("keen", "upgrade", "knockout.points").value == 0
    told = found.verdict("upgrade")
    assert (told.verdict, told.agree, told.buyers) == ("trap", 1, ("keen",))
    assert found.verdict("siding").verdict == "dominated"
    assert found.price("keen", "upgrade").kind is Crossing.NEVER
    assert found.worth("keen", "upgrade", "scan.score", 0).method == IDENTICAL


@pytest.mark.compiled
def test_value__sidings_where_trains_never_meet_are_a_trap():
    define = {"calm": {"bot": "greedy", "contest": 0}}
    plan = make_value_plan(
        {"schema": 1, "game": "dispatch", "name": "shuttle", "map": SHUTTLE, "define": define},
        bots=("calm", "greedy"),
        matches=2_000,
        scan_matches=640,
        seed=1,
        overrides={"economy.upgrade_cost": None, "dispatches": 12},
    )
    found = play_value(plan)
    assert found.worth("calm", "siding").method == IDENTICAL
    assert found.worth("greedy", "siding").high < 0
    assert found.worth("greedy", "siding", "knockout.points").value == 0
    assert (found.verdict("siding").verdict, found.verdict("siding").buyers) == ("trap", ("greedy",))
    assert found.verdict("siding:jE").verdict == "dominated"


@pytest.mark.compiled
def test_value__the_price_agrees_with_a_scan_on_other_luck():
    game = {"dispatches": 12, "define": KEEN}
    found = sim.value("compact", bots=["greedy"], matches=400, scan_matches=4_000, seed=1, overrides=game)
    price = found.price("greedy", "upgrade")
    assert price.kind is Crossing.CROSSES
    item = next(one.item for one in found.prices if one.kind == "upgrade")
    versions = {"asap": {"bot": "greedy", "buy_at": {item: 1}}, "never": {"bot": "greedy", "invest": "siding"}}
    scanned = []
    for cost in range(int(price.demand_ends) + 1):
        changed = {**game, "define": versions, "economy.upgrade_cost": cost}
        asap, never = (
            sim.run("compact", bots=(name, "greedy"), matches=4_000, seed=12345, overrides=changed) for name in versions
        )
        scanned.append(asap["score.first"].value - never["score.first"].value)
    k = next(k for k in range(len(scanned)) if scanned[k] > 0 >= scanned[k + 1])
    fresh = k + scanned[k] / (scanned[k] - scanned[k + 1])
    assert 0 < price.low < price.high < price.demand_ends
    assert abs(fresh - price.value) <= price.high - price.low
    assert found.worth("greedy", "upgrade", "headroom").value == pytest.approx(price.value - 8)


@pytest.mark.compiled
def test_value__hostile_toggles_are_worth_much_to_who_makes_them():
    found = sim.value("compact", bots=("greedy", "saboteur"), matches=1_400, scan_matches=4, seed=1)
    assert found.worth("greedy", "hostile toggles").method == IDENTICAL
    assert found.worth("saboteur", "hostile toggles").low > 0.3
    assert found.verdict("hostile toggles").verdict == "depends on the bot"
    assert found.verdict("hostile toggles").votes == {"greedy": "dominated", "saboteur": "mandatory"}


# -- what is played ---------------------------------------------------------------------------------------------------


def test_value__a_knockout_is_half_minus_the_score_of_the_restricted_bot(found):
    run = sim.run(
        "compact",
        bots=("poor", "greedy"),
        matches=NUMBERS["matches"],
        seed=3,
        overrides={"dispatches": 8, **SHORT, "define": {"poor": {"bot": "greedy", "invest": "none"}}},
    )
    both = found.worth("greedy", "both")
    assert both.value == pytest.approx(0.5 - run["score.first"].value)
    assert found.worth("greedy", "both", "knockout.points").value == pytest.approx(-run["margin.mean"].value)
    assert both.n == run.sums.n_matches
    parts = [found.worth("greedy", subject).value for subject in ("upgrade", "siding")]
    assert found.worth("greedy", "both", "interaction.score").value == pytest.approx(sum(parts) - both.value)


def test_value__places_are_junctions_and_the_tracks_between_them(found):
    rail_map = sim.load_map("compact")
    places = places_of(rail_map)
    assert {one.subject for one in found.worths if one.subject in places} == set(places)
    inner = {f"track:{a} - {b}" for a, b in rail_map.tracks if not {a[0], b[0]} & {"P", "Q"}}
    assert {place for place in places if place.startswith("track")} == inner
    assert len(places) == 4 + len(inner)
    run = sim.run(
        "compact",
        bots=("off", "greedy"),
        matches=NUMBERS["scan_matches"],
        seed=3,
        overrides={
            "dispatches": 8,
            **SHORT,
            "define": {"off": {"bot": "greedy", "avoid": {"tracks": [places[-1][6:].split(" - ")]}}},
        },
    )
    assert found.worth("greedy", places[-1]).value == pytest.approx(0.5 - run["score.first"].value)
    assert make_value_plan("compact", seed=1).places == places


def test_value__every_figure_is_there(found):
    assert {one.figure for one in found.worths} <= set(FIGURES)
    assert {one.figure for one in found.worths} >= {"knockout.score", "timing.score", "scan.score", "scan.pick", "pick"}
    keys = [(one.bot, one.subject, one.figure, one.at) for one in found.worths]
    assert len(set(keys)) == len(keys)
    junctions = {one.subject for one in found.verdicts if one.subject.startswith("siding:")}
    assert len(junctions) == 4
    assert [one.bot for one in found.prices] == ["random", "random", "greedy", "greedy"]
    assert len(found.worths_frame) == len(found.worths)
    for ask in (lambda: found.worth("greedy", "toll"), lambda: found.price("x", "siding"), lambda: found.verdict("x")):
        with pytest.raises(KeyError):
            ask()


@pytest.mark.compiled
def test_value__gain_of_pairing_is_told(found):
    gains = [one.gain for one in found.worths if one.figure == "knockout.score" and one.gain is not None]
    assert min(gains) > 0.8
    assert any("fewer matches" in note for note in found.notes)
    assert all(one.gain is None for one in found.worths if one.figure != "knockout.score")


def test_value__bots_without_luck_are_exact():
    found = play_value(plan_of("still"))
    one = found.worth("still", "siding")
    assert (one.method, one.low) == ("deterministic", None)
    assert any("No luck in still" in note for note in found.notes)
    printed(found)


def test_value__dispatches_and_costs_that_are_tried(tmp_path):
    (tmp_path / "s.yaml").write_text(study_text(timings=5), encoding="utf-8")
    plan = make_value_plan("compact", study=tmp_path / "s.yaml", seed=1, overrides={"dispatches": 24})
    assert plan.dispatches == (1, 7, 12, 18, 24)
    assert make_value_plan("compact", seed=1, overrides={"dispatches": 2}).dispatches == (1, 2)
    (tmp_path / "s.yaml").write_text(study_text(timings=0), encoding="utf-8")
    assert make_value_plan("compact", study=tmp_path / "s.yaml", seed=1).dispatches == ()
    costs = costs_to_scan()
    assert costs[:101] == list(range(101))
    assert costs[-1] == 10_000
    assert all(a < b <= 1.06 * a for a, b in pairwise(costs[100:]))


def test_versions__keep_what_was_restricted_before():
    base = player(
        "g", {"g": {"bot": "greedy", "invest": "upgrade", "buy_at": {"upgrade:1": 2}, "forbid": ["upgrade:2"]}}
    )
    assert without(base, "upgrade").restrictions == Restrictions("none", (), ("upgrade:2",))
    assert without(base, "siding").restrictions.invest == "upgrade"
    assert without_items(base, ["upgrade:1"]).restrictions.forbid == ("upgrade:1", "upgrade:2")
    assert without_items(base, ["upgrade:1"]).restrictions.buy_at == ()
    assert forced(base, "upgrade:2", 5).restrictions.buy_at == (("upgrade:1", 2), ("upgrade:2", 5))
    assert forced(base, "upgrade:2", 5).restrictions.forbid == ()
    assert not peaceful(base).restrictions.hostile
    off = keeping_off(keeping_off(base, "junction:b"), "track:c - a").restrictions
    assert (off.avoid_junctions, off.avoid_tracks) == (("b",), (("a", "c"),))
    assert without(base, "siding").name == "g without siding"


@pytest.mark.parametrize("how", [{"threads": 1, "chunk_pairs": 50}, {"threads": 3}], ids=str)
def test_value__does_not_depend_on_threads(found, how):
    assert play_value(plan_of("random", "greedy"), **how).result() == found.result()


@pytest.mark.parametrize("after", [2, 30, 60])
def test_value__goes_on_where_it_was_interrupted(tmp_path, found, after):
    plan = plan_of("random", "greedy")
    with pytest.raises(Interrupted) as stopped:
        kept(tmp_path / "v", plan, progress=interrupting(after), threads=1)
    assert stopped.value.folder == tmp_path / "v"
    again = kept(tmp_path / "v", plan)
    assert again.result() == found.result()
    assert load_value(tmp_path / "v") == again
    assert set(files_under(tmp_path / "v")) == {
        "value.json", "manifest.json", "tables/worths.csv", "tables/prices.csv", "tables/verdicts.csv", "report.html",
        "figures/value.svg", "figures/timing.svg",
    }  # fmt: skip
    page = (tmp_path / "v" / "report.html").read_text(encoding="utf-8")
    for one in (*knockout_rows(again), *price_rows(again)):
        assert all(f'<td class="figure">{cell}</td>' in page for cell in one[1]), one
    assert page.count("<svg") == 2
    assert again.manifest["matches_played"] == found.manifest["matches_played"]


def test_value__parts_that_were_kept_are_not_played_again(tmp_path, monkeypatch):
    plan = plan_of("greedy")
    with pytest.raises(Interrupted):
        kept(tmp_path / "v", plan, progress=interrupting(40), threads=1)
    with RunFolder(tmp_path / "v", plan.digest) as folder:
        before = set(value_play.ValuePlay(plan, 1, folder).tallies)
    assert "greedy/free" in before
    names = []
    real = value_play.Playing.play
    monkeypatch.setattr(
        value_play.Playing, "play", lambda self, plan, *rest: names.append(plan.first.name) or real(self, plan, *rest)
    )
    kept(tmp_path / "v", plan)
    assert ("greedy/without/none" in before) != ("greedy without upgrade and siding" in names)


def test_value__a_complete_one_is_read_not_played(tmp_path):
    how: dict[str, Any] = {"bots": ["greedy"], "matches": 4, "scan_matches": 4, "seed": 1, "out": tmp_path / "v"}
    how["overrides"] = {"dispatches": 2}
    one = sim.value("compact", **how)
    assert sim.value("compact", **how) == one == sim.load_value(tmp_path / "v")
    assert sim.value("compact", **how, again=True, progress=True).result() == one.result()


# -- what is shown ----------------------------------------------------------------------------------------------------


def printed(found: ValueStudy, width: int = 80, encoding: str = "utf-8") -> str:
    from rich.console import Console

    buffer = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    print_value(found, Console(file=buffer, width=width, highlight=False, markup=False, emoji=False))
    buffer.seek(0)
    text = buffer.read()
    assert all(len(line) <= width for line in text.splitlines())
    return text


def test_terminal__holds_in_80_columns(found):
    text = printed(found)
    for words in (
        "upgrade ($8)",
        "interaction",
        "hostile toggles",
        "upgrade, train 2",
        "verdict",
        "Price at which",
    ):
        assert words in text
    assert "price for greedy: " in text
    assert printed(found, encoding="ascii").isascii()


def test_terminal__many_bots_stand_in_groups():
    define = {f"greedy-with-a-long-name-{i}": {"bot": "greedy", "noise": i} for i in range(1, 7)}
    plan = make_value_plan(
        "compact",
        bots=tuple(define),
        matches=2,
        scan_matches=2,
        seed=1,
        overrides={"dispatches": 1, "define": define},
    )
    text = printed(play_value(plan))
    assert text.count("  interaction") == 4
    assert text.count("verdict") == 2


# -- the command ------------------------------------------------------------------------------------------------------


def run_command(*words: str) -> Any:
    return CliRunner().invoke(app, ["value", *words])


def test_command__writes_prints_and_says_when_complete(tmp_path):
    words = ["compact", "--bots", "greedy", "--matches", "4", "--scan-matches", "4", "--seed", "5"]
    words += ["--set", "dispatches=2", "--out", str(tmp_path / "v")]
    one = run_command(*words)
    assert one.exit_code == 0, one.output
    assert "what investments are worth on compact" in one.stdout
    told = run_command(*words, "--json")
    assert json.loads(told.stdout) == json.loads((tmp_path / "v" / "value.json").read_text(encoding="utf-8"))
    assert "complete already" in told.stderr
    manifest = json.loads((tmp_path / "v" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["command"] == ["sim", "value", *words]
    assert manifest["study_file"]["matches"] == 4


def test_command__interrupted_tells_how_to_go_on(tmp_path, monkeypatch):
    def stop(plan, **_):
        raise Interrupted(3, 40, tmp_path)

    monkeypatch.setattr("sim.studies.value.play_value", stop)
    found = run_command("standard", "--seed", "5", "--out", str(tmp_path / "v"))
    assert found.exit_code == 130
    assert f"sim value standard --seed 5 --out {tmp_path / 'v'}" in found.stderr


# -- what goes wrong --------------------------------------------------------------------------------------------------


def study_text(**changed: Any) -> str:
    lines = {"bots": "[greedy]", "worthless_below": "1pp", "mandatory_above": "10%", "matches": 20, "scan_matches": 10}
    return "schema: 1\n" + "".join(f"{key}: {value}\n" for key, value in {**lines, "timings": 3, **changed}.items())


def test_study_file__is_read_and_the_shipped_one_is_the_default(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text(study_text(of_bot="{greedy: {matches: 8}}"), encoding="utf-8")
    study = load_value_study(path)
    assert (study.worthless_below, study.mandatory_above) == (0.01, 0.1)
    assert (study.amounts("greedy"), study.amounts("random")) == ((8, 10), (20, 10))
    shipped = load_value_study()
    assert shipped.bots == ("greedy", "saboteur", "planner", "equilibrium")
    plan = make_value_plan("compact", seed=1, matches=100)
    assert plan.study.amounts("equilibrium") == (100, shipped.amounts("equilibrium")[1])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"matches": 1}, "s.yaml:5: matches is 1; must be a whole number of matches, 2 to 10,000,000"),
        ({"worthless_below": 2}, "s.yaml:3: worthless_below is 2; must be a share above 0 and below 1"),
        ({"worthless_below": "1pt"}, "worthless_below is '1pt'; must be a share"),
        ({"worthless_below": "xpp"}, "worthless_below is 'xpp'; must be a share"),
        ({"worthless_below": "20%"}, "s.yaml:4: mandatory_above is 0.1; must be above worthless_below, 0.2"),
        ({"bots": "[greedy, greedy]"}, "bots has greedy twice; must name each bot once"),
        ({"bots": "[]"}, "bots has 0 items; must have at least 1"),
        ({"places": 1}, "places is 1; must be"),
        ({"timing": 4}, "timing is no key that is known here; did you mean 'timings'"),
        ({"of_bot": "{greedy: {mtches: 8}}"}, "did you mean 'matches'"),
    ],
    ids=range(10),
)
def test_study_file__bad_input(tmp_path, changed, message):
    (tmp_path / "s.yaml").write_text(study_text(**changed), encoding="utf-8")
    with pytest.raises(sim.BadInput, match=message.replace("(", r"\(")):
        load_value_study(tmp_path / "s.yaml")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"bots": []}, "bots has no bot; must name one or more"),
        ({"bots": "greedy"}, "must be a list of one or more"),
        ({"bots": ["greedy", "greedy"]}, "bot greedy is named twice"),
        ({"bots": ["greedie"]}, "bot 'greedie' is unknown"),
        ({"matches": 1}, "matches is 1; must be a whole number from 2"),
        ({"scan_matches": True}, "scan_matches is True; must be a whole number from 2"),
        ({"seed": -1}, "seed is -1"),
        ({"study": "nowhere.yaml"}, "nowhere.yaml: there is no such file"),
    ],
    ids=range(8),
)
def test_value__bad_input(how, message):
    with pytest.raises(sim.BadInput, match=message):
        make_value_plan("compact", **how)


def test_value__bots_that_keep_to_no_restrictions_are_refused(tmp_path):
    name = plug_in(tmp_path, "return pack_order(0, 0, -1, 0)")
    with pytest.raises(sim.BadInput, match="keeps to no restrictions, so that nothing can be forbidden to it"):
        make_value_plan("compact", bots=[name])


def test_value__a_false_declaration_leaves_no_folder_behind(tmp_path):
    body = "draw32(stream)\nreturn pack_order(0, 0, -1, 0)"
    name = plug_in(tmp_path, body, draws_nothing="True", restrictable="True")
    with pytest.raises(sim.BadInput, match="declares that it draws nothing, but took"):
        sim.value("compact", bots=[name], seed=1, out=tmp_path / "v", overrides={"dispatches": 2})
    assert not (tmp_path / "v").exists()
    with pytest.raises(sim.BadInput, match="declares that it draws nothing, but took"):
        sim.compare("compact", overrides={"dispatches": 2}, bots=[name, name], seed=1, out=tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_load__damage_is_named(tmp_path):
    path = tmp_path / "v"
    sim.value("compact", bots=["greedy"], matches=4, scan_matches=4, seed=1, out=path, overrides={"dispatches": 2})

    def damaged(file: str, change: Any, message: str) -> None:
        before = (path / file).read_bytes()
        edited(path / file, change)
        with pytest.raises(sim.BadInput, match=message):
            load_value(path)
        (path / file).write_bytes(before)

    damaged("manifest.json", lambda told: told.update(study="compare"), "holds no value study")
    damaged("manifest.json", lambda told: told.pop("notes"), "is damaged: 'notes'")
    damaged("manifest.json", lambda told: told["scenario"].update(dispatches=0), "damaged: in its scenario, ")
    damaged("value.json", lambda told: told.update(schema=2), "of schema 2, from another version; must be 1")
    damaged("value.json", lambda told: told.pop("schema"), "names no schema")
    damaged("value.json", lambda told: told["prices"][0]["price"].update(kind="high"), "is damaged")
    damaged("value.json", lambda told: told["verdicts"][0].pop("votes"), "is damaged")
    load_value(path)


def test_tallies__are_whole_numbers_that_read_back():
    plan = plan_of("greedy")
    play = value_play.ValuePlay(plan, 1)
    one = play.part("free", plan.players[0], plan.players[0], 20)
    again = play.part("free", plan.players[0], plan.players[0], 20)
    assert set(one) == set(value_play.TALLIED)
    for metric, found in one.items():
        assert found.total.dtype == np.int64
        assert (again[metric].total == found.total).all()
        assert again[metric].scale == found.scale


# -- notes that keep a reader from a wrong conclusion ------------------------------------------------------------------


def worth_of(figure: str, value: float, at: int | None = None) -> Worth:
    return Worth("p", "siding", figure, at, value, value - 0.01, value + 0.01, 100, 50, "t")


def test_notes__a_bot_that_buys_badly_is_told_from_an_offer_that_is_bad():
    plan = plan_of("greedy")

    def notes(*worths: Worth, prices: tuple[BotPrice, ...] = ()) -> str:
        return "\n".join(value_notes(plan, [], worths, prices))

    lost = worth_of("knockout.score", -0.1)
    early, late = worth_of("timing.score", 0.43, 1), worth_of("timing.score", -0.05, 8)
    assert (
        "p loses by the sidings that it buys, but one forced on it at dispatch 1 wins it +43 pp: the verdict is on how "
        "the bot buys, not on what is on offer."
    ) in notes(lost, early, late)
    assert notes(lost, late) == notes(worth_of("knockout.score", 0.1), early) == notes()
    many = BotPrice("p", "upgrade", "upgrade:1", Price(Crossing.CROSSES, 2.0, 1.0, 3.0, "bootstrap", (9.0, 31.0), 40.0))
    assert "crosses 0 3 times" in notes(prices=(many,))
    once = BotPrice("p", "upgrade", "upgrade:1", Price(Crossing.CROSSES, 2.0, 1.0, 3.0, "bootstrap", (), 40.0))
    assert notes(prices=(once,)) == notes()
