#!/usr/bin/env python3
"""Run a command in the project's own environment, which is made first when it is missing or out of date.

    python3 start.py sim run configs/standard.yaml
    python3 start.py pytest

Needs nothing but Python 3.11 or newer: it makes `.venv` beside this file, installs the pinned packages of
requirements.lock and the project itself, and then becomes the command.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
ENVIRONMENT = ROOT / ".venv"
PROGRAMS = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin")
STAMP = ENVIRONMENT / "made-from"


def wanted() -> str:
    """What the environment must have been made from."""
    digest = hashlib.sha256(sys.version.encode())
    for name in ("requirements.lock", "pyproject.toml"):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def same_python() -> bool:
    """Whether the environment is there and runs the Python that runs this file."""
    try:
        asked = [str(PROGRAMS / "python"), "-c", "import sys, pip; print(sys.version)"]
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip() == sys.version
    except (OSError, subprocess.CalledProcessError):
        return False


def make() -> None:
    """Make the environment, or bring it up to date; an interrupted attempt is made good by the next call."""
    print("making .venv (once; about 350 MB to download, so some minutes)", file=sys.stderr)
    here = str(ROOT)
    if not same_python():
        try:
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)], check=True)
        except subprocess.CalledProcessError:
            sys.exit("start.py: this Python makes no virtual environments; on Debian and Ubuntu install python3-venv")
    pip = [str(PROGRAMS / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    for what in (["-r", str(ROOT / "requirements.lock")], ["--no-deps", "--no-build-isolation", "-e", here]):
        if subprocess.run([*pip, *what]).returncode != 0:
            sys.exit("start.py: the packages could not be installed (see above); the same command tries again")
    STAMP.write_text(wanted())


def main() -> None:
    """Become the command that was asked for."""
    if sys.version_info < (3, 11):  # noqa: UP036 - whatever Python runs it
        sys.exit(f"start.py: needs Python 3.11 or newer; this is {sys.version.split()[0]}")
    if len(sys.argv) < 2:
        sys.exit("usage: python3 start.py COMMAND [ARGUMENT ...], as in: python3 start.py sim --help")
    if not STAMP.exists() or STAMP.read_text() != wanted():
        make()
    os.environ["PATH"] = f"{PROGRAMS}{os.pathsep}{os.environ.get('PATH', '')}"
    os.environ["VIRTUAL_ENV"] = str(ENVIRONMENT)
    command = [str(PROGRAMS / sys.argv[1]), *sys.argv[2:]]
    if os.name == "nt":
        sys.exit(subprocess.run(command).returncode)
    try:
        os.execv(command[0], command)
    except FileNotFoundError:
        sys.exit(f"start.py: {sys.argv[1]} is no command of the environment; try sim, pytest, ruff, mypy or python")


if __name__ == "__main__":
    main()
