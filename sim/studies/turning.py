"""A scenario whose keys are turned: what it says of a key itself, and what it is with other values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sim.config.errors import BadInput, Problem
from sim.config.loading import ScenarioTree
from sim.config.recent import Recent
from sim.config.scenario import AnyScenario
from sim.config.sources import file_tree, key_parts
from sim.config.tree import Source

__all__ = ["Turning", "level_words", "short_names", "unlikeness"]

LONGEST_MAPPING = 4
"""Entries of a mapping that is written out in the label of a cell."""


class Turning:
    """A scenario and who plays it, to be turned.

    Parameters
    ----------
    scenario
        As it is.
    bots
        Who plays; None: the scenario's own bots.
    folder
        Of the file that names the values: maps and bots in files start beside the scenario, else there.
    """

    def __init__(self, scenario: AnyScenario, bots: tuple[str, str] | None, folder: Path) -> None:
        self.scenario = scenario
        self.bots = bots
        self.folder = folder
        self.plain = scenario.resolved()
        self._maps: dict[str, Any] = {}
        self._own: dict[str, Any] = {}
        self._tree = Recent(self._on_map)

    def own(self, key: str) -> Any:
        """What the scenario itself says of a key."""
        if key not in self._own:
            self._own[key] = self._found(key)
        return self._own[key]

    def _found(self, key: str) -> Any:
        if key == "bots" and self.bots is not None:
            return list(self.bots)
        here: Any = self.plain
        for part in key_parts(key, Source())[0]:
            inside = isinstance(here, dict) and part in here
            listed = isinstance(here, list) and isinstance(part, int) and part < len(here)
            here = here[part] if inside or listed else None
        if key == "bots" and isinstance(here, dict):
            return [here["A"], here["B"]]
        return here

    def turned(self, values: Mapping[str, Any]) -> tuple[AnyScenario, tuple[str, str] | None]:
        """The scenario with these values, and who plays it (None: the scenario's own bots).

        Raises
        ------
        BadInput
            When it is no valid scenario.
        """
        other = {key: value for key, value in values.items() if not _says_the_same(value, self.own(key))}
        bots, own_map = self.bots, self.plain.get("map")
        if "bots" in other:
            bots = self._two_bots(other.pop("bots"))
        rail_map = self.map(other.pop("map")) if "map" in other else own_map
        if not other and rail_map is own_map:
            return self.scenario, bots
        return self._tree(rail_map).scenario(other), bots

    def _on_map(self, rail_map: Any) -> ScenarioTree:
        """The scenario with a map as plain data."""
        plain = self.plain if rail_map is self.plain.get("map") else {**self.plain, "map": rail_map}
        return ScenarioTree(plain, self.scenario.folder)

    def _two_bots(self, value: Any) -> tuple[str, str]:
        """Who plays at a level of `bots`; names of files start beside the file that names them."""
        names: Sequence[Any] = [value] if isinstance(value, str) else value
        if not (isinstance(names, list) and 1 <= len(names) <= 2 and all(isinstance(name, str) for name in names)):
            raise BadInput.of(f"bots is {level_words(value)}; must be two bots, or one that plays itself")
        first, second = (str(self.folder / name) if ".py:" in name else name for name in (names[0], names[-1]))
        return first, second

    def map_file(self, value: str) -> Path:
        """Where a map lies: beside the scenario, else beside the file that names it, else in the working folder."""
        beside = [folder / value for folder in (self.scenario.folder, self.folder, Path())]
        return next((path for path in beside if path.is_file()), beside[0])

    def map(self, value: Any) -> Any:
        """A whole map as plain data."""
        if not isinstance(value, str):
            return value
        if value not in self._maps:
            problems: list[Problem] = []
            self._maps[value] = file_tree(self.map_file(value), problems).plain()
            if problems:
                raise BadInput(problems)
        return self._maps[value]


def _says_the_same(value: Any, own: Any) -> bool:
    """Whether a value is what the scenario says itself; true and 1, which Python holds equal, are not the same."""
    return bool(value == own) and isinstance(value, bool) is isinstance(own, bool)


def level_words(value: Any) -> str:
    """A value of a key in a few words: of a map its name, of bots who they are."""
    if isinstance(value, dict):
        if not value:
            return "{}"
        if "name" in value and "tracks" in value:
            return str(value["name"])
        if len(value) > LONGEST_MAPPING:
            return f"{len(value)} entries"
        return ", ".join(f"{key} {level_words(below)}" for key, below in value.items())
    if isinstance(value, str):
        return Path(value).stem if value.endswith((".yaml", ".yml")) else value
    if isinstance(value, Sequence) and value and all(isinstance(one, str) for one in value):
        return " vs ".join(value)
    return json.dumps(value, ensure_ascii=False)


def short_names(keys: Sequence[str]) -> dict[str, str]:
    """Keys by their last word where that tells them apart."""
    last = [key.rpartition(".")[2] for key in keys]
    return {key: word if last.count(word) == 1 else key for key, word in zip(keys, last, strict=True)}


def unlikeness(values: Mapping[str, Any], others: Mapping[str, Any]) -> tuple[int, float]:
    """How unlike two points are: keys that differ, then how far the numbers among them lie apart, in sum."""
    differ = [(value, others[key]) for key, value in values.items() if value != others[key]]
    apart = [abs(one - other) for one, other in differ if _is_number(one) and _is_number(other)]
    return len(differ), float(sum(apart))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
