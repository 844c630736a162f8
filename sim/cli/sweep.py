"""`sim sweep`."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from sim.cli.cold import say_when_cold
from sim.cli.options import JsonOption, ThreadsOption, console, count, print_json, refuse
from sim.cli.resuming import told_when_interrupted


def sweep(
    file: Annotated[Path, typer.Argument(metavar="SWEEP", help="A sweep file, such as configs/sweeps/costs.yaml.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder. Default: reports/runs/<name>-sweep-<digest>.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with what the folder holds; more matches are played in addition.")
    ] = False,
    matches: Annotated[
        str | None, typer.Option("--matches", metavar="N", help="Of each cell, instead of the file's.")
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option("--shard", metavar="I/N", help="Play only every N-th cell, from the I-th on, into a folder."),
    ] = None,
    merge: Annotated[
        list[Path] | None,
        typer.Option("--merge", metavar="DIR", help="Take along what a shard's folder holds. Repeatable."),
    ] = None,
    threads: ThreadsOption = None,
    processes: Annotated[
        int | None, typer.Option("--processes", metavar="N", help="Play on so many processes instead of threads.")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option("--cluster", metavar="ADDRESS", help="Play on a Dask cluster, as tcp://10.0.0.1:8786, or local."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Turn keys of a scenario and say what each combination does, and where the goals are met.

    A sweep that was interrupted goes on with --resume. Cells that failed are told of (exit code 1); the others count.
    """
    say_when_cold()
    from sim.running.executors import executor_of
    from sim.running.progress import bar
    from sim.store import RunFolder, folder_name
    from sim.studies.sweep import block_pairs_in, play_sweep
    from sim.studies.sweep_plan import make_sweep_plan

    part = _shard(shard)
    n = count("--matches", matches)
    executor = executor_of(threads, processes, cluster)
    plan = make_sweep_plan(file, matches=n, block_pairs=None if out is None else block_pairs_in(out))
    path = out or Path("reports/runs") / folder_name(f"{plan.spec.scenario.name}-sweep", plan.digest)
    words = ["sim", "sweep", str(file), "--out", str(path)]
    workers = ("--processes", processes), ("--cluster", cluster)
    merged = (("--merge", one) for one in merge or ())
    for option, value in (("--matches", matches), ("--shard", shard), *merged, *workers):
        if value is not None:
            words += [option, str(value)]
    with ExitStack() as stack:
        folder = stack.enter_context(RunFolder(path, plan.digest))
        progress = stack.enter_context(bar())
        with told_when_interrupted(path, [*words, "--resume"]):
            found = play_sweep(
                plan,
                executor=executor,
                folder=folder,
                resume=resume,
                shard=part,
                merge=merge or (),
                progress=progress,
                command=[*words, "--resume"] if resume else words,
            )
    if found is None:
        typer.echo(f"Shard {shard} is complete in {path}; --merge {path} takes it along.", err=True)
        return
    if json:
        print_json(found.result())
    else:
        from sim.reports.sweep_terminal import print_sweep

        print_sweep(found, console())
    if found.failed or found.illegal:
        raise typer.Exit(1)


def _shard(text: str | None) -> tuple[int, int] | None:
    """`2/4`."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d{1,4})/(\d{1,4})", text, re.ASCII)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        refuse("--shard", repr(text), "the number of a shard and how many there are, such as 2/4")
    return int(found[1]), int(found[2])
