"""A railway map as a picture: junctions, stations, switches, the trains' starts and their deliveries."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sim.config.exactness import Exactness
from sim.config.layouts import layout_positions
from sim.config.network import Network
from sim.config.scenario import RailMap
from sim.reports import style
from sim.reports.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Point = tuple[float, float]
Traffic = Mapping[tuple[str, str], float]
"""How often a track is run along, by its two ends in either order; any unit."""
Marks = Mapping[str, float]
"""How often something happens at each junction; any unit."""

ROUTE_TWO = "#F0E442"
"""Yellow: junctions that start on Route 2."""
STATION = "#E3E3E3"
TRACK = "#4D4D4D"
POINTS_AN_INCH = 72
PADDING = 34.0
TALLEST = 380.0
LONGEST_LABEL = 16
LINE = 15.0


def map_figure(
    rail_map: RailMap,
    *,
    exactness: Exactness | None = None,
    traffic: Traffic | None = None,
    conflicts: Marks | None = None,
    sidings: Marks | None = None,
    worth: Marks | None = None,
) -> Figure:
    """Draw a map.

    Parameters
    ----------
    rail_map
        A map that `load_map` or `load_scenario` has accepted; 1 to 62 junctions.
    exactness
        What `sim.config.exactness.exactness` says of it: junctions that break the mirror are ringed. None: not shown.
    traffic
        How often each track is run along: wider tracks are run along more. None: all alike.
    conflicts, sidings
        How often trains block each other at a junction, and sidings are bought there: the area of a halo and of a small
        square. None: not shown.
    worth
        What a company loses that keeps off a place, in points of a hundred of the score, by the names of
        `sim.studies.versions.places_of`: written beside the place, tracks as wide and halos as large. None: not shown.

    Returns
    -------
    Figure
        Terminals are squares, junctions circles, yellow where the switch starts on Route 2. A blue (company A) or
        vermilion (B) plate next to a node is a train that starts there, on the track that it came from.
    """
    with style.applied():
        return _Picture(rail_map, exactness, traffic, conflicts, sidings, worth).draw()


def map_alt(rail_map: RailMap) -> str:
    """The map in a sentence, for those who do not see it."""
    network = Network(rail_map)
    tracks = ", ".join("-".join(track) for track in rail_map.tracks)
    trains = "; ".join(
        f"{company}{n + 1} at {at}, from {came_from}"
        for company in "AB"
        for n, (at, came_from) in enumerate(network.starts_of(company))
    )
    return (
        f"Map {rail_map.name}: {len(network.junctions)} junctions, {len(network.terminals)} terminals, "
        f"{len(rail_map.tracks)} tracks ({tracks}). Trains start: {trains}."
    )


def delivery_lines(rail_map: RailMap) -> list[tuple[str, str]]:
    """The destinations of every schedule, in order: the company's or train's name, and the nodes."""
    network = Network(rail_map)
    schedules: list[tuple[str, tuple[str, ...]]] = []
    if rail_map.deliveries is not None:
        schedules.append(("", rail_map.deliveries))
    schedules += [
        (str(n + 1), train.deliveries) for n, train in enumerate(rail_map.trains) if train.deliveries is not None
    ]
    lines = []
    for company in "AB":
        for name, nodes in schedules:
            ends = nodes if company == "A" else tuple(network.mirror[node] for node in nodes)
            lines.append((company + name, " → ".join(ends)))
    return lines


class _Picture:
    """A map on its way to paper; all places are in points from the lower left."""

    def __init__(
        self,
        rail_map: RailMap,
        exactness: Exactness | None,
        traffic: Traffic | None,
        conflicts: Marks | None,
        sidings: Marks | None,
        worth: Marks | None = None,
    ) -> None:
        self.conflicts = conflicts or {}
        self.worth = worth
        self.sidings = sidings or {}
        self.map = rail_map
        self.network = Network(rail_map)
        self.breaches = {breach.junction for breach in exactness.breaches} if exactness else set()
        self.traffic = traffic
        self.width = style.WIDTH_INCHES * POINTS_AN_INCH
        self.raw = layout_positions(rail_map)
        self.place, self.height = self._on_paper()
        self.radius = min(max(0.3 * self._nearest(), 4.0), 12.5)
        longest = max(len(label) for label in self.network.labels)
        self.inside = self.radius >= 8.5 and longest <= 3
        self.axis_tracks = [(one, other) for one, other in rail_map.tracks if self.network.mirror[one] == other]

    def draw(self) -> Figure:
        """Draw all of it."""
        from matplotlib.figure import Figure

        lines = [
            (name[0], line)
            for name, nodes in delivery_lines(self.map)
            for line in textwrap.wrap(f"{_owner(name)} delivers to {nodes}, and again", 70, subsequent_indent="      ")
        ]
        named = self._named()
        below = LINE * (len(lines) + len(named)) + 22
        total = self.height + below
        figure = Figure(figsize=(self.width / POINTS_AN_INCH, total / POINTS_AN_INCH))
        axes = figure.add_axes((0, below / total, 1, self.height / total))
        axes.set_xlim(0, self.width)
        axes.set_ylim(0, self.height)
        axes.axis("off")
        self._mirror(axes)
        self._tracks(axes)
        self._marks(axes)
        self._worths(axes)
        self._nodes(axes)
        self._trains(axes)
        for n, (company, line) in enumerate(lines):
            y = (below - 4 - LINE * (n + 1)) / total
            figure.text(12 / self.width, y, line, fontsize=9.5, color=_text_colour(company), va="bottom")
        figure.legend(
            [handle for handle, _ in named],
            [label for _, label in named],
            loc="lower left",
            bbox_to_anchor=(4 / self.width, 2 / total),
            fontsize=9.5,
            borderaxespad=0,
            labelspacing=0.3,
        )
        return figure

    def _on_paper(self) -> tuple[dict[str, Point], float]:
        """Every node's place in points, and the height of the map."""
        xs, ys = [x for x, _ in self.raw.values()], [y for _, y in self.raw.values()]
        wide, tall = max(xs) - min(xs), max(ys) - min(ys)
        room, most = self.width - 2 * PADDING, TALLEST - 2 * PADDING
        scale = min(room / wide if wide else math.inf, most / tall if tall else math.inf)
        scale = min(scale, 100.0) if math.isfinite(scale) else 1.0
        height = max(tall * scale + 2 * PADDING, 110.0)
        left, bottom = (self.width - wide * scale) / 2, (height - tall * scale) / 2
        place = {
            node: (left + (x - min(xs)) * scale, bottom + (y - min(ys)) * scale) for node, (x, y) in self.raw.items()
        }
        return place, height

    def _nearest(self) -> float:
        """Least distance of two nodes."""
        places = list(self.place.values())
        gaps = [math.dist(one, other) for n, one in enumerate(places) for other in places[n + 1 :]]
        return min((gap for gap in gaps if gap > 0), default=100.0)

    def _mirror(self, axes: Axes) -> None:
        """A faint line where the picture can be folded, or a point that it can be turned about."""
        mirror = self.network.mirror
        if all(mirror[node] == node for node in mirror):
            return
        x_middle = sum(x for x, _ in self.place.values()) / len(self.place)
        y_middle = sum(y for _, y in self.place.values()) / len(self.place)

        def fits(flip_x: bool, flip_y: bool) -> bool:
            images = {
                node: (2 * x_middle - x if flip_x else x, 2 * y_middle - y if flip_y else y)
                for node, (x, y) in self.place.items()
            }
            return all(math.dist(self.place[mirror[node]], image) < 1.5 for node, image in images.items())

        look: dict[str, Any] = {"color": style.MUTED, "linewidth": 0.9, "linestyle": (0, (2, 4)), "zorder": 0}
        words: dict[str, Any] = {"fontsize": 8.5, "color": style.MUTED}
        if fits(True, False):
            axes.plot([x_middle] * 2, [2, self.height - 2], **look)
            axes.text(x_middle + 4, self.height - 3, "mirror", ha="left", va="top", **words)
        elif fits(False, True):
            axes.plot([4, self.width - 4], [y_middle] * 2, **look)
            axes.text(4, y_middle + 3, "mirror", ha="left", va="bottom", **words)
        elif fits(True, True):
            axes.plot([x_middle], [y_middle], "+", color=style.MUTED, markersize=9, zorder=2.2)
            axes.text(self.width - 6, self.height - 3, "half a turn mirrors it", ha="right", va="top", **words)

    def _tracks(self, axes: Axes) -> None:
        """Tracks, wider where more trains ran, with a bar across those that the mirror flips."""
        busiest = max(self.traffic.values(), default=0.0) if self.traffic else 0.0
        for one, other in self.map.tracks:
            (x1, y1), (x2, y2) = self.place[one], self.place[other]
            width = 2.2
            if self.traffic is not None:
                used = self.traffic.get((one, other), 0.0) + self.traffic.get((other, one), 0.0)
                width = 1.0 + 7.0 * (used / busiest if busiest else 0.0)
            elif self.worth is not None:
                width = 1.0 + 7.0 * self._share_of_most(f"track:{one} - {other}")
            # A white border lifts a track over those that it crosses.
            axes.plot([x1, x2], [y1, y2], color=style.PAPER, linewidth=width + 4, solid_capstyle="butt", zorder=1)
            axes.plot([x1, x2], [y1, y2], color=TRACK, linewidth=width, solid_capstyle="round", zorder=1)
        for one, other in self.axis_tracks:
            (x1, y1), (x2, y2) = self.place[one], self.place[other]
            x, y, length = (x1 + x2) / 2, (y1 + y2) / 2, math.dist((x1, y1), (x2, y2)) or 1.0
            dx, dy = -(y2 - y1) / length * 6, (x2 - x1) / length * 6
            axes.plot([x - dx, x + dx], [y - dy, y + dy], color=style.FIRST, linewidth=3, zorder=2)

    def _marks(self, axes: Axes) -> None:
        """Halos for conflicts under the junctions, and squares for sidings beside them; areas are in proportion."""
        from matplotlib.patches import Circle, Rectangle

        worst = max(self.conflicts.values(), default=0.0)
        for node, often in self.conflicts.items():
            if often > 0:
                x, y = self.place[node]
                r = math.sqrt(self.radius**2 + (3.2 * self.radius**2) * often / worst)
                axes.add_patch(Circle((x, y), r, facecolor=style.WARNING, edgecolor="none", alpha=0.75, zorder=2.2))
        most = max(self.sidings.values(), default=0.0)
        for node, often in self.sidings.items():
            if often > 0:
                x, y = self.place[node]
                side = 1.1 * self.radius * math.sqrt(often / most)
                corner = (x + 0.85 * self.radius, y - 0.85 * self.radius - side)
                look: dict[str, Any] = {"facecolor": style.FIRST, "edgecolor": style.PAPER, "linewidth": 0.8}
                axes.add_patch(Rectangle(corner, side, side, zorder=4.5, **look))

    def _share_of_most(self, place: str) -> float:
        """The worth of a place in shares of that of the most valuable one; 0 where it is none."""
        worth = self.worth or {}
        most = max((abs(value) for value in worth.values()), default=0.0)
        return max(0.0, worth.get(place, 0.0)) / most if most else 0.0

    def _worths(self, axes: Axes) -> None:
        """Halos under junctions, and the worth of every place beside it."""
        from matplotlib.patches import Circle
        from matplotlib.patheffects import withStroke

        for place, value in (self.worth or {}).items():
            kind, _, name = place.partition(":")
            words = "0" if f"{value:.1f}" in ("0.0", "-0.0") else f"{value:+.1f}"
            look: dict[str, Any] = {"va": "center", "fontsize": 7.5, "color": style.INK, "zorder": 5}
            look["path_effects"] = [withStroke(linewidth=2.5, foreground=style.PAPER)]
            if kind == "track":
                (x1, y1), (x2, y2) = (self.place[end] for end in name.split(" - "))
                aside = 11 if tuple(name.split(" - ")) in self.axis_tracks else 0  # off the bar across it
                axes.text((x1 + x2) / 2, (y1 + y2) / 2 - aside, words, ha="center", **look)
                continue
            x, y = self.place[name]
            angle = self._free_angle(name)
            dx, away = math.cos(angle), self.radius + 4
            side = "left" if dx > 0.35 else "right" if dx < -0.35 else "center"
            axes.text(x + away * dx, y + away * math.sin(angle), words, ha=side, **look)
            r = self.radius * math.sqrt(1 + 3.2 * self._share_of_most(place))
            axes.add_patch(Circle((x, y), r, facecolor=style.SEAT_A, edgecolor="none", alpha=0.35, zorder=2.2))

    def _nodes(self, axes: Axes) -> None:
        """Stations and junctions with their labels."""
        from matplotlib.patches import Circle, Rectangle

        r = self.radius
        for node, (x, y) in self.place.items():
            edge: dict[str, Any] = {"edgecolor": style.INK, "linewidth": 1.4, "zorder": 3}
            if node in self.network.terminals:
                s = 0.9 * r
                axes.add_patch(Rectangle((x - s, y - s), 2 * s, 2 * s, facecolor=STATION, **edge))
            else:
                fill = ROUTE_TWO if self.network.initial_routes[node] == 2 else style.PAPER
                if node in self.breaches:
                    axes.add_patch(Circle((x, y), r + 3.5, facecolor=style.WARNING, edgecolor="none", zorder=2.5))
                axes.add_patch(Circle((x, y), r, facecolor=fill, **edge))
            self._label(axes, node)

    def _label(self, axes: Axes, node: str) -> None:
        """A node's label: inside it where all fit, else beside it where most room is."""
        from matplotlib.patheffects import withStroke

        x, y = self.place[node]
        if self.inside:
            size = min(9.0, 1.25 * self.radius / max(1.0, 0.5 * len(node)))
            axes.text(x, y, node, ha="center", va="center_baseline", fontsize=size, fontweight="bold", zorder=4)
            return
        angle = self._free_angle(node)
        away = self.radius + 4.5
        dx, dy = math.cos(angle), math.sin(angle)
        axes.text(
            x + away * dx,
            y + away * dy,
            shortened(node, LONGEST_LABEL),
            ha="left" if dx > 0.35 else "right" if dx < -0.35 else "center",
            va="bottom" if dy > 0.5 else "top" if dy < -0.5 else "center",
            fontsize=9.0 if self.radius > 7 else 7.5 if self.radius > 5 else 6.5,
            fontweight="bold",
            zorder=5,
            path_effects=[withStroke(linewidth=2.5, foreground=style.PAPER)],
        )

    def _free_angle(self, node: str) -> float:
        """Direction in the middle of the widest gap between the tracks of a node."""
        x, y = self.place[node]
        angles = sorted(
            math.atan2(self.place[near][1] - y, self.place[near][0] - x) for near in self.network.neighbours[node]
        )
        gaps = [
            ((angles[(n + 1) % len(angles)] - angle) % math.tau or math.tau, angle) for n, angle in enumerate(angles)
        ]
        # Of equal gaps the one that points sideways: labels are wide.
        gap, start = max(gaps, key=lambda found: (round(found[0], 3), abs(math.cos(found[1] + found[0] / 2))))
        return start + gap / 2

    def _trains(self, axes: Axes) -> None:
        """A plate for every train, on the track that it came from, next to the node where it stands."""
        taken: dict[tuple[str, str], int] = {}
        for company, colour in (("A", style.SEAT_A), ("B", style.SEAT_B)):
            for n, (at, came_from) in enumerate(self.network.starts_of(company)):
                (x, y), (x_from, y_from) = self.place[at], self.place[came_from]
                length = math.dist((x, y), (x_from, y_from)) or 1.0
                dx, dy = (x_from - x) / length, (y_from - y) / length
                beside = taken.get((at, came_from), 0)
                taken[at, came_from] = beside + 1
                along = min(self.radius + 10 + 3 * abs(dx), 0.5 * length)
                aside = (0, 16, -16, 32)[beside]
                axes.text(
                    x + along * dx - aside * dy,
                    y + along * dy + aside * dx,
                    f"{company}{n + 1}",
                    ha="center",
                    va="center",
                    fontsize=8.5 if self.radius > 6 else 7,
                    fontweight="bold",
                    color=style.PAPER,
                    zorder=6,
                    bbox={"boxstyle": "round,pad=0.22", "facecolor": colour, "edgecolor": style.PAPER, "linewidth": 1},
                )

    def _named(self) -> list[tuple[Any, str]]:
        """Legend entries for what the map has."""
        from matplotlib.lines import Line2D

        def mark(marker: str, face: str, edge: str, label: str, width: float = 1.2) -> tuple[Any, str]:
            drawn = Line2D(
                [],
                [],
                marker=marker,
                linestyle="",
                markersize=9,
                markerfacecolor=face,
                markeredgecolor=edge,
                markeredgewidth=width,
            )
            return drawn, label

        routes = set(self.network.initial_routes.values())
        entries = [mark("s", STATION, style.INK, "terminal")]
        if 1 in routes:
            entries.append(mark("o", style.PAPER, style.INK, "junction whose switch starts on Route 1"))
        if 2 in routes:
            entries.append(mark("o", ROUTE_TWO, style.INK, "junction whose switch starts on Route 2"))
        if self.breaches:
            entries.append(mark("o", style.PAPER, style.WARNING, "junction at which the mirror is not exact", 2.5))
        if self.axis_tracks:
            bar = Line2D([], [], marker="|", linestyle="", markersize=9, markeredgewidth=3, color=style.FIRST)
            entries.append((bar, "track that the mirror flips"))
        if self.traffic is not None:
            entries.append((Line2D([], [], color=TRACK, linewidth=5), "the wider a track, the more trains run on it"))
        if self.worth is not None:
            told = "the larger a halo and the wider a track, the more it is worth [pp of the score]"
            entries.append(mark("o", "#B8CCE0", "#B8CCE0", told))
        if any(self.conflicts.values()):
            entries.append(
                mark("o", style.WARNING, style.WARNING, "the larger a halo, the more conflicts at the junction")
            )
        if any(self.sidings.values()):
            entries.append(
                mark("s", style.FIRST, style.PAPER, "the larger a square, the more sidings are bought there")
            )
        return entries


def _owner(name: str) -> str:
    return f"company {name}" if len(name) == 1 else name


def _text_colour(company: str) -> str:
    return style.SEAT_A if company == "A" else style.SEAT_B_TEXT
