"""What a bot is forbidden or made to do: the same restrictions for every shipped bot.

They lie behind a bot's parameters (`Bot.memory`) as int64 words, `WORDS` for each company, since junctions and tracks
mean their mirror images in seat B. Functions take the words of both companies, or None: no restriction at all.
"""

import numpy as np
import numpy.typing as npt

from kernels.codes import Invest
from kernels.dispatch.layout import MAX_JUNCTIONS
from kernels.dispatch.view import exit_arc, node_of, route_at
from kernels.jit import helper

__all__ = [
    "SIZE",
    "WORDS",
    "add_purchase",
    "is_clear",
    "is_hostile",
    "is_restricted",
    "limits_of",
    "may_build",
    "may_toggle",
    "new_limits",
]

_NONE = int(Invest.NONE)
_SIDING = int(Invest.SIDING)

UPGRADES = 0  # bits of the trains that may be upgraded
BUILDING = 1  # bits of the junctions where a siding may be bought
TOGGLING = 2  # bits of the junctions that may be toggled
HOSTILE = 3  # 1: may toggle a switch that only the rival reads
N_AVOIDED = 4  # how many arcs are avoided
AVOIDED = 5  # 4 words, bits of the arcs that no train is ordered onto
N_FORCED = 9  # how many purchases are forced
FORCED = 10  # by `Invest` - 1: the dispatch from which it is bought; 0: not forced
WORDS = FORCED + 2 + MAX_JUNCTIONS
SIZE = 2 + 2 * WORDS
"""float64 words of restrictions behind a bot's parameters: one that is not 0 where there are any, a spare, and both
companies'."""


def new_limits() -> npt.NDArray[np.int64]:
    """No restriction: int64 [c, WORDS]."""
    limits = np.zeros((2, WORDS), np.int64)
    limits[:, UPGRADES] = 3
    limits[:, BUILDING] = (1 << MAX_JUNCTIONS) - 1
    limits[:, TOGGLING] = (1 << MAX_JUNCTIONS) - 1
    limits[:, HOSTILE] = 1
    return limits


def packed(limits: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """The restrictions as float64 [SIZE], to lie behind a bot's parameters."""
    head = np.array([float((limits != new_limits()).any()), 0.0])
    return np.concatenate([head, limits.reshape(-1).view(np.float64)])


@helper
def is_restricted(params, index):  # type: ignore[no-untyped-def]
    """Whether the restrictions that lie at an index of a bot's parameters restrict anything."""
    return params[np.uint64(index)] != 0.0


@helper
def limits_of(params, index):  # type: ignore[no-untyped-def]
    """The words of both companies, int64 [2 * WORDS], of the restrictions at an index of a bot's parameters."""
    return params[index + 2 : index + SIZE].view(np.int64)


@helper
def word(limits, c, k):  # type: ignore[no-untyped-def]
    """Word k of company c."""
    return limits[np.uint64(c * WORDS + k)]


@helper
def upgradable(limits, c):  # type: ignore[no-untyped-def]
    """Bits of the trains that company c may upgrade."""
    if limits is None:
        return np.int64(3)
    return word(limits, c, UPGRADES)


@helper
def may_build(limits, c, junction):  # type: ignore[no-untyped-def]
    """Whether company c may buy a siding at a junction."""
    if limits is None:
        return True
    return (word(limits, c, BUILDING) >> junction) & 1 == 1


@helper
def may_toggle(limits, c, junction):  # type: ignore[no-untyped-def]
    """Whether company c may toggle a junction."""
    if limits is None:
        return True
    return (word(limits, c, TOGGLING) >> junction) & 1 == 1


@helper
def is_hostile(limits, c):  # type: ignore[no-untyped-def]
    """Whether company c may toggle a switch for harm alone."""
    if limits is None:
        return True
    return word(limits, c, HOSTILE) == 1


@helper
def is_clear(rules, limits, c, routes, arc, reverse, ticks, to):  # type: ignore[no-untyped-def]
    """Whether a move of company c's keeps off the tracks that it avoids (it runs as `greedy.run_ahead` says)."""
    if limits is None:
        return True
    if word(limits, c, N_AVOIDED) == 0:
        return True
    for tick in range(ticks):
        if tick == 0 and reverse == 1:
            arc ^= 1
        else:
            arc = exit_arc(rules, arc, route_at(routes, node_of(rules, arc)))
        if (word(limits, c, AVOIDED + (arc >> 6)) >> (arc & 63)) & 1:
            return False
        if node_of(rules, arc) == to:
            break
    return True


@helper
def add_purchase(rules, state, c, limits, invest):  # type: ignore[no-untyped-def]
    """The purchase to make where `invest` is wanted: a forced one that is due and affordable goes before it.

    What is forced for a dispatch is not bought before it, by whatever a bot wants.
    """
    if limits is None:
        return invest
    if word(limits, c, N_FORCED) == 0:
        return invest
    i = np.uint64(c)
    cash = state.cash_dollars[i]
    if invest != _NONE and word(limits, c, FORCED + invest - 1) > state.dispatch:
        invest = np.int64(_NONE)
    for code in range(1, _SIDING + rules.n_junctions):
        due = word(limits, c, FORCED + code - 1)
        if due != 0 and due <= state.dispatch:
            if code < _SIDING:
                cost = rules.upgrade_cost_dollars
                owned = (state.upgraded[i] >> (code - 1)) & 1
            else:
                cost = rules.siding_cost_dollars
                owned = (state.sidings[i] >> (code - _SIDING)) & 1
            if owned == 0 and 0 <= cost <= cash:
                return np.int64(code)
    return invest
