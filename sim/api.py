"""The Python verbs: what the commands do, for notebooks and scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from pathlib import Path
from typing import Any

from sim.config.errors import BadInput
from sim.config.loading import load_scenario
from sim.config.scenario import AnyScenario
from sim.games import game_of
from sim.games.game import Plan
from sim.reading import load_run
from sim.running.chunks import Chunk
from sim.running.keeping import kept_or_played
from sim.running.result import Run
from sim.running.runner import MAX_MATCHES, Amount, play, unit_watched
from sim.store import RunFolder

__all__ = ["load_run", "make_plan", "plan_of", "play_match", "run", "scenario_of"]

Source = str | Path | Mapping[str, Any] | AnyScenario


def make_plan(
    scenario: Source,
    *,
    bots: Sequence[Any] | str | None = None,
    seed: int | None = None,
    overrides: Sequence[str] | Mapping[str, Any] = (),
) -> Plan:
    """What `run` would play, without playing it.

    Raises
    ------
    BadInput
        When the scenario, the bots or the seed are not usable.
    """
    loaded = scenario_of(scenario, overrides)
    return game_of(loaded).make_plan(loaded, bots=bots, seed=seed)


def scenario_of(source: Source, overrides: Sequence[str] | Mapping[str, Any] = ()) -> AnyScenario:
    """A scenario from whatever names or holds it, with the overrides applied."""
    if not isinstance(source, AnyScenario):
        return load_scenario(source, overrides)
    return load_scenario(source.resolved(), overrides, folder=source.folder) if overrides else source


def run(
    scenario: Source,
    *,
    matches: int | None = None,
    half_width: float | None = None,
    bots: Sequence[Any] | str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    overrides: Sequence[str] | Mapping[str, Any] = (),
    out: str | Path | None = None,
    keep_matches: bool = False,
    again: bool = False,
    progress: bool = False,
) -> Run:
    """Play matches of a scenario and estimate every figure with its interval.

    Parameters
    ----------
    scenario
        A YAML file, the name of a shipped scenario, plain data, or a loaded scenario.
    matches
        How many (100,000 when neither this nor `half_width` is given); with `half_width` the most that may be played.
    half_width
        Play until `score.first` and `shared` are both known to so much on either side (0.002 is 0.2 pp); in the
        mainline game `trip_gap`, in Stages.
    bots
        First and second, each a name, `file.py:function` or a function made a bot with `@bot`; the scenario's own when
        absent.
    seed
        0 to 2**63 - 1; drawn when absent, and recorded either way.
    threads
        One for each core when absent. Figures do not depend on it.
    overrides
        `key=value` texts or a mapping, applied to the scenario.
    out
        A run folder to write and, when it holds this run unfinished, to continue; None writes nothing.
    keep_matches
        Also write `matches.parquet`, one row a match; needs `out`.
    again
        Play anew what `out` holds already.
    progress
        Show a bar.

    Returns
    -------
    Run

    Raises
    ------
    BadInput
        When something given is not usable; nothing is lost then.
    sim.running.runner.Interrupted
        From the keyboard; with `out`, the same call continues.
    """
    plan = make_plan(scenario, bots=bots, seed=seed, overrides=overrides)
    amount = Amount(matches, half_width, unit_watched(plan))
    if keep_matches and out is None:
        raise BadInput.of("keep_matches is True but out is None; name a folder to keep the matches in")
    folder = None
    if out is not None:
        folder = RunFolder(Path(out), plan.digest(amount.identity), again=again, with_matches=keep_matches)
    return kept_or_played(
        folder,
        load_run,
        lambda held, show: play(
            plan, amount, threads=threads, folder=held, progress=show, command=() if held is None else ("sim.run",)
        ),
        progress=progress,
    )


def plan_of(run: Run) -> Plan:
    """The plan that a run played, with the bots as they are now.

    Raises
    ------
    BadInput
        When a bot is gone or has changed since.
    """
    return game_of(run.scenario).plan_of(run)


def play_match(run: Run | Plan, number: int) -> dict[str, Any]:
    """Play one match of a run again, from its number alone (counted from 0).

    Returns
    -------
    dict
        The match's row as in `matches.parquet`.
    """
    plan = plan_of(run) if isinstance(run, Run) else run
    last = run.manifest["matches_played"] - 1 if isinstance(run, Run) else MAX_MATCHES - 1
    try:
        m = -1 if isinstance(number, bool) else index(number)
    except TypeError:
        m = -1
    if not 0 <= m <= last:
        raise BadInput.of(f"match is {number!r}; must be a whole number from 0 to {last}")
    pair, swap = divmod(m, plan.n_swaps)
    chunk = Chunk(pair, 1)
    rows = plan.play_rows(chunk)
    plan.sum_rows(chunk, rows, 1)  # marks in the rows what a row cannot know of the others of its pair
    table = plan.row_table(pair, rows)
    row: dict[str, Any] = table.slice(swap, 1).to_pylist()[0]
    return row
