"""What was worked out of the last few objects, so that it need not be worked out again of the same one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Recent"]

ROOM = 32
"""Answers that are kept: as many as there are likely to be maps that take turns."""

About = TypeVar("About")
Answer = TypeVar("Answer")


class Recent(Generic[About, Answer]):
    """A function of one object that remembers its last answers.

    An object is known by being the same one, not by what it holds: so it must never change. What raises is not kept.

    Parameters
    ----------
    function
        Works out the answer.
    room
        Answers that are kept, with what they are about.
    """

    def __init__(self, function: Callable[[About], Answer], room: int = ROOM) -> None:
        self._function = function
        self._room = room
        self._kept: tuple[tuple[About, Answer], ...] = ()

    def __call__(self, about: About) -> Answer:
        """The answer about an object."""
        for known, answer in self._kept:
            if known is about:
                return answer
        answer = self._function(about)
        # Threads may ask at once: the tuple is replaced as a whole, and what is lost then is only worked out again.
        self._kept = ((about, answer), *self._kept[: self._room - 1])
        return answer
