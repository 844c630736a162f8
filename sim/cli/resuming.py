"""What a command says when the keyboard interrupts it: what is kept, and the line that goes on from there."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import typer

__all__ = ["told_when_interrupted"]


@contextmanager
def told_when_interrupted(path: Path, words: Sequence[str]) -> Iterator[None]:
    """Turn an interruption into exit code 130, and say where things are kept and which command goes on."""
    from sim.running.runner import Interrupted

    try:
        yield
    except Interrupted as stopped:
        typer.echo(f"{stopped}; kept in {path}. This goes on from there:", err=True)
        typer.echo(f"  {shlex.join(words)}", err=True)
        raise typer.Exit(130) from None
