"""Which match of a run to look at: the closest, the widest, the greatest comeback, a shared one, or a number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sim.config.errors import BadInput
from sim.games.dispatch.plan import DispatchPlan
from sim.games.dispatch.playing import Bench
from sim.games.dispatch.recorded import RecordedPlan
from sim.games.dispatch.traces import play_traces, recorded_traces
from sim.running.chunks import Chunk

__all__ = ["MOST_LOOKED_AT", "PICKS", "Picked", "pick_match", "pick_of"]

PICKS = ("closest", "blowout", "comeback", "shared")

MOST_LOOKED_AT = 10_000
"""Matches of a run, from the first, among which one is picked: enough for extremes, seconds with the slowest bot."""

_CHUNK_PAIRS = 1024


@dataclass(frozen=True)
class Picked:
    """A match that was picked.

    Attributes
    ----------
    number
        Of the match, counted from 0.
    why
        What it was picked for, in words.
    looked_at
        Matches that were looked at; 0 where it was named by its number.
    """

    number: int
    why: str
    looked_at: int = 0


def pick_of(text: str) -> str | int:
    """A pick as it is written: one of `PICKS`, or a number of a match; BadInput when it is neither."""
    if text in PICKS:
        return text
    if text.isascii() and text.isdecimal():
        return int(text)
    raise BadInput.of(f"pick is {text!r}; must be {', '.join(PICKS)}, or the number of a match, counted from 0")


def pick_match(plan: DispatchPlan | RecordedPlan, n_matches: int, pick: str | int) -> Picked:
    """The match of a plan that a pick means.

    Parameters
    ----------
    n_matches
        Matches that were played; of these the first `MOST_LOOKED_AT` are looked at.
    pick
        `closest`: least difference in points and then in dollars, not shared. `blowout`: the greatest. `comeback`: the
        winner was furthest behind in points after some dispatch. `shared`: the first that is. Of equals the first.
        Or a number, counted from 0.

    Raises
    ------
    BadInput
        When there is no such match.
    """
    if isinstance(pick, int):
        if not 0 <= pick < n_matches:
            raise BadInput.of(
                f"pick is {pick}; must be a whole number from 0 to {n_matches - 1}, or {', '.join(PICKS)}"
            )
        return Picked(pick, f"match {pick}")
    looked_at = min(n_matches, MOST_LOOKED_AT)
    best: tuple[float, int] | None = None
    for first, standings, lengths in _standings(plan, looked_at):
        worth = _worth(standings, lengths, pick)[: looked_at - first]
        m = int(np.argmax(worth))
        if worth[m] > -np.inf and (best is None or worth[m] > best[0]):
            best = float(worth[m]), first + m
    if best is None:
        what = {"shared": "is shared", "comeback": "was won from behind"}.get(pick, "was won by anyone")
        raise BadInput.of(f"pick is {pick!r}, but none of the {looked_at:,} matches looked at {what}")
    words = {
        "closest": "the closest",
        "blowout": "the widest margin",
        "comeback": "the greatest comeback",
        "shared": "the first that is shared",
    }
    return Picked(best[1], f"{words[pick]} of the first {looked_at:,} matches", looked_at)


def _standings(
    plan: DispatchPlan | RecordedPlan, n_matches: int
) -> Iterator[tuple[int, npt.NDArray[np.int32], npt.NDArray[np.int64]]]:
    """At least the first `n_matches`, in parts: the number of the first, standings and lengths as `Traces` has them."""
    if isinstance(plan, RecordedPlan):
        traces = recorded_traces(plan, Chunk(0, plan.n_records))
        yield 0, traces.standings, traces.lengths
        return
    bench = Bench()
    n_pairs = -(-n_matches // plan.n_swaps)
    for first in range(0, n_pairs, _CHUNK_PAIRS):
        traces = play_traces(plan, Chunk(first, min(_CHUNK_PAIRS, n_pairs - first)), bench=bench)
        yield first * plan.n_swaps, traces.standings, traces.lengths


def _worth(standings: npt.NDArray[np.int32], lengths: npt.NDArray[np.int64], pick: str) -> npt.NDArray[np.float64]:
    """How well each match fits a pick, shape (m,); minus infinity where it does not at all."""
    points_a, points_b, cash_a, cash_b = np.moveaxis(standings.astype(np.float64), 2, 0)
    margin, dollars = (points_a - points_b)[:, -1], (cash_a - cash_b)[:, -1]
    shared = (margin == 0) & (dollars == 0)
    # Dollars decide between equal points only: they count less than one point, however many.
    gap = np.abs(margin) + np.abs(dollars) / (1 + np.abs(dollars))
    if pick == "shared":
        worth = np.where(shared, 0.0, -np.inf)
    elif pick == "closest":
        worth = np.where(shared, -np.inf, -gap)
    elif pick == "blowout":
        worth = np.where(shared, -np.inf, gap)
    else:
        winner_is_a = np.where(margin != 0, margin, dollars) > 0
        behind = np.where(winner_is_a[:, None], points_b - points_a, points_a - points_b).max(axis=1)
        worth = np.where(shared | (behind <= 0), -np.inf, behind)
    return np.where(lengths == standings.shape[1], worth, -np.inf)
