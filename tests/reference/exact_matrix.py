"""Zero-sum matrix games: value and optimal mixes, by cheap exact steps first and a small simplex for what is left."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import ge
from typing import Any

Matrix = Sequence[Sequence[float]]
"""What the row player gets, [row][column]."""

TOLERANCE = 1e-9
"""Largest gap between what the two mixes guarantee; a larger one is an error."""


def matrix_game(payoff: Matrix) -> tuple[float, dict[int, float], dict[int, float]]:
    """Solve a zero-sum game.

    Returns
    -------
    (value, mix of the row player, mix of the column player)
        The value to the row player; mixes by number of row and column, without those that are never played.
    """
    found = _saddle(payoff)
    if found is not None:
        row, column = found
        return payoff[row][column], {row: 1.0}, {column: 1.0}
    rows, columns = _undominated(payoff)
    small = [[payoff[row][column] for column in columns] for row in rows]
    found = _saddle(small)
    if found is not None:
        row, column = rows[found[0]], columns[found[1]]
        return payoff[row][column], {row: 1.0}, {column: 1.0}
    ways = [_two_by_two] if len(rows) == len(columns) == 2 else [_simplex, _fractional_simplex]
    for way in ways:
        x, y = way(small)
        mix_rows = {row: p for row, p in zip(rows, x, strict=True) if p > 0.0}
        mix_columns = {column: p for column, p in zip(columns, y, strict=True) if p > 0.0}
        low, high = guarantees(payoff, mix_rows, mix_columns)
        if high - low <= TOLERANCE * max(1.0, abs(low), abs(high)):
            return (low + high) / 2, mix_rows, mix_columns
    raise ArithmeticError(f"mixes guarantee {low} and {high}, which should be one value")


def guarantees(payoff: Matrix, mix_rows: dict[int, float], mix_columns: dict[int, float]) -> tuple[float, float]:
    """(what the row player's mix gets at least, what the column player's lets through at most)."""
    low = min(
        sum(p * payoff[row][column] for row, p in mix_rows.items()) for column in range(len(payoff[0]))
    )  # fmt: skip
    high = max(sum(p * row[column] for column, p in mix_columns.items()) for row in payoff)
    return low, high


def _saddle(payoff: Matrix) -> tuple[int, int] | None:
    """A row and a column that are best against each other, if there are any."""
    lows = [min(row) for row in payoff]
    highs = list(map(max, zip(*payoff, strict=True)))
    low, high = max(lows), min(highs)
    return (lows.index(low), highs.index(high)) if low == high else None


def _undominated(payoff: Matrix) -> tuple[list[int], list[int]]:
    """Rows and columns that are left when those never better than another one are struck out, one after the other."""
    rows, columns = list(range(len(payoff))), list(range(len(payoff[0])))
    while True:
        lines = [[payoff[row][column] for column in columns] for row in rows]
        kept = _best_lines(lines)
        kept_rows = [rows[i] for i in kept]
        across = [[-payoff[row][column] for row in kept_rows] for column in columns]
        kept_columns = [columns[i] for i in _best_lines(across)]
        if len(kept_rows) == len(rows) and len(kept_columns) == len(columns):
            return rows, columns
        rows, columns = kept_rows, kept_columns


def _best_lines(lines: list[list[float]]) -> list[int]:
    """Numbers of the lines that no other line is at least as good as, entry by entry; of equal ones the first."""
    first: dict[tuple[float, ...], int] = {}
    for i, line in enumerate(lines):
        first.setdefault(tuple(line), i)
    different = sorted(first.items(), key=lambda item: (-sum(item[0]), item[1]))
    kept: list[tuple[tuple[float, ...], int]] = []
    for line, i in different:  # a line can only be dominated by one with a larger sum
        if not any(all(map(ge, other, line)) for other, _ in kept):
            kept.append((line, i))
    return sorted(i for _, i in kept)


def _two_by_two(payoff: Matrix) -> tuple[list[float], list[float]]:
    """The mixes of a 2 by 2 game without a saddle."""
    (a, b), (c, d) = payoff
    whole = (a - b) + (d - c)
    x, y = (d - c) / whole, (d - b) / whole
    return [x, 1.0 - x], [y, 1.0 - y]


def _simplex(payoff: Matrix) -> tuple[list[float], list[float]]:
    """The mixes by linear programming, in floats: near-ties may lead it astray."""
    lowest = min(map(min, payoff))
    span = max(map(max, payoff)) - lowest
    return _optimal_mixes([[1.0 + (entry - lowest) / span for entry in row] for row in payoff], 1.0, 1e-11)


def _fractional_simplex(payoff: Matrix) -> tuple[list[float], list[float]]:
    """The same in fractions, without rounding: slow and never astray."""
    lowest = Fraction(min(map(min, payoff)))
    return _optimal_mixes([[1 + Fraction(entry) - lowest for entry in row] for row in payoff], Fraction(1), 0)


def _optimal_mixes(positive: list[list[Any]], one: Any, small: float) -> tuple[list[float], list[float]]:
    """Maximise sum(y) under positive @ y <= 1, from the slacks on; the dual is the row player's mix.

    Dantzig's rule first; after a while Bland's, which cannot cycle. Numbers up to `small` count as 0.
    """
    n_rows, n_columns = len(positive), len(positive[0])
    width = n_columns + n_rows
    zero = one - one
    table = [
        [*row, *(one if k == i else zero for k in range(n_rows)), one] for i, row in enumerate(positive)
    ]  # fmt: skip
    costs = [-one] * n_columns + [zero] * (n_rows + 1)
    basis = list(range(n_columns, width))
    for step in range(100 * width):
        if step < 10 * width:
            entering = min(range(width), key=costs.__getitem__)
        else:
            entering = next((k for k in range(width) if costs[k] < -small), 0)
        if costs[entering] >= -small:
            break
        ratios = [(row[width] / row[entering], basis[i], i) for i, row in enumerate(table) if row[entering] > small]
        leaving = min(ratios)[2]
        pivot = table[leaving][entering]
        pivot_row = table[leaving] = [entry / pivot for entry in table[leaving]]
        for i, row in enumerate(table):
            factor = row[entering]
            if i != leaving and factor != 0:
                table[i] = [entry - factor * own for entry, own in zip(row, pivot_row, strict=True)]
        factor = costs[entering]
        costs = [entry - factor * own for entry, own in zip(costs, pivot_row, strict=True)]
        basis[leaving] = entering
    y = [zero] * width
    for i, k in enumerate(basis):
        y[k] = table[i][width]
    return _shares(costs[n_columns:width]), _shares(y[:n_columns])


def _shares(weights: list[Any]) -> list[float]:
    """The weights scaled to a sum of 1; rounding errors around 0 are cut off."""
    positive = [weight if weight > 1e-13 else 0 for weight in weights]
    whole = sum(positive)
    return [float(weight / whole) for weight in positive]
