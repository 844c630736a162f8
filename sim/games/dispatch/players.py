"""Who plays the dispatch game: players from whatever names or is one, and as manifests tell of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from kernels.dispatch.bots.decorator import Bot
from sim.catalogue import Player, player, player_of
from sim.config.errors import BadInput
from sim.config.scenario import Scenario

__all__ = ["BotLike", "player_for", "player_words"]

BotLike: TypeAlias = str | Player | Bot


def player_for(bot: BotLike, scenario: Scenario, beside: Sequence[BotLike] = ()) -> Player:
    """A player from whatever names or is it, with the scenario's own variants known.

    `beside` is all that was named along with it, for what may have been meant by a name that there is not.
    """
    if isinstance(bot, Player):
        return bot
    if isinstance(bot, Bot):
        return player_of(bot)
    if isinstance(bot, str):
        # A path in the scenario starts beside it, any other in the working folder.
        return player(bot, scenario.define, scenario.folder if bot in scenario.define else Path(), beside=beside)
    raise BadInput.of(f"bot is {bot!r}; must be a name, file.py:function, or a function made a bot with @bot")


def player_words(player: Player) -> dict[str, Any]:
    """A player as manifests tell of it (`sim.catalogue.player_again` reads it)."""
    file = None if player.source is None else player.source[0]
    return {"name": player.name, **player.identity, "file": file, "mirror_fair": player.bot.mirror_fair}
