"""The ladder of bots: each rung beats those below it, the value table is right, and the mixes are equilibria."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.codes import Pairing
from kernels.dispatch.bots import SHIPPED
from kernels.dispatch.bots.sensible import MOST
from kernels.dispatch.bots.thinking import solve
from kernels.dispatch.value import HEADER, UNITS, prepare_table
from sim.api import make_plan, run
from sim.config.loading import load_scenario
from sim.replaying import Board
from sim.running.chunks import Chunk
from sim.running.engine import play_pairs
from sim.running.ledger import Ledger
from tests.kernel_tools import board_of, rows_played, seeded, swapped_row
from tests.reference.generate import random_scenario
from tests.run_tools import SHORT, scaled
from tests.slow.mix_study import gaps, mixes_at, same_value, states_met

LADDER = ["random", "greedy", "saboteur", "planner", "equilibrium"]
EXACT = ["standard", "compact", "corridor", "grand", "ladder"]


def test_bots_ladder__all_rungs_ship():
    assert list(SHIPPED) == LADDER


@pytest.mark.compiled
@pytest.mark.parametrize("scenario", EXACT)
@pytest.mark.parametrize(
    ("above", "below", "least"),
    [
        ("greedy", "random", 0.95),
        ("saboteur", "greedy", 0.9),
        ("planner", "saboteur", 0.75),
        ("equilibrium", "planner", 0.5),
        ("equilibrium", "saboteur", 0.5),
    ],
)
def test_bots_ladder__each_rung_beats_the_one_below(scenario, above, below, least):
    pairs = 400 if above == "equilibrium" else 300
    found = run(scenario, bots=(above, below), matches=2 * pairs, seed=11)["score.first"]
    if scenario == "corridor" and above == "equilibrium":
        # The ladder's weakest step: shown in full by the documented study, here only not to be lost.
        assert found.value > least
    else:
        assert found.low > least


# -- the value table --------------------------------------------------------------------------------------------------


def best_points(board: Board, c: int, t: int, fast: bool, moves: int) -> dict[tuple[int, int, int], int]:
    """Most points that a train alone can earn, with every switch at its will: by (place, arc, moves), plainly."""
    rules = board.rules[0]
    ticks = int(rules.upgraded_speed_ticks) if fast else 1
    n_arcs = int(rules.n_arcs)
    step = 2 if int(rules.cargo_scope) else 1
    known: dict[tuple[int, int, int], int] = {}

    def ends(arc: int, left: int, to: int) -> set[tuple[int, bool]]:
        if int(rules.head[arc]) == to:
            return {(arc, True)}
        if left == 0:
            return {(arc, False)}
        return {end for route in (0, 1) for end in ends(int(rules.exit[arc, route]), left - 1, to)}

    def points(item: int, arc: int, moves: int) -> int:
        if moves == 0:
            return 0
        key = (item, arc, moves)
        if key not in known:
            to = int(rules.cargo_node[c, t, item])
            first = {arc ^ 1, int(rules.exit[arc, 0]), int(rules.exit[arc, 1])}
            known[key] = max(
                int(rules.cargo_reward[c, t, item]) + points(item + step, end, moves - 1)
                if delivered
                else points(item, end, moves - 1)
                for start in first
                for end, delivered in ends(start, ticks - 1, to)
            )
        return known[key]

    return {(0, arc, m): points(0, arc, m) for arc in range(n_arcs) for m in range(moves + 1)}


def test_bots_ladder__without_chance_the_table_is_the_most_that_a_train_alone_can_earn():
    for number in range(scaled(12, 3)):
        scenario = random_scenario(seeded("value table", number), n_junctions=4)
        scenario["dispatches"] = 5
        scenario["economy"]["upgraded_speed"] = 1 + number % 3
        board = board_of(scenario)
        table = prepare_table(board.rules, 0.0, 0.0, 0.0).view(np.int32)
        horizon, n_arcs = int(table[0]), int(table[1])
        assert horizon == 5
        assert n_arcs == int(board.rules[0].n_arcs)
        for c in (0, 1):
            for t in (0, 1):
                offset = int(table[2 + 2 * c + t])
                assert offset >= HEADER
                for fast in (0, 1):
                    expected = best_points(board, c, t, bool(fast), horizon)
                    for (place, arc, moves), points in expected.items():
                        row = offset + ((place * 2 + fast) * n_arcs + arc) * (horizon + 1)
                        assert int(table[row + moves]) == points * UNITS


def test_bots_ladder__chance_only_takes_from_the_table():
    board = Board(load_scenario("standard", ["dispatches=6"]))
    sure = prepare_table(board.rules, 0.0, 0.0, 0.0).view(np.int32)
    worse = prepare_table(board.rules, 0.25, 0.3, 0.15).view(np.int32)
    assert (worse[HEADER:] <= sure[HEADER:]).all()
    assert (worse[HEADER:] < sure[HEADER:]).any()


@pytest.mark.parametrize("dispatches", [1, 31, 33, 63, 65, pytest.param(1000, marks=pytest.mark.compiled)])
@pytest.mark.parametrize("name", ["planner", "equilibrium"])
def test_bots_ladder__long_and_short_matches_are_played(name, dispatches):
    if scaled(0, 1):
        dispatches = min(dispatches, 3)
    played = run("compact", bots=(name, "random"), matches=2, seed=1, overrides=[f"dispatches={dispatches}"])
    assert played.manifest["outcomes"]["illegal"] == 0


# -- the mixes --------------------------------------------------------------------------------------------------------


def test_bots_ladder__solve_knows_small_games():
    def solved(matrix: list[list[float]], iterations: int = 5000) -> tuple[float, list[float], list[float]]:
        n, m = len(matrix), len(matrix[0])
        room = np.zeros((MOST, MOST))
        room[:n, :m] = matrix
        own, theirs = np.zeros(MOST), np.zeros(MOST)
        value = solve(room, n, m, scaled(iterations, 300), own, theirs)
        assert own[n:].max(initial=0) == 0
        assert theirs[m:].max(initial=0) == 0
        return float(value), own[:n].tolist(), theirs[:m].tolist()

    loose = scaled(1, 20) * 0.002
    value, own, theirs = solved([[1, -1], [-1, 1]])
    assert value == pytest.approx(0, abs=loose)
    assert own == pytest.approx([0.5, 0.5], abs=5 * loose)
    value, own, theirs = solved([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    assert own == pytest.approx([1 / 3] * 3, abs=5 * loose)
    assert theirs == pytest.approx([1 / 3] * 3, abs=5 * loose)
    value, own, theirs = solved([[0.5, 0.2, 0.9], [0.1, 0.0, 0.3]])
    assert (round(value, 3), round(own[0], 3), round(theirs[1], 3)) == (0.2, 1.0, 1.0)
    value, own, theirs = solved([[0.3, -0.2], [-0.4, 0.1]])
    assert value == pytest.approx((0.3 * 0.1 - 0.2 * 0.4) / (0.3 + 0.1 + 0.2 + 0.4), abs=loose)


def test_bots_ladder__the_mix_of_equilibrium_leaves_hardly_anything_to_gain():
    bot = SHIPPED["equilibrium"]
    board = Board(load_scenario("standard", [f"dispatches={scaled(24, 5)}"]))
    memory = bot.memory(board.rules, bot.values({}))
    found_gaps = []
    for state in states_met(board, scaled(1500, 4), "gap"):
        found = mixes_at(board.rules, state, 0, memory)
        assert found.own.sum() == pytest.approx(1)
        assert found.theirs.sum() == pytest.approx(1)
        assert len(set(found.orders.tolist())) == len(found.orders)
        assert found.value == pytest.approx(found.own @ found.matrix @ found.theirs)
        found_gaps.append(found.gap)
    assert min(found_gaps) > -1e-9
    assert np.mean(found_gaps) < 0.01


@pytest.mark.compiled
def test_bots_ladder__with_many_iterations_no_mix_leaves_anything_to_gain():
    assert gaps("standard", 400, {"iterations": 400}).max() < 0.01


@pytest.mark.compiled
def test_bots_ladder__with_all_its_orders_there_is_nothing_to_know_of_equilibrium_by_its_own_value():
    score = same_value("standard", 300, {"iterations": 400, "orders": 16})["same value"]["score.first"]
    assert score.value - 0.5 <= 0.05 + (score.high - score.low) / 2


@pytest.mark.compiled
def test_bots_ladder__a_second_look_beats_one():
    define = {"deep": {"bot": "equilibrium", "depth": 2}}
    found = run("standard", bots=("deep", "equilibrium"), matches=400, seed=11, overrides={"define": define})
    assert found["score.first"].low > 0.5


# -- fairness ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["saboteur", "planner", "equilibrium"])
@pytest.mark.parametrize("scenario", EXACT)
def test_bots_ladder__with_swapped_lanes_an_exact_map_gives_the_mirrored_match(name, scenario):
    board = Board(load_scenario(scenario, ["dispatches=4"] if scaled(0, 1) else []))
    pairs = scaled({"saboteur": 300, "planner": 100, "equilibrium": 20}[name], 1)
    rows = rows_played(board.rules, SHIPPED[name], SHIPPED[name], n_pairs=pairs, pairing=Pairing.LANES, seed=4)
    for one, other in zip(rows[::2], rows[1::2], strict=True):
        np.testing.assert_array_equal(other, swapped_row(one))


@pytest.mark.parametrize("name", ["saboteur", "planner", "equilibrium"])
def test_bots_ladder__threads_and_chunks_leave_no_trace_and_matches_are_played_alone(name):
    n = scaled(40, 2)
    plan = make_plan("standard", bots=(name, "greedy"), seed=4, overrides=SHORT)
    rows = plan.play_rows(Chunk(0, n))
    sums = []
    for threads, chunk_pairs in ((1, n), (2, 3)):
        ledger = Ledger(plan.empty_sums(plan.n_blocks(n)), [])
        play_pairs(plan, ledger, n, threads=threads, chunk_pairs=chunk_pairs)
        sums.append({key: array.tobytes() for key, array in ledger.sums.as_arrays().items()})
    assert sums[0] == sums[1]
    for pair in (n - 1, n // 2):
        np.testing.assert_array_equal(plan.play_rows(Chunk(pair, 1)), rows[2 * pair : 2 * pair + 2])
