"""Where a train starts on a card, and what Home cards may lie on it (rules 2.2 and 4)."""

import numpy as np

from kernels.jit import helper
from kernels.mainline.codes import NO_KIND, Home, Laying, Speed

__all__ = ["laying_of", "start_region"]

_FAST = int(Speed.FAST)
_BRAKEMAN = int(Home.BRAKEMAN)
_AIRBRAKES = int(Home.AIRBRAKES)
_HELPERS = int(Home.HELPERS)
_REALIGNMENT = int(Home.REALIGNMENT)
_LAID = int(Laying.LAID)
_WRONG_CARD = int(Laying.WRONG_CARD)
_ALREADY_THERE = int(Laying.ALREADY_THERE)
_NO_BRAKEMAN = int(Laying.NO_BRAKEMAN)
_OCCUPIED = int(Laying.OCCUPIED)
_NO_KIND = NO_KIND


@helper
def start_region(rules, state, t, s):  # type: ignore[no-untyped-def]
    """The region in which train `t`, running through, starts on the card in slot `s` (rules 2.2 a to c).

    Crossing then takes `regions - start` Stages, at least one: a start region never lies past the last region. Nothing
    but a back region, a fast train's head start and the modifiers of a grade is read; the printed speed is not known.
    """
    slot = np.uint64(s)
    train = np.uint64(t)
    kind = np.uint64(state.kind[slot])
    start = rules.back_regions[kind]
    if rules.speed[train] == _FAST:
        start += rules.fast_regions[kind]
    if rules.is_grade[kind] == 1:
        lie = state.modifiers[slot]
        if rules.direction[train] == state.up[slot]:  # it climbs
            start += (lie >> _HELPERS) & 1
        else:
            start += ((lie >> _BRAKEMAN) & 1) + ((lie >> _AIRBRAKES) & 1)
    return min(start, rules.regions[kind] - 1)


@helper
def laying_of(rules, state, home, s):  # type: ignore[no-untyped-def]
    """Whether a Home card may be laid on slot `s` now: `Laying.LAID`, or the first reason against it (rules 4)."""
    slot = np.uint64(s)
    kind = np.uint64(state.kind[slot])
    if home == _REALIGNMENT:
        if rules.realigned[kind] == _NO_KIND:
            return _WRONG_CARD
        return _OCCUPIED if state.n_on[slot] > 0 else _LAID
    if rules.is_grade[kind] == 0:
        return _WRONG_CARD
    lie = state.modifiers[slot]
    if (lie >> home) & 1:
        return _ALREADY_THERE
    if home == _AIRBRAKES and (lie >> _BRAKEMAN) & 1 == 0:
        return _NO_BRAKEMAN
    return _LAID
