"""What every verb of Python does with its folder: read what is complete, play what is not."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TypeVar

from sim.running.progress import bar
from sim.store import RunFolder

__all__ = ["kept_or_played"]

T = TypeVar("T")
Show = Callable[[int, int], None] | None


def kept_or_played(
    folder: RunFolder | None,
    load: Callable[[Path], T],
    play: Callable[[RunFolder | None, Show], T],
    *,
    progress: bool,
) -> T:
    """Play, or read what the folder holds complete.

    Parameters
    ----------
    folder
        Held while it is played; None keeps nothing.
    load
        Reads a complete folder.
    play
        Takes the folder, and what shows the progress, None for nothing.
    progress
        Whether to show a bar.
    """
    showing: AbstractContextManager[Show] = bar() if progress else nullcontext()
    if folder is None:
        with showing as show:
            return play(None, show)
    with folder:
        if folder.state == "complete":
            return load(folder.path)
        with showing as show:
            return play(folder, show)
