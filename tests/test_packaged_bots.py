"""Bots of installed packages are known by name; the template is a bot that works."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

import sim
from kernels.dispatch.bots import SHIPPED
from kernels.dispatch.bots.decorator import Bot
from sim import packaged_bots
from sim.catalogue import check_bots, player
from sim.config.errors import BadInput
from sim.config.starters import BOT_TEMPLATE, write_bot_template
from sim.packaged_bots import bot_from_package, packaged_names
from tests.run_tools import SHORT, scaled

BOT = """\
from sim.bots import Parameter, bot, pack_order

from .helping import TRAIN


@bot(params={"reverse": Parameter(0.0, 0.0, 1.0, "1: goes back")}, draws_nothing=True)
def steady(rules, state, c, params, stream):
    \"\"\"Orders one train for ever.\"\"\"
    return pack_order(TRAIN, int(params[0]), -1, 0)


@bot(name="other", draws_nothing=True)
def named_otherwise(rules, state, c, params, stream):
    return 0


@bot()
def wordless(rules, state, c, params, stream):
    return "forward"


number = 3
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An installed package with bots, good ones and bad ones."""
    folder = tmp_path / "site"
    (folder / "steady_bots").mkdir(parents=True)
    (folder / "steady_bots" / "__init__.py").write_text("")
    (folder / "steady_bots" / "helping.py").write_text("TRAIN = 1\n")
    (folder / "steady_bots" / "bots.py").write_text(BOT)
    info = folder / "steady_bots-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: steady-bots\nVersion: 1.0\n")
    names = {"steady": "steady", "named": "named_otherwise", "wordless": "wordless", "number": "number", "gone": "gone"}
    lines = [f"{name} = steady_bots.bots:{function}\n" for name, function in names.items()]
    (info / "entry_points.txt").write_text("[dispatch_balance.bots]\n" + "".join(lines))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(packaged_bots, "_LOADED", {})
    importlib.invalidate_caches()
    yield folder
    for module in [name for name in importlib.sys.modules if name.startswith("steady_bots")]:
        del importlib.sys.modules[module]


def test_packaged_bots__there_are_none_by_default():
    assert packaged_names() == []


@pytest.mark.usefixtures("package")
def test_packaged_bots__are_played_by_name():
    assert packaged_names() == ["gone", "named", "number", "steady", "wordless"]
    played = sim.run("standard", bots=("steady", "greedy"), matches=scaled(200, 4), seed=1, overrides=SHORT)
    assert played.first == "steady"
    assert played.manifest["first"]["file"] == "dispatch_balance.bots"
    again = sim.play_match(played, 3)
    assert again["match"] == 3


@pytest.mark.usefixtures("package")
def test_packaged_bots__are_varied_in_define(tmp_path):
    define = {"back": {"bot": "steady", "reverse": 1}}
    assert check_bots({"A": "back", "B": "steady"}, define) == []
    assert player("back", define).values == {"reverse": 1}
    ((_, wrong),) = check_bots(None, {"back": {"bot": "steady", "revers": 1}})
    assert "did you mean 'reverse'" in wrong
    ((_, wrong),) = check_bots(None, {"steady": {"bot": "greedy"}})
    assert "has the name of a bot of a package" in wrong
    ((_, wrong),) = check_bots(None, {"mine": {"bot": "number"}})
    assert "which cannot be used" in wrong
    ((_, wrong),) = check_bots(None, {"mine": {"bot": "stedy"}})
    assert "did you mean 'steady'" in wrong
    with pytest.raises(BadInput, match=r"bot 'stedy' is unknown; must be one of .*steady.*did you mean 'steady'"):
        player("stedy")


def test_packaged_bots__are_known_by_all_sources_of_their_package(package, monkeypatch):
    before = player("steady").identity
    (package / "steady_bots" / "helping.py").write_text("TRAIN = 0\n")
    monkeypatch.setattr(packaged_bots, "_LOADED", {})
    assert player("steady").identity != before


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("named", "is called other; must have the name of its entry point"),
        ("number", "is int; must be a function made a bot with @bot"),
        ("gone", "cannot be loaded: AttributeError"),
        ("nobody", "no installed package has a bot nobody"),
        pytest.param("wordless", "bots.py:", marks=pytest.mark.compiled),
    ],
)
def test_packaged_bots__what_is_wrong_is_told(name, message):
    with pytest.raises(BadInput, match=message):
        bot_from_package(name)


def test_packaged_bots__two_of_one_name_are_refused(package):
    info = package / "more_bots-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: more-bots\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[dispatch_balance.bots]\nsteady = more_bots:steady\n")
    importlib.invalidate_caches()
    with pytest.raises(BadInput, match=r"packages have two of it, more_bots:steady, steady_bots.bots:steady"):
        bot_from_package("steady")


def test_packaged_bots__are_listed(package, sim_command):
    info = package / "steady_bots-1.0.dist-info"
    (info / "entry_points.txt").write_text("[dispatch_balance.bots]\nsteady = steady_bots.bots:steady\n")
    answer = sim_command("bots")
    assert answer.code == 0, answer.err
    assert "steady\n  Orders one train for ever.\n    reverse = 0 (0 to 1): 1: goes back\n" in answer.out
    assert set(SHIPPED) | {"steady"} <= set(json.loads(sim_command("bots", "--json").out))


# -- the template -----------------------------------------------------------------------------------------------------


def test_packaged_bots__the_template_works_as_it_is(sim_command):
    made = sim_command("init", "--bot", "bots/my_bot.py")
    assert made.code == 0, made.err
    assert made.out == "wrote bots/my_bot.py\nnow: sim run standard --bots bots/my_bot.py:my_bot,greedy\n"
    given = {"matches": scaled(400, 4), "seed": 1, "overrides": SHORT}
    found = sim.run("standard", bots=("bots/my_bot.py:my_bot", "random"), **given)
    assert found.manifest["outcomes"]["illegal"] == 0
    if not SHORT:
        assert found["score.first"].low > 0.95
    fair = sim.run("standard", bots=["bots/my_bot.py:my_bot"] * 2, **given)
    assert fair["seat_bias"].method == "exact"


def test_packaged_bots__the_template_is_well_written():
    text = BOT_TEMPLATE.read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 120
    spec = importlib.util.spec_from_loader("my_bot", importlib.machinery.SourceFileLoader("my_bot", str(BOT_TEMPLATE)))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert isinstance(module.my_bot, Bot)
    assert module.my_bot.mirror_fair


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("init",), "must be given a folder, or --bot and a Python file"),
        (("init", "--bot", "my_bot.txt"), "my_bot.txt: names no Python file; must end in .py"),
        (("init", "--bot", "here.py"), "here.py: exists already; a template overwrites nothing"),
        (("init", "--bot", "here.py/my_bot.py"), "cannot be written"),
    ],
)
def test_packaged_bots__init_says_what_is_wrong(sim_command, words, message):
    Path("here.py").write_text("mine")
    answer = sim_command(*words)
    assert answer.code == 2
    assert message in answer.err
    assert Path("here.py").read_text() == "mine"


def test_packaged_bots__init_writes_both(sim_command):
    answer = sim_command("init", "lab", "--bot", "lab/my_bot.py")
    assert answer.code == 0, answer.err
    assert Path("lab/standard.yaml").is_file()
    assert write_bot_template("more/my_bot.py").read_bytes() == Path("lab/my_bot.py").read_bytes()
