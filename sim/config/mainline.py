"""The model of a mainline scenario: frozen, in words and Stages (rules of the mainline game, 1 to 4)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, Tag

from sim.config.mainline_values import Chance, Direction, HandSlot, HoldWord, StageRange, UpKind
from sim.config.scenario import AnyScenario, Model, Name
from sim.config.tree import KeyPath
from sim.config.values import OneOf, Whole, did_you_mean, shown

__all__ = [
    "HOME_CARDS",
    "MAX_DECK",
    "MAX_HAND",
    "MAX_KINDS",
    "MAX_NUMBER",
    "MAX_STAGES",
    "MAX_TRAINS",
    "POLICY_DOCS",
    "REALIGNMENTS",
    "SHIPPED_DECK",
    "Card",
    "HandCard",
    "MainlineScenario",
    "Train",
    "mainline_breaches",
]

MAX_PLAYERS = 9
MAX_KINDS = 32
MAX_DECK = 128
MAX_TRAINS = 64
MAX_NUMBER = 9_999
MAX_HAND = 64
MAX_STAGES = 10_000
MAX_REGIONS = 100

HOME_CARDS = ("brakeman", "airbrakes", "helpers", "realignment")
REALIGNMENTS = {
    "plains": "double_track",
    "curves": "plains",
    "uncontrolled_siding": "double_track",
    "trestle": "uncontrolled_siding",
}
"""What a Realignment makes of a card; of no other (rules 4)."""

POLICY_DOCS = {
    "hold": (
        "A train that finds its card full waits at the Office or Division Point until there is room. There are no "
        "collisions."
    ),
    "admit": (
        "A train whose turn comes before a full card is let in with a chance, drawn once a Stage. Every such train "
        "collides: all on the card stop for collision_delay Stages, and nobody enters before it is empty."
    ),
}
"""The policies in words."""

Stages: TypeAlias = Annotated[int, Whole("Stages", 0, MAX_STAGES)]


class Card(Model):
    """A kind of Mainline card: how many there are, and what it does to a train that crosses it (rules 2)."""

    copies: Annotated[int, Whole("cards", 0, MAX_DECK)] = Field(1, description="How many of it are in the deck.")
    regions: Annotated[int, Whole("regions", 1, MAX_REGIONS)] = Field(
        description="Regions of the card; a train advances one a Stage."
    )
    fast_start: Annotated[int, Whole("regions", 0, MAX_REGIONS)] = Field(
        0, description="How many regions further on a fast train starts."
    )
    back_region: Annotated[bool, OneOf((True, False))] = Field(
        False, description="Whether a train running through starts one region further on, at region 1."
    )
    siding: Annotated[bool, OneOf((True, False))] = Field(
        False,
        description="Whether a train that finds the card occupied goes into a siding, a region behind. It holds one.",
    )
    grade: Annotated[bool, OneOf((True, False))] = Field(
        False, description="Whether the card has an orientation, and takes Brakeman, Airbrakes and Helpers."
    )
    extras: Annotated[bool, OneOf((True, False))] = Field(
        False, description="Whether Extras start on the card, in its back region."
    )
    holds: Annotated[int, Whole("trains", 1, MAX_TRAINS)] = Field(
        1, description="Trains at once, one in a siding not counted."
    )
    mph: Annotated[int | None, Whole("mph", 0, 1_000, null=True)] = Field(
        None, description="The printed speed: scenery, which no rule reads."
    )


SHIPPED_DECK: dict[str, Card] = {
    "plains": Card(copies=2, regions=1, mph=60),
    "curves": Card(regions=2, mph=30),
    "hilly": Card(regions=2, fast_start=1, mph=30),
    "heavy_grade": Card(regions=3, grade=True, mph=20),
    "double_track": Card(regions=1, holds=2, mph=60),
    "uncontrolled_siding": Card(regions=2, back_region=True, siding=True, mph=40),
    "tunnel": Card(regions=2, mph=30),
    "trestle": Card(regions=2, mph=30),
    "interchange": Card(regions=2, back_region=True, extras=True, mph=40),
}
"""The deck of a scenario that writes none, and what a Realignment makes where a deck does not have it."""


NullIsShipped = BeforeValidator(lambda value: dict(SHIPPED_DECK) if value is None else value)
"""Null takes back the deck that a scenario further up wrote."""


class Train(Model):
    """An entry of the timetable (rules 2.3 and 3.4): odd numbers run west, even ones east."""

    number: Annotated[int, Whole("", 1, MAX_NUMBER)] = Field(description="The train's number.")
    class_: Annotated[Literal["fast", "slow"], OneOf(("fast", "slow"))] = Field(alias="class", description="Its class.")
    departs: Annotated[tuple[int, int], StageRange(MAX_STAGES)] = Field(
        description="The Stage in which it departs, or a range to draw it from, both ends included [Stages]."
    )
    extra: Annotated[bool, OneOf((True, False))] = Field(
        False, description="Whether it is an Extra, which starts on the Interchange."
    )

    @property
    def direction(self) -> Direction:
        """Which way it runs."""
        return "east" if self.number % 2 == 0 else "west"


class HandCard(Model):
    """A Home card of the hand: what, when and where (rules 4)."""

    card: Annotated[str, OneOf(HOME_CARDS)] = Field(description="The Home card.")
    stage: Annotated[int, Whole("Stages", 1, MAX_STAGES)] = Field(description="The Stage in which it is tried, once.")
    on: Annotated[int | Literal["first_legal"], HandSlot(MAX_PLAYERS + 1)] = Field(
        description="The slot, counted from 1 at the west, or first_legal: the westernmost where it is legal then."
    )


class Admit(Model):
    """The policy that lets a train onto a full card with a chance (rules 3.2)."""

    admit: Annotated[float, Chance()] = Field(description="The chance, 0 to 1.")


def _policy_kind(value: object) -> str:
    return "<chance>" if isinstance(value, dict | Admit) else "<word>"


Policy: TypeAlias = Annotated[
    Annotated[Literal["hold"], HoldWord(), Tag("<word>")] | Annotated[Admit, Tag("<chance>")],
    Discriminator(_policy_kind),
]


class MainlineScenario(AnyScenario):
    """Everything that a day of the mainline game is played with."""

    game: Annotated[Literal["mainline"], OneOf(("mainline",))] = Field(description="The game.")
    players: Annotated[int, Whole("players", 1, MAX_PLAYERS)] = Field(
        description="Players, each with an Office; there is one Mainline card more."
    )
    deck: Annotated[dict[Name, Card], NullIsShipped] = Field(
        default_factory=lambda: dict(SHIPPED_DECK),
        description="The kinds of Mainline card; the shipped deck when absent.",
    )
    deal: tuple[Name, ...] | None = Field(
        None, description="A fixed Division, west to east, one card more than players; drawn when absent."
    )
    up: Annotated[dict[int, Direction] | Direction | None, UpKind(MAX_PLAYERS + 1)] = Field(
        None, description="A fixed orientation of every grade, or of those on some slots; drawn when absent."
    )
    timetable: Annotated[tuple[Train, ...], Field(min_length=1, max_length=MAX_TRAINS)] = Field(
        description="The trains of the day."
    )
    policy: Policy = Field(
        "hold", description="The Superintendent's ruling on a full card: hold, or admit with a chance."
    )
    collision_delay: Annotated[int, Whole("Stages", 0, MAX_STAGES)] = Field(
        3, description="How long a collision stops all trains on its card [Stages]."
    )
    max_stages: Annotated[int, Whole("Stages", 1, MAX_STAGES)] = Field(
        200, description="The longest day; a train still out then is counted as unfinished [Stages]."
    )
    hands: Annotated[tuple[HandCard, ...], Field(max_length=MAX_HAND)] = Field(
        (), description="Home cards, each with its Stage and its slot."
    )

    @property
    def n_slots(self) -> int:
        """Mainline cards of the Division."""
        return self.players + 1

    @property
    def admit(self) -> float | None:
        """The chance of the policy `admit`; None: hold."""
        return self.policy.admit if isinstance(self.policy, Admit) else None

    @property
    def policy_name(self) -> str:
        """The policy in a word or two."""
        return "hold" if self.admit is None else f"admit {self.admit:g}"

    def card(self, name: str) -> Card:
        """A kind of card of this scenario; what only a Realignment makes is as shipped where the deck has it not."""
        return self.deck.get(name) or SHIPPED_DECK[name]

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds that may lie in the Division, by code points: of the deck, and what Realignments make of them."""
        found = {name for name, card in self.deck.items() if card.copies > 0} | set(self.deal or ())
        if any(held.card == "realignment" for held in self.hands):
            while more := {REALIGNMENTS[name] for name in found if name in REALIGNMENTS} - found:
                found |= more
        return tuple(sorted(found))

    def up_of(self, slot: int) -> Direction | None:
        """The fixed orientation of a slot, counted from 0; None: drawn."""
        if isinstance(self.up, dict):
            return self.up.get(slot + 1)
        return self.up

    def resolved(self) -> dict[str, Any]:
        """The scenario as plain data with everything in place and explicit; it can be loaded again."""
        return {
            "schema": self.schema_version,
            "game": self.game,
            "name": self.name,
            "players": self.players,
            "deck": {name: card.model_dump() for name, card in sorted(self.deck.items())},
            "deal": None if self.deal is None else list(self.deal),
            "up": {str(slot): way for slot, way in sorted(self.up.items())} if isinstance(self.up, dict) else self.up,
            "timetable": [
                {
                    "number": train.number,
                    "class": train.class_,
                    "departs": train.departs[0] if train.departs[0] == train.departs[1] else list(train.departs),
                    "extra": train.extra,
                }
                for train in sorted(self.timetable, key=lambda train: train.number)
            ],
            "policy": "hold" if self.admit is None else {"admit": self.admit},
            "collision_delay": self.collision_delay,
            "max_stages": self.max_stages,
            "hands": [held.model_dump() for held in self.hands],
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is legal but seldom meant."""
        found = []
        for name in dict.fromkeys(self.deal or ()):
            dealt, copies = (self.deal or ()).count(name), self.card(name).copies
            if dealt > copies:
                found.append(f"The fixed deal has {name} {dealt} times, of which the deck has {copies}.")
        return tuple(found)


Found = list[tuple[KeyPath, str]]


def mainline_breaches(scenario: MainlineScenario) -> Found:
    """What keeps a scenario of the right shape from being played: key paths and messages."""
    return [*_of_deck(scenario), *_of_deal(scenario), *_of_timetable(scenario), *_of_hands(scenario)]


def _of_deck(scenario: MainlineScenario) -> Found:
    found: Found = []
    for name, card in scenario.deck.items():
        key: KeyPath = ("deck", name)
        if card.siding and not card.back_region:
            found.append(((*key, "siding"), "is true; must be false on a card without back_region"))
        if card.extras and not card.back_region:
            found.append(((*key, "extras"), "is true; must be false on a card without back_region"))
        if card.back_region and card.regions < 2:
            found.append(((*key, "regions"), f"is {card.regions}; must be at least 2 on a card with back_region"))
        if card.siding and card.holds != 1:
            found.append(((*key, "holds"), f"is {card.holds}; must be 1 on a card with a siding, which holds one more"))
    total = sum(card.copies for card in scenario.deck.values())
    if len(scenario.deck) > MAX_KINDS:
        found.append((("deck",), f"has {len(scenario.deck)} kinds of card; must have at most {MAX_KINDS}"))
    if total > MAX_DECK:
        found.append((("deck",), f"has {total} cards; must have at most {MAX_DECK}"))
    if scenario.deal is None and total < scenario.n_slots:
        most = f"at most {total - 1}" if total > 1 else "fewer than its cards, of which there must be two or more"
        found.append((("players",), f"is {scenario.players}; must be {most} with {total} cards in the deck"))
    return found


def _of_deal(scenario: MainlineScenario) -> Found:
    found: Found = []
    if scenario.deal is not None:
        if len(scenario.deal) != scenario.n_slots:
            what = f"{scenario.n_slots}, one more than players"
            found.append((("deal",), f"has {len(scenario.deal)} cards; must have {what}"))
        for place, name in enumerate(scenario.deal):
            if name not in scenario.deck:
                near = did_you_mean(name, scenario.deck) or f": {', '.join(scenario.deck)}"
                found.append((("deal", place), f"is {shown(name)}; must be a card of the deck{near}"))
    for slot in scenario.up if isinstance(scenario.up, dict) else ():
        if slot > scenario.n_slots:
            found.append((("up", str(slot)), f"is no slot; must be from 1 to {scenario.n_slots}"))
    return found


def _of_timetable(scenario: MainlineScenario) -> Found:
    found: Found = []
    numbers: dict[int, int] = {}
    for place, train in enumerate(scenario.timetable):
        first = numbers.setdefault(train.number, place)
        if first != place:
            message = f"is {train.number}, as of timetable[{first + 1}]; must be a number of its own"
            found.append((("timetable", place, "number"), message))
        if train.departs[1] > scenario.max_stages:
            message = f"ends at {train.departs[1]}; must be at most max_stages, {scenario.max_stages}"
            found.append((("timetable", place, "departs"), message))
    return found


def _of_hands(scenario: MainlineScenario) -> Found:
    """Slots that no deal has; and on a fixed deal what would be refused on it with no trains there."""
    found: Found = []
    for place, held in enumerate(scenario.hands):
        if isinstance(held.on, int) and held.on > scenario.n_slots:
            found.append((("hands", place, "on"), f"is {held.on}; must be a slot from 1 to {scenario.n_slots}"))
    if found or scenario.deal is None or any(name not in scenario.deck for name in scenario.deal):
        return found
    if len(scenario.deal) != scenario.n_slots:
        return found
    lying: list[tuple[str, set[str]]] = [(name, set()) for name in scenario.deal]
    for place in sorted(range(len(scenario.hands)), key=lambda place: scenario.hands[place].stage):
        held = scenario.hands[place]
        if held.on == "first_legal":
            slot = next((s for s in range(len(lying)) if _refusal(scenario, held.card, *lying[s]) is None), None)
            if slot is None:
                continue
        else:
            slot = held.on - 1
            reason = _refusal(scenario, held.card, *lying[slot])
            if reason is not None:
                message = f"is {held.on}, where {lying[slot][0]} lies then; {held.card} is refused there: {reason}"
                found.append((("hands", place, "on"), message))
                continue
        name, modifiers = lying[slot]
        if held.card == "realignment":
            lying[slot] = (REALIGNMENTS[name], set())
        else:
            modifiers.add(held.card)
    return found


def _refusal(scenario: MainlineScenario, home: str, name: str, modifiers: set[str]) -> str | None:
    """Why a Home card may not be laid on a card with no train on it; None when it may."""
    if home == "realignment":
        return None if name in REALIGNMENTS else "wrong card"
    if not scenario.card(name).grade:
        return "wrong card"
    if home in modifiers:
        return "already there"
    return "no brakeman" if home == "airbrakes" and "brakeman" not in modifiers else None
