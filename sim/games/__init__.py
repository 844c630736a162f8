"""The games that there are, each behind the same small interface (`sim.games.game`)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from sim.config.errors import BadInput

if TYPE_CHECKING:
    from sim.config.scenario import AnyScenario
    from sim.games.game import Game

__all__ = ["GAMES", "game_named", "game_of"]

GAMES = {"dispatch": "sim.games.dispatch.game", "mainline": "sim.games.mainline.game"}
"""Where each game is, by the word after `game:`; its module, loaded when first used, has a `GAME`."""


def game_named(name: str) -> Game:
    """The game of this name; BadInput when there is none."""
    if name not in GAMES:
        raise BadInput.of(f"there is no game {name!r}; must be {' or '.join(GAMES)}")
    game: Game = import_module(GAMES[name]).GAME
    return game


def game_of(scenario: AnyScenario) -> Game:
    """The game of a scenario."""
    return game_named(scenario.game)
