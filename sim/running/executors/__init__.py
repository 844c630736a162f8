"""Who plays the parts of a sweep: threads of this process, processes of this machine, or a cluster of machines.

All are behind one protocol and give the same integer sums, so that no file of a sweep tells who played it. Threads get
a part as it is; what travels further is an errand (`errands`): the plan as bytes, built and compiled where it arrives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, Self

from sim.config.errors import BadInput
from sim.games.game import Plan
from sim.running.parts import Part, Played
from sim.running.runner import threads_here

__all__ = ["MOST_PROCESSES", "Executor", "executor_of"]

MOST_PROCESSES = 1024


class Executor(Protocol):
    """Plays parts. A context manager: workers start when they are first needed, and end when it is left."""

    @property
    def words(self) -> str:
        """Who plays, for the manifest."""

    def check(self, plans: Iterable[Plan]) -> None:
        """Look before the first match whether these can be played here; BadInput when not."""

    def play(self, parts: Iterable[Part]) -> Iterator[Played]:
        """Play parts and give each as it is done, in any order.

        Raises
        ------
        KeyboardInterrupt
            After the workers were told to stop; a part that was not done is lost, and no other.
        BadInput
            When there are no workers any more, or they are of another version.
        """

    def __enter__(self) -> Self:
        """Find out whether there are workers; BadInput when there can be none."""

    def __exit__(self, *_: object) -> None:
        """End the workers."""


def executor_of(threads: int | None = None, processes: int | None = None, cluster: str | None = None) -> Executor:
    """Who plays.

    Parameters
    ----------
    threads
        So many of this process: one for each core where nothing is given.
    processes
        So many of this machine instead.
    cluster
        Address of a Dask scheduler, as ``tcp://10.0.0.1:8786``, or ``local`` for a cluster on this machine, of so many
        `processes`, or one for each core.

    Raises
    ------
    BadInput
        When these do not go together, or one is not usable.
    """
    n_threads = threads_here(threads)
    if processes is not None and (
        isinstance(processes, bool) or not isinstance(processes, int) or not 1 <= processes <= MOST_PROCESSES
    ):
        raise BadInput.of(f"processes is {processes!r}; must be a whole number from 1 to {MOST_PROCESSES}")
    if cluster is not None:
        from sim.running.executors.cluster import Cluster

        if threads is not None or (processes is not None and cluster != "local"):
            other = "threads" if threads is not None else "processes"
            raise BadInput.of(
                f"{other} and cluster are both given; must be one of them: the cluster has its own workers"
            )
        return Cluster(cluster, processes or n_threads)
    if processes is not None:
        from sim.running.executors.processes import Processes

        if threads is not None:
            raise BadInput.of(
                "threads and processes are both given; must be one of them: a process plays on one thread"
            )
        return Processes(processes)
    from sim.running.executors.threads import Threads

    return Threads(n_threads)
