"""One day played and told: what every train, Home card and ruling came to, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.mainline.batch import play_one
from kernels.mainline.codes import Event, Laying, Policy, Status
from kernels.mainline.layout import new_state
from kernels.mainline.traffic import LOG_FIELDS
from kernels.random import new_streams
from sim.config.mainline import MainlineScenario
from sim.games.mainline.lowering import DIRECTIONS, lower, trains_of
from sim.games.mainline.rows import LAYING_WORDS

__all__ = ["Day", "answered_day", "drawn_day"]

Int64s = NDArray[np.int64]

_WAYS = list(DIRECTIONS)
_STATES = {Status.ARRIVED: "arrived", Status.NOT_RUN: "not run"}


@dataclass(frozen=True)
class Day:
    """A day that was played.

    Attributes
    ----------
    scenario
        What was played.
    dealt
        Cards as dealt, from the west.
    up
        Orientation of each slot, whether or not a grade lies there.
    departs, arrivals
        By train in the order of numbers; an arrival of 0: none.
    statuses
        Where each train is at the end.
    events
        `kernels.mainline.codes.Event`, Stage and four numbers each, in the order in which they happened.
    stages
        Length of the day.
    lacks_answer
        Whether a ruling was asked for to which there was no answer; the day stopped there.
    n_answered
        Answers that were asked for.
    """

    scenario: MainlineScenario
    dealt: tuple[str, ...]
    up: tuple[str, ...]
    departs: tuple[int, ...]
    arrivals: tuple[int, ...]
    statuses: tuple[Status, ...]
    events: tuple[tuple[int, ...], ...]
    stages: int
    lacks_answer: bool
    n_answered: int

    @property
    def asked_last(self) -> tuple[int, int, int]:
        """The ruling that was asked for last: Stage, number of the train, and slot from 1."""
        stage, t, slot = next(event[1:4] for event in reversed(self.events) if event[0] == Event.RULING)
        return stage, trains_of(self.scenario)[t].number, slot + 1

    def words(self) -> dict[str, Any]:
        """The day as `sim replay` prints it."""
        return _Telling(self).words()


def drawn_day(scenario: MainlineScenario, seed: int, number: int, namespace: int = 0) -> Day:
    """Day `number` of a seed, with the rulings of the scenario's policy."""
    return _played(scenario, lower(scenario), seed, namespace, number, np.zeros(0, np.int64))


def answered_day(scenario: MainlineScenario, rulings: list[bool]) -> Day:
    """The day of a scenario in which nothing is drawn, with the Superintendent's answers in the order asked."""
    rules = lower(scenario, Policy.ANSWERS)
    return _played(scenario, rules, 0, 0, 0, np.array([int(ruling) for ruling in rulings], np.int64))


def _played(scenario: MainlineScenario, rules: Any, seed: int, namespace: int, number: int, answers: Int64s) -> Day:
    trains = trains_of(scenario)
    rulings = len(trains) * scenario.max_stages if rules[0].policy != Policy.HOLD else 0
    n_events = 4 * len(trains) * (scenario.n_slots + 1) + 2 * len(scenario.hands) + rulings + 1
    log = np.zeros((1 + n_events, LOG_FIELDS), np.int64)
    state = new_state()
    play_one(rules, state, new_streams(2), seed, namespace, number, answers, log)
    end, n = state[0], len(trains)
    return Day(
        scenario=scenario,
        dealt=tuple(scenario.kinds[k] for k in end.dealt[: scenario.n_slots]),
        up=tuple(_WAYS[way] for way in end.up[: scenario.n_slots]),
        departs=tuple(int(stage) for stage in end.departs[:n]),
        arrivals=tuple(int(stage) for stage in end.arrival[:n]),
        statuses=tuple(Status(int(status)) for status in end.status[:n]),
        events=tuple(tuple(int(field) for field in event) for event in log[1 : 1 + log[0, 0]]),
        stages=int(end.stage),
        lacks_answer=bool(end.lacks_answer),
        n_answered=int(end.n_answered),
    )


class _Telling:
    """The events of a day, one after the other, as they change what is told."""

    def __init__(self, day: Day) -> None:
        self.day = day
        scenario = day.scenario
        self.lies = list(day.dealt)
        self.trains = trains_of(scenario)
        self.hand = sorted(scenario.hands, key=lambda held: held.stage)
        self.told = [
            {
                "direction": train.direction,
                "class": train.class_,
                "extra": train.extra,
                "departs": day.departs[t],
                "state": _STATES.get(day.statuses[t], "unfinished"),
                "arrival": day.arrivals[t] or None,
                "trip": day.arrivals[t] - day.departs[t] if day.arrivals[t] else None,
                "held": 0,
                "cards": [],
            }
            for t, train in enumerate(self.trains)
        ]
        self.came = list(day.departs)
        self.lists: dict[str, list[dict[str, Any]]] = {
            name: [] for name in ("collisions", "laid", "kept", "refused", "realigned", "rulings")
        }
        self.on_card: dict[int, list[int]] = {}

    def words(self) -> dict[str, Any]:
        tell: dict[Event, Callable[..., None]] = {
            Event.LAYING: self.laying,
            Event.REALIGNED: self.realigned,
            Event.ENTERED: self.entered,
            Event.LEFT: self.left,
            Event.RULING: self.ruling,
            Event.COLLISION: self.collision,
            Event.MOVED_UP: self.moved_up,
        }
        for event, stage, *numbers in self.day.events:
            tell[Event(event)](stage, *numbers)
        for t, told in enumerate(self.told):
            waits = self.day.statuses[t] in (Status.WAITING, Status.NOT_DEPARTED)
            if waits and self.came[t] <= self.day.stages:
                told["held"] += self.day.stages - self.came[t] + 1
        return {
            "trains": {str(train.number): told for train, told in zip(self.trains, self.told, strict=True)},
            **self.lists,
            "stages": self.day.stages,
        }

    def laying(self, stage: int, h: int, verdict: int, slot: int, _: int) -> None:
        held = self.hand[h].model_dump()
        word = LAYING_WORDS[Laying(verdict)]
        if verdict == Laying.LAID:
            self.lists["laid"].append({**held, "slot": slot + 1})
        elif verdict in (Laying.NO_LEGAL_PLACE, Laying.DAY_OVER):
            self.lists["kept"].append({**held, "reason": word})
        else:
            self.lists["refused"].append({**held, "reason": word})

    def realigned(self, stage: int, slot: int, was: int, now: int, _: int) -> None:
        kinds = self.day.scenario.kinds
        self.lies[slot] = kinds[now]
        self.lists["realigned"].append({"stage": stage, "slot": slot + 1, "was": kinds[was], "is": kinds[now]})

    def entered(self, stage: int, t: int, slot: int, held: int, start: int) -> None:
        name = self.lies[slot]
        self.told[t]["cards"].append(
            {
                "slot": slot + 1,
                "card": name,
                "held": held,
                "entry": stage,
                "start": start,
                "crossing": self.day.scenario.card(name).regions - start,
                "leave": None,
                "stages": None,
            }
        )
        self.told[t]["held"] += held
        self.on_card.setdefault(slot, []).append(t)

    def left(self, stage: int, t: int, slot: int, *_: int) -> None:
        card = self.told[t]["cards"][-1]
        card["leave"], card["stages"] = stage, stage - card["entry"]
        self.came[t] = stage
        self.on_card[slot].remove(t)

    def ruling(self, stage: int, t: int, slot: int, admitted: int, _: int) -> None:
        number = self.trains[t].number
        asked = {"stage": stage, "train": number, "slot": slot + 1, "admitted": bool(admitted)}
        self.lists["rulings"].append(asked)

    def collision(self, stage: int, slot: int, *_: int) -> None:
        numbers = [self.trains[t].number for t in self.on_card[slot]]
        self.lists["collisions"].append({"stage": stage, "slot": slot + 1, "trains": numbers})

    def moved_up(self, *_: int) -> None:
        """It shows in the Stage of leaving only."""
