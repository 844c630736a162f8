"""Whether a map is one (rules 1 and 2): every breach with its key and the rule in words."""

from __future__ import annotations

from sim.config.network import Network
from sim.config.scenario import RailMap
from sim.config.tree import Path_


def map_breaches(rail_map: RailMap, scope: str | None) -> list[tuple[Path_, str]]:
    """What keeps a map from being played, as key paths and messages."""
    return []


__all__ = ["Network", "map_breaches"]
