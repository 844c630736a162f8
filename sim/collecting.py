"""How often Python looks for cyclic garbage while much is made and little of it goes round in circles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

__all__ = ["SELDOM", "seldom_collected"]

SELDOM = (10_000, 10, 10)
"""New objects before Python looks among them, and how many looks before it looks among older ones too.

Python's own first number, 700 or 2,000, makes for hundreds of looks in a sweep; those among all objects take a
twentieth of a second each once numba and the like are loaded, find nothing, and let no thread start a match meanwhile.
"""

_LOCK = Lock()
_before: list[tuple[int, int, int]] = []
"""What it was before the first of those that are under way, once for each of them."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Look for cyclic garbage as seldom as `SELDOM` says, or as before where that is seldomer; afterwards as before.

    Several may be under way, within each other or on several threads: the last to end puts back what the first found.
    """
    with _LOCK:
        _before.append(_before[0] if _before else gc.get_threshold())
        if 0 < gc.get_threshold()[0] < SELDOM[0]:  # at 0 nobody looks at all
            gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        with _LOCK:
            before = _before.pop()
            if not _before:
                gc.set_threshold(*before)
