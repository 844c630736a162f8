"""What differs between two scenarios, key by key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["ABSENT", "Change", "scenario_changes"]

ABSENT = "absent"
"""Stands for the value of a key that one of the two has not."""

SCENERY = ("name", "map.layout")
"""Keys that no rule reads."""


@dataclass(frozen=True)
class Change:
    """One key whose value differs.

    Attributes
    ----------
    key
        As `--set` writes it; items of lists are counted from 1.
    base, variant
        Its values, plain data; `ABSENT` where the key is missing.
    """

    key: str
    base: Any
    variant: Any

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def scenario_changes(base: Mapping[str, Any], variant: Mapping[str, Any]) -> tuple[Change, ...]:
    """Keys whose values differ between two resolved scenarios, what no rule reads left out.

    Lists of different lengths are one change each.
    """
    return tuple(change for change in _changes("", base, variant) if not _is_scenery(change.key))


def _is_scenery(key: str) -> bool:
    return any(key == name or key.startswith((f"{name}.", f"{name}[")) for name in SCENERY)


def _changes(key: str, base: Any, variant: Any) -> Iterator[Change]:
    if isinstance(base, Mapping) and isinstance(variant, Mapping):
        for name in dict.fromkeys([*base, *variant]):
            inner = f"{key}.{name}" if key else str(name)
            yield from _changes(inner, base.get(name, ABSENT), variant.get(name, ABSENT))
    elif isinstance(base, list) and isinstance(variant, list) and len(base) == len(variant):
        for place, (one, other) in enumerate(zip(base, variant, strict=True), 1):
            yield from _changes(f"{key}[{place}]", one, other)
    elif base != variant or isinstance(base, bool) != isinstance(variant, bool):
        yield Change(key, base, variant)
