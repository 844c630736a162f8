"""Chunks on a pool of threads: progress between them, interruption after them, the same sums whatever the threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import local
from typing import TypeVar

from sim.games.game import Plan, Sums
from sim.running.chunks import Chunk, Rows
from sim.running.ledger import Ledger

__all__ = ["CHUNK_SECONDS", "FIRST_CHUNK_PAIRS", "play_pairs"]

CHUNK_SECONDS = 0.1
"""What a chunk should take: long beside the cost of handing it out, short beside a person's patience."""

FIRST_CHUNK_PAIRS = 64
MAX_CHUNK_PAIRS = 32_768
"""Bounds memory: 65,536 rows of 120 bytes for each thread."""


AnySums = TypeVar("AnySums", bound=Sums)


def play_pairs(
    plan: Plan,
    ledger: Ledger[AnySums],
    n_pairs: int,
    *,
    threads: int,
    chunk_pairs: int | None = None,
    on_chunk: Callable[[Ledger[AnySums]], None] | None = None,
    on_rows: Callable[[Chunk, Rows], None] | None = None,
) -> None:
    """Play what is missing of pairs 0 to `n_pairs - 1` and enter it in the ledger.

    Parameters
    ----------
    plan
        What to play.
    ledger
        Brought up to `n_pairs`, in place, chunk by chunk.
    n_pairs
        Pairs wanted in all.
    threads
        Matches are played by so many threads; the sums do not depend on it.
    chunk_pairs
        Pairs of a chunk; None: as many as take `CHUNK_SECONDS`.
    on_chunk
        Called in the calling thread after each chunk was entered.
    on_rows
        Called in a worker thread with each chunk's rows before they are dropped.

    Raises
    ------
    KeyboardInterrupt
        After the chunks in flight were finished and entered.
    """
    n_blocks = ledger.sums.n_blocks
    benches = local()
    size = _ChunkSize(chunk_pairs, threads)

    def work(chunk: Chunk) -> tuple[AnySums, float]:
        if not hasattr(benches, "bench"):
            benches.bench = plan.new_bench()
        started = time.perf_counter()
        rows = plan.play_rows(chunk, benches.bench)
        sums = plan.sum_rows(chunk, rows, n_blocks)
        if on_rows is not None:
            on_rows(chunk, rows)
        return sums, time.perf_counter() - started

    def enter(done: Future[tuple[AnySums, float]]) -> None:
        chunk = waiting.pop(done)
        sums, seconds = done.result()
        size.learn(chunk.n_pairs, seconds)
        ledger.add(chunk.first_pair, chunk.first_pair + chunk.n_pairs, sums)

    waiting: dict[Future[tuple[AnySums, float]], Chunk] = {}
    todo = _chunks(list(ledger.missing(n_pairs)), size)
    with ThreadPoolExecutor(threads, thread_name_prefix="matches") as pool:
        try:
            more = True
            while more or waiting:
                while more and len(waiting) < 2 * threads:
                    chunk = next(todo, None)
                    if chunk is None:
                        more = False
                    else:
                        waiting[pool.submit(work, chunk)] = chunk
                for done in wait(waiting, return_when=FIRST_COMPLETED).done:
                    enter(done)
                    if on_chunk is not None:
                        on_chunk(ledger)
        except KeyboardInterrupt:
            for future in list(waiting):
                if future.cancel():
                    del waiting[future]
            for future in wait(waiting).done:
                enter(future)
            raise


class _ChunkSize:
    """Pairs that take `CHUNK_SECONDS`, learnt from the chunks played."""

    def __init__(self, fixed: int | None, threads: int) -> None:
        self.fixed = fixed
        self.pairs = fixed or FIRST_CHUNK_PAIRS

    def learn(self, n_pairs: int, seconds: float) -> None:
        if self.fixed is None and seconds > 0:
            wanted = int(n_pairs * CHUNK_SECONDS / seconds)
            # A first, cold chunk must not decide alone; growth is stepwise, shrinking is at once.
            self.pairs = max(1, min(wanted, 4 * self.pairs, MAX_CHUNK_PAIRS))


def _chunks(spans: list[tuple[int, int]], size: _ChunkSize) -> Iterator[Chunk]:
    for start, stop in spans:
        while start < stop:
            n_pairs = min(size.pairs, stop - start)
            yield Chunk(start, n_pairs)
            start += n_pairs
