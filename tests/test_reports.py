"""Reports: terminal, tables, figures and the page, on plain and on degenerate runs."""

from __future__ import annotations

import io
import itertools
import math
import re
import subprocess
import sys
from dataclasses import replace
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console

from kernels.codes import Outcome
from sim.config.exactness import exactness
from sim.config.loading import load_map
from sim.reports import captions, figures, style, words
from sim.reports.binning import binned
from sim.reports.map_picture import delivery_lines, map_alt, map_figure
from sim.reports.page import pictures
from sim.reports.tables import MATCH_FIGURES, PLAYER_FIGURES, tables, write_tables
from sim.reports.terminal import print_summary
from sim.running.result import Run
from sim.stats.metrics import histogram
from tests.test_reports_runs import made_runs, run

__all__ = ["run"]

MAPS = sorted((Path(__file__).parents[1] / "configs" / "maps").glob("*.yaml"))


def printed(run: Run, *, encoding: str = "utf-8", width: int = 80, colour: bool = False) -> str:
    """What the terminal shows."""
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, encoding=encoding, newline="")
    console = Console(
        file=stream,
        width=width,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        legacy_windows=False,
    )
    print_summary(run, console)
    stream.flush()
    return buffer.getvalue().decode(encoding)


# Terminal


def test_summary__fits_80_columns_without_colour(run: Run) -> None:
    text = printed(run)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "\x1b" not in text


def test_summary__is_ascii_where_the_encoding_is(run: Run) -> None:
    text = printed(run, encoding="ascii")
    assert text.isascii()
    assert max(len(line) for line in text.splitlines()) <= 80


def test_summary__no_line_ends_in_a_blank_and_no_figure_is_broken(run: Run) -> None:
    lines = printed(run).splitlines()
    assert [line for line in lines if line != line.rstrip()] == []
    if words.n_counting(run):
        for metric in (f"{figure}.{player}" for figure in PLAYER_FIGURES for player in ("first", "second")):
            assert any(words.figure(run, metric) in line for line in lines), metric
        for metric in (f"{figure}.p{percent}" for figure in ("margin", "spread") for percent in (10, 50, 90)):
            assert any(words.figure(run, metric).replace(" points", "") in line for line in lines), metric


def test_summary__figures_too_wide_for_two_columns_stand_one_below_the_other() -> None:
    run = made_runs()["self-play"]
    wide = replace(
        run,
        estimates=tuple(
            replace(one, value=1234.00001, low=1233.9, high=1234.00002) if one.metric.startswith("points.") else one
            for one in run.estimates
        ),
    )
    text = printed(wide)
    shown = words.figure(wide, "points.first")
    assert len(shown) > 29
    assert f"\n  points\n    seat A  {shown}\n    seat B  {shown}\n" in text
    assert max(len(line) for line in text.splitlines()) <= 80


def test_summary__notes_hang() -> None:
    run = replace(made_runs()["self-play"], notes=("word " * 30,))
    assert re.search(r"\n- word (word )*word\n  word ", printed(run))


def test_summary__shows_the_run_s_own_figures() -> None:
    for name in ("self-play", "bots", "deterministic", "proven"):
        run = made_runs()[name]
        text = printed(run, width=100)
        shown = ["win.first", "win.second", "shared", "decided_by_cash", "score.first", "seat_bias", *MATCH_FIGURES]
        shown += [f"{figure}.{player}" for figure in PLAYER_FIGURES for player in ("first", "second")]
        for metric in shown:
            assert words.figure(run, metric) in text, metric
        for metric in ("margin.p10", "margin.p50", "margin.p90", "spread.mean", "spread.p90"):
            assert words.figure(run, metric).replace(" points", "") in text, metric


def test_summary__says_who_plays_and_where_the_files_are() -> None:
    run = replace(made_runs()["self-play"], folder=Path("reports/runs/standard-1"))
    text = printed(run)
    assert "greedy vs greedy" in text
    assert "seat A wins" in text
    assert "seed 11" in text
    assert "120,000 matches a second" in text
    assert "written to reports/runs/standard-1" in text
    assert "planner wins" in printed(made_runs()["bots"])
    assert "Rounded <up>." in printed(made_runs()["bots"])


def test_summary__counts_what_is_left_out() -> None:
    text = printed(made_runs()["some illegal"])
    assert re.search(r"ended by an illegal order +4 matches", text)
    assert re.search(r"beside these in a pair +4 matches", text)
    assert re.search(r"not finished +1 match", printed(made_runs()["records"]))


def test_summary__takes_names_as_they_are_written() -> None:
    assert "<b>$é</b> & [red]…" in printed(made_runs()["odd names"], width=100)


def test_summary__has_colour_where_the_console_has() -> None:
    assert "\x1b[" in printed(made_runs()["self-play"], colour=True)


# Histograms in bins


@pytest.mark.parametrize("most", [3, 7, 31, 101])
@pytest.mark.parametrize("tail", [0.0, 0.01])
def test_binned__keeps_every_match_and_zero_alone(most: int, tail: float) -> None:
    values = np.array([-940, -31, -7, -1, 0, 1, 2, 3, 45, 500], dtype=np.int64)
    counts = np.arange(1, 11, dtype=np.int64)
    bins = binned(values, counts, most, tail=tail)
    assert bins.counts.sum() == counts.sum()
    assert bins.counts.size <= most
    assert (bins.first[1:] == bins.last[:-1] + 1).all()
    zero = np.flatnonzero((bins.first == 0) & (bins.last == 0))
    assert bins.counts[zero].tolist() == [5]


def test_binned__takes_tails_into_the_outermost_bins() -> None:
    values = np.arange(-200, 201, dtype=np.int64)
    counts = np.where(np.abs(values) <= 10, 10_000, 1).astype(np.int64)
    bins = binned(values, counts, 41, tail=0.01)
    assert bins.width == 1
    assert bins.open_below
    assert bins.open_above
    assert bins.counts.sum() == counts.sum()
    assert binned(values, counts, 401, tail=0.01).open_below is False


# Tables


def test_tables__hold_every_match_and_every_estimate(run: Run) -> None:
    made = tables(run)
    assert made["estimates"]["metric"].tolist() == [found.metric for found in run.estimates]
    assert made["outcomes"]["matches"].sum() == run.sums.n_matches
    assert made["margin"]["matches"].sum() == made["spread"]["matches"].sum() == words.n_counting(run)
    assert ("illegal_orders" in made) == bool(words.n_ended(run, Outcome.ILLEGAL))
    assert made["players"]["figure"].tolist() == list(PLAYER_FIGURES.values())


def test_write_tables__gives_full_digits_and_the_same_bytes(tmp_path: Path) -> None:
    import pandas as pd

    run = made_runs()["bots"]
    first, second = write_tables(run, tmp_path / "one"), write_tables(run, tmp_path / "two")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    read = pd.read_csv(tmp_path / "one" / "estimates.csv", dtype=str)
    assert [float(text) for text in read["value"]] == [found.value for found in run.estimates]
    assert b"\r" not in (tmp_path / "one" / "estimates.csv").read_bytes()


# Figures


def svg_words(svg: str) -> str:
    """All text of a drawing."""
    return " ".join(unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg))


@pytest.mark.parametrize("name", ["self-play", "bots", "few", "deterministic", "wide", "nothing"])
def test_pictures__are_drawn_the_same_every_time_and_parse(name: str) -> None:
    run = made_runs()[name]
    twice = name in ("bots", "few")
    for picture in pictures():
        svg = style.svg_text(picture.figure(run), title=picture.alt(run))
        root = ElementTree.fromstring(svg)
        assert root.get("role") == "img"
        assert root.get("aria-label") == picture.alt(run)
        assert "<metadata" not in svg
        assert picture.see(run).endswith(".")
        if twice:
            assert svg == style.svg_text(picture.figure(run), title=picture.alt(run))


def test_outcomes__legend_has_the_estimates() -> None:
    run = made_runs()["bots"]
    text = svg_words(style.svg_text(figures.outcomes_figure(run)))
    for metric in ("win.first", "shared", "win.second", "decided_by_cash"):
        assert words.figure(run, metric) in text


def test_outcomes__counts_are_those_of_the_sums() -> None:
    for name in ("self-play", "bots", "records", "some illegal"):
        run = made_runs()[name]
        (_, every), *seats = captions.outcome_counts(run)
        assert sum(every) == words.n_counting(run)
        first_won = run["win.first"].value
        assert first_won is not None
        assert (every[0] + every[1]) / sum(every) == pytest.approx(first_won)
        if seats:
            assert np.array([counts for _, counts in seats]).sum(axis=0).tolist() == list(every)


def test_margin__bar_at_zero_is_parted_by_what_decided() -> None:
    run = made_runs()["bots"]
    values, counts = histogram(run.sums)
    _, (_, first_cash, shared, second_cash, _) = captions.outcome_counts(run)[0]
    assert first_cash + shared + second_cash == counts[values == 0].sum()
    bars = figures.margin_figure(run).axes[0].containers
    heights = [bar.get_height() for container in bars[1:] for bar in container]
    assert heights == pytest.approx([100 * n / counts.sum() for n in (second_cash, shared, first_cash)])


def test_spread__marks_quantiles_and_shares() -> None:
    run = made_runs()["bots"]
    figure = figures.spread_figure(run)
    text = svg_words(style.svg_text(figure))
    shown = [content.get_text() for content in figure.axes[0].texts]
    assert shown == [f"p{percent}\n{run[f'spread.p{percent}'].value:g}" for percent in (10, 50, 90)]
    for share in (words.close_share(run), words.blow_out_share(run)):
        assert words.phrase(share, "share") in text


@pytest.mark.parametrize("name", ["bots", "self-play", "twenty"])
def test_histograms__quantiles_stand_in_one_row_above_the_bars_and_touch_nothing(name: str) -> None:
    for figure in (figures.margin_figure(made_runs()[name]), figures.spread_figure(made_runs()[name])):
        style.png_bytes(figure)  # drawn, so that everything has its place
        axes = figure.axes[0]
        boxes = [content.get_window_extent() for content in axes.texts if re.match(r"p\d", content.get_text())]
        assert len(boxes) == 3
        assert len({round(box.y0) for box in boxes}) == 1
        assert all(one.x1 < other.x0 for one, other in itertools.pairwise(boxes))
        bars = [bar for container in axes.containers for bar in container if bar.get_height() > 0]
        for line in axes.lines:
            if line.is_dashed() and len(set(line.get_xdata())) == 1:
                (x, _), (low, _) = line.get_xdata(), line.get_ydata()
                at = [
                    bar.get_y() + bar.get_height() for bar in bars if bar.get_x() <= x <= bar.get_x() + bar.get_width()
                ]
                assert low > max(at, default=0), "a line hides no bar"


def test_players__panels_have_the_estimates() -> None:
    run = made_runs()["self-play"]
    text = svg_words(style.svg_text(figures.players_figure(run)))
    for name in PLAYER_FIGURES:
        for player in ("first", "second"):
            assert words.figure(run, f"{name}.{player}").replace(" points", "") in text


@pytest.mark.parametrize(
    ("name", "phrase"),
    [
        ("all ties", "All 400 matches ended with equal points"),
        ("one match", "Only one match counts"),
        ("deterministic", "No bot draws"),
        ("all illegal", "none counts"),
        ("nothing", "No match was played"),
    ],
)
def test_figures__say_in_words_what_cannot_be_drawn(name: str, phrase: str) -> None:
    run = made_runs()[name]
    for figure in (figures.margin_figure(run), figures.spread_figure(run)):
        assert not figure.axes
        assert phrase in re.sub(r"\s+", " ", svg_words(style.svg_text(figure)))


def test_figures__leave_the_reader_s_settings_alone() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    style.png_bytes(figures.spread_figure(made_runs()["twenty"]))
    assert dict(mpl.rcParams) == before
    assert "matplotlib.pyplot" not in sys.modules or mpl.get_backend()


def test_reports__load_no_heavy_package_before_they_draw() -> None:
    code = (
        "import sys, sim.reports.terminal, sim.reports.page, sim.reports.figures, sim.reports.map_picture;"
        "print([name for name in ('matplotlib', 'pandas', 'jinja2', 'networkx') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Maps


@pytest.mark.parametrize("path", MAPS, ids=lambda path: path.stem)
def test_map__shows_every_node_and_train(path: Path) -> None:
    rail_map = load_map(path)
    svg = style.svg_text(map_figure(rail_map, exactness=exactness(rail_map)), title=map_alt(rail_map))
    assert svg == style.svg_text(map_figure(rail_map, exactness=exactness(rail_map)), title=map_alt(rail_map))
    text = svg_words(svg)
    for label in {label for track in rail_map.tracks for label in track} | {"A1", "A2", "B1", "B2"}:
        assert label in text
    for name, nodes in delivery_lines(rail_map):
        assert f"{name} delivers to {nodes}" in text
    assert ("mirror is not exact" in text) == (not exactness(rail_map).exact)


def ring(n: int, labels: list[str]) -> dict[str, object]:
    """A ring of junctions, each with a terminal; the mirror is half a turn."""
    junctions, ends = labels[:n], labels[n:]
    image = {
        n_from: n_to
        for part in (junctions, ends)
        for n_from, n_to in zip(part, part[n // 2 :] + part[: n // 2], strict=True)
    }
    angles = {label: math.tau * i / n for part in (junctions, ends) for i, label in enumerate(part)}
    return {
        "schema": 1,
        "name": "ring",
        "tracks": [[junctions[i], junctions[(i + 1) % n]] for i in range(n)]
        + [list(pair) for pair in zip(junctions, ends, strict=True)],
        "mirror": image,
        "layout": {
            label: [(1.2 if label in ends else 1.0) * part(angle) for part in (math.cos, math.sin)]
            for label, angle in angles.items()
        },
        "initial_routes": {junctions[0]: 2},
        "trains": [
            {"start": ends[0], "deliveries": ends[1:]},
            {"start": {"at": junctions[1], "from": junctions[0]}, "deliveries": [ends[2]]},
        ],
    }


def test_map__takes_one_junction_62_and_odd_labels() -> None:
    single = {
        "schema": 1,
        "name": "$one$",
        "tracks": [["x", "a"], ["x", "b"], ["x", "c"]],
        "mirror": {},
        "trains": [{"start": "a", "deliveries": ["b"]}, {"start": "a", "deliveries": ["c"]}],
    }
    odd = [
        "$x_1$",
        "\u00e9t\u00e9",
        "Grand Central Station",
        "\u99c5",
        "a b",
        "<b>",
        "T&1",
        'T"2',
        "|",
        "\u03c9",
        "__",
        "-",
    ]
    many = [f"{kind}{i:02d}" for kind in "jt" for i in range(62)]
    for plain in (single, ring(6, odd), ring(62, many)):
        rail_map = load_map(plain)
        drawn = map_figure(rail_map, exactness=exactness(rail_map), traffic={rail_map.tracks[0]: 3.0})
        ElementTree.fromstring(style.svg_text(drawn, title=map_alt(rail_map)))
        assert style.png_bytes(drawn, 40).startswith(b"\x89PNG")
