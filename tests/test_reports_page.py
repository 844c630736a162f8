"""The report's page: whole, self-contained, and its figures those of the run."""

from __future__ import annotations

import functools
import json
import re
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import pytest

import sim
from kernels.jit import PLAIN
from sim.games import game_of
from sim.reports import words
from sim.reports.page import report_page, write_report
from sim.reports.value_section import knockout_rows
from sim.stats.metrics import METRICS
from sim.stats.rounding import format_estimate
from sim.stats.shape import SHAPE_METRICS
from tests.test_reports_runs import NAMES, made_runs

VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}


class Page(HTMLParser):
    """Checks that tags close in order; gathers figures, identifiers and whatever is loaded from elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.figures: list[tuple[str, str]] = []
        self.metric: str | None = None
        self.tags: list[str] = []
        self.labels: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [value or "" for key, value in attrs if key in ("href", "src", "xlink:href")]
        self.metric = given.get("data-metric")
        if tag == "svg":
            assert given.get("role") == "img"
            self.labels.append(given.get("aria-label") or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.metric = None

    def handle_data(self, data: str) -> None:
        if self.metric is not None:
            self.figures.append((self.metric, data))


@functools.cache
def page_of(name: str) -> str:
    return report_page(made_runs()[name])


@pytest.mark.parametrize("name", NAMES)
def test_page__every_figure_is_the_estimate(name: str) -> None:
    run = made_runs()[name]
    text = page_of(name)
    page = Page(text)
    assert not page.open
    assert {metric for metric, _ in page.figures} == set(METRICS)
    for metric, shown in page.figures:
        assert shown == words.figure(run, metric)
    assert len(set(page.ids)) == len(page.ids)
    assert all(link.startswith("#") for link in page.links)
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert set(re.findall(r"url\(#([^)]*)\)", text)) <= set(page.ids)
    assert not re.search(r"https?://|@import|<script[^>]|url\((?!#)", text)
    assert '<html lang="en">' in text
    assert all(page.labels)


def test_page__says_verdict_notes_and_provenance_as_text() -> None:
    text = page_of("bots")
    assert "Rounded &lt;up&gt;." in text
    assert "planner beats uniform" in text
    assert "sim run configs/standard.yaml" in text
    assert made_runs()["bots"].scenario.digest in text
    odd = page_of("odd names")
    assert "<b>$" not in odd
    assert "&lt;b&gt;$é&lt;/b&gt; &amp; [red]…" in odd


def test_write_report__writes_the_same_bytes_twice(tmp_path: Path) -> None:
    run = made_runs()["twenty"]
    first, second = write_report(run, tmp_path / "one"), write_report(run, tmp_path / "two")
    assert first[-1].name == "report.html"
    names = {path.relative_to(tmp_path / "one").as_posix() for path in first}
    assert {"report.html", "tables/estimates.csv", "figures/outcomes.svg", "figures/map.svg"} <= names
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


# -- the shape of matches and the worth of investments, beside the run -----------------------------------------------


def study_file(folder: Path, timings: int) -> Path:
    """A small value study."""
    path = folder / "study.yaml"
    path.write_text(
        "schema: 1\nbots: [greedy]\nworthless_below: 1pp\nmandatory_above: 10pp\nmatches: 20\nscan_matches: 20\n"
        f"timings: {timings}\nplaces: false\n"
    )
    return path


def test_page__shape_and_value_are_those_of_their_studies(tmp_path: Path) -> None:
    overrides = {"dispatches": 8} if PLAIN else {}
    folder = tmp_path / "run"
    study = study_file(tmp_path, timings=2)
    costs = {"economy.upgrade_cost": 2, "economy.siding_cost": 1}
    few = {**overrides, **costs}
    run = sim.run("compact", bots=("greedy", "random"), matches=12 if PLAIN else 400, seed=1, overrides=few, out=folder)
    told = json.loads((folder / "shape.json").read_text())
    shape = sim.shape(run)
    assert told["estimates"] == [one.as_dict() for one in shape.estimates]
    text = (folder / "report.html").read_text()
    Page(text)
    for one in shape.estimates:
        unit = SHAPE_METRICS[one.metric].unit
        assert escape(format_estimate(one.value, one.low, one.high, unit, one.method)) in text
    for place in (*shape.tracks, *shape.junctions):
        assert f'<th scope="row">{place.name}</th>' in text
    assert "What investments are worth" not in text
    found = sim.value("compact", study=study, seed=1, overrides=few, out=tmp_path / "value")
    game_of(run.scenario).write_report(run, folder, value=tmp_path / "value")
    text, brief = (folder / "report.html").read_text(), (folder / "report.md").read_text()
    page = Page(text)
    assert len(set(page.ids)) == len(page.ids)
    for subject, cells, verdict in knockout_rows(found):
        assert f'<th scope="row">{subject}</th>' in text
        assert verdict in text
        for shown in cells:
            assert f'<td class="figure">{shown}</td>' in text
            assert f"| {shown} |" in brief
    for metric in ("win.first", "shared", "seat_bias"):
        assert words.figure(run, metric).replace("[", "\\[").replace("]", "\\]") in brief


def test_page__a_value_study_of_another_scenario_is_refused(tmp_path: Path) -> None:
    few = {"dispatches": 3}
    study = study_file(tmp_path, timings=0)
    run = sim.run("compact", bots=("greedy", "random"), matches=12, seed=1, overrides=few, out=tmp_path / "run")
    sim.value("compact", study=study, seed=1, overrides={"dispatches": 4}, out=tmp_path / "value")
    with pytest.raises(sim.BadInput, match="is a value study of another scenario"):
        game_of(run.scenario).write_report(run, tmp_path / "run", value=tmp_path / "value")
