"""Small good files for the tests of the configuration, to be spoiled one line at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sim.config.errors import BadInput

SCENARIO = """\
schema: 1
game: dispatch
name: small
dispatches: 24
economy:
  starting_cash: 4
  income: 1
  upgrade_cost: 8
  upgraded_speed: 2
  siding_cost: 3
  toll: 1
cargo:
  rewards: [3, 4, 5]
  scope: train
map: map.yaml
bots: {A: greedy, B: greedy}
"""

MAP = """\
schema: 1
name: ring
tracks:
  - [aw, bw]
  - [aw, ae]
  - [bw, be]
  - [ae, be]
  - [Pw, aw]
  - [Pe, ae]
  - [Qw, bw]
  - [Qe, be]
mirror:
  Pw: Pe
  Qw: Qe
  aw: ae
  bw: be
trains:
  - start: Qw
    deliveries: [Qe, Pe]
  - start: {at: aw, from: Pw}
    deliveries: [Pe, Pw]
initial_routes:
  aw: 2
  ae: 2
layout:
  Pw: [-2, 2]
  aw: [-1, 1]
  bw: [-1, -1]
  Qw: [-2, -2]
  Pe: [2, 2]
  ae: [1, 1]
  be: [1, -1]
  Qe: [2, -2]
"""


def write(folder: Path, scenario: str = SCENARIO, rail_map: str = MAP) -> str:
    """Write the two files; return the scenario's path."""
    (folder / "map.yaml").write_text(rail_map, encoding="utf-8")
    path = folder / "x.yaml"
    path.write_text(scenario, encoding="utf-8")
    return str(path)


def problems_of(load: Callable[..., Any], *args: Any, **kwargs: Any) -> list[str]:
    """The lines of the BadInput that loading raises, without the folder of the files."""
    with pytest.raises(BadInput) as caught:
        load(*args, **kwargs)
    lines = str(caught.value).splitlines()
    folders = {
        str(Path(problem.file).parent) + "/"
        for problem in caught.value.problems
        if problem.file and problem.file.endswith(".yaml") and "/" in problem.file
    }
    for folder in folders:
        lines = [line.replace(folder, "") for line in lines]
    return lines


def changed(text: str, old: str, new: str) -> str:
    """Text with one piece of it changed; the piece must be there once."""
    assert text.count(old) == 1, old
    return text.replace(old, new)
