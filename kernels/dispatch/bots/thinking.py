"""`planner` and `equilibrium`: sensible orders tried on the board and valued by the table."""

import numpy as np

from kernels.dispatch.bots.decorator import Parameter, behind, bot
from kernels.dispatch.bots.greedy import greedy, greedy_order_apart
from kernels.dispatch.bots.limits import SIZE, is_restricted, limits_of, upgradable
from kernels.dispatch.bots.sensible import (
    MOST,
    candidates,
    few_candidates,
    keep_best,
    likely_order,
    purchase,
    scratch_states,
    siding_beside,
    tried,
)
from kernels.dispatch.value import leaf, new_memo, prepare_table, table_of
from kernels.jit import helper, routine
from kernels.random import draw32

_TO_UNIT = 2.0**-32

VALUE_PARAMS = {
    "least_gain": Parameter(0.5, 0.0, 1000.0, "points that an upgrade must be expected to gain to be bought"),
    "late": Parameter(3.0, 0.0, 1000.0, "points more for each dollar, over the square of the dispatches left"),
    "cash_worth": Parameter(0.15, 0.0, 100.0, "points that a dollar counts for as tie-break"),
    "siding_worth": Parameter(0.01, 0.0, 100.0, "points that a siding counts for in each dispatch left"),
    "spread": Parameter(2.0, 0.001, 1000.0, "points of margin that make a position half won at the end"),
    "spread_by_dispatch": Parameter(0.35, 0.0, 100.0, "how many more for each dispatch that is left"),
    "miss": Parameter(0.25, 0.0, 1.0, "chance that a train's first exit is not the one it wants"),
    "later_miss": Parameter(0.3, 0.0, 1.0, "the same on its later ticks"),
    "lost": Parameter(0.15, 0.0, 1.0, "chance that a dispatch does not move the train"),
}
N_VALUE = len(VALUE_PARAMS)
_LEAST_GAIN, _LATE, _CASH, _SIDING, _SPREAD, _BY_DISPATCH = range(6)

PLANNER_PARAMS = VALUE_PARAMS | {
    "noise": Parameter(0.02, 0.0, 1.0, "a random 0 to noise is added to the worth of every order"),
    "depth": Parameter(1.0, 1.0, 8.0, "dispatches that it looks ahead"),
    "contest": greedy.params["contest"],
}
_CONTEST = N_VALUE + 2  # of the rival that planner believes in
_PLANNER_LIMITS = behind(len(PLANNER_PARAMS))
_PLANNER_TABLE = _PLANNER_LIMITS + SIZE

EQUILIBRIUM_PARAMS = VALUE_PARAMS | {
    "orders": Parameter(8.0, 1.0, 28.0, "how many sensible orders of each side it looks at"),
    "iterations": Parameter(50.0, 1.0, 100000.0, "of regret matching+ on every matrix"),
    "depth": Parameter(1.0, 1.0, 2.0, "2: every cell is itself played as a matrix game of the next dispatch"),
    "inner_orders": Parameter(8.0, 1.0, 28.0, "orders of each side in those"),
    "inner_iterations": Parameter(25.0, 1.0, 100000.0, "iterations in those"),
}
_EQUILIBRIUM_LIMITS = behind(len(EQUILIBRIUM_PARAMS))
_EQUILIBRIUM_TABLE = _EQUILIBRIUM_LIMITS + SIZE


def prepare(rules, values):  # type: ignore[no-untyped-def]
    """The value table of a scenario for these parameters."""
    return prepare_table(rules, values["miss"], values["later_miss"], values["lost"])


@helper
def worth(rules, state, c, limits, table, params, memo):  # type: ignore[no-untyped-def]
    """`value.leaf` with a bot's parameters."""
    return leaf(
        rules, state, c, table, upgradable(limits, c),
        params[_CASH], params[_SIDING], params[_SPREAD], params[_BY_DISPATCH], memo,
    )  # fmt: skip


@helper
def first_best(scores, n):  # type: ignore[no-untyped-def]
    """Index of the largest of n scores, the first of equals."""
    best = 0
    for m in range(1, n):
        if scores[m] > scores[best]:
            best = m
    return best


@routine
def answers(rules, state, scratch, c, limits, table, params, rival, orders, scores, memo):  # type: ignore[no-untyped-def]
    """A few own orders and what each is worth against one order of the rival; how many there are."""
    invest = purchase(rules, state, c, limits, table, params[_LEAST_GAIN], params[_LATE])
    n = few_candidates(rules, state, c, limits, rival, invest, orders)
    for m in range(n):
        tried(rules, state, scratch, c, orders[m], rival)
        scores[m] = worth(rules, scratch[0], c, limits, table, params, memo)
    more = np.int64(-1) if invest != 0 else siding_beside(rules, state, c, limits, orders[first_best(scores, n)])
    if more >= 0:
        orders[n] = more
        tried(rules, state, scratch, c, more, rival)
        scores[n] = worth(rules, scratch[0], c, limits, table, params, memo)
        n += 1
    return n


@routine
def ranked(rules, state, scratch, c, limits, table, params, rival, k, orders, scores, memo):  # type: ignore[no-untyped-def]
    """The k best own orders against one order of the rival, best first, in `orders`; how many there are.

    The last of them is the best with a siding, where that is an idea.
    """
    invest = purchase(rules, state, c, limits, table, params[_LEAST_GAIN], params[_LATE])
    n = candidates(rules, state, c, limits, invest, orders)
    for m in range(n):
        tried(rules, state, scratch, c, orders[m], rival)
        scores[m] = worth(rules, scratch[0], c, limits, table, params, memo)
    more = np.int64(-1) if invest != 0 else siding_beside(rules, state, c, limits, orders[first_best(scores, n)])
    n = keep_best(orders, scores, n, k)
    if more >= 0:
        n = min(n, max(np.int64(1), k - 1))
        orders[n] = more
        n += 1
    return n


@routine
def best_line(rules, state, scratch, c, limits, table, params, depth):  # type: ignore[no-untyped-def]
    """Worth of a position to c after `depth` more dispatches: own best orders against a greedy rival."""
    orders = np.empty(MOST, np.int64)
    scores = np.empty(MOST, np.float64)
    ahead = scratch_states(1)
    ahead[0] = state
    for _ in range(depth):
        if ahead[0].dispatch > rules.dispatches:
            break
        rival = greedy_order_apart(rules, ahead[0], c ^ 1, None, 0.0, np.int64(0), params[_CONTEST])
        n = answers(rules, ahead[0], scratch, c, limits, table, params, rival, orders, scores, new_memo())
        tried(rules, ahead[0], scratch, c, orders[first_best(scores, n)], rival)
        ahead[0] = scratch[0]
    return worth(rules, ahead[0], c, limits, table, params, new_memo())


@helper
def planner_order(rules, state, c, limits, params, stream):  # type: ignore[no-untyped-def]
    """The order of `planner`."""
    table = table_of(params, _PLANNER_TABLE)
    noise = params[N_VALUE]
    depth = np.int64(params[N_VALUE + 1])
    orders = np.empty(MOST, np.int64)
    scores = np.empty(MOST, np.float64)
    scratch = scratch_states(1)
    rival = greedy_order_apart(rules, state, c ^ 1, None, 0.0, np.int64(0), params[_CONTEST])
    n = answers(rules, state, scratch, c, limits, table, params, rival, orders, scores, new_memo())
    if depth > 1:
        ahead = scratch_states(1)
        for m in range(n):
            tried(rules, state, ahead, c, orders[m], rival)
            scores[m] = best_line(rules, ahead[0], scratch, c, limits, table, params, depth - 1)
    best = first_best(scores, n)
    if noise == 0.0:
        return orders[best]
    # Only what is within the noise of the best can come to stand before it; the others need no draw.
    contending = scores[best] - noise
    order = np.int64(0)
    most = -np.inf
    for m in range(n):
        if scores[m] >= contending:
            score = scores[m] + noise * (draw32(stream) * _TO_UNIT)
            if score > most:
                most = score
                order = orders[m]
    return order


@routine
def restricted_planner_order(rules, state, c, limits, params, stream):  # type: ignore[no-untyped-def]
    """`planner_order`, compiled apart, so that unrestricted play does not pay for restrictions."""
    return planner_order(rules, state, c, limits, params, stream)


@bot(
    params=PLANNER_PARAMS,
    mirror_fair=True,
    draws_nothing=lambda values: values["noise"] == 0,
    restrictable=True,
    prepare=prepare,
)
def planner(rules, state, c, params, stream):  # type: ignore[no-untyped-def]
    """Tries a few sensible orders against a greedy rival and takes the one whose position is worth most.

    For each train: its shortest way and its other direction, each also with a toggle of the switch that the rival's
    move reads first; the best of these also with a siding. It buys an upgrade as soon as the table says that it pays.
    Deeper looks follow its own best orders, the rival still greedy: they believe the wrong rival more.
    """
    if is_restricted(params, _PLANNER_LIMITS):
        return restricted_planner_order(rules, state, c, limits_of(params, _PLANNER_LIMITS), params, stream)
    return planner_order(rules, state, c, None, params, stream)


@helper
def total_of(x, n):  # type: ignore[no-untyped-def]
    """Sum of the first n of x, n a multiple of four: four sums side by side, in an order that no compiler changes."""
    a = 0.0
    b = 0.0
    c = 0.0
    d = 0.0
    for i in range(0, n, 4):
        a += x[i]
        b += x[i + 1]
        c += x[i + 2]
        d += x[i + 3]
    return (a + b) + (c + d)


@routine
def solve(matrix, n, m, iterations, own, theirs):  # type: ignore[no-untyped-def]
    """Mixes of a zero-sum matrix game by regret matching+, alternating, with linear averaging.

    Parameters
    ----------
    matrix
        float64 [>= n, >= m]: what the row player gets, from -1 to 1.
    own, theirs
        float64 [MOST]: the average mixes, written.

    Returns
    -------
    float
        What the row player gets when both play their mixes.
    """
    # Rows and columns are filled up to multiples of four with some that nobody would play.
    n4 = (n + 3) & ~3
    m4 = (m + 3) & ~3
    room = np.empty((8, MOST), np.float64)
    by_row = np.empty((n4, m4), np.float64)
    by_column = np.empty((m4, n4), np.float64)
    for a in range(n4):
        for b in range(m4):
            x = matrix[a, b] if a < n and b < m else (-4.0 if a >= n else 4.0)
            by_row[a, b] = x
            by_column[b, a] = x
    now = room[0]
    their_now = room[1]
    regret = room[2]
    their_regret = room[3]
    gain = room[4]
    product = room[5]
    for a in range(n4):
        own[a] = 0.0
        regret[a] = 0.0
        now[a] = 1.0 / n if a < n else 0.0
    for b in range(m4):
        theirs[b] = 0.0
        their_regret[b] = 0.0
        their_now[b] = 1.0 / m if b < m else 0.0
    for i in range(iterations):
        for a in range(n4):
            gain[a] = 0.0
        for b in range(m4):
            x = their_now[b]
            for a in range(n4):
                gain[a] += by_column[b, a] * x
        for a in range(n4):
            product[a] = gain[a] * now[a]
        value = total_of(product, n4)
        for a in range(n4):
            regret[a] = max(0.0, regret[a] + gain[a] - value)
        total = total_of(regret, n4)
        if total > 0.0:
            scale = 1.0 / total
            for a in range(n4):
                now[a] = regret[a] * scale
        for a in range(n4):
            own[a] += (i + 1) * now[a]
        for b in range(m4):
            gain[b] = 0.0
        for a in range(n4):
            x = now[a]
            for b in range(m4):
                gain[b] += by_row[a, b] * x
        for b in range(m4):
            product[b] = gain[b] * their_now[b]
        value = total_of(product, m4)
        for b in range(m4):
            their_regret[b] = max(0.0, their_regret[b] + value - gain[b])
        total = total_of(their_regret, m4)
        if total > 0.0:
            scale = 1.0 / total
            for b in range(m4):
                their_now[b] = their_regret[b] * scale
        for b in range(m4):
            theirs[b] += (i + 1) * their_now[b]
    weight = 2.0 / (iterations * (iterations + 1.0))
    for a in range(n4):
        own[a] *= weight
    value = 0.0
    for b in range(m4):
        theirs[b] *= weight
        for a in range(n4):
            value += own[a] * theirs[b] * by_column[b, a]
    return value


@routine
def stage(rules, state, scratch, c, limits, table, params, k, orders, their_orders, matrix):  # type: ignore[no-untyped-def]
    """Fill the matrix of both sides' sensible orders, valued by the table: (own orders, rival's orders)."""
    scores = np.empty(MOST, np.float64)
    own_likely = likely_order(rules, state, c, table)
    their_likely = likely_order(rules, state, c ^ 1, table)
    memo = new_memo()
    n = ranked(rules, state, scratch, c, limits, table, params, their_likely, k, orders, scores, memo)
    m = ranked(rules, state, scratch, c ^ 1, None, table, params, own_likely, k, their_orders, scores, new_memo())
    for a in range(n):
        for b in range(m):
            tried(rules, state, scratch, c, orders[a], their_orders[b])
            matrix[a, b] = worth(rules, scratch[0], c, limits, table, params, memo)
    return n, m


@routine
def stage_value(rules, state, scratch, c, limits, table, params, k, iterations):  # type: ignore[no-untyped-def]
    """Worth of a position to c when the dispatch that comes is played as a matrix game."""
    if state.dispatch > rules.dispatches:
        return worth(rules, state, c, limits, table, params, new_memo())
    orders = np.empty(MOST, np.int64)
    their_orders = np.empty(MOST, np.int64)
    matrix = np.empty((MOST, MOST), np.float64)
    n, m = stage(rules, state, scratch, c, limits, table, params, k, orders, their_orders, matrix)
    return solve(matrix, n, m, iterations, np.empty(MOST, np.float64), np.empty(MOST, np.float64))


@routine
def equilibrium_mix(rules, state, c, params, orders, their_orders, matrix, own, theirs):  # type: ignore[no-untyped-def]
    """The matrix that `equilibrium` sees and both sides' mixes: (own orders, rival's orders, worth to c)."""
    limits = limits_of(params, _EQUILIBRIUM_LIMITS)
    table = table_of(params, _EQUILIBRIUM_TABLE)
    k = np.int64(params[N_VALUE])
    scratch = scratch_states(1)
    n, m = stage(rules, state, scratch, c, limits, table, params, k, orders, their_orders, matrix)
    if params[N_VALUE + 2] >= 2.0:
        ahead = scratch_states(1)
        inner = np.int64(params[N_VALUE + 3])
        inner_iterations = np.int64(params[N_VALUE + 4])
        for a in range(n):
            for b in range(m):
                tried(rules, state, ahead, c, orders[a], their_orders[b])
                matrix[a, b] = stage_value(rules, ahead[0], scratch, c, limits, table, params, inner, inner_iterations)
    return n, m, solve(matrix, n, m, np.int64(params[N_VALUE + 1]), own, theirs)


def mix_of_equilibrium(rules, state, c, params, orders, chances):  # type: ignore[no-untyped-def]
    """The mix that `equilibrium` draws from (`Bot.mix`)."""
    n, _, _ = equilibrium_mix(
        rules, state, c, params, orders,
        np.empty(MOST, np.int64), np.empty((MOST, MOST), np.float64), chances, np.empty(MOST, np.float64),
    )  # fmt: skip
    return n


@bot(params=EQUILIBRIUM_PARAMS, mirror_fair=True, restrictable=True, prepare=prepare, mix=mix_of_equilibrium)
def equilibrium(rules, state, c, params, stream):  # type: ignore[no-untyped-def]
    """Plays each dispatch as the matrix game that it is: the order is drawn from an equilibrium mix.

    Both sides' sensible orders are tried against each other, each pair is valued by the table, and regret matching+
    finds the mixes that leave nothing to be gained. With `depth: 2` the pairs are valued by such a game of their own.
    It buys an upgrade as soon as the table says that it pays; its best order with a siding is one more to look at.
    """
    orders = np.empty(MOST, np.int64)
    own = np.empty(MOST, np.float64)
    n, _, _ = equilibrium_mix(
        rules, state, c, params, orders,
        np.empty(MOST, np.int64), np.empty((MOST, MOST), np.float64), own, np.empty(MOST, np.float64),
    )  # fmt: skip
    luck = draw32(stream) * _TO_UNIT
    for a in range(n - 1):
        luck -= own[a]
        if luck < 0.0:
            return orders[a]
    return orders[n - 1]
