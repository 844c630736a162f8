"""`knockout`: what each junction and each track of a map is worth, by a bot that keeps off it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kernels.random import RNG_SCHEME
from sim.api import Source, scenario_of
from sim.config.errors import BadInput
from sim.config.loading import dispatch_only, load_map, load_scenario
from sim.config.scenario import Scenario
from sim.files import read_of_schema, told, write_json
from sim.games.dispatch.game import GAME
from sim.games.dispatch.players import BotLike, player_words
from sim.running.keeping import kept_or_played
from sim.running.plan import digest_of
from sim.running.provenance import provenance
from sim.running.runner import LEVEL, Interrupted, Progress, threads_here
from sim.store import MANIFEST_SCHEMA, RunFolder
from sim.studies.shape import shape_of
from sim.studies.value_figures import knockouts_of
from sim.studies.value_plan import ValuePlan, make_value_plan
from sim.studies.value_play import BotPlay, ValuePlay
from sim.studies.value_result import Worth
from sim.studies.versions import keeping_off, places_of

__all__ = ["Knockout", "KnockoutPlan", "knockout", "load_knockout", "make_knockout_plan", "play_knockout"]

STUDY = "knockout"
SCHEMA = 1
RESULT = "knockout.json"
DEFAULT_MATCHES = 20_000
MOST_LOOKED = 10_000
"""Matches that are looked at for tracks that nobody uses."""

NOTES = (
    "Junctions and tracks are as seat A sees them; in seat B the bot keeps off their mirror images.",
    "At a junction the bot may neither toggle nor buy; onto a track it may order no train, though a switch may send "
    "one there.",
    "The values are those of these bots. Their intervals are 95% each: of twenty places worth nothing one may look "
    "worth something.",
)


@dataclass(frozen=True)
class KnockoutPlan:
    """A map and the bots that are to keep off its places, one place at a time."""

    value: ValuePlan

    @property
    def places(self) -> tuple[str, ...]:
        """Junctions, and tracks between two of them."""
        return places_of(self.value.scenario.map)

    @property
    def digest(self) -> str:
        """Sha256 (hex) of all that decides the outcome."""
        return digest_of({"study": STUDY, "of": self.value.digest})


@dataclass(frozen=True)
class Knockout:
    """What the places of a map are worth.

    Attributes
    ----------
    scenario
        Whose map it is.
    bots
        Who kept off them.
    worths
        `knockout.score` and `knockout.points` of every place and bot.
    dead
        By bot, the tracks that no train ran along when it played itself.
    looked
        By bot, how many matches that rests on.
    manifest, notes, folder
        Provenance, what a reader must know, and where it is kept (None when nothing was written).
    """

    scenario: Scenario = field(repr=False)
    bots: tuple[str, ...]
    worths: tuple[Worth, ...] = field(repr=False)
    dead: Mapping[str, tuple[str, ...]] = field(repr=False)
    looked: Mapping[str, int] = field(repr=False)
    manifest: Mapping[str, Any] = field(repr=False)
    notes: tuple[str, ...] = NOTES
    folder: Path | None = None

    def __getitem__(self, place: str) -> Worth:
        """The value in score to the first bot, such as ``found["junction:a"]`` or ``found["track:a - b"]``."""
        return self.of(self.bots[0], place)

    def of(self, bot: str, place: str, unit: str = "score") -> Worth:
        """The value of a place to a bot, in `score` or `points`."""
        for one in self.worths:
            if (one.bot, one.subject, one.figure) == (bot, place, f"knockout.{unit}"):
                return one
        raise KeyError(f"there is no value of {place} to {bot}; there are {', '.join(self.places)}")

    @property
    def places(self) -> tuple[str, ...]:
        """Junctions, and tracks between two of them."""
        return places_of(self.scenario.map)

    def _repr_html_(self) -> str:
        from sim.reports.knockout_page import knockout_html

        return knockout_html(self)

    def result(self) -> dict[str, Any]:
        """What `knockout.json` holds."""
        return {
            "schema": SCHEMA,
            "map": self.scenario.map.name,
            "scenario": self.scenario.name,
            "bots": list(self.bots),
            "values": [one.as_dict() for one in self.worths],
            "dead_tracks": {bot: list(tracks) for bot, tracks in self.dead.items()},
            "matches_looked_at": dict(self.looked),
            "notes": list(self.notes),
        }


def scenario_with_map(source: Source) -> Scenario:
    """A dispatch scenario of whatever names one or a map: a map is played by the rules of `standard`.

    Raises
    ------
    BadInput
        When it is neither.
    """
    if isinstance(source, str | Path):
        path = Path(source)
        if not path.is_file() or _is_map(path):
            rail_map = load_map(source)
            plain = load_scenario("standard", bots=False).resolved() | {"map": rail_map.resolved()}
            return dispatch_only(load_scenario({**plain, "name": rail_map.name}), "a map")
    return dispatch_only(scenario_of(source), "a map")


def _is_map(path: Path) -> bool:
    """Whether a file is a map on its own."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return not any(line.startswith(("game:", "extends:")) for line in lines)


def make_knockout_plan(
    source: Source, *, bots: Sequence[BotLike] | None = None, matches: int | None = None, seed: int | None = None
) -> KnockoutPlan:
    """What `knockout` plays, without playing it; BadInput when something given is not usable."""
    scenario = scenario_with_map(source)
    wanted = ["greedy"] if bots is None else bots
    return KnockoutPlan(
        make_value_plan(scenario, bots=wanted, matches=DEFAULT_MATCHES if matches is None else matches, seed=seed)
    )


def knockout(
    source: Source,
    *,
    bots: Sequence[BotLike] | None = None,
    matches: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    out: str | Path | None = None,
    progress: bool = False,
) -> Knockout:
    """Say what each junction and each track of a map is worth: the bot against itself keeping off it, seats swapped.

    Parameters
    ----------
    source
        A map or a scenario, by file or by name; a map is played by the rules of `standard`.
    bots
        Who keeps off; `greedy` when absent.
    matches
        Of each place and bot (20,000).
    seed
        0 to 2**63 - 1; drawn when absent, and recorded either way.
    threads
        One for each core when absent. Figures do not depend on it.
    out
        A folder to write and, when it holds this study unfinished, to continue; None writes nothing.
    progress
        Show a bar.

    Raises
    ------
    BadInput
        When something given is not usable.
    sim.running.runner.Interrupted
        From the keyboard; with `out` and the same seed, the same call continues.
    """
    plan = make_knockout_plan(source, bots=bots, matches=matches, seed=seed)
    folder = None if out is None else RunFolder(Path(out), plan.digest)
    return kept_or_played(
        folder,
        load_knockout,
        lambda held, show: play_knockout(
            plan, threads=threads, folder=held, progress=show, command=() if held is None else ("sim.knockout",)
        ),
        progress=progress,
    )


def play_knockout(
    plan: KnockoutPlan,
    *,
    threads: int | None = None,
    folder: RunFolder | None = None,
    progress: Progress | None = None,
    command: Sequence[str] = (),
) -> Knockout:
    """Play a knockout and keep it in `folder`, which this process holds; continue what is unfinished there.

    Raises
    ------
    Interrupted
        From the keyboard; the folder holds the places that were finished.
    BadInput
        When the folder cannot be written, or a bot raises.
    """
    value = plan.value
    started, clock = datetime.now(UTC), time.perf_counter()
    play = ValuePlay(value, threads_here(threads), folder, progress)
    play.playing.wanted = (1 + len(plan.places)) * sum(value.study.amounts(name)[0] for name in value.names)
    worths: list[Worth] = []
    dead: dict[str, tuple[str, ...]] = {}
    looked: dict[str, int] = {}
    try:
        for player in value.players:
            n = value.study.amounts(player.name)[0]
            base = value.pairing(player, player)
            one = BotPlay(player, base.deterministic, play.part("free", player, player, n))
            for place in plan.places:
                one.versions[place] = play.part(f"without/{place}", keeping_off(player, place), player, n)
            for unit in ("score", "points"):
                worths += knockouts_of(value, one, plan.places, unit)
            shape = shape_of(base, min(n, MOST_LOOKED), threads=threads)
            dead[player.name], looked[player.name] = shape.dead_tracks, shape.n_matches
    except KeyboardInterrupt:
        play.save()
        done = play.playing.done
        kept = None if folder is None else folder.path
        raise Interrupted(done, max(done, play.playing.wanted), kept) from None
    except BadInput:
        if folder is not None and not play.tallies:
            folder.clear()
        raise
    manifest = {
        "schema": MANIFEST_SCHEMA,
        "study": STUDY,
        "game": value.scenario.game,
        "digest": plan.digest,
        "command": list(command),
        "scenario": value.scenario.resolved(),
        "scenario_digest": value.scenario.digest,
        "bots": [player_words(player) for player in value.players],
        "seed": value.seed,
        "namespace": 0,
        "rng_scheme": RNG_SCHEME,
        "level": LEVEL,
        "matches_played": play.playing.done,
        **provenance(GAME.rules_version),
        "threads": play.playing.threads,
        "started": started.isoformat(timespec="seconds"),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(time.perf_counter() - clock, 3),
        "notes": list(NOTES),
    }
    path = None if folder is None else folder.path
    found = Knockout(value.scenario, value.names, tuple(worths), dead, looked, manifest, folder=path)
    if folder is not None:
        from sim.reports.knockout_page import write_knockout_report

        with told(folder.path):
            write_json(folder.path / RESULT, found.result())
            write_knockout_report(found, folder.path)
            write_json(folder.path / "manifest.json", manifest)
        folder.clear_unfinished()
    return found


def load_knockout(path: Path) -> Knockout:
    """A finished knockout as its folder keeps it; BadInput when it is missing or damaged."""
    manifest = read_of_schema(path / "manifest.json", MANIFEST_SCHEMA)
    kept = read_of_schema(path / RESULT, SCHEMA)
    try:
        return Knockout(
            dispatch_only(load_scenario(manifest["scenario"], bots=False), "a map"),
            tuple(kept["bots"]),
            tuple(Worth(**one) for one in kept["values"]),
            {bot: tuple(tracks) for bot, tracks in kept["dead_tracks"].items()},
            kept["matches_looked_at"],
            manifest,
            tuple(kept["notes"]),
            path,
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInput.of(f"{path} is damaged: {error!r}") from None
