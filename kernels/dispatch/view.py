"""Reading the board: small look-ups shared by the rules and by bots.

All return int64. Indices are cast to uint64, which spares Python's negative-index wrap-around; they must be in range.
"""

import numpy as np

from kernels.jit import helper

__all__ = [
    "destination",
    "distance",
    "exit_arc",
    "has_siding",
    "is_junction",
    "next_arc",
    "node_of",
    "reward",
    "route_at",
]


@helper
def node_of(rules, arc):  # type: ignore[no-untyped-def]
    """The node at which a train stands that last ran along `arc`."""
    return np.int64(rules.head[np.uint64(arc)])


@helper
def is_junction(rules, node):  # type: ignore[no-untyped-def]
    """Whether a node is a junction; its junction number is then the node's (rules 1.1)."""
    return node < rules.n_junctions


@helper
def route_at(routes, node):  # type: ignore[no-untyped-def]
    """0 where the switch of a junction stands on Route 1, 1 on Route 2; a terminal's is without effect (rules 1.3)."""
    return (routes >> (node & 63)) & 1


@helper
def exit_arc(rules, arc, route):  # type: ignore[no-untyped-def]
    """The arc that a forward train takes next, by the route of the switch before it (rules 1.3, 1.4)."""
    return np.int64(rules.exit[np.uint64(arc), np.uint64(route)])


@helper
def next_arc(rules, routes, arc, reverse):  # type: ignore[no-untyped-def]
    """The arc that a train takes next: back along its track, or forward by the switch where it stands (rules 4.3)."""
    if reverse:
        return arc ^ 1
    return exit_arc(rules, arc, route_at(routes, node_of(rules, arc)))


@helper
def distance(rules, node, other):  # type: ignore[no-untyped-def]
    """Tracks on the shortest way between two nodes, switches ignored."""
    return np.int64(rules.distance_tracks[np.uint64(node), np.uint64(other)])


@helper
def destination(rules, state, c, t):  # type: ignore[no-untyped-def]
    """The node where a train's cargo is to be delivered (rules 2.3, 2.4)."""
    return np.int64(
        rules.cargo_node[np.uint64(c), np.uint64(t), np.uint64(state.cargo_item[np.uint64(c), np.uint64(t)])]
    )


@helper
def reward(rules, state, c, t):  # type: ignore[no-untyped-def]
    """What a train's cargo earns, in points and in dollars (rules 2.3, 2.4)."""
    return np.int64(
        rules.cargo_reward[np.uint64(c), np.uint64(t), np.uint64(state.cargo_item[np.uint64(c), np.uint64(t)])]
    )


@helper
def has_siding(state, c, junction):  # type: ignore[no-untyped-def]
    """Whether company c owns a siding at a junction (rules 3.2)."""
    return (state.sidings[np.uint64(c)] >> junction) & 1
