"""Matches as records: what `sim.replay` takes, and what a file of people's matches holds, one a line."""

from __future__ import annotations

from typing import Any

from sim.config.errors import BadInput
from sim.games.dispatch.plan import DispatchPlan
from sim.games.dispatch.recorded import RecordedPlan
from sim.games.dispatch.traces import play_traces
from sim.lowering import COMPANIES, unpack_words
from sim.records import Record
from sim.replaying import Board
from sim.running.chunks import Chunk
from sim.running.result import Run

__all__ = ["match_record", "plain_record", "record_of"]


def match_record(run: Run, number: int) -> dict[str, Any]:
    """The record of one match of a run, which is played again from its number (counted from 0).

    Returns
    -------
    dict
        What `sim.replay` takes; a line of the files that `sim.run_records` reads.

    Raises
    ------
    BadInput
        When there is no such match, or the run is of another game (`sim.explain_day` has the record of a day).
    """
    from sim.api import plan_of

    plan = plan_of(run)
    last = run.sums.n_matches - 1
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= last:
        raise BadInput.of(f"match is {number!r}; must be a whole number from 0 to {last}")
    if isinstance(plan, RecordedPlan):
        return plain_record(plan.played[number].record)
    if not isinstance(plan, DispatchPlan):
        raise BadInput.of(f"{run.scenario.name} is a run of {run.scenario.game}; only matches of dispatch have records")
    return record_of(plan, number)


def record_of(plan: DispatchPlan, number: int) -> dict[str, Any]:
    """The record of one match of a plan, which is played again from its number."""
    pair, swap = divmod(number, plan.n_swaps)
    traces = play_traces(plan, Chunk(pair, 1))
    names = Board(plan.scenario).names
    names_by_seat = (plan.second.name, plan.first.name) if plan.seats_swapped(swap) else plan.sides
    return {
        "schema": 1,
        "scenario": plan.scenario.resolved(),
        "players": dict(zip(COMPANIES, names_by_seat, strict=True)),
        "orders": [
            {company: unpack_words(names, c, int(pair[c])) for c, company in enumerate(COMPANIES)}
            for pair in traces.orders[swap, : traces.lengths[swap]]
        ],
    }


def plain_record(record: Record) -> dict[str, Any]:
    """A record that was read, as plain data with its scenario in place; players without a name get one."""
    return {
        "schema": 1,
        "scenario": record.scenario.resolved(),
        "players": dict(record.players or {company: f"player {company}" for company in COMPANIES}),
        "orders": [{company: getattr(pair, company).model_dump() for company in COMPANIES} for pair in record.orders],
    }
