"""One match: two bots, all dispatches (rules 2, 3.3, 5)."""

import numpy as np
from numba import float64, int64, types

from kernels.codes import Column, Company, Illegal, Outcome
from kernels.dispatch.layout import RULES_TYPE, STATE_TYPE
from kernels.dispatch.orders import illegality
from kernels.dispatch.resolve import resolve_dispatch
from kernels.jit import helper
from kernels.random import STREAM_TYPE, draws

__all__ = ["BOT_SIGNATURE", "MIX_SIGNATURE", "PARAMS_TYPE", "play", "reset"]

PARAMS_TYPE = types.Array(float64, 1, "C", readonly=True)

BOT_SIGNATURE = int64(RULES_TYPE, STATE_TYPE, int64, PARAMS_TYPE, STREAM_TYPE)
"""order = bot(rules, state, c, params, stream): every bot, shipped or not, is compiled for exactly this."""

MIX_SIGNATURE = int64(RULES_TYPE, STATE_TYPE, int64, PARAMS_TYPE, int64[::1], float64[::1])
"""n = mix(rules, state, c, params, orders, chances): how a bot that offers its mix tells it."""

_A = int(Company.A)
_B = int(Company.B)
_LEGAL = int(Illegal.NO)
_COMPANY_SCOPE = 1

_A_ON_POINTS = int(Outcome.A_ON_POINTS)
_B_ON_POINTS = int(Outcome.B_ON_POINTS)
_A_ON_CASH = int(Outcome.A_ON_CASH)
_B_ON_CASH = int(Outcome.B_ON_CASH)
_SHARED = int(Outcome.SHARED)
_ILLEGAL = int(Outcome.ILLEGAL)

_OUTCOME = int(Column.OUTCOME)
_POINTS = int(Column.POINTS_A)
_CASH = int(Column.CASH_A)
_DELIVERIES = int(Column.DELIVERIES_A)
_UPGRADES = int(Column.UPGRADES_A)
_SIDINGS = int(Column.SIDINGS_A)
_PICK_UPGRADE = int(Column.PICK_UPGRADE_A)
_PICK_SIDING = int(Column.PICK_SIDING_A)
_HEAD_ONS = int(Column.HEAD_ONS)
_JUNCTION_CONFLICTS = int(Column.JUNCTION_CONFLICTS)
_SHARED_ARRIVALS = int(Column.SHARED_ARRIVALS)
_CANCELLED_TOGGLES = int(Column.CANCELLED_TOGGLES)
_STUCK = int(Column.STUCK_A)
_TOLLS = int(Column.TOLLS_A)
_IDLE = int(Column.IDLE_A)
_DRAWS = int(Column.DRAWS_A)
_ILLEGAL_DISPATCH = int(Column.ILLEGAL_DISPATCH)
_ILLEGAL_COMPANY = int(Column.ILLEGAL_COMPANY)
_ILLEGAL_REASON = int(Column.ILLEGAL_REASON)


@helper
def reset(rules, state):  # type: ignore[no-untyped-def]
    """Set `state` to the start of a match (rules 2)."""
    state.dispatch = 1
    state.routes = rules.start_routes
    state.last_stopped = 0
    state.head_ons = 0
    state.junction_conflicts = 0
    state.shared_arrivals = 0
    state.cancelled_toggles = 0
    for c in range(2):
        i = np.uint64(c)
        state.sidings[i] = 0
        state.cash_dollars[i] = rules.starting_cash_dollars
        state.points[i] = 0
        state.upgraded[i] = 0
        state.next_item[i] = 2
        state.last_order[i] = 0
        state.deliveries[i] = 0
        state.upgrades[i] = 0
        state.n_sidings[i] = 0
        state.stuck[i] = 0
        state.idle[i] = 0
        state.tolls_dollars[i] = 0
        for t in range(2):
            state.arc[i, np.uint64(t)] = rules.start_arc[i, np.uint64(t)]
            state.cargo_item[i, np.uint64(t)] = t if rules.cargo_scope == _COMPANY_SCOPE else 0


@helper
def outcome(state):  # type: ignore[no-untyped-def]
    """Who wins on points, else on cash, else nobody (rules 5.1): an `Outcome`."""
    margin = state.points[_A] - state.points[_B]
    if margin > 0:
        return _A_ON_POINTS
    if margin < 0:
        return _B_ON_POINTS
    margin = state.cash_dollars[_A] - state.cash_dollars[_B]
    if margin > 0:
        return _A_ON_CASH
    if margin < 0:
        return _B_ON_CASH
    return _SHARED


@helper
def write_row(state, row):  # type: ignore[no-untyped-def]
    """Write a match's counts so far into `row` [k], all but the outcome, the draws and the illegal order."""
    for c in range(2):
        i = np.uint64(c)
        row[_POINTS + c] = state.points[i]
        row[_CASH + c] = state.cash_dollars[i]
        row[_DELIVERIES + c] = state.deliveries[i]
        row[_UPGRADES + c] = state.upgrades[i]
        row[_SIDINGS + c] = state.n_sidings[i]
        row[_PICK_UPGRADE + c] = state.upgrades[i] > 0
        row[_PICK_SIDING + c] = state.n_sidings[i] > 0
        row[_STUCK + c] = state.stuck[i]
        row[_TOLLS + c] = state.tolls_dollars[i]
        row[_IDLE + c] = state.idle[i]
    row[_HEAD_ONS] = state.head_ons
    row[_JUNCTION_CONFLICTS] = state.junction_conflicts
    row[_SHARED_ARRIVALS] = state.shared_arrivals
    row[_CANCELLED_TOGGLES] = state.cancelled_toggles


@helper
def write_end(state, reason, illegal_company, row):  # type: ignore[no-untyped-def]
    """Write how a match ended into `row` [k], draws apart: its counts, its outcome, and an illegal order's place."""
    write_row(state, row)
    if reason == _LEGAL:
        row[_OUTCOME] = outcome(state)
        row[_ILLEGAL_DISPATCH] = 0
    else:
        row[_OUTCOME] = _ILLEGAL
        row[_ILLEGAL_DISPATCH] = state.dispatch
    row[_ILLEGAL_COMPANY] = illegal_company
    row[_ILLEGAL_REASON] = reason


@helper
def play(rules, state, bot_a, params_a, stream_a, bot_b, params_b, stream_b, log, row):  # type: ignore[no-untyped-def]
    """Play one match from the start and write its `row` [k].

    An illegal order ends the match there (rules 3.3): its dispatch, company and reason stand in the row. When both
    companies give one in the same dispatch, A's is the one recorded.
    """
    reset(rules, state)
    illegal_company = 0
    reason = _LEGAL
    for _ in range(rules.dispatches):
        order_a = bot_a(rules, state, np.int64(_A), params_a, stream_a)
        order_b = bot_b(rules, state, np.int64(_B), params_b, stream_b)
        reason = illegality(rules, state, _A, order_a)
        if reason != _LEGAL:
            break
        reason = illegality(rules, state, _B, order_b)
        if reason != _LEGAL:
            illegal_company = 1
            break
        resolve_dispatch(rules, state, order_a, order_b, log)
    write_end(state, reason, illegal_company, row)
    row[_DRAWS] = draws(stream_a)
    row[_DRAWS + 1] = draws(stream_b)
