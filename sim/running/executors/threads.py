"""Parts on threads of this process: kernels play without the GIL."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from threading import Event
from typing import Self

from sim.games.game import Plan
from sim.running.parts import Pace, Part, Played, play_part

__all__ = ["Threads", "play_parts"]

AHEAD = 16
"""Parts that wait for each thread, so that it has something to do while results are judged and written."""

EASE_SECONDS = 0.05
"""How long parts are handed out while a result waits to be told of."""


class Threads:
    """So many threads."""

    def __init__(self, n: int) -> None:
        self.n = n

    @property
    def words(self) -> str:
        """Who plays."""
        return f"{self.n} threads"

    def check(self, plans: Iterable[Plan]) -> None:
        """Whatever was planned here can be played here."""

    def play(self, parts: Iterable[Part]) -> Iterator[Played]:
        """Play parts, each plan compiled before its first one."""

        def compiled() -> Iterator[Part]:
            seen: set[int] = set()
            for part in parts:
                if part.cell not in seen:
                    part.plan.compile()
                    seen.add(part.cell)
                yield part

        yield from play_parts(compiled(), self.n)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def play_parts(parts: Iterable[Part], threads: int) -> Iterator[Played]:
    """Play parts on so many threads, and give each as it is done, in any order.

    Raises
    ------
    KeyboardInterrupt
        After the workers have stopped; a part that was not done is lost, and no other.
    """
    stop, pace = Event(), Pace()
    waiting: set[Future[Played | None]] = set()
    done: SimpleQueue[Future[Played | None]] = SimpleQueue()
    todo = iter(parts)
    with ThreadPoolExecutor(threads, thread_name_prefix="parts") as pool:
        try:
            more = True

            def hungry(since: float) -> bool:
                """Whether to hand out more before the next result is told of; not if parts are slow to come."""
                if len(waiting) < 2 * threads:
                    return True
                at_ease = done.empty() or time.monotonic() - since < EASE_SECONDS
                undone = len(waiting) - done.qsize()
                return at_ease and undone < AHEAD * threads and len(waiting) < 2 * AHEAD * threads

            while True:
                since = time.monotonic()
                while more and hungry(since):
                    part = next(todo, None)
                    if part is None:
                        more = False
                    else:
                        future = pool.submit(play_part, part, stop, pace)
                        waiting.add(future)
                        future.add_done_callback(done.put)
                if not waiting:
                    return
                future = done.get()
                waiting.remove(future)
                played = future.result()
                if played is not None:
                    yield played
        finally:
            stop.set()
            for future in waiting:
                future.cancel()
