"""The report's page: whole, self-contained, and its figures those of the run."""

from __future__ import annotations

import functools
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from sim.reports import words
from sim.reports.page import report_page, write_report
from sim.stats.metrics import METRICS
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
