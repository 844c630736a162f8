"""The house as a picture: rooms, and which imports which, read from the sources."""

from __future__ import annotations

import ast
import html
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

__all__ = ["house_picture", "imports"]

FLOORS = (
    ("sim.cli",),
    ("sim.reports",),
    ("sim.studies",),
    ("sim.running", "sim", "sim.games"),
    ("sim.config",),
    ("sim.stats",),
    ("kernels.dispatch", "kernels.mainline"),
    ("kernels",),
)
"""Rooms from the roof down: what stands higher imports what stands lower, and never back."""

FROM_OUTSIDE = {"sim/__main__.py": "sim.cli", "sim/testing.py": "sim.studies"}
"""Files that lie in `sim` for whoever calls them, and belong to other rooms."""

WORDS = {
    "sim.cli": "parses and prints",
    "sim.reports": "pictures, pages, tables: no statistics",
    "sim.studies": "which runs to make, which estimates",
    "sim": "api, records, store, catalogue, lowering",
    "sim.running": "chunks, threads, parts, continuing",
    "sim.games": "what a game promises, and the games",
    "sim.config": "models, loading with file and line, checks",
    "sim.stats": "sums in, estimates out: no files",
    "kernels.dispatch": "the dispatch game in numbers; bots",
    "kernels.mainline": "the mainline game in numbers",
    "kernels": "codes, random numbers, compiling",
}
STEPS = {
    "sim.config": 1,
    "sim.games": 2,
    "sim": 3,
    "sim.running": 4,
    "kernels.dispatch": 5,
    "sim.stats": 6,
    "sim.reports": 7,
}
"""The way of a match, as docs/architecture.md tells it."""

WIDE, HIGH, GAP, LEFT = 300, 46, 30, 24
INK, MUTED, PAPER = "#222222", "#8a8a8a", "#ffffff"
COLOURS = {"sim": "#dcebf5", "kernels": "#f8e3d3"}


def room_of(parts: tuple[str, ...]) -> str:
    """The room of a module, by its dotted name in parts; a package's own file counts to it."""
    return ".".join(parts[:2]) if len(parts) > 2 else parts[0]


def imports(root: Path) -> Counter[tuple[str, str]]:
    """How many imports lead from one room to another.

    Those at the head of a file are counted. Of `sim.cli`, which has no others, those within functions are, too.
    """
    found: Counter[tuple[str, str]] = Counter()
    for package in ("sim", "kernels"):
        for path in sorted((root / package).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            here = FROM_OUTSIDE.get(name) or room_of(path.relative_to(root).parts)
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for module in _modules(ast.walk(tree) if here == "sim.cli" else tree.body):
                parts = tuple(module.split("."))
                if parts[0] in ("sim", "kernels"):
                    there = room_of((*parts, "__init__") if (root / Path(*parts)).is_dir() else parts)
                    if there != here:
                        found[here, there] += 1
    return found


def _modules(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def shown_arrows(found: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The imports that do not follow from others: from a floor to one below where no way leads over a third."""
    floor = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
    every = set(found)
    below = {room: {other for one, other in every if one == room and floor[other] > floor[room]} for room in floor}
    beside = {room: {other for other in floor if other != room and floor[other] == floor[room]} for room in floor}

    def reached(room: str) -> set[str]:
        more = set().union(*(reached(other) for other in below[room]), below[room])
        return more | set().union(set(), *(beside[other] for other in more if floor[other] == 3))

    kept = []
    for room in floor:
        for other in below[room]:
            over = {third for third in below[room] if third != other and floor[third] != floor[other]}
            if not any(other in reached(third) for third in over):
                kept.append((room, other))
    return sorted(kept + [(one, other) for one, other in every if floor[one] == floor[other]])


def house_picture(root: Path) -> str:
    """The picture as SVG: the same text as long as no room begins or ceases to import another."""
    places: dict[str, tuple[float, float]] = {}
    width = LEFT * 2 + 3 * WIDE + 2 * GAP
    for level, rooms in enumerate(FLOORS):
        for number, room in enumerate(rooms):
            column = number + (1 if len(rooms) < 3 else 0)
            places[room] = (LEFT + column * (WIDE + GAP), 20 + level * (HIGH + GAP))
    height = 20 + len(FLOORS) * (HIGH + GAP) + 24
    drawn = [_arrow(places, one, other) for one, other in shown_arrows(imports(root))]
    drawn += [_room(room, *place) for room, place in places.items()]
    said = (
        "Blue: words and files. Orange: numbers only. Arrows: imports; those that follow are left out. "
        "1 to 7: the way of a match."
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="The rooms of the house and which imports which" font-family="DejaVu Sans, Verdana, Arial">\n'
        f'<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" fill="{MUTED}"/></marker></defs>\n'
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>\n'
        + "\n".join(drawn)
        + f'\n<text x="{LEFT}" y="{height - 12}" font-size="13" fill="{INK}">{said}</text>\n</svg>\n'
    )


def _room(room: str, x: float, y: float) -> str:
    fill = COLOURS[room.partition(".")[0]]
    step = STEPS.get(room)
    mark = (
        ""
        if step is None
        else (
            f'<circle cx="{x + WIDE - 20:g}" cy="{y + 17:g}" r="11" fill="{PAPER}" stroke="{INK}"/>'
            f'<text x="{x + WIDE - 20:g}" y="{y + 22:g}" font-size="13" text-anchor="middle" fill="{INK}">{step}</text>'
        )
    )
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{WIDE}" height="{HIGH}" rx="6" fill="{fill}" stroke="{INK}"/>'
        f'<text x="{x + 12:g}" y="{y + 19:g}" font-size="15" font-weight="bold" fill="{INK}">{room}</text>'
        f'<text x="{x + 12:g}" y="{y + 36:g}" font-size="12" fill="{INK}">{html.escape(WORDS[room])}</text>' + mark
    )


def _arrow(places: dict[str, tuple[float, float]], one: str, other: str) -> str:
    """From room to room: straight down or aside; in a bow past rooms that stand between."""
    (x1, y1), (x2, y2) = places[one], places[other]
    if y1 == y2:
        near = (x1 + WIDE, x2) if x1 < x2 else (x1, x2 + WIDE)
        if abs(x1 - x2) > WIDE + GAP:
            middle = f"{(x1 + x2 + WIDE) / 2:g} {y1 - 26:g}"
            return _path(f"M{near[0]:g} {y1 + 8:g}Q{middle} {near[1]:g} {y2 + 8:g}")
        return _path(f"M{near[0]:g} {y1 + HIGH / 2:g}L{near[1]:g} {y2 + HIGH / 2:g}")
    floors = round((y2 - y1) / (HIGH + GAP))
    if floors > 1 and x1 > x2:  # in at the side, clear of the rooms between
        return _path(f"M{x1 + WIDE / 2:g} {y1 + HIGH:g}L{x2 + WIDE:g} {y2 + 10:g}")
    if floors == 1 or x1 != x2 or x1 > LEFT + WIDE + GAP:
        return _path(f"M{x1 + WIDE / 2:g} {y1 + HIGH:g}L{x2 + WIDE / 2:g} {y2:g}")
    # The longest bow on the right, where there is room; a shorter one on the left.
    side, bow = (x1 + WIDE, x1 + WIDE + GAP) if floors > 2 else (x1, x1 - GAP)
    start, end = y1 + HIGH * 0.7, y2 + HIGH * 0.3
    return _path(f"M{side:g} {start:g}C{bow:g} {start:g} {bow:g} {end:g} {side:g} {end:g}")


def _path(shape: str) -> str:
    return f'<path d="{shape}" fill="none" stroke="{MUTED}" stroke-width="1.3" marker-end="url(#head)"/>'
