"""Rows of matches in words: what `matches.parquet` holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kernels.codes import Column, Illegal, Outcome

if TYPE_CHECKING:
    import pyarrow as pa

    from sim.games.dispatch.plan import DispatchPlan

__all__ = ["ILLEGAL_WORDS", "OUTCOME_WORDS", "match_table"]

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
    import pyarrow as pa

    n = rows.shape[0]
    match = first_pair * plan.n_swaps + np.arange(n, dtype=np.int64)
    swap = match % plan.n_swaps
    seated = [plan.first.name, plan.second.name]
    second_in_a = swap if plan.pairing.name == "SEATS" else np.zeros(n, np.int64)
    outcome = rows[:, Column.OUTCOME]
    illegal = rows[:, Column.ILLEGAL_DISPATCH] > 0

    def words(codes: npt.NDArray[np.integer], names: list[str]) -> pa.Array:
        # Two bots of one name share a word: a dictionary must not list it twice.
        distinct = list(dict.fromkeys(names))
        index = np.array([distinct.index(name) for name in names], np.int8)[codes]
        return pa.DictionaryArray.from_arrays(pa.array(index, pa.int8()), pa.array(distinct))

    columns: dict[str, pa.Array] = {
        "match": pa.array(match),
        "pair": pa.array(match // plan.n_swaps),
        "swap": pa.array(swap.astype(np.int8)),
        "bot_a": words(second_in_a, seated),
        "bot_b": words(1 - second_in_a, seated),
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
    return table.replace_schema_metadata({"scenario_digest": digest, "seed": str(plan.seed)})
