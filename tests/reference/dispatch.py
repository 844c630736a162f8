"""The dispatch game in plain, slow Python: the oracle that the fast implementation is held against.

Nodes are labels, positions are ``(at, from)`` and everything else is dictionaries. Nothing here comes from the
packages under test, and nothing is clever: each method plays one paragraph of the rules, named in its docstring.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

COMPANIES = ("A", "B")
RIVAL = {"A": "B", "B": "A"}
MOVES = ("forward", "reverse")


class IllegalOrder(Exception):
    """An order that breaks rules 3.1 or 3.2; dispatches count from 1."""

    def __init__(self, dispatch: int, company: str, reason: str) -> None:
        super().__init__(f"dispatch {dispatch}, company {company}: {reason}")
        self.dispatch = dispatch
        self.company = company
        self.reason = reason


def neighbours(map_dict: dict[str, Any]) -> dict[str, list[str]]:
    """Neighbours of every node in code-point order (1.1, 1.3)."""
    found: dict[str, list[str]] = {}
    for one, other in map_dict["tracks"]:
        found.setdefault(one, []).append(other)
        found.setdefault(other, []).append(one)
    return {node: sorted(near) for node, near in found.items()}


def mirror_both_ways(map_dict: dict[str, Any]) -> dict[str, str]:
    """Mirror image of every node (1.5); the map may give each pair in one direction only."""
    image = {node: node for node in neighbours(map_dict)}
    for one, other in map_dict["mirror"].items():
        image[one] = other
        image[other] = one
    return image


def distances_to(near: dict[str, list[str]], goal: str) -> dict[str, int]:
    """Tracks on a shortest path from every node to `goal`, switches ignored."""
    distance = {goal: 0}
    waiting = deque([goal])
    while waiting:
        node = waiting.popleft()
        for other in near[node]:
            if other not in distance:
                distance[other] = distance[node] + 1
                waiting.append(other)
    return distance


class Match:
    """One match, played one dispatch at a time.

    Attributes
    ----------
    events
        One list of events for each dispatch played, in the form of a replay.
    head_ons, junction_conflicts, shared_arrivals, cancelled_toggles
        Counts over the match; `shared_arrivals` with or without a toll.
    deliveries, upgrades, sidings_bought, tolls_paid, stuck, idle
        The same for each company; `tolls_paid` in dollars. A company is stuck in a dispatch in which no train of its
        own came nearer to the destination that it had before it (a delivery counts as nearer), and idle when the
        train it moved ends at the node where it began.
    runs, head_on_tracks
        How often a train ran along a track, by (from, to), and head-ons by the two ends of the track, in order.
    income_paid, rewards_paid, investments_paid
        Dollars for each company, so that the cash can be accounted for.
    """

    def __init__(self, scenario: dict[str, Any]) -> None:
        self._read_scenario(scenario)
        self._read_map(scenario["map"])
        self._start()

    # -- reading ------------------------------------------------------------------------------------------------

    def _read_scenario(self, scenario: dict[str, Any]) -> None:
        economy = scenario.get("economy", {})
        cargo = scenario.get("cargo", {})
        self.dispatches = scenario.get("dispatches", 24)
        self.starting_cash = economy.get("starting_cash", 4)
        self.income = economy.get("income", 1)
        self.upgrade_cost = economy.get("upgrade_cost", 8)
        self.upgraded_speed = economy.get("upgraded_speed", 2)
        self.siding_cost = economy.get("siding_cost", 3)
        self.toll = economy.get("toll", 1)
        self.rewards = cargo.get("rewards", [3, 4, 5])
        self.scope = cargo.get("scope", "train")

    def _read_map(self, map_dict: dict[str, Any]) -> None:
        self.near = neighbours(map_dict)
        self.junctions = sorted(node for node, near in self.near.items() if len(near) == 3)
        self.mirror = mirror_both_ways(map_dict)
        self.initial_routes = dict.fromkeys(self.junctions, 1)
        self.initial_routes.update(map_dict.get("initial_routes", {}))
        self.starts: dict[str, tuple[str, str]] = {}
        self.schedules: dict[str, list[str]] = {}
        self.first_reward: dict[str, int] = {}
        for number, train in enumerate(map_dict["trains"], start=1):
            at, came_from = self._start_position(train["start"])
            self.starts[f"A{number}"] = (at, came_from)
            self.starts[f"B{number}"] = (self.mirror[at], self.mirror[came_from])
            if self.scope == "train":
                self.schedules[f"A{number}"] = list(train["deliveries"])
                self.schedules[f"B{number}"] = [self.mirror[node] for node in train["deliveries"]]
                self.first_reward[f"A{number}"] = train.get("first_reward", 0)
                self.first_reward[f"B{number}"] = train.get("first_reward", 0)
        if self.scope == "company":
            self.schedules["A"] = list(map_dict["deliveries"])
            self.schedules["B"] = [self.mirror[node] for node in map_dict["deliveries"]]
        self._distances: dict[str, dict[str, int]] = {}

    def _start_position(self, start: str | dict[str, str]) -> tuple[str, str]:
        """Where a train starts and from where it came (2.2)."""
        if isinstance(start, dict):
            at = start["at"]
            came_from = start.get("from")
        else:
            at, came_from = start, None
        if came_from is None:
            if len(self.near[at]) != 1:
                raise ValueError(f"a train that starts at the junction {at!r} needs 'from'")
            came_from = self.near[at][0]
        return at, came_from

    def _start(self) -> None:
        """Cash, trains and first cargoes (2.1 to 2.4)."""
        self.played = 0
        self.cash = dict.fromkeys(COMPANIES, self.starting_cash)
        self.points = dict.fromkeys(COMPANIES, 0)
        self.sidings: dict[str, set[str]] = {company: set() for company in COMPANIES}
        self.routes = dict(self.initial_routes)
        self.at = {train: at for train, (at, _) in self.starts.items()}
        self.came_from = {train: came_from for train, (_, came_from) in self.starts.items()}
        self.upgraded: set[str] = set()
        self.to: dict[str, str] = {}
        self.reward: dict[str, int] = {}
        self.cargoes_loaded = dict.fromkeys(self.starts, 0)
        self.items_loaded = dict.fromkeys(COMPANIES, 0)
        for train in sorted(self.starts):
            self._load(train)
        self.events: list[list[dict[str, Any]]] = []
        self.head_ons = 0
        self.junction_conflicts = 0
        self.shared_arrivals = 0
        self.cancelled_toggles = 0
        self.deliveries = dict.fromkeys(COMPANIES, 0)
        self.upgrades = dict.fromkeys(COMPANIES, 0)
        self.sidings_bought = dict.fromkeys(COMPANIES, 0)
        self.tolls_paid = dict.fromkeys(COMPANIES, 0)
        self.stuck = dict.fromkeys(COMPANIES, 0)
        self.idle = dict.fromkeys(COMPANIES, 0)
        self.runs: Counter[tuple[str, str]] = Counter()
        self.head_on_tracks: Counter[tuple[str, ...]] = Counter()
        self.income_paid = dict.fromkeys(COMPANIES, 0)
        self.rewards_paid = dict.fromkeys(COMPANIES, 0)
        self.investments_paid = dict.fromkeys(COMPANIES, 0)

    def _load(self, train: str) -> None:
        """Load the train's next cargo (2.3, 2.4)."""
        if self.scope == "company":
            company = train[0]
            item = self.items_loaded[company]
            self.items_loaded[company] += 1
            queue = self.schedules[company]
            self.to[train] = queue[item % len(queue)]
            self.reward[train] = self.rewards[item % len(self.rewards)]
        else:
            cargo = self.cargoes_loaded[train]
            self.cargoes_loaded[train] += 1
            schedule = self.schedules[train]
            self.to[train] = schedule[cargo % len(schedule)]
            self.reward[train] = self.rewards[(cargo + self.first_reward[train]) % len(self.rewards)]

    # -- what a company may order -------------------------------------------------------------------------------

    def speed(self, train: str) -> int:
        """Ticks of movement (4.3)."""
        return self.upgraded_speed if train in self.upgraded else 1

    def legal_investments(self, company: str) -> list[str | None]:
        """Everything the company may write under ``invest`` now (3.2)."""
        investments: list[str | None] = [None]
        offers = [f"upgrade:{company}1", f"upgrade:{company}2", *(f"siding:{node}" for node in self.junctions)]
        for offer in offers:
            if self._why_not_invest(company, offer) is None:
                investments.append(offer)
        return investments

    def legal_orders(self, company: str) -> list[dict[str, str | None]]:
        """Every legal order of the company now (3.1, 3.2)."""
        orders = []
        for train in (f"{company}1", f"{company}2"):
            for move in MOVES:
                for toggle in (None, *self.junctions):
                    for invest in self.legal_investments(company):
                        orders.append({"train": train, "move": move, "toggle": toggle, "invest": invest})
        return orders

    def _why_not_invest(self, company: str, invest: Any) -> str | None:
        if not isinstance(invest, str) or ":" not in invest:
            return f"invest is {invest!r}; must be null, upgrade:<own train> or siding:<junction>"
        kind, what = invest.split(":", 1)
        if kind == "upgrade":
            if what not in (f"{company}1", f"{company}2"):
                return f"{what} is not a train of company {company}"
            if what in self.upgraded:
                return f"{what} is upgraded already"
            cost = self.upgrade_cost
        elif kind == "siding":
            if what not in self.junctions:
                return f"{what} is not a junction"
            if what in self.sidings[company]:
                return f"company {company} owns a siding at {what} already"
            cost = self.siding_cost
        else:
            return f"{kind} is not an investment"
        if cost is None:
            return f"{kind} is not on offer"
        if cost > self.cash[company]:
            return f"{invest} costs ${cost}, company {company} has ${self.cash[company]}"
        return None

    def _check(self, company: str, order: dict[str, Any]) -> None:
        """Refuse an order that breaks 3.1 or 3.2 (3.3)."""
        reason = None
        if order.get("train") not in (f"{company}1", f"{company}2"):
            reason = f"{order.get('train')} is not a train of company {company}"
        elif order.get("move") not in MOVES:
            reason = f"move is {order.get('move')!r}; must be forward or reverse"
        elif order.get("toggle") is not None and order["toggle"] not in self.junctions:
            reason = f"toggle is {order['toggle']!r}; must be null or a junction"
        elif order.get("invest") is not None:
            reason = self._why_not_invest(company, order["invest"])
        if reason is not None:
            raise IllegalOrder(self.played + 1, company, reason)

    # -- one dispatch -------------------------------------------------------------------------------------------

    def play(self, orders: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
        """Resolve one dispatch and return its events (4)."""
        if self.played >= self.dispatches:
            raise ValueError(f"all {self.dispatches} dispatches are played")
        for company in COMPANIES:
            self._check(company, orders[company])
        before = {train: (self.at[train], self.to[train]) for train in self.at}
        delivered = dict(self.deliveries)
        events: list[dict[str, Any]] = []
        self._invest(orders)
        self._switch(orders)
        self._move(orders, events)
        self._pay_income()
        self._count(orders, before, delivered)
        self.events.append(events)
        self.played += 1
        return events

    def _invest(self, orders: dict[str, dict[str, Any]]) -> None:
        """Both investments are paid for and work at once (4.1)."""
        for company in COMPANIES:
            invest = orders[company].get("invest")
            if invest is None:
                continue
            kind, what = invest.split(":", 1)
            if kind == "upgrade":
                cost = self.upgrade_cost
                self.upgraded.add(what)
                self.upgrades[company] += 1
            else:
                cost = self.siding_cost
                self.sidings[company].add(what)
                self.sidings_bought[company] += 1
            self.cash[company] -= cost
            self.investments_paid[company] += cost

    def _switch(self, orders: dict[str, dict[str, Any]]) -> None:
        """A junction toggled once flips; one toggled by both stays put (4.2)."""
        toggled_by_a = orders["A"].get("toggle")
        toggled_by_b = orders["B"].get("toggle")
        if toggled_by_a is not None and toggled_by_a == toggled_by_b:
            self.cancelled_toggles += 1
            return
        for junction in (toggled_by_a, toggled_by_b):
            if junction is not None:
                self.routes[junction] = 2 if self.routes[junction] == 1 else 1

    def next_node(self, train: str, move: str) -> str:
        """The node that the train would enter next (1.3, 1.4, 4.3)."""
        at, came_from = self.at[train], self.came_from[train]
        if move == "reverse" or len(self.near[at]) == 1:
            return came_from
        exits = [node for node in self.near[at] if node != came_from]
        return exits[0] if self.routes[at] == 1 else exits[1]

    def _move(self, orders: dict[str, dict[str, Any]], events: list[dict[str, Any]]) -> None:
        """Movement, tick by tick (4.3 to 4.6)."""
        mover = {company: orders[company]["train"] for company in COMPANIES}
        ticks_left = {company: self.speed(mover[company]) for company in COMPANIES}
        tick = 0
        while any(ticks_left.values()):
            tick += 1
            goes_to = {}
            for company in COMPANIES:
                if ticks_left[company] > 0:
                    move = orders[company]["move"] if tick == 1 else "forward"
                    goes_to[company] = self.next_node(mover[company], move)
            if len(goes_to) == 2:
                blocked = self._meet(mover, goes_to, tick, events)
                if blocked:
                    break
            for company, node in goes_to.items():
                train = mover[company]
                self.runs[self.at[train], node] += 1
                self.at[train], self.came_from[train] = node, self.at[train]
                ticks_left[company] -= 1
                if node == self.to[train]:
                    self._deliver(train, tick, events)
                    ticks_left[company] = 0

    def _meet(self, mover: dict[str, str], goes_to: dict[str, str], tick: int, events: list[dict[str, Any]]) -> bool:
        """Settle the meeting of two moving trains; say whether both are blocked (4.4)."""
        here = {company: self.at[mover[company]] for company in COMPANIES}
        if goes_to["A"] == here["B"] and goes_to["B"] == here["A"]:
            self.head_ons += 1
            self.head_on_tracks[tuple(sorted(here.values()))] += 1
            events.append({"tick": tick, "event": "head_on"})
            return True
        if goes_to["A"] != goes_to["B"] or goes_to["A"] not in self.junctions:
            return False
        junction = goes_to["A"]
        owners = [company for company in COMPANIES if junction in self.sidings[company]]
        if not owners:
            self.junction_conflicts += 1
            events.append({"tick": tick, "event": "junction_conflict", "at": junction})
            return True
        self.shared_arrivals += 1
        if len(owners) == 2:
            events.append({"tick": tick, "event": "shared_arrival", "at": junction})
            return False
        payee = owners[0]
        payer = RIVAL[payee]
        paid = min(self.toll, self.cash[payer])
        self.cash[payer] -= paid
        self.cash[payee] += paid
        self.tolls_paid[payer] += paid
        events.append({"tick": tick, "event": "toll", "at": junction, "paid": paid, "by": payer})
        return False

    def _deliver(self, train: str, tick: int, events: list[dict[str, Any]]) -> None:
        """Earn the reward and load the next cargo (4.6)."""
        company = train[0]
        reward = self.reward[train]
        self.cash[company] += reward
        self.points[company] += reward
        self.rewards_paid[company] += reward
        self.deliveries[company] += 1
        events.append({"tick": tick, "event": "delivery", "train": train, "at": self.at[train], "reward": reward})
        self._load(train)

    def _pay_income(self) -> None:
        """Income, after the last dispatch too (4.7)."""
        for company in COMPANIES:
            self.cash[company] += self.income
            self.income_paid[company] += self.income

    def _count(
        self, orders: dict[str, dict[str, Any]], before: dict[str, tuple[str, str]], delivered: dict[str, int]
    ) -> None:
        for company in COMPANIES:
            train = orders[company]["train"]
            at, to = before[train]
            if self.at[train] == at:
                self.idle[company] += 1
            # The parked train stands still: only the one that moved can have come nearer.
            nearer = self.deliveries[company] > delivered[company]
            if not nearer:
                nearer = self.distance(self.at[train], to) < self.distance(at, to)
            if not nearer:
                self.stuck[company] += 1

    def distance(self, node: str, goal: str) -> int:
        """Tracks on a shortest path between two nodes."""
        if goal not in self._distances:
            self._distances[goal] = distances_to(self.near, goal)
        return self._distances[goal][node]

    # -- what is to be seen -------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """The state as a replay writes it."""
        return {
            "cash": dict(self.cash),
            "points": dict(self.points),
            "routes": dict(self.routes),
            "sidings": {company: sorted(self.sidings[company]) for company in COMPANIES},
            "trains": {
                train: {
                    "at": self.at[train],
                    "from": self.came_from[train],
                    "to": self.to[train],
                    "reward": self.reward[train],
                    "speed": self.speed(train),
                }
                for train in sorted(self.at)
            },
        }

    def result(self) -> dict[str, str | None]:
        """Who won and how (5.1); both None while dispatches remain."""
        if self.played < self.dispatches:
            return {"winner": None, "decided_by": None}
        for measure, held in (("points", self.points), ("cash", self.cash)):
            if held["A"] != held["B"]:
                return {"winner": "A" if held["A"] > held["B"] else "B", "decided_by": measure}
        return {"winner": "shared", "decided_by": "shared"}


def played_match(record: dict[str, Any]) -> tuple[Match, list[dict[str, Any]]]:
    """The match of a record after all its orders, and the state after each dispatch."""
    match = Match(record["scenario"])
    if len(record["orders"]) > match.dispatches:
        raise ValueError(f"{len(record['orders'])} orders for {match.dispatches} dispatches")
    states = []
    for orders in record["orders"]:
        match.play(orders)
        states.append(match.state())
    return match, states


def replay(record: dict[str, Any]) -> dict[str, Any]:
    """Play a match record whose scenario and map stand in place: its states, events and result."""
    match, states = played_match(record)
    return {"states": states, "events": match.events, "result": match.result()}
