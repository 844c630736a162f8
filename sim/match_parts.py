"""Matches of an unfinished run, kept chunk by chunk until they are joined to `matches.parquet`."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.config.errors import BadInput
from sim.files import told, write_atomically
from sim.parquet import ParquetWriter, parquet_bytes, read_parquet

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MATCHES_FILE", "PARTS", "MatchParts"]

MATCHES_FILE = "matches.parquet"
PARTS = "matches.parts"


class MatchParts:
    """The parts in a run folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def drop(self) -> None:
        """Take all of them away."""
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self.folder / PARTS)

    def write(self, first_pair: int, last_pair: int, table: pa.Table) -> None:
        """Keep a chunk's matches, until `join`."""
        with told(self.folder):
            folder = self.folder / PARTS
            folder.mkdir(exist_ok=True)
            write_atomically(folder / f"{first_pair:015d}-{last_pair:015d}.parquet", parquet_bytes(table))

    def drop_outside(self, spans: Sequence[tuple[int, int]]) -> None:
        """Take away parts that were written but whose sums were not kept, since they are played again.

        Without spans all of them go.
        """
        with told(self.folder):
            if not spans:
                self.drop()
            folder = self.folder / PARTS
            for part in folder.iterdir() if folder.is_dir() else ():
                start, dash, stop = part.stem.partition("-")
                kept = part.suffix == ".parquet" and dash and start.isdecimal() and stop.isdecimal()
                if not (kept and any(begin <= int(start) and int(stop) <= end for begin, end in spans)):
                    part.unlink()

    def join(self, n_matches: int) -> None:
        """Write `matches.parquet` of all parts, in the order of the matches.

        Raises
        ------
        BadInput
            When a part is damaged, or they do not hold `n_matches` in all.
        """
        import pyarrow as pa

        beside = self.folder / ".matches.parquet.tmp"
        writer: Any = None
        waiting: list[pa.Table] = []
        n_found = 0

        def flush() -> None:
            nonlocal writer
            table = pa.concat_tables(waiting).combine_chunks()
            if writer is None:
                writer = ParquetWriter(beside, table.schema)
            writer.write_table(table)
            waiting.clear()

        with told(self.folder):
            try:
                for part in sorted((self.folder / PARTS).glob("*.parquet")):
                    waiting.append(read_parquet(part, "use --again to play the run anew"))
                    n_found += waiting[-1].num_rows
                    if sum(table.num_rows for table in waiting) >= 250_000:
                        flush()
                if n_found != n_matches:
                    raise BadInput.of(
                        f"{self.folder / PARTS} holds {n_found:,} matches of the {n_matches:,} played; "
                        "use --again to play the run anew"
                    )
                if waiting:
                    flush()
            finally:
                if writer is not None:
                    writer.close()
            beside.replace(self.folder / MATCHES_FILE)
