"""Rows of days in words: what `matches.parquet` of the mainline game holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.mainline.codes import Column, Direction, Home, Laying
from sim.config.mainline import MainlineScenario
from sim.games.mainline.columns import Columns
from sim.games.mainline.figures import homes_of
from sim.running.chunks import Rows

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LAYING_WORDS", "day_table"]

LAYING_WORDS: dict[Laying, str] = {
    Laying.LAID: "laid",
    Laying.NO_LEGAL_PLACE: "no legal place",
    Laying.DAY_OVER: "day over",
    Laying.WRONG_CARD: "wrong card",
    Laying.ALREADY_THERE: "already there",
    Laying.NO_BRAKEMAN: "no brakeman",
    Laying.OCCUPIED: "occupied",
}
"""What became of a Home card: laid, kept for one of two reasons, or refused for one of four."""


def day_table(
    scenario: MainlineScenario, columns: Columns, first_pair: int, rows: Rows, digest: str, seed: int
) -> pa.Table:
    """The days of deals `first_pair` onwards as an Arrow table, one row a day, words instead of codes."""
    import pyarrow as pa

    number = first_pair + np.arange(rows.shape[0], dtype=np.int64)

    def words(codes: Rows, names: list[str]) -> pa.Array:
        return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int8), pa.int8()), pa.array(names))

    table: dict[str, pa.Array] = {"match": pa.array(number), "pair": pa.array(number)}
    ups = ["none", *(direction.name.lower() for direction in Direction)]
    for slot in range(scenario.n_slots):
        table[f"card_{slot + 1}"] = words(rows[:, columns.card(slot)] - 1, list(columns.kinds))
    for slot in range(scenario.n_slots):
        table[f"up_{slot + 1}"] = words(rows[:, columns.up(slot)], ups)
    for column in Column:
        if not column.name.startswith(("SAVED", "COMPARED")):
            table[column.name.lower()] = pa.array(rows[:, column])
    for home in homes_of(scenario):
        code = Home[home.upper()]
        table[f"saved_{home}"] = pa.array(rows[:, Column.SAVED_BRAKEMAN + code])
        table[f"compared_{home}"] = pa.array(rows[:, Column.COMPARED_BRAKEMAN + code])
        for laying, word in LAYING_WORDS.items():
            table[f"{home}_{word.replace(' ', '_')}"] = pa.array(rows[:, columns.laying(code, laying)])
    for kind, direction, speed in columns.groups():
        group = f"{kind}_{direction.name.lower()}_{speed.name.lower()}"
        table[f"crossing_stages_{group}"] = pa.array(rows[:, columns.crossing(kind, direction, speed)])
        table[f"crossings_{group}"] = pa.array(rows[:, columns.crossings(kind, direction, speed)])
    return pa.table(table).replace_schema_metadata({"scenario_digest": digest, "seed": str(seed)})
