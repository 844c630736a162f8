"""The luck of a deal: cards, orientations and departures, each from a stream of its own (rules 1.2, 1.3, 3.4).

What is drawn depends on the seed and the deal's number alone: the cards on the deck and the number of slots, an
orientation on its slot, a departure on the train's number and range. No policy, hand or other train moves it.
"""

import numpy as np

from kernels.jit import helper
from kernels.mainline.codes import DRAWN, NO_KIND, NO_SLOT
from kernels.random import Purpose, below, draw32, draw_at, seek

__all__ = ["deal_division"]

_DEAL = int(Purpose.DEAL)
_ORIENTATION = int(Purpose.ORIENTATION)
_DEPARTURES = int(Purpose.DEPARTURES)
_NO_SLOT = NO_SLOT
_NO_KIND = NO_KIND
_DRAWN = DRAWN


@helper
def deal_division(rules, state, stream, seed, namespace, pair):  # type: ignore[no-untyped-def]
    """Deal the Division of one day into `state`: cards, orientations, departures, and where Extras start."""
    seek(stream, seed, namespace, _DEAL, 0, pair)
    for i in range(rules.n_deck):
        state.deck[np.uint64(i)] = rules.deck[np.uint64(i)]
    for s in range(rules.n_slots):
        slot = np.uint64(s)
        if rules.deal[slot] != _NO_KIND:
            state.dealt[slot] = rules.deal[slot]
        else:
            place = np.uint64(s + below(stream, rules.n_deck - s))
            state.dealt[slot] = state.deck[place]
            state.deck[place] = state.deck[slot]
    seek(stream, seed, namespace, _ORIENTATION, 0, pair)
    bits = draw32(stream)
    state.extra_slot = _NO_SLOT
    for s in range(rules.n_slots):
        slot = np.uint64(s)
        state.up[slot] = (bits >> (31 - s)) & 1 if rules.up[slot] == _DRAWN else rules.up[slot]
        if state.extra_slot == _NO_SLOT and rules.has_extras[np.uint64(state.dealt[slot])] == 1:
            state.extra_slot = s
    seek(stream, seed, namespace, _DEPARTURES, 0, pair)
    for t in range(rules.n_trains):
        train = np.uint64(t)
        first, last = rules.departs_first[train], rules.departs_last[train]
        state.departs[train] = first
        if last > first:
            state.departs[train] += (draw_at(stream, rules.number[train]) * (last - first + 1)) >> 32
