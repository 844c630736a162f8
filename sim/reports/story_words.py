"""One match in sentences: orders, events, how it ended, and the order that turned it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.studies.story import Costly, Story

__all__ = ["ending", "event_sentence", "order_words", "turning_sentences"]


def event_sentence(event: Mapping[str, Any]) -> str:
    """One event of a replay."""
    match event["event"]:
        case "head_on":
            what = "head-on"
        case "junction_conflict":
            what = f"conflict at {event['at']}"
        case "toll":
            what = f"{event['by']} pays ${event['paid']} at {event['at']}"
        case "shared_arrival":
            what = f"both enter {event['at']}"
        case _:
            what = f"{event['train']} delivers at {event['at']} (+{event['reward']})"
    return what if event["tick"] == 1 else f"{what}, tick {event['tick']}"


def order_words(order: Mapping[str, str | None]) -> str:
    """An order, as `A1 forward, toggles aW, buys siding:bW`."""
    words = f"{order['train']} {order['move']}"
    if order["toggle"] is not None:
        words += f", toggles {order['toggle']}"
    if order["invest"] is not None:
        words += f", buys {order['invest']}"
    return words


def ending(story: Story) -> str:
    """How the match ended."""
    winner, decided_by = story.result["winner"], story.result["decided_by"]
    state = story.states[-1]
    standing = ", ".join(f"{c} {state['points'][c]} points and ${state['cash'][c]}" for c in ("A", "B"))
    if winner is None:
        return f"Dispatches remain: no result yet ({standing})."
    if winner == "shared":
        return f"The victory is shared ({standing})."
    return f"{winner}, {story.players[winner]}, wins on {decided_by} ({standing})."


def turning_sentences(story: Story) -> list[str]:
    """The order that turned the match, and what that rests on."""
    one = story.turning_point
    if one is None:
        return [
            "No single order surely cost its company anything: no other move or purchase would have served it better, "
            f"both playing on like {story.play_on}."
        ]
    return [
        f"The turning point is dispatch {one.dispatch}: {one.company} ordered {order_words(one.ordered)}. "
        f"{order_words(one.better)} would have been worth {cost_words(one)} more.",
        "That is the order that cost most, against a rival whose secret order is not known, both playing on like "
        f"{story.play_on}.",
    ]


def cost_words(one: Costly) -> str:
    """What an order cost: expected score with its interval, and points of margin."""
    width = f" ± {100 * one.half_width:.1f}" if one.half_width > 0 else ""
    return f"{100 * one.cost:.1f}{width} pp of expected score (margin {one.cost_points:+.1f} points)"
