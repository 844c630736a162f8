"""What a reader must know beside the figures of mainline days, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kernels.mainline.codes import Column, Home, Laying
from sim.games.mainline.figures import homes_of
from sim.games.mainline.rows import LAYING_WORDS
from sim.games.mainline.sums import DaySums

if TYPE_CHECKING:
    from sim.games.mainline.plan import MainlinePlan

__all__ = ["day_notes"]


def day_notes(plan: MainlinePlan, sums: DaySums, asked: int | None) -> Iterator[str]:
    """Sentences on what is exact, what ended early and what was refused.

    Parameters
    ----------
    asked
        Days asked for; None when a half-width decided how many.
    """
    yield from plan.scenario.warnings
    if plan.deterministic:
        yield "Nothing is drawn, so there is one different day: it was played once, and its figures have no interval."
    n_days = sums.n_pairs
    unfinished = int(sums.sums[:, Column.UNFINISHED_DAY].sum())
    if unfinished:
        trains = int(sums.sums[:, Column.UNFINISHED].sum())
        yield (
            f"On {unfinished:,} of {n_days:,} days a train was still out after {plan.scenario.max_stages} Stages "
            f"({trains:,} trains in all). They are in unfinished, and in no mean of trips."
        )
    not_run = int(sums.seen[:, Column.NOT_RUN].sum())
    if not_run:
        yield f"On {not_run:,} of {n_days:,} days no card was dealt on which an Extra can start; they did not run."
    for home in homes_of(plan.scenario):
        refused = [
            f"{LAYING_WORDS[laying]} {number:,}"
            for laying in (Laying.WRONG_CARD, Laying.ALREADY_THERE, Laying.NO_BRAKEMAN, Laying.OCCUPIED)
            if (number := int(sums.sums[:, plan.columns.laying(Home[home.upper()], laying)].sum()))
        ]
        if refused:
            yield f"The Home card {home} was refused on its slot: {', '.join(refused)} times in {n_days:,} days."
