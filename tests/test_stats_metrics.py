"""Figures of the dispatch game: each against a plain recount of the matches, and its interval's promises."""

import json
import math
import statistics

import numpy as np
import pytest
from scipy import stats

from kernels.codes import Column, Outcome, Pairing
from sim.stats import definitions, intervals
from sim.stats.figures import estimated
from sim.stats.metrics import METRICS, Certainty, histogram, seat_table, summarise
from sim.stats.sums import BlockSums, sum_rows
from tests.test_stats_sums import made_rows, made_sums

LIMITS = {"dispatches": 24, "reward": 5, "ticks": 2, "toll": 1, "upgrades": 2, "sidings": 6}
CORE_NAMES = [
    "score.first",
    "win.first",
    "win.second",
    "shared",
    "decided_by_cash",
    "score.first.seat_a",
    "score.first.seat_b",
    "seat_bias",
    "margin.mean",
    "margin.p10",
    "margin.p50",
    "margin.p90",
    "spread.mean",
    "spread.p10",
    "spread.p50",
    "spread.p90",
    "points.first",
    "points.second",
    "deliveries.first",
    "deliveries.second",
    "purchases.upgrade.first",
    "purchases.upgrade.second",
    "purchases.siding.first",
    "purchases.siding.second",
    "pick.upgrade.first",
    "pick.upgrade.second",
    "pick.siding.first",
    "pick.siding.second",
    "head_ons",
    "junction_conflicts",
    "conflicts",
    "shared_arrivals",
    "cancelled_toggles",
    "stuck",
    "idle",
    "tolls",
    "illegal_orders",
]
BY_PLAYER = {
    "points": "POINTS",
    "deliveries": "DELIVERIES",
    "purchases.upgrade": "UPGRADES",
    "purchases.siding": "SIDINGS",
    "pick.upgrade": "PICK_UPGRADE",
    "pick.siding": "PICK_SIDING",
}
BY_MATCH = {
    "head_ons": ["HEAD_ONS"],
    "junction_conflicts": ["JUNCTION_CONFLICTS"],
    "conflicts": ["HEAD_ONS", "JUNCTION_CONFLICTS"],
    "shared_arrivals": ["SHARED_ARRIVALS"],
    "cancelled_toggles": ["CANCELLED_TOGGLES"],
    "stuck": ["STUCK_A", "STUCK_B"],
    "idle": ["IDLE_A", "IDLE_B"],
    "tolls": ["TOLLS_A", "TOLLS_B"],
}


def estimates(sums, **how):
    how.setdefault("limits", LIMITS)
    return {estimate.metric: estimate for estimate in summarise(sums, "one vs other", **how)}


def recount(row, swap, pairing):
    """All that one match says, in words, by a reading of the row that shares nothing with the definitions."""
    cell = {column.name: int(row[column]) for column in Column}
    first, second = ("B", "A") if pairing is Pairing.SEATS and swap == 1 else ("A", "B")
    winner = Outcome(cell["OUTCOME"]).name[0]
    score = {"A": 0.5, "B": 0.5} if winner == "S" else {"A": float(winner == "A"), "B": float(winner == "B")}
    said = {
        "score.first": score[first],
        "win.first": float(score[first] == 1),
        "win.second": float(score[second] == 1),
        "shared": float(winner == "S"),
        "decided_by_cash": float(Outcome(cell["OUTCOME"]).name.endswith("CASH")),
        "seat_bias": score["A"] - score["B"],
        "margin": cell[f"POINTS_{first}"] - cell[f"POINTS_{second}"],
        "spread": abs(cell["POINTS_A"] - cell["POINTS_B"]),
    }
    if pairing is not Pairing.SEATS:
        said |= {"score.first.seat_a": score["A"], "score.first.seat_b": score["B"]}
    else:
        said[f"score.first.seat_{first.lower()}"] = score[first]
    for name, column in BY_PLAYER.items():
        said |= {f"{name}.first": cell[f"{column}_{first}"], f"{name}.second": cell[f"{column}_{second}"]}
    return said | {name: sum(cell[column] for column in columns) for name, columns in BY_MATCH.items()}


def test_metrics__are_the_core_names():
    assert list(METRICS) == CORE_NAMES
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.description
        low, high = metric.limits(LIMITS)
        assert math.isfinite(high)
        assert low in (0, -high)


@pytest.mark.parametrize("pairing", Pairing)
def test_summarise__every_value_and_interval_recounted(pairing):
    """40 pairs, each its own block: values, n and t or Wilson intervals from plain lists of the pairs' means."""
    rows = made_rows(np.random.default_rng(12), 40, pairing, illegal=0.08)
    total = sum_rows(rows, pairing, np.arange(40), 40)
    found = estimates(total)
    per_pair = 1 if pairing is Pairing.SINGLE else 2
    by_pair = []
    for pair in range(40):
        of_pair = rows[pair * per_pair : (pair + 1) * per_pair]
        if all(row[Column.OUTCOME] <= Outcome.SHARED for row in of_pair):
            by_pair.append([recount(row, swap, pairing) for swap, row in enumerate(of_pair)])
    assert 25 < len(by_pair) < 40

    for name, estimate in found.items():
        if name == "illegal_orders" or name[-3:] in ("p10", "p50", "p90"):
            continue
        if name == "score.first.seat_b" and pairing is Pairing.SINGLE:
            assert (estimate.value, estimate.n, estimate.method) == (None, 0, "no matches")
            continue
        key = name.removesuffix(".mean")
        values = [[match[key] for match in matches if key in match] for matches in by_pair]
        means = [statistics.fmean(of_pair) for of_pair in values]
        assert estimate.value == pytest.approx(statistics.fmean(means))
        assert estimate.n == sum(map(len, values))
        assert estimate.n_units == len(by_pair)
        t = stats.t.ppf(0.975, len(means) - 1)
        error = statistics.stdev(means) / math.sqrt(len(means))
        if METRICS[name].kind is definitions.Kind.MEAN:
            low, high = METRICS[name].limits(LIMITS)
            expected = max(low, estimate.value - t * error), min(high, estimate.value + t * error)
            for usual in (low, high):
                few = [abs(mean - usual) for mean in means if mean != usual]
                if len(few) < 20 and len(few) <= len(means) / 2:
                    break
            else:
                few = []
            if few:
                y, v, w = sum(few), sum(x * x for x in few), 2 * max(few)
                ends = (
                    stats.gamma.ppf(0.025, y * y / v, scale=v / y),
                    stats.gamma.ppf(0.975, (y + w) ** 2 / (v + w * w), scale=(v + w * w) / (y + w)),
                )
                sign = 1 if usual == low else -1
                beyond = sorted(usual + sign * end / len(means) for end in ends)
                expected = max(low, beyond[0]), min(high, beyond[1])
                assert estimate.method == "gamma"
            else:
                assert estimate.method == "t"
        elif 10 <= sum(means) <= len(means) - 10:
            p = estimate.value
            expected = intervals.wilson_limits(p, p * (1 - p) / error**2, t)
            assert estimate.method == "wilson"
        else:
            expected = intervals.clopper_pearson_limits(sum(means), len(means), 0.95)
            assert estimate.method == "clopper-pearson"
        assert (estimate.low, estimate.high) == pytest.approx(expected)

    for name in ("margin", "spread"):
        flat = [match[name] for matches in by_pair for match in matches]
        assert found[f"{name}.mean"].value == pytest.approx(statistics.fmean(flat))
        for percent in (10, 50, 90):
            expected = np.quantile(flat, percent / 100, method="inverted_cdf")
            estimate = found[f"{name}.p{percent}"]
            assert estimate.value == expected
            assert estimate.low <= estimate.value <= estimate.high
        values, counts = histogram(total, name)
        assert np.repeat(values, counts).tolist() == sorted(flat)

    illegal = np.mean(rows[:, Column.OUTCOME] == Outcome.ILLEGAL)
    assert found["illegal_orders"].value == pytest.approx(illegal)
    assert found["illegal_orders"].n == len(rows)
    assert found["illegal_orders"].n_units == 40


@pytest.mark.parametrize("pairing", Pairing)
def test_summarise__figures_agree_with_each_other(pairing):
    found = {name: estimate.value for name, estimate in estimates(made_sums(9, 3000, pairing, 64, edge=1)).items()}
    assert found["score.first"] == pytest.approx(found["win.first"] + found["shared"] / 2)
    assert found["win.first"] + found["win.second"] + found["shared"] == pytest.approx(1)
    assert found["margin.mean"] == pytest.approx(found["points.first"] - found["points.second"])
    assert found["conflicts"] == pytest.approx(found["head_ons"] + found["junction_conflicts"])
    if pairing is not Pairing.SINGLE:
        assert found["seat_bias"] == pytest.approx(found["score.first.seat_a"] - found["score.first.seat_b"])


def test_summarise__entry_of_the_summary():
    (estimate,) = summarise(made_sums(9, 3000, Pairing.SEATS, 64), "a vs b", metrics=["score.first.seat_a"], level=0.9)
    entry = estimate.as_dict()
    assert list(entry) == ["pairing", "metric", "value", "low", "high", "n", "n_units", "method"]
    assert (entry["pairing"], entry["n"], entry["n_units"]) == ("a vs b", 3000, 3000)
    assert json.loads(json.dumps(entry)) == entry


@pytest.mark.parametrize("pairing", Pairing)
@pytest.mark.parametrize(("pairs", "illegal"), [(9, 0.0), (90, 0.4), (300, 0.02), (3000, 0.0)])
def test_summarise__a_figure_alone_is_as_it_is_among_all(pairing, pairs, illegal):
    """To the last bit, in whatever company: also where blocks are empty, or all their pairs illegal."""
    total = made_sums(9, pairs, pairing, 64, illegal=illegal)
    assert (total.legal_pairs == 0).any() == (pairs < 300)
    for known in (Certainty(), Certainty(deterministic=True), Certainty(mirror_proof=True)):
        together = summarise(total, "x", exact=known, limits=LIMITS)
        alone = [summarise(total, "x", exact=known, limits=LIMITS, metrics=[name])[0] for name in METRICS]
        assert alone == together
    assert summarise(total, "x", limits=LIMITS, metrics=[]) == []


def test_estimated__ratios_of_sums_alone_and_among_others():
    """Rare ones keep their gamma interval; blocks without what is counted leave only their own figure."""
    rng = np.random.default_rng(10)
    number = rng.integers(1, 9, (4, 64))
    number[2, :3] = 0
    rare = np.zeros(64, np.int64)
    rare[:3] = number[1, :3]
    totals = [rng.integers(0, 5, 64) * number[0], rare, rng.integers(0, 5, 64) * number[2], 0 * number[3]]
    metrics = [
        definitions.MetricDefinition(
            f"m{v}",
            definitions.Kind.MEAN,
            "Stages",
            "",
            lambda _, v=v: definitions.Totals(totals[v], number[v], number[v], ratio=True),
            (4,),
        )
        for v in range(4)
    ]
    together = estimated(metrics, None, "x", level=0.95, limits=None)
    assert [estimated([one], None, "x", level=0.95, limits=None)[0] for one in metrics] == together
    assert [one.method for one in together] == ["t", "gamma", "t", "zero variance"]
    total, n, value = totals[2][3:], number[2][3:], totals[2].sum() / number[2].sum()
    error = np.std(n * (total / n - value), ddof=1) / n.mean() / math.sqrt(61)
    assert together[2].high - value == pytest.approx(stats.t.ppf(0.975, 60) * error)


def test_summarise__level_widens_every_interval():
    total = made_sums(9, 3000, Pairing.SEATS, 64)
    narrow, wide = estimates(total, level=0.8), estimates(total, level=0.99)
    for name in CORE_NAMES:
        assert wide[name].low <= narrow[name].low <= narrow[name].high <= wide[name].high


def test_summarise__unknown_name():
    with pytest.raises(KeyError, match="wins"):
        summarise(made_sums(9, 10, Pairing.SEATS), "x", metrics=["wins"])


@pytest.mark.parametrize("pairing", Pairing)
def test_summarise__nothing_played_and_nothing_legal(pairing):
    for found in estimates(BlockSums.empty(pairing, 8)).values():
        assert (found.value, found.low, found.high, found.n, found.method) == (None, None, None, 0, "no matches")
    found = estimates(made_sums(1, 50, pairing, illegal=1.0))
    assert found.pop("illegal_orders").value == 1
    assert {estimate.method for estimate in found.values()} == {"no matches"}


def test_summarise__an_unfinished_record_is_no_illegal_order():
    total = made_sums(1, 200, Pairing.SINGLE, unfinished=0.2)
    found = estimates(total)
    unfinished = int(total.outcomes[:, :, Outcome.UNFINISHED].sum())
    assert found["illegal_orders"].value == 0
    assert found["illegal_orders"].n == 200
    assert found["shared"].n == 200 - unfinished < 200


def test_summarise__few_pairs():
    found = estimates(made_sums(4, 9, Pairing.SEATS, 9))
    assert {found[name].method for name in ("score.first", "shared", "illegal_orders")} == {"clopper-pearson"}
    assert {found[name].method for name in ("seat_bias", "margin.p50", "tolls")} == {"n too small"}


def still_rows(n_pairs, *, points=(3, 3), outcome=Outcome.SHARED, draws=0):
    rows = np.zeros((2 * n_pairs, len(Column)), dtype=np.int32)
    rows[:, Column.OUTCOME] = outcome
    rows[:, [Column.POINTS_A, Column.POINTS_B]] = points
    rows[:, Column.DRAWS_A] = draws
    return rows


def test_summarise__zero_variance_is_never_certainty():
    """640 equal pairs that draw: every figure keeps a width, that of a mean set by its range."""
    total = sum_rows(still_rows(640, draws=5), Pairing.LANES, np.arange(640) % 64, 64)
    found = estimates(total)
    share = 1 - 0.025 ** (1 / 640)
    assert found["tolls"].high == pytest.approx(share * 24 * 2)
    assert found["stuck"].high == pytest.approx(share * 48)
    assert found["seat_bias"].high == pytest.approx(share * 2)
    assert found["points.first"].high - found["points.first"].low == pytest.approx(2 * share * 24 * 5)
    for name in CORE_NAMES:
        if METRICS[name].kind is not definitions.Kind.QUANTILE:
            assert found[name].low < found[name].high
    assert estimates(total, limits=None)["tolls"].method == "range unknown"
    assert estimates(total, limits=None)["seat_bias"].high == pytest.approx(share * 2)


def test_exact__equal_mirror_fair_bots():
    rng = np.random.default_rng(3)
    rows = made_rows(rng, 500, Pairing.LANES)
    # The second match of every pair is the mirror image of the first.
    turned = [Outcome.B_ON_POINTS, Outcome.A_ON_POINTS, Outcome.B_ON_CASH, Outcome.A_ON_CASH, Outcome.SHARED]
    rows[1::2, Column.OUTCOME] = np.array(turned)[rows[::2, Column.OUTCOME]]
    rows[1::2, Column.POINTS_A], rows[1::2, Column.POINTS_B] = rows[::2, Column.POINTS_B], rows[::2, Column.POINTS_A]
    total = sum_rows(rows, Pairing.LANES, np.arange(500), 500)
    found = estimates(total, exact=Certainty(mirror_proof=True))
    for name, value in {
        "seat_bias": 0,
        "score.first": 0.5,
        "score.first.seat_a": 0.5,
        "score.first.seat_b": 0.5,
        "margin.mean": 0,
    }.items():
        estimate = found[name]
        assert (estimate.value, estimate.low, estimate.high, estimate.method) == (value, value, value, "exact")
        assert (estimate.n, estimate.n_units) == (1000, 500)
    assert found["shared"].method == "wilson"
    assert estimates(total)["seat_bias"].method == "zero variance"

    # One pair that does not sum to 1, or that is illegal: the claim is dropped, the figures are measured.
    for broken in (Outcome.A_ON_POINTS, Outcome.ILLEGAL):
        rows[:2, Column.OUTCOME] = broken
        rows[:2, [Column.POINTS_A, Column.POINTS_B]] = (5, 1)
        total = sum_rows(rows, Pairing.LANES, np.arange(500), 500)
        found = estimates(total, exact=Certainty(mirror_proof=True))
        assert "exact" not in {estimate.method for estimate in found.values()}
        assert found["seat_bias"].high > 0


def test_exact__single_shared_match():
    """Equal mirror-fair bots that draw nothing play one match, which symmetry makes a shared one."""
    rows = still_rows(1)[:1]
    known = Certainty(deterministic=True, mirror_proof=True)
    found = estimates(sum_rows(rows, Pairing.SINGLE, np.zeros(1, np.int64), 1), exact=known)
    assert {found[name].method for name in ("score.first", "score.first.seat_b", "seat_bias")} == {"exact"}
    assert (found["score.first.seat_b"].value, found["seat_bias"].value, found["seat_bias"].n) == (0.5, 0, 1)
    assert (found["shared"].value, found["shared"].method) == (1, "deterministic")
    rows[0, [Column.OUTCOME, Column.POINTS_A]] = (Outcome.A_ON_POINTS, 8)
    found = estimates(sum_rows(rows, Pairing.SINGLE, np.zeros(1, np.int64), 1), exact=known)
    assert (found["seat_bias"].value, found["seat_bias"].method) == (1, "deterministic")


def test_exact__never_said_of_changed_seats():
    """A pair of unequal bots may sum to 1 by seat alone: the seat then decides all, and nothing is proven."""
    rows = still_rows(100, points=(5, 1), outcome=Outcome.A_ON_POINTS, draws=2)
    total = sum_rows(rows, Pairing.SEATS, np.arange(100), 100)
    assert total.pair_scores[:, 2].sum() == 100
    found = estimates(total, exact=Certainty(mirror_proof=True))
    assert (found["seat_bias"].value, found["seat_bias"].method) == (1, "zero variance")
    assert found["score.first"].method == "wilson"
    assert found["score.first.seat_a"].method == "clopper-pearson"


def test_deterministic__different_matches_and_no_interval():
    rows = still_rows(1, points=(5, 1), outcome=Outcome.A_ON_POINTS)
    rows[1, [Column.OUTCOME, Column.POINTS_A, Column.POINTS_B]] = (Outcome.B_ON_CASH, 2, 2)
    known = Certainty(deterministic=True)
    found = estimates(sum_rows(rows, Pairing.SEATS, np.zeros(1, np.int64), 1), exact=known)
    assert {estimate.method for estimate in found.values()} == {"deterministic"}
    assert {(estimate.low, estimate.high) for estimate in found.values()} == {(None, None)}
    assert (found["score.first"].value, found["score.first"].n, found["score.first"].n_units) == (1, 2, 2)
    assert (found["score.first.seat_b"].value, found["score.first.seat_b"].n) == (1, 1)
    assert found["margin.mean"].value == 2
    assert found["seat_bias"].value == 0

    single = estimates(sum_rows(rows[:1], Pairing.SINGLE, np.zeros(1, np.int64), 1), exact=known)
    assert (single["score.first"].value, single["score.first"].n, single["score.first"].n_units) == (1, 1, 1)
    assert (single["score.first.seat_b"].value, single["score.first.seat_b"].method) == (None, "no matches")


def test_deterministic__repeats_are_no_evidence():
    found = estimates(
        sum_rows(still_rows(700), Pairing.SEATS, np.arange(700) % 64, 64), exact=Certainty(deterministic=True)
    )
    assert (found["shared"].n, found["shared"].n_units, found["shared"].method) == (2, 2, "deterministic")
    found = estimates(
        sum_rows(still_rows(700), Pairing.LANES, np.arange(700) % 64, 64),
        exact=Certainty(deterministic=True, mirror_proof=True),
    )
    assert (found["shared"].n, found["shared"].low, found["shared"].method) == (1, None, "deterministic")
    assert (found["seat_bias"].n, found["seat_bias"].low, found["seat_bias"].method) == (1, 0, "exact")


def test_deterministic__not_believed_of_bots_that_drew():
    total = sum_rows(still_rows(700, draws=1), Pairing.SEATS, np.arange(700) % 64, 64)
    assert estimates(total, exact=Certainty(deterministic=True))["shared"].method == "clopper-pearson"


@pytest.mark.parametrize("pairing", Pairing)
def test_seat_table__partitions_the_matches(pairing):
    total = made_sums(5, 300, pairing, illegal=0.05)
    table = seat_table(total)
    assert [row["first_seat"] for row in table] == (["A", "B"] if pairing is Pairing.SEATS else ["A"])
    for row in table:
        ended = [n for name, n in row.items() if name not in ("first_seat", "matches")]
        assert sum(ended) == row["matches"]
    assert sum(row["matches"] for row in table) == total.legal_pairs.sum() * len(total.swaps)
    found = estimates(total)
    won = sum(row["won_on_points"] + row["won_on_cash"] for row in table)
    assert won / sum(row["matches"] for row in table) == pytest.approx(found["win.first"].value)


def test_histogram__unknown_name():
    with pytest.raises(ValueError, match="'margin' or 'spread'"):
        histogram(made_sums(5, 10, Pairing.SEATS), "points")


def many_runs(n_runs, n_pairs, prob_a, name, pairing):
    """Estimates of one figure in runs of fair or planted matches that share their luck within the pair."""
    rng = np.random.default_rng(31)
    for _ in range(n_runs):
        rows = still_rows(n_pairs, draws=1)
        luck = np.where(rng.random(n_pairs)[:, None] < 0.5, rng.random((n_pairs, 1)), rng.random((n_pairs, 2)))
        luck = luck.reshape(-1)
        rows[:, Column.OUTCOME] = np.select(
            [luck < 0.05, luck < 0.05 + 0.95 * prob_a], [Outcome.SHARED, Outcome.A_ON_POINTS], Outcome.B_ON_POINTS
        )
        total = sum_rows(rows, pairing, np.arange(n_pairs) % 64, 64)
        yield summarise(total, "x", metrics=[name], limits=LIMITS)[0]


@pytest.mark.parametrize(
    ("name", "pairing", "truth"),
    [("seat_bias", Pairing.SEATS, 0), ("score.first", Pairing.LANES, 0.5), ("shared", Pairing.SEATS, 0.05)],
)
def test_no_effect__is_not_found(name, pairing, truth):
    """Without an effect, a 95% interval misses the truth in about one run of twenty: 300 runs, 3 standard errors."""
    missed = sum(not found.low <= truth <= found.high for found in many_runs(300, 640, 0.5, name, pairing))
    assert 0.012 <= missed / 300 <= 0.088


def test_planted_effect__is_found():
    """Seat A wins 60% of the decided matches: seen in every run, and as large as it is."""
    found = list(many_runs(50, 640, 0.6, "seat_bias", Pairing.SEATS))
    assert all(estimate.low > 0 for estimate in found)
    assert statistics.fmean(estimate.value for estimate in found) == pytest.approx(0.19, abs=0.015)


def test_planted_effect__of_the_seat_is_not_one_of_the_bot():
    found = list(many_runs(50, 640, 0.6, "score.first", Pairing.SEATS))
    assert sum(estimate.low <= 0.5 <= estimate.high for estimate in found) >= 43
