"""What a notebook shows of results: escaped, capped, of every kind; pictures by name; and the bar."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

import sim
from kernels.jit import PLAIN
from sim.config.errors import BadInput
from sim.reports import notebook
from sim.reports.notebook import MOST_ROWS, Shown, Table, shown_html
from sim.reports.tables import estimates_table
from sim.running.progress import bar

FEW = 20 if PLAIN else 2_000


LONGEST_REPR = 1_500
"""Notebooks keep the plain text of what is shown beside it, and it must not grow with the study."""


class Seen(HTMLParser):
    """Text and elements of a part of a page."""

    VOID = ("progress", "br", "meta", "use", "path")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def run():
    return sim.run("compact", bots=("greedy", "random"), matches=FEW, seed=1)


def test_notebook__a_run_shows_its_verdict_and_main_figures(run):
    assert len(repr(run)) < LONGEST_REPR
    seen = Seen(run._repr_html_())
    assert seen.open == []
    assert seen.text.startswith(f"compact · greedy vs random {run.sums.n_matches:,} matches · seed 1 · 95% intervals")
    assert re.search(r"decided by cash [\d.]+", seen.text)
    assert seen.tags.count("table") == 1


def test_notebook__names_are_text(run):
    odd = replace(run, first="<b>bold</b>", notes=("a <script>alert(1)</script> note",))
    html = odd._repr_html_()
    assert "<b>" not in html
    assert "<script" not in html
    assert "<b>bold</b> vs random" in Seen(html).text


def test_notebook__what_is_shown_is_a_screen_at_most(run):
    rows = [(f"row {n}", "x") for n in range(MOST_ROWS + 5)]
    seen = Seen(shown_html(Shown("long", tables=[Table(["", "x"], rows)])))
    assert f"row {MOST_ROWS - 1} x and 5 more" in seen.text
    assert f"row {MOST_ROWS} " not in seen.text
    noted = replace(run, notes=tuple(f"note {n}." for n in range(10)))
    assert "note 3. and 6 notes more" in Seen(noted._repr_html_()).text


def test_notebook__it_takes_the_colours_of_the_page(run):
    style = re.search(r"<style>(.*?)</style>", run._repr_html_(), re.DOTALL)[1]
    for rule in style.split("}"):
        if "figure" not in rule.partition("{")[0] or "td.figure" in rule:
            assert not re.search(r"(?<!-)\bcolor: (?!inherit)|background: (?!none)", rule), rule


def test_notebook__a_map_is_drawn_and_its_mirror_told():
    shown = sim.load_map("standard")._repr_html_()
    assert "The mirror is exact" in Seen(shown).text
    assert "<svg" in shown
    crooked = sim.load_map("crooked")._repr_html_()
    assert re.search(r"not exact, at Ea, .*: the labels alone", Seen(crooked).text)
    ids = [set(re.findall(r'\bid="([^"]+)"', one)) for one in (shown, crooked)]
    assert ids[0]
    assert not ids[0] & ids[1], "two drawings on one page would share identifiers"


def test_notebook__a_comparison_shows_what_moved_and_an_inert_key():
    found = sim.compare("compact", overrides=["cargo.rewards=[9]"], bots=("random", "random"), matches=FEW, seed=1)
    shown = Seen(found._repr_html_()).text
    assert len(repr(found)) < LONGEST_REPR
    assert "cargo.rewards: [3, 4, 5] → [9]" in shown
    moved = [one.metric for one in found[0].differences if one.verdict.value == "moved"]
    if not PLAIN:
        assert "points" in {name.removesuffix(".first") for name in moved}
        assert re.search(r"points [\d.]+ [\d.]+ \+[\d.]+ ±", shown)
    still = sim.compare("compact", overrides=["name=other"], bots=("random", "random"), matches=FEW, seed=1)
    assert "every match ends as before" in Seen(still._repr_html_()).text


def test_notebook__studies_show_themselves(tmp_path):
    n = 20 if PLAIN else 2_000
    (tmp_path / "short.yaml").write_text(f"extends: compact\nname: short\ndispatches: {3 if PLAIN else 24}\n")
    (tmp_path / "goals.yaml").write_text("schema: 1\nscenario: short.yaml\nbands: {shared: '<= 95%'}\n")
    file = tmp_path / "sweep.yaml"
    file.write_text(
        "schema: 1\nscenario: short.yaml\nbots: [random, random]\ndesign: grid\n"
        f"keys: {{dispatches: {[1, 2, 3] if PLAIN else [16, 20, 24]}}}\nmatches: {n}\nseed: 1\ngoals: goals.yaml\n"
    )
    swept = sim.sweep(file)
    shown = Seen(swept._repr_html_()).text
    assert shown.startswith("sweep of short · dispatches 3 cells")
    played = sim.tournament(tmp_path / "short.yaml", bots=["random", "greedy"], matches=n, seed=1)
    told = Seen(played._repr_html_()).text
    assert "short · tournament of 2 bots" in told
    judged = sim.judge_goals(tmp_path / "goals.yaml", matches=n, bots=("greedy", "random"), seed=1)
    assert "of 1 goal 1 " in Seen(judged._repr_html_()).text
    few = {"matches": 20 if PLAIN else 100, "scan_matches": 2 if PLAIN else 4, "overrides": {"dispatches": 2}}
    worth = sim.value(tmp_path / "short.yaml", bots=["greedy"], seed=1, **few)
    assert re.search(r"upgrade \(\$8\) [+-]?[\d.]+", Seen(worth._repr_html_()).text)
    assert max(len(repr(found)) for found in (swept, swept.cells[0], played, judged, worth)) < LONGEST_REPR
    for found, names in ((swept, {"curve1"}), (played, {"scores", "bots"}), (worth, {"value"})):
        pictures = sim.pictures(found)
        assert names <= set(pictures)
        assert all(one.svg.startswith("<svg") for one in pictures.values())
    if PLAIN:
        return  # too few matches to say more
    assert "all goals 3 0 0" in shown
    assert re.search(r"greedy 1 [\d.]+ .* random 2", told)
    assert judged.verdict.value == "met"
    answered = sim.exploit("greedy", "compact", matches=10, seed=1)
    assert "deeper greedy 2" in Seen(answered._repr_html_()).text
    assert len(repr(answered)) < LONGEST_REPR


def test_notebook__mainline_days_show_themselves():
    n = 20 if PLAIN else 500
    days = sim.run("hands", matches=n, seed=1)
    shown = Seen(days._repr_html_()).text
    assert f"hands · policy hold {n} days · seed 1" in shown
    assert "trip gap, east minus west" in shown
    assert {"crossings", "trips", "deals", "worth"} == set(sim.pictures(days))
    day = sim.explain_day(days, 3)
    assert max(len(repr(days)), len(repr(day))) < LONGEST_REPR
    assert day._repr_html_().startswith('<iframe srcdoc="&lt;!DOCTYPE html')
    assert [one.words for one in sim.pictures(day).values()][1].startswith("Time runs to the right")
    cards = sim.value("hands", matches=n, seed=1)
    assert re.search(r"Home card saved a train", Seen(cards._repr_html_()).text)


def test_notebook__pictures_have_names_and_can_be_saved(run, tmp_path):
    made = sim.pictures(run)
    assert list(made) == ["outcomes", "spread", "margin", "players", "map"]
    margin = made["margin"]
    margin.save(tmp_path / "margin.svg")
    assert (
        (tmp_path / "margin.svg").read_text(encoding="utf-8").startswith('<?xml version="1.0" encoding="UTF-8"?>\n<svg')
    )
    odd = replace(margin, words="a < b")
    assert "a &lt; b</figcaption>" in odd._repr_html_()
    assert "<svg" not in repr(margin)
    with pytest.raises(BadInput, match="found is str; must be a run"):
        sim.pictures("standard")


def test_notebook__a_figure_is_shown_as_the_tool_prints_it(run):
    table = estimates_table(run)
    assert list(table["shown"]) == [run.shown(metric) for metric in table["metric"]]
    assert sim.run("one-player", matches=20, seed=1).shown("trip_stages.east").endswith("Stages")
    with pytest.raises(KeyError, match="sharde is no metric"):
        run.shown("sharde")
    still = sim.compare(run, run)[0]
    assert still.shown("tolls").startswith("$0")


def test_notebook__a_match_is_a_record(run, tmp_path):
    record = sim.match_record(run, 3)
    row = sim.play_match(run, 3)
    assert sim.replay(record)["result"]["winner"] == row["winner"]
    assert record["players"] == {"A": row["bot_a"], "B": row["bot_b"]}
    file = tmp_path / "table.jsonl"
    file.write_text("".join(json.dumps(sim.match_record(run, number)) + "\n" for number in range(3)))
    people = sim.run_records(file, out=tmp_path / "people")
    assert sim.match_record(people, 2) == sim.match_record(run, 2)
    for number in (-1, run.sums.n_matches, True, "3"):
        with pytest.raises(BadInput, match=rf"match is .*; must be a whole number from 0 to {run.sums.n_matches - 1}"):
            sim.match_record(run, number)
    with pytest.raises(BadInput, match="only matches of dispatch have records"):
        sim.match_record(sim.run("one-player", matches=4, seed=1), 0)


def test_notebook__a_frame_ends_where_it_ends():
    assert notebook.framed('<p>"x"</p>', "a & b", 90) == (
        '<iframe srcdoc="&lt;p&gt;&quot;x&quot;&lt;/p&gt;" title="a &amp; b" '
        'style="width:100%;height:90px;border:0"></iframe>'
    )


@pytest.fixture
def kernel(monkeypatch):
    """As in a notebook: what its cell shows, look by look."""
    shown: list[str] = []

    class Handle:
        def update(self, found):
            shown.append(found._repr_html_())

    def display(found, *, display_id):
        assert display_id
        shown.append(found._repr_html_())
        return Handle()

    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=1)))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    return shown


def test_notebook__the_bar_is_shown_in_the_cell(kernel, monkeypatch, capsys):
    monkeypatch.setattr("sim.running.progress.STEP_SECONDS", 0.0)
    with bar(unit="days") as show:
        show(5, 20)
        show(20, 20)
    assert kernel[:3] == [
        "<progress></progress>",
        '<progress value="5" max="20"></progress> 5 of 20 days',
        '<progress value="20" max="20"></progress> 20 of 20 days',
    ]
    assert re.fullmatch(r"20 days in \d\.\d s", kernel[3])
    assert capsys.readouterr() == ("", "")


def test_notebook__an_interrupted_bar_says_how_far_it_came(kernel):
    def interrupted():
        with bar() as show:
            show(7, 20)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert kernel[-1].startswith("7 matches in ")
    assert len(kernel) == 2, "looks are some time apart"


def test_notebook__elsewhere_the_bar_is_that_of_the_terminal(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    with bar() as show:
        show(1, 2)
    assert capsys.readouterr() == ("", ""), "what is short needs no line in a file"


def test_progress__in_a_file_it_is_a_line_now_and_then(monkeypatch, capsys):
    clock = iter([0.0, 10.0, 31.0, 40.0, 61.5, 400.0, 8_000.0, 9_000.0])
    monkeypatch.setattr("sim.running.progress.time.monotonic", lambda: next(clock))
    with bar(unit="days") as show:
        show(100, 2_000)  # what was there before
        show(200, 2_000)
        show(210, 2_000)
        show(1_100, 2_000)
        show(1_200, 2_000)
        show(1_200, 9_999)
        show(1_200, 0)
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.splitlines() == [
        "playing: 200 of 2,000 days, about 9 min to go",
        "playing: 1,100 of 2,000 days, about 55 s to go",
        "playing: 1,200 of 2,000 days, about 5 min to go",
        "playing: 1,200 of 9,999 days, about 17.8 h to go",
        "playing: 1,200 of 0 days",
    ]
