"""The mainline game once more, in plain slow Python, from its rules: the oracle that the kernels are held against.

It shares nothing with what it judges. A scenario is plain data as a file would hold it, in full, with a fixed deal,
fixed orientations and fixed departures; the Superintendent is a function that is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

REALIGNMENTS = {
    "plains": "double_track",
    "curves": "plains",
    "uncontrolled_siding": "double_track",
    "trestle": "uncontrolled_siding",
}
BECOMES = {
    "plains": {"regions": 1},
    "double_track": {"regions": 1, "holds": 2},
    "uncontrolled_siding": {"regions": 2, "back_region": True, "siding": True},
}
"""What a Realignment makes, where the deck itself does not say."""


class Train:
    """One train of the timetable."""

    def __init__(self, entry: dict[str, Any], n_slots: int, interchange: int | None) -> None:
        self.number = entry["number"]
        self.fast = entry["class"] == "fast"
        self.departs = entry["departs"]
        self.extra = entry.get("extra", False)
        self.east = self.number % 2 == 0  # 2.3
        self.place = 0 if self.east else n_slots  # where it waits
        self.next_slot = 1 if self.east else n_slots
        self.must_start = self.extra
        if self.extra and interchange is not None:
            self.next_slot = interchange
        self.state = "not run" if self.extra and interchange is None else "to depart"
        self.waits_since = 0
        self.card: Slot | None = None
        self.region = 0
        self.in_siding = False
        self.arrival: int | None = None
        self.log: list[dict[str, Any]] = []

    @property
    def held(self) -> int:
        return sum(crossing["held"] for crossing in self.log)


class Slot:
    """A place for a card, with what lies on it and who is on it, first to have entered first."""

    def __init__(self, number: int, name: str, card: dict[str, Any], up: str | None) -> None:
        self.number = number
        self.lay(name, card)
        self.up = up
        self.trains: list[Train] = []
        self.stopped = 0  # Stages still to stand after a collision
        self.wrecked = False  # nobody enters until it is empty

    def lay(self, name: str, card: dict[str, Any]) -> None:
        self.name = name
        self.regions = card["regions"]
        self.room = card.get("holds", 1) + (1 if card.get("siding") else 0)
        self.back = bool(card.get("back_region"))
        self.siding = bool(card.get("siding"))
        self.grade = bool(card.get("grade"))
        self.fast_start = card.get("fast_start", 0)
        self.helped: set[str] = set()

    def start_of(self, train: Train) -> int:
        """2.2 a to c."""
        start = 1 if self.back else 0
        if train.fast:
            start += self.fast_start
        if self.grade:
            uphill = (self.up == "east") == train.east
            aids = {"helpers"} if uphill else {"brakeman", "airbrakes"}
            start += len(aids & self.helped)
        return min(start, self.regions - 1)

    def refusal(self, home: str) -> str | None:
        """4: the first reason against laying a Home card here now."""
        if home == "realignment":
            if self.name not in REALIGNMENTS:
                return "wrong card"
            return "occupied" if self.trains else None
        if not self.grade:
            return "wrong card"
        if home in self.helped:
            return "already there"
        if home == "airbrakes" and "brakeman" not in self.helped:
            return "no brakeman"
        return None


class Day:
    """A day from its first Stage to its last.

    Parameters
    ----------
    scenario
        Plain data.
    ask
        Called with Stage, number of the train and slot when a train's turn comes before a full card; None: hold, and
        nobody is asked.
    """

    def __init__(self, scenario: dict[str, Any], ask: Callable[[int, int, int], bool] | None) -> None:
        self.scenario = scenario
        self.ask = ask
        deck, up = scenario["deck"], scenario.get("up")
        self.slots = []
        for number, name in enumerate(scenario["deal"], start=1):
            way = up.get(str(number)) if isinstance(up, dict) else up
            self.slots.append(Slot(number, name, deck[name], way))
        # 3.3: the westernmost card on which Extras start
        starts = [s.number for s in self.slots if deck[s.name].get("extras")]
        self.trains = [
            Train(entry, len(self.slots), starts[0] if starts else None)
            for entry in sorted(scenario["timetable"], key=lambda entry: entry["number"])
        ]
        self.hand = sorted(scenario.get("hands", []), key=lambda held: held["stage"])
        self.stage = 0
        self.collisions: list[dict[str, Any]] = []
        self.laid: list[dict[str, Any]] = []
        self.kept: list[dict[str, Any]] = []
        self.refused: list[dict[str, Any]] = []
        self.realigned: list[dict[str, Any]] = []
        self.rulings: list[dict[str, Any]] = []
        while self.stage < scenario["max_stages"] and any(t.state not in ("arrived", "not run") for t in self.trains):
            self.stage += 1
            self.lay_home_cards()
            self.move()
            self.let_in()
        self.kept += [{**held, "reason": "day over"} for held in self.hand if held["stage"] > self.stage]

    # -- 2.4 (1) ------------------------------------------------------------------------------------------------------

    def lay_home_cards(self) -> None:
        for held in self.hand:
            if held["stage"] == self.stage:
                self.lay(held)

    def lay(self, held: dict[str, Any]) -> None:
        home = held["card"]
        if held["on"] == "first_legal":
            legal = [slot for slot in self.slots if slot.refusal(home) is None]
            if not legal:
                self.kept.append({**held, "reason": "no legal place"})
                return
            slot = legal[0]
        else:
            slot = self.slots[held["on"] - 1]
            reason = slot.refusal(home)
            if reason is not None:
                self.refused.append({**held, "reason": reason})
                return
        if home == "realignment":
            was, now = slot.name, REALIGNMENTS[slot.name]
            slot.lay(now, self.scenario["deck"].get(now) or BECOMES[now])
            self.realigned.append({"stage": self.stage, "slot": slot.number, "was": was, "is": now})
        else:
            slot.helped.add(home)
        self.laid.append({**held, "slot": slot.number})

    # -- 2.4 (2) ------------------------------------------------------------------------------------------------------

    def move(self) -> None:
        still = [slot for slot in self.slots if slot.stopped > 0]
        for slot in still:
            slot.stopped -= 1
        rolling = [slot for slot in self.slots if slot not in still]
        for slot in rolling:
            for train in list(slot.trains):
                if not train.in_siding:
                    train.region += 1
                    if train.region == slot.regions:
                        self.leave(train, slot)
        for slot in rolling:
            in_siding = [train for train in slot.trains if train.in_siding]
            if in_siding:
                first = in_siding[0]
                main = [train for train in slot.trains if not train.in_siding]
                if all(train.region != first.region + 1 for train in main):
                    first.region += 1
                    first.in_siding = False
        for train in self.trains:
            if train.state == "to depart" and train.departs == self.stage:
                train.state, train.waits_since = "waiting", self.stage

    def leave(self, train: Train, slot: Slot) -> None:
        slot.trains.remove(train)
        if not slot.trains:
            slot.wrecked = False
        train.log[-1]["leave"] = self.stage
        train.card = None
        train.next_slot += 1 if train.east else -1
        train.waits_since = self.stage
        train.state = "waiting"
        if not 1 <= train.next_slot <= len(self.slots):
            train.state, train.arrival = "arrived", self.stage

    # -- 2.4 (3) ------------------------------------------------------------------------------------------------------

    def let_in(self) -> None:
        waiting = [train for train in self.trains if train.state == "waiting"]
        for train in sorted(waiting, key=lambda train: (train.waits_since, train.number)):
            self.turn(train, self.slots[train.next_slot - 1])

    def turn(self, train: Train, slot: Slot) -> None:
        if train.must_start:  # 3.3
            if not slot.trains:
                self.enter(train, slot, 0, in_siding=False)
            return
        if slot.wrecked:
            return
        start = slot.start_of(train)
        if len(slot.trains) < slot.room:
            if slot.siding and slot.trains:
                self.enter(train, slot, max(start - 1, 0), in_siding=True)
            else:
                self.enter(train, slot, start, in_siding=False)
        elif self.ask is not None:
            admitted = self.ask(self.stage, train.number, slot.number)
            asked = {"stage": self.stage, "train": train.number, "slot": slot.number}
            self.rulings.append({**asked, "admitted": admitted})
            if admitted:
                self.enter(train, slot, start, in_siding=False)
                slot.wrecked = True
                slot.stopped = self.scenario["collision_delay"]
                numbers = [other.number for other in slot.trains]
                self.collisions.append({"stage": self.stage, "slot": slot.number, "trains": numbers})

    def enter(self, train: Train, slot: Slot, start: int, *, in_siding: bool) -> None:
        slot.trains.append(train)
        train.state, train.card, train.region, train.in_siding = "on card", slot, start, in_siding
        train.must_start = False
        train.log.append(
            {
                "slot": slot.number,
                "card": slot.name,
                "held": self.stage - train.waits_since,
                "entry": self.stage,
                "start": start,
                "crossing": slot.regions - start,
                "leave": None,
            }
        )

    # -- what came of it ----------------------------------------------------------------------------------------------

    def words(self) -> dict[str, Any]:
        """As `sim replay` prints it."""
        return {
            "trains": {str(train.number): self.of_train(train) for train in self.trains},
            "collisions": self.collisions,
            "laid": self.laid,
            "kept": self.kept,
            "refused": self.refused,
            "realigned": self.realigned,
            "rulings": self.rulings,
            "stages": self.stage,
        }

    def of_train(self, train: Train) -> dict[str, Any]:
        cards = []
        for crossing in train.log:
            leave = crossing["leave"]
            cards.append({**crossing, "stages": None if leave is None else leave - crossing["entry"]})
        waits = self.stage - train.waits_since + 1 if train.state == "waiting" else 0
        return {
            "direction": "east" if train.east else "west",
            "class": "fast" if train.fast else "slow",
            "extra": train.extra,
            "departs": train.departs,
            "state": train.state if train.state in ("arrived", "not run") else "unfinished",
            "arrival": train.arrival,
            "trip": None if train.arrival is None else train.arrival - train.departs,
            "held": train.held + waits,
            "cards": cards,
        }

    def unevenness(self) -> int:
        """Rules 5: Stages lost on the two cards beside each Office, worst minus best."""
        lost = dict.fromkeys(range(1, len(self.slots) + 1), 0)
        for train in self.trains:
            for crossing in train.log:
                if crossing["leave"] is not None:
                    lost[crossing["slot"]] += crossing["held"] + crossing["leave"] - crossing["entry"] - 1
        seats = [lost[office] + lost[office + 1] for office in range(1, len(self.slots))]
        return max(seats) - min(seats)
