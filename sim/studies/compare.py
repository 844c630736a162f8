"""`compare`: scenarios set against one on the same luck: what changed, what moved, what did not."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from kernels.random import RNG_SCHEME
from sim.api import Source, make_plan, plan_of, scenario_of
from sim.config.errors import BadInput
from sim.config.scenario import AnyScenario
from sim.games import game_of
from sim.games.game import Plan, Sums
from sim.reading import load_run
from sim.running.ledger import Ledger
from sim.running.plan import checked_seed
from sim.running.progress import bar
from sim.running.provenance import provenance
from sim.running.result import Run
from sim.running.runner import DEFAULT_MATCHES, LEVEL, MAX_MATCHES, Interrupted, Progress, threads_here
from sim.stats import intervals
from sim.stats.differences import Side, differences
from sim.stats.figures import DETERMINISTIC, NO_MATCHES, Estimate
from sim.store import MANIFEST_SCHEMA, RunFolder, told, write_json
from sim.studies.changes import scenario_changes
from sim.studies.comparison import RESULT, STUDY, Comparison, Variant, load_comparison
from sim.studies.outcomes import Outcomes, TellsWinners
from sim.studies.playing import Playing

__all__ = ["ComparisonPlan", "Entrant", "compare", "make_comparison_plan", "play_comparison"]

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


def compare(
    base: Source | Run,
    *variants: Source | Run,
    overrides: Sequence[str] | Mapping[str, Any] = (),
    bots: Sequence[Any] | str | None = None,
    matches: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    out: str | Path | None = None,
    again: bool = False,
    progress: bool = False,
) -> Comparison:
    """Set scenarios against one on the same luck, figure by figure.

    Parameters
    ----------
    base
        A YAML file, the name of a shipped scenario, plain data, or a loaded scenario; or a run, or a run folder.
    variants
        Likewise, each set against the base. Runs of bots have to be of the same bots, seed and number to share luck;
        runs of people's records share it with nothing.
    overrides
        `key=value` texts or a mapping: one more variant, the base with these keys changed.
    bots
        First and second, for all; each scenario's own when absent.
    matches
        Of each scenario, 100,000 when absent.
    seed
        0 to 2**63 - 1; drawn when absent, and recorded either way.
    threads
        One for each core when absent. Figures do not depend on it.
    out
        A folder to write and, when it holds this comparison unfinished, to continue; None writes nothing.
    again
        Play anew what `out` holds already.
    progress
        Show a bar.

    Raises
    ------
    BadInput
        When something given is not usable; nothing is lost then.
    sim.running.runner.Interrupted
        From the keyboard; with `out`, the same call continues.
    """
    plan = make_comparison_plan(base, variants, overrides=overrides, bots=bots, matches=matches, seed=seed)
    showing: AbstractContextManager[Callable[[int, int], None] | None] = bar() if progress else nullcontext()
    if out is None:
        with showing as show:
            return play_comparison(plan, threads=threads, progress=show)
    with RunFolder(Path(out), plan.digest, again=again) as folder:
        if folder.state == "complete":
            return load_comparison(folder.path)
        with showing as show:
            return play_comparison(plan, threads=threads, folder=folder, progress=show, command=("sim.compare",))


def play_comparison(
    plan: ComparisonPlan,
    *,
    threads: int | None = None,
    chunk_pairs: int | None = None,
    folder: RunFolder | None = None,
    progress: Progress | None = None,
    command: Sequence[str] = (),
) -> Comparison:
    """Play a comparison and keep it in `folder`, which this process holds; continue what is unfinished there.

    Raises
    ------
    Interrupted
        From the keyboard; the folder holds what was done.
    BadInput
        When the folder cannot be written, a bot raises, or a bot draws that declared it does not.
    """
    for one in plan.entrants:
        one.plan.compile()
    started, clock = datetime.now(UTC), time.perf_counter()
    play = _Play(plan, threads_here(threads), chunk_pairs, folder, progress)
    try:
        sums = play.all()
        seconds = time.perf_counter() - clock
        variants = tuple(_variant(plan, place, sums, play.outcomes) for place in range(1, len(sums)))
        notes = tuple(_notes(plan, variants))
        manifest = {
            "schema": MANIFEST_SCHEMA,
            "study": STUDY,
            "game": plan.base.scenario.game,
            "digest": plan.digest,
            "command": list(command),
            "entrants": [
                {
                    "label": one.label,
                    "pairing": one.plan.pairing_name,
                    "run": None if one.run is None else one.run.manifest["digest"],
                    "scenario": one.scenario.resolved(),
                    "scenario_digest": one.scenario.digest,
                    "matches_played": total.n_matches,
                }
                for one, total in zip(plan.entrants, sums, strict=True)
            ],
            "seed": plan.seed,
            "namespace": 0,
            "rng_scheme": RNG_SCHEME,
            "level": LEVEL,
            "matches_asked": plan.matches,
            "matches_played_base": sums[0].n_matches,
            "matches_played": play.playing.done,
            **provenance(game_of(plan.base.scenario).rules_version),
            "threads": play.playing.threads,
            "started": started.isoformat(timespec="seconds"),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": round(seconds, 3),
            "notes": list(notes),
        }
        path = None if folder is None else folder.path
        found = Comparison(plan.base.label, plan.base.plan.pairing_name, variants, manifest, notes, path)
        if folder is not None:
            _keep(found, folder)
    except BadInput:
        if folder is not None and (play.playing.faulty or not play.playing.done):
            folder.clear()
        raise
    except KeyboardInterrupt:
        play.save()
        raise Interrupted(play.playing.done, plan.n_matches, None if folder is None else folder.path) from None
    return found


class _Play:
    """A comparison being played: entrant after entrant, each with a ledger and the ends of its matches."""

    def __init__(
        self,
        plan: ComparisonPlan,
        threads: int,
        chunk_pairs: int | None,
        folder: RunFolder | None,
        progress: Progress | None,
    ) -> None:
        self.plan = plan
        self.folder = folder
        self.playing = Playing(plan.n_matches, threads, self.save, progress, chunk_pairs)
        self.outcomes: dict[int, Outcomes] = {}
        self.current: tuple[int, Ledger[Any]] | None = None

    def all(self) -> list[Sums]:
        """Sums of every entrant."""
        return [self.one(place, entrant) for place, entrant in enumerate(self.plan.entrants)]

    def one(self, place: int, entrant: Entrant) -> Sums:
        """Play what is missing of an entrant, and keep it."""
        if entrant.run is not None:
            kept: Sums = entrant.run.sums
            return kept
        plan, n_pairs = entrant.plan, self.plan.n_pairs(entrant)
        ledger = Ledger(plan.empty_sums(plan.n_blocks(n_pairs)), [])
        ends = Outcomes.of(n_pairs * plan.n_swaps) if self.watched(entrant) else None
        if self.folder is not None and self.folder.state == "unfinished":
            ledger = self.resumed(self.folder, place, ends) or ledger
        self.current = place, ledger
        if ends is not None:
            self.outcomes[place] = ends
        self.playing.play(plan, ledger, n_pairs, None if ends is None else lambda c, rows: ends.enter(plan, c, rows))
        self.save()
        self.current = None
        sums: Sums = ledger.sums
        return sums

    def watched(self, entrant: Entrant) -> bool:
        """Whether an entrant's matches are looked at one by one."""
        if entrant is self.plan.base:
            return any(self.plan.matched(variant) for variant in self.plan.variants)
        return self.plan.matched(entrant)

    def resumed(self, folder: RunFolder, place: int, ends: Outcomes | None) -> Ledger[Any] | None:
        """What is kept of an entrant, its matches' ends filled in; None when nothing is, or not their ends."""
        game = game_of(self.plan.entrants[place].scenario)
        kept = folder.saved(game.sums_from_arrays, _name(place))
        if kept is not None and ends is not None:
            arrays = folder.kept(_name(place))
            if arrays is None or arrays["winners"].shape != ends.winners.shape:
                return None
            ends.winners[:], ends.prints[:] = arrays["winners"], arrays["prints"]
        return kept

    def save(self) -> None:
        """Keep what is done of the entrant at hand: first the ends of its matches, then which of them count."""
        if self.folder is None or self.current is None:
            return
        place, ledger = self.current
        if place in self.outcomes:
            self.folder.keep(_name(place), vars(self.outcomes[place]))
        self.folder.save(ledger, _name(place))


def _name(place: int) -> str:
    return f"{place:04d}"


def _variant(plan: ComparisonPlan, place: int, sums: Sequence[Sums], outcomes: Mapping[int, Outcomes]) -> Variant:
    base, variant = plan.base, plan.entrants[place]
    one, other = (
        Side(total, entrant.plan.limits, entrant.plan.deterministic)
        for entrant, total in ((base, sums[0]), (variant, sums[place]))
    )
    paired = plan.paired(variant)
    found = differences(one, other, base.plan.metrics.values(), paired=paired, level=LEVEL)
    shares: list[Estimate | None] = [None, None]
    if 0 in outcomes and place in outcomes:
        here, there = outcomes[0], outcomes[place]
        n_blocks = sums[0].n_blocks
        if isinstance(variant.plan, TellsWinners):
            shares[0] = _share("flipped", here.flipped(there), variant.plan, n_blocks)
        shares[1] = _share("changed", here.changed(there), variant.plan, n_blocks)
    return Variant(
        variant.label,
        variant.plan.pairing_name,
        paired,
        scenario_changes(base.scenario.resolved(), variant.scenario.resolved()),
        tuple(found),
        *shares,
    )


def _share(name: str, matches: np.ndarray[Any, Any], plan: Plan, n_blocks: int) -> Estimate:
    """Share of the matches that are marked, with its interval."""
    n_pairs = matches.size // plan.n_swaps
    if n_pairs == 0:
        return Estimate(plan.pairing_name, name, None, None, None, 0, 0, NO_MATCHES)
    by_pair = matches.reshape(n_pairs, plan.n_swaps).mean(axis=1)
    value = float(by_pair.mean())
    if plan.deterministic:
        return Estimate(plan.pairing_name, name, value, None, None, matches.size, n_pairs, DETERMINISTIC)
    blocks = np.arange(n_pairs) % n_blocks
    means = np.bincount(blocks, by_pair, n_blocks) / np.bincount(blocks, minlength=n_blocks)
    found = intervals.proportion(value, means, n_pairs, LEVEL)
    return Estimate(plan.pairing_name, name, value, found.low, found.high, matches.size, n_pairs, found.method)


def _notes(plan: ComparisonPlan, variants: Sequence[Variant]) -> list[str]:
    """Sentences that a reader must know beside the figures."""
    notes = [f"{one.label}: {warning}" for one in plan.entrants for warning in one.scenario.warnings]
    for one, variant in zip(plan.variants, variants, strict=True):
        people_played = one.recorded or plan.base.recorded
        if people_played:
            people = plan.base.label if plan.base.recorded else one.label
            notes.append(
                f"{people} is what people played: what differs may be due to the players as well as to the scenario, "
                "and no luck is common to both."
            )
        elif not variant.paired:
            notes.append(
                f"{one.label} was not played on the base's luck (another seed or number): the intervals are wider than "
                "those of a paired comparison."
            )
        if one.plan.deterministic and plan.base.plan.deterministic:
            notes.append(f"No bot draws in {one.label}: the differences are exact, of the only different matches.")
        elif variant.pairing != plan.base.plan.pairing_name and not people_played:
            notes.append(
                f"{one.label} was played by {variant.pairing}, the base by {plan.base.plan.pairing_name}: what moved "
                "may be the bots' doing."
            )
    return notes


def _keep(found: Comparison, folder: RunFolder) -> None:
    """Write the finished comparison; the manifest last, since it is what says that the rest is there."""
    from sim.reports.compare_tables import write_comparison_tables

    with told(folder.path):
        write_json(folder.path / RESULT, found.result())
        write_comparison_tables(found, folder.path / "tables")
        write_json(folder.path / "manifest.json", found.manifest)
    folder.clear_unfinished()
