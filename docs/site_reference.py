"""Reference pages made of the code: commands, keys of files, figures, and the Python names."""

from __future__ import annotations

import html
import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from typing import Any

import listed
import typer.main
from pydantic import BaseModel

import sim
import sim.bots
import sim.config
from sim.cli.app import app
from sim.config.loading import load_scenario
from sim.config.scenario import AnyScenario, Model
from sim.games.mainline.figures import metrics_of
from sim.stats.figures import Kind, MetricDefinition
from sim.stats.metagame import BOT_METRICS, METAGAME_METRICS
from sim.stats.metrics import METRICS
from sim.stats.shape import SHAPE_METRICS

TITLES = {
    "commands.md": "Commands",
    "keys.md": "Keys of the files",
    "figures.md": "Figures",
    "python.md": "Python",
}
"""The pages and what they are called."""

NAMED = {
    "Scenario": "A scenario of the dispatch game",
    "MainlineScenario": "A scenario of the mainline game",
    "RailMap": "A map",
    "TrainPlan": "A train of a map",
    "Start": "A start",
    "Economy": "The economy",
    "Cargo": "The cargo",
    "Train": "A timetable entry",
    "Admit": "A policy that admits",
    "ValueStudyFile": "A value study",
}
"""Headings that are not the first words of what a model says of itself."""

INTERVALS = {
    Kind.PROPORTION: "share",
    Kind.MEAN: "mean",
    Kind.QUANTILE: "quantile",
}
"""Which row of the table of intervals a figure belongs to."""


COMMANDS = """# Commands

Every command with all of its options, made of what the command line parses. Exit codes are those of
[the table](readme.md#exit-codes).
"""

KEYS = """# Keys of the files

Every key of every YAML file, made of the models that check them. What the files are for, and examples:
[scenarios and maps](../scenarios.md), [the mainline game](../mainline.md), [sweeps](../sweeps.md),
[goals](../goals.md), [values](../value.md), [deltas](../gate.md#deltas).
"""

FIGURES = """# Figures

Every figure by the name that goals, deltas, sweeps, columns and `run[...]` know it by, made of its only definition.
The kind says which row of [the table of intervals](../statistics.md#intervals) it belongs to; a quantile is of
matches, all others are means over matches. *Gated*: [the gate](../gate.md) looks at it unless deltas say otherwise.
"""

PYTHON = """# Python

Everything that `import sim` offers. Verbs do what the commands do. They return objects that show themselves in a
notebook.
"""


def pages() -> dict[str, str]:
    """Every page by its file's name."""
    texts = (commands(), keys(), figures(), python())
    return dict(zip(TITLES, texts, strict=True))


# -- commands ---------------------------------------------------------------------------------------------------------


def commands() -> str:
    """Every command with its arguments and options, as the command line parses them."""
    group = typer.main.get_command(app)
    parts = [COMMANDS]
    for name, command in _commands(group, "sim"):
        usage = " ".join([name, *(_in_usage(param) for param in _arguments(command))])
        parts.append(f"\n## {name}\n\n```text\n{usage} [OPTIONS]\n```\n\n{_paragraphs(command.help)}\n")
        rows = [[f"`{_metavar(param)}`", _said(param)] for param in _arguments(command)]
        rows += [[f"`{_shown(param)}`", _said(param)] for param in _options(command)]
        if rows:
            parts.append("\n" + listed.words(["", "what it is"], rows))
    return "".join(parts)


def _commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """A command and, of a group, those in it."""
    if hasattr(command, "commands"):
        for inner in command.commands.values():
            yield from _commands(inner, f"{name} {inner.name}")
    else:
        yield name, command


def _metavar(param: Any) -> str:
    return str(param.metavar or param.name.upper())


def _in_usage(argument: Any) -> str:
    """`[SCENARIO]` where it may be missing, `VARIANT...` where there may be several."""
    shown = _metavar(argument) + ("..." if argument.nargs == -1 else "")
    return shown if argument.required else f"[{shown}]"


def _arguments(command: Any) -> list[Any]:
    return [param for param in command.params if param.param_type_name == "argument"]


def _options(command: Any) -> list[Any]:
    return [param for param in command.params if param.param_type_name == "option" and not param.hidden]


def _shown(option: Any) -> str:
    """`-o, --out DIR`; of a switch its name alone."""
    names = ", ".join([*option.opts, *option.secondary_opts])
    return names if option.is_flag else f"{names} {_metavar(option)}"


def _said(param: Any) -> str:
    """What the help says, and the default where it is none that the help tells."""
    said = html.escape(param.help or "", quote=False)
    shown = getattr(param, "is_flag", False) or param.default in (None, ()) or "efault" in said
    return said if shown else f"{said} Default: `{param.default}`."


def _paragraphs(text: str | None) -> str:
    """Help as paragraphs; a fence where it is laid out by hand."""
    parts = inspect.cleandoc(text or "").replace("\b\n", "").split("\n\n")
    return "\n\n".join(
        f"```text\n{part}\n```" if "\n  " in f"\n{part}" else html.escape(" ".join(part.split())) for part in parts
    )


# -- keys -------------------------------------------------------------------------------------------------------------


def keys() -> str:
    """Every key of every file, from the models that check them."""
    models = _file_models()
    titles = {}
    for model in models:
        for name in (model.__name__, *model.model_json_schema().get("$defs", {})):
            titles.setdefault(name, NAMED.get(name) or _heading(name, models))
    parts = [KEYS]
    done: set[str] = set()
    for model in models:
        schema = model.model_json_schema()
        for name in (model.__name__, *schema.get("$defs", {})):
            if name in done:
                continue
            done.add(name)
            level = "##" if name in {one.__name__ for one in models} else "###"
            said = schema["description"] if name == schema["title"] else schema["$defs"][name].get("description", "")
            table = listed.key_table(schema, name, titles)
            parts.append(f"\n{level} {titles[name]}\n\n{' '.join(said.split())}\n{table.rstrip()}\n")
    return (
        "".join(parts)
        .replace("#map-keys", f"#{_anchor(titles['RailMap'])}")
        .replace("#keys-of-admit", f"#{_anchor(titles['Admit'])}")
    )


def _file_models() -> list[type[BaseModel]]:
    """The models of whole files: those with a `schema` key."""
    for module in pkgutil.iter_modules(sim.config.__path__):
        importlib.import_module(f"sim.config.{module.name}")

    def below(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
        for one in model.__subclasses__():
            yield one
            yield from below(one)

    found = [one for one in below(Model) if any(field.alias == "schema" for field in one.model_fields.values())]
    named = f"{sim.config.__name__}."  # those of records, which are JSON, may be loaded as well
    return [one for one in dict.fromkeys(found) if one is not AnyScenario and one.__module__.startswith(named)]


def _heading(name: str, models: list[type[BaseModel]]) -> str:
    """What a model is called: the first words of what it says of itself."""
    model = next(one for one in models if name == one.__name__ or name in one.model_json_schema().get("$defs", {}))
    schema = model.model_json_schema()
    said = schema["description"] if name == schema["title"] else schema["$defs"][name]["description"]
    for end in (" as written", ":", ".", " (", ","):
        said = said.partition(end)[0]
    return str(said)


def _anchor(title: str) -> str:
    return title.lower().replace("'", "").replace(" ", "-")


# -- figures ----------------------------------------------------------------------------------------------------------


def figures() -> str:
    """Every figure by its core name, with its unit, its meaning and the kind of its interval."""
    parts = {
        "## Of the dispatch game": _definitions(METRICS),
        "## Of the shape of matches": "From `sim.shape` and the report.\n\n" + _definitions(SHAPE_METRICS, gate=False),
        "## Of tournaments": _pairs(METAGAME_METRICS),
        "### Of each bot of a tournament": "As `<figure>.<bot>`.\n\n" + _pairs(BOT_METRICS),
        "## Of the mainline game": "Of the shipped scenario `hands`; another deck or hand has other cards.\n\n"
        + _definitions(metrics_of(load_scenario("hands"))),
    }
    return FIGURES + "".join(f"\n{heading}\n\n{text}" for heading, text in parts.items())


def _definitions(metrics: Mapping[str, MetricDefinition], *, gate: bool = True) -> str:
    head = ["figure", "unit", "kind", *(["gated"] if gate else []), "what it is"]
    rows = [
        [f"`{name}`", one.unit, INTERVALS[one.kind], *(["yes" if one.gated else ""] if gate else []), one.description]
        for name, one in metrics.items()
    ]
    return listed.words(head, rows)


def _pairs(metrics: Mapping[str, tuple[str, str]]) -> str:
    return listed.words(["figure", "unit", "what it is"], [[f"`{name}`", *both] for name, both in metrics.items()])


# -- Python -----------------------------------------------------------------------------------------------------------


def python() -> str:
    """Every public name, with its docstring."""
    names = [(name, getattr(sim, name)) for name in sim.__all__]
    classes = [name for name, one in names if inspect.isclass(one)]
    verbs = [name for name, one in names if name not in classes]
    functions = "\n".join(f".. autofunction:: {name}" for name in verbs)
    made = "\n".join(f".. autoclass:: {name}\n   :members:\n   :exclude-members: __init__" for name in classes)
    parts = {
        "Verbs": f"```{{eval-rst}}\n.. currentmodule:: sim\n\n{functions}\n```\n",
        "What they return": f"```{{eval-rst}}\n.. currentmodule:: sim\n\n{made}\n```\n",
        "For bots": "From `sim.bots`; [Bots](../bots.md#the-function) tells how a bot is made of it.\n\n"
        + listed.words(["name", "what it is"], [[f"`{name}`", _first_line(name)] for name in sim.bots.__all__]),
    }
    return PYTHON + "".join(f"\n## {heading}\n\n{text}" for heading, text in parts.items())


def _first_line(name: str) -> str:
    one = getattr(sim.bots, name)
    said = inspect.getdoc(getattr(one, "py_func", one)) or ""
    return "a number" if isinstance(one, int) and not inspect.isclass(one) else said.partition("\n")[0]
