"""From files, mappings and overrides to one tree: reading, `extends`, merging, `map:` as a path, `--set`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sim.config.errors import BadInput, Problem
from sim.config.starters import starter_map, starter_path
from sim.config.tree import MAX_BYTES, Node, Source, dotted, parsed_tree, plain_tree
from sim.config.values import did_you_mean, shown

MAX_EXTENDS = 20
Overrides = Sequence[str] | Mapping[str, object]

_QUOTED = r"\"(?:[^\"\\]|\\.)*\"|'[^']*'"
_PART = re.compile(rf"(?P<quoted>{_QUOTED})|(?P<plain>[^.\[\]=\"'\s][^.\[\]=\"']*)")
_POSITION = re.compile(r"\[([0-9]{1,6})\]")


def file_text(path: Path, display: str) -> str:
    """The text of a UTF-8 file, or BadInput that says why it cannot be read."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise BadInput.of("there is no such file", file=display) from None
    except IsADirectoryError:
        raise BadInput.of("is a folder; must be a YAML file", file=display) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput.of(f"cannot be read: {reason}", file=shown(display)) from None
    if len(raw) > MAX_BYTES:
        raise BadInput.of(f"is too large; must be at most {MAX_BYTES:,} bytes", file=display)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise BadInput.of("is not text in UTF-8; must be a YAML file", file=display, line=line) from None


def file_tree(path: Path, problems: list[Problem]) -> Node:
    """The mapping in a YAML file, as written: `extends` and `map` are still what the file says."""
    display = str(path)
    node = parsed_tree(file_text(path, display), Source(display, path.parent), problems)
    return mapping_or_raise(node)


def mapping_or_raise(node: Node) -> Node:
    """The node, when it is a mapping."""
    if not isinstance(node.value, dict):
        message = f"holds {shown(node.plain())}; must hold a mapping of keys to values"
        raise BadInput.of(message, file=node.source.file, line=node.line)
    return node


def beside(node: Node) -> Path:
    """The path that a text node writes, taken from the folder of the file that wrote it."""
    return Path(os.path.normpath(node.source.folder / str(node.value)))


def not_apart(keys: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Keys of which one lies within the other, such as `economy` and `economy.toll`; the later one first."""
    parts: dict[str, list[str | int]] = {}
    for key in keys:
        try:
            parts[key] = list(key_parts(key, Source())[0])
        except BadInput:
            continue  # no key at all, which is told of elsewhere
        for other, before in parts.items():
            n = min(len(before), len(parts[key]))
            if other != key and before[:n] == parts[key][:n]:
                yield key, other


def shipped_or_beside(node: Node, shelf: Callable[[str], Path | None]) -> Path:
    """The path that a text node writes; a bare word that no file bears beside it is the name of something shipped."""
    path, word = beside(node), str(node.value)
    bare = not Path(word).suffix and len(Path(word).parts) == 1 and not os.path.lexists(path)
    return (shelf(word) if bare else None) or path


def extended(node: Node, problems: list[Problem], chain: tuple[Path, ...] = ()) -> Node:
    """A scenario with what it `extends` merged in, over as many files as it takes.

    Raises
    ------
    BadInput
        When the files go round in a circle (all are named), or one cannot be read.
    """
    assert isinstance(node.value, dict)
    link = node.value.get("extends")
    if link is None:
        return node
    own = replace(node, value={key: below for key, below in node.value.items() if key != "extends"})
    if not isinstance(link.value, str) or not link.value:
        problems.append(link.problem(("extends",), f"is {shown(link.plain())}; must be the path of a scenario"))
        return own
    path = shipped_or_beside(link, starter_path)
    _check_exists(link, path, "extends", "a scenario, or the name of a shipped one")
    if os.path.realpath(path) in [os.path.realpath(other) for other in chain]:
        names = " -> ".join(str(other) for other in (*chain, path))
        raise BadInput([link.problem(("extends",), f"goes round in a circle: {names}")])
    if len(chain) > MAX_EXTENDS:
        raise BadInput([link.problem(("extends",), f"goes over more than {MAX_EXTENDS} files")])
    parent = extended(file_tree(path, problems), problems, (*chain, path))
    return merged(parent, own, problems)


def _check_exists(link: Node, path: Path, key: str, noun: str) -> None:
    """Refuse a link to a missing file where the link is written, with the files that are near."""
    if not os.path.lexists(path):
        near = did_you_mean(path.name, _neighbours(path))
        message = f"is {shown(link.value)}, and there is no file {path}; must be {noun}{near}"
        raise BadInput([link.problem((key,), message)])


def _neighbours(path: Path) -> list[str]:
    try:
        return sorted(other.name for other in path.parent.iterdir() if other.suffix in {".yaml", ".yml"})
    except (OSError, ValueError):
        return []


def merged(under: Node, over: Node, problems: list[Problem]) -> Node:
    """One scenario over another: mappings merge, lists and scalars replace, null is a value.

    A mapping over a `map` that is a path is merged into the map of that file.
    """
    assert isinstance(under.value, dict)
    assert isinstance(over.value, dict)
    value = dict(under.value)
    for key, node in over.value.items():
        below = value.get(key)
        if key == "map" and below is not None and isinstance(below.value, str) and isinstance(node.value, dict):
            below = map_tree(below, problems)
        value[key] = node if below is None else _over(below, node)
    return Node(value, over.source, over.line)


def _over(under: Node, over: Node) -> Node:
    if not isinstance(under.value, dict) or not isinstance(over.value, dict):
        return over
    value = dict(under.value)
    for key, node in over.value.items():
        value[key] = _over(value[key], node) if key in value else node
    return Node(value, over.source, over.line)


def bots_beside(root: Node) -> Node:
    """A scenario with its bots of files (`file.py:function`) written as seen from its own folder.

    A file says them as seen from itself, also where another one extends it.
    """

    def seen_from_root(node: Node) -> Node:
        if not isinstance(node.value, str) or ".py:" not in node.value or os.path.isabs(node.value):
            return node
        file, _, function = node.value.rpartition(":")
        path = Path(os.path.normpath(node.source.folder / file))
        if (node.source.file or "").startswith("--set ") and not path.exists() and Path(file).exists():
            path = Path(file)  # as with maps: beside the scenario, else from the working folder
        try:
            path = Path(os.path.relpath(path, root.source.folder))
        except ValueError:  # on another drive
            path = path.absolute()
        return replace(node, value=f"{path.as_posix()}:{function}")

    value = dict(root.value) if isinstance(root.value, dict) else {}
    bots, define = value.get("bots"), value.get("define")
    if bots is not None and isinstance(bots.value, dict):
        value["bots"] = replace(bots, value={seat: seen_from_root(bot) for seat, bot in bots.value.items()})
    if define is not None and isinstance(define.value, dict):
        own = {
            name: replace(node, value={**node.value, "bot": seen_from_root(node.value["bot"])})
            if isinstance(node.value, dict) and "bot" in node.value
            else node
            for name, node in define.value.items()
        }
        value["define"] = replace(define, value=own)
    return replace(root, value=value)


def map_tree(node: Node, problems: list[Problem]) -> Node:
    """The map that a `map:` value means: itself in place, or what its path leads to."""
    if not isinstance(node.value, str):
        return node
    if not node.value:
        raise BadInput([node.problem(("map",), "is ''; must be the path of a map, or a map in place")])
    path = shipped_or_beside(node, starter_map)
    _check_exists(node, path, "map", "the path of a map, or the name of a shipped one")
    return file_tree(path, problems)


def overridden(node: Node, overrides: Overrides, problems: list[Problem]) -> Node:
    """A scenario with ``key=value`` overrides applied, in order.

    Parameters
    ----------
    node
        The scenario after `extends`.
    overrides
        Texts ``economy.toll=2`` whose values are YAML, or a mapping of keys to values.
    problems
        What is wrong with an override is appended, named ``--set key=value``.
    """
    pairs = overrides.items() if isinstance(overrides, Mapping) else ((text, None) for text in overrides)
    for text, given in pairs:
        plain = isinstance(overrides, Mapping)
        name = f"--set {text}={_brief(given)}" if plain else f"--set {text}"
        source = Source(name, node.source.folder)
        try:
            parts, rest = key_parts(text, source)
            value = plain_tree(given, source, problems, parts) if plain else _value(rest, text, source, problems, parts)
            if plain and rest is not None:
                raise BadInput.of("has a key with '='; must be dotted keys such as economy.toll", file=name)
            node = _with(node, parts, _relocated(value, source), problems, source)
        except BadInput as error:
            problems.extend(error.problems)
    return node


def _brief(value: object) -> str:
    return value if isinstance(value, str) else shown(value)


def _relocated(node: Node, source: Source) -> Node:
    """Without lines: an override has none."""
    if isinstance(node.value, dict):
        return Node({key: _relocated(below, source) for key, below in node.value.items()}, source)
    if isinstance(node.value, list):
        return Node([_relocated(below, source) for below in node.value], source)
    return Node(node.value, source)


def key_parts(text: str, source: Source) -> tuple[list[str | int], str | None]:
    """The parts of a dotted key and the text after its ``=`` (None without one)."""
    parts: list[str | int] = []
    place = 0
    while True:
        found = _PART.match(text, place)
        if found is None:
            break
        quoted = found["quoted"]
        parts.append(_unquoted(quoted) if quoted else found["plain"].rstrip())
        place = found.end()
        while (position := _POSITION.match(text, place)) is not None:
            parts.append(int(position[1]) - 1)
            place = position.end()
        if text[place : place + 1] != ".":
            break
        place += 1
    if parts and text[place : place + 1] == "=" and not text[:place].endswith("."):
        return parts, text[place + 1 :]
    if parts and place == len(text) and not text.endswith("."):
        return parts, None
    raise BadInput.of(
        "is no override; must be key=value with dotted keys, such as economy.toll=2 (labels with dots in quotes)",
        file=source.file,
    )


def _unquoted(text: str) -> str:
    return text[1:-1] if text[0] == "'" else re.sub(r"\\(.)", r"\1", text[1:-1])


def _value(rest: str | None, text: str, source: Source, problems: list[Problem], within: Sequence[str | int]) -> Node:
    if rest is None:
        raise BadInput.of("has no value; must be key=value, such as economy.toll=2", file=source.file)
    if not rest.strip():
        raise BadInput.of("has no value; write null for none and '' for empty text", file=source.file)
    found: list[Problem] = []
    try:
        return parsed_tree(rest, source, found, within)
    except BadInput as error:
        found.extend(error.problems)
        raise BadInput(()) from None
    finally:
        problems.extend(replace(problem, line=None) for problem in found)


def _with(node: Node, parts: list[str | int], value: Node, problems: list[Problem], source: Source) -> Node:
    """The scenario with one value set; mappings on the way that do not exist are made."""
    if parts[0] == "map" and len(parts) == 1 and isinstance(value.value, str):
        value = _map_path(value)
    if parts[0] == "map" and isinstance(node.value, dict) and (len(parts) > 1 or isinstance(value.value, dict)):
        below = node.value.get("map")
        if below is not None and isinstance(below.value, str):
            node = replace(node, value={**node.value, "map": map_tree(below, problems)})
    return _set(node, parts, value, source, [])


def _map_path(value: Node) -> Node:
    """An override's map: beside the scenario, else from the working folder."""
    if not os.path.lexists(beside(value)) and os.path.lexists(Path(str(value.value))):
        return replace(value, source=replace(value.source, folder=Path()))
    return value


def _set(node: Node, parts: list[str | int], value: Node, source: Source, done: list[str | int]) -> Node:
    part, rest = parts[0], parts[1:]
    key = (*done, part)
    if isinstance(node.value, list):
        position = part if isinstance(part, int) else int(part) - 1 if part.isdecimal() and len(part) < 7 else -1
        if not 0 <= position < len(node.value):
            message = f"there is no item {shown(part if isinstance(part, str) else part + 1)}"
            raise BadInput.of(
                f"{dotted(tuple(done))}: {message}; must be from 1 to {len(node.value)}", file=source.file
            )
        items = list(node.value)
        items[position] = _set(items[position], rest, value, source, [*done, position]) if rest else value
        return replace(node, value=items)
    if isinstance(part, int) or not isinstance(node.value, dict):
        kind = "a mapping" if isinstance(node.value, dict) else shown(node.value)
        raise BadInput.of(f"{dotted(tuple(done))} is {kind}; nothing can be set at {dotted(key)}", file=source.file)
    below = node.value.get(part)
    if not rest:
        new = value if below is None else _over(below, value)
    else:
        if below is None or (below.value is None and not isinstance(rest[0], int)):
            below = Node({}, source)
        new = _set(below, rest, value, source, [*done, part])
    return replace(node, value={**node.value, part: new})
