"""Amounts with a unit, as goals and deltas write them: `15%`, `0.5pp`, `9`, `0.05 sd`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

__all__ = ["PLAIN_UNIT", "Quantity", "allowed_amount", "amount_in", "amount_words", "quantity"]

_AMOUNT = re.compile(r"([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)\s*(%|[A-Za-z]*)")
_PERCENT = ("%", "pp")
_WORDS = {"points": ("point", "points"), "dollars": ("dollar", "dollars"), "Stages": ("Stage", "Stages")}
"""What may stand behind a number that is no share, by the figure's unit."""

PLAIN_UNIT = ""
"""Unit of a number alone."""


@dataclass(frozen=True)
class Quantity:
    """A finite number and the unit that is written behind it, `PLAIN_UNIT` where none is."""

    number: float
    unit: str = PLAIN_UNIT


def quantity(value: object) -> Quantity | None:
    """The amount that a YAML scalar writes, or None where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if not isinstance(value, str):
        return Quantity(float(value)) if math.isfinite(value) else None
    found = _AMOUNT.fullmatch(value.strip())
    if found is None or not math.isfinite(float(found[1])):
        return None
    return Quantity(float(found[1]), found[2])


def amount_in(found: Quantity, unit: str) -> float | None:
    """The amount in a figure's own unit, or None where it is written in another.

    Parameters
    ----------
    found
        As written.
    unit
        Of the figure (`MetricDefinition.unit`). Shares are written with % or pp, or as numbers from -1 to 1.
    """
    if unit in ("share", "share difference"):
        if found.unit in _PERCENT:
            return found.number / 100
        return found.number if found.unit == PLAIN_UNIT and abs(found.number) <= 1 else None
    return found.number if found.unit in (PLAIN_UNIT, *_WORDS.get(unit, ())) else None


def allowed_amount(unit: str) -> str:
    """How an amount in a unit is written, for error messages."""
    if unit == "share":
        return "a share, such as 15% or 0.15"
    if unit == "share difference":
        return "a difference of shares, such as 0.5pp or 0.005"
    return "a number" if unit == "count" else f"a number, in {unit}"


def amount_words(amount: float, unit: str) -> str:
    """An amount in a figure's own unit, as it is written."""
    if unit in ("share", "share difference"):
        return f"{100 * amount:g}{'%' if unit == 'share' else 'pp'}"
    return f"{amount:g}"
