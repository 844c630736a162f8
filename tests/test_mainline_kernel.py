"""The mainline kernels are held against the plain oracle on random Divisions, and their luck against chance."""

from __future__ import annotations

import os

import numpy as np
import pytest
from scipy import stats

import sim
from kernels.jit import PLAIN
from kernels.mainline.codes import Column, Direction
from kernels.random import Purpose, draw_at, new_streams, seek
from sim.api import make_plan
from sim.config.mainline import MainlineScenario
from sim.games.mainline.day import answered_day, drawn_day
from sim.games.mainline.plan import MainlinePlan
from sim.running.chunks import Chunk
from tests.mainline_tools import division, expected_row, held, random_division
from tests.reference.mainline import Day as Oracle
from tests.run_tools import scaled

N_DIVISIONS = int(os.environ.get("DISPATCH_BALANCE_MAPS", "2000"))
"""Random Divisions on which the kernel is held against the oracle."""
SEED = 5


def oracle_of(plain, rulings):
    """The oracle's day, whose Superintendent gives the recorded answers."""
    answers = iter([asked["admitted"] for asked in rulings])
    day = Oracle(plain, None if plain["policy"] == "hold" else lambda *_: next(answers))
    assert next(answers, None) is None
    return day


def test_mainline_kernel__agrees_with_the_oracle_on_random_divisions():
    """Every train's every crossing, every Home card, ruling and collision."""
    seen = dict.fromkeys(("collisions", "laid", "kept", "refused", "realigned"), 0)
    states = set()
    for number in range(N_DIVISIONS):
        plain = random_division(number)
        scenario = MainlineScenario.model_validate(plain)
        told = drawn_day(scenario, SEED, number).words()
        assert told == oracle_of(plain, told["rulings"]).words(), number
        for what in seen:
            seen[what] += len(told[what])
        states |= {train["state"] for train in told["trains"].values()}
    assert min(seen.values()) > N_DIVISIONS / 10, seen
    assert states == {"arrived", "unfinished", "not run"}


def drawn_rulings(plain, number):
    """The Superintendent of a policy, with the luck of a day."""
    luck = new_streams(1)
    seek(luck[0], SEED, 0, int(Purpose.RULINGS), 0, number)
    chance = round(plain["policy"]["admit"] * 2**32) if plain["policy"] != "hold" else 0
    return lambda stage, train, _: bool(draw_at(luck[0], 10_000 * stage + train) < chance)


def test_mainline_kernel__rows_agree_with_the_oracle():
    """Counts of a day, and what each kind of Home card saved: the same day without it, with the same luck."""
    compared = 0
    for number in range(scaled(500, 40)):
        plain = random_division(number)
        plan = MainlinePlan(MainlineScenario.model_validate(plain), SEED)
        row = plan.play_rows(Chunk(number, 1))[0]
        ask = None if plain["policy"] == "hold" else drawn_rulings(plain, number)
        others = {
            home: Oracle({**plain, "hands": [card for card in plain["hands"] if card["card"] != home]}, ask)
            for home in {card["card"] for card in plain["hands"]}
        }
        expected = expected_row(Oracle(plain, ask), plan.columns, others)
        assert {column: int(row[column]) for column in expected} == expected, number
        compared += any(row[Column.SAVED_BRAKEMAN : Column.COMPARED_BRAKEMAN])
    assert compared > 5


@pytest.mark.parametrize("policy", [{"admit": 0.0}, {"admit": 1.0}])
def test_mainline_kernel__a_certain_policy_needs_no_luck(policy):
    """Never admitting is holding; always admitting is answering yes."""
    trains = [(number, "slow", 1) for number in range(1, 7)]
    plain = {**division("tunnel", "curves", trains=trains), "policy": policy}
    hold = drawn_day(MainlineScenario.model_validate({**plain, "policy": "hold"}), SEED, 3).words()
    day = drawn_day(MainlineScenario.model_validate(plain), SEED, 3).words()
    assert {asked["admitted"] for asked in day["rulings"]} == {policy["admit"] == 1.0}
    if policy["admit"] == 0.0:
        assert {**day, "rulings": []} == hold


def test_mainline_kernel__recorded_rulings_play_the_same_day():
    for number in range(scaled(200, 30)):
        plain = random_division(number)
        if plain["policy"] != "hold":
            scenario = MainlineScenario.model_validate(plain)
            told = drawn_day(scenario, SEED, number).words()
            answers = [asked["admitted"] for asked in told["rulings"]]
            again = answered_day(scenario, answers)
            assert not again.lacks_answer
            assert again.words() == told
            assert not answers or answered_day(scenario, answers[:-1]).lacks_answer


# -- luck -------------------------------------------------------------------------------------------------------------


def dealt(plan, n, first=0):
    """Cards and ups of n deals: words [m, s]."""
    rows = plan.play_rows(Chunk(first, n))
    slots = range(plan.scenario.n_slots)
    kinds = np.array(["", *plan.columns.kinds])
    cards = kinds[np.stack([rows[:, plan.columns.card(s)] for s in slots], axis=1)]
    return cards, np.stack([rows[:, plan.columns.up(s)] for s in slots], axis=1)


def two_trains(players, **keys):
    """A scenario of two trains on the shipped deck, quick to play."""
    plain = division(*["plains"] * (players + 1), trains=[(1, "fast", 1), (2, "slow", 1)], **keys)
    return MainlineScenario.model_validate({**plain, "deal": None, "up": None})


@pytest.mark.compiled
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_mainline_kernel__a_million_deals_are_dealt_as_chance_has_it(players):
    n = 1_000_000
    interval = stats.norm.ppf(0.9995)
    plan = MainlinePlan(two_trains(players), 0)
    rows = plan.play_rows(Chunk(0, n))
    for kind in plan.columns.kinds:
        copies = rows[:, plan.columns.dealt(kind)]
        assert copies.max() <= (2 if kind == "plains" else 1)
        if kind != "plains":
            share = (players + 1) / 10
            assert abs(copies.mean() - share) < interval * np.sqrt(share * (1 - share) / n), kind
    grades = int(rows[:, Column.GRADES].sum())
    east = int(rows[:, Column.GRADES_EAST].sum())
    assert abs(east / grades - 0.5) < interval * 0.5 / np.sqrt(grades)
    # Every slot is as likely as any other.
    counts = [int((rows[:, plan.columns.card(s)] == 1).sum()) for s in range(players + 1)]
    assert stats.chisquare(counts).pvalue > 1e-3


def test_mainline_kernel__deals_do_not_depend_on_policy_timetable_or_hand():
    n = scaled(2_000, 40)
    base = dealt(MainlinePlan(two_trains(4), 7), n)
    realigning = [held("realignment", 1), held("helpers", 2), held("brakeman", 1)]
    other_trains = [{"number": number, "class": "fast", "departs": [1, 9]} for number in range(3, 9)]
    for keys in ({"policy": {"admit": 0.7}}, {"hands": realigning}, {"timetable": other_trains}, {"max_stages": 9}):
        cards, ups = dealt(MainlinePlan(two_trains(4, **keys), 7), n)
        assert (cards == base[0]).all(), keys
        assert (ups == base[1]).all(), keys
    fewer, _ = dealt(MainlinePlan(two_trains(2), 7), n)
    assert (fewer == base[0][:, :3]).all()
    for plan in (MainlinePlan(two_trains(4), 8), MainlinePlan(two_trains(4), 7, namespace=1)):
        assert (dealt(plan, n)[0] != base[0]).any(axis=1).mean() > 0.9


def test_mainline_kernel__departures_are_a_train_s_own():
    """What one train draws does not move with the trains beside it; all of its Stages are as likely."""
    n = scaled(20_000, 300)
    trains = [{"number": 7, "class": "slow", "departs": [3, 6]}, {"number": 8, "class": "slow", "departs": [1, 50]}]
    alone = two_trains(1, timetable=trains[:1])
    beside = two_trains(1, timetable=trains)
    days = [drawn_day(alone, 3, number).departs[0] for number in range(200)]
    assert days == [drawn_day(beside, 3, number).departs[0] for number in range(200)]
    stages = [drawn_day(alone, 3, number).departs[0] for number in range(min(n, 2_000))]
    found, counts = np.unique(stages, return_counts=True)
    assert list(found) == [3, 4, 5, 6]
    assert stats.chisquare(counts).pvalue > 1e-4


def test_mainline_kernel__chunks_and_strides_leave_no_trace():
    plan = make_plan("four-players", seed=1)
    whole = plan.play_rows(Chunk(0, 12))
    assert (plan.play_rows(Chunk(3, 4)) == whole[3:7]).all()
    assert (plan.play_rows(Chunk(1, 4, 3)) == whole[1::3]).all()


def test_mainline_kernel__columns_of_directions_stand_beside_each_other():
    for east in (column for column in Column if column.name.endswith("_EAST") and column != Column.GRADES_EAST):
        assert Column[east.name.replace("EAST", "WEST")] == east + Direction.WEST


@pytest.mark.skipif(PLAIN, reason="speed is of compiled kernels")
def test_mainline_kernel__play_is_quick():
    """A loose floor, so that a slip of ten times is seen; the figures of record are measured by `sim bench`."""
    import time

    plan = make_plan("four-players", seed=1)
    plan.play_rows(Chunk(0, 100))
    best = 0.0
    for _ in range(3):
        started = time.process_time()
        plan.play_rows(Chunk(0, 4_000))
        best = max(best, 4_000 / (time.process_time() - started))
    assert best > 50_000


def test_mainline_kernel__too_long_a_day_is_counted():
    plan = make_plan("four-players", seed=1, overrides={"max_stages": 19})
    rows = plan.play_rows(Chunk(0, 40))
    assert set(rows[:, Column.STAGES]) == {19}
    assert rows[:, Column.UNFINISHED].sum() > 0
    run = sim.run("four-players", matches=40, seed=1, overrides={"max_stages": 19})
    assert run.manifest["outcomes"]["unfinished"] == (rows[:, Column.UNFINISHED] > 0).sum()
    assert run["trip_stages.east"].n_units == (rows[:, Column.TRIPS_EAST] > 0).sum()
