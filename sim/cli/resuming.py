"""What a command says when the keyboard interrupts it: what is kept, and the line that goes on from there."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import typer

__all__ = ["told_when_interrupted"]


@contextmanager
def told_when_interrupted(path: Path, words: Sequence[str]) -> Iterator[None]:
    """Turn an interruption into exit code 130, and say where things are kept and which command goes on.

    Also of one that comes when nothing is played: before that, or while what was played is judged and written.
    """
    from sim.running.runner import Interrupted
    from sim.store import holds_something

    def tell(what: str) -> NoReturn:
        typer.echo(f"{what} in {path}. This goes on from there:", err=True)
        typer.echo(f"  {shlex.join(words)}", err=True)
        raise typer.Exit(130) from None

    try:
        yield
    except Interrupted as stopped:
        tell(f"{stopped}; kept")
    except KeyboardInterrupt:
        if not holds_something(path):
            raise
        tell("interrupted; what was played is kept")
