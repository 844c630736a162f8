"""Block rows of a sweep: what is there twice, what is damaged, and what other tools read in them."""

from __future__ import annotations

import errno
import json
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sim
from kernels.codes import Pairing
from sim.config.errors import BadInput
from sim.files import write_atomically
from sim.games import game_named
from sim.store import RunFolder
from sim.studies import sweep_rows
from sim.studies.sweep import play_sweep, sweep
from sim.studies.sweep_plan import make_sweep_plan
from sim.studies.sweep_result import Sweep
from sim.studies.sweep_rows import ROWS_FILE, CellParts, RowStore, stacked
from tests.run_tools import SHORT, scaled
from tests.test_stats_sums import made_sums

MATCHES = scaled(1_400, 32)


def written(folder: Path) -> Path:
    path = folder / "own.yaml"
    standard = Path(sim.__file__).parents[1] / "configs" / "standard.yaml"
    dispatches = SHORT.get("dispatches", 24)
    (folder / "short.yaml").write_text(f"extends: {standard}\nname: short\ndispatches: {dispatches}\n")
    path.write_text(
        "schema: 1\nscenario: short.yaml\nbots: [greedy, random]\n"
        f"keys: {{economy.toll: [1, 3], economy.income: [1, 2]}}\ndesign: grid\nmatches: {MATCHES}\nseed: 3\n"
    )
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The whole sweep, and two shards of it."""
    folder = tmp_path_factory.mktemp("rows")
    plan = make_sweep_plan(written(folder))
    for number in (1, 2):
        with RunFolder(folder / f"shard{number}", plan.digest) as held:
            play_sweep(plan, folder=held, shard=(number, 2))
    return folder


@pytest.fixture(scope="module")
def found(folder) -> Sweep:
    return sweep(folder / "own.yaml", out=folder / "whole")


def merged(folder: Path, out: Path, *others: Path) -> bytes:
    plan = make_sweep_plan(folder / "own.yaml")
    with RunFolder(out, plan.digest) as held:
        play_sweep(plan, folder=held, merge=others)
    return (out / ROWS_FILE).read_bytes()


def rewritten(path: Path, change: Any) -> None:
    """A Parquet file with its rows changed, as plain lists."""
    table = pq.read_table(path)
    rows = table.to_pylist()
    change(rows)
    changed = pa.Table.from_pylist(rows, schema=table.schema)
    pq.write_table(changed, path)


def copied(folder: Path, name: str, to: Path) -> Path:
    shutil.copytree(folder / name, to)
    return to


# -- what is there twice ----------------------------------------------------------------------------------------------


def test_rows__that_are_there_twice_count_once(folder, found, tmp_path):
    whole = (folder / "whole" / ROWS_FILE).read_bytes()
    one, two = folder / "shard1", folder / "shard2"
    assert merged(folder, tmp_path / "twice", one, one, two) == whole
    assert merged(folder, tmp_path / "more", folder / "whole", one) == whole


def test_rows__that_contradict_each_other_are_damage(folder, found, tmp_path):
    """File, cell and block are told, whichever block it is."""
    shard = copied(folder, "shard1", tmp_path / "shard")
    (file,) = (shard / "blocks").glob("*.parquet")

    def change(rows):
        rows[5]["block_pairs"] = [99]

    rewritten(file, change)
    row = pq.read_table(file).to_pylist()[5]
    for first, second in ((folder / "whole", shard), (folder / "shard1", shard)):
        with pytest.raises(BadInput) as told:
            merged(folder, tmp_path / "out", first, second)
        assert str(told.value).startswith(f"{file} is damaged: block {row['block']} of cell {row['cell'][:12]} (")
        assert "differs from the one in " in str(told.value)
        assert not (tmp_path / "out").exists()
    with pytest.raises(BadInput, match=f"rows of cell {row['cell'][:12]} are damaged: outcomes of swap 0 add up to"):
        merged(folder, tmp_path / "alone", shard)


def test_stacked__joins_whole_parts_only():
    parts = CellParts("0123456789abcdef")
    parts.arrays = {number: made_sums(number, 40, Pairing.SEATS).as_arrays() for number in range(3)}
    game = game_named("dispatch")
    joined = stacked(game, parts, 2, first=1)
    assert joined.pairs.tolist() == [*parts.arrays[1]["pairs"], *parts.arrays[2]["pairs"]]
    parts.arrays[1] = made_sums(1, 40, Pairing.SEATS, 1).as_arrays()
    assert stacked(game, parts, 1, first=1).n_blocks == 1
    with pytest.raises(BadInput, match="rows of cell 0123456789ab are damaged: part 1 has 1 blocks; must have 16"):
        stacked(game, parts, 3)


def test_rows__that_are_lacking_are_damage(folder, found, tmp_path):
    shard = copied(folder, "shard1", tmp_path / "shard")
    (file,) = (shard / "blocks").glob("*.parquet")
    rewritten(file, lambda rows: rows.pop(7))
    with pytest.raises(BadInput, match=r"part \d has 15 blocks; must have 16; take away the file"):
        merged(folder, tmp_path / "out", shard)


def test_rows__that_contradict_each_other_in_one_file(folder, found, tmp_path):
    shard = copied(folder, "shard1", tmp_path / "shard")
    (file,) = (shard / "blocks").glob("*.parquet")
    rewritten(file, lambda rows: rows.append({**rows[3], "block_pairs": [99]}))
    with pytest.raises(BadInput, match=r"block \d+ of cell .* differs from the one in the same file"):
        merged(folder, tmp_path / "out", shard)


def changed_column(table: pa.Table, name: str, values: list[Any], kind: pa.DataType) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, pa.array(values, kind))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("block", lambda blocks: ([-1, *blocks[1:]], pa.int64()), "it has a block below 0"),
        ("block", lambda blocks: ([None, *blocks[1:]], pa.int64()), "its column block has gaps"),
        ("block", lambda blocks: ([float(one) for one in blocks], pa.float64()), "holds double, not int64"),
        ("block", lambda blocks: ([str(one) for one in blocks], pa.string()), "holds string, not int64"),
        ("namespace", lambda names: ([str(one) for one in names], pa.string()), "holds string, not int64"),
        ("block_sums", lambda rows: ([None, *rows[1:]], pa.list_(pa.int64())), "its column block_sums has gaps"),
        ("block_sums", lambda rows: ([rows[0][:-1], *rows[1:]], pa.list_(pa.int64())), "numbers, too few or many"),
        ("block_sums", lambda rows: ([{"a": 1} for _ in rows], pa.struct({"a": pa.int64()})), "not lists of int64"),
        ("block_pairs", lambda rows: ([["1"] for _ in rows], pa.list_(pa.string())), "not lists of int64"),
    ],
    ids=range(9),
)
def test_rows__of_another_shape_are_told_of(tmp_path, folder, found, name, change, message):
    out = tmp_path / "out"
    shutil.copytree(folder / "shard1", out)
    (file,) = (out / "blocks").glob("*.parquet")
    table = pq.read_table(file)
    values, kind = change(table.column(name).to_pylist())
    pq.write_table(changed_column(table, name, values, kind), file)
    plan = make_sweep_plan(folder / "own.yaml")
    with pytest.raises(BadInput, match=message), RunFolder(out, plan.digest) as held:
        play_sweep(plan, folder=held, resume=True)


@pytest.mark.parametrize("when", ["before it is written", "after it is written", "before it is a table"])
def test_rows__are_kept_whenever_the_keyboard_interrupts(folder, found, tmp_path, monkeypatch, when):
    """Also in the moment in which they are."""
    pressed = []

    def pressing(work: Any, *, first: bool) -> Any:
        def interrupted(*given: Any) -> Any:
            pressed.append(given)
            if first and len(pressed) == 1:
                raise KeyboardInterrupt
            done = work(*given)
            if len(pressed) == 1:
                raise KeyboardInterrupt
            return done

        return interrupted

    name = "table_of" if when == "before it is a table" else "write_atomically"
    work = pressing(getattr(sweep_rows, name), first=when.startswith("before"))
    monkeypatch.setattr(sweep_rows, name, work)
    plan = make_sweep_plan(folder / "own.yaml")
    with pytest.raises(KeyboardInterrupt), RunFolder(tmp_path / "out", plan.digest) as held:
        play_sweep(plan, folder=held, shard=(1, 1))
    monkeypatch.undo()
    keys = [cell.key for cell in plan.cells]
    kept = RowStore(tmp_path / "out")
    assert kept.present() == {(key, part) for cell, key in enumerate(keys) for part in range(plan.n_parts(cell))}
    assert merged(folder, tmp_path / "merged", tmp_path / "out") == (folder / "whole" / ROWS_FILE).read_bytes()


# -- what is damaged --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", [0, 3, 100, -9])
def test_rows__of_a_file_that_was_cut_short(folder, found, tmp_path, keep):
    shard = copied(folder, "shard1", tmp_path / "shard")
    (file,) = (shard / "blocks").glob("*.parquet")
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(BadInput, match=r"000001\.parquet is damaged .*take it away"):
        merged(folder, tmp_path / "out", shard)
    file.unlink()
    with pytest.raises(BadInput, match="holds no rows of a sweep"):
        merged(folder, tmp_path / "out", shard)


def test_rows__whatever_byte_is_wrong(folder, found, tmp_path):
    """A damaged file is told of, or reads as what was written: its pages bear checksums."""
    right = (folder / "whole" / ROWS_FILE).read_bytes()
    file, keys = tmp_path / ROWS_FILE, [cell.key for cell in found.cells]
    file.write_bytes(right)
    rows = RowStore(tmp_path).cells(keys)
    known = {key: rows[key].arrays for key in keys}
    luck, told = random.Random(1), []
    for _ in range(150):
        wrong = bytearray(right)
        # The footer bears no checksum of its own, and is a small part of a large file.
        at = luck.randrange(len(wrong)) if luck.random() < 0.5 else len(wrong) - luck.randrange(1, 3000)
        wrong[at] ^= 1 << luck.randrange(8)
        file.write_bytes(wrong)
        try:
            rows = RowStore(tmp_path).cells(keys)
            here = {key: rows[key].arrays for key in rows}
        except BadInput as error:
            told.append(str(error))
            continue
        for key, parts in here.items():
            for number, arrays in parts.items():
                assert all(np.array_equal(array, known[key][number][name]) for name, array in arrays.items()), (
                    at,
                    bytes(right[at - 40 : at + 40]),
                )
    assert len(told) > 75
    assert all("damaged" in one for one in told)


def test_rows__of_no_shape(folder, found, tmp_path):
    table = pq.read_table(folder / "whole" / ROWS_FILE)
    dims = json.loads(table.schema.metadata[b"dims"])
    name = next(iter(dims))
    for wrong in (
        "{",
        "[]",
        {},
        dims | {name: 3},
        dims | {name: {"by_block": 1, "shape": [1]}},
        dims | {name: {"by_block": True}},
    ):
        told = wrong if isinstance(wrong, str) else json.dumps(wrong)
        pq.write_table(table.replace_schema_metadata({"dims": told}), tmp_path / ROWS_FILE)
        with pytest.raises(BadInput, match=r"is damaged .*take it away"):
            RowStore(tmp_path)


def test_rows__of_another_kind_of_file(folder, found, tmp_path):
    shard = copied(folder, "shard1", tmp_path / "shard")
    (file,) = (shard / "blocks").glob("*.parquet")
    shutil.copy(folder / "whole" / "cells.parquet", file)
    with pytest.raises(BadInput, match="it lacks one of the columns cell, pairing"):
        merged(folder, tmp_path / "out", shard)


def test_rows__of_another_sweep_are_left_out(folder, found, tmp_path):
    """Cells are known by what they are: those of another sweep are nobody's here, and are told of."""
    text = (folder / "own.yaml").read_text()
    other = folder / "other.yaml"
    other.write_text(text.replace("seed: 3", "seed: 4"))
    sweep(other, out=tmp_path / "other", matches=32)
    with pytest.raises(BadInput, match="holds no rows of a cell of this sweep"):
        merged(folder, tmp_path / "out", tmp_path / "other")


def test_rows__two_at_once_are_refused(folder, found):
    plan = make_sweep_plan(folder / "own.yaml")
    with RunFolder(folder / "whole", plan.digest), pytest.raises(BadInput, match="another process is writing"):
        sweep(folder / "own.yaml", out=folder / "whole")


def test_rows__a_disk_that_is_full_in_the_end(folder, found, tmp_path, monkeypatch):
    """They are put in order beside the report; without them, no manifest says that the sweep is whole."""

    def full(path, data):
        if path.name == ROWS_FILE:
            raise OSError(errno.ENOSPC, "full")
        write_atomically(path, data)

    with monkeypatch.context() as patch:
        patch.setattr("sim.studies.sweep_rows.write_atomically", full)
        with pytest.raises(BadInput, match="No space left on device; nothing that was finished is lost"):
            sweep(folder / "own.yaml", out=tmp_path / "out")
    assert not (tmp_path / "out" / "manifest.json").exists()
    assert sweep(folder / "own.yaml", out=tmp_path / "out", resume=True).result() == found.result()


# -- a large sweep ----------------------------------------------------------------------------------------------------


def test_rows__are_read_in_groups_of_whole_cells(folder, found, tmp_path, monkeypatch):
    """Of which a few at a time are held: whatever their size, the same is said of every cell."""
    monkeypatch.setattr("sim.studies.sweep_tables.CELLS_A_GROUP", 3)
    monkeypatch.setattr("sim.studies.sweep_rows.GROUPS_HELD", 1)
    again = sweep(folder / "own.yaml", out=tmp_path / "groups")
    assert again.result() == found.result()
    assert again.frame.equals(found.frame)
    groups, whole = (pq.ParquetFile(one / ROWS_FILE) for one in (tmp_path / "groups", folder / "whole"))
    assert (groups.num_row_groups, whole.num_row_groups) == (2, 1)
    assert len(set(groups.read_row_group(0)["cell"].to_pylist())) == 3
    assert groups.read().equals(whole.read())
    assert sweep(folder / "own.yaml", out=tmp_path / "groups").result() == found.result()


# -- what other tools read --------------------------------------------------------------------------------------------


SHARED = "sum(block_outcomes[5] + block_outcomes[13]) / sum(2 * block_pairs[1])"


def test_rows__duckdb_reads_them_as_they_are(folder, found):
    """What docs/sweeps.md shows, with the same figures."""
    duckdb = pytest.importorskip("duckdb")
    place = folder / "whole"
    joined = f"SELECT label, {SHARED} FROM '{place}/blocks.parquet' b JOIN (SELECT DISTINCT key, label FROM "
    rows = duckdb.sql(f"{joined} '{place}/cells.parquet') c ON b.cell = c.key GROUP BY label").fetchall()
    assert dict(rows) == {c.label: pytest.approx(c.estimates["shared"].value, abs=1e-12) for c in found.cells}
    told = duckdb.sql(f"SELECT label, value, low FROM '{place}/cells.parquet' WHERE metric = 'shared'").fetchall()
    assert told == [(c.label, c.estimates["shared"].value, c.estimates["shared"].low) for c in found.cells]


def test_rows__polars_reads_them_as_they_are(folder, found):
    polars = pytest.importorskip("polars")
    blocks = polars.read_parquet(folder / "whole" / ROWS_FILE)
    outcomes, pairs = polars.col("block_outcomes"), polars.col("block_pairs")
    share = (outcomes.list.get(4) + outcomes.list.get(12)).sum() / (2 * pairs.list.get(0)).sum()
    rows = dict(blocks.group_by("cell").agg(share.alias("shared")).iter_rows())
    assert rows == {c.key: pytest.approx(c.estimates["shared"].value, abs=1e-12) for c in found.cells}
    cells = polars.read_parquet(folder / "whole" / "cells.parquet").filter(polars.col("metric") == "shared")
    assert cells["value"].to_list() == [cell.estimates["shared"].value for cell in found.cells]


def test_load_sweep__gives_back_the_frame(folder, found):
    frame = sim.load_sweep(folder / "whole")
    assert list(frame.columns) == list(found.frame.columns)
    assert np.array_equal(frame["value"].to_numpy(), found.frame["value"].to_numpy(), equal_nan=True)
    assert json.loads((folder / "whole" / "sweep.json").read_text())["cells"][0]["key"] == found.cells[0].key
