"""The plan of the dispatch game: one pairing on one scenario, and how its matches are numbered and grouped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kernels import fingerprint
from kernels.codes import Column, Outcome, Pairing
from kernels.dispatch.layout import RULES_VERSION
from kernels.random import RNG_SCHEME
from sim.catalogue import Player
from sim.config.exactness import exactness
from sim.config.network import network_of
from sim.config.scenario import Scenario
from sim.games.dispatch.notes import false_declaration, run_notes
from sim.games.dispatch.players import player_words
from sim.games.dispatch.playing import Bench, play_rows, sum_rows
from sim.games.dispatch.rows import match_table
from sim.lowering import lower, names_of
from sim.restrictions import lower_restrictions
from sim.running.chunks import Chunk, Rows
from sim.running.plan import BLOCKS, blocks_of, digest_of, made_of
from sim.stats.figures import Estimate, Int64s, MetricDefinition
from sim.stats.metrics import METRICS, Certainty, summarise
from sim.stats.precision import WATCHED
from sim.stats.sums import BlockSums

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["WINNERS", "DispatchPlan", "limits_of"]

WINNERS = np.array([0, 1, 0, 1, 2, 3, 3, 3], dtype=np.int8)
"""Who won, by `Outcome`: 0 A, 1 B, 2 shared, 3 no result."""


def limits_of(scenario: Scenario) -> dict[str, float]:
    """The largest values that a match's figures could take (`sim.stats.definitions.LIMIT_KEYS`)."""
    economy = scenario.economy
    return {
        "dispatches": scenario.dispatches,
        "reward": max(scenario.cargo.rewards),
        "ticks": 1 if economy.upgrade_cost is None else economy.upgraded_speed,
        "toll": economy.toll,
        "upgrades": 0 if economy.upgrade_cost is None else 2,
        "sidings": 0 if economy.siding_cost is None else len(network_of(scenario.map).junctions),
    }


@dataclass(frozen=True)
class DispatchPlan:
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

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process."""
        return made_of(self)

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

    def seats_swapped(self, swap: int) -> bool:
        """Whether the first bot sits in seat B in this match of a pair."""
        return swap == 1 and self.pairing is Pairing.SEATS

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
        return blocks_of(n_pairs)

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
        limits = lower_restrictions(names_of(self.scenario.map), player.restrictions)
        return player.bot.memory(self.rules, player.values, limits)

    @property
    def limits(self) -> Mapping[str, float]:
        """The largest values that a match's figures could take (`sim.stats.definitions.LIMIT_KEYS`)."""
        return limits_of(self.scenario)

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
        return digest_of(self.identity(amount))

    @property
    def sides(self) -> tuple[str, str]:
        """Names of the bots, first and second."""
        return self.first.name, self.second.name

    @property
    def metrics(self) -> Mapping[str, MetricDefinition]:
        """Every figure of the dispatch game."""
        return METRICS

    @property
    def watched(self) -> tuple[str, ...]:
        """Figures that a half-width is asked of."""
        return WATCHED

    def compile(self) -> None:
        """Compile both bots."""
        for bot in (self.first.bot, self.second.bot):
            _ = bot.compiled

    def new_bench(self) -> Bench:
        """The state of a match and two streams."""
        return Bench()

    def play_rows(self, chunk: Chunk, bench: Bench | None = None) -> Rows:
        """Play a chunk: one row a match, int32 [m, k], k a `kernels.codes.Column`.

        Raises
        ------
        BadInput
            When a bot raised an exception.
        RuntimeError
            When the kernel left a row unwritten.
        """
        return play_rows(self, chunk, bench or Bench())

    def sum_rows(self, chunk: Chunk, rows: Rows, n_blocks: int) -> BlockSums:
        """The block sums of a chunk's rows; a legal match beside an illegal one is marked so in `rows`."""
        return sum_rows(self.pairing, chunk, rows, n_blocks)

    def empty_sums(self, n_blocks: int) -> BlockSums:
        """Sums of no match at all."""
        return BlockSums.empty(self.pairing, n_blocks)

    def summarise(
        self, sums: BlockSums, *, level: float = 0.95, metrics: Iterable[str] | None = None
    ) -> list[Estimate]:
        """Estimate figures from this pairing's sums; None: all of them, in their order."""
        return summarise(
            sums, self.pairing_name, level=level, exact=self.certainty, limits=self.limits, metrics=metrics
        )

    def row_table(self, first_pair: int, rows: Rows) -> pa.Table:
        """Rows of the pairs from `first_pair` on, one row a match, words instead of codes."""
        return match_table(self, first_pair, rows, self._scenario_digest)

    @cached_property
    def _scenario_digest(self) -> str:
        return self.scenario.digest

    def winners(self, rows: Rows) -> npt.NDArray[np.int8]:
        """Who won each match, int8 [m]: 0 A, 1 B, 2 shared, 3 no result."""
        return WINNERS[rows[:, Column.OUTCOME]]

    def outcomes(self, sums: BlockSums) -> dict[str, int]:
        """Matches by `Outcome`, its name in small letters."""
        return {code.name.lower(): int(sums.outcomes[:, :, code].sum()) for code in Outcome}

    def pair_scores(self, sums: BlockSums) -> Int64s | None:
        """Pairs by twice the first bot's score over the pair, shape (5,); None where bots are equal or never swap."""
        return np.asarray(sums.pair_scores.sum(axis=0)) if self.pairing is Pairing.SEATS else None

    def notes(self, sums: BlockSums, asked: int | None) -> tuple[str, ...]:
        """What a reader must know beside the figures, in sentences."""
        return run_notes(self, sums, asked)

    def fault(self, sums: BlockSums) -> str | None:
        """What is wrong with a bot that was declared to draw nothing; None when nothing is."""
        return false_declaration(self, sums)

    def words(self) -> dict[str, Any]:
        """What the manifest says of the two bots."""
        return {
            "pairing": self.pairing_name,
            "first": player_words(self.first),
            "second": player_words(self.second),
            "pairs_swap": self.pairing.name.lower(),
        }
