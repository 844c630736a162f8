"""Pictures of mainline days: crossings, trips, deals, policies, Home cards. Every number is one of the run's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.games.mainline.figures import homes_of
from sim.games.mainline.policies import PolicyFigures
from sim.reports import style
from sim.reports.mainline import words
from sim.running.result import Run
from sim.stats.figures import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EAST", "WEST", "crossings_figure", "deals_figure", "policies_figure", "trips_figure", "worth_figure"]

EAST = style.SEAT_A
WEST = style.SEAT_B
GROUPS = {
    ("east", "fast"): ("eastbound fast", EAST, True),
    ("east", "slow"): ("eastbound slow", EAST, False),
    ("west", "fast"): ("westbound fast", WEST, True),
    ("west", "slow"): ("westbound slow", WEST, False),
}
"""Label, colour and whether the mark is filled, by direction and class."""


def dot(axes: Axes, place: float, found: Estimate, colour: str, *, filled: bool = True, scale: float = 1.0) -> None:
    """A figure as a dot, with its interval where there is one."""
    if found.value is None:
        return
    if found.low is not None and found.high is not None:
        ends = [scale * found.low, scale * found.high]
        axes.plot(ends, [place, place], "-", color=colour, linewidth=2, solid_capstyle="butt")
    face = colour if filled else style.PAPER
    axes.plot([scale * found.value], [place], "o", color=colour, markerfacecolor=face, markersize=5.5, clip_on=False)


def rows_of(axes: Axes, labels: Sequence[str], unit: str, title: str) -> None:
    """Labels down the side, faint lines up and down, what is measured below."""
    axes.set_yticks(range(len(labels)), labels)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    style.quiet_grid(axes, "x")
    axes.set_xlabel(unit)
    axes.set_title(title)


def crossings_figure(run: Run) -> Figure:
    """Stages from entry to leaving by card, direction and class."""
    kinds = [
        kind
        for kind in run.scenario.kinds
        if any(run[f"crossing_stages.{kind}.{way}.{speed}"].n for way, speed in GROUPS)
    ]
    with style.applied():
        figure = style.new_figure(1.5 + 0.5 * len(kinds))
        axes = figure.add_subplot()
        top = 1.0
        for place, kind in enumerate(kinds):
            for shift, ((way, speed), (_, colour, filled)) in zip(
                (-0.27, -0.09, 0.09, 0.27), GROUPS.items(), strict=True
            ):
                found = run[f"crossing_stages.{kind}.{way}.{speed}"]
                dot(axes, place + shift, found, colour, filled=filled)
                top = max(top, found.value or 0.0, found.high or 0.0)
        rows_of(axes, [words.card_title(kind) for kind in kinds], "Stages from entry to leaving", "Crossing times")
        axes.set_xlim(0, 1.08 * top)
        handles = [
            axes.plot([], [], "o", color=colour, markerfacecolor=colour if filled else style.PAPER, label=label)[0]
            for label, colour, filled in GROUPS.values()
        ]
        figure.legend(handles=handles, loc="outside lower left", ncols=2)
    return figure


def trips_figure(run: Run) -> Figure:
    """Trips and held Stages by direction, and the gap between the directions."""
    with style.applied():
        figure = style.new_figure(3.6)
        upper, lower = figure.subplots(2, 1, height_ratios=[3, 1.4])
        top = 1.0
        labels = []
        for place, (metric, label) in enumerate((("trip_stages", "trip"), ("held_stages", "held off the cards"))):
            for shift, way, colour in ((-0.15, "east", EAST), (0.15, "west", WEST)):
                found = run[f"{metric}.{way}"]
                dot(upper, place + shift, found, colour)
                top = max(top, found.value or 0.0, found.high or 0.0)
            labels.append(label)
        rows_of(upper, labels, "Stages a train", "Trips by direction")
        upper.set_xlim(0, 1.08 * top)
        gap = run["trip_gap"]
        dot(lower, 0, gap, style.INK)
        lower.axvline(0, color=style.MUTED, linewidth=1, linestyle=(0, (4, 3)))
        rows_of(lower, ["gap"], "Stages, eastbound minus westbound", "")
        reach = 1.2 * max(abs(end) for end in (gap.value, gap.low, gap.high, 0.1) if end is not None)
        lower.set_xlim(-reach, reach)
        handles = [upper.plot([], [], "o", color=colour, label=f"{way}bound")[0] for way, colour in _WAYS.items()]
        figure.legend(handles=handles, loc="outside lower left", ncols=2)
    return figure


_WAYS = {"east": EAST, "west": WEST}


def deals_figure(run: Run) -> Figure:
    """How often each card is dealt, and which way is up."""
    kinds = [kind for kind in run.scenario.kinds if _has(run, f"dealt.{kind}")]
    with style.applied():
        figure = style.new_figure(1.3 + 0.3 * (len(kinds) + 1))
        axes = figure.add_subplot()
        for place, kind in enumerate(kinds):
            dot(axes, place, run[f"dealt.{kind}"], style.INK, scale=100)
        labels = [words.card_title(kind) for kind in kinds]
        if _has(run, "orientation.east"):
            dot(axes, len(kinds), run["orientation.east"], style.WARNING, scale=100)
            labels.append("up is east")
        rows_of(axes, labels, "deals with the card; last, grades whose up is east [%]", "Deals and orientation")
        axes.set_xlim(0, 100)
    return figure


def policies_figure(policies: Sequence[PolicyFigures]) -> Figure:
    """Collisions and trips of the same deals under each policy."""
    with style.applied():
        figure = style.new_figure(1.3 + 0.36 * len(policies))
        left, right = figure.subplots(1, 2, sharey=True)
        for place, one in enumerate(policies):
            found = {estimate.metric: estimate for estimate in one.estimates}
            dot(left, place, found["collisions"], style.WARNING, filled=one.own)
            for shift, way, colour in ((-0.13, "east", EAST), (0.13, "west", WEST)):
                dot(right, place + shift, found[f"trip_stages.{way}"], colour, filled=one.own)
        labels = [one.policy for one in policies]
        rows_of(left, labels, "collisions a day", "Collisions by policy")
        rows_of(right, labels, "Stages a trip", "Trips (blue east)")
        left.set_xlim(left=0)
        right.set_xlim(left=0)
    return figure


def worth_figure(run: Run) -> Figure:
    """What each Home card of the hand saves a train."""
    homes = homes_of(run.scenario)
    if not homes:
        return style.plain_figure("The hand has no Home cards, so that there is nothing to be worth anything.")
    with style.applied():
        figure = style.new_figure(1.3 + 0.42 * len(homes))
        axes = figure.add_subplot()
        for place, home in enumerate(homes):
            dot(axes, place, run[f"worth.{home}"], style.FIRST)
        axes.axvline(0, color=style.MUTED, linewidth=1, linestyle=(0, (4, 3)))
        labels = [words.card_title(home) for home in homes]
        rows_of(axes, labels, "Stages saved a train, the same deals without and with it", "Worth of the Home cards")
    return figure


def _has(run: Run, metric: str) -> bool:
    try:
        return run[metric].value is not None
    except KeyError:
        return False
