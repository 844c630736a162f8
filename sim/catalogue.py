"""From the name of a bot to a player: shipped bots, a scenario's own variants, and bots of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sim.config.errors import BadInput
from sim.config.network import Network
from sim.config.values import did_you_mean
from sim.restrictions import RESTRICTION_DOCS, UNRESTRICTED, Restrictions

if TYPE_CHECKING:
    from kernels.dispatch.bots.decorator import Bot

__all__ = ["Player", "check_bots", "player", "player_again", "player_of"]

_FUNCTIONS: dict[str, Bot] = {}
"""Bots that were given as functions in this process, by digest, so that their matches can be played again."""


@dataclass(frozen=True)
class Player:
    """A bot with its parameters set: what sits in a seat.

    Attributes
    ----------
    name
        What it is called in tables: a shipped name, a scenario's own name, or `file.py:function`.
    bot
        The bot that plays.
    values
        Its parameters, all of them.
    source
        Of a bot that is not shipped: its file (None: a function of a notebook or script) and the digest of its sources.
    restrictions
        What it may not do, and what it must buy.
    """

    name: str
    bot: Bot
    values: Mapping[str, float | str]
    source: tuple[str | None, str] | None = None
    restrictions: Restrictions = UNRESTRICTED

    @cached_property
    def params(self) -> npt.NDArray[np.float64]:
        """The parameters as the kernel reads them."""
        return self.bot.array(self.values)

    @property
    def identity(self) -> dict[str, Any]:
        """What decides how it plays; two players of one identity are equal bots."""
        plug_in = None if self.source is None else self.source[1]
        return {
            "bot": self.bot.name,
            "source": plug_in,
            "values": dict(self.values),
            "restrictions": self.restrictions.plain,
        }

    @property
    def draws_nothing(self) -> bool:
        """Declared to take no draw with these parameters."""
        return bool(self.bot.draws_nothing(self.values))


def player(name: str, define: Mapping[str, Mapping[str, Any]] | None = None) -> Player:
    """The player of a name: shipped, defined by the scenario, or a bot in a file (`file.py:function`).

    Raises
    ------
    BadInput
        When there is none; the text says which there are.
    """
    from kernels.dispatch.bots import SHIPPED

    define = define or {}
    if name in define:
        problems = check_bots(None, {name: define[name]})
        if problems:
            raise BadInput.of(f"bot {name}: {problems[0][1]}")
        base = SHIPPED[define[name]["bot"]]
        given = {key: value for key, value in define[name].items() if key in base.params}
        return Player(name, base, base.values(given), restrictions=Restrictions.read(define[name])[0])
    if name in SHIPPED:
        return Player(name, SHIPPED[name], SHIPPED[name].values({}))
    if ".py:" in name:
        from sim.plug_ins import bot_from_file

        bot, file, digest = bot_from_file(name)
        return Player(name, bot, bot.values({}), (file, digest))
    known = [*SHIPPED, *define]
    raise BadInput.of(
        f"bot {name!r} is unknown; must be one of {', '.join(known)}, or file.py:function{did_you_mean(name, known)}"
    )


def player_of(bot: Bot) -> Player:
    """The player of a bot that was made here: a shipped one, or a function of a notebook or script.

    Raises
    ------
    BadInput
        When it does not compile.
    """
    from kernels.dispatch.bots import SHIPPED
    from kernels.dispatch.bots.decorator import BotError
    from sim.bot_faults import bad_bot
    from sim.plug_ins import function_digest

    if SHIPPED.get(bot.name) is bot:
        return player(bot.name)
    try:
        _ = bot.compiled
    except BotError as error:
        raise bad_bot(error) from error
    digest = function_digest(bot.function)
    _FUNCTIONS[digest] = bot
    return Player(bot.name, bot, bot.values({}), (None, digest))


def player_again(told: Mapping[str, Any], define: Mapping[str, Mapping[str, Any]]) -> Player:
    """The player that a manifest tells of, as its bot is now.

    Raises
    ------
    BadInput
        When the bot is gone or has changed.
    """
    if told["file"] is not None:
        now = player(f"{told['file']}:{told['bot']}")
    elif told["source"] is None:
        now = player(told["name"], define)
    elif told["source"] in _FUNCTIONS:
        now = player_of(_FUNCTIONS[told["source"]])
    else:
        raise BadInput.of(f"bot {told['name']} was a function of a notebook or script; it cannot be found again")
    if now.identity != {key: told[key] for key in ("bot", "source", "values", "restrictions")}:
        raise BadInput.of(f"bot {told['name']} has changed since this run was played")
    return now


def check_bots(
    bots: Mapping[str, str] | None, define: Mapping[str, Mapping[str, Any]], network: Network | None = None
) -> list[tuple[tuple[str, ...], str]]:
    """What is wrong with a scenario's `bots` and `define`, as (key path, what is found and what is allowed).

    `network` is the scenario's map, whose junctions and tracks restrictions name; None: they are not checked.
    """
    from kernels.dispatch.bots import SHIPPED

    problems: list[tuple[tuple[str, ...], str]] = []
    for name, definition in define.items():
        if name in SHIPPED:
            problems.append((("define", name), "has the name of a shipped bot; must have a name of its own"))
        base = definition["bot"]
        if base not in SHIPPED:
            problems.append(
                (
                    ("define", name, "bot"),
                    f"is {base!r}; must be a shipped bot: {', '.join(SHIPPED)}{did_you_mean(base, SHIPPED)}",
                )
            )
            continue
        for key, value in definition.items():
            if key == "bot":
                continue
            parameters = SHIPPED[base].params
            if key in RESTRICTION_DOCS and SHIPPED[base].restrictable:
                continue
            if key not in parameters:
                known_keys = [*parameters, *(RESTRICTION_DOCS if SHIPPED[base].restrictable else ())]
                allowed = f"{base} has {', '.join(known_keys)}" if known_keys else f"{base} has none"
                problems.append(
                    (("define", name, key), f"is no parameter of {base}; {allowed}{did_you_mean(key, known_keys)}")
                )
                continue
            try:
                parameters[key].code(value)
            except ValueError as error:
                problems.append((("define", name, key), f"is {value!r}; {error}"))
        if SHIPPED[base].restrictable:
            _, wrong = Restrictions.read(definition, network)
            problems.extend((("define", name, *path), message) for path, message in wrong)
    known = [*SHIPPED, *define]
    for seat, name in (bots or {}).items():
        if name not in known:
            problems.append(
                (("bots", seat), f"is {name!r}; must be one of {', '.join(known)}{did_you_mean(name, known)}")
            )
    return problems
