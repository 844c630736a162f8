"""`sim run`, `sim report`, `sim verify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli.cold import game_in, say_when_cold
from sim.cli.options import (
    BotsOption,
    JsonOption,
    RunArgument,
    SeedOption,
    SetOption,
    ThreadsOption,
    console,
    count,
    number,
    print_json,
    refuse,
    seed_number,
    share,
    two_bots,
)
from sim.cli.resuming import told_when_interrupted

if TYPE_CHECKING:
    from sim.games.game import Plan
    from sim.running.result import Run

RUNS = Path("reports/runs")


def run(
    scenario: Annotated[
        str | None,
        typer.Argument(
            metavar="SCENARIO",
            help="A YAML file, or the name of a shipped scenario. Default with --goals: that file's.",
        ),
    ] = None,
    matches: Annotated[
        str | None,
        typer.Option("--matches", metavar="N", help="How many, as 1000000, 1e6 or 1M. Default 100,000."),
    ] = None,
    half_width: Annotated[
        str | None,
        typer.Option(
            "--half-width",
            metavar="WIDTH",
            help="Instead: play until score.first and shared are this precise, as in 0.2pp (mainline: trip_gap, in "
            "Stages); --matches is then the cap.",
        ),
    ] = None,
    bots: BotsOption = None,
    seed: SeedOption = None,
    set_: SetOption = None,
    threads: ThreadsOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Run folder. Default: reports/runs/<name>-<digest>."),
    ] = None,
    keep_matches: Annotated[
        bool, typer.Option("--keep-matches", help="Also write matches.parquet, one row a match.")
    ] = False,
    again: Annotated[bool, typer.Option("--again", help="Play anew what the folder holds already.")] = False,
    records: Annotated[
        Path | None,
        typer.Option(
            "--records", metavar="FILE", help="Instead of playing: the matches of this file of records (.jsonl)."
        ),
    ] = None,
    goals: Annotated[
        Path | None,
        typer.Option(
            "--goals",
            metavar="FILE",
            help="Judge the goals of a file, on its pairings. Exit 0 met, 1 violated, 3 open.",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Play matches, print what they say, and write a run folder with tables, figures and a report.

    A run that was interrupted goes on where it stopped when the same command is given again. With --records the
    matches are those that people played; their records name the scenario.
    """
    if records is not None:
        given = {"SCENARIO": scenario, "--matches": matches, "--half-width": half_width, "--bots": bots, "--seed": seed}
        _run_records(records, {**given, "--set": set_, "--goals": goals}, out, keep_matches, again, json)
        return
    if goals is not None:
        _run_goals(goals, scenario, matches, half_width, bots, seed, set_, threads, out, keep_matches, again, json)
        return
    if scenario is None:
        refuse("SCENARIO", "missing", "a YAML file or the name of a shipped scenario, --goals or --records a file")
    from sim.api import load_run, make_plan, scenario_of
    from sim.running.progress import bar
    from sim.running.runner import Amount, play, unit_watched
    from sim.store import RunFolder, folder_name

    asked = count("--matches", matches)
    loaded = scenario_of(scenario, set_ or ())
    say_when_cold(loaded.game)
    plan = make_plan(loaded, bots=two_bots(bots), seed=seed_number(seed))
    unit = unit_watched(plan)
    precision = share("--half-width", half_width) if unit == "share" else number("--half-width", half_width, unit)
    amount = Amount(asked, precision, unit)
    digest = plan.digest(amount.identity)
    path = out or RUNS / folder_name(plan.scenario.name, digest)
    words = _command(scenario, matches, half_width, bots, plan.seed, set_, out, keep_matches)
    folder = RunFolder(path, digest, again=again, with_matches=keep_matches)
    with folder:
        if folder.state == "complete":
            result = load_run(path)
            typer.echo(f"This run is complete already in {path}; --again plays it anew.", err=True)
        else:
            with told_when_interrupted(path, words), bar() as progress:
                result = play(plan, amount, threads=threads, folder=folder, progress=progress, command=words)
    if json:
        print_json(result.summary())
    else:
        from sim.games import game_of

        game_of(result.scenario).print_summary(result, console())
    _finish(result, plan, precision)


def _run_records(
    records: Path, given: dict[str, object], out: Path | None, keep_matches: bool, again: bool, json: bool
) -> None:
    """Make the run folder of recorded matches, and print it."""
    for option, value in given.items():
        if value is not None:
            refuse(option, value, "left out with --records, whose file says what was played")
    say_when_cold()
    from sim.games import game_of
    from sim.studies.recorded_runs import run_records

    result = run_records(records, out=out or RUNS, keep_matches=keep_matches, again=again, named=out is not None)
    if json:
        print_json(result.summary())
    else:
        game_of(result.scenario).print_summary(result, console())


def _run_goals(
    goals: Path,
    scenario: str | None,
    matches: str | None,
    half_width: str | None,
    bots: str | None,
    seed: str | None,
    set_: list[str] | None,
    threads: int | None,
    out: Path | None,
    keep_matches: bool,
    again: bool,
    json: bool,
) -> None:
    """Judge goals: a run folder for each pairing, and `goals.json` beside them."""
    for option, given in (("--half-width", half_width), ("--keep-matches", keep_matches), ("--again", again)):
        if given:
            refuse(option, given, "left out with --goals, which plays a number of matches")
    say_when_cold()
    from sim.running.progress import bar
    from sim.studies.goals import make_goals_plan, play_goals

    asked = count("--matches", matches)
    plan = make_goals_plan(
        goals, scenario, bots=two_bots(bots), matches=asked, seed=seed_number(seed), overrides=set_ or ()
    )
    path = out or RUNS / plan.folder_name
    words = _command(scenario, matches, None, bots, plan.seed, set_, out, False)
    words += ["--goals", str(goals)]
    with told_when_interrupted(path, words), bar() as progress:
        found = play_goals(plan, threads=threads, out=path, progress=progress, command=words)
    if json:
        print_json(found.result())
    else:
        from sim.reports.goals_terminal import print_goals

        print_goals(found, console())
    if found.exit_code:
        raise typer.Exit(found.exit_code)


def _command(
    scenario: str | None,
    matches: str | None,
    half_width: str | None,
    bots: str | None,
    seed: int,
    set_: list[str] | None,
    out: Path | None,
    keep_matches: bool,
) -> list[str]:
    """The command that plays this very run, seed written out."""
    words = ["sim", "run", *([] if scenario is None else [scenario])]
    for option, value in (("--matches", matches), ("--half-width", half_width), ("--bots", bots), ("--seed", seed)):
        if value is not None:
            words += [option, str(value)]
    for assignment in set_ or ():
        words += ["--set", assignment]
    if out is not None:
        words += ["--out", str(out)]
    if keep_matches:
        words.append("--keep-matches")
    return words


def _finish(result: Run, plan: Plan, half_width: float | None) -> None:
    """Exit 1 on a failure such as an illegal order, 3 when a half-width was not reached."""
    from sim.games import game_of

    failure = game_of(result.scenario).failure(result)
    if failure:
        typer.echo(f"warning: {failure}", err=True)
        raise typer.Exit(1)
    if half_width is not None and not result.manifest["precise"]:
        unit = plan.metrics[plan.watched[0]].unit
        shown = f"{100 * half_width:g} pp" if unit == "share" else f"{half_width:g} {unit}"
        typer.echo(
            f"undecided: {result.manifest['matches_played']:,} matches were not enough for a half-width of "
            f"{shown} on {' and '.join(plan.watched)}; raise --matches",
            err=True,
        )
        raise typer.Exit(3)


def _say_when_cold(run: Path) -> None:
    """Say so when the kernels of a run folder's game are to be compiled."""
    game = game_in(run)
    if game is not None:
        say_when_cold(game)


def report(
    run: RunArgument,
    value: Annotated[
        Path | None,
        typer.Option("--value", metavar="DIR", help="Folder of a value study on the same scenario, to be in it too."),
    ] = None,
) -> None:
    """Make the report of a run folder again: report.html and .md, tables and figures; a tournament's as well."""
    _say_when_cold(run)
    from sim.api import load_run
    from sim.files import told
    from sim.games import game_of
    from sim.reports.tournament import write_tournament_report
    from sim.studies.tournament_result import holds_tournament, load_tournament

    if holds_tournament(run):
        found = load_tournament(run)
        with told(run):
            write_tournament_report(found, run)
    else:
        result = load_run(run)
        with told(run):
            game_of(result.scenario).write_report(result, run, value=value)
    typer.echo(f"wrote {run / 'report.html'}")


def verify(
    run: RunArgument,
    all_: Annotated[bool, typer.Option("--all", help="Play every block again, not one.")] = False,
    threads: ThreadsOption = None,
    json: JsonOption = False,
) -> None:
    """Play a sample of a run again and say whether it is bit-identical.

    The sample is one block of the run, 1/64 of its matches, chosen by the run's digest; where matches were kept, every
    row of it is compared as well. Exit 0 identical, 1 not.
    """
    _say_when_cold(run)
    from sim.running.verifying import verify as check

    found = check(run, every_block=all_, threads=threads)
    if json:
        print_json(found.as_dict())
    else:
        typer.echo(found.sentence())
    if not found.identical:
        raise typer.Exit(1)
