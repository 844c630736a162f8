"""`sim map`, `sim bots`, `sim init`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim.cli.options import JsonOption, SeedOption, ThreadsOption, console, print_json

if TYPE_CHECKING:
    from sim.config.scenario import RailMap

_PICTURES = (".svg", ".png")


def show_map(
    source: Annotated[
        str, typer.Argument(metavar="MAP", help="A map file, a scenario file, or the name of a shipped map.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Picture: .svg or .png. Default: reports/maps/<name>.svg. With --knockout a folder.",
        ),
    ] = None,
    knockout: Annotated[
        bool,
        typer.Option(
            "--knockout", help="Instead: what each junction and track is worth, by bots that keep off it, played."
        ),
    ] = False,
    bots: Annotated[
        str | None, typer.Option("--bots", metavar="A,B…", help="With --knockout: who keeps off. Default: greedy.")
    ] = None,
    matches: Annotated[
        str | None, typer.Option("--matches", metavar="N", help="With --knockout: of each place. Default 20,000.")
    ] = None,
    seed: SeedOption = None,
    threads: ThreadsOption = None,
    json: JsonOption = False,
) -> None:
    """Check a map, say whether its mirror is exact and where not, and draw it.

    With --knockout say what its junctions and tracks are worth; a map is then played by the rules of `standard`.
    """
    if knockout:
        from sim.cli.knockout import knockout as play_knockout

        play_knockout(source, bots, matches, seed, threads, out, json)
        return
    for option, value in {"--bots": bots, "--matches": matches, "--seed": seed, "--threads": threads}.items():
        if value is not None:
            from sim.cli.options import refuse

            refuse(option, value, "left out without --knockout, since nothing is played")
    from sim.config.exactness import by_rule, exactness
    from sim.config.network import network_of
    from sim.files import told, write_atomically
    from sim.reports.map_picture import map_figure
    from sim.reports.style import png_bytes, svg_text
    from sim.store import folder_name

    rail_map = _map_of(source)
    network = network_of(rail_map)
    verdict = exactness(rail_map)
    path = out or Path("reports/maps") / f"{folder_name(rail_map.name, '').rstrip('-')}.svg"
    if path.suffix not in _PICTURES:
        from sim.cli.options import refuse

        refuse("--out", path, f"a picture file: {', '.join(_PICTURES)}")
    figure = map_figure(rail_map, exactness=verdict)
    picture = png_bytes(figure) if path.suffix == ".png" else svg_text(figure, title=f"map {rail_map.name}").encode()
    with told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, picture)
    if json:
        print_json(
            {
                "name": rail_map.name,
                "junctions": list(network.junctions),
                "terminals": list(network.terminals),
                "tracks": len(rail_map.tracks),
                "exact": verdict.exact,
                "breaches": [{"junction": breach.junction, "reason": breach.reason} for breach in verdict.breaches],
                "warnings": list(rail_map.warnings),
                "picture": str(path),
            }
        )
        return
    screen = console()
    screen.print(
        f"map {rail_map.name}: {len(network.junctions)} junctions, {len(network.terminals)} terminals, "
        f"{len(rail_map.tracks)} tracks; valid"
    )
    if verdict.exact:
        screen.print("mirror: exact. Equal bots have equal chances; a measured seat bias is noise.")
    else:
        typer.echo(_indented("mirror: not exact. The labels alone can favour a seat.", 0, 0))
        for rule, breaches in by_rule(verdict.breaches):
            typer.echo(_indented(f"{rule[0].upper()}{rule[1:]}:", 0, 0))
            for breach in breaches:
                typer.echo(_indented(f"{breach.junction}: {breach.case}", 2))
    for warning in rail_map.warnings:
        typer.echo(_indented(f"warning: {warning}", 0))
    typer.echo(f"drawn in {path}")


def _map_of(source: str) -> RailMap:
    """The map of a map file or of a scenario file."""
    from sim.config.loading import dispatch_only, load_map, load_scenario

    path = Path(source)
    if path.is_file():
        try:
            is_scenario = any(line.startswith(("game:", "extends:")) for line in path.read_text("utf-8").splitlines())
        except (OSError, UnicodeDecodeError):
            is_scenario = False
        if is_scenario:
            return dispatch_only(load_scenario(source, bots=False), "a map").map
    return load_map(source)


def bots(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="A Python file: list the bots in it instead, and compile them."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """List the bots, what they do, and the parameters that `define` may set; and the mainline game's policies."""
    if file is not None:
        from sim.plug_ins import bots_in_file

        own = bots_in_file(file)
        if json:
            print_json({f"{file}:{name}": _described(bot) for name, bot in own.items()})
        else:
            _print_bots({f"{file}:{name}": bot for name, bot in own.items()})
        return
    from kernels.dispatch.bots import SHIPPED
    from sim.config.mainline import POLICY_DOCS
    from sim.packaged_bots import found_in_package, packaged_names
    from sim.restrictions import RESTRICTION_DOCS

    known = {**SHIPPED}
    for name in packaged_names():
        if name not in SHIPPED:
            known[name] = found_in_package(name)[0]
    if json:
        policies = {name: {"doc": doc, "game": "mainline"} for name, doc in POLICY_DOCS.items()}
        print_json({name: _described(bot) for name, bot in known.items()} | policies)
        return
    _print_bots(known)
    screen = console()
    screen.print("Each shipped bot also takes, in define:")
    for key, doc in RESTRICTION_DOCS.items():
        screen.print(_indented(f"{key}: {doc}", 4))
    screen.print()
    screen.print("A bot of your own: sim init --bot my_bot.py, then --bots my_bot.py:my_bot.")
    screen.print()
    screen.print("In the mainline game the Superintendent's policy takes the place of bots:")
    for name, doc in POLICY_DOCS.items():
        screen.print(f"policy: {name}" if name == "hold" else f"policy: {{{name}: p}}", style="bold")
        screen.print(_indented(doc, 2, 0))


def _print_bots(known: Mapping[str, Any]) -> None:
    """Name, description and parameters of each."""
    screen = console()
    for name, bot in known.items():
        screen.print(name, style="bold")
        for paragraph in bot.doc.split("\n\n"):
            screen.print(_indented(" ".join(paragraph.split()), 2, 0))
        for key, parameter in bot.params.items():
            allowed = ", ".join(parameter.choices) or f"{parameter.low:g} to {parameter.high:g}"
            screen.print(_indented(f"{key} = {_plain(parameter.default)} ({allowed}): {parameter.doc}", 4))
        screen.print()


def _plain(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _indented(text: str, columns: int, hang: int = 2) -> str:
    import textwrap

    return textwrap.fill(
        text, 79, initial_indent=" " * columns, subsequent_indent=" " * (columns + hang), break_on_hyphens=False
    )


def _described(bot: Any) -> dict[str, Any]:
    from sim.restrictions import RESTRICTION_DOCS

    return {
        "doc": bot.doc,
        "mirror_fair": bot.mirror_fair,
        "parameters": {
            key: {
                "default": parameter.default,
                "allowed": list(parameter.choices) or [parameter.low, parameter.high],
                "doc": parameter.doc,
            }
            for key, parameter in bot.params.items()
        },
        "restrictions": RESTRICTION_DOCS if bot.restrictable else {},
    }


def init(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="Where to put the files; new or existing.")
    ] = None,
    bot: Annotated[
        Path | None, typer.Option("--bot", metavar="FILE", help="Write a bot to start from into a new Python file.")
    ] = None,
) -> None:
    """Copy the shipped scenarios and maps into a folder, to start from, or write a bot. Overwrites nothing."""
    from sim.config.starters import copy_starters, write_bot_template
    from sim.files import told

    if folder is None and bot is None:
        from sim.cli.options import refuse

        refuse("init", "given nothing to write", "given a folder, or --bot and a Python file")
    if folder is not None:
        with told(folder):
            written = copy_starters(folder)
        typer.echo(f"wrote {len(written)} files to {folder}")
        typer.echo(f"now:  sim run {folder / 'standard.yaml'}")
        typer.echo(f"then: sim compare {folder / 'standard.yaml'} --set economy.upgrade_cost=6")
        typer.echo("A bare word, as in `sim run standard`, means the shipped file, never the copy.")
    if bot is not None:
        write_bot_template(bot)
        typer.echo(f"wrote {bot}")
        typer.echo(f"now: sim run standard --bots {bot}:my_bot,greedy")
