"""Intervals: known values, coverage by simulation, and what holds for every sample."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sim.stats import intervals
from sim.stats.blocks import by_known_blocks, variances

LEVEL = 0.95
NORMAL = float(stats.norm.ppf(0.975))


# Newcombe (1998), Statistics in Medicine 17, 857, table I.
@pytest.mark.parametrize(
    ("k", "n", "wilson", "exact"),
    [
        (81, 263, (0.2553, 0.3662), (0.2527, 0.3676)),
        (15, 148, (0.0624, 0.1605), (0.0578, 0.1617)),
        (0, 20, (0.0, 0.1611), (0.0, 0.1684)),
        (1, 29, (0.0061, 0.1718), (0.0009, 0.1776)),
    ],
)
def test_proportion__published_values(k, n, wilson, exact):
    assert np.round(intervals.wilson_limits(k / n, n, NORMAL), 4) == pytest.approx(wilson)
    assert np.round(intervals.clopper_pearson_limits(k, n, LEVEL), 4) == pytest.approx(exact)


@pytest.mark.parametrize("n", [1, 7, 40, 1000])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_proportion__agrees_with_scipy(n, level):
    for k in {0, 1, n // 3, n - 1, n}:
        test = stats.binomtest(k, n)
        exact, wilson = test.proportion_ci(level, "exact"), test.proportion_ci(level, "wilson")
        assert intervals.clopper_pearson_limits(k, n, level) == pytest.approx((exact.low, exact.high), abs=1e-12)
        quantile = float(stats.norm.ppf(0.5 + level / 2))
        assert intervals.wilson_limits(k / n, n, quantile) == pytest.approx((wilson.low, wilson.high), abs=1e-12)


def test_clopper_pearson__takes_halves():
    low, high = intervals.clopper_pearson_limits(2.5, 30, LEVEL)
    assert low == pytest.approx(stats.beta.ppf(0.025, 2.5, 28.5))
    assert high == pytest.approx(stats.beta.ppf(0.975, 3.5, 27.5))
    ends = [intervals.clopper_pearson_limits(k, 30, LEVEL) for k in (2, 2.5, 3)]
    assert [low for low, _ in ends] == sorted(low for low, _ in ends)
    assert [high for _, high in ends] == sorted(high for _, high in ends)


def test_proportion__written_out():
    """Wilson with n_eff = p(1-p)/(s²/B) and t of B - 1 degrees of freedom, in plain steps."""
    means = np.array([0.50, 0.55, 0.45, 0.52, 0.40, 0.61, 0.47, 0.50, 0.53, 0.49, 0.44, 0.58])
    p = float(means.mean())
    n_effective = p * (1 - p) / (means.var(ddof=1) / 12)
    t = stats.t.ppf(0.975, 11)
    centre = (p + t * t / (2 * n_effective)) / (1 + t * t / n_effective)
    half = t / (1 + t * t / n_effective) * math.sqrt(p * (1 - p) / n_effective + t * t / (4 * n_effective**2))
    found = intervals.proportion(p, means, 1200, LEVEL)
    assert (found.low, found.high) == pytest.approx((centre - half, centre + half))
    assert found.method == "wilson"


@pytest.mark.parametrize(("events", "method"), [(9.5, "clopper-pearson"), (10, "wilson"), (990, "wilson")])
@pytest.mark.parametrize("mirrored", [False, True])
def test_proportion__rare_events_are_counted_in_pairs(events, method, mirrored):
    """1000 pairs: under 10 events, or under 10 non-events, Clopper-Pearson with n = pairs."""
    share = events / 1000
    means = np.full(20, share)
    means[:2] += [share / 2, -share / 2] if share < 0.5 else [0.005, -0.005]
    if mirrored:
        share, means = 1 - share, 1 - means
    found = intervals.proportion(share, means, 1000, LEVEL)
    assert found.method == method
    if method == "clopper-pearson":
        assert (found.low, found.high) == pytest.approx(intervals.clopper_pearson_limits(1000 * share, 1000, LEVEL))


def test_proportion__zero_variance_counts_the_pairs():
    """Every block at exactly one half: as uncertain as 500 independent pairs, not certain."""
    found = intervals.proportion(0.5, np.full(20, 0.5), 500, LEVEL)
    t = float(stats.t.ppf(0.975, 19))
    assert (found.low, found.high) == pytest.approx(intervals.wilson_limits(0.5, 500, t))
    assert found.high - found.low > 0.08


def test_proportion__zero_variance_of_equal_thirds():
    """Block means equal to the last bit have no variance, though their computed mean may be off by a bit."""
    means = np.full(61, 1 / 3)
    found = intervals.proportion(1 / 3, means, 6100, LEVEL)
    t = float(stats.t.ppf(0.975, 60))
    assert (found.low, found.high) == pytest.approx(intervals.wilson_limits(1 / 3, 6100, t))


@pytest.mark.parametrize("n_units", [1, 2, 9])
def test_few_units__only_a_proportion_has_an_interval(n_units):
    means = np.linspace(0.2, 0.8, n_units) if n_units > 1 else np.array([0.5])
    found = intervals.proportion(0.5, means, n_units, LEVEL)
    assert found.method == "clopper-pearson"
    assert (found.low, found.high) == pytest.approx(intervals.clopper_pearson_limits(n_units / 2, n_units, LEVEL))
    for few in (
        intervals.mean(0.5, means, n_units, LEVEL, (0, 1)),
        intervals.quantile(0.5, np.array([0, 1]), np.ones((n_units, 2), dtype=np.int64), n_units, LEVEL, (0, 1)),
    ):
        assert (few.low, few.high, few.method) == (None, None, "n too small")


def test_mean__agrees_with_scipy():
    means = np.random.default_rng(5).normal(3, 1, 64)
    expected = stats.ttest_1samp(means, 0).confidence_interval(0.9)
    found = intervals.mean(float(means.mean()), means, 6400, 0.9)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.method == "t"


def test_mean__zero_variance_is_the_share_of_pairs_that_could_differ():
    """640 pairs without a toll: at most a share 1 - 0.025^(1/640) pays one, of up to 24 dollars."""
    found = intervals.mean(0.0, np.zeros(64), 640, LEVEL, (0, 24))
    assert (found.low, found.high, found.method) == (0, pytest.approx(24 * (1 - 0.025 ** (1 / 640))), "zero variance")
    bias = intervals.mean(0.0, np.zeros(64), 640, LEVEL, (-1, 1))
    assert (-bias.low, bias.high) == pytest.approx([2 * (1 - 0.025 ** (1 / 640))] * 2)


def test_mean__zero_variance_without_a_range_has_no_interval():
    found = intervals.mean(2.0, np.full(64, 2.0), 640, LEVEL)
    assert (found.low, found.high, found.method) == (None, None, "range unknown")


def test_quantile__inverts_the_interval_of_f():
    """By hand: every value whose F-interval holds q, out to the first value whose F surely exceeds it."""
    rng = np.random.default_rng(8)
    counts = np.array([np.bincount(rng.integers(0, 30, 40), minlength=30) for _ in range(50)])
    found = intervals.quantile(0.5, np.arange(30), counts, 2000, LEVEL)
    ends = []
    for v in range(30):
        means = counts[:, : v + 1].sum(axis=1) / 40
        ends.append(intervals.proportion(float(means.mean()), means, 2000, LEVEL))
    assert found.low == min(v for v in range(30) if ends[v].high >= 0.5)
    assert found.high == min(v for v in range(30) if ends[v].low >= 0.5)
    assert found.value == min(v for v in range(30) if ends[v].value >= 0.5)
    assert found.low <= found.value <= found.high


def test_quantile__end_of_the_range_where_extremes_do_not_settle_it():
    """20 pairs say nothing of the lowest 10%: F below the least value seen may be up to 17%."""
    counts = np.ones((20, 2), dtype=np.int64)
    found = intervals.quantile(0.1, np.array([4, 9]), counts, 20, LEVEL, (-50, 50))
    assert (found.value, found.low, found.high) == (4, -50, 4)
    found = intervals.quantile(0.9, np.array([4, 9]), counts, 20, LEVEL, (-50, 50))
    assert (found.value, found.low, found.high) == (9, 9, 50)
    assert intervals.quantile(0.9, np.array([4, 9]), counts, 20, LEVEL).high is None


@pytest.mark.parametrize("n", [10, 30, 70, 1000])
def test_quantile__of_whole_shares_is_exact(n):
    """F(v) = q exactly must count as reached, whatever the last bit of q."""
    counts = np.zeros((10, 10), dtype=np.int64)
    counts[:] = n
    for tenth in range(1, 10):
        assert intervals.quantile(tenth / 10, np.arange(10), counts, 100 * n, LEVEL).value == tenth - 1


def test_level__must_be_a_probability():
    for level in (0.0, 1.0, 95.0):
        with pytest.raises(ValueError, match="between 0 and 1"):
            intervals.proportion(0.5, np.full(20, 0.5), 100, level)


def pairs_of_scores(rng, shape, p, correlation):
    """Mean score of a pair whose matches are won with probability p each and have the given correlation."""
    first = rng.random(shape) < p
    same = rng.random(shape) < abs(correlation)
    other = first if correlation > 0 else ~first
    second = np.where(same, other, rng.random(shape) < p)
    return (first.astype(np.float64) + second) / 2


@pytest.mark.parametrize(
    ("p", "correlation"), [(0.5, 0.0), (0.5, 0.9), (0.5, -0.8), (0.3, 0.6), (0.1, 0.5), (0.97, 0.3)]
)
def test_coverage__proportions_of_correlated_pairs(p, correlation):
    """64 blocks of 30 pairs, 4000 runs: 95% intervals hold the truth in 93.5 to 96.5% of them."""
    rng = np.random.default_rng(2024)
    means = np.stack([pairs_of_scores(rng, (4000, 30), p, correlation).mean(axis=1) for _ in range(64)])
    low, high, rare = intervals.proportion_limits(means.mean(axis=0), means, 64 * 30, LEVEL)
    assert not rare.any()
    assert 0.935 <= np.mean((low <= p) & (p <= high)) <= 0.965


@pytest.mark.parametrize(("p", "correlation"), [(0.5, 0.8), (0.35, -0.4)])
def test_coverage__every_pair_its_own_block(p, correlation):
    rng = np.random.default_rng(7)
    means = pairs_of_scores(rng, (300, 4000), p, correlation)
    # An opposite second match has share 1 - p.
    truth = p if correlation > 0 else p + abs(correlation) * (0.5 - p)
    low, high, _ = intervals.proportion_limits(means.mean(axis=0), means, 300, LEVEL)
    assert 0.935 <= np.mean((low <= truth) & (truth <= high)) <= 0.965


@pytest.mark.parametrize("p", [0.0005, 0.002, 0.004])
def test_coverage__rare_events_seen_twice(p):
    """Both matches of a pair show the one event: counted in matches, the interval would be too narrow."""
    rng = np.random.default_rng(11)
    means = rng.binomial(30, p, (64, 4000)) / 30
    low, high, rare = intervals.proportion_limits(means.mean(axis=0), means, 64 * 30, LEVEL)
    assert rare.mean() > 0.5
    assert np.mean((low <= p) & (p <= high)) >= 0.935


def test_coverage__means_of_skewed_counts():
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(2000):
        means = rng.poisson(0.4 * 20, 64) / 20
        found = intervals.mean(float(means.mean()), means, 1280, LEVEL, (0, 24))
        hits += found.low <= 0.4 <= found.high
    assert 0.935 <= hits / 2000 <= 0.965


def event_sizes(kind, rng, n):
    """Sizes of rare events, and their mean."""
    if kind == "alike":
        return np.ones(n), 1.0
    if kind == "geometric":
        return rng.geometric(0.5, n).astype(np.float64), 2.0
    return rng.integers(1, 6, n).astype(np.float64), 3.0


@pytest.mark.parametrize("sizes", ["alike", "geometric", "one to five"])
@pytest.mark.parametrize("expected", [1, 3, 6, 10, 18, 25, 35])
@pytest.mark.parametrize("usual", [0.0, 24.0])
def test_coverage__means_that_rest_on_a_few_events(expected, sizes, usual):
    """64 blocks of 500 pairs and so many events in the whole run: 95% intervals hold the truth in at least 93.5%."""
    rng = np.random.default_rng(expected)
    n_runs, n_blocks, pairs = 3000, 64, 500
    n_events = rng.poisson(expected, n_runs)
    drawn, mean_size = event_sizes(sizes, rng, int(n_events.sum()))
    blocks = np.zeros((n_runs, n_blocks))
    np.add.at(blocks, (np.repeat(np.arange(n_runs), n_events), rng.integers(0, n_blocks, drawn.size)), drawn)
    sign = 1 if usual == 0 else -1
    means = usual + sign * blocks / pairs
    truth = usual + sign * expected * mean_size / (n_blocks * pairs)
    found = [intervals.mean(float(one.mean()), one, n_blocks * pairs, LEVEL, (0, 24)) for one in means]
    assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.935
    assert {one.method for one in found} <= {"gamma", "zero variance"} if expected <= 3 else {"gamma", "t"}


def test_mean__of_a_few_events_alike_is_poisson_with_a_larger_one_to_come():
    """Lower end: exact Poisson. Upper end: that of one event more, which may be twice as large."""
    means = np.zeros(64)
    means[[3, 9, 40]] = 1 / 50
    found = intervals.mean(3 / 3200, means, 3200, LEVEL, (0, 24))
    assert found.method == "gamma"
    assert found.low * 3200 == pytest.approx(stats.chi2.ppf(0.025, 2 * 3) / 2)
    assert found.high * 3200 == pytest.approx(stats.gamma.ppf(0.975, 25 / 7, scale=7 / 5))
    assert found.high * 3200 > stats.chi2.ppf(0.975, 2 * 4) / 2
    mirrored = intervals.mean(24 - 3 / 3200, 24 - means, 3200, LEVEL, (0, 24))
    assert (24 - mirrored.high, 24 - mirrored.low) == pytest.approx((found.low, found.high))


@pytest.mark.parametrize(
    ("n_blocks", "n_events", "method"), [(64, 19, "gamma"), (64, 20, "t"), (12, 6, "gamma"), (12, 7, "t")]
)
def test_mean__a_few_events_are_those_of_less_than_20_blocks_and_half(n_blocks, n_events, method):
    means = np.zeros(n_blocks)
    means[:n_events] = 0.5
    assert intervals.mean(float(means.mean()), means, n_blocks, LEVEL, (0, math.inf)).method == method
    assert intervals.mean(float(means.mean()), means, n_blocks, LEVEL).method == "t", "no least value is known"


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
def test_coverage__quantiles_of_fine_values(q):
    """Values so fine that hardly two are equal; both matches of a pair have the same one."""
    rng = np.random.default_rng(17)
    cells = 1000
    truth = next(v for v in range(cells) if (v + 1) / cells >= q - 1e-12)
    hits = 0
    for _ in range(1000):
        drawn = rng.integers(0, cells, (32, 25))
        values, place = np.unique(drawn, return_inverse=True)
        counts = np.zeros((32, values.size), dtype=np.int64)
        np.add.at(counts, (np.arange(32)[:, None], place.reshape(drawn.shape)), 2)
        found = intervals.quantile(q, values, counts, 800, LEVEL, (0, cells))
        hits += found.low <= truth <= found.high
    assert 0.93 <= hits / 1000 <= 0.97


shares = st.integers(0, 40).map(lambda k: k / 40)
blocks = st.lists(shares, min_size=1, max_size=80)


@settings(deadline=None)
@given(blocks, st.integers(1, 50), st.floats(0.5, 0.98))
def test_proportion__holds_its_value_and_grows_with_level(means, pairs_a_block, level):
    of_blocks = np.array(means)
    value = float(of_blocks.mean())
    n_pairs = len(means) * pairs_a_block
    narrow = intervals.proportion(value, of_blocks, n_pairs, level)
    wide = intervals.proportion(value, of_blocks, n_pairs, level + 0.015)
    assert 0 <= wide.low <= narrow.low <= value <= narrow.high <= wide.high <= 1
    assert wide.low < wide.high
    assert narrow.method == wide.method


@settings(deadline=None)
@given(blocks, st.integers(1, 50), st.floats(0.5, 0.98))
def test_mean__holds_its_value_and_grows_with_level(means, pairs_a_block, level):
    of_blocks = 24 * np.array(means)
    value = float(of_blocks.mean())
    n_pairs = len(means) * pairs_a_block
    narrow = intervals.mean(value, of_blocks, n_pairs, level, (0, 24))
    wide = intervals.mean(value, of_blocks, n_pairs, level + 0.015, (0, 24))
    if len(means) < 10:
        assert narrow.low is None
        assert wide.method == "n too small"
    else:
        assert 0 <= wide.low <= narrow.low <= value <= narrow.high <= wide.high <= 24
        assert wide.low < wide.high


@settings(deadline=None)
@given(st.integers(10, 40), st.integers(1, 12), st.sampled_from([0.1, 0.5, 0.9]), st.integers(0, 2**32 - 1))
def test_quantile__holds_its_value_and_grows_with_level(n_blocks, n_values, q, seed):
    counts = np.random.default_rng(seed).integers(0, 5, (n_blocks, n_values))
    counts[:, 0] += 1
    values = np.arange(n_values) * 3 - 7
    narrow = intervals.quantile(q, values, counts, n_blocks * 4, 0.8, (-60, 60))
    wide = intervals.quantile(q, values, counts, n_blocks * 4, 0.99, (-60, 60))
    assert -60 <= wide.low <= narrow.low <= narrow.value == wide.value <= narrow.high <= wide.high <= 60
    flat = np.repeat(values, counts.sum(axis=0))
    assert narrow.value == np.quantile(flat, q, method="inverted_cdf")


@pytest.mark.parametrize("n_blocks", [2, 10, 64, 131, 640])
def test_variances__are_those_of_numpy_to_the_last_bit(n_blocks):
    draws = np.random.default_rng(n_blocks)
    means = np.array([draws.random(n_blocks), draws.normal(1e6, 1, n_blocks), np.repeat(0.1, n_blocks)])
    together = variances(means).tolist()
    assert together == [float(one.var(ddof=1)) for one in means]
    assert together == [variances(one[None])[0] for one in means]


def test_by_known_blocks__gives_every_figure_once_without_its_empty_blocks():
    gap = math.nan
    means = np.array([[1.0, 2, 3], [4, gap, 6], [7, 8, 9], [gap, gap, gap]])
    found = {
        place: row.tolist() for places, rows in by_known_blocks(means) for place, row in zip(places, rows, strict=True)
    }
    assert found == {0: [1, 2, 3], 1: [4, 6], 2: [7, 8, 9], 3: []}
    ((places, whole),) = by_known_blocks(means[[0, 2]])
    assert (places, whole.tolist()) == ([0, 1], [[1, 2, 3], [7, 8, 9]])


def test_distribution__its_quantiles_are_those_asked_for_one_by_one():
    counts = np.random.default_rng(1).poisson(3, (64, 9))
    values = np.arange(9) - 4
    whole = intervals.Distribution(values, counts.cumsum(axis=1), 500)
    for q in (0.1, 0.5, 0.9):
        for level in (0.95, 0.99):
            assert whole.quantile(q, level, (-9, 9)) == intervals.quantile(q, values, counts, 500, level, (-9, 9))


def test_means_at__each_figure_and_level_is_as_it_is_alone():
    draws = np.random.default_rng(2)
    for n_blocks in (9, 12, 64):
        rare = np.zeros(n_blocks)
        rare[:4] = 1, 2, 1, 1
        means = np.array([draws.random(n_blocks), np.full(n_blocks, 0.5), rare, 2 - rare, np.zeros(n_blocks)])
        values, n_pairs = means.mean(axis=1).tolist(), [640, 500, 640, 700, 640]
        levels = (0.95, 0.999)
        limits = [(0.0, 2.0), (-2.0, 2.0), (0.0, math.inf), (-math.inf, 2.0), (-math.inf, math.inf)]
        found = intervals.means_at(values, means, n_pairs, levels, limits)
        assert found == [
            [intervals.mean(value, one, n, level, ends) for level in levels]
            for value, one, n, ends in zip(values, means, n_pairs, limits, strict=True)
        ]
        methods = [one.method for one, _ in found]
        assert methods == (
            ["n too small"] * 5 if n_blocks < 10 else ["t", "zero variance", "gamma", "gamma", "range unknown"]
        )


def test_proportions__each_is_as_it_is_alone():
    draws = np.random.default_rng(3)
    means = np.array([draws.random(64), np.full(64, 0.25), draws.random(64) < 0.1, np.zeros(64)]).astype(np.float64)
    values, n_pairs = means.mean(axis=1).tolist(), [640, 500, 640, 64]
    found = intervals.proportions(values, means, n_pairs, 0.95)
    assert found == [intervals.proportion(*one, 0.95) for one in zip(values, means, n_pairs, strict=True)]
    assert [one.method for one in found] == ["wilson"] * 3 + ["clopper-pearson"]
