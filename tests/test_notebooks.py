"""The notebooks as files: without outputs, of public names only, at home in any folder. `--nbmake` runs them."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sim
import sim.bots

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
ALLOWED = {"sim", "sim.bots", "numpy", "pandas", "matplotlib.pyplot"}
by_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def cells(path: Path, kind: str = "code") -> list[dict[str, Any]]:
    """Cells of one kind."""
    return [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == kind]


def source(path: Path) -> str:
    """All of its code."""
    return "\n\n".join("".join(cell["source"]) for cell in cells(path))


def left_over(path: Path) -> list[str]:
    """What somebody's last run has left in a notebook."""
    whole = json.loads(path.read_text(encoding="utf-8"))
    found = [f"cell {n} has outputs" for n, cell in enumerate(cells(path), 1) if cell["outputs"]]
    found += [f"cell {n} is numbered" for n, cell in enumerate(cells(path), 1) if cell["execution_count"] is not None]
    found += [f"cell {cell['id']} has metadata" for cell in whole["cells"] if cell["metadata"]]
    if set(whole["metadata"]) - {"kernelspec", "language_info"} or "version" in whole["metadata"]["language_info"]:
        found.append("the notebook says whose machine it ran on")
    return found


def private(text: str) -> Iterator[str]:
    """What a notebook uses that is not public, or is not there for everybody."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
            if node.module == "sim.bots":
                yield from (alias.name for alias in node.names if alias.name not in sim.bots.__all__)
        else:
            names = []
        yield from (name for name in names if name not in ALLOWED and name not in sys.stdlib_module_names)
        if isinstance(node, ast.Attribute):
            if node.attr.startswith("_"):
                yield node.attr
            if isinstance(node.value, ast.Name) and node.value.id == "sim" and node.attr not in sim.__all__:
                yield f"sim.{node.attr}"


def test_notebooks__there_are_six():
    assert [path.name[0] for path in NOTEBOOKS] == list("123456")


@by_notebook
def test_notebooks__outputs_are_stripped(path):
    assert left_over(path) == [], f"run: jupyter nbconvert --clear-output --inplace notebooks/{path.name}"


@by_notebook
def test_notebooks__only_public_names_are_used(path):
    assert list(private(source(path))) == []


@by_notebook
def test_notebooks__they_are_at_home_anywhere(path):
    code = source(path)
    assert "configs/" not in code, "name what is shipped: an installed package has no configs folder"
    assert not re.search(r"[\"'](?:\.\.?/|/)", code), "a path that is only here"
    assert 'os.environ.get("DISPATCH_BALANCE_MATCHES", ' in "".join(cells(path)[0]["source"])


@by_notebook
def test_notebooks__each_tells_a_finding_and_checks_it(path):
    prose = ["".join(cell["source"]) for cell in cells(path, "markdown")]
    assert prose[0].startswith("# ")
    assert prose[-1].startswith("## What was found\n")
    assert "assert " in "".join(cells(path)[-1]["source"])
    shown = source(path)
    assert "sim.pictures(" in shown or "plt.show()" in shown


def test_notebooks__what_is_private_or_left_over_is_seen(tmp_path):
    assert list(private("import sim.stats.gate\nfrom sim.bots import nothing\nsim.secret\nrun._sums\nsim.run(1)")) == [
        "sim.stats.gate",
        "nothing",
        "sim.secret",
        "_sums",
    ]
    whole = json.loads(NOTEBOOKS[0].read_text(encoding="utf-8"))
    cell = next(cell for cell in whole["cells"] if cell["cell_type"] == "code")
    cell |= {"outputs": [{"output_type": "stream"}], "execution_count": 4, "metadata": {"scrolled": True}}
    whole["metadata"]["language_info"]["version"] = "3.11.7"
    (tmp_path / "left.ipynb").write_text(json.dumps(whole), encoding="utf-8")
    assert len(left_over(tmp_path / "left.ipynb")) == 4


def test_notebooks__all_are_listed_in_the_documentation():
    page = (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
    for path in NOTEBOOKS:
        title = "".join(cells(path, "markdown")[0]["source"]).splitlines()[0].removeprefix("# ")
        assert f"[{title}](../notebooks/{path.name})" in page
