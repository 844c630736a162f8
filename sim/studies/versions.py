"""Versions of a bot for value studies: the same bot with something forbidden, or something that it must buy.

What a bot is restricted to already stays; a purchase that a version forbids is no longer forced.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sim.catalogue import Player
from sim.config.errors import BadInput
from sim.config.network import network_of
from sim.config.scenario import RailMap
from sim.restrictions import Restrictions

__all__ = [
    "KINDS",
    "check_restrictable",
    "forced",
    "items_of",
    "keeping_off",
    "peaceful",
    "places_of",
    "without",
    "without_items",
]

KINDS = ("upgrade", "siding")
"""What can be bought."""

JUNCTION = "junction:"
TRACK = "track:"
ENDS = " - "

_ALLOWED = {"free": {"upgrade", "siding"}, "upgrade": {"upgrade"}, "siding": {"siding"}, "none": set[str]()}


def check_restrictable(players: Iterable[Player]) -> None:
    """Refuse bots that do not keep to restrictions."""
    for player in players:
        if not player.bot.restrictable:
            raise BadInput.of(
                f"bot {player.name} keeps to no restrictions, so that nothing can be forbidden to it; "
                "must be a shipped bot, or declared @bot(restrictable=True)"
            )


def items_of(kind: str, junctions: Iterable[str]) -> tuple[str, ...]:
    """The purchases of a kind, as `forbid` and `buy_at` write them."""
    return ("upgrade:1", "upgrade:2") if kind == "upgrade" else tuple(f"siding:{label}" for label in junctions)


def _named(player: Player, restrictions: Restrictions, words: str) -> Player:
    return replace(player, name=f"{player.name} {words}", restrictions=restrictions)


def without(player: Player, *kinds: str) -> Player:
    """The bot that may buy nothing of these kinds."""
    old = player.restrictions
    left = _ALLOWED[old.invest] - set(kinds)
    invest = next(word for word, allowed in _ALLOWED.items() if allowed == left)
    kept = tuple((item, dispatch) for item, dispatch in old.buy_at if item.partition(":")[0] not in kinds)
    return _named(player, replace(old, invest=invest, buy_at=kept), f"without {' and '.join(kinds)}")


def without_items(player: Player, items: Sequence[str]) -> Player:
    """The bot that may not make these purchases."""
    old = player.restrictions
    kept = tuple((one, dispatch) for one, dispatch in old.buy_at if one not in items)
    forbid = tuple(sorted({*old.forbid, *items}))
    return _named(player, replace(old, forbid=forbid, buy_at=kept), f"without {', '.join(items)}")


def forced(player: Player, item: str, dispatch: int) -> Player:
    """The bot that makes this purchase at a dispatch, or the first later one at which it is affordable, not before."""
    old = player.restrictions
    buy_at = tuple(sorted({**dict(old.buy_at), item: dispatch}.items()))
    forbid = tuple(one for one in old.forbid if one != item)
    return _named(player, replace(old, forbid=forbid, buy_at=buy_at), f"with {item} at {dispatch}")


def keeping_off(player: Player, place: str) -> Player:
    """The bot that keeps off a place (`places_of`): it neither toggles nor buys there, or orders no train onto it."""
    old = player.restrictions
    if place.startswith(JUNCTION):
        junctions = tuple(sorted({*old.avoid_junctions, place.removeprefix(JUNCTION)}))
        return _named(player, replace(old, avoid_junctions=junctions), f"off {place}")
    one, other = sorted(place.removeprefix(TRACK).split(ENDS))
    return _named(player, replace(old, avoid_tracks=tuple(sorted({*old.avoid_tracks, (one, other)}))), f"off {place}")


def places_of(rail_map: RailMap) -> tuple[str, ...]:
    """Junctions, and tracks that join two of them: a track to a terminal is how that is reached at all."""
    junctions = network_of(rail_map).junctions
    tracks = [track for track in rail_map.tracks if set(track) <= set(junctions)]
    return (*(f"{JUNCTION}{label}" for label in junctions), *(f"{TRACK}{ENDS.join(track)}" for track in tracks))


def peaceful(player: Player) -> Player:
    """The bot that toggles no switch for harm."""
    return _named(player, replace(player.restrictions, hostile=False), "without hostile toggles")
