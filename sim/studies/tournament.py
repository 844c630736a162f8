"""`tournament`: every bot against every other on the same pairs of matches, and what their payoffs say together."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from kernels.codes import Outcome
from kernels.random import RNG_SCHEME
from sim.api import Source, scenario_of
from sim.catalogue import Player
from sim.config.errors import BadInput
from sim.config.loading import dispatch_only
from sim.config.scenario import Scenario
from sim.files import told, write_json
from sim.games.dispatch.game import GAME
from sim.games.dispatch.plan import DispatchPlan
from sim.games.dispatch.players import BotLike, player_for, player_words
from sim.running.keeping import kept_or_played
from sim.running.ledger import Ledger
from sim.running.plan import checked_seed
from sim.running.provenance import provenance
from sim.running.runner import LEVEL, MAX_MATCHES, Interrupted, Progress, threads_here
from sim.stats.figures import EXACT, Estimate
from sim.stats.metagame import meta_game
from sim.stats.payoffs import Payoffs, Played
from sim.stats.sums import BlockSums
from sim.store import MANIFEST_SCHEMA, RunFolder
from sim.studies.playing import Playing
from sim.studies.tournament_notes import pairing_words, tournament_notes
from sim.studies.tournament_result import PAIRING_METRICS, STUDY, Tournament, load_tournament

__all__ = ["DEFAULT_MATCHES", "TournamentPlan", "make_tournament_plan", "play_tournament", "tournament"]

DEFAULT_MATCHES = 20_000
"""Of each pairing."""


@dataclass(frozen=True)
class TournamentPlan:
    """Who plays whom on one scenario, from one seed.

    Attributes
    ----------
    scenario, players, seed
        What is played.
    matches
        Asked for, of each pairing.
    """

    scenario: Scenario
    players: tuple[Player, ...]
    seed: int
    matches: int

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the bots."""
        return tuple(player.name for player in self.players)

    @cached_property
    def pairings(self) -> dict[tuple[int, int], DispatchPlan]:
        """What is played, by the places of first and second: every two unequal bots, then every bot against itself.

        Two bots of one identity do not meet, since that is self-play; and their self-play is played once.
        """
        n = len(self.players)
        kinds = [self._same(place) for place in range(n)]
        places = [(i, j) for i in range(n) for j in range(i + 1, n) if kinds[i] != kinds[j]]
        places += [(i, i) for i in range(n) if kinds[i] == i]
        return {(i, j): DispatchPlan(self.scenario, self.players[i], self.players[j], self.seed) for i, j in places}

    def _same(self, place: int) -> int:
        """The first place that holds an equal bot."""
        identity = self.players[place].identity
        return next(i for i, player in enumerate(self.players) if player.identity == identity)

    @property
    def n_matches(self) -> int:
        """Matches of all pairings."""
        return sum(plan.n_pairs(self.matches) * plan.n_swaps for plan in self.pairings.values())

    @property
    def digest(self) -> str:
        """Sha256 (hex) of all that decides the outcome."""
        plan = next(iter(self.pairings.values()))
        identity = plan.identity({"matches": self.matches})
        identity |= {
            "study": STUDY,
            "players": [player.identity for player in self.players],
            "names": list(self.names),
        }
        return hashlib.sha256(json.dumps(identity, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def make_tournament_plan(
    scenario: Source,
    *,
    bots: Sequence[BotLike] | None = None,
    matches: int | None = None,
    seed: int | None = None,
    overrides: Sequence[str] | Mapping[str, Any] = (),
) -> TournamentPlan:
    """What `tournament` would play, without playing it.

    Raises
    ------
    BadInput
        When the scenario, the bots, the number or the seed are not usable.
    """
    from kernels.dispatch.bots import SHIPPED

    matches = DEFAULT_MATCHES if matches is None else matches
    if isinstance(matches, bool) or not isinstance(matches, int) or not 1 <= matches <= MAX_MATCHES:
        raise BadInput.of(f"matches is {matches!r}; must be a whole number from 1 to {MAX_MATCHES}")
    loaded = dispatch_only(scenario_of(scenario, overrides), "a tournament")
    if isinstance(bots, str):
        raise BadInput.of(f"bots is {bots!r}; must be a list of two or more")
    named = [*SHIPPED, *loaded.define] if bots is None else bots
    players = tuple(player_for(bot, loaded, named) for bot in named)
    names = [player.name for player in players]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadInput.of(f"bot {twice} is named twice; each must have a name of its own")
    if len(players) < 2:
        found = "one bot" if players else "no bot"
        raise BadInput.of(f"bots has {found}; must name two or more, as in greedy,random")
    plan = TournamentPlan(loaded, players, checked_seed(seed), matches)
    for pairing in plan.pairings.values():
        if pairing.n_pairs(matches) > pairing.most_pairs:
            raise BadInput.of(f"matches is {matches}; must be at most {2 * pairing.most_pairs} on this scenario")
    return plan


def tournament(
    scenario: Source,
    *,
    bots: Sequence[BotLike] | None = None,
    matches: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    overrides: Sequence[str] | Mapping[str, Any] = (),
    out: str | Path | None = None,
    again: bool = False,
    progress: bool = False,
) -> Tournament:
    """Play every bot against every other, and say which to play, how often, and which never.

    Parameters
    ----------
    scenario
        A YAML file, the name of a shipped scenario, plain data, or a loaded scenario.
    bots
        Two or more, each a name, `file.py:function` or a function made a bot with `@bot`; all shipped bots and all that
        the scenario defines when absent.
    matches
        Of each pairing, 20,000 when absent.
    seed
        0 to 2**63 - 1; drawn when absent, and recorded either way.
    threads
        One for each core when absent. Figures do not depend on it.
    overrides
        `key=value` texts or a mapping, applied to the scenario.
    out
        A folder to write and, when it holds this tournament unfinished, to continue; None writes nothing.
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
    plan = make_tournament_plan(scenario, bots=bots, matches=matches, seed=seed, overrides=overrides)
    folder = None if out is None else RunFolder(Path(out), plan.digest, again=again)
    return kept_or_played(
        folder,
        load_tournament,
        lambda held, show: play_tournament(
            plan, threads=threads, folder=held, progress=show, command=() if held is None else ("sim.tournament",)
        ),
        progress=progress,
    )


def play_tournament(
    plan: TournamentPlan,
    *,
    threads: int | None = None,
    chunk_pairs: int | None = None,
    folder: RunFolder | None = None,
    progress: Progress | None = None,
    command: Sequence[str] = (),
) -> Tournament:
    """Play a tournament and keep it in `folder`, which this process holds; continue what is unfinished there.

    Raises
    ------
    Interrupted
        From the keyboard; the folder holds what was done.
    BadInput
        When the folder cannot be written, a bot raises, or a bot draws that declared it does not.
    """
    for player in plan.players:
        _ = player.bot.compiled  # here, so that the rate below is of playing
    started, clock = datetime.now(UTC), time.perf_counter()
    play = _Play(plan, threads_here(threads), chunk_pairs, folder, progress)
    try:
        sums = play.all()
        seconds = time.perf_counter() - clock
        met = meta_game(_payoffs(plan, sums), _most_pairs(plan), seed=plan.seed, level=LEVEL)
        counts = {
            code.name.lower(): sum(int(one.outcomes[:, :, code].sum()) for one in sums.values()) for code in Outcome
        }
        played = sum(one.n_matches for one in sums.values())
        notes = tuple(tournament_notes(plan.scenario, plan.matches, plan.pairings, sums, met))
        manifest = {
            "schema": MANIFEST_SCHEMA,
            "study": STUDY,
            "game": plan.scenario.game,
            "digest": plan.digest,
            "command": list(command),
            "scenario": plan.scenario.resolved(),
            "scenario_digest": plan.scenario.digest,
            "bots": [player_words(player) for player in plan.players],
            "seed": plan.seed,
            "namespace": 0,
            "rng_scheme": RNG_SCHEME,
            "level": LEVEL,
            "matches_asked": plan.matches,
            "matches_played": played,
            "outcomes": counts,
            "pairings": [pairing_words(pairing, sums[places]) for places, pairing in plan.pairings.items()],
            "slack": met.slack,
            "clones": [list(group) for group in met.clones],
            "dominated": [vars(one) | {"pure": list(one.pure)} for one in met.dominated],
            "failures": list(met.failures),
            **provenance(GAME.rules_version),
            "threads": play.playing.threads,
            "started": started.isoformat(timespec="seconds"),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": round(seconds, 3),
            "matches_per_second": round((played - play.resumed) / seconds),
            "continued_after": play.resumed,
            "notes": list(notes),
        }
        found = Tournament(
            scenario=plan.scenario,
            bots=plan.names,
            estimates=(*_estimates(plan, sums), *met.estimates),
            manifest=manifest,
            notes=notes,
            folder=None if folder is None else folder.path,
        )
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
    """A tournament being played: pairing after pairing, each with a ledger of its own."""

    def __init__(
        self, plan: TournamentPlan, threads: int, chunk_pairs: int | None, folder: RunFolder | None, progress: Any
    ) -> None:
        self.plan = plan
        self.folder = folder
        self.playing = Playing(plan.n_matches, threads, self.save, progress, chunk_pairs)
        self.resumed = 0
        self.current: tuple[str, Ledger[BlockSums]] | None = None

    def all(self) -> dict[tuple[int, int], BlockSums]:
        """Sums of every pairing by places."""
        ledgers = {}
        for number, (places, pairing) in enumerate(self.plan.pairings.items()):
            ledgers[places] = self.ledger(f"{number:04d}", pairing)
        self.resumed = sum(ledger.n_pairs * self.plan.pairings[places].n_swaps for places, ledger in ledgers.items())
        for number, (places, pairing) in enumerate(self.plan.pairings.items()):
            self.one(f"{number:04d}", pairing, ledgers[places])
        return {places: ledger.sums for places, ledger in ledgers.items()}

    def ledger(self, name: str, pairing: DispatchPlan) -> Ledger[BlockSums]:
        """What is kept of a pairing, or nothing yet."""
        if self.folder is not None and self.folder.state == "unfinished":
            kept = self.folder.saved(GAME.sums_from_arrays, name)
            if kept is not None:
                return kept
        n_blocks = pairing.n_blocks(pairing.n_pairs(self.plan.matches))
        return Ledger(pairing.empty_sums(n_blocks), [])

    def one(self, name: str, pairing: DispatchPlan, ledger: Ledger[BlockSums]) -> None:
        """Play what is missing of a pairing, and keep it."""
        self.current = name, ledger
        n_pairs = pairing.n_pairs(self.plan.matches)
        if ledger.n_pairs < n_pairs:
            self.save()
        self.playing.play(pairing, ledger, n_pairs)
        self.save()
        self.current = None

    def save(self) -> None:
        """Keep what is done of the pairing at hand."""
        if self.folder is not None and self.current is not None:
            name, ledger = self.current
            self.folder.save(ledger, name)


def _most_pairs(plan: TournamentPlan) -> int:
    return max(pairing.n_pairs(plan.matches) for pairing in plan.pairings.values())


def _payoffs(plan: TournamentPlan, sums: Mapping[tuple[int, int], BlockSums]) -> Payoffs:
    n = len(plan.players)
    played = []
    for i in range(n):
        for j in range(i + 1, n):
            found = sums.get((i, j))
            played.append(Played(i, j, found, found is not None and plan.pairings[i, j].deterministic))
    return Payoffs.of(plan.names, played)


def _estimates(plan: TournamentPlan, sums: Mapping[tuple[int, int], BlockSums]) -> Iterator[Estimate]:
    """Figures of every pairing; of two bots that are one, that they are even."""
    n = len(plan.players)
    unequal = [(one, other) for one in range(n) for other in range(one + 1, n)]
    for i, j in [*unequal, *((place, place) for place in range(n))]:
        if (i, j) in sums:
            pairing = plan.pairings[i, j]
            yield from pairing.summarise(sums[i, j], level=LEVEL, metrics=PAIRING_METRICS)
        elif i != j:
            name = f"{plan.names[i]} vs {plan.names[j]}"
            yield Estimate(name, "score.first", 0.5, 0.5, 0.5, 0, 0, EXACT)


def _keep(found: Tournament, folder: RunFolder) -> None:
    """Write the finished tournament; the manifest last, since it is what says that the rest is there."""
    from sim.reports.tournament import write_tournament_report

    with told(folder.path):
        write_json(folder.path / "summary.json", found.summary())
        write_tournament_report(found, folder.path)
        write_json(folder.path / "manifest.json", found.manifest)
    folder.clear_unfinished()
