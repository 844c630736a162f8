"""`sim compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.cold import say_when_cold
from sim.cli.options import (
    BotsOption,
    JsonOption,
    SeedOption,
    ThreadsOption,
    console,
    count,
    print_json,
    seed_number,
    two_bots,
)
from sim.cli.resuming import told_when_interrupted

RUNS = Path("reports/runs")


def compare(
    base: Annotated[str, typer.Argument(metavar="BASE", help="A YAML file, a shipped scenario, or a run folder.")],
    variants: Annotated[
        list[str] | None, typer.Argument(metavar="VARIANT…", help="What is set against it: likewise, one or more.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="One more variant: BASE with this key changed. Repeatable: all in one."
        ),
    ] = None,
    matches: Annotated[
        str | None,
        typer.Option("--matches", metavar="N", help="Of each scenario, as 100000, 1e5 or 100k. Default 100,000."),
    ] = None,
    bots: BotsOption = None,
    seed: SeedOption = None,
    threads: ThreadsOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Folder. Default: reports/runs/<base>-compare-<digest>."),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Play anew what the folder holds already.")] = False,
    json: JsonOption = False,
) -> None:
    """Set scenarios against one on the same luck: what changed, what moved, what did not, what cannot be said yet.

    A comparison that was interrupted goes on where it stopped when the same command is given again.
    """
    say_when_cold()
    from sim.running.progress import bar
    from sim.store import RunFolder, folder_name
    from sim.studies.compare import play_comparison
    from sim.studies.compare_plan import make_comparison_plan
    from sim.studies.comparison import load_comparison

    plan = make_comparison_plan(
        base,
        variants or (),
        overrides=set_ or (),
        bots=two_bots(bots),
        matches=count("--matches", matches),
        seed=seed_number(seed),
    )
    path = out or RUNS / folder_name(f"{plan.base.label}-compare", plan.digest)
    words = ["sim", "compare", base, *(variants or ())]
    for assignment in set_ or ():
        words += ["--set", assignment]
    # A run of bots brings its own seed, which may not be named beside it.
    led = any(one.run is not None and not one.recorded for one in plan.entrants)
    used = None if led else str(plan.seed)
    for option, value in (("--matches", matches), ("--bots", bots), ("--seed", used), ("--out", out)):
        if value is not None:
            words += [option, str(value)]
    with RunFolder(path, plan.digest, again=again) as folder:
        if folder.state == "complete":
            found = load_comparison(path)
            typer.echo(f"This comparison is complete already in {path}; --again plays it anew.", err=True)
        else:
            with told_when_interrupted(path, words), bar() as progress:
                found = play_comparison(plan, threads=threads, folder=folder, progress=progress, command=words)
    if json:
        print_json(found.result())
    else:
        from sim.reports.compare_terminal import print_comparison

        print_comparison(found, console())
