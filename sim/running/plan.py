"""What is to be played: one pairing on one scenario, and how its matches are numbered and grouped."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kernels import fingerprint
from kernels.codes import Pairing
from kernels.dispatch.layout import RULES_VERSION
from kernels.random import MAX_SEED, RNG_SCHEME
from sim.catalogue import Player
from sim.config.errors import BadInput
from sim.config.exactness import exactness
from sim.config.network import Network
from sim.config.scenario import Scenario
from sim.lowering import Names, lower
from sim.restrictions import lower_restrictions
from sim.stats.metrics import Certainty

__all__ = ["BLOCKS", "FEWEST_BLOCKED_PAIRS", "Plan", "checked_seed"]

BLOCKS = 64
"""Blocks of a run."""

FEWEST_BLOCKED_PAIRS = 10 * BLOCKS
"""Under this many pairs every pair is a block of its own."""


def checked_seed(seed: int | None) -> int:
    """The seed to use: the one given, or a drawn one; BadInput when it is out of range."""
    if seed is None:
        return secrets.randbelow(MAX_SEED + 1)
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MAX_SEED:
        raise BadInput.of(f"seed is {seed!r}; must be a whole number from 0 to {MAX_SEED}")
    return seed


@dataclass(frozen=True)
class Plan:
    """One pairing on one scenario, from one seed.

    Match m is match `m % 2` (the swap) of pair `m // 2`, or pair m where pairs have one match. Pair p lies in block
    `p % n_blocks`, so that more pairs later keep the blocks that are there.

    Attributes
    ----------
    scenario, first, second, seed
        What is played. Equal players are self-play: first is seat A in every match.
    namespace
        Of the random streams.
    swaps
        False leaves out the second match of every pair, and with it what it cancels out: for checks of the machinery.
    """

    scenario: Scenario
    first: Player
    second: Player
    seed: int
    namespace: int = 0
    swaps: bool = True

    @property
    def self_play(self) -> bool:
        """Whether both seats have equal bots."""
        return self.first.identity == self.second.identity

    @property
    def pairing_name(self) -> str:
        """`first vs second`."""
        return f"{self.first.name} vs {self.second.name}"

    @property
    def deterministic(self) -> bool:
        """Whether, by declaration, no bot draws: then there is but one match, or two with the seats swapped."""
        return self.first.draws_nothing and self.second.draws_nothing

    @property
    def pairing(self) -> Pairing:
        """What the second match of a pair swaps."""
        if not self.swaps or (self.self_play and self.deterministic):
            return Pairing.SINGLE
        return Pairing.LANES if self.self_play else Pairing.SEATS

    @property
    def n_swaps(self) -> int:
        """Matches of a pair."""
        return 1 if self.pairing is Pairing.SINGLE else 2

    @property
    def certainty(self) -> Certainty:
        """What is known before a match is played."""
        fair = self.self_play and self.first.bot.mirror_fair and exactness(self.scenario.map).exact
        return Certainty(deterministic=self.deterministic, mirror_proof=fair and self.swaps)

    def n_pairs(self, matches: int) -> int:
        """Pairs that hold at least so many matches; 1 where there is but one different pair."""
        return 1 if self.deterministic else -(-matches // self.n_swaps)

    def n_blocks(self, n_pairs: int) -> int:
        """Blocks that so many pairs are spread over."""
        return BLOCKS if n_pairs >= FEWEST_BLOCKED_PAIRS else n_pairs

    @cached_property
    def rules(self) -> np.recarray[Any, Any]:
        """The scenario as the kernels read it."""
        return lower(self.scenario)

    @cached_property
    def first_memory(self) -> npt.NDArray[np.float64]:
        """What the first bot gets as `params`."""
        return self._memory(self.first)

    @cached_property
    def second_memory(self) -> npt.NDArray[np.float64]:
        """What the second bot gets as `params`."""
        return self.first_memory if self.self_play else self._memory(self.second)

    def _memory(self, player: Player) -> npt.NDArray[np.float64]:
        limits = lower_restrictions(Names(Network(self.scenario.map)), player.restrictions)
        return player.bot.memory(self.rules, player.values, limits)

    @property
    def limits(self) -> Mapping[str, float]:
        """The largest values that a match's figures could take (`sim.stats.definitions.LIMIT_KEYS`)."""
        economy = self.scenario.economy
        return {
            "dispatches": self.scenario.dispatches,
            "reward": max(self.scenario.cargo.rewards),
            "ticks": 1 if economy.upgrade_cost is None else economy.upgraded_speed,
            "toll": economy.toll,
            "upgrades": 0 if economy.upgrade_cost is None else 2,
            "sidings": 0 if economy.siding_cost is None else int(self.rules[0].n_junctions),
        }

    @property
    def most_pairs(self) -> int:
        """Pairs that may be played before a sum of squares could leave int64."""
        economy = self.scenario.economy
        a_dispatch = economy.income + max(self.scenario.cargo.rewards) + economy.toll * self.limits["ticks"]
        largest = int(economy.starting_cash + self.scenario.dispatches * max(a_dispatch, 16))
        return BLOCKS * ((2**63 - 1) // largest**2)

    def identity(self, amount: Mapping[str, Any]) -> dict[str, Any]:
        """What decides the outcome, byte for byte; `amount` says how many matches are asked for."""
        return {
            "scenario": self.scenario.resolved(),
            "players": [self.first.identity, self.second.identity],
            "names": [self.first.name, self.second.name],
            "seed": self.seed,
            "namespace": self.namespace,
            "amount": dict(amount),
            "kernel": fingerprint(),
            "rules_version": RULES_VERSION,
            "rng_scheme": RNG_SCHEME,
        }

    def digest(self, amount: Mapping[str, Any]) -> str:
        """Sha256 (hex) of `identity`."""
        text = json.dumps(self.identity(amount), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()
