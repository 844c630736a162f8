"""Parts on a Dask cluster: workers on any machines, with the same version of everything installed."""

from __future__ import annotations

import contextlib
import re
import signal
import threading
import time
from asyncio import CancelledError
from collections.abc import Iterable, Iterator
from queue import Empty, Queue
from typing import Any, Self

from sim.config.errors import BadInput
from sim.games.game import Plan
from sim.running.executors.errands import errand_of, lost, mismatch, play_errand, played_of, software
from sim.running.parts import Part, Played

__all__ = ["Cluster"]

LOCAL = "local"
ANSWERS_SECONDS = 5.0
"""How long a scheduler has to answer."""
WORKERS_SECONDS = 10.0
"""How long one without workers is waited for before the first match."""
GONE_SECONDS = 30.0
"""How long afterwards, when all workers are gone: they may be started again."""
LOOK_SECONDS = 1.0
AHEAD = 2
"""Parts that are sent for each thread of the workers, so that none waits for the next."""


class Cluster:
    """A Dask cluster, or one that is started here (`local`)."""

    def __init__(self, address: str, processes: int) -> None:
        if address != LOCAL and not re.fullmatch(r"[a-z]+://[^\s/]+(:\d{1,5})?", address):
            raise BadInput.of(
                f"cluster is {address!r}; must be the address of a scheduler, as tcp://10.0.0.1:8786, or local"
            )
        self.address = address
        self.processes = processes
        self._started: Any = None
        self._client: Any = None

    @property
    def words(self) -> str:
        """Who plays."""
        return f"a local cluster of {self.processes} processes" if self.address == LOCAL else "a cluster"

    def check(self, plans: Iterable[Plan]) -> None:
        """Whether their bots can be sent, and the workers are of this version."""
        for plan in plans:
            errand_of(Part(0, plan, 0, 1))
        for worker, found in self._client.run(software, on_error="return").items():
            wrong = (
                f"it cannot say what is installed there ({type(found).__name__}: {found})"
                if isinstance(found, BaseException)
                else mismatch(software(), found)
            )
            if wrong is not None:
                raise BadInput.of(f"worker {worker} of {self.address} cannot play this sweep: {wrong}")

    def play(self, parts: Iterable[Part]) -> Iterator[Played]:
        """Play parts; the scheduler gives those of a worker that dies to another."""
        from distributed import KilledWorker

        todo, done = iter(parts), Queue[Any]()
        waiting: dict[Any, Part] = {}
        more = True
        try:
            while more or waiting:
                ahead = AHEAD * max(1, sum(self._client.nthreads().values())) if more else 0
                while more and len(waiting) < ahead:
                    part = next(todo, None)
                    if part is None:
                        more = False
                        break
                    future = self._client.submit(play_errand, tuple(errand_of(part)), pure=False)
                    waiting[future] = part
                    future.add_done_callback(done.put)
                if not waiting:
                    break
                future = self._next(done)
                part = waiting.pop(future)
                try:
                    played = played_of(part, self._result(future))
                except KilledWorker:
                    played = lost(part)
                except BadInput:
                    raise
                except (Exception, CancelledError) as error:  # whatever a cluster raises that comes and goes
                    raise BadInput.of(
                        f"{self.address} cannot play this sweep: {type(error).__name__}: {error}"
                    ) from error
                future.release()
                yield played
        finally:
            if waiting:
                with contextlib.suppress(Exception):  # whatever became of the cluster, these are not wanted any more
                    self._client.cancel(list(waiting))

    def _next(self, done: Queue[Any]) -> Any:
        """The next future that is done; BadInput when there is nobody any more who could do it."""
        turns = self._while_somebody_plays()
        while True:
            next(turns)
            with contextlib.suppress(Empty):
                return done.get(timeout=LOOK_SECONDS)

    def _result(self, future: Any) -> Any:
        """What a future holds that is done; it is played anew where its worker has died with it since."""
        turns = self._while_somebody_plays()
        while True:
            next(turns)
            with contextlib.suppress(TimeoutError):
                return future.result(timeout=LOOK_SECONDS)

    def _while_somebody_plays(self) -> Iterator[None]:
        """Turn after turn; BadInput when the scheduler is gone, or its workers have been for a while."""
        alone_since: float | None = None
        while True:
            yield
            if self._client.status != "running":
                raise BadInput.of(f"the scheduler at {self.address} is gone; what was played is kept")
            if self._client.nthreads():
                alone_since = None
            elif alone_since is None:
                alone_since = time.monotonic()
            elif time.monotonic() - alone_since > GONE_SECONDS:
                raise BadInput.of(f"{self.address} has no workers any more; what was played is kept")

    def __enter__(self) -> Self:
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            raise BadInput.of(
                "a cluster needs Dask, which is not installed; must be: pip install 'dispatch-balance[cluster]'"
            ) from None
        try:
            if self.address == LOCAL:
                with _keyboard_kept_out():
                    self._started = LocalCluster(
                        n_workers=self.processes, threads_per_worker=1, dashboard_address=None, silence_logs="ERROR"
                    )
            place = self.address if self._started is None else self._started
            try:
                self._client = Client(place, timeout=ANSWERS_SECONDS, set_as_default=False)
            except (OSError, ValueError) as error:
                raise BadInput.of(
                    f"no scheduler answers at {self.address} ({type(error).__name__}); start one with `dask scheduler` "
                    f"and workers with `dask worker {self.address}`"
                ) from None
            self._await_workers()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _await_workers(self) -> None:
        until = time.monotonic() + WORKERS_SECONDS
        while not self._client.nthreads():
            if time.monotonic() > until:
                raise BadInput.of(f"{self.address} has no workers; start some with `dask worker {self.address}`")
            time.sleep(0.1)

    def __exit__(self, *_: object) -> None:
        for one in (self._client, self._started):
            if one is not None:
                one.close()
        self._client = self._started = None


@contextlib.contextmanager
def _keyboard_kept_out() -> Iterator[None]:
    """Start processes that the keyboard does not interrupt: it interrupts this one, which ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
