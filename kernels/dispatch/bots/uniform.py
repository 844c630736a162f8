"""`random`: every legal order alike."""

import numpy as np

from kernels.codes import NO_COST, NO_TOGGLE, Invest
from kernels.dispatch.bots.decorator import bot
from kernels.dispatch.orders import pack_order
from kernels.dispatch.view import has_siding
from kernels.random import below_both

_SIDING = int(Invest.SIDING)


@bot(mirror_fair=True)
def random(rules, state, c, params, stream):  # type: ignore[no-untyped-def]
    """Uniform over train, move, toggle and legal investments, each on its own.

    Forward and reverse count as two moves also where they lead the same way. Junctions are counted as the company
    sees them (B through the mirror), so that the same luck gives mirrored orders.
    """
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

    toggle = choice >> 2
    if toggle == n_junctions:
        toggle = np.int64(NO_TOGGLE)
    else:
        toggle = np.int64(rules.own_junction[i, np.uint64(toggle)])
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
