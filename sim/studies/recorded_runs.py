"""`run --records`: the matches that people played, kept and told as runs are."""

from __future__ import annotations

from pathlib import Path

from sim.games.dispatch.recorded import RECORDS_FILE, recorded_plan
from sim.reading import load_run
from sim.running.result import Run
from sim.running.runner import Amount, play
from sim.store import RunFolder, folder_name

__all__ = ["run_records"]


def run_records(
    records: str | Path,
    *,
    out: str | Path | None = None,
    named: bool = True,
    keep_matches: bool = False,
    again: bool = False,
) -> Run:
    """Make a run of matches that people played: the same figures, tables and report as of bots' matches.

    Parameters
    ----------
    records
        A file of match records, one a line (`.jsonl`), all of one scenario. Matches in progress are counted apart.
    out, named
        A run folder to write, which keeps the records too; when not `named`, a folder of the run's own name in it. None
        writes nothing.
    keep_matches, again
        As in `run`.

    Raises
    ------
    BadInput
        When a record is malformed, an order in it is illegal, or the scenarios differ.
    """
    plan = recorded_plan(records)
    amount = Amount(plan.n_records)
    if out is None:
        return play(plan, amount, threads=1)
    digest = plan.digest(amount.identity)
    path = Path(out) if named else Path(out) / folder_name(plan.scenario.name, digest)
    with RunFolder(path, digest, again=again, with_matches=keep_matches) as folder:
        if folder.state == "complete":
            return load_run(path)
        folder.keep_source(RECORDS_FILE, plan.text)
        command = ("sim", "run", "--records", str(records))
        return play(plan, amount, threads=1, folder=folder, command=command)
