"""One dispatch, resolved: invest, switch, roll, settle (rules 4). The rules, and nothing else.

Movement is written out for the one moving train of each company instead of looping over companies: the two meet in
every tick, and locals stay in registers where rows of an array would not.
"""

import numpy as np

from kernels.codes import Company, Invest
from kernels.dispatch.orders import invest_of, reverse_of, toggle_mask, train_of
from kernels.dispatch.view import destination, distance, has_siding, is_junction, next_arc, node_of, reward
from kernels.jit import helper

__all__ = ["EVENT_FIELDS", "resolve_dispatch", "try_dispatch"]

_A = int(Company.A)
_B = int(Company.B)
_SIDING = int(Invest.SIDING)

# Events, as rows of a log: a code and three numbers; what they mean is in `EVENT_FIELDS`.
HEAD_ON = 1  # and the track on which it happened
JUNCTION_CONFLICT = 2
TOLL = 3
SHARED_ARRIVAL = 4
DELIVERY = 5
MOVE = 6  # no event of the rules, but what traffic is counted by: the train, and the arc that it ran along

EVENT_FIELDS: dict[int, tuple[str, ...]] = {
    HEAD_ON: (),
    JUNCTION_CONFLICT: ("at",),
    TOLL: ("at", "paid", "by"),
    SHARED_ARRIVAL: ("at",),
    DELIVERY: ("train", "at", "reward"),
}
"""What is told of an event: the numbers of a log row after [0] the code and [1] the tick. `MOVE` is not told.

`train` is `2 * company + train`."""

LOG_FIELDS = 5
LOG_ROWS = 1 + 16 * (2 + 1) + 2
"""Rows that a log of one dispatch needs: at most two moves and one meeting a tick, and one delivery a company."""


@helper
def _note(log, code, tick, x, y, z):  # type: ignore[no-untyped-def]
    """Add an event to `log` [1 + events, LOG_FIELDS], whose [0, 0] counts them; None or no rows: keep none."""
    if log is not None and log.shape[0] != 0:
        i = log[0, 0] + 1
        log[0, 0] = i
        log[i, 0] = code
        log[i, 1] = tick
        log[i, 2] = x
        log[i, 3] = y
        log[i, 4] = z


@helper
def _invest(rules, state, c, order):  # type: ignore[no-untyped-def]
    """Pay for company c's investment, which works at once (rules 4.1)."""
    invest = invest_of(order)
    if invest != 0:
        i = np.uint64(c)
        if invest < _SIDING:
            state.cash_dollars[i] -= rules.upgrade_cost_dollars
            state.upgraded[i] |= invest  # Invest.UPGRADE_1 and _2 are bits 0 and 1
            state.upgrades[i] += 1
        else:
            state.cash_dollars[i] -= rules.siding_cost_dollars
            state.sidings[i] |= np.int64(1) << (invest - _SIDING)
            state.n_sidings[i] += 1


@helper
def _switch(state, order_a, order_b):  # type: ignore[no-untyped-def]
    """Flip each junction toggled by one company; one toggled by both stays put (rules 4.2)."""
    mask_a = toggle_mask(order_a)
    mask_b = toggle_mask(order_b)
    state.routes ^= mask_a ^ mask_b
    if mask_a == mask_b and mask_a != 0:
        state.cancelled_toggles += 1


@helper
def _settle_shared_arrival(rules, state, junction, owned_a, owned_b, tick, log):  # type: ignore[no-untyped-def]
    """Both enter a junction where at least one owns a siding; the other pays the toll it can (rules 4.4 c)."""
    state.shared_arrivals += 1
    if owned_a & owned_b:
        _note(log, SHARED_ARRIVAL, tick, junction, 0, 0)
    else:
        payer = owned_a  # A owns it: B (1) pays; B owns it: A (0) pays
        paid = min(rules.toll_dollars, state.cash_dollars[np.uint64(payer)])
        state.cash_dollars[np.uint64(payer)] -= paid
        state.cash_dollars[np.uint64(payer ^ 1)] += paid
        state.tolls_dollars[np.uint64(payer)] += paid
        _note(log, TOLL, tick, junction, paid, payer)


@helper
def _deliver(rules, state, c, t, node, tick, log):  # type: ignore[no-untyped-def]
    """Earn the cargo's reward in points and in cash and load the next cargo (rules 2.3, 2.4, 4.6)."""
    i = np.uint64(c)
    earned = reward(rules, state, c, t)
    state.points[i] += earned
    state.cash_dollars[i] += earned
    state.deliveries[i] += 1
    if rules.cargo_scope == 0:
        state.cargo_item[i, np.uint64(t)] += 1
    else:
        state.cargo_item[i, np.uint64(t)] = state.next_item[i]
        state.next_item[i] += 1
    _note(log, DELIVERY, tick, 2 * c + t, node, earned)


@helper
def _ticks(rules, state, c, t):  # type: ignore[no-untyped-def]
    """Ticks of movement that a train has in a dispatch (rules 4.3)."""
    if (state.upgraded[np.uint64(c)] >> t) & 1:
        return rules.upgraded_speed_ticks
    return np.int64(1)


@helper
def _roll(rules, state, order_a, order_b, arc_a, arc_b, to_a, to_b, log):  # type: ignore[no-untyped-def]
    """Roll both companies' ordered trains, tick by tick, from their arcs to their destinations (rules 4.3 to 4.6).

    `arc`, `cargo_item`, `next_item`, `cash_dollars`, `points` and counts of events of `state` are modified in place.
    Returns the arcs where the trains end, and whether A and whether B delivered.
    """
    routes = state.routes
    train_a = train_of(order_a)
    train_b = train_of(order_b)
    left_a = _ticks(rules, state, _A, train_a)
    left_b = _ticks(rules, state, _B, train_b)
    delivered_a = False
    delivered_b = False
    stopped = 0
    tick = 1
    while left_a > 0 or left_b > 0:
        next_a = next_arc(rules, routes, arc_a, tick == 1 and reverse_of(order_a))
        next_b = next_arc(rules, routes, arc_b, tick == 1 and reverse_of(order_b))
        node_a = node_of(rules, next_a)
        node_b = node_of(rules, next_b)
        if left_a > 0 and left_b > 0:
            if next_a == next_b ^ 1:
                state.head_ons += 1
                stopped = 1
                _note(log, HEAD_ON, tick, next_a >> 1, 0, 0)
                break
            if node_a == node_b and is_junction(rules, node_a):
                owned_a = has_siding(state, _A, node_a)
                owned_b = has_siding(state, _B, node_a)
                if owned_a | owned_b == 0:
                    state.junction_conflicts += 1
                    stopped = 1
                    _note(log, JUNCTION_CONFLICT, tick, node_a, 0, 0)
                    break
                _settle_shared_arrival(rules, state, node_a, owned_a, owned_b, tick, log)
        if left_a > 0:
            arc_a = next_a
            left_a -= 1
            _note(log, MOVE, tick, train_a, arc_a, 0)
            if node_a == to_a:
                _deliver(rules, state, _A, train_a, node_a, tick, log)
                left_a = 0
                delivered_a = True
        if left_b > 0:
            arc_b = next_b
            left_b -= 1
            _note(log, MOVE, tick, 2 + train_b, arc_b, 0)
            if node_b == to_b:
                _deliver(rules, state, _B, train_b, node_b, tick, log)
                left_b = 0
                delivered_b = True
        tick += 1
    state.arc[_A, np.uint64(train_a)] = arc_a
    state.arc[_B, np.uint64(train_b)] = arc_b
    state.last_stopped = stopped
    return arc_a, arc_b, delivered_a, delivered_b


@helper
def _count(rules, state, c, start, end, to, delivered):  # type: ignore[no-untyped-def]
    """Count an idle order and a stuck dispatch of company c, by the arcs of its train and where it was to go."""
    i = np.uint64(c)
    came_from = node_of(rules, start)
    at = node_of(rules, end)
    state.idle[i] += at == came_from
    # The parked train came no nearer; a delivery counts as nearer.
    state.stuck[i] += not (delivered or distance(rules, at, to) < distance(rules, came_from, to))


@helper
def try_dispatch(rules, state, order_a, order_b):  # type: ignore[no-untyped-def]
    """Resolve one dispatch as `resolve_dispatch` does, without events and without the counts of idle and stuck.

    For bots that try orders on a state of their own.
    """
    _invest(rules, state, _A, order_a)
    _invest(rules, state, _B, order_b)
    _switch(state, order_a, order_b)
    train_a = train_of(order_a)
    train_b = train_of(order_b)
    _roll(
        rules, state, order_a, order_b,
        state.arc[_A, np.uint64(train_a)], state.arc[_B, np.uint64(train_b)],
        destination(rules, state, _A, train_a), destination(rules, state, _B, train_b), None,
    )  # fmt: skip
    _settle(rules, state, order_a, order_b)


@helper
def _settle(rules, state, order_a, order_b):  # type: ignore[no-untyped-def]
    """Income (rules 4.7), and on to the next dispatch."""
    state.cash_dollars[_A] += rules.income_dollars
    state.cash_dollars[_B] += rules.income_dollars
    state.last_order[_A] = order_a
    state.last_order[_B] = order_b
    state.dispatch += 1


@helper
def resolve_dispatch(rules, state, order_a, order_b, log):  # type: ignore[no-untyped-def]
    """Resolve one dispatch in full (rules 4).

    Parameters
    ----------
    rules
        A `Rules` record; read only.
    state
        A `State` record, modified in place, `dispatch` included.
    order_a, order_b
        Legal packed orders (`orders.illegality`); not checked here.
    log
        int64 [1 + events, LOG_FIELDS], events written to rows 1 to log[0, 0]; to keep none, None or (0, LOG_FIELDS).
    """
    train_a = train_of(order_a)
    train_b = train_of(order_b)
    start_a = state.arc[_A, np.uint64(train_a)]
    start_b = state.arc[_B, np.uint64(train_b)]
    to_a = destination(rules, state, _A, train_a)
    to_b = destination(rules, state, _B, train_b)
    _invest(rules, state, _A, order_a)
    _invest(rules, state, _B, order_b)
    _switch(state, order_a, order_b)
    end_a, end_b, delivered_a, delivered_b = _roll(rules, state, order_a, order_b, start_a, start_b, to_a, to_b, log)
    _count(rules, state, _A, start_a, end_a, to_a, delivered_a)
    _count(rules, state, _B, start_b, end_b, to_b, delivered_b)
    _settle(rules, state, order_a, order_b)
