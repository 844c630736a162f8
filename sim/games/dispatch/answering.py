"""The plan of an answer: a bot against an opponent that knows it, or believes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kernels.codes import Column, Pairing
from kernels.dispatch.answers import MEMO_SLOTS, answer_memory, fill_answer_rows
from kernels.random import new_streams
from sim.games.dispatch.plan import DispatchPlan
from sim.games.dispatch.players import player_words
from sim.games.dispatch.playing import Bench, checked_rows
from sim.running.chunks import Chunk, Rows
from sim.stats.metrics import Certainty
from sim.stats.sums import BlockSums

__all__ = ["AnswerBench", "AnswerPlan"]


class AnswerBench(Bench):
    """What one thread plays on: also a stream for the model, and what states were found to be worth."""

    def __init__(self) -> None:
        super().__init__()
        self.streams = new_streams(3)
        self.memo = np.zeros((2, MEMO_SLOTS), np.int64)


@dataclass(frozen=True)
class AnswerPlan(DispatchPlan):
    """A bot, `second`, against one answer to it; `first` is the model: who the answer believes to meet.

    The answer sits in seat A, and in the second match of a pair in seat B.

    Attributes
    ----------
    kind
        Of the answer.
    values
        All of `kernels.dispatch.answers.ANSWER_PARAMS`.
    """

    kind: str = ""
    values: Mapping[str, float] = field(default_factory=dict)

    @property
    def pairing_name(self) -> str:
        """`answer vs bot`."""
        return f"{self.kind} vs {self.second.name}"

    @property
    def sides(self) -> tuple[str, str]:
        """The answer and the bot."""
        return self.kind, self.second.name

    @property
    def deterministic(self) -> bool:
        """Whether the bot draws nothing; no answer does."""
        return self.second.draws_nothing

    @property
    def pairing(self) -> Pairing:
        """The seats are swapped, also where the answer knows the bot itself."""
        return Pairing.SEATS

    @property
    def certainty(self) -> Certainty:
        """What is known before a match is played."""
        return Certainty(deterministic=self.deterministic)

    @cached_property
    def answer_memory(self) -> npt.NDArray[np.float64]:
        """What the answer gets as parameters."""
        memory: npt.NDArray[np.float64] = answer_memory(self.rules, self.values)
        return memory

    def identity(self, amount: Mapping[str, Any]) -> dict[str, Any]:
        """What decides the outcome, byte for byte."""
        return {**super().identity(amount), "answer": self.kind, "answer_values": dict(self.values)}

    def compile(self) -> None:
        """Compile the bot, the model, and how it tells its mix."""
        super().compile()
        _ = self.first.bot.compiled_mix

    def new_bench(self) -> AnswerBench:
        """The state of a match, its streams and one beside it, and a memory of states."""
        return AnswerBench()

    def play_rows(self, chunk: Chunk, bench: Bench | None = None) -> Rows:
        """Play a chunk: one row a match, int32 [m, k], k a `kernels.codes.Column`; raises as any plan's does."""
        own = bench if isinstance(bench, AnswerBench) else AnswerBench()

        def fill(rows: Rows) -> None:
            fill_answer_rows(
                self.rules,
                own.state,
                own.streams,
                self.second.bot.compiled,
                self.second_memory,
                self.first.bot.compiled,
                self.first.bot.compiled_mix,
                self.first_memory,
                self.answer_memory,
                self.seed,
                self.namespace,
                chunk.first_pair,
                chunk.stride,
                chunk.n_pairs,
                own.memo,
                rows,
            )

        return checked_rows(self, chunk, fill)

    def fault(self, sums: BlockSums) -> str | None:
        """What is wrong with a bot that was declared to draw nothing; it sits in seat B, then in seat A."""
        drawn = int(sums.sums[:, 0, Column.DRAWS_B].sum() + sums.sums[:, 1, Column.DRAWS_A].sum())
        if drawn and self.second.draws_nothing:
            return f"bot {self.second.bot.name} declares that it draws nothing, but took {drawn:,} draws"
        return None

    def words(self) -> dict[str, Any]:
        """What the manifest says of the answer and of whom it meets."""
        return {
            "kind": self.kind,
            "model": player_words(self.first),
            "bot": player_words(self.second),
            "values": dict(self.values),
        }
