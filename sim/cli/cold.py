"""A word before the first command on a machine compiles the kernels, which takes half a minute in silence."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["game_in", "say_when_cold"]


def say_when_cold(game: str = "dispatch", entry: str = "batch.fill_rows") -> None:
    """Say on standard error that a game's kernels are to be compiled, unless their machine code is there.

    To be called before anything that imports the game's `batch`, whose import is what compiles; or another module of
    the game's kernels, whose last entry point is then named along with it.
    """
    if f"kernels.{game}.{entry.partition('.')[0]}" in sys.modules:
        return
    from kernels.jit import CACHE_FOLDER, PLAIN

    if PLAIN:
        return
    if CACHE_FOLDER is None:
        print("compiling the kernels (half a minute; no folder is writable to keep them in)", file=sys.stderr)
    elif next(CACHE_FOLDER.glob(f"{game}_*/{entry}*.nbi"), None) is None:
        print("compiling the kernels (once; about half a minute)", file=sys.stderr, flush=True)


def game_in(folder: Path) -> str | None:
    """The game of a run folder, as far as its manifest can be read; None when it cannot, or names no game there is."""
    import json

    from sim.games import GAMES

    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    game = manifest.get("game") if isinstance(manifest, dict) else None
    return game if isinstance(game, str) and game in GAMES else None
