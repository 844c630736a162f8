"""What a tournament leaves: every figure with its interval, and where it all came from; read back from its folder."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.config.errors import BadInput
from sim.config.loading import dispatch_only, load_scenario
from sim.config.scenario import Scenario
from sim.files import read_json, read_of_schema
from sim.running.result import SUMMARY_SCHEMA
from sim.stats.metagame import ALL_BOTS, BOT_METRICS, METAGAME_METRICS
from sim.stats.metrics import METRICS, Estimate
from sim.store import MANIFEST_SCHEMA

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PAIRING_METRICS", "STUDY", "Tournament", "holds_tournament", "load_tournament", "unit_of"]

STUDY = "tournament"
"""What the manifest says it is."""

PAIRING_METRICS = (
    "score.first",
    "win.first",
    "win.second",
    "shared",
    "decided_by_cash",
    "score.first.seat_a",
    "score.first.seat_b",
    "seat_bias",
    "margin.mean",
    "illegal_orders",
)
"""Figures of each pairing, self-play among them."""


def unit_of(metric: str) -> str:
    """Unit of a figure of a tournament, by its name in `summary.json`."""
    for known in (METAGAME_METRICS, BOT_METRICS):
        for name, (unit, _) in known.items():
            if metric == name or (known is BOT_METRICS and metric.startswith(f"{name}.")):
                return unit
    return METRICS[metric].unit


@dataclass(frozen=True)
class Tournament:
    """A finished tournament: every bot against every other on the same pairs, and against itself.

    Attributes
    ----------
    scenario
        As it was played, resolved.
    bots
        Names, in the order asked for.
    estimates
        Figures of each pairing, of each bot against itself, and of all bots together.
    manifest
        Provenance, as in the folder.
    notes
        Sentences that a reader must know beside the figures.
    folder
        Where it is kept; None when nothing was written.
    """

    scenario: Scenario = field(repr=False)
    bots: tuple[str, ...]
    estimates: tuple[Estimate, ...] = field(repr=False)
    manifest: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
    folder: Path | None = None
    _by_name: dict[tuple[str, str], Estimate] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._by_name.update({(found.pairing, found.metric): found for found in self.estimates})

    def __getitem__(self, metric: str) -> Estimate:
        """A figure of all bots, such as ``found["dominated_bots"]`` or ``found["equilibrium_weight.greedy"]``."""
        return self.estimate(ALL_BOTS, metric)

    def estimate(self, pairing: str, metric: str) -> Estimate:
        """A figure of a pairing by its names, such as ``found.estimate("greedy vs random", "score.first")``."""
        try:
            return self._by_name[pairing, metric]
        except KeyError:
            raise KeyError(f"{metric} of {pairing} is no figure of this tournament") from None

    def score(self, row: str, column: str) -> Estimate:
        """Score of one bot against another, with its interval; against itself it is of seat A."""
        if (f"{row} vs {column}", "score.first") in self._by_name:
            return self.estimate(f"{row} vs {column}", "score.first")
        other = self.estimate(f"{column} vs {row}", "score.first")
        value, low, high = (None if end is None else 1 - end for end in (other.value, other.high, other.low))
        return replace(other, pairing=f"{row} vs {column}", value=value, low=low, high=high)

    @property
    def failures(self) -> tuple[str, ...]:
        """What a solver did not find: nothing may be concluded there."""
        return tuple(self.manifest["failures"])

    @property
    def clones(self) -> tuple[tuple[str, ...], ...]:
        """Bots with equal rows of payoffs, together."""
        return tuple(tuple(group) for group in self.manifest["clones"])

    @property
    def dominated(self) -> tuple[dict[str, Any], ...]:
        """Dominated bots: `bot`, `by` (weights by name), `pure` (names), `margin` (in payoff)."""
        return tuple(self.manifest["dominated"])

    @property
    def n_illegal(self) -> int:
        """Matches that ended with an illegal order."""
        return int(self.manifest["outcomes"]["illegal"])

    def summary(self) -> dict[str, Any]:
        """What `summary.json` holds."""
        return {
            "schema": SUMMARY_SCHEMA,
            "level": self.manifest["level"],
            "estimates": [estimate.as_dict() for estimate in self.estimates],
        }

    @property
    def estimates_frame(self) -> pd.DataFrame:
        """The estimates as a table: one row a figure."""
        import pandas as pd

        return pd.DataFrame([estimate.as_dict() for estimate in self.estimates])

    @property
    def scores_frame(self) -> pd.DataFrame:
        """Score of the row against the column; nothing on the diagonal."""
        import pandas as pd

        rows = [[None if row == column else self.score(row, column).value for column in self.bots] for row in self.bots]
        return pd.DataFrame(rows, index=list(self.bots), columns=list(self.bots), dtype=float)

    def _repr_html_(self) -> str:
        from sim.reports.notebook import tournament_html

        return tournament_html(self)


_MANIFEST: dict[str, type | tuple[type, ...]] = {
    "digest": str,
    "scenario": dict,
    "bots": list,
    "seed": int,
    "level": (int, float),
    "matches_asked": int,
    "matches_played": int,
    "outcomes": dict,
    "pairings": list,
    "clones": list,
    "dominated": list,
    "failures": list,
    "notes": list,
}


def holds_tournament(folder: str | Path) -> bool:
    """Whether a folder says that it is of a finished tournament."""
    try:
        manifest = read_json(Path(folder) / "manifest.json")
    except BadInput:
        return False
    return isinstance(manifest, dict) and manifest.get("study") == STUDY


def load_tournament(folder: str | Path) -> Tournament:
    """Read the folder of a finished tournament.

    Raises
    ------
    BadInput
        When it holds none, one of another schema, or a damaged one.
    """
    path = Path(folder)
    manifest = read_of_schema(path / "manifest.json", MANIFEST_SCHEMA)
    if manifest.get("study") != STUDY:
        raise BadInput.of(f"{path} holds no tournament")
    for key, types in _MANIFEST.items():
        if not isinstance(manifest.get(key), types):
            raise BadInput.of(f"{path / 'manifest.json'} is damaged: {key} is {manifest.get(key)!r:.60}")
    summary = read_of_schema(path / "summary.json", SUMMARY_SCHEMA)
    try:
        scenario = dispatch_only(load_scenario(manifest["scenario"], bots=False), "a tournament")
        bots = tuple(str(told["name"]) for told in manifest["bots"])
        found = Tournament(
            scenario=scenario,
            bots=bots,
            estimates=tuple(Estimate(**estimate) for estimate in summary["estimates"]),
            manifest=manifest,
            notes=tuple(manifest["notes"]),
            folder=path,
        )
        _ = found.n_illegal
        for row in bots:
            for metric in BOT_METRICS:
                _ = found[f"{metric}.{row}"]
            for column in bots:
                if row != column:
                    _ = found.score(row, column)
        for metric in METAGAME_METRICS:
            _ = found[metric]
    except BadInput as error:
        raise BadInput.of(f"{path / 'manifest.json'} is damaged: in its scenario, {error.problems[0]}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput.of(f"{path} is damaged: {error}") from None
    return found
