"""Rewrite the parts of the documentation that the tool itself makes: measured figures, lists of keys, pictures.

    python docs/make_tables.py            rewrite README.md, docs/*.md and docs/pictures in place
    python docs/make_tables.py --check    change nothing; exit 1 and name what would change
    python docs/make_tables.py --quick          # only what behaves otherwise than before
    python docs/make_tables.py --check --quick
                                          the same without the long measurements: of these only their behaviour is
                                          looked at, which is a digest of the first 2,000 matches of each

A part stands between `<!-- made: NAME -->` and `<!-- end -->`; its maker is the function of that name in `PARTS`.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import html
import io
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import BaseModel

import sim
from kernels.dispatch.bots import SHIPPED
from sim.config.exactness import exactness
from sim.config.loading import load_scenario
from sim.config.mainline import HOME_CARDS, MainlineScenario
from sim.config.network import Network
from sim.config.scenario import RailMap, Scenario
from sim.config.starters import starter_names
from sim.config.value_study import ValueStudyFile, load_value_study
from sim.games.mainline.figures import metrics_of
from sim.stats.metrics import METRICS
from sim.stats.rounding import format_estimate
from sim.stats.shape import SHAPE_METRICS

ROOT = Path(__file__).resolve().parents[1]
PAGES = (Path("README.md"), *sorted(path.relative_to(ROOT) for path in (ROOT / "docs").glob("*.md")))
PICTURES = Path("docs/pictures")

MATCHES = 200_000
README_MATCHES = 1_000_000
PROBE_MATCHES = 2_000
PROBES = {"ladder": 40, "floor": 40, "depths": 8, "exploit": 4, "value": 40}
"""Matches behind a digest, where the bots are slow."""

SEED = 1
ORDER = ("standard", "compact", "ladder", "corridor", "grand", "crooked")
"""The shipped maps, in the order of docs/maps.md."""

EXACT = ORDER[:-1]
RUNGS = (
    ("greedy", "random"),
    ("saboteur", "greedy"),
    ("planner", "saboteur"),
    ("equilibrium", "planner"),
    ("equilibrium", "saboteur"),
    ("equilibrium", "greedy"),
)
LADDER_MATCHES = 4_000
COMPARE_MATCHES = 100_000
EXPLOIT_MATCHES = 1_000
EXPLOITED = ("greedy", "saboteur", "planner", "equilibrium")
DEPTH_MATCHES = 4_000
DEPTH_RIVALS = ("equilibrium", "planner", "saboteur")
VALUE_MATCHES = 20_000
NOISES = (0, 0.5, 1, 2, 3, 5)
COMPARED = "economy.upgrade_cost=7"
LOOKED_AT = {
    "shared": "shared",
    "decided_by_cash": "decided by cash",
    "deliveries.first": "deliveries of seat A",
    "head_ons": "head-ons",
    "junction_conflicts": "junction conflicts",
    "cancelled_toggles": "cancelled toggles",
    "stuck": "stuck",
    "seat_bias": "seat bias",
}
_MARK = re.compile(r"(<!-- made: ([\w-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_BEHAVIOUR = re.compile(r"<!-- behaviour ([0-9a-f]{12}) -->")


# -- measured ---------------------------------------------------------------------------------------------------------


def maps_with(bot: str) -> list[dict[str, Any]]:
    """The runs of a bot against itself on every map, as arguments of `sim.run`."""
    return [{"scenario": name, "bots": (bot, bot)} for name in ORDER]


def noises() -> list[dict[str, Any]]:
    """The runs of greedy against itself on the standard map, by its noise."""
    calm = [{"scenario": "standard", "overrides": {"define": {"g": {"bot": "greedy", "noise": x}}}} for x in NOISES]
    return [{**run, "bots": ("g", "g")} for run in calm]


def ladder_runs() -> list[dict[str, Any]]:
    """Every rung against those below it, on every exact map."""
    return [{"scenario": name, "bots": rung} for name in EXACT for rung in RUNGS]


def floor_runs() -> list[dict[str, Any]]:
    """Every rung against the floor, on every exact map."""
    return [{"scenario": name, "bots": (rung, "random")} for rung in EXPLOITED for name in EXACT]


def depth_runs() -> list[dict[str, Any]]:
    """Equilibrium with two looks against itself with one and against the rungs below, on the standard map."""
    slow = {"define": {"deep": {"bot": "equilibrium", "depth": 2}}}
    return [{"scenario": "standard", "bots": ("deep", name), "overrides": slow} for name in DEPTH_RIVALS]


RUNS: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "first-run": lambda: [{"scenario": "standard"}],
    "maps-greedy": lambda: maps_with("greedy"),
    "maps-random": lambda: maps_with("random"),
    "noise": noises,
    "ladder": ladder_runs,
    "floor": floor_runs,
    "depths": depth_runs,
    "value": lambda: [{"scenario": "standard", "bots": (bot, bot)} for bot in load_value_study().bots],
    "compare": lambda: [{"scenario": "standard", "overrides": changed} for changed in ([], [COMPARED])],
    "exploit": lambda: [{"bot": name, "scenario": "standard"} for name in EXPLOITED],
}
"""The runs behind each measured part."""


def behaviour(runs: Sequence[Mapping[str, Any]], matches: int | None = None) -> str:
    """12 hex digits that change when one of so many matches (None: `PROBE_MATCHES`) would come out otherwise."""
    digest = hashlib.sha256()
    n = PROBE_MATCHES if matches is None else matches
    for arguments in runs:
        if "bot" in arguments:
            answers = sim.exploit(**arguments, matches=n, seed=SEED).answers
            digest.update(repr([estimate for one in answers for estimate in one.estimates]).encode())
            continue
        found = sim.run(**arguments, matches=n, seed=SEED)
        for name, array in sorted(found.sums.as_arrays().items()):
            digest.update(name.encode() + array.tobytes())
    return digest.hexdigest()[:12]


def phrase(run: sim.Run, metric: str) -> str:
    """A figure with its interval, as the tool prints it."""
    found = run[metric]
    return format_estimate(found.value, found.low, found.high, METRICS[metric].unit, found.method)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first are figures."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def words(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table of words."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in (head, ["---"] * len(head), *cells))


def figures(name: str, matches: int, labels: Sequence[str], head: str, metrics: Mapping[str, str]) -> str:
    """Measure the runs of a part, one row each."""
    runs = RUNS[name]()
    found = [sim.run(**arguments, matches=matches, seed=SEED) for arguments in runs]
    rows = [[label, *(phrase(run, metric) for metric in metrics)] for label, run in zip(labels, found, strict=True)]
    return f"<!-- behaviour {behaviour(runs)} -->\n\n{table([head, *metrics.values()], rows)}\n"


def screen_text(show: Callable[[Any], None]) -> str:
    """What is printed on a screen of 80 columns, as a block of a page."""
    from rich.console import Console

    screen = Console(file=io.StringIO(), width=80, highlight=False, markup=False, emoji=False)
    show(screen)
    text = screen.file.getvalue().partition("\nNotes")[0]  # type: ignore[attr-defined]
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return f"```text\n{lines.rstrip()}\n```\n"


def first_run(matches: int) -> str:
    """What the first command of the README prints, without its last lines."""
    from sim.reports.terminal import print_summary

    run = sim.run("standard", matches=matches, seed=SEED)
    shown = screen_text(lambda screen: print_summary(run, screen))
    return f"<!-- behaviour {behaviour(RUNS['first-run']())} -->\n\n{shown}\n"


def compared(matches: int) -> str:
    """What the first command of docs/comparing.md prints."""
    from sim.reports.compare_terminal import print_comparison

    found = sim.compare("standard", overrides=[COMPARED], matches=matches, seed=SEED)
    shown = screen_text(lambda screen: print_comparison(found, screen))
    return f"<!-- behaviour {behaviour(RUNS['compare']())} -->\n\n{shown}\n"


def maps_greedy(matches: int) -> str:
    """Every map, played by greedy."""
    return figures("maps-greedy", matches, ORDER, "map", LOOKED_AT)


def maps_random(matches: int) -> str:
    """Every map, played by random."""
    return figures("maps-random", matches, ORDER, "map", LOOKED_AT)


def noise(matches: int) -> str:
    """What greedy's noise does."""
    metrics = {name: LOOKED_AT[name] for name in ("shared", "decided_by_cash", "deliveries.first", "head_ons", "stuck")}
    return figures("noise", matches, [f"{x:g}" for x in NOISES], "noise", metrics)


def ladder(matches: int) -> str:
    """How far each rung is above those below it."""
    runs = RUNS["ladder"]()
    scores = [phrase(sim.run(**arguments, matches=matches, seed=SEED), "score.first") for arguments in runs]
    n = len(RUNGS)
    rows = [[name, *scores[i * n : (i + 1) * n]] for i, name in enumerate(EXACT)]
    head = ["map", *(f"{above} over {below}" for above, below in RUNGS)]
    return f"<!-- behaviour {behaviour(runs, PROBES['ladder'])} -->\n\n{table(head, rows)}\n"


def floor(matches: int) -> str:
    """How often each rung beats random."""
    runs = RUNS["floor"]()
    scores = [phrase(sim.run(**arguments, matches=matches, seed=SEED), "score.first") for arguments in runs]
    n = len(EXACT)
    rows = [[rung, *scores[i * n : (i + 1) * n]] for i, rung in enumerate(EXPLOITED)]
    return f"<!-- behaviour {behaviour(runs, PROBES['floor'])} -->\n\n{table(['bot', *EXACT], rows)}\n"


def depths(matches: int) -> str:
    """What the second look is worth."""
    runs = RUNS["depths"]()
    found = [sim.run(**arguments, matches=matches, seed=SEED) for arguments in runs]
    rows = [
        [name, *(phrase(run, metric) for metric in ("score.first", "margin.mean"))]
        for name, run in zip(DEPTH_RIVALS, found, strict=True)
    ]
    head = ["against", "score", "margin"]
    return f"<!-- behaviour {behaviour(runs, PROBES['depths'])} -->\n\n{table(head, rows)}\n"


def exploited(matches: int) -> str:
    """What each answer wins from the bots of the ladder."""
    from sim.reports.exploit_terminal import figure

    runs = RUNS["exploit"]()
    rows = []
    for arguments in runs:
        found = sim.exploit(**arguments, matches=matches, seed=SEED)
        for one in found.answers:
            shown = [figure(one, name) for name in ("score.first", "margin.mean")]
            rows.append([found.bot, one.kind, one.model, str(one.looks), *shown])
    head = ["bot", "answer", "takes it for", "looks", "score of the answer", "margin"]
    rule = ["---", "---", "---", *["---:"] * 3]
    lines = "".join("| " + " | ".join(line) + " |\n" for line in (head, rule, *rows))
    return f"<!-- behaviour {behaviour(runs, PROBES['exploit'])} -->\n\n{lines}\n"


# -- listed -----------------------------------------------------------------------------------------------------------


def value(matches: int) -> str:
    """What the first command of docs/value.md prints; in full whatever `matches` says, unless it is few."""
    from sim.reports.value_terminal import print_value

    few = {} if matches >= VALUE_MATCHES else {"matches": matches, "scan_matches": matches}
    found = sim.value("standard", seed=SEED, **few)
    shown = screen_text(lambda screen: print_value(found, screen))
    return f"<!-- behaviour {behaviour(RUNS['value'](), PROBES['value'])} -->\n\n{shown}\n"


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


def allowed(schema: Mapping[str, Any]) -> str:
    """A JSON Schema in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{TITLES[name]}](#{TITLES[name].lower().replace(' ', '-')})"
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            parts = [allowed(one) for one in schema[choice]]
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
        return f"list{n}: {allowed(schema['items'])}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return f"mapping of labels to: {allowed(schema['additionalProperties'])}"
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
        schema = TOPS.get(model, Scenario).model_json_schema()
        top = schema if schema["title"] == model else schema["$defs"][model]
        rows = []
        for key, one in top["properties"].items():
            default = "required" if key in top.get("required", ()) else DEFAULTS.get((model, key)) or _default(one)
            rows.append([f"`{key}`", ALLOWED.get((model, key)) or allowed(one), default, one["description"]])
        return "\n" + words(["key", "allowed", "default", "meaning"], rows) + "\n"

    return part


def _default(schema: Mapping[str, Any]) -> str:
    default = schema.get("default", {})
    if isinstance(default, Mapping):
        return "its defaults" if "$ref" in schema else "none"
    return "none" if default is None else f"`{default}`"


PARTS: dict[str, tuple[Callable[[int], str], int]] = {
    "first-run": (first_run, README_MATCHES),
    "maps-greedy": (maps_greedy, MATCHES),
    "maps-random": (maps_random, MATCHES),
    "noise": (noise, MATCHES),
    "ladder": (ladder, LADDER_MATCHES),
    "floor": (floor, LADDER_MATCHES),
    "depths": (depths, DEPTH_MATCHES),
    "compare": (compared, COMPARE_MATCHES),
    "exploit": (exploited, EXPLOIT_MATCHES),
    "value": (value, VALUE_MATCHES),
    "value-keys": (value_keys, 0),
    "shape-figures": (shape_figures, 0),
    "map-facts": (map_facts, 0),
    "bots": (bots, 0),
    "figures": (metrics, 0),
    "mainline-figures": (mainline_figures, 0),
    **{f"keys-{model}": (keys(model), 0) for model in TITLES},
}
"""What makes each part, and how many matches it plays; 0: none."""


# -- drawn ------------------------------------------------------------------------------------------------------------


def map_picture(name: str) -> str:
    """The picture of a shipped map, as `sim map NAME` draws it."""
    from sim.reports.map_picture import map_figure
    from sim.reports.style import svg_text

    rail_map = sim.load_map(name)
    return svg_text(map_figure(rail_map, exactness=exactness(rail_map)), title=f"map {rail_map.name}")


def pictures_comparable() -> bool:
    """Whether pictures are drawn by the version of matplotlib that requirements.lock names."""
    return f"matplotlib=={version('matplotlib')}\n" in (ROOT / "requirements.lock").read_text(encoding="utf-8")


def overview() -> bytes:
    """The picture on top of the README: the standard map, and how a million matches on it end."""
    from PIL import Image, ImageOps

    from sim.reports.figures import margin_figure, outcomes_figure
    from sim.reports.map_picture import map_figure
    from sim.reports.style import png_bytes

    run = sim.run("standard", matches=README_MATCHES, seed=SEED)
    left = Image.open(io.BytesIO(png_bytes(map_figure(sim.load_map("standard")))))
    right = [Image.open(io.BytesIO(png_bytes(draw(run)))) for draw in (margin_figure, outcomes_figure)]
    gap = 40
    height = max(left.height, sum(one.height for one in right) + gap)
    sheet = Image.new("RGB", (left.width + gap + right[0].width, height), "white")
    sheet.paste(left, (0, (height - left.height) // 2))
    y = 0
    for one in right:
        sheet.paste(one, (left.width + gap, y))
        y += one.height + gap
    sheet = ImageOps.expand(sheet, border=30, fill="white").quantize(256)
    drawn = io.BytesIO()
    sheet.save(drawn, "PNG", optimize=True)
    return drawn.getvalue()


# -- in and out -------------------------------------------------------------------------------------------------------


def pages(quick: bool, only: int | None = None, *, check: bool = True) -> dict[Path, str]:
    """Every page as it should be; with `quick`, measured parts stay unless their behaviour has changed.

    With `check` as well, those that have changed are not measured anew: it is enough to know.
    """
    made: dict[str, str] = {}

    def part(found: re.Match[str]) -> str:
        start, name, old, end = found.groups()
        maker, matches = PARTS[name]
        if matches and quick:
            said, now = _BEHAVIOUR.search(old), behaviour(RUNS[name](), PROBES.get(name, PROBE_MATCHES))
            if said is not None and said[1] == now:
                return found[0]
            if not check and name not in made:
                print(f"measuring {name} anew", file=sys.stderr)
                made[name] = maker(matches)
            if not check:
                return start + made[name] + end
            return f"{start}<!-- behaviour {now} -->\n(other than what is written here)\n{end}"
        if name not in made:
            made[name] = maker(only or matches)
        return start + made[name] + end

    return {page: _MARK.sub(part, (ROOT / page).read_text(encoding="utf-8")) for page in PAGES}


def main(arguments: Sequence[str] | None = None) -> int:
    """Rewrite or check; the exit code is 1 when a check found something."""
    parser = argparse.ArgumentParser(description="Rewrite the parts of the documentation that the tool makes.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when something would change")
    parser.add_argument(
        "--quick", action="store_true", help="measure only what behaves otherwise than before; with --check nothing"
    )
    options = parser.parse_args(arguments)
    if set(ORDER) != set(starter_names()):
        print(f"ORDER lists {', '.join(ORDER)}; shipped are {', '.join(starter_names())}")
        return 1
    changed = False
    for page, text in pages(options.quick, check=options.check).items():
        before = (ROOT / page).read_text(encoding="utf-8")
        if text != before:
            changed = True
            if options.check:
                sys.stdout.writelines(
                    difflib.unified_diff(before.splitlines(True), text.splitlines(True), str(page), "now", n=0)
                )
            else:
                (ROOT / page).write_text(text, encoding="utf-8")
                print(f"rewrote {page}")
    for name in ORDER:
        path = PICTURES / "maps" / f"{name}.svg"
        drawn = map_picture(name)
        before = (ROOT / path).read_text(encoding="utf-8") if (ROOT / path).exists() else ""
        if drawn != before and (pictures_comparable() or not before):
            changed = True
            if options.check:
                print(f"{path} is not what the tool draws now")
            else:
                (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
                (ROOT / path).write_text(drawn, encoding="utf-8")
                print(f"drew {path}")
    if not options.check and not options.quick:
        (ROOT / PICTURES / "overview.png").write_bytes(overview())
        print(f"drew {PICTURES / 'overview.png'}")
    return int(options.check and changed)


if __name__ == "__main__":
    sys.exit(main())
