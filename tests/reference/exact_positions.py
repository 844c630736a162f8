"""Orders, states and positions of the exact solver, in numbers."""

from __future__ import annotations

from typing import NamedTuple


class Order(NamedTuple):
    """An order in numbers.

    `train` is 0 or 1, `reverse` 0 or 1, `toggle` a junction or -1, `invest` 0 for nothing, 1 or 2 for an upgrade of
    train 1 or 2, 3 + j for a siding at junction j. Junctions are numbered in code-point order.
    """

    train: int
    reverse: int
    toggle: int
    invest: int


class State(NamedTuple):
    """All that is public before a dispatch, but for the past. Pairs are [company], pairs of pairs [company][train].

    `routes` and `sidings` are bits by junction (set: Route 2), `arcs` are the tracks on which trains arrived (2e and
    2e + 1 are the two directions of track e of the map), `items` count cargoes from 0.
    """

    dispatch: int
    routes: int
    sidings: tuple[int, int]
    cash: tuple[int, int]
    points: tuple[int, int]
    arcs: tuple[tuple[int, int], tuple[int, int]]
    upgraded: tuple[int, int]
    items: tuple[tuple[int, int], tuple[int, int]]
    next_items: tuple[int, int]


class Part(NamedTuple):
    """What one company has."""

    arcs: tuple[int, int]
    items: tuple[int, int]
    next_item: int
    upgraded: int
    sidings: int
    cash: int


class Kind(NamedTuple):
    """An order without its toggle: who goes, what it costs, and the part as the investment leaves it."""

    train: int
    reverse: int
    invest: int
    bought: int  # number of the part
    price: int


class Position(NamedTuple):
    """A position as it is solved; `lead` is of A, in points, `a` and `b` are the numbers of the parts."""

    remaining: int
    routes: int
    lead: int
    surplus: int
    a: int
    b: int
