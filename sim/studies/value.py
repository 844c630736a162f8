"""`value`: what an upgrade, a siding and hostile toggles are worth, by restricted play on common luck."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kernels.random import RNG_SCHEME
from sim.api import Source, scenario_of
from sim.config.errors import BadInput
from sim.config.scenario import Scenario
from sim.games.dispatch.game import GAME
from sim.games.dispatch.players import BotLike, player_words
from sim.running.keeping import kept_or_played
from sim.running.provenance import provenance
from sim.running.runner import LEVEL, Interrupted, Progress, threads_here
from sim.store import MANIFEST_SCHEMA, RunFolder
from sim.studies.value_cards import CardsPlan, make_cards_plan, play_cards
from sim.studies.value_figures import figures_of, prices_of, verdicts_of
from sim.studies.value_notes import value_notes
from sim.studies.value_plan import ValuePlan, make_value_plan
from sim.studies.value_play import ValuePlay
from sim.studies.value_result import STUDY, BotPrice, ValueStudy, Worth, keep_value, load_value

__all__ = ["play_any", "play_value", "value", "value_plan_of"]


def value(
    scenario: Source,
    *,
    bots: Sequence[BotLike] | None = None,
    matches: int | None = None,
    scan_matches: int | None = None,
    seed: int | None = None,
    study: str | Path | None = None,
    threads: int | None = None,
    overrides: Sequence[str] | Mapping[str, Any] = (),
    out: str | Path | None = None,
    again: bool = False,
    progress: bool = False,
) -> ValueStudy:
    """Say what each investment is worth to each bot of a panel, and at which price it would be a matter of taste.

    In the mainline game: what each Home card of the hand is worth; `bots`, `scan_matches` and `study` mean nothing
    there.

    Parameters
    ----------
    scenario
        A YAML file, the name of a shipped scenario, plain data, or a loaded scenario.
    bots
        The panel, weak to strong; that of the study file when absent. Each keeps to restrictions.
    matches, scan_matches
        Of each version of a bot, and of each price and dispatch of the scans, for all bots; those of the study file
        when absent.
    seed
        0 to 2**63 - 1; drawn when absent, and recorded either way.
    study
        A study file; the shipped one when absent.
    threads
        One for each core when absent. Figures do not depend on it.
    overrides
        `key=value` texts or a mapping, applied to the scenario.
    out
        A folder to write and, when it holds this study unfinished, to continue; None writes nothing.
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
    plan = value_plan_of(
        scenario, bots=bots, matches=matches, scan_matches=scan_matches, seed=seed, study=study, overrides=overrides
    )
    folder = None if out is None else RunFolder(Path(out), plan.digest, again=again)
    return kept_or_played(
        folder,
        load_value,
        lambda held, show: play_any(
            plan, threads=threads, folder=held, progress=show, command=() if held is None else ("sim.value",)
        ),
        progress=progress,
    )


def value_plan_of(
    scenario: Source,
    *,
    bots: Sequence[BotLike] | None = None,
    matches: int | None = None,
    scan_matches: int | None = None,
    seed: int | None = None,
    study: str | Path | None = None,
    overrides: Sequence[str] | Mapping[str, Any] = (),
) -> ValuePlan | CardsPlan:
    """What `value` plays of a scenario of any game: a panel of bots restricted, or the cards in hand.

    Raises
    ------
    BadInput
        When something given is not usable, or means nothing in that game.
    """
    loaded = scenario_of(scenario, overrides)
    if isinstance(loaded, Scenario):
        return make_value_plan(loaded, bots=bots, matches=matches, scan_matches=scan_matches, seed=seed, study=study)
    for name, given in (("bots", bots), ("scan_matches", scan_matches), ("study", study)):
        if given is not None:
            raise BadInput.of(f"{name} is {given!r}; must be left out in the game {loaded.game}, which has no bots")
    return make_cards_plan(loaded, matches=matches, seed=seed)


def play_any(
    plan: ValuePlan | CardsPlan,
    *,
    threads: int | None = None,
    folder: RunFolder | None = None,
    progress: Progress | None = None,
    command: Sequence[str] = (),
) -> ValueStudy:
    """Play a value study of either kind (`play_value`, `value_cards.play_cards`)."""
    if isinstance(plan, CardsPlan):
        return play_cards(plan, threads=threads, folder=folder, progress=progress, command=command)
    return play_value(plan, threads=threads, folder=folder, progress=progress, command=command)


def play_value(
    plan: ValuePlan,
    *,
    threads: int | None = None,
    chunk_pairs: int | None = None,
    folder: RunFolder | None = None,
    progress: Progress | None = None,
    command: Sequence[str] = (),
) -> ValueStudy:
    """Play a value study and keep it in `folder`, which this process holds; continue what is unfinished there.

    Raises
    ------
    Interrupted
        From the keyboard; the folder holds the parts that were finished.
    BadInput
        When the folder cannot be written, a bot raises, or a bot draws that declared it does not.
    """
    for player in plan.players:
        _ = player.bot.compiled  # here, so that the rate below is of playing
    started, clock = datetime.now(UTC), time.perf_counter()
    play = ValuePlay(plan, threads_here(threads), folder, progress, chunk_pairs)
    try:
        played = play.all()
        seconds = time.perf_counter() - clock
        worths: list[Worth] = []
        prices: list[BotPrice] = []
        for one in played:
            worths += figures_of(plan, one)
            for price, figures in prices_of(plan, one):
                prices.append(price)
                worths += figures
        notes = value_notes(plan, played, worths, prices)
        manifest = {
            "schema": MANIFEST_SCHEMA,
            "study": STUDY,
            "game": plan.scenario.game,
            "digest": plan.digest,
            "command": list(command),
            "scenario": plan.scenario.resolved(),
            "scenario_digest": plan.scenario.digest,
            "study_file": plan.study.resolved(),
            "bots": [player_words(player) for player in plan.players],
            "seed": plan.seed,
            "namespace": 0,
            "rng_scheme": RNG_SCHEME,
            "level": LEVEL,
            "matches_played": play.playing.done,
            **provenance(GAME.rules_version),
            "threads": play.playing.threads,
            "started": started.isoformat(timespec="seconds"),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": round(seconds, 3),
            "notes": list(notes),
        }
        found = ValueStudy(
            scenario=plan.scenario,
            bots=plan.names,
            worths=tuple(worths),
            prices=tuple(prices),
            verdicts=tuple(verdicts_of(plan, worths)),
            manifest=manifest,
            notes=notes,
            folder=None if folder is None else folder.path,
        )
        if folder is not None:
            keep_value(found, folder)
    except BadInput:
        if folder is not None and (play.playing.faulty or not play.tallies):
            folder.clear()
        raise
    except KeyboardInterrupt:
        play.save()
        path = None if folder is None else folder.path
        raise Interrupted(play.playing.finished, play.playing.wanted, path) from None
    return found
