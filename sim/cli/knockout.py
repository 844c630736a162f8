"""What `sim map --knockout` does."""

from __future__ import annotations

from pathlib import Path

import typer

from sim.cli.cold import say_when_cold
from sim.cli.options import console, count, names_of, print_json, seed_number
from sim.cli.resuming import told_when_interrupted

RUNS = Path("reports/runs")


def knockout(
    source: str,
    bots: str | None,
    matches: str | None,
    seed: str | None,
    threads: int | None,
    out: Path | None,
    json: bool,
) -> None:
    """Play a map with a bot that keeps off one place after the other, and print what each is worth."""
    say_when_cold()
    from sim.running.progress import bar
    from sim.store import RunFolder, folder_name
    from sim.studies.knockout import load_knockout, make_knockout_plan, play_knockout

    plan = make_knockout_plan(source, bots=names_of(bots), matches=count("--matches", matches), seed=seed_number(seed))
    path = out or RUNS / folder_name(f"{plan.value.scenario.map.name}-knockout", plan.digest)
    words = ["sim", "map", source, "--knockout", "--seed", str(plan.value.seed)]
    for option, value in (("--bots", bots), ("--matches", matches), ("--out", out)):
        if value is not None:
            words += [option, str(value)]
    with RunFolder(path, plan.digest) as folder:
        if folder.state == "complete":
            typer.echo(f"This study is complete already in {path}.", err=True)
            found = load_knockout(path)
        else:
            with told_when_interrupted(path, words), bar() as progress:
                found = play_knockout(plan, threads=threads, folder=folder, progress=progress, command=words)
    if json:
        print_json(found.result())
    else:
        from sim.reports.knockout_terminal import print_knockout

        print_knockout(found, console())
