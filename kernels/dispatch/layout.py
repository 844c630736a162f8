"""What the dispatch kernels read and write: `Rules` (read only), `State` (one match), rows of outcomes.

Axes: `m` match, `d` dispatch, `c` company (0 is A), `t` train (0 and 1), `n` node, `a` arc, `j` junction, `k` item of
a schedule. Nodes are numbered junctions first, in code-point order of their labels, then terminals likewise.

A train is the **arc** that it last ran along. The two directions of track e are the arcs 2e and 2e + 1, so reverse is
`arc ^ 1`, forward is `exit[arc, route]`, position is `head[arc]`, and two trains swap nodes when
`next_a == next_b ^ 1`. Sets of junctions (switches on Route 2, sidings) are bits of an int64.

Both records are structured numpy scalars and not tuples of arrays: a bot is called through a function pointer, and a
record travels as one pointer where a tuple of arrays would be copied onto the stack field by field. Their sizes are
the limits of rules 8: 62 junctions make at most 126 nodes and 125 tracks, 1,000 dispatches at most 1,002 items.
"""

import numpy as np
from numba import from_dtype

__all__ = [
    "MAX_ARCS",
    "MAX_DISPATCHES",
    "MAX_ITEMS",
    "MAX_JUNCTIONS",
    "MAX_NODES",
    "RULES_DTYPE",
    "RULES_VERSION",
    "STATE_DTYPE",
    "new_rules",
    "new_state",
]

RULES_VERSION = "dispatch/1"
"""Changes only when the behaviour of the game changes."""

MAX_JUNCTIONS = 62
MAX_NODES = 128
MAX_ARCS = 256
MAX_DISPATCHES = 1000
MAX_ITEMS = 1024

RULES_DTYPE = np.dtype(
    [
        ("n_junctions", np.int64),
        ("n_nodes", np.int64),
        ("n_arcs", np.int64),
        ("dispatches", np.int64),
        ("starting_cash_dollars", np.int64),
        ("income_dollars", np.int64),
        ("upgrade_cost_dollars", np.int64),  # NO_COST: not on offer
        ("siding_cost_dollars", np.int64),  # NO_COST: not on offer
        ("upgraded_speed_ticks", np.int64),
        ("toll_dollars", np.int64),
        ("cargo_scope", np.int64),  # a CargoScope
        ("start_routes", np.int64),  # bit j: junction j starts on Route 2
        ("start_arc", np.int64, (2, 2)),  # [c, t]
        ("head", np.uint8, (MAX_ARCS,)),  # [a]: the node that the arc leads to
        ("exit", np.uint8, (MAX_ARCS, 2)),  # [a, route]: the next arc of a forward train
        ("distance_tracks", np.uint8, (MAX_NODES, MAX_NODES)),  # [n, n]: shortest way over tracks, switches ignored
        ("cargo_node", np.uint8, (2, 2, MAX_ITEMS)),  # [c, t, k]: destination of item k, the schedule unrolled
        ("cargo_reward", np.int16, (2, 2, MAX_ITEMS)),  # [c, t, k]: points and dollars of item k
        ("mirror_node", np.uint8, (MAX_NODES,)),  # [n]
        (
            "own_junction",
            np.uint8,
            (2, 64),
        ),  # [c, i]: the i-th junction as company c counts them (B: through the mirror)
        ("own_toggle", np.uint8, (2, 64)),  # [c, i]: toggle field of an order for it (plus one); beyond the last: none
        ("fan", np.uint8, (MAX_NODES, 4)),  # [n, i]: arcs that leave the node; [n, 3] is how many there are (1 or 3)
    ],
    align=True,
)
RULES_TYPE = from_dtype(RULES_DTYPE)

STATE_DTYPE = np.dtype(
    [
        # Public to both companies (rules 3.4).
        ("dispatch", np.int64),  # the one being ordered, from 1
        ("routes", np.int64),  # bit j: junction j stands on Route 2
        ("sidings", np.int64, (2,)),  # [c], bit j: company c owns a siding at junction j
        ("cash_dollars", np.int64, (2,)),  # [c]
        ("points", np.int64, (2,)),  # [c]
        ("arc", np.int64, (2, 2)),  # [c, t]
        ("upgraded", np.int64, (2,)),  # [c], bit t: train t is upgraded
        ("cargo_item", np.int64, (2, 2)),  # [c, t]: index of the cargo on board in cargo_node, cargo_reward
        ("next_item", np.int64, (2,)),  # [c]: next of the common queue (cargo scope company)
        ("last_order", np.int64, (2,)),  # [c]: packed orders of the dispatch before; 0 before the first
        ("last_stopped", np.int64),  # 1: the dispatch before ended in a head-on or junction conflict
        # Counts of past events.
        ("deliveries", np.int64, (2,)),  # [c]
        ("upgrades", np.int64, (2,)),
        ("n_sidings", np.int64, (2,)),
        ("stuck", np.int64, (2,)),
        ("idle", np.int64, (2,)),
        ("tolls_dollars", np.int64, (2,)),  # [c]: paid by c
        ("head_ons", np.int64),
        ("junction_conflicts", np.int64),
        ("shared_arrivals", np.int64),
        ("cancelled_toggles", np.int64),
    ],
    align=True,
)
STATE_TYPE = from_dtype(STATE_DTYPE)


def new_rules() -> np.recarray:
    """One blank `Rules`, shape (1,); `sim.lowering` fills it."""
    return np.zeros(1, RULES_DTYPE).view(np.recarray)


def new_state() -> np.recarray:
    """One blank `State`, shape (1,); `match.reset` starts a match in it."""
    return np.zeros(1, STATE_DTYPE).view(np.recarray)
