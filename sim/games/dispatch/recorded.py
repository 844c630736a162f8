"""Matches that people played, as a plan: their records are judged and played again, in place of bots."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kernels import fingerprint
from kernels.codes import Column, Outcome, Pairing
from kernels.dispatch.layout import RULES_VERSION
from kernels.random import RNG_SCHEME
from sim.config.errors import BadInput
from sim.config.scenario import Scenario
from sim.games.dispatch.notes import inexact_note
from sim.games.dispatch.plan import WINNERS, limits_of
from sim.games.dispatch.playing import sum_rows
from sim.games.dispatch.rows import rows_table
from sim.lowering import COMPANIES
from sim.records import Record, read_records
from sim.replaying import Played, play_records
from sim.running.chunks import Chunk, Rows
from sim.running.plan import blocks_of, digest_of
from sim.stats.figures import Estimate, MetricDefinition
from sim.stats.metrics import METRICS, summarise
from sim.stats.precision import WATCHED
from sim.stats.sums import BlockSums

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PEOPLE", "RECORDS_FILE", "RecordedPlan", "recorded_plan"]

PEOPLE = "people"
"""What the sides are called where the records name different players, or none."""

RECORDS_FILE = "records.jsonl"
"""Where a run folder keeps the records that it was made of."""


@dataclass(frozen=True)
class RecordedPlan:
    """Recorded matches on one scenario. Each is a pair of its own: people do not come back to swap seats.

    Attributes
    ----------
    scenario
        What all of them were played on.
    played
        The records, judged and played, in their order.
    seed, namespace
        0: nothing is drawn.
    """

    scenario: Scenario
    played: tuple[Played, ...]
    seed: int = 0
    namespace: int = 0

    @cached_property
    def sides(self) -> tuple[str, str]:
        """Who sat in A and in B where that was the same in every record; else `people` twice."""
        seated = {
            tuple(one.record.players[company] for company in COMPANIES) if one.record.players else (PEOPLE, PEOPLE)
            for one in self.played
        }
        [first, second] = seated.pop() if len(seated) == 1 else (PEOPLE, PEOPLE)
        return first, second

    @property
    def pairing(self) -> Pairing:
        """Single matches: first is seat A, as recorded."""
        return Pairing.SINGLE

    @property
    def pairing_name(self) -> str:
        """`first vs second`."""
        return " vs ".join(self.sides)

    n_swaps = 1
    deterministic = False

    @property
    def n_records(self) -> int:
        """Matches recorded, unfinished ones among them."""
        return len(self.played)

    @property
    def most_pairs(self) -> int:
        """There are no more matches than records."""
        return self.n_records

    @property
    def metrics(self) -> Mapping[str, MetricDefinition]:
        """Every figure of the dispatch game."""
        return METRICS

    @cached_property
    def limits(self) -> Mapping[str, float]:
        """The largest values that a match's figures could take."""
        return limits_of(self.scenario)

    @property
    def watched(self) -> tuple[str, ...]:
        """Figures that a half-width would be asked of."""
        return WATCHED

    def n_pairs(self, matches: int) -> int:
        """Never more than there are records."""
        return min(matches, self.n_records)

    def n_blocks(self, n_pairs: int) -> int:
        """Blocks that so many matches are spread over."""
        return blocks_of(n_pairs)

    @cached_property
    def text(self) -> str:
        """The records, one a line, with the scenario in place: what the run folder keeps."""
        scenario = self.scenario.resolved()
        lines = []
        for one in self.played:
            orders = [{c: getattr(pair, c).model_dump() for c in COMPANIES} for pair in one.record.orders]
            players = {"players": dict(one.record.players)} if one.record.players else {}
            record = {"schema": 1, "scenario": scenario, **players, "orders": orders}
            lines.append(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")
        return "".join(lines)

    def identity(self, amount: Mapping[str, Any]) -> dict[str, Any]:
        """What decides the outcome, byte for byte."""
        return {
            "scenario": self.scenario.resolved(),
            "records": hashlib.sha256(self.text.encode()).hexdigest(),
            "amount": dict(amount),
            "kernel": fingerprint(),
            "rules_version": RULES_VERSION,
            "rng_scheme": RNG_SCHEME,
        }

    def digest(self, amount: Mapping[str, Any]) -> str:
        """Sha256 (hex) of `identity`."""
        return digest_of(self.identity(amount))

    def compile(self) -> None:
        """Nothing is compiled late."""

    def new_bench(self) -> None:
        """Nothing is needed to play on."""

    @cached_property
    def _rows(self) -> Rows:
        return np.stack([one.row for one in self.played])

    def play_rows(self, chunk: Chunk, bench: None = None) -> Rows:
        """One row a record, int32 [m, k], k a `kernels.codes.Column`."""
        pairs = chunk.first_pair + chunk.stride * np.arange(chunk.n_pairs)
        return self._rows[pairs].copy()

    def sum_rows(self, chunk: Chunk, rows: Rows, n_blocks: int) -> BlockSums:
        """The block sums of a chunk's rows."""
        return sum_rows(self.pairing, chunk, rows, n_blocks)

    def empty_sums(self, n_blocks: int) -> BlockSums:
        """Sums of no match at all."""
        return BlockSums.empty(self.pairing, n_blocks)

    def summarise(
        self, sums: BlockSums, *, level: float = 0.95, metrics: Iterable[str] | None = None
    ) -> list[Estimate]:
        """Estimate figures; None: all of them, in their order."""
        return summarise(sums, self.pairing_name, level=level, limits=self.limits, metrics=metrics)

    def row_table(self, first_pair: int, rows: Rows) -> pa.Table:
        """Rows from record `first_pair` on in words, with the players of each."""
        players = [self.played[first_pair + m].record.players or {} for m in range(len(rows))]
        seated = [[one.get(company, PEOPLE) for one in players] for company in COMPANIES]
        never = np.zeros(len(rows), np.int64)
        return rows_table(rows, first_pair, 1, seated, never, self.scenario.digest, self.seed)

    def winners(self, rows: Rows) -> npt.NDArray[np.int8]:
        """Who won each match, int8 [m]: 0 A, 1 B, 2 shared, 3 no result."""
        return WINNERS[rows[:, Column.OUTCOME]]

    def outcomes(self, sums: BlockSums) -> dict[str, int]:
        """Matches by `Outcome`, its name in small letters."""
        return {code.name.lower(): int(sums.outcomes[:, :, code].sum()) for code in Outcome}

    def notes(self, sums: BlockSums, asked: int | None) -> tuple[str, ...]:
        """What a reader must know beside the figures, in sentences."""
        n = self.n_records
        notes = [*self.scenario.warnings]
        notes.append(
            f"These are {n:,} recorded matches, seats as recorded; each is a sample of its own."
            if n != 1
            else "This is one recorded match, seats as recorded."
        )
        unfinished = int(sums.outcomes[:, :, Outcome.UNFINISHED].sum())
        if unfinished:
            notes.append(f"{unfinished:,} of them {'is' if unfinished == 1 else 'are'} not finished, and in no figure.")
        return (*notes, *inexact_note(self.scenario))

    def fault(self, sums: BlockSums) -> None:
        """Nothing was declared that could prove false."""

    def words(self) -> dict[str, Any]:
        """What the manifest says of the two sides."""
        sides: list[dict[str, Any]] = [
            {"name": name, "bot": PEOPLE, "source": None, "values": {}, "file": None} for name in self.sides
        ]
        return {
            "pairing": self.pairing_name,
            "first": sides[0],
            "second": sides[1],
            "pairs_swap": self.pairing.name.lower(),
            "records": self.n_records,
        }


def recorded_plan(source: str | Path | Sequence[Record]) -> RecordedPlan:
    """The plan of recorded matches.

    Parameters
    ----------
    source
        A `.jsonl` file, or records that were read.

    Raises
    ------
    BadInput
        When there is no record, one is malformed or has an illegal order, or they are of different scenarios.
    """
    records = read_records(source) if isinstance(source, str | Path) else list(source)
    if not records:
        file = str(source) if isinstance(source, str | Path) else None
        raise BadInput.of("holds no record; must hold one match a line", file=file)
    first = records[0].scenario.resolved()
    for record in records[1:]:
        if record.scenario.resolved() != first:
            raise BadInput(
                [record.place.problem("scenario", "is not that of the first record; records of one run must share it")]
            )
    return RecordedPlan(records[0].scenario, tuple(play_records(records)))
