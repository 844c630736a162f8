"""The `sim` command: its groups of commands put together."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from sim.cli import (
    bench,
    boards,
    compare,
    exploit,
    gate,
    maplab,
    match,
    records,
    reference,
    runs,
    sweep,
    tournament,
    tune,
    value,
)


class _Commands(TyperGroup):
    """The commands; an interruption that none of them answers is said, not passed over."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo("interrupted before anything was finished", err=True)
            raise typer.Exit(130) from None


app = typer.Typer(
    name="sim",
    cls=_Commands,
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


app.command("run", short_help="Play matches and say how they end.")(runs.run)
app.command("report", short_help="Make the report of a run folder again.")(runs.report)
app.command("verify", short_help="Play a sample of a run again: is it the same to the bit?")(runs.verify)
app.command("compare", short_help="Say what a change moves, on the same luck.")(compare.compare)
app.add_typer(gate.baseline, name="baseline")
app.command("check", short_help="Say whether the balance has moved since the baseline: the gate.")(gate.check)
app.command("sweep", short_help="Turn several numbers at once, and show where the goals are met.")(sweep.sweep)
app.command("tournament", short_help="Play every bot against every other: whom to believe.")(tournament.tournament)
app.command("match", short_help="Explain one match, and the order that turned it.")(match.match)
app.command("exploit", short_help="Say how much a bot gives away to those who know it.")(exploit.exploit)
app.command("tune", short_help="Find the smallest change that meets all goals, and confirm it.")(tune.tune)
app.command("value", short_help="Say what an upgrade, a siding or a card is worth.")(value.value)
app.command("replay", short_help="Judge recorded orders and say what happened.")(records.replay)
app.command("map", short_help="Check a map and its mirror, and draw it.")(boards.show_map)
app.command("maplab", short_help="Draw maps by chance, play them, and rank them.")(maplab.maplab)
app.command("bots", short_help="List the bots and their parameters.")(boards.bots)
app.command("init", short_help="Copy the shipped files into a folder, or write a bot.")(boards.init)
app.command("reference", short_help="Write every number of the shipped scenarios, as played.")(reference.reference)
app.command("bench", short_help="Measure how many matches a second are played here.")(bench.bench)
