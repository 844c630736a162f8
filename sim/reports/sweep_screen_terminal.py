"""A screen on the terminal: for each figure the keys by how far they move it, those that are not resolved last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.reports.compare_terminal import DIFFERENCES, signed
from sim.reports.words import shortened
from sim.stats.rounding import format_value

if TYPE_CHECKING:
    from sim.reports.lines import Lines
    from sim.studies.sweep_result import Sweep
    from sim.studies.sweep_screen import KeyEffect

__all__ = ["SCREEN_HEADER", "SCREEN_LEGEND", "print_screen", "screen_row"]

SCREEN_HEADER = ("", "key", "mu*", "mu", "sigma", "noise", "seen")
SCREEN_LEGEND = (
    "Effects of a key's whole way, from its first value to its last, from steps at points by chance. mu*: mean size. "
    "mu: mean, with its sign. sigma: how much they differ from place to place; where it is large the key works "
    "together with others, or not evenly. noise: what mu* would be if the key did nothing; under twice that a key is "
    "not resolved, and has no rank. seen: how many of its steps are over twice their own noise."
)
LONGEST_KEY = 28
IN_UNITS = {"points": " [points]", "Stages": " [Stages]"}
"""Of units that the figures of a table do not bear themselves."""


def screen_row(one: KeyEffect) -> list[str]:
    """A key's measures with no more digits than the noise allows."""
    found, unit = one.found, DIFFERENCES.get(one.unit, one.unit)

    def words(value: float) -> str:
        return format_value(value, found.floor, unit).removesuffix(" points").removesuffix(" Stages")

    place = "-" if one.rank is None else f"{one.rank}"
    seen = f"{found.n_resolved} of {found.n_effects}"
    if found.still:
        return [place, shortened(one.key, LONGEST_KEY), "exactly 0", "", "", "", seen]
    sizes = [words(found.mu_star), signed(words(found.mu), found.mu), words(found.sigma)]
    return [place, shortened(one.key, LONGEST_KEY), *sizes, words(found.floor), seen]


def print_screen(lines: Lines, found: Sweep, metrics: Sequence[str]) -> None:
    """For each of these figures a table of the keys."""
    lines.blank()
    lines.paragraph(SCREEN_LEGEND)
    for metric in metrics:
        rows = [one for one in found.screen if one.metric == metric]
        lines.heading(f"{metric}{IN_UNITS.get(rows[0].unit, '') if rows else ''}")
        lines.table([screen_row(one) for one in rows], SCREEN_HEADER, ["" if one.rank else "dim" for one in rows])
        loose = [one.key for one in rows if one.rank is None and not one.found.still]
        if loose:
            lines.paragraph(f"  not resolved: {', '.join(loose)}", hang="    ")
