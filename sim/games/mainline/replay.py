"""Recorded days: a scenario in which nothing is drawn, and the Superintendent's answers, played and told."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from sim.config.errors import BadInput, Problem
from sim.config.loading import load_scenario
from sim.config.mainline import MAX_STAGES, MAX_TRAINS, REALIGNMENTS, MainlineScenario
from sim.config.scenario import Model, Schema
from sim.config.shapes import shaped
from sim.config.tree import Source, plain_tree
from sim.config.values import OneOf, shown
from sim.games.mainline.day import Day, answered_day
from sim.records import Place

__all__ = ["play_day_record"]

Answer = Annotated[bool, OneOf((True, False))]


class _Shape(Model):
    """The shape of a recorded day; its scenario is checked apart."""

    schema_version: Schema = Field(alias="schema")
    scenario: Any
    rulings: Annotated[tuple[Answer, ...], Field(max_length=MAX_STAGES * MAX_TRAINS)]


def play_day_record(document: Any, place: Place, folder: Path) -> Day:
    """Play a recorded day.

    Parameters
    ----------
    document
        `schema`, `scenario` (a path, a shipped name, or in place) and `rulings`, in the order asked. The scenario's
        policy is not read.
    place, folder
        Where it was written, and where its paths start.

    Raises
    ------
    BadInput
        When it is malformed, something in its scenario is drawn, or there are too few answers.
    """
    found: list[Problem] = []
    node = plain_tree(document, Source(), found)
    if not isinstance(node.value, dict):
        raise BadInput([place.problem("", f"holds {shown(node.plain())}; must hold a recorded day, a mapping")])
    shape = shaped(_Shape, node.plain(), node, (), found)
    problems = [place.problem(problem.key, problem.message) for problem in found]
    scenario = None
    if "scenario" in node.value:
        try:
            scenario = _scenario(document["scenario"], place, folder)
            problems += [place.problem(f"scenario.{key}", message) for key, message in _drawn(scenario)]
        except BadInput as error:
            problems += error.problems
    if problems or shape is None or scenario is None:
        raise BadInput(problems)
    day = answered_day(scenario, list(shape.rulings))
    if day.lacks_answer:
        stage, train, slot = day.asked_last
        raise BadInput(
            [
                place.problem(
                    "rulings",
                    f"has {len(shape.rulings)} answers; must have one more: in Stage {stage} train {train} asks to "
                    f"enter slot {slot}",
                )
            ]
        )
    return day


def _scenario(written: Any, place: Place, folder: Path) -> MainlineScenario:
    try:
        if isinstance(written, str | Path):
            beside = folder / written
            loaded = load_scenario(beside if os.path.lexists(beside) else str(written))
        elif isinstance(written, Mapping):
            loaded = load_scenario(written, folder=folder)
        else:
            message = f"is {shown(written)}; must be the path of a scenario, or the scenario itself"
            raise BadInput([place.problem("scenario", message)])
    except BadInput as error:
        # Problems inside files that the scenario refers to have places of their own.
        raise BadInput(
            place.problem(f"scenario{'.' if p.key else ''}{p.key}", p.message) if p.file is None else p
            for p in error.problems
        ) from None
    if not isinstance(loaded, MainlineScenario):
        raise BadInput([place.problem("scenario", f"is of the game {loaded.game}; must be of the mainline game")])
    return loaded


def _drawn(scenario: MainlineScenario) -> list[tuple[str, str]]:
    """What of a scenario is left to chance, which a recorded day cannot be."""
    if scenario.deal is None:
        return [("deal", "is missing; must be fixed in a recorded day")]
    found = []
    realigns = any(held.card == "realignment" for held in scenario.hands)
    for slot, name in enumerate(scenario.deal):
        lies = {name}
        while realigns and (more := {REALIGNMENTS[card] for card in lies if card in REALIGNMENTS} - lies):
            lies |= more
        if any(scenario.card(card).grade for card in lies) and scenario.up_of(slot) is None:
            found.append(("up", f"is open for {name} on slot {slot + 1}; must be fixed in a recorded day"))
    for place, train in enumerate(scenario.timetable):
        if train.departs[0] != train.departs[1]:
            message = f"is {shown(list(train.departs))}; must be one Stage in a recorded day"
            found.append((f"timetable[{place + 1}].departs", message))
    return found
