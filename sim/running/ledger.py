"""What has been played so far: the pairs that are done, and their sums."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from sim.games.game import Sums

__all__ = ["Ledger"]

Span = tuple[int, int]
AnySums = TypeVar("AnySums", bound=Sums)


@dataclass
class Ledger(Generic[AnySums]):
    """Pairs done, as disjoint rising spans [start, stop), and the sums over exactly those."""

    sums: AnySums
    spans: list[Span]

    @property
    def n_pairs(self) -> int:
        """Pairs done."""
        return sum(stop - start for start, stop in self.spans)

    @property
    def reach(self) -> int:
        """The first number after all pairs done; holes below it are possible."""
        return self.spans[-1][1] if self.spans else 0

    def add(self, start: int, stop: int, sums: AnySums) -> None:
        """Enter the pairs [start, stop), none of which is done yet."""
        sums, spans = self.sums + sums, _joined([*self.spans, (start, stop)])
        # Both in one statement, with no call in between: an interruption finds them together or not at all.
        self.sums, self.spans = sums, spans

    def missing(self, n_pairs: int) -> Iterator[Span]:
        """Spans of [0, n_pairs) that are not done."""
        begin = 0
        for start, stop in self.spans:
            if start >= n_pairs:
                break
            if begin < start:
                yield begin, start
            begin = stop
        if begin < n_pairs:
            yield begin, n_pairs


def _joined(spans: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, stop in sorted(spans):
        if joined and start < joined[-1][1]:
            raise ValueError(f"pairs {start} to {joined[-1][1] - 1} were played twice")
        if joined and start == joined[-1][1]:
            joined[-1] = (joined[-1][0], stop)
        else:
            joined.append((start, stop))
    return joined
