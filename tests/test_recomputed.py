"""Every core metric once more, from `matches.parquet` with pandas alone: nothing of the tool is asked but its file."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sim
from sim.stats.metrics import METRICS
from tests.run_tools import SHORT, scaled


def of_first(rows, name):
    """A column of the first bot, wherever it sat; and of the second."""
    in_a = rows.first_seat.astype(str) == "A"
    a, b = rows[f"{name}_a"], rows[f"{name}_b"]
    return a.where(in_a, b), b.where(in_a, a)


def quantile(values, q):
    """The least value that a share q of the matches do not exceed."""
    ordered = np.sort(values.to_numpy())
    return ordered[int(np.ceil(q * ordered.size - 1e-9)) - 1]


def recomputed(kept: pd.DataFrame, self_play: bool) -> dict[str, float]:
    """Metrics by core name, as docs/statistics.md words them."""
    winner, by = kept.winner.astype(str), kept.decided_by.astype(str)
    found: dict[str, float] = {"illegal_orders": float((by == "illegal order").mean())}
    rows = kept[winner != "none"]
    winner, by, seat = winner[rows.index], by[rows.index], rows.first_seat.astype(str)
    score_a = (winner == "A") + 0.5 * (winner == "shared")
    score = score_a.where(seat == "A", 1 - score_a)
    found["score.first"] = score.mean()
    found["win.first"] = (winner == seat).mean()
    found["win.second"] = ((winner != seat) & (winner != "shared")).mean()
    found["shared"] = (winner == "shared").mean()
    found["decided_by_cash"] = (by == "cash").mean()
    # In self-play both seats are the bot's: each match counts for either.
    found["score.first.seat_a"] = score_a.mean() if self_play else score[seat == "A"].mean()
    found["score.first.seat_b"] = (1 - score_a).mean() if self_play else score[seat == "B"].mean()
    found["seat_bias"] = (2 * score_a - 1).mean()
    first, second = of_first(rows, "points")
    for name, values in (("margin", first - second), ("spread", (first - second).abs())):
        found[f"{name}.mean"] = values.mean()
        for percent in (10, 50, 90):
            found[f"{name}.p{percent}"] = quantile(values, percent / 100)
    columns = {"points": "points", "deliveries": "deliveries", "purchases.upgrade": "upgrades"}
    columns |= {"purchases.siding": "sidings", "pick.upgrade": "pick_upgrade", "pick.siding": "pick_siding"}
    for name, column in columns.items():
        for player, values in zip(("first", "second"), of_first(rows, column), strict=True):
            found[f"{name}.{player}"] = values.mean()
    for name in ("head_ons", "junction_conflicts", "shared_arrivals", "cancelled_toggles"):
        found[name] = rows[name].mean()
    found["conflicts"] = (rows.head_ons + rows.junction_conflicts).mean()
    for name in ("stuck", "idle", "tolls"):
        found[name] = (rows[f"{name}_a"] + rows[f"{name}_b"]).mean()
    return found


@pytest.mark.parametrize(
    ("scenario", "bots"),
    [("standard", ("greedy", "greedy")), ("crooked", ("greedy", "random")), ("compact", ("random", "saboteur"))],
)
def test_recomputed__every_metric_from_the_kept_matches(scenario, bots, tmp_path, no_report):
    n = scaled(2_000, 24)
    run = sim.run(scenario, bots=bots, matches=n, seed=9, overrides=SHORT, out=tmp_path / "run", keep_matches=True)
    found = recomputed(pd.read_parquet(tmp_path / "run" / "matches.parquet"), bots[0] == bots[1])
    assert set(found) == set(METRICS)
    for metric, value in found.items():
        assert run[metric].value == pytest.approx(value, rel=1e-12, abs=1e-12), metric


def test_recomputed__matches_beside_illegal_ones_are_left_out(tmp_path, no_report):
    bots = tmp_path / "bots.py"
    bots.write_text(
        "from sim.bots import bot, draw32\n\n\n@bot()\ndef slips(rules, state, c, params, stream):\n"
        '    """Now and then orders what no map has."""\n    return -1 if draw32(stream) < 100_000_000 else 0\n'
    )
    run = sim.run(
        "standard", bots=(f"{bots}:slips", "random"), matches=scaled(600, 60), seed=9,
        overrides=SHORT, out=tmp_path / "run", keep_matches=True,
    )  # fmt: skip
    assert 0 < run["illegal_orders"].value < 1
    found = recomputed(pd.read_parquet(tmp_path / "run" / "matches.parquet"), False)
    for metric, value in found.items():
        assert run[metric].value == pytest.approx(value, rel=1e-12, abs=1e-12), metric
