"""Rows of matches in words: what `matches.parquet` holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kernels.codes import Column, Illegal, Outcome

if TYPE_CHECKING:
    import pyarrow as pa

    from sim.games.dispatch.plan import DispatchPlan

__all__ = ["ILLEGAL_WORDS", "OUTCOME_WORDS", "match_table", "rows_table"]

OUTCOME_WORDS: dict[Outcome, tuple[str, str]] = {
    Outcome.A_ON_POINTS: ("A", "points"),
    Outcome.B_ON_POINTS: ("B", "points"),
    Outcome.A_ON_CASH: ("A", "cash"),
    Outcome.B_ON_CASH: ("B", "cash"),
    Outcome.SHARED: ("shared", "shared"),
    Outcome.ILLEGAL: ("none", "illegal order"),
    Outcome.PARTNER_ILLEGAL: ("none", "illegal order in the pair's other match"),
    Outcome.UNFINISHED: ("none", "unfinished"),
}
"""Winner and how it was decided, by outcome."""

ILLEGAL_WORDS: dict[Illegal, str] = {
    Illegal.NO: "none",
    Illegal.MALFORMED: "not an order",
    Illegal.UNKNOWN_JUNCTION: "no such junction",
    Illegal.NOT_ON_OFFER: "investment is not on offer",
    Illegal.ALREADY_UPGRADED: "train is upgraded already",
    Illegal.ALREADY_OWNED: "company owns a siding there already",
    Illegal.TOO_EXPENSIVE: "not affordable from the cash held before the dispatch",
}

_WORDLESS = {Column.OUTCOME, Column.ILLEGAL_DISPATCH, Column.ILLEGAL_COMPANY, Column.ILLEGAL_REASON}


def match_table(plan: DispatchPlan, first_pair: int, rows: npt.NDArray[np.int32], digest: str) -> pa.Table:
    """The rows of pairs `first_pair` onwards as an Arrow table, one row a match, words instead of codes.

    The schema's metadata carry the scenario's digest and the seed.
    """
    swap = np.arange(rows.shape[0], dtype=np.int64) % plan.n_swaps
    second_in_a = swap if plan.pairing.name == "SEATS" else np.zeros_like(swap)
    names = [plan.first.name, plan.second.name]
    seated = [[names[which] for which in second_in_a], [names[1 - which] for which in second_in_a]]
    return rows_table(rows, first_pair, plan.n_swaps, seated, second_in_a, digest, plan.seed)


def rows_table(
    rows: npt.NDArray[np.int32],
    first_pair: int,
    n_swaps: int,
    seated: Sequence[Sequence[str]],
    second_in_a: npt.NDArray[np.int64],
    digest: str,
    seed: int,
) -> pa.Table:
    """Rows of whole pairs as an Arrow table.

    Parameters
    ----------
    seated
        Who sat in A and who in B, one name a match each.
    second_in_a
        Shape (m,), 1 where the second side sat in A.
    """
    import pyarrow as pa

    match = first_pair * n_swaps + np.arange(rows.shape[0], dtype=np.int64)
    swap = match % n_swaps
    outcome = rows[:, Column.OUTCOME]
    illegal = rows[:, Column.ILLEGAL_DISPATCH] > 0

    def words(codes: npt.NDArray[np.integer], names: list[str]) -> pa.Array:
        # Codes of one word share it: a dictionary must not list it twice.
        distinct = list(dict.fromkeys(names))
        index = np.array([distinct.index(name) for name in names], np.int8)[codes]
        return pa.DictionaryArray.from_arrays(pa.array(index, pa.int8()), pa.array(distinct))

    def listed(names: Sequence[str]) -> pa.Array:
        distinct = {name: code for code, name in enumerate(dict.fromkeys(names))}
        index = pa.array([distinct[name] for name in names], pa.int32())
        return pa.DictionaryArray.from_arrays(index, pa.array(list(distinct), pa.string()))

    columns: dict[str, pa.Array] = {
        "match": pa.array(match),
        "pair": pa.array(match // n_swaps),
        "swap": pa.array(swap.astype(np.int8)),
        "bot_a": listed(seated[0]),
        "bot_b": listed(seated[1]),
        "first_seat": words(second_in_a, ["A", "B"]),
        "winner": words(outcome, [OUTCOME_WORDS[code][0] for code in Outcome]),
        "decided_by": words(outcome, [OUTCOME_WORDS[code][1] for code in Outcome]),
    }
    for column in Column:
        if column not in _WORDLESS:
            columns[column.name.lower()] = pa.array(rows[:, column])
    columns["illegal_dispatch"] = pa.array(rows[:, Column.ILLEGAL_DISPATCH], mask=~illegal)
    columns["illegal_company"] = words(np.where(illegal, rows[:, Column.ILLEGAL_COMPANY], 2), ["A", "B", "none"])
    columns["illegal_reason"] = words(rows[:, Column.ILLEGAL_REASON], [ILLEGAL_WORDS[code] for code in Illegal])
    table = pa.table(columns)
    return table.replace_schema_metadata({"scenario_digest": digest, "seed": str(seed)})
