"""What a game has to offer so that the machinery can play, keep, continue, verify, compare and report it.

The machinery (`sim.running`, `sim.store`, `sim.reading`, `sim.api`, the commands, the studies) knows a game by these
three promises only, and names none of its columns. A unit of sampling is called a pair: it holds `n_swaps` matches.
Match m is match `m % n_swaps` of pair `m // n_swaps`, and pair p lies in block `p % n_blocks`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

from sim.running.chunks import Chunk, Rows
from sim.stats.figures import Estimate, Int64s, MetricDefinition

if TYPE_CHECKING:
    import pyarrow as pa

    from sim.running.result import Run

__all__ = ["Game", "PairScored", "Plan", "Sums"]


class Sums(Protocol):
    """Integer sums of played matches, block by block: all that any figure is computed from.

    Integers add up exactly, so that the order in which chunks were played and added leaves no trace.
    """

    @property
    def pairs(self) -> Int64s:
        """Pairs played, shape (B,)."""

    @property
    def not_by_block(self) -> frozenset[str]:
        """Which of `as_arrays` hold for all blocks; the first axis of the others is the block."""

    @property
    def n_blocks(self) -> int:
        """Number of blocks, empty ones included."""

    @property
    def n_pairs(self) -> int:
        """Pairs played."""

    @property
    def n_matches(self) -> int:
        """Matches played."""

    def __add__(self, other: Self) -> Self:
        """Sums of both parts, block by block; ValueError when they do not fit together."""

    def validate(self) -> None:
        """Check that all that was played is counted once and in agreement; ValueError with the first that is not."""

    def as_arrays(self) -> dict[str, Int64s]:
        """Plain int64 arrays by name; `Game.sums_from_arrays` reads them back."""

    def same_block(self, other: Self, block: int) -> bool:
        """Whether one block holds the same in both, to the last integer."""


@runtime_checkable
class Plan(Protocol):
    """What is to be played: a scenario, what plays it, and from which seed.

    Plans are frozen dataclasses, so that `dataclasses.replace(plan, namespace=3)` plays the same with other luck, and
    `replace(plan, scenario=other)` another scenario with the same luck. They can be pickled
    (`sim.running.plan.made_of`), so that other processes play them; BadInput says so of one that cannot.
    """

    @property
    def scenario(self) -> Any:
        """The scenario, of the game's own kind (`AnyScenario`)."""

    @property
    def seed(self) -> int:
        """Seed of the random streams."""

    @property
    def namespace(self) -> int:
        """Namespace of the random streams."""

    @property
    def sides(self) -> tuple[str, str]:
        """Names of what is pitted against each other; the second is empty where there is only one side."""

    @property
    def pairing_name(self) -> str:
        """What is written into every estimate."""

    @property
    def n_swaps(self) -> int:
        """Matches of a pair."""

    @property
    def deterministic(self) -> bool:
        """Whether nothing is drawn, so that there is but one different pair."""

    @property
    def most_pairs(self) -> int:
        """Pairs that may be played before a sum could leave int64."""

    @property
    def metrics(self) -> Mapping[str, MetricDefinition]:
        """Every figure by its core name, in the order in which they are listed."""

    @property
    def limits(self) -> Mapping[str, float]:
        """The largest values that a match's figures could take, by the keys that their bounds name."""

    @property
    def watched(self) -> tuple[str, ...]:
        """Figures that a half-width is asked of; all of one unit."""

    def n_pairs(self, matches: int) -> int:
        """Pairs that hold at least so many matches; 1 where there is but one different pair."""

    def n_blocks(self, n_pairs: int) -> int:
        """Blocks that so many pairs are spread over."""

    def identity(self, amount: Mapping[str, Any]) -> dict[str, Any]:
        """What decides the outcome, byte for byte; `amount` says how many matches are asked for."""

    def digest(self, amount: Mapping[str, Any]) -> str:
        """Sha256 (hex) of `identity`."""

    def compile(self) -> None:
        """Compile what is compiled late, so that a rate that is measured afterwards is of playing."""

    def new_bench(self) -> Any:
        """What one thread plays on, used again for every chunk."""

    def play_rows(self, chunk: Chunk, bench: Any = None) -> Rows:
        """Play a chunk: one row a match, int32, of whole pairs in order.

        Raises
        ------
        BadInput
            When what plays raised an exception.
        RuntimeError
            When the kernel left a row unwritten.
        """

    def sum_rows(self, chunk: Chunk, rows: Rows, n_blocks: int) -> Any:
        """The sums of a chunk's rows (`Sums`); what a row cannot know of the others of its pair is marked in `rows`."""

    def empty_sums(self, n_blocks: int) -> Any:
        """Sums of no match at all (`Sums`): what a chunk is added to."""

    def summarise(self, sums: Any, *, level: float = 0.95, metrics: Iterable[str] | None = None) -> list[Estimate]:
        """Estimate figures from this plan's sums; None: all of them, in their order."""

    def row_table(self, first_pair: int, rows: Rows) -> pa.Table:
        """Rows of the pairs from `first_pair` on as a table in words, with columns `match` and `pair`.

        The schema's metadata carry the scenario's digest and the seed.
        """

    def outcomes(self, sums: Any) -> dict[str, int]:
        """How the matches ended: every one that was played is counted once."""

    def notes(self, sums: Any, asked: int | None) -> tuple[str, ...]:
        """What a reader must know beside the figures, in sentences; `asked` is None when a half-width decided."""

    def fault(self, sums: Any) -> str | None:
        """Why what was played cannot be kept, such as a declaration that proved false; None when nothing is wrong."""

    def words(self) -> dict[str, Any]:
        """What the manifest says of who plays; `Game.plan_of` reads it."""


@runtime_checkable
class PairScored(Protocol):
    """A plan whose pairs have five outcomes, as chess testing counts them; a game that has none leaves this out."""

    def pair_scores(self, sums: Any) -> Int64s | None:
        """Pairs by four times the first side's mean score, shape (5,); None where the sides are equal."""


class Game(Protocol):
    """A game that the tool plays."""

    @property
    def name(self) -> str:
        """The word after `game:`."""

    @property
    def rules_version(self) -> str:
        """Changes only when the behaviour of the game changes."""

    def make_plan(self, scenario: Any, *, bots: Sequence[Any] | str | None, seed: int | None) -> Plan:
        """What `run` plays; BadInput when the bots or the seed are not usable."""

    def plan_of(self, run: Run) -> Plan:
        """The plan that a run played, with its bots as they are now; BadInput when one is gone or has changed."""

    def metrics(self, scenario: Any) -> Mapping[str, MetricDefinition]:
        """Every figure of a scenario by its core name."""

    def sums_from_arrays(self, *parts: Mapping[str, Int64s]) -> Any:
        """Sums (`Sums`) as `Sums.as_arrays` gave them, validated; ValueError when they do not add up.

        Several parts have blocks of their own: they follow each other.
        """

    def manifest_damage(self, manifest: Mapping[str, Any], sums: Any) -> str | None:
        """What is wrong with the game's own part of a manifest (`Plan.words` and `Plan.outcomes`), or None."""

    def sides(self, manifest: Mapping[str, Any]) -> tuple[str, str]:
        """`Plan.sides` of the plan whose manifest this is."""

    def failure(self, run: Run) -> str | None:
        """Why a finished run is a failure (exit code 1), or None."""

    def write_report(self, run: Run, folder: Path, *, value: Path | None = None) -> list[Path]:
        """Write tables, figures and `report.html`; the same run gives the same bytes.

        `value` is the folder of a value study on the same scenario, to be in the report too; BadInput when it is none.
        """

    def print_summary(self, run: Run, console: Any) -> None:
        """Print what a run says, in 80 columns."""
