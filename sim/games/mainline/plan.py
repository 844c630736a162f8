"""The plan of the mainline game: the days of one scenario, from one seed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kernels import fingerprint
from kernels.codes import POISON
from kernels.mainline.batch import fill_rows
from kernels.mainline.codes import Column, Speed
from kernels.mainline.layout import RULES_VERSION, new_state
from kernels.mainline.traffic import LOG_FIELDS
from kernels.random import RNG_SCHEME, new_streams
from sim.config.mainline import MainlineScenario
from sim.games.mainline.columns import Columns
from sim.games.mainline.estimates import summarise_days
from sim.games.mainline.figures import metrics_of
from sim.games.mainline.lowering import lower
from sim.games.mainline.notes import day_notes
from sim.games.mainline.rows import day_table
from sim.games.mainline.sums import DaySums
from sim.running.chunks import Chunk, Rows
from sim.running.plan import BLOCKS, blocks_of, digest_of, made_of
from sim.stats.figures import Estimate, MetricDefinition

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DayBench", "MainlinePlan"]

_NO_ANSWERS = np.zeros(0, np.int64)


class DayBench:
    """What one thread plays on: the state of a day and two streams, used again for every day."""

    def __init__(self) -> None:
        self.state = new_state()
        self.streams = new_streams(2)
        self.log = np.zeros((0, LOG_FIELDS), np.int64)


@dataclass(frozen=True)
class MainlinePlan:
    """Days of one scenario, from one seed: day p is the only match of pair p.

    Attributes
    ----------
    scenario, seed
        What is played.
    namespace
        Of the random streams.
    """

    scenario: MainlineScenario
    seed: int
    namespace: int = 0

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process."""
        return made_of(self)

    @property
    def sides(self) -> tuple[str, str]:
        """The Superintendent's policy; there is no second side."""
        return self.scenario.policy_name, ""

    @property
    def pairing_name(self) -> str:
        """The policy."""
        return self.scenario.policy_name

    @property
    def n_swaps(self) -> int:
        """A deal is one day."""
        return 1

    @cached_property
    def deterministic(self) -> bool:
        """Whether deal, orientations, departures and rulings are all fixed, so that there is one different day."""
        scenario = self.scenario
        if scenario.deal is None or scenario.admit is not None:
            return False
        if any(first != last for first, last in (train.departs for train in scenario.timetable)):
            return False
        return all(
            scenario.up_of(s) is not None or not scenario.card(name).grade for s, name in enumerate(scenario.deal)
        )

    @cached_property
    def exact(self) -> dict[str, float]:
        """Figures that the rules settle whatever is dealt, and their values.

        Collisions without rulings, Extras that cannot fail to run, districts without a second Office; and crossings of
        cards on which nothing but the train's class is read (rules 2.2): no siding, no modifier, no Extra that starts
        there, and no collision that could delay.
        """
        scenario = self.scenario
        extras = any(train.extra for train in scenario.timetable)
        held = scenario.admit in (None, 0.0)
        none = {
            "collisions": held,
            "extras_not_run": not extras,
            "district_unevenness": scenario.players == 1,
        }
        found = {name: 0.0 for name, certain in none.items() if certain}
        for kind, direction, speed in self.columns.groups() if held else ():
            card = scenario.card(kind)
            if not (card.siding or (card.grade and scenario.hands) or (card.extras and extras)):
                start = card.back_region + (card.fast_start if speed is Speed.FAST else 0)
                name = f"crossing_stages.{kind}.{direction.name.lower()}.{speed.name.lower()}"
                found[name] = float(max(1, card.regions - start))
        return found

    @property
    def most_pairs(self) -> int:
        """Days that may be played before a sum could leave int64."""
        trains = len(self.scenario.timetable)
        return int(BLOCKS * ((2**63 - 1) // (trains * trains * self.scenario.max_stages)))

    @cached_property
    def columns(self) -> Columns:
        """Where figures stand in the rows."""
        return Columns(self.scenario.kinds)

    @cached_property
    def metrics(self) -> Mapping[str, MetricDefinition]:
        """Every figure of the scenario by its core name."""
        return metrics_of(self.scenario)

    @property
    def limits(self) -> Mapping[str, float]:
        """The largest values that a day's figures could take."""
        scenario = self.scenario
        return {
            "max_stages": scenario.max_stages,
            "trains": len(scenario.timetable),
            "hand": len(scenario.hands),
        }

    @property
    def watched(self) -> tuple[str, ...]:
        """The figure that a half-width is asked of."""
        return ("trip_gap",)

    @cached_property
    def rules(self) -> np.recarray[Any, Any]:
        """The scenario as the kernels read it."""
        return lower(self.scenario)

    def n_pairs(self, matches: int) -> int:
        """As many as matches; 1 where there is but one different day."""
        return 1 if self.deterministic else matches

    def n_blocks(self, n_pairs: int) -> int:
        """Blocks that so many days are spread over."""
        return blocks_of(n_pairs)

    def identity(self, amount: Mapping[str, Any]) -> dict[str, Any]:
        """What decides the outcome, byte for byte; `amount` says how many days are asked for."""
        return {
            "scenario": self.scenario.resolved(),
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

    def compile(self) -> None:
        """Nothing is compiled late here."""

    def new_bench(self) -> DayBench:
        """The state of a day and two streams."""
        return DayBench()

    def play_rows(self, chunk: Chunk, bench: DayBench | None = None) -> Rows:
        """Play a chunk: one row a day, int32 [m, k] (`sim.games.mainline.columns`)."""
        bench = bench or DayBench()
        rows = np.full((chunk.n_pairs, self.columns.width), POISON, np.int32)
        fill_rows(
            self.rules,
            bench.state,
            bench.streams,
            self.seed,
            self.namespace,
            chunk.first_pair,
            chunk.stride,
            chunk.n_pairs,
            _NO_ANSWERS,
            bench.log,
            rows,
        )
        if (rows == POISON).any():
            raise RuntimeError(f"the kernel left rows of {chunk} unwritten")
        return rows

    def sum_rows(self, chunk: Chunk, rows: Rows, n_blocks: int) -> DaySums:
        """The sums of a chunk's rows."""
        return self.empty_sums(n_blocks).added(chunk, rows)

    def empty_sums(self, n_blocks: int) -> DaySums:
        """Sums of no day at all."""
        return DaySums.empty(self.scenario.n_slots, len(self.scenario.timetable), len(self.columns.kinds), n_blocks)

    def summarise(self, sums: DaySums, *, level: float = 0.95, metrics: Iterable[str] | None = None) -> list[Estimate]:
        """Estimate figures from this plan's sums; None: all of them, in their order."""
        return summarise_days(
            sums,
            self.pairing_name,
            self.metrics,
            level=level,
            limits=self.limits,
            deterministic=self.deterministic,
            exact=self.exact,
            wanted=metrics,
        )

    def row_table(self, first_pair: int, rows: Rows) -> pa.Table:
        """Rows of the days from `first_pair` on, words instead of codes."""
        return day_table(self.scenario, self.columns, first_pair, rows, self._scenario_digest, self.seed)

    @cached_property
    def _scenario_digest(self) -> str:
        return self.scenario.digest

    def outcomes(self, sums: DaySums) -> dict[str, int]:
        """Days on which all trains that ran arrived, and days on which some were still out."""
        return outcomes_of(sums)

    def notes(self, sums: DaySums, asked: int | None) -> tuple[str, ...]:
        """What a reader must know beside the figures, in sentences."""
        return tuple(day_notes(self, sums, asked))

    def fault(self, sums: DaySums) -> str | None:
        """Nothing is declared here that could prove false."""
        return None

    def words(self) -> dict[str, Any]:
        """What the manifest says of who rules."""
        return {"pairing": self.pairing_name, "policy": self.scenario.policy_name}


def outcomes_of(sums: DaySums) -> dict[str, int]:
    """Days by how they ended: a partition of all that were played."""
    unfinished = int(sums.sums[:, Column.UNFINISHED_DAY].sum())
    return {"all_arrived": sums.n_pairs - unfinished, "unfinished": unfinished}
