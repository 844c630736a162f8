"""Parquet files: the same bytes of the same table, and a wrong byte is an error that says what to do."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from sim.config.errors import BadInput
from sim.parquet import ParquetWriter, parquet_bytes, read_frame, read_parquet

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


def test_parquet__a_wrong_byte_of_the_footer_is_never_another_table(tmp_path):
    """It holds the names of the columns, of what type they are, and what pandas is told; and no page's checksum."""
    path, data = tmp_path / "table.parquet", parquet_bytes(pa.Table.from_pandas(TABLE.to_pandas()))
    path.write_bytes(data)
    whole = read_frame(path, "")
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    n_told = 0
    for at in range(start - 8, len(data), 3):
        wrong = bytearray(data)
        wrong[at] ^= 1 << at % 8
        path.write_bytes(wrong)
        try:
            assert read_frame(path, "play it anew").equals(whole)
        except BadInput as error:
            n_told += str(error).startswith(f"{path} is damaged (") and str(error).endswith("); play it anew")
    assert n_told > (len(data) - start) // 3 - 4, "all but the checksum's own mark"


def test_parquet__of_earlier_versions_without_a_checksum_of_the_footer(tmp_path):
    path, kept = tmp_path / "table.parquet", pa.Table.from_pandas(TABLE.to_pandas())
    pq.write_table(kept, path)
    assert read_frame(path, "").equals(TABLE.to_pandas())
    pq.write_table(kept.replace_schema_metadata({"pandas": "{"}), path)
    with pytest.raises(BadInput, match=r"is damaged \(.*\); play it anew"):
        read_frame(path, "play it anew")


def test_parquet__other_readers_find_all_in_it(tmp_path):
    path = tmp_path / "table.parquet"
    with ParquetWriter(path, TABLE.schema) as writer:
        writer.write_table(TABLE, row_group_size=300)
        writer.write_table(TABLE)
    assert pq.ParquetFile(path).num_row_groups == 5
    assert pq.read_table(path, memory_map=True).equals(pa.concat_tables([TABLE, TABLE]))
    assert pd.read_parquet(path).shape == (2000, 2)
    assert ds.dataset(path).count_rows(filter=ds.field("points") < 10) == 20


def test_parquet__no_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_parquet(tmp_path / "none.parquet", "")
    with pytest.raises(BadInput, match="cannot be read"):
        read_parquet(tmp_path, "")
