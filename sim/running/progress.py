"""A bar for people: on standard error, or in a notebook."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["bar"]

Show = Callable[[int, int], None]

STEP_SECONDS = 0.2
"""Between two looks of a bar in a notebook: each is a message to the page."""


@contextmanager
def bar(*, only_terminal: bool = False, unit: str = "matches") -> Iterator[Show | None]:
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
    display = _notebook()
    if display is not None:
        shown = _NotebookBar(display, unit)
        try:
            yield shown
        finally:
            shown.close()
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
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(unit, total=None)
        yield lambda done, wanted: progress.update(task, completed=done, total=wanted)


def _notebook() -> Any:
    """What shows things in the notebook that this is called from; None elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    display: Any = importlib.import_module("IPython.display").display
    return lambda text: display(_Html(text), display_id=True)


class _NotebookBar:
    """A bar in the output of a cell, which needs no widgets; what is left in the end is a line."""

    def __init__(self, display: Callable[[str], Any], unit: str) -> None:
        self.unit = unit
        self.started = self.last = time.monotonic()
        self.done = 0
        self.handle = display("<progress></progress>")

    def __call__(self, done: int, wanted: int) -> None:
        self.done = done
        now = time.monotonic()
        if now - self.last >= STEP_SECONDS:
            self.last = now
            self._show(f'<progress value="{done}" max="{wanted}"></progress> {done:,} of {wanted:,} {self.unit}')

    def close(self) -> None:
        """Say how many there were and how long it took."""
        self._show(f"{self.done:,} {self.unit} in {time.monotonic() - self.started:.1f} s")

    def _show(self, text: str) -> None:
        self.handle.update(_Html(text))


class _Html:
    """Text that a notebook shows as HTML."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text.rpartition("</progress>")[2].strip()

    def _repr_html_(self) -> str:
        return self.text
