"""The file of a value study: who plays, how much, and from what a verdict is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, Field

from sim.config.errors import BadInput, Problem
from sim.config.scenario import Model, Name, Schema
from sim.config.shapes import shaped
from sim.config.sources import file_tree
from sim.config.starters import starters_dir
from sim.config.values import OneOf, Share, Whole, refused

__all__ = ["DEFAULT_STUDY", "Amounts", "ValueStudyFile", "load_value_study"]

MOST_MATCHES = 10_000_000
DEFAULT_STUDY = "studies/value.yaml"
"""Which of the shipped files is meant when none is named."""

Matches: TypeAlias = Annotated[int, Whole("matches", 2, MOST_MATCHES)]


class Amounts(Model):
    """How much one bot plays."""

    matches: Matches | None = Field(None, description="Of each version of the bot.")
    scan_matches: Matches | None = Field(None, description="Of each price and each dispatch of the scans.")


def _each_once(bots: tuple[str, ...]) -> tuple[str, ...]:
    twice = next((bot for bot in bots if bots.count(bot) > 1), None)
    if twice is not None:
        raise refused(f"has {twice} twice; must name each bot once")
    return bots


class ValueStudyFile(Model):
    """What a value study plays, and from what a verdict is drawn."""

    schema_version: Schema = Field(alias="schema", description="Version of this format.")
    bots: Annotated[tuple[Name, ...], Field(min_length=1), AfterValidator(_each_once)] = Field(
        description="The panel, weak to strong: shipped bots, those of the scenario's `define`, or `file.py:function`."
    )
    worthless_below: Annotated[float, Share()] = Field(
        description="Delta: where the upper end lies below it for every bot, an investment is dominated."
    )
    mandatory_above: Annotated[float, Share()] = Field(
        description="Delta': where the lower end lies above it for every bot, an investment is mandatory."
    )
    matches: Matches = Field(description="Of each version of a bot.")
    scan_matches: Matches = Field(description="Of each price and each dispatch of the scans.")
    of_bot: dict[Name, Amounts] = Field(default_factory=dict, description="Other numbers for single bots.")
    timings: Annotated[int, Whole("dispatches", 0, 1_000)] = Field(
        description="How many dispatches a purchase is forced at, from the first to the last; 0: none."
    )

    places: Annotated[bool, OneOf((True, False))] = Field(
        True,
        description="Whether junctions, and tracks between them, are valued as well: by a bot that keeps off them.",
    )

    def amounts(self, bot: str) -> tuple[int, int]:
        """Matches of each version of a bot, and of each step of its scans."""
        own = self.of_bot.get(bot, Amounts.model_construct(matches=None, scan_matches=None))
        return own.matches or self.matches, own.scan_matches or self.scan_matches

    def resolved(self) -> dict[str, Any]:
        """Plain data with nothing left to defaults."""
        return self.model_dump(by_alias=True, mode="json")


def load_value_study(path: Path | str | None = None) -> ValueStudyFile:
    """Load the file of a value study; None: the shipped one.

    Raises
    ------
    BadInput
        With every problem that was found.
    """
    file = starters_dir() / DEFAULT_STUDY if path is None else Path(path)
    problems: list[Problem] = []
    node = file_tree(file, problems)
    study = shaped(ValueStudyFile, node.plain(), node, (), problems)
    if study is not None and not problems and study.worthless_below >= study.mandatory_above:
        message = f"is {study.mandatory_above:g}; must be above worthless_below, {study.worthless_below:g}"
        problems.append(node.nearest(("mandatory_above",)).problem(("mandatory_above",), message))
    if study is None or problems:
        raise BadInput(sorted(problems, key=lambda problem: problem.line or 0))
    return study
