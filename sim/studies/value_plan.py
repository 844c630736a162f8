"""What a value study plays: versions of each bot of a panel against the bot itself, at today's and at other costs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sim.api import Source, scenario_of
from sim.catalogue import Player
from sim.config.errors import BadInput
from sim.config.loading import dispatch_only
from sim.config.network import network_of
from sim.config.scenario import MAX_DOLLARS, Scenario
from sim.config.value_study import ValueStudyFile, load_value_study
from sim.games.dispatch.plan import DispatchPlan
from sim.games.dispatch.players import BotLike, player_for
from sim.running.plan import checked_seed
from sim.studies.value_result import STUDY
from sim.studies.versions import KINDS, check_restrictable, items_of, places_of

__all__ = ["CHOOSING", "FINE_COSTS", "MEASURED", "ValuePlan", "costs_to_scan", "make_value_plan", "with_cost"]

FINE_COSTS = 100
"""Up to so many dollars every cost is tried; above, steps grow by a twentieth."""

MEASURED = 0
CHOOSING = 1
"""Namespaces of the random streams: where values are measured, and where it is chosen which purchase to force. What is
chosen as best on the luck that it is measured on looks better than it is."""


@dataclass(frozen=True)
class ValuePlan:
    """A panel of bots on one scenario, from one seed.

    Attributes
    ----------
    scenario, players, seed
        What is played.
    study
        How much, and from what a verdict is drawn.
    """

    scenario: Scenario
    players: tuple[Player, ...]
    seed: int
    study: ValueStudyFile

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the bots."""
        return tuple(player.name for player in self.players)

    @cached_property
    def junctions(self) -> tuple[str, ...]:
        """Where sidings can be bought, as seat A sees them."""
        return tuple(network_of(self.scenario.map).junctions)

    @property
    def items(self) -> tuple[str, ...]:
        """Every purchase that there is."""
        return tuple(item for kind in KINDS for item in items_of(kind, self.junctions))

    @cached_property
    def places(self) -> tuple[str, ...]:
        """Junctions and tracks that are valued, where that is asked for."""
        return places_of(self.scenario.map) if self.study.places else ()

    def cost(self, kind: str) -> int | None:
        """Today's cost of a kind [dollars]; None: not on offer."""
        economy = self.scenario.economy
        return economy.upgrade_cost if kind == "upgrade" else economy.siding_cost

    def scenario_at(self, kind: str, cost: int) -> Scenario:
        """The scenario with another cost of a kind."""
        return with_cost(self.scenario, kind, cost)

    def pairing(
        self, version: Player, free: Player, scenario: Scenario | None = None, namespace: int = MEASURED
    ) -> DispatchPlan:
        """A version of a bot against it unrestricted."""
        return DispatchPlan(scenario or self.scenario, version, free, self.seed, namespace)

    @property
    def dispatches(self) -> tuple[int, ...]:
        """Dispatches at which a purchase is forced, from the first to the last."""
        n, last = self.study.timings, self.scenario.dispatches
        if n < 2:
            return (1,) * n
        return tuple(dict.fromkeys(round(1 + i * (last - 1) / (n - 1)) for i in range(n)))

    @property
    def digest(self) -> str:
        """Sha256 (hex) of all that decides the outcome."""
        identity = {
            "study": STUDY,
            "file": self.study.resolved() | {"bots": list(self.names)},
            "plans": [self.pairing(player, player).identity({}) for player in self.players],
        }
        return hashlib.sha256(json.dumps(identity, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def with_cost(scenario: Scenario, kind: str, cost: int) -> Scenario:
    """A scenario with another cost of a kind."""
    economy = scenario.economy.model_copy(update={f"{kind}_cost": cost})
    return scenario.model_copy(update={"economy": economy})


def costs_to_scan() -> list[int]:
    """Costs in the order in which they are tried, to the largest that there is [dollars]."""
    costs = list(range(FINE_COSTS + 1))
    while costs[-1] < MAX_DOLLARS:
        costs.append(min(MAX_DOLLARS, costs[-1] + costs[-1] // 20))
    return costs


def make_value_plan(
    scenario: Source,
    *,
    bots: Sequence[BotLike] | None = None,
    matches: int | None = None,
    scan_matches: int | None = None,
    seed: int | None = None,
    study: str | Path | None = None,
    overrides: Sequence[str] | Mapping[str, Any] = (),
) -> ValuePlan:
    """What `value` would play, without playing it.

    Raises
    ------
    BadInput
        When the scenario, the study file, the bots, a number or the seed are not usable.
    """
    loaded = dispatch_only(scenario_of(scenario, overrides), "value")
    file = load_value_study(study)
    for name, given in (("matches", matches), ("scan_matches", scan_matches)):
        if given is not None:
            if isinstance(given, bool) or not isinstance(given, int) or not 2 <= given <= 10_000_000:
                raise BadInput.of(f"{name} is {given!r}; must be a whole number from 2 to 10,000,000")
            own = {bot: one.model_copy(update={name: None}) for bot, one in file.of_bot.items()}
            file = file.model_copy(update={name: given, "of_bot": own})
    if isinstance(bots, str):
        raise BadInput.of(f"bots is {bots!r}; must be a list of one or more")
    named: Sequence[BotLike] = file.bots if bots is None else bots
    players = tuple(player_for(bot, loaded, named) for bot in named)
    names = [player.name for player in players]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadInput.of(f"bot {twice} is named twice; each must have a name of its own")
    if not players:
        raise BadInput.of("bots has no bot; must name one or more, as in greedy,planner")
    check_restrictable(players)
    return ValuePlan(loaded, players, checked_seed(seed), file)
