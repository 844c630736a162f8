"""One mainline day of a run, told: a record that plays it again, and what every train did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sim.config.errors import BadInput
from sim.config.loading import load_scenario
from sim.config.mainline import MainlineScenario
from sim.games.mainline.day import Day, answered_day, drawn_day
from sim.games.mainline.lowering import trains_of
from sim.games.mainline.plan import MainlinePlan
from sim.reading import load_run
from sim.running.result import Run

__all__ = ["DayStory", "day_record", "explain_day"]


@dataclass(frozen=True)
class DayStory:
    """One day.

    Attributes
    ----------
    day
        As it was played.
    number
        Of the day in its run, counted from 0.
    record
        The same day as a record, which `sim replay` takes: deal, orientations, departures and rulings are fixed.
    """

    day: Day = field(repr=False)
    number: int
    record: dict[str, Any] = field(repr=False)

    @property
    def title(self) -> str:
        """What the day is called."""
        return f"{self.day.scenario.name}: day {self.number}"

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain data, as `sim match --json` prints it."""
        return {"schema": 1, "number": self.number, "record": self.record, **self.day.words()}

    def _repr_html_(self) -> str:
        from sim.reports.notebook import day_html

        return day_html(self)


def explain_day(source: Run | str | Path, number: str | int) -> DayStory:
    """Tell one day of a mainline run.

    Raises
    ------
    BadInput
        When there is no such day, or the run is of another game.
    """
    from sim.api import plan_of

    run = source if isinstance(source, Run) else load_run(source)
    plan = plan_of(run)
    if not isinstance(plan, MainlinePlan):
        raise BadInput.of(f"{run.scenario.name} is a run of {run.scenario.game}; must be one of mainline")
    text, last = str(number), run.sums.n_matches - 1
    if not (text.isascii() and text.isdecimal() and int(text) <= last):
        raise BadInput.of(f"pick is {number!r}; of mainline days must be the number of one, from 0 to {last}")
    day = drawn_day(plan.scenario, plan.seed, int(text), plan.namespace)
    return DayStory(day, int(text), day_record(day))


def day_record(day: Day) -> dict[str, Any]:
    """The record of a day. Home cards that were refused are left out: on a fixed deal they would be bad input."""
    told = day.words()
    fixed = day.scenario.resolved()
    fixed["deal"] = list(day.dealt)
    grades = {s + 1: way for s, way in enumerate(day.up) if day.scenario.card(day.dealt[s]).grade}
    fixed["up"] = {str(slot): way for slot, way in grades.items()} or None
    if fixed["up"] is None:
        del fixed["up"]
    departs = {train.number: day.departs[t] for t, train in enumerate(trains_of(day.scenario))}
    fixed["timetable"] = [{**entry, "departs": departs[entry["number"]]} for entry in fixed["timetable"]]
    refused = [(card["card"], card["stage"], card["on"]) for card in told["refused"]]
    hands = []
    for card in fixed.get("hands", ()):
        key = (card["card"], card["stage"], card["on"])
        if key in refused:
            refused.remove(key)
        else:
            hands.append(card)
    fixed["hands"] = hands
    return {"schema": 1, "scenario": fixed, "rulings": _answers(fixed, [one["admitted"] for one in told["rulings"]])}


def _answers(fixed: Mapping[str, Any], rulings: list[bool]) -> list[bool]:
    """Every answer that the day asks for: under `hold` nobody was asked, and each would have been a no."""
    scenario = load_scenario(fixed)
    assert isinstance(scenario, MainlineScenario)
    if rulings:
        return rulings
    most = len(scenario.timetable) * scenario.max_stages
    return [False] * answered_day(scenario, [False] * most).n_answered
