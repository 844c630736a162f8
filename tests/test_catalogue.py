"""From a name to a player: shipped bots, variants, files and functions, and what is said when there is none."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sim
from kernels.dispatch.bots import SHIPPED, Parameter, bot
from kernels.dispatch.orders import pack_order
from kernels.random import draw32
from sim.catalogue import check_bots, player, player_of
from sim.plug_ins import function_digest
from sim.running.chunks import Chunk
from sim.running.runner import Amount
from tests.run_tools import PLUG_IN_HEAD, SHORT, edited, kept, plan_of_bots, plug_in

pytestmark = pytest.mark.usefixtures("no_report")

FORWARD = "return pack_order(0, 0, -1, 0)"


def refusal(name: str, define: dict | None = None) -> str:
    with pytest.raises(sim.BadInput) as refused:
        player(name, define)
    assert len(refused.value.problems) == 1
    return str(refused.value)


# -- shipped bots and variants ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHIPPED)
def test_catalogue__shipped(name):
    one = player(name)
    assert one.name == name
    assert one.bot is SHIPPED[name]
    assert one.source is None
    assert one.params.tolist() == [one.bot.params[key].code(value) for key, value in one.values.items()]
    assert not one.params.flags.writeable
    assert one.bot.summary
    assert all(parameter.doc for parameter in one.bot.params.values())


def test_catalogue__unknown_names_are_told_what_there_is():
    assert refusal("greedee") == (
        f"bot 'greedee' is unknown; must be one of {', '.join(SHIPPED)}, or file.py:function; did you mean 'greedy'?"
    )
    assert "did you mean 'frugal'?" in refusal("frugl", {"frugal": {"bot": "greedy"}})
    assert refusal("").startswith("bot '' is unknown; ")
    assert "did you mean" not in refusal("zzz")


def test_catalogue__variants():
    define = {"frugal": {"bot": "greedy", "invest": "none", "noise": 2}}
    one = player("frugal", define)
    assert one.name == "frugal"
    assert one.values == {"noise": 2, "contest": 0.08}
    assert one.restrictions.plain == {"invest": "none"}
    assert one.params.tolist() == [2.0, 0.08]
    assert not one.draws_nothing
    assert player("calm", {"calm": {"bot": "greedy", "noise": 0}}).draws_nothing
    assert refusal("x", {"x": {"bot": "greedy", "nois": 1}}).startswith("bot x: is no parameter of greedy; ")


def test_catalogue__equal_bots_are_equal_whatever_they_are_called():
    define = {"same": {"bot": "greedy", "noise": 3.0}, "other": {"bot": "greedy", "noise": 3.5}}
    plan = sim.api.make_plan("standard", bots=("greedy", "same"), seed=1, overrides={"define": define})
    assert plan.self_play
    assert plan.pairing.name == "LANES"
    assert plan.pairing_name == "greedy vs same"
    plan = sim.api.make_plan("standard", bots=("greedy", "other"), seed=1, overrides={"define": define})
    assert not plan.self_play
    assert plan.pairing.name == "SEATS"


@pytest.mark.parametrize(
    ("definition", "key", "said"),
    [
        (
            {"bot": "greedee"},
            ("bot",),
            f"is 'greedee'; must be one of {', '.join(SHIPPED)}, or file.py:function; did you mean",
        ),
        ({"bot": "random", "noise": 1}, ("noise",), "is no parameter of random; random has invest, buy_at, "),
        ({"bot": "greedy", "nois": 1}, ("nois",), "is no parameter of greedy; greedy has noise, "),
        ({"bot": "greedy", "noise": -1}, ("noise",), "is -1; must be a number from 0 to 100"),
        ({"bot": "greedy", "noise": 101}, ("noise",), "is 101; must be a number from 0 to 100"),
        ({"bot": "greedy", "noise": "3"}, ("noise",), "is '3'; must be a number from 0 to 100"),
        ({"bot": "greedy", "noise": True}, ("noise",), "is True; must be a number from 0 to 100"),
        ({"bot": "greedy", "noise": None}, ("noise",), "is None; must be a number from 0 to 100"),
        ({"bot": "greedy", "noise": float("nan")}, ("noise",), "is nan; must be a number from 0 to 100"),
        ({"bot": "greedy", "invest": "all"}, ("invest",), "is 'all'; must be one of free, none, upgrade, siding"),
        ({"bot": "greedy", "invest": ["none"]}, ("invest",), "is [none]; must be one of free, none, upgrade, siding"),
        ({"bot": "greedy", "invest": 1}, ("invest",), "is 1; must be one of free, none, upgrade, siding"),
    ],
)
def test_catalogue__wrong_definitions(definition, key, said):
    ((path, message),) = check_bots(None, {"own": definition})
    assert path == ("define", "own", *key)
    assert message.startswith(said)


def test_catalogue__a_variant_may_not_take_a_shipped_name():
    ((path, message),) = check_bots(None, {"greedy": {"bot": "random"}})
    assert path == ("define", "greedy")
    assert message == "has the name of a shipped bot; must have a name of its own"


def test_catalogue__seats_name_bots_that_there_are():
    assert check_bots({"A": "own", "B": "random"}, {"own": {"bot": "greedy"}}) == []
    ((path, message),) = check_bots({"A": "random", "B": "randon"}, {})
    assert path == ("bots", "B")
    assert message == f"is 'randon'; must be one of {', '.join(SHIPPED)}, or file.py:function; did you mean 'random'?"


def test_catalogue__all_that_is_wrong_is_told_at_once(tmp_path):
    """A bad key elsewhere hides no bad parameter; what has the wrong shape is told once."""
    (tmp_path / "x.yaml").write_text(
        f"extends: {sim.config.starters.starter_path('standard')}\neconomy:\n  tol: 1\ndefine:\n"
        "  own: {bot: greedy, noise: -1}\n  list: [greedy]\n  none: {noise: 1}\nbots: {A: own, B: nobody}\n"
    )
    with pytest.raises(sim.BadInput) as refused:
        sim.load_scenario(tmp_path / "x.yaml")
    assert [(problem.line, problem.key) for problem in refused.value.problems] == [
        (3, "economy.tol"),
        (5, "define.own.noise"),
        (6, "define.list"),
        (7, "define.none"),
        (8, "bots.B"),
    ]
    (tmp_path / "y.yaml").write_text((tmp_path / "x.yaml").read_text().replace("A: own", "A: list, C: own"))
    with pytest.raises(sim.BadInput) as refused:
        sim.load_scenario(tmp_path / "y.yaml")
    keys = [problem.key for problem in refused.value.problems]
    assert keys == ["economy.tol", "define.own.noise", "define.list", "define.none", "bots", "bots.B"]


# -- bots of a file ---------------------------------------------------------------------------------------------------


def test_catalogue__a_bot_of_a_file_plays(tmp_path):
    name = plug_in(tmp_path, "return pack_order(int(params[0]), 0, -1, 0)", params='{"train": Parameter(1.0)}')
    one = player(name)
    assert one.name == name
    assert one.values == {"train": 1.0}
    assert one.source is not None
    assert one.source[0] == name.removesuffix(":own")
    rows = plan_of_bots(name, "random").play_rows(Chunk(0, 3))
    assert (rows[:, -1] == 0).all()


def test_catalogue__paths_may_be_relative_and_hold_colons(tmp_path, monkeypatch):
    plug_in(tmp_path / "a:b", FORWARD)
    monkeypatch.chdir(tmp_path)
    assert player("a:b/own.py:own").bot.name == "own"
    assert player("./a:b/own.py:own").identity == player(str(tmp_path / "a:b" / "own.py:own")).identity


def test_catalogue__files_without_the_bot(tmp_path):
    name = plug_in(tmp_path, FORWARD)
    file = name.removesuffix(":own")
    assert refusal(f"{tmp_path}/no.py:own") == f"bot '{tmp_path}/no.py:own': there is no file {tmp_path}/no.py"
    assert refusal(f"{file}:onw").endswith(f"{file} has no bot onw; it has own; did you mean 'own'?")
    assert refusal(f"{file}:") == f"bot '{file}:': {file} has no bot ; it has own"
    assert refusal(f"{file}:pack_order").endswith("has no bot pack_order; it has own")
    (tmp_path / "none.py").write_text("def own():\n    pass\n")
    assert refusal(f"{tmp_path}/none.py:own").endswith("it has none; a bot is a function with @bot above it")
    (tmp_path / "folder.py").mkdir()
    assert "there is no file" in refusal(f"{tmp_path}/folder.py:own")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("import numpy\n\n1 / 0\n", 3, "ZeroDivisionError: division by zero"),
        ("def own(:\n", 1, "SyntaxError: "),
        ("\n\nimport nothing_of_this_name\n", 3, "ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("import sys\nsys.exit(3)\n", 2, "SystemExit: 3"),
        ("def fails():\n    raise ValueError('so it is')\n\nfails()\n", 2, "ValueError: so it is"),
        ("x = 1\n\0\n", None, ""),
    ],
    ids=["division", "syntax", "import", "exit", "deep", "null byte"],
)
def test_catalogue__exceptions_at_import_name_the_line(text, line, said, tmp_path):
    (tmp_path / "own.py").write_text(text, encoding="latin-1")
    before = set(sys.modules)
    heard = refusal(f"{tmp_path}/own.py:own")
    place = f"{tmp_path}/own.py:{line}: " if line else ""
    assert heard.startswith(f"bot '{tmp_path}/own.py:own': {place}{said}")
    assert set(sys.modules) == before
    assert str(tmp_path) not in sys.path


def test_catalogue__wrong_number_of_arguments(tmp_path):
    (tmp_path / "own.py").write_text(f"{PLUG_IN_HEAD}\n@bot()\ndef own(rules, state, c):\n    return 0\n")
    assert refusal(f"{tmp_path}/own.py:own").splitlines() == [
        f"{tmp_path}/own.py:7: a bot takes 5 arguments (rules, state, c, params, stream); own takes 3",
        "  hint: take all of them, in this order, even those that are not used",
    ]


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("body", "returned", "hint"),
    [
        ("return 1.0", "a float", "an order is a whole number: divide with //, round with int(…)"),
        ("return (0, 0)", "several values", "return pack_order(train, reverse, toggle, invest)"),
        ("return None", "nothing", "let every way through the function end in return pack_order(…)"),
        ("pass", "nothing", "let every way through the function end in return pack_order(…)"),
        (
            "if c == 1:\n    return pack_order(0, 0, -1, 0)",
            "int64 or nothing",
            "let every way through the function end in return pack_order(…)",
        ),
    ],
)
def test_catalogue__a_bot_returns_an_order(body, returned, hint, tmp_path):
    name = plug_in(tmp_path, body)
    assert refusal(name).splitlines() == [
        f"{name.removesuffix(':own')}:8: bot own returns {returned}; must return an int64, a packed order",
        f"  hint: {hint}",
    ]


@pytest.mark.compiled
@pytest.mark.parametrize("body", ["return bool(params.size)", "return np.int32(0)", "return np.uint8(1)", FORWARD])
def test_catalogue__any_whole_number_is_an_order(body, tmp_path):
    name = plug_in(tmp_path, body)
    assert plan_of_bots(name, "random").play_rows(Chunk(0, 2)).shape == (4, 30)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("body", "line", "said"),
    [
        ("return rules.n_junction", 10, ["rules and state have no field n_junction; did you mean 'n_junctions'?"]),
        (
            "x = 0\nx = int(Invest.SIDING)\nreturn x",
            11,
            [
                "int(Invest) is nothing that can be compiled",
                "hint: write the member as it is, or make it int(…) outside of the function",
            ],
        ),
        (
            "return pack_ordr(0, 0, -1, 0)",
            10,
            ["NameError: name 'pack_ordr' is not defined", "hint: import it, or set it at the top of the file"],
        ),
        (
            "return pack_order(0, -1, Invest.NONE)",
            10,
            ["pack_order(train, reverse, toggle, invest): missing a required argument:", "  'invest'"],
        ),
        (
            "return pack_order(plain(0), 0, -1, 0)",
            10,
            ["plain is not compiled", "hint: a function that a bot calls is compiled too: put @helper above it"],
        ),
        (
            "x = 0\nif c:\n    x = 'a'\nreturn x",
            13,
            ["x is now 0, now 'a'; must be of one type throughout"],
        ),
        (
            "with open('x'):\n    pass\nreturn 0",
            10,
            ["Unsupported context manager in use"],
        ),
        ("return state.arc['a']", 10, ["getitem(nestedarray(int64, (2, 2)), 'a') is nothing that can be compiled"]),
    ],
    ids=["field", "int of a member", "name", "arguments", "helper", "two types", "with", "index"],
)
def test_catalogue__what_does_not_compile_is_told_in_short_lines(body, line, said, tmp_path):
    name = plug_in(tmp_path, body)
    file = Path(name.removesuffix(":own"))
    file.write_text(f"{file.read_text()}\n\ndef plain(x):\n    return x\n")
    heard = refusal(name).splitlines()
    assert heard[0] == f"{file}:{line}: bot own does not compile"
    assert [one.removeprefix("  ") for one in heard[1:]] == said
    assert all(len(one) <= 80 for one in heard[1:])


# -- bots of a file in a scenario -------------------------------------------------------------------------------------

TRAINS = '{"train": Parameter(0.0, 0.0, 1.0)}'
ORDER = "return pack_order(int(params[0]), 0, -1, 0)"


def scenario_file(folder: Path, text: str, name: str = "x.yaml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    standard = sim.config.starters.starter_path("standard")
    (folder / name).write_text(text if "extends" in text else f"extends: {standard}\ndispatches: 2\n{text}")
    return folder / name


def test_catalogue__bots_of_a_file_in_a_scenario(tmp_path, monkeypatch):
    """Beside the scenario wherever it is loaded from; their parameters can be set; the digest knows no place."""
    plug_in(tmp_path / "one", ORDER, params=TRAINS)
    path = scenario_file(
        tmp_path / "one", "bots: {A: mine, B: own.py:own}\ndefine:\n  mine: {bot: own.py:own, train: 1}\n"
    )
    plan = sim.api.make_plan(path, seed=1)
    assert plan.pairing_name == "mine vs own.py:own"
    assert [plan.first.values, plan.second.values] == [{"train": 1}, {"train": 0.0}]
    assert plan.first.source is not None
    assert plan.first.source == plan.second.source
    assert not plan.self_play
    (tmp_path / "one").rename(tmp_path / "two")
    monkeypatch.chdir(tmp_path)
    moved = sim.api.make_plan("two/x.yaml", seed=1)
    assert moved.scenario.digest == plan.scenario.digest
    assert moved.digest({}) == plan.digest({})
    changed = sim.api.make_plan(sim.load_scenario("two/x.yaml"), seed=1, overrides=["economy.toll=2"])
    assert changed.first.values == {"train": 1}
    crossed = sim.api.make_plan("two/x.yaml", bots=("mine", "two/own.py:own"), seed=1)
    assert crossed.first.identity == plan.first.identity
    assert crossed.second.identity == plan.second.identity
    loaded = sim.load_scenario(sim.load_scenario("two/x.yaml").resolved(), folder="two")
    assert sim.api.make_plan(loaded, seed=1).digest({}) == plan.digest({})


def test_catalogue__a_scenario_that_is_extended_keeps_its_bots(tmp_path):
    plug_in(tmp_path / "under", ORDER, params=TRAINS)
    scenario_file(tmp_path / "under", "bots: {A: mine, B: own.py:own}\ndefine:\n  mine: {bot: own.py:own, train: 1}\n")
    path = scenario_file(tmp_path / "over", "extends: ../under/x.yaml\n", "y.yaml")
    loaded = sim.load_scenario(path)
    assert loaded.bots == {"A": "mine", "B": "../under/own.py:own"}
    assert sim.api.make_plan(loaded, seed=1).first.values == {"train": 1}


def test_catalogue__bots_of_a_file_with_set(tmp_path, monkeypatch):
    """Beside the scenario, else from the working folder."""
    plug_in(tmp_path / "there", "return pack_order(0, 0, -1, 0)")
    plug_in(tmp_path / "here", "return pack_order(1, 0, -1, 0)", name="near.py")
    path = scenario_file(tmp_path / "there", "bots: {A: random, B: random}\n")
    monkeypatch.chdir(tmp_path / "here")
    plan = sim.api.make_plan(path, seed=1, overrides=["bots.A=own.py:own", "bots.B=near.py:own"])
    assert [Path(one.source[0]).resolve() for one in (plan.first, plan.second) if one.source] == [
        tmp_path / "there" / "own.py",
        tmp_path / "here" / "near.py",
    ]
    define = {"mine": {"bot": "own.py:own"}}
    data = sim.load_scenario({**sim.load_scenario(path).resolved(), "define": define}, folder=tmp_path / "there")
    assert player("mine", data.define, data.folder).source is not None


def test_catalogue__a_run_with_bots_of_a_file_is_read_and_verified_anywhere(tmp_path, monkeypatch):
    from sim.running.verifying import verify

    plug_in(tmp_path / "one", ORDER, params=TRAINS)
    path = scenario_file(tmp_path / "one", "bots: {A: mine, B: random}\ndefine:\n  mine: {bot: own.py:own, train: 1}\n")
    kept(tmp_path / "run", sim.api.make_plan(path, seed=1), Amount(4))
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path / "else")
    run = sim.load_run(tmp_path / "run")
    assert run.scenario.define == {"mine": {"bot": "own.py:own", "train": 1}}
    assert run.manifest["first"]["name"] == "mine"
    assert verify(tmp_path / "run").identical
    edited(tmp_path / "run" / "manifest.json", lambda data: data["first"]["values"].update(train=0.5))
    assert not verify(tmp_path / "run").identical
    (tmp_path / "one" / "own.py").unlink()
    assert sim.load_run(tmp_path / "run").first == "mine", "its figures need no bots"
    with pytest.raises(sim.BadInput, match="there is no file"):
        verify(tmp_path / "run")


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        ("bots: {A: own.py:own, B: no.py:own}", "bots.B", "is 'no.py:own'; there is no file "),
        ("bots: {A: own.py:own, B: own.py:onw}", "bots.B", "is 'own.py:onw'; "),
        ("bots: {A: own.py:own, B: bad.py:own}", "bots.B", "is 'bad.py:own', which cannot be used: "),
        ("define: {mine: {bot: no.py:own}}", "define.mine.bot", "is 'no.py:own'; there is no file "),
        ("define: {mine: {bot: own.py:own, trian: 1}}", "define.mine.trian", "is no parameter of own.py:own; "),
        ("define: {mine: {bot: own.py:own, train: 2}}", "define.mine.train", "is 2; must be a number from 0 to 1"),
        (
            "define: {mine: {bot: greedy}, more: {bot: mine}}",
            "define.more.bot",
            "is 'mine', a variant that is defined here; must be the bot itself, with all its parameters",
        ),
        ("define: {'own.py:own': {bot: greedy}}", "define.'own.py:own'", "has the name of a bot of a file; "),
    ],
)
def test_catalogue__wrong_bots_of_a_file_in_a_scenario(text, key, said, tmp_path):
    plug_in(tmp_path, ORDER, params=TRAINS)
    (tmp_path / "bad.py").write_text("1 / 0\n")
    with pytest.raises(sim.BadInput) as refused:
        sim.load_scenario(scenario_file(tmp_path, f"{text}\n"))
    (problem,) = refused.value.problems
    assert (problem.line, problem.key) == (3, key)
    assert problem.message.startswith(said)


def test_catalogue__a_scenario_without_bots_loads_no_kernels(tmp_path):
    path = scenario_file(tmp_path, "bots: null\n")
    text = f"import sim, sys; sim.load_scenario({str(path)!r}); print('numba' in sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", text],
        env={**os.environ, "PYTHONPATH": str(Path(sim.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == "False\n"


def test_catalogue__a_function_of_the_other_bots_file_is_suggested(tmp_path):
    name = plug_in(tmp_path, FORWARD)
    with pytest.raises(sim.BadInput) as refused:
        sim.api.make_plan("standard", bots=(name, "own"), seed=1)
    assert str(refused.value).endswith(f"or file.py:function; did you mean {name}?")
    with pytest.raises(sim.BadInput) as refused:
        sim.api.make_plan("standard", bots=("owl", name), seed=1)
    assert str(refused.value).endswith("or file.py:function")


# -- what a file imports from its own folder --------------------------------------------------------------------------

ADVISED = (
    PLUG_IN_HEAD + "import advice\n\n@bot()\ndef own(rules, state, c, params, stream):\n    return advice.order()\n"
)


def advise(folder: Path, answer: int) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "own.py").write_text(ADVISED)
    (folder / "advice.py").write_text(f"from kernels.jit import helper\n@helper\ndef order():\n    return {answer}\n")
    return f"{folder / 'own.py'}:own"


def order_of(name: str) -> int:
    from kernels.dispatch.layout import new_rules, new_state
    from kernels.random import new_streams

    one = player(name)
    return int(one.bot.compiled(new_rules()[0], new_state()[0], np.int64(0), one.params, new_streams(1)[0]))


def test_catalogue__files_of_its_own_folder_are_imported_and_watched(tmp_path):
    name = advise(tmp_path, 1)
    first = player(name)
    assert order_of(name) == 1
    assert player(name).bot is first.bot
    advise(tmp_path, 2)
    assert order_of(name) == 2
    assert player(name).identity != first.identity
    advise(tmp_path, 1)
    assert order_of(name) == 1
    assert player(name).identity == first.identity
    assert "advice" not in sys.modules
    assert str(tmp_path) not in sys.path


def test_catalogue__two_folders_may_each_have_a_file_of_one_name(tmp_path):
    names = [advise(tmp_path / str(answer), answer) for answer in (1, 2, 3)]
    assert [order_of(name) for name in names] == [1, 2, 3]
    assert [order_of(name) for name in reversed(names)] == [3, 2, 1]


def test_catalogue__a_module_of_the_same_name_elsewhere_stays(tmp_path, monkeypatch):
    elsewhere = type(sys)("advice")
    monkeypatch.setitem(sys.modules, "advice", elsewhere)
    assert order_of(advise(tmp_path, 2)) == 2
    assert sys.modules["advice"] is elsewhere


def test_catalogue__a_bot_may_lie_beside_the_packages_of_this_project():
    """As in a checkout: they are not its own files, and are not loaded again."""
    beside = Path(sim.__file__).parents[1] / "own_bot_of_a_test.py"
    beside.write_text(
        f"{PLUG_IN_HEAD}import sim.bots\n\n\n@bot()\ndef own(rules, state, c, params, stream):\n    {FORWARD}\n"
    )
    before = sys.modules["kernels"]
    try:
        one = player(f"{beside}:own")
        assert one.source is not None
        assert one.source[1] == hashlib.sha256(beside.read_bytes()).hexdigest()
    finally:
        beside.unlink()
    assert sys.modules["kernels"] is before


@pytest.mark.parametrize(
    ("statement", "files", "watched"),
    [
        ("import shelf.book", {"shelf/__init__.py": "", "shelf/book.py": "N = 1"}, "shelf/book.py"),
        ("from shelf import book", {"shelf/__init__.py": "", "shelf/book.py": "N = 1"}, "shelf/book.py"),
        (
            "from shelf.book import N",
            {"shelf/__init__.py": "from . import other", "shelf/book.py": "N = 1", "shelf/other.py": "M = 1"},
            "shelf/other.py",
        ),
        ("from chain import N", {"chain.py": "from link import N", "link.py": "N = 1"}, "link.py"),
        ("def late():\n    import lazy", {"lazy.py": "N = 1"}, "lazy.py"),
    ],
    ids=["dotted", "from package", "relative", "chain", "late"],
)
def test_catalogue__every_way_to_import(statement, files, watched, tmp_path):
    name = plug_in(tmp_path, FORWARD)
    own = tmp_path / "own.py"
    own.write_text(statement + "\n" + own.read_text())
    for file, text in files.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text + "\n")
    before = player(name).identity["source"]
    (tmp_path / watched).write_text("N = 2\n")
    assert player(name).identity["source"] != before
    (tmp_path / "unrelated.py").write_text("N = 1\n")
    now = player(name).identity["source"]
    (tmp_path / "unrelated.py").write_text("N = 2\n")
    assert player(name).identity["source"] == now


def test_catalogue__an_edited_bot_is_another_run(tmp_path):
    name = plug_in(tmp_path, FORWARD)
    run = kept(tmp_path / "run", plan_of_bots(name, "random"), Amount(4), with_matches=True)
    assert run.manifest["first"]["file"] == name.removesuffix(":own")
    row = sim.play_match(run, 1)
    plug_in(tmp_path, FORWARD + "  # as before")
    assert plan_of_bots(name, "random").digest({}) != ""
    with pytest.raises(sim.BadInput, match="has changed since this run was played"):
        sim.play_match(run, 1)
    with pytest.raises(sim.BadInput, match="holds another run"):
        kept(tmp_path / "run", plan_of_bots(name, "random"), Amount(4))
    plug_in(tmp_path, FORWARD)
    assert sim.play_match(run, 1) == row
    (tmp_path / "own.py").unlink()
    with pytest.raises(sim.BadInput, match="there is no file"):
        sim.play_match(run, 1)


CACHED = """\
from sim.catalogue import player
stats = player("own.py:own").bot.compiled.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


@pytest.mark.compiled
def test_catalogue__machine_code_of_a_plug_in_is_kept_between_processes(tmp_path):
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(sim.__file__).parents[1]),
        "DISPATCH_BALANCE_CACHE": str(tmp_path / "cache"),
    }

    def hits_and_misses() -> str:
        found = subprocess.run(
            [sys.executable, "-c", CACHED], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        return found.stdout.strip()

    advise(tmp_path, 1)
    assert hits_and_misses() == "0 1"
    assert hits_and_misses() == "1 0"
    advise(tmp_path, 2)
    assert hits_and_misses() == "0 1"
    advise(tmp_path, 1)
    assert hits_and_misses() == "1 0"


# -- functions --------------------------------------------------------------------------------------------------------

SIDE = 1


def aside() -> int:
    return SIDE


@bot(params={"bias": Parameter(0.5, 0.0, 1.0)})
def homemade(rules, state, c, params, stream):
    return pack_order(draw32(stream) < params[0] * 2**32, 0, -1, 0)


def test_catalogue__functions_are_bots():
    plan = sim.api.make_plan("standard", bots=(homemade, "random"), seed=1, overrides=SHORT)
    assert plan.pairing_name == "homemade vs random"
    assert plan.first.source == (None, function_digest(homemade.function))
    run = sim.run("standard", bots=(homemade, homemade), seed=1, matches=10, overrides=SHORT)
    assert run.manifest["pairs_swap"] == "lanes"
    assert run.sums.n_matches == 10
    assert player_of(SHIPPED["greedy"]) == player("greedy")
    assert sim.play_match(run, 3)["bot_a"] == "homemade"


def test_catalogue__a_function_cannot_be_found_again_by_another_process(tmp_path):
    sim.run("standard", bots=(homemade, "random"), seed=1, matches=4, out=tmp_path / "run", overrides=SHORT)
    assert sim.play_match(sim.load_run(tmp_path / "run"), 0)["match"] == 0
    edited(tmp_path / "run" / "manifest.json", lambda data: data["first"].update(source="0" * 64))
    with pytest.raises(sim.BadInput, match="was a function of a notebook or script; it cannot be found again"):
        sim.play_match(sim.load_run(tmp_path / "run"), 0)


def test_catalogue__the_digest_of_a_function_is_of_all_that_it_uses():
    def made(body: str, **used: object):
        space: dict[str, object] = {"pack_order": pack_order, "aside": aside, **used}
        exec(f"def own(rules, state, c, params, stream):\n    return {body}\n", space)
        return space["own"]

    one = function_digest(made("pack_order(N, 0, -1, 0)", N=1))
    assert function_digest(made("pack_order(N, 0, -1, 0)", N=1)) == one
    assert function_digest(made("pack_order(N, 0, -1, 0)", N=0)) != one
    assert function_digest(made("pack_order(M, 0, -1, 0)", M=1)) != one
    assert function_digest(made("aside()")) != function_digest(made("aside()", aside=lambda: 2))


def test_catalogue__a_function_with_the_name_of_a_shipped_bot_is_not_that_bot():
    @bot(name="random")
    def own(rules, state, c, params, stream):
        return pack_order(0, 0, -1, 0)

    plan = sim.api.make_plan("standard", bots=(own, "random"), seed=1)
    assert not plan.self_play
    assert plan.pairing.name == "SEATS"


@pytest.mark.parametrize("bots", ["greedy", ("greedy",), ("greedy", "random", "greedy"), (), ("greedy", 5), (None, 1)])
def test_catalogue__bots_are_two(bots):
    with pytest.raises(sim.BadInput, match=r"must be (two names|a name)"):
        sim.run("standard", bots=bots, matches=2)


def test_catalogue__a_scenario_without_bots_needs_them(tmp_path):
    loaded = sim.load_scenario("standard").resolved()
    with pytest.raises(sim.BadInput, match="names no bots; name two with --bots first,second"):
        sim.run({**loaded, "bots": None}, matches=2)
