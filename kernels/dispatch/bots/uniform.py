"""`random`: every legal order alike."""

import numpy as np

from kernels.codes import NO_COST, NO_TOGGLE, Invest
from kernels.dispatch.bots.decorator import bot
from kernels.dispatch.bots.limits import (
    add_purchase,
    is_clear,
    is_hostile,
    is_restricted,
    limits_of,
    may_build,
    may_toggle,
    upgradable,
)
from kernels.dispatch.bots.sensible import switches_read
from kernels.dispatch.orders import invest_of, pack_order, reverse_of, toggle_mask, toggle_of, train_of
from kernels.dispatch.view import destination, has_siding
from kernels.jit import helper, routine
from kernels.random import below_both

_SIDING = int(Invest.SIDING)
MOST_TRIES = 1000


@helper
def any_order(rules, state, c, stream):  # type: ignore[no-untyped-def]
    """One of all legal orders, from one draw."""
    i = np.uint64(c)
    n_junctions = rules.n_junctions
    cash = state.cash_dollars[i]
    n_upgrades = np.int64(0)
    if rules.upgrade_cost_dollars != NO_COST and cash >= rules.upgrade_cost_dollars:
        n_upgrades = 2 - state.upgrades[i]
    n_sidings = np.int64(0)
    if rules.siding_cost_dollars != NO_COST and cash >= rules.siding_cost_dollars:
        n_sidings = n_junctions - state.n_sidings[i]
    choice, pick = below_both(stream, 4 * (n_junctions + 1), 1 + n_upgrades + n_sidings)

    toggle = np.int64(rules.own_toggle[i, np.uint64(choice >> 2)]) - 1
    invest = np.int64(0)
    if pick > n_upgrades:
        pick -= n_upgrades
        junction = np.int64(0)
        j = np.int64(0)
        while pick > 0:
            junction = np.int64(rules.own_junction[i, np.uint64(j)])
            pick -= 1 - has_siding(state, c, junction)
            j += 1
        invest = _SIDING + junction
    elif pick > 0:
        # Train 1 first; when it is upgraded already, the one that is left is train 2.
        invest = pick + (state.upgraded[i] & 1)
    return pack_order(choice & 1, (choice >> 1) & 1, toggle, invest)


@routine
def is_allowed(rules, state, c, limits, order):  # type: ignore[no-untyped-def]
    """Whether an order keeps to the restrictions; a toggle is harmless when the ordered move reads that switch."""
    train = train_of(order)
    reverse = reverse_of(order)
    arc = state.arc[np.uint64(c), np.uint64(train)]
    ticks = rules.upgraded_speed_ticks if (state.upgraded[np.uint64(c)] >> train) & 1 else np.int64(1)
    toggle = toggle_of(order)
    if toggle != NO_TOGGLE:
        if not may_toggle(limits, c, toggle):
            return False
        if not is_hostile(limits, c):
            first, second = switches_read(rules, state.routes, arc, reverse, ticks)
            if toggle != first and toggle != second:
                return False
    invest = invest_of(order)
    if invest >= _SIDING:
        if not may_build(limits, c, invest - _SIDING):
            return False
    elif invest > 0 and (upgradable(limits, c) >> (invest - 1)) & 1 == 0:
        return False
    routes = state.routes ^ toggle_mask(order)
    return is_clear(rules, limits, c, routes, arc, reverse, ticks, destination(rules, state, c, train))


@routine
def restricted_order(rules, state, c, params, stream, order):  # type: ignore[no-untyped-def]
    """The order, or others drawn in its place until one keeps to the restrictions."""
    limits = limits_of(params, 0)
    tries = 1
    while not is_allowed(rules, state, c, limits, order):
        if tries == MOST_TRIES:
            # Hardly anything is allowed here (there is no pass): move on without toggle and purchase.
            order = pack_order(train_of(order), reverse_of(order), NO_TOGGLE, 0)
            break
        order = any_order(rules, state, c, stream)
        tries += 1
    invest = add_purchase(rules, state, c, limits, invest_of(order))
    return pack_order(train_of(order), reverse_of(order), toggle_of(order), invest)


@bot(mirror_fair=True, restrictable=True)
def random(rules, state, c, params, stream):  # type: ignore[no-untyped-def]
    """Uniform over train, move, toggle and legal investments, each on its own.

    Forward and reverse count as two moves also where they lead the same way. Junctions are counted as the company
    sees them (B through the mirror), so that the same luck gives mirrored orders. Under restrictions it draws again
    until an order keeps to them.
    """
    order = any_order(rules, state, c, stream)
    if is_restricted(params, 0):
        return restricted_order(rules, state, c, params, stream, order)
    return order
