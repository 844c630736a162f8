"""Figures as words: no more digits than the interval supports, and never a narrower interval than the computed one."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.stats.rounding import format_estimate, format_longer_arm


@pytest.mark.parametrize(
    ("figure", "shown"),
    [
        ((0.50234, 0.49734, 0.50734, "share"), "50.2% ± 0.5 pp"),
        ((0.5021, 0.50079, 0.50341, "share"), "50.21% ± 0.14 pp"),
        ((0.5, 0.4903, 0.5097, "share"), "50.0% ± 1.0 pp"),
        ((0.004, 0.001, 0.012, "share"), "0.4 [0.1, 1.2]%"),
        ((0.0, 0.0, 0.000074, "share"), "0 [0, 0.008]%"),
        ((0.9999, 0.998, 1.0, "share"), "99.99 [99.80, 100.00]%"),
        ((-0.001, -0.003, 0.001, "share difference"), "-0.10 ± 0.20 pp"),
        ((-0.00004, -0.00504, 0.00496, "share difference"), "0.0 ± 0.5 pp"),
        ((12.345, 12.1, 12.6, "points"), "12.35 ± 0.26 points"),
        ((2.0, 1.0, 4.0, "points"), "2 [1, 4] points"),
        ((2.0, 1.0, 3.0, "points"), "2 ± 1 points"),
        ((1234.0, 1178.5, 1289.5, "count"), "1230 ± 60"),
        ((-2.5, -2.9, -2.1, "dollars"), "-$2.5 ± 0.4"),
        ((1.0, 0.6, 2.4, "dollars"), "$1.0 [0.6, 2.4]"),
        ((0.5, 0.5, 0.5, "share", "exact"), "exactly 50%"),
        ((0.0, 0.0, 0.0, "share difference"), "exactly 0"),
        ((2.0, 2.0, 2.0, "points", "inversion"), "2 [2, 2] points"),
        ((1 / 3, None, None, "share", "deterministic"), "33.3333%"),
        ((-2.0, None, None, "dollars", "deterministic"), "-$2"),
        ((0.2, None, None, "points"), "n too small"),
        ((0.2, None, None, "points", "range unknown"), "range unknown"),
        ((None, None, None, "share"), "no matches"),
        ((3.0, None, 4.0, "points", "inversion"), "3 [?, 4] points"),
    ],
)
def test_format__cases(figure, shown):
    assert format_estimate(*figure) == shown


@pytest.mark.parametrize(
    ("figure", "shown"),
    [
        ((0.50234, 0.49734, 0.50734, "share"), "50.2% ±0.5"),
        ((0.051, 0.0421, 0.0615, "share"), "5.1% ±1.1"),
        ((3.7316, 3.6266, 3.8371, "count"), "3.73 ±0.11"),
        ((20.38, 19.85, 20.91, "count"), "20.4 ±0.6"),
        ((1.0, 1.0, 1.0, "share"), "100%"),
        ((2.5, None, None, "count"), "2.5"),
        ((None, None, None, "count"), "?"),
    ],
)
def test_longer_arm__is_as_long_as_the_whole_interval_says(figure, shown):
    assert format_longer_arm(*figure) == shown


def test_format__unknown_unit():
    with pytest.raises(ValueError, match="share difference"):
        format_estimate(0.5, 0.4, 0.6, "percent")


numbers = st.floats(-1000, 1000, allow_subnormal=False).map(lambda number: round(number, 6))
arms = st.floats(0.00001, 100)


@settings(deadline=None)
@given(numbers, arms, arms, st.sampled_from(["points", "count", "dollars"]))
def test_format__covers_the_interval_in_few_digits(value, left, right, unit):
    low, high = value - left, value + right
    text = format_estimate(value, low, high, unit, "t")
    found = [float(number) for number in re.findall(r"-?\d+\.?\d*", text.replace("-$", "$-"))]
    if "±" in text:
        shown, half = found
        ends = (shown - half, shown + half)
        digits = re.search(r"± ([\d.]+)", text).group(1).replace(".", "").strip("0")
        assert len(digits) <= 2
    else:
        shown, *ends = found
    place = max(left, right)  # no digit is worth more than the half-width itself
    assert abs(shown - value) <= place / 2 + 1e-9
    slack = place / 2 if "±" in text else 1e-9 * max(1, abs(low), abs(high))
    assert ends[0] <= low + slack
    assert ends[1] >= high - slack
    assert len(text) <= 44
