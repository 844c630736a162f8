"""Whether what was read back from a file has the keys and types that it was written with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["wrong_key"]


def wrong_key(found: Mapping[str, Any], wanted: Mapping[str, tuple[type, ...]], place: str = "") -> str | None:
    """The first key that is missing or of another type; True and False are no numbers."""
    for key, types in wanted.items():
        if key not in found:
            return f"it lacks {place}{key}"
        value = found[key]
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            return f"{place}{key} is {value!r:.60}"
    return None
