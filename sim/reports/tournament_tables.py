"""A tournament's figures as tables, and their CSV files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sim.reports.tournament_words import figure
from sim.stats.metagame import BOT_METRICS, METAGAME_METRICS
from sim.stats.metrics import METRICS
from sim.studies.tournament_result import Tournament, unit_of

if TYPE_CHECKING:
    import pandas as pd


def description_of(metric: str) -> str:
    """What a figure is, in a sentence."""
    if metric in METAGAME_METRICS:
        return METAGAME_METRICS[metric][1]
    stem = metric.partition(".")[0]
    return BOT_METRICS[stem][1] if stem in BOT_METRICS else METRICS[metric].description


def tournament_tables(found: Tournament) -> dict[str, pd.DataFrame]:
    """Every table of a tournament by its name.

    Returns
    -------
    dict
        `estimates` (one row a figure), `scores` (row against column), `score_half_widths` (the longer arm), `bots` (one
        row a bot), `dominated` (one row a bot of a dominating mixture).
    """
    import pandas as pd

    estimates = [
        {**one.as_dict(), "unit": unit_of(one.metric), "shown": figure(one), "description": description_of(one.metric)}
        for one in found.estimates
    ]
    bots = []
    for bot in found.bots:
        row: dict[str, object] = {"bot": bot}
        for metric in BOT_METRICS:
            one = found[f"{metric}.{bot}"]
            row |= {metric: one.value, f"{metric}_low": one.low, f"{metric}_high": one.high}
        row["dominated"] = is_dominated(found, bot)
        bots.append(row)
    dominated = [
        {"bot": one["bot"], "margin": one["margin"], "by": bot, "weight": weight, "alone": bot in one["pure"]}
        for one in found.dominated
        for bot, weight in one["by"].items()
    ]
    return {
        "estimates": pd.DataFrame(estimates),
        "scores": _square(found.scores_frame),
        "score_half_widths": _square(_half_widths(found)),
        "bots": pd.DataFrame(bots),
        "dominated": pd.DataFrame(dominated, columns=["bot", "margin", "by", "weight", "alone"]),
    }


def write_tournament_tables(found: Tournament, folder: Path) -> list[Path]:
    """Write every table as ``<name>.csv``: UTF-8, lines end in a line feed, numbers in full."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, table in tournament_tables(found).items():
        path = folder / f"{name}.csv"
        path.write_bytes(table.to_csv(index=False, lineterminator="\n").encode())
        written.append(path)
    return written


def by_rank(found: Tournament) -> list[str]:
    """The bots from the best rank to the worst, in the order asked for where these are equal or not known."""
    return sorted(found.bots, key=lambda bot: found[f"rank.{bot}"].value or 0)


def is_dominated(found: Tournament, bot: str) -> bool:
    """Whether a bot, or one of its clones, was found dominated."""
    return any(bot in _clones_of(found, one["bot"]) for one in found.dominated)


def _clones_of(found: Tournament, bot: str) -> tuple[str, ...]:
    return next((group for group in found.clones if bot in group), (bot,))


def _square(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.rename_axis("bot").reset_index()


def _half_widths(found: Tournament) -> pd.DataFrame:
    import pandas as pd

    rows = []
    for row in found.bots:
        cells: list[float | None] = []
        for column in found.bots:
            one = None if row == column else found.score(row, column)
            if one is None or one.value is None or one.low is None or one.high is None:
                cells.append(None)
            else:
                cells.append(max(one.high - one.value, one.value - one.low))
        rows.append(cells)
    return pd.DataFrame(rows, index=list(found.bots), columns=list(found.bots), dtype=float)
