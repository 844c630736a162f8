"""Integer sums of played matches, block by block: all that any figure is computed from.

Axes: `b` block, `s` swap (0: as asked, 1: the pair's second match), `o` an `Outcome`, `k` a `Column`, `v` a value of
the histogram. Integers add up exactly, so the order in which chunks were played and merged leaves no trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from kernels.codes import N_COLUMNS, N_OUTCOMES, Column, Company, Outcome, Pairing
from sim.stats.blocks import in_a_row
from sim.stats.figures import Bins
from sim.stats.margins import N_SWAPS, MarginHistogram, check_array, first_margins, spreads

Int64s = NDArray[np.int64]

N_PAIR_SCORES = 5
BY_BLOCK = ("pairs", "outcomes", "sums", "squares", "pair_scores")
"""Names of arrays by block; `margin_counts` is another, of which every part has values of its own."""

FINISHED = (
    Outcome.A_ON_POINTS,
    Outcome.B_ON_POINTS,
    Outcome.A_ON_CASH,
    Outcome.B_ON_CASH,
    Outcome.SHARED,
)
"""Outcomes that enter figures; each has its score of seat A in `DOUBLED_SCORE_A`."""

DOUBLED_SCORE_A = np.array([2, 0, 2, 0, 1, 0, 0, 0], dtype=np.int64)
"""Twice the score of seat A by `Outcome` (win 1, shared one half); 0 where there is no score."""


@dataclass(frozen=True, eq=False)
class BlockSums:
    """What one pairing's matches add up to, all int64.

    "First" is the bot named first: it sits in seat A throughout, save in swap 1 of `Pairing.SEATS`, where it sits in B.

    Attributes
    ----------
    pairing
        What the second match of a pair swaps; with `SINGLE` a pair is one match and swap 1 stays empty.
    pairs
        Pairs played, those with an illegal or unfinished match included, shape (B,).
    outcomes
        Matches by block, swap and `Outcome`, shape (B, 2, N_OUTCOMES): a partition of all that were played.
    sums
        Sum of the match rows by `Column`, over wholly legal, finished pairs, shape (B, 2, N_COLUMNS).
    squares
        Sum of the squared rows, over the same matches, shape (B, 2, N_COLUMNS).
    pair_scores
        Wholly legal, finished pairs by twice the first bot's score over the pair, 0 to 4 (with `SINGLE`: over its one
        match, 0 to 2), shape (B, 5).
    margins
        Histogram of seat A's points minus seat B's, over the same matches.
    """

    pairing: Pairing
    pairs: Int64s
    outcomes: Int64s
    sums: Int64s
    squares: Int64s
    pair_scores: Int64s
    margins: MarginHistogram

    @property
    def not_by_block(self) -> frozenset[str]:
        """Which of `as_arrays` hold for all blocks."""
        return frozenset({"pairing", "margin_values"})

    @property
    def n_blocks(self) -> int:
        """Number of blocks, empty ones included."""
        return int(self.pairs.size)

    @property
    def swaps(self) -> range:
        """Swaps that are played: both, or only 0 with `SINGLE`."""
        return range(1 if self.pairing == Pairing.SINGLE else N_SWAPS)

    @cached_property
    def legal_pairs(self) -> Int64s:
        """Wholly legal, finished pairs by block, shape (B,)."""
        return np.asarray(self.pair_scores.sum(axis=1), dtype=np.int64)

    @cached_property
    def legal_matches(self) -> Int64s:
        """Matches of those pairs by block, shape (B,)."""
        return self.legal_pairs * len(self.swaps)

    @cached_property
    def by_outcome(self) -> Int64s:
        """Matches of both swaps by `Outcome` and block, shape (N_OUTCOMES, B)."""
        return np.ascontiguousarray((self.outcomes[:, 0] + self.outcomes[:, 1]).T)

    @cached_property
    def by_column(self) -> Int64s:
        """Sums of both swaps by `Column` and block, shape (N_COLUMNS, B)."""
        return np.ascontiguousarray((self.sums[:, 0] + self.sums[:, 1]).T)

    @cached_property
    def doubled_scores_a(self) -> Int64s:
        """Twice the score of seat A by block and swap, shape (B, 2)."""
        return np.asarray(self.outcomes @ DOUBLED_SCORE_A)

    @cached_property
    def margin_bins(self) -> Bins:
        """The first bot's points minus the second's."""
        return Bins(*first_margins(self.margins, self.pairing), self.legal_pairs)

    @cached_property
    def spread_bins(self) -> Bins:
        """The difference of points without its sign."""
        return Bins(*spreads(self.margins), self.legal_pairs)

    @property
    def n_pairs(self) -> int:
        """Pairs played."""
        return int(self.pairs.sum())

    @property
    def n_matches(self) -> int:
        """Matches played."""
        return self.n_pairs * len(self.swaps)

    @classmethod
    def empty(cls, pairing: Pairing, n_blocks: int) -> BlockSums:
        """Sums of no match at all: what a chunk is added to."""

        def zeros(*shape: int) -> Int64s:
            return np.zeros((n_blocks, *shape), dtype=np.int64)

        return cls(
            pairing=pairing,
            pairs=zeros(),
            outcomes=zeros(N_SWAPS, N_OUTCOMES),
            sums=zeros(N_SWAPS, N_COLUMNS),
            squares=zeros(N_SWAPS, N_COLUMNS),
            pair_scores=zeros(N_PAIR_SCORES),
            margins=MarginHistogram(np.zeros(0, dtype=np.int64), zeros(N_SWAPS, 0)),
        )

    def __add__(self, other: BlockSums) -> BlockSums:
        """Sums of both parts, block by block: each part holds other matches of the same blocks.

        Raises
        ------
        ValueError
            If the pairings or the numbers of blocks differ.
        """
        if self.pairing != other.pairing:
            raise ValueError(f"sums of {self.pairing.name} and {other.pairing.name} pairs do not add up")
        if self.n_blocks != other.n_blocks:
            raise ValueError(f"sums of {self.n_blocks} and {other.n_blocks} blocks do not add up")
        return BlockSums(
            pairing=self.pairing,
            pairs=self.pairs + other.pairs,
            outcomes=self.outcomes + other.outcomes,
            sums=self.sums + other.sums,
            squares=self.squares + other.squares,
            pair_scores=self.pair_scores + other.pair_scores,
            margins=self.margins + other.margins,
        )

    def validate(self) -> None:
        """Check that every played match is counted once and that all sums are of the same matches.

        Raises
        ------
        ValueError
            With the first thing that does not add up.
        """
        _check_shapes(self)
        _check_counts(self)
        _check_rows(self)

    def same_block(self, other: BlockSums, block: int) -> bool:
        """Whether one block holds the same in both, to the last integer."""
        one, two = self.as_arrays(), other.as_arrays()
        return all(np.array_equal(one[key][block], two[key][block]) for key in BY_BLOCK) and (
            self.margins.of_block(block) == other.margins.of_block(block)
        )

    def as_arrays(self) -> dict[str, Int64s]:
        """Return plain int64 arrays by name, as `numpy.savez` takes them; `from_arrays` reads them back."""
        return {
            "pairing": np.array(int(self.pairing), dtype=np.int64),
            "pairs": self.pairs,
            "outcomes": self.outcomes,
            "sums": self.sums,
            "squares": self.squares,
            "pair_scores": self.pair_scores,
            "margin_values": self.margins.values,
            "margin_counts": self.margins.counts,
        }

    @classmethod
    def from_arrays(cls, *parts: Mapping[str, Int64s]) -> BlockSums:
        """Sums as `as_arrays` gave them, validated; of parts with blocks of their own, one part after the other.

        Raises
        ------
        ValueError
            If an array is missing, the parts do not fit together or the sums do not add up.
        """
        try:
            arrays = in_a_row(parts, BY_BLOCK, "pairing")
            margins = [MarginHistogram(part["margin_values"], part["margin_counts"]) for part in parts]
            read = cls(
                pairing=Pairing(int(arrays["pairing"])),
                pairs=arrays["pairs"],
                outcomes=arrays["outcomes"],
                sums=arrays["sums"],
                squares=arrays["squares"],
                pair_scores=arrays["pair_scores"],
                margins=MarginHistogram.in_a_row(margins),
            )
        except KeyError as error:
            raise ValueError(f"block sums lack the array {error}") from None
        read.validate()
        return read


def first_seats(pairing: Pairing) -> tuple[Company, Company]:
    """Seat of the first bot in swap 0 and in swap 1."""
    return Company.A, (Company.B if pairing == Pairing.SEATS else Company.A)


def merge(parts: Iterable[BlockSums]) -> BlockSums:
    """Sum of parts that hold different matches of the same blocks, byte-identical whatever their order.

    Raises
    ------
    ValueError
        If there is no part, or the parts do not fit together.
    """
    listed = list(parts)
    if not listed:
        raise ValueError("nothing to merge")
    return reduce(BlockSums.__add__, listed[1:], BlockSums.empty(listed[0].pairing, listed[0].n_blocks) + listed[0])


def sum_rows(rows: NDArray[np.integer], pairing: Pairing, blocks: Int64s, n_blocks: int) -> BlockSums:
    """Add up match rows.

    Parameters
    ----------
    rows
        One row a match, columns as in `Column`, shape (M, N_COLUMNS), whole pairs in order: match = 2 * pair + swap
        (`SINGLE`: match = pair). A legal match beside an illegal one may be marked `PARTNER_ILLEGAL` or not.
    pairing
        What the second match of a pair swaps.
    blocks
        Block of each pair, 0 to `n_blocks` - 1, shape (P,).
    n_blocks
        Number of blocks B.

    Raises
    ------
    ValueError
        If the rows are not whole pairs or hold an outcome that does not exist.
    """
    per_pair = 1 if pairing == Pairing.SINGLE else N_SWAPS
    if rows.shape != (blocks.size * per_pair, N_COLUMNS):
        raise ValueError(f"rows have shape {rows.shape}, must be {(blocks.size * per_pair, N_COLUMNS)}")
    by_pair = rows.astype(np.int64).reshape(blocks.size, per_pair, N_COLUMNS)
    outcome = by_pair[:, :, Column.OUTCOME].copy()
    if outcome.size and (outcome.min() < 0 or outcome.max() >= N_OUTCOMES):
        raise ValueError("a row holds no outcome: it was never played")
    finished = np.isin(outcome, FINISHED)
    legal = np.asarray(finished.all(axis=1))
    outcome[finished & ~legal[:, None]] = Outcome.PARTNER_ILLEGAL

    total = BlockSums.empty(pairing, n_blocks)
    np.add.at(total.pairs, blocks, 1)
    for s in range(per_pair):
        np.add.at(total.outcomes[:, s], (blocks, outcome[:, s]), 1)
    kept, kept_blocks = by_pair[legal], blocks[legal]
    first_score = np.zeros(kept_blocks.size, dtype=np.int64)
    margin = kept[:, :, Column.POINTS_A] - kept[:, :, Column.POINTS_B]
    values = np.unique(margin).astype(np.int64)
    counts = np.zeros((n_blocks, N_SWAPS, values.size), dtype=np.int64)
    for s in range(per_pair):
        np.add.at(total.sums[:, s], kept_blocks, kept[:, s])
        np.add.at(total.squares[:, s], kept_blocks, kept[:, s] ** 2)
        np.add.at(counts[:, s], (kept_blocks, np.searchsorted(values, margin[:, s])), 1)
        seat_a = DOUBLED_SCORE_A[outcome[legal, s]]
        first_score += 2 - seat_a if s == 1 and pairing == Pairing.SEATS else seat_a
    np.add.at(total.pair_scores, (kept_blocks, first_score), 1)
    return BlockSums(
        pairing=pairing,
        pairs=total.pairs,
        outcomes=total.outcomes,
        sums=total.sums,
        squares=total.squares,
        pair_scores=total.pair_scores,
        margins=MarginHistogram(values, counts),
    )


def _check_shapes(total: BlockSums) -> None:
    n_blocks = total.n_blocks
    shapes = {
        "pairs": (n_blocks,),
        "outcomes": (n_blocks, N_SWAPS, N_OUTCOMES),
        "sums": (n_blocks, N_SWAPS, N_COLUMNS),
        "squares": (n_blocks, N_SWAPS, N_COLUMNS),
        "pair_scores": (n_blocks, N_PAIR_SCORES),
    }
    arrays = total.as_arrays()
    for name, shape in shapes.items():
        check_array(name, arrays[name], shape)
    total.margins.check(n_blocks)
    for name in ("pairs", "outcomes", "pair_scores", "squares", "margin_counts"):
        if arrays[name].size and arrays[name].min() < 0:
            raise ValueError(f"{name} holds a negative count")


def _check_counts(total: BlockSums) -> None:
    played = total.outcomes.sum(axis=2)
    if total.pairing == Pairing.SINGLE and (
        played[:, 1].any() or total.sums[:, 1].any() or total.squares[:, 1].any() or total.margins.counts[:, 1].any()
    ):
        raise ValueError("single matches have no second match, yet swap 1 is not empty")
    finished = total.outcomes[:, :, list(FINISHED)].sum(axis=2)
    binned = total.margins.counts.sum(axis=2)
    for s in total.swaps:
        if (played[:, s] != total.pairs).any():
            raise ValueError(f"outcomes of swap {s} add up to {played[:, s].sum()}, not to the {total.n_pairs} played")
        if (finished[:, s] != total.legal_pairs).any():
            raise ValueError(
                f"{finished[:, s].sum()} finished matches of swap {s}, but {total.legal_pairs.sum()} wholly legal pairs"
            )
        if (binned[:, s] != total.legal_pairs).any():
            raise ValueError(f"margins of swap {s} hold {binned[:, s].sum()} matches, not {total.legal_pairs.sum()}")
    first = total.doubled_scores_a.copy()
    if total.pairing == Pairing.SEATS:
        first[:, 1] = 2 * total.legal_pairs - first[:, 1]
    if (total.pair_scores @ np.arange(N_PAIR_SCORES, dtype=np.int64) != first.sum(axis=1)).any():
        raise ValueError("pair scores and outcomes give the first bot different scores")
    if total.pairing == Pairing.SINGLE and total.pair_scores[:, 3:].any():
        raise ValueError("a single match cannot score more than 1")


def _check_rows(total: BlockSums) -> None:
    if (total.squares < np.abs(total.sums)).any():
        raise ValueError("squares are too small for the sums of whole numbers")
    finished = total.outcomes[:, :, list(FINISHED)]
    if (finished @ np.array(FINISHED, dtype=np.int64) != total.sums[:, :, Column.OUTCOME]).any():
        raise ValueError("sums are not of the finished matches: their outcomes differ")
    margin = total.sums[:, :, Column.POINTS_A] - total.sums[:, :, Column.POINTS_B]
    if (total.margins.counts @ total.margins.values != margin).any():
        raise ValueError("points and margins differ")
