"""What may be written after an option, and what is said of anything else: one line, exit 2, never a traceback."""

from __future__ import annotations

import pytest

import sim
from sim.cli.options import count, seed_number, share, two_bots
from tests.run_tools import plug_in

pytestmark = pytest.mark.usefixtures("no_report")

RUN = ["run", "standard", "--seed", "1", "--set", "dispatches=2", "--out", "run"]


# -- numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1),
        ("007", 7),
        ("1000000", 10**6),
        ("1_000_000", 10**6),
        ("1e6", 10**6),
        ("1M", 10**6),
        ("1.5M", 1_500_000),
        ("2.50e2", 250),
        ("1.0", 1),
        ("20k", 20_000),
        ("3G", 3 * 10**9),
        ("0.5k", 500),
        ("9007199254740993", 2**53 + 1),
        ("123456789012345678901", 123456789012345678901),
    ],
)
def test_cli_values__numbers_of_matches(text, number):
    assert count("--matches", text) == number


NO_COUNTS = [
    *(
        "0",
        "-1",
        "1.5",
        "",
        " ",
        "nan",
        "inf",
        "1e400",
        "1e-3",
        "0.5",
        "0e5",
        "1,000",
        "1 000",
        "ten",
        "0x10",
        "1m",
        "1K",
    ),
    *("_1", "1e", "e6", "1.5e0", "\u0663", "1M2", "--1", "+", "1\n", "1e6M", "1e+6"),
]


@pytest.mark.parametrize("text", NO_COUNTS)
def test_cli_values__numbers_of_matches_refused(text):
    with pytest.raises(sim.BadInput) as refused:
        count("--matches", text)
    assert str(refused.value).startswith("--matches is ")
    assert "; must be a whole number, 1 or more, such as 1000000, 1_000_000, 1e6 or 1M" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.2pp", 0.002),
        ("0.2%", 0.002),
        ("0.002", 0.002),
        ("0.2 pp", 0.002),
        ("2e-3", 0.002),
        (" 50pp ", 0.5),
        ("99.9pp", 0.999),
    ],
)
def test_cli_values__half_widths(text, value):
    assert share("--half-width", text) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    "text", ["0", "0pp", "-0.1pp", "1", "100pp", "nan", "inf", "", "pp", "abc", "0.2ppp", "1e400", "0.2 p"]
)
def test_cli_values__half_widths_refused(text):
    with pytest.raises(
        sim.BadInput, match=r"--half-width is .*; must be above 0 and below 100pp, such as 0.2pp or 0.002"
    ):
        share("--half-width", text)


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("1", 1), (str(2**63 - 1), 2**63 - 1), ("0012", 12)])
def test_cli_values__seeds(text, value):
    assert seed_number(text) == value


@pytest.mark.parametrize(
    "text", ["-1", "9223372036854775808", "1.0", "1e3", "", " 1", "0x1", "\u0663", "1_0", "9" * 30]
)
def test_cli_values__seeds_refused(text):
    with pytest.raises(sim.BadInput, match=f"--seed is .*; must be a whole number from 0 to {2**63 - 1}"):
        seed_number(text)


def test_cli_values__absent_is_none():
    assert (count("--x", None), share("--x", None), seed_number(None), two_bots(None)) == (None,) * 4


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("greedy,random", ("greedy", "random")),
        (" greedy , random ", ("greedy", "random")),
        ("greedy", ("greedy", "greedy")),
        ("a.py:f,b.py:g", ("a.py:f", "b.py:g")),
    ],
)
def test_cli_values__two_bots(text, names):
    assert two_bots(text) == names


@pytest.mark.parametrize("text", ["", ",", "greedy,", ",greedy", "a,b,c", " "])
def test_cli_values__two_bots_refused(text):
    with pytest.raises(sim.BadInput, match="must be two names, as in greedy,random, or one for self-play"):
        two_bots(text)


# -- through the command ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "played"), [("1_0", 10), ("1e1", 10), ("0.01k", 10), ("9", 10)])
def test_cli_values__counts_are_played(text, played, sim_command, tmp_path):
    answer = sim_command(*RUN, "--matches", text)
    assert (answer.code, answer.err) == (0, "")
    assert sim.load_run(tmp_path / "run").manifest["matches_played"] == played
    assert sim.load_run(tmp_path / "run").manifest["command"][:5] == ["sim", "run", "standard", "--matches", text]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--matches", "1.5"], "--matches is 1.5; must be a whole number"),
        (["--matches=-1"], "--matches is -1; must be a whole number"),
        (["--matches", "1e99"], "matches is 1000"),
        (["--half-width", "200pp"], "--half-width is 200pp; must be above 0"),
        (["--seed", "x"], "--seed is x; must be a whole number"),
        (["--bots", "a,b,c"], "--bots is 'a,b,c'; must be two names"),
        (
            ["--bots", "greedi,random"],
            "bot 'greedi' is unknown; must be one of random, greedy, ",
        ),
        (["--bots", "no.py:f,random"], "bot 'no.py:f': there is no file no.py"),
        (["--threads", "0"], "threads is 0; must be a whole number from 1 to 1024"),
        (["--threads", "-3"], "threads is -3; must be a whole number from 1 to 1024"),
        (["--set", "economy.tol=1"], "--set economy.tol=1: economy.tol "),
        (["--set", "economy.toll"], "--set economy.toll: "),
        (["--set", "economy.toll=-1"], "--set economy.toll=-1: economy.toll is -1; must be a whole number of dollars"),
        (["--set", "=1"], "--set =1: "),
    ],
)
def test_cli_values__one_line_and_exit_2(words, said, sim_command, tmp_path):
    answer = sim_command(*RUN, *words)
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err.startswith(said)
    assert answer.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_cli_values__an_empty_folder_name_is_the_folder_where_one_is(sim_command, tmp_path):
    assert sim_command(*RUN[:-1], "", "--matches", "2").code == 0
    assert (tmp_path / "manifest.json").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["run", "standard", "more"],
        ["run", "standard", "--no-such"],
        ["runn"],
        ["run", "standard", "--threads", "x"],
    ],
)
def test_cli_values__usage(words, sim_command):
    answer = sim_command(*words)
    assert answer.code == 2
    assert answer.out == ""
    assert "Traceback" not in answer.err
    assert "sim" in answer.err


def test_cli_values__scenarios_that_there_are_not(sim_command, tmp_path):
    answer = sim_command("run", "standrad")
    assert answer.code == 2
    assert "did you mean 'standard'?" in answer.err
    (tmp_path / "bad.yaml").write_text("schema: 1\ngame: dispatch\nname: x\nmap: nowhere.yaml\ndispatches: 0\n")
    answer = sim_command("run", "bad.yaml")
    assert answer.code == 2
    assert len(answer.err.splitlines()) == 2, "all problems at once"
    assert all(line.startswith("bad.yaml:") for line in answer.err.splitlines())


def test_cli_values__set_changes_what_is_played(sim_command, tmp_path):
    answer = sim_command(*RUN, "--matches", "2", "--set", "economy.toll=7", "--set", "map.initial_routes.aW=2")
    assert answer.code == 0
    scenario = sim.load_run(tmp_path / "run").scenario
    assert scenario.economy.toll == 7
    assert scenario.map.initial_routes["aW"] == 2
    assert scenario.dispatches == 2


@pytest.mark.compiled
def test_cli_values__plug_ins(sim_command, tmp_path):
    own = plug_in(tmp_path / "bots", "return pack_order(0, 0, -1, 0)")
    own = own.replace(str(tmp_path) + "/", "")
    answer = sim_command(*RUN, "--matches", "4", "--bots", f"{own},random")
    assert (answer.code, answer.err) == (0, "")
    assert sim_command("verify", "run").out.startswith("IDENTICAL: ")
    for body, said in (
        ("return 1.0", "own returns a float; must return an int64, a packed order\n  hint: "),
        ("return nothing", "does not compile\n  NameError: "),
    ):
        name = plug_in(tmp_path / "bots", body).replace(str(tmp_path) + "/", "")
        answer = sim_command(*RUN[:-1], "other", "--matches", "4", "--bots", name)
        assert answer.code == 2
        assert answer.err.startswith("bots/own.py:")
        assert said in answer.err
        assert "\\n" not in answer.err
        assert "Traceback" not in answer.err


def test_cli_values__illegal_orders_warn_and_exit_1(sim_command, tmp_path):
    own = plug_in(tmp_path / "bots", "return 1 << 20")
    for _ in range(2):
        answer = sim_command(*RUN, "--matches", "4", "--bots", f"random,{own}")
        assert answer.code == 1
        assert answer.err.endswith("warning: 4 matches ended with an illegal order\n")
    assert "complete already" in answer.err
    assert sim.load_run(tmp_path / "run")["illegal_orders"].value == 1


def test_cli_values__a_half_width_that_is_not_reached_exits_3(sim_command, tmp_path):
    answer = sim_command(*RUN, "--half-width", "0.01pp", "--matches", "20")
    assert answer.code == 3
    assert answer.err == (
        "undecided: 20 matches were not enough for a half-width of 0.01 pp on score.first and shared; raise --matches\n"
    )
    assert sim.load_run(tmp_path / "run").manifest["precise"] is False
    reached = sim_command(*RUN[:-1], "other", "--half-width", "49pp", "--matches", "20", "--bots", "random,greedy")
    assert reached.code == 0, reached.err
    assert sim.load_run(tmp_path / "other").manifest["precise"] is True


def test_cli_values__help_says_what_one_bot_alone_is(sim_command):
    assert "self-play" in sim_command("run", "--help").out
