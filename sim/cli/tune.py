"""`sim tune`."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from sim.cli.cold import say_when_cold
from sim.cli.options import JsonOption, SeedOption, ThreadsOption, console, count, print_json, seed_number
from sim.cli.resuming import told_when_interrupted


def tune(
    goals: Annotated[
        Path, typer.Argument(metavar="GOALS", help="A goals file with may_change, such as configs/goals/tune.yaml.")
    ],
    matches: Annotated[
        str | None,
        typer.Option("--matches", metavar="N", help="Of each edit tried to the end, in each pairing. Default 20,000."),
    ] = None,
    trials: Annotated[
        str | None,
        typer.Option("--trials", metavar="N", help="Edits to search, where they are too many to try all. Default 300."),
    ] = None,
    seed: SeedOption = None,
    threads: ThreadsOption = None,
    processes: Annotated[
        int | None, typer.Option("--processes", metavar="N", help="Play on so many processes instead of threads.")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option("--cluster", metavar="ADDRESS", help="Play on a Dask cluster, as tcp://10.0.0.1:8786, or local."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder. Default: reports/runs/<name>-tune-<digest>.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Find the smallest change of the scenario that meets all goals, and confirm it on fresh luck.

    Exit code 0: found and confirmed; 1: no edit meets the goals, and what stands nearest is shown; 3: undecided. A
    tuning that was interrupted goes on where it stopped when the same command is given again.
    """
    say_when_cold()
    from sim.running.executors import executor_of
    from sim.running.progress import bar
    from sim.store import RunFolder, folder_name
    from sim.studies.tune import play_tune
    from sim.studies.tune_plan import make_tune_plan

    executor = executor_of(threads, processes, cluster)
    plan = make_tune_plan(
        goals, matches=count("--matches", matches), seed=seed_number(seed), trials=count("--trials", trials)
    )
    path = out or Path("reports/runs") / folder_name(f"{plan.goals.scenario.name}-tune", plan.digest)
    words = ["sim", "tune", str(goals), "--seed", str(plan.seed)]
    for option, value in (
        ("--matches", matches),
        ("--trials", trials),
        ("--processes", processes),
        ("--cluster", cluster),
        ("--out", out),
    ):
        if value is not None:
            words += [option, str(value)]
    with ExitStack() as stack:
        folder = stack.enter_context(RunFolder(path, plan.digest))
        if folder.state == "complete":
            typer.echo(f"This tuning is complete already in {path}; what it played is read.", err=True)
        progress = stack.enter_context(bar())
        with told_when_interrupted(path, words):
            found = play_tune(plan, executor=executor, folder=folder, progress=progress, command=words)
    if json:
        print_json(found.result())
    else:
        from sim.reports.tune_terminal import print_tune

        print_tune(found, console())
    if found.exit_code:
        raise typer.Exit(found.exit_code)
