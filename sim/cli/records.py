"""`sim replay`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.cold import say_when_cold
from sim.cli.options import JsonOption, console


def replay(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="A match record: JSON, or JSON lines (.jsonl).")],
    json: JsonOption = False,
) -> None:
    """Judge recorded orders and say what happened, dispatch by dispatch.

    An illegal order is refused with the dispatch, the company and the reason. With --json each match is one line.
    """
    say_when_cold()
    from sim.replaying import replay_many

    results = replay_many(record)
    if json:
        import json as json_module

        for result in results:
            typer.echo(json_module.dumps(result, ensure_ascii=False))
        return
    screen = console()
    for number, result in enumerate(results):
        if len(results) > 1:
            screen.print(f"match {number}", style="bold")
        _print_match(screen, result)


def _print_match(screen: Any, result: dict[str, Any]) -> None:
    from rich import box
    from rich.table import Table

    from sim.reports.story_words import event_sentence

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("dispatch", justify="right")
    table.add_column("A", justify="right")
    table.add_column("B", justify="right")
    table.add_column("what happened")
    for d, (state, events) in enumerate(zip(result["states"], result["events"], strict=True), start=1):
        scores = [f"{state['points'][company]} pt ${state['cash'][company]}" for company in ("A", "B")]
        table.add_row(str(d), *scores, "; ".join(event_sentence(event) for event in events) or "-")
    screen.print(table)
    winner, decided = result["result"]["winner"], result["result"]["decided_by"]
    if winner is None:
        screen.print("dispatches remain: no result yet")
    elif winner == "shared":
        screen.print("the victory is shared")
    else:
        screen.print(f"{winner} wins on {decided}")
