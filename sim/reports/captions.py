"""The pictures of a run in sentences: what each shows, for those who do not see it, and what is to be seen in it."""

from __future__ import annotations

from sim.reports import words
from sim.reports.tables import PLAYER_FIGURES
from sim.reports.verdict import closeness_words, ties_words
from sim.running.result import Run
from sim.stats.metrics import histogram, seat_table

OUTCOME_KEYS = ("won_on_points", "won_on_cash", "shared", "lost_on_cash", "lost_on_points")
"""Endings as the first side sees them, from left to right."""


def outcome_counts(run: Run) -> list[tuple[str, tuple[int, ...]]]:
    """Matches by ending (`OUTCOME_KEYS`): all of them, then for bots that change seats those in either seat."""
    rows = seat_table(run.sums)
    counts = [tuple(int(row[key]) for key in OUTCOME_KEYS) for row in rows]
    every = [("all", tuple(sum(column) for column in zip(*counts, strict=True)))]
    if words.players(run).by_seat:
        return every
    first = words.players(run).first
    return every + [
        (f"{words.shortened(first, 16)}\nin seat {row['first_seat']}", count)
        for row, count in zip(rows, counts, strict=True)
    ]


def no_spread(run: Run) -> str | None:
    """Why a histogram would show nothing, or None."""
    if words.is_deterministic(run):
        margins = ", ".join(f"{value:+d}" if value else "0" for value in histogram(run.sums)[0])
        return (
            f"No bot draws, so that the same match is played every time (margin: {margins} points). "
            "There is no distribution to draw."
        )
    values, counts = histogram(run.sums)
    if values.size == 1:
        n = words.counted(int(counts.sum()), "match")
        if counts.sum() == 1:
            return f"Only one match counts; its margin is {_points(int(values[0]))}. There is no distribution to draw."
        if values[0] == 0:
            return f"All {n} ended with equal points. There is no distribution to draw."
        return f"All {n} ended with a margin of {_points(int(values[0]))}. There is no distribution to draw."
    return None


def outcomes_alt(run: Run) -> str:
    """What the picture of the outcomes shows."""
    empty = words.nothing_to_show(run)
    if empty:
        return empty
    sides = words.players(run)
    seats = "" if sides.by_seat else f" A second panel has the score of {sides.first} by seat."
    return (
        f"Stacked bar of how matches end: {sides.first} wins {words.figure(run, 'win.first')}, shared "
        f"{words.figure(run, 'shared')}, {sides.second} wins {words.figure(run, 'win.second')}; cash decides "
        f"{words.figure(run, 'decided_by_cash')}.{seats}"
    )


def outcomes_see(run: Run) -> str:
    """What to see in the picture of the outcomes."""
    empty = words.nothing_to_show(run)
    if empty:
        return empty
    if words.is_deterministic(run):
        return "These are single matches, always played the same: no sample, so no intervals."
    bar = "The whiskers on the bar are the intervals of the two sides' wins; hatched wins are on cash."
    return f"{ties_words(run)} {bar}"


def margin_alt(run: Run) -> str:
    """What the histogram of the margin shows."""
    said = words.nothing_to_show(run) or no_spread(run)
    if said:
        return said
    sides = words.players(run)
    values, _ = histogram(run.sums)
    return (
        f"Histogram of the points of {sides.first} minus those of {sides.second}, from {values[0]} to {values[-1]}; "
        f"mean {words.figure(run, 'margin.mean')}, {_quantile_words(run, 'margin')}."
    )


def margin_see(run: Run) -> str:
    """What to see in the histogram of the margin."""
    said = words.nothing_to_show(run) or no_spread(run)
    if said:
        return said
    sides = words.players(run)
    mean = words.estimate(run, "margin.mean")
    shown = words.figure(run, "margin.mean")
    if mean is None or mean.value is None or mean.low is None or mean.high is None:
        ahead = "There are too few matches to say who is ahead on average."
    elif mean.low > 0 or mean.high < 0:
        ahead = f"On average {sides.first if mean.value > 0 else sides.second} is ahead; the mean margin is {shown}."
    else:
        ahead = f"Neither side is seen to be ahead on average: the mean margin is {shown}."
    if 0 not in histogram(run.sums)[0]:
        return f"{ahead} No match ended with equal points."
    return f"{ahead} The bar at 0 holds the matches with equal points, parted by who won on cash and what is shared."


def spread_alt(run: Run) -> str:
    """What the histogram of the spread shows."""
    said = words.nothing_to_show(run) or no_spread(run)
    if said:
        return said
    values, _ = histogram(run.sums, "spread")
    return (
        f"Histogram of the points between the two sides, from {values[0]} to {values[-1]}; "
        f"{_quantile_words(run, 'spread')}."
    )


def spread_see(run: Run) -> str:
    """What to see in the histogram of the spread."""
    said = words.nothing_to_show(run) or no_spread(run)
    if said:
        return said
    if words.is_too_small(run):
        return "There are too few matches for quantiles; the bars are all that was seen."
    return closeness_words(run)


def players_alt(run: Run) -> str:
    """What the picture of both sides' figures shows."""
    empty = words.nothing_to_show(run)
    if empty:
        return empty
    sides = words.players(run)
    parts = [
        f"{label} {words.figure(run, f'{name}.first')} and {words.figure(run, f'{name}.second')}"
        for name, label in PLAYER_FIGURES.items()
    ]
    return f"Figures a match of {sides.first} and of {sides.second}: {'; '.join(parts)}."


def players_see(run: Run) -> str:
    """What to see in the picture of both sides' figures."""
    empty = words.nothing_to_show(run)
    if empty:
        return empty
    apart = [label for name, label in PLAYER_FIGURES.items() if _is_apart(run, name)]
    if words.is_deterministic(run):
        return "These are single matches, always played the same: no sample, so no intervals."
    if words.is_too_small(run):
        return "There are too few matches for intervals of means; dots without an interval are left out."
    if not apart:
        return "The intervals of the two sides overlap in every panel."
    return f"The intervals of the two sides are apart in: {', '.join(apart)}."


def _is_apart(run: Run, name: str) -> bool:
    one, other = (words.estimate(run, f"{name}.{player}") for player in ("first", "second"))
    if one is None or other is None:
        return False
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return False
    return one.low > other.high or other.low > one.high


def _quantile_words(run: Run, metric: str) -> str:
    parts = [f"p{percent} {words.figure(run, f'{metric}.p{percent}')}" for percent in (10, 50, 90)]
    return ", ".join(parts)


def _points(value: int) -> str:
    return words.counted(value, "point")
