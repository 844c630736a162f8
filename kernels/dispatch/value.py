"""What a position is worth: a table of expected points, prepared once a run, and its use at a leaf.

For every train, speed, place in its schedule and arc the table holds the points to be expected in r further moves of
that train, r from 0 to the horizon. They solve a small decision process: the train goes to its destinations, chooses
its exits and may reverse, but a forward exit is missed with some chance (a hostile toggle), more or less often on
later ticks, and a dispatch is lost with some chance (a conflict). Without these chances the same table plays worse
than a bot that only disturbs: a way that depends on a switch is not worth its length.

A table is one int32 array in fixed point (`UNITS` a point), so that the best split of the moves between two trains is
a reduction over two short rows. It lies behind a bot's parameters as float64 words (`table_words`).
"""

import numpy as np
from numba import float64, from_dtype, int32, int64, types, void

from kernels.codes import NO_COST
from kernels.dispatch.layout import RULES_DTYPE
from kernels.dispatch.view import exit_arc, is_junction, node_of
from kernels.jit import entry, helper, routine

__all__ = ["UNITS", "best_split", "company_units", "leaf", "new_memo", "prepare_table", "row_of", "table_of"]

UNITS = 256
"""Fixed point: units of the table in a point."""

NEVER = 127  # dispatches to wait for what is never bought
SLOTS = 32
HEADER = 16  # int32 words before the rows
MAX_WORDS = 1 << 24  # 64 MiB: beyond, the horizon is shortened

_RULES = types.Array(from_dtype(RULES_DTYPE), 1, "C", readonly=True)


@entry(void(_RULES, int64[:, ::1], int64, float64, float64, float64, int32[::1]))
def fill_table(rules_array, places, horizon, miss_prob, later_miss_prob, lost_prob, table):  # type: ignore[no-untyped-def]
    """Fill `table`, int32, of header and rows, in place.

    Parameters
    ----------
    places
        int64 [c, t]: places of each train's schedule after which destinations and rewards repeat.
    horizon
        Largest number of further moves r.
    miss_prob, later_miss_prob
        Chance that a forward train's exit at a junction is the other one, on its first and on later ticks.
    lost_prob
        Chance that a dispatch does not move the train.
    """
    rules = rules_array[0]
    n_arcs = rules.n_arcs
    width = horizon + 1
    step = 2 if rules.cargo_scope == 1 else 1  # of a common queue a train gets about every second item
    table[0] = horizon
    table[1] = n_arcs
    offset = np.int64(HEADER)
    now = np.empty(n_arcs, np.float64)
    tick = np.empty(n_arcs, np.float64)
    for c in range(2):
        for t in range(2):
            table[2 + 2 * c + t] = offset
            table[6 + 2 * c + t] = places[c, t]
            n_places = places[c, t]
            # expected[place, arc] after r - 1 and after r moves
            for fast in range(2):
                ticks = rules.upgraded_speed_ticks if fast == 1 else np.int64(1)
                before = np.zeros((n_places, n_arcs), np.float64)
                after = np.zeros((n_places, n_arcs), np.float64)
                for r in range(width):
                    for place in range(n_places):
                        to = np.int64(rules.cargo_node[c, t, place])
                        earned = np.float64(rules.cargo_reward[c, t, place])
                        following = (place + step) % n_places
                        if r > 0:
                            for left in range(ticks):
                                # now[a]: worth of having run along a with `left` more ticks
                                for a in range(n_arcs):
                                    if node_of(rules, a) == to:
                                        now[a] = earned + before[following, a]
                                    elif left == 0:
                                        now[a] = before[place, a]
                                    else:
                                        now[a] = tick[a]
                                miss = miss_prob if left == ticks - 1 else later_miss_prob
                                for a in range(n_arcs):
                                    one = now[exit_arc(rules, a, 0)]
                                    other = now[exit_arc(rules, a, 1)]
                                    best = max(one, other)
                                    if is_junction(rules, node_of(rules, a)):
                                        best = (1.0 - miss) * best + miss * min(one, other)
                                    tick[a] = best
                            for a in range(n_arcs):
                                moved = max(tick[a], now[a ^ 1])
                                after[place, a] = (1.0 - lost_prob) * moved + lost_prob * before[place, a]
                        for a in range(n_arcs):
                            row = offset + ((place * 2 + fast) * n_arcs + a) * width
                            table[row + r] = np.int32(np.int64(after[place, a] * UNITS + 0.5))
                    for place in range(n_places):
                        for a in range(n_arcs):
                            before[place, a] = after[place, a]
            offset += n_places * 2 * n_arcs * width


def prepare_table(rules, miss_prob, later_miss_prob, lost_prob, longest=64):  # type: ignore[no-untyped-def]
    """The table of a scenario as float64 words, to lie behind a bot's parameters.

    Parameters
    ----------
    rules
        `Rules`, shape (1,).
    longest
        Horizon where the match is longer.
    """
    record = rules[0]
    dispatches = int(record.dispatches)
    places = np.array([[_period(record, c, t, dispatches + 1) for t in range(2)] for c in range(2)], np.int64)
    rows = int(places.sum()) * 2 * int(record.n_arcs)
    horizon = max(1, min(dispatches, longest, (MAX_WORDS - HEADER) // rows - 1))
    size = HEADER + rows * (horizon + 1)
    table = np.zeros(size + size % 2, np.int32)
    fill_table(rules, places, horizon, miss_prob, later_miss_prob, lost_prob, table)
    return table.view(np.float64)


def _period(record, c, t, longest):  # type: ignore[no-untyped-def]
    """After how many items a train's unrolled schedule repeats; `longest` where no match sees it repeat."""
    nodes = record.cargo_node[c, t]
    rewards = record.cargo_reward[c, t]
    for period in range(1, longest):
        if (nodes[period:] == nodes[:-period]).all() and (rewards[period:] == rewards[:-period]).all():
            return period
    return longest


@helper
def table_of(params, index):  # type: ignore[no-untyped-def]
    """The int32 table that lies at an index of a bot's parameters."""
    return params[index:].view(np.int32)


@helper
def row_of(table, c, t, fast, item, arc):  # type: ignore[no-untyped-def]
    """Index of the row of a train: its entry r stands at the index plus r."""
    i = 2 * c + t
    place = item % np.int64(table[np.uint64(6 + i)])
    return np.int64(table[np.uint64(2 + i)]) + ((place * 2 + fast) * np.int64(table[np.uint64(1)]) + arc) * (
        np.int64(table[np.uint64(0)]) + 1
    )


@helper
def best_split(table, row, other, moves):  # type: ignore[no-untyped-def]
    """Units to be expected when `moves` are split between two trains in the best way."""
    best = np.int32(0)
    for r in range(moves + 1):
        best = max(best, table[np.uint64(row + r)] + table[np.uint64(other + moves - r)])
    return np.int64(best)


@helper
def wait_for_upgrade(rules, state, c, may_upgrade):  # type: ignore[no-untyped-def]
    """Dispatches until income alone has paid for an upgrade, 0 when it can be bought now; NEVER when it will not be."""
    i = np.uint64(c)
    cost = rules.upgrade_cost_dollars
    if may_upgrade & ~state.upgraded[i] & 3 == 0 or cost == NO_COST:
        return np.int64(NEVER)
    missing = cost - state.cash_dollars[i]
    income = rules.income_dollars
    if missing <= 0:
        return np.int64(0)
    if income == 0:
        return np.int64(NEVER)
    return min(np.int64(NEVER), missing if income == 1 else (missing + income - 1) // income)


@routine
def company_units(rules, state, c, table, moves, may_upgrade, wait):  # type: ignore[no-untyped-def]
    """Units that a company may expect in so many further dispatches, an upgrade that it can still buy included.

    An upgrade that has to be saved for counts for the dispatches that are left after `wait`. `may_upgrade` is bits of
    the trains that the company would upgrade at all.
    """
    i = np.uint64(c)
    horizon = np.int64(table[0])
    seen = min(moves, horizon)
    upgraded = state.upgraded[i]
    row_0 = row_of(table, c, 0, upgraded & 1, state.cargo_item[i, 0], state.arc[i, 0])
    row_1 = row_of(table, c, 1, (upgraded >> 1) & 1, state.cargo_item[i, 1], state.arc[i, 1])
    units = best_split(table, row_0, row_1, seen)
    if wait < seen:
        open_bits = may_upgrade & ~upgraded & 3
        stay = units if wait == 0 else best_split(table, row_0, row_1, seen - wait)
        width = (horizon + 1) * np.int64(table[1])
        gain = np.int64(0)
        if open_bits & 1:
            gain = max(gain, best_split(table, row_0 + width, row_1, seen - wait) - stay)
        if open_bits & 2:
            gain = max(gain, best_split(table, row_0, row_1 + width, seen - wait) - stay)
        units += gain
    if moves > seen:
        units += units * (moves - seen) // seen
    return units


@helper
def new_memo():  # type: ignore[no-untyped-def]
    """Room to remember what companies may expect: keys and units, int64 [2, SLOTS]; of one dispatch only."""
    memo = np.empty((2, 2 * SLOTS), np.int64)
    for slot in range(2 * SLOTS):
        memo[0, slot] = -1
    return memo


@helper
def remembered_units(rules, state, c, table, moves, may_upgrade, memo):  # type: ignore[no-untyped-def]
    """`company_units`, looked up where it was found before.

    Of the many pairs of orders that are tried in a dispatch most leave a company in one of a few positions. A
    position is its arcs, cargoes, upgrades and the wait for the next one: 8 + 8 + 10 + 10 + 2 + 7 bits.
    """
    i = np.uint64(c)
    wait = wait_for_upgrade(rules, state, c, may_upgrade)
    key = state.arc[i, 0] | (state.arc[i, 1] << 8) | (state.upgraded[i] << 16) | (wait << 18)
    key |= (state.cargo_item[i, 0] << 25) | (state.cargo_item[i, 1] << 35)
    # Folded to 20 bits first: a product that leaves int64 wraps only in compiled code.
    folded = (key ^ (key >> 20) ^ (key >> 40)) & 0xFFFFF
    slot = np.uint64((((folded * 40503) >> 12) & (SLOTS - 1)) | (c * SLOTS))
    if memo[0, slot] == key:
        return memo[1, slot]
    units = company_units(rules, state, c, table, moves, may_upgrade, wait)
    memo[0, slot] = key
    memo[1, slot] = units
    return units


@helper
def leaf(  # type: ignore[no-untyped-def]
    rules, state, c, table, may_upgrade, cash_worth, siding_worth, spread, spread_by_dispatch, memo
):
    """Worth of a position to company c, from -1 (lost) to 1 (won).

    The expected margin m is squashed to m / (|m| + spread + spread_by_dispatch * dispatches left); a dollar counts
    `cash_worth` points, a siding `siding_worth` points for each dispatch left. After the last dispatch: the result.
    """
    i = np.uint64(c)
    j = np.uint64(c ^ 1)
    moves = rules.dispatches - state.dispatch + 1
    points = state.points[i] - state.points[j]
    dollars = state.cash_dollars[i] - state.cash_dollars[j]
    if moves <= 0:
        if points == 0:
            points = dollars
        return np.float64(min(max(points, np.int64(-1)), np.int64(1)))
    units = remembered_units(rules, state, c, table, moves, may_upgrade, memo)
    units -= remembered_units(rules, state, c ^ 1, table, moves, np.int64(3), memo)
    margin = points + units / UNITS + cash_worth * dollars
    margin += siding_worth * moves * (state.n_sidings[i] - state.n_sidings[j])
    return margin / (abs(margin) + spread + spread_by_dispatch * moves)
