"""`greedy`: the best reward per dispatch, as if there were no rival."""

import numpy as np

from kernels.codes import NO_COST, NO_TOGGLE, Invest
from kernels.dispatch.bots.decorator import Parameter, bot
from kernels.dispatch.bots.limits import (
    add_purchase,
    is_clear,
    is_restricted,
    limits_of,
    may_build,
    may_toggle,
    upgradable,
)
from kernels.dispatch.orders import pack_order
from kernels.dispatch.view import (
    destination,
    distance,
    exit_arc,
    has_siding,
    is_junction,
    next_arc,
    node_of,
    reward,
    route_at,
)
from kernels.jit import helper, routine
from kernels.random import draw32

_NONE = int(Invest.NONE)
_UPGRADE_1 = int(Invest.UPGRADE_1)
_SIDING = int(Invest.SIDING)
_TWO_TO_MINUS_16 = 2.0**-16

FAR = 1 << 20  # tracks that a way over an avoided track counts for


@helper
def dispatches_needed(distance_tracks, speed_ticks):  # type: ignore[no-untyped-def]
    """Dispatches that a train needs for a way, rounded up; at least one."""
    return max(np.int64(1), (distance_tracks + speed_ticks - 1) // speed_ticks)


@helper
def run_ahead(rules, routes, arc, reverse, ticks, to):  # type: ignore[no-untyped-def]
    """The arc on which a train alone on the map ends a dispatch; it stops where its cargo goes (rules 4.3, 4.6)."""
    arc = next_arc(rules, routes, arc, reverse)
    node = node_of(rules, arc)
    for _ in range(ticks - 1):
        if node == to:
            break
        arc = exit_arc(rules, arc, route_at(routes, node))
        node = node_of(rules, arc)
    return arc


@helper
def tracks_left(rules, limits, c, routes, arc, reverse, ticks, to):  # type: ignore[no-untyped-def]
    """Tracks that are left after a move; 0 is a delivery, FAR more where the move runs along an avoided track."""
    left = distance(rules, node_of(rules, run_ahead(rules, routes, arc, reverse, ticks, to)), to)
    if is_clear(rules, limits, c, routes, arc, reverse, ticks, to):
        return left
    return left + FAR


@helper
def best_move(rules, limits, c, routes, arc, ticks, to):  # type: ignore[no-untyped-def]
    """The shortest way for one train: (tracks left after this dispatch, reverse, toggle); 0 is a delivery now.

    Looks at forward and reverse, each with no toggle or with one of a switch that the train reads in this dispatch.
    The first found of equals stands: no toggle before one, forward before reverse, the nearer switch before the
    further; no label has a say, so on an exact map a mirrored train makes the mirrored move.
    """
    nearest = tracks_left(rules, limits, c, routes, arc, 0, ticks, to)
    best_reverse = np.int64(0)
    best_toggle = np.int64(NO_TOGGLE)
    left = tracks_left(rules, limits, c, routes, arc, 1, ticks, to)
    if left < nearest:
        nearest = left
        best_reverse = np.int64(1)
    # With every switch as wanted it could come this near; then no toggle is worth a look.
    if nearest <= max(np.int64(0), distance(rules, node_of(rules, arc), to) - ticks):
        return nearest, best_reverse, best_toggle
    for reverse in range(2):
        read_at = arc ^ 1 if reverse == 1 else arc
        for _ in range(ticks - reverse):
            node = node_of(rules, read_at)
            if is_junction(rules, node) and may_toggle(limits, c, node):
                flipped = routes ^ (np.int64(1) << node)
                left = tracks_left(rules, limits, c, flipped, arc, reverse, ticks, to)
                if left < nearest:
                    nearest = left
                    best_reverse = np.int64(reverse)
                    best_toggle = node
            read_at = exit_arc(rules, read_at, route_at(routes, node))
    return nearest, best_reverse, best_toggle


@routine
def best_move_apart(rules, limits, c, routes, arc, ticks, to):  # type: ignore[no-untyped-def]
    """`best_move`, compiled apart."""
    return best_move(rules, limits, c, routes, arc, ticks, to)


@helper
def leg_after(rules, state, c, t):  # type: ignore[no-untyped-def]
    """Tracks from where a train's cargo goes to where its next one will go."""
    i = np.uint64(c)
    item = state.cargo_item[i, np.uint64(t)] + 1 if rules.cargo_scope == 0 else state.next_item[i]
    after = np.int64(rules.cargo_node[i, np.uint64(t), np.uint64(item)])
    return distance(rules, destination(rules, state, c, t), after)


@helper
def rival_may_enter(rules, state, c, junction):  # type: ignore[no-untyped-def]
    """Whether a train of the other company stands one track from a junction."""
    i = np.uint64(c ^ 1)
    for t in range(2):
        if distance(rules, node_of(rules, state.arc[i, np.uint64(t)]), junction) == 1:
            return True
    return False


@helper
def best_purchase(rules, state, c, limits, contest, earning, entered):  # type: ignore[no-untyped-def]
    """The investment that pays for itself first, if it is affordable now; else none, to save up for it.

    An upgrade earns half of what its train would earn more per dispatch on its next leg (the other half of the
    dispatches the other train moves). A siding is looked at for the junction that the ordered train enters first, when
    a rival may enter it too: it earns `contest` times the toll and the dispatch that a conflict would have cost. What
    can no longer earn one point before the end is not bought.
    """
    i = np.uint64(c)
    remaining = rules.dispatches - state.dispatch + 1
    invest = np.int64(_NONE)
    price = np.int64(0)
    soonest = np.inf
    cost = rules.upgrade_cost_dollars
    if cost != NO_COST:
        open_bits = upgradable(limits, c) & ~state.upgraded[i]
        for t in range(2):
            if (open_bits >> t) & 1 == 0:
                continue
            leg = leg_after(rules, state, c, t)
            slow = dispatches_needed(leg, np.int64(1))
            fast = dispatches_needed(leg, rules.upgraded_speed_ticks)
            gain = 0.5 * reward(rules, state, c, t) * (slow - fast) / (slow * fast)
            if gain * remaining >= 1.0 and cost < soonest * gain:
                soonest = cost / gain
                invest = np.int64(_UPGRADE_1 + t)
                price = cost
    cost = rules.siding_cost_dollars
    if cost != NO_COST:
        if is_junction(rules, entered) and has_siding(state, c, entered) == 0 and may_build(limits, c, entered):
            if rival_may_enter(rules, state, c, entered):
                gain = contest * (rules.toll_dollars + earning)
                if gain * remaining >= 1.0 and cost < soonest * gain:
                    invest = _SIDING + entered
                    price = cost
    if price > state.cash_dollars[i]:
        return np.int64(_NONE)
    return invest


@helper
def greedy_order(rules, state, c, limits, noise, luck, contest):  # type: ignore[no-untyped-def]
    """The order of `greedy` for 32 bits of luck, of which each train takes 16; none is used without noise."""
    i = np.uint64(c)
    remaining = rules.dispatches - state.dispatch + 1
    train = np.int64(0)
    train_reverse = np.int64(0)
    train_toggle = np.int64(NO_TOGGLE)
    best = -1.0
    earning = 0.0
    for t in range(2):
        ticks = rules.upgraded_speed_ticks if (state.upgraded[i] >> t) & 1 else np.int64(1)
        to = destination(rules, state, c, t)
        left, reverse, toggle = best_move(rules, limits, c, state.routes, state.arc[i, np.uint64(t)], ticks, to)
        needed = 1 + (left + ticks - 1) // ticks
        worth = -0.5 if left >= FAR else 0.0
        if needed <= remaining:
            worth = reward(rules, state, c, t) / needed
        earning = max(earning, worth)
        if noise > 0.0:
            worth *= 1.0 + noise * (((luck >> (16 * t)) & 0xFFFF) * _TWO_TO_MINUS_16)
        if worth > best:
            best = worth
            train = np.int64(t)
            train_reverse = reverse
            train_toggle = toggle
    routes = state.routes
    if train_toggle != NO_TOGGLE:
        routes ^= np.int64(1) << train_toggle
    entered = node_of(rules, next_arc(rules, routes, state.arc[i, np.uint64(train)], train_reverse))
    invest = best_purchase(rules, state, c, limits, contest, earning, entered)
    invest = add_purchase(rules, state, c, limits, invest)
    return pack_order(train, train_reverse, train_toggle, invest)


@routine
def greedy_order_apart(rules, state, c, limits, noise, luck, contest):  # type: ignore[no-untyped-def]
    """`greedy_order`, compiled apart: once for all bots that model a rival by it, and for restricted play."""
    return greedy_order(rules, state, c, limits, noise, luck, contest)


@bot(
    params={
        "noise": Parameter(
            3.0, 0.0, 100.0, "each train's value is multiplied by a random factor from 1 to 1 + noise, every dispatch"
        ),
        "contest": Parameter(
            0.08, 0.0, 1.0, "share of later dispatches in which a siding at a contested junction is expected to decide"
        ),
    },
    mirror_fair=True,
    draws_nothing=lambda values: values["noise"] == 0,
    restrictable=True,
)
def greedy(rules, state, c, params, stream):  # type: ignore[no-untyped-def]
    """Takes the best reward per dispatch as if there were no rival, by the shortest way, and sets the switch it needs.

    A train is worth its cargo's reward over the dispatches to its destination, times the noise; a cargo that cannot
    arrive before the end is worth nothing. Of the investments it buys the one that pays for itself first, and saves
    up for it. Without noise two greedy bots on an exact map mirror each other for ever.
    """
    noise = params[0]
    luck = draw32(stream) if noise > 0.0 else np.int64(0)
    if is_restricted(params, 2):
        return greedy_order_apart(rules, state, c, limits_of(params, 2), noise, luck, params[1])
    return greedy_order(rules, state, c, None, noise, luck, params[1])
