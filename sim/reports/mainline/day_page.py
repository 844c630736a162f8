"""One mainline day as a page and on a terminal: the Division, the string line, and every crossing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.reports.html import rendered, write_text
from sim.reports.lines import Lines
from sim.reports.mainline import day_figures, words
from sim.reports.mainline.tables import day_rows
from sim.studies.day_story import DayStory

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Console

__all__ = ["day_page", "print_day", "write_day"]

TEMPLATE = "day.html.j2"


def write_day(story: DayStory, path: Path) -> None:
    """Write the page to a file; its folder is made when absent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, day_page(story))


def day_page(story: DayStory) -> str:
    """The page, which needs nothing beside it."""
    from markupsafe import Markup

    from sim.reports import style

    day = story.day
    return rendered(
        TEMPLATE,
        story=story,
        sentences=sentences(story),
        pictures=[
            {"name": name, "see": see, "svg": Markup(style.inline_svg(style.svg_text(figure, title=see), name))}
            for name, figure, see in day_pictures(story)
        ],
        trains=[{"number": number, **train} for number, train in day.words()["trains"].items()],
        crossings=day_rows(day),
        card_title=words.card_title,
    )


def day_pictures(story: DayStory) -> list[tuple[str, Figure, str]]:
    """The Division and the string line, each with its name and what is to be seen in it."""
    day = story.day
    n = words.counted(day.stages, "Stage")
    return [
        (
            "strip",
            day_figures.strip_figure(day),
            f"The Division from west to east. The bars are the share of the day's {n} in which a train is on the card.",
        ),
        (
            "string-line",
            day_figures.string_line_figure(day),
            "Time runs to the right, distance up. A flat line waits.",
        ),
    ]


def sentences(story: DayStory) -> list[str]:
    """What happened, beside the trains."""
    told: dict[str, Any] = story.day.words()
    cards = ", ".join(words.card_title(name) for name in story.day.dealt)
    said = [f"West to east: {cards}. The day took {words.counted(told['stages'], 'Stage')}."]
    for one in told["laid"]:
        said.append(f"Stage {one['stage']}: {words.card_title(one['card'])} laid on slot {one['slot']}.")
    for one in told["realigned"]:
        was, now = words.card_title(one["was"]), words.card_title(one["is"])
        said.append(f"Stage {one['stage']}: slot {one['slot']} realigned from {was} to {now}.")
    for one in (*told["kept"], *told["refused"]):
        said.append(f"{words.card_title(one['card'])}, due in Stage {one['stage']}, was not laid: {one['reason']}.")
    for one in told["collisions"]:
        trains = " and ".join(map(str, one["trains"]))
        said.append(f"Stage {one['stage']}: trains {trains} collide on slot {one['slot']}.")
    return said


def print_day(story: DayStory, console: Console) -> None:
    """Print what every train did, in 80 columns."""
    lines = Lines(console)
    lines.line(lines.text(story.title, "bold"))
    for sentence in sentences(story):
        lines.paragraph(sentence)
    lines.heading("Trains")
    rows = [
        [
            number,
            f"{train['direction']}bound{', Extra' if train['extra'] else ''}",
            train["class"],
            str(train["departs"]),
            "" if train["arrival"] is None else str(train["arrival"]),
            "" if train["trip"] is None else str(train["trip"]),
            str(train["held"]),
            train["state"],
        ]
        for number, train in story.day.words()["trains"].items()
    ]
    lines.table(rows, ["train", "direction", "class", "departs", "arrives", "trip", "held", "end"])
