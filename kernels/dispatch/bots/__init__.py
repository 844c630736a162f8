"""The shipped bots and the `@bot` decorator that makes one of a function.

A bot is one function::

    @bot(params={"noise": Parameter(3.0, 0.0, 100.0, "…")}, mirror_fair=True)
    def clever(rules, state, c, params, stream):
        ...
        return pack_order(train, reverse, toggle, invest)

`rules` and `state` are the records of `kernels.dispatch.layout`, `c` is the company that orders (0 is A), `params` are
the parameters as float64 in the order declared, and `stream` is the bot's own luck (`kernels.random`). It returns one
packed int64 order, may read all that is in `rules` and `state`, writes to nothing but `stream`, and never raises.
"""

from kernels.dispatch.bots.decorator import Bot, Parameter, bot
from kernels.dispatch.bots.greedy import greedy
from kernels.dispatch.bots.saboteur import saboteur
from kernels.dispatch.bots.thinking import equilibrium, planner
from kernels.dispatch.bots.uniform import random

__all__ = ["SHIPPED", "Bot", "Parameter", "bot"]

SHIPPED: dict[str, Bot] = {b.name: b for b in (random, greedy, saboteur, planner, equilibrium)}
"""Shipped bots by name, weak to strong."""
