"""The command as a process: quick help, streams that close or are full, and how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import sim

ROOT = Path(sim.__file__).parents[1]
SIM = [sys.executable, "-m", "sim"]
HEAVY = {"numba", "numpy", "pandas", "matplotlib", "scipy", "pyarrow", "networkx", "jinja2", "rich.progress", "sim.api"}


def process(*words: str, **how: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([*SIM, *words], env=environment, text=True, capture_output=True, **how)  # type: ignore[call-overload]


def test_cli_processes__help_is_quick():
    """Under 0.3 s, the best of a few, waiting for other processes not counted where it can be told apart."""
    taken = []
    for _ in range(8):
        started, before = time.perf_counter(), os.times()
        assert process("--help").returncode == 0
        after = os.times()
        worked = after.children_user + after.children_system - before.children_user - before.children_system
        waited = time.perf_counter() - started
        taken.append(waited if sys.platform == "win32" else min(waited, worked))
        if taken[-1] < 0.3:
            return
    pytest.fail(f"help takes {min(taken):.2f} s")


def test_cli_processes__help_loads_nothing_heavy():
    for words in (["--help"], ["run", "--help"], ["--version"]):
        text = f"import sys; sys.argv = ['sim', *{words!r}]\nfrom sim.cli import main\ntry:\n    main()\nfinally:\n"
        text += "    print('loaded', *sorted(sys.modules))\n"
        found = subprocess.run(
            [sys.executable, "-c", text],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            text=True,
            capture_output=True,
            check=True,
        )
        loaded = set(found.stdout.splitlines()[-1].split())
        assert "sim.cli.app" in loaded
        assert loaded & HEAVY == set()
        # Typer itself loads pydantic for the help of a command.
        assert "pydantic" not in loaded or words[0] == "run"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and /dev/full")
class TestStreams:
    def shell(self, line: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        """A line of bash, `sim` being this one."""
        define = f'sim() {{ {sys.executable} -m sim "$@"; }}\n'
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(["bash", "-c", define + line], cwd=cwd, env=environment, text=True, capture_output=True)

    def test_cli_processes__a_reader_that_leaves_early(self, tmp_path):
        for command in ("sim bots", "sim bots --json", "sim --help"):
            found = self.shell(f"{command} | head -1", tmp_path)
            assert found.returncode == 0
            assert found.stderr == ""
            assert len(found.stdout.splitlines()) == 1
        found = self.shell("sim bots | true; echo ${PIPESTATUS[0]}", tmp_path)
        assert found.stderr == ""
        assert found.stdout in ("0\n", "1\n")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    def test_cli_processes__a_full_device(self, tmp_path):
        for command in ("sim bots", "sim bots --json"):
            found = self.shell(f"{command} > /dev/full", tmp_path)
            assert found.returncode == 2
            assert found.stderr == "cannot write the output: No space left on device\n"

    def test_cli_processes__bad_input_to_standard_error(self, tmp_path):
        found = self.shell("sim run nowhere.yaml", tmp_path)
        assert (found.returncode, found.stdout) == (2, "")
        assert "nowhere.yaml" in found.stderr
        assert "Traceback" not in found.stderr


def test_cli_processes__python_m_and_the_script_are_the_same():
    script = Path(sys.executable).with_name("sim")
    if not script.exists():
        pytest.skip("the project is not installed")
    one = process("bots", "--json").stdout
    other = subprocess.run([script, "bots", "--json"], text=True, capture_output=True, check=True).stdout
    assert one == other != ""
