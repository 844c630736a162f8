"""`sim reference`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.cold import say_when_cold


def reference(
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where to. Default: reports/as-built.md.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 when the file is not what would be written.")
    ] = False,
) -> None:
    """Write the reference of both games: every cost, cycle, map, schedule, card, region and modifier, as played.

    It is made of the shipped scenarios. What a card does is found by playing it.
    """
    say_when_cold("mainline")
    from sim.files import told, write_atomically
    from sim.reports.reference import DEFAULT_PATH, reference_text

    path = out or DEFAULT_PATH
    text = reference_text()
    if check:
        try:
            held = path.read_text(encoding="utf-8")
        except (OSError, ValueError):
            held = ""
        if held != text:
            typer.echo(f"{path} is not what sim reference writes; run it again", err=True)
            raise typer.Exit(1)
        typer.echo(f"{path} is up to date")
        return
    with told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode("utf-8"))
    typer.echo(f"wrote {path}")
