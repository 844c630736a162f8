"""One match on a terminal, dispatch by dispatch, in 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.reports.lines import Lines
from sim.reports.story_words import cost_words, ending, event_sentence, order_words, turning_sentences
from sim.studies.story import Story

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_story"]

_STYLES = {"A": "blue", "B": "dark_orange3"}
MOST_COSTLY = 5


def print_story(story: Story, console: Console) -> None:
    """Print what was ordered and what came of it, then the orders that cost most."""
    lines = Lines(console)
    lines.line(lines.text(story.title, "bold"), lines.text(f" · {story.why}"))
    if story.number is not None:
        lines.line(lines.text(f"match {story.number:,}"))
    lines.paragraph(ending(story))
    for sentence in turning_sentences(story):
        lines.paragraph(sentence)
    lines.paragraph(f"A's chance is what A scores if both play on like {story.play_on}.")
    turned = story.turning_point
    for d, (orders, events) in enumerate(zip(story.orders, story.events, strict=True)):
        state, chance = story.states[d + 1], story.chances[d + 1]
        lines.blank()
        standing = " · ".join(f"{c} {state['points'][c]} pt ${state['cash'][c]}" for c in ("A", "B"))
        lines.line(lines.text(f"dispatch {d + 1}", "bold"))
        for company, order in orders.items():
            mark = (
                " ← turning point"
                if turned is not None and (turned.dispatch, turned.company) == (d + 1, company)
                else ""
            )
            lines.line(
                lines.text(f"  {company}  ", _STYLES[company]), lines.text(order_words(order)), lines.text(mark, "bold")
            )
        if events:
            lines.paragraph("  =  " + "; ".join(event_sentence(event) for event in events), hang="     ")
        lines.line(lines.text(f"  →  {standing} · A's chance {100 * chance.value:.0f}%", "dim"))
    if len(story.costly) > 1:
        lines.heading("Orders that cost most")
        for one in story.costly[:MOST_COSTLY]:
            lines.paragraph(
                f"{one.dispatch:>2} {one.company}  {order_words(one.ordered)} instead of {order_words(one.better)}: "
                f"{cost_words(one)}",
                hang="      ",
            )
