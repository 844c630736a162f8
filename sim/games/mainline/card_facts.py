"""What a Mainline card does, found by playing it: no description can promise what the kernel does not play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sim.config.mainline import HOME_CARDS, HandCard, MainlineScenario, Train
from sim.games.mainline.day import answered_day

__all__ = ["CardFacts", "facts_of", "reading"]

MOST_TRAINS = 8
"""Trains that are sent onto a card together to see how many it takes."""

EAST, WEST = 2, 1
"""Numbers of a lone train each way."""

HELP: dict[str, tuple[tuple[str, ...], ...]] = {
    "up": (("helpers",),),
    "down": (("brakeman",), ("brakeman", "airbrakes")),
}
"""Home cards that may help a train over a grade, by the way that it runs."""


@dataclass(frozen=True)
class CardFacts:
    """What was seen of a card, in Stages.

    Attributes
    ----------
    fast, slow
        Crossing time of a lone train by class, running through: of an eastbound, which climbs where there is a grade.
    fast_down, slow_down
        The same westbound.
    trains_at_once
        Trains that enter it together.
    siding
        Crossing time of a slow train that found it occupied and went into the siding; None: it has no siding.
    extra
        Crossing time of an Extra that starts on it; None: none does.
    helped
        Crossing time of a slow train by way ("up", "down") and the Home cards that lie on it; empty where none may lie.
    refused
        Why a Home card is refused on it with nothing else there, by Home card; those that may be laid are absent.
    realigned
        What a Realignment makes of it, or None.
    """

    fast: int
    slow: int
    fast_down: int
    slow_down: int
    trains_at_once: int
    siding: int | None
    extra: int | None
    helped: dict[tuple[str, tuple[str, ...]], int]
    refused: dict[str, str]
    realigned: str | None


def facts_of(scenario: MainlineScenario, name: str) -> CardFacts:
    """Play a card of a scenario's deck in every way that the rules know, and note what comes of it."""
    stage = _Stage(scenario, name)
    refused = {}
    for home in HOME_CARDS:
        day = stage.play([(EAST, "slow", False)], [(home,)])
        if day["refused"]:
            refused[home] = day["refused"][0]["reason"]
    changed = stage.play([(EAST, "slow", False)], [("realignment",)])["realigned"]
    helped: dict[tuple[str, tuple[str, ...]], int] = {}
    if "brakeman" not in refused:
        for way, hands in HELP.items():
            for hand in hands:
                number = EAST if way == "up" else WEST
                helped[way, hand] = stage.crossing(number, "slow", hand)
    crowd = stage.play([(2 * n, "slow", False) for n in range(1, MOST_TRAINS + 1)])
    together = [one for train in crowd["trains"].values() for one in train["cards"][:1] if one["entry"] == 1]
    behind = [one["stages"] for one in together if one["start"] < together[0]["start"]]
    extra = stage.play([(EAST, "slow", True)])["trains"][str(EAST)]
    return CardFacts(
        fast=stage.crossing(EAST, "fast"),
        slow=stage.crossing(EAST, "slow"),
        fast_down=stage.crossing(WEST, "fast"),
        slow_down=stage.crossing(WEST, "slow"),
        trains_at_once=len(together),
        siding=behind[0] if behind else None,
        extra=None if extra["state"] == "not run" else extra["cards"][0]["stages"],
        helped=helped,
        refused=refused,
        realigned=changed[0]["is"] if changed else None,
    )


def reading(facts: CardFacts) -> str:
    """The facts of a card in sentences; nothing is said that was not seen."""
    said = []
    if facts.helped:
        said.append(f"{_stages(facts.slow)} up and {facts.slow_down} down")
        if (facts.fast, facts.fast_down) != (facts.slow, facts.slow_down):
            said.append(f"for a fast train {facts.fast} up and {facts.fast_down} down")
        for (way, hand), stages in facts.helped.items():
            said.append(f"{stages} {way} with {' and '.join(home.title() for home in hand)}")
    elif facts.fast != facts.slow:
        said.append(f"{_stages(facts.fast)} for a fast train, {facts.slow} for a slow one")
    else:
        said.append(f"{_stages(facts.slow)} for any train")
    room = facts.trains_at_once
    if facts.siding is not None:
        said.append(
            f"holds {room - 1} and one in the siding: a train that finds it occupied waits there and takes "
            f"{facts.siding}"
        )
    else:
        said.append(f"holds {room} train{'s' if room > 1 else ''} at once")
    if facts.extra is not None:
        said.append(f"an Extra may start on it and takes {facts.extra}")
    if facts.realigned is not None:
        said.append(f"a Realignment makes it {facts.realigned.replace('_', ' ')}")
    return f"{'; '.join(said)}."


def _stages(n: int) -> str:
    return f"{n} Stage{'' if n == 1 else 's'}"


class _Stage:
    """A Division of twice the card, up east, on which days are played."""

    def __init__(self, scenario: MainlineScenario, name: str) -> None:
        self.base: MainlineScenario = scenario.model_copy(
            update={"players": 1, "deal": (name, name), "up": "east", "policy": "hold", "max_stages": 200}
        )

    def play(self, trains: list[tuple[int, str, bool]], hands: list[tuple[str, ...]] | None = None) -> dict[str, Any]:
        """A day of trains that depart in Stage 1, with Home cards laid on the first slot before."""
        timetable = tuple(
            Train.model_validate({"number": number, "class": speed, "departs": 1, "extra": extra})
            for number, speed, extra in trains
        )
        laid = tuple(HandCard(card=home, stage=1, on=1) for hand in hands or [] for home in hand)
        scenario: MainlineScenario = self.base.model_copy(update={"timetable": timetable, "hands": laid})
        return answered_day(scenario, [False] * (MOST_TRAINS * 200)).words()

    def crossing(self, number: int, speed: str, hand: tuple[str, ...] = ()) -> int:
        """Stages of a lone train on the first slot."""
        cards = self.play([(number, speed, False)], [hand])["trains"][str(number)]["cards"]
        found: int = next(one["stages"] for one in cards if one["slot"] == 1)
        return found
