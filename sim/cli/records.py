"""`sim replay`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.cold import say_when_cold
from sim.cli.options import JsonOption, console


def replay(
    record: Annotated[
        Path, typer.Argument(metavar="RECORD", help="A match record or a mainline day: JSON, or JSON lines (.jsonl).")
    ],
    json: JsonOption = False,
) -> None:
    """Judge recorded orders and say what happened, dispatch by dispatch; or play a recorded mainline day.

    An illegal order is refused with the dispatch, the company and the reason. With --json each match is one line.
    """
    from sim.replays import holds_days, replay_many

    days = holds_days(record)
    say_when_cold("mainline" if days else "dispatch")
    results = replay_many(record)
    if json:
        import json as json_module

        for result in results:
            typer.echo(json_module.dumps(result, ensure_ascii=False))
        return
    screen = console()
    for number, result in enumerate(results):
        if len(results) > 1:
            screen.print(f"{'day' if days else 'match'} {number}", style="bold")
        (_print_day if days else _print_match)(screen, result)


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


def _print_day(screen: Any, result: dict[str, Any]) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("train", "departs", "arrives", "trip", "held"):
        table.add_column(heading, justify="right")
    table.add_column("cards, with the Stages on each")
    for number, train in result["trains"].items():
        cards = ", ".join(f"{card['slot']} {card['card']} {card['stages'] or '-'}" for card in train["cards"])
        arrives = str(train["arrival"] or train["state"])
        trip = "" if train["trip"] is None else str(train["trip"])
        table.add_row(number, str(train["departs"]), arrives, trip, str(train["held"]), cards or "-")
    screen.print(table)
    for ruling in result["rulings"]:
        answer = "let in" if ruling["admitted"] else "held"
        screen.print(f"Stage {ruling['stage']}: train {ruling['train']} before slot {ruling['slot']}: {answer}")
    for hit in result["collisions"]:
        trains = ", ".join(map(str, hit["trains"]))
        screen.print(f"Stage {hit['stage']}: collision on slot {hit['slot']}, trains {trains}")
    for held in result["laid"]:
        screen.print(f"Stage {held['stage']}: {held['card']} laid on slot {held['slot']}")
    for what in ("kept", "refused"):
        for held in result[what]:
            screen.print(f"Stage {held['stage']}: {held['card']} {what}: {held['reason']}")
    screen.print(f"the day took {result['stages']} Stages")
