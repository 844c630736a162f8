"""Every command on good input and on bad: what it prints, where, how wide, and how it exits."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer.main

import sim
from kernels.codes import Column
from kernels.dispatch.bots import SHIPPED
from sim.cli.app import app
from sim.config.mainline import POLICY_DOCS
from sim.config.starters import starters_dir
from sim.running.runner import Amount
from tests.run_tools import edited, files_under, kept, plan_of_bots, plug_in, scaled

MAPS = ["standard", "compact", "corridor", "grand", "ladder", "crooked"]
EXACT = set(MAPS) - {"crooked"}


def widest(text: str) -> int:
    from rich.cells import cell_len

    return max((cell_len(line) for line in text.splitlines()), default=0)


# -- run --------------------------------------------------------------------------------------------------------------


def test_cli_commands__run_writes_all_that_a_run_folder_holds(sim_command, tmp_path):
    """With the real report."""
    answer = sim_command("run", "compact", "--matches", "20", "--seed", "1", "--keep-matches", "--out", "run")
    assert (answer.code, answer.err) == (0, "")
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names == {
        *("manifest.json", "summary.json", "sums.npz", "matches.parquet"),
        *("report.html", "report.md", "shape.json", "figures", "tables"),
    }
    assert "compact · greedy vs greedy · 20 matches · seed 1" in answer.out
    report = (tmp_path / "run" / "report.html").read_text()
    again = sim_command("report", "run")
    assert (again.code, again.out) == (0, "wrote run/report.html\n")
    assert (tmp_path / "run" / "report.html").read_text() == report


@pytest.mark.usefixtures("no_report")
class TestRun:
    WORDS = ("run", "standard", "--matches", "20", "--seed", "3", "--set", "dispatches=4", "--out", "run")

    def test_cli_commands__json_and_nothing_else(self, sim_command, tmp_path):
        for _ in range(2):
            answer = sim_command(*self.WORDS, "--json")
            assert answer.code == 0
            assert json.loads(answer.out) == json.loads((tmp_path / "run" / "summary.json").read_text())
            assert answer.out.encode() == (tmp_path / "run" / "summary.json").read_bytes()

    @pytest.mark.parametrize("bots", ["greedy", "random,greedy", "{own},random", "still,poor"])
    @pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}, {"COLUMNS": "40"}])
    def test_cli_commands__80_columns_without_a_terminal(self, bots, environment, sim_command, tmp_path, monkeypatch):
        for key, value in environment.items():
            monkeypatch.setenv(key, value)
        own = plug_in(tmp_path / "a folder with quite a long name so that lines get long", "return 0")
        define = ["--set", "define={still: {bot: greedy, noise: 0}, poor: {bot: greedy, noise: 0, invest: none}}"]
        answer = sim_command(*self.WORDS, *define, "--bots", bots.format(own=own))
        assert answer.code == 0, answer.err
        assert widest(answer.out) <= 80
        assert "\x1b" not in answer.out

    def test_cli_commands__a_terminal_gets_its_width_and_colours(self, sim_command, monkeypatch):
        class Terminal(io.StringIO):
            encoding = "utf-8"

            def isatty(self) -> bool:
                return True

        for columns, environment in ((80, {}), (100, {}), (120, {"NO_COLOR": "1"}), (90, {"TERM": "dumb"})):
            with monkeypatch.context() as patch:
                for key, value in {"TERM": "xterm-256color", "COLUMNS": str(columns), **environment}.items():
                    patch.setenv(key, value)
                screen = Terminal()
                patch.setattr(sys, "stdout", screen)
                assert sim_command(*self.WORDS).code == 0
                plain = re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue())
                assert 60 < widest(plain) <= columns
                colours = re.findall(r"\x1b\[[0-9;]*3[0-9][0-9;]*m", screen.getvalue())
                assert bool(colours) == (not environment)

    def test_cli_commands__an_old_encoding_is_no_accident(self, sim_command, monkeypatch):
        with monkeypatch.context() as patch:
            raw = io.BytesIO()
            screen = io.TextIOWrapper(raw, encoding="ascii")
            patch.setattr(sys, "stdout", screen)
            assert sim_command(*self.WORDS).code == 0
            screen.flush()
            assert raw.getvalue().decode("ascii").startswith("standard - greedy vs greedy - 20 matches - seed 3\n")

    def test_cli_commands__progress_only_to_a_terminal(self, sim_command, monkeypatch):
        class Terminal(io.StringIO):
            def isatty(self) -> bool:
                return True

        assert sim_command(*self.WORDS).err == ""
        with monkeypatch.context() as patch:
            patch.setenv("TERM", "xterm")
            screen = Terminal()
            patch.setattr(sys, "stderr", screen)
            answer = sim_command(*self.WORDS, "--again", "--json")
            assert answer.code == 0
            json.loads(answer.out)
            assert "playing" in screen.getvalue()

    def test_cli_commands__interrupted(self, sim_command, tmp_path, monkeypatch):
        """In process: the line that goes on is the command with the seed written out."""

        def pressed(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        words = ["run", "standard", "--matches", "2e1", "--set", "dispatches=4", "--set", "name='it''s'"]
        more = ["--bots", "random,greedy", "--out", "run", "--keep-matches", "--threads", "1"]
        with monkeypatch.context() as patch:
            patch.setattr("sim.games.dispatch.plan.summarise", pressed)
            answer = sim_command(*words, *more, "--json")
        assert (answer.code, answer.out) == (130, "")
        first, second = answer.err.splitlines()
        assert first == "interrupted after 20 of 20 matches; kept in run. This goes on from there:"
        seed = re.search(r"--seed (\d+)", second)
        assert seed is not None
        assert second == (
            f"  sim run standard --matches 2e1 --bots random,greedy --seed {seed[1]} --set dispatches=4 "
            """--set 'name='"'"'it'"'"''"'"'s'"'"'' --out run --keep-matches"""
        )
        assert sim_command(*words, *more, "--seed", seed[1]).code == 0
        assert sim.load_run(tmp_path / "run").manifest["continued_after"] == 20


# -- verify -----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_report")
@pytest.mark.parametrize("bots", [("greedy", "random"), ("random", "random"), ("still", "still")], ids=" ".join)
def test_cli_commands__verify_identical(bots, sim_command, tmp_path):
    n = scaled(2_000, 20)
    run = kept(tmp_path / "run", plan_of_bots(*bots), Amount(n), with_matches=True)
    played, blocks = run.sums.n_matches, run.sums.n_blocks
    answer = sim_command("verify", "run")
    assert (answer.code, answer.err) == (0, "")
    assert re.fullmatch(
        rf"IDENTICAL: [\d,]+ of {played:,} matches played again \(1 of {blocks} blocks, each of their kept rows "
        r"compared\)\.\n",
        answer.out,
    )
    everything = sim_command("verify", "run", "--all", "--threads", "2", "--json")
    found = json.loads(everything.out)
    assert everything.code == 0
    assert found["identical"] is True
    assert (found["blocks"], found["matches"], found["rows_compared"]) == (blocks, played, True)
    (tmp_path / "run" / "matches.parquet").unlink()
    assert "row" not in sim_command("verify", "run").out


@pytest.mark.usefixtures("no_report")
def test_cli_commands__verify_sees_any_number_that_was_tampered_with(sim_command, tmp_path):
    run = kept(tmp_path / "run", plan_of_bots("greedy", "random"), Amount(scaled(2_000, 20)))
    arrays = dict(np.load(tmp_path / "run" / "sums.npz"))
    rng = np.random.default_rng(1)
    for key in ("sums", "squares"):
        changed = {name: array.copy() for name, array in arrays.items()}
        b, s = int(rng.integers(run.sums.n_blocks)), int(rng.integers(2))
        k = int(rng.choice([Column.TOLLS_A, Column.STUCK_B, Column.IDLE_A, Column.CASH_B]))
        changed["squares"][b, s, k] += 4
        changed[key][b, s, k] += 1
        np.savez(tmp_path / "run" / "sums.npz", **changed)
        answer = sim_command("verify", "run", "--all")
        assert answer.code == 1
        assert re.match(rf"DIFFERENT: .*; blocks {b} came out otherwise\.", answer.out)
        assert json.loads(sim_command("verify", "run", "--all", "--json").out)["differing_blocks"] == [b]
    np.savez(tmp_path / "run" / "sums.npz", **arrays)
    assert sim_command("verify", "run", "--all").code == 0


@pytest.mark.usefixtures("no_report")
def test_cli_commands__verify_sees_any_row_that_was_tampered_with(sim_command, tmp_path):
    run = kept(tmp_path / "run", plan_of_bots("greedy", "random"), Amount(scaled(100, 20)), with_matches=True)
    path = tmp_path / "run" / "matches.parquet"
    whole = pq.read_table(path)
    rng = np.random.default_rng(2)
    for column in ("points_a", "winner", "head_ons", "illegal_dispatch", "bot_a", "draws_b", "swap"):
        number = int(rng.integers(whole.num_rows))
        values = whole[column].to_pylist()
        if column in ("winner", "bot_a"):
            values[number] = "nobody"
        else:
            values[number] = 1 - (values[number] or 0)
        field = whole.schema.field(column)
        kind = pa.string() if pa.types.is_dictionary(field.type) else field.type
        place = whole.schema.get_field_index(column)
        pq.write_table(whole.set_column(place, column, pa.array(values, kind)), path)
        answer = sim_command("verify", "run", "--all")
        block = number // 2 % run.sums.n_blocks
        assert answer.code == 1, column
        assert re.match(rf"DIFFERENT: .*; blocks {block} came out otherwise\.", answer.out)
    for table in (whole.slice(1), whole.slice(0, whole.num_rows - 1), whole.drop_columns(["tolls_a"])):
        pq.write_table(table, path)
        assert sim_command("verify", "run", "--all").code == 1
    pq.write_table(whole.drop_columns(["pair"]), path)
    assert sim_command("verify", "run", "--all").code == 2
    pq.write_table(whole, path)
    assert sim_command("verify", "run", "--all").code == 0


@pytest.mark.usefixtures("no_report")
def test_cli_commands__verify_says_that_kernel_or_bots_have_changed(sim_command, tmp_path):
    name = plug_in(tmp_path / "bots", "return pack_order(draw32(stream) & 1, 0, -1, 0)")
    kept(tmp_path / "run", plan_of_bots(name, "random"), Amount(10))
    edited(tmp_path / "run" / "manifest.json", lambda data: data.update(kernel_fingerprint="0" * 16))
    answer = sim_command("verify", "run")
    assert answer.code == 0
    assert answer.out.endswith(" The kernel sources have changed since the run.\n")
    plug_in(tmp_path / "bots", "return pack_order(draw32(stream) & 1, 1, -1, 0)")
    answer = sim_command("verify", "run")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == f"bot {name} has changed since this run was played\n"


# -- boards and bots --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MAPS)
def test_cli_commands__map(name, sim_command, tmp_path):
    answer = sim_command("map", name)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(f"map {name}: ")
    assert ("mirror: exact. " in answer.out) == (name in EXACT)
    assert ("mirror: not exact. " in answer.out) == (name not in EXACT)
    assert answer.out.endswith(f"drawn in reports/maps/{name}.svg\n")
    assert widest(answer.out) <= 80
    assert (tmp_path / "reports" / "maps" / f"{name}.svg").read_text().lstrip().startswith("<")
    as_json = sim_command("map", name, "--json", "--out", "deep/er.png")
    found = json.loads(as_json.out)
    assert found["exact"] is (name in EXACT)
    assert bool(found["breaches"]) is (name not in EXACT)
    assert len(found["junctions"]) * 3 + len(found["terminals"]) == 2 * found["tracks"]
    assert found["picture"] == "deep/er.png"
    assert (tmp_path / "deep" / "er.png").read_bytes().startswith(b"\x89PNG")


def test_cli_commands__map_of_files_and_bad_ones(sim_command, tmp_path):
    shutil.copytree(starters_dir(), tmp_path / "c")
    assert sim_command("map", "c/maps/grand.yaml", "--out", "x.png").code == 0
    assert sim_command("map", "c/standard.yaml", "--out", "x.svg").code == 0
    assert sim_command("map", "c/grand.yaml", "--out", "x.svg").out.startswith("map grand: ")
    answer = sim_command("map", "standard", "--out", "x.bmp")
    assert (answer.code, answer.err) == (2, "--out is x.bmp; must be a picture file: .svg, .png\n")
    answer = sim_command("map", "standard", "--out", "c/standard.yaml/x.svg")
    assert answer.code == 2
    assert answer.err.startswith("cannot write c/standard.yaml/x.svg: ")
    for bad in ("nowhere.yaml", "standrad", "c"):
        answer = sim_command("map", bad)
        assert (answer.code, answer.out) == (2, "")
        assert "Traceback" not in answer.err
    (tmp_path / "bad.yaml").write_text("schema: 1\nname: x\ntracks: [[a, b]]\nmirror: {}\n")
    answer = sim_command("map", "bad.yaml")
    assert answer.code == 2
    assert answer.err.startswith("bad.yaml")


def test_cli_commands__bots(sim_command):
    answer = sim_command("bots")
    assert (answer.code, answer.err) == (0, "")
    assert widest(answer.out) <= 80
    for name, bot in SHIPPED.items():
        assert re.search(rf"^{name}$", answer.out, re.M)
        for key in bot.params:
            assert re.search(rf"^    {key} = ", answer.out, re.M)
    found = json.loads(sim_command("bots", "--json").out)
    assert list(found) == [*SHIPPED, *POLICY_DOCS]
    assert list(found["greedy"]["restrictions"]) == ["invest", "buy_at", "forbid", "avoid", "hostile"]
    assert found["greedy"]["parameters"]["noise"]["allowed"] == [0, 100]


def test_cli_commands__init_overwrites_nothing(sim_command, tmp_path):
    answer = sim_command("init", "mine")
    assert answer.code == 0
    shipped = files_under(starters_dir())
    assert files_under(tmp_path / "mine") == shipped
    assert answer.out.startswith(f"wrote {len(shipped)} files to mine\nnow:  sim run mine/standard.yaml\n")
    (tmp_path / "mine" / "maps" / "grand.yaml").write_text("my own")
    (tmp_path / "mine" / "ladder.yaml").unlink()
    before = files_under(tmp_path)
    answer = sim_command("init", "mine")
    assert (answer.code, answer.out) == (2, "")
    assert len(answer.err.splitlines()) == len(shipped) - 1
    assert all("exists already; starter files overwrite nothing" in line for line in answer.err.splitlines())
    assert files_under(tmp_path) == before
    (tmp_path / "beside").mkdir()
    (tmp_path / "beside" / "letter.txt").touch()
    assert sim_command("init", "beside").code == 0
    (tmp_path / "file").touch()
    answer = sim_command("init", "file")
    assert answer.code == 2
    assert "file" in answer.err


def test_cli_commands__what_init_writes_can_be_run(sim_command, tmp_path):
    assert sim_command("init", ".").code == 0
    for name in MAPS:
        assert sim.load_scenario(tmp_path / f"{name}.yaml").digest == sim.load_scenario(name).digest


# -- replay and bench -------------------------------------------------------------------------------------------------


def record(name: str = "compact", **changes: object) -> dict[str, object]:
    order = {"move": "forward", "toggle": None, "invest": None}
    both = {company: {"train": f"{company}1", **order} for company in "AB"}
    return {"schema": 1, "scenario": sim.load_scenario(name).resolved(), "orders": [both] * 5, **changes}


def test_cli_commands__replay(sim_command, tmp_path):
    (tmp_path / "one.json").write_text(json.dumps(record()))
    answer = sim_command("replay", "one.json")
    assert (answer.code, answer.err) == (0, "")
    assert "dispatches remain: no result yet" in answer.out
    assert widest(answer.out) <= 80
    found = json.loads(sim_command("replay", "one.json", "--json").out)
    assert found == sim.replay(record())
    (tmp_path / "two.jsonl").write_text(f"{json.dumps(record())}\n\n{json.dumps(record('grand'))}\n")
    lines = sim_command("replay", "two.jsonl", "--json").out.splitlines()
    assert [json.loads(line) for line in lines] == [sim.replay(record()), sim.replay(record("grand"))]
    assert "match 1" in sim_command("replay", "two.jsonl").out


def test_cli_commands__replay_refuses(sim_command, tmp_path):
    bad = record()
    bad["orders"] = [{"A": {"train": "B1", "move": "forward", "toggle": None, "invest": None}, "B": None}]
    for text in (json.dumps(bad), "{", "[]", "", "null"):
        (tmp_path / "bad.json").write_text(text)
        for words in (["bad.json"], ["bad.json", "--json"]):
            answer = sim_command("replay", *words)
            assert (answer.code, answer.out) == (2, "")
            assert answer.err
            assert "Traceback" not in answer.err
    assert sim_command("replay", "nowhere.json").code == 2


def test_cli_commands__labels_with_brackets_and_colons_are_printed_as_they_are(sim_command, tmp_path):
    """Neither markup nor a picture of a train."""
    order = {"move": "forward", "toggle": None, "invest": None}
    orders = [
        {company: {"train": f"{company}{1 + d % 2}", **order, "toggle": toggle} for company, toggle in both}
        for d, both in enumerate([(("A", "aw"), ("B", None)), (("A", None), ("B", "be"))] * 12)
    ]
    text = json.dumps(record(orders=orders))
    odd = {"Qe": "[/red]", "Qw": ":train:", "Pe": "[red]", "Pw": "[x]", "ae": "[a]", "aw": "[b]", "be": "[c]"}
    for label, other in odd.items():
        text = text.replace(f'"{label}"', json.dumps(other))
    (tmp_path / "odd.json").write_text(text)
    answer = sim_command("replay", "odd.json")
    assert answer.code == 0, answer.err
    loaded = json.loads(sim_command("replay", "odd.json", "--json").out)
    seen = {event["at"] for events in loaded["events"] for event in events if "at" in event}
    assert seen & set(odd.values())
    for label in seen:
        assert label in answer.out


@pytest.mark.compiled
def test_cli_commands__bench(sim_command):
    words = ["bench", "compact", "--seconds", "0.05", "--rounds", "2", "--threads", "1,2", "--bots", "random"]
    answer = sim_command(*words)
    assert (answer.code, answer.err) == (0, "")
    assert widest(answer.out) <= 80
    assert "compact: self-play, matches a second" in answer.out
    found = json.loads(sim_command(*words, "--json").out)
    assert [(one["bot"], one["threads"], len(one["matches_per_second"])) for one in found] == [
        *(("random", 1, 2), ("random", 2, 2))
    ]
    assert all(one["median"] > 0 for one in found)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--threads", "0"], "threads is 0; must be a whole number from 1 to 1024"),
        (["--threads", "1,x"], "--threads is 1,x; must be whole numbers, as in 1,2"),
        (["--bots", "nobody"], "bot 'nobody' is unknown"),
        (
            ["--bots", "still", "--set", "define={still: {bot: greedy, noise: 0}}"],
            "--bots is still; must be bots that draw",
        ),
    ],
)
def test_cli_commands__bench_refuses(words, said, sim_command):
    answer = sim_command("bench", "compact", *words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(said)


# -- help -------------------------------------------------------------------------------------------------------------

COMMANDS = ["run", "report", "verify", "replay", "map", "bots", "init", "bench"]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("word", ["--help", "-h"])
def test_cli_commands__help_of_each_command(command, word, sim_command):
    answer = sim_command(command, word)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(f"Usage: sim {command} ")
    assert widest(answer.out) <= 80


def test_cli_commands__help_lists_every_command(sim_command):
    answer = sim_command("--help")
    assert answer.code == 0
    listed = re.findall(r"^  (\w+)  ", answer.out.partition("Commands:")[2], re.M)
    assert set(listed) >= set(COMMANDS)
    assert "2 bad input or usage" in answer.out
    assert sim_command().code == 2


def test_cli_commands__version(sim_command):
    from importlib.metadata import version

    assert sim_command("--version").out == f"dispatch-balance {version('dispatch-balance')}\n"


def test_cli_commands__every_verb_of_python_is_there():
    for name in sim.__all__:
        assert getattr(sim, name).__doc__
    assert set(sim.__all__) <= set(dir(sim))
    with pytest.raises(AttributeError, match="module 'sim' has no attribute 'runn'"):
        _ = sim.runn
    assert Path(sim.__file__).name == "__init__.py"


def test_cli_commands__a_map_is_judged_in_80_columns_with_hanging_lines(sim_command):
    said = sim_command("map", "crooked").out.splitlines()
    assert all(len(line) <= 80 for line in said)
    assert sum("alphabetical order of the neighbours" in line for line in said) == 1
    assert [line.split(":")[0] for line in said if line.startswith("  ")] == [
        "  Ea",
        "  Eb",
        "  Ed",
        "  Wa",
        "  Wb",
        "  Wd",
    ]


def test_help__says_what_each_command_is_for_in_one_line_of_80_columns(sim_command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = sim_command("--help").out
    listed = text[text.index("Commands:") :].splitlines()[1:]
    assert len([line for line in listed if line.strip()]) == len(typer.main.get_command(app).commands)
    assert all(len(line) <= 80 for line in listed)
    assert "..." not in "".join(listed)


def test_interruption__that_a_command_does_not_answer_is_said(sim_command, monkeypatch):
    def stop(folder):
        raise KeyboardInterrupt

    monkeypatch.setattr("sim.config.starters.copy_starters", stop)
    answer = sim_command("init", "mine")
    assert (answer.code, answer.out, answer.err) == (130, "", "interrupted before anything was finished\n")


@pytest.mark.compiled
def test_interruption__while_what_was_played_is_judged_and_written_loses_nothing(sim_command, tmp_path, monkeypatch):
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    text = "schema: 1\nscenario: standard\nkeys: {economy.toll: [1, 2]}\ndesign: grid\nmatches: 32\nseed: 1\n"
    (tmp_path / "tolls.yaml").write_text(text)
    words = ["sweep", "tolls.yaml", "--threads", "1", "--out", "kept"]
    with monkeypatch.context() as patch:
        patch.setattr("sim.reports.sweep_page.write_sweep_report", stop)
        answer = sim_command(*words)
    said = "interrupted; what was played is kept in kept. This goes on from there:\n  sim sweep tolls.yaml --out kept "
    assert (answer.code, answer.out, answer.err) == (130, "", said + "--resume\n")
    rows = (tmp_path / "kept" / "blocks.parquet").read_bytes()
    assert sim_command(*words, "--resume").code == 0
    assert (tmp_path / "kept" / "blocks.parquet").read_bytes() == rows
    with monkeypatch.context() as patch:
        patch.setattr("sim.studies.sweep._Play.open", stop)
        answer = sim_command("sweep", "tolls.yaml", "--out", "new")
    assert (answer.code, answer.err) == (130, "interrupted before anything was finished\n")
    assert not (tmp_path / "new").exists()


def test_bots__of_a_file_are_listed_and_compiled(sim_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sim_command("init", "--bot", "own.py")
    answer = sim_command("bots", "own.py")
    assert answer.code == 0
    assert answer.out.startswith("own.py:my_bot\n")
    assert "patience = 0.7 (0 to 1)" in answer.out
    assert set(json.loads(sim_command("bots", "own.py", "--json").out)) == {"own.py:my_bot"}
    Path("none.py").write_text("x = 1\n")
    answer = sim_command("bots", "none.py")
    assert (answer.code, answer.err) == (2, "none.py: holds no bot; a bot is a function with @bot above it\n")
    assert sim_command("bots", "gone.py").err == "there is no file gone.py\n"
