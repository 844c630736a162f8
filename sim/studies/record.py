"""`baseline record` and `baseline update`: what the gate is to compare with, and why it was accepted."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from sim.api import make_plan
from sim.config.deltas import DeltaRules, load_deltas
from sim.config.errors import BadInput
from sim.config.starters import starter_path
from sim.games.game import Plan
from sim.running.plan import checked_seed
from sim.running.progress import bar
from sim.running.runner import MAX_MATCHES, Progress, threads_here
from sim.stats.figures import Bins, MetricDefinition
from sim.stats.gate import LOOKS, State
from sim.stats.paired import quantile_of
from sim.studies.baseline import (
    FEWEST_PAIRS,
    Baseline,
    Entry,
    Growing,
    deltas_of,
    looked_at,
    matches_needed,
    on_top,
    record_plan,
    up_to,
)
from sim.studies.baseline_file import read_baseline, write_baseline
from sim.studies.check import recorded_anew
from sim.studies.check_entry import entry_plan
from sim.studies.check_result import Checked, drift_table

__all__ = [
    "Refused",
    "check_matches",
    "check_reason",
    "new_entries",
    "note",
    "record_baseline",
    "source_in",
    "update_baseline",
]

PILOT_MATCHES = 20_000
"""Matches of a first look at least when nobody says otherwise; from them it is reckoned how many the deltas need."""
MOST_MATCHES = 200_000
"""Matches of a first look at most when nobody says otherwise."""
MARGIN = 1.25
"""What a pilot says is needed is taken so many times: the variance of 64 blocks is known to a fifth or so."""


class Refused(Exception):
    """An update that is not accepted as it was asked for; the baseline is as it was."""

    def __init__(self, message: str, found: Checked) -> None:
        super().__init__(message)
        self.found = found


def record_baseline(
    file: str | Path,
    scenarios: Sequence[str | Path],
    *,
    bots: Sequence[tuple[str, str] | None] = (None,),
    deltas: str | Path | None = None,
    matches: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    again: bool = False,
    progress: bool | Progress = False,
) -> Baseline:
    """Play scenarios at all looks, and write what they add up to.

    Parameters
    ----------
    file
        The baseline. An old one there stays as it is until the new one is written whole.
    scenarios
        YAML files, or names of shipped scenarios.
    bots
        Pairings, each played on every scenario; None: the scenario's own bots.
    deltas
        A file of deltas; the others have their defaults.
    matches
        Of the first look; 16 times as many are played. When absent as many as the deltas need, 20,000 to 200,000, so
        that a game that has not changed passes on other luck in 97 of 100 checks.
    seed
        0 to 2**63 - 1; drawn when absent, and recorded either way.
    threads
        One for each core when absent. Nothing recorded depends on it.
    again
        Replace a baseline that is there, and its anchor; its history goes on.
    progress
        Show a bar, or what to call with the matches done and wanted.

    Raises
    ------
    BadInput
        When something given is not usable.
    """
    path = Path(file)
    if not scenarios:
        raise BadInput.of("there is no scenario; name one or more")
    if path.exists() and not again:
        raise BadInput.of(
            "exists already; sim baseline update accepts changes, --again records it and its anchor anew",
            file=str(path),
        )
    check_matches(matches)
    seed = checked_seed(seed)
    history = _old_history(path)
    if progress is True:
        with bar() as show:
            entries = new_entries(path, scenarios, bots, seed, deltas, matches, threads, show)
    else:
        entries = new_entries(path, scenarios, bots, seed, deltas, matches, threads, progress or None)
    if history:
        history = (*history, note("recorded anew", "recorded anew", entries, anchor=True))
    write_baseline(path, Baseline(seed, tuple(entries), history))
    return read_baseline(path)


def _old_history(path: Path) -> tuple[Mapping[str, Any], ...]:
    """What was accepted before, where that can be read."""
    try:
        return read_baseline(path).history
    except BadInput:
        return ()


def note(
    verdict: str, reason: str, entries: Sequence[Entry], *, anchor: bool = False, moved: Sequence[Any] = ()
) -> dict[str, Any]:
    """What the history keeps of a change."""
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "reason": reason.strip(),
        "anchor": anchor,
        "verdict": verdict,
        "figures": sum(len(entry.deltas) for entry in entries),
        "moved": list(moved),
    }


def new_entries(
    path: Path,
    scenarios: Sequence[str | Path],
    bots: Sequence[tuple[str, str] | None],
    seed: int,
    deltas: str | Path | None,
    matches: int | None,
    threads: int | None,
    progress: Progress | None,
    beside: Sequence[Entry] = (),
) -> list[Entry]:
    """Play scenarios at all looks, for a baseline that holds what is `beside` as well.

    Raises
    ------
    BadInput
        When something given is not usable, or is in the baseline already.
    """
    planned: list[tuple[Plan, str, tuple[str, str] | None]] = []
    for scenario in scenarios:
        for pair in bots:
            planned.append(
                (make_plan(scenario, bots=pair, seed=seed), source_in(scenario, path), _seen_from(pair, path))
            )
    doubled = [one[1:] for one in planned]
    twice = next((one for one in doubled if doubled.count(one) > 1), None)
    if twice is not None:
        raise BadInput.of(f"scenario {twice[0]} is named twice with the same bots; must be named once")
    held = [(one.source, one.bots) for one in beside]
    twice = next((one for one in doubled if one in held), None)
    if twice is not None:
        raise BadInput.of(
            f"holds {twice[0]} with these bots already; sim baseline update accepts changes", file=str(path)
        )
    rules = DeltaRules({}) if deltas is None else load_deltas(deltas, _all_metrics([one[0] for one in planned]))
    for plan, source, _ in planned:
        wanted = matches or MOST_MATCHES
        if plan.n_pairs(wanted * LOOKS[-1]) > plan.most_pairs:
            raise BadInput.of(f"matches is {wanted}; must be at most {plan.most_pairs // LOOKS[-1]} on {source}")
        if not plan.deterministic and plan.n_pairs(wanted) < FEWEST_PAIRS:
            fewest = FEWEST_PAIRS * plan.n_swaps
            raise BadInput.of(f"matches is {wanted}; must be {fewest} or more: with fewer no check could say anything")
        if not looked_at(plan, rules):
            raise BadInput.of("leaves no figure to look at; must leave one or more", file=str(deltas))
    return _entries(
        planned, rules, matches, threads, progress, sum(len(one.deltas) + len(one.anchored) for one in beside)
    )


def _entries(
    planned: Sequence[tuple[Plan, str, tuple[str, str] | None]],
    rules: DeltaRules,
    matches: int | None,
    threads: int | None,
    progress: Progress | None,
    n_beside: int,
) -> list[Entry]:
    growing = []
    for plan, _, _ in planned:
        plan.compile()
        first = plan.n_pairs(matches or PILOT_MATCHES)
        growing.append(Growing(plan, plan.n_blocks(first), threads_here(threads)))
    n_figures = n_beside + sum(len(looked_at(plan, rules)) for plan, _, _ in planned)
    sizes = [_first_look(one, rules, n_figures) if matches is None else matches for one in growing]
    wanted = sum(
        one.plan.n_pairs(size * LOOKS[-1]) * one.plan.n_swaps for one, size in zip(growing, sizes, strict=True)
    )
    entries = []
    done = 0
    for (plan, source, pair), one, size in zip(planned, growing, sizes, strict=True):
        if progress is not None:
            one.on_matches = partial(on_top, progress, done, wanted)
        names = [metric.name for metric in looked_at(plan, rules)]
        recording, sums = record_plan(one, size, names)
        done += sums.n_matches
        if not any(total.matches.any() for total in recording.looks[0].totals.values()):
            raise BadInput.of(f"{source}: no match of {plan.pairing_name} counts; there is nothing to compare with")
        entries.append(Entry(source, pair, size, deltas_of(plan, sums, rules), recording))
    return entries


def _first_look(growing: Growing, rules: DeltaRules, n_figures: int) -> int:
    """Matches of the first look, from a pilot that becomes a part of it."""
    plan = growing.plan
    if plan.deterministic:
        return PILOT_MATCHES
    sums = growing.to(plan.n_pairs(PILOT_MATCHES))
    needed = 0.0
    for name, delta in deltas_of(plan, sums, rules).items():
        found = plan.metrics[name].measure(sums)
        if isinstance(found, Bins):
            found = up_to(found, quantile_of(found, plan.metrics[name].q))
        needed = max(needed, matches_needed(found, sums.n_matches, delta, n_figures))
    size = MARGIN * needed / LOOKS[-1]
    if size >= MOST_MATCHES:
        return MOST_MATCHES
    return max(PILOT_MATCHES, 1_000 * math.ceil(size / 1_000))


def _all_metrics(plans: Sequence[Plan]) -> Mapping[str, MetricDefinition]:
    return {name: metric for plan in plans for name, metric in plan.metrics.items()}


def source_in(scenario: str | Path, file: Path) -> str:
    """A scenario as seen from the baseline's folder; a shipped name stays one."""
    if isinstance(scenario, str) and not Path(scenario).is_file() and starter_path(scenario) is not None:
        return scenario
    return Path(os.path.relpath(scenario, file.parent)).as_posix()


def _seen_from(pair: tuple[str, str] | None, file: Path) -> tuple[str, str] | None:
    """Bots with those of files as seen from the baseline's folder."""
    if pair is None:
        return None
    first, second = (Path(os.path.relpath(bot, file.parent)).as_posix() if ".py:" in bot else bot for bot in pair)
    return first, second


def check_matches(matches: int | None) -> None:
    """Refuse a first look that is no number of matches."""
    most = MAX_MATCHES // LOOKS[-1]
    if matches is not None and (isinstance(matches, bool) or not isinstance(matches, int) or not 1 <= matches <= most):
        raise BadInput.of(f"matches is {matches!r}; must be a whole number from 1 to {most}")


def check_reason(reason: str) -> None:
    """Refuse a change without a reason."""
    if not reason.strip():
        raise BadInput.of("--reason is empty; must say why the change is meant")


def update_baseline(
    file: str | Path,
    reason: str,
    *,
    anchor: bool = False,
    deltas: str | Path | None = None,
    threads: int | None = None,
    progress: bool | Progress = False,
) -> Checked:
    """Accept what the scenarios are now, and keep in the history what had moved and why.

    Parameters
    ----------
    file
        The baseline.
    reason
        Why the changes are meant.
    anchor
        Also make this the anchor, as at a release: accepted steps may not add up to more than three deltas from it.
    deltas
        A file of new deltas; None keeps the old ones.
    threads
        One for each core when absent.
    progress
        Show a bar, or what to call with the matches done and wanted.

    Returns
    -------
    Checked
        What had moved, judged at the last look. Nothing is written when nothing has, and neither deltas nor anchor are
        given.

    Raises
    ------
    Refused
        When a figure is more than three deltas from the anchor, which is to stay.
    BadInput
        When something given is not usable.
    """
    path = Path(file)
    check_reason(reason)
    old = read_baseline(path)
    rules = None
    if deltas is not None:
        rules = load_deltas(deltas, _all_metrics([entry_plan(entry, old, path) for entry in old.entries]))
    if progress is True:
        with bar() as show:
            found, entries = recorded_anew(old, path, rules=rules, threads=threads, progress=show)
    else:
        found, entries = recorded_anew(old, path, rules=rules, threads=threads, progress=progress or None)
    if any(not entry.deltas for entry in entries):
        raise BadInput.of("leaves no figure to look at; must leave one or more", file=str(deltas))
    if found.state is State.IDENTICAL and deltas is None and not anchor:
        return found
    far = [f"{figure.metric} ({one.title})" for one in found.pairings for figure in one.figures if figure.anchor_drift]
    if far and not anchor:
        more = f" and {len(far) - 3} more" if len(far) > 3 else ""
        raise Refused(
            f"{', '.join(far[:3])}{more}: more than three deltas from the anchor; if that is meant, --anchor accepts "
            "it and moves the anchor as well",
            found,
        )
    kept = [
        replace(new, anchor=None if anchor else was.anchor or was.now)
        for new, was in zip(entries, old.entries, strict=True)
    ]
    accepted = note(found.state.value, reason, kept, anchor=anchor, moved=drift_table(found.pairings))
    write_baseline(path, Baseline(old.seed, tuple(kept), (*old.history, accepted)))
    return found
