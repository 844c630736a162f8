"""What a run leaves: figures with intervals, the exact sums under them, and where it all came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.stats.figures import Estimate

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SUMMARY_SCHEMA", "Run"]

SUMMARY_SCHEMA = 1


@dataclass(frozen=True)
class Run:
    """One finished run of one pairing on one scenario, of any game.

    Attributes
    ----------
    scenario
        As it was played, resolved; of the game's own kind.
    first, second
        Names of the two sides. In the dispatch game the bots: in self-play the first is seat A. A game with one side
        has no second: it is empty.
    sums
        Exact integer sums by block, of the game's own kind.
    estimates
        Every figure with its interval, in the order of the metric definitions.
    manifest
        Provenance: command, seed, digests, versions, machine, times, counts (`sim.store`).
    notes
        Sentences that a reader must know beside the figures: what is exact, what was rounded, what went wrong.
    folder
        The run folder; None when nothing was written.
    """

    scenario: Any = field(repr=False)
    first: str
    second: str
    sums: Any = field(repr=False)
    estimates: tuple[Estimate, ...] = field(repr=False)
    manifest: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
    folder: Path | None = None
    _by_name: dict[str, Estimate] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._by_name.update({estimate.metric: estimate for estimate in self.estimates})

    @property
    def pairing(self) -> str:
        """`first vs second`, as in `summary.json`; of one side, its name."""
        return f"{self.first} vs {self.second}" if self.second else self.first

    def __getitem__(self, metric: str) -> Estimate:
        """The estimate of a metric by its core name, such as ``run["seat_bias"]``."""
        try:
            return self._by_name[metric]
        except KeyError:
            raise KeyError(f"{metric} is no metric of this run; it has {', '.join(self._by_name)}") from None

    def shown(self, metric: str) -> str:
        """A figure with its interval, as the tool prints it: ``run.shown("shared")`` is such as "6.4% ± 0.1 pp"."""
        from sim.reports.notebook import figure_words

        return figure_words(self, metric)

    def summary(self) -> dict[str, Any]:
        """What `summary.json` holds."""
        return {
            "schema": SUMMARY_SCHEMA,
            "level": self.manifest["level"],
            "estimates": [estimate.as_dict() for estimate in self.estimates],
        }

    @property
    def estimates_frame(self) -> pd.DataFrame:
        """The estimates as a table: one row a metric."""
        import pandas as pd

        return pd.DataFrame([estimate.as_dict() for estimate in self.estimates])

    def _repr_html_(self) -> str:
        from sim.reports.notebook import run_html

        return run_html(self)
