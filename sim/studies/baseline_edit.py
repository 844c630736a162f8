"""A scenario more in a baseline, one less, or one under another name; all others stay as they were recorded."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

from sim.config.errors import BadInput
from sim.running.progress import bar
from sim.running.runner import Progress
from sim.studies.baseline import Baseline, Entry
from sim.studies.baseline_file import read_baseline, write_baseline
from sim.studies.check_entry import entries_of, entry_plan
from sim.studies.record import check_matches, check_reason, new_entries, note, source_in

__all__ = ["add_to_baseline", "remove_from_baseline", "rename_in_baseline"]


def add_to_baseline(
    file: str | Path,
    scenarios: Sequence[str | Path],
    reason: str,
    *,
    bots: Sequence[tuple[str, str] | None] = (None,),
    deltas: str | Path | None = None,
    matches: int | None = None,
    threads: int | None = None,
    progress: bool | Progress = False,
) -> Baseline:
    """Play more scenarios, or more pairings of some, on the baseline's seed, and add what they add up to.

    Parameters
    ----------
    file
        The baseline.
    scenarios, bots, deltas, matches, threads, progress
        As in `record_baseline`.
    reason
        Why; kept in the history.

    Raises
    ------
    BadInput
        When something given is not usable, or is in the baseline already.
    """
    check_reason(reason)
    check_matches(matches)
    path = Path(file)
    old = read_baseline(path)
    showing: AbstractContextManager[Progress | None] = bar() if progress is True else nullcontext(progress or None)
    with showing as show:
        new = new_entries(path, scenarios, bots, old.seed, deltas, matches, threads, show, beside=old.entries)
    return _written(path, old, (*old.entries, *new), "added", reason, new)


def remove_from_baseline(
    file: str | Path, scenario: str | Path, reason: str, *, bots: tuple[str, str] | None = None
) -> Baseline:
    """Take a scenario out of a baseline, with all of its pairings or with one.

    Parameters
    ----------
    file
        The baseline.
    scenario
        As seen from the working folder or as the baseline has it; it need not exist any more.
    reason
        Why; kept in the history.
    bots
        The pairing to take out, as the baseline has it; None: every pairing of the scenario.

    Raises
    ------
    BadInput
        When there is no such entry, or nothing would be left.
    """
    check_reason(reason)
    path = Path(file)
    old = read_baseline(path)
    gone = [one for one in entries_of(old, path, scenario) if bots is None or one.bots == bots]
    if not gone:
        raise BadInput.of(f"has no entry for {scenario} with {','.join(bots or ())}", file=str(path))
    left = tuple(one for one in old.entries if one not in gone)
    if not left:
        raise BadInput.of(f"holds nothing but {scenario}; must hold one scenario or more", file=str(path))
    return _written(path, old, left, "removed", reason, gone)


def rename_in_baseline(file: str | Path, scenario: str | Path, new: str | Path, reason: str) -> Baseline:
    """Say where a scenario is now; what was recorded of it stays, and the next check compares with that.

    Parameters
    ----------
    file
        The baseline.
    scenario
        As seen from the working folder or as the baseline has it; it need not exist any more.
    new
        The file that it is now, or the name of a shipped one.
    reason
        Why; kept in the history.

    Raises
    ------
    BadInput
        When there is no such entry, the new file is no scenario, or it is in the baseline already.
    """
    check_reason(reason)
    path = Path(file)
    old = read_baseline(path)
    moved = entries_of(old, path, scenario)
    source = source_in(new, path)
    for one in moved:
        entry_plan(replace(one, source=source), old, path)
        if any((other.source, other.bots) == (source, one.bots) for other in old.entries):
            raise BadInput.of(f"holds {source} with these bots already; remove one of the two", file=str(path))
    entries = tuple(replace(one, source=source) if one in moved else one for one in old.entries)
    return _written(path, old, entries, f"now {source}", reason, moved)


def _written(
    path: Path, old: Baseline, entries: Sequence[Entry], verdict: str, reason: str, meant: Sequence[Entry]
) -> Baseline:
    sources = ", ".join(dict.fromkeys(one.source for one in meant))
    write_baseline(
        path, Baseline(old.seed, tuple(entries), (*old.history, note(f"{verdict}: {sources}", reason, meant)))
    )
    return read_baseline(path)
