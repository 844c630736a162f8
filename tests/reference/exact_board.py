"""The dispatch game in a compact form for exact solutions: numbered arcs, parts of a position, remembered steps.

What a company has (trains, cargoes, upgrades, sidings, cash) is one `Part`, known by its number; a position is two
parts, the switches, the dispatches that remain, and who is ahead. Parts move on their own unless the trains meet, so
almost everything is computed once and looked up afterwards. The plain `Match` of `tests.reference.dispatch` is what
this is held against.

Reductions that lose nothing, made where `reduced` is set:

* Cash counts as ``surplus``, the cash of A less that of B less A's lead in points. At equal points in the end this is
  the difference in cash, and rewards do not change it; so it is all that a tie needs.
* A company's own cash is cut off at what it could still spend and pay in tolls.
* The surplus is cut off where its sign is settled, and dropped where equal points are out of reach.
* Items of a schedule are counted modulo its period.
* After the last dispatch nothing but the lead and the sign of the surplus is kept.
"""

from __future__ import annotations

from functools import cache
from math import lcm
from typing import Any

from tests.reference.dispatch import COMPANIES, Match
from tests.reference.exact_positions import Kind, Order, Part, Position, State


class Board:
    """One scenario: its map in numbers, and one dispatch after another."""

    def __init__(self, scenario: dict[str, Any], *, reduced: bool) -> None:
        self.scenario = scenario
        self.reduced = reduced
        plain = self.plain = Match(scenario)
        self.junctions = plain.junctions
        self.n_junctions = len(self.junctions)
        self.nodes = self.junctions + sorted(node for node, near in plain.near.items() if len(near) == 1)
        number = {label: n for n, label in enumerate(self.nodes)}
        self.arcs = [arc for u, v in scenario["map"]["tracks"] for arc in ((u, v), (v, u))]
        self.arc_number = {arc: a for a, arc in enumerate(self.arcs)}
        self.head = [number[at] for _, at in self.arcs]
        self.exits = []
        for came_from, at in self.arcs:
            onward = [near for near in plain.near[at] if near != came_from] or [came_from] * 2
            self.exits.append([self.arc_number[at, near] for near in onward])
        self.distances = [[plain.distance(u, v) for v in self.nodes] for u in self.nodes]
        self.costs = {"upgrade": plain.upgrade_cost, "siding": plain.siding_cost}
        self.fastest = 1 if plain.upgrade_cost is None else plain.upgraded_speed
        self.toll = 0 if plain.siding_cost is None else plain.toll
        self.period = lcm(len(plain.rewards), *(len(schedule) for schedule in plain.schedules.values()))
        self._read_mirror(scenario["map"])
        self.numbers: dict[Part, int] = {}
        self.parts: list[Part] = []
        self._ways: dict[tuple[int, ...], int] = {}
        self._way_list: list[tuple[int, ...]] = []
        self._encounters: dict[tuple[int, int], tuple[tuple[int, int], ...]] = {}
        for name in ("kinds", "go", "move_on", "gains", "spending", "mirrored_part", "cargo", "_way"):
            setattr(self, name, cache(getattr(self, name)))

    def _read_mirror(self, map_dict: dict[str, Any]) -> None:
        """The mirror in numbers; `symmetric` says whether it swaps the seats of the whole game (7)."""
        image = self.plain.mirror
        self.mirror_arc = [self.arc_number[image[u], image[v]] for u, v in self.arcs]
        self.mirror_junction = [self.junctions.index(image[label]) for label in self.junctions]
        self.route_flips = 0
        self.symmetric = True
        for j, label in enumerate(self.junctions):
            images = [image[node] for node in self.plain.near[label]]
            if images == sorted(images, reverse=True):
                self.route_flips |= 1 << j
            elif images != sorted(images):
                self.symmetric = False
        if self.symmetric:
            self.symmetric = self.mirrored_routes(self._start_routes()) == self._start_routes()

    def _start_routes(self) -> int:
        return sum(1 << j for j, label in enumerate(self.junctions) if self.plain.initial_routes[label] == 2)

    # -- positions ----------------------------------------------------------------------------------------------

    def start(self) -> State:
        """The state before the first dispatch (2)."""
        plain = self.plain
        starts = {train: self.arc_number[came_from, at] for train, (at, came_from) in plain.starts.items()}
        items = (0, 1) if plain.scope == "company" else (0, 0)
        return State(
            1,
            self._start_routes(),
            (0, 0),
            (plain.starting_cash,) * 2,
            (0, 0),
            ((starts["A1"], starts["A2"]), (starts["B1"], starts["B2"])),
            (0, 0),
            (items, items),
            (2, 2),
        )

    def position(self, state: State) -> Position:
        """The position of a state."""
        remaining = self.plain.dispatches - state.dispatch + 1
        lead = state.points[0] - state.points[1]
        a, b = (
            self._part(
                c, remaining, state.arcs[c], state.items[c], state.next_items[c], state.upgraded[c], state.sidings[c],
                state.cash[c],
            )
            for c in range(2)
        )  # fmt: skip
        return Position(remaining, state.routes, lead, state.cash[0] - state.cash[1] - lead, a, b)

    def state(self, position: Position) -> State:
        """The state of a position; exact for a board that is not reduced."""
        a, b = self.parts[position.a], self.parts[position.b]
        return State(
            self.plain.dispatches - position.remaining + 1,
            position.routes,
            (a.sidings, b.sidings),
            (a.cash, b.cash),
            (self._earned(0, a), self._earned(1, b)),
            (a.arcs, b.arcs),
            (a.upgraded, b.upgraded),
            (a.items, b.items),
            (a.next_item, b.next_item),
        )

    def _earned(self, c: int, part: Part) -> int:
        """Points of a company: the rewards of all that it has delivered."""
        if self.plain.scope == "company":
            return sum(self.cargo(c, 0, item)[1] for item in range(part.next_item) if item not in part.items)
        return sum(self.cargo(c, t, item)[1] for t in range(2) for item in range(part.items[t]))

    def _part(
        self, c: int, remaining: int, arcs: tuple[int, int], items: tuple[int, int], next_item: int, upgraded: int,
        sidings: int, cash: int,
    ) -> int:  # fmt: skip
        """The number of a part with so many dispatches to go."""
        part = Part(arcs, items, next_item, upgraded, sidings, cash)
        if self.reduced:
            part = self._cut(part, remaining)
        found = self.numbers.get(part)
        if found is None:
            found = self.numbers[part] = len(self.parts)
            self.parts.append(part)
        return found

    def _cut(self, part: Part, remaining: int) -> Part:
        """A part without what can no longer matter."""
        if remaining == 0:
            return Part((0, 0), (0, 0), 0, 0, 0, 0)
        period, base = self.period, 0
        if self.plain.scope == "company":
            base = min(part.items) // period * period
            items = (part.items[0] - base, part.items[1] - base)
        else:
            items = (part.items[0] % period, part.items[1] % period)
        next_item = part.next_item - base if self.plain.scope == "company" else 0
        cash = min(part.cash, self._most_spent(part, remaining) + self._most_toll(remaining))
        return part._replace(items=items, next_item=next_item, cash=cash)

    def _most_spent(self, part: Part, remaining: int) -> int:
        """Dollars that a company could still invest; 0 when it cannot come to the cheapest price in time."""
        prices = self._prices(part)
        if not prices:
            return 0
        if part.cash + (remaining - 1) * self._most_earned() < prices[-1]:
            return 0
        return sum(prices[:remaining])

    def _most_earned(self) -> int:
        """Dollars that a company can come by in one dispatch, at most."""
        return self.plain.income + max(self.plain.rewards) + self.toll * self.fastest

    def _prices(self, part: Part) -> list[int]:
        """What there is left to buy, dearest first."""
        prices = []
        if self.costs["upgrade"] is not None:
            prices += [self.costs["upgrade"]] * (2 - part.upgraded.bit_count())
        if self.costs["siding"] is not None:
            prices += [self.costs["siding"]] * (self.n_junctions - part.sidings.bit_count())
        return sorted(prices, reverse=True)

    def _most_toll(self, remaining: int) -> int:
        return self.toll * self.fastest * remaining

    def spending(self, part: int, remaining: int) -> int:
        """Dollars by which a company's own decisions and tolls could still lower its cash."""
        return self._most_spent(self.parts[part], remaining) + 2 * self._most_toll(remaining)

    def cargo(self, c: int, t: int, item: int) -> tuple[int, int]:
        """(destination, reward) of an item (2.3, 2.4)."""
        plain = self.plain
        if plain.scope == "company":
            schedule, offset = plain.schedules[COMPANIES[c]], 0
        else:
            train = f"{COMPANIES[c]}{t + 1}"
            schedule, offset = plain.schedules[train], plain.first_reward[train]
        destination = self.nodes.index(schedule[item % len(schedule)])
        return destination, plain.rewards[(item + offset) % len(plain.rewards)]

    def gains(self, c: int, part: int, remaining: int) -> frozenset[int]:
        """Points that a company could still earn, and more: with nobody and no switch in its way."""
        arcs, items, next_item, upgraded, _, cash = self.parts[part]
        cost = self.costs["upgrade"]
        most_cash = cash + (remaining - 1) * self._most_earned()
        may_upgrade = cost is not None and cost <= most_cash
        speeds = [self.plain.upgraded_speed if may_upgrade or upgraded >> t & 1 else 1 for t in range(2)]
        company = self.plain.scope == "company"
        found = set()

        @cache
        def run(at: tuple[int, int], items: tuple[int, int], next_item: int, left: int, earned: int) -> None:
            found.add(earned)
            for t in range(2):
                destination, reward = self.cargo(c, t, items[t])
                tracks = self.distances[at[t]][destination] or 2
                needed = -(-tracks // speeds[t])
                if needed <= left:
                    after = next_item if company else items[t] + 1
                    there = (destination, at[1]) if t == 0 else (at[0], destination)
                    loaded = (after, items[1]) if t == 0 else (items[0], after)
                    run(there, loaded, next_item + 1, left - needed, earned + reward)

        run((self.head[arcs[0]], self.head[arcs[1]]), items, next_item, remaining, 0)
        return frozenset(found)

    # -- the mirror ---------------------------------------------------------------------------------------------

    def mirrored_routes(self, routes: int) -> int:
        """The switches seen through the mirror."""
        routes ^= self.route_flips
        return sum(1 << image for j, image in enumerate(self.mirror_junction) if routes >> j & 1)

    def mirrored_part(self, part: int) -> int:
        """The number of the same part of the other company."""
        seen = self.parts[part]
        arcs = (self.mirror_arc[seen.arcs[0]], self.mirror_arc[seen.arcs[1]])
        sidings = sum(1 << image for j, image in enumerate(self.mirror_junction) if seen.sidings >> j & 1)
        other = seen._replace(arcs=arcs, sidings=sidings)
        found = self.numbers.setdefault(other, len(self.parts))
        if found == len(self.parts):
            self.parts.append(other)
        return found

    def mirrored(self, position: Position) -> Position:
        """The position with the companies swapped through the mirror."""
        remaining, routes, lead, surplus, a, b = position
        return Position(
            remaining, self.mirrored_routes(routes), -lead, -surplus, self.mirrored_part(b), self.mirrored_part(a)
        )

    # -- orders -------------------------------------------------------------------------------------------------

    def kinds(self, part: int) -> tuple[list[Kind], dict[tuple[int, int, int], int]]:
        """Orders of a part without their toggles (3.1, 3.2), and which of them a (train, reverse, invest) is.

        Forward and reverse are one order at a terminal.
        """
        arcs, _, _, upgraded, sidings, cash = self.parts[part]
        offers = [(0, part, 0)]
        cost = self.costs["upgrade"]
        if cost is not None and cost <= cash:
            for t in range(2):
                if not upgraded >> t & 1:
                    offers.append((1 + t, self._bought(part, cash - cost, upgraded | 1 << t, sidings), cost))
        cost = self.costs["siding"]
        if cost is not None and cost <= cash:
            for j in range(self.n_junctions):
                if not sidings >> j & 1:
                    offers.append((3 + j, self._bought(part, cash - cost, upgraded, sidings | 1 << j), cost))
        found: list[Kind] = []
        which = {}
        for invest, bought, price in offers:
            for t in range(2):
                for reverse in range(2):
                    if reverse == 0 or self.head[arcs[t]] < self.n_junctions:
                        found.append(Kind(t, reverse, invest, bought, price))
                    which[t, reverse, invest] = len(found) - 1
        return found, which

    def _bought(self, part: int, cash: int, upgraded: int, sidings: int) -> int:
        after = self.parts[part]._replace(cash=cash, upgraded=upgraded, sidings=sidings)
        found = self.numbers.setdefault(after, len(self.parts))
        if found == len(self.parts):
            self.parts.append(after)
        return found

    def words(self, c: int, order: Order) -> dict[str, str | None]:
        """An order as the plain reference and a record write it."""
        company, junctions = COMPANIES[c], self.junctions
        invest = None
        if order.invest in (1, 2):
            invest = f"upgrade:{company}{order.invest}"
        elif order.invest > 2:
            invest = f"siding:{junctions[order.invest - 3]}"
        return {
            "train": f"{company}{order.train + 1}",
            "move": "reverse" if order.reverse else "forward",
            "toggle": None if order.toggle < 0 else junctions[order.toggle],
            "invest": invest,
        }

    # -- one dispatch -------------------------------------------------------------------------------------------

    def _way(self, arc: int, reverse: int, routes: int, ticks: int, destination: int) -> int:
        """The number of the way that a train runs when nobody meets it: its arcs, tick by tick (4.3, 4.6)."""
        way: list[int] = []
        for tick in range(ticks):
            if tick == 0 and reverse:
                arc ^= 1
            else:
                node = self.head[arc]
                arc = self.exits[arc][routes >> node & 1 if node < self.n_junctions else 0]
            way.append(arc)
            if self.head[arc] == destination:
                break
        found = self._ways.setdefault(tuple(way), len(self._way_list))
        if found == len(self._way_list):
            self._way_list.append(tuple(way))
        return found

    def go(self, c: int, part: int, t: int, reverse: int, routes: int, remaining: int) -> tuple[int, int, int]:
        """(number of the way, part at its end, points earned) of a train that meets nobody.

        `part` is the one after the investment, `remaining` the dispatches after this one; income is in it.
        """
        own = self.parts[part]
        ticks = self.plain.upgraded_speed if own.upgraded >> t & 1 else 1
        way = self._way(own.arcs[t], reverse, routes, ticks, self.cargo(c, t, own.items[t])[0])
        return way, *self.move_on(c, part, t, self._way_list[way][-1], 0, remaining)

    def move_on(self, c: int, part: int, t: int, arc: int, tolls: int, remaining: int) -> tuple[int, int]:
        """(part, points earned) after a train came to stand on an arc, tolls and income being paid (4.4 c to 4.7).

        `arc` is -1 - a for a train that was stopped on arc a and so delivers nothing.
        """
        arcs, items, next_item, upgraded, sidings, cash = self.parts[part]
        cash += tolls + self.plain.income
        earned = 0
        stopped = arc < 0
        if stopped:
            arc = -1 - arc
        arcs = (arc, arcs[1]) if t == 0 else (arcs[0], arc)
        destination, reward = self.cargo(c, t, items[t])
        if not stopped and self.head[arc] == destination:
            earned = reward
            cash += reward
            after = items[t] + 1
            if self.plain.scope == "company":
                after = next_item
                next_item += 1
            items = (after, items[1]) if t == 0 else (items[0], after)
        return self._part(c, remaining, arcs, items, next_item, upgraded, sidings, cash), earned

    def encounters(self, way_a: int, way_b: int) -> tuple[tuple[int, int], ...]:
        """Meetings of two ways, sidings aside, up to the first head-on: (tick from 0, the junction, or -1)."""
        found = self._encounters.get((way_a, way_b))
        if found is None:
            met: list[tuple[int, int]] = []
            for tick, (a, b) in enumerate(zip(self._way_list[way_a], self._way_list[way_b], strict=False)):
                if a == b ^ 1:
                    met.append((tick, -1))
                    break
                if self.head[a] == self.head[b] < self.n_junctions:
                    met.append((tick, self.head[a]))
            found = self._encounters[way_a, way_b] = tuple(met)
        return found

    def meet(
        self, kind_a: Kind, kind_b: Kind, way_a: int, way_b: int, met: tuple[tuple[int, int], ...], remaining: int
    ) -> tuple[int, int, int, int]:
        """(lead gained, surplus gained by tolls, part of A, part of B) of trains that meet (4.4)."""
        a, b = self.parts[kind_a.bought], self.parts[kind_b.bought]
        paid = 0  # by A to B, less what B paid to A
        cut = -1
        for tick, junction in met:
            owners = 0 if junction < 0 else (a.sidings >> junction & 1) + 2 * (b.sidings >> junction & 1)
            if owners == 0:
                cut = tick
                break
            if owners == 1:
                paid -= min(self.plain.toll, b.cash + paid)
            elif owners == 2:
                paid += min(self.plain.toll, a.cash - paid)
        run_a, run_b = self._way_list[way_a], self._way_list[way_b]
        if cut < 0:
            end_a, end_b = run_a[-1], run_b[-1]
        elif cut == 0:
            end_a, end_b = -1 - a.arcs[kind_a.train], -1 - b.arcs[kind_b.train]
        else:
            end_a, end_b = -1 - run_a[cut - 1], -1 - run_b[cut - 1]
        part_a, earned_a = self.move_on(0, kind_a.bought, kind_a.train, end_a, -paid, remaining)
        part_b, earned_b = self.move_on(1, kind_b.bought, kind_b.train, end_b, paid, remaining)
        return earned_a - earned_b, -2 * paid, part_a, part_b

    def after(self, position: Position, routes: int, kind_a: Kind, kind_b: Kind) -> Position:
        """The position after one dispatch in which the switches stand on `routes` during movement."""
        remaining = position.remaining - 1
        way_a, part_a, earned_a = self.go(0, kind_a.bought, kind_a.train, kind_a.reverse, routes, remaining)
        way_b, part_b, earned_b = self.go(1, kind_b.bought, kind_b.train, kind_b.reverse, routes, remaining)
        lead, surplus = earned_a - earned_b, 0
        met = self.encounters(way_a, way_b)
        if met:
            lead, surplus, part_a, part_b = self.meet(kind_a, kind_b, way_a, way_b, met, remaining)
        surplus += position.surplus - kind_a.price + kind_b.price
        return Position(remaining, routes, position.lead + lead, surplus, part_a, part_b)
