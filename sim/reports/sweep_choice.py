"""Which keys of a sweep are drawn: for every figure those that move it most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.stats.goals import GoalVerdict
from sim.studies.sweep_result import CellResult, Sweep
from sim.studies.turning import level_words, unlikeness

__all__ = ["Grid", "View", "effects", "grid_of", "levels_of", "map_view", "met_scores", "scores", "spread_out"]

DESIGNS_OF_ALL = ("grid", "focus")
MOST_PANELS = 6
"""Values of a third key that get a map each."""

ROOM_ACROSS = 8
"""Letters of a value that has room below a column; of two keys the one with longer words goes up."""

ALMOST = 1e-9
"""Effects that differ by less than this share of the largest are the same: the key that is named first goes first."""

SCORES = {GoalVerdict.MET: 1.0, GoalVerdict.UNDECIDED: 0.5, GoalVerdict.VIOLATED: 0.0}

Places = tuple[int, ...]
Floats = NDArray[np.float64]


def levels_of(found: Sweep, key: str) -> list[Any]:
    """Values of a key that occur, in the order of the file, a reference beside them first; numbers by size."""
    occur, named = _ordered([cell.values[key] for cell in found.cells]), found.keys[key]
    return _ordered([*(value for value in occur if value not in named), *(one for one in named if one in occur)])


def _ordered(given: Sequence[Any]) -> list[Any]:
    values: list[Any] = []
    try:
        values = list(dict.fromkeys(given))
    except TypeError:  # lists and whole maps have no hash
        for value in given:
            if value not in values:
                values.append(value)
    return sorted(values) if _are_numbers(values) else values


@dataclass(frozen=True)
class Grid:
    """Cells by their places.

    Attributes
    ----------
    levels
        Values of each key, in order.
    cells
        By their places, one for each key. A reference that is no point of the design is not among them.
    base
        Places of the cell that stands still: the reference, or of the cells that are like it in most keys the nearest.
    """

    levels: Mapping[str, Sequence[Any]]
    cells: Mapping[Places, CellResult]
    base: Places

    @property
    def keys(self) -> list[str]:
        """The keys, in order."""
        return list(self.levels)

    def turned(self, keys: Sequence[str]) -> dict[Places, CellResult]:
        """Cells that stand where the base does in all other keys, by their places in these."""
        order = self.keys
        chosen = [order.index(key) for key in keys]
        still = [n for n in range(len(order)) if n not in chosen]
        return {
            tuple(at[n] for n in chosen): cell
            for at, cell in self.cells.items()
            if all(at[n] == self.base[n] for n in still)
        }

    def is_map(self, keys: Sequence[str]) -> bool:
        """Whether more than half of the combinations of two keys were played, some with both turned."""
        cells, base = self.turned(keys), [self.base[self.keys.index(key)] for key in keys]
        full = math.prod(len(self.levels[key]) for key in keys)
        return 2 * len(cells) > full and any(all(a != b for a, b in zip(at, base, strict=True)) for at in cells)


@dataclass(frozen=True)
class View:
    """What a map shows.

    Attributes
    ----------
    grid
        All cells.
    across, up
        The two keys.
    by
        A third, with a map for each of its values; None where there is none.
    panels
        Places of those values; (0,) where there is no third key.
    cells
        By their places in the two keys, and in `panels`.
    ranked
        All keys, the one that moves most first.
    """

    grid: Grid
    across: str
    up: str
    by: str | None
    panels: tuple[int, ...]
    cells: Mapping[tuple[int, int, int], CellResult]
    ranked: tuple[str, ...]


def grid_of(found: Sweep) -> Grid:
    """The cells of a sweep at their places."""
    whole = found.manifest["design"] in DESIGNS_OF_ALL
    levels = {key: _ordered(values) if whole else levels_of(found, key) for key, values in found.keys.items()}
    columns = [_places([cell.values[key] for cell in found.cells], values) for key, values in levels.items()]
    places = list(zip(*columns, strict=True))
    cells = {at: cell for at, cell in zip(places, found.cells, strict=True) if min(at) >= 0}
    own = found.reference.values

    return Grid(levels, cells, min(cells, key=lambda at: unlikeness(cells[at].values, own), default=()))


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _places(values: Sequence[Any], levels: Sequence[Any]) -> list[int]:
    try:
        where = {level: n for n, level in enumerate(levels)}
        return [where.get(value, -1) for value in values]
    except TypeError:
        return [levels.index(value) if value in levels else -1 for value in values]


def scores(grid: Grid, metric: str) -> Floats:
    """A figure in every cell of a grid; not a number where there is none."""
    estimates = [cell.estimates.get(metric) for cell in grid.cells.values()]
    return np.array([math.nan if one is None or one.value is None else one.value for one in estimates], np.float64)


def met_scores(grid: Grid) -> list[Floats]:
    """How every cell stands to all goals, 1 met, 0 violated, ½ undecided: all together, and their mean."""
    cells = grid.cells.values()
    known = [[SCORES[one.verdict] for one in cell.goals] for cell in cells]
    together = [math.nan if cell.verdict is None else SCORES[cell.verdict] for cell in cells]
    return [np.array(together), np.array([sum(one) / len(one) if one else math.nan for one in known])]


def effects(grid: Grid, values: Floats) -> Floats:
    """For each key the range of the mean over its values, each taken over all cells of the grid."""
    at, known = np.array(list(grid.cells), np.int64), np.isfinite(values)
    found = np.zeros(len(grid.levels))
    for k in range(len(found)):
        n = np.bincount(at[known, k])
        total = np.bincount(at[known, k], weights=values[known])
        if n.any():
            found[k] = np.ptp(total[n > 0] / n[n > 0])
    largest = found.max(initial=0.0)
    return np.round(found / largest / ALMOST) * ALMOST if largest > 0 else found


def map_view(grid: Grid, values: Sequence[Floats]) -> View | None:
    """The two keys that move a figure most and make a map, and a third; None where no two keys make one.

    Parameters
    ----------
    grid
        The cells.
    values
        What is to be moved, in every cell; where keys do as much to the first, the next decides, and then their order.
    """
    if not grid.cells:
        return None
    moved = np.array([effects(grid, one) for one in values])
    order = sorted(range(len(grid.levels)), key=lambda k: (*(-moved[:, k]), k))
    ranked = [grid.keys[k] for k in order]
    pair = next((pair for pair in combinations(ranked, 2) if grid.is_map(pair)), None)
    if pair is None:
        return None
    first, second = sorted(pair, key=grid.keys.index)
    longest = {key: max(len(level_words(one)) for one in grid.levels[key]) for key in pair}
    if longest[first] > max(ROOM_ACROSS, longest[second]):
        first, second = second, first
    two = len(grid.turned(pair))
    by = next(
        (
            key
            for k, key in zip(order, ranked, strict=True)
            if key not in pair and moved[:, k].any() and len(grid.turned([*pair, key])) >= 2 * two
        ),
        None,
    )
    panels = (0,) if by is None else spread_out(len(grid.levels[by]), grid.base[grid.keys.index(by)], MOST_PANELS)
    turned = grid.turned([first, second] if by is None else [first, second, by])
    cells = {(at[0], at[1], at[2] if by else 0): cell for at, cell in turned.items()}
    shown = {at: cell for at, cell in cells.items() if at[2] in panels}
    return View(grid, first, second, by, panels, shown, tuple(ranked))


def spread_out(n: int, base: int, most: int) -> tuple[int, ...]:
    """At most so many of `n` places, evenly spread, the base among them."""
    if n <= most:
        return tuple(range(n))
    spread = [round(k * (n - 1) / (most - 1)) for k in range(most)]
    spread[min(range(most), key=lambda k: abs(spread[k] - base))] = base
    return tuple(sorted(spread))
