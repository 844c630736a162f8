"""Parquet files: the same bytes of the same table, and a wrong byte is an error that says what to do."""

from __future__ import annotations

import pyarrow as pa
import pytest

from sim.config.errors import BadInput
from sim.parquet import parquet_bytes, read_parquet

TABLE = pa.table({"who": ["greedy", "random"] * 500, "points": list(range(1000))})


def test_parquet__there_and_back(tmp_path):
    path = tmp_path / "table.parquet"
    path.write_bytes(parquet_bytes(TABLE))
    assert read_parquet(path, "play it anew").equals(TABLE)
    assert parquet_bytes(TABLE) == path.read_bytes()


def test_parquet__a_wrong_byte_of_a_page(tmp_path):
    """Without the checksum, it would read as other points."""
    path, data = tmp_path / "table.parquet", bytearray(parquet_bytes(TABLE))
    n_told = 0
    for at in range(60, 400, 7):
        wrong = bytearray(data)
        wrong[at] ^= 1
        path.write_bytes(wrong)
        try:
            assert read_parquet(path, "play it anew").equals(TABLE)
        except BadInput as error:
            n_told += str(error).startswith(f"{path} is damaged (") and str(error).endswith("); play it anew")
    assert n_told > 40


def test_parquet__no_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_parquet(tmp_path / "none.parquet", "")
    with pytest.raises(BadInput, match="cannot be read"):
        read_parquet(tmp_path, "")
