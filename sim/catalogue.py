"""From the name of a bot to a player: shipped bots, a scenario's own variants, and bots of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sim.config.errors import BadInput
from sim.config.network import Network
from sim.config.values import did_you_mean
from sim.packaged_bots import GROUP, bot_from_package, found_in_package, packaged_names
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

    def __reduce__(self) -> tuple[Callable[..., Player], tuple[dict[str, Any]]]:
        """To another process it goes by what it is made of (`sim.travelling`)."""
        from sim.travelling import arrived, sent

        return arrived, (sent(self),)

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


def player(
    name: str,
    define: Mapping[str, Mapping[str, Any]] | None = None,
    folder: Path | str = Path(),
    *,
    beside: Iterable[object] = (),
) -> Player:
    """The player of a name: shipped, defined by the scenario, of a file (`file.py:function`), or of a package.

    Parameters
    ----------
    name
        Of the bot.
    define
        The scenario's own variants.
    folder
        Where paths start, also those in `define`.
    beside
        What else was named along with it, for what may have been meant.

    Raises
    ------
    BadInput
        When there is none; the text says which there are.
    """
    from kernels.dispatch.bots import SHIPPED

    define = define or {}
    if name in define:
        problems = check_bots(None, {name: define[name]}, folder)
        if problems:
            raise BadInput.of(f"bot {name}: {problems[0][1]}")
        base = define[name]["bot"]
        bot, source = (SHIPPED[base], None) if base in SHIPPED else _of_own(base, folder)
        given = {key: value for key, value in define[name].items() if key in bot.params}
        restrictions = Restrictions.read(define[name])[0] if bot.restrictable else UNRESTRICTED
        return Player(name, bot, bot.values(given), source, restrictions)
    if name in SHIPPED:
        return Player(name, SHIPPED[name], SHIPPED[name].values({}))
    packaged = packaged_names()
    if ".py:" in name or name in packaged:
        bot, source = _of_own(name, folder)
        return Player(name, bot, bot.values({}), source)
    known = [*SHIPPED, *define, *packaged]
    meant = _meant_in_file(name, beside, folder) or did_you_mean(name, known)
    raise BadInput.of(f"bot {name!r} is unknown; must be one of {', '.join(known)}, or file.py:function{meant}")


def _meant_in_file(name: str, beside: Iterable[object], folder: Path | str) -> str:
    """The tail of a message: a bot of this name in a file that another bot was named from, or nothing."""
    from sim.plug_ins import found_in_file

    for other in beside:
        if isinstance(other, str) and ".py:" in other:
            meant = f"{other.rpartition(':')[0]}:{name}"
            try:
                found_in_file(meant, folder)
            except (LookupError, BadInput):
                continue
            return f"; did you mean {meant}?"
    return ""


def _of_own(name: str, folder: Path | str) -> tuple[Bot, tuple[str, str]]:
    """The bot of a file, or of an installed package, and where it is from: its file or `GROUP`, and a digest."""
    if ".py:" not in name:
        bot, digest = bot_from_package(name.removeprefix(f"{GROUP}:"))
        return bot, (GROUP, digest)
    from sim.plug_ins import bot_from_file

    bot, file, digest = bot_from_file(name, folder)
    return bot, (file, digest)


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
    changed = BadInput.of(f"bot {told['name']} has changed since this run was played")
    if told["file"] is not None:
        bot, source = _of_own(f"{told['file']}:{told['bot']}", Path())
        try:
            restrictions = Restrictions.read(told["restrictions"])[0]
            now = Player(told["name"], bot, bot.values(told["values"]), source, restrictions)
        except (KeyError, ValueError):
            raise changed from None
    elif told["source"] is None:
        now = player(told["name"], define)
    elif told["source"] in _FUNCTIONS:
        now = player_of(_FUNCTIONS[told["source"]])
    else:
        raise BadInput.of(f"bot {told['name']} was a function of a notebook or script; it cannot be found again")
    if now.identity != {key: told.get(key) for key in ("bot", "source", "values", "restrictions")}:
        raise changed
    return now


def check_bots(
    bots: Mapping[str, Any] | None,
    define: Mapping[str, Any],
    folder: Path | str = Path(),
    network: Network | None = None,
) -> list[tuple[tuple[str, ...], str]]:
    """What is wrong with a scenario's `bots` and `define`, as (key path, what is found and what is allowed).

    Parameters
    ----------
    bots, define
        As written. What has not the right shape is passed over: it has been told by whoever checked that.
    folder
        Where the paths of files start.
    network
        The scenario's map, whose junctions and tracks restrictions name; None: they are not checked.
    """
    from kernels.dispatch.bots import SHIPPED

    problems: list[tuple[tuple[str, ...], str]] = []
    packaged = packaged_names()
    for name, definition in define.items():
        base = definition.get("bot") if isinstance(definition, Mapping) else None
        if not isinstance(base, str) or not base:
            continue
        if name in SHIPPED:
            problems.append((("define", name), "has the name of a shipped bot; must have a name of its own"))
        elif ".py:" in name:
            problems.append((("define", name), "has the name of a bot of a file; must have a name of its own"))
        elif name in packaged:
            problems.append((("define", name), "has the name of a bot of a package; must have a name of its own"))
        found, wrong = _base(base, define, folder)
        if found is None:
            problems.append((("define", name, "bot"), wrong))
            continue
        for key, value in definition.items():
            if key == "bot":
                continue
            if key in RESTRICTION_DOCS and found.restrictable:
                continue
            if key not in found.params:
                known_keys = [*found.params, *(RESTRICTION_DOCS if found.restrictable else ())]
                allowed = f"{base} has {', '.join(known_keys)}" if known_keys else f"{base} has none"
                problems.append(
                    (("define", name, key), f"is no parameter of {base}; {allowed}{did_you_mean(key, known_keys)}")
                )
                continue
            try:
                found.params[key].code(value)
            except ValueError as error:
                problems.append((("define", name, key), f"is {value!r}; {error}"))
        if found.restrictable:
            _, refused = Restrictions.read(definition, network)
            problems.extend((("define", name, *path), message) for path, message in refused)
    known = [*SHIPPED, *define, *packaged]
    for seat, name in (bots or {}).items():
        if not isinstance(name, str) or not name or name in known:
            continue
        if ".py:" in name:
            found, wrong = _base(name, {}, folder)
            if found is None:
                problems.append((("bots", seat), wrong))
            continue
        allowed = f"must be one of {', '.join(known)}, or file.py:function"
        problems.append((("bots", seat), f"is {name!r}; {allowed}{did_you_mean(name, known)}"))
    return problems


def _base(name: str, define: Mapping[str, Any], folder: Path | str) -> tuple[Bot | None, str]:
    """The bot that a scenario means by a name, not compiled yet; or None and what is wrong."""
    from kernels.dispatch.bots import SHIPPED

    if name in SHIPPED:
        return SHIPPED[name], ""
    if ".py:" in name:
        from sim.plug_ins import found_in_file

        try:
            return found_in_file(name, folder)[0], ""
        except LookupError as error:
            return None, f"is {name!r}; {error}"
        except BadInput as error:
            return None, f"is {name!r}, which cannot be used: {error.problems[0].headline}"
    packaged = packaged_names()
    if name in packaged:
        try:
            return found_in_package(name)[0], ""
        except BadInput as error:
            return None, f"is {name!r}, which cannot be used: {error.problems[0].headline}"
    if name in define:
        return None, f"is {name!r}, a variant that is defined here; must be the bot itself, with all its parameters"
    known = [*SHIPPED, *packaged]
    return (
        None,
        f"is {name!r}; must be one of {', '.join(known)}, or file.py:function{did_you_mean(name, known)}",
    )
