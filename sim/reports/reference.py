"""The generated reference: every number of both games' shipped scenarios, so that no table is kept by hand."""

from __future__ import annotations

from pathlib import Path

from sim.reports.reference_dispatch import dispatch_reference
from sim.reports.reference_mainline import mainline_reference

__all__ = ["COMMAND", "DEFAULT_PATH", "reference_text"]

COMMAND = "sim reference"
DEFAULT_PATH = Path("reports/as-built.md")

HEAD = f"""\
# As built

Made by `{COMMAND}` from the shipped scenarios; do not edit. Costs, cycles and schedules are read back from what the
kernels are given, and what a card does was found by playing it.
"""


def reference_text() -> str:
    """All of it; the same scenarios and kernels give the same bytes."""
    return "\n".join([HEAD, *dispatch_reference(), *mainline_reference()]).rstrip() + "\n"
