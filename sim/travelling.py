"""Players that are sent to another process or machine: by the name of their bot, and its sources where it has any."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.config.errors import BadInput
from sim.packaged_bots import GROUP, bot_from_package
from sim.plug_ins import bot_from_file, sources_of

if TYPE_CHECKING:
    from kernels.dispatch.bots.decorator import Bot
    from sim.catalogue import Player

__all__ = ["arrived", "sent"]


def sent(player: Player) -> dict[str, Any]:
    """What a player is made of; `arrived` makes it anew.

    Raises
    ------
    BadInput
        When its bot is a function of a notebook or script, or its file has changed since it was loaded.
    """
    from kernels.dispatch.bots import SHIPPED

    bot, source = player.bot, player.source
    told = {
        "name": player.name,
        "bot": bot.name,
        "values": dict(player.values),
        "source": source,
        "restrictions": player.restrictions,
        "files": None,
    }
    if source is None:
        if SHIPPED.get(bot.name) is bot:
            return told
    elif source[0] == GROUP:
        return told
    elif source[0] is not None:
        path = Path(source[0])
        files, digest = sources_of(path)
        if digest != source[1]:
            raise BadInput.of(f"bot {player.name}: {path} has changed since the sweep began")
        return {**told, "files": files}
    raise BadInput.of(
        f"bot {player.name} is a function of a notebook or script, which cannot be sent to other processes; must be in "
        f"a file of its own, named as file.py:{bot.name}"
    )


def arrived(told: Mapping[str, Any]) -> Player:
    """The player that was sent.

    Raises
    ------
    BadInput
        When its bot is not here, or is another one.
    """
    from sim.catalogue import Player

    return Player(told["name"], _bot(told), told["values"], told["source"], told["restrictions"])


def _bot(told: Mapping[str, Any]) -> Bot:
    from kernels.dispatch.bots import SHIPPED

    if told["source"] is None:
        return SHIPPED[told["bot"]]
    place, digest = told["source"]
    if place == GROUP:
        bot, here = bot_from_package(told["bot"])
        if here != digest:
            raise BadInput.of(f"bot {told['name']}: its package is of another version here")
        return bot
    if Path(place).is_file():
        bot, _, here = bot_from_file(f"{place}:{told['bot']}")
        if here == digest:
            return bot
    path = _unpacked(digest, tuple(sorted(told["files"].items())), Path(place).name)
    return bot_from_file(f"{path}:{told['bot']}")[0]


@cache
def _unpacked(digest: str, files: tuple[tuple[str, bytes], ...], name: str) -> Path:
    """The file of a bot, written here with those that it imports from its folder, until this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="dispatch-balance-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for relative, source in files:
        path = folder / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source)
    return folder / name
