"""How often Python looks for cyclic garbage while much is made and little of it goes round in circles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["SELDOM", "seldom_collected"]

SELDOM = (10_000, 10, 10)
"""New objects before Python looks among them, and how many looks before it looks among older ones too.

Python's own first number, 700 or 2,000, makes for hundreds of looks in a sweep; those among all objects take a
twentieth of a second each once numba and the like are loaded, find nothing, and let no thread start a match meanwhile.
"""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Look for cyclic garbage as seldom as `SELDOM` says; afterwards as before."""
    before = gc.get_threshold()
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
