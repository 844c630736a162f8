"""Every fenced block of the pages is looked at: `tests/test_docs.py` runs what can be run, this reads the rest."""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
import shutil
import tomllib
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import sim
from sim.config.deltas import load_deltas
from sim.config.errors import BadInput
from sim.config.goals import load_goals
from sim.config.sweep import load_sweep_file
from sim.stats.metrics import METRICS
from tests.test_docs import PAGES, ROOT, Block, blocks, by_page, commands, file_name, parsed

KNOWN = {"sh", "text", "text errors", "python", "yaml", "toml"}
"""Languages of blocks, beside `json` with a file's name. Another one has to be looked at here or in `test_docs`."""

WRONG = "wrong.yaml"
"""A file that is shown for its errors; `test_docs` holds them against what is printed."""

PROGRAMS = {"python3", "python", "bash", "pip", "cmp", "cd", "ruff", "mypy", "pytest", "jupyter", "sphinx-build"}
OURS = {"pytest": "pytest", "ruff": "ruff", "mypy": "mypy", "sphinx-build": "sphinx", "jupyter": "jupyter_core"}
"""Programs that an environment made of requirements.lock has, by distribution."""


def lines_of(block: Block) -> list[list[str]]:
    """Commands of a block as words; variables before them, and redirections, left out."""
    found = []
    for line in block.text.splitlines():
        words = shlex.split(line, comments=True)
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            words.pop(0)
        if words:
            found.append(words)
    return found


def is_commands(block: Block) -> bool:
    """Whether a block of plain text is of commands."""
    first = block.text.split(maxsplit=1)[:1]
    return block.info == "text" and bool(first) and (first[0] in PROGRAMS | {"sim"} or "_MATCHES=" in first[0])


def wrong_command(words: list[str]) -> str | None:
    """Why nobody could give a command; None where somebody could."""
    if words[:2] == ["python3", "start.py"]:
        words = words[2:]
    name = Path(words[0]).name
    if name == "sim":
        parsed(words[1:])
        return None
    if name not in PROGRAMS:
        return f"{name} is no program that is known here"
    if name in OURS:
        distribution(OURS[name])  # PackageNotFoundError: it is not in the environment
    if name in ("python", "python3") and len(words) > 1:
        if words[1] == "-m":
            spec = importlib.util.find_spec(words[2])
            return None if spec is not None else f"there is no module {words[2]}"
        if words[1].endswith(".py") and not (ROOT / words[1]).is_file():
            return f"there is no file {words[1]}"
    if name == "bash" and not (ROOT / words[1]).is_file():
        return f"there is no file {words[1]}"
    return None


@by_page
def test_fences__languages_are_known(page):
    for block in blocks(page):
        assert block.info in KNOWN or file_name(block), f"{page.name}:{block.line}: {block.info!r}"


@by_page
def test_fences__commands_can_be_given(page):
    for block in blocks(page):
        if block.info == "sh" or is_commands(block):
            for words in lines_of(block):
                assert wrong_command(words) is None, f"{page.name}:{block.line}: {shlex.join(words)}"


@by_page
def test_fences__text_that_is_python_imports_what_there_is(page):
    for block in blocks(page):
        if block.info == "text" and re.match(r"(from|import) ", block.text):
            for node in ast.walk(ast.parse(block.text)):
                if isinstance(node, ast.ImportFrom) and node.level == 0:
                    module = importlib.import_module(str(node.module))
                    missing = [alias.name for alias in node.names if not hasattr(module, alias.name)]
                    assert missing == [], f"{page.name}:{block.line}: {node.module}"


@by_page
def test_fences__yaml_and_toml_are_what_they_say(page, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    monkeypatch.chdir(tmp_path)
    shown = list(blocks(page))
    for block in shown:
        for words in commands(block.text) if block.info == "sh" else ():
            if words[0] == "init" and not words[1].startswith("-"):
                shutil.copytree(ROOT / "configs", tmp_path / words[1])
        if name := file_name(block):
            (tmp_path / name).write_text(block.text, encoding="utf-8")
    for block in shown:
        if block.info == "toml":
            assert tomllib.loads(block.text), f"{page.name}:{block.line}"
        elif block.info == "yaml" and file_name(block) != WRONG:
            told = YAML(typ="safe", pure=True).load(block.text)
            loaded(told, tmp_path / (file_name(block) or "shown.yaml"), block.text)


def loaded(told: dict[str, Any], path: Path, text: str) -> str:
    """What a file of one of the project's kinds is, read by its own reader; an error says why it is none."""
    if "jobs" in told:
        return checked_workflow(told)
    if "repos" in told:
        return checked_hooks(told)
    path.write_text(text, encoding="utf-8")
    if "bands" in told:
        load_goals(path)
        return "goals"
    if "deltas" in told:
        load_deltas(path, METRICS)
        return "deltas"
    if "keys" in told:
        load_sweep_file(path)
        return "sweep"
    if "tracks" in told:
        sim.load_map(path)
        return "map"
    if "extends" in told or "game" in told:
        sim.load_scenario(path)
        return "scenario"
    return part_of_a_file(told, text)


def part_of_a_file(told: dict[str, Any], text: str) -> str:
    """A piece of a file, shown on its own: its keys are keys of some file."""
    from sim.config.goals import GoalsFile
    from sim.config.scenario import Scenario
    from sim.config.sweep import SweepFile

    known = {key for model in (Scenario, GoalsFile, SweepFile) for key in model.model_json_schema()["properties"]}
    assert set(told) <= known, f"{sorted(set(told) - known)}: no keys of a file\n{text}"
    return "part"


def checked_workflow(told: dict[str, Any]) -> str:
    """A workflow that uses the action of this repository with inputs that it has."""
    action = YAML(typ="safe", pure=True).load((ROOT / "action.yml").read_text(encoding="utf-8"))
    steps = [step for job in told["jobs"].values() for step in job["steps"]]
    ours = [step for step in steps if "dispatch-balance" in step.get("uses", "")]
    for step in ours:
        given, known = set(step.get("with", {})), action["inputs"]
        assert given <= set(known), f"{sorted(given - set(known))}: no inputs of the action"
        assert {name for name, one in known.items() if one.get("required")} <= given
    return f"workflow of {len(ours)}"


def checked_hooks(told: dict[str, Any]) -> str:
    """Hooks of pre-commit that this repository offers, with options that their command has."""
    offered = YAML(typ="safe", pure=True).load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    entries = {one["id"]: one["entry"] for one in offered}
    for hook in (hook for repo in told["repos"] for hook in repo["hooks"]):
        assert hook["id"] in entries, f"{hook['id']} is no hook of this repository"
        parsed([*shlex.split(entries[hook["id"]])[1:], *hook["args"]])
    return "hooks"


def test_fences__every_kind_is_shown_somewhere_and_read():
    kinds = set()
    for page in PAGES:
        for block in blocks(page):
            if block.info == "yaml" and file_name(block) != "wrong.yaml":
                told = YAML(typ="safe", pure=True).load(block.text)
                name = next(
                    (one for one in ("jobs", "bands", "deltas", "keys", "tracks", "extends") if one in told), ""
                )
                kinds.add(name)
    assert {"jobs", "bands", "deltas", "keys", "tracks", "extends"} <= kinds


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("schema: 1\nscenario: standard\nbands: {share: 0.5}\n", "bands.share"),
        ("schema: 1\nscenario: standard\nkeys: {toll: [1]}\ndesign: gird\nmatches: 9\nseed: 1\n", "design"),
        ("extends: standard\neconomy: {tol: 1}\n", "economy.tol"),
        ("schema: 1\ndeltas: {sharde: 1pp}\n", "sharde"),
    ],
)
def test_fences__a_wrong_file_is_seen(tmp_path, text, said):
    with pytest.raises(BadInput, match=re.escape(said)):
        loaded(YAML(typ="safe", pure=True).load(text), tmp_path / "planted.yaml", text)


def test_fences__a_wrong_workflow_or_piece_is_seen():
    step = {"uses": "OWNER/dispatch-balance@v1", "with": {"baseline": "b.json", "budgets": "1s"}}
    with pytest.raises(AssertionError, match="budgets"):
        checked_workflow({"jobs": {"check": {"steps": [step]}}})
    with pytest.raises(AssertionError, match="balanse is no hook"):
        checked_hooks({"repos": [{"hooks": [{"id": "balanse", "args": []}]}]})
    with pytest.raises(AssertionError, match="ecomony"):
        part_of_a_file({"ecomony": {}}, "")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("python3 start.py python -m tests.kernel_mode", "no module tests.kernel_mode"),
        ("python3 start.py rufff check .", "rufff is no program"),
        ("python docs/make_table.py", "no file docs/make_table.py"),
        ("bash .ci/runs", "no file .ci/runs"),
    ],
)
def test_fences__a_wrong_command_is_seen(command, said):
    assert said in str(wrong_command(shlex.split(command)))


def test_fences__a_wrong_option_is_seen():
    with pytest.raises(Exception, match="--matchs"):
        wrong_command(["python3", "start.py", "sim", "run", "standard", "--matchs", "3"])
    assert list(commands("python3 start.py sim run standard"))
