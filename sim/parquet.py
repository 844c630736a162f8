"""Tables as Parquet: every page with its checksum, so that damage is an error and never another figure."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.config.errors import BadInput

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

__all__ = ["parquet_bytes", "parquet_writer", "read_parquet"]


def parquet_writer(where: Any, schema: pa.Schema) -> pq.ParquetWriter:
    """Writes tables of a schema, one after the other, to a path or a buffer."""
    import pyarrow.parquet as pq

    return pq.ParquetWriter(where, schema, compression="zstd", write_page_checksum=True)


def parquet_bytes(table: pa.Table) -> bytes:
    """A table as the bytes of a file; the same table gives the same bytes."""
    buffer = io.BytesIO()
    with parquet_writer(buffer, table.schema) as writer:
        writer.write_table(table)
    return buffer.getvalue()


def read_parquet(path: Path, remedy: str) -> pa.Table:
    """A table that was written here.

    Parameters
    ----------
    path
        The file.
    remedy
        What its reader can do when it is damaged.

    Raises
    ------
    FileNotFoundError
        When there is no such file.
    BadInput
        When it is damaged.
    """
    import pyarrow.parquet as pq

    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise BadInput.of(f"{path} cannot be read: {error.strerror}") from None
    try:
        # On this thread alone: others may still be alive where what is wrong with the file ends the process.
        table = pq.read_table(io.BytesIO(data), use_threads=False, pre_buffer=False, page_checksum_verification=True)
        table.validate(full=True)
    except Exception as error:  # a damaged file may raise anything
        raise BadInput.of(f"{path} is damaged ({error}); {remedy}") from None
    return table
