"""Sensible orders: which of hundreds a thinking bot looks at, and how two sets of them meet."""

import numpy as np

from kernels.codes import NO_COST, NO_TOGGLE, Invest
from kernels.dispatch.bots.greedy import best_move_apart, rival_may_enter, run_ahead
from kernels.dispatch.bots.limits import (
    add_purchase,
    is_clear,
    is_hostile,
    may_build,
    may_toggle,
    upgradable,
)
from kernels.dispatch.layout import STATE_DTYPE, STATE_TYPE
from kernels.dispatch.orders import pack_order, reverse_of, toggle_mask, train_of
from kernels.dispatch.resolve import try_dispatch
from kernels.dispatch.value import UNITS, best_split, row_of
from kernels.dispatch.view import destination, exit_arc, is_junction, next_arc, node_of, reward, route_at
from kernels.jit import PLAIN, helper, routine

_NONE = int(Invest.NONE)
_UPGRADE_1 = int(Invest.UPGRADE_1)
_SIDING = int(Invest.SIDING)
MOST = 32
"""Room for candidates: 2 trains, 2 moves, and the toggles of none and at most 2 + 2 * 2 switches: 28 orders."""

if PLAIN:

    def scratch_states(n):  # type: ignore[no-untyped-def]
        """`n` states to try orders on, [n]."""
        return np.zeros(n, STATE_DTYPE).view(np.recarray)

else:

    @helper
    def scratch_states(n):  # type: ignore[no-untyped-def]
        """`n` states to try orders on, [n]."""
        return np.empty(n, STATE_TYPE)


@helper
def _add(orders, first, n, order):  # type: ignore[no-untyped-def]
    """Append an order unless it is there from `first` on; the new count."""
    for i in range(first, n):
        if orders[i] == order:
            return n
    orders[n] = order
    return n + 1


@helper
def switches_read(rules, routes, arc, reverse, ticks):  # type: ignore[no-untyped-def]
    """The first two junctions whose switches a move reads, NO_TOGGLE where it reads fewer."""
    first = np.int64(NO_TOGGLE)
    second = np.int64(NO_TOGGLE)
    if reverse == 1:
        arc ^= 1
        ticks -= 1
    if ticks > 0:
        node = node_of(rules, arc)
        if is_junction(rules, node):
            first = node
        if ticks > 1:
            node = node_of(rules, exit_arc(rules, arc, route_at(routes, node)))
            if is_junction(rules, node):
                second = node
    return first, second


@routine
def candidates(rules, state, c, limits, invest, orders):  # type: ignore[no-untyped-def]
    """All moves of both trains, each with every toggle that it, or a rival's train going forward, reads; how many.

    Own trains first to last, forward before reverse, toggles by who reads them and how soon: no label has a say.
    """
    i = np.uint64(c)
    j = np.uint64(c ^ 1)
    # At most two switches for each train of the rival's.
    theirs = (np.int64(NO_TOGGLE), np.int64(NO_TOGGLE))
    others = (np.int64(NO_TOGGLE), np.int64(NO_TOGGLE))
    if is_hostile(limits, c):
        ticks = rules.upgraded_speed_ticks if state.upgraded[j] & 1 else np.int64(1)
        theirs = switches_read(rules, state.routes, state.arc[j, 0], 0, ticks)
        ticks = rules.upgraded_speed_ticks if state.upgraded[j] & 2 else np.int64(1)
        others = switches_read(rules, state.routes, state.arc[j, 1], 0, ticks)
    n = 0
    for t in range(2):
        ticks = rules.upgraded_speed_ticks if (state.upgraded[i] >> t) & 1 else np.int64(1)
        arc = state.arc[i, np.uint64(t)]
        to = destination(rules, state, c, t)
        for reverse in range(2):
            first = n
            own = switches_read(rules, state.routes, arc, reverse, ticks)
            for toggle in (np.int64(NO_TOGGLE), own[0], own[1], theirs[0], theirs[1], others[0], others[1]):
                routes = state.routes
                if toggle != NO_TOGGLE:
                    routes ^= np.int64(1) << toggle
                    if not may_toggle(limits, c, toggle):
                        continue
                elif n != first:
                    continue
                if is_clear(rules, limits, c, routes, arc, reverse, ticks, to):
                    n = _add(orders, first, n, pack_order(t, reverse, toggle, invest))
    if n == 0:
        # Every move runs along an avoided track, and there is no pass.
        orders[0] = pack_order(0, 0, NO_TOGGLE, invest)
        n = 1
    return n


@helper
def _add_clear(rules, state, c, limits, t, reverse, toggle, invest, to, ticks, orders, n):  # type: ignore[no-untyped-def]
    """Append an order unless it runs along an avoided track; the new count."""
    routes = state.routes
    if toggle != NO_TOGGLE:
        routes ^= np.int64(1) << toggle
    if is_clear(rules, limits, c, routes, state.arc[np.uint64(c), np.uint64(t)], reverse, ticks, to):
        orders[n] = pack_order(t, reverse, toggle, invest)
        n += 1
    return n


@routine
def few_candidates(rules, state, c, limits, rival, invest, orders):  # type: ignore[no-untyped-def]
    """Each train's shortest way and its other direction, each also with a toggle against the rival's order; how many.

    A hostile toggle is of the switch that the rival's order reads first, and only where the move needs none itself.
    """
    i = np.uint64(c)
    theirs = np.int64(NO_TOGGLE)
    if is_hostile(limits, c):
        j = np.uint64(c ^ 1)
        other = train_of(rival)
        ticks = rules.upgraded_speed_ticks if (state.upgraded[j] >> other) & 1 else np.int64(1)
        first, second = switches_read(
            rules, state.routes ^ toggle_mask(rival), state.arc[j, np.uint64(other)], reverse_of(rival), ticks
        )
        theirs = second if first == NO_TOGGLE else first
        if theirs != NO_TOGGLE and not may_toggle(limits, c, theirs):
            theirs = np.int64(NO_TOGGLE)
    n = 0
    for t in range(2):
        ticks = rules.upgraded_speed_ticks if (state.upgraded[i] >> t) & 1 else np.int64(1)
        to = destination(rules, state, c, t)
        arc = state.arc[i, np.uint64(t)]
        _, reverse, toggle = best_move_apart(rules, limits, c, state.routes, arc, ticks, to)
        n = _add_clear(rules, state, c, limits, t, reverse, toggle, invest, to, ticks, orders, n)
        if toggle == NO_TOGGLE and theirs != NO_TOGGLE:
            n = _add_clear(rules, state, c, limits, t, reverse, theirs, invest, to, ticks, orders, n)
        other_way = 1 - reverse
        n = _add_clear(rules, state, c, limits, t, other_way, NO_TOGGLE, invest, to, ticks, orders, n)
        if theirs != NO_TOGGLE:
            n = _add_clear(rules, state, c, limits, t, other_way, theirs, invest, to, ticks, orders, n)
    if n == 0:
        # Every move runs along an avoided track, and there is no pass.
        orders[0] = pack_order(0, 0, NO_TOGGLE, invest)
        n = 1
    return n


@routine
def likely_order(rules, state, c, table):  # type: ignore[no-untyped-def]
    """The order that would serve company c best if no rival moved, by the table, toggling only what its train reads."""
    i = np.uint64(c)
    moves = min(rules.dispatches - state.dispatch, np.int64(table[0]))
    upgraded = state.upgraded[i]
    best = np.int64(-1)
    order = np.int64(0)
    for t in range(2):
        fast = (upgraded >> t) & 1
        ticks = rules.upgraded_speed_ticks if fast == 1 else np.int64(1)
        arc = state.arc[i, np.uint64(t)]
        to = destination(rules, state, c, t)
        item = state.cargo_item[i, np.uint64(t)]
        after = item + 1 if rules.cargo_scope == 0 else state.next_item[i]
        u = np.uint64(t ^ 1)
        other = row_of(table, c, t ^ 1, (upgraded >> (t ^ 1)) & 1, state.cargo_item[i, u], state.arc[i, u])
        for reverse in range(2):
            read = switches_read(rules, state.routes, arc, reverse, ticks)
            for k in range(3):
                toggle = np.int64(NO_TOGGLE)
                routes = state.routes
                if k > 0:
                    toggle = read[0] if k == 1 else read[1]
                    if toggle == NO_TOGGLE:
                        continue
                    routes ^= np.int64(1) << toggle
                end = run_ahead(rules, routes, arc, reverse, ticks, to)
                if node_of(rules, end) == to:
                    units = reward(rules, state, c, t) * UNITS
                    units += best_split(table, row_of(table, c, t, fast, after, end), other, moves)
                else:
                    units = best_split(table, row_of(table, c, t, fast, item, end), other, moves)
                if units > best:
                    best = units
                    order = pack_order(t, reverse, toggle, _NONE)
    return order


@routine
def purchase(rules, state, c, limits, table, least_gain, late):  # type: ignore[no-untyped-def]
    """The investment to make now with whatever order: the upgrade that gains most points, or none.

    It must gain at least `least_gain` points, and `late` times its price over the square of the dispatches left more:
    near the end cash decides many matches.
    """
    i = np.uint64(c)
    cost = rules.upgrade_cost_dollars
    moves = min(rules.dispatches - state.dispatch + 1, np.int64(table[0]))
    upgraded = state.upgraded[i]
    open_bits = upgradable(limits, c) & ~upgraded
    invest = np.int64(_NONE)
    if cost != NO_COST and cost <= state.cash_dollars[i] and open_bits != 0:
        row_0 = row_of(table, c, 0, upgraded & 1, state.cargo_item[i, 0], state.arc[i, 0])
        row_1 = row_of(table, c, 1, (upgraded >> 1) & 1, state.cargo_item[i, 1], state.arc[i, 1])
        width = (np.int64(table[0]) + 1) * np.int64(table[1])
        stay = best_split(table, row_0, row_1, moves)
        gain = (least_gain + late * cost / (moves * moves)) * UNITS
        if open_bits & 1:
            more = best_split(table, row_0 + width, row_1, moves) - stay
            if more > gain:
                gain = more
                invest = np.int64(_UPGRADE_1)
        if open_bits & 2:
            more = best_split(table, row_0, row_1 + width, moves) - stay
            if more > gain:
                gain = more
                invest = np.int64(_UPGRADE_1 + 1)
    return add_purchase(rules, state, c, limits, invest)


@routine
def siding_beside(rules, state, c, limits, order):  # type: ignore[no-untyped-def]
    """An order without a purchase, with a siding at the junction that it enters first; -1 where that is no idea.

    It is one where a rival's train may enter there too, and neither company has a siding there yet.
    """
    cost = rules.siding_cost_dollars
    if cost == NO_COST or cost > state.cash_dollars[np.uint64(c)]:
        return np.int64(-1)
    routes = state.routes ^ toggle_mask(order)
    entered = node_of(
        rules, next_arc(rules, routes, state.arc[np.uint64(c), np.uint64(train_of(order))], reverse_of(order))
    )
    if (
        not is_junction(rules, entered)
        or not may_build(limits, c, entered)
        or not rival_may_enter(rules, state, c, entered)
    ):
        return np.int64(-1)
    if ((state.sidings[0] | state.sidings[1]) >> entered) & 1:
        return np.int64(-1)
    if limits is not None and add_purchase(rules, state, c, limits, _SIDING + entered) != _SIDING + entered:
        return np.int64(-1)
    return order | ((_SIDING + entered) << 9)


@routine
def tried(rules, state, scratch, c, order, rival_order):  # type: ignore[no-untyped-def]
    """Resolve two orders on `scratch`, a copy of `state`."""
    scratch[0] = state
    if c == 0:
        try_dispatch(rules, scratch[0], order, rival_order)
    else:
        try_dispatch(rules, scratch[0], rival_order, order)


@routine
def keep_best(orders, scores, n, k):  # type: ignore[no-untyped-def]
    """Bring the k best of n scored orders to the front, best first, if they are not all; of equals the earlier.

    Returns how many there are.
    """
    if n <= k:
        return n
    for i in range(k):
        best = i
        for m in range(i + 1, n):
            if scores[m] > scores[best]:
                best = m
        order = orders[best]
        score = scores[best]
        for m in range(best, i, -1):
            orders[m] = orders[m - 1]
            scores[m] = scores[m - 1]
        orders[i] = order
        scores[i] = score
    return k
