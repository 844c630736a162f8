"""The shape of matches: each figure as its definition says, in agreement with the rows, whatever the threads."""

from __future__ import annotations

import json
import math
from collections import Counter

import numpy as np
import pytest

import sim
from kernels.codes import Column
from sim.api import make_plan
from sim.games.dispatch.traces import play_traces
from sim.running.chunks import Chunk
from sim.stats.shape import DECIDED, FEWEST_SIDES, SHAPE_METRICS, Comeback, Courses, places
from sim.studies.shape import Shape, shape, shape_of
from tests.reference import shape as reference
from tests.run_tools import SHORT, edited, plan_of_bots, plug_in, scaled

MATCHES = scaled(1_400, 24)


def courses_of(*matches, n_swaps=1) -> Courses:
    """Matches given as leads of A in points after each dispatch; equal cash throughout."""
    points = np.array(matches, np.int64)
    blocks = np.arange(len(matches)) // n_swaps
    return Courses(points, np.zeros_like(points), blocks, len(matches) // n_swaps, n_swaps)


def value(name: str, courses: Courses) -> float:
    total = SHAPE_METRICS[name].measure(courses)
    return total.total.sum() / (total.scale * total.matches.sum())


@pytest.fixture(scope="module")
def found() -> Shape:
    return shape("standard", bots=("greedy", "random"), matches=MATCHES, seed=5, overrides=SHORT)


# -- definitions ------------------------------------------------------------------------------------------------------


def test_lead_changes__pass_over_dispatches_without_a_leader():
    assert value("lead_changes", courses_of([3, 0, -1, 0, -2, 4])) == 2
    assert value("lead_changes", courses_of([0, 0, 3, 5, 0, 1])) == 0
    cash = Courses(np.zeros((1, 4), np.int64), np.array([[1, -1, -2, 3]]), np.zeros(1, np.int64), 1, 1)
    assert value("lead_changes", cash) == 2


def test_drama__is_what_the_winner_was_behind():
    assert value("drama", courses_of([-4, -1, 2, 3])) == 5 / 4
    assert value("drama", courses_of([4, 1, -2, -3])) == 5 / 4
    assert value("drama", courses_of([4, -3, 0])) == 0  # shared
    assert value("comebacks", courses_of([-4, 2], [1, 2], [3, 0])) == 0.5  # of the two that were won


def test_decided_at__is_where_the_lead_becomes_safe():
    """Leads of 5 are safe from dispatch 2 on, leads of 1 never before the end."""
    safe = [[0, 5, 5, 5]] * 30 + [[5, 5, 5, 5]] * 30
    open_ = [[1, 1, 1, 1]] * 20 + [[1, 1, 1, -1]] * 20
    curve = courses_of(*safe, *open_)
    assert curve.comeback.score(2, 5) == (0, 60)
    assert curve.comeback.score(3, 1) == (0.5, 40)
    total = SHAPE_METRICS["decided_at"].measure(curve)
    assert total.total.tolist() == [2] * 30 + [1] * 30 + [4] * 40
    cash = Courses(np.zeros((1, 3), np.int64), np.array([[0, 0, 1]]), np.zeros(1, np.int64), 1, 1)
    assert value("decided_at", cash) == 3


def test_comeback__takes_rare_deficits_together():
    points = np.array([[9]] * 3 + [[-7]] * 18 + [[4]] * 30 + [[-1]] * 5)
    winners = np.array([1] * 3 + [1] * 2 + [-1] * 16 + [1] * 30 + [-1] * 5, np.int8)
    curve = Comeback.of(points, winners)
    assert curve.score(1, 7) == (2 / 18, 18)
    assert curve.expected[0, 9] == curve.expected[0, 7] == 2 / 21
    assert curve.expected[0, 4] == 0
    assert (curve.expected[0, 0], curve.expected[0, 1]) == (0.5, 0)
    assert np.isnan(curve.expected[0, [2, 3, 5, 6, 8]]).all()
    assert math.isnan(curve.score(1, 5)[0])
    assert curve.score(2, 1)[1] == curve.score(1, 99)[1] == 0


@pytest.mark.parametrize(
    ("first", "second", "scenario"), [("greedy", "greedy", "standard"), ("random", "greedy", "crooked")]
)
def test_shape__agrees_with_the_reference(first, second, scenario):
    plan = plan_of_bots(first, second, scenario, dispatches=scaled(24, 8))
    n_pairs = scaled(150, 10)
    played = shape_of(plan, 2 * n_pairs, threads=2)
    standings = play_traces(plan, Chunk(0, n_pairs)).standings
    matches = [[tuple(int(x) for x in after) for after in match] for match in standings]
    curve = reference.comeback(matches)
    frame = played.comeback_frame
    assert {(one.dispatch, one.behind): (one.score, one.sides) for one in frame.itertuples()} == curve
    decided = [reference.decided_at(match, curve, FEWEST_SIDES, DECIDED) for match in matches]
    won = [match for match in matches if reference.leader(match[-1])]
    wanted = {
        "lead_changes": np.mean([reference.lead_changes(match) for match in matches]),
        "drama": np.mean([reference.drama(match) for match in matches]),
        "comebacks": np.mean([reference.came_back(match) for match in won]),
        "decided_at": np.mean([one for one in decided if one is not None]),
    }
    for name, mean in wanted.items():
        assert played[name].value == pytest.approx(mean), name
    assert played["drama"].n == 2 * n_pairs
    assert played["decided_at"].n == len(won)


# -- places -----------------------------------------------------------------------------------------------------------


def test_shape__places_add_up_to_the_figures_of_the_run(found):
    run = sim.run("standard", bots=("greedy", "random"), matches=MATCHES, seed=5, overrides=SHORT)
    sums = run.sums.sums.sum(axis=(0, 1))

    def total(what):
        return sum(one.value for one in found.tracks + found.junctions if one.what == what) * MATCHES

    assert total("head_ons") == pytest.approx(sums[Column.HEAD_ONS])
    assert total("conflicts") == pytest.approx(sums[Column.JUNCTION_CONFLICTS])
    assert total("shared_arrivals") == pytest.approx(sums[Column.SHARED_ARRIVALS])
    assert total("sidings") == pytest.approx(sums[Column.SIDINGS_A] + sums[Column.SIDINGS_B])
    assert total("tolls") <= total("shared_arrivals")
    assert len({one.name for one in found.tracks}) == len(sim.load_map("standard").tracks)
    assert Counter(one.what for one in found.junctions) == dict.fromkeys(
        ("conflicts", "tolls", "shared_arrivals", "sidings"), 8
    )


def test_shape__dead_tracks_are_named():
    """With one dispatch nobody comes further than the first track."""
    found = shape("standard", matches=40, seed=1, overrides={"dispatches": 1})
    alive = {one.name for one in found.tracks if one.what == "runs" and one.value}
    assert 2 <= len(alive) <= 4
    assert set(found.dead_tracks) | alive == {one.name for one in found.tracks}
    dead = next(one for one in found.tracks if one.what == "runs" and one.never)
    assert (dead.value, dead.low, dead.method) == (0, 0, "clopper-pearson")
    assert 0.1 < dead.high < 0.2  # 20 pairs


def test_places__intervals():
    counts = np.array([[4, 0]] * 64)
    counts[:32] += [[2, 0]] * 32
    often, never = places(["x-y", "y-z"], "runs", counts, np.full(64, 10), 320)
    assert (often.value, often.method, often.never) == (0.5, "t", False)
    assert often.low < 0.5 < often.high
    assert never.never
    exact, _ = places(["x-y", "y-z"], "runs", counts[:1], np.array([2]), 1, deterministic=True)
    assert (exact.value, exact.low, exact.method) == (3, None, "deterministic")
    nothing, _ = places(["x-y", "y-z"], "runs", counts[:1] * 0, np.array([0]), 0)
    assert (nothing.value, nothing.method) == (0, "no matches")


# -- how it is played -------------------------------------------------------------------------------------------------


def test_shape__does_not_depend_on_threads_or_chunks(found, monkeypatch):
    monkeypatch.setattr("sim.studies.shape.CELLS", 20 * 24)
    other = shape("standard", bots=("greedy", "random"), matches=MATCHES, seed=5, overrides=SHORT, threads=3)
    assert other.as_dict() == found.as_dict()


def test_shape__of_a_run_is_of_its_matches(tmp_path):
    run = sim.run("standard", bots=("greedy", "random"), matches=MATCHES, seed=5, overrides=SHORT, out=tmp_path / "r")
    found = sim.shape(run)
    assert found.n_matches == MATCHES
    assert sim.shape(sim.load_run(tmp_path / "r"), matches=7).n_matches == 8
    last = found.courses.points[:, -1]
    np.testing.assert_array_equal(np.bincount(np.abs(last)).nonzero()[0], np.unique(np.abs(run.sums.margins.values)))
    assert not [one for one in found.estimates if one.value is None]
    assert json.loads(json.dumps(found.as_dict()))["pairing"] == "greedy vs random"
    assert set(found.places_frame["kind"]) == {"track", "junction"}
    with pytest.raises(KeyError, match="no figure of a shape"):
        _ = found["shared"]


def test_shape__without_chance_is_exact():
    found = shape_of(plan_of_bots("still", "poor"), 1_000)
    assert found.n_matches == 2
    assert {one.method for one in found.estimates if one.n} == {"deterministic"}
    assert {one.method for one in found.tracks} == {"deterministic"}


def test_shape__leaves_out_pairs_with_illegal_orders(tmp_path):
    """Illegal where another train moved first: of some pairs both matches are whole, of others none counts."""
    body = "return -1 if state.dispatch == 3 and below(stream, 2) == 1 else 0"
    name = plug_in(tmp_path, body.replace("below(stream, 2)", "(draw32(stream) >> 31)"))
    plan = make_plan("standard", bots=(name, "random"), seed=1, overrides={"dispatches": 4})
    found = shape_of(plan, 40)
    assert found.n_matches == 40
    assert 0 < found["drama"].n < 40
    assert found["drama"].n % 2 == 0
    assert found.courses.points.shape == (found["drama"].n, 4)
    never = shape_of(make_plan("standard", bots=(plug_in(tmp_path / "b", "return -1"), "random"), seed=1), 4)
    assert {one.method for one in never.estimates} == {"no matches"}


@pytest.mark.parametrize("matches", [0, True, 2_000_000])
def test_shape__bad_number(matches):
    with pytest.raises(sim.BadInput, match=r"matches is .*; must be a whole number from 1 to 1,000,000"):
        shape("standard", matches=matches)


def test_shape__a_run_whose_bot_has_changed_is_refused(tmp_path):
    run = sim.run("standard", matches=4, seed=5, overrides=SHORT, out=tmp_path / "r")
    edited(tmp_path / "r" / "manifest.json", lambda told: told["first"]["values"].update(noise=2.0))
    assert run.sums.n_matches == 4
    with pytest.raises(sim.BadInput, match="has changed"):
        sim.shape(sim.load_run(tmp_path / "r"))
