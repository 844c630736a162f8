"""Options that commands share, and how their values are read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

_COUNT = re.compile(r"(\d+(?:\.\d+)?)(?:e(\d{1,2})|([kMG]))?", re.ASCII)
_SUFFIXES = {None: 0, "k": 3, "M": 6, "G": 9}


def refuse(option: str, value: object, allowed: str) -> NoReturn:
    """Stop with a usage error that names the option, what was found and what is allowed."""
    from sim.config.errors import BadInput

    raise BadInput.of(f"{option} is {value!s}; must be {allowed}")


def count(option: str, text: str | None) -> int | None:
    """A whole number of 1 or more, written as `1000000`, `1_000_000`, `1e6` or `1M`."""
    if text is None:
        return None
    allowed = "a whole number, 1 or more, such as 1000000, 1_000_000, 1e6 or 1M"
    found = _COUNT.fullmatch(text.replace("_", "")) if not text.startswith("_") else None
    if found is None:
        refuse(option, text, allowed)
    digits, exponent, suffix = found.groups()
    whole, _, part = digits.partition(".")
    power = int(exponent) if exponent else _SUFFIXES[suffix]
    part = part.rstrip("0")
    if len(part) > power:
        refuse(option, text, allowed)
    number: int = int(whole + part) * 10 ** (power - len(part))
    if number < 1:
        refuse(option, text, allowed)
    return number


def share(option: str, text: str | None) -> float | None:
    """A share of 1, written as `0.2pp`, `0.2%` or `0.002`."""
    if text is None:
        return None
    plain = text.strip()
    scale = 1.0
    for unit in ("pp", "%"):
        if plain.endswith(unit):
            plain, scale = plain.removesuffix(unit).strip(), 100.0
            break
    try:
        value = float(plain) / scale
    except ValueError:
        value = -1.0
    if not 0 < value < 1:
        refuse(option, text, "above 0 and below 100pp, such as 0.2pp or 0.002")
    return value


def number(option: str, text: str | None, unit: str) -> float | None:
    """A finite number above 0 in a unit, written as `0.05`."""
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < float("inf"):
        refuse(option, text, f"a number above 0, in {unit}, such as 0.05")
    return value


def seed_number(text: str | None, option: str = "--seed") -> int | None:
    """A seed: a whole number from 0 to 2**63 - 1, as digits."""
    if text is None:
        return None
    if not re.fullmatch(r"\d{1,19}", text, re.ASCII) or int(text) > 2**63 - 1:
        refuse(option, text, f"a whole number from 0 to {2**63 - 1}")
    return int(text)


def two_bots(text: str | None) -> tuple[str, str] | None:
    """`first,second`; one name alone is self-play."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if len(names) > 2 or not all(names):
        refuse("--bots", repr(text), "two names, as in greedy,random, or one for self-play")
    return names[0], names[-1]


def names_of(text: str | None) -> list[str] | None:
    """Any number of bots: `first,second,third`."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        refuse("--bots", repr(text), "names, as in greedy,random")
    return names


ScenarioArgument = Annotated[
    str, typer.Argument(metavar="SCENARIO", help="A YAML file, or the name of a shipped scenario.")
]
RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")]
BotsOption = Annotated[
    str | None,
    typer.Option(
        "--bots",
        metavar="FIRST,SECOND",
        help="Who plays, instead of the scenario's own bots; one name alone plays itself (self-play).",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a scenario key, as in economy.toll=2. Repeatable."),
]
SeedOption = Annotated[
    str | None, typer.Option("--seed", metavar="N", help="0 to 2^63 - 1. Drawn and recorded when absent.")
]
ThreadsOption = Annotated[
    int | None, typer.Option("--threads", metavar="N", help="Default: one for each core. Figures do not depend on it.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON to standard output and nothing else there.")]


def check_outputs(outputs: Mapping[str, Path | None], inputs: Mapping[str, Path | None]) -> None:
    """Refuse a file to write that is read as well, is named twice, or is one that a run folder keeps."""
    taken = {path.resolve(): name for name, path in inputs.items() if path is not None}
    for option, path in outputs.items():
        if path is None:
            continue
        place = path.resolve()
        if place in taken:
            refuse(option, path, f"another file than {taken[place]}, which it would overwrite")
        taken[place] = option
        if path.exists() and (place.parent / "manifest.json").exists():
            refuse(option, path, "a new file, or one outside the run folder, which keeps what stands there")


def print_json(data: Any) -> None:
    """Print JSON to standard output."""
    import json

    typer.echo(json.dumps(data, indent=1, ensure_ascii=False))


def console(*, stderr: bool = False) -> Any:
    """A rich console that keeps to 80 columns where nobody looks, and takes text as it is, brackets and colons too."""
    import sys

    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else 80
    return Console(stderr=stderr, width=width, highlight=False, soft_wrap=False, markup=False, emoji=False)
