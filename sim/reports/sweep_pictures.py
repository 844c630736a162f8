"""Which pictures of a sweep are drawn, and what is said of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from sim.config.sweep import SAMPLED
from sim.reports import style
from sim.reports.sweep_choice import Grid, View, grid_of, map_view, met_scores, scores
from sim.reports.sweep_curves import MOST_CURVES, curve_figure, keys_figure
from sim.reports.sweep_figures import cell_words, map_figure, unit_words
from sim.reports.sweep_plots import has_figures, pick_figure, scatter_figure, screen_figure, trade_figure
from sim.reports.words import shortened
from sim.stats.goals import Goal
from sim.studies.sweep_result import CellResult, Sweep, shown_metrics
from sim.studies.turning import level_words, short_names

__all__ = ["Picture", "drawings", "drawn_metrics", "still_metrics"]

MOST_METRICS = 6
MOST_TRADES = 3
"""Pairs of goals that are drawn."""

LONGEST_LEVEL = 28


@dataclass(frozen=True)
class Picture:
    """A drawing as SVG, what it shows in words, and whether it takes a whole row."""

    title: str
    svg: str
    whole_row: bool


def drawings(found: Sweep) -> dict[str, Picture]:
    """Pictures by name."""
    drawn: dict[str, Picture] = {}

    def add(name: str, title: str, figure: Any) -> None:
        wide = figure.get_figwidth() > style.WIDTH_INCHES
        drawn[name] = Picture(title, style.svg_text(figure, title=title), wide)

    if found.pick is not None:
        add("pick", "How the best cell was found: finalists in blue, the best in bold.", pick_figure(found))
    moving = [metric for metric in drawn_metrics(found) if _moves(found, metric)]
    for n, metric in enumerate(moving if found.screen else [], 1):
        title = (
            f"{metric}: what each key does. Grey lines reach to twice the noise; a key that ends within its own is not "
            "resolved, and drawn hollow."
        )
        add(f"screen{n}", title, screen_figure(found, metric))
    if found.screen:
        return drawn
    grid, goals = grid_of(found), _goals(found)
    views = {metric: map_view(grid, [scores(grid, metric)]) for metric in drawn_metrics(found)}
    together = map_view(grid, met_scores(grid)) if goals else None
    if together is not None:
        figure = map_figure(found, together, goals[0].metric, "")
        words = f"All goals {_over_words(found, together, 'decide')} Outlined where all are met"
        words += f"; the numbers say how many of the {len(goals)} are." if _has_numbers(figure) else "."
        add("map-goals", words + _apart_words(found, grid, goals[0].metric, ""), figure)
    still = still_metrics(found)
    for n, goal in enumerate(goals[:MOST_METRICS], 1):
        view = views.get(goal.metric)
        if view is not None and goal.metric not in still:
            figure = map_figure(found, view, goal.metric, goal.text)
            words = f"{goal.text}, {_over_words(found, view, 'move it')}"
            unit = unit_words(found.units[goal.metric])
            words += f" The numbers are the figure {goal.metric}{unit}." if _has_numbers(figure) else ""
            add(f"map-goal{n}", words + _apart_words(found, grid, goal.metric, None), figure)
    for n, (metric, view) in enumerate(views.items() if not goals else (), 1):
        if view is not None and metric not in still:
            words = f"{metric} {_over_words(found, view, 'move it')}{_apart_words(found, grid, metric, None)}"
            add(f"map{n}", words, map_figure(found, view, metric, None))
    for n, (across_goal, up_goal) in enumerate(_trades(found, goals), 1):
        title = (
            f"{across_goal.text} against {up_goal.text}: how far the figures of every cell lie outside the bounds, in "
            "band units, below 0 inside them. Cells that no other beats in both are joined."
        )
        add(f"trade{n}", title, trade_figure(found, across_goal, up_goal))
    if found.manifest["design"] in SAMPLED:
        for n, metric in enumerate(moving, 1):
            title = f"{metric} at every point over each key; lines are means of points, with their bands."
            add(f"scatter{n}", title, scatter_figure(found, metric))
        return drawn
    for n, (metric, view) in enumerate(views.items(), 1):
        curves = None if metric in still else _curves(found, grid, metric, view)
        if curves is not None:
            add(f"curve{n}", *curves)
    return drawn


def _has_numbers(figure: Any) -> bool:
    """Whether there was room for them."""
    return any(one.get_label() == "values" for one in figure.artists)


def drawn_metrics(found: Sweep) -> list[str]:
    """Figures that are looked at first, as many as are drawn."""
    return shown_metrics(found.cells)[:MOST_METRICS]


def still_metrics(found: Sweep) -> list[str]:
    """Figures of which there is nothing to draw: they and their goals are the same in every cell, as shown."""
    return [] if found.screen else [metric for metric in drawn_metrics(found) if _is_still(found, metric)]


def _is_still(found: Sweep, metric: str) -> bool:
    verdicts = {tuple(one.verdict for one in cell.goals if one.goal.metric == metric) for cell in found.cells}
    shown = {cell_words(found, cell, metric, None) for cell in found.cells}
    return len(verdicts) == 1 and (len(shown) == 1 or not _moves(found, metric))


def _goals(found: Sweep) -> list[Goal]:
    return list({one.goal.text: one.goal for cell in found.cells for one in cell.goals}.values())


def _over_words(found: Sweep, view: View, moved: str) -> str:
    """The keys of a map, why these, and where the others stand."""
    words = f"over {view.across} and {view.up}"
    if {view.across, view.up} == set(view.ranked[:2]) and sum(len(one) > 1 for one in view.grid.levels.values()) > 2:
        words += f", the two keys that {moved} most"
    if view.by is not None:
        n = len(view.grid.levels[view.by])
        words += f", for {'each value' if n == len(view.panels) else f'{len(view.panels)} of {n} values'} of {view.by}"
    return f"{words}{_still_words(found, view.grid, (view.across, view.up, view.by))}."


def _still_words(found: Sweep, grid: Grid, turned: Sequence[str | None]) -> str:
    """Where the other keys stand; "" where there are none."""
    names = short_names(list(found.keys))
    still = [
        f"{names[key]} {shortened(level_words(grid.levels[key][at]), LONGEST_LEVEL)}"
        for key, at in zip(grid.keys, grid.base, strict=True)
        if key not in turned and len(grid.levels[key]) > 1
    ]
    return f", always with {' and '.join(still)}" if still else ""


def _apart_words(found: Sweep, grid: Grid, metric: str, goal: str | None) -> str:
    """What a reference has that is no cell of the grid."""
    if any(cell.reference for cell in grid.cells.values()):
        return ""
    return f" The reference is no cell of the grid; it has {cell_words(found, found.reference, metric, goal)}."


def _curves(found: Sweep, grid: Grid, metric: str, view: View | None) -> tuple[str, Any] | None:
    """Curves over the key that moves a figure most, one for each value of the next; else over each key."""
    if view is not None:
        key, by = sorted((view.across, view.up), key=view.ranked.index)
        why = ", which moves it most" if key == view.ranked[0] and _moves(found, metric) else ""
        n = len(grid.levels[by])
        each = f"each {by}" if n <= MOST_CURVES else f"{MOST_CURVES} of {n} values of {by}"
        words = f"{metric} over {key}{why}, a curve for {each}{_still_words(found, grid, (key, by))}."
        return words, curve_figure(found, grid, metric, key, by)
    alone = {key: list(grid.turned([key]).values()) for key in grid.keys}
    keys = [
        key
        for key in sorted(grid.keys, key=lambda key: -_reach(alone[key], metric))
        if len({cell_words(found, cell, metric, None) for cell in alone[key]}) > 1
    ]
    if not keys:
        return None
    rest = [key for key in grid.keys if key not in keys]
    words = f"{metric} over {keys[0]}."
    if len(keys) > 1:
        start = "" if grid.cells[grid.base].reference else "the cell nearest to "
        words = (
            f"{metric} over one key at a time, the key that moves it most first; larger dots are {start}the reference."
        )
    if rest:
        words += f" Nothing moves with {', '.join(rest)}."
    return words, keys_figure(found, grid, metric, keys)


def _reach(cells: Sequence[CellResult], metric: str) -> float:
    """From the least value of a figure to the largest."""
    known = [one.value for cell in cells if (one := cell.estimates.get(metric)) is not None and one.value is not None]
    return max(known) - min(known) if known else 0.0


def _moves(found: Sweep, metric: str) -> bool:
    """Whether a figure differs from cell to cell."""
    return len({one.value for cell in found.cells if (one := cell.estimates.get(metric)) is not None}) > 1


def _trades(found: Sweep, goals: Sequence[Goal]) -> list[tuple[Goal, Goal]]:
    """Pairs of goals whose figures both differ from cell to cell, and that are not both met everywhere.

    Some two cells have both figures: else there is nothing to set against each other.
    """
    moving = [goal for goal in goals if _moves(found, goal.metric)]
    met = {
        goal.text: all(_holds(goal, cell) for cell in found.cells if goal.metric in cell.estimates) for goal in moving
    }
    pairs = [pair for pair in combinations(moving, 2) if pair[0].metric != pair[1].metric]
    open_ = [pair for pair in pairs if not (met[pair[0].text] and met[pair[1].text])]
    return [pair for pair in open_ if _share_cells(found, *pair)][:MOST_TRADES]


def _share_cells(found: Sweep, one: Goal, other: Goal) -> bool:
    return sum(has_figures(cell, (one.metric, other.metric)) for cell in found.cells) > 1


def _holds(goal: Goal, cell: CellResult) -> bool:
    one = cell.estimates.get(goal.metric)
    return one is None or one.value is None or goal.band.holds(one.value, one.value)
