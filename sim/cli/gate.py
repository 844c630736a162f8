"""`sim baseline` and `sim check`: the gate for continuous integration."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli.cold import say_when_cold
from sim.cli.options import (
    JsonOption,
    SeedOption,
    ThreadsOption,
    check_outputs,
    console,
    count,
    print_json,
    refuse,
    seed_number,
    two_bots,
)

if TYPE_CHECKING:
    from sim.config.errors import BadInput
    from sim.studies.baseline import Baseline
    from sim.studies.check_result import Checked

BaselineArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A baseline, as sim baseline record wrote it.")]
DeltasOption = Annotated[
    Path | None,
    typer.Option("--deltas", metavar="FILE", help="How large a change has to be to matter, figure by figure (YAML)."),
]
ScenariosArgument = Annotated[
    list[str], typer.Argument(metavar="SCENARIO…", help="YAML files, or names of shipped scenarios.")
]
ScenarioArgument = Annotated[
    str, typer.Argument(metavar="SCENARIO", help="As seen from here or as the baseline has it; it may be gone.")
]
BotsOption = Annotated[
    list[str] | None,
    typer.Option("--bots", metavar="FIRST,SECOND", help="A pairing, instead of the scenario's own bots. Repeatable."),
]
MatchesOption = Annotated[
    str | None,
    typer.Option(
        "--matches", metavar="N", help="Of the first look; 16 times as many are played. Default: what the deltas need."
    ),
]
ReasonOption = Annotated[
    str, typer.Option("--reason", metavar="TEXT", help="Why the change is meant; kept in the file.")
]

baseline = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Record, show, change and try out what sim check compares with."
)


@baseline.command("record")
def record(
    scenarios: ScenariosArgument,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The baseline to write.")],
    bots: BotsOption = None,
    deltas: DeltasOption = None,
    matches: MatchesOption = None,
    seed: SeedOption = None,
    threads: ThreadsOption = None,
    again: Annotated[
        bool, typer.Option("--again", help="Replace a baseline that is there; its history stays.")
    ] = False,
) -> None:
    """Play scenarios, and write what every later check compares with."""
    say_when_cold()
    from sim.running.progress import bar
    from sim.studies.record import record_baseline

    pairs = [None] if not bots else [two_bots(text) for text in bots]
    with bar() as progress:
        found = record_baseline(
            out,
            scenarios,
            bots=pairs,
            deltas=deltas,
            matches=count("--matches", matches),
            seed=seed_number(seed),
            threads=threads,
            again=again,
            progress=progress,
        )
    _wrote(found, out)


def _wrote(found: Baseline, file: Path) -> None:
    """Say what a baseline holds now, and whether it is enough."""
    from sim.reports.baseline_terminal import print_planned
    from sim.reports.words import counted

    figures = sum(len(entry.deltas) for entry in found.entries)
    typer.echo(
        f"wrote {file}: {counted(figures, 'figure')} of {counted(len(found.entries), 'pairing')}, seed {found.seed}"
    )
    print_planned(found, str(file), console())


@baseline.command("add")
def add(
    file: BaselineArgument,
    scenarios: ScenariosArgument,
    reason: ReasonOption,
    bots: BotsOption = None,
    deltas: DeltasOption = None,
    matches: MatchesOption = None,
    threads: ThreadsOption = None,
) -> None:
    """Record more scenarios, or more pairings, into a baseline; what it holds stays as it is."""
    say_when_cold()
    from sim.running.progress import bar
    from sim.studies.baseline_edit import add_to_baseline

    with bar() as progress:
        found = add_to_baseline(
            file,
            scenarios,
            reason,
            bots=[None] if not bots else [two_bots(text) for text in bots],
            deltas=deltas,
            matches=count("--matches", matches),
            threads=threads,
            progress=progress,
        )
    _wrote(found, file)


@baseline.command("remove")
def remove(
    file: BaselineArgument,
    scenario: ScenarioArgument,
    reason: ReasonOption,
    bots: Annotated[
        str | None,
        typer.Option("--bots", metavar="FIRST,SECOND", help="Only this pairing, as the baseline has it."),
    ] = None,
) -> None:
    """Take a scenario out of a baseline; what else it holds stays as it is."""
    from sim.studies.baseline_edit import remove_from_baseline

    _wrote(remove_from_baseline(file, scenario, reason, bots=None if bots is None else two_bots(bots)), file)


@baseline.command("rename")
def rename(
    file: BaselineArgument,
    scenario: ScenarioArgument,
    new: Annotated[str, typer.Argument(metavar="NEW", help="Where it is now.")],
    reason: ReasonOption,
) -> None:
    """Say where the file of a scenario is now; what was recorded of it stays."""
    from sim.studies.baseline_edit import rename_in_baseline

    _wrote(rename_in_baseline(file, scenario, new, reason), file)


@baseline.command("show")
def show(file: BaselineArgument, json: JsonOption = False) -> None:
    """Print what a baseline holds: figures, deltas, the matches that each delta needs, and what was accepted when."""
    from sim.reports.baseline_terminal import print_baseline
    from sim.studies.baseline_file import baseline_words, read_baseline

    found = read_baseline(file)
    if json:
        print_json(baseline_words(found))
    else:
        print_baseline(found, str(file), console())


@baseline.command("update")
def update(
    file: BaselineArgument,
    reason: ReasonOption,
    anchor: Annotated[
        bool,
        typer.Option("--anchor", help="Also move the anchor, as at a release; needed beyond three deltas from it."),
    ] = False,
    deltas: DeltasOption = None,
    threads: ThreadsOption = None,
    json: JsonOption = False,
) -> None:
    """Accept the scenarios as they are now; the history keeps what moved and why.

    Exit 1, and nothing written: a figure is more than three deltas from the anchor and --anchor was not given.
    """
    say_when_cold()
    from sim.reports.check_terminal import print_check
    from sim.running.progress import bar
    from sim.stats.gate import State
    from sim.studies.record import Refused, update_baseline

    try:
        with bar() as progress:
            found = update_baseline(file, reason, anchor=anchor, deltas=deltas, threads=threads, progress=progress)
    except Refused as refused:
        print_check(refused.found, console(stderr=True))
        _paragraph(f"not updated: {refused}")
        raise typer.Exit(1) from None
    nothing = found.state is State.IDENTICAL and not anchor and deltas is None
    if json:
        print_json(found.result())
    else:
        print_check(found, console(), accepted=not nothing)
    typer.echo(f"{file} is as it was: nothing has changed" if nothing else f"wrote {file}", err=True)


@baseline.command("selftest")
def selftest(
    file: BaselineArgument,
    simulations: Annotated[
        int, typer.Option("--simulations", min=100, max=100_000, help="Gates of each kind.")
    ] = 2_000,
    seed: SeedOption = None,
    json: JsonOption = False,
) -> None:
    """Try the gate out with the figures of a baseline: simulated checks in which nothing, one thing or all has moved.

    Exit 0: the gate keeps its promises on these figures; 1: it does not; 3: its errors are as seldom as promised, but
    it has too few matches to pass often enough when nothing has changed.
    """
    from sim.reports.selftest_terminal import print_selftest
    from sim.studies.baseline_file import read_baseline
    from sim.studies.selftest import selftest as try_out

    found = try_out(read_baseline(file), simulations, seed_number(seed) or 0)
    if json:
        print_json(found.as_dict())
    else:
        print_selftest(found, str(file), console())
    if found.exit_code:
        raise typer.Exit(found.exit_code)


def check(
    file: BaselineArgument,
    goals: Annotated[
        list[Path] | None, typer.Option("--goals", metavar="FILE", help="Judge these goals as well. Repeatable.")
    ] = None,
    undecided: Annotated[
        str,
        typer.Option(
            "--undecided", metavar="fail|warn", help="What an undecided check is: exit 3, or 0. Default fail."
        ),
    ] = "fail",
    budget: Annotated[
        str | None,
        typer.Option("--budget", metavar="TIME", help="Begin no look that would take longer in all, as in 60s or 2m."),
    ] = None,
    threads: ThreadsOption = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown for a pull request.")] = False,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Also write JUnit XML.")] = None,
    json: JsonOption = False,
) -> None:
    """Play the scenarios of a baseline as they now stand, and say whether the balance of the game has moved.

    Exit 0: identical, or equivalent within the deltas; 1: drift, or a goal violated; 3: undecided.
    """
    check_outputs({"--junit": junit}, {"FILE": file})
    if markdown and json:
        refuse("--markdown", "given with --json", "given alone: both print to standard output")
    from sim.config.errors import BadInput

    try:
        found = _checked(file, goals, undecided, budget, threads)
    except BadInput as error:
        _tell_fault(error, file, markdown, junit, json)
        raise
    _tell(found, markdown, junit, json)
    if found.exit_code:
        raise typer.Exit(found.exit_code)


def _checked(
    file: Path, goals: Sequence[Path] | None, undecided: str, budget: str | None, threads: int | None
) -> Checked:
    """The check that the options ask for."""
    if undecided not in ("fail", "warn"):
        refuse("--undecided", undecided, "fail or warn")
    limit = _seconds(budget)
    say_when_cold()
    from sim.running.progress import bar
    from sim.studies.baseline_file import read_baseline
    from sim.studies.check import play_check
    from sim.studies.check_result import Undecided
    from sim.studies.goals import make_goals_plan

    compared = read_baseline(file)
    plans = [make_goals_plan(one, seed=compared.seed) for one in goals or ()]
    with bar() as progress:
        return play_check(
            compared,
            file,
            goals=plans,
            threads=threads,
            budget=limit,
            undecided=Undecided(undecided),
            progress=progress,
            tell=_paragraph,
        )


def _paragraph(words: str) -> None:
    """A text on standard error, in lines that fit."""
    from sim.reports.lines import Lines

    Lines(console(stderr=True)).paragraph(words)


def _tell(found: Checked, as_markdown: bool, junit_file: Path | None, json: bool) -> None:
    """Print and write what a check says, in every form that was asked for."""
    from sim.reports import check_files

    _write_junit(junit_file, lambda: check_files.junit(found))
    if json:
        print_json(found.result())
    elif as_markdown:
        typer.echo(check_files.markdown(found), nl=False)
    else:
        from sim.reports.check_terminal import print_check

        print_check(found, console())
    _annotate(lambda: check_files.annotation_lines(found))


def _tell_fault(error: BadInput, file: Path, as_markdown: bool, junit_file: Path | None, json: bool) -> None:
    """Say that nothing could be checked in every form that was asked for; the error itself is for standard error."""
    from sim.config.errors import BadInput
    from sim.reports import check_faults

    if json:
        print_json(check_faults.fault_words(str(file), error.problems, 2))
    elif as_markdown:
        typer.echo(check_faults.fault_markdown(error.problems), nl=False)
    _annotate(lambda: check_faults.fault_annotations(error.problems))
    try:
        _write_junit(junit_file, lambda: check_faults.fault_junit(str(file), error.problems))
    except BadInput as unwritten:
        raise BadInput([*error.problems, *unwritten.problems]) from None


def _write_junit(file: Path | None, text: Callable[[], str]) -> None:
    if file is not None:
        from sim.files import told, write_atomically

        with told(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(file, text().encode())


def _annotate(lines: Callable[[], Iterable[str]]) -> None:
    """Where a workflow of GitHub runs, mark what failed."""
    if os.environ.get("GITHUB_ACTIONS") == "true":
        # On standard error, which the runner reads as well: standard output may be JSON, or go into a file.
        for line in lines():
            typer.echo(line, err=True)


def _seconds(text: str | None) -> float | None:
    """A time written as `60s`, `2m` or `90`."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|m|min|h)?", text.strip(), re.ASCII)
    if found is None:
        refuse("--budget", text, "a time, such as 60s or 2m")
    return float(found[1]) * {None: 1, "s": 1, "m": 60, "min": 60, "h": 3600}[found[2]]
