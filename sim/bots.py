"""What a bot of one's own is made of, in one place: ``from sim.bots import bot, pack_order, …``.

A bot is a function of (rules, state, c, params, stream) with `@bot` above it that returns a packed order; docs/bots.md
says what they are and what the board looks like.

To declare
    `bot` makes a bot of a function (a `Bot`), `Parameter` is a number or word that a scenario may set, and `helper`
    compiles a function that bots call.
To order
    `pack_order`; `NO_TOGGLE`, `Invest` and `Move` are what it takes; `illegality` is 0 for a legal order.
To look things up
    `node_of`, `is_junction`, `route_at`, `exit_arc`, `next_arc`, `distance`, `destination`, `reward`, `has_siding`;
    `Company`, `Route` and `CargoScope` name numbers of the board, `NO_COST` is the price of what is not on offer.
To draw
    `draw32`, `below`, `below_both`; luck from anywhere else breaks replay.
"""

from kernels.codes import NO_COST, NO_TOGGLE, CargoScope, Company, Invest, Move, Route
from kernels.dispatch.bots import Bot, Parameter, bot
from kernels.dispatch.orders import illegality, pack_order
from kernels.dispatch.view import (
    destination,
    distance,
    exit_arc,
    has_siding,
    is_junction,
    next_arc,
    node_of,
    reward,
    route_at,
)
from kernels.jit import helper
from kernels.random import below, below_both, draw32

__all__ = [
    "NO_COST",
    "NO_TOGGLE",
    "Bot",
    "CargoScope",
    "Company",
    "Invest",
    "Move",
    "Parameter",
    "Route",
    "below",
    "below_both",
    "bot",
    "destination",
    "distance",
    "draw32",
    "exit_arc",
    "has_siding",
    "helper",
    "illegality",
    "is_junction",
    "next_arc",
    "node_of",
    "pack_order",
    "reward",
    "route_at",
]
