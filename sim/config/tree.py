"""YAML 1.2 text as a tree in which every value knows the file and line that wrote it.

Only the events of ruamel.yaml are used: scalars follow the core schema of YAML 1.2 here (so ``no``, ``on`` and
``2024-01-01`` are text), a duplicate key is a problem with its line, and an alias cannot make a small file huge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import index
from pathlib import Path
from typing import Any, TypeAlias

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from sim.config.errors import BadInput, Problem
from sim.config.values import shown, unprintable

MAX_BYTES = 500_000
MAX_VALUES = 100_000
MAX_DEPTH = 40

NUMBERED = ["up"]
"""Keys of the one mapping whose own keys are numbers, the slots of a Division. Elsewhere a number where a label belongs
is a slip, and has to be put in quotes."""

Scalar: TypeAlias = str | int | float | bool | None
KeyPath: TypeAlias = tuple[str | int, ...]

_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


@dataclass(frozen=True, slots=True)
class Source:
    """Who wrote a value: the file as shown to the user (or None), and the folder its paths start from."""

    file: str | None = None
    folder: Path = Path()


@dataclass(frozen=True, slots=True)
class Node:
    """A value with its place: for a value under a key, the line of the key.

    `written` is a scalar as it stands in the file, such as ``0x1F`` for 31.
    """

    value: Scalar | dict[str, Node] | list[Node]
    source: Source
    line: int | None = None
    written: str | None = None

    def problem(self, key: KeyPath, message: str) -> Problem:
        """A problem at this node."""
        return Problem(self.source.file, self.line, dotted(key), message)

    def child(self, part: str | int) -> Node | None:
        """The value under a key or at a position (from 0), if there is one."""
        if isinstance(self.value, dict):
            return self.value.get(str(part))
        if isinstance(self.value, list) and isinstance(part, int) and 0 <= part < len(self.value):
            return self.value[part]
        return None

    def nearest(self, key: KeyPath) -> Node:
        """The node at a key path, or the last one on the way there that exists."""
        node = self
        for part in key:
            below = node.child(part)
            if below is None:
                break
            node = below
        return node

    def plain(self) -> Any:
        """The value without places."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value


def is_number(key: object) -> bool:
    """Whether a key is a whole number."""
    return isinstance(key, int) and not isinstance(key, bool)


def dotted(key: KeyPath) -> str:
    """A key path as text: ``map.trains[1].start``, list items counted from 1."""
    text = ""
    for part in key:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            word = part if re.fullmatch(r"[^.\[\]\"'=:\s]+", part) else shown(part)
            text += f".{word}" if text else word
    return text


def parsed_scalar(text: str) -> Scalar:
    """A plain (unquoted) scalar by the core schema of YAML 1.2."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        if len(text) > 1000:
            return float("inf")
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INFINITE.fullmatch(text):
        return float(text.replace(".", "").lower())
    return text


def parsed_tree(text: str, source: Source, problems: list[Problem], within: Sequence[str | int] = ()) -> Node:
    """Read YAML text.

    Parameters
    ----------
    text
        One YAML document.
    source
        Goes into every node.
    problems
        Duplicate and odd keys, tags and aliases are appended; reading goes on past them.
    within
        Keys under which the text will stand.

    Raises
    ------
    BadInput
        When the text is not YAML, or not one document within the limits.
    """
    reader = _Reader(source, problems, within)
    yaml = YAML(typ="safe", pure=True)
    try:
        return reader.document(yaml.parse(text))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = " ".join(str(error.problem or error.context or "cannot be read").split())
        if "'\\t'" in what:
            what = "a tab stands where only spaces may; indent with spaces"
        raise BadInput.of(f"is not YAML: {what}", file=source.file, line=mark.line + 1 if mark else None) from None
    except (YAMLError, ValueError, LookupError, AssertionError, AttributeError, TypeError, RecursionError) as error:
        # The parser's own slips on odd text are the text's fault too.
        what = " ".join((str(error).strip().splitlines() or [type(error).__name__])[0].split())
        raise BadInput.of(f"is not YAML: {what}", file=source.file) from None


class _Reader:
    """Events in, nodes out."""

    def __init__(self, source: Source, problems: list[Problem], within: Sequence[str | int] = ()) -> None:
        self.source = source
        self.problems = problems
        self.anchors: dict[str, Node] = {}
        self.sizes: dict[int, int] = {}
        self.n_values = 0
        self.keys: list[Any] = list(within)  # of the mappings around what is being read

    def stop(self, message: str, line: int | None) -> BadInput:
        return BadInput.of(message, file=self.source.file, line=line)

    def document(self, events: Iterator[Any]) -> Node:
        root: Node | None = None
        for event in events:
            kind = type(event).__name__
            if kind == "DocumentStartEvent":
                line = event.start_mark.line + 1
                if root is not None:
                    raise self.stop("a second document starts here; must be one YAML document", line)
                if event.version and tuple(event.version) != (1, 2):
                    raise self.stop("is written for another version of YAML; must be YAML 1.2", line)
            elif kind in ("ScalarEvent", "AliasEvent", "MappingStartEvent", "SequenceStartEvent"):
                root = self.node(event, events, 0)
        if root is None:
            raise self.stop("is empty", None)
        return root

    def node(self, event: Any, events: Iterator[Any], depth: int) -> Node:
        line = event.start_mark.line + 1
        before = self.n_values
        self.count(1, line)
        if depth > MAX_DEPTH:
            raise self.stop(f"is nested too deeply; must be at most {MAX_DEPTH} levels deep", line)
        kind = type(event).__name__
        if kind == "AliasEvent":
            return self.alias(event, line)
        value: Scalar | dict[str, Node] | list[Node]
        if kind == "ScalarEvent":
            value = self.scalar(event, line)
        elif kind == "SequenceStartEvent":
            self.check_tag(event, "tag:yaml.org,2002:seq", line)
            value = []
            while type(below := next(events)).__name__ != "SequenceEndEvent":
                value.append(self.node(below, events, depth + 1))
        else:
            self.check_tag(event, "tag:yaml.org,2002:map", line)
            value = self.mapping(events, depth)
        node = Node(value, self.source, line, str(event.value) if kind == "ScalarEvent" else None)
        if event.anchor:
            self.anchors[event.anchor] = node
            self.sizes[id(node)] = self.n_values - before
        return node

    def count(self, n: int, line: int) -> None:
        self.n_values += n
        if self.n_values > MAX_VALUES:
            raise self.stop(f"is too large; must be at most {MAX_VALUES:,} values, aliases written out", line)

    def alias(self, event: Any, line: int) -> Node:
        target = self.anchors.get(event.anchor)
        if target is None:
            raise self.stop(f"the alias *{event.anchor} stands for nothing that was written before it", line)
        self.count(self.sizes[id(target)], line)
        return replace(target, line=line)

    def check_tag(self, event: Any, own: str, line: int) -> None:
        if event.tag is not None and str(event.tag) not in (own, "!"):
            message = f"the tag {shown(str(event.tag))} has no meaning here; leave tags out"
            self.problems.append(Problem(self.source.file, line, "", message))

    def scalar(self, event: Any, line: int) -> Scalar:
        text = str(event.value)
        if unprintable(text.replace("\n", "").replace("\t", "")):
            message = f"{shown(text)} has characters that cannot be printed"
            self.problems.append(Problem(self.source.file, line, "", message))
        if event.tag is not None:
            self.check_tag(event, "tag:yaml.org,2002:str", line)
            return text
        return text if event.style is not None else parsed_scalar(text)

    def mapping(self, events: Iterator[Any], depth: int) -> dict[str, Node]:
        found: dict[str, Node] = {}
        while type(event := next(events)).__name__ != "MappingEndEvent":
            line = event.start_mark.line + 1
            key = self.node(event, events, depth + 1)
            if self.keys == NUMBERED and is_number(key.value):
                key = replace(key, value=str(key.value))
            self.keys.append(key.value)
            value = replace(self.node(next(events), events, depth + 1), line=line)
            self.keys.pop()
            if not isinstance(key.value, str):
                name = key.written or shown(key.plain())
                message = f"the key {name} is no text; must be text: write it in quotes if it is a label"
                self.problems.append(Problem(self.source.file, line, "", message))
            elif key.value in found:
                first = found[key.value].line
                message = f"is written twice, first on line {first}; must be written once"
                self.problems.append(Problem(self.source.file, line, dotted((key.value,)), message))
            else:
                found[key.value] = value
        return found


def plain_tree(value: object, source: Source, problems: list[Problem], within: Sequence[str | int] = ()) -> Node:
    """Plain Python data as a tree.

    Parameters
    ----------
    value
        Mappings with text keys, sequences, text, numbers (numpy's too), true, false and None.
    source
        Goes into every node; there are no lines.
    problems
        Values of other types are appended.
    within
        Keys under which the value will stand.
    """
    budget = [MAX_VALUES]

    def tree(value: object, key: KeyPath) -> Node:
        budget[0] -= 1
        if budget[0] < 0 or len(key) > MAX_DEPTH:
            limits = f"must be at most {MAX_DEPTH} levels deep and {MAX_VALUES:,} values"
            raise BadInput([Problem(source.file, None, dotted(key[:3]), f"is too large; {limits}")])
        if isinstance(value, Mapping):
            found: dict[str, Node] = {}
            for name, below in value.items():
                if [*within, *key] == NUMBERED and is_number(name):
                    name = str(name)
                if isinstance(name, str):
                    found[str(name)] = tree(below, (*key, str(name)))
                else:
                    message = f"has the key {shown(name)}, which is no text"
                    problems.append(Problem(source.file, None, dotted(key), message))
            return Node(found, source)
        if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
            return Node([tree(below, (*key, position)) for position, below in enumerate(value)], source)
        if isinstance(value, str) and unprintable(value.replace("\n", "").replace("\t", "")):
            message = f"is {shown(value)}, with characters that cannot be printed"
            problems.append(Problem(source.file, None, dotted(key), message))
        return Node(scalar(value, key), source)

    def scalar(value: object, key: KeyPath) -> Scalar:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return str(value)
        try:
            return index(value)  # type: ignore[arg-type]
        except TypeError:
            pass
        if isinstance(value, float):
            return float(value)
        message = f"is of the Python type {type(value).__name__}; must be text, a number, a list or a mapping"
        problems.append(Problem(source.file, None, dotted(key), message))
        return None

    return tree(value, ())
