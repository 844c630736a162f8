"""Answers to a bot whose mix is known: the best order against it, looked one or more dispatches ahead.

The answer has a *model* of the bot it meets: a compiled bot with its parameters, the very same or another one. At its
turn it asks the model for the chances of its orders (`model_mix`), tries own orders against each, values what follows
by the table of `dispatch.value`, or, looking further, by what it would itself get there, and takes the best.

A model that does not tell its mix is drawn from, on a stream of its own whose address is made of the state: so what
the answer believes of a state is the same in every match, and nobody's luck moves. For that, and so that what was
found can be remembered, a state that is looked ahead at has no past but whether the last dispatch ended in a stop:
last orders and counts of events are 0 there. The dispatch at hand is shown to the model as it is.
"""

import numpy as np
from numba import int64, types, void

from kernels.codes import NO_COST, NO_TOGGLE, Column, Illegal, Invest
from kernels.dispatch.batch import BOT_TYPE, ROWS_TYPE, RULES_ARRAY, STATE_ARRAY, STREAMS_ARRAY
from kernels.dispatch.bots.decorator import MIX_ROOM, Parameter, behind
from kernels.dispatch.bots.sensible import candidates, keep_best, scratch_states, siding_beside
from kernels.dispatch.bots.thinking import N_VALUE, VALUE_PARAMS, prepare, worth
from kernels.dispatch.match import MIX_SIGNATURE, PARAMS_TYPE, reset, write_end
from kernels.dispatch.orders import illegality, pack_order
from kernels.dispatch.resolve import resolve_dispatch
from kernels.dispatch.value import new_memo, table_of
from kernels.dispatch.view import is_junction, node_of
from kernels.jit import entry, helper, routine
from kernels.random import Purpose, absorbed, draws, seek

__all__ = ["ANSWER_PARAMS", "MEMO_SLOTS", "answer_memory", "best_answer", "fill_answer_rows", "model_mix"]

_NONE = int(Invest.NONE)
_UPGRADE_1 = int(Invest.UPGRADE_1)
_SIDING = int(Invest.SIDING)
_LEGAL = int(Illegal.NO)
_ORDERS = int(Purpose.ORDERS)
_MODEL = int(Purpose.MODEL)
_DRAWS = int(Column.DRAWS_A)
_LOW = 0xFFFFFFFF

ANSWER_PARAMS = VALUE_PARAMS | {
    "looks": Parameter(1.0, 1.0, 1000.0, "dispatches that it looks ahead"),
    "all_orders": Parameter(64.0, 0.0, 512.0, "where there are no more legal orders than these, all are tried"),
    "orders": Parameter(12.0, 1.0, 512.0, "own orders, best by one look, that it looks further at"),
    "replies": Parameter(6.0, 1.0, 512.0, "orders of the rival, the likeliest, that it looks further at"),
    "draws": Parameter(256.0, 1.0, 65536.0, "draws for a mix that is not told, at the dispatch at hand"),
    "later_draws": Parameter(64.0, 1.0, 65536.0, "the same at later ones"),
}
"""What an answer can be set to: the constants of the value, and how far and wide it looks."""

_LOOKS, _ALL, _OWN, _REPLIES, _NOW, _LATER = range(N_VALUE, N_VALUE + 6)
_TABLE = behind(len(ANSWER_PARAMS))
ROOM = MIX_ROOM

MEMO_SLOTS = 1 << 17
"""Room to remember what states are worth, on one thread."""


def answer_memory(rules, values):  # type: ignore[no-untyped-def]
    """What `fill_answer_rows` gets as the answer's parameters: their values, and the table behind them; read only.

    Parameters
    ----------
    rules
        `Rules`, shape (1,).
    values
        All of `ANSWER_PARAMS` by name.
    """
    array = np.zeros(_TABLE)
    array[: len(ANSWER_PARAMS)] = [ANSWER_PARAMS[name].code(values[name]) for name in ANSWER_PARAMS]
    memory = np.concatenate([array, prepare(rules, values)])
    memory.flags.writeable = False
    return memory


@helper
def digest_of(state, salt):  # type: ignore[no-untyped-def]
    """63 bits of all that decides how a match goes on from a state without a past, and of a salt below 2**32."""
    a = np.int64(0)
    b = np.int64(0)
    a, b = absorbed(a, b, state.routes & _LOW, state.routes >> 32, state.sidings[0] & _LOW, state.sidings[0] >> 32)
    a, b = absorbed(a, b, state.sidings[1] & _LOW, state.sidings[1] >> 32, state.cash_dollars[0], state.cash_dollars[1])
    arcs = state.arc[0, 0] | (state.arc[0, 1] << 8) | (state.arc[1, 0] << 16) | (state.arc[1, 1] << 24)
    a, b = absorbed(a, b, state.points[0], state.points[1], arcs, salt)
    flags = state.dispatch | (state.upgraded[0] << 10) | (state.upgraded[1] << 12) | (state.last_stopped << 14)
    items_a = state.cargo_item[0, 0] | (state.cargo_item[0, 1] << 10) | ((state.next_item[0] & 1023) << 20)
    items_b = state.cargo_item[1, 0] | (state.cargo_item[1, 1] << 10) | ((state.next_item[1] & 1023) << 20)
    a, b = absorbed(a, b, flags, items_a, items_b, np.int64(0))
    return ((a & 0x7FFFFFFF) << 32) | b


@helper
def forget_past(state):  # type: ignore[no-untyped-def]
    """Set last orders and counts of events to 0."""
    state.head_ons = 0
    state.junction_conflicts = 0
    state.shared_arrivals = 0
    state.cancelled_toggles = 0
    for c in range(2):
        i = np.uint64(c)
        state.last_order[i] = 0
        state.stuck[i] = 0
        state.idle[i] = 0
        state.tolls_dollars[i] = 0


@routine
def followed(rules, state, scratch, c, order, rival_order):  # type: ignore[no-untyped-def]
    """Resolve two orders on `scratch`, a copy of `state`, and forget the past."""
    scratch[0] = state
    if c == 0:
        resolve_dispatch(rules, scratch[0], order, rival_order, None)
    else:
        resolve_dispatch(rules, scratch[0], rival_order, order, None)
    forget_past(scratch[0])


@routine
def model_mix(rules, state, c, bot, mix, params, n_draws, stream, seed, namespace, orders, chances):  # type: ignore[no-untyped-def]
    """The orders that a bot may give as company c, likeliest first, and their chances; how many there are.

    Parameters
    ----------
    bot, mix, params
        A compiled bot, its compiled mix (`Bot.compiled_mix`), and what it gets as `params`.
    n_draws
        Draws to estimate a mix that is not told. One that takes no luck here is drawn once.
    stream
        Scratch; placed at an address made of `seed`, `namespace`, the company and the state.
    orders, chances
        int64 and float64 [ROOM], filled.
    """
    n = mix(rules, state, c, params, orders, chances)
    if n == 0:
        seek(stream, seed, namespace, _MODEL, c, digest_of(state, np.int64(0)))
        share = 1.0 / n_draws
        for i in range(n_draws):
            order = bot(rules, state, c, params, stream)
            if i == 0 and draws(stream) == 0:
                orders[0] = order
                chances[0] = 1.0
                return 1
            k = 0
            while k < n and orders[k] != order:
                k += 1
            if k < n:
                chances[k] += share
            elif n < ROOM:
                orders[n] = order
                chances[n] = share
                n += 1
    return keep_likeliest(orders, chances, n, n)


@helper
def keep_likeliest(orders, chances, n, k):  # type: ignore[no-untyped-def]
    """The k likeliest of n orders in front, likeliest first, their chances scaled to add up to 1; how many."""
    kept = 0
    total = 0.0
    for i in range(min(n, k)):
        best = i
        for m in range(i + 1, n):
            if chances[m] > chances[best]:
                best = m
        if chances[best] <= 0.0:
            break
        order = orders[best]
        chance = chances[best]
        # Shifted, not swapped: of equals the earlier stays in front.
        for m in range(best, i, -1):
            orders[m] = orders[m - 1]
            chances[m] = chances[m - 1]
        orders[i] = order
        chances[i] = chance
        total += chance
        kept += 1
    for i in range(kept):
        chances[i] /= total
    return kept


@helper
def n_legal(rules, state, c):  # type: ignore[no-untyped-def]
    """How many legal orders a company has, forward and reverse counted as two also where they lead the same way."""
    i = np.uint64(c)
    cash = state.cash_dollars[i]
    n = np.int64(1)
    if rules.upgrade_cost_dollars != NO_COST and cash >= rules.upgrade_cost_dollars:
        n += 2 - state.upgrades[i]
    if rules.siding_cost_dollars != NO_COST and cash >= rules.siding_cost_dollars:
        n += rules.n_junctions - state.n_sidings[i]
    return 4 * (rules.n_junctions + 1) * n


@routine
def legal_orders(rules, state, c, orders):  # type: ignore[no-untyped-def]
    """All legal orders of a company, but for reverse at a terminal, which is forward; how many there are.

    Junctions come as the company counts them: so on an exact map the first of equals is the mirrored one.
    """
    n = 0
    for invest_place in range(3 + rules.n_junctions):
        invest = np.int64(invest_place)
        if invest >= _SIDING:
            invest = _SIDING + np.int64(rules.own_junction[np.uint64(c), np.uint64(invest_place - _SIDING)])
        if illegality(rules, state, c, pack_order(0, 0, NO_TOGGLE, invest)) != _LEGAL:
            continue
        for t in range(2):
            at = node_of(rules, state.arc[np.uint64(c), np.uint64(t)])
            for reverse in range(2 if is_junction(rules, at) else 1):
                for place in range(rules.n_junctions + 1):
                    toggle = np.int64(NO_TOGGLE)
                    if place > 0:
                        toggle = np.int64(rules.own_junction[np.uint64(c), np.uint64(place - 1)])
                    orders[n] = pack_order(t, reverse, toggle, invest)
                    n += 1
    return n


@routine
def own_orders(rules, state, c, params, orders):  # type: ignore[no-untyped-def]
    """The orders that an answer tries; how many there are.

    All legal ones where they are few. Else every move with every toggle that it, or a rival's train going forward,
    reads, each with no purchase, with either upgrade, and with a siding at the junction that it enters first where a
    rival may enter too.
    """
    if n_legal(rules, state, c) <= params[_ALL]:
        return legal_orders(rules, state, c, orders)
    n = candidates(rules, state, c, None, np.int64(_NONE), orders)
    plain = n
    for upgrade in range(_UPGRADE_1, _SIDING):
        if illegality(rules, state, c, pack_order(0, 0, NO_TOGGLE, upgrade)) == _LEGAL:
            n += candidates(rules, state, c, None, np.int64(upgrade), orders[n:])
    for i in range(plain):
        more = siding_beside(rules, state, c, None, orders[i])
        if more >= 0:
            orders[n] = more
            n += 1
    return n


@routine
def open_node(  # type: ignore[no-untyped-def]
    rules, state, scratch, c, looks, n_draws, bot, mix, bot_params, params, stream, seed, namespace,
    orders, scores, replies, chances,
):  # fmt: skip
    """Fill in what both may order at a state: (own orders, rival's orders), the best own first if they are not all.

    `scores` are by the table: final where `looks` is 1.
    """
    table = table_of(params, _TABLE)
    n = model_mix(rules, state, c ^ 1, bot, mix, bot_params, n_draws, stream, seed, namespace, replies, chances)
    m = own_orders(rules, state, c, params, orders)
    narrow = n_legal(rules, state, c) > params[_ALL]
    if looks == 1 or narrow:
        values = new_memo()
        for a in range(m):
            scores[a] = 0.0
            for b in range(n):
                followed(rules, state, scratch, c, orders[a], replies[b])
                scores[a] += chances[b] * worth(rules, scratch[0], c, None, table, params, values)
    if looks > 1:
        if narrow:
            m = keep_best(orders, scores, m, np.int64(params[_OWN]))
            n = keep_likeliest(replies, chances, n, np.int64(params[_REPLIES]))
        for a in range(m):
            scores[a] = 0.0
    return m, n


@routine
def best_answer(  # type: ignore[no-untyped-def]
    rules, state, c, bot, mix, bot_params, params, stream, seed, namespace, memo
):
    """The best order of company c against a model of the other, and what it is worth, -1 (lost) to 1 (won).

    A search in depth, written as a loop: machine code of a function that calls itself cannot be kept.

    Parameters
    ----------
    state
        At a dispatch that is still to be played.
    bot, mix, bot_params
        The model (`model_mix`).
    params
        The answer's own (`answer_memory`); how many dispatches it looks ahead is among them.
    stream
        Scratch.
    memo
        int64 [2, MEMO_SLOTS]: digests of states looked at, and what they are worth, bit by bit.
    """
    looks = min(np.int64(params[_LOOKS]), rules.dispatches - state.dispatch + 1)
    worths = memo[1].view(np.float64)
    states = scratch_states(looks + 1)
    scratch = scratch_states(1)
    orders = np.empty((looks, ROOM), np.int64)
    scores = np.empty((looks, ROOM), np.float64)
    replies = np.empty((looks, ROOM), np.int64)
    chances = np.empty((looks, ROOM), np.float64)
    sizes = np.zeros((looks, 5), np.int64)  # own orders, rival's orders, own order and rival's order at hand, digest
    states[0] = state
    level = np.int64(0)
    opening = True
    best = 0
    while True:
        left = looks - level
        if opening:
            sizes[level, 0], sizes[level, 1] = open_node(
                rules, states[level], scratch, c, left, np.int64(params[_NOW if level == 0 else _LATER]),
                bot, mix, bot_params, params, stream, seed, namespace,
                orders[level], scores[level], replies[level], chances[level],
            )  # fmt: skip
            sizes[level, 2] = sizes[level, 0] if left == 1 else 0
            sizes[level, 3] = 0
        a = sizes[level, 2]
        b = sizes[level, 3]
        if a < sizes[level, 0]:
            # What follows one pair of orders: valued at once, or a level of its own.
            followed(rules, states[level], scratch, c, orders[level, a], replies[level, b])
            states[level + 1] = scratch[0]
            key = digest_of(states[level + 1], left * 2 + c)
            slot = np.uint64(key & (MEMO_SLOTS - 1))
            opening = memo[0, slot] != key
            if opening:
                level += 1
                sizes[level, 4] = key
                continue
            value = worths[slot]
        else:
            best = 0
            for i in range(1, sizes[level, 0]):
                if scores[level, i] > scores[level, best]:
                    best = i
            if level == 0:
                break
            value = scores[level, best]
            key = sizes[level, 4]
            slot = np.uint64(key & (MEMO_SLOTS - 1))
            memo[0, slot] = key
            worths[slot] = value
            level -= 1
            a = sizes[level, 2]
            b = sizes[level, 3]
        opening = False
        scores[level, a] += chances[level, b] * value
        b += 1
        if b == sizes[level, 1]:
            b = np.int64(0)
            a += 1
        sizes[level, 2] = a
        sizes[level, 3] = b
    return orders[0, best], scores[0, best]


_MIX = types.FunctionType(MIX_SIGNATURE)


@entry(
    void(
        RULES_ARRAY, STATE_ARRAY, STREAMS_ARRAY, BOT_TYPE, PARAMS_TYPE, BOT_TYPE, _MIX, PARAMS_TYPE, PARAMS_TYPE,
        int64, int64, int64, int64, int64, int64[:, ::1], ROWS_TYPE,
    )
)  # fmt: skip
def fill_answer_rows(  # type: ignore[no-untyped-def]
    rules, state, streams, bot, bot_params, model, mix, model_params, params,
    seed, namespace, first_pair, stride, n_pairs, memo, rows,
):  # fmt: skip
    """Play a bot against the answer to a model of it: pairs `first_pair + stride * p`, p from 0 to `n_pairs - 1`.

    The answer sits in seat A, and in the second match of a pair in seat B. It takes no luck of the match.

    Parameters
    ----------
    rules, state, streams
        Shape (1,), (1,) and (3,); state and streams are scratch of this call's thread.
    bot, bot_params
        Who is answered.
    model, mix, model_params
        Who the answer believes to meet, and how it tells its mix (`Bot.compiled_mix`).
    params
        Of the answer (`answer_memory`).
    seed, namespace
        Address of the random streams (`kernels.random`).
    memo
        int64 [2, MEMO_SLOTS], zeros at first; kept between calls for the same model, parameters, rules, seed and
        namespace only.
    rows
        int32 [m, k], k a `Column`; filled in place.
    """
    for p in range(n_pairs):
        pair = first_pair + stride * p
        for swap in range(2):
            row = rows[2 * p + swap]
            seek(streams[0], seed, namespace, _ORDERS, 0, pair)
            seek(streams[1], seed, namespace, _ORDERS, 1, pair)
            seat = np.int64(swap)
            rival = seat ^ 1
            reset(rules[0], state[0])
            reason = _LEGAL
            illegal_company = np.int64(0)
            for _ in range(rules[0].dispatches):
                order, _ = best_answer(
                    rules[0], state[0], seat, model, mix, model_params, params, streams[2], seed, namespace, memo
                )
                other = bot(rules[0], state[0], rival, bot_params, streams[rival])
                reason = illegality(rules[0], state[0], rival, other)
                if reason != _LEGAL:
                    illegal_company = rival
                    break
                if swap == 0:
                    resolve_dispatch(rules[0], state[0], order, other, None)
                else:
                    resolve_dispatch(rules[0], state[0], other, order, None)
            write_end(state[0], reason, illegal_company, row)
            row[_DRAWS] = draws(streams[0])
            row[_DRAWS + 1] = draws(streams[1])
