"""The shape of a run's matches in its report: sentences, rows and the picture of comebacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.reports import style
from sim.stats.intervals import TOO_SMALL
from sim.stats.rounding import format_estimate
from sim.stats.shape import FEWEST_SIDES, SHAPE_METRICS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "ShapeTold",
    "at_junctions",
    "comeback_alt",
    "comeback_figure",
    "comeback_see",
    "dead_words",
    "figure_rows",
    "junction_rows",
    "places_see",
    "shape_words",
    "track_rows",
    "traffic_of",
]

ShapeTold = Mapping[str, Any]
"""`sim.studies.shape.Shape.as_dict`, as a run folder keeps it."""

LABELS = {
    "lead_changes": "lead changes",
    "drama": "drama: points that the winner was behind, on average",
    "comebacks": "won from behind",
    "decided_at": "decided at dispatch",
}
_JUNCTION_COLUMNS = ("conflicts", "tolls", "shared_arrivals", "sidings")
_QUARTERS = (0.25, 0.5, 0.75)
_LINES = ("-", "--", ":")


def figure_rows(shape: ShapeTold) -> list[tuple[str, str, str]]:
    """Label, core name, and the figure with its interval."""
    return [(LABELS[one["metric"]], one["metric"], _phrase(one)) for one in shape["estimates"]]


def _phrase(one: Mapping[str, Any]) -> str:
    unit = SHAPE_METRICS[one["metric"]].unit
    return format_estimate(one["value"], one["low"], one["high"], unit, one["method"])


def _value(shape: ShapeTold, metric: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = next(one for one in shape["estimates"] if one["metric"] == metric)
    return found


def shape_words(shape: ShapeTold, dispatches: int) -> list[str]:
    """What the shape says, in sentences."""
    changes, decided, comebacks = (_value(shape, name) for name in ("lead_changes", "decided_at", "comebacks"))
    said = []
    if any(one["method"] == TOO_SMALL for one in (changes, comebacks, decided)):
        n = shape["matches"]
        said.append(f"{n:,} {'match is' if n == 1 else 'matches are'} too few to tell the shape of matches by.")
    else:
        said.append(
            f"The lead changes {_phrase(changes)} times a match. {_phrase(comebacks)} of the won matches are won by a "
            "side that was behind in points before."
        )
        said.append(
            f"On average a match is decided at dispatch {_phrase(decided)} of {dispatches}: from then on the leader's "
            "expected score stays above 95%."
        )
        if comebacks["value"] is None:
            said = ["No match was won by anyone."]
    return [*said, *dead_words(shape)]


def dead_words(shape: ShapeTold) -> list[str]:
    """The sentence on tracks that nobody uses; none where there are none."""
    dead = shape["dead_tracks"]
    if not dead:
        return []
    return [f"No train ever ran on {', '.join(dead)}: {'a dead track' if len(dead) == 1 else 'dead tracks'}."]


def comeback_figure(shape: ShapeTold, dispatches: int) -> Figure:
    """Score of a side by how far it is behind, a quarter, half and three quarters of the way through the match."""
    curves = _curves(shape, dispatches)
    if not curves:
        return style.plain_figure(comeback_alt(shape, dispatches))
    with style.applied():
        figure = style.new_figure(3.5)
        axes = figure.add_subplot()
        colours = (style.FIRST, style.SEAT_A, style.SEAT_B)
        for (dispatch, behind, score), colour, line in zip(curves, colours, _LINES, strict=False):
            axes.plot(behind, 100 * score, line, color=colour, linewidth=2.2, label=f"after dispatch {dispatch}")
        axes.axhline(50, color=style.MUTED, linewidth=1, linestyle=(0, (4, 3)))
        axes.set_ylim(0, 55)
        axes.set_xlim(left=0)
        style.quiet_grid(axes, "y")
        axes.set_xlabel("points behind")
        axes.set_ylabel("score of that side [%]")
        axes.set_title("Can one come back?")
        axes.legend(loc="upper right")
    return figure


def _curves(shape: ShapeTold, dispatches: int) -> list[tuple[int, np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    """Dispatch, deficits and scores, of the quarters in which enough sides were behind."""
    curves = []
    for dispatch in dict.fromkeys(max(1, round(part * dispatches)) for part in _QUARTERS):
        rows = [
            (row["behind"], row["score"])
            for row in shape["comeback"]
            if row["dispatch"] == dispatch and row["sides"] >= FEWEST_SIDES
        ]
        if len(rows) > 1:
            behind, score = np.array(rows, float).T
            curves.append((dispatch, np.r_[0, behind], np.r_[0.5, score]))
    return curves


def comeback_alt(shape: ShapeTold, dispatches: int) -> str:
    """What the picture of comebacks shows."""
    curves = _curves(shape, dispatches)
    if not curves:
        return "Too few sides were behind to say how often one comes back."
    parts = []
    for dispatch, behind, score in curves:
        middle = len(behind) // 2
        parts.append(f"after dispatch {dispatch}, {behind[middle]:.0f} points behind: {100 * score[middle]:.0f}%")
    return f"Score of the side that is behind, by points: {'; '.join(parts)}."


def comeback_see(shape: ShapeTold, dispatches: int) -> str:
    """What to see in it."""
    if not _curves(shape, dispatches):
        return comeback_alt(shape, dispatches)
    return (
        "The steeper a line falls, the more a lead is worth; where it lies near 50% a lead means little yet. "
        f"Deficits that fewer than {FEWEST_SIDES} sides had are left out."
    )


def traffic_of(shape: ShapeTold) -> dict[str, float]:
    """Runs a match of every track, by the name that it has in the shape."""
    return {one["name"]: one["value"] for one in shape["tracks"] if one["what"] == "runs"}


def at_junctions(shape: ShapeTold, what: str) -> dict[str, float]:
    """How often something happens at each junction, a match."""
    return {one["name"]: one["value"] for one in shape["junctions"] if one["what"] == what}


def places_see(shape: ShapeTold) -> str:
    """What to see on the map with its traffic."""
    runs, conflicts = traffic_of(shape), at_junctions(shape, "conflicts")
    busiest, quietest = max(runs, key=lambda name: runs[name]), min(runs, key=lambda name: runs[name])
    said = (
        f"Of all tracks {busiest} is run along most (about {runs[busiest]:.2g} times a match) and {quietest} least "
        f"({runs[quietest]:.2g})."
    )
    if any(conflicts.values()):
        worst = max(conflicts, key=lambda name: conflicts[name])
        said += f" Of the junctions {worst} sees most conflicts (about {conflicts[worst]:.2g} a match)."
    return said


def track_rows(shape: ShapeTold) -> list[list[str]]:
    """Track, runs and head-ons a match, with their intervals."""
    return _rows(shape["tracks"], ("runs", "head_ons"))


def junction_rows(shape: ShapeTold) -> list[list[str]]:
    """Junction, and how often each thing happens there a match, with intervals."""
    return _rows(shape["junctions"], _JUNCTION_COLUMNS)


def _rows(places: list[Mapping[str, Any]], columns: tuple[str, ...]) -> list[list[str]]:
    cells: dict[str, dict[str, str]] = {}
    for one in places:
        shown = format_estimate(one["value"], one["low"], one["high"], "count", one["method"])
        cells.setdefault(one["name"], {})[one["what"]] = shown
    return [[name, *(found[column] for column in columns)] for name, found in cells.items()]
