"""Goals: play what a goals file names, and say of each band whether it is met."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.api import Source
from sim.config.errors import BadInput
from sim.config.goals import DOMINATED_BOTS, Goals, load_goals
from sim.config.scenario import AnyScenario
from sim.files import told, write_json
from sim.games import game_of
from sim.games.game import Plan
from sim.reading import load_run
from sim.running.plan import checked_seed, digest_of
from sim.running.progress import bar
from sim.running.result import Run
from sim.running.runner import Amount, Progress, play
from sim.stats.figures import Estimate
from sim.stats.goals import Goal, GoalResult, GoalVerdict, Question, judge, overall
from sim.store import RunFolder, folder_name

if TYPE_CHECKING:
    from sim.studies.tournament import TournamentPlan
    from sim.studies.tournament_result import Tournament

__all__ = ["GOALS_SCHEMA", "GoalsJudged", "GoalsPlan", "judge_goals", "make_goals_plan", "pairings_of", "play_goals"]

GOALS_SCHEMA = 1
RESULT = "goals.json"


@dataclass(frozen=True)
class GoalsPlan:
    """What is played to judge goals.

    Attributes
    ----------
    goals
        The file.
    pairings
        What is played of the scenario, one plan each.
    tournament
        What decides the number of dominated bots; None where no goal asks.
    amount
        How much of each pairing.
    """

    goals: Goals
    pairings: tuple[Plan, ...]
    tournament: TournamentPlan | None
    amount: Amount

    @property
    def seed(self) -> int:
        """Of all that is played."""
        return self.pairings[0].seed

    @property
    def folder_name(self) -> str:
        """`<name>-goals-<digest>`, the digest of all that decides the outcome."""
        digests = [one.digest(self.amount.identity) for one in self.pairings]
        digests += [] if self.tournament is None else [self.tournament.digest]
        goals = [(one.text, one.metric) for one in self.goals.goals]
        return folder_name(f"{self.goals.scenario.name}-goals", digest_of({"plays": digests, "goals": goals}))


@dataclass(frozen=True)
class GoalsJudged:
    """Goals with their verdicts.

    Attributes
    ----------
    file, scenario
        The goals file, and the name of the scenario that was judged.
    results
        Of every pairing in turn; then that of the tournament.
    seed
        Of all that was played.
    failures
        Why what was played cannot be judged by, such as illegal orders: then no goal counts as met.
    dominated
        Names of the dominated bots, where a goal asks for their number.
    """

    file: str
    scenario: str
    results: tuple[GoalResult, ...] = field(repr=False)
    seed: int
    failures: tuple[str, ...] = ()
    dominated: tuple[str, ...] = ()

    @property
    def verdict(self) -> GoalVerdict:
        """VIOLATED when one goal is, UNDECIDED when one is, else MET."""
        return GoalVerdict.VIOLATED if self.failures else overall(self.results)

    @property
    def exit_code(self) -> int:
        """0 met, 1 violated, 3 undecided."""
        return {GoalVerdict.MET: 0, GoalVerdict.VIOLATED: 1, GoalVerdict.UNDECIDED: 3}[self.verdict]

    def result(self) -> dict[str, Any]:
        """What `goals.json` holds."""
        return {
            "schema": GOALS_SCHEMA,
            "goals": self.file,
            "scenario": self.scenario,
            "seed": self.seed,
            "verdict": self.verdict.value,
            "failures": list(self.failures),
            "dominated": list(self.dominated),
            "results": [one.as_dict() for one in self.results],
        }

    def _repr_html_(self) -> str:
        from sim.reports.notebook import goals_html

        return goals_html(self)


def make_goals_plan(
    file: str | Path,
    scenario: Source | None = None,
    *,
    bots: Sequence[Any] | str | None = None,
    matches: int | None = None,
    seed: int | None = None,
    overrides: Sequence[str] | Mapping[str, Any] = (),
) -> GoalsPlan:
    """What would be played, without playing it.

    Raises
    ------
    BadInput
        When the goals, the scenario, the bots, the number or the seed are not usable.
    """
    goals = load_goals(file, scenario=scenario, overrides=overrides)
    if bots is not None and not isinstance(bots, str):
        goals = replace(goals, bots=(tuple(bots),))
        if goals.dominated is not None:
            raise BadInput.of(
                f"bots is {bots!r}; must be left out, since {DOMINATED_BOTS} is judged by the file's bots"
            )
    amount, seed = Amount(matches), checked_seed(seed)
    plans = pairings_of(goals, goals.scenario, seed, named=bots is None)
    tournament = None
    if goals.dominated is not None:
        from sim.studies.tournament import make_tournament_plan  # kernels of the dispatch game, which others do without

        tournament = make_tournament_plan(goals.scenario, bots=goals.all_bots, matches=matches, seed=seed)
    return GoalsPlan(goals, plans, tournament, amount)


def pairings_of(goals: Goals, scenario: AnyScenario, seed: int, *, named: bool = True) -> tuple[Plan, ...]:
    """What is played of a scenario to judge goals, one plan each.

    Parameters
    ----------
    named
        Whether it is the goals file that names the bots, so that it is at its lines that they are wrong.
    """
    if goals.bots is None:
        return (game_of(scenario).make_plan(scenario, bots=None, seed=seed),)
    plans = []
    for number, pair in enumerate(goals.bots):
        try:
            plans.append(game_of(scenario).make_plan(scenario, bots=pair, seed=seed))
        except BadInput as error:
            if not named:
                raise
            raise goals.told(("bots", number), error) from None
    return tuple(plans)


def judge_goals(
    file: str | Path,
    scenario: Source | None = None,
    *,
    bots: Sequence[Any] | None = None,
    matches: int | None = None,
    seed: int | None = None,
    overrides: Sequence[str] | Mapping[str, Any] = (),
    threads: int | None = None,
    out: str | Path | None = None,
    progress: bool = False,
) -> GoalsJudged:
    """Play what a goals file names, and judge every goal.

    Parameters
    ----------
    file
        The goals file.
    scenario
        Judged instead of the one that the file names.
    bots
        One pairing, instead of the file's.
    matches
        Of each pairing, 100,000 when absent (of each pairing of the tournament 20,000).
    seed
        0 to 2**63 - 1; drawn when absent, and recorded either way.
    overrides
        `key=value` texts or a mapping, applied to the scenario.
    threads
        One for each core when absent. Verdicts do not depend on it.
    out
        A folder for `goals.json` and a run folder of each pairing; None writes nothing.
    progress
        Show a bar.

    Raises
    ------
    BadInput
        When something given is not usable.
    sim.running.runner.Interrupted
        From the keyboard; with `out`, the same call continues.
    """
    plan = make_goals_plan(file, scenario, bots=bots, matches=matches, seed=seed, overrides=overrides)
    showing: AbstractContextManager[Callable[[int, int], None] | None] = bar() if progress else nullcontext()
    with showing as show:
        return play_goals(plan, threads=threads, out=None if out is None else Path(out), progress=show)


def play_goals(
    plan: GoalsPlan,
    *,
    threads: int | None = None,
    out: Path | None = None,
    progress: Progress | None = None,
    command: Sequence[str] = (),
) -> GoalsJudged:
    """Play and judge; with `out`, what is there of the same plan already is read.

    Raises
    ------
    Interrupted
        From the keyboard; in `out` is what was done.
    BadInput
        When a folder cannot be written, or what plays is at fault.
    """
    game = game_of(plan.goals.scenario)
    questions: list[Question] = []
    failures: list[str] = []
    dominated: tuple[str, ...] = ()
    for one in plan.pairings:
        run = _played(one, plan.amount, threads, out, progress, command)
        failure = game.failure(run)
        failures += [f"{one.pairing_name}: {failure}"] if failure is not None else []
        questions += [_question(one, run, goal) for goal in plan.goals.goals]
    if plan.tournament is not None and plan.goals.dominated is not None:
        met = _tournament(plan.tournament, threads, out, progress, command)
        failures += [f"tournament: {met.n_illegal:,} matches ended with an illegal order"] if met.n_illegal else []
        questions.append(_dominated(met, plan.goals.dominated))
        dominated = tuple(one["bot"] for one in met.dominated)
    results = judge(questions)
    if plan.tournament is not None:
        results[-1] = replace(results[-1], matches_needed=_tournament_needed(met, results[-1]))
    found = GoalsJudged(
        str(plan.goals.file), plan.goals.scenario.name, tuple(results), plan.seed, tuple(failures), dominated
    )
    if out is not None:
        with told(out):
            out.mkdir(parents=True, exist_ok=True)
            write_json(out / RESULT, found.result())
    return found


def _question(plan: Plan, run: Run, goal: Goal) -> Question:
    def estimate(level: float) -> Estimate:
        return plan.summarise(run.sums, level=level, metrics=[goal.metric])[0]

    metric = plan.metrics[goal.metric]
    return Question(goal, estimate, metric.measure(run.sums), metric.q)


def _played(
    plan: Plan,
    amount: Amount,
    threads: int | None,
    out: Path | None,
    progress: Progress | None,
    command: Sequence[str],
) -> Run:
    if out is None:
        return play(plan, amount, threads=threads, progress=progress)
    digest = plan.digest(amount.identity)
    with RunFolder(out / folder_name(plan.pairing_name, digest), digest) as folder:
        if folder.state == "complete":
            return load_run(folder.path)
        return play(plan, amount, threads=threads, folder=folder, progress=progress, command=command)


def _tournament(
    plan: TournamentPlan, threads: int | None, out: Path | None, progress: Progress | None, command: Sequence[str]
) -> Tournament:
    from sim.studies.tournament import play_tournament
    from sim.studies.tournament_result import load_tournament

    with ExitStack() as stack:
        folder = None
        if out is not None:
            folder = stack.enter_context(RunFolder(out / folder_name("tournament", plan.digest), plan.digest))
            if folder.state == "complete":
                return load_tournament(folder.path)
        return play_tournament(plan, threads=threads, folder=folder, progress=progress, command=command)


def _dominated(met: Tournament, goal: Goal) -> Question:
    """The number of dominated bots; its interval is the tournament's, whatever level is asked for."""
    found = met[DOMINATED_BOTS]
    return Question(goal, lambda level: found)


def _tournament_needed(met: Tournament, result: GoalResult) -> int | None:
    """Matches of each pairing after which the bots in doubt may be expected to be dominated or not."""
    if result.verdict is not GoalVerdict.UNDECIDED:
        return None
    ways = [0.0]
    for bot in met.bots:
        margin = met[f"dominance_margin.{bot}"]
        if margin.value is None or margin.low is None or margin.high is None:
            return None
        if margin.low <= 0 < margin.high:
            if margin.value == 0:
                return None
            half = margin.high - margin.value if margin.value < 0 else margin.value - margin.low
            ways.append((half / abs(margin.value)) ** 2)
    return round(met.manifest["matches_asked"] * max(ways)) or None
