"""The scenarios and maps that ship with the package, to load by name or to copy and change."""

from __future__ import annotations

import shutil
from pathlib import Path

from sim.config.errors import BadInput, Problem

BOT_TEMPLATE = Path(__file__).parent / "my_bot.py.txt"
"""A bot to start from: Python, though not called so, since it is copied and never imported from here."""


def starters_dir() -> Path:
    """The folder of the shipped files: inside an installed package, or `configs` in a checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "starters"
    return installed if installed.is_dir() else package.parent / "configs"


SHELVES = {"dispatch": ".", "mainline": "mainline"}
"""Folder of each game's scenarios. No two of them have one name."""


def starter_names(game: str = "dispatch") -> list[str]:
    """Names of the shipped scenarios of a game, sorted."""
    return sorted(path.stem for path in (starters_dir() / SHELVES[game]).glob("*.yaml"))


def starter_path(name: str) -> Path | None:
    """The file of a shipped scenario of any game, or None when there is none of that name."""
    for game, shelf in SHELVES.items():
        if name in starter_names(game):
            return starters_dir() / shelf / f"{name}.yaml"
    return None


def starter_map(name: str) -> Path | None:
    """The file of a shipped map, or None when there is none of that name."""
    path = starters_dir() / "maps" / f"{name}.yaml"
    return path if path.is_file() else None


def write_bot_template(path: Path | str) -> Path:
    """Write a bot to start from, which works as it is, into a new file; its folder is made when it is missing.

    Raises
    ------
    BadInput
        When the path does not end in `.py`, exists already, or cannot be written.
    """
    path = Path(path)
    if path.suffix != ".py":
        raise BadInput.of("names no Python file; must end in .py", file=str(path))
    if path.exists() or path.is_symlink():
        raise BadInput.of("exists already; a template overwrites nothing", file=str(path))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(BOT_TEMPLATE, path)
    except OSError as error:
        raise BadInput.of(f"cannot be written: {error.strerror or error}", file=str(path)) from None
    return path


def copy_starters(dest: Path | str) -> list[Path]:
    """Copy the shipped files into a folder, which is made when it is missing.

    Returns
    -------
    list of Path
        The copies, sorted.

    Raises
    ------
    BadInput
        When a file of one of the names exists already (all are listed, none is touched), or the folder
        cannot be written.
    """
    origin, folder = starters_dir(), Path(dest)
    files = sorted(
        path.relative_to(origin)
        for path in origin.rglob("*")
        if path.is_file() and not any(part.startswith((".", "__pycache__")) for part in path.relative_to(origin).parts)
    )
    existing = [folder / path for path in files if (folder / path).exists() or (folder / path).is_symlink()]
    if existing:
        raise BadInput(
            Problem(str(path), None, "", "exists already; starter files overwrite nothing") for path in existing
        )
    try:
        for path in files:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(origin / path, folder / path)
    except OSError as error:
        raise BadInput.of(f"cannot be written: {error.strerror or error}", file=str(folder)) from None
    return [folder / path for path in files]
