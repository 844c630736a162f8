"""In a shell: words complete."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BASH = shutil.which("bash")


@pytest.fixture
def environment(tmp_path) -> dict[str, str]:
    """`sim` on the path, in a folder of its own."""
    command = tmp_path / "sim"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sim "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    own = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR", "CI")}
    return {**kept, **own}


@pytest.mark.skipif(BASH is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("sim tourn", "tournament"),
        ("sim run --half", "--half-width"),
        ("sim baseline sel", "selftest"),
        ("sim run --no-such", ""),
    ],
)
def test_shell__bash_completes_words(environment, tmp_path, words, wanted):
    place = len(words.split()) - 1
    program = (
        f'eval "$(sim --show-completion)"; COMP_WORDS=({words}); COMP_CWORD={place}; _sim_completion sim; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [str(BASH), "-c", program], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == wanted
    assert done.stderr == ""


def test_shell__completion_is_offered(environment, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "sim", "--help"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--install-completion" in done.stdout
    assert "--show-completion" in done.stdout
