"""Packed orders, and which of them are legal (rules 3.1, 3.2).

An order is one int64: bit 0 the train, bit 1 set for reverse, bits 2 to 8 the junction to toggle plus one (0: none),
bits 9 to 15 the investment (an `Invest`; a siding is `Invest.SIDING + junction`). Higher bits are 0.
"""

import numpy as np

from kernels.codes import NO_COST, Illegal, Invest
from kernels.jit import helper

__all__ = [
    "illegality",
    "invest_of",
    "pack_order",
    "reverse_of",
    "toggle_field",
    "toggle_mask",
    "toggle_of",
    "train_of",
]

_NONE = int(Invest.NONE)
_SIDING = int(Invest.SIDING)
_LEGAL = int(Illegal.NO)
_MALFORMED = int(Illegal.MALFORMED)
_UNKNOWN_JUNCTION = int(Illegal.UNKNOWN_JUNCTION)
_NOT_ON_OFFER = int(Illegal.NOT_ON_OFFER)
_ALREADY_UPGRADED = int(Illegal.ALREADY_UPGRADED)
_ALREADY_OWNED = int(Illegal.ALREADY_OWNED)
_TOO_EXPENSIVE = int(Illegal.TOO_EXPENSIVE)


@helper
def pack_order(train, reverse, toggle, invest):  # type: ignore[no-untyped-def]
    """One int64 of: train 0 or 1; reverse 0 or 1; junction to toggle or `NO_TOGGLE`; an `Invest` (+ junction)."""
    return np.int64(train) | (np.int64(reverse) << 1) | ((np.int64(toggle) + 1) << 2) | (np.int64(invest) << 9)


@helper
def train_of(order):  # type: ignore[no-untyped-def]
    """Index of the company's own train that moves: 0 or 1."""
    return order & 1


@helper
def reverse_of(order):  # type: ignore[no-untyped-def]
    """1 when the train's first tick goes back along the track it arrived on."""
    return (order >> 1) & 1


@helper
def toggle_field(order):  # type: ignore[no-untyped-def]
    """The junction to toggle plus one; 0: none."""
    return (order >> 2) & 127


@helper
def toggle_of(order):  # type: ignore[no-untyped-def]
    """The junction to toggle, or `NO_TOGGLE`."""
    return toggle_field(order) - 1


@helper
def toggle_mask(order):  # type: ignore[no-untyped-def]
    """The junction to toggle as a bit of `state.routes`; 0: none."""
    return (np.int64(1) << toggle_field(order)) >> 1


@helper
def invest_of(order):  # type: ignore[no-untyped-def]
    """The investment: an `Invest`, a siding being `Invest.SIDING + junction`."""
    return (order >> 9) & 127


@helper
def illegality(rules, state, c, order):  # type: ignore[no-untyped-def]
    """Why company c may not give this order (an `Illegal`); `Illegal.NO` when it may (rules 3.1 to 3.3)."""
    if order >> 16 != 0:
        return _MALFORMED
    if toggle_field(order) > rules.n_junctions:
        return _UNKNOWN_JUNCTION
    invest = invest_of(order)
    if invest == _NONE:
        return _LEGAL
    cash = state.cash_dollars[np.uint64(c)]
    if invest < _SIDING:
        cost = rules.upgrade_cost_dollars
        if cost == NO_COST:
            return _NOT_ON_OFFER
        if (state.upgraded[np.uint64(c)] >> (invest - 1)) & 1:
            return _ALREADY_UPGRADED
    else:
        junction = invest - _SIDING
        if junction >= rules.n_junctions:
            return _UNKNOWN_JUNCTION
        cost = rules.siding_cost_dollars
        if cost == NO_COST:
            return _NOT_ON_OFFER
        if (state.sidings[np.uint64(c)] >> junction) & 1:
            return _ALREADY_OWNED
    if cost > cash:
        return _TOO_EXPENSIVE
    return _LEGAL
