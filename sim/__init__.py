"""dispatch-balance: a Monte Carlo laboratory for tuning the balance of a board game.

The verbs load what they need when they are first used, so importing this package is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sim.api import load_run as load_run
    from sim.api import play_match as play_match
    from sim.api import run as run
    from sim.config.errors import BadInput as BadInput
    from sim.config.loading import load_map as load_map
    from sim.config.loading import load_scenario as load_scenario
    from sim.replays import replay as replay
    from sim.replays import replay_many as replay_many
    from sim.reports.pictures import Picture as Picture
    from sim.reports.pictures import pictures as pictures
    from sim.running.result import Run as Run
    from sim.running.runner import Interrupted as Interrupted
    from sim.studies.baseline_edit import add_to_baseline as add_to_baseline
    from sim.studies.baseline_edit import remove_from_baseline as remove_from_baseline
    from sim.studies.baseline_edit import rename_in_baseline as rename_in_baseline
    from sim.studies.check import check as check
    from sim.studies.check_result import Checked as Checked
    from sim.studies.compare import compare as compare
    from sim.studies.comparison import Comparison as Comparison
    from sim.studies.comparison import load_comparison as load_comparison
    from sim.studies.day_story import DayStory as DayStory
    from sim.studies.day_story import explain_day as explain_day
    from sim.studies.exploit import exploit as exploit
    from sim.studies.exploit_result import Exploit as Exploit
    from sim.studies.goals import GoalsJudged as GoalsJudged
    from sim.studies.goals import judge_goals as judge_goals
    from sim.studies.knockout import Knockout as Knockout
    from sim.studies.knockout import knockout as knockout
    from sim.studies.map_lab import map_lab as map_lab
    from sim.studies.map_lab_result import MapLab as MapLab
    from sim.studies.match_record import match_record as match_record
    from sim.studies.record import record_baseline as record_baseline
    from sim.studies.record import update_baseline as update_baseline
    from sim.studies.recorded_runs import run_records as run_records
    from sim.studies.shape import Shape as Shape
    from sim.studies.shape import shape as shape
    from sim.studies.story import Story as Story
    from sim.studies.story import explain as explain
    from sim.studies.sweep import sweep as sweep
    from sim.studies.sweep_result import Sweep as Sweep
    from sim.studies.sweep_result import load_sweep as load_sweep
    from sim.studies.tournament import tournament as tournament
    from sim.studies.tournament_result import Tournament as Tournament
    from sim.studies.tournament_result import load_tournament as load_tournament
    from sim.studies.tune import tune as tune
    from sim.studies.tune_result import Tuned as Tuned
    from sim.studies.value import value as value
    from sim.studies.value_result import ValueStudy as ValueStudy
    from sim.studies.value_result import load_value as load_value
    from sim.testing import assert_balance as assert_balance

_HOMES = {
    "BadInput": "sim.config.errors",
    "Checked": "sim.studies.check_result",
    "Comparison": "sim.studies.comparison",
    "DayStory": "sim.studies.day_story",
    "Exploit": "sim.studies.exploit_result",
    "GoalsJudged": "sim.studies.goals",
    "Interrupted": "sim.running.runner",
    "Knockout": "sim.studies.knockout",
    "MapLab": "sim.studies.map_lab_result",
    "Picture": "sim.reports.pictures",
    "Run": "sim.running.result",
    "Shape": "sim.studies.shape",
    "Story": "sim.studies.story",
    "Sweep": "sim.studies.sweep_result",
    "Tournament": "sim.studies.tournament_result",
    "Tuned": "sim.studies.tune_result",
    "ValueStudy": "sim.studies.value_result",
    "add_to_baseline": "sim.studies.baseline_edit",
    "assert_balance": "sim.testing",
    "check": "sim.studies.check",
    "compare": "sim.studies.compare",
    "explain": "sim.studies.story",
    "explain_day": "sim.studies.day_story",
    "exploit": "sim.studies.exploit",
    "judge_goals": "sim.studies.goals",
    "knockout": "sim.studies.knockout",
    "load_comparison": "sim.studies.comparison",
    "load_map": "sim.config.loading",
    "load_run": "sim.api",
    "load_scenario": "sim.config.loading",
    "load_sweep": "sim.studies.sweep_result",
    "load_tournament": "sim.studies.tournament_result",
    "load_value": "sim.studies.value_result",
    "map_lab": "sim.studies.map_lab",
    "match_record": "sim.studies.match_record",
    "pictures": "sim.reports.pictures",
    "play_match": "sim.api",
    "record_baseline": "sim.studies.record",
    "remove_from_baseline": "sim.studies.baseline_edit",
    "rename_in_baseline": "sim.studies.baseline_edit",
    "replay": "sim.replays",
    "replay_many": "sim.replays",
    "run": "sim.api",
    "run_records": "sim.studies.recorded_runs",
    "shape": "sim.studies.shape",
    "sweep": "sim.studies.sweep",
    "tournament": "sim.studies.tournament",
    "tune": "sim.studies.tune",
    "update_baseline": "sim.studies.record",
    "value": "sim.studies.value",
}

__all__ = [
    "BadInput",
    "Checked",
    "Comparison",
    "DayStory",
    "Exploit",
    "GoalsJudged",
    "Interrupted",
    "Knockout",
    "MapLab",
    "Picture",
    "Run",
    "Shape",
    "Story",
    "Sweep",
    "Tournament",
    "Tuned",
    "ValueStudy",
    "add_to_baseline",
    "assert_balance",
    "check",
    "compare",
    "explain",
    "explain_day",
    "exploit",
    "judge_goals",
    "knockout",
    "load_comparison",
    "load_map",
    "load_run",
    "load_scenario",
    "load_sweep",
    "load_tournament",
    "load_value",
    "map_lab",
    "match_record",
    "pictures",
    "play_match",
    "record_baseline",
    "remove_from_baseline",
    "rename_in_baseline",
    "replay",
    "replay_many",
    "run",
    "run_records",
    "shape",
    "sweep",
    "tournament",
    "tune",
    "update_baseline",
    "value",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'sim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
