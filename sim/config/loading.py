"""Loading scenarios and maps: every problem at once, each with file, line, key and what is allowed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sim.config.errors import BadInput, Problem
from sim.config.mainline import MainlineScenario, mainline_breaches
from sim.config.maps import map_breaches
from sim.config.network import Network, network_of
from sim.config.scenario import AnyScenario, RailMap, Scenario
from sim.config.shapes import shaped
from sim.config.sources import Overrides, bots_beside, extended, file_tree, map_tree, mapping_or_raise, overridden
from sim.config.starters import starter_names, starter_path, starters_dir
from sim.config.tree import Node, Source, plain_tree
from sim.config.values import did_you_mean, shown

_STAND_IN = RailMap.model_construct(schema_version=1, name="", tracks=(), mirror={}, trains=())
"""Takes the place of a map that has problems of its own, so that the rest of its scenario is checked too."""


def load_scenario(
    source: str | Path | Mapping[str, Any],
    overrides: Overrides = (),
    *,
    folder: Path | str = Path(),
    bots: bool = True,
) -> AnyScenario:
    """Load a scenario and check everything about it that can be checked without playing.

    Where it names a bot of a file, that file is run.

    Parameters
    ----------
    source
        A YAML file, the name of a shipped scenario, or the scenario itself as plain data.
    overrides
        Texts such as ``economy.toll=2`` or ``map.initial_routes.a=2``, whose values are YAML, or a mapping of
        such keys to values. List items are counted from 1, as in ``map.trains[2].first_reward=1``.
    folder
        Where relative paths start in plain data; those in a file start beside it.
    bots
        False leaves out whether its bots can be found and take their parameters: for a scenario that was played, whose
        bots may be elsewhere now, and where only the map is wanted.

    Raises
    ------
    BadInput
        With every problem that was found.
    """
    if isinstance(source, Mapping):
        return ScenarioTree(source, folder).scenario(overrides, bots=bots)
    problems: list[Problem] = []
    path = _scenario_path(source)
    root = extended(file_tree(path, problems), problems, (path,))
    return _scenario(overridden(root, overrides, problems), problems, bots, _Maps())


class ScenarioTree:
    """A scenario as plain data, read once, to be loaded again and again with other values of its keys.

    Each is checked as `load_scenario` checks it, but that a map which no value lies in is checked once.

    Parameters
    ----------
    source
        The scenario.
    folder
        Where its relative paths start.

    Raises
    ------
    BadInput
        When it is too large, or what it extends cannot be read.
    """

    def __init__(self, source: Mapping[str, Any], folder: Path | str = Path()) -> None:
        self._problems: list[Problem] = []
        root = mapping_or_raise(plain_tree(source, Source(None, Path(folder)), self._problems))
        self._root = extended(root, self._problems)
        self._maps = _Maps()

    def scenario(self, overrides: Overrides = (), *, bots: bool = True) -> AnyScenario:
        """The scenario with these values; parameters and errors are those of `load_scenario`."""
        problems = [*self._problems]
        return _scenario(overridden(self._root, overrides, problems), problems, bots, self._maps)


def dispatch_only(scenario: AnyScenario, what: str) -> Scenario:
    """The scenario, when it is of the dispatch game; BadInput that says what needs that game when it is not."""
    if not isinstance(scenario, Scenario):
        raise BadInput.of(f"scenario {scenario.name} is of the game {scenario.game}; {what} needs the dispatch game")
    return scenario


def load_map(source: str | Path | Mapping[str, Any]) -> RailMap:
    """Load a map from a file, from plain data, or by the name of a shipped map.

    Raises
    ------
    BadInput
        With every problem that was found.
    """
    problems: list[Problem] = []
    if isinstance(source, Mapping):
        root = mapping_or_raise(plain_tree(source, Source(), problems))
    else:
        root = file_tree(_named(source, starters_dir() / "maps"), problems)
    rail_map = _map(root, (), None, problems)
    if rail_map is None or problems:
        raise _sorted(problems)
    return rail_map


def _scenario_path(source: str | Path) -> Path:
    path = Path(source)
    if isinstance(source, str) and _is_name(path):
        shipped = starter_path(source)
        if shipped is None:
            raise _unknown(source, "scenario", [name for game in GAMES for name in starter_names(game)])
        return shipped
    return path


def _named(source: str | Path, shelf: Path) -> Path:
    path = Path(source)
    if isinstance(source, str) and _is_name(path):
        names = sorted(shipped.stem for shipped in shelf.glob("*.yaml"))
        if source not in names:
            raise _unknown(source, "map", names)
        return shelf / f"{source}.yaml"
    return path


def _unknown(source: str, noun: str, names: list[str]) -> BadInput:
    """What there is instead of a shipped scenario or map that there is not."""
    near = did_you_mean(source, names)
    return BadInput.of(
        f"there is no such file, nor a shipped {noun} of this name ({', '.join(names)}){near}", file=source
    )


def _is_name(path: Path) -> bool:
    """Whether a source is a bare word, and no file of this name stands in the working folder."""
    return not path.suffix and len(path.parts) == 1 and not os.path.isfile(path)


class _Maps:
    """Checks maps of scenarios, and knows the last one that was good.

    A node never changes, so that the same one need not be checked twice; but a path may lead to another file by then.
    """

    def __init__(self) -> None:
        self._good: tuple[Node, str | None, RailMap] | None = None

    def checked(self, written: Node, scope: str | None, problems: list[Problem]) -> RailMap | None:
        """The map that a `map:` value means, or what is left of it when there are problems."""
        if self._good is not None and self._good[0] is written and self._good[1] == scope:
            return self._good[2]
        rail_map = _map(map_tree(written, problems), ("map",), scope, problems)
        if rail_map is not None and not problems and isinstance(written.value, dict):
            self._good = written, scope, rail_map
        return rail_map


def _scenario(root: Node, problems: list[Problem], bots: bool, maps: _Maps) -> AnyScenario:
    game = root.child("game")
    word = "dispatch" if game is None else game.plain()
    if game is not None and (not isinstance(word, str) or word not in GAMES):
        message = f"is {shown(word)}; must be {' or '.join(GAMES)}{did_you_mean(word, GAMES)}"
        raise BadInput([*problems, game.problem(("game",), message)])
    scenario = GAMES[word](root, problems, bots, maps)
    if scenario is None or problems:
        raise _sorted(problems)
    return scenario


def _sorted(problems: list[Problem]) -> BadInput:
    """The problems of each file together, in the order of its lines."""
    files = list(dict.fromkeys(problem.file for problem in problems))
    return BadInput(sorted(problems, key=lambda problem: (files.index(problem.file), problem.line or 0)))


def _dispatch_scenario(root: Node, problems: list[Problem], bots: bool, maps: _Maps) -> Scenario | None:
    """The dispatch game: its map is a tree of its own, checked apart so that neither hides the other's problems."""
    root = bots_beside(root)
    assert isinstance(root.value, dict)
    plain: dict[str, Any] = {key: _STAND_IN if key == "map" else node.plain() for key, node in root.value.items()}
    of_map: list[Problem] = []
    written = root.child("map")
    if written is not None:
        try:
            plain["map"] = maps.checked(written, _scope(root), of_map) or _STAND_IN
        except BadInput as error:
            of_map.extend(error.problems)
    network = None if of_map or plain.get("map") is _STAND_IN or "map" not in plain else network_of(plain["map"])
    scenario = shaped(Scenario, plain, root, (), problems)
    problems.extend(of_map)
    if bots:
        problems.extend(root.nearest(key).problem(key, message) for key, message in _bots(root, network))
    return None if scenario is None else scenario.in_folder(root.source.folder)


def _bots(root: Node, network: Network | None) -> list[tuple[tuple[str, ...], str]]:
    """What is wrong with the bots that a scenario names, as key paths and messages; other keys may be wrong as well."""
    named, define = (node.plain() if (node := root.child(key)) is not None else None for key in ("bots", "define"))
    named, define = (plain if isinstance(plain, dict) else {} for plain in (named, define))
    if not named and not define:
        return []
    from sim.catalogue import check_bots  # It imports the kernels, which takes a while.

    return check_bots(named, define, root.source.folder, network)


def _scope(root: Node) -> str | None:
    """The scenario's `cargo.scope`, or None when it is not one."""
    scope = root.nearest(("cargo", "scope")).value
    if isinstance(scope, dict):
        return "train"
    return scope if scope in ("train", "company") else None


def _map(node: Node, prefix: tuple[str, ...], scope: str | None, problems: list[Problem]) -> RailMap | None:
    if not isinstance(node.value, dict):
        message = f"is {shown(node.plain())}; must be the path of a map, or a map in place"
        problems.append(node.problem(prefix, message))
        return None
    rail_map = shaped(RailMap, node.plain(), node, prefix, problems)
    if rail_map is None or problems:
        return rail_map
    for key, message in map_breaches(rail_map, scope):
        problems.append(node.nearest(key).problem((*prefix, *key), message))
    return rail_map


def _mainline_scenario(root: Node, problems: list[Problem], bots: bool, maps: _Maps) -> AnyScenario | None:
    """The mainline game: shape first, then what its keys mean for each other."""
    scenario = shaped(MainlineScenario, root.plain(), root, (), problems)
    if scenario is None:
        return None
    problems.extend(root.nearest(key).problem(key, message) for key, message in mainline_breaches(scenario))
    return scenario.in_folder(root.source.folder)


GAMES: dict[str, Callable[[Node, list[Problem], bool, _Maps], AnyScenario | None]] = {
    "dispatch": _dispatch_scenario,
    "mainline": _mainline_scenario,
}
"""The games that there are, by the word after `game:`, each with what makes its scenario of a tree."""
