"""A comparison's figures as tables, and their CSV files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from sim.studies.comparison import Comparison

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["comparison_tables", "write_comparison_tables"]


def comparison_tables(found: Comparison) -> dict[str, pd.DataFrame]:
    """Every table of a comparison by its name.

    Returns
    -------
    dict
        `differences` (one row a figure and variant), `changes` (one row a key of the scenario and variant, values as
        JSON), `matches` (one row a variant: shares of the matches that flipped and that changed).
    """
    import pandas as pd

    changes = [
        {"variant": one.label, "key": change.key, "base": json.dumps(change.base), "value": json.dumps(change.variant)}
        for one in found.variants
        for change in one.changes
    ]
    matches = [
        {
            "variant": one.label,
            "share": share.metric,
            "value": share.value,
            "low": share.low,
            "high": share.high,
            "n": share.n,
        }
        for one in found.variants
        for share in (one.flipped, one.changed)
        if share is not None
    ]
    return {
        "differences": found.differences_frame,
        "changes": pd.DataFrame(changes, columns=["variant", "key", "base", "value"]),
        "matches": pd.DataFrame(matches, columns=["variant", "share", "value", "low", "high", "n"]),
    }


def write_comparison_tables(found: Comparison, folder: Path) -> list[Path]:
    """Write every table as ``<name>.csv``: UTF-8, lines end in a line feed, numbers in full."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, table in comparison_tables(found).items():
        path = folder / f"{name}.csv"
        path.write_bytes(table.to_csv(index=False, lineterminator="\n").encode())
        written.append(path)
    return written
