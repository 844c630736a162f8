"""Rows of a sweep: one for every block of every cell, kept as Parquet that grows by files and is compacted at the end.

A row has `cell` (its key), `pairing`, `namespace`, `block`, `error`, and the integer sums of the block as lists of
int64, each array in a column `block_<name>` of its own. The lengths of the axes but the last are in the schema's
metadata. A part that could not be played is a row with its error and no sums.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.config.errors import BadInput
from sim.files import told, write_atomically
from sim.parquet import parquet_bytes
from sim.running.parts import PART_BLOCKS, Played
from sim.studies.sweep_tables import (
    GROWING,
    PREFIX,
    ROWS_FILE,
    Rows,
    check_twice,
    compacted,
    flat_lists,
    in_order,
    joined,
    parts_in,
    read_rows,
    table_of,
)

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

__all__ = ["ROWS_FILE", "CellParts", "RowStore", "stacked"]

GROUPS_HELD = 4
"""Row groups of a compacted file that are held decoded at a time."""


class RowStore:
    """The rows of a sweep, in a folder or, without one, in memory."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.played: list[tuple[Played, str]] = []
        self.pending: list[Rows] = []
        self.kept: list[Rows] = []
        self._present: set[tuple[str, int]] = set()
        self._whole: Future[bytes] | None = None
        if folder is not None:
            self.kept = read_rows(folder)
            self._enter(self.kept)
        self._n_files = 0 if folder is None else _last_number(folder / GROWING)

    def take_from(self, folder: Path, keys: Iterable[str]) -> None:
        """Take the rows of another folder along, such as those of a shard of these cells.

        Raises
        ------
        BadInput
            When there are none, they are damaged, or they contradict rows that are here already.
        """
        found = read_rows(folder)
        if not found:
            raise BadInput.of(f"{folder} holds no rows of a sweep")
        if {cell for table, _ in found for cell, _ in parts_in(table)[0]}.isdisjoint(keys):
            raise BadInput.of(
                f"{folder} holds no rows of a cell of this sweep; must be of a shard of it, begun with as many matches"
            )
        self.pending += found
        self._enter(found)

    def _enter(self, rows: Sequence[Rows]) -> None:
        """Know the parts of these rows; look closer where there is one of them already."""
        twice = False
        for table, _ in rows:
            new, alone = parts_in(table)
            twice = twice or not alone or not new.isdisjoint(self._present)
            self._present |= new
        if twice:
            check_twice([*self.kept, *self.pending])

    def add(self, played: Played, key: str) -> None:
        """Enter a part of the cell of this key; not from `compacting` on."""
        assert self._whole is None
        self.played.append((played, key))
        self._present.add((key, played.part.number))

    def _settle(self) -> None:
        """Make one table of the parts that were entered."""
        if self.played:
            self.pending.append(Rows(table_of(self.played)))
            self.played = []

    def flush(self) -> None:
        """Keep what was entered; an interruption from the keyboard waits until it is kept."""
        try:
            self._keep()
        except KeyboardInterrupt:
            self._keep()  # what is kept already may be kept twice, which does no harm
            raise

    def _keep(self) -> None:
        self._settle()
        if not self.pending:
            return
        if self.folder is not None:
            with told(self.folder):
                growing = self.folder / GROWING
                growing.mkdir(exist_ok=True)
                self._n_files += 1
                write_atomically(growing / f"{self._n_files:06d}.parquet", parquet_bytes(joined(self.pending)))
        self.kept += self.pending
        self.pending = []

    def present(self) -> set[tuple[str, int]]:
        """Key of the cell and number of every part that is there."""
        return set(self._present)

    @contextmanager
    def compacting(self, keys: Sequence[str]) -> Iterator[Callable[[], object]]:
        """Make one file of all rows of these cells, in their order, instead of many; those of others are dropped.

        That is done on another thread while the block goes on, and is over when the block is. What the block gets
        waits for it, and raises what was wrong.
        """
        self.flush()
        with ThreadPoolExecutor(1, thread_name_prefix="compacting") as pool:
            self._whole = pool.submit(self._compact, keys)
            yield self._whole.result
        self._whole.result()

    def _compact(self, keys: Sequence[str]) -> bytes:
        whole = compacted(self.kept, keys)
        if self.folder is not None:
            with told(self.folder):
                write_atomically(self.folder / ROWS_FILE, whole)
                for path in sorted((self.folder / GROWING).glob("*")):
                    path.unlink()
                if (self.folder / GROWING).is_dir():
                    (self.folder / GROWING).rmdir()
        return whole

    def cells(self, keys: Sequence[str]) -> Mapping[str, CellParts]:
        """What is there of each of these cells."""
        if self._whole is not None:
            return _Compacted(self._whole)
        self._settle()
        rows = [*self.kept, *self.pending]
        return _cells_of(in_order(joined(rows), keys)) if rows else {}


class _Compacted(Mapping[str, "CellParts"]):
    """The cells of a compacted file, once it is there, decoded a few at a time: all of them would fill gigabytes."""

    def __init__(self, whole: Future[bytes]) -> None:
        self._whole = whole
        self._held: OrderedDict[int, dict[str, CellParts]] = OrderedDict()

    @cached_property
    def _file(self) -> pq.ParquetFile:
        import pyarrow as pa
        import pyarrow.parquet as pq

        return pq.ParquetFile(pa.BufferReader(self._whole.result()))

    @cached_property
    def _group(self) -> dict[str, int]:
        """Where each cell lies."""
        return {
            key: group
            for group in range(self._file.num_row_groups)
            for key in self._file.read_row_group(group, columns=["cell"]).column("cell").unique().to_pylist()
        }

    def __getitem__(self, key: str) -> CellParts:
        group = self._group[key]
        if group not in self._held:
            self._held[group] = _cells_of(self._file.read_row_group(group).combine_chunks())
            if len(self._held) > GROUPS_HELD:
                self._held.popitem(last=False)
        self._held.move_to_end(group)
        return self._held[group][key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._group)

    def __len__(self) -> int:
        return len(self._group)


def _cells_of(table: pa.Table) -> dict[str, CellParts]:
    """The cells of rows in order."""
    names = table.column("cell").to_pylist()
    starts = [0, *(at for at in range(1, len(names)) if names[at] != names[at - 1]), len(names)]
    arrays = [name for name in table.column_names if name.startswith(PREFIX)]
    lists = {name.removeprefix(PREFIX): flat_lists(table.column(name)) for name in arrays}
    dims = json.loads((table.schema.metadata or {}).get(b"dims", b"{}"))
    blocks, errors = table.column("block").to_numpy(), table.column("error").to_pylist()
    return {
        names[start]: CellParts.of(names[start], blocks[start:stop], errors[start:stop], lists, dims, start)
        for start, stop in pairwise(starts)
        if start < stop
    }


class CellParts:
    """The parts of one cell: their arrays by number, and the errors of those that could not be played."""

    def __init__(self, key: str = "") -> None:
        self.key = key
        self.arrays: dict[int, dict[str, Any]] = {}
        self.errors: dict[int, str] = {}

    @classmethod
    def of(
        cls,
        key: str,
        blocks: Any,
        errors: Sequence[str | None],
        lists: Mapping[str, tuple[Any, Any]],
        dims: Mapping[str, Any],
        start: int,
    ) -> CellParts:
        """Of the rows from `start` on: their blocks and errors, and all columns of arrays."""
        found = cls(key)
        numbers = blocks // PART_BLOCKS
        edges = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
        for begin, end in pairwise(edges):
            number, error = int(numbers[begin]), errors[begin]
            if error is not None:
                found.errors[number] = error
                continue
            if end - begin not in (1, PART_BLOCKS):  # one where nothing is left to chance
                raise _damaged(key, f"part {number} has {end - begin} blocks; must have {PART_BLOCKS}")
            arrays = {}
            for name, (offsets, values) in lists.items():
                by_block, shape = dims[name]["by_block"], dims[name]["shape"]
                last = start + (end if by_block else begin + 1)
                flat = values[offsets[start + begin] : offsets[last]]
                try:
                    arrays[name] = flat.reshape((end - begin, *shape) if by_block else shape)
                except ValueError:
                    raise _damaged(key, f"{name} of part {number} holds {flat.size} numbers, too few or many") from None
            found.arrays[number] = arrays
        return found

    def n_parts(self) -> int:
        """Parts from the first on without a gap."""
        n = 0
        while n in self.arrays:
            n += 1
        return n


def stacked(game: Any, parts: CellParts, n_parts: int, first: int = 0) -> Any:
    """The sums of so many parts from the first on, every block on its own.

    Raises
    ------
    BadInput
        When they do not add up: a file of rows is damaged.
    """
    arrays = [parts.arrays[number] for number in range(first, first + n_parts)]
    try:
        for number, array in enumerate(arrays, first):
            n_blocks = len(array.get("pairs", ()))
            if n_parts > 1 and n_blocks != PART_BLOCKS:
                raise ValueError(f"part {number} has {n_blocks} blocks; must have {PART_BLOCKS}")
        return game.sums_from_arrays(*arrays)
    except ValueError as error:
        raise _damaged(parts.key, str(error)) from None


def _damaged(key: str, why: str) -> BadInput:
    return BadInput.of(
        f"rows of cell {key[:12]} are damaged: {why}; take away the file of rows that is wrong, and --resume plays its "
        "matches again"
    )


def _last_number(folder: Path) -> int:
    return max((int(path.stem) for path in folder.glob("*.parquet") if path.stem.isdecimal()), default=0)
