"""The figures of mainline days and their exact counts as tables, and their CSV files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernels.mainline.codes import Column, Home
from sim.games.mainline.columns import Columns
from sim.games.mainline.day import Day
from sim.games.mainline.figures import homes_of, metrics_of
from sim.games.mainline.policies import PolicyFigures
from sim.games.mainline.rows import LAYING_WORDS
from sim.reports.mainline import words
from sim.running.result import Run

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["crossing_rows", "hand_rows", "policy_rows", "tables", "write_tables"]

GROUPS = ("east.fast", "east.slow", "west.fast", "west.slow")


def tables(run: Run, day: Day, policies: Sequence[PolicyFigures]) -> dict[str, pd.DataFrame]:
    """Every table of a run by its name.

    Returns
    -------
    dict
        `estimates` (one row a figure), `outcomes` (days; they sum to all that were played), `crossings` (Stages and
        finished crossings by card, direction and class), `policies` (the same deals under each policy), `day` (every
        crossing of the first day) and, with a hand, `hands` (what became of the Home cards).
    """
    import pandas as pd

    made = {
        "estimates": pd.DataFrame(estimate_rows(run)),
        "outcomes": pd.DataFrame([{"outcome": name, "days": n} for name, n in run.manifest["outcomes"].items()]),
        "crossings": pd.DataFrame(crossing_rows(run)),
        "policies": pd.DataFrame(policy_rows(policies)),
        "day": pd.DataFrame(day_rows(day)),
    }
    if homes_of(run.scenario):
        made["hands"] = pd.DataFrame(hand_rows(run))
    return made


def write_tables(made: dict[str, pd.DataFrame], folder: Path) -> list[Path]:
    """Write every table as ``<name>.csv``: UTF-8, lines end in a line feed, numbers in full."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, table in made.items():
        path = folder / f"{name}.csv"
        path.write_bytes(table.to_csv(index=False, lineterminator="\n").encode())
        written.append(path)
    return written


def estimate_rows(run: Run) -> list[dict[str, Any]]:
    """Every figure with its interval, in words as well."""
    metrics = metrics_of(run.scenario)
    return [
        {
            **found.as_dict(),
            "unit": metrics[found.metric].unit,
            "shown": words.phrase(found, metrics[found.metric].unit),
            "description": metrics[found.metric].description,
        }
        for found in run.estimates
    ]


def crossing_rows(run: Run) -> list[dict[str, Any]]:
    """Stages and number of finished crossings by card, direction and class."""
    columns = Columns(run.scenario.kinds)
    total = run.sums.sums.sum(axis=0)
    return [
        {
            "card": kind,
            "direction": direction.name.lower(),
            "class": speed.name.lower(),
            "crossings": int(total[columns.crossings(kind, direction, speed)]),
            "stages": int(total[columns.crossing(kind, direction, speed)]),
        }
        for kind, direction, speed in columns.groups()
    ]


def policy_rows(policies: Sequence[PolicyFigures]) -> list[dict[str, Any]]:
    """Figures of every policy on the same deals."""
    return [
        {"policy": one.policy, "own": one.own, "deals": one.deals, **found.as_dict()}
        for one in policies
        for found in one.estimates
    ]


def hand_rows(run: Run) -> list[dict[str, Any]]:
    """What became of the Home cards of all days, by kind."""
    columns = Columns(run.scenario.kinds)
    total = run.sums.sums.sum(axis=0)
    rows = []
    for home in homes_of(run.scenario):
        code = Home[home.upper()]
        counts = {word: int(total[columns.laying(code, laying)]) for laying, word in LAYING_WORDS.items()}
        saved = {
            "stages_saved": int(total[Column.SAVED_BRAKEMAN + code]),
            "runs_compared": int(total[Column.COMPARED_BRAKEMAN + code]),
        }
        rows.append({"card": home, **counts, **saved})
    return rows


def day_rows(day: Day) -> list[dict[str, Any]]:
    """Every crossing of a day."""
    keys = ("slot", "card", "held", "entry", "start", "crossing", "leave", "stages")
    return [
        {
            "train": number,
            **{key: train[key] for key in ("direction", "class", "departs")},
            **{key: card[key] for key in keys},
        }
        for number, train in day.words()["trains"].items()
        for card in train["cards"]
    ]
