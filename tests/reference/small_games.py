"""Small games that can be solved exactly. On all of them the mirror is exact, so that the value is one half.

``H``: ``W1 W2 - p - q - E1 E2``: two junctions, four terminals, and one track that the mirror flips.
``RING``: four junctions in a square, a terminal at each; two tracks cross the middle.
"""

from __future__ import annotations

from typing import Any

H: dict[str, Any] = {
    "schema": 1,
    "name": "h",
    "tracks": [["W1", "p"], ["W2", "p"], ["p", "q"], ["q", "E1"], ["q", "E2"]],
    "mirror": {"W1": "E1", "W2": "E2", "p": "q"},
}
RING: dict[str, Any] = {
    "schema": 1,
    "name": "ring",
    "tracks": [
        *(["aw", "bw"], ["aw", "ae"], ["bw", "be"], ["ae", "be"]),
        *(["Pw", "aw"], ["Pe", "ae"], ["Qw", "bw"], ["Qe", "be"]),
    ],
    "mirror": {"Pw": "Pe", "Qw": "Qe", "aw": "ae", "bw": "be"},
}


def small_game(
    name: str, map_dict: dict[str, Any], dispatches: int, *trains: tuple[str, list[str]], **economy: int | None
) -> dict[str, Any]:
    """A scenario; trains are (terminal where it starts, deliveries)."""
    prices = {"starting_cash": 4, "income": 1, "upgrade_cost": None, "siding_cost": None, "toll": 1}
    return {
        "schema": 1,
        "game": "dispatch",
        "name": name,
        "dispatches": dispatches,
        "economy": {**prices, **economy},
        "cargo": {"rewards": [3, 4, 5], "scope": "train"},
        "map": {**map_dict, "trains": [{"start": start, "deliveries": list(to)} for start, to in trains]},
    }


def shortened(game: dict[str, Any], dispatches: int) -> dict[str, Any]:
    """The same game over fewer dispatches."""
    return {**game, "dispatches": dispatches}


SHED = small_game("shed", H, 3, ("W1", ["E1", "W2"]), ("E2", ["W2", "E1"]), upgrade_cost=3, siding_cost=3)
"""Both investments; each company has a train on either side, so both junctions are contested from the start."""

LADDER = small_game("ladder", H, 4, ("W1", ["W2", "E1"]), ("W2", ["E2", "W1"]), upgrade_cost=3)
"""Upgrades only; each company starts on its own side."""

CROSSING = small_game("crossing", H, 5, ("W1", ["E1", "W2"]), ("E2", ["W2", "E1"]), siding_cost=3)
"""Sidings and tolls only, on the contested map."""

SQUARE = small_game("square", RING, 5, ("Qw", ["Pw", "Qe"]), ("Pe", ["Qe", "Pw"]))
"""Nothing to buy: switches and blocking decide, and cash only with the points."""

SMALL_GAMES = {game["name"]: game for game in (SHED, LADDER, CROSSING, SQUARE)}
