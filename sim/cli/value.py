"""`sim value`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.cold import say_when_cold
from sim.cli.options import (
    JsonOption,
    ScenarioArgument,
    SeedOption,
    SetOption,
    ThreadsOption,
    console,
    count,
    names_of,
    print_json,
    seed_number,
)
from sim.cli.resuming import told_when_interrupted

RUNS = Path("reports/runs")


def value(
    scenario: ScenarioArgument,
    bots: Annotated[
        str | None,
        typer.Option("--bots", metavar="A,B,C…", help="The panel, weak to strong. Default: that of the study file."),
    ] = None,
    matches: Annotated[
        str | None,
        typer.Option("--matches", metavar="N", help="Of each version of a bot. Default: as in the study file."),
    ] = None,
    scan_matches: Annotated[
        str | None,
        typer.Option(
            "--scan-matches", metavar="N", help="Of each price and dispatch tried. Default: as in the study file."
        ),
    ] = None,
    study: Annotated[
        Path | None,
        typer.Option("--study", metavar="FILE", help="A YAML file. Default: configs/studies/value.yaml."),
    ] = None,
    seed: SeedOption = None,
    set_: SetOption = None,
    threads: ThreadsOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Folder. Default: reports/runs/<name>-value-<digest>."),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Play anew what the folder holds already.")] = False,
    json: JsonOption = False,
) -> None:
    """Say what an upgrade, a siding and hostile toggles are worth to a panel of bots, and what each should cost.

    In the mainline game: what each Home card of the hand is worth. A study that was interrupted goes on where it
    stopped when the same command is given again.
    """
    say_when_cold()
    from sim.running.progress import bar
    from sim.store import RunFolder, folder_name
    from sim.studies.value import play_any, value_plan_of
    from sim.studies.value_result import load_value

    plan = value_plan_of(
        scenario,
        bots=names_of(bots),
        matches=count("--matches", matches),
        scan_matches=count("--scan-matches", scan_matches),
        seed=seed_number(seed),
        study=study,
        overrides=set_ or (),
    )
    path = out or RUNS / folder_name(f"{plan.scenario.name}-value", plan.digest)
    words = ["sim", "value", scenario]
    given = {
        "--bots": bots,
        "--matches": matches,
        "--scan-matches": scan_matches,
        "--study": study,
        "--seed": plan.seed,
    }
    for option, word in given.items():
        if word is not None:
            words += [option, str(word)]
    for assignment in set_ or ():
        words += ["--set", assignment]
    if out is not None:
        words += ["--out", str(out)]
    with RunFolder(path, plan.digest, again=again) as folder:
        if folder.state == "complete":
            found = load_value(path)
            typer.echo(f"This study is complete already in {path}; --again plays it anew.", err=True)
        else:
            with told_when_interrupted(path, words), bar() as progress:
                found = play_any(plan, threads=threads, folder=folder, progress=progress, command=words)
    if json:
        print_json(found.result())
    else:
        from sim.reports.value_terminal import print_value

        print_value(found, console())
