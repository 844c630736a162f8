"""The parts of the documentation that are measured: each plays matches, and says which behaviour it saw."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from listed import ORDER, table

import sim
from sim.config.value_study import load_value_study
from sim.stats.metrics import METRICS
from sim.stats.rounding import format_estimate

MATCHES = 200_000
README_MATCHES = 1_000_000
PROBE_MATCHES = 2_000
PROBES = {
    **dict.fromkeys(("tutorial-run", "tutorial-cheaper", "tutorial-better"), 200),
    "tutorial-bots": 8,
    "limits": 8,
    "ladder": 40,
    "floor": 40,
    "depths": 8,
    "exploit": 4,
    "value": 40,
}
"""Matches behind a digest, where the bots are slow."""

SEED = 1
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
LIMITS_MATCHES = 20_000
LIMITS = {
    "shared": "shared",
    "decided_by_cash": "decided by cash",
    "spread.mean": "spread",
    "deliveries.first": "deliveries of a side",
    "conflicts": "conflicts",
    "pick.siding.first": "buys a siding",
}
TUTORIAL_MATCHES = 20_000
TUTORIAL_BOTS = ("greedy", "saboteur", "planner", "equilibrium")
CAREFUL = ("planner", "planner")
CHEAPER = "economy.upgrade_cost=6"
BETTER = "economy.siding_cost=2"
ASKED = {"as it is": [], "siding at $2": [BETTER], "upgrade at $6": [CHEAPER]}
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


def careful_runs(change: str) -> list[dict[str, Any]]:
    """The standard scenario by careful players, as it is and with a change."""
    return [{"scenario": "standard", "bots": CAREFUL, "overrides": changed} for changed in ([], [change])]


def tutorial_runs() -> list[dict[str, Any]]:
    """Each bot against itself, as it is and with each change."""
    return [
        {"scenario": "standard", "bots": (bot, bot), "overrides": change}
        for bot in TUTORIAL_BOTS
        for change in ASKED.values()
    ]


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
    "limits": lambda: [{"scenario": "standard", "bots": (bot, bot)} for bot in EXPLOITED],
    "tutorial-run": lambda: [{"scenario": "standard", "bots": CAREFUL}],
    "tutorial-cheaper": lambda: careful_runs(CHEAPER),
    "tutorial-better": lambda: careful_runs(BETTER),
    "tutorial-bots": tutorial_runs,
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
    return _compared("compare", COMPARED, matches)


def _compared(name: str, change: str, matches: int, bots: tuple[str, str] | None = None) -> str:
    from sim.reports.compare_terminal import print_comparison

    found = sim.compare("standard", overrides=[change], bots=bots, matches=matches, seed=SEED)
    shown = screen_text(lambda screen: print_comparison(found, screen))
    return f"<!-- behaviour {behaviour(RUNS[name](), PROBES.get(name))} -->\n\n{shown}\n"


def tutorial_run(matches: int) -> str:
    """What careful players make of the standard scenario, as docs/tutorial.md shows it."""
    from sim.reports.terminal import print_summary

    run = sim.run("standard", bots=CAREFUL, matches=matches, seed=SEED)
    shown = screen_text(lambda screen: print_summary(run, screen))
    return f"<!-- behaviour {behaviour(RUNS['tutorial-run'](), PROBES['tutorial-run'])} -->\n\n{shown}\n"


def tutorial_cheaper(matches: int) -> str:
    """What cheaper upgrades change there."""
    return _compared("tutorial-cheaper", CHEAPER, matches, CAREFUL)


def tutorial_better(matches: int) -> str:
    """What a cheaper siding changes there."""
    return _compared("tutorial-better", BETTER, matches, CAREFUL)


def tutorial_bots(matches: int) -> str:
    """Shared victories by bot and change."""
    runs = RUNS["tutorial-bots"]()
    found = [phrase(sim.run(**run, matches=few_of(run, matches), seed=SEED), "shared") for run in runs]
    n = len(ASKED)
    rows = [[bot, *found[n * place : n * place + n]] for place, bot in enumerate(TUTORIAL_BOTS)]
    shown = table(["bot", *ASKED], rows)
    return f"<!-- behaviour {behaviour(runs, PROBES['tutorial-bots'])} -->\n\n{shown}\n"


def few_of(run: Mapping[str, Any], matches: int) -> int:
    """A fifth of the matches where the bot thinks long."""
    return max(2, matches // 5) if run["bots"][0] == "equilibrium" else matches


def limits(matches: int) -> str:
    """What each bot says of the same game, in self-play."""
    runs = RUNS["limits"]()
    found = [sim.run(**run, matches=few_of(run, matches), seed=SEED) for run in runs]
    rows = [
        [run.first, f"{run.sums.n_matches:,}", *(phrase(run, metric).replace(" points", "") for metric in LIMITS)]
        for run in found
    ]
    shown = table(["bot against itself", "matches", *LIMITS.values()], rows)
    return f"<!-- behaviour {behaviour(runs, PROBES['limits'])} -->\n\n{shown}\n"


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


def value(matches: int) -> str:
    """What the first command of docs/value.md prints; in full whatever `matches` says, unless it is few."""
    from sim.reports.value_terminal import print_value

    few = {} if matches >= VALUE_MATCHES else {"matches": matches, "scan_matches": matches}
    found = sim.value("standard", seed=SEED, **few)
    shown = screen_text(lambda screen: print_value(found, screen))
    return f"<!-- behaviour {behaviour(RUNS['value'](), PROBES['value'])} -->\n\n{shown}\n"
