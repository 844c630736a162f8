"""What a comparison plays: the base and its variants, scenarios or finished runs, on one luck where that can be."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sim.api import Source, make_plan, plan_of, scenario_of
from sim.config.errors import BadInput
from sim.config.scenario import AnyScenario
from sim.games.game import Plan
from sim.reading import load_run
from sim.running.plan import checked_seed
from sim.running.result import Run
from sim.running.runner import DEFAULT_MATCHES, MAX_MATCHES
from sim.studies.comparison import STUDY

__all__ = ["ComparisonPlan", "Entrant", "make_comparison_plan"]

MOST_WATCHED = 50_000_000
"""Matches of a scenario whose ends are kept one by one, in 9 bytes each; above, only figures are compared."""


@dataclass(frozen=True)
class Entrant:
    """The base, or a variant.

    Attributes
    ----------
    label
        What it is called.
    plan
        What is played; of a run, what was.
    run
        A finished run that stands for it; None: it is to be played.
    """

    label: str
    plan: Plan
    run: Run | None = None

    @property
    def recorded(self) -> bool:
        """Whether it is of matches that people played, on no luck that could be had again."""
        return self.run is not None and _is_recorded(self.run)

    @property
    def scenario(self) -> AnyScenario:
        """The scenario played."""
        scenario: AnyScenario = self.plan.scenario
        return scenario


@dataclass(frozen=True)
class ComparisonPlan:
    """The base and its variants.

    Attributes
    ----------
    base, variants
        Who is set against whom.
    matches, seed
        Asked for, of each that is to be played, and their seed.
    """

    base: Entrant
    variants: tuple[Entrant, ...]
    matches: int
    seed: int

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """All of them, the base first."""
        return (self.base, *self.variants)

    def n_pairs(self, entrant: Entrant) -> int:
        """Pairs of an entrant."""
        return entrant.plan.n_pairs(self.matches) if entrant.run is None else int(entrant.run.sums.n_pairs)

    def n_blocks(self, entrant: Entrant) -> int:
        """Blocks of an entrant."""
        if entrant.run is not None:
            return int(entrant.run.sums.n_blocks)
        return entrant.plan.n_blocks(self.n_pairs(entrant))

    @property
    def n_matches(self) -> int:
        """Matches to be played."""
        return sum(self.n_pairs(one) * one.plan.n_swaps for one in self.entrants if one.run is None)

    def paired(self, variant: Entrant) -> bool:
        """Whether a variant is played on the base's luck, block by block."""
        one, other = self.base, variant
        if one.recorded or other.recorded:
            return False
        if one.plan.deterministic or other.plan.deterministic:
            return True
        same = one.plan.seed == other.plan.seed and one.plan.namespace == other.plan.namespace
        return same and self.n_pairs(one) == self.n_pairs(other) and self.n_blocks(one) == self.n_blocks(other)

    def matched(self, variant: Entrant) -> bool:
        """Whether each match of a variant has its counterpart in the base, and both are played here."""
        one, other = self.base, variant
        return (
            one.run is None
            and other.run is None
            and one.plan.n_swaps == other.plan.n_swaps
            and self.n_pairs(one) == self.n_pairs(other)
            and self.n_pairs(one) * one.plan.n_swaps <= MOST_WATCHED
        )

    @property
    def digest(self) -> str:
        """Sha256 (hex) of all that decides the outcome."""
        identity = {
            "study": STUDY,
            "entrants": [
                {
                    "label": one.label,
                    "plan": one.plan.identity({"matches": self.matches}),
                    "run": None if one.run is None else one.run.manifest["digest"],
                }
                for one in self.entrants
            ],
        }
        return hashlib.sha256(json.dumps(identity, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def make_comparison_plan(
    base: Source | Run,
    variants: Sequence[Source | Run] = (),
    *,
    overrides: Sequence[str] | Mapping[str, Any] = (),
    bots: Sequence[Any] | str | None = None,
    matches: int | None = None,
    seed: int | None = None,
) -> ComparisonPlan:
    """What `compare` would play, without playing it.

    Raises
    ------
    BadInput
        When a scenario, a run folder, the bots, the number or the seed are not usable, or nothing is compared.
    """
    if matches is not None and (
        isinstance(matches, bool) or not isinstance(matches, int) or not 1 <= matches <= MAX_MATCHES
    ):
        raise BadInput.of(f"matches is {matches!r}; must be a whole number from 1 to {MAX_MATCHES}")
    sources = [_opened(source) for source in (base, *variants)]
    runs = [source for source in sources if isinstance(source, Run) and not _is_recorded(source)]
    leader: Any = None
    if runs:
        _check_run_options(bots, matches, seed)
        leader = plan_of(runs[0])
        seed, matches = leader.seed, runs[0].manifest["matches_asked"] or runs[0].sums.n_matches
    seed, matches = checked_seed(seed), DEFAULT_MATCHES if matches is None else matches
    if overrides:
        first = sources[0]
        sources.append(scenario_of(first.scenario if isinstance(first, Run) else first, overrides))
    if len(sources) < 2:
        raise BadInput.of("there is no variant; name another scenario, or change a key with --set key=value")
    games = sorted({(source.scenario if isinstance(source, Run) else source).game for source in sources})
    if len(games) > 1:
        raise BadInput.of(f"scenarios are of the games {' and '.join(games)}; must be of one")

    def plan_for(source: AnyScenario | Run) -> Plan:
        if isinstance(source, Run):
            return plan_of(source)
        if leader is not None:
            same_players: Plan = replace(leader, scenario=source)
            return same_players
        return make_plan(source, bots=bots, seed=seed)

    labels = _labels(sources, overrides)
    entrants = [
        Entrant(label, plan_for(source), source if isinstance(source, Run) else None)
        for label, source in zip(labels, sources, strict=True)
    ]
    plan = ComparisonPlan(entrants[0], tuple(entrants[1:]), matches, seed)
    for one in entrants:
        if plan.n_pairs(one) > one.plan.most_pairs:
            raise BadInput.of(f"matches is {matches}; must be at most {2 * one.plan.most_pairs} on {one.label}")
    return plan


def _opened(source: Source | Run) -> AnyScenario | Run:
    """A scenario, or the run of a run folder."""
    if isinstance(source, Run):
        return source
    if isinstance(source, str | Path) and Path(source).is_dir():
        return load_run(source)
    return scenario_of(source)


def _is_recorded(run: Run) -> bool:
    """Whether a run is of matches that people played."""
    return "records" in run.manifest


def _check_run_options(bots: object, matches: object, seed: object) -> None:
    """A run has its bots, its number and its seed; others would be compared with it without common luck."""
    for name, given in (("bots", bots), ("matches", matches), ("seed", seed)):
        if given is not None:
            raise BadInput.of(f"{name} is {given!r}; must be left out where a run is compared, which has its own")


def _labels(sources: Sequence[AnyScenario | Run], overrides: Sequence[str] | Mapping[str, Any]) -> list[str]:
    """Names that tell the entrants apart: of the scenario or the run folder, or what was set."""
    labels = []
    for place, source in enumerate(sources):
        if overrides and place == len(sources) - 1:
            pairs = (
                [f"{key}={value}" for key, value in overrides.items()] if isinstance(overrides, Mapping) else overrides
            )
            labels.append(", ".join(pairs))
        elif isinstance(source, Run):
            labels.append(source.scenario.name if source.folder is None else source.folder.name)
        else:
            labels.append(source.name)
    return [label if labels.count(label) == 1 else f"{label} ({place})" for place, label in enumerate(labels, 1)]
