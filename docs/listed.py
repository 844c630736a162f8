"""The parts of the documentation that are listed: keys from the models, figures from their definitions, bots, maps."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

import sim
from kernels.dispatch.bots import SHIPPED
from sim.config.exactness import exactness
from sim.config.loading import load_scenario
from sim.config.mainline import HOME_CARDS, MainlineScenario
from sim.config.network import Network
from sim.config.scenario import RailMap, Scenario
from sim.config.value_study import ValueStudyFile
from sim.games.mainline.figures import metrics_of
from sim.stats.metrics import METRICS
from sim.stats.shape import SHAPE_METRICS

ORDER = ("standard", "compact", "ladder", "corridor", "grand", "crooked")
"""The shipped maps, in the order of docs/maps.md."""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first are figures."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def words(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table of words."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in (head, ["---"] * len(head), *cells))


def value_keys(matches: int) -> str:
    """The keys of the file of a value study."""
    rows = [[f"`{key}`", field.description or ""] for key, field in ValueStudyFile.model_fields.items()]
    return "\n" + words(["key", "meaning"], [["`schema`", rows[0][1]], *rows[1:]]) + "\n"


def map_facts(matches: int) -> str:
    """Sizes of the shipped maps."""
    rows = []
    for name in ORDER:
        rail_map = sim.load_map(name)
        network = Network(rail_map)
        flipped = sum(network.mirror[one] == other for one, other in rail_map.tracks)
        exact = "exact" if exactness(rail_map).exact else "not exact"
        sizes = (len(network.junctions), len(network.terminals), len(rail_map.tracks), flipped)
        rows.append([f"[{name}](#{name})", *map(str, sizes), exact])
    head = ["map", "junctions", "terminals", "tracks", "tracks that the mirror flips", "mirror"]
    return f"\n{table(head, rows)}\n"


def bots(matches: int) -> str:
    """The shipped bots: what they say of themselves, and their parameters."""
    parts = []
    for name, bot in SHIPPED.items():
        said = "\n\n".join(" ".join(paragraph.split()) for paragraph in bot.doc.split("\n\n"))
        parts.append(f"\n### {name}\n\n{said}\n")
        if bot.params:
            rows = [
                [f"`{key}`", ", ".join(p.choices) or f"{p.low:g} to {p.high:g}", f"{p.default}", p.doc]
                for key, p in bot.params.items()
            ]
            parts.append("\n" + words(["parameter", "allowed", "default", "meaning"], rows))
    return "".join(parts) + "\n"


def metrics(matches: int) -> str:
    """Every figure by its core name."""
    rows = [[f"`{name}`", one.unit, one.description] for name, one in METRICS.items()]
    return "\n" + words(["figure", "unit", "what it is"], rows) + "\n"


def shape_figures(matches: int) -> str:
    """Every figure of the shape of matches by its core name."""
    rows = [[f"`{name}`", one.unit, one.description] for name, one in SHAPE_METRICS.items()]
    return "\n" + words(["figure", "unit", "what it is"], rows) + "\n"


def mainline_figures(matches: int) -> str:
    """Every figure of a mainline scenario with a hand, by core name; those of one card stand for all cards."""
    found: dict[str, list[str]] = {}
    for name, one in metrics_of(load_scenario("hands")).items():
        shown, description = name, one.description
        for kind in ("double_track", *HOME_CARDS):
            if f".{kind}" in name:
                placeholder = "<card>" if kind == "double_track" else "<home card>"
                shown = name.replace(kind, placeholder)
                description = description.replace(kind.replace("_", " "), html.escape(placeholder))
        if shown == name and name.startswith(("dealt.", "crossing_stages.")):
            continue
        found.setdefault(f"`{shown}`", [one.unit, description])
    rows = [[name, *cells] for name, cells in found.items()]
    return "\n" + words(["figure", "unit", "what it is"], rows) + "\n"


def allowed(schema: Mapping[str, Any], titles: Mapping[str, str] | None = None) -> str:
    """A JSON Schema in a few words; models are linked by their headings."""
    titles = TITLES if titles is None else titles
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{titles[name]}](#{titles[name].lower().replace(' ', '-')})"
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            parts = [allowed(one, titles) for one in schema[choice]]
            return ", or ".join(dict.fromkeys(parts))
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema.get("type") == "boolean" or set(schema.get("enum", ())) == {True, False}:
        return "`true` or `false`"
    if "enum" in schema:
        return " or ".join(f"`{one}`" for one in schema["enum"])
    kind = schema.get("type")
    if kind == "integer":
        return f"whole number, {schema['minimum']:,} to {schema['maximum']:,}"
    if kind == "array":
        low, high = schema.get("minItems"), schema.get("maxItems")
        n = "" if low is None else f" of {low}" if low == high else f" of {low} to {high}" if high else " of 1 or more"
        return f"list{n}: {allowed(schema['items'], titles)}" if "items" in schema else f"list{n}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return f"mapping of labels to: {allowed(schema['additionalProperties'], titles)}"
    return {"string": "text", "null": "null", "number": "number", "object": "mapping"}.get(str(kind), "anything")


TITLES = {
    "Scenario": "Scenario keys",
    "Economy": "Keys of economy",
    "Cargo": "Keys of cargo",
    "RailMap": "Map keys",
    "TrainPlan": "Keys of a train",
    "Start": "Keys of a start",
    "MainlineScenario": "Scenario",
    "Card": "Keys of a card",
    "Train": "Keys of a timetable entry",
    "HandCard": "Keys of a Home card",
    "Admit": "Keys of admit",
}
"""Headings of docs/scenarios.md and docs/mainline.md, by model."""

TOPS: dict[str, type[BaseModel]] = {
    **dict.fromkeys(("RailMap", "TrainPlan", "Start"), RailMap),
    **dict.fromkeys(("MainlineScenario", "Card", "Train", "HandCard", "Admit"), MainlineScenario),
}
"""The model in whose schema another one stands, where it is not the scenario of the dispatch game."""

ALLOWED = {
    ("Scenario", "map"): "path, or mapping: [Map keys](#map-keys)",
    ("Scenario", "bots"): "mapping of A and B to names of bots",
    ("Scenario", "define"): "mapping of names to mappings with `bot` and parameters",
    ("RailMap", "layout"): "mapping of labels to points `[x, y]`",
    ("MainlineScenario", "policy"): "`hold`, or `{admit: chance}`: [Keys of admit](#keys-of-admit)",
    ("MainlineScenario", "up"): "`east` or `west`, or a mapping of slots to these, or null",
    ("HandCard", "on"): "slot, 1 to 10, or `first_legal`",
    ("Train", "departs"): "Stage, or a range such as `[3, 6]`",
    ("Admit", "admit"): "number, 0 to 1",
}
"""What the schema cannot say in a word or two."""


DEFAULTS = {("MainlineScenario", "deck"): "the shipped deck"}
"""Defaults that the schema does not hold."""


def keys(model: str) -> Callable[[int], str]:
    """The keys of a model: what is allowed, the default and the meaning."""

    def part(matches: int) -> str:
        return key_table(TOPS.get(model, Scenario).model_json_schema(), model)

    return part


def key_table(schema: Mapping[str, Any], model: str, titles: Mapping[str, str] | None = None) -> str:
    """The keys of a model, which is that of the schema or one that it refers to."""
    top = schema if schema["title"] == model else schema["$defs"][model]
    rows = []
    for key, one in top["properties"].items():
        default = "required" if key in top.get("required", ()) else DEFAULTS.get((model, key)) or _default(one)
        said = ALLOWED.get((model, key)) or allowed(one, titles)
        rows.append([f"`{key}`", said, default, one.get("description", "")])
    return "\n" + words(["key", "allowed", "default", "meaning"], rows) + "\n"


def _default(schema: Mapping[str, Any]) -> str:
    default = schema.get("default", {})
    if isinstance(default, Mapping):
        return "its defaults" if "$ref" in schema else "none"
    return "none" if default is None else f"`{default}`"
