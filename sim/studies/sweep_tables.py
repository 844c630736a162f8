"""Block rows as Parquet: tables of parts that were played, put together, in order, and looked at for damage.

Rows are told of in `sim.studies.sweep_rows`.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sim.config.errors import BadInput
from sim.parquet import ParquetWriter, read_parquet
from sim.running.parts import PART_BLOCKS, Played

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "GROWING",
    "PREFIX",
    "ROWS_FILE",
    "Rows",
    "check_twice",
    "compacted",
    "flat_lists",
    "in_order",
    "joined",
    "parts_in",
    "read_rows",
    "table_of",
]

ROWS_FILE = "blocks.parquet"
"""All rows, in the order of the cells, once a sweep is complete."""

GROWING = "blocks"
"""Folder of the files that rows are kept in until then."""

PREFIX = "block_"
"""Of the columns of arrays, since two games' arrays may have any name."""

CELLS_A_GROUP = 256
"""Cells of a row group of the compacted file, so that a large sweep is read piece by piece."""

LONG_RUN = 8
"""Rows that lie together on average, from which on they are copied as runs."""

_FIXED = ("cell", "pairing", "namespace", "block", "error")


class Rows(NamedTuple):
    """Some rows, and the file that they are from; None: they were played here."""

    table: pa.Table
    file: Path | None = None


def parts_in(table: pa.Table) -> tuple[set[tuple[str, int]], bool]:
    """Key of the cell and number of every part of some rows; and whether each of their blocks is there once."""
    keys, cells = np.unique(np.array(table.column("cell").to_pylist(), np.str_), return_inverse=True)
    blocks = table.column("block").to_numpy()
    most = int(blocks.max(initial=0)) // PART_BLOCKS + 1
    found = np.unique(cells * (most * PART_BLOCKS) + blocks)
    parts = np.unique(found // PART_BLOCKS)
    places = zip((parts // most).tolist(), (parts % most).tolist(), strict=True)
    return {(str(keys[cell]), number) for cell, number in places}, found.size == table.num_rows


def check_twice(rows: Sequence[Rows]) -> None:
    """Blocks that are there twice must be the same to the last integer: then one of them is left out later.

    Raises
    ------
    BadInput
        When two differ: one of them was not played by this sweep, or was damaged.
    """
    table = joined(rows)
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


def table_of(entered: Sequence[tuple[Played, str]]) -> pa.Table:
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
        columns[PREFIX + name] = pa.ListArray.from_arrays(starts, pa.array(np.concatenate(flat)))
    return pa.table(columns).replace_schema_metadata({"dims": json.dumps(dims, sort_keys=True)})


def _same_dims(dims: dict[str, Any], name: str, told_by: Any) -> None:
    """Enter the axes of an array; BadInput when other rows have others."""
    if dims.setdefault(name, told_by) != told_by:
        raise BadInput.of(f"rows of {name} are of different shapes; the sweep is damaged")


def joined(rows: Iterable[Rows]) -> pa.Table:
    """All of these rows in one table; BadInput when their arrays are of different shapes."""
    import pyarrow as pa

    tables = [one.table for one in rows]
    dims: dict[str, Any] = {}
    for table in tables:
        for name, told_by in json.loads((table.schema.metadata or {}).get(b"dims", b"{}")).items():
            _same_dims(dims, name, told_by)
    # One schema, whichever of the tables were read from files, whose fields bear other names inside.
    types = {"namespace": pa.int64(), "block": pa.int64()}
    arrays = [PREFIX + name for name in sorted(dims)]
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


def _order(table: pa.Table, keys: Sequence[str]) -> tuple[Any, Any]:
    """Which rows are of these cells, by cell and block, each once; and the number of the cell of each of those."""
    place = {key: number for number, key in enumerate(keys)}
    numbers = np.array([place.get(key, -1) for key in table.column("cell").to_pylist()], np.int64)
    blocks = table.column("block").to_numpy()
    order = np.lexsort((np.arange(len(numbers)), blocks, numbers))
    order = order[numbers[order] >= 0]
    if order.size:
        same = (np.diff(numbers[order]) == 0) & (np.diff(blocks[order]) == 0)
        order = order[np.concatenate([[True], ~same])]
    return order, numbers[order]


def _taken(table: pa.Table, order: Any) -> pa.Table:
    """These rows of a table in one piece. Those of a cell mostly lie together, and copying runs beats row by row."""
    import pyarrow as pa

    edges = _edges(order)
    if not _in_runs(order, edges):
        return table.take(order).combine_chunks()
    runs = [table.slice(int(order[start]), stop - start) for start, stop in pairwise(edges)]
    return pa.concat_tables(runs).combine_chunks()


def _edges(order: Any) -> list[int]:
    """Where rows that lie together begin, and the end."""
    return [0, *(np.flatnonzero(np.diff(order) != 1) + 1).tolist(), len(order)]


def _in_runs(order: Any, edges: Sequence[int]) -> bool:
    return len(order) >= LONG_RUN * len(edges)


def in_order(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Rows of these cells by cell and block, each once."""
    return _taken(table, _order(table, keys)[0])


def compacted(rows: list[Rows], keys: Sequence[str]) -> bytes:
    """The same as Parquet, in row groups of whole cells; `rows` is emptied, since a large sweep fills gigabytes."""
    import pyarrow as pa

    table = joined(rows)
    rows.clear()
    order, numbers = _order(table, keys)
    if not _in_runs(order, _edges(order)):  # rows are taken one by one, of what lies in one piece
        schema, columns = table.schema, table.columns
        del table
        for number in range(len(columns)):  # one after the other, so that two of them at most are there twice
            columns[number] = columns[number].combine_chunks()
        table = pa.table(columns, schema=schema)
    edges = np.searchsorted(numbers, np.arange(0, max(1, len(keys)), CELLS_A_GROUP))
    buffer = io.BytesIO()
    with ParquetWriter(buffer, table.schema) as writer:
        for start, stop in pairwise([*edges.tolist(), len(order)]):
            writer.write_table(_taken(table, order[start:stop]), row_group_size=max(1, stop - start))
    return buffer.getvalue()


def flat_lists(column: Any) -> tuple[Any, Any]:
    """Offsets and values of a column of lists."""
    import pyarrow as pa

    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0)
    return array.offsets.to_numpy(), array.values.to_numpy()


def _check_columns(table: pa.Table) -> None:
    """ValueError when a column is missing, of another type, or holds what no block has."""
    import pyarrow as pa

    if not set(_FIXED) <= set(table.column_names):
        raise ValueError(f"it lacks one of the columns {', '.join(_FIXED)}")
    for name in _FIXED:
        wanted = pa.int64() if name in ("namespace", "block") else pa.string()
        column = table.column(name)
        if column.type != wanted and not (name == "error" and pa.types.is_null(column.type)):
            raise ValueError(f"its column {name} holds {column.type}, not {wanted}")
        if name != "error" and column.null_count:
            raise ValueError(f"its column {name} has gaps")
    if table.num_rows and table.column("block").to_numpy().min() < 0:
        raise ValueError("it has a block below 0")
    played = table.column("error").is_null()
    for name in table.column_names:
        if not name.startswith(PREFIX):
            continue
        kind = table.column(name).type
        if not (pa.types.is_list(kind) and kind.value_type == pa.int64()):
            raise ValueError(f"its column {name} holds {kind}, not lists of int64")
        if table.column(name).filter(played).null_count:
            raise ValueError(f"its column {name} has gaps")


def _check_dims(table: pa.Table) -> None:
    """ValueError when the axes of the arrays are not told of."""
    dims = json.loads((table.schema.metadata or {}).get(b"dims", b"{}"))
    arrays = {name.removeprefix(PREFIX) for name in table.column_names if name.startswith(PREFIX)}
    if not isinstance(dims, dict) or arrays != set(dims):
        raise ValueError("it does not say of which shape its arrays are")
    for name, told_by in dims.items():
        shape = told_by.get("shape") if isinstance(told_by, dict) else None
        whole = isinstance(shape, list) and all(isinstance(one, int) and one >= -1 for one in shape)
        if not whole or not isinstance(told_by.get("by_block"), bool):
            raise ValueError(f"it does not say of which shape {name} is")


def read_rows(folder: Path) -> list[Rows]:
    """All rows in a folder, the compacted ones first."""
    paths = [folder / ROWS_FILE, *sorted((folder / GROWING).glob("*.parquet"))]
    remedy = "take it away, and --resume plays its matches again"
    tables = []
    for path in paths:
        if not path.exists():
            continue
        table = read_parquet(path, remedy)
        try:
            _check_columns(table)
            _check_dims(table)
        except ValueError as error:
            raise BadInput.of(f"{path} is damaged ({error}); {remedy}") from None
        tables.append(Rows(table, path))
    return tables
