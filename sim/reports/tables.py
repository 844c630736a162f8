"""The run's figures and exact counts as tables, and their CSV files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kernels.codes import Outcome
from sim.reports import words
from sim.running.result import Run
from sim.stats.definitions import METRICS
from sim.stats.metrics import histogram, seat_table
from sim.stats.sums import first_seats

if TYPE_CHECKING:
    import pandas as pd

PLAYER_FIGURES = {
    "points": "points",
    "deliveries": "deliveries",
    "purchases.upgrade": "upgrades bought",
    "purchases.siding": "sidings bought",
    "pick.upgrade": "buys an upgrade",
    "pick.siding": "buys a siding",
}
"""Figures that there are of either side, by the core name without its player, and what they are called."""
MATCH_FIGURES = {
    "conflicts": "conflicts",
    "head_ons": "  head-on",
    "junction_conflicts": "  at a junction",
    "shared_arrivals": "shared arrivals",
    "tolls": "tolls paid",
    "cancelled_toggles": "cancelled toggles",
    "stuck": "dispatches stuck (A + B)",
    "idle": "idle orders (A + B)",
}
"""Figures of both sides together, by core name, and what they are called; indented ones are parts of the one above."""
OUTCOME_WORDS = {
    Outcome.A_ON_POINTS: "A on points",
    Outcome.B_ON_POINTS: "B on points",
    Outcome.A_ON_CASH: "A on cash",
    Outcome.B_ON_CASH: "B on cash",
    Outcome.SHARED: "shared",
    Outcome.ILLEGAL: "illegal order",
    Outcome.PARTNER_ILLEGAL: "partner of an illegal order",
    Outcome.UNFINISHED: "not finished",
}


def tables(run: Run) -> dict[str, pd.DataFrame]:
    """Every table of a run by its name.

    Returns
    -------
    dict
        `estimates` (one row a figure), `outcomes` (matches by swap and ending; sums to all that were played),
        `seatings` (how the first side fared in each seat), `players` (one row a figure of both sides), `margin` and
        `spread` (exact histograms, in points), and `illegal_orders` where there were any.
    """
    import pandas as pd

    made = {
        "estimates": estimates_table(run),
        "outcomes": outcomes_table(run),
        "seatings": pd.DataFrame(seat_table(run.sums)),
        "players": players_table(run),
    }
    for metric in ("margin", "spread"):
        values, counts = histogram(run.sums, metric)
        made[metric] = pd.DataFrame({f"{metric}_points": values, "matches": counts})
    if words.n_ended(run, Outcome.ILLEGAL):
        made["illegal_orders"] = illegal_table(run)
    return made


def write_tables(run: Run, folder: Path) -> list[Path]:
    """Write every table as ``<name>.csv``: UTF-8, lines end in a line feed, numbers in full.

    Parameters
    ----------
    run
        The run.
    folder
        Where the files go; made when absent.

    Returns
    -------
    list of Path
        The files, in the order of `tables`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, table in tables(run).items():
        path = folder / f"{name}.csv"
        path.write_bytes(table.to_csv(index=False, lineterminator="\n").encode())
        written.append(path)
    return written


def estimates_table(run: Run) -> pd.DataFrame:
    """Every figure with its interval, in words as well."""
    import pandas as pd

    rows = [
        {
            **found.as_dict(),
            "unit": METRICS[found.metric].unit,
            "shown": words.phrase(found, METRICS[found.metric].unit),
            "description": METRICS[found.metric].description,
        }
        for found in run.estimates
    ]
    columns = ["pairing", "metric", "value", "low", "high", "n", "n_units", "method", "unit", "shown", "description"]
    return pd.DataFrame(rows, columns=columns)


def outcomes_table(run: Run) -> pd.DataFrame:
    """How every match that was played ended: one row for each swap, which seats they are, and ending."""
    import pandas as pd

    seats = first_seats(run.sums.pairing)
    ended = run.sums.outcomes.sum(axis=0)
    rows = [
        {
            "swap": s,
            "seat_a": (run.first, run.second)[seats[s]],
            "seat_b": (run.second, run.first)[seats[s]],
            "outcome": outcome_words,
            "matches": int(ended[s, outcome]),
        }
        for s in run.sums.swaps
        for outcome, outcome_words in OUTCOME_WORDS.items()
    ]
    return pd.DataFrame(rows, columns=["swap", "seat_a", "seat_b", "outcome", "matches"])


def players_table(run: Run) -> pd.DataFrame:
    """The figures that there are of either side, side by side."""
    import pandas as pd

    rows = []
    for name, label in PLAYER_FIGURES.items():
        row: dict[str, str | float | None] = {"figure": label, "unit": METRICS[f"{name}.first"].unit}
        for player in ("first", "second"):
            found = words.estimate(run, f"{name}.{player}")
            row[player] = None if found is None else found.value
            row[f"{player}_low"] = None if found is None else found.low
            row[f"{player}_high"] = None if found is None else found.high
        rows.append(row)
    return pd.DataFrame(rows)


def illegal_table(run: Run) -> pd.DataFrame:
    """Matches that ended by an illegal order, by swap."""
    import pandas as pd

    every = outcomes_table(run)
    wanted = [OUTCOME_WORDS[Outcome.ILLEGAL], OUTCOME_WORDS[Outcome.PARTNER_ILLEGAL]]
    return pd.DataFrame(every[every["outcome"].isin(wanted)]).reset_index(drop=True)
