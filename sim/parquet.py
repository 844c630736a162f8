"""Tables as Parquet: every page and the footer with a checksum, so that damage is an error and never another figure."""

from __future__ import annotations

import io
import zlib
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self

from sim.config.errors import BadInput

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["ParquetWriter", "parquet_bytes", "read_frame", "read_parquet"]

SEAL = b"CRCF"
"""Before the checksum of the footer, which stands before the footer, where no reader of Parquet looks."""

END = 8
"""Bytes behind the footer: how long it is, and four letters."""


class ParquetWriter:
    """Writes tables of a schema, one after the other, to a path or a buffer."""

    def __init__(self, where: Path | io.BytesIO, schema: pa.Schema) -> None:
        import pyarrow.parquet as pq

        self._where = where
        self._writer = pq.ParquetWriter(where, schema, compression="zstd", write_page_checksum=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write_table(self, table: pa.Table, row_group_size: int | None = None) -> None:
        """Write one more table."""
        self._writer.write_table(table, row_group_size=row_group_size)

    def close(self) -> None:
        """Write the footer, which says where everything lies."""
        self._writer.close()
        if isinstance(self._where, Path):
            with self._where.open("r+b") as file:
                _seal(file)
        else:
            _seal(self._where)


def _seal(file: IO[bytes]) -> None:
    """Put the checksum of the footer before it."""
    size = file.seek(0, io.SEEK_END)
    file.seek(size - END)
    end = file.read(END)
    start = size - END - int.from_bytes(end[:4], "little")
    file.seek(start)
    footer = file.read(size - END - start)
    file.seek(start)
    file.write(SEAL + zlib.crc32(footer).to_bytes(4, "little") + footer + end)


def _check_footer(data: bytes) -> None:
    """ValueError when the footer is not what its checksum is of; files of earlier versions have none."""
    start = len(data) - END - int.from_bytes(data[-END : 4 - END], "little")
    seal = data[max(0, start - 8) : max(0, start)]
    if seal[:4] == SEAL and zlib.crc32(data[start:-END]) != int.from_bytes(seal[4:], "little"):
        raise ValueError("the checksum of its footer does not fit")


def parquet_bytes(table: pa.Table) -> bytes:
    """A table as the bytes of a file; the same table gives the same bytes."""
    buffer = io.BytesIO()
    with ParquetWriter(buffer, table.schema) as writer:
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
        _check_footer(data)
        # On this thread alone: others may still be alive where what is wrong with the file ends the process.
        table = pq.read_table(io.BytesIO(data), use_threads=False, pre_buffer=False, page_checksum_verification=True)
        table.validate(full=True)
    except Exception as error:  # a damaged file may raise anything
        raise BadInput.of(f"{path} is damaged ({error}); {remedy}") from None
    return table


def read_frame(path: Path, remedy: str) -> pd.DataFrame:
    """The same for pandas, to which a file says more than its columns."""
    table = read_parquet(path, remedy)
    try:
        frame: pd.DataFrame = table.to_pandas()
    except Exception as error:  # a damaged file may raise anything
        raise BadInput.of(f"{path} is damaged ({error}); {remedy}") from None
    return frame
