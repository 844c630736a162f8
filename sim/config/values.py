"""The kinds of value that a configuration key can take, each with its own words for what is allowed.

A kind checks what pydantic's own types would not: numbers are YAML integers (no true, no 1.0, no text), labels are
text. Models name a kind with ``Annotated``; the generated reference reads its limits from the field's metadata.
"""

from __future__ import annotations

import difflib
import math
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

SHOWN_CHARACTERS = 60


def shown(value: object) -> str:
    """How a value reads in an error message, as it would be written in the file."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) >= 10**30:
        return "a number of more than 30 digits"
    if isinstance(value, str):
        text = repr(value)
    elif isinstance(value, dict):
        text = "a mapping" if value else "an empty mapping"
    elif isinstance(value, list | tuple):
        text = "[" + ", ".join(item if isinstance(item, str) else shown(item) for item in value[:8]) + "]"
        text = text if len(value) <= 8 else f"a list of {len(value)}"
    else:
        text = str(value)
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """The tail of a message: the nearest known word, or nothing."""
    text = str(word)[:100]

    def likeness(name: str) -> tuple[bool, float, int]:
        same_start = next(
            (n for n, (a, b) in enumerate(zip(name, text, strict=False)) if a != b), min(len(name), len(text))
        )
        return name.casefold() == text.casefold(), difflib.SequenceMatcher(None, text, name).ratio(), same_start

    # A name that is known, but not allowed here, is no answer to itself.
    nearest = max((name for name in known if name != text), key=likeness, default=None)
    if nearest is None:
        return ""
    same, ratio, _ = likeness(nearest)
    return f"; did you mean {shown(nearest)}?" if same or ratio >= (0.5 if len(text) <= 3 else 0.6) else ""


def refused(allowed: str) -> PydanticCustomError:
    """The error of a kind; `shapes` puts the key and what was found in front of it."""
    return PydanticCustomError("kind", "{allowed}", {"allowed": allowed})


class Kind(ABC):
    """What the kinds share: pydantic calls `check` with the raw value."""

    @abstractmethod
    def check(self, value: Any) -> Any:
        """The value, or `PydanticCustomError` where it is not of this kind."""

    @abstractmethod
    def json_schema(self) -> dict[str, Any]:
        """The kind as JSON schema."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return self.json_schema()


@dataclass(frozen=True, slots=True)
class Whole(Kind):
    """A whole number from `low` to `high` in `unit`, or null where `null` says so."""

    unit: str
    low: int
    high: int
    null: bool = False

    def check(self, value: Any) -> int | None:
        """Return the number, or say what is allowed."""
        if value is None and self.null:
            return None
        noun = "a whole number" + (f" of {self.unit}" if self.unit else "")
        tail = ", or null" if self.null else ""
        if isinstance(value, bool) or not isinstance(value, int) or not self.low <= value <= self.high:
            raise refused(f"must be {noun}, {self.low:,} to {self.high:,}{tail}")
        return value

    def json_schema(self) -> dict[str, Any]:
        """The limits as JSON Schema."""
        schema = {"type": "integer", "minimum": self.low, "maximum": self.high}
        return {"anyOf": [schema, {"type": "null"}]} if self.null else schema


@dataclass(frozen=True, slots=True)
class Share(Kind):
    """A share of 1: a number above 0 and below 1, or text such as 1pp or 1%."""

    def check(self, value: Any) -> float:
        """Return the share, or say what is allowed."""
        allowed = refused("must be a share above 0 and below 1, such as 0.01, 1pp or 1%")
        scale = 1.0
        if isinstance(value, str):
            unit = next((unit for unit in ("pp", "%") if value.endswith(unit)), None)
            if unit is None:
                raise allowed
            try:
                value, scale = float(value.removesuffix(unit)), 100.0
            except ValueError:
                raise allowed from None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value / scale < 1:
            raise allowed
        return float(value / scale)

    def json_schema(self) -> dict[str, Any]:
        """The limits as JSON Schema."""
        return {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}


@dataclass(frozen=True, slots=True)
class OneOf(Kind):
    """One of a few words (or numbers, or true and false)."""

    choices: tuple[str | int, ...]

    def check(self, value: Any) -> str | int:
        """Return the word, or say which there are."""
        for choice in self.choices:
            if type(value) is type(choice) and value == choice:
                return choice
        allowed = " or ".join(shown(choice) if isinstance(choice, bool) else str(choice) for choice in self.choices)
        words = [choice for choice in self.choices if isinstance(choice, str)]
        raise refused(f"must be {allowed}{did_you_mean(value, words)}")

    def json_schema(self) -> dict[str, Any]:
        """The choices as JSON Schema."""
        return {"enum": list(self.choices)}


@dataclass(frozen=True, slots=True)
class Text(Kind):
    """Text such as a node label or a name; a number, null or true needs quotes."""

    noun: str

    def check(self, value: Any) -> str:
        """Return the text, or say what is wrong with it."""
        if not isinstance(value, str):
            if value is None or isinstance(value, bool | int | float):
                raise refused(f"which is no text; must be {self.noun}: write it in quotes if it is meant as text")
            raise refused(f"must be {self.noun}, which is text")
        if not value:
            raise refused(f"must be {self.noun} of at least one character")
        if unprintable(value):
            raise refused(f"has characters that cannot be printed; must be {self.noun}, printable text")
        return value

    def json_schema(self) -> dict[str, Any]:
        """Text as JSON Schema."""
        return {"type": "string", "minLength": 1}


@dataclass(frozen=True, slots=True)
class Pair(Kind):
    """Two labels: the two ends of a track."""

    def check(self, value: Any) -> tuple[str, str]:
        """Return the two labels, or say what is wrong."""
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise refused("must be a track: a list of the two nodes that it joins, such as [a, b]")
        label = Text("a label")
        return label.check(value[0]), label.check(value[1])

    def json_schema(self) -> dict[str, Any]:
        """Two labels as JSON Schema."""
        return {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}


@dataclass(frozen=True, slots=True)
class Point(Kind):
    """A place in a picture: two finite numbers."""

    def check(self, value: Any) -> tuple[float, float]:
        """Return the two coordinates, or say what is allowed."""
        wrong = refused("must be a point: two numbers of at most a million, such as [0, 1.5]")
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise wrong
        for number in value:
            if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
                raise wrong
            if abs(number) > 1e6:
                raise wrong
        return float(value[0]), float(value[1])

    def json_schema(self) -> dict[str, Any]:
        """Two numbers as JSON Schema."""
        return {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}


def unprintable(text: str) -> bool:
    """Whether text has control characters, line breaks or half characters (surrogates)."""
    if text.isprintable():  # stricter, and a single step
        return False
    return any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in text)
