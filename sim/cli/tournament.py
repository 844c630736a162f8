"""`sim tournament`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from sim.studies.tournament_result import Tournament

RUNS = Path("reports/runs")


def tournament(
    scenario: ScenarioArgument,
    bots: Annotated[
        str | None,
        typer.Option(
            "--bots",
            metavar="A,B,C…",
            help="Two or more names, or file.py:function. Default: all shipped bots and all that the scenario defines.",
        ),
    ] = None,
    matches: Annotated[
        str | None,
        typer.Option("--matches", metavar="N", help="Of each pairing, as 20000, 2e4 or 20k. Default 20,000."),
    ] = None,
    seed: SeedOption = None,
    set_: SetOption = None,
    threads: ThreadsOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Folder. Default: reports/runs/<name>-tournament-<digest>."),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Play anew what the folder holds already.")] = False,
    json: JsonOption = False,
) -> None:
    """Play every bot against every other, and say which to play, how often, and which never.

    A tournament that was interrupted goes on where it stopped when the same command is given again. Exit 1: a match
    ended with an illegal order; 3: a solver failed, so that something is not known.
    """
    say_when_cold()
    from sim.running.progress import bar
    from sim.store import RunFolder, folder_name
    from sim.studies.tournament import make_tournament_plan, play_tournament
    from sim.studies.tournament_result import load_tournament

    plan = make_tournament_plan(
        scenario,
        bots=names_of(bots),
        matches=count("--matches", matches),
        seed=seed_number(seed),
        overrides=set_ or (),
    )
    path = out or RUNS / folder_name(f"{plan.scenario.name}-tournament", plan.digest)
    words = _command(scenario, bots, matches, plan.seed, set_, out)
    with RunFolder(path, plan.digest, again=again) as folder:
        if folder.state == "complete":
            found = load_tournament(path)
            typer.echo(f"This tournament is complete already in {path}; --again plays it anew.", err=True)
        else:
            with told_when_interrupted(path, words), bar() as progress:
                found = play_tournament(plan, threads=threads, folder=folder, progress=progress, command=words)
    if json:
        print_json(found.summary())
    else:
        from sim.reports.tournament_terminal import print_tournament

        print_tournament(found, console())
    _finish(found)


def _command(
    scenario: str, bots: str | None, matches: str | None, seed: int, set_: list[str] | None, out: Path | None
) -> list[str]:
    """The command that plays this very tournament, seed written out."""
    words = ["sim", "tournament", scenario]
    for option, value in (("--bots", bots), ("--matches", matches), ("--seed", seed)):
        if value is not None:
            words += [option, str(value)]
    for assignment in set_ or ():
        words += ["--set", assignment]
    if out is not None:
        words += ["--out", str(out)]
    return words


def _finish(found: Tournament) -> None:
    """Exit 1 on illegal orders, 3 when a solver failed."""
    for failure in found.failures:
        typer.echo(f"solver failed: {failure}", err=True)
    if found.n_illegal:
        typer.echo(f"warning: {found.n_illegal:,} matches ended with an illegal order", err=True)
        raise typer.Exit(1)
    if found.failures:
        raise typer.Exit(3)
