"""`@bot`: a function, its parameters and what it declares about itself."""

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt
from numba import njit, types

from kernels.dispatch.bots.limits import new_limits, packed
from kernels.dispatch.match import BOT_SIGNATURE, MIX_SIGNATURE
from kernels.jit import CACHE_FOLDER, PLAIN, cache_in

__all__ = ["ARGUMENTS", "MIX_ROOM", "Bot", "BotError", "Parameter", "bot"]

_KERNELS = Path(__file__).parents[2]

MIX_ROOM = 512
"""Orders that a mix may have."""

ARGUMENTS = ("rules", "state", "c", "params", "stream")
"""What a bot function takes, in this order; the names are the author's."""


class BotError(Exception):
    """A function that cannot be a bot: where it stands, and why; where numba said so, its error is the cause."""

    def __init__(self, function: Callable[..., Any], reason: str) -> None:
        code = function.__code__
        self.function, self.file, self.line, self.reason = function, code.co_filename, code.co_firstlineno, reason
        super().__init__(f"{self.file}:{self.line}: {reason}")


@dataclass(frozen=True)
class Parameter:
    """One number of a bot that a designer may set in YAML.

    `choices`, where given, are the words allowed instead of numbers; the bot sees their index.
    """

    default: float | str
    low: float = -math.inf
    high: float = math.inf
    doc: str = ""
    choices: tuple[str, ...] = ()

    def code(self, value: float | str) -> float:
        """The float64 that the kernel reads; ValueError says what is allowed."""
        if self.choices:
            if value not in self.choices:
                raise ValueError(f"must be one of {', '.join(self.choices)}")
            return float(self.choices.index(str(value)))
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError(f"must be a number from {self.low:g} to {self.high:g}")
        if not self.low <= value <= self.high:
            raise ValueError(f"must be a number from {self.low:g} to {self.high:g}")
        return float(value)


@dataclass(frozen=True)
class Bot:
    """A bot: what plays, and what it says of itself.

    Attributes
    ----------
    name
        As in scenarios and on the command line.
    function
        The plain Python function; it plays uncompiled under `NUMBA_DISABLE_JIT=1`, prints included.
    params
        Parameters by name, in the order of the float64 array that the function gets.
    mirror_fair
        Declared: a mirrored state with swapped luck lanes gives the mirrored order on an exact map (rules 7).
    draws_nothing
        Declared: with these parameter values the bot takes no draw. Checked against the draw counter of every match.
    prepare
        Makes float64 words of the rules (shape (1,)) and the parameters' values once a run; they lie behind the
        parameters in the array that the function gets.
    restrictable
        Declared: keeps to the restrictions of `bots.limits`, which then lie behind its parameters.
    kept_as
        Name, by all of its sources, under which a plug-in's machine code is kept between processes; None: it is not.
    """

    name: str
    function: Callable[..., int]
    params: Mapping[str, Parameter] = field(default_factory=dict)
    mirror_fair: bool = False
    draws_nothing: Callable[[Mapping[str, float | str]], bool] = lambda values: False
    kept_as: str | None = None
    prepare: Callable[[Any, Mapping[str, float | str]], npt.NDArray[np.float64]] | None = None
    restrictable: bool = False
    mix: Callable[..., int] | None = None

    @property
    def doc(self) -> str:
        """The function's docstring, dedented."""
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return self.doc.partition("\n")[0]

    def values(self, given: Mapping[str, Any]) -> dict[str, float | str]:
        """All parameters with the given ones in place of defaults; ValueError on an unknown or impossible one."""
        for name in given:
            if name not in self.params:
                allowed = ", ".join(self.params) or "none"
                raise ValueError(f"{name} is no parameter of {self.name}; its parameters: {allowed}")
        values: dict[str, float | str] = {}
        for name, parameter in self.params.items():
            values[name] = given.get(name, parameter.default)
            try:
                parameter.code(values[name])
            except ValueError as error:
                raise ValueError(f"{name} is {values[name]!r}; {error}") from None
        return values

    def array(self, values: Mapping[str, float | str]) -> npt.NDArray[np.float64]:
        """The read-only float64 array [i] of parameters that the function gets."""
        array = np.array([p.code(values[name]) for name, p in self.params.items()], np.float64)
        array.flags.writeable = False
        return array

    def memory(
        self, rules: Any, values: Mapping[str, float | str], limits: npt.NDArray[np.int64] | None = None
    ) -> npt.NDArray[np.float64]:
        """What the function gets as `params`: the parameters and what lies behind them, read only.

        Parameters
        ----------
        rules
            `Rules`, shape (1,).
        values
            All parameters by name.
        limits
            What it is forbidden or made to do (`bots.limits`); None: nothing. Only for a bot that is `restrictable`:
            these words lie at `behind(number of parameters)`, and behind them what `prepare` makes.
        """
        array = self.array(values)
        parts = [array, np.zeros(behind(array.size) - array.size)]
        if self.restrictable:
            parts.append(packed(new_limits() if limits is None else limits))
        if self.prepare is not None:
            parts.append(self.prepare(rules, values))
        memory = np.concatenate(parts)
        memory.flags.writeable = False
        return memory

    @functools.cached_property
    def compiled(self) -> Callable[..., int]:
        """The function compiled for `match.BOT_SIGNATURE` (as it is, when kernels run plainly)."""
        if PLAIN:
            return self.function
        compiled = self._compiled_for(BOT_SIGNATURE.args)
        returned = compiled.nopython_signatures[0].return_type
        if returned != BOT_SIGNATURE.return_type:
            if not isinstance(returned, types.Integer | types.Boolean):
                raise BotError(
                    self.function, f"bot {self.name} returns {returned}; must return an int64, a packed order"
                )
            compiled = self._compiled_for(BOT_SIGNATURE)
        result: Callable[..., int] = compiled
        return result

    @functools.cached_property
    def compiled_mix(self) -> Callable[..., int]:
        """`mix` compiled for `match.MIX_SIGNATURE`; of a bot that offers none, a function that says 0."""
        function = no_mix if self.mix is None else self.mix
        if PLAIN:
            return function
        result: Callable[..., int] = self._compiled_for(MIX_SIGNATURE, function)
        return result

    def _compiled_for(self, signature: Any, function: Callable[..., int] | None = None) -> Any:
        function = self.function if function is None else function
        folder = self._cache_folder
        try:
            with cache_in(folder):
                return njit(signature, nogil=True, cache=folder is not None)(function)
        except Exception as error:  # numba raises its own errors, and Python's for what it meets while compiling
            raise BotError(function, f"bot {self.name} does not compile") from error

    @property
    def _cache_folder(self) -> Path | None:
        """Where the machine code is kept; None: nowhere, and every process compiles it.

        numba looks at a bot's own file only and would not see an edit of one that it imports. A shipped bot's folder is
        named by all kernel sources; a plug-in needs a `kept_as` that names all of its own.
        """
        if CACHE_FOLDER is None:
            return None
        if Path(self.function.__code__.co_filename).is_relative_to(_KERNELS):
            return CACHE_FOLDER
        return None if self.kept_as is None else CACHE_FOLDER / "bots" / self.kept_as


def no_mix(rules, state, c, params, orders, chances):  # type: ignore[no-untyped-def]
    """The mix of a bot that offers none: no orders."""
    return np.int64(0)


def behind(n_params: int) -> int:
    """Where what lies behind so many parameters begins: at the next even index."""
    return n_params + n_params % 2


@overload
def bot(function: Callable[..., int], /) -> Bot: ...


@overload
def bot(
    *,
    name: str | None = None,
    params: Mapping[str, Parameter] | None = None,
    mirror_fair: bool = False,
    draws_nothing: Callable[[Mapping[str, float | str]], bool] | bool = False,
    prepare: Callable[[Any, Mapping[str, float | str]], npt.NDArray[np.float64]] | None = None,
    restrictable: bool = False,
    mix: Callable[..., int] | None = None,
) -> Callable[[Callable[..., int]], Bot]: ...


def bot(
    function: Callable[..., int] | None = None,
    /,
    *,
    name: str | None = None,
    params: Mapping[str, Parameter] | None = None,
    mirror_fair: bool = False,
    draws_nothing: Callable[[Mapping[str, float | str]], bool] | bool = False,
    prepare: Callable[[Any, Mapping[str, float | str]], npt.NDArray[np.float64]] | None = None,
    restrictable: bool = False,
    mix: Callable[..., int] | None = None,
) -> Bot | Callable[[Callable[..., int]], Bot]:
    """Make a bot of a function of (rules, state, c, params, stream) that returns a packed order.

    Written `@bot` above the function, or `@bot(…)` where it declares something.

    Parameters
    ----------
    function
        Of a bot that declares nothing.
    name
        Its name; the function's own when absent.
    params
        Its parameters, in the order of the array that it gets.
    mirror_fair, draws_nothing
        What it declares of itself (see `Bot`); `draws_nothing` may depend on the parameters' values.
    mix
        Tells the chances of its orders (see `Bot`).
    """

    def decorate(function: Callable[..., int]) -> Bot:
        n_arguments = len(inspect.signature(function).parameters)
        if n_arguments != len(ARGUMENTS):
            raise BotError(
                function,
                f"a bot takes {len(ARGUMENTS)} arguments ({', '.join(ARGUMENTS)}); {function.__name__} takes "
                f"{n_arguments}",
            )
        nothing = draws_nothing if callable(draws_nothing) else lambda values: bool(draws_nothing)
        return Bot(
            name=name or function.__name__,
            function=function,
            params=dict(params or {}),
            mirror_fair=mirror_fair,
            draws_nothing=nothing,
            prepare=prepare,
            restrictable=restrictable,
            mix=mix,
        )

    return decorate if function is None else decorate(function)
