"""The documentation as a site: what is made of the code is complete, and links lead to the same places as before."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import typer.main

import sim
from sim.cli.app import app
from sim.config.goals import GoalsFile
from sim.config.sweep import SweepFile
from sim.stats.metrics import METRICS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def script(name: str) -> Any:
    """A script of `docs/` as a module, found as `conf.py` finds it."""
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(DOCS))


@pytest.fixture(scope="module")
def site() -> Any:
    """The extension of `docs/conf.py`."""
    return script("site_pages")


@pytest.fixture(scope="module")
def pages(site) -> dict[str, str]:
    """The pages that are made of the code."""
    return site.site_reference.pages()


def test_site__every_page_stands_in_the_index():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    for page in sorted(DOCS.glob("*.md")):
        if page.name != "index.md":
            assert f"]({page.name})" in index, f"put docs/{page.name} into one of the lists of docs/index.md"


def test_site__the_contents_are_the_lists_of_the_index(site):
    lists = f"- [One](one.md), and [more](two.md#x)\n- [Three](three.md), [four](four.md)\n{site._BUILT}"
    text = f"# Top\n\n## Here\n\n{lists}- [Two](../README.md)\n\n## Bare\n\nNo list.\n"
    made = site.contents(site.turned(text, DOCS / "index.md"))
    assert made.count("```{toctree}") == 1
    tree = made.partition(":caption: Here\n\n")[2].partition("\n```")[0].split("\n")
    assert tree == [
        "one",
        "three",
        "four",
        *(f"generated/{name[:-3]}" for name in site.site_reference.TITLES),
        "generated/readme",
    ]


@pytest.mark.parametrize(
    ("page", "link", "wanted"),
    [
        ("docs/gate.md", "](goals.md#verdicts)", "](goals.md#verdicts)"),
        ("docs/gate.md", "](../reports/as-built.md)", "](generated/as-built.md)"),
        ("README.md", "](docs/gate.md)", "](../gate.md)"),
        ("README.md", "](CHANGELOG.md#added)", "](changelog.md#added)"),
        ("README.md", "](docs/pictures/overview.png)", "](../pictures/overview.png)"),
        ("README.md", "](LICENSE)", "](../../LICENSE)"),
        ("README.md", "](https://example.org/x.md)", "](https://example.org/x.md)"),
        ("README.md", "](#more)", "](#more)"),
        ("README.md", "```text\n](docs/gate.md)\n```", "```text\n](docs/gate.md)\n```"),
    ],
)
def test_site__links_are_turned(site, page, link, wanted):
    assert site.turned(link, ROOT / page) == wanted


def test_site__every_option_of_every_command_is_listed(pages):
    text = pages["commands.md"]
    group = typer.main.get_command(app)
    assert re.findall(r"^## sim (\w+)", text, re.MULTILINE)[0] == "run"
    for name, command in group.commands.items():
        inner = getattr(command, "commands", None)
        for part in inner.values() if inner else [command]:
            title = f"## sim {name} {part.name}\n" if inner else f"## sim {name}\n"
            section = text.partition(title)[2].partition("\n## ")[0]
            assert section, title
            for param in part.params:
                for option in param.opts if param.param_type_name == "option" else ():
                    assert option in section, f"{title}{option}"


def test_site__every_key_and_figure_is_listed(pages):
    for model in (SweepFile, GoalsFile):
        for key, one in model.model_json_schema()["properties"].items():
            assert f"| `{key}` | " in pages["keys.md"], key
            assert one["description"].replace("|", "\\|") in pages["keys.md"], key
    for name, one in METRICS.items():
        assert f"| `{name}` | {one.unit} | {one.kind.value.replace('proportion', 'share')} |" in pages["figures.md"]


def test_site__links_within_the_keys_lead_to_headings(pages):
    headings = {site_anchor(one) for one in re.findall(r"^#+ (.*)$", pages["keys.md"], re.MULTILINE)}
    links = set(re.findall(r"\]\(#([^)]+)\)", pages["keys.md"]))
    assert len(links) > 5
    assert links <= headings


def site_anchor(heading: str) -> str:
    """How a heading is linked to."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_site__every_public_name_is_listed(pages):
    for name in sim.__all__:
        assert re.search(rf"^\.\. auto(function|class):: {name}$", pages["python.md"], re.MULTILINE), name


@pytest.fixture(scope="module")
def house() -> Any:
    """The script that draws the house."""
    return script("house")


def test_site__the_house_is_drawn_from_the_imports(house, tmp_path):
    found = house.imports(ROOT)
    assert found["sim.reports", "sim.stats"] > 10
    floor = {room: level for level, rooms in enumerate(house.FLOORS) for room in rooms}
    assert [edge for edge in found if floor[edge[0]] > floor[edge[1]]] == [], "an import that looks up"
    picture = house.house_picture(ROOT)
    assert all(f">{room}</text>" in picture for room in floor)
    assert picture == (DOCS / "pictures" / "house.svg").read_text(encoding="utf-8"), "run: python docs/make_tables.py"
    for folder in ("sim/config", "sim/cli", "kernels"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "sim" / "config" / "planted.py").write_text("from sim.cli import app\nimport os\n")
    assert dict(house.imports(tmp_path)) == {("sim.config", "sim.cli"): 1}


def test_site__arrows_that_follow_from_others_are_left_out(house):
    found = {("sim.reports", "sim.studies"), ("sim.studies", "sim.stats"), ("sim.reports", "sim.stats")}
    assert house.shown_arrows(found) == [("sim.reports", "sim.studies"), ("sim.studies", "sim.stats")]
    assert house.shown_arrows({("sim", "sim.games")}) == [("sim", "sim.games")]
