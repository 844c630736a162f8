"""Bad input, told in the user's language: every problem at once, each with its place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with what the user gave.

    Attributes
    ----------
    file
        The file as the user would write its path, ``--set key=value`` for an override, or None.
    line
        Line of the offending key, counted from 1, or None.
    key
        Dotted key, such as ``economy.siding_cost``; list items are counted from 1, as in
        ``map.trains[1].start``. Empty when the problem is with the file as a whole.
    message
        What was found and what is allowed; it continues the key, as in ``is -2; must be …``.
    details
        More on it, for lines of their own below, such as what a compiler says.
    """

    file: str | None
    line: int | None
    key: str
    message: str
    details: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([self.headline, *(_printable(f"  {detail}") for detail in self.details)])

    @property
    def headline(self) -> str:
        """The problem in one line."""
        place = "" if self.file is None else self.file if self.line is None else f"{self.file}:{self.line}"
        line = f"{place}{': ' if place else ''}{self.key}{' ' if self.key else ''}{self.message}"
        return _printable(line)


def _printable(line: str) -> str:
    """A line in which nothing breaks it or cannot be seen."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in line
    )


class BadInput(Exception):
    """Input that cannot be used; the command line prints it and exits with 2.

    Attributes
    ----------
    problems
        All of them, in the order of the file.
    """

    problems: tuple[Problem, ...]

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(dict.fromkeys(problems))
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type[BadInput], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)

    @classmethod
    def of(cls, message: str, *, file: str | None = None, line: int | None = None, key: str = "") -> BadInput:
        """Bad input with a single problem."""
        return cls([Problem(file, line, key, message)])
