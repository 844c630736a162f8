"""Several plans played one after the other: one bar for all, and nothing lost when the keyboard interrupts."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from sim.config.errors import BadInput
from sim.games.game import Plan
from sim.running.engine import play_pairs
from sim.running.ledger import Ledger
from sim.running.runner import SAVE_SECONDS, Progress

__all__ = ["Playing"]


class Playing:
    """What a study plays: plan after plan, each with a ledger of its own.

    Parameters
    ----------
    wanted
        Matches of the whole study, for the bar.
    threads
        Matches are played by so many; figures do not depend on it.
    save
        Keeps what is done; called now and then, and by whoever catches an interruption.
    progress
        Called with the matches done and the matches wanted.
    chunk_pairs
        Pairs of a chunk; None: as many as take a tenth of a second.

    Attributes
    ----------
    finished, now
        Matches of the plans that are done, and of the one at hand.
    faulty
        What was played cannot be kept (`Plan.fault`).
    """

    def __init__(
        self,
        wanted: int,
        threads: int,
        save: Callable[[], None],
        progress: Progress | None = None,
        chunk_pairs: int | None = None,
    ) -> None:
        self.wanted = wanted
        self.threads = threads
        self.save = save
        self.progress = progress
        self.chunk_pairs = chunk_pairs
        self.finished = 0
        self.now = 0
        self.faulty = False
        self._saved = time.monotonic()

    @property
    def done(self) -> int:
        """Matches done, those of the plan at hand included."""
        return self.finished + self.now

    def play(self, plan: Plan, ledger: Ledger[Any], n_pairs: int, on_rows: Callable[..., None] | None = None) -> None:
        """Bring a ledger up to so many pairs.

        Raises
        ------
        BadInput
            When a bot raises, or draws although it declared that it does not.
        KeyboardInterrupt
            After the chunks in flight were entered.
        """

        def on_chunk(now: Ledger[Any]) -> None:
            self.now = now.n_pairs * plan.n_swaps
            if self.progress is not None:
                self.progress(self.done, max(self.wanted, self.done))
            if time.monotonic() - self._saved > SAVE_SECONDS:
                self.keep()

        try:
            play_pairs(
                plan,
                ledger,
                n_pairs,
                threads=self.threads,
                chunk_pairs=self.chunk_pairs,
                on_chunk=on_chunk,
                on_rows=on_rows,
            )
        finally:
            self.now = ledger.n_pairs * plan.n_swaps
        ledger.sums.validate()
        wrong = plan.fault(ledger.sums)
        if wrong is not None:
            self.faulty = True
            raise BadInput.of(wrong)
        self.finished += ledger.n_pairs * plan.n_swaps
        self.now = 0

    def keep(self) -> None:
        """Keep what is done."""
        self.save()
        self._saved = time.monotonic()
