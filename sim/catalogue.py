"""From the name of a bot to a player: shipped bots, a scenario's own variants, and bots from a file."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sim.config.errors import BadInput
from sim.config.values import did_you_mean

if TYPE_CHECKING:
    from kernels.dispatch.bots.decorator import Bot

__all__ = ["Player", "check_bots", "player"]


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
        The file that a plug-in came from and that file's sha256; None for a shipped bot.
    """

    name: str
    bot: Bot
    values: Mapping[str, float | str]
    source: tuple[str, str] | None = None

    @cached_property
    def params(self) -> npt.NDArray[np.float64]:
        """The parameters as the kernel reads them."""
        return self.bot.array(self.values)

    @property
    def identity(self) -> dict[str, Any]:
        """What decides how it plays; two players of one identity are equal bots."""
        plug_in = None if self.source is None else self.source[1]
        return {"bot": self.bot.name, "source": plug_in, "values": dict(self.values)}

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
        given = {key: value for key, value in define[name].items() if key != "bot"}
        base = SHIPPED[define[name]["bot"]]
        return Player(name, base, base.values(given))
    if name in SHIPPED:
        return Player(name, SHIPPED[name], SHIPPED[name].values({}))
    if ".py:" in name:
        return _plug_in(name)
    known = [*SHIPPED, *define]
    raise BadInput.of(
        f"bot {name!r} is unknown; must be one of {', '.join(known)}, or file.py:function{did_you_mean(name, known)}"
    )


def check_bots(
    bots: Mapping[str, str] | None, define: Mapping[str, Mapping[str, Any]]
) -> list[tuple[tuple[str, ...], str]]:
    """What is wrong with a scenario's `bots` and `define`, as (key path, what is found and what is allowed)."""
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
            if key not in parameters:
                allowed = f"{base} has {', '.join(parameters)}" if parameters else f"{base} has none"
                problems.append(
                    (("define", name, key), f"is no parameter of {base}; {allowed}{did_you_mean(key, parameters)}")
                )
                continue
            try:
                parameters[key].code(value)
            except ValueError as error:
                problems.append((("define", name, key), f"is {value!r}; {error}"))
    known = [*SHIPPED, *define]
    for seat, name in (bots or {}).items():
        if name not in known:
            problems.append(
                (("bots", seat), f"is {name!r}; must be one of {', '.join(known)}{did_you_mean(name, known)}")
            )
    return problems


def _plug_in(name: str) -> Player:
    """The bot of a file: any `Bot` made with `@bot` at the top level of it."""
    from kernels.dispatch.bots.decorator import Bot, BotError

    file, _, function = name.rpartition(":")
    path = Path(file)
    if not path.is_file():
        raise BadInput.of(f"bot {name!r}: there is no file {file}")
    module_name = f"bots_from_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]}"
    module = sys.modules.get(module_name)
    if module is None:
        spec = importlib.util.spec_from_file_location(module_name, path.resolve())
        if spec is None or spec.loader is None:
            raise BadInput.of(f"bot {name!r}: {file} is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        try:
            spec.loader.exec_module(module)
        except BotError as error:
            del sys.modules[module_name]
            raise BadInput.of(f"bot {name!r}: {error}") from error
        except Exception as error:
            del sys.modules[module_name]
            raise BadInput.of(f"bot {name!r}: {_where(error, file)}{type(error).__name__}: {error}") from error
    found = {bot.name: bot for bot in vars(module).values() if isinstance(bot, Bot)}
    if function not in found:
        allowed = ", ".join(found) or "none; a bot is a function with @bot above it"
        raise BadInput.of(
            f"bot {name!r}: {file} has no bot {function}; it has {allowed}{did_you_mean(function, found)}"
        )
    bot = found[function]
    try:
        _ = bot.compiled
    except BotError as error:
        raise BadInput.of(f"bot {name!r}: {error}") from error
    return Player(name, bot, bot.values({}), (file, hashlib.sha256(path.read_bytes()).hexdigest()))


def _where(error: BaseException, file: str) -> str:
    """`file:line: ` of the last frame of an exception that lies in the file."""
    line = None
    trace = error.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename) == Path(file).resolve():
            line = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, SyntaxError):
        line = error.lineno
    return f"{file}:{line}: " if line else ""
