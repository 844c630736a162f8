"""The `sim` command: its groups of commands put together."""

from __future__ import annotations

from typing import Annotated

import typer

from sim.cli import (
    bench,
    boards,
    compare,
    exploit,
    gate,
    match,
    records,
    reference,
    runs,
    sweep,
    tournament,
    tune,
    value,
)

app = typer.Typer(
    name="sim",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"dispatch-balance {version('dispatch-balance')}")
        raise typer.Exit


@app.callback()
def sim(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """A Monte Carlo laboratory for tuning the balance of a two-player train game.

    Exit codes: 0 done or passed; 1 a check failed; 2 bad input or usage; 3 undecided; 130 interrupted.
    """


app.command("run")(runs.run)
app.command("report")(runs.report)
app.command("verify")(runs.verify)
app.command("compare")(compare.compare)
app.add_typer(gate.baseline, name="baseline")
app.command("check")(gate.check)
app.command("sweep")(sweep.sweep)
app.command("tournament")(tournament.tournament)
app.command("match")(match.match)
app.command("exploit")(exploit.exploit)
app.command("tune")(tune.tune)
app.command("value")(value.value)
app.command("replay")(records.replay)
app.command("map")(boards.show_map)
app.command("bots")(boards.bots)
app.command("init")(boards.init)
app.command("reference")(reference.reference)
app.command("bench")(bench.bench)
