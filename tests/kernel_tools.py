"""What the kernel tests share: how many maps, boards of random records, rows expected of the oracle, bots playing."""

from __future__ import annotations

import os
import random
from typing import Any

import numpy as np

from kernels.codes import N_COLUMNS, POISON, Column, Outcome, Pairing
from kernels.dispatch.batch import fill_rows, replay_orders
from kernels.dispatch.bots.decorator import Bot
from kernels.dispatch.bots.limits import BUILDING, UPGRADES, new_limits
from kernels.dispatch.layout import new_state
from kernels.dispatch.resolve import LOG_FIELDS
from kernels.random import new_streams
from sim.config.loading import load_scenario
from sim.replaying import Board
from tests.reference.dispatch import Match

N_MAPS = int(os.environ.get("DISPATCH_BALANCE_MAPS", "2000"))
"""Random maps on which the kernel is held against the oracle; other tests take a share of it."""

NO_LOG = np.zeros((0, LOG_FIELDS), np.int64)

SWAPPED_OUTCOME = {
    Outcome.A_ON_POINTS: Outcome.B_ON_POINTS,
    Outcome.B_ON_POINTS: Outcome.A_ON_POINTS,
    Outcome.A_ON_CASH: Outcome.B_ON_CASH,
    Outcome.B_ON_CASH: Outcome.A_ON_CASH,
}


def board_of(scenario: dict[str, Any]) -> Board:
    """A random scenario, loaded and lowered."""
    return Board(load_scenario(scenario))


def seeded(subject: str, number: int) -> random.Random:
    """The generator of a numbered case, so that a failure can be played alone."""
    return random.Random(f"{subject}/{number}")


def expected_row(match: Match) -> list[int]:
    """The row of the oracle's match, as the kernel counts it; draws and illegal orders are 0."""
    row = dict.fromkeys(Column, 0)
    result = match.result()
    row[Column.OUTCOME] = {
        ("A", "points"): Outcome.A_ON_POINTS,
        ("B", "points"): Outcome.B_ON_POINTS,
        ("A", "cash"): Outcome.A_ON_CASH,
        ("B", "cash"): Outcome.B_ON_CASH,
        ("shared", "shared"): Outcome.SHARED,
        (None, None): Outcome.UNFINISHED,
    }[result["winner"], result["decided_by"]]
    for company in "AB":
        for name, counted in (
            ("POINTS", match.points),
            ("CASH", match.cash),
            ("DELIVERIES", match.deliveries),
            ("UPGRADES", match.upgrades),
            ("SIDINGS", match.sidings_bought),
            ("STUCK", match.stuck),
            ("TOLLS", match.tolls_paid),
            ("IDLE", match.idle),
        ):
            row[Column[f"{name}_{company}"]] = counted[company]
        row[Column[f"PICK_UPGRADE_{company}"]] = int(match.upgrades[company] > 0)
        row[Column[f"PICK_SIDING_{company}"]] = int(match.sidings_bought[company] > 0)
    row[Column.HEAD_ONS] = match.head_ons
    row[Column.JUNCTION_CONFLICTS] = match.junction_conflicts
    row[Column.SHARED_ARRIVALS] = match.shared_arrivals
    row[Column.CANCELLED_TOGGLES] = match.cancelled_toggles
    return [int(row[column]) for column in Column]


def swapped_row(row: np.ndarray) -> np.ndarray:
    """The row of the mirrored match: every column of A in the place of B's."""
    other = row.copy()
    for column in Column:
        if column.name.endswith("_A"):
            partner = Column[column.name[:-1] + "B"]
            other[column], other[partner] = row[partner], row[column]
    outcome = Outcome(int(row[Column.OUTCOME]))
    other[Column.OUTCOME] = SWAPPED_OUTCOME.get(outcome, outcome)
    return other


def memory_of(bot: Bot, rules: np.ndarray, given: dict[str, Any]) -> np.ndarray:
    """What a bot gets as `params`, of its parameters and, as `invest`, of what it may buy."""
    limits = new_limits()
    invest = given.get("invest", "free")
    if invest in ("none", "siding"):
        limits[:, UPGRADES] = 0
    if invest in ("none", "upgrade"):
        limits[:, BUILDING] = 0
    return bot.memory(rules, bot.values({key: value for key, value in given.items() if key != "invest"}), limits)


def rows_played(
    rules: np.ndarray,
    first: Bot,
    second: Bot,
    *,
    n_pairs: int,
    pairing: Pairing,
    seed: int = 1,
    first_pair: int = 0,
    stride: int = 1,
    params_first: dict[str, Any] | None = None,
    params_second: dict[str, Any] | None = None,
) -> np.ndarray:
    """Rows [m, k] of pairs of two bots."""
    rows = np.full((n_pairs * (1 if pairing == Pairing.SINGLE else 2), N_COLUMNS), POISON, np.int32)
    fill_rows(
        rules,
        new_state(),
        new_streams(2),
        first.compiled,
        memory_of(first, rules, params_first or {}),
        second.compiled,
        memory_of(second, rules, params_second or {}),
        seed,
        0,
        first_pair,
        stride,
        n_pairs,
        int(pairing),
        NO_LOG,
        rows,
    )
    return rows


def judged(rules: np.ndarray, state: np.ndarray, c: int, order: int) -> int:
    """Why the kernel refuses an order of company c on a board (an `Illegal`); the board is not changed.

    A board before its first dispatch is judged as at the start of a match, whatever else it says.
    """
    now = state.copy()
    d = int(now["dispatch"][0]) - 1
    orders = np.zeros((d + 1, 2), np.int64)  # 0 is train 1 forward and nothing else: always legal
    orders[d, c] = order
    verdict = np.zeros(3, np.int64)
    if replay_orders(rules, now, orders, d, NO_LOG, verdict) == d + 1:
        return 0
    assert verdict[0] == d + 1
    assert verdict[1] == c
    return int(verdict[2])
