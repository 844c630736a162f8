"""Bots of installed packages, named by their entry points in the group `dispatch_balance.bots`.

A package's `pyproject.toml` says::

    [project.entry-points."dispatch_balance.bots"]
    clever = "my_package.bots:clever"

Then `clever` is a bot wherever a name is asked for. It is what the sources of its whole package say.
"""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from sim.config.errors import BadInput

if TYPE_CHECKING:
    from kernels.dispatch.bots.decorator import Bot

__all__ = ["GROUP", "bot_from_package", "found_in_package", "packaged_names"]

GROUP = "dispatch_balance.bots"
"""Group of the entry points; in manifests it stands in place of a bot's file."""

_LOADED: dict[str, tuple[Bot, str]] = {}
"""Bots by the value of their entry points, with the digests of their packages: loaded once a process."""


def packaged_names() -> list[str]:
    """Names of the bots of installed packages, sorted; none of them is loaded."""
    return list(_names(_installed()))


def _installed() -> tuple[tuple[str, int], ...]:
    """Where packages are looked for, with the time of the last change: what is installed later changes it."""
    found = []
    for folder in sys.path:
        try:
            found.append((folder, os.stat(folder or ".").st_mtime_ns))
        except OSError:
            continue
    return tuple(found)


@cache
def _names(installed: tuple[tuple[str, int], ...]) -> tuple[str, ...]:
    """The names while that much is installed: reading every package's entry points takes milliseconds."""
    return tuple(sorted({one.name for one in entry_points(group=GROUP)}))


def bot_from_package(name: str) -> tuple[Bot, str]:
    """A bot of an installed package, compiled, and the digest of the package's sources.

    Raises
    ------
    BadInput
        When there is none of this name, or it cannot be loaded or compiled.
    """
    from kernels.dispatch.bots.decorator import BotError
    from sim.bot_faults import bad_bot

    try:
        bot, digest = found_in_package(name)
    except LookupError as error:
        raise BadInput.of(f"bot {name!r}: {error}") from None
    try:
        _ = bot.compiled
    except BotError as error:
        raise bad_bot(error) from error
    return bot, digest


def found_in_package(name: str) -> tuple[Bot, str]:
    """The same without compiling it.

    Raises
    ------
    LookupError
        When there is no such entry point.
    BadInput
        When it cannot be loaded, or is no bot of that name.
    """
    found = [one for one in entry_points(group=GROUP) if one.name == name]
    if not found:
        raise LookupError(f"no installed package has a bot {name}")
    if len({one.value for one in found}) > 1:
        raise BadInput.of(f"bot {name!r}: packages have two of it, {', '.join(sorted({one.value for one in found}))}")
    value = found[0].value
    if value not in _LOADED:
        _LOADED[value] = _loaded(found[0])
    return _LOADED[value]


def _loaded(point: EntryPoint) -> tuple[Bot, str]:
    from kernels.dispatch.bots.decorator import Bot, BotError
    from sim.bot_faults import bad_bot

    where = f"bot {point.name!r} of {point.value}"
    try:
        bot = point.load()
    except BotError as error:
        raise bad_bot(error) from error
    except Exception as error:
        raise BadInput.of(f"{where} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(bot, Bot):
        raise BadInput.of(f"{where} is {type(bot).__name__}; must be a function made a bot with @bot")
    if bot.name != point.name:
        raise BadInput.of(f"{where} is called {bot.name}; must have the name of its entry point")
    digest = _digest(point.module)
    return replace(bot, kept_as=digest[:16]), digest


def _digest(module: str) -> str:
    """Sha256 (hex) of all Python sources of the package that a module belongs to."""
    top = sys.modules[module.partition(".")[0]]
    folders = [Path(folder) for folder in getattr(top, "__path__", ())]
    files = [(file.relative_to(folder), file) for folder in folders for file in folder.rglob("*.py")]
    if not folders and top.__file__ is not None:
        files = [(Path(top.__file__).relative_to(Path(top.__file__).parent), Path(top.__file__))]
    digest = hashlib.sha256()
    for name, file in sorted(files):
        source = file.read_bytes()
        digest.update(f"{name.as_posix()}\0{len(source)}\0".encode() + source)
    return digest.hexdigest()
