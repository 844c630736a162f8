"""What a map lab leaves: maps by chance with how they play, best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from sim.config.errors import BadInput
from sim.config.exactness import exactness
from sim.config.loading import dispatch_only, load_map, load_scenario
from sim.config.network import network_of
from sim.config.scenario import RailMap, Scenario
from sim.files import read_of_schema
from sim.stats.figures import Estimate
from sim.store import MANIFEST_SCHEMA

__all__ = ["CRITERIA", "RESULT", "LabMap", "MapLab", "load_map_lab", "ranked"]

SCHEMA = 1
RESULT = "lab.json"

CRITERIA = (("close", 1), ("lead_changes", 1), ("traffic_evenness", 1), ("shared", -1), ("stuck", -1))
"""Figures that maps are ranked by, and whether more of them is better."""


@dataclass(frozen=True)
class LabMap:
    """One map and how it plays.

    Attributes
    ----------
    rail_map
        The map, with the places of its nodes.
    figures
        By name: `close` (share of close matches), `lead_changes`, `decided_at`, `drama`, `traffic_evenness`, and
        figures of a run such as `seat_bias` and `shared`.
    traffic
        Runs a match of every track.
    dead
        Tracks that no train ran along.
    n_different, n_matches
        Different matches, of so many.
    rank
        Its mean rank over the criteria; the less, the better.
    """

    rail_map: RailMap = field(repr=False)
    figures: Mapping[str, Estimate] = field(repr=False)
    traffic: Mapping[str, float] = field(repr=False)
    dead: tuple[str, ...]
    n_different: int
    n_matches: int
    rank: float = 0.0

    @property
    def name(self) -> str:
        """Of the map."""
        return self.rail_map.name

    @property
    def fair(self) -> bool:
        """Whether no seat bias is seen: exactly 0, or an interval with 0 in it."""
        bias = self.figures["seat_bias"]
        if bias.low is None or bias.high is None:
            return bias.value == 0
        return bias.low <= 0 <= bias.high

    @property
    def map(self) -> dict[str, Any]:
        """The map as plain data, as a scenario or `load_map` takes it."""
        rail_map = self.rail_map
        mirror = network_of(rail_map).mirror
        return {
            "schema": rail_map.schema_version,
            "name": rail_map.name,
            "tracks": [list(track) for track in rail_map.tracks],
            "mirror": {node: image for node, image in mirror.items() if node > image},
            "trains": [{"start": train.start, "deliveries": list(train.deliveries or ())} for train in rail_map.trains],
            "layout": {node: list(place) for node, place in (rail_map.layout or {}).items()},
        }

    def as_dict(self) -> dict[str, Any]:
        """The entry of `lab.json`."""
        return {
            "name": self.name,
            "rank": self.rank,
            "fair": self.fair,
            "exact": exactness(self.rail_map).exact,
            "figures": {name: one.as_dict() for name, one in self.figures.items()},
            "traffic": dict(self.traffic),
            "dead_tracks": list(self.dead),
            "different": self.n_different,
            "matches": self.n_matches,
            "map": self.map,
        }

    @classmethod
    def read(cls, told_by: Mapping[str, Any]) -> LabMap:
        """A map as `as_dict` gave it."""
        return cls(
            load_map(told_by["map"]),
            {name: Estimate(**one) for name, one in told_by["figures"].items()},
            told_by["traffic"],
            tuple(told_by["dead_tracks"]),
            told_by["different"],
            told_by["matches"],
            told_by["rank"],
        )


@dataclass(frozen=True)
class MapLab:
    """Maps by chance, best first.

    Attributes
    ----------
    scenario
        Whose rules they were played by.
    pairing
        Who played.
    maps
        Best first.
    manifest, notes, folder
        Provenance, what a reader must know, and where it is kept (None when nothing was written).
    """

    scenario: str
    pairing: str
    maps: tuple[LabMap, ...] = field(repr=False)
    manifest: Mapping[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
    folder: Path | None = None

    @property
    def best(self) -> LabMap:
        """The map that ranks first."""
        return self.maps[0]

    def __getitem__(self, name: str) -> LabMap:
        """A map by its name."""
        for one in self.maps:
            if one.name == name:
                return one
        raise KeyError(f"there is no map {name}; there are {', '.join(one.name for one in self.maps[:20])}")

    def scenario_on(self, one: LabMap) -> Scenario:
        """The scenario on one of the maps, to be played."""
        plain = {**self.manifest["scenario"], "map": one.map}
        return dispatch_only(load_scenario(plain, bots=False), "maps by chance")

    def _repr_html_(self) -> str:
        from sim.reports.map_lab_page import map_lab_html

        return map_lab_html(self)

    def result(self) -> dict[str, Any]:
        """What `lab.json` holds."""
        return {
            "schema": SCHEMA,
            "scenario": self.scenario,
            "pairing": self.pairing,
            "maps": [one.as_dict() for one in self.maps],
            "notes": list(self.notes),
        }


def ranked(maps: Sequence[LabMap]) -> tuple[LabMap, ...]:
    """Maps by their mean rank over the criteria; those last on which a seat is favoured, or a track is dead."""
    n = len(maps)
    ranks = np.zeros(n)
    for name, sign in CRITERIA:
        values = np.array([-sign * (one.figures[name].value or 0.0) for one in maps])
        # Equal values share the mean of their ranks.
        below = (values[:, None] > values[None, :]).sum(axis=1)
        equal = (values[:, None] == values[None, :]).sum(axis=1)
        ranks += 1 + below + (equal - 1) / 2
    placed = [
        replace(one, rank=float(rank)) for one, rank in zip(maps, np.round(ranks / len(CRITERIA), 3), strict=True)
    ]
    return tuple(sorted(placed, key=lambda one: (not one.fair, len(one.dead), one.rank, one.name)))


def load_map_lab(path: Path) -> MapLab:
    """A finished map lab as its folder keeps it; BadInput when it is missing or damaged."""
    manifest = read_of_schema(path / "manifest.json", MANIFEST_SCHEMA)
    kept = read_of_schema(path / RESULT, SCHEMA)
    try:
        maps = tuple(LabMap.read(one) for one in kept["maps"])
        return MapLab(kept["scenario"], kept["pairing"], maps, manifest, tuple(kept["notes"]), path)
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInput.of(f"{path} is damaged: {error!r}") from None
