"""`tune`: the smallest edit of a scenario that meets all goals of a file, confirmed on fresh luck."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from kernels.random import RNG_SCHEME
from sim.collecting import seldom_collected
from sim.files import told, write_json
from sim.running.executors import Executor, executor_of
from sim.running.provenance import provenance
from sim.running.runner import LEVEL, Progress
from sim.store import MANIFEST_SCHEMA, RunFolder
from sim.studies.tune_plan import CONFIRMING, SEARCHING, STUDY, TunePlan, make_tune_plan
from sim.studies.tune_play import Tried, TunePlay
from sim.studies.tune_result import Tuned
from sim.studies.tune_search import Outcome, around, decide, nearest
from sim.studies.tuned_file import write_tuned

__all__ = ["RESULT", "play_tune", "tune"]

RESULT = "tune.json"


@seldom_collected()
def tune(
    file: str | Path,
    *,
    matches: int | None = None,
    seed: int | None = None,
    trials: int | None = None,
    threads: int | None = None,
    processes: int | None = None,
    cluster: str | None = None,
    out: str | Path | None = None,
    progress: bool = False,
) -> Tuned:
    """Find the smallest edit of a scenario that meets all goals: fewest keys, then fewest steps.

    Parameters
    ----------
    file
        A goals file that says what may be changed.
    matches
        Of each edit that is tried to the end, in each pairing (20,000).
    seed
        0 to 2**63 - 1; drawn when absent, and recorded either way.
    trials
        Edits that are searched, where there are too many to try them all (300).
    threads, processes, cluster
        Who plays: so many threads of this process (one for each core when nothing is given), so many processes, or the
        Dask cluster at an address. What is found does not depend on it.
    out
        A folder to write; None writes nothing.
    progress
        Show a bar.

    Raises
    ------
    BadInput
        When something given is not usable; nothing is lost then.
    sim.running.runner.Interrupted
        From the keyboard; with `out` and the same seed, the same call continues.
    """
    from contextlib import nullcontext

    from sim.running.progress import bar

    executor = executor_of(threads, processes, cluster)
    plan = make_tune_plan(file, matches=matches, seed=seed, trials=trials)
    with bar() if progress else nullcontext() as show:
        if out is None:
            return play_tune(plan, executor=executor, progress=show)
        with RunFolder(Path(out), plan.digest) as folder:
            return play_tune(plan, executor=executor, folder=folder, progress=show, command=("sim.tune",))


def play_tune(
    plan: TunePlan,
    *,
    executor: Executor | None = None,
    folder: RunFolder | None = None,
    progress: Progress | None = None,
    command: Sequence[str] = (),
) -> Tuned:
    """Tune, and keep it in `folder`, which this process holds; what is played there already is not played again.

    Raises
    ------
    Interrupted
        From the keyboard; the folder holds what was done.
    BadInput
        When the folder cannot be written.
    """
    started, clock = datetime.now(UTC), time.perf_counter()
    play = TunePlay(plan, executor or executor_of(), folder, progress)
    if folder is not None and folder.state != "complete":
        folder.claim()
    beside: tuple[Tried, ...] = ()
    near: tuple[Tried, ...] = ()
    try:
        with play.executor as workers:
            workers.check(plan.today)
            outcome = decide(plan, play)
            today = play.race([plan.space.today], whole=True)[0]
            if outcome.found is not None:
                beside = tuple(around(plan, play, outcome.found.edit))
            else:
                near = tuple(nearest(plan, play, outcome.rejected))
    except KeyboardInterrupt:
        raise play.interrupted() from None
    scenario = plan.goals.scenario
    manifest = {
        "schema": MANIFEST_SCHEMA,
        "study": STUDY,
        "game": scenario.game,
        "digest": plan.digest,
        "command": list(command),
        "scenario": scenario.resolved(),
        "scenario_digest": scenario.digest,
        "seed": plan.seed,
        "namespaces": {"search": SEARCHING, "confirmation": CONFIRMING},
        "rng_scheme": RNG_SCHEME,
        "level": LEVEL,
        "matches_asked": plan.matches,
        "matches_played": play.done,
        "block_pairs": plan.block_pairs,
        **provenance(plan.game.rules_version),
        "played_by": play.executor.words,
        "started": started.isoformat(timespec="seconds"),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(time.perf_counter() - clock, 3),
    }
    failed = [one for one in play.known.values() if one.failure is not None]
    notes = _notes(plan, play, outcome, failed)
    found = Tuned(
        scenario.name,
        str(plan.goals.file),
        tuple(one.pairing_name for one in plan.today),
        plan.space,
        today,
        outcome.found,
        beside,
        tuple(outcome.peers),
        tuple(outcome.rejected),
        tuple(outcome.open),
        near,
        len(play.known),
        len(failed),
        outcome.by_search,
        plan.enumerated_keys,
        {**manifest, "notes": list(notes)},
        notes,
        None if folder is None else folder.path,
    )
    if folder is not None and (folder.state != "complete" or play.new):
        _keep(plan, found, play, folder)
    return found


def _notes(plan: TunePlan, play: TunePlay, outcome: Outcome, failed: Sequence[Tried]) -> tuple[str, ...]:
    """Sentences that a reader must know beside the figures."""
    space = plan.space
    notes = [f"{plan.goals.scenario.name}: {warning}" for warning in plan.goals.scenario.warnings]
    if outcome.by_search:
        tail = (
            "a smaller edit than the one found may have been missed."
            if outcome.found is not None
            else "that none was found does not prove that there is none."
        )
        keys = "1 key" if plan.enumerated_keys == 1 else f"{plan.enumerated_keys} keys"
        notes.append(
            f"Of {space.n_edits:,} edits those of up to {keys} were all tried, and {outcome.n_searched:,} others by a "
            f"search: {tail}"
        )
    if failed:
        notes.append(
            f"{len(failed):,} of the edits could not be judged and count as missing the goals; the first, "
            f"{space.label(failed[0].edit)}: {failed[0].failure}."
        )
    if outcome.found is not None:
        notes.append(
            "That an edit is called confirmed which misses a goal happens in at most one tuning of twenty; that one "
            "which meets all goals is dropped early, to at most one edit in a thousand."
        )
    notes.append("The goals are met, or not, with these bots; others may play the tuned scenario in another way.")
    return tuple(notes)


def _keep(plan: TunePlan, found: Tuned, play: TunePlay, folder: RunFolder) -> None:
    """Write the finished tuning; the manifest last, since it is what says that the rest is there."""
    from sim.reports.tune_page import write_tune_report

    with play.store.compacting(list(play.keys)) as rows_are_there, told(folder.path):
        if found.found is not None:
            write_tuned(plan, found.found.edit, folder.path)
        write_json(folder.path / RESULT, found.result())
        write_tune_report(found, folder.path)
        rows_are_there()
        write_json(folder.path / "manifest.json", found.manifest)
    folder.clear_unfinished()
