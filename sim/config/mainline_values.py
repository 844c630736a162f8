"""The kinds of value that only a mainline scenario has."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sim.config.values import Kind, did_you_mean, refused, shown

__all__ = ["Chance", "Direction", "HandSlot", "HoldWord", "StageRange", "UpKind"]

Direction: TypeAlias = Literal["east", "west"]
DIRECTIONS = ("east", "west")


@dataclass(frozen=True, slots=True)
class Chance(Kind):
    """A number from 0 to 1."""

    def check(self, value: Any) -> float:
        """Return the chance, or say what is allowed."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1 or math.isnan(value):
            raise refused("must be a chance: a number from 0 to 1")
        return float(value)

    def json_schema(self) -> dict[str, Any]:
        """The limits as JSON Schema."""
        return {"type": "number", "minimum": 0, "maximum": 1}


def _is_whole(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


@dataclass(frozen=True, slots=True)
class StageRange(Kind):
    """A Stage, or the first and the last of a range: always given back as a range."""

    high: int

    def check(self, value: Any) -> tuple[int, int]:
        """Return the two ends, or say what is allowed."""
        ends = list(value) if isinstance(value, list | tuple) else [value, value]
        if len(ends) != 2 or not all(_is_whole(end, 1, self.high) for end in ends):
            raise refused(f"must be a Stage, 1 to {self.high:,}, or a range of two, such as [3, 6]")
        if ends[0] > ends[1]:
            raise refused("must be a range whose first Stage is not after its last, such as [3, 6]")
        return ends[0], ends[1]

    def json_schema(self) -> dict[str, Any]:
        """A number or two as JSON Schema."""
        stage = {"type": "integer", "minimum": 1, "maximum": self.high}
        return {"anyOf": [stage, {"type": "array", "items": stage, "minItems": 2, "maxItems": 2}]}


@dataclass(frozen=True, slots=True)
class HandSlot(Kind):
    """A slot, counted from 1 at the west, or `first_legal`."""

    high: int

    def check(self, value: Any) -> int | str:
        """Return the slot, or say what is allowed."""
        if value == "first_legal" or _is_whole(value, 1, self.high):
            return value  # type: ignore[no-any-return]
        near = did_you_mean(value, ["first_legal"]) if isinstance(value, str) else ""
        raise refused(f"must be a slot, counted from 1 at the west, or first_legal{near}")

    def json_schema(self) -> dict[str, Any]:
        """A number or the word as JSON Schema."""
        return {"anyOf": [{"type": "integer", "minimum": 1, "maximum": self.high}, {"const": "first_legal"}]}


@dataclass(frozen=True, slots=True)
class HoldWord(Kind):
    """The policy in one word; the other policy is a mapping."""

    def check(self, value: Any) -> str:
        """Return the word, or say what is allowed."""
        if value == "hold":
            return "hold"
        near = did_you_mean(value, ["hold"]) if isinstance(value, str) else ""
        raise refused(f"must be hold, or a mapping with a chance, such as {{admit: 0.2}}{near}")

    def json_schema(self) -> dict[str, Any]:
        """The word as JSON Schema."""
        return {"const": "hold"}


@dataclass(frozen=True, slots=True)
class UpKind(Kind):
    """One orientation for all, or slots to orientations; null: drawn."""

    high: int

    def check(self, value: Any) -> Any:
        """Return the orientation or a mapping of slots (numbers) to orientations, or say what is allowed."""
        if value is None or value in DIRECTIONS:
            return value
        if not isinstance(value, dict):
            raise refused(f"must be east, west, or slots with east or west, such as {{2: east}}{self._near(value)}")
        found: dict[int, str] = {}
        for slot, way in value.items():
            digits = str(slot)
            number = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= 2 else 0
            if not 1 <= number <= self.high:
                raise refused(f"has the slot {shown(slot)}; must have slots counted from 1 at the west")
            if way not in DIRECTIONS:
                raise refused(f"has {shown(way)} on slot {number}; must have east or west{self._near(way)}")
            found[number] = way
        return found

    @staticmethod
    def _near(value: Any) -> str:
        return did_you_mean(value, DIRECTIONS) if isinstance(value, str) else ""

    def json_schema(self) -> dict[str, Any]:
        """A word or a mapping as JSON Schema."""
        word = {"enum": list(DIRECTIONS)}
        return {"anyOf": [word, {"type": "object", "additionalProperties": word}, {"type": "null"}]}
