"""`sim match`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.cold import say_when_cold
from sim.cli.options import JsonOption, check_outputs, console, print_json

PAGES = Path("reports/matches")


def match(
    source: Annotated[
        Path, typer.Argument(metavar="RUN", help="A run folder, or a file of match records (.json, .jsonl).")
    ],
    pick: Annotated[
        str,
        typer.Option(
            "--pick",
            metavar="WHICH",
            help="closest, blowout, comeback or shared, of the first 10,000 matches; or a number, counted from 0.",
        ),
    ] = "closest",
    play_on: Annotated[
        str, typer.Option("--play-on", metavar="BOT", help="Who both sides play on like, in what might have been.")
    ] = "saboteur",
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The page. Default: reports/matches/<run>-<match>.html."),
    ] = None,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="FILE", help="Also write the match record, for sim replay.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Explain one match: what both ordered, what came of it, and the order that turned it.

    Prints it dispatch by dispatch, and writes a page on which the trains move.
    """
    say_when_cold()
    import json as json_module

    from sim.reports.story_page import write_story
    from sim.reports.story_terminal import print_story
    from sim.store import told
    from sim.studies.story import explain

    check_outputs({"--out": out, "--record": record}, {"RUN": source})
    story = explain(source, pick, play_on=play_on)
    # The folder's name tells runs apart; a record's file does the same for records.
    name = source.resolve().stem if source.is_file() else source.resolve().name
    if story.number is not None:
        name += f"-{story.number}"
    page = out if out is not None else PAGES / f"{name}.html"
    with told(page):
        write_story(story, page)
    if record is not None:
        with told(record):
            record.parent.mkdir(parents=True, exist_ok=True)
            text = json_module.dumps(story.record, ensure_ascii=False, indent=1)
            record.write_text(text + "\n", encoding="utf-8")
    if json:
        print_json(story.as_dict())
        return
    screen = console()
    print_story(story, screen)
    screen.print()
    screen.print(f"written to {page}" + ("" if record is None else f" and {record}"), soft_wrap=True)
