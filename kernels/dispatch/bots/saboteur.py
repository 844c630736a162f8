"""`saboteur`: greedy, and in the rival's way."""

import numpy as np

from kernels.codes import NO_TOGGLE
from kernels.dispatch.bots.decorator import Parameter, behind, bot
from kernels.dispatch.bots.greedy import best_move, greedy, greedy_order, run_ahead
from kernels.dispatch.bots.limits import is_hostile, is_restricted, limits_of, may_toggle
from kernels.dispatch.orders import invest_of, pack_order, reverse_of, toggle_mask, toggle_of, train_of
from kernels.dispatch.view import destination, exit_arc, is_junction, next_arc, node_of, route_at
from kernels.jit import helper, routine
from kernels.random import draw32

_LIMITS = behind(3)


@helper
def ticks_of(rules, state, c, t):  # type: ignore[no-untyped-def]
    """Ticks of movement of a train, as upgraded as it is now."""
    return rules.upgraded_speed_ticks if (state.upgraded[np.uint64(c)] >> t) & 1 else np.int64(1)


@helper
def switch_before(rules, state, c, order):  # type: ignore[no-untyped-def]
    """The junction whose switch an order's train reads first, or NO_TOGGLE."""
    i = np.uint64(c)
    train = train_of(order)
    arc = state.arc[i, np.uint64(train)]
    routes = state.routes ^ toggle_mask(order)
    if reverse_of(order) == 1:
        arc ^= 1
        if ticks_of(rules, state, c, train) == 1:
            return np.int64(NO_TOGGLE)
    node = node_of(rules, arc)
    if is_junction(rules, node):
        return node
    if reverse_of(order) == 0 and ticks_of(rules, state, c, train) > 1:
        node = node_of(rules, exit_arc(rules, arc, route_at(routes, node)))
        if is_junction(rules, node):
            return node
    return np.int64(NO_TOGGLE)


@helper
def would_meet(rules, state, c, order, rival_order):  # type: ignore[no-untyped-def]
    """Whether the first tick of two orders is a head-on or a junction conflict (rules 4.4 a, b)."""
    routes = state.routes ^ toggle_mask(order) ^ toggle_mask(rival_order)
    own = state.arc[np.uint64(c), np.uint64(train_of(order))]
    other = state.arc[np.uint64(c ^ 1), np.uint64(train_of(rival_order))]
    own = next_arc(rules, routes, own, reverse_of(order))
    other = next_arc(rules, routes, other, reverse_of(rival_order))
    if own == other ^ 1:
        return True
    node = node_of(rules, own)
    if node != node_of(rules, other) or not is_junction(rules, node):
        return False
    return ((state.sidings[0] | state.sidings[1]) >> node) & 1 == 0


@helper
def saboteur_order(rules, state, c, limits, params, stream):  # type: ignore[no-untyped-def]
    """The order of `saboteur`."""
    i = np.uint64(c)
    j = np.uint64(c ^ 1)
    noise = params[0]
    dodge = params[2]
    luck = draw32(stream) if noise > 0.0 else np.int64(0)
    order = greedy_order(rules, state, c, limits, noise, luck, params[1])
    rival = greedy_order(rules, state, c ^ 1, None, 0.0, np.int64(0), params[1])
    train = train_of(order)
    reverse = reverse_of(order)
    toggle = toggle_of(order)
    if dodge > 0.0 and would_meet(rules, state, c, order, rival):
        margin = state.points[i] - state.points[j]
        if margin == 0:
            margin = state.cash_dollars[i] - state.cash_dollars[j]
        if margin <= 0 and (dodge >= 1.0 or draw32(stream) * 2.0**-32 < dodge):
            train ^= 1
            _, reverse, toggle = best_move(
                rules,
                limits,
                c,
                state.routes,
                state.arc[i, np.uint64(train)],
                ticks_of(rules, state, c, train),
                destination(rules, state, c, train),
            )
    if toggle == NO_TOGGLE and is_hostile(limits, c):
        spare = switch_before(rules, state, c ^ 1, rival)
        if spare != NO_TOGGLE and may_toggle(limits, c, spare):
            arc = state.arc[i, np.uint64(train)]
            ticks = ticks_of(rules, state, c, train)
            to = destination(rules, state, c, train)
            flipped = state.routes ^ (np.int64(1) << spare)
            as_it_is = run_ahead(rules, state.routes, arc, reverse, ticks, to)
            if run_ahead(rules, flipped, arc, reverse, ticks, to) == as_it_is:
                toggle = spare
    return pack_order(train, reverse, toggle, invest_of(order))


@routine
def restricted_saboteur_order(rules, state, c, limits, params, stream):  # type: ignore[no-untyped-def]
    """`saboteur_order`, compiled apart, so that unrestricted play does not pay for restrictions."""
    return saboteur_order(rules, state, c, limits, params, stream)


@bot(params=dict(greedy.params) | {
        "dodge": Parameter(
            0.5, 0.0, 1.0, "chance to move the other train when the two would meet and it is not ahead"
        ),
    },
    mirror_fair=True,
    draws_nothing=lambda values: values["noise"] == 0 and values["dodge"] in (0, 1),
    restrictable=True,
)  # fmt: skip
def saboteur(rules, state, c, params, stream):  # type: ignore[no-untyped-def]
    """Greedy, and spends its spare toggle and its choice of train on the rival's likeliest move.

    The likeliest move is that of a greedy rival without noise. A toggle that its own train does not need goes to the
    switch which that move reads first, unless its own train would be led astray by it. If the two moves would meet and
    it is not ahead, it moves its other train with chance `dodge`.
    """
    if is_restricted(params, _LIMITS):
        return restricted_saboteur_order(rules, state, c, limits_of(params, _LIMITS), params, stream)
    return saboteur_order(rules, state, c, None, params, stream)
