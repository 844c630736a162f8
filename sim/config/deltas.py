"""A file of deltas: how large a change has to be for the designer to care, figure by figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from sim.config.errors import BadInput, Problem
from sim.config.quantities import PLAIN_UNIT, Quantity, allowed_amount, amount_in, amount_words, quantity
from sim.config.scenario import Model, Name, Schema
from sim.config.shapes import shaped
from sim.config.sources import file_tree
from sim.config.values import Kind, did_you_mean, refused

if TYPE_CHECKING:
    from sim.stats.figures import MetricDefinition

__all__ = ["DeltaRules", "load_deltas"]

DEVIATIONS = "sd"
"""Unit of standard deviations of a match."""
WIDEST_SHARE = 0.2
"""The largest delta of a share: a gate that lets more pass looks at nothing, and `1` is meant as `1pp`."""


@dataclass(frozen=True, slots=True)
class _DeltaKind(Kind):
    """An amount of 0 or more, or null."""

    def check(self, value: Any) -> Quantity | None:
        """Return the amount, or say what is allowed."""
        if value is None:
            return None
        found = quantity(value)
        if found is None or found.number < 0:
            raise refused("must be 0 or more, such as 0.5pp, 0.2 or 0.05 sd, or null: not looked at")
        return found

    def json_schema(self) -> dict[str, Any]:
        """Text, number or null."""
        return {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "null"}]}


class DeltasFile(Model):
    """A file of deltas as written."""

    schema_version: Schema = Field(alias="schema", description="Version of this format.")
    deltas: Annotated[dict[Name, Annotated[Any, _DeltaKind()]], Field(min_length=1)] = Field(
        description="By core name of a figure, or its part before `.first` and `.second` for both."
    )


@dataclass(frozen=True)
class DeltaRules:
    """Deltas by core name: an amount, or None for a figure that is not looked at."""

    rules: Mapping[str, Quantity | None]

    def gates(self, metric: MetricDefinition) -> bool:
        """Whether a figure is looked at."""
        name = self._key(metric.name)
        return metric.gated if name is None else self.rules[name] is not None

    def delta(self, metric: MetricDefinition, deviation: float) -> float | None:
        """The delta of a figure in its own unit (of a quantile in shares); None where no rule says one.

        `deviation` is its standard deviation from match to match.
        """
        name = self._key(metric.name)
        found = None if name is None else self.rules[name]
        if found is None:
            return None
        return found.number * deviation if found.unit == DEVIATIONS else amount_in(found, delta_unit(metric))

    def _key(self, name: str) -> str | None:
        if name in self.rules:
            return name
        stem, _, last = name.rpartition(".")
        return stem if last in ("first", "second") and stem in self.rules else None


def delta_unit(metric: MetricDefinition) -> str:
    """Unit of a figure's delta."""
    return "share difference" if metric.q or metric.unit == "share" else metric.unit


def load_deltas(path: str | Path, metrics: Mapping[str, MetricDefinition]) -> DeltaRules:
    """Read a file of deltas.

    Parameters
    ----------
    path
        The file.
    metrics
        All figures that it may name.

    Raises
    ------
    BadInput
        With every problem found, each with its line.
    """
    problems: list[Problem] = []
    root = file_tree(Path(path), problems)
    read = shaped(DeltasFile, root.plain(), root, (), problems)
    if read is None or problems:
        raise BadInput(problems)
    for name, found in read.deltas.items():
        meant = [metrics[one] for one in (name, f"{name}.first", f"{name}.second") if one in metrics]
        node, key = root.nearest(("deltas", name)), ("deltas", name)
        if not meant:
            tail = did_you_mean(name, metrics) or f"; must be one of {', '.join(metrics)}"
            problems.append(node.problem(key, f"is no figure{tail}"))
        elif found is not None:
            unit = delta_unit(meant[0])
            of_mean = not unit.startswith("share")
            amount = amount_in(found, unit)
            if amount is None and not (of_mean and found.unit == DEVIATIONS):
                shown = f"{found.number:g}{'' if found.unit == PLAIN_UNIT else ' ' + found.unit}"
                also = ", or standard deviations of a match, such as 0.05 sd" if of_mean else ""
                problems.append(node.problem(key, f"is {shown}; must be {allowed_amount(unit)}{also}"))
            elif amount is not None and not of_mean and amount > WIDEST_SHARE:
                shown = f"{found.number:g}"
                tail_pp = f"; did you mean {shown}pp?" if found.unit == PLAIN_UNIT else ""
                said = f"is {shown}{found.unit}, a difference of {amount_words(amount, unit)}"
                limit = amount_words(WIDEST_SHARE, unit)
                problems.append(node.problem(key, f"{said}; must be at most {limit}{tail_pp}"))
    if problems:
        raise BadInput(problems)
    return DeltaRules(read.deltas)
