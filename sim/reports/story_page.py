"""One match as a page: the map with trains that move, both orders, standings, chances, and the order that turned it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sim.config.layouts import layout_positions
from sim.config.network import Network
from sim.reports.html import rendered, write_text
from sim.reports.notebook import framed
from sim.reports.story_words import cost_words, ending, event_sentence, order_words, turning_sentences
from sim.studies.story import Story

__all__ = ["story_frame", "story_page", "write_story"]

TEMPLATE = "story.html.j2"
WIDTH = 640.0
MARGIN = 46.0
TALLEST = 460.0


def write_story(story: Story, path: Path) -> None:
    """Write the page to a file; its folder is made when absent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, story_page(story))


def story_page(story: Story) -> str:
    """The page, which needs nothing beside it."""
    from markupsafe import Markup

    # No "<" is left, so that nothing in a label or a name can end the script element.
    data = json.dumps(_data(story), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return rendered(
        TEMPLATE,
        story=story,
        ending=ending(story),
        turning=turning_sentences(story),
        costly=[
            {
                "dispatch": one.dispatch,
                "company": one.company,
                "ordered": order_words(one.ordered),
                "better": order_words(one.better),
                "cost": cost_words(one),
            }
            for one in story.costly
        ],
        rows=_rows(story),
        data=Markup(data),
    )


def story_frame(story: Story) -> str:
    """The page in a frame, for a notebook."""
    return framed(story_page(story), story.title, 900)


def _rows(story: Story) -> list[dict[str, Any]]:
    """The match as a table, for readers without scripts and for printing."""
    return [
        {
            "dispatch": d + 1,
            "a": order_words(orders["A"]),
            "b": order_words(orders["B"]),
            "events": "; ".join(event_sentence(event) for event in story.events[d]) or "-",
            "points": f"{story.states[d + 1]['points']['A']} : {story.states[d + 1]['points']['B']}",
            "cash": f"${story.states[d + 1]['cash']['A']} : ${story.states[d + 1]['cash']['B']}",
            "chance": f"{100 * story.chances[d + 1].value:.0f}%",
        }
        for d, orders in enumerate(story.orders)
    ]


def _data(story: Story) -> dict[str, Any]:
    """What the page's script draws from."""
    rail_map = story.scenario.map
    network = Network(rail_map)
    places = layout_positions(rail_map)
    xs, ys = [x for x, _ in places.values()], [y for _, y in places.values()]
    wide, tall = max(xs) - min(xs) or 1.0, max(ys) - min(ys) or 1.0
    scale = min((WIDTH - 2 * MARGIN) / wide, (TALLEST - 2 * MARGIN) / tall)
    height = tall * scale + 2 * MARGIN
    left = (WIDTH - wide * scale) / 2
    return {
        "width": WIDTH,
        "height": round(height, 1),
        "nodes": {
            node: [round(left + (x - min(xs)) * scale, 1), round(height - MARGIN - (y - min(ys)) * scale, 1)]
            for node, (x, y) in places.items()
        },
        "junctions": {node: sorted(network.neighbours[node]) for node in network.junctions},
        "tracks": [list(track) for track in rail_map.tracks],
        "players": story.players,
        "states": story.states,
        "orders": [{c: order_words(order) for c, order in orders.items()} for orders in story.orders],
        "toggles": [
            [order["toggle"] for order in orders.values() if order["toggle"] is not None] for orders in story.orders
        ],
        "events": [[{**event, "words": event_sentence(event)} for event in events] for events in story.events],
        "moves": [[list(move) for move in moves] for moves in story.moves],
        "chances": [[round(one.value, 4), round(one.half_width, 4)] for one in story.chances],
        "turning": None if story.turning_point is None else story.turning_point.dispatch,
        "result": story.result,
    }
