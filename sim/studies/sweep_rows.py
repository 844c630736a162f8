"""Rows of a sweep: one for every block of every cell, kept as Parquet that grows by files and is compacted at the end.

A row has `cell` (its key), `pairing`, `namespace`, `block`, `error`, and the integer sums of the block as lists of
int64, each array in a column `block_<name>` of its own. The lengths of the axes but the last are in the schema's
metadata. A part that could not be played is a row with its error and no sums.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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


class Rows(NamedTuple):
    """Some rows, and the file that they are from; None: they were played here."""

    table: pa.Table
    file: Path | None = None


class RowStore:
    """The rows of a sweep, in a folder or, without one, in memory."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.played: list[tuple[Played, str]] = []
        self.pending: list[Rows] = []
        self.kept: list[Rows] = []
        self._present: set[tuple[str, int]] = set()
        if folder is not None:
            self.kept = _read_all(folder)
            self._enter(self.kept)
        self._n_files = 0 if folder is None else _last_number(folder / _GROWING)

    def take_from(self, folder: Path, keys: Iterable[str]) -> None:
        """Take the rows of another folder along, such as those of a shard of these cells.

        Raises
        ------
        BadInput
            When there are none, they are damaged, or they contradict rows that are here already.
        """
        found = _read_all(folder)
        if not found:
            raise BadInput.of(f"{folder} holds no rows of a sweep")
        if {cell for table, _ in found for cell, _ in _parts_in(table)[0]}.isdisjoint(keys):
            raise BadInput.of(f"{folder} holds no rows of a cell of this sweep; must be of a shard of it")
        self.pending += found
        self._enter(found)

    def _enter(self, rows: Sequence[Rows]) -> None:
        """Know the parts of these rows; look closer where there is one of them already."""
        twice = False
        for table, _ in rows:
            new, alone = _parts_in(table)
            twice = twice or not alone or not new.isdisjoint(self._present)
            self._present |= new
        if twice:
            _check_twice([*self.kept, *self.pending])

    def add(self, played: Played, key: str) -> None:
        """Enter a part of the cell of this key."""
        self.played.append((played, key))
        self._present.add((key, played.part.number))

    def _settle(self) -> None:
        """Make one table of the parts that were entered."""
        if self.played:
            self.pending.append(Rows(_table(self.played)))
            self.played = []

    def flush(self) -> None:
        """Keep what was entered."""
        self._settle()
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
        return set(self._present)

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
        self.kept = [Rows(table)]

    def cells(self, keys: Sequence[str]) -> dict[str, CellParts]:
        """What is there of each of these cells."""
        self._settle()
        rows = [*self.kept, *self.pending]
        if not rows:
            return {}
        table = _ordered(_joined(rows), keys)
        names = table.column("cell").to_pylist()
        starts = [0, *(at for at in range(1, len(names)) if names[at] != names[at - 1]), len(names)]
        arrays = [name for name in table.column_names if name.startswith(_PREFIX)]
        lists = {name.removeprefix(_PREFIX): _flat(table.column(name)) for name in arrays}
        dims = json.loads((table.schema.metadata or {}).get(b"dims", b"{}"))
        blocks, errors = table.column("block").to_numpy(), table.column("error").to_pylist()
        return {
            names[start]: CellParts.of(names[start], blocks[start:stop], errors[start:stop], lists, dims, start)
            for start, stop in pairwise(starts)
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
    BadInput
        When they do not add up: a file of rows is damaged.
    """
    try:
        return _stacked(game, parts, n_parts, first)
    except ValueError as error:
        raise _damaged(parts.key, str(error)) from None


def _stacked(game: Any, parts: CellParts, n_parts: int, first: int) -> Any:
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


def _damaged(key: str, why: str) -> BadInput:
    return BadInput.of(
        f"rows of cell {key[:12]} are damaged: {why}; take away the file of rows that is wrong, and --resume plays its "
        "matches again"
    )


def _parts_in(table: pa.Table) -> tuple[set[tuple[str, int]], bool]:
    """Key of the cell and number of every part of some rows; and whether each of their blocks is there once."""
    keys, cells = np.unique(np.array(table.column("cell").to_pylist(), np.str_), return_inverse=True)
    blocks = table.column("block").to_numpy()
    most = int(blocks.max(initial=0)) // PART_BLOCKS + 1
    found = np.unique(cells * (most * PART_BLOCKS) + blocks)
    parts = np.unique(found // PART_BLOCKS)
    places = zip((parts // most).tolist(), (parts % most).tolist(), strict=True)
    return {(str(keys[cell]), number) for cell, number in places}, found.size == table.num_rows


def _check_twice(rows: Sequence[Rows]) -> None:
    """Blocks that are there twice must be the same to the last integer: then one of them is left out later.

    Raises
    ------
    BadInput
        When two differ: one of them was not played by this sweep, or was damaged.
    """
    table = _joined(rows)
    files = np.repeat(np.arange(len(rows)), [one.table.num_rows for one in rows])
    names = np.unique(np.array(table.column("cell").to_pylist()), return_inverse=True)[1]
    blocks = table.column("block").to_numpy()
    order = np.lexsort((np.arange(len(names)), blocks, names))
    same = np.flatnonzero((np.diff(names[order]) == 0) & (np.diff(blocks[order]) == 0))
    first, second = table.take(order[same]), table.take(order[same + 1])
    if first.equals(second):
        return
    for at in range(len(same)):
        if not first.slice(at, 1).equals(second.slice(at, 1)):
            row = second.slice(at, 1).to_pylist()[0]
            one, other = (rows[files[order[same[at] + step]]].file for step in (0, 1))
            raise BadInput.of(
                f"{other} is damaged: block {row['block']} of cell {row['cell'][:12]} ({row['pairing']}) differs from "
                f"the one in {'the same file' if one == other else one}; take away the one that is wrong"
            )


def _table(entered: Sequence[tuple[Played, str]]) -> pa.Table:
    """Rows of parts that were played, each with the key of its cell, in their order."""
    import pyarrow as pa

    sizes = [1 if played.error is not None else played.part.n_blocks for played, _ in entered]

    def each(of_part: Callable[[Played, str], Any]) -> list[Any]:
        return [said for (played, key), n in zip(entered, sizes, strict=True) for said in [of_part(played, key)] * n]

    firsts = [played.part.number * PART_BLOCKS for played, _ in entered]
    columns: dict[str, Any] = {
        "cell": pa.array(each(lambda _, key: key), pa.string()),
        "pairing": pa.array(each(lambda played, _: played.part.plan.pairing_name), pa.string()),
        "namespace": pa.array(each(lambda played, _: played.part.plan.namespace), pa.int64()),
        "block": pa.array(np.concatenate([np.arange(at, at + n) for at, n in zip(firsts, sizes, strict=True)])),
        "error": pa.array(each(lambda played, _: played.error), pa.string()),
    }
    arrays = [None if played.error is not None else played.sums.as_arrays() for played, _ in entered]
    any_sums = next((played.sums for played, _ in entered if played.error is None), None)
    whole = frozenset() if any_sums is None else any_sums.not_by_block
    dims: dict[str, Any] = {}
    for name in next((one for one in arrays if one is not None), {}):
        by_block = name not in whole
        flat, lengths, known = [], [], []
        for array, n in zip((None if one is None else one[name] for one in arrays), sizes, strict=True):
            if array is not None:
                shape = array.shape[1:] if by_block else array.shape
                # The last axis may be of another length in another part, as of a histogram.
                _same_dims(dims, name, {"by_block": by_block, "shape": [*shape[:-1], -1] if shape else []})
                flat += [array.reshape(-1)] if by_block else [array.reshape(-1)] * n
            size = 0 if array is None else array.size // n if by_block else array.size
            lengths += [size] * n
            known += [array is not None] * n
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        starts = pa.array(offsets, mask=np.array([*(not one for one in known), False]))
        columns[_PREFIX + name] = pa.ListArray.from_arrays(starts, pa.array(np.concatenate(flat)))
    return pa.table(columns).replace_schema_metadata({"dims": json.dumps(dims, sort_keys=True)})


def _same_dims(dims: dict[str, Any], name: str, told_by: Any) -> None:
    """Enter the axes of an array; BadInput when other rows have others."""
    if dims.setdefault(name, told_by) != told_by:
        raise BadInput.of(f"rows of {name} are of different shapes; the sweep is damaged")


def _joined(rows: Iterable[Rows]) -> pa.Table:
    import pyarrow as pa

    tables = [one.table for one in rows]
    dims: dict[str, Any] = {}
    for table in tables:
        for name, told_by in json.loads((table.schema.metadata or {}).get(b"dims", b"{}")).items():
            _same_dims(dims, name, told_by)
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


def _read_all(folder: Path) -> list[Rows]:
    """All rows in a folder, the compacted ones first."""
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
        tables.append(Rows(table, path))
    return tables


def _last_number(folder: Path) -> int:
    return max((int(path.stem) for path in folder.glob("*.parquet") if path.stem.isdecimal()), default=0)
