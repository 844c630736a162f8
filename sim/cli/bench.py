"""`sim bench`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim.cli.cold import say_when_cold
from sim.cli.options import JsonOption, SetOption, console, print_json, refuse

if TYPE_CHECKING:
    from sim.config.scenario import AnyScenario
    from sim.games.game import Plan
    from sim.running.benchmark import Speed


def bench(
    scenario: Annotated[str, typer.Argument(metavar="[SCENARIO]", help="Default: standard.")] = "standard",
    bots: Annotated[
        str | None, typer.Option("--bots", metavar="A,B,…", help="Bots to time in self-play. Default: all shipped.")
    ] = None,
    threads: Annotated[
        str, typer.Option("--threads", metavar="N,…", help="Numbers of threads. Default: 1 and one for each core.")
    ] = "",
    seconds: Annotated[float, typer.Option("--seconds", min=0.05, max=600, help="For each measurement.")] = 1.0,
    rounds: Annotated[int, typer.Option("--rounds", min=1, max=1000, help="Measurements of each, in turn.")] = 5,
    set_: SetOption = None,
    json: JsonOption = False,
) -> None:
    """Measure how many matches a second are played here, sums included, as `sim run` plays them."""
    from sim.config.loading import load_scenario
    from sim.config.mainline import MainlineScenario
    from sim.running.progress import bar
    from sim.running.runner import threads_here

    loaded = load_scenario(scenario, set_ or ())
    say_when_cold(loaded.game)
    plans = _days(loaded, bots) if isinstance(loaded, MainlineScenario) else _matches(loaded, bots)
    if threads:
        if not all(part.strip().isdecimal() for part in threads.split(",")):
            refuse("--threads", threads, "whole numbers, as in 1,2")
        numbers = [threads_here(int(part)) for part in threads.split(",")]
    else:
        numbers = sorted({1, threads_here(None)})
    from sim.running.benchmark import measure_plans

    with bar(unit="measurements") as progress:
        speeds = measure_plans(plans, numbers, seconds=seconds, rounds=rounds, progress=progress)
    if json:
        print_json([_as_data(speed) for speed in speeds])
        return
    _print(loaded, speeds)


def _matches(scenario: AnyScenario, bots: str | None) -> list[tuple[str, Plan]]:
    """Self-play of the bots, by name."""
    from kernels.dispatch.bots import SHIPPED
    from sim.config.loading import dispatch_only
    from sim.games.dispatch.plan import DispatchPlan
    from sim.games.dispatch.players import player_for

    loaded = dispatch_only(scenario, "sim bench --bots")
    names = [name.strip() for name in bots.split(",")] if bots is not None else list(SHIPPED)
    players = [player_for(name, loaded, names) for name in names]
    idle = [one.name for one in players if one.draws_nothing]
    if idle:
        refuse("--bots", ", ".join(idle), "bots that draw: without chance there is one match, and no rate to measure")
    return [(player.name, DispatchPlan(loaded, player, player, seed=0)) for player in players]


def _days(scenario: AnyScenario, bots: str | None) -> list[tuple[str, Plan]]:
    """Days of a mainline scenario, by its policy."""
    from sim.games import game_of

    plan = game_of(scenario).make_plan(scenario, bots=bots, seed=0)
    if plan.deterministic:
        from sim.config.errors import BadInput

        raise BadInput.of(f"scenario {scenario.name} draws nothing: there is one day, and no rate to measure")
    return [(plan.pairing_name, plan)]


def _as_data(speed: Speed) -> dict[str, Any]:
    return {
        "bot": speed.bot,
        "threads": speed.threads,
        "matches_per_second": [round(rate) for rate in speed.matches_per_second],
        "median": round(speed.median),
    }


def _print(scenario: AnyScenario, speeds: list[Speed]) -> None:
    from sim.config.scenario import Scenario

    if isinstance(scenario, Scenario):
        who, what, unit, parts = "bot", "self-play, matches", "ns a dispatch", scenario.dispatches
    else:
        who, what, unit, parts = "policy", "days", "ns a day", 1
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=f"{scenario.name}: {what} a second")
    for heading in (who, "threads", "median", "least", "most", unit, "times 1 thread"):
        # A long name of a bot is folded; no figure is ever cut.
        is_name = heading == "bot"
        table.add_column(
            heading, justify="left" if is_name else "right", overflow="fold", no_wrap=not is_name and " " not in heading
        )
    single = {s.bot: s for s in speeds if s.threads == 1}
    for s in speeds:
        base = single.get(s.bot)
        ratios = (
            sorted(rate / one for rate, one in zip(s.matches_per_second, base.matches_per_second, strict=True))
            if base and s.threads > 1
            else []
        )
        table.add_row(
            s.bot,
            str(s.threads),
            f"{s.median:,.0f}",
            f"{min(s.matches_per_second):,.0f}",
            f"{max(s.matches_per_second):,.0f}",
            f"{1e9 * s.threads / s.median / parts:,.0f}",
            f"{ratios[len(ratios) // 2]:.2f}" if ratios else "",
        )
    console().print(table)
