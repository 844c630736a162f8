"""A bot in somebody's file costs no more than the same bot shipped: a minute long, and in need of a quiet machine."""

from __future__ import annotations

import shutil
from statistics import median

import pytest

from sim.catalogue import player
from sim.config.loading import load_scenario
from sim.running.benchmark import measure

pytestmark = [pytest.mark.slow, pytest.mark.compiled]

MORE = 1.2


@pytest.mark.parametrize("name", ["greedy", "saboteur", "equilibrium"])
def test_plug_in_speed__is_that_of_the_same_bot_shipped(name, tmp_path):
    import kernels.dispatch.bots.thinking as home

    file = home.__file__.replace("thinking", {"equilibrium": "thinking"}.get(name, name))
    shutil.copy(file, tmp_path / "mine.py")
    own = player(f"{tmp_path / 'mine.py'}:{name}")
    shipped = player(name)
    speeds = measure(load_scenario("standard"), [shipped, own], [1], seconds=1.0, rounds=7)
    ratios = [a / b for a, b in zip(speeds[0].matches_per_second, speeds[1].matches_per_second, strict=True)]
    print(f"{name}: {median(ratios):.3f} times the time of the same bot shipped")
    assert median(ratios) <= MORE
