"""Rows of a sweep: one for every block of every cell, kept as Parquet that grows by files and is compacted at the end.

A row has `cell` (its key), `pairing`, `namespace`, `block`, `error`, and the integer sums of the block as lists of
int64, each array in a column `block_<name>` of its own. The lengths of the axes but the last are in the schema's
metadata. A part that could not be played is a row with its error and no sums.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.config.errors import BadInput
from sim.running.parts import PART_BLOCKS, Played
from sim.store import told, write_atomically

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ROWS_FILE", "CellParts", "RowStore", "stacked"]

ROWS_FILE = "blocks.parquet"
"""All rows, in the order of the cells, once a sweep is complete."""

_GROWING = "blocks"
_PREFIX = "block_"
"""Of the columns of arrays, since two games' arrays may have any name."""

_FIXED = ("cell", "pairing", "namespace", "block", "error")


class RowStore:
    """The rows of a sweep, in a folder or, without one, in memory."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.pending: list[pa.Table] = []
        self.kept: list[pa.Table] = []
        if folder is not None:
            self.kept = _read_all(folder)
        self._n_files = 0 if folder is None else _last_number(folder / _GROWING)

    def take_from(self, folder: Path) -> None:
        """Take the rows of another folder along, such as those of a shard.

        Raises
        ------
        BadInput
            When there are none, or they are damaged.
        """
        found = _read_all(folder)
        if not found:
            raise BadInput.of(f"{folder} holds no rows of a sweep")
        self.pending += found

    def add(self, played: Played, key: str) -> None:
        """Enter a part of the cell of this key."""
        self.pending.append(_table(played, key))

    def flush(self) -> None:
        """Keep what was entered."""
        if not self.pending:
            return
        if self.folder is not None:
            with told(self.folder):
                growing = self.folder / _GROWING
                growing.mkdir(exist_ok=True)
                self._n_files += 1
                write_atomically(growing / f"{self._n_files:06d}.parquet", _bytes(_joined(self.pending)))
        self.kept += self.pending
        self.pending = []

    def present(self) -> set[tuple[str, int]]:
        """Key of the cell and number of every part that is there."""
        found: set[tuple[str, int]] = set()
        for table in (*self.kept, *self.pending):
            blocks = table.column("block").to_numpy() // PART_BLOCKS
            found |= set(zip(table.column("cell").to_pylist(), blocks.tolist(), strict=True))
        return found

    def compact(self, keys: Sequence[str]) -> None:
        """One file of all rows of these cells, in their order, instead of many; those of others are dropped."""
        self.flush()
        table = _ordered(_joined(self.kept), keys)
        if self.folder is not None:
            with told(self.folder):
                write_atomically(self.folder / ROWS_FILE, _bytes(table))
                for path in sorted((self.folder / _GROWING).glob("*")):
                    path.unlink()
                if (self.folder / _GROWING).is_dir():
                    (self.folder / _GROWING).rmdir()
        self.kept = [table]

    def cells(self, keys: Sequence[str]) -> dict[str, CellParts]:
        """What is there of each of these cells."""
        tables = [*self.kept, *self.pending]
        if not tables:
            return {}
        table = _ordered(_joined(tables), keys)
        names = table.column("cell").to_pylist()
        starts = [0, *(at for at in range(1, len(names)) if names[at] != names[at - 1]), len(names)]
        arrays = [name for name in table.column_names if name.startswith(_PREFIX)]
        lists = {name.removeprefix(_PREFIX): _flat(table.column(name)) for name in arrays}
        dims = json.loads((table.schema.metadata or {}).get(b"dims", b"{}"))
        blocks, errors = table.column("block").to_numpy(), table.column("error").to_pylist()
        return {
            names[start]: CellParts.of(blocks[start:stop], errors[start:stop], lists, dims, start)
            for start, stop in pairwise(starts)
        }


class CellParts:
    """The parts of one cell: their arrays by number, and the errors of those that could not be played."""

    def __init__(self) -> None:
        self.arrays: dict[int, dict[str, Any]] = {}
        self.errors: dict[int, str] = {}

    @classmethod
    def of(
        cls,
        blocks: Any,
        errors: Sequence[str | None],
        lists: Mapping[str, tuple[Any, Any]],
        dims: Mapping[str, Any],
        start: int,
    ) -> CellParts:
        """Of the rows from `start` on: their blocks and errors, and all columns of arrays."""
        found = cls()
        numbers = blocks // PART_BLOCKS
        edges = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
        for begin, end in pairwise(edges):
            number, error = int(numbers[begin]), errors[begin]
            if error is not None:
                found.errors[number] = error
                continue
            arrays = {}
            for name, (offsets, values) in lists.items():
                by_block, shape = dims[name]["by_block"], dims[name]["shape"]
                last = start + (end if by_block else begin + 1)
                flat = values[offsets[start + begin] : offsets[last]]
                arrays[name] = flat.reshape((end - begin, *shape) if by_block else shape)
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
    ValueError
        When they do not add up.
    """
    one = game.sums_from_arrays(parts.arrays[first])
    if n_parts == 1:
        return one
    whole, total = one.not_by_block, None
    n_blocks = n_parts * PART_BLOCKS
    for number in range(n_parts):
        padded = {}
        for name, array in parts.arrays[first + number].items():
            if name in whole:
                padded[name] = array
                continue
            padded[name] = np.zeros((n_blocks, *array.shape[1:]), np.int64)
            padded[name][number * PART_BLOCKS : number * PART_BLOCKS + len(array)] = array
        sums = game.sums_from_arrays(padded)
        total = sums if total is None else total + sums
    return total


def _table(played: Played, key: str) -> pa.Table:
    import pyarrow as pa

    part = played.part
    n = 1 if played.error is not None else part.n_blocks
    first = part.number * PART_BLOCKS
    columns: dict[str, Any] = {
        "cell": pa.array([key] * n),
        "pairing": pa.array([part.plan.pairing_name] * n),
        "namespace": pa.array([part.plan.namespace] * n, pa.int64()),
        "block": pa.array(np.arange(first, first + n)),
        "error": pa.array([played.error] * n, pa.string()),
    }
    dims: dict[str, Any] = {}
    if played.error is None:
        whole = played.sums.not_by_block
        for name, array in played.sums.as_arrays().items():
            by_block = name not in whole
            shape = array.shape[1:] if by_block else array.shape
            # The last axis may be of another length in another part, as of a histogram.
            dims[name] = {"by_block": by_block, "shape": [*shape[:-1], -1] if shape else []}
            flat = np.ascontiguousarray(array if by_block else np.broadcast_to(array, (n, *array.shape))).reshape(-1)
            offsets = np.arange(n + 1, dtype=np.int32) * (flat.size // n)
            columns[_PREFIX + name] = pa.ListArray.from_arrays(pa.array(offsets), pa.array(flat))
    return pa.table(columns).replace_schema_metadata({"dims": json.dumps(dims, sort_keys=True)})


def _joined(tables: Iterable[pa.Table]) -> pa.Table:
    import pyarrow as pa

    tables = list(tables)
    dims: dict[str, Any] = {}
    for table in tables:
        for name, told_by in json.loads((table.schema.metadata or {}).get(b"dims", b"{}")).items():
            if dims.setdefault(name, told_by) != told_by:
                raise BadInput.of(f"rows of {name} are of different shapes; the sweep is damaged")
    # One schema, whichever of the tables were read from files, whose fields bear other names inside.
    types = {"namespace": pa.int64(), "block": pa.int64()}
    arrays = [_PREFIX + name for name in sorted(dims)]
    schema = pa.schema(
        [(name, types.get(name, pa.string())) for name in _FIXED] + [(name, pa.list_(pa.int64())) for name in arrays]
    )
    plain = [_in_schema(table, schema) for table in tables]
    return pa.concat_tables(plain).replace_schema_metadata({"dims": json.dumps(dims, sort_keys=True)})


def _in_schema(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A table with these columns, of these types; null where it has none."""
    import pyarrow as pa

    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def _ordered(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Rows of these cells by cell and block, each once."""
    place = {key: number for number, key in enumerate(keys)}
    numbers = np.array([place.get(key, -1) for key in table.column("cell").to_pylist()], np.int64)
    blocks = table.column("block").to_numpy()
    order = np.lexsort((np.arange(len(numbers)), blocks, numbers))
    order = order[numbers[order] >= 0]
    if order.size:
        same = (np.diff(numbers[order]) == 0) & (np.diff(blocks[order]) == 0)
        order = order[np.concatenate([[True], ~same])]
    return table.take(order).combine_chunks()


def _flat(column: Any) -> tuple[Any, Any]:
    """Offsets and values of a column of lists."""
    import pyarrow as pa

    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0)
    return array.offsets.to_numpy(), array.values.to_numpy()


def _bytes(table: pa.Table) -> bytes:
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def _read_all(folder: Path) -> list[pa.Table]:
    """Every table of rows in a folder, the compacted one first."""
    import pyarrow.parquet as pq

    paths = [folder / ROWS_FILE, *sorted((folder / _GROWING).glob("*.parquet"))]
    tables = []
    for path in paths:
        if not path.exists():
            continue
        try:
            table = pq.read_table(io.BytesIO(path.read_bytes()))
            if not set(_FIXED) <= set(table.column_names):
                raise ValueError(f"it lacks one of the columns {', '.join(_FIXED)}")
        except Exception as error:  # a damaged file may raise anything
            raise BadInput.of(
                f"{path} is damaged ({error}); take it away, and --resume plays its matches again"
            ) from None
        tables.append(table)
    return tables


def _last_number(folder: Path) -> int:
    return max((int(path.stem) for path in folder.glob("*.parquet") if path.stem.isdecimal()), default=0)
