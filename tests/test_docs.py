"""The documentation: links resolve, commands parse and run, Python runs, cited paragraphs exist, lists are complete."""

from __future__ import annotations

import functools
import importlib
import json
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer.main

import sim
from kernels.dispatch import view
from kernels.dispatch.layout import RULES_DTYPE, STATE_DTYPE
from kernels.jit import PLAIN
from sim.cli.app import app
from sim.config.errors import BadInput

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
FEW = 4 if PLAIN else 64
"""Matches of a run that a page shows; plain kernels are a thousand times slower."""

compiled_only = pytest.mark.skipif(PLAIN, reason="thousands of matches")
by_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


class Block(NamedTuple):
    """A fenced block."""

    info: str
    text: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    for found in re.finditer(r"^```(.*)\n((?:.*\n)*?)^```$", text, re.MULTILINE):
        yield Block(found[1], found[2], text.count("\n", 0, found.start()) + 2)


def prose(page: Path) -> str:
    """A page without its fenced blocks and without code within lines."""
    text = re.sub(r"^```.*\n(?:.*\n)*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(page: Path) -> set[str]:
    """What a heading of a page can be linked by."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@functools.cache
def make_tables() -> Any:
    """The script `docs/make_tables.py` as a module."""
    sys.path.insert(0, str(ROOT / "docs"))  # as when the script is started
    try:
        return importlib.import_module("make_tables")
    finally:
        sys.path.pop(0)


# -- links and words --------------------------------------------------------------------------------------------------


@by_page
def test_docs__links_resolve(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{page.name}: {target}"
        if anchor:
            assert anchor in anchors(there), f"{page.name}: {target}"


@by_page
def test_docs__pages_are_tidy(page):
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert text.endswith("\n")
    assert len(re.findall(r"^```", text, re.MULTILINE)) % 2 == 0
    assert [line for line in text.splitlines() if line != line.rstrip()] == []
    for block in blocks(page):
        wide = [line for line in block.text.splitlines() if len(line) > 120]
        assert wide == [], f"{page.name}:{block.line}"


def test_docs__the_first_screen_fits_80_columns():
    for block in blocks(ROOT / "README.md"):
        wide = [line for line in block.text.splitlines() if len(line) > 88]
        assert wide == [], block.line


CITED = re.compile(r"\brules (\d(?:\.\d)?(?: [a-d])?(?:(?:, | and | to )\d(?:\.\d)?(?: [a-d])?)*)\b")


def paragraphs(page: str = "rules.md") -> set[str]:
    """The numbers of a rules page: "4", "4.4" and "4.4 c"."""
    numbers: set[str] = set()
    last = ""
    for line in (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"## (\d) ", line):
            numbers.add(heading[1])
        elif paragraph := re.match(r"\*\*(\d\.\d)\*\* ", line):
            last = paragraph[1]
            numbers.add(last)
        elif letter := re.match(r"- \*\*([a-d])\.", line):
            numbers.add(f"{last} {letter[1]}")
    return numbers


def test_docs__cited_paragraphs_of_the_rules_exist():
    known = paragraphs()
    mainline = paragraphs("rules-mainline.md")
    assert {"1.3", "2.2 d", "2.5", "3.4", "4", "5"} <= mainline
    assert {"1.5", "2.4", "3.5", "4.4 a", "4.4 d", "4.7", "5.1", "6", "7", "8"} <= known
    sources = [path for folder in ("kernels", "sim", "tests") for path in (ROOT / folder).rglob("*.py")]
    found = set()
    for path in [*sources, *PAGES]:
        for citation in CITED.findall(path.read_text(encoding="utf-8")):
            for number in re.split(r", | and | to ", citation):
                found.add(number)
                of_game = mainline if "mainline" in str(path) else known
                assert number in of_game, f"{path.relative_to(ROOT)}: rules {citation}"
    assert len(found) > 20


# -- commands and code ------------------------------------------------------------------------------------------------


def commands(text: str) -> Iterator[list[str]]:
    """The `sim` commands of a block, as words after `sim`."""
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        while words and ("=" in words[0] or words[0] in ("python3", "start.py")):
            words.pop(0)
        if words and words[0] == "sim":
            yield words[1:]


def parsed(words: list[str]) -> Any:
    """The context of a command; a usage error raises."""
    group = typer.main.get_command(app)
    with group.make_context("sim", list(words)) as context:
        name, command, rest = group.resolve_command(context, words)
        return command.make_context(name, list(rest), parent=context)


@by_page
def test_docs__commands_parse(page):
    for block in blocks(page):
        if block.info.startswith("sh"):
            for words in commands(block.text):
                parsed(words)


def shortened(words: list[str]) -> list[str]:
    """The command with few matches."""
    if words[0] == "bench":
        return [*words, "--seconds", "0.05", "--rounds", "1"]
    if words[0] == "value":
        return [*words, "--bots", "greedy", "--matches", str(FEW), "--scan-matches", "2", "--set", "dispatches=3"]
    if words[0] == "tune":
        return [*words, "--matches", "640"]
    if words[0] == "map" and "--knockout" not in words:
        return words
    if words[0] == "baseline" and words[1] in ("record", "add"):
        place = words.index("--matches") if "--matches" in words else len(words)
        return [*words[:place], "--matches", "128", *words[place + 2 :]]  # fewer are refused
    plays = words[0] in ("map", "maplab", "sweep", "run", "tournament", "compare", "exploit")
    if not plays or "--records" in words:
        return words
    if "--matches" in words:
        place = words.index("--matches")
        return [*words[: place + 1], str(FEW), *words[place + 2 :]]
    return [*words, "--matches", str(FEW)]


def carried_out(words: list[str]) -> int:
    """Exit code of a command, run in this process."""
    with pytest.raises(SystemExit) as stopped:
        app(words)
    return int(stopped.value.code or 0)


@pytest.fixture
def as_shown(tmp_path, monkeypatch, fewer_sequels):
    """A working folder with the shipped files, few matches wherever Python asks for more, and no pictures."""
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sim.reports.page.write_report", lambda run, folder, **beside: None)
    monkeypatch.setattr("sim.reports.mainline.page.write_report", lambda run, folder, **beside: None)
    run = sim.run
    monkeypatch.setattr(sim, "run", lambda *given, **options: run(*given, **{**options, "matches": FEW}))
    monkeypatch.setattr("sim.reports.tournament.write_tournament_report", lambda found, folder: None)
    tournament = sim.tournament
    monkeypatch.setattr(sim, "tournament", lambda *given, **options: tournament(*given, **{**options, "matches": FEW}))
    few = {"bots": ["greedy"], "matches": FEW, "scan_matches": 2, "overrides": {"dispatches": 3}}
    value = sim.value
    monkeypatch.setattr(sim, "value", lambda *given, **options: value(*given, **{**options, **few}))
    compare = sim.compare
    monkeypatch.setattr(sim, "compare", lambda *given, **options: compare(*given, **{**options, "matches": FEW}))
    sweep = sim.sweep
    monkeypatch.setattr(sim, "sweep", lambda *given, **options: sweep(*given, **{**options, "matches": FEW}))
    goals = sim.judge_goals
    monkeypatch.setattr(sim, "judge_goals", lambda *given, **options: goals(*given, **{**options, "matches": FEW}))
    tune = sim.tune
    monkeypatch.setattr(sim, "tune", lambda *given, **options: tune(*given, **{**options, "matches": 640}))
    exploit = sim.exploit
    monkeypatch.setattr(sim, "exploit", lambda *given, **options: exploit(*given, **{**options, "matches": FEW}))
    return tmp_path


def file_name(block: Block) -> str | None:
    """The file that a block shows: named in its first line, or after the language."""
    found = re.match(r"# ([\w-]+\.(?:py|yaml))\n", block.text) or re.match(r"json ([\w-]+\.json)$", block.info)
    return found[1] if found else None


@by_page
def test_docs__what_is_shown_runs(page, as_shown, capsys):
    if PLAIN and page.name in ("matches.md", "exploiting.md", "tuning.md", "questions.md", "tutorial.md"):
        pytest.skip("what might have been in a match, and what a bot would have done, is thousands of matches more")
    shown = list(blocks(page))
    for block in shown:
        if name := file_name(block):
            (as_shown / name).write_text(block.text, encoding="utf-8")
    last: list[str] = []
    for block, after in zip_longest(shown, shown[1:]):
        place = f"{page.name}:{block.line}"
        if block.info.startswith("sh"):
            for words in commands(block.text):
                last = shortened(words)
                if PLAIN and words[0] in ("bench", "exploit"):
                    continue  # a speed is not worth the wait, and answers think long
                if after is None or after.info != "text errors":
                    few = {"--half-width", "--goals", "selftest"} & set(words)  # may not be enough to say
                    allowed = {0, 3} if few else {0, 1, 3} if words[0] == "tune" else {0}
                    assert carried_out(last) in allowed, f"{place}: {shlex.join(last)}: {capsys.readouterr().err}"
        elif block.info == "text errors":
            with pytest.raises(BadInput) as told:
                app(last)
            assert f"{told.value}\n" == block.text, place
        elif block.info == "python" and file_name(block) is None:
            exec(compile(block.text, place, "exec"), {})
        elif block.info.startswith("json"):
            json.loads(block.text)
    capsys.readouterr()


# -- lists that must be complete --------------------------------------------------------------------------------------


def first_cells(page: str, heading: str) -> list[tuple[list[str], list[str]]]:
    """Names in the first column of the tables under a heading, with the row's other cells."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    part = re.split(r"^#+ ", text.partition(f"# {heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    rows = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("| `")]
    return [(re.findall(r"`([^`]+)`", row[0]), row[1:]) for row in rows]


@pytest.mark.parametrize(("heading", "dtype"), [("rules", RULES_DTYPE), ("state", STATE_DTYPE)])
def test_docs__fields_that_a_bot_reads_are_listed(heading, dtype):
    listed = {name: cells[0] for names, cells in first_cells("bots.md", heading) for name in names}
    assert sorted(listed) == sorted(dtype.names)
    for name, shape in listed.items():
        axes = len(dtype[name].shape)
        assert (shape.count(",") + 1 if "[" in shape else 0) == axes, name


def test_docs__look_ups_are_listed():
    listed = {names[0].partition("(")[0]: names[0] for names, _ in first_cells("bots.md", "Looking things up")}
    assert sorted(listed) == sorted(view.__all__)
    for name, call in listed.items():
        function = getattr(getattr(view, name), "py_func", getattr(view, name))
        assert call == f"{name}({', '.join(function.__code__.co_varnames[: function.__code__.co_argcount])})"


def test_docs__files_and_keys_of_a_run_folder_are_listed(tmp_path):
    run = sim.run("standard", matches=FEW, seed=1, out=tmp_path / "run", keep_matches=True)
    rows = first_cells("scenarios.md", "Run folder")
    names = {name for listed, _ in rows for name in listed}
    for path in (tmp_path / "run").iterdir():
        assert path.name in names or any(name.startswith(f"{path.name}/") for name in names), path.name
    assert set(run.manifest) <= names
    assert set(run.estimates[0].as_dict()) <= names
    files = {name for name in names if "." in name}
    keys = names - files
    assert keys <= {*run.manifest, *run.estimates[0].as_dict()}


def test_docs__the_interval_that_the_readme_explains_is_one_that_it_shows():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    explained = re.search(r"`([\d.]+% ± [\d.]+ pp)` is a 95% interval", readme)
    assert explained is not None
    assert f" {explained[1]}\n" in readme


def test_docs__commands_are_all_listed():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in typer.main.get_command(app).commands:
        assert f"| `sim {name}" in readme, name


def test_docs__dependencies_are_all_explained():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*project["project"]["dependencies"], *project["project"]["optional-dependencies"]["dev"]]
    wanted += project["build-system"]["requires"]
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Packages")[2]
    named = {name for row in re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE) for name in row.split(", ")}
    assert {re.split(r"[<>=\[ ]", one)[0] for one in wanted} <= named


def test_docs__pins_are_plain():
    for line in (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines():
        assert re.fullmatch(r"[\w.-]+==[\w.]+", line), line


# -- what the tool makes ----------------------------------------------------------------------------------------------


@compiled_only
def test_docs__parts_and_pictures_are_those_that_the_tool_makes_now(capsys):
    found = make_tables().main(["--check", "--quick"])
    assert found == 0, f"run: python docs/make_tables.py\n{capsys.readouterr().out}"


def test_docs__measured_parts_can_be_made():
    module = make_tables()
    for name in ("first-run", "noise"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module.measured, "PROBE_MATCHES", FEW)
            patch.setattr(module.measured, "NOISES", (0, 3))
            assert re.match(r"<!-- behaviour [0-9a-f]{12} -->\n\n", module.PARTS[name][0](FEW))


@compiled_only
def test_docs__an_other_behaviour_is_seen():
    module = make_tables()
    behaviour = module.measured.behaviour
    before = behaviour([{"scenario": "standard"}])
    assert before == behaviour([{"scenario": "standard"}])
    assert before != behaviour([{"scenario": "standard", "overrides": ["economy.toll=2"]}])


def test_docs__every_marked_part_has_a_maker():
    module = make_tables()
    marked = [name for page in PAGES for name in re.findall(r"<!-- made: ([\w-]+) -->", page.read_text("utf-8"))]
    assert sorted(marked) == sorted(module.PARTS)


def test_docs__what_a_bot_is_made_of_is_all_told():
    """Of `sim.bots`: every look-up is there, and each name is in its text and, but for the codes, in docs/bots.md."""
    import sim.bots

    page = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")
    assert set(view.__all__) < set(sim.bots.__all__)
    for name in sim.bots.__all__:
        assert hasattr(sim.bots, name)
        assert f"`{name}`" in (sim.bots.__doc__ or ""), name
        if name not in {"Bot", "Company", "Route", "CargoScope", "Move"}:
            assert re.search(rf"\b{name}\b", page), name
    assert not re.search(r"from kernels\.", page), "one module is enough"
