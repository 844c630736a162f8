"""`compare`: scenarios set against one on the same luck: what changed, what moved, what did not."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from kernels.random import RNG_SCHEME
from sim.api import Source
from sim.config.errors import BadInput
from sim.files import told, write_json
from sim.games import game_of
from sim.games.game import Plan, Sums
from sim.running.keeping import kept_or_played
from sim.running.ledger import Ledger
from sim.running.provenance import provenance
from sim.running.result import Run
from sim.running.runner import LEVEL, Interrupted, Progress, threads_here
from sim.stats import intervals
from sim.stats.differences import Side, differences
from sim.stats.figures import DETERMINISTIC, NO_MATCHES, Estimate
from sim.store import MANIFEST_SCHEMA, RunFolder
from sim.studies.changes import scenario_changes
from sim.studies.compare_plan import ComparisonPlan, Entrant, make_comparison_plan
from sim.studies.comparison import RESULT, STUDY, Comparison, Variant, load_comparison
from sim.studies.outcomes import Outcomes, TellsWinners
from sim.studies.playing import Playing

__all__ = ["compare", "play_comparison"]


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
    folder = None if out is None else RunFolder(Path(out), plan.digest, again=again)
    return kept_or_played(
        folder,
        load_comparison,
        lambda held, show: play_comparison(
            plan, threads=threads, folder=held, progress=show, command=() if held is None else ("sim.compare",)
        ),
        progress=progress,
    )


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
                    "recorded": one.recorded,
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
