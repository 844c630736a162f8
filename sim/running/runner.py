"""`run`: play a plan until the count or the precision asked for, and keep it."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kernels.random import RNG_SCHEME
from sim.config.errors import BadInput
from sim.files import told, write_json
from sim.games import game_of
from sim.games.game import Plan
from sim.running.chunks import Chunk, Rows
from sim.running.engine import play_pairs
from sim.running.ledger import Ledger
from sim.running.provenance import provenance
from sim.running.result import Run
from sim.stats.precision import is_precise, plan_looks
from sim.store import MANIFEST_SCHEMA, RunFolder

__all__ = [
    "CAP",
    "DEFAULT_MATCHES",
    "FIRST_LOOK",
    "MAX_MATCHES",
    "Amount",
    "Interrupted",
    "play",
    "threads_here",
    "unit_watched",
]

DEFAULT_MATCHES = 100_000
FIRST_LOOK = 16_384
"""Matches before a half-width is first looked at."""

CAP = 134_217_728
"""Most matches that a half-width may take when no number is named."""

MAX_MATCHES = 2**53
"""Most matches of a run: their numbers are exact wherever they are read."""

LEVEL = 0.95
SAVE_SECONDS = 5.0

Progress = Callable[[int, int], None]


class Interrupted(Exception):
    """The run was stopped from the keyboard; what was finished is kept in `folder`, if there is one."""

    def __init__(self, done: int, wanted: int, folder: Path | None) -> None:
        super().__init__(f"interrupted after {done:,} of {wanted:,} matches")
        self.done = done
        self.wanted = wanted
        self.folder = folder


class Amount:
    """How much is to be played: a number of matches, or a half-width with a cap.

    `unit` is that of the half-width, as of the figures that the plan watches (`unit_watched`).
    """

    def __init__(self, matches: int | None = None, half_width: float | None = None, unit: str = "share") -> None:
        if half_width is not None and unit == "share" and not 0 < half_width < 1:
            raise BadInput.of(f"half-width is {half_width}; must be above 0 and below 1 (0.002 is 0.2 pp)")
        if half_width is not None and not (half_width > 0 and math.isfinite(half_width)):
            raise BadInput.of(f"half-width is {half_width}; must be above 0 {unit}")
        if matches is not None and (
            isinstance(matches, bool) or not isinstance(matches, int) or not 1 <= matches <= MAX_MATCHES
        ):
            raise BadInput.of(f"matches is {matches!r}; must be a whole number from 1 to {MAX_MATCHES}")
        self.half_width = half_width
        self.matches = matches if matches is not None else (DEFAULT_MATCHES if half_width is None else CAP)

    @property
    def identity(self) -> dict[str, Any]:
        """What of it decides the outcome."""
        if self.half_width is None:
            return {"matches": self.matches}
        return {"half_width": self.half_width, "cap": self.matches}

    def looks(self, plan: Plan) -> tuple[tuple[int, ...], float]:
        """Pairs at each look, and the level of the intervals there."""
        if self.half_width is None or plan.deterministic or self.matches < 2:
            return (plan.n_pairs(self.matches),), LEVEL
        looks = plan_looks(min(FIRST_LOOK, self.matches), self.matches, LEVEL)
        return tuple(plan.n_pairs(matches) for matches in looks.matches), looks.level


def unit_watched(plan: Plan) -> str:
    """Unit of the figures that a half-width is asked of."""
    return plan.metrics[plan.watched[0]].unit


def threads_here(threads: int | None) -> int:
    """Threads to use: those asked for, or one for each core that this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= 1024:
        raise BadInput.of(f"threads is {threads!r}; must be a whole number from 1 to 1024")
    return threads


def play(
    plan: Plan,
    amount: Amount,
    *,
    threads: int | None = None,
    chunk_pairs: int | None = None,
    folder: RunFolder | None = None,
    progress: Progress | None = None,
    command: Sequence[str] = (),
) -> Run:
    """Play a plan and keep it in `folder`, which this process holds; continue what is unfinished there.

    Parameters
    ----------
    progress
        Called with the matches done and the matches wanted, between chunks.
    command
        Words of the command line that led here, for the manifest.

    Returns
    -------
    Run
        Its `manifest["precise"]` says whether a half-width was reached; None where none was asked for.

    Raises
    ------
    Interrupted
        From the keyboard; the folder holds what was done.
    BadInput
        When the folder cannot be written, or what plays is at fault: a bot raises, or draws though it declared that it
        does not.
    """
    game = game_of(plan.scenario)
    plan.compile()  # here, so that the rate below is of playing
    started = datetime.now(UTC)
    clock = time.perf_counter()
    n_threads = threads_here(threads)
    looks, level = amount.looks(plan)
    if looks[-1] > plan.most_pairs:
        most = plan.most_pairs * plan.n_swaps
        raise BadInput.of(
            f"matches is {amount.matches}; must be at most {most} on this scenario, since the exact sums of more would "
            "not fit 64 bits"
        )
    digest = plan.digest(amount.identity)
    ledger: Ledger[Any] | None = None
    if folder is not None and folder.state == "unfinished":
        ledger = folder.saved(game.sums_from_arrays)
    if ledger is None:
        ledger = Ledger(plan.empty_sums(plan.n_blocks(looks[0])), [])
    if folder is not None:
        folder.parts.drop_outside(ledger.spans if folder.with_matches else ())
        folder.save(ledger)
    resumed = ledger.n_pairs
    scenario_digest = plan.scenario.digest
    saved = time.monotonic()

    def on_rows(chunk: Chunk, rows: Rows) -> None:
        if folder is not None:
            table = plan.row_table(chunk.first_pair, rows)
            folder.parts.write(chunk.first_pair, chunk.first_pair + chunk.n_pairs, table)

    def on_chunk(now: Ledger[Any]) -> None:
        nonlocal saved
        if progress is not None:
            progress(now.n_pairs * plan.n_swaps, n_pairs * plan.n_swaps)
        if folder is not None and time.monotonic() - saved > SAVE_SECONDS:
            folder.save(now)
            saved = time.monotonic()

    precise: bool | None = None
    with _interruptible(plan, looks, ledger, folder):
        for n_pairs in looks:
            if ledger.reach > n_pairs:
                # Before an interruption this look was taken, and did not end the run. What has been played since would
                # be seen at a number of matches that depends on when that was.
                continue
            play_pairs(
                plan,
                ledger,
                n_pairs,
                threads=n_threads,
                chunk_pairs=chunk_pairs,
                on_chunk=on_chunk,
                on_rows=on_rows if folder is not None and folder.with_matches else None,
            )
            estimates = plan.summarise(ledger.sums, level=level)
            if amount.half_width is not None:
                precise = is_precise(estimates, amount.half_width, plan.watched)
                if precise:
                    break
        sums = ledger.sums
        sums.validate()
        wrong = plan.fault(sums)
        if wrong is not None:
            if folder is not None:
                folder.clear()
            raise BadInput.of(wrong)
        seconds = time.perf_counter() - clock
        played = sums.n_matches
        asked = amount.matches if amount.half_width is None else None
        notes = plan.notes(sums, asked)
        manifest = {
            "schema": MANIFEST_SCHEMA,
            "game": plan.scenario.game,
            "digest": digest,
            "command": list(command),
            "scenario": plan.scenario.resolved(),
            "scenario_digest": scenario_digest,
            **plan.words(),
            "seed": plan.seed,
            "namespace": plan.namespace,
            "rng_scheme": RNG_SCHEME,
            "amount": amount.identity,
            "precise": precise,
            "level": level,
            "matches_asked": asked,
            "matches_played": played,
            "outcomes": plan.outcomes(sums),
            "n_blocks": sums.n_blocks,
            **provenance(game.rules_version),
            "threads": n_threads,
            "started": started.isoformat(timespec="seconds"),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": round(seconds, 3),
            "matches_per_second": round((played - resumed * plan.n_swaps) / seconds),
            "continued_after": resumed * plan.n_swaps,
            "matches_kept": folder is not None and folder.with_matches,
            "notes": list(notes),
        }
        run = Run(
            scenario=plan.scenario,
            first=plan.sides[0],
            second=plan.sides[1],
            sums=sums,
            estimates=tuple(estimates),
            manifest=manifest,
            notes=notes,
            folder=None if folder is None else folder.path,
        )
        if folder is not None:
            folder.save(ledger)  # so that nothing is played again if writing the rest is cut short
            _keep(run, folder)
    return run


def _keep(run: Run, folder: RunFolder) -> None:
    """Write the finished run; the manifest last, since it is what says that the rest is there."""
    if folder.with_matches:
        folder.parts.join(run.sums.n_matches)
    folder.write_sums(run.sums)
    with told(folder.path):
        write_json(folder.path / "summary.json", run.summary())
        game_of(run.scenario).write_report(run, folder.path)
        write_json(folder.path / "manifest.json", run.manifest)
    folder.clear_unfinished()


@contextmanager
def _interruptible(plan: Plan, looks: Sequence[int], ledger: Ledger[Any], folder: RunFolder | None) -> Iterator[None]:
    """Keep what is done when the keyboard interrupts, whatever was going on then; of nothing done leave nothing."""
    try:
        yield
    except BadInput:
        if folder is not None and not ledger.spans:
            folder.clear_unfinished()
        raise
    except KeyboardInterrupt:
        if folder is not None:
            folder.save(ledger)
        wanted = next((n_pairs for n_pairs in looks if n_pairs >= ledger.reach), looks[-1])
        path = None if folder is None else folder.path
        raise Interrupted(ledger.n_pairs * plan.n_swaps, wanted * plan.n_swaps, path) from None
