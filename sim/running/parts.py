"""Parts of cells: what a sweep hands out, a fixed run of pairs in blocks of its own, played by one worker alone.

A part is 16 blocks of a fixed number of pairs. Part k of a cell holds the pairs from 16 k times the pairs of a block
on, so that more matches later are more parts, and what was played stays as it was.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Event
from typing import Any

from sim.config.errors import BadInput
from sim.games.game import Plan
from sim.running.chunks import Chunk
from sim.running.engine import CHUNK_SECONDS, FIRST_CHUNK_PAIRS, MAX_CHUNK_PAIRS

__all__ = ["PART_BLOCKS", "Pace", "Part", "Played", "part_size", "parts_of", "play_part"]

PART_BLOCKS = 16
"""Blocks of a part."""

CAUTION = 4
"""A part begins with one in so many of the pairs that its pairing's last one would have played at a time."""

PLANS_KNOWN = 64
"""Plans of which it is remembered that they were played."""

USUAL_BLOCKS = 64
"""Blocks of a cell as it is first asked for, as of a run."""


def part_size(n_pairs: int) -> int:
    """Pairs of a block, so that so many pairs make 64 blocks; 1 where they would be under ten in a block."""
    return 1 if n_pairs < 10 * USUAL_BLOCKS else -(-n_pairs // USUAL_BLOCKS)


def parts_of(plan: Plan, matches: int, block_pairs: int) -> int:
    """Parts that hold at least so many matches; one where nothing is left to chance."""
    return 1 if plan.deterministic else -(-plan.n_pairs(matches) // (PART_BLOCKS * block_pairs))


@dataclass(frozen=True)
class Part:
    """One part of one cell.

    Attributes
    ----------
    cell
        Number of the cell.
    plan
        What is played.
    number
        Of the part, from 0.
    block_pairs
        Pairs of a block.
    """

    cell: int
    plan: Plan
    number: int
    block_pairs: int

    @property
    def n_blocks(self) -> int:
        """Blocks; one where nothing is left to chance."""
        return 1 if self.plan.deterministic else PART_BLOCKS

    @property
    def n_pairs(self) -> int:
        """Pairs; one where nothing is left to chance."""
        return 1 if self.plan.deterministic else PART_BLOCKS * self.block_pairs

    @property
    def first_pair(self) -> int:
        """Where its pairs begin."""
        return self.number * self.n_pairs

    @property
    def n_matches(self) -> int:
        """Matches."""
        return self.n_pairs * self.plan.n_swaps


@dataclass(frozen=True)
class Played:
    """A part that was played: its sums, or why there are none."""

    part: Part
    sums: Any = None
    error: str | None = None


class Pace:
    """How many pairs of a pairing take `CHUNK_SECONDS`, learnt from the parts before, whatever their cell.

    Cells of a pairing can differ in speed a thousand times, by how long matches are or what a parameter makes a bot
    think about. So it is only where a part begins, and only if its own plan was played before; a new one has to show
    in a few pairs that it keeps up.
    """

    def __init__(self) -> None:
        self._pairs: dict[str, int] = {}
        self._played: tuple[Plan, ...] = ()

    def usual_chunk(self, plan: Plan) -> int:
        """Pairs of a chunk that its pairing's last part was sure to play in time; 0 where there was none."""
        known = self._pairs.get(plan.pairing_name)
        return 0 if known is None else max(1, min(known // CAUTION, MAX_CHUNK_PAIRS))

    def first_chunk(self, plan: Plan) -> int:
        """Pairs to begin with: far fewer than the last part would have taken, in case this one is slower."""
        usual = self.usual_chunk(plan)
        if any(one is plan for one in self._played):
            return usual
        return min(usual or FIRST_CHUNK_PAIRS, FIRST_CHUNK_PAIRS)

    def learn(self, plan: Plan, pairs: int) -> None:
        """So many pairs of this plan take `CHUNK_SECONDS`."""
        self._pairs[plan.pairing_name] = pairs
        if not any(one is plan for one in self._played):
            self._played = (plan, *self._played[: PLANS_KNOWN - 1])


def play_part(part: Part, stop: Event | None = None, pace: Pace | None = None) -> Played | None:
    """Play a part; None when `stop` was set before it was done.

    Whatever goes wrong is told of, not raised: the other cells go on.
    """
    plan, pace = part.plan, pace or Pace()
    try:
        sums, bench, done, step = plan.empty_sums(part.n_blocks), plan.new_bench(), 0, pace.first_chunk(plan)
        while done < part.n_pairs:
            if stop is not None and stop.is_set():
                return None
            # The first pair is a multiple of the blocks, so that pair p lies in block p % 16 of its part.
            chunk = Chunk(part.first_pair + done, min(step, part.n_pairs - done))
            started = time.perf_counter()
            sums = sums + plan.sum_rows(chunk, plan.play_rows(chunk, bench), part.n_blocks)
            seconds = max(time.perf_counter() - started, 1e-6)
            done += chunk.n_pairs
            right = max(1, int(chunk.n_pairs * CHUNK_SECONDS / seconds))
            step = min(right, max(4 * step, pace.usual_chunk(plan)), MAX_CHUNK_PAIRS)
            pace.learn(plan, right)
        sums.validate()
        fault = plan.fault(sums)
    except BadInput as error:
        return Played(part, error=str(error))
    except Exception as error:  # one cell's failure is a row of its own, whatever it is
        return Played(part, error=f"{type(error).__name__}: {error}")
    return Played(part, error=fault) if fault is not None else Played(part, sums)
