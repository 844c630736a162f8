"""Parts: how they are cut into chunks leaves no trace, and costs little where the pace is known."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from sim.api import make_plan
from sim.running.engine import CHUNK_SECONDS, FIRST_CHUNK_PAIRS, MAX_CHUNK_PAIRS
from sim.running.executors.threads import AHEAD, play_parts
from sim.running.parts import CAUTION, Pace, Part, play_part

PAIRS = 16 * FIRST_CHUNK_PAIRS


@dataclass
class Counted:
    """A plan, and the sizes of the chunks that were played of it."""

    plan: Any
    chunks: list[int] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plan, name)

    def play_rows(self, chunk: Any, bench: Any) -> Any:
        self.chunks.append(chunk.n_pairs)
        return self.plan.play_rows(chunk, bench)


def counted() -> Counted:
    return Counted(make_plan("standard", bots=("random", "random"), seed=1, overrides={"dispatches": 1}))


@pytest.mark.compiled
def test_parts__a_known_pace_makes_fewer_chunks_and_the_same_sums():
    plan = counted()
    part = Part(0, plan, 0, FIRST_CHUNK_PAIRS)
    cold = play_part(part)
    assert (sum(plan.chunks), plan.chunks[0]) == (PAIRS, FIRST_CHUNK_PAIRS)
    pace = Pace()
    pace.learn(plan, CAUTION * PAIRS)
    plan.chunks.clear()
    warm = play_part(part, pace=pace)
    assert plan.chunks[0] == PAIRS
    assert cold is not None
    assert warm is not None
    for name, array in cold.sums.as_arrays().items():
        assert np.array_equal(array, warm.sums.as_arrays()[name]), name


def test_parts__the_pace_is_of_a_pairing_and_within_bounds():
    plan, pace = counted(), Pace()
    other = make_plan("standard", bots=("greedy", "greedy"), seed=1)
    assert pace.first_chunk(plan) == FIRST_CHUNK_PAIRS
    pace.learn(plan, 40)
    assert pace.first_chunk(plan) == 40 // CAUTION, "slow bots begin with fewer"
    assert pace.first_chunk(other) == FIRST_CHUNK_PAIRS
    pace.learn(plan, 1)
    assert pace.first_chunk(plan) == 1
    pace.learn(plan, 100 * CAUTION * MAX_CHUNK_PAIRS)
    assert pace.first_chunk(plan) == MAX_CHUNK_PAIRS


@pytest.mark.compiled
def test_parts__a_part_tells_the_next_one(monkeypatch):
    ticks = itertools.count(0, CHUNK_SECONDS / 2)
    monkeypatch.setattr("sim.running.parts.time.perf_counter", lambda: next(ticks))
    plan, pace = counted(), Pace()
    play_part(Part(0, plan, 0, FIRST_CHUNK_PAIRS), pace=pace)
    assert plan.chunks[0] == FIRST_CHUNK_PAIRS
    assert plan.chunks[1] == 2 * FIRST_CHUNK_PAIRS, "each chunk takes half of what it should"
    assert sum(plan.chunks) == PAIRS
    last = plan.chunks[-1]
    plan.chunks.clear()
    play_part(Part(0, plan, 1, FIRST_CHUNK_PAIRS), pace=pace)
    assert plan.chunks[0] == 2 * last // CAUTION


@pytest.mark.compiled
def test_parts__a_cell_of_another_speed_shows_it_in_few_pairs(monkeypatch):
    """Cells of a pairing may differ a thousand times: no chunk may take so much longer that nobody can stop it."""
    fast, alike, slow = counted(), counted(), counted()
    clock, each = [0.0], {id(fast): 1e-6, id(alike): 1e-6, id(slow): 1e-2}
    monkeypatch.setattr("sim.running.parts.time.perf_counter", lambda: clock[0])
    for plan in (fast, alike, slow):

        def play_rows(chunk, bench, plan=plan, played=plan.play_rows):
            clock[0] += each[id(plan)] * chunk.n_pairs
            return played(chunk, bench)

        plan.play_rows = play_rows
    pace = Pace()
    for plan in (fast, fast, alike, slow, slow):
        play_part(Part(0, plan, 0, FIRST_CHUNK_PAIRS), pace=pace)
    assert fast.chunks[-1] == PAIRS, "one that was played goes on at its pace"
    assert alike.chunks == [FIRST_CHUNK_PAIRS, PAIRS - FIRST_CHUNK_PAIRS], "as does one that keeps up"
    assert max(slow.chunks) == FIRST_CHUNK_PAIRS
    assert slow.chunks[1:3] == [10, 10]


def test_parts__workers_go_on_while_results_are_looked_at(monkeypatch):
    played: list[int] = []
    monkeypatch.setattr("sim.running.executors.threads.play_part", lambda part, *_: played.append(part) or part)
    found = play_parts(iter(range(100)), 1)
    first = next(found)
    until = time.monotonic() + 30
    while len(played) < AHEAD // 2 and time.monotonic() < until:
        time.sleep(0.01)
    assert len(played) >= AHEAD // 2, "they have parts enough for a while"
    assert sorted([first, *found]) == list(range(100))


def test_parts__parts_that_are_slow_to_come_hold_up_no_result(monkeypatch):
    """Such as those whose bots are compiled first: what is done is told of before more is asked for."""
    asked: list[int] = []

    def parts():
        for number in range(4 * AHEAD):
            asked.append(number)
            time.sleep(0.02)
            yield number

    monkeypatch.setattr("sim.running.executors.threads.play_part", lambda part, *_: part)
    found = play_parts(parts(), 1)
    next(found)
    assert len(asked) < AHEAD
    found.close()


def test_parts__results_that_nobody_takes_do_not_pile_up(monkeypatch):
    """Parts are played as fast as they come, and nobody is in a hurry to be told of them."""
    monkeypatch.setattr("sim.running.executors.threads.EASE_SECONDS", 60.0)
    monkeypatch.setattr("sim.running.executors.threads.play_part", lambda part, *_: part)
    asked: list[int] = []

    def parts():
        for number in range(1_000):
            time.sleep(0.001)
            asked.append(number)
            yield number

    found = play_parts(parts(), 2)
    for _ in range(10):
        next(found)
    found.close()
    assert len(asked) <= 2 * AHEAD * 2 + 10
