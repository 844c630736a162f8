"""Restrictions of a bot: what it may not do and what it must buy, in words, and lowered for both seats.

Value studies and knockouts play a bot against the same bot restricted. Every shipped bot keeps to them, and any other
that declares so (`@bot(restrictable=True)`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kernels.codes import Invest
from kernels.dispatch.bots import limits as words
from sim.config.network import Network
from sim.config.scenario import MAX_DISPATCHES
from sim.config.values import did_you_mean, shown
from sim.lowering import Names

__all__ = ["RESTRICTION_DOCS", "UNRESTRICTED", "Restrictions", "lower_restrictions"]

_INVESTS = ("free", "none", "upgrade", "siding")

RESTRICTION_DOCS: dict[str, str] = {
    "invest": "what it may buy: free, none, upgrade (only) or siding (only); default free",
    "buy_at": (
        "purchases and the dispatch at which each is made, or the first later one at which it is affordable, and not "
        "before: {upgrade:1: 6, siding:a: 3}"
    ),
    "forbid": "purchases that it never makes: [upgrade:2, siding:a]",
    "avoid": "junctions that it neither toggles nor buys at, tracks that it orders no train onto: "
    "{junctions: [b], tracks: [[a, b]]}",
    "hostile": "false: it toggles no switch for harm; default true",
}
"""The keys of a `define` that every restrictable bot takes. Junctions and tracks are as seat A sees them."""

Path = tuple[str, ...]
Problems = list[tuple[Path, str]]


@dataclass(frozen=True)
class Restrictions:
    """What a bot is restricted to; the default restricts nothing.

    `upgrade:1` is the company's own first train. Junctions and tracks are as seat A sees them; in seat B they mean
    their mirror images.
    """

    invest: str = "free"
    buy_at: tuple[tuple[str, int], ...] = ()
    forbid: tuple[str, ...] = ()
    avoid_junctions: tuple[str, ...] = ()
    avoid_tracks: tuple[tuple[str, str], ...] = ()
    hostile: bool = True

    @classmethod
    def read(cls, given: Mapping[str, Any], network: Network | None = None) -> tuple[Restrictions, Problems]:
        """Restrictions of the keys of `RESTRICTION_DOCS` in a `define`, and what is wrong with them.

        Parameters
        ----------
        given
            Other keys are passed over.
        network
            The map whose junctions and tracks are meant; None: they are not checked.
        """
        problems: Problems = []
        invest = given.get("invest", "free")
        if invest not in _INVESTS:
            problems.append(
                (
                    ("invest",),
                    f"is {shown(invest)}; must be one of {', '.join(_INVESTS)}{did_you_mean(invest, _INVESTS)}",
                )
            )
        hostile = given.get("hostile", True)
        if not isinstance(hostile, bool):
            problems.append((("hostile",), f"is {shown(hostile)}; must be true or false"))
        buy_at = _buy_at(given.get("buy_at", {}), network, problems)
        forbid = _list(given.get("forbid", []), "purchases, as in [upgrade:2, siding:a]", ("forbid",), problems)
        for item in forbid:
            _check_purchase(item, ("forbid",), network, problems)
        junctions, tracks = _avoid(given.get("avoid", {}), network, problems)
        if problems:
            return cls(), problems
        return cls(invest, buy_at, tuple(sorted(forbid)), junctions, tracks, hostile), problems

    @property
    def plain(self) -> dict[str, Any]:
        """Those that restrict something, as a `define` would say them."""
        said: dict[str, Any] = {}
        if self.invest != "free":
            said["invest"] = self.invest
        if self.buy_at:
            said["buy_at"] = dict(self.buy_at)
        if self.forbid:
            said["forbid"] = list(self.forbid)
        avoid: dict[str, Any] = {}
        if self.avoid_junctions:
            avoid["junctions"] = list(self.avoid_junctions)
        if self.avoid_tracks:
            avoid["tracks"] = [list(track) for track in self.avoid_tracks]
        if avoid:
            said["avoid"] = avoid
        if not self.hostile:
            said["hostile"] = False
        return said


UNRESTRICTED = Restrictions()


def _list(value: Any, what: str, path: Path, problems: Problems) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(value)
    problems.append((path, f"is {shown(value)}; must be a list of {what}"))
    return []


def _check_purchase(item: Any, path: Path, network: Network | None, problems: Problems) -> None:
    kind, colon, what = item.partition(":") if isinstance(item, str) else ("", "", "")
    if kind == "upgrade" and what in ("1", "2"):
        return
    if kind == "siding" and colon:
        if network is None or what in network.junctions:
            return
        problems.append((path, f"names the junction {shown(what)}; {_junctions(network)}{_near(what, network)}"))
        return
    problems.append((path, f"is {shown(item)}; must be upgrade:1, upgrade:2 or siding:JUNCTION"))


def _junctions(network: Network) -> str:
    return f"the map's junctions are {', '.join(network.junctions)}"


def _near(label: Any, network: Network) -> str:
    return did_you_mean(label, network.junctions)


def _buy_at(value: Any, network: Network | None, problems: Problems) -> tuple[tuple[str, int], ...]:
    if not isinstance(value, Mapping):
        message = f"is {shown(value)}; must map purchases to dispatches, as in {{upgrade:1: 6}}"
        problems.append((("buy_at",), message))
        return ()
    for item, dispatch in value.items():
        path = ("buy_at", str(item))
        _check_purchase(item, path, network, problems)
        if isinstance(dispatch, bool) or not isinstance(dispatch, int) or not 1 <= dispatch <= MAX_DISPATCHES:
            allowed = f"must be a dispatch, a whole number from 1 to {MAX_DISPATCHES:,}"
            problems.append((path, f"is {shown(dispatch)}; {allowed}"))
    return tuple(sorted((str(item), dispatch) for item, dispatch in value.items() if isinstance(dispatch, int)))


def _avoid(
    value: Any, network: Network | None, problems: Problems
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    allowed = "must have junctions, tracks or both, as in {junctions: [b], tracks: [[a, b]]}"
    if not isinstance(value, Mapping):
        problems.append((("avoid",), f"is {shown(value)}; {allowed}"))
        return (), ()
    for key in value:
        if key not in ("junctions", "tracks"):
            near = did_you_mean(key, ("junctions", "tracks"))
            problems.append((("avoid", str(key)), f"is unknown; {allowed}{near}"))
    junctions = _list(value.get("junctions", []), "junctions", ("avoid", "junctions"), problems)
    for label in junctions:
        if not isinstance(label, str) or (network is not None and label not in network.junctions):
            told = _junctions(network) + _near(label, network) if network is not None else "must be text"
            problems.append((("avoid", "junctions"), f"names the junction {shown(label)}; {told}"))
    tracks: list[tuple[str, str]] = []
    for pair in _list(value.get("tracks", []), "tracks, each a pair of nodes", ("avoid", "tracks"), problems):
        known = isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(end, str) for end in pair)
        if known and (network is None or pair[1] in network.neighbours.get(pair[0], ())):
            one, other = sorted(pair)
            tracks.append((one, other))
        else:
            problems.append(
                (("avoid", "tracks"), f"has {shown(pair)}; must be two nodes that a track of the map joins")
            )
    return tuple(sorted(str(label) for label in junctions)), tuple(sorted(tracks))


def lower_restrictions(names: Names, restrictions: Restrictions) -> npt.NDArray[np.int64]:
    """The restrictions as the kernels read them: int64 [c, limits.WORDS], seat B's through the mirror."""
    lowered = words.new_limits()
    mirror = names.network.mirror
    for c in range(2):

        def seen(label: str, c: int = c) -> str:
            return label if c == 0 else mirror[label]

        row = lowered[c]
        if restrictions.invest in ("none", "siding"):
            row[words.UPGRADES] = 0
        if restrictions.invest in ("none", "upgrade"):
            row[words.BUILDING] = 0
        for item in restrictions.forbid:
            code = _code(item, names, seen)
            if code < Invest.SIDING:
                row[words.UPGRADES] &= ~(1 << (code - Invest.UPGRADE_1))
            else:
                row[words.BUILDING] &= ~(1 << (code - Invest.SIDING))
        for label in restrictions.avoid_junctions:
            bit = 1 << names.node_numbers[seen(label)]
            row[words.TOGGLING] &= ~bit
            row[words.BUILDING] &= ~bit
        row[words.HOSTILE] = int(restrictions.hostile)
        for one, other in restrictions.avoid_tracks:
            for pair in ((one, other), (other, one)):
                arc = names.arc_numbers[seen(pair[0]), seen(pair[1])]
                # Bit 63 of a word is the sign: set it by the wrapped value.
                word = int(row[words.AVOIDED + arc // 64]) & (2**64 - 1) | 1 << arc % 64
                row[words.AVOIDED + arc // 64] = word - (word >> 63 << 64)
                row[words.N_AVOIDED] += 1
        for item, dispatch in restrictions.buy_at:
            row[words.FORCED + _code(item, names, seen) - 1] = dispatch
            row[words.N_FORCED] += 1
    return lowered


def _code(item: str, names: Names, seen: Any) -> int:
    """The `Invest` code of `upgrade:1`, `upgrade:2` or `siding:JUNCTION`."""
    kind, _, what = item.partition(":")
    if kind == "upgrade":
        return int(Invest.UPGRADE_1) + int(what) - 1
    return int(Invest.SIDING) + names.node_numbers[seen(what)]
