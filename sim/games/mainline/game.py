"""The mainline game as the machinery knows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernels.mainline.layout import RULES_VERSION
from sim.config.errors import BadInput
from sim.config.mainline import MainlineScenario
from sim.games.damage import wrong_key
from sim.games.mainline.figures import metrics_of
from sim.games.mainline.plan import MainlinePlan, outcomes_of
from sim.games.mainline.sums import DaySums
from sim.running.plan import checked_seed
from sim.stats.figures import Int64s, MetricDefinition

if TYPE_CHECKING:
    from sim.running.result import Run

__all__ = ["GAME", "MainlineGame"]


class MainlineGame:
    """Trains that cross a Division of Mainline cards."""

    name = "mainline"
    rules_version = RULES_VERSION

    def make_plan(
        self, scenario: MainlineScenario, *, bots: Sequence[Any] | str | None, seed: int | None
    ) -> MainlinePlan:
        """The days of a scenario."""
        if bots is not None:
            raise BadInput.of(
                f"scenario {scenario.name} is of the mainline game, which has no bots; its Superintendent is set by "
                "policy, as in --set policy='{admit: 0.2}'"
            )
        return MainlinePlan(scenario, checked_seed(seed))

    def plan_of(self, run: Run) -> MainlinePlan:
        """The plan that a run played."""
        return MainlinePlan(run.scenario, run.manifest["seed"], run.manifest["namespace"])

    def metrics(self, scenario: MainlineScenario) -> Mapping[str, MetricDefinition]:
        """Figures by card of the deck and of the hand."""
        return metrics_of(scenario)

    def sums_from_arrays(self, *parts: Mapping[str, Int64s]) -> DaySums:
        """Sums of days, validated."""
        return DaySums.from_arrays(*parts)

    def manifest_damage(self, manifest: Mapping[str, Any], sums: DaySums) -> str | None:
        """What is wrong with the policy or the outcomes, or None."""
        damage = wrong_key(manifest, {"policy": (str,)})
        if damage is not None:
            return damage
        return None if manifest["outcomes"] == outcomes_of(sums) else "its outcomes are not those of sums.npz"

    def sides(self, manifest: Mapping[str, Any]) -> tuple[str, str]:
        """The policy; there is no second side."""
        return manifest["policy"], ""

    def failure(self, run: Run) -> str | None:
        """No day is a failure: a train that is still out is a figure."""
        return None

    def write_report(self, run: Run, folder: Path, *, value: Path | None = None) -> list[Path]:
        """Tables, figures and the page; what its cards are worth is in every report, so that no study is taken."""
        from sim.reports.mainline.page import write_report

        if value is not None:
            raise BadInput.of(
                f"--value is {value}; must be left out: a mainline report has the worth of its cards itself"
            )

        return write_report(run, folder)

    def print_summary(self, run: Run, console: Any) -> None:
        """One screen of figures."""
        from sim.reports.mainline.terminal import print_summary

        print_summary(run, console)


GAME = MainlineGame()
