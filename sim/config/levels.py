"""What a key is turned over: lists, ranges with steps, and maps that are generated."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sim.config.errors import Problem
from sim.config.map_generator import MapGenerator, generated_maps
from sim.config.shapes import shaped
from sim.config.tree import Node
from sim.config.values import Kind, did_you_mean, refused, shown

__all__ = ["MOST_CELLS", "Levels", "LevelsKind", "with_generated"]

MOST_CELLS = 10_000
DIGITS = 12
"""Decimal places to which the steps of a range are rounded, so that 0.1 three times over is 0.3."""

PLACES = 4
"""Decimal places of a number by chance, of the range that it is from: more would only make it hard to read."""

EVENLY = 4
"""Values that are taken of a range without steps where steps are needed."""

GENERATE = "generate"
_ENDS = ("from", "to", "step")


@dataclass(frozen=True)
class Levels:
    """What a key is set to.

    Attributes
    ----------
    values
        In order; of a range without steps its two ends.
    continuous
        Whether every number between the two ends is allowed.
    generate
        Whether the values are maps that are still to be generated (`with_generated`).
    """

    values: tuple[Any, ...]
    continuous: bool = False
    generate: bool = False

    @property
    def stepped(self) -> tuple[Any, ...]:
        """The values; of a range without steps a few, evenly spaced."""
        if not self.continuous:
            return self.values
        return tuple(self.at(place / (EVENLY - 1)) for place in range(EVENLY))

    @property
    def ordered(self) -> bool:
        """Whether the values are numbers, so that a step from one to the next has a direction."""
        return all(_is_number(value) for value in self.values)

    @property
    def count(self) -> int | None:
        """How many there are; None where they are without number."""
        return None if self.continuous else len(self.values)

    def at(self, share: float) -> Any:
        """The value at a share, 0 to 1 (not included), of the way: all levels are equally wide."""
        if self.continuous:
            low, high = self.values
            places = PLACES - math.floor(math.log10(high - low))
            return round(low + share * (high - low), places)
        return self.values[min(int(share * len(self.values)), len(self.values) - 1)]


@dataclass(frozen=True, slots=True)
class LevelsKind(Kind):
    """A list of values, or a range `{from: 4, to: 12, step: 1}`."""

    def check(self, value: Any) -> Levels:
        """Return the levels, or say what is allowed."""
        if isinstance(value, dict) and set(value) == {GENERATE}:
            return Levels((), generate=True)
        if isinstance(value, dict):
            return _range(value)
        if not isinstance(value, list | tuple) or not value:
            raise refused("must be a list of values such as [0, 1, 2], or a range such as {from: 4, to: 12}")
        if len(value) > MOST_CELLS:
            raise refused(f"has {len(value):,} values; must have at most {MOST_CELLS:,}")
        written = [json.dumps(one, sort_keys=True, default=str) for one in value]
        twice = next((one for one in written if written.count(one) > 1), None)
        if twice is not None:
            raise refused(f"has {twice} twice; must name each value once")
        return Levels(tuple(value))

    def json_schema(self) -> dict[str, Any]:
        """A list, or a mapping of numbers."""
        return {"anyOf": [{"type": "array", "minItems": 1}, {"type": "object"}]}


def _range(given: Mapping[str, Any]) -> Levels:
    allowed = "must be a range such as {from: 4, to: 12} or {from: 0.1, to: 0.5, step: 0.1}"
    for key in given:
        if key not in _ENDS:
            raise refused(f"has the entry {shown(key)}; {allowed}{did_you_mean(key, _ENDS)}")
    for key in _ENDS[:2]:
        if key not in given:
            raise refused(f"has no {key}; {allowed}")
    numbers = {key: value for key, value in given.items() if _is_number(value)}
    for key, value in given.items():
        if key not in numbers:
            raise refused(f"has {shown(value)} as its {key}, which is no number; {allowed}")
    low, high, step = numbers["from"], numbers["to"], numbers.get("step")
    if low > high:
        raise refused(f"has nothing in it, from {low} to {high}; must be a range whose first end is the smaller")
    whole = all(isinstance(number, int) for number in numbers.values())
    if step is None and not whole:
        return Levels((float(low), float(high)), True) if low < high else Levels((float(low),))
    step = 1 if step is None else step
    if step <= 0:
        raise refused(f"has the step {step}; must be a step above 0")
    n = math.floor((high - low) / step + 1e-9) + 1
    if n > MOST_CELLS:
        raise refused(f"has {n:,} values; must have at most {MOST_CELLS:,}: give it a larger step")
    values = (low + place * step for place in range(n))
    return Levels(tuple(value if whole else round(value, DIGITS) for value in values))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def with_generated(keys: Mapping[str, Levels], root: Node, place: str, problems: list[Problem]) -> dict[str, Levels]:
    """The levels of all keys, with maps in the place of `{generate: …}`.

    Parameters
    ----------
    keys
        As read.
    root
        The file as a tree.
    place
        The key of the file that has them.
    problems
        What is wrong with a generator is appended.
    """
    found = dict(keys)
    for key, levels in keys.items():
        if not levels.generate:
            continue
        path = (place, key, GENERATE)
        node = root.nearest(path)
        if key != "map":
            problems.append(node.problem(path, "makes maps; must stand under the key map"))
            continue
        spec = shaped(MapGenerator, node.plain(), node, path, problems) if isinstance(node.value, dict) else None
        if not isinstance(node.value, dict):
            problems.append(
                node.problem(path, "must be a mapping such as {junctions: 8, terminals: 6, count: 20, seed: 1}")
            )
        if spec is None:
            continue
        wrong = spec.breach()
        if wrong is not None:
            problems.append(root.nearest((*path, wrong[0])).problem((*path, wrong[0]), wrong[1]))
            continue
        maps = generated_maps(spec)
        if len(maps) < spec.count:
            message = f"finds {len(maps)} such maps of {spec.count}; must ask for fewer, or for wider legs"
            problems.append(node.problem(path, message))
            continue
        found[key] = Levels(tuple(maps))
    return found
