"""Edits being played: few matches first, more for those that are open, and what is known of each."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sim.config.errors import BadInput
from sim.running.executors import Executor
from sim.running.parts import Part
from sim.running.runner import SAVE_SECONDS, Interrupted, Progress
from sim.stats.gate import ALPHA, BETA
from sim.stats.goals import GoalResult, GoalVerdict, judge, overall
from sim.store import RunFolder
from sim.studies.sweep_judge import questions_of
from sim.studies.sweep_plan import Cell
from sim.studies.sweep_rows import CellParts, RowStore, stacked
from sim.studies.tune_plan import CONFIRMING, FIRST_SHARE, SEARCHING, TunePlan
from sim.studies.tune_space import Edit

__all__ = ["Tried", "TunePlay", "distance_of"]


@dataclass(frozen=True)
class Tried:
    """An edit and what is known of it.

    Attributes
    ----------
    edit
        The levels of all keys.
    results
        Of every goal in every pairing; empty where it could not be played.
    n_matches
        Played, of all pairings together.
    failure
        Why it cannot be judged, such as no valid scenario or an illegal order; None where it can.
    """

    edit: Edit
    results: tuple[GoalResult, ...] = field(repr=False)
    n_matches: int
    failure: str | None = None

    @property
    def verdict(self) -> GoalVerdict:
        """Of all goals together; what cannot be judged meets none."""
        return GoalVerdict.VIOLATED if self.failure is not None else overall(self.results)

    @property
    def outside(self) -> tuple[GoalResult, ...]:
        """Goals whose figure, as measured, lies outside its band."""
        return tuple(one for one in self.results if distance_of(one) > 0)


def distance_of(one: GoalResult) -> float:
    """How far a figure lies outside its band, in its own unit; 0 inside."""
    value = one.estimate.value
    if value is None:
        return 0.0
    band = one.goal.band
    seen = abs(value) if band.absolute else value
    return max(0.0, band.low - seen, seen - band.high)


class TunePlay:
    """A tuning being played: its rows, what was judged, and the bar."""

    def __init__(self, plan: TunePlan, executor: Executor, folder: RunFolder | None, progress: Progress | None) -> None:
        self.plan = plan
        self.executor = executor
        self.progress = progress
        self.folder = folder
        self.store = RowStore(None if folder is None else folder.path)
        self.keys: dict[str, None] = {}
        self.known: dict[Edit, Tried] = {}
        self.done = 0
        self.wanted = 0
        self.new = 0
        self._cells: dict[tuple[Edit, int], tuple[Cell, ...] | str] = {}
        self._present = self.store.present()
        self._rows: dict[str, CellParts] = {}
        self._saved = time.monotonic()

    # -- looking at edits ---------------------------------------------------------------------------------------------

    def race(self, edits: Sequence[Edit], *, whole: bool = False) -> list[Tried]:
        """Look at edits on the luck of the search: a sixteenth of the matches, doubling for those that are open.

        Parameters
        ----------
        whole
            Play all of the matches of each, whatever is known of it.
        """
        return self._race(edits, SEARCHING, looks=FIRST_SHARE.bit_length(), beta=BETA, whole=whole)

    def confirm(self, edit: Edit, attempt: int) -> Tried:
        """Look at an edit on fresh luck with ten times the matches; it is met only at the last look.

        `attempt` counts confirmations from 1: the chance that one of all is wrong is what it is of a single one.
        """
        beta = BETA / (attempt * (attempt + 1))
        return self._race([edit], CONFIRMING, looks=FIRST_SHARE.bit_length(), beta=beta, last=True)[0]

    def measure(self, edits: Sequence[Edit]) -> list[Tried]:
        """Edits anew on fresh luck, with all of the matches of each."""
        return self._race(edits, CONFIRMING, looks=1, beta=BETA, upto=2)

    def _race(
        self,
        edits: Sequence[Edit],
        namespace: int,
        *,
        looks: int,
        beta: float,
        whole: bool = False,
        last: bool = False,
        upto: int = FIRST_SHARE,
    ) -> list[Tried]:
        """The looks: parts double from 1 to `upto`, or are all played at once."""
        found: dict[Edit, Tried] = {}
        left: list[Edit] = []
        for edit in dict.fromkeys(edits):
            cells = self._of(edit, namespace)
            if isinstance(cells, str):
                found[edit] = Tried(edit, (), 0, cells)
            else:
                left.append(edit)
        n_parts = upto if whole or looks == 1 else 1
        while left:
            self._fill(left, namespace, n_parts)
            ended = n_parts >= upto
            still = []
            for edit, one in zip(left, self._judged(left, namespace, n_parts, looks, beta, last, ended), strict=True):
                found[edit] = one
                self._put_away(one, namespace)
                if one.verdict is GoalVerdict.UNDECIDED and not ended:
                    still.append(edit)
            left = still
            n_parts = min(upto, 2 * n_parts)
        if namespace == SEARCHING:
            self.known |= {edit: one for edit, one in found.items() if self._is_news(one)}
        return [found[edit] for edit in edits]

    def _is_news(self, one: Tried) -> bool:
        before = self.known.get(one.edit)
        return before is None or one.n_matches >= before.n_matches

    def _judged(
        self, edits: Sequence[Edit], namespace: int, n_parts: int, looks: int, beta: float, last: bool, ended: bool
    ) -> Iterator[Tried]:
        """What is known of edits after so many parts."""
        cells = {edit: self._cells[edit, namespace] for edit in edits}
        goals, game = self.plan.goals.goals, self.plan.game
        for edit, those in cells.items():
            questions: list[Any] = []
            n_matches, failure = 0, None
            for cell in those:
                assert isinstance(cell, Cell)
                parts = self._rows[cell.key]
                if parts.errors:
                    failure = failure or parts.errors[min(parts.errors)]
                    continue
                sums = stacked(game, parts, 1 if cell.plan.deterministic else n_parts)
                n_matches += sums.n_matches
                failure = failure or _illegal(cell, sums)
                lacking = [goal.metric for goal in goals if goal.metric not in cell.plan.metrics]
                if lacking:
                    failure = failure or f"it has no figure {lacking[0]}"
                questions += questions_of(cell, sums, goals)
            # A goal counts as met in a confirmation only once all of it is played: then the chance is spent at once.
            spent = (beta if ended else 0.0) if last else beta / looks
            results = judge(questions, alpha=ALPHA / looks, beta=spent) if spent else _violated_only(questions, looks)
            yield Tried(edit, tuple(results), n_matches, failure)

    # -- playing ------------------------------------------------------------------------------------------------------

    def _of(self, edit: Edit, namespace: int) -> tuple[Cell, ...] | str:
        """What is played of an edit, or why it cannot be."""
        if (edit, namespace) not in self._cells:
            try:
                cells: tuple[Cell, ...] | str = self.plan.cells(edit, namespace)
            except BadInput as error:
                cells = f"it is no valid scenario: {'; '.join(one.headline for one in error.problems)}"
            self._cells[edit, namespace] = cells
        return self._cells[edit, namespace]

    def _fill(self, edits: Sequence[Edit], namespace: int, n_parts: int) -> None:
        """Play the parts of these edits that are not there."""
        block_pairs = self.plan.pairs_of_block(namespace)
        keys: dict[str, int] = {}
        parts: list[Part] = []
        for number in range(n_parts):
            for edit in edits:
                for cell in self._cells[edit, namespace]:
                    assert isinstance(cell, Cell)
                    self.keys[cell.key] = None
                    lacks = (cell.key, number) not in self._present
                    if lacks and not (cell.plan.deterministic and number):
                        parts.append(Part(keys.setdefault(cell.key, len(keys)), cell.plan, number, block_pairs))
        self.wanted = self.done + sum(part.n_matches for part in parts)
        self._load(edits, namespace)
        names = list(keys)
        for played in self.executor.play(parts):
            key = names[played.part.cell]
            self.store.add(played, key)
            rows = self._rows.setdefault(key, CellParts())
            if played.error is not None:
                rows.errors[played.part.number] = played.error
            else:
                rows.arrays[played.part.number] = played.sums.as_arrays()
            self._present.add((key, played.part.number))
            self.done += played.part.n_matches
            self.new += 1
            if time.monotonic() - self._saved > SAVE_SECONDS:
                self.store.flush()
                self._saved = time.monotonic()
            if self.progress is not None:
                self.progress(self.done, max(self.wanted, self.done))

    def _load(self, edits: Sequence[Edit], namespace: int) -> None:
        """Have at hand what was played of these edits before."""
        here = {key for key, _ in self._present}
        cells = [cell for edit in edits for cell in self._cells[edit, namespace] if isinstance(cell, Cell)]
        lacking = [cell.key for cell in cells if cell.key not in self._rows and cell.key in here]
        if lacking:
            self._rows |= self.store.cells(lacking)

    def _put_away(self, one: Tried, namespace: int) -> None:
        """Forget the scenario and the rows of an edit that is out; they can be had again."""
        if one.verdict is GoalVerdict.VIOLATED:
            for cell in self._cells.pop((one.edit, namespace)):
                if isinstance(cell, Cell):
                    self._rows.pop(cell.key, None)

    def interrupted(self) -> Interrupted:
        """Keep what is done, and say how far it came."""
        self.store.flush()
        return Interrupted(self.done, max(self.wanted, self.done), None if self.folder is None else self.folder.path)


def _illegal(cell: Cell, sums: Any) -> str | None:
    """Whether a bot gave an illegal order: then no goal counts as met."""
    metric = cell.plan.metrics.get("illegal_orders")
    n = 0 if metric is None else int(metric.measure(sums).total.sum())  # type: ignore[union-attr]
    return f"{cell.plan.pairing_name}: {n:,} matches ended with an illegal order" if n else None


def _violated_only(questions: Sequence[Any], looks: int) -> list[GoalResult]:
    """Goals judged for being violated alone; the others stay open."""
    judged = judge(questions, alpha=ALPHA / looks)
    return [
        one if one.verdict is not GoalVerdict.MET else replace(one, verdict=GoalVerdict.UNDECIDED) for one in judged
    ]
