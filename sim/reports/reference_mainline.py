"""The generated reference of the mainline game: decks, cards, Home cards, timetables and hands of shipped scenarios."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb
from typing import Any

from sim.config.loading import load_scenario
from sim.config.mainline import HOME_CARDS, MainlineScenario
from sim.config.starters import starter_names
from sim.games.mainline.card_facts import CardFacts, facts_of, reading
from sim.reports.markdown import cell, table

__all__ = ["mainline_reference"]

Scenarios = list[MainlineScenario]

KEYS = ("copies", "regions", "fast_start", "back_region", "siding", "grade", "extras", "holds", "mph")


def mainline_reference() -> Iterator[str]:
    """Lines of the mainline game's part."""
    scenarios = [load_scenario(name) for name in starter_names("mainline")]
    mainline = [one for one in scenarios if isinstance(one, MainlineScenario)]
    yield "## Mainline game"
    yield ""
    yield "### Scenarios"
    yield ""
    header = ("scenario", "players", "cards dealt", "of", "trains", "east, west", "policy", "delay", "longest day")
    yield from table(header, [_scenario_row(one) for one in mainline])
    yield ""
    for together in _alike(mainline, lambda one: one.deck):
        yield from _deck(together)
    for together in _alike(mainline, lambda one: one.timetable):
        yield from _timetable(together)
    for together in _alike([one for one in mainline if one.hands], lambda one: one.hands):
        yield from _hand(together)


def _alike(scenarios: Scenarios, part: Callable[[MainlineScenario], Any]) -> list[Scenarios]:
    """Scenarios with one and the same part together, in the order of the first of each."""
    found: list[Scenarios] = []
    for one in scenarios:
        same = next((group for group in found if part(group[0]) == part(one)), None)
        if same is None:
            found.append([one])
        else:
            same.append(one)
    return found


def _scenario_row(one: MainlineScenario) -> list[str]:
    east = sum(train.direction == "east" for train in one.timetable)
    return [
        one.name,
        str(one.players),
        str(one.n_slots),
        str(sum(card.copies for card in one.deck.values())),
        str(len(one.timetable)),
        f"{east}, {len(one.timetable) - east}",
        one.policy_name,
        f"{one.collision_delay} Stages",
        f"{one.max_stages} Stages",
    ]


def _names(scenarios: Scenarios) -> str:
    return ", ".join(one.name for one in scenarios)


def _deck(together: Scenarios) -> Iterator[str]:
    one = together[0]
    facts = {name: facts_of(one, name) for name, card in sorted(one.deck.items()) if card.copies}
    total = sum(card.copies for card in one.deck.values())
    slots = sorted({each.n_slots for each in together})
    yield f"### Deck of {_names(together)}"
    yield ""
    yield f"{total} cards. The last columns are the share of deals with at least one copy, by the cards dealt."
    yield ""
    yield from table(
        ("card", *(key.replace("_", " ") for key in KEYS), *(f"of {n} dealt" for n in slots)),
        [
            [
                name,
                *(cell(getattr(one.deck[name], key)) for key in KEYS),
                *(_dealt(one.deck[name].copies, total, n) for n in slots),
            ]
            for name in facts
        ],
    )
    yield ""
    yield "What each does, as played:"
    yield ""
    for name, found in facts.items():
        yield f"- **{name.replace('_', ' ')}**: {reading(found)}"
    yield ""
    yield "Home cards on each card, as played: laid, or why not."
    yield ""
    yield from table(
        ("card", *HOME_CARDS),
        [[name, *(_laying(found, home) for home in HOME_CARDS)] for name, found in facts.items()],
    )
    yield ""


def _dealt(copies: int, total: int, n: int) -> str:
    """Probability that at least one copy is among n cards dealt."""
    return f"{100 * (1 - comb(total - copies, n) / comb(total, n)):.1f}%"


def _laying(facts: CardFacts, home: str) -> str:
    if home in facts.refused:
        return facts.refused[home]
    return f"becomes {facts.realigned}" if home == "realignment" else "laid"


def _timetable(together: Scenarios) -> Iterator[str]:
    yield f"### Timetable of {_names(together)}"
    yield ""
    rows = []
    for train in sorted(together[0].timetable, key=lambda train: train.number):
        first, last = train.departs
        departs = str(first) if first == last else f"{first} to {last}, drawn"
        rows.append([str(train.number), train.direction, train.class_, departs, cell(train.extra)])
    yield from table(("train", "runs", "class", "departs in Stage", "Extra"), rows)
    yield ""


def _hand(together: Scenarios) -> Iterator[str]:
    yield f"### Hand of {_names(together)}"
    yield ""
    rows = [[held.card, str(held.stage), cell(held.on)] for held in together[0].hands]
    yield from table(("Home card", "Stage", "on slot"), rows)
    yield ""
