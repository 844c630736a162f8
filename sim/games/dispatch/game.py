"""The dispatch game as the machinery knows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernels.codes import Outcome
from kernels.dispatch.layout import RULES_VERSION
from sim.catalogue import player, player_again
from sim.config.errors import BadInput
from sim.config.scenario import Scenario
from sim.games.damage import wrong_key
from sim.games.dispatch.plan import DispatchPlan
from sim.games.dispatch.players import player_for
from sim.games.dispatch.recorded import RECORDS_FILE, RecordedPlan, recorded_plan
from sim.running.plan import checked_seed
from sim.stats.figures import Int64s, MetricDefinition
from sim.stats.metrics import METRICS
from sim.stats.sums import BlockSums

if TYPE_CHECKING:
    from sim.running.result import Run
    from sim.studies.value_result import ValueStudy

__all__ = ["GAME", "DispatchGame"]

_WORDS: dict[str, tuple[type, ...]] = {"first": (dict,), "second": (dict,)}
_PLAYER: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "bot": (str,),
    "source": (str, type(None)),
    "values": (dict,),
    "file": (str, type(None)),
}


class DispatchGame:
    """Two companies of two trains each on one map."""

    name = "dispatch"
    rules_version = RULES_VERSION

    def make_plan(self, scenario: Scenario, *, bots: Sequence[Any] | str | None, seed: int | None) -> DispatchPlan:
        """One pairing: the bots given, or the scenario's own."""
        if bots is None:
            if scenario.bots is None:
                raise BadInput.of(f"scenario {scenario.name} names no bots; name two with --bots first,second")
            bots = tuple(player(scenario.bots[seat], scenario.define, scenario.folder) for seat in ("A", "B"))
        if isinstance(bots, str) or len(bots) != 2:
            raise BadInput.of(f"bots is {bots!r}; must be two names, as in greedy,random")
        first, second = (player_for(bot, scenario, bots) for bot in bots)
        return DispatchPlan(scenario, first, second, checked_seed(seed))

    def plan_of(self, run: Run) -> DispatchPlan | RecordedPlan:
        """The pairing that a run played, with the bots as they are now; or the records that it keeps."""
        if "records" in run.manifest:
            if run.folder is None:
                raise BadInput.of("this run of records has no folder that keeps them; name one with out")
            return recorded_plan(run.folder / RECORDS_FILE)
        first, second = (player_again(run.manifest[which], run.scenario.define) for which in ("first", "second"))
        return DispatchPlan(run.scenario, first, second, run.manifest["seed"], run.manifest["namespace"])

    def metrics(self, scenario: Scenario) -> Mapping[str, MetricDefinition]:
        """The same figures on every scenario."""
        return METRICS

    def sums_from_arrays(self, *parts: Mapping[str, Int64s]) -> BlockSums:
        """Block sums, validated."""
        return BlockSums.from_arrays(*parts)

    def manifest_damage(self, manifest: Mapping[str, Any], sums: BlockSums) -> str | None:
        """What is wrong with the players or the outcomes, or None."""
        damage = wrong_key(manifest, _WORDS)
        for which in ("first", "second"):
            damage = damage or wrong_key(manifest[which], _PLAYER, f"{which}.")
        if damage is not None:
            return damage
        counted = {code.name.lower(): int(sums.outcomes[:, :, code].sum()) for code in Outcome}
        return None if manifest["outcomes"] == counted else "its outcomes are not those of sums.npz"

    def sides(self, manifest: Mapping[str, Any]) -> tuple[str, str]:
        """Names of the bots, first and second."""
        return manifest["first"]["name"], manifest["second"]["name"]

    def failure(self, run: Run) -> str | None:
        """Illegal orders."""
        illegal = run.manifest["outcomes"]["illegal"]
        return f"{illegal:,} matches ended with an illegal order" if illegal else None

    def write_report(self, run: Run, folder: Path, *, value: Path | None = None) -> list[Path]:
        """Tables, figures and the page, with the shape of the run's first matches.

        Parameters
        ----------
        value
            Folder of a value study on the same scenario, to be in the report too.
        """
        from sim.reports import page
        from sim.studies.shape import shape_beside

        study = None if value is None else _value_beside(run, value)
        return page.write_report(run, folder, shape=lambda: shape_beside(run, folder), value=study)

    def print_summary(self, run: Run, console: Any) -> None:
        """One screen of figures."""
        from sim.reports.terminal import print_summary

        print_summary(run, console)


def _value_beside(run: Run, folder: Path) -> ValueStudy:
    """A value study of the scenario that a run was played on."""
    from sim.studies.value_result import load_value

    found = load_value(folder)
    left_out = ("name", "bots", "define")
    played, studied = (
        {key: part for key, part in one.resolved().items() if key not in left_out}
        for one in (run.scenario, found.scenario)
    )
    if played != studied:
        raise BadInput.of(
            f"{folder} is a value study of another scenario; must be one of {run.scenario.name} as the run has it"
        )
    return found


GAME = DispatchGame()
