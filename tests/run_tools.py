"""Small runs for tests: plans, run folders, interruptions, and plug-in bots that misbehave."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pyarrow.parquet as pq

from kernels.jit import PLAIN
from sim.api import make_plan
from sim.games.dispatch.plan import DispatchPlan
from sim.games.game import Plan
from sim.running.result import Run
from sim.running.runner import Amount, play
from sim.store import RunFolder

T = TypeVar("T")

SHORT: dict[str, Any] = {"dispatches": 3} if PLAIN else {}
"""Plain kernels are a thousand times slower: matches are shorter there."""


def scaled(compiled: T, plain: T) -> T:
    """How many, or which: with compiled kernels, and with plain ones."""
    return plain if PLAIN else compiled


def plan_of_bots(first: str, second: str, scenario: str = "standard", seed: int = 5, **overrides: Any) -> DispatchPlan:
    """A plan on a shipped scenario, with shorter matches when kernels are plain."""
    define = {"still": {"bot": "greedy", "noise": 0}, "poor": {"bot": "greedy", "noise": 0, "invest": "none"}}
    return make_plan(scenario, bots=(first, second), seed=seed, overrides={**SHORT, "define": define, **overrides})


def kept(path: Path, plan: Plan, amount: Amount, *, with_matches: bool = False, again: bool = False, **how: Any) -> Run:
    """Play a plan into a run folder, or go on with what is there."""
    with RunFolder(path, plan.digest(amount.identity), again=again, with_matches=with_matches) as folder:
        assert folder.state != "complete"
        return play(plan, amount, folder=folder, **how)


def contents(path: Path) -> dict[str, Any]:
    """What must be the same whenever a run is the same: bytes, and the rows of the matches."""
    found: dict[str, Any] = {name: (path / name).read_bytes() for name in ("summary.json", "sums.npz")}
    rows = path / "matches.parquet"
    found["matches"] = pq.read_table(rows) if rows.exists() else None
    return found


def files_under(path: Path) -> dict[str, str]:
    """Digest of every file below a folder, by relative name."""
    return {
        file.relative_to(path).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(path.rglob("*"))
        if file.is_file()
    }


def interrupting(after: int) -> Callable[[int, int], None]:
    """A progress callback that acts as the keyboard at its `after`-th call."""
    calls = 0

    def progress(done: int, wanted: int) -> None:
        nonlocal calls
        calls += 1
        if calls == after:
            raise KeyboardInterrupt

    return progress


def edited(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change a JSON file in place."""
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")


PLUG_IN_HEAD = """\
import numpy as np
from kernels.codes import Invest
from kernels.dispatch.bots import Parameter, bot
from kernels.dispatch.orders import pack_order
from kernels.random import draw32
"""


def plug_in(folder: Path, body: str, name: str = "own.py", **decoration: str) -> str:
    """Write a bot called `own` with a function body; return `file.py:own`."""
    folder.mkdir(parents=True, exist_ok=True)
    declared = ", ".join(f"{key}={value}" for key, value in decoration.items())
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    text = f"{PLUG_IN_HEAD}\n\n@bot({declared})\ndef own(rules, state, c, params, stream):\n{lines}"
    (folder / name).write_text(text, encoding="utf-8")
    return f"{folder / name}:own"


def metrics_of(run: Run, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """(value, low, high, method) of figures of a run."""
    return [(run[name].value, run[name].low, run[name].high, run[name].method) for name in names]
