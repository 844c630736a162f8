"""The matches of a value study, part after part; each is kept as a few sums a block, so that none is played twice."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sim.catalogue import Player
from sim.config.scenario import Scenario
from sim.running.ledger import Ledger
from sim.running.runner import Progress
from sim.stats.figures import Int64s, Totals
from sim.stats.paired import measured
from sim.stats.worth import SCORE, Tally
from sim.store import RunFolder
from sim.studies.playing import Playing
from sim.studies.value_plan import CHOOSING, MEASURED, ValuePlan, costs_to_scan
from sim.studies.versions import KINDS, forced, items_of, keeping_off, peaceful, without, without_items

__all__ = ["HOSTILE", "BotPlay", "Scan", "ValuePlay"]

TALLIED = (
    *("score.first", "win.first", "shared", "margin.mean", "illegal_orders"),
    *(f"pick.{kind}.{side}" for kind in KINDS for side in ("first", "second")),
)
"""Figures that are kept of every part."""

_KEPT = "tallies"
HOSTILE = "hostile toggles"
TYPICAL_COSTS = 50
"""Costs that a scan is expected to try, for the bar alone."""


@dataclass(frozen=True)
class Scan:
    """A kind's purchase forced at one cost after the other.

    Attributes
    ----------
    item
        The purchase.
    costs
        Costs tried [dollars].
    bought, forbidden
        At each: the side that buys it as soon as affordable, and the side to which the kind is forbidden.
    """

    item: str
    costs: list[int] = field(default_factory=list)
    bought: list[Tally] = field(default_factory=list)
    forbidden: list[Tally] = field(default_factory=list)


@dataclass
class BotPlay:
    """What was played with one bot.

    Attributes
    ----------
    player
        The bot.
    exact
        It draws nothing.
    free
        The bot against itself.
    versions
        Restricted versions against it, by what is taken away: `none`, `upgrade`, `siding`, `HOSTILE`, a purchase, or a
        place.
    items
        The purchase of each kind that is forced.
    timings
        By kind: the kind forbidden, and the purchase forced at each dispatch.
    scans
        By kind.
    """

    player: Player
    exact: bool
    free: Tally
    versions: dict[str, Tally] = field(default_factory=dict)
    items: dict[str, str] = field(default_factory=dict)
    timings: dict[str, tuple[Tally, dict[int, Tally]]] = field(default_factory=dict)
    scans: dict[str, Scan] = field(default_factory=dict)


class ValuePlay:
    """A value study being played."""

    def __init__(
        self,
        plan: ValuePlan,
        threads: int,
        folder: RunFolder | None = None,
        progress: Progress | None = None,
        chunk_pairs: int | None = None,
    ) -> None:
        self.plan = plan
        self.folder = folder
        self.tallies: dict[str, Int64s] = {}
        if folder is not None and folder.state == "unfinished":
            self.tallies = folder.kept(_KEPT) or {}
        self.new = 0
        self.playing = Playing(expected_matches(plan), threads, self.save, progress, chunk_pairs)

    def save(self) -> None:
        """Keep the parts that are finished."""
        if self.folder is not None and self.new:
            self.folder.keep(_KEPT, self.tallies)
            self.new = 0

    def all(self) -> list[BotPlay]:
        """Everything, bot after bot."""
        return [self.bot(player) for player in self.plan.players]

    def bot(self, player: Player) -> BotPlay:
        """One bot: its versions, the purchases to force, when, and at which costs."""
        plan = self.plan
        n, n_scan = plan.study.amounts(player.name)
        base = plan.pairing(player, player)
        found = BotPlay(player, base.deterministic, self.part("free", player, player, n))
        versions = {
            "none": without(player, *KINDS),
            "upgrade": without(player, "siding"),
            "siding": without(player, "upgrade"),
            HOSTILE: peaceful(player),
            **{item: without_items(player, [item]) for item in plan.items},
        }
        found.versions = {name: self.part(f"without/{name}", version, player, n) for name, version in versions.items()}
        for place in plan.places:
            found.versions[place] = self.part(f"without/{place}", keeping_off(player, place), player, n_scan)
        for kind in KINDS:
            found.items[kind] = self.best_item(kind, player, n_scan)
            if plan.cost(kind) is not None:
                found.timings[kind] = self.timing(kind, found.items[kind], player, n_scan)
            found.scans[kind] = self.scan(kind, found.items[kind], player, n_scan)
        return found

    def best_item(self, kind: str, player: Player, n: int) -> str:
        """The purchase of a kind that this bot does best with when it has to make it, on luck apart from the rest."""
        cost = self.plan.cost(kind)
        scenario = self.plan.scenario_at(kind, 0 if cost is None else cost)
        scores = {}
        for item in items_of(kind, self.plan.junctions):
            version = forced(player, item, 1)
            tally = self.part(f"choose/{item}", version, player, n, scenario, CHOOSING)
            score = measured(tally[SCORE.metric]).value
            scores[item] = -math.inf if math.isnan(score) else score
        return max(scores, key=lambda item: scores[item])

    def timing(self, kind: str, item: str, player: Player, n: int) -> tuple[Tally, dict[int, Tally]]:
        """The kind forbidden, and the purchase forced at each dispatch, as the only one of its kind."""
        forbidden = self.part(f"timing/{kind}/without", without(player, kind), player, n)
        others = [other for other in items_of(kind, self.plan.junctions) if other != item]
        alone = without_items(player, others)
        return forbidden, {
            dispatch: self.part(f"timing/{kind}/{dispatch}", forced(alone, item, dispatch), player, n)
            for dispatch in self.plan.dispatches
        }

    def scan(self, kind: str, item: str, player: Player, n: int) -> Scan:
        """The purchase forced at every cost, until neither a free nor a forced side buys one."""
        found = Scan(item)
        for cost in costs_to_scan():
            scenario = self.plan.scenario_at(kind, cost)
            bought = self.part(f"scan/{kind}/{cost}/with", forced(player, item, 1), player, n, scenario)
            free = int(bought[f"pick.{kind}.second"].total.sum())
            made = int(bought[f"pick.{kind}.first"].total.sum())
            if not made and not free:
                break
            found.costs.append(cost)
            found.bought.append(bought)
            forbidden = self.part(f"scan/{kind}/{cost}/without", without(player, kind), player, n, scenario)
            found.forbidden.append(forbidden)
        return found

    def part(
        self,
        name: str,
        version: Player,
        free: Player,
        matches: int,
        scenario: Scenario | None = None,
        namespace: int = MEASURED,
    ) -> Tally:
        """What a version reaches against the bot unrestricted; played, or as it was kept."""
        key = f"{free.name}/{name}"
        plan = self.plan.pairing(version, free, scenario, namespace)
        n_pairs = plan.n_pairs(matches)
        if key not in self.tallies:
            ledger: Ledger[Any] = Ledger(plan.empty_sums(plan.n_blocks(n_pairs)), [])
            self.playing.play(plan, ledger, n_pairs)
            tally = {metric: plan.metrics[metric].measure(ledger.sums) for metric in TALLIED}
            if name != "free" and plan.self_play:
                # The restriction takes nothing away that this bot had: no version, but the bot itself.
                tally |= _even(tally)
            self.tallies[key] = _packed(tally)
            self.new += 1
        else:
            self.playing.finished += n_pairs * plan.n_swaps
        return _unpacked(self.tallies[key])


def _even(tally: Mapping[str, Any]) -> dict[str, Totals]:
    """Score and points of a bot against itself, seats swapped: exactly even in every block."""
    score, margin = tally["score.first"], tally["margin.mean"]
    return {
        "score.first": Totals(score.matches * score.scale // 2, score.matches, score.pairs, score.scale),
        "margin.mean": Totals(np.zeros_like(margin.total), margin.matches, margin.pairs, margin.scale),
    }


def _packed(tally: Mapping[str, Any]) -> Int64s:
    """int64 [figure, 4, B]: total, matches, pairs, scale."""
    parts = [tally[metric] for metric in TALLIED]
    return np.array([[one.total, one.matches, one.pairs, np.full_like(one.total, one.scale)] for one in parts])


def _unpacked(packed: Int64s) -> dict[str, Totals]:
    return {
        metric: Totals(total, matches, pairs, int(scale[0]))
        for metric, (total, matches, pairs, scale) in zip(TALLIED, packed, strict=True)
    }


def expected_matches(plan: ValuePlan) -> int:
    """Matches of the whole study, about: how many costs a scan tries is seen only then."""
    total = 0
    for player in plan.players:
        n, n_scan = plan.study.amounts(player.name)
        items = len(plan.items)
        steps = items + len(plan.places) + len(KINDS) * (len(plan.dispatches) + 1 + 2 * TYPICAL_COSTS)
        total += (5 + items) * n + steps * n_scan
    return total
