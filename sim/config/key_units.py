"""The unit of a scenario key, read from the models, where the kinds of value say it once."""

from __future__ import annotations

from sim.config.scenario import AnyScenario, Model
from sim.config.sources import key_parts
from sim.config.tree import Source
from sim.config.values import Whole

__all__ = ["unit_of_key"]


def unit_of_key(scenario: AnyScenario, key: str) -> str:
    """Such as "dollars" of `economy.toll`; "" where the key is no whole number, or has no unit."""
    model: type[Model] | None = type(scenario)
    unit = ""
    for part in key_parts(key, Source())[0]:
        field = None if model is None else model.model_fields.get(str(part))
        if field is None:
            return ""
        unit = next((one.unit for one in field.metadata if isinstance(one, Whole)), "")
        inner = field.annotation
        model = inner if isinstance(inner, type) and issubclass(inner, Model) else None
    return unit
