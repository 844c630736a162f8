"""`sweep`: cells of turned keys on the same luck; what is missing of them is played, what is there is kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kernels.random import RNG_SCHEME
from sim.collecting import seldom_collected
from sim.config.errors import BadInput
from sim.config.key_units import unit_of_key
from sim.files import read_of_schema, told, write_atomically, write_json
from sim.parquet import parquet_bytes
from sim.running.executors import Executor, executor_of
from sim.running.parts import PART_BLOCKS, Played
from sim.running.progress import bar
from sim.running.provenance import provenance
from sim.running.runner import LEVEL, SAVE_SECONDS, Interrupted, Progress
from sim.stats.goals import GoalResult
from sim.stats.looking import LOOKS
from sim.store import MANIFEST_SCHEMA, RunFolder
from sim.studies.sweep_focus import Focus
from sim.studies.sweep_judge import JudgedMeanwhile, cell_results, inert_keys
from sim.studies.sweep_pick import Picking
from sim.studies.sweep_plan import STUDY, SweepPlan, make_sweep_plan
from sim.studies.sweep_result import CELLS_FILE, SWEEP_SCHEMA, CellResult, Sweep
from sim.studies.sweep_rows import CellParts, RowStore
from sim.studies.sweep_screen import key_effects, screen_notes
from sim.studies.sweep_steps import stepped_cells, steps_of

__all__ = ["RESULT", "Shard", "block_pairs_in", "play_sweep", "sweep"]

RESULT = "sweep.json"
_SETUP = "blocks.json"
"""Pairs of a block, written before the first is played."""

Shard = tuple[int, int]
"""Number, from 1, and how many there are."""


@seldom_collected()
def sweep(
    file: str | Path,
    *,
    matches: int | None = None,
    threads: int | None = None,
    processes: int | None = None,
    cluster: str | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    progress: bool = False,
) -> Sweep:
    """Turn keys of a scenario, and say what each combination does.

    Parameters
    ----------
    file
        The sweep file.
    matches
        Of each cell, instead of the file's. More than `out` holds are played in addition with `resume`.
    threads, processes, cluster
        Who plays: so many threads, one for each core when nothing is given; so many processes of this machine; or the
        workers of a Dask scheduler, by its address, ``local`` for a cluster on this machine. Figures and block rows do
        not depend on it.
    out
        A folder to write; None writes nothing.
    resume
        Go on with what `out` holds.
    progress
        Show a bar.

    Raises
    ------
    BadInput
        When something given is not usable; nothing is lost then.
    sim.running.runner.Interrupted
        From the keyboard; with `out` and `resume`, the same call continues.
    """
    path = None if out is None else Path(out)
    executor = executor_of(threads, processes, cluster)
    plan = make_sweep_plan(file, matches=matches, block_pairs=None if path is None else block_pairs_in(path))
    showing: AbstractContextManager[Callable[[int, int], None] | None] = bar() if progress else nullcontext()
    with showing as show:
        if path is None:
            found = play_sweep(plan, executor=executor, progress=show)
        else:
            with RunFolder(path, plan.digest) as folder:
                found = play_sweep(
                    plan, executor=executor, folder=folder, resume=resume, progress=show, command=("sim.sweep",)
                )
    assert found is not None
    return found


def block_pairs_in(path: Path) -> int | None:
    """Pairs of a block of the sweep that a folder holds; None where it holds none."""
    file = path / _SETUP
    if not file.exists():
        return None
    found = read_of_schema(file, SWEEP_SCHEMA).get("block_pairs")
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        raise BadInput.of(f"{file} is damaged: block_pairs is {found!r}; must be a whole number, 1 or more")
    return found


def play_sweep(
    plan: SweepPlan,
    *,
    executor: Executor | None = None,
    folder: RunFolder | None = None,
    resume: bool = False,
    shard: Shard | None = None,
    merge: Sequence[Path] = (),
    progress: Progress | None = None,
    command: Sequence[str] = (),
) -> Sweep | None:
    """Play what is missing of a sweep and keep it in `folder`, which this process holds.

    Parameters
    ----------
    executor
        Who plays; None: one thread for each core.
    resume
        Whether what is there of it may be gone on with.
    shard
        Play only the cells of this shard; nothing is said of them then.
    merge
        Folders of shards, whose rows are taken along.

    Returns
    -------
    Sweep or None
        None of a shard.

    Raises
    ------
    Interrupted
        From the keyboard; the folder holds what was done.
    BadInput
        When the folder holds a part of the sweep and `resume` is not set, or it cannot be written.
    """
    started, clock = datetime.now(UTC), time.perf_counter()
    if shard is not None and folder is not None and folder.state == "complete":
        raise BadInput.of(f"{folder.path} holds the whole sweep; a shard of it needs a folder of its own")
    with executor or executor_of() as workers:
        workers.check(cell.plan for cell in plan.cells)
        play = _Play(plan, workers, folder, progress)
        play.open(resume, merge)
        try:
            if shard is not None:
                play.fill(_shard(plan, shard))
                return None
            taken, goals = play.all()
        except KeyboardInterrupt:
            path = None if folder is None else folder.path
            raise Interrupted(play.done, max(play.wanted, play.done), path) from None
        finally:
            play.store.flush()
    keys = [cell.key for cell in plan.cells]
    # Rows are put in order while figures are drawn.
    with play.store.compacting(keys) as rows_are_there:
        found = _concluded(play, taken, goals, command, started, clock)
        if folder is not None:
            _keep(found, folder, rows_are_there)
    return found


def _concluded(
    play: _Play,
    taken: list[int],
    goals: dict[int, tuple[GoalResult, ...]] | None,
    command: Sequence[str],
    started: datetime,
    clock: float,
) -> Sweep:
    """What is said of all that was played."""
    plan = play.plan
    parts = play.store.cells([cell.key for cell in plan.cells])
    # Those of the steps may be at hand still; reading the others again waits until they lie in order.
    of_steps = play.kept if {plan.cells[number].key for number in stepped_cells(plan)} <= set(play.kept) else parts
    cells = cell_results(plan, parts, taken, goals, play.judged)
    n_matches = sum(cell.n_matches for cell in cells)
    pick = play.choosing.result(parts, n_matches) if isinstance(play.choosing, Picking) else None
    fresh = 0 if pick is None else sum(one.n_matches for one in pick.finalists)
    spec = plan.spec
    notes = _notes(plan, cells)
    manifest = {
        "schema": MANIFEST_SCHEMA,
        "study": STUDY,
        "game": spec.scenario.game,
        "digest": plan.digest,
        "command": list(command),
        "scenario": spec.scenario.resolved(),
        "scenario_digest": spec.scenario.digest,
        "design": spec.read.design,
        "seed": spec.read.seed,
        "namespaces": sorted({plan.namespace(number) for number in range(max(taken))} | ({1} if fresh else set())),
        "rng_scheme": RNG_SCHEME,
        "level": LEVEL,
        "matches_asked": plan.matches,
        "matches_played": n_matches + fresh,
        "block_pairs": plan.block_pairs,
        **provenance(plan.game.rules_version),
        "played_by": play.executor.words,
        "started": started.isoformat(timespec="seconds"),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(time.perf_counter() - clock, 3),
        "notes": list(notes),
    }
    return Sweep(
        spec.scenario.name,
        {key: levels.values for key, levels in spec.read.keys.items()},
        cells,
        {name: metric.unit for cell in plan.cells for name, metric in cell.plan.metrics.items()},
        inert_keys(list(spec.read.keys), cells),
        manifest,
        notes,
        None if play.folder is None else play.folder.path,
        screen=key_effects(plan, parts),
        pick=pick,
        steps=steps_of(plan, of_steps, taken, cells),
        key_units={key: unit_of_key(spec.scenario, key) for key in spec.read.keys},
    )


class _Play:
    """A sweep being played."""

    def __init__(
        self, plan: SweepPlan, executor: Executor, folder: RunFolder | None, progress: Progress | None
    ) -> None:
        self.plan = plan
        self.executor = executor
        self.folder = folder
        self.progress = progress
        self.store = RowStore(None if folder is None else folder.path)
        self.choosing = Focus(plan) if plan.focused else Picking(plan) if plan.picks else None
        self.judged: dict[int, CellResult] = {}
        self.kept: dict[str, CellParts] = {}
        self.done = 0
        self.wanted = 0
        self._saved = time.monotonic()

    def open(self, resume: bool, merge: Sequence[Path]) -> None:
        """Look at what is there; write first whose the rest is."""
        for path in merge:
            self.store.take_from(path, [cell.key for cell in self.plan.cells])
        if self.folder is None:
            return
        folder = self.folder
        if folder.state != "new" and not resume and self.lacks():
            raise BadInput.of(f"{folder.path} holds a part of this sweep; --resume goes on with it")
        folder.claim()
        with told(folder.path):
            write_json(folder.path / _SETUP, {"schema": SWEEP_SCHEMA, "block_pairs": self.plan.block_pairs})
        self.store.flush()

    def lacks(self) -> bool:
        """Whether a part is missing that is surely wanted."""
        here = self.store.present()
        counts = [1] * len(self.plan.cells) if self.choosing is not None else self.counts()
        return any(
            (cell.key, part) not in here for cell, n in zip(self.plan.cells, counts, strict=True) for part in range(n)
        )

    def counts(self) -> list[int]:
        """Parts of each cell, where all get alike."""
        return [self.plan.n_parts(number) for number in range(len(self.plan.cells))]

    def all(self) -> tuple[list[int], dict[int, tuple[GoalResult, ...]] | None]:
        """Play all cells; gives the parts of each that count, and the verdicts that were reached on the way."""
        if self.choosing is None:
            counts = self.counts()
            # Cell by cell, the reference first: then the others can be judged while the next are played.
            order = sorted(range(len(counts)), key=lambda cell: (cell != self.plan.reference, cell))
            begun = {key for key, _ in self.store.present()}
            whole = [number for number in order if self.plan.cells[number].key not in begun]
            meanwhile = JudgedMeanwhile(self.plan, counts, whole, stepped_cells(self.plan))
            self.fill([(cell, part) for cell in order for part in range(counts[cell])], meanwhile.add)
            self.judged, self.kept = meanwhile.results, meanwhile.kept
            return counts, None
        keys = [cell.key for cell in self.plan.cells]
        for parts in self.choosing.rounds():
            self.fill(parts)
            self.choosing.judge(self.store.cells(keys))
        return self.choosing.counted, self.choosing.verdicts

    def fill(self, wanted: Sequence[tuple[int, int]], tell: Callable[[Played], None] | None = None) -> None:
        """Play those of these parts, (cell, number), that are not there; `tell` gets each as it is done."""
        here, plan = self.store.present(), self.plan
        parts = [plan.part(cell, number) for cell, number in wanted]
        todo = [part for part in parts if (plan.cells[part.cell].key, part.number) not in here]
        self.wanted += sum(part.n_matches for part in parts)
        self.done += sum(part.n_matches for part in parts) - sum(part.n_matches for part in todo)

        for number, played in enumerate(self.executor.play(todo)):
            if number == 0 and self.folder is not None:
                from sim.reports.sweep_page import get_ready

                get_ready()  # The workers have parts enough meanwhile; when all is played, they would stand still.
            self.store.add(played, plan.cells[played.part.cell].key)
            self.done += played.part.n_matches
            if time.monotonic() - self._saved > SAVE_SECONDS:
                self.store.flush()
                self._saved = time.monotonic()
            if self.progress is not None:
                self.progress(self.done, self.wanted)
            if tell is not None:
                tell(played)


def _shard(plan: SweepPlan, shard: Shard) -> list[tuple[int, int]]:
    number, count = shard
    if plan.focused or plan.picks:
        what = plan.spec.read.design if plan.focused else f"pick: {plan.spec.read.pick}"
        raise BadInput.of(f"--shard is {number}/{count}; must be left out with {what}, whose rounds need all cells")
    return [
        (cell, part)
        for cell in range(len(plan.cells))
        if cell % count == number - 1
        for part in range(plan.n_parts(cell))
    ]


def _notes(plan: SweepPlan, cells: Sequence[Any]) -> tuple[str, ...]:
    """Sentences that a reader must know beside the figures."""
    spec = plan.spec
    notes = [f"{spec.scenario.name}: {warning}" for warning in spec.scenario.warnings]
    played = max((cell.n_matches for cell in cells), default=0)
    if not (plan.focused or plan.picks) and played > plan.matches:
        notes.append(
            f"{plan.matches:,} matches a cell were asked for; {played:,} are the next whole number of parts, of "
            f"{PART_BLOCKS} blocks each."
        )
    notes += screen_notes(plan)
    points = spec.read.cells or 0
    if points > len(plan.cells):
        notes.append(f"Of {points} points some coincide, so that there are {len(plan.cells)} different cells.")
    exact = sum(cell.plan.deterministic for cell in plan.cells)
    if exact:
        notes.append(f"In {exact} of {len(plan.cells)} cells nothing is left to chance: there is one different pair.")
    if spec.goals is not None:
        if spec.goals.dominated is not None:
            notes.append(f"{spec.goals.dominated.text} is not judged, since that takes a tournament in every cell.")
        if spec.goals.bots is not None:
            notes.append("Goals are judged with the bots of the sweep, whatever bots their file names.")
    if plan.focused:
        share = sum(cell.n_matches for cell in cells) / plan.matches_asked
        notes.append(
            "Matches went to the cells of which it was open whether they meet all goals, "
            f"{100 * share:.1f}% of what all cells alike would get, in up to {LOOKS} looks over which the chances of "
            "error are spread. A cell that misses one goal got no more: its other goals may be left undecided."
        )
    if plan.focused or plan.picks:
        notes.append(
            "The change of a cell is from the reference over the cell's own matches, and may differ from the "
            "difference of the two figures shown."
        )
    counted = [(cell.number, cell.estimates.get("illegal_orders")) for cell in cells]
    illegal = [number for number, one in counted if one is not None and one.value]
    if illegal:
        first = cells[illegal[0]].label
        notes.append(
            f"A bot gave illegal orders in {len(illegal)} of {len(cells)} cells, first in {first}; their pairs do not "
            "count."
        )
    return tuple(notes)


def _keep(found: Sweep, folder: RunFolder, rows_are_there: Callable[[], object]) -> None:
    """Write the finished sweep; the manifest last, since it is what says that the rest is there."""
    import pyarrow as pa

    from sim.reports.sweep_page import write_sweep_report

    table = pa.Table.from_pandas(found.frame, preserve_index=False)
    with told(folder.path):
        write_json(folder.path / RESULT, found.result())
        write_atomically(folder.path / CELLS_FILE, parquet_bytes(table))
        write_sweep_report(found, folder.path)
        rows_are_there()
        write_json(folder.path / "manifest.json", found.manifest)
    folder.clear_unfinished()
