"""Pair statistics: known answers of chess testing, and what scaling and mirroring do to them."""

import numpy as np
import pytest

from sim.stats.pentanomial import elo, log_likelihood_ratio, normalised_elo, pair_score

DRAWISH = np.array([18, 1850, 25507, 2580, 45])
LONG = np.array([365, 16618, 36229, 16974, 390])


def test_elo__known_answers():
    assert elo(DRAWISH) == pytest.approx((4.540, 0.775), abs=0.0005)
    assert normalised_elo(DRAWISH) == pytest.approx((16.287, 2.780), abs=0.0005)


def test_log_likelihood_ratio__known_answer():
    assert log_likelihood_ratio(LONG, 0, 2) == pytest.approx(2.2504, abs=0.00005)


def test_pairs__mirrored_and_by_blocks():
    for figure in (elo, normalised_elo):
        value, half = figure(DRAWISH)
        assert figure(DRAWISH[::-1]) == pytest.approx((-value, half))
        assert figure(np.stack([DRAWISH // 2, DRAWISH - DRAWISH // 2])) == pytest.approx((value, half))
    ratio = log_likelihood_ratio(LONG, 0, 2)
    assert log_likelihood_ratio(LONG, 2, 0) == pytest.approx(-ratio)
    assert log_likelihood_ratio(10 * LONG, 0, 2) == pytest.approx(10 * ratio)
    assert log_likelihood_ratio(LONG[::-1], -2, 0) == pytest.approx(-ratio)


def test_pair_score__by_hand():
    found = pair_score(np.array([1, 0, 2, 0, 1]))
    assert (found.n_pairs, found.mean, found.deviation) == (4, 0.5, pytest.approx(np.std([0, 0.5, 0.5, 1])))


def test_pairs__without_a_finite_answer():
    with pytest.raises(ValueError, match="no pair"):
        pair_score(np.zeros(5, dtype=np.int64))
    for alike in range(5):
        counts = np.zeros(5, dtype=np.int64)
        counts[alike] = 7
        with pytest.raises(ValueError, match="ended alike"):
            normalised_elo(counts)
    with pytest.raises(ValueError, match="no finite Elo"):
        elo(np.array([0, 0, 0, 1, 8]))
