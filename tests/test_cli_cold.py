"""Who waits for the first compile is told so: once, on standard error, and only when there is something to wait for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import kernels
import sim
from kernels.jit import PLAIN
from sim.cli import cold

ROOT = Path(sim.__file__).parents[1]
SAID = "compiling the kernels (once; about half a minute)\n"
UNTIL_COMPILING = """\
import sys

class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == "kernels.dispatch.batch":
            print("compiling", flush=True)
            raise SystemExit(7)

sys.meta_path.insert(0, Stop())
sys.argv = ["sim", *{words!r}]
from sim.cli import main
main()
"""


def until_compiling(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command with its kernels cached in a folder, up to where it compiles."""
    return subprocess.run(
        [sys.executable, "-c", UNTIL_COMPILING.format(words=words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "DISPATCH_BALANCE_CACHE": str(folder / "cache")},
        text=True,
        capture_output=True,
        check=False,
    )


UNFIT = {
    **dict.fromkeys(("digest", "scenario_digest", "pairing", "kernel_fingerprint"), ""),
    **dict.fromkeys(("seed", "namespace", "matches_asked", "matches_played"), 0),
    "schema": 1,
    "game": "dispatch",
    "scenario": {},
    "precise": None,
    "level": 0.95,
    "outcomes": {},
    "notes": [],
}
"""A manifest that is good as far as its game."""


@pytest.mark.compiled
@pytest.mark.parametrize(
    "command",
    [
        "run standard",
        "report there",
        "verify there",
        "replay there.json",
        "bench",
        "tournament standard",
        "exploit greedy standard",
    ],
)
def test_cli_cold__commands_that_compile_say_so_before(command, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "manifest.json").write_text(json.dumps(UNFIT))
    (tmp_path / "there" / "summary.json").write_text('{"schema": 1}')
    found = until_compiling(tmp_path, *command.split())
    assert (found.returncode, found.stdout, found.stderr) == (7, "compiling\n", SAID)


@pytest.mark.compiled
def test_cli_cold__nothing_is_said_where_the_machine_code_is_kept(tmp_path):
    kept = tmp_path / "cache" / "kernels" / kernels.fingerprint() / "dispatch_0"
    kept.mkdir(parents=True)
    (kept / "batch.fill_rows-41.py311.nbi").write_bytes(b"")
    found = until_compiling(tmp_path, "run", "standard")
    assert (found.returncode, found.stdout, found.stderr) == (7, "compiling\n", "")


@pytest.mark.parametrize("command", ["map standard --out x.svg", "bots", "init there", "--help"])
def test_cli_cold__commands_that_do_not_compile_say_nothing(command, tmp_path):
    found = until_compiling(tmp_path, *command.split())
    assert (found.returncode, found.stderr) == (0, "")


def test_cli_cold__where_nothing_can_be_kept_it_is_said_every_time(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "kernels.dispatch.batch", raising=False)
    monkeypatch.setattr("kernels.jit.CACHE_FOLDER", None)
    cold.say_when_cold()
    said = capsys.readouterr()
    plain = "" if PLAIN else "compiling the kernels (half a minute; no folder is writable to keep them in)\n"
    assert (said.out, said.err) == ("", plain)
