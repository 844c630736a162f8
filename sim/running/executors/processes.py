"""Parts on processes of this machine, each started afresh, playing one part at a time on one thread."""

from __future__ import annotations

import contextlib
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, Self

from sim.config.errors import BadInput
from sim.games.game import Plan
from sim.running.executors.errands import TRIES, Answer, errand_of, lost, play_errand, played_of
from sim.running.parts import Part, Played

__all__ = ["Processes"]

PATIENCE = 5.0
"""Seconds that a process has to end by itself, once nobody speaks to it."""


class Processes:
    """So many processes. One that dies is replaced, and its part played again."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.workers: list[_Worker] = []
        self._failed_starts = 0

    @property
    def words(self) -> str:
        """Who plays."""
        return f"{self.n} processes"

    def check(self, plans: Iterable[Plan]) -> None:
        """Whether their bots can be sent."""
        for plan in plans:
            errand_of(Part(0, plan, 0, 1))

    def play(self, parts: Iterable[Part]) -> Iterator[Played]:
        """Play parts; whoever stops listening ends the processes that still play."""
        todo, again = iter(parts), deque[Part]()
        tries: dict[tuple[int, int], int] = {}
        given_up: set[int] = set()
        more = True
        try:
            while True:
                for worker in [one for one in self.workers if one.idle]:
                    part = again.popleft() if again else next(todo, None)
                    if part is None:
                        more = False
                        break
                    if part.cell in given_up:
                        yield lost(part)
                    else:
                        worker.give(part)
                n_playing = sum(worker.part is not None for worker in self.workers)
                if not (more or again or n_playing):
                    return
                while (more or again) and len(self.workers) < self.n:
                    self.workers.append(_Worker())
                for worker in self._heard():
                    part = worker.part
                    try:
                        played = worker.answer()
                    except (EOFError, OSError):
                        self._replace(worker)
                        if part is None:
                            continue
                        place = part.cell, part.number
                        tries[place] = tries.get(place, 0) + 1
                        if tries[place] < TRIES:
                            again.append(part)
                            continue
                        given_up.add(part.cell)
                        played = lost(part)
                    if played is not None:
                        yield played
        finally:
            for worker in [one for one in self.workers if one.part is not None]:
                worker.kill()
                self.workers.remove(worker)

    def _heard(self) -> list[_Worker]:
        """Workers that have something to say, or will never say anything."""
        listened = {worker.connection: worker for worker in self.workers if not worker.idle}
        heard: list[Any] = wait(list(listened))
        return [listened[connection] for connection in heard]

    def _replace(self, worker: _Worker) -> None:
        """Take out a worker that died."""
        code = worker.kill(PATIENCE)
        self.workers.remove(worker)
        if worker.started:
            self._failed_starts = 0
            return
        self._failed_starts += 1
        if self._failed_starts >= TRIES:
            raise BadInput.of(
                f"processes is {self.n}, but they end as they start (exit code {code}); in a script, what is played "
                'must stand under `if __name__ == "__main__":`, since each of them reads the script first'
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.connection.close()
        for worker in self.workers:
            worker.kill(PATIENCE if worker.idle else 0.0)
        self.workers = []


class _Worker:
    """One process and what it plays."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.started = False
        self.part: Part | None = None

    @property
    def idle(self) -> bool:
        """Whether it waits for a part."""
        return self.started and self.part is None

    def give(self, part: Part) -> None:
        """Send it a part; if it is dead, that is seen when it is listened to."""
        self.part = part
        errand = errand_of(part)
        with contextlib.suppress(OSError):
            self.connection.send(errand)

    def answer(self) -> Played | None:
        """What it says: None that it has started. EOFError or OSError when it is dead."""
        said: Any = self.connection.recv()
        if not self.started:
            self.started = True
            return None
        assert self.part is not None
        part, self.part = self.part, None
        return played_of(part, Answer(*said))

    def kill(self, patience: float = 0.0) -> int | None:
        """End it, at once or after it had a while to end; gives its exit code."""
        self.connection.close()
        self.process.join(patience)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        code = self.process.exitcode
        self.process.close()
        return code


def _serve(connection: Connection) -> None:
    """What a worker does: it plays what it is sent until nobody is there any more.

    The keyboard interrupts all processes of a terminal at once; who started this one decides what becomes of it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(EOFError, OSError), connection:
        connection.send(None)
        while True:
            connection.send(play_errand(connection.recv()))
