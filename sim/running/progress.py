"""How far it has come: a bar on a terminal or in a notebook, and a line now and then where there is neither."""

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


LINE_SECONDS = 30.0
"""Between two lines where standard error is a file, as in CI: what is shorter says nothing."""


@contextmanager
def bar(*, unit: str = "matches") -> Iterator[Show]:
    """Show progress; yields what to call with (done, wanted).

    Parameters
    ----------
    unit
        What is counted.
    """
    display = _notebook()
    if display is not None:
        shown = _NotebookBar(display, unit)
        try:
            yield shown
        finally:
            shown.close()
        return
    if not sys.stderr.isatty():
        yield _Lines(unit)
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


class _Lines:
    """A line on standard error now and then."""

    def __init__(self, unit: str) -> None:
        self.unit = unit
        self.started = self.last = time.monotonic()
        self.first: int | None = None

    def __call__(self, done: int, wanted: int) -> None:
        if self.first is None:
            self.first = done
        now = time.monotonic()
        if now - self.last < LINE_SECONDS:
            return
        self.last = now
        told = f"playing: {done:,} of {wanted:,} {self.unit}"
        if done > self.first and wanted >= done:
            # What was there before took no time.
            seconds = (now - self.started) * (wanted - done) / (done - self.first)
            told += f", about {_duration(seconds)} to go"
        print(told, file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    """So long in words, such as 40 s, 12 min or 3.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


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
