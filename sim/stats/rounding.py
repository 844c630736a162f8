"""Figures as words, with no more digits than their interval supports.

The half-width is rounded up to one significant digit, or to two where it starts below 3.55 (the rule of the Particle
Data Group: one digit of a small number would be too coarse), and the value to the same place. Ends of unequal arms are
rounded outwards, so that a printed interval is never narrower than the computed one.
"""

from __future__ import annotations

import math

from sim.stats.intervals import TOO_SMALL

EVEN_ARMS = 1.1
"""Arms whose lengths differ by no more than this factor are printed as one half-width, the longer."""
TWO_DIGITS_BELOW = 3.55
"""A half-width that starts below this is shown with two significant digits."""
NOISE = 1e-9
"""Relative error of the arithmetic: what is below it does not push a rounding up."""

_PERCENT = 100.0
_AFFIXES = {
    "share": ("", "%", " pp"),
    "share difference": ("", " pp", " pp"),
    "points": ("", " points", " points"),
    "dollars": ("$", "", ""),
    "count": ("", "", ""),
    "Stages": ("", " Stages", " Stages"),
}
"""By unit: what stands before the value, after it, and after a half-width."""


def format_estimate(value: float | None, low: float | None, high: float | None, unit: str, method: str = "") -> str:
    """Put a figure and its interval into one short phrase.

    Parameters
    ----------
    value
        The estimate; None where no match counts.
    low, high
        Ends of the interval; None where none is given.
    unit
        "share", "share difference", "points", "dollars", "count" or "Stages".
    method
        Of the estimate. "exact" and "deterministic" figures are given as they are; of the others, one without an
        interval shows no digit at all, but the reason.

    Returns
    -------
    str
        Such as "50.2% ± 0.3 pp", "0.4 [0.1, 1.2]%", "exactly 0" or "n too small".

    Raises
    ------
    ValueError
        If the unit is none of these.
    """
    if unit not in _AFFIXES:
        raise ValueError(f"unit is {unit!r}; must be one of {', '.join(_AFFIXES)}")
    before, after, after_half = _AFFIXES[unit]
    if value is None:
        return method or "no matches"
    scale = _PERCENT if unit.startswith("share") else 1.0
    value = value * scale
    if method == "deterministic":
        return _signed(before, f"{value:.6g}") + after
    if low is None and high is None:
        return method or TOO_SMALL
    if low is None or high is None:
        ends = ["?" if end is None else f"{end * scale:.6g}" for end in (low, high)]
        return f"{_signed(before, f'{value:.6g}')} [{', '.join(ends)}]{after}"
    low, high = low * scale, high * scale
    if low == high and method in ("", "exact"):
        return "exactly " + (_signed(before, f"{value:.6g}") + after if value else "0")
    left, right = value - low, high - value
    half = max(left, right)
    even = half <= EVEN_ARMS * min(left, right)
    whole = all(number == round(number) for number in (value, low, high))
    places = 0 if whole and unit != "share" else _places(half)
    shown = _signed(before, _number(value, places))
    if even and half > 0:
        if unit in ("share difference", "points", "Stages"):
            after = ""
        return f"{shown}{after} ± {_number(_up(half, places), places)}{after_half}"
    return f"{shown} [{_number(-_up(-low, places), places)}, {_number(_up(high, places), places)}]{after}"


def format_longer_arm(value: float | None, low: float | None, high: float | None, unit: str) -> str:
    """A figure with the longer arm of its interval, as short as it can be: "50.2% ±0.3". Digits are those of
    `format_estimate`.

    Parameters
    ----------
    value, low, high, unit
        As of `format_estimate`; "?" where there is no value, and the value alone where there is no interval.
    """
    if value is None:
        return "?"
    if low is None or high is None:
        return format_value(value, 0.0, unit)
    half = max(value - low, high - value)
    if half <= 0:
        return format_value(value, 0.0, unit)
    scaled = half * (_PERCENT if unit.startswith("share") else 1.0)
    places = _places(scaled)
    return f"{format_value(value, half, unit)} ±{_number(_up(scaled, places), places)}"


def format_value(value: float | None, half: float, unit: str) -> str:
    """A figure alone, with as many digits as a half-width beside it supports.

    Parameters
    ----------
    value
        None where no match counts.
    half
        Half-width, in the figure's own unit; 0 where the figure is exact.
    unit
        As of `format_estimate`.
    """
    if value is None:
        return "no matches"
    before, after, _ = _AFFIXES[unit]
    scale = _PERCENT if unit.startswith("share") else 1.0
    shown = _number(value * scale, _places(half * scale)) if half > 0 else f"{value * scale:.6g}"
    return _signed(before, shown) + after


def _places(half: float) -> int:
    """Decimal places of a half-width; negative where even its tens are uncertain."""
    if half <= 0:
        return 0
    exponent = math.floor(math.log10(half))
    if _up(half, -exponent) >= 10.0 ** (exponent + 1) * (1 - NOISE):
        exponent += 1  # 0.97 is rounded up to 1
    return -exponent + (1 if half < TWO_DIGITS_BELOW * 10.0**exponent * (1 - NOISE) else 0)


def _up(number: float, places: int) -> float:
    """Smallest number with so many decimal places that is not below."""
    scaled = number * 10.0**places
    return math.ceil(scaled - NOISE * max(1.0, abs(scaled))) / 10.0**places


def _number(number: float, places: int) -> str:
    if number == 0:
        return "0"
    text = f"{round(number, places):.{max(places, 0)}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def _signed(before: str, number: str) -> str:
    """Put the sign of an amount before its currency: -$2."""
    return f"-{before}{number[1:]}" if before and number.startswith("-") else before + number
