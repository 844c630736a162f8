"""`sim maplab`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.cold import say_when_cold
from sim.cli.options import (
    BotsOption,
    JsonOption,
    ThreadsOption,
    console,
    count,
    print_json,
    refuse,
    seed_number,
    two_bots,
)
from sim.cli.resuming import told_when_interrupted

RUNS = Path("reports/runs")


def maplab(
    scenario: Annotated[
        str, typer.Argument(metavar="[SCENARIO]", help="Whose rules the maps are played by. Default: standard.")
    ] = "standard",
    junctions: Annotated[int, typer.Option("--junctions", metavar="N", help="Of each map, an even number.")] = 8,
    terminals: Annotated[int, typer.Option("--terminals", metavar="N", help="Of each map, an even number.")] = 6,
    maps: Annotated[int, typer.Option("--count", metavar="N", help="How many maps.")] = 20,
    first_leg: Annotated[
        str, typer.Option("--first-leg", metavar="A,B", help="Least and most tracks to each first destination.")
    ] = "3,4",
    legs: Annotated[str, typer.Option("--legs", metavar="A,B", help="The same of all later legs.")] = "2,7",
    deliveries: Annotated[int, typer.Option("--deliveries", metavar="N", help="Destinations of each train.")] = 4,
    crossing: Annotated[
        bool, typer.Option("--crossing", help="Also maps that cannot be drawn without tracks that cross.")
    ] = False,
    bots: BotsOption = None,
    matches: Annotated[str | None, typer.Option("--matches", metavar="N", help="Of each map. Default 4,000.")] = None,
    seed: Annotated[str, typer.Option("--seed", metavar="N", help="Of the maps, 0 to 2^63 - 1.")] = "1",
    match_seed: Annotated[
        str | None, typer.Option("--match-seed", metavar="N", help="Of the matches. Default: that of the maps.")
    ] = None,
    threads: ThreadsOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder. Default: reports/runs/<name>-maps-<digest>.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Draw maps by chance, exact by construction, play them, and rank them: fair, close, varied.

    A lab that was interrupted goes on where it stopped when the same command is given again.
    """
    say_when_cold()
    from sim.running.progress import bar
    from sim.store import RunFolder, folder_name
    from sim.studies.map_lab import make_map_lab_plan, play_map_lab
    from sim.studies.map_lab_result import load_map_lab

    generate: dict[str, Any] = {
        "junctions": junctions,
        "terminals": terminals,
        "count": maps,
        "seed": seed_number(seed),
        "first_leg": _legs("--first-leg", first_leg),
        "legs": _legs("--legs", legs),
        "deliveries": deliveries,
        "planar": not crossing,
    }
    plan = make_map_lab_plan(
        scenario,
        generate=generate,
        bots=two_bots(bots),
        matches=count("--matches", matches),
        seed=seed_number(match_seed, "--match-seed"),
    )
    path = out or RUNS / folder_name(f"{plan.first.scenario.name}-maps", plan.digest)
    words = ["sim", "maplab", scenario, "--junctions", str(junctions), "--terminals", str(terminals)]
    words += ["--count", str(maps), "--first-leg", first_leg, "--legs", legs, "--deliveries", str(deliveries)]
    words += [*(["--crossing"] if crossing else []), "--seed", seed]
    for option, value in (("--bots", bots), ("--matches", matches), ("--match-seed", match_seed), ("--out", out)):
        if value is not None:
            words += [option, str(value)]
    with RunFolder(path, plan.digest) as folder:
        if folder.state == "complete":
            typer.echo(f"This lab is complete already in {path}.", err=True)
            found = load_map_lab(path)
        else:
            with told_when_interrupted(path, words), bar() as progress:
                found = play_map_lab(plan, threads=threads, folder=folder, progress=progress, command=words)
    if json:
        print_json(found.result())
    else:
        from sim.reports.map_lab_terminal import print_map_lab

        print_map_lab(found, console())


def _legs(option: str, text: str) -> list[int]:
    """`3,4`."""
    found = re.fullmatch(r"(\d{1,3}),(\d{1,3})", text.replace(" ", ""), re.ASCII)
    if found is None:
        refuse(option, repr(text), "the least and the most tracks, such as 3,4")
    return [int(found[1]), int(found[2])]
