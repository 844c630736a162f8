"""A value study's figures as tables, and their CSV files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sim.studies.value_result import FIGURES, ValueStudy

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["value_tables", "write_value_tables"]


def value_tables(found: ValueStudy) -> dict[str, pd.DataFrame]:
    """Every table of a value study by its name.

    Returns
    -------
    dict
        `worths` (one row a figure, with its unit and meaning), `prices` (one row a bot and kind), `verdicts` (one row a
        subject and bot).
    """
    import pandas as pd

    worths = []
    for one in found.worths:
        unit, meaning = FIGURES[one.figure]
        worths.append({**one.as_dict(), "unit": unit, "meaning": meaning})
    prices = [
        {"bot": one.bot, "subject": one.kind, "item": one.item, "says": one.price.kind.value, "price": one.price.value}
        | {"low": one.price.low, "high": one.price.high, "demand_ends": one.price.demand_ends}
        for one in found.prices
    ]
    verdicts = [
        {"subject": one.subject, "verdict": one.verdict, "agree": one.agree, "bot": bot, "vote": vote}
        | {"buys": bot in one.buyers}
        for one in found.verdicts
        for bot, vote in one.votes.items()
    ]
    return {"worths": pd.DataFrame(worths), "prices": pd.DataFrame(prices), "verdicts": pd.DataFrame(verdicts)}


def write_value_tables(found: ValueStudy, folder: Path) -> list[Path]:
    """Write every table as ``<name>.csv``: UTF-8, lines end in a line feed, numbers in full."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, table in value_tables(found).items():
        path = folder / f"{name}.csv"
        path.write_bytes(table.to_csv(index=False, lineterminator="\n").encode())
        written.append(path)
    return written
