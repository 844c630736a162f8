"""Close matches and blow-outs, counted from plain rows."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.codes import Column, Outcome, Pairing
from sim.stats import closeness, intervals
from sim.stats.sums import BlockSums, sum_rows
from tests.test_stats_metrics import made_rows

REWARD = 2


def made(n: int = 2000) -> tuple[np.ndarray, BlockSums]:
    rows = made_rows(np.random.default_rng(4), n, Pairing.SEATS, illegal=0.05)
    return rows, sum_rows(rows, Pairing.SEATS, np.arange(n) % 64, 64)


def test_closeness__is_a_share_of_the_matches_that_count():
    rows, sums = made()
    ended = rows[:, Column.OUTCOME].reshape(-1, 2) <= Outcome.SHARED
    counting = rows.reshape(-1, 2, rows.shape[1])[ended.all(axis=1)].reshape(-1, rows.shape[1])
    spread = np.abs(counting[:, Column.POINTS_A] - counting[:, Column.POINTS_B])
    close = closeness.close_share(sums, REWARD, "x vs y")
    blown = closeness.blow_out_share(sums, REWARD, "x vs y")
    assert close.value == np.mean(spread <= closeness.close_up_to(REWARD)) == np.mean(spread <= 2)
    assert blown.value == np.mean(spread >= closeness.blow_out_from(REWARD)) == np.mean(spread >= 4)
    for one in (close, blown):
        assert one.n == len(spread)
        assert one.n_units == len(spread) // 2
        assert one.pairing == "x vs y"
        assert one.method == intervals.WILSON
        assert one.low < one.value < one.high
    between = closeness.spread_share(sums, 3, 3, "x vs y")
    assert close.value + between.value + blown.value == pytest.approx(1)


def test_closeness__level_and_what_has_no_interval():
    _, sums = made()
    wide, narrow = (closeness.close_share(sums, REWARD, "", level=level) for level in (0.99, 0.9))
    assert wide.low < narrow.low < narrow.high < wide.high
    fixed = closeness.close_share(sums, REWARD, "", deterministic=True)
    assert (fixed.value, fixed.low, fixed.high, fixed.method) == (wide.value, None, None, "deterministic")
    none = closeness.close_share(BlockSums.empty(Pairing.SEATS, 64), REWARD, "")
    assert (none.value, none.n, none.method) == (None, 0, "no matches")
