"""`sim match`."""

from __future__ import annotations

from collections.abc import Callable
from json import dumps
from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.cold import game_in, say_when_cold
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
            help="closest, blowout, comeback or shared, of the first 10,000 matches; or a number, counted from 0; of a "
            "mainline run the number of a day.",
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

    Prints it dispatch by dispatch, and writes a page on which the trains move. Of a mainline run it tells one day.
    """
    game = (game_in(source) if source.is_dir() else None) or "dispatch"
    say_when_cold(game)
    from sim.files import told

    check_outputs({"--out": out, "--record": record}, {"RUN": source})
    story: Any
    write: Callable[[Any, Path], None]
    show: Callable[[Any, Any], None]
    if game == "mainline":
        from sim.reports.mainline.day_page import print_day, write_day
        from sim.studies.day_story import explain_day

        story, write, show = explain_day(source, pick), write_day, print_day
    else:
        from sim.reports.story_page import write_story
        from sim.reports.story_terminal import print_story
        from sim.studies.story import explain

        story, write, show = explain(source, pick, play_on=play_on), write_story, print_story
    # The folder's name tells runs apart; a record's file does the same for records.
    name = source.resolve().stem if source.is_file() else source.resolve().name
    if story.number is not None:
        name += f"-{story.number}"
    page = out if out is not None else PAGES / f"{name}.html"
    with told(page):
        write(story, page)
    if record is not None:
        with told(record):
            record.parent.mkdir(parents=True, exist_ok=True)
            record.write_text(dumps(story.record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if json:
        print_json(story.as_dict())
        return
    screen = console()
    show(story, screen)
    screen.print()
    screen.print(f"written to {page}" + ("" if record is None else f" and {record}"), soft_wrap=True)
