"""Mainline scenario -> `Rules`: the only place where a word of this game becomes a code."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernels.mainline.codes import DRAWN, NO_KIND, NO_SLOT, Direction, Home, Policy, Speed
from kernels.mainline.layout import MAX_SLOTS, new_rules
from sim.config.mainline import REALIGNMENTS, MainlineScenario

__all__ = ["DIRECTIONS", "HOMES", "SPEEDS", "lower", "trains_of"]

DIRECTIONS = {"east": Direction.EAST, "west": Direction.WEST}
SPEEDS = {"fast": Speed.FAST, "slow": Speed.SLOW}
HOMES = {home.name.lower(): home for home in Home}


def trains_of(scenario: MainlineScenario) -> list[Any]:
    """The timetable by number: the order of axis `t`."""
    return sorted(scenario.timetable, key=lambda train: train.number)


def lower(scenario: MainlineScenario, policy: Policy | None = None) -> np.recarray[Any, Any]:
    """The `Rules` record of a scenario, shape (1,), read only.

    Parameters
    ----------
    policy
        Who answers instead of the scenario's own policy: recorded answers.
    """
    array = new_rules()
    rules = array[0]
    kinds = scenario.kinds
    number = {name: k for k, name in enumerate(kinds)}
    rules.n_slots = scenario.n_slots
    rules.n_kinds = len(kinds)
    cards = [number[name] for name in kinds if name in scenario.deck for _ in range(scenario.deck[name].copies)]
    rules.n_deck = len(cards)
    rules.deck[: len(cards)] = cards
    rules.collision_delay_stages = scenario.collision_delay
    rules.max_stages = scenario.max_stages
    chance = scenario.admit
    rules.policy = int((Policy.HOLD if chance is None else Policy.ADMIT) if policy is None else policy)
    rules.admit_below = 0 if chance is None else round(chance * 2**32)
    for s in range(MAX_SLOTS):
        rules.deal[s] = NO_KIND if scenario.deal is None or s >= scenario.n_slots else number[scenario.deal[s]]
        way = scenario.up_of(s)
        rules.up[s] = DRAWN if way is None else int(DIRECTIONS[way])
    for name, k in number.items():
        card = scenario.card(name)
        rules.regions[k] = card.regions
        rules.holds_trains[k] = card.holds + card.siding
        rules.back_regions[k] = int(card.back_region)
        rules.fast_regions[k] = card.fast_start
        rules.is_grade[k] = int(card.grade)
        rules.has_siding[k] = int(card.siding)
        rules.has_extras[k] = int(card.extras)
        rules.realigned[k] = number.get(REALIGNMENTS.get(name, ""), NO_KIND)
    trains = trains_of(scenario)
    rules.n_trains = len(trains)
    for t, train in enumerate(trains):
        rules.number[t] = train.number
        rules.direction[t] = int(DIRECTIONS[train.direction])
        rules.speed[t] = int(SPEEDS[train.class_])
        rules.is_extra[t] = int(train.extra)
        rules.departs_first[t], rules.departs_last[t] = train.departs
    rules.n_hand = len(scenario.hands)
    for h, held in enumerate(sorted(scenario.hands, key=lambda held: held.stage)):
        rules.hand_card[h] = int(HOMES[held.card])
        rules.hand_stage[h] = held.stage
        rules.hand_slot[h] = NO_SLOT if held.on == "first_legal" else held.on - 1
    array.flags.writeable = False
    return array
