"""What the mainline kernels read and write: `Rules` (read only), `State` (one day), rows of days.

Axes: `s` slot of the Division, from the west; `t` train, by number; `k` kind of card; `h` Home card of the hand, by
Stage and then as written; `i` card of the deck. Slot s lies between place s and place s + 1: place 0 is the western
Division Point, the last one the eastern, those between are the Offices.
"""

import numpy as np
from numba import from_dtype

from kernels.mainline.codes import N_COLUMNS, N_HOME, N_LAYINGS

__all__ = [
    "MAX_DECK",
    "MAX_HAND",
    "MAX_KINDS",
    "MAX_NUMBER",
    "MAX_SLOTS",
    "MAX_STAGES",
    "MAX_TRAINS",
    "PER_KIND",
    "RULES_DTYPE",
    "RULES_VERSION",
    "STATE_DTYPE",
    "new_rules",
    "new_state",
    "row_width",
]

RULES_VERSION = "mainline/1"
"""Changes only when the behaviour of the game changes."""

MAX_SLOTS = 10
MAX_TRAINS = 64
MAX_KINDS = 32
MAX_DECK = 128
MAX_HAND = 64
MAX_STAGES = 10_000
MAX_NUMBER = 9_999
"""Highest number of a train."""

RULES_DTYPE = np.dtype(
    [
        ("n_slots", np.int64),
        ("n_kinds", np.int64),
        ("n_deck", np.int64),
        ("n_trains", np.int64),
        ("n_hand", np.int64),
        ("policy", np.int64),  # a Policy
        ("admit_below", np.int64),  # a draw of 32 bits below this admits
        ("collision_delay_stages", np.int64),
        ("max_stages", np.int64),
        ("deck", np.int64, (MAX_DECK,)),  # [i]: kind of each card
        ("deal", np.int64, (MAX_SLOTS,)),  # [s]: the fixed kind; NO_KIND: dealt
        ("up", np.int64, (MAX_SLOTS,)),  # [s]: a fixed Direction, or DRAWN
        ("regions", np.int64, (MAX_KINDS,)),  # [k]
        ("holds_trains", np.int64, (MAX_KINDS,)),  # [k]: before it is full, the siding included
        ("back_regions", np.int64, (MAX_KINDS,)),  # [k]: 1 with a back region
        ("fast_regions", np.int64, (MAX_KINDS,)),  # [k]: how far along a fast train starts
        ("is_grade", np.int64, (MAX_KINDS,)),
        ("has_siding", np.int64, (MAX_KINDS,)),
        ("has_extras", np.int64, (MAX_KINDS,)),  # Extras start there
        ("realigned", np.int64, (MAX_KINDS,)),  # [k]: kind after a Realignment, or NO_KIND
        ("number", np.int64, (MAX_TRAINS,)),  # [t], rising
        ("direction", np.int64, (MAX_TRAINS,)),
        ("speed", np.int64, (MAX_TRAINS,)),
        ("is_extra", np.int64, (MAX_TRAINS,)),
        ("departs_first", np.int64, (MAX_TRAINS,)),  # [t]: first Stage that may be drawn
        ("departs_last", np.int64, (MAX_TRAINS,)),
        ("hand_card", np.int64, (MAX_HAND,)),  # [h]: a Home
        ("hand_stage", np.int64, (MAX_HAND,)),
        ("hand_slot", np.int64, (MAX_HAND,)),  # [h]: a slot, or NO_SLOT for the first legal one
    ],
    align=True,
)
RULES_TYPE = from_dtype(RULES_DTYPE)

STATE_DTYPE = np.dtype(
    [
        # The Division as dealt.
        ("dealt", np.int64, (MAX_SLOTS,)),  # [s]: kind
        ("up", np.int64, (MAX_SLOTS,)),  # [s]: a Direction, also where no grade lies
        ("departs", np.int64, (MAX_TRAINS,)),
        ("extra_slot", np.int64),  # where Extras start, or NO_SLOT
        ("deck", np.int64, (MAX_DECK,)),  # scratch of the deal
        # The day.
        ("stage", np.int64),
        ("kind", np.int64, (MAX_SLOTS,)),  # [s]: of the card that lies there now
        ("modifiers", np.int64, (MAX_SLOTS,)),  # [s], bit of a Home: it lies on the card
        ("n_on", np.int64, (MAX_SLOTS,)),  # trains on the card
        ("stopped_until", np.int64, (MAX_SLOTS,)),  # last Stage in which a collision stops all on the card
        ("jammed", np.int64, (MAX_SLOTS,)),  # 1: nobody enters until the card is empty
        ("status", np.int64, (MAX_TRAINS,)),
        ("slot", np.int64, (MAX_TRAINS,)),  # on it, or before it
        ("region", np.int64, (MAX_TRAINS,)),
        ("in_siding", np.int64, (MAX_TRAINS,)),
        ("order", np.int64, (MAX_TRAINS,)),  # entries of the day before this one's
        ("came", np.int64, (MAX_TRAINS,)),  # Stage in which it came to where it waits
        ("entry", np.int64, (MAX_TRAINS,)),
        ("held_here", np.int64, (MAX_TRAINS,)),  # Stages held before the card it is on
        ("held", np.int64, (MAX_TRAINS,)),
        ("arrival", np.int64, (MAX_TRAINS,)),
        ("started", np.int64, (MAX_TRAINS,)),  # 1: an Extra that has entered its first card
        ("queue", np.int64, (MAX_TRAINS,)),  # waiting trains in the common order
        ("n_queue", np.int64),
        ("n_out", np.int64),  # trains that have yet to arrive
        ("n_entries", np.int64),
        ("next_card", np.int64),  # of the hand
        ("n_answered", np.int64),
        ("lacks_answer", np.int64),  # 1: an answer was asked for that was not there
        # Counts.
        ("collisions", np.int64),
        ("lost_stages", np.int64, (MAX_SLOTS,)),  # [s]: over finished crossings
        ("layings", np.int64, (N_HOME, N_LAYINGS)),  # Home cards by what became of them
        ("crossing_stages", np.int64, (MAX_KINDS, 2, 2)),  # [k, direction, speed]: over finished crossings
        ("crossings", np.int64, (MAX_KINDS, 2, 2)),
        # Of the day that others are compared with.
        ("base_arrival", np.int64, (MAX_TRAINS,)),  # 0: it did not arrive
    ],
    align=True,
)
STATE_TYPE = from_dtype(STATE_DTYPE)

PER_KIND = 9
"""Columns of a kind: cards dealt; Stages of finished crossings by direction and class; their numbers likewise."""


def row_width(n_kinds: int) -> int:
    """Columns of a row: `codes.Column`; by slot the card (kind + 1) and its up (Direction + 1), 0 for none; layings
    [home, laying]; then those of each kind.
    """
    return N_COLUMNS + 2 * MAX_SLOTS + N_HOME * N_LAYINGS + PER_KIND * n_kinds


def new_rules() -> np.recarray:
    """One blank `Rules`, shape (1,); the lowering of the game fills it."""
    return np.zeros(1, RULES_DTYPE).view(np.recarray)


def new_state() -> np.recarray:
    """One blank `State`, shape (1,); `deal.deal_division` and `traffic.play_day` fill it."""
    return np.zeros(1, STATE_DTYPE).view(np.recarray)
