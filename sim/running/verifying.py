"""`verify`: play part of a finished run again and compare it to the last bit."""

from __future__ import annotations

import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kernels import fingerprint
from sim.api import load_run, plan_of
from sim.config.errors import BadInput
from sim.games.game import Plan, Sums
from sim.parquet import read_frame
from sim.running.chunks import Chunk
from sim.running.result import Run
from sim.running.runner import threads_here

__all__ = ["Verdict", "verify"]

_PAIRS_AT_ONCE = 16_384


@dataclass(frozen=True)
class Verdict:
    """What a verification found.

    Attributes
    ----------
    identical
        Whether all that was played again came out the same to the last bit.
    blocks, matches
        What was played again, of how many there are.
    rows_compared
        Whether the kept matches were compared row by row as well.
    same_kernel
        Whether the kernel sources are those that played the run.
    differing_blocks
        Numbers of the blocks that came out otherwise.
    """

    identical: bool
    blocks: int
    of_blocks: int
    matches: int
    of_matches: int
    rows_compared: bool
    same_kernel: bool
    differing_blocks: tuple[int, ...]

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return asdict(self)

    def sentence(self) -> str:
        """What a person wants to read."""
        what = f"{self.matches:,} of {self.of_matches:,} matches played again ({self.blocks} of {self.of_blocks} blocks"
        what += ", each of their kept rows compared)" if self.rows_compared else ")"
        kernel = "" if self.same_kernel else " The kernel sources have changed since the run."
        if self.identical:
            return f"IDENTICAL: {what}.{kernel}"
        return f"DIFFERENT: {what}; blocks {', '.join(map(str, self.differing_blocks))} came out otherwise.{kernel}"


def verify(folder: str | Path, *, every_block: bool = False, threads: int | None = None) -> Verdict:
    """Play one block of a run again, or all, and compare its sums, and its rows where matches were kept.

    Raises
    ------
    BadInput
        When the folder holds no finished run, or a bot has changed since.
    """
    run = load_run(folder)
    plan = plan_of(run)
    n_blocks = run.sums.n_blocks
    chosen = range(n_blocks) if every_block else [zlib.crc32(run.manifest["digest"].encode()) % n_blocks]
    kept = Path(folder) / "matches.parquet"
    rows = _kept_rows(kept, chosen, run) if kept.exists() else {}

    def differs(block: int) -> bool:
        played, same_rows = _play_block(plan, run, block, rows.get(block))
        return not (same_rows and played.same_block(run.sums, block))

    with ThreadPoolExecutor(threads_here(threads)) as pool:
        differing = tuple(b for b, different in zip(chosen, pool.map(differs, chosen), strict=True) if different)
    return Verdict(
        identical=not differing,
        blocks=len(chosen),
        of_blocks=n_blocks,
        matches=int(run.sums.pairs[list(chosen)].sum()) * plan.n_swaps,
        of_matches=run.sums.n_matches,
        rows_compared=bool(rows),
        same_kernel=run.manifest["kernel_fingerprint"] == fingerprint(),
        differing_blocks=differing,
    )


def _play_block(plan: Plan, run: Run, block: int, kept: Any) -> tuple[Sums, bool]:
    n_blocks = run.sums.n_blocks
    n_pairs = int(run.sums.pairs[block])
    total = plan.empty_sums(n_blocks)
    same = True
    for start in range(0, n_pairs, _PAIRS_AT_ONCE):
        chunk = Chunk(block + n_blocks * start, min(_PAIRS_AT_ONCE, n_pairs - start), n_blocks)
        rows = plan.play_rows(chunk)
        total = total + plan.sum_rows(chunk, rows, n_blocks)
        if kept is not None:
            table = plan.row_table(chunk.first_pair, rows)
            begin, stop = start * plan.n_swaps, (start + chunk.n_pairs) * plan.n_swaps
            same = same and _same_rows(table.to_pandas(), kept.iloc[begin:stop])
    return total, same


def _same_rows(played: Any, kept: Any) -> bool:
    """Whether all but the match numbers agree; those of a block are not consecutive, as `Plan.row_table` takes them."""
    left_out = ["match", "pair"]
    if list(played.columns) != list(kept.columns):
        return False
    one = played.drop(columns=left_out).astype(object).to_numpy()
    other = kept.drop(columns=left_out).astype(object).to_numpy()
    return bool(one.shape == other.shape and ((one == other) | ((one != one) & (other != other))).all())


def _kept_rows(path: Path, blocks: Any, run: Run) -> dict[int, Any]:
    import pandas as pd

    n_blocks = run.sums.n_blocks
    remedy = "sim run with --again writes it anew"
    frame = read_frame(path, remedy)
    if "pair" not in frame or not pd.api.types.is_integer_dtype(frame["pair"]):
        raise BadInput.of(f"{path} is damaged (its pairs are no whole numbers); {remedy}")
    return {block: frame[frame["pair"] % n_blocks == block].sort_values("match") for block in blocks}
