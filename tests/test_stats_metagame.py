"""The meta-game of known tables: who is to be played, how often, who never, and what cannot be said."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import optimize

from kernels.codes import Outcome, Pairing
from sim.stats import dominance, equilibrium, intervals, metagame, ratings
from sim.stats.equilibrium import SolverFailed, most_even_equilibrium
from sim.stats.metagame import ALL_BOTS, BOT_METRICS, METAGAME_METRICS, meta_game
from sim.stats.metrics import DETERMINISTIC
from sim.stats.payoffs import Payoffs, Played
from sim.stats.ratings import cyclic_share
from sim.stats.resampling import percentile_limits, resampled_blocks
from sim.stats.sums import N_OUTCOMES, BlockSums

SHARED_PROB = 0.1


def skew(n: int, **cells: float) -> np.ndarray:
    """Antisymmetric payoffs: `ab=0.2` is what the first bot wins from the second."""
    table = np.zeros((n, n))
    for pair, value in cells.items():
        i, j = ("abcdefgh".index(letter) for letter in pair)
        table[i, j], table[j, i] = value, -value
    return table


def linear(*strengths: float) -> np.ndarray:
    """Payoffs that are differences of strengths."""
    return np.subtract.outer(np.array(strengths), np.array(strengths))


ROCK_PAPER_SCISSORS = skew(3, ab=0.2, bc=0.2, ca=0.2)
UNEVEN = skew(4, ab=0.1, bc=0.2, ca=0.3, ad=0.4, bd=0.4, cd=0.4)
"""A cycle with a fourth bot that loses to all three: b, and every mixture, dominates d."""
ONLY_MIXED = skew(4, ab=0.4, bc=0.4, ca=0.4, ad=0.15, bd=0.15, cd=0.15)
"""No one bot dominates d, since each loses to one that d nearly holds; a third of each does, by 0.15."""


def played(table: np.ndarray, rng: np.random.Generator, n_blocks: int = 64, pairs: int = 40) -> Payoffs:
    """Payoffs as they would be measured, `pairs` pairs a block."""
    n = len(table)
    gains = np.zeros((n_blocks, n, n), np.int64)
    matches = np.full((n_blocks, n, n), 2 * pairs, np.int64)
    matches[:, range(n), range(n)] = 1
    endings = np.zeros((n_blocks, n, n, 3), np.int64)
    for i in range(n):
        for j in range(i + 1, n):
            win = (1 - SHARED_PROB + table[i, j]) / 2
            chances = [win, 1 - SHARED_PROB - win, SHARED_PROB]
            endings[:, i, j] = rng.multinomial(pairs, chances, size=n_blocks)
            endings[:, j, i] = rng.multinomial(pairs, [chances[1], chances[0], chances[2]], size=n_blocks)
            gains[:, i, j] = endings[:, i, j] @ [1, -1, 0] - endings[:, j, i] @ [1, -1, 0]
            gains[:, j, i] = -gains[:, i, j]
    return Payoffs(tuple("abcdefgh"[:n]), gains, matches, endings, np.eye(n, dtype=bool))


def certain(table: np.ndarray) -> Payoffs:
    """Payoffs of bots that draw nothing; the table holds -1, 0 and 1."""
    n = len(table)
    gains = 2 * table.astype(np.int64)[None]
    matches = np.full((1, n, n), 2, np.int64)
    endings = np.zeros((1, n, n, 3), np.int64)
    endings[0, :, :, 0], endings[0, :, :, 1], endings[0, :, :, 2] = table > 0, table < 0, table == 0
    return Payoffs(tuple("abcdefgh"[:n]), gains, matches, endings, np.ones((n, n), dtype=bool))


def with_clone(payoffs: Payoffs, place: int) -> Payoffs:
    """The same with a copy of one bot at the end: it does what the bot does, and nothing to the bot itself."""
    order = [*range(payoffs.n_bots), place]
    copied = payoffs.only(order)
    gains, endings = copied.gains.copy(), copied.endings.copy()
    pairs = copied.matches[0, 0, 1]
    for i, j in ((place, -1), (-1, place)):
        copied.matches[:, i, j] = pairs
        endings[:, i, j] = pairs // 4
    bots = (*payoffs.bots, "copy")
    return Payoffs(bots, gains, copied.matches, endings, np.eye(len(order), dtype=bool))


def of_game(table: np.ndarray, seed: int = 1, resamples: int = 60, **how: int) -> metagame.MetaGame:
    """The meta-game of a table as it would be measured."""
    payoffs = played(table, np.random.default_rng(seed), **how)
    return meta_game(payoffs, _pairs(payoffs), seed=seed, resamples=resamples)


def _pairs(payoffs: Payoffs) -> int:
    return int(payoffs.matches[:, 0, 1].sum()) // 2


def figures(found: metagame.MetaGame) -> dict[str, tuple[float | None, float | None, float | None]]:
    """Value and interval of every figure, by name."""
    return {one.metric: (one.value, one.low, one.high) for one in found.estimates}


# -- payoffs ----------------------------------------------------------------------------------------------------------


def sums_of(won_a: list[list[int]], won_b: list[list[int]], pairing: Pairing = Pairing.SEATS) -> BlockSums:
    """Sums of pairs that nobody shares: matches that A and B won, by block and swap, as many pair by pair."""
    empty = BlockSums.empty(pairing, len(won_a))
    outcomes = np.zeros((len(won_a), 2, N_OUTCOMES), np.int64)
    outcomes[:, :, Outcome.A_ON_POINTS], outcomes[:, :, Outcome.B_ON_CASH] = won_a, won_b
    pairs = outcomes[:, 0].sum(axis=1)
    scores = np.zeros((len(won_a), 5), np.int64)
    first = outcomes[:, 0, Outcome.A_ON_POINTS] + outcomes[:, 1, Outcome.B_ON_CASH]
    scores[:, 4], scores[:, 2] = first - pairs, 2 * pairs - first
    return BlockSums(pairing, pairs, outcomes, empty.sums, empty.squares, scores, empty.margins)


def test_stats_metagame__payoffs_are_antisymmetric_whole_numbers():
    sums = sums_of([[3, 1], [2, 2]], [[1, 3], [2, 2]])
    payoffs = Payoffs.of(("x", "y"), [Played(0, 1, sums)])
    assert payoffs.gains[:, 0, 1].tolist() == [4, 0]
    assert (payoffs.gains == -payoffs.gains.transpose(0, 2, 1)).all()
    assert payoffs.table.tolist() == [[0, 0.25], [-0.25, 0]]
    assert payoffs.endings[0, 0, 1].tolist() == [3, 1, 0]
    assert payoffs.endings[0, 1, 0].tolist() == [1, 3, 0]
    turned = Payoffs.of(("y", "x"), [Played(1, 0, sums)])
    assert (turned.gains == payoffs.gains[:, ::-1, ::-1]).all()
    assert (turned.endings == payoffs.endings[:, ::-1, ::-1]).all()


def test_stats_metagame__payoffs_of_incomplete_tournaments_are_refused():
    sums = sums_of([[3, 1]], [[1, 3]])
    with pytest.raises(ValueError, match="x and z have not played"):
        Payoffs.of(("x", "y", "z"), [Played(0, 1, sums)])
    with pytest.raises(ValueError, match="twice"):
        Payoffs.of(("x", "y"), [Played(0, 1, sums), Played(1, 0, sums)])
    more = sums_of([[3, 1], [3, 1]], [[1, 3], [1, 3]])
    with pytest.raises(ValueError, match=r"\[1, 2\] blocks"):
        Payoffs.of(("x", "y", "z"), [Played(0, 1, sums), Played(0, 2, more), Played(1, 2, more)])


def test_stats_metagame__exact_pairings_are_the_same_in_every_block():
    exact, measured = sums_of([[1, 0]], [[0, 1]]), sums_of([[3, 1], [2, 2]], [[1, 3], [2, 2]])
    payoffs = Payoffs.of(("x", "y", "z"), [Played(0, 1, exact, True), Played(0, 2, measured), Played(1, 2, None)])
    assert payoffs.table[0, 1] == 1
    assert payoffs.by_block[:, 0, 1].tolist() == [1, 1]
    assert payoffs.resampled(np.array([[2, 0], [0, 2]]))[:, 0, 1].tolist() == [1, 1]
    assert payoffs.exact.tolist() == [[True, True, False], [True, True, True], [False, True, True]]


def test_stats_metagame__block_payoffs_carry_the_error_of_the_ratio():
    """Blocks of unequal sizes: the mean of what stands for them is the ratio of sums, exactly."""
    rng = np.random.default_rng(3)
    payoffs = played(linear(0.2, 0.0, -0.1), rng)
    matches = payoffs.matches.copy()
    matches[::2, 0, 1] += 20
    matches[::2, 1, 0] += 20
    uneven = Payoffs(payoffs.bots, payoffs.gains, matches, payoffs.endings, payoffs.exact)
    assert uneven.by_block.mean(axis=0) == pytest.approx(uneven.table, abs=1e-15)
    assert uneven.typical_error == pytest.approx(math.sqrt((1 - SHARED_PROB) / (64 * 80)), rel=0.2)


# -- equilibrium ------------------------------------------------------------------------------------------------------


def test_stats_metagame__rock_paper_scissors_is_played_evenly():
    for strength in (0.01, 0.2, 1.0):
        found = most_even_equilibrium(strength / 0.2 * ROCK_PAPER_SCISSORS, 1e-3)
        assert found.weights == pytest.approx(1 / 3, abs=1e-4)


@pytest.mark.parametrize("slack", [0.05, 0.003, 0.001])
def test_stats_metagame__equilibria_hold_and_are_the_most_even(slack):
    """Nobody wins more than the slack; and no other such mixture, found by another method, is more even."""
    rng = np.random.default_rng(8)
    for n in (2, 3, 5, 7):
        noise = rng.normal(size=(n, n))
        table = np.tanh(noise - noise.T) * rng.choice([0.1, 1.0])
        weights = most_even_equilibrium(table, slack).weights
        assert weights.sum() == pytest.approx(1)
        assert (weights @ table).min() >= -slack * 1.02

        def disorder(p: np.ndarray) -> float:
            return float((p * np.log(np.maximum(p, 1e-300))).sum())

        fair = {"type": "eq", "fun": lambda p: p.sum() - 1}
        holds = {"type": "ineq", "fun": lambda p, table=table: p @ table + slack}
        other = optimize.minimize(disorder, weights, method="SLSQP", bounds=[(1e-12, 1)] * n, constraints=[fair, holds])
        assert disorder(weights) <= other.fun + 1e-3


def test_stats_metagame__equilibria_of_many_games_are_those_of_each():
    tables = played(UNEVEN, np.random.default_rng(2)).resampled(resampled_blocks(64, 300, 2))
    start = most_even_equilibrium(UNEVEN, 0.003).multipliers
    together = equilibrium.most_even_equilibria(tables, 0.003, start)
    alone = [most_even_equilibrium(table, 0.003).weights for table in tables[::60]]
    assert together[::60] == pytest.approx(np.array(alone), abs=1e-3)


def test_stats_metagame__what_is_not_solved_together_is_solved_alone(monkeypatch):
    tables = played(UNEVEN, np.random.default_rng(2)).resampled(resampled_blocks(64, 4, 2))
    minimised = equilibrium._minimised
    monkeypatch.setattr(
        equilibrium, "_minimised", lambda some, slack, start: start if len(some) > 1 else minimised(some, slack, start)
    )
    together = equilibrium.most_even_equilibria(tables, 0.003, np.zeros(4))
    alone = [most_even_equilibrium(table, 0.003).weights for table in tables]
    assert together == pytest.approx(np.array(alone), abs=1e-12)


def test_stats_metagame__a_bot_that_beats_all_is_played_alone():
    found = of_game(linear(0.3, 0.0, 0.0))
    assert figures(found)["equilibrium_weight.a"][0] > 0.98


# -- ranks and cycles -------------------------------------------------------------------------------------------------


def test_stats_metagame__ranks_of_planted_strengths():
    found = figures(of_game(linear(-0.2, 0.2, 0.0, 0.1)))
    assert [found[f"rank.{bot}"] for bot in "abcd"] == [(4, 4, 4), (1, 1, 1), (3, 3, 3), (2, 2, 2)]


def test_stats_metagame__equal_bots_share_their_ranks():
    found = figures(of_game(linear(0.2, 0.0, 0.0, 0.0)))
    assert found["rank.a"] == (1, 1, 1)
    assert [found[f"rank.{bot}"][1:] for bot in "bcd"] == [(2, 4)] * 3


def test_stats_metagame__ratings_are_the_likeliest():
    """Against a general optimiser of the same likelihood, seat edge and ties included."""
    rng = np.random.default_rng(5)
    n = 4
    endings = rng.integers(5, 60, size=(1, n, n, 3)).astype(float)
    seat_a, seat_b = np.nonzero(~np.eye(n, dtype=bool))

    def unlikely(x: np.ndarray) -> float:
        strength, edge, ties = x[:n], x[n], x[n + 1]
        total = 0.5 * strength.sum() ** 2
        for i, j in zip(seat_a, seat_b, strict=True):
            logs = np.array([strength[i] + edge / 2, strength[j] - edge / 2, ties + (strength[i] + strength[j]) / 2])
            counted = endings[0, i, j]
            counted = 100 * counted / counted.sum() + ratings.VIRTUAL_MATCHES
            total -= counted @ (logs - np.logaddexp.reduce(logs))
        return float(total)

    best = optimize.minimize(unlikely, np.zeros(n + 2), method="BFGS", options={"gtol": 1e-7})
    expected = best.x[:n] - best.x[:n].mean()
    assert ratings.ratings(endings, 100.0)[0] == pytest.approx(expected, abs=1e-5)


def test_stats_metagame__ratings_exist_without_a_single_defeat():
    endings = np.zeros((1, 3, 3, 3))
    for i in range(3):
        for j in range(3):
            endings[0, i, j, 0 if i < j else 1] = 10_000 * (i != j)
    found = ratings.ratings(endings, 10_000.0)
    assert np.isfinite(found).all()
    assert ratings.ranks(found)[0].tolist() == [1, 2, 3]


def test_stats_metagame__the_cyclic_share_of_known_games():
    found = figures(of_game(ROCK_PAPER_SCISSORS))["cyclic_share"]
    assert found[0] > 0.99
    assert found[2] == 1
    value, low, high = figures(of_game(linear(0.2, 0.1, 0.0, -0.2)))["cyclic_share"]
    assert value < 0.01
    assert low == 0
    assert high < 0.03
    half = ROCK_PAPER_SCISSORS / 0.2 * 0.1 + linear(0.1, 0.0, -0.1)
    expected = 0.06 / (0.06 + 0.12)
    value, low, high = figures(of_game(half))["cyclic_share"]
    assert low < expected < high
    assert high - low < 0.2


def test_stats_metagame__the_noise_is_taken_off_the_cyclic_share():
    """With few matches the table is half noise, most of it cyclic; on average the share is still that of the truth."""
    rng = np.random.default_rng(11)
    raw, cleaned = [], []
    for _ in range(60):
        share = cyclic_share(played(linear(0.15, 0.05, -0.05, -0.15), rng, pairs=1))
        raw.append(share.observed)
        cleaned.append(share.cyclic / share.total)
    assert np.mean(raw) > 0.08
    assert abs(np.mean(cleaned)) < 3 * np.std(cleaned) / math.sqrt(60)


# -- dominance --------------------------------------------------------------------------------------------------------


def test_stats_metagame__a_planted_dominated_bot_is_found():
    found = of_game(UNEVEN)
    (one,) = found.dominated
    assert one.bot == "d"
    assert "b" in one.pure
    assert one.margin == pytest.approx(0.4, abs=0.05)
    assert figures(found)["dominated_bots"] == (1, 1, 1)


def test_stats_metagame__a_bot_that_only_a_mixture_dominates_is_found():
    found = of_game(ONLY_MIXED)
    (one,) = found.dominated
    assert (one.bot, one.pure) == ("d", ())
    assert [one.by[bot] for bot in "abc"] == pytest.approx([1 / 3] * 3, abs=0.1)
    value, low, high = figures(found)["dominance_margin.d"]
    assert low < 0.15 < high
    assert value == pytest.approx(0.15, abs=0.03)


def test_stats_metagame__a_margin_is_what_brute_force_finds():
    grid = [np.array([x, y, 1 - x - y]) for x in np.linspace(0, 1, 101) for y in np.linspace(0, 1 - x, 101)]
    for i in range(4):
        others = [k for k in range(4) if k != i]
        gains = UNEVEN[others] - UNEVEN[i]
        best = max(float((mixture @ gains).min()) for mixture in grid)
        assert dominance.dominance_margin(UNEVEN, i).value == pytest.approx(best, abs=5e-3)


def test_stats_metagame__margins_of_many_tables_are_those_of_each():
    tables = played(UNEVEN, np.random.default_rng(2)).resampled(resampled_blocks(64, 300, 2))
    together = dominance.dominance_margins(tables, 1)
    alone = [dominance.dominance_margin(table, 1).value for table in tables[::50]]
    assert together[::50] == pytest.approx(alone, abs=1e-9)


@pytest.mark.parametrize(("n", "n_tournaments"), [(2, 40), (4, 15)])
def test_stats_metagame__noise_dominates_nobody(n, n_tournaments):
    """At least 95% of tournaments between equal bots name none (two bots have the least margin for error)."""
    rng = np.random.default_rng(n)
    named = 0
    for seed in range(n_tournaments):
        payoffs = played(np.zeros((n, n)), rng, pairs=30)
        tables = payoffs.resampled(resampled_blocks(64, 100, seed))
        pure = dominance.pure_dominators(payoffs, 64 * 30).any(axis=1)
        low = [percentile_limits(dominance.dominance_margins(tables, i), 64)[0] for i in range(n)]
        named += bool(pure.any() or max(low) > 0)
    assert named <= (6 if n == 2 else 1)  # 5% of 40 is 2; more than 6 in less than 1% of cases


# -- clones -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [UNEVEN, ONLY_MIXED, ROCK_PAPER_SCISSORS], ids=["uneven", "mixed", "cycle"])
def test_stats_metagame__a_clone_splits_its_weight_and_changes_nothing_else(table):
    plain = played(table, np.random.default_rng(4))
    for place in (0, len(table) - 1):
        cloned = with_clone(plain, place)
        bot = plain.bots[place]
        assert cloned.clones()[place] == [place, len(table)]
        before = figures(meta_game(plain, _pairs(plain), seed=3, resamples=25))
        found = meta_game(cloned, _pairs(plain), seed=3, resamples=25)
        after = figures(found)
        assert found.clones == ((bot, "copy"),)
        for name, figure in before.items():
            if name == f"equilibrium_weight.{bot}":
                assert after[name] == after["equilibrium_weight.copy"]
                assert after[name] == tuple(end / 2 for end in figure if end is not None)
            else:
                assert after[name] == figure, name
        for metric in ("rank", "mean_score", "dominance_margin"):
            assert after[f"{metric}.copy"] == before[f"{metric}.{bot}"]


def test_stats_metagame__one_match_less_is_no_clone():
    cloned = with_clone(played(UNEVEN, np.random.default_rng(4)), 0)
    for i, j in ((4, 1), (1, 4)):
        gains = cloned.gains.copy()
        gains[7, i, j], gains[7, j, i] = gains[7, i, j] - 2, gains[7, j, i] + 2
        nearly = Payoffs(cloned.bots, gains, cloned.matches, cloned.endings, cloned.exact)
        assert [4] in nearly.clones()
    gains = cloned.gains.copy()
    gains[0, 0, 4], gains[0, 4, 0] = 2, -2  # as strong against all others, but it wins something from the original
    assert [4] in Payoffs(cloned.bots, gains, cloned.matches, cloned.endings, cloned.exact).clones()


def test_stats_metagame__clones_alone_are_one_bot():
    two = with_clone(played(UNEVEN, np.random.default_rng(4)), 0).only([0, 4])
    found = meta_game(two, 64 * 40, seed=1, resamples=50)
    after = figures(found)
    assert found.failures == ()
    assert after["distinct_bots"][0] == 1
    assert after["equilibrium_weight.a"][0] == after["equilibrium_weight.copy"][0] == 0.5
    assert after["dominated_bots"][0] == 0
    assert after["cyclic_share"][0] is None


# -- what cannot be said ----------------------------------------------------------------------------------------------


def test_stats_metagame__every_figure_is_there_with_its_counts():
    found = of_game(UNEVEN, resamples=50)
    names = [*METAGAME_METRICS, *(f"{metric}.{bot}" for metric in BOT_METRICS for bot in "abcd")]
    assert [one.metric for one in found.estimates] == names
    for one in found.estimates:
        assert one.pairing == ALL_BOTS
        assert (one.n, one.n_units) == (6 * 64 * 80, 64 * 40)
        if one.low is not None:
            assert one.low <= one.value <= one.high


def test_stats_metagame__the_seed_decides():
    one, same = (of_game(ROCK_PAPER_SCISSORS, resamples=30) for _ in range(2))
    assert one == same
    payoffs = played(ROCK_PAPER_SCISSORS, np.random.default_rng(1))
    other = meta_game(payoffs, _pairs(payoffs), seed=2, resamples=30)
    assert figures(other)["equilibrium_weight.a"][0] == figures(one)["equilibrium_weight.a"][0]
    assert figures(other)["equilibrium_weight.a"][1] != figures(one)["equilibrium_weight.a"][1]


def test_stats_metagame__few_blocks_give_no_interval():
    found = of_game(UNEVEN, n_blocks=9)
    for one in found.estimates:
        if one.metric != "distinct_bots":
            assert (one.low, one.high, one.method) == (None, None, intervals.TOO_SMALL), one
    assert figures(found)["dominated_bots"] == (None, None, None)
    assert figures(found)["equilibrium_weight.d"][0] < 0.1


def test_stats_metagame__without_chance_all_is_exact():
    found = meta_game(certain(skew(4, ab=1, bc=1, ca=1, ad=1, bd=1, cd=1)), 1, seed=1)
    after = figures(found)
    assert {one.method for one in found.estimates} == {DETERMINISTIC, metagame.COUNT}
    assert [after[f"equilibrium_weight.{bot}"][0] for bot in "abc"] == pytest.approx([1 / 3] * 3, abs=1e-3)
    assert after["dominated_bots"] == (1, None, None)
    assert found.dominated[0].bot == "d"
    assert found.dominated[0].margin == pytest.approx(1)
    assert [after[f"rank.{bot}"][0] for bot in "abcd"] == [1, 1, 1, 4]
    assert after["cyclic_share"][0] == pytest.approx(0.5)


def test_stats_metagame__chance_that_never_showed_has_no_narrow_interval():
    """One bot won every match: that it always will is not known."""
    payoffs = played(skew(2, ab=1 - SHARED_PROB), np.random.default_rng(1))
    gains = np.zeros_like(payoffs.gains)
    gains[:, 0, 1], gains[:, 1, 0] = 80, -80
    found = figures(
        meta_game(Payoffs(payoffs.bots, gains, payoffs.matches, payoffs.endings, payoffs.exact), 2560, seed=1)
    )
    assert found["equilibrium_weight.a"][1:] == (None, None)
    assert found["mean_score.a"][1] < 1
    assert found["dominance_margin.b"][1] < 1 < found["dominance_margin.b"][2]
    assert found["dominated_bots"] == (1, 1, 1)


def test_stats_metagame__equal_bots_have_no_cyclic_share():
    rng = np.random.default_rng(1)
    methods = {meta_game(played(np.zeros((3, 3)), rng), 2560, seed=1, resamples=20).estimates[2] for _ in range(6)}
    unknown = [one for one in methods if one.value is None]
    assert {one.method for one in unknown} == {metagame.NOISE_ONLY}
    assert unknown
    assert all((one.low, one.high) == (0, 1) for one in methods if one.value is not None)


def test_stats_metagame__a_pairing_without_matches_leaves_all_unknown():
    payoffs = played(UNEVEN, np.random.default_rng(1))
    payoffs.matches[:, 0, 1] = payoffs.matches[:, 1, 0] = 0
    found = meta_game(payoffs, 2560, seed=1)
    assert found.failures == ("no match of a vs b counts, so that there is no table of payoffs",)
    assert {one.value for one in found.estimates if one.metric != "distinct_bots"} == {None}


def test_stats_metagame__a_failing_programme_is_no_verdict(monkeypatch):
    monkeypatch.setattr(
        dominance.optimize, "linprog", lambda *_, **__: SimpleNamespace(success=False, message="out of luck", x=None)
    )
    with pytest.raises(SolverFailed, match="out of luck"):
        dominance.dominance_margin(UNEVEN, 0)
    found = of_game(UNEVEN, resamples=20)
    after = {one.metric: one for one in found.estimates}
    assert [failure.partition(":")[0] for failure in found.failures] == [f"dominance of {bot}" for bot in "abcd"]
    for name in ("dominated_bots", *(f"dominance_margin.{bot}" for bot in "abcd")):
        assert (after[name].value, after[name].low, after[name].method) == (None, None, metagame.SOLVER_FAILED)
    assert after["equilibrium_weight.a"].value is not None


def test_stats_metagame__a_programme_that_fails_in_a_resample_is_a_failure(monkeypatch):
    solve = optimize.linprog

    def sometimes(c: np.ndarray, **given: object) -> object:
        return solve(c, **given) if len(c) == 4 else SimpleNamespace(success=False, message="iteration limit")

    monkeypatch.setattr(dominance.optimize, "linprog", sometimes)
    after = {one.metric: one for one in of_game(UNEVEN, resamples=20).estimates}
    assert after["dominated_bots"].method == metagame.SOLVER_FAILED


def test_stats_metagame__a_failing_search_is_no_equilibrium(monkeypatch):
    monkeypatch.setattr(equilibrium.optimize, "minimize", lambda fun, start, **_: SimpleNamespace(x=start))
    found = of_game(UNEVEN, resamples=20)
    after = {one.metric: one for one in found.estimates}
    assert found.failures == ("equilibrium: the most even equilibrium was not found to its precision",)
    assert {after[f"equilibrium_weight.{bot}"].method for bot in "abcd"} == {metagame.SOLVER_FAILED}
    assert after["dominated_bots"].value == 1


def test_stats_metagame__ratings_that_do_not_settle_are_no_ranks(monkeypatch):
    monkeypatch.setattr(ratings, "MOST_STEPS", 2)
    found = of_game(UNEVEN, resamples=20)
    assert found.failures == ("ranks: the ratings did not settle",)
    assert {one.value for one in found.estimates if one.metric.startswith("rank.")} == {None}


# -- intervals hold ---------------------------------------------------------------------------------------------------


def test_stats_metagame__percentile_limits_of_a_mean_are_students():
    rng = np.random.default_rng(6)
    blocks = rng.normal(size=64)
    counts = resampled_blocks(64, 40_000, 1)
    assert (counts.sum(axis=1) == 64).all()
    low, high = percentile_limits(counts @ blocks / 64, 64)
    expected = intervals.mean(float(blocks.mean()), blocks, 64)
    assert (float(low), float(high)) == pytest.approx((expected.low, expected.high), abs=0.015)


def truths(table: np.ndarray, kind: str, slack: float) -> dict[str, float]:
    """What figures of one kind would be without noise."""
    n = len(table)
    if kind == "cyclic_share":
        return {kind: float((ratings.cyclic_parts(table) ** 2).sum() / (table**2).sum())}
    found = {
        "equilibrium_weight": lambda: most_even_equilibrium(table, slack).weights,
        "mean_score": lambda: 0.5 + table.sum(axis=1) / (2 * (n - 1)),
        "dominance_margin": lambda: [dominance.dominance_margin(table, i).value for i in range(n)],
    }[kind]()
    return {f"{kind}.{bot}": float(value) for bot, value in zip("abcdefgh", found, strict=False)}


def held(table: np.ndarray, kind: str, n_tournaments: int, resamples: int) -> float:
    """Share of intervals of one kind of figure that hold the truth."""
    hits: list[bool] = []
    rng = np.random.default_rng(12)
    for seed in range(n_tournaments):
        payoffs = played(table, rng)
        study = metagame._Study(payoffs, _pairs(payoffs), seed, 0.95, resamples)
        slack = equilibrium.slack_of(payoffs.typical_error)
        tables = payoffs.resampled(study.counts)
        {
            "cyclic_share": study.cyclic,
            "mean_score": study.mean_scores,
            "equilibrium_weight": lambda study=study, tables=tables, slack=slack: study.weights(tables, slack),
            "dominance_margin": lambda study=study, tables=tables: study.dominance(tables),
        }[kind]()
        known = truths(table, kind, slack)
        for name, one in study.found.items():
            if name.startswith(kind):
                hits.append(one.low - 1e-9 <= known[name] <= one.high + 1e-9)
    return float(np.mean(hits))


@pytest.mark.parametrize(
    ("kind", "n_tournaments", "resamples"),
    [
        ("cyclic_share", 80, 200),
        ("mean_score", 60, 10),
        ("equilibrium_weight", 15, 100),
        ("dominance_margin", 12, 100),
    ],
)
def test_stats_metagame__intervals_hold_the_truth(kind, n_tournaments, resamples):
    share = held(UNEVEN, kind, n_tournaments, resamples)
    assert share > 0.95 - 4 * math.sqrt(0.95 * 0.05 / n_tournaments)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["cyclic_share", "mean_score", "equilibrium_weight", "dominance_margin"])
@pytest.mark.parametrize(
    "table", [UNEVEN, ONLY_MIXED, ROCK_PAPER_SCISSORS, linear(0.1, 0.05, -0.05, -0.1)], ids=["u", "m", "rps", "linear"]
)
def test_stats_metagame__intervals_hold_the_truth_of_many(table, kind):
    assert held(table, kind, 300, 400) > 0.92
