"""How tournaments are shown: on the terminal, as pictures, as tables and as a page."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from functools import partial
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest
from rich.console import Console

from sim.reports.style import svg_text
from sim.reports.tournament import tournament_page, write_tournament_report
from sim.reports.tournament_figures import bots_figure, scores_figure
from sim.reports.tournament_tables import by_rank
from sim.reports.tournament_terminal import print_tournament
from sim.reports.tournament_words import figure, score_cell, short_names, verdict
from sim.stats.metagame import ALL_BOTS, meta_game
from sim.stats.metrics import Estimate
from sim.studies import tournament as study
from sim.studies.tournament import make_tournament_plan, play_tournament
from sim.studies.tournament_result import Tournament
from tests.run_tools import scaled


def tournament_of(n_variants: int, matches: int) -> Tournament:
    """A tournament of random, greedy, and variants of greedy: more and more noise, with long names."""
    define = {f"noisy-variant-{i:02d}": {"bot": "greedy", "noise": i * 0.7} for i in range(n_variants)}
    plan = make_tournament_plan(
        "standard",
        bots=("random", "greedy", *define),
        matches=matches,
        seed=2,
        overrides={"dispatches": scaled(10, 3), "define": define},
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "meta_game", partial(meta_game, resamples=20))
        return play_tournament(plan)


@pytest.fixture(scope="module")
def found() -> Tournament:
    return tournament_of(6, scaled(1_400, 24))


@pytest.fixture(scope="module")
def many() -> Tournament:
    return tournament_of(19, 24)


def printed(found: Tournament, width: int = 80, encoding: str = "utf-8", **options: Any) -> str:
    """What a console shows."""
    shown = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    print_tournament(found, Console(file=shown, width=width, markup=False, emoji=False, **options))
    shown.flush()
    return shown.buffer.getvalue().decode(encoding)


def changed(found: Tournament, metric: str, pairing: str = ALL_BOTS, **values: Any) -> Tournament:
    """The same with one figure changed."""
    estimates = tuple(
        replace(one, **values) if (one.pairing, one.metric) == (pairing, metric) else one for one in found.estimates
    )
    return Tournament(found.scenario, found.bots, estimates, found.manifest, found.notes)


# -- terminal ---------------------------------------------------------------------------------------------------------


def test_tournament_reports__eight_bots_fit_80_columns(found):
    lines = printed(found).splitlines()
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in printed(found)
    matrix = lines[lines.index("Score of the row against the column [%]; below, the longer arm of its interval") :]
    assert matrix[1].split() == [str(number) for number in range(1, 9)]
    assert matrix[2].split()[:2] == ["1", "random"]
    assert "-" in matrix[2].split()
    assert re.search(r"±\d", matrix[3])
    bots = lines[lines.index("Each bot") :]
    assert bots[1].split() == ["rank", "mean", "score", "weight", "in", "equilibrium"]


def test_tournament_reports__three_bots_are_named_above_their_columns():
    three = tournament_of(1, 24)
    assert re.search(r"^ +random +greedy +noisy-variant-00$", printed(three), re.MULTILINE)


def test_tournament_reports__colours_tell_who_wins(found):
    shown = printed(found, force_terminal=True, color_system="standard")
    assert "\x1b[1;32m" in shown
    assert "\x1b[1;35m" in shown


def test_tournament_reports__ascii_where_there_is_no_more(found):
    shown = printed(found, encoding="ascii")
    assert max(map(len, shown.splitlines())) <= 80
    assert "+-" in shown


@pytest.mark.compiled
def test_tournament_reports__many_bots_are_abbreviated(many):
    shown = printed(many)
    assert max(map(len, shown.splitlines())) <= 80
    assert "is too wide for 80 columns" in shown
    wide = printed(many, width=100)
    assert max(map(len, wide.splitlines())) <= 100
    twelve = tournament_of(10, 24)
    shown = printed(twelve)
    assert max(map(len, shown.splitlines())) <= 80
    assert "too wide for" not in shown
    assert re.search(r"12 noisy-variant-09 +\d+ ", shown)


def test_tournament_reports__names_stay_apart():
    assert short_names(["greedy", "random"], 18) == ["greedy", "random"]
    assert short_names(["a/very/long/path/bots.py:mine", "b/bots.py:other"], 18) == ["bots.py:mine", "bots.py:other"]
    assert short_names(["one/bots.py:mine", "two/bots.py:mine"], 18) == ["one/bots.py:mine", "two/bots.py:mine"]
    cut = short_names([f"{'long' * 8}{letter}{'name' * 8}" for letter in "ab"], 18)
    assert len(set(cut)) == 2
    assert max(map(len, cut)) <= 18


# -- words ------------------------------------------------------------------------------------------------------------


def score(value: float | None, low: float | None, high: float | None, method: str = "wilson") -> Estimate:
    return Estimate("a vs b", "score.first", value, low, high, 100, 50, method)


def test_tournament_reports__cells_are_short():
    assert score_cell(score(0.5234, 0.5194, 0.5274)) == ("52.3", "±0.4")
    assert score_cell(score(0.52345, 0.52305, 0.52385)) == ("52.34", "±0.04")
    assert score_cell(score(0.5, 0.3, 0.7)) == ("50", "±20")
    assert score_cell(score(1.0, 0.9963, 1.0)) == ("100.0", "±0.4")
    assert score_cell(score(0.75, None, None, "deterministic")) == ("75", "")
    assert score_cell(score(0.5, 0.5, 0.5, "exact")) == ("50", "")
    assert score_cell(score(None, None, None, "no matches")) == ("?", "")


def test_tournament_reports__whole_numbers_are_ranges(found):
    def rank(value: float | None, low: float | None, high: float | None, method: str = "bootstrap") -> str:
        return figure(Estimate(ALL_BOTS, "rank.a", value, low, high, 1, 1, method))

    assert rank(2, 1, 3) == "1 to 3"
    assert rank(2, 2, 2) == "2"
    assert rank(2, None, None, "deterministic") == "2"
    assert rank(2, None, None, "n too small") == "n too small"
    assert figure(found["distinct_bots"]) == str(round(found["distinct_bots"].value))


def test_tournament_reports__weights_say_no_more_than_they_know():
    def weight(value: float | None, low: float | None, high: float | None, method: str = "bootstrap") -> str:
        return figure(Estimate(ALL_BOTS, "equilibrium_weight.a", value, low, high, 1, 1, method))

    assert weight(1e-12, 0, 1e-9) == "under 0.1%"
    assert weight(0.33, 0.30, 0.36) == "33.0% ± 3.0 pp"
    assert weight(1 / 3, None, None, "deterministic") == "33.3%"
    assert weight(1.0, None, None, "zero variance") == "100% (zero variance)"
    assert weight(None, None, None, "solver failed") == "solver failed"


def test_tournament_reports__the_verdict_follows_the_figures(found):
    said = " ".join(verdict(found))
    assert "All of this is among the bots named here" in said
    none = Tournament(found.scenario, found.bots, found.estimates, {**found.manifest, "dominated": []})
    assert "more matches might show one" in " ".join(verdict(changed(none, "dominated_bots", value=0, low=0, high=2)))
    assert "No bot is dominated" in " ".join(verdict(changed(none, "dominated_bots", value=0, low=0, high=0)))
    failed = changed(none, "dominated_bots", value=None, low=None, high=None, method="solver failed")
    assert "How many bots are dominated is not known" in " ".join(verdict(failed))
    assert "No bot is" not in " ".join(verdict(failed))
    one = {"bot": "random", "by": {"greedy": 0.25, "noisy-variant-01": 0.75}, "pure": [], "margin": 0.1}
    mixed = Tournament(found.scenario, found.bots, found.estimates, {**found.manifest, "dominated": [one]})
    assert "random is dominated: the mixture greedy 25%, noisy-variant-01 75% wins more" in " ".join(verdict(mixed))
    alone = {**one, "pure": ["greedy", "noisy-variant-01"]}
    pure = Tournament(found.scenario, found.bots, found.estimates, {**found.manifest, "dominated": [alone]})
    assert "random is dominated: greedy and noisy-variant-01 each win more" in " ".join(verdict(pure))
    even = changed(found, "cyclic_share", value=None, low=None, high=None, method="no payoff beyond noise")
    assert "so even that it cannot be said" in " ".join(verdict(even))


def test_tournament_reports__a_bot_that_all_beat_hides_dominance(found):
    beaten = found
    for bot in found.bots[1:3]:
        beaten = changed(beaten, "score.first", f"random vs {bot}", value=0.0, low=0.0, high=0.01)
    assert "Several bots win every match against random, and what is equal there hides" in " ".join(verdict(beaten))


# -- pictures ---------------------------------------------------------------------------------------------------------


def test_tournament_reports__the_heat_map_prints_its_values(found):
    svg = svg_text(scores_figure(found))
    shown = [text.text for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    for row in found.bots:
        for column in found.bots:
            if row != column:
                value, half = score_cell(found.score(row, column))
                assert value in shown
                assert half in shown
    assert {"random", "greedy"} <= set(shown)
    assert svg == svg_text(scores_figure(found))


@pytest.mark.compiled
def test_tournament_reports__pictures_of_few_and_many_bots(many):
    for one in (tournament_of(0, 2), many):
        for draw in (scores_figure, bots_figure):
            ElementTree.fromstring(svg_text(draw(one)))


# -- tables and page --------------------------------------------------------------------------------------------------


def test_tournament_reports__tables_hold_what_the_summary_holds(found, tmp_path):
    write_tournament_report(found, tmp_path)
    tables = {path.stem: pd.read_csv(path) for path in (tmp_path / "tables").iterdir()}
    assert set(tables) == {"estimates", "scores", "score_half_widths", "bots", "dominated"}
    assert len(tables["estimates"]) == len(found.estimates)
    scores = tables["scores"].set_index("bot")
    assert list(scores.columns) == list(scores.index) == list(found.bots)
    assert scores.loc["greedy", "random"] == found.score("greedy", "random").value
    bots = tables["bots"].set_index("bot")
    assert bots.loc["greedy", "mean_score_low"] == found["mean_score.greedy"].low
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {"scores.svg", "bots.svg"}


def test_tournament_reports__the_page_needs_nothing_beside_it(found):
    page = tournament_page(found)
    assert page == tournament_page(found)
    assert not re.search(r"""(?:src|href)=["'](?!#)""", page)
    assert "@import" not in page
    assert len(re.findall(r"<svg ", page)) == 2
    names = re.findall(r'\bid="([^"]+)"', page)
    assert len(names) == len(set(names))
    for sentence in verdict(found):
        assert sentence.replace("'", "&#39;") in page
    assert page.count("<table>") == page.count("</table>")


def test_tournament_reports__names_are_text_in_the_page(found):
    odd = "<b>&amp"
    estimates = tuple(
        replace(one, pairing=one.pairing.replace("greedy", odd), metric=one.metric.replace("greedy", odd))
        for one in found.estimates
    )
    pairings = [{**told, "pairing": told["pairing"].replace("greedy", odd)} for told in found.manifest["pairings"]]
    bots = tuple(odd if bot == "greedy" else bot for bot in found.bots)
    page = tournament_page(Tournament(found.scenario, bots, estimates, {**found.manifest, "pairings": pairings}))
    assert "<b>" not in page
    assert "&lt;b&gt;&amp;amp" in page


def test_tournament_reports__bots_are_listed_by_rank(found):
    ranks = [found[f"rank.{bot}"].value for bot in by_rank(found)]
    assert ranks == sorted(ranks)
