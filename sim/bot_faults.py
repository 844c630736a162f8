"""Why a function cannot be a bot, in words for who wrote it: the line, the cause, and for common slips what helps.

numba's messages are long and speak of numba; here they are cut to the sentence that names the cause.
"""

from __future__ import annotations

import dis
import re
import textwrap
from pathlib import Path

from kernels.dispatch.bots.decorator import BotError
from kernels.dispatch.layout import RULES_DTYPE, STATE_DTYPE
from sim.config.errors import BadInput, Problem
from sim.config.values import did_you_mean

__all__ = ["bad_bot"]

WIDEST = 76
"""Columns of a line of details, so that with its indent it fits 80."""
LONGEST = 300
"""Characters of a cause."""

_PLACES = (re.compile(r'File "([^"\n]+)", line (\d+):'), re.compile(r"\bat (\S[^\n]*?) \((\d+)\)"))
_NOISE = re.compile(r"Failed in \w+ mode pipeline|During: |File \"|The compiler failed to analyze the bytecode\.\s*$")
_PREFIX = re.compile(r"The compiler failed to analyze the bytecode\.\s+")
_SIGNATURE = re.compile(r"No implementation of function [^\n]*\n(?:\s*\n)*\s*>>> ([^\n]+)")
_ARITY = re.compile(r"Cannot bind [^\n]* to signature '(\([^\n]*\))' due to \"\w+: (.*?)\.?\"")
_CALLED = re.compile(r"<function (\w+) at")
_UNIFIED = re.compile(r"Cannot unify ([^\n]+?) and ([^\n]+?) for '(\w+)")
_UNTYPED = re.compile(r"Untyped global name '(\w+)'[^\n]*?Cannot determine Numba type of <class '([\w.]+)'>")
_RETURNED = re.compile(r"returns (.*); must return")

_RETURNS = {"none": "nothing", "float64": "a float", "unicode_type": "text"}
_PLAINER = (
    (r"Literal\[int\]\((-?\d+)\)", r"\1"),
    (r"Literal\[str\]\(([^)]*)\)", r"'\1'"),
    (r"IntEnum<\w+>\((\w+)\)", r"\1"),
    (r"OptionalType\((\w+)\)", r"\1 or nothing"),
    (r"^(?:Uni)?Tuple\(.*", "several values"),
)
"""numba's names of types and values, and plainer ones."""

_HINTS = (
    (r">>> \w+\([^\n]*IntEnum<", "write the member as it is, or make it int(…) outside of the function"),
    (r"Untyped global name .*<class 'function'>", "a function that a bot calls is compiled too: put @helper above it"),
    (r"returns float|Cannot unify.*float64", "an order is a whole number: divide with //, round with int(…)"),
    (r"returns (none|OptionalType)", "let every way through the function end in return pack_order(…)"),
    (r"; must return", "return pack_order(train, reverse, toggle, invest)"),
    (r"a bot takes", "take all of them, in this order, even those that are not used"),
    (r"NameError", "import it, or set it at the top of the file"),
)
"""What helps, by what numba or the decorator says; the first that fits."""


def bad_bot(error: BotError, file: str | None = None) -> BadInput:
    """Bad input of a function that cannot be a bot: place and fault on one line, cause and hint on lines below.

    Parameters
    ----------
    error
        With numba's error as its cause, where there is one.
    file
        The bot's file as the user wrote it; None: as Python knows it.
    """
    line, reason, details = error.line, error.reason, []
    said = reason
    if error.__cause__ is not None:
        said = f"{type(error.__cause__).__name__}: {error.__cause__}"
        details.append(_cause(error.__cause__, said))
        line = _line(error, said)
    elif found := _RETURNED.search(reason):
        returned = _RETURNS.get(found[1], _plain(found[1]))
        reason = reason.replace(found[1], returned, 1)
    hint = next((hint for pattern, hint in _HINTS if re.search(pattern, said, re.DOTALL)), None)
    if hint is not None:
        details.append(f"hint: {hint}")
    lines = tuple(part for detail in details for part in textwrap.wrap(detail, WIDEST, subsequent_indent="  "))
    return BadInput([Problem(file or error.file, line, "", reason, lines)])


def _cause(error: BaseException, said: str) -> str:
    """The sentence of a compiler's error that names the cause."""
    if isinstance(error, KeyError):  # of a record's field
        field = str(error.args[0] if error.args else error)
        known = [*(RULES_DTYPE.names or ()), *(STATE_DTYPE.names or ())]
        return f"rules and state have no field {field}{did_you_mean(field, known)}"
    if found := _ARITY.search(said):
        called = _CALLED.search(said)
        return f"{called[1] if called else 'a function'}{found[1]}: {found[2]}"
    if found := _SIGNATURE.search(said):
        return f"{_plain(found[1])} is nothing that can be compiled"
    if found := _UNIFIED.search(said):
        one, other = (_plain(found[side]) for side in (1, 2))
        return f"{found[3]} is now {one}, now {other}; must be of one type throughout"
    if found := _UNTYPED.search(said):
        what = "is not compiled" if found[2] == "function" else f"is a Python {found[2]}, which cannot be compiled"
        return f"{found[1]} {what}"
    lines = [line.strip() for line in _PREFIX.sub("", str(error)).splitlines()]
    told = next((line for line in lines if line and not _NOISE.match(line)), type(error).__name__)
    told = told.replace("..", ".").removesuffix(" Raised from None").strip()
    return told if len(told) <= LONGEST else told[: LONGEST - 1] + "…"


def _plain(told: str) -> str:
    for pattern, plainer in _PLAINER:
        told = re.sub(pattern, plainer, told)
    return told


def _line(error: BotError, said: str) -> int:
    """The line of the bot's file at fault: as numba says, else where the word that it names stands."""
    for places in _PLACES:
        for file, line in places.findall(said):
            if Path(file).name == Path(error.file).name:
                return int(line)
    word = re.search(r"(?:KeyError: |name )'(\w+)'", said)
    for step in dis.get_instructions(error.function):
        line = None if step.positions is None else step.positions.lineno
        if word is not None and step.argval == word[1] and line is not None:
            return line
    return error.line
