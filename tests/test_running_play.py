"""What a run says of its matches: counts that add up, what is exact, illegal or precise, and from which seed."""

from __future__ import annotations

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

import sim
from kernels import fingerprint
from kernels.codes import Column, Illegal, Outcome, Pairing
from kernels.dispatch.layout import RULES_VERSION
from kernels.random import MAX_SEED, RNG_SCHEME
from sim.api import make_plan
from sim.games.dispatch.plan import DispatchPlan
from sim.games.dispatch.rows import ILLEGAL_WORDS
from sim.running import runner
from sim.running.chunks import Chunk
from sim.running.plan import BLOCKS, FEWEST_BLOCKED_PAIRS
from sim.running.runner import Amount, play, threads_here
from sim.stats.metrics import summarise
from sim.stats.precision import half_width, plan_looks
from tests.run_tools import SHORT, edited, kept, metrics_of, plan_of_bots, plug_in, scaled

pytestmark = pytest.mark.usefixtures("no_report")

SHIPPED_EXACT = ["standard", "compact", "corridor", "grand", "ladder"]
FEW = scaled(400, 20)


# -- counts and the manifest ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bots", [("greedy", "random"), ("random", "random")], ids=" ".join)
@pytest.mark.parametrize("matches", [1, 2, 7, FEW])
def test_running_play__asked_is_played_is_the_sum_of_outcomes(bots, matches, tmp_path):
    plan = plan_of_bots(*bots)
    run = kept(tmp_path / "run", plan, Amount(matches), with_matches=True)
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest == run.manifest
    played = matches + matches % 2
    assert manifest["matches_asked"] == matches
    assert manifest["matches_played"] == played == sum(manifest["outcomes"].values()) == run.sums.n_matches
    assert pq.read_table(tmp_path / "run" / "matches.parquet").num_rows == played
    rounded = [note for note in run.notes if "matches come in pairs" in note]
    expected = f"{matches} matches were asked for; {played} were played, since matches come in pairs."
    assert rounded == ([expected] if matches % 2 else [])
    assert run.sums.n_blocks == (BLOCKS if played // 2 >= FEWEST_BLOCKED_PAIRS else played // 2)
    assert run.sums.pairs.max() - run.sums.pairs.min() <= 1


def test_running_play__manifest_tells_where_a_run_came_from(tmp_path):
    plan = plan_of_bots("greedy", "random", seed=MAX_SEED)
    amount = Amount(7)
    run = kept(tmp_path / "run", plan, amount, command=("sim", "run", "standard"), threads=1)
    manifest = run.manifest
    assert manifest["schema"] == 1
    assert manifest["command"] == ["sim", "run", "standard"]
    assert sim.load_scenario(manifest["scenario"]).resolved() == plan.scenario.resolved() == manifest["scenario"]
    assert manifest["scenario_digest"] == plan.scenario.digest
    assert manifest["digest"] == plan.digest(amount.identity)
    assert manifest["seed"] == MAX_SEED == 2**63 - 1
    assert manifest["kernel_fingerprint"] == fingerprint()
    assert manifest["rules_version"] == RULES_VERSION
    assert manifest["rng_scheme"] == RNG_SCHEME
    assert manifest["packages"]["numpy"] == np.__version__
    assert set(manifest["packages"]) >= {"dispatch-balance", "numpy", "numba", "scipy", "pandas", "pyarrow"}
    assert set(manifest["machine"]) >= {"system", "processor", "cores"}
    assert manifest["started"] <= manifest["finished"]
    assert manifest["threads"] == 1
    assert manifest["outcomes"].keys() == {code.name.lower() for code in Outcome}
    assert manifest["first"]["name"] == "greedy"
    assert manifest["first"]["values"] == {"noise": 3.0, "contest": 0.08}
    assert manifest["first"]["restrictions"] == {}
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["schema"] == 1
    assert summary["level"] == 0.95
    assert {estimate["pairing"] for estimate in summary["estimates"]} == {"greedy vs random"}
    for estimate in summary["estimates"]:
        assert list(estimate) == ["pairing", "metric", "value", "low", "high", "n", "n_units", "method"]


def test_running_play__the_digest_is_of_all_that_decides_and_nothing_else():
    base = plan_of_bots("greedy", "random")
    amount = Amount(100).identity
    others = [
        (plan_of_bots("greedy", "random", seed=6), amount),
        (plan_of_bots("random", "greedy"), amount),
        (plan_of_bots("greedy", "still"), amount),
        (plan_of_bots("greedy", "random", economy={"toll": 2}), amount),
        (plan_of_bots("greedy", "random", "ladder"), amount),
        (DispatchPlan(base.scenario, base.first, base.second, base.seed, namespace=1), amount),
        (base, Amount(101).identity),
        (base, Amount(100, 0.01).identity),
        (base, Amount(100, 0.02).identity),
    ]
    digests = [base.digest(amount), *(plan.digest(how) for plan, how in others)]
    assert len(set(digests)) == len(digests)
    assert plan_of_bots("greedy", "random").digest(amount) == base.digest(amount)
    assert make_plan(base.scenario.resolved(), bots=("greedy", "random"), seed=5).digest(amount) == base.digest(amount)


def test_running_play__rows_are_words():
    plan = plan_of_bots("greedy", "random")
    first, second = sim.play_match(plan, 0), sim.play_match(plan, 1)
    assert [first[key] for key in ("match", "pair", "swap", "bot_a", "bot_b", "first_seat")] == [
        *(0, 0, 0, "greedy", "random", "A")
    ]
    assert [second[key] for key in ("match", "pair", "swap", "bot_a", "bot_b", "first_seat")] == [
        *(1, 0, 1, "random", "greedy", "B")
    ]
    for row in (first, second):
        assert row["winner"] in {"A", "B", "shared"}
        assert row["decided_by"] in {"points", "cash", "shared"}
        assert row["illegal_dispatch"] is None
        assert (row["illegal_company"], row["illegal_reason"]) == ("none", "none")
        assert row["draws_a"] > 0
    alike = sim.play_match(plan_of_bots("random", "random"), 1)
    assert (alike["bot_a"], alike["bot_b"], alike["first_seat"]) == ("random", "random", "A")


def test_running_play__parquet_names_its_scenario_and_seed(tmp_path):
    plan = plan_of_bots("greedy", "random", seed=12)
    kept(tmp_path / "run", plan, Amount(4), with_matches=True)
    metadata = pq.read_schema(tmp_path / "run" / "matches.parquet").metadata
    assert metadata[b"scenario_digest"].decode() == plan.scenario.digest
    assert metadata[b"seed"] == b"12"


def test_running_play__outcomes_and_rows_tell_the_same(tmp_path):
    plan = plan_of_bots("greedy", "random")
    run = kept(tmp_path / "run", plan, Amount(FEW), with_matches=True)
    frame = pq.read_table(tmp_path / "run" / "matches.parquet").to_pandas()
    first = np.where(frame["first_seat"] == "A", "A", "B")
    score = np.where(frame["winner"] == "shared", 0.5, (frame["winner"] == first).astype(float))
    assert run["score.first"].value == score.mean()
    margin = np.where(first == "A", 1, -1) * (frame["points_a"] - frame["points_b"])
    assert run["margin.mean"].value == margin.mean()
    assert run["decided_by_cash"].value == (frame["decided_by"] == "cash").mean()
    assert run["tolls"].value == (frame["tolls_a"] + frame["tolls_b"]).mean()


# -- what is exact ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("bots", "n"), [(("still", "poor"), 2), (("still", "still"), 1)], ids=["unequal", "equal"])
@pytest.mark.parametrize("asked", [1, 2, 100_001])
def test_running_play__deterministic_pairings_are_played_once(bots, n, asked):
    plan = plan_of_bots(*bots)
    run = play(plan, Amount(asked))
    assert plan.deterministic
    assert plan.pairing is (Pairing.SEATS if n == 2 else Pairing.SINGLE)
    assert run.manifest["matches_asked"] == asked
    assert run.manifest["matches_played"] == n == sum(run.manifest["outcomes"].values())
    assert all(estimate.n in (0, 1, n) for estimate in run.estimates)
    for estimate in run.estimates:
        assert estimate.method in ("deterministic", "exact", "no matches"), estimate
        if estimate.method == "deterministic":
            assert (estimate.low, estimate.high) == (None, None)
    assert "no interval" in run.notes[0]
    assert any("tells nothing of the game" in note for note in run.notes) == (n == 1)
    if n == 1:
        assert run["shared"].value == 1
        assert run["seat_bias"].method == "exact"


def test_running_play__a_half_width_of_a_deterministic_pairing_is_reached_at_once():
    run = play(plan_of_bots("still", "poor"), Amount(None, 0.001))
    assert run.manifest["precise"] is True
    assert run.manifest["level"] == 0.95
    assert run.sums.n_matches == 2


@pytest.mark.parametrize("scenario", SHIPPED_EXACT)
@pytest.mark.parametrize("bot", ["random", "greedy"])
def test_running_play__seat_bias_is_zero_by_proof_on_exact_maps(scenario, bot):
    run = play(plan_of_bots(bot, bot, scenario), Amount(FEW))
    assert metrics_of(run, ["seat_bias", "score.first"]) == [(0, 0, 0, "exact"), (0.5, 0.5, 0.5, "exact")]
    assert int(run.sums.pair_scores[:, 2].sum()) == run.sums.n_pairs
    assert any("seat bias is 0 by proof" in note for note in run.notes)
    assert run["shared"].method != "exact"


def test_running_play__seat_bias_is_measured_where_there_is_no_proof():
    inexact = play(plan_of_bots("random", "random", "crooked"), Amount(FEW))
    assert inexact["seat_bias"].method != "exact"
    assert any("mirror of map crooked is not exact (at " in note for note in inexact.notes)
    unequal = play(plan_of_bots("random", "greedy"), Amount(FEW))
    assert unequal["seat_bias"].method != "exact"
    assert not any("proof" in note for note in unequal.notes)
    plan = plan_of_bots("random", "random")
    one_seating = play(DispatchPlan(plan.scenario, plan.first, plan.second, 5, swaps=False), Amount(FEW))
    assert one_seating["seat_bias"].method != "exact"
    assert one_seating.sums.n_matches == FEW


def test_running_play__a_false_claim_of_mirror_fairness_is_measured_and_noted(tmp_path):
    """It sets the switch of the first junction by label, whoever it is, and draws so as to differ."""
    name = plug_in(
        tmp_path,
        "return pack_order(draw32(stream) & 1, 0, 0 if c == 0 else -1, 0)",
        mirror_fair="True",
    )
    run = play(plan_of_bots(name, name), Amount(FEW))
    assert run["seat_bias"].method != "exact"
    (note,) = [note for note in run.notes if "declared mirror-fair" in note]
    assert note.startswith(f"{name} is declared mirror-fair, but ")
    assert note.endswith("are no mirror images; seat bias was measured instead.")


@pytest.mark.parametrize("rival", ["same", "still", "random"])
def test_running_play__a_false_claim_to_draw_nothing_is_bad_input(rival, tmp_path):
    name = plug_in(tmp_path, "return pack_order(draw32(stream) & 1, 0, -1, 0)", draws_nothing="True")
    for bots in ((name, name), (name, rival), (rival, name)) if rival != "same" else ((name, name),):
        plan = plan_of_bots(*bots)
        with pytest.raises(sim.BadInput, match="declares that it draws nothing, but took") as refused:
            kept(tmp_path / "run", plan, Amount(20))
        assert str(refused.value).startswith(f"bot {name} declares")
        assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("rival", ["random", "still"])
def test_running_play__a_false_claim_is_seen_in_either_seat(seat, rival, tmp_path):
    body = f"return pack_order(draw32(stream) & 1 if c == {seat} else 0, 0, -1, 0)"
    name = plug_in(tmp_path, body, draws_nothing="True")
    for bots in ((name, rival), (rival, name)):
        with pytest.raises(sim.BadInput, match="declares that it draws nothing") as refused:
            play(plan_of_bots(*bots), Amount(20))
        assert str(refused.value).startswith(f"bot {name} declares")


# -- illegal orders ---------------------------------------------------------------------------------------------------

BAD_ORDERS = {
    Illegal.MALFORMED: ("return 1 << 20", {}),
    Illegal.UNKNOWN_JUNCTION: ("return pack_order(0, 0, rules.n_junctions, 0)", {}),
    Illegal.NOT_ON_OFFER: ("return pack_order(0, 0, -1, 1)", {"economy": {"upgrade_cost": None}}),
    Illegal.ALREADY_UPGRADED: ("return pack_order(0, 0, -1, 1)", {"economy": {"upgrade_cost": 0}}),
    Illegal.ALREADY_OWNED: ("return pack_order(0, 0, -1, Invest.SIDING + 2)", {"economy": {"siding_cost": 0}}),
    Illegal.TOO_EXPENSIVE: ("return pack_order(0, 0, -1, 2)", {"economy": {"upgrade_cost": 10_000}}),
}
ALWAYS = {Illegal.MALFORMED, Illegal.UNKNOWN_JUNCTION, Illegal.NOT_ON_OFFER, Illegal.TOO_EXPENSIVE}


@pytest.mark.parametrize("reason", BAD_ORDERS, ids=lambda reason: reason.name.lower())
@pytest.mark.parametrize("seat", ["first", "second"])
def test_running_play__illegal_orders_are_counted_and_in_no_other_figure(reason, seat, tmp_path):
    body, overrides = BAD_ORDERS[reason]
    name = plug_in(tmp_path, body.replace("Invest.SIDING", "3"))
    plan = plan_of_bots(*((name, "random") if seat == "first" else ("random", name)), **overrides)
    run = kept(tmp_path / "run", plan, Amount(10), with_matches=True)
    assert run.manifest["outcomes"]["illegal"] == 10 == run.manifest["matches_played"]
    assert run["illegal_orders"].value == 1
    assert (run["score.first"].value, run["score.first"].n) == (None, 0)
    assert run.notes[0].startswith("10 of 10 matches ended with an illegal order.")
    rows = pq.read_table(tmp_path / "run" / "matches.parquet").to_pylist()
    for row in rows:
        culprit = "A" if (row["first_seat"] == "A") == (seat == "first") else "B"
        assert row["illegal_company"] == culprit
        assert row["illegal_reason"] == ILLEGAL_WORDS[reason]
        assert row["illegal_dispatch"] == (1 if reason in ALWAYS else 2)
        assert (row["winner"], row["decided_by"]) == ("none", "illegal order")
    assert sim.play_match(plan, 3) == rows[3]


def test_running_play__the_pair_of_an_illegal_match_leaves_every_figure(tmp_path):
    """Some matches end with an illegal order; their partners are marked, and the rest is as ever."""
    sometimes = "bad = draw32(stream) < (1 << 27) and c == 0\nreturn pack_order(0, 0, 120 if bad else -1, 0)"
    never = sometimes.replace("120 if bad else -1", "-1")
    name, good = plug_in(tmp_path, sometimes), plug_in(tmp_path / "good", never)
    n = scaled(2_000, 100)
    run = kept(tmp_path / "run", plan_of_bots(name, "random"), Amount(n), with_matches=True, chunk_pairs=31)
    kept(tmp_path / "other", plan_of_bots(good, "random"), Amount(n), with_matches=True)
    outcomes = run.manifest["outcomes"]
    assert outcomes["illegal"] == outcomes["partner_illegal"] > n // 50
    rows, clean = (pq.read_table(tmp_path / folder / "matches.parquet").to_pylist() for folder in ("run", "other"))
    for row, was in zip(rows, clean, strict=True):
        beside = rows[row["match"] ^ 1]
        if row["decided_by"] == "illegal order":
            assert row["swap"] == 0
            assert row["illegal_dispatch"] >= 1
            assert beside["decided_by"] == "illegal order in the pair's other match"
        elif beside["decided_by"] != "illegal order":
            assert {**row, "bot_a": 0, "bot_b": 0} == {**was, "bot_a": 0, "bot_b": 0}
    legal = [row for row in rows if row["winner"] != "none"]
    assert run["score.first"].n == len(legal) == n - 2 * outcomes["illegal"]
    assert run["illegal_orders"].n == n
    assert run["illegal_orders"].value == outcomes["illegal"] / n
    assert run["tolls"].value == sum(row["tolls_a"] + row["tolls_b"] for row in legal) / len(legal)
    numbers = [row["match"] for row in rows if "illegal" in row["decided_by"]]
    for number in numbers[:6]:
        assert sim.play_match(run, number) == rows[number]


def test_running_play__illegal_pairs_are_no_witness_against_a_mirror_fair_bot(tmp_path):
    name = plug_in(
        tmp_path,
        "return pack_order(draw32(stream) & 1, 0, 120 if draw32(stream) < (1 << 27) else -1, 0)",
        mirror_fair="1",
    )
    run = play(plan_of_bots(name, name), Amount(scaled(400, 60)))
    assert 0 < run.manifest["outcomes"]["illegal"] < run.sums.n_matches
    assert run["seat_bias"].method != "exact"
    assert not any("no mirror images" in note for note in run.notes)
    assert any("bear no witness" in note for note in run.notes)


# -- precision --------------------------------------------------------------------------------------------------------


def test_running_play__half_width_is_reached_at_a_look_and_says_its_level(monkeypatch):
    monkeypatch.setattr(runner, "FIRST_LOOK", scaled(1_000, 40))
    target, cap = (0.012, 60_000) if not SHORT else (0.12, 600)
    plan = plan_of_bots("random", "random", "crooked")
    looks = plan_looks(runner.FIRST_LOOK, cap)
    run = play(plan, Amount(cap, target))
    assert run.manifest["precise"] is True
    assert run.manifest["matches_asked"] is None
    assert run.manifest["amount"] == {"half_width": target, "cap": cap}
    assert run.manifest["level"] == run.summary()["level"] == looks.level
    assert looks.level == pytest.approx(1 - 0.05 / len(looks.matches))
    played = run.manifest["matches_played"]
    assert played in looks.matches[1:-1]
    assert max(half_width(run[name]) for name in ("score.first", "shared")) <= target
    again = summarise(run.sums, run.pairing, level=looks.level, exact=plan.certainty, limits=plan.limits)
    assert tuple(again) == run.estimates
    at_95 = summarise(run.sums, run.pairing, exact=plan.certainty, limits=plan.limits)
    for wide, narrow in zip(again, at_95, strict=True):
        if wide.method in ("wilson", "t"):
            assert wide.high - wide.low > narrow.high - narrow.low
    before = play(plan, Amount(looks.matches[looks.matches.index(played) - 1]))
    earlier = summarise(before.sums, run.pairing, level=looks.level, exact=plan.certainty, limits=plan.limits)
    by_name = {estimate.metric: estimate for estimate in earlier}
    assert max(half_width(by_name[name]) for name in ("score.first", "shared")) > target
    assert play(plan, Amount(cap, target), threads=1, chunk_pairs=3).summary() == run.summary()


def test_running_play__a_cap_ends_a_half_width():
    cap = scaled(5_001, 41)
    run = play(plan_of_bots("greedy", "random"), Amount(cap, 1e-4))
    assert run.manifest["precise"] is False
    assert run.manifest["matches_played"] == cap + 1
    tiny = play(plan_of_bots("greedy", "random"), Amount(1, 0.4))
    assert tiny.manifest["precise"] is False
    assert tiny.manifest["matches_played"] == 2


@pytest.mark.parametrize("value", [0, 1, -0.1, 1.5, float("nan"), float("inf")])
def test_running_play__a_half_width_is_a_share(value):
    with pytest.raises(sim.BadInput, match=r"half-width is .*; must be above 0 and below 1"):
        sim.run("standard", half_width=value)


@pytest.mark.parametrize("value", [0, -1, 1.0, "10", True, 2**53 + 1, float("nan")])
def test_running_play__matches_is_a_whole_number(value):
    with pytest.raises(sim.BadInput, match=r"matches is .*; must be"):
        sim.run("standard", matches=value)


@pytest.mark.parametrize("value", [0, -1, 1.0, "2", True, 1_025])
def test_running_play__threads_is_a_whole_number(value, tmp_path):
    with pytest.raises(sim.BadInput, match=r"threads is .*; must be a whole number from 1 to 1024"):
        sim.run("standard", matches=2, threads=value, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    assert threads_here(None) >= 1
    assert threads_here(1_024) == 1_024


def test_running_play__too_many_matches_for_the_sums_is_bad_input():
    overrides = {"economy.income": 10_000, "dispatches": 1_000}
    with pytest.raises(sim.BadInput, match="would not fit 64 bits"):
        sim.run("standard", matches=2**53, seed=1, overrides=overrides)


# -- seeds ------------------------------------------------------------------------------------------------------------


def rows_of(plan, n_pairs=FEW // 2):
    return plan.play_rows(Chunk(0, n_pairs))


@pytest.mark.parametrize("seed", [0, 1, 2**32, MAX_SEED])
def test_running_play__every_seed_is_its_own(seed):
    run = play(plan_of_bots("random", "random", seed=seed), Amount(10))
    assert run.manifest["seed"] == seed
    assert play(plan_of_bots("random", "random", seed=seed), Amount(10)).summary() == run.summary()
    others = [seed ^ (1 << bit) for bit in (0, 31, 32, 62)]
    rows = rows_of(plan_of_bots("random", "random", seed=seed))
    for other in others:
        assert not np.array_equal(rows_of(plan_of_bots("random", "random", seed=other)), rows)


@pytest.mark.parametrize("seed", [-1, 2**63, 2**64, 1.0, "1", True, 0.5, float("nan")])
def test_running_play__refused_seeds(seed):
    with pytest.raises(sim.BadInput, match=f"seed is .*; must be a whole number from 0 to {2**63 - 1}"):
        sim.run("standard", matches=2, seed=seed)


def test_running_play__a_drawn_seed_is_recorded_and_plays_the_same(tmp_path):
    one = sim.run("standard", matches=FEW, bots=("random", "random"), overrides=SHORT)
    two = sim.run("standard", matches=FEW, bots=("random", "random"), overrides=SHORT)
    assert one.manifest["seed"] != two.manifest["seed"]
    again = sim.run("standard", matches=FEW, bots=("random", "random"), overrides=SHORT, seed=one.manifest["seed"])
    assert again.summary() == one.summary()
    assert two.summary() != one.summary()


def test_running_play__adjacent_seeds_and_namespaces_share_no_match():
    """Nor does one replay another's, shifted."""
    base = plan_of_bots("random", "random", seed=100)
    plans = [plan_of_bots("random", "random", seed=100 + shift) for shift in range(-1, 3)]
    plans.append(DispatchPlan(base.scenario, base.first, base.second, 100, namespace=1))
    # Rows of matches so long never agree by chance.
    overrides = {"dispatches": scaled(400, 60)}
    n_pairs = scaled(100, 3)
    seen: dict[bytes, int] = {}
    for place, plan in enumerate(plans):
        longer = make_plan("standard", bots=("random", "random"), seed=plan.seed, overrides=overrides)
        longer = DispatchPlan(longer.scenario, longer.first, longer.second, plan.seed, plan.namespace)
        for row in longer.play_rows(Chunk(0, n_pairs))[::2]:
            assert seen.setdefault(row.tobytes(), place) == place


def test_running_play__a_bot_that_draws_more_moves_nobody_elses_luck(tmp_path):
    """Against one that draws ten times as much and plays alike, the rival plays the very same match."""
    once = plug_in(tmp_path / "once", "return pack_order(draw32(stream) & 1, 0, -1, 0)")
    often = plug_in(
        tmp_path / "often",
        "order = pack_order(draw32(stream) & 1, 0, -1, 0)\nfor _ in range(9):\n    draw32(stream)\nreturn order",
    )
    # The first draw of each dispatch differs, so only the rival is compared: it reads nothing of the other bot.
    blind = plug_in(tmp_path / "blind", "return pack_order(draw32(stream) & 1, draw32(stream) & 1, -1, 0)")
    one = plan_of_bots(once, blind, dispatches=1).play_rows(Chunk(0, FEW))
    ten = plan_of_bots(often, blind, dispatches=1).play_rows(Chunk(0, FEW))
    draws = [Column.DRAWS_A, Column.DRAWS_B]
    assert (ten[::2, Column.DRAWS_A] == 10 * one[::2, Column.DRAWS_A]).all()
    assert (ten[::2, Column.DRAWS_B] == one[::2, Column.DRAWS_B]).all()
    assert (ten[1::2, Column.DRAWS_B] == 10 * one[1::2, Column.DRAWS_B]).all()
    np.testing.assert_array_equal(np.delete(ten, draws, axis=1), np.delete(one, draws, axis=1))


def test_running_play__lanes_belong_to_seats_and_are_swapped_in_self_play(tmp_path):
    """A bot whose order is its first draw: equal bots swap their luck with the lanes, unequal bots keep the seats'."""
    body = "return pack_order(draw32(stream) & 1, 0, -1, 0)"
    one, two = plug_in(tmp_path / "one", body), plug_in(tmp_path / "two", body + "  # another bot")
    equal = rows_of(plan_of_bots(one, one))
    unequal = rows_of(plan_of_bots(one, two))
    np.testing.assert_array_equal(equal[::2], unequal[::2])
    np.testing.assert_array_equal(unequal[::2], unequal[1::2])
    assert not np.array_equal(equal[::2], equal[1::2])


# -- bots that fail ---------------------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_running_play__a_bot_that_raises_is_bad_input(tmp_path):
    name = plug_in(tmp_path, "return pack_order(0, 0, -1, 0 * (1 // (state.dispatch - 3)))")
    with pytest.raises(sim.BadInput) as refused:
        kept(tmp_path / "run", plan_of_bots("random", name), Amount(10))
    assert str(refused.value).startswith(f"a bot of random vs {name} raised ZeroDivisionError: ")
    assert not (tmp_path / "run").exists()


def test_running_play__a_changed_scenario_file_is_another_run(tmp_path):
    run = sim.run("standard", matches=2, seed=1, out=tmp_path / "run", overrides=SHORT)
    with pytest.raises(sim.BadInput, match="holds another run"):
        sim.run("standard", matches=2, seed=1, out=tmp_path / "run", overrides={**SHORT, "name": "other"})
    edited(tmp_path / "run" / "manifest.json", lambda data: data)
    assert sim.load_run(tmp_path / "run").summary() == run.summary()


def test_running_play__keeping_matches_needs_a_folder():
    with pytest.raises(sim.BadInput, match="name a folder"):
        sim.run("standard", matches=2, keep_matches=True)
