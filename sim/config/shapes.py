"""From pydantic's errors to problems with a file, a line and the words of the contract."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from sim.config.errors import Problem
from sim.config.tree import KeyPath, Node
from sim.config.values import SHOWN_CHARACTERS, did_you_mean, shown

AnyModel = TypeVar("AnyModel", bound=BaseModel)

_LISTS = {"tuple_type", "list_type"}
_MAPPINGS = {"dict_type", "model_type", "model_attributes_type", "mapping_type"}


def shaped(
    model: type[AnyModel], plain: dict[str, Any], node: Node, prefix: KeyPath, problems: list[Problem]
) -> AnyModel | None:
    """A model made of plain data, or None and a problem for every error.

    Parameters
    ----------
    model
        Its class.
    plain
        The data, by the keys of the file.
    node
        The tree that the data came from, for files and lines.
    prefix
        Key path of that tree, for names.
    problems
        Errors are appended.
    """
    try:
        return model.model_validate(plain)
    except ValidationError as error:
        problems.extend(
            _problem(model, detail, node, prefix)
            for detail in error.errors(include_url=False)
            if not _counted_short(detail)
        )
        return None


def _counted_short(detail: ErrorDetails) -> bool:
    """Whether a list is called short only because its bad items, which have errors of their own, were not counted."""
    return detail["type"] == "too_short" and len(detail["input"]) >= detail["ctx"]["min_length"]


def _problem(model: type[BaseModel], detail: ErrorDetails, node: Node, prefix: KeyPath) -> Problem:
    path = tuple(part for part in detail["loc"] if not (isinstance(part, str) and part.startswith("<")))
    of_key = path[-1:] == ("[key]",)
    if of_key:
        path = path[:-1]
    place, key = node.nearest(path), (*prefix, *path)
    kind, found = detail["type"], detail["input"]
    if kind == "missing":
        return place.problem(key, "is missing; must be given")
    if kind == "extra_forbidden":
        known = _keys_beside(model, path)
        if not prefix and len(path) == 1 and "game" in known and path[-1] != "extends":
            known.append("extends")  # Of a file; where keys are turned, it is long resolved.
        tail = did_you_mean(path[-1], known) or f"; must be one of {', '.join(known)}"
        return place.problem(key, f"is no key that is known here{tail}")
    allowed = _allowed(detail)
    if of_key:
        return place.problem(key, f"is no good as a key: {allowed}")
    if allowed.startswith("has "):
        return place.problem(key, allowed)
    joint = ", " if allowed.startswith("which ") else "; "
    exact = place.written if place is node.nearest((*path, 0)) and not isinstance(found, str | None) else None
    return place.problem(key, f"is {_short(exact) if exact else shown(found)}{joint}{allowed}")


def _allowed(detail: ErrorDetails) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "kind":
        return str(context["allowed"])
    if kind in _LISTS:
        return "must be a list"
    if kind in _MAPPINGS:
        return "must be a mapping, such as {key: value}"
    if kind == "too_short":
        return f"has {_items(context['actual_length'])}; must have at least {context['min_length']}"
    if kind == "too_long":
        actual = context["actual_length"]
        items = "too many items" if actual is None else _items(actual)
        return f"has {items}; must have at most {context['max_length']}"
    return f"is not allowed: {detail['msg']}"


def _short(written: str) -> str:
    return written if len(written) <= SHOWN_CHARACTERS else written[: SHOWN_CHARACTERS - 1] + "…"


def _items(number: int) -> str:
    return f"{number} item{'' if number == 1 else 's'}"


def _keys_beside(model: type[BaseModel], path: KeyPath) -> list[str]:
    """The keys that the model at a key path knows."""
    here: type[BaseModel] | None = model
    for part in path[:-1]:
        if here is None or isinstance(part, int):
            continue
        for name, field in here.model_fields.items():
            if (field.alias or name) == part:
                here = _model_within(field.annotation)
                break
    return [] if here is None else [field.alias or name for name, field in here.model_fields.items()]


def _model_within(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner: Iterable[Any] = getattr(annotation, "__args__", ())
    for argument in inner:
        found = _model_within(argument)
        if found is not None:
            return found
    return None
