"""`value` of a game that measures itself what its cards are worth: figures named `worth.CARD`, on the same deals."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from kernels.random import RNG_SCHEME
from sim.api import Source, make_plan, scenario_of
from sim.config.errors import BadInput
from sim.games import game_of
from sim.games.game import Plan
from sim.running.ledger import Ledger
from sim.running.provenance import provenance
from sim.running.runner import DEFAULT_MATCHES, LEVEL, MAX_MATCHES, Interrupted, Progress, threads_here
from sim.stats.figures import Estimate
from sim.stats.worth import Vote
from sim.store import MANIFEST_SCHEMA, RunFolder
from sim.studies.playing import Playing
from sim.studies.value_result import STUDY, ValueStudy, Verdict, Worth, keep_value

__all__ = ["CardsPlan", "make_cards_plan", "play_cards"]

PREFIX = "worth."
WORTH_IT = "worth it"
"""The interval lies above 0."""


@dataclass(frozen=True)
class CardsPlan:
    """A scenario whose cards are valued.

    Attributes
    ----------
    plan
        What is played.
    matches
        How many.
    cards
        What is valued.
    """

    plan: Plan
    matches: int
    cards: tuple[str, ...]

    @property
    def scenario(self) -> Any:
        """The scenario."""
        return self.plan.scenario

    @property
    def seed(self) -> int:
        """Seed of the random streams."""
        return self.plan.seed

    @property
    def digest(self) -> str:
        """Sha256 (hex) of all that decides the outcome."""
        return self.plan.digest({"matches": self.matches, "study": STUDY})


def make_cards_plan(
    scenario: Source,
    *,
    matches: int | None = None,
    seed: int | None = None,
    overrides: Sequence[str] | Mapping[str, Any] = (),
) -> CardsPlan:
    """What is played to value the cards of a scenario.

    Raises
    ------
    BadInput
        When the scenario, the number or the seed are not usable, or there is no card to value.
    """
    matches = DEFAULT_MATCHES if matches is None else matches
    if isinstance(matches, bool) or not isinstance(matches, int) or not 2 <= matches <= MAX_MATCHES:
        raise BadInput.of(f"matches is {matches!r}; must be a whole number from 2 to {MAX_MATCHES}")
    loaded = scenario_of(scenario, overrides)
    plan = make_plan(loaded, seed=seed)
    cards = tuple(name.removeprefix(PREFIX) for name in plan.metrics if name.startswith(PREFIX))
    if not cards:
        raise BadInput.of(f"scenario {loaded.name} has no card in hand, so that there is none to value; give it hands")
    if plan.n_pairs(matches) > plan.most_pairs:
        raise BadInput.of(f"matches is {matches}; must be at most {plan.most_pairs * plan.n_swaps} on this scenario")
    return CardsPlan(plan, matches, cards)


def play_cards(
    asked: CardsPlan,
    *,
    threads: int | None = None,
    folder: RunFolder | None = None,
    progress: Progress | None = None,
    command: Sequence[str] = (),
) -> ValueStudy:
    """Play, and say what each card is worth; keep it in `folder`, and continue what is unfinished there.

    Raises
    ------
    Interrupted
        From the keyboard; the folder holds what was done.
    BadInput
        When the folder cannot be written, or what plays raises.
    """
    plan = asked.plan
    plan.compile()
    started, clock = datetime.now(UTC), time.perf_counter()
    game = game_of(asked.scenario)
    n_pairs = plan.n_pairs(asked.matches)
    kept = folder.saved(game.sums_from_arrays) if folder is not None and folder.state == "unfinished" else None
    ledger: Ledger[Any] = kept or Ledger(plan.empty_sums(plan.n_blocks(n_pairs)), [])

    def save() -> None:
        if folder is not None:
            folder.save(ledger)

    playing = Playing(n_pairs * plan.n_swaps, threads_here(threads), save, progress)
    try:
        playing.play(plan, ledger, n_pairs)
        estimates = plan.summarise(ledger.sums, level=LEVEL, metrics=[f"{PREFIX}{card}" for card in asked.cards])
        worths = tuple(_worth(one) for one in estimates)
        notes = plan.notes(ledger.sums, asked.matches)
        manifest = {
            "schema": MANIFEST_SCHEMA,
            "study": STUDY,
            "game": asked.scenario.game,
            "digest": asked.digest,
            "command": list(command),
            "scenario": asked.scenario.resolved(),
            "scenario_digest": asked.scenario.digest,
            "seed": plan.seed,
            "namespace": plan.namespace,
            "rng_scheme": RNG_SCHEME,
            "level": LEVEL,
            "matches_asked": asked.matches,
            "matches_played": playing.done,
            **provenance(game.rules_version),
            "threads": playing.threads,
            "started": started.isoformat(timespec="seconds"),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": round(time.perf_counter() - clock, 3),
            "notes": list(notes),
        }
        path = None if folder is None else folder.path
        verdicts = tuple(_verdict(one) for one in worths)
        found = ValueStudy(asked.scenario, (plan.pairing_name,), worths, (), verdicts, manifest, notes, path)
        if folder is not None:
            keep_value(found, folder)
    except BadInput:
        if folder is not None and (playing.faulty or not playing.done):
            folder.clear()
        raise
    except KeyboardInterrupt:
        save()
        raise Interrupted(playing.done, playing.wanted, None if folder is None else folder.path) from None
    return found


def _worth(one: Estimate) -> Worth:
    card = one.metric.removeprefix(PREFIX)
    return Worth(one.pairing, card, "worth", None, one.value, one.low, one.high, one.n, one.n_units, one.method)


def _verdict(one: Worth) -> Verdict:
    """Whether a card is worth laying: what its interval says about 0."""
    if one.low is not None and one.low > 0:
        said = WORTH_IT
    elif one.high is not None and one.high < 0:
        said = Vote.HARMFUL.value
    else:
        said = Vote.UNDECIDED.value
    used = one.value is not None
    return Verdict(one.subject, said, int(said != Vote.UNDECIDED.value), {one.bot: said}, (one.bot,) if used else ())
