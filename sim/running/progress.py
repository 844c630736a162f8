"""A bar for people: on standard error, or in a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["bar"]


@contextmanager
def bar(*, only_terminal: bool = False, unit: str = "matches") -> Iterator[Callable[[int, int], None] | None]:
    """Show progress; yields what to call with (done, wanted), or None where nobody looks.

    Parameters
    ----------
    only_terminal
        Show nothing unless standard error is a terminal.
    unit
        What is counted.
    """
    if only_terminal and not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("playing"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as shown:
        task = shown.add_task(unit, total=None)
        yield lambda done, wanted: shown.update(task, completed=done, total=wanted)
