"""Which edit is the smallest that meets all goals: every edit by size, and where there are too many a search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sim.config.errors import BadInput
from sim.stats.goals import GoalResult, GoalVerdict
from sim.studies.tune_plan import TunePlan
from sim.studies.tune_play import Tried, TunePlay, distance_of
from sim.studies.tune_space import Edit

__all__ = ["Outcome", "around", "check_optuna", "decide", "nearest"]

MOST_OPEN_TRIES = 10
"""Edits that the search left open and that are tried on fresh luck all the same."""

MOST_TRIES = 40
"""Confirmations at most."""

N_NEAREST = 5
N_NEAR = 40
"""Edits that play all of their matches before those are chosen: most were dropped after a few."""


@dataclass
class Outcome:
    """What the search led to.

    Attributes
    ----------
    found
        The smallest edit that meets all goals, as it was confirmed; None where there is none.
    rejected
        Edits that met the goals in the search, or left them open, and did not when they were played on fresh luck.
    open
        Edits that nothing decided.
    peers
        Edits of the size of `found` that met all goals in the search, and were not confirmed.
    by_search
        Whether it was found by searching, so that a smaller edit may have been missed.
    n_searched
        Edits that the search tried.
    """

    found: Tried | None = None
    rejected: list[Tried] = field(default_factory=list)
    open: list[Tried] = field(default_factory=list)
    peers: list[Tried] = field(default_factory=list)
    by_search: bool = False
    n_searched: int = 0

    @property
    def n_tries(self) -> int:
        """Confirmations so far, without the one that succeeded."""
        return len(self.rejected)


def decide(plan: TunePlan, play: TunePlay) -> Outcome:
    """Play edits until one is confirmed, or there are none left."""
    outcome = Outcome()
    for group in plan.space.groups(plan.enumerated_keys):
        tried = play.race(group)
        _confirm(tried, play, outcome)
        if outcome.found is not None:
            own = outcome.found.edit
            outcome.peers = [one for one in tried if one.verdict is GoalVerdict.MET and one.edit != own]
            outcome.peers = [one for one in outcome.peers if one.edit not in {no.edit for no in outcome.rejected}]
            return outcome
    if plan.searched:
        _search(plan, play, outcome)
    return outcome


def _confirm(tried: Sequence[Tried], play: TunePlay, outcome: Outcome) -> None:
    """Play on fresh luck what may meet the goals, those first of which it was seen, until one does."""
    met = [one for one in tried if one.verdict is GoalVerdict.MET]
    left_open = [one for one in tried if one.verdict is GoalVerdict.UNDECIDED]
    for one in [*met, *left_open]:
        is_open = one.verdict is GoalVerdict.UNDECIDED
        n_open = sum(play.known[no.edit].verdict is GoalVerdict.UNDECIDED for no in outcome.rejected)
        if outcome.n_tries >= MOST_TRIES or (is_open and n_open >= MOST_OPEN_TRIES):
            outcome.open.append(one)
            continue
        fresh = play.confirm(one.edit, outcome.n_tries + 1)
        if fresh.verdict is GoalVerdict.MET:
            outcome.found = fresh
            return
        outcome.rejected.append(fresh)
        if fresh.verdict is GoalVerdict.UNDECIDED:
            outcome.open.append(fresh)


# -- too many to try them all -----------------------------------------------------------------------------------------


def check_optuna(plan: TunePlan) -> None:
    """Refuse a space that has to be searched where the package that does it is missing."""
    try:
        import optuna  # noqa: F401
    except ImportError:
        message = (
            f"allows {plan.space.n_edits:,} edits, more than {plan.most_enumerated:,}, which takes a search with the "
            "package optuna; must allow fewer, or install dispatch-balance[tune]"
        )
        raise BadInput([plan.goals.problem(("may_change",), message)]) from None


def _search(plan: TunePlan, play: TunePlay, outcome: Outcome) -> None:
    """A seeded search for edits that violate little and are small; the best are shrunk, and then confirmed."""
    import optuna

    outcome.by_search = True
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(seed=plan.seed % 2**32)
    study = optuna.create_study(sampler=sampler, direction="minimize")
    space = plan.space
    scales = _scales(play.known.values())
    largest = len(space.ladders) * (1 + sum(len(ladder.values) for ladder in space.ladders))
    seen: dict[Edit, Tried] = {}
    for _ in range(plan.trials):
        trial = study.ask()
        edit = tuple(
            trial.suggest_int(ladder.key, 0, len(ladder.values) - 1) if len(ladder.values) > 1 else 0
            for ladder in space.ladders
        )
        one = seen.get(edit) or play.race([edit])[0]
        seen[edit] = one
        n_keys, steps = space.size(edit)
        size = (n_keys * (largest // len(space.ladders)) + steps) / (largest + 1)
        if one.failure is not None:
            value = 10.0 * len(plan.today)
        elif one.verdict is GoalVerdict.VIOLATED:
            value = 1.0 + _violation(one, scales)
        else:
            value = size
        study.tell(trial, value)
    outcome.n_searched = len(seen)
    done = {no.edit for no in outcome.rejected}
    hopeful = [one for one in seen.values() if one.verdict is not GoalVerdict.VIOLATED]
    hopeful.sort(key=lambda one: (one.verdict is not GoalVerdict.MET, space.size(one.edit), one.edit))
    for one in hopeful:
        if outcome.found is not None or outcome.n_tries >= MOST_TRIES:
            return
        small = _shrunk(plan, play, one)
        if small.edit not in done:
            done.add(small.edit)
            _confirm([small], play, outcome)


def _shrunk(plan: TunePlan, play: TunePlay, one: Tried) -> Tried:
    """The edit with keys given back, or stepped back, as long as the goals are met."""
    while True:
        for edit in plan.space.smaller(one.edit):
            smaller = play.race([edit])[0]
            if smaller.verdict is GoalVerdict.MET:
                one = smaller
                break
        else:
            return one


# -- what stands nearest ----------------------------------------------------------------------------------------------


def nearest(plan: TunePlan, play: TunePlay, fresh: Sequence[Tried]) -> list[Tried]:
    """The edits nearest to the goals, measured anew on fresh luck: fewest goals missed, then by the least.

    How far a figure lies outside its band counts in the range that the figure takes over all edits. `fresh` are edits
    that were played on fresh luck before.
    """
    known = [one for one in play.known.values() if one.failure is None]
    scales = _scales(known)

    def order(one: Tried) -> tuple[Any, ...]:
        return len(one.outside), _violation(one, scales), plan.space.size(one.edit), one.edit

    play.race([one.edit for one in sorted(known, key=order)[:N_NEAR]], whole=True)
    known = [play.known[one.edit] for one in sorted(known, key=order)[:N_NEAR]]
    measured = {one.edit: one for one in fresh if one.failure is None}
    known = [measured.get(one.edit, one) for one in known]
    edits = [one.edit for one in sorted(known, key=order)[:N_NEAREST]]
    measured |= {one.edit: one for one in play.measure([edit for edit in edits if edit not in measured])}
    return sorted((measured[edit] for edit in edits), key=order)


def _name(one: GoalResult) -> tuple[str, str]:
    return one.estimate.pairing, one.goal.text


def _scales(known: Any) -> dict[tuple[str, str], float]:
    """The range that each figure takes."""
    ranges: dict[tuple[str, str], list[float]] = {}
    for tried in known:
        for one in tried.results:
            if one.estimate.value is not None:
                ranges.setdefault(_name(one), []).append(one.estimate.value)
    return {name: (max(values) - min(values)) or 1.0 for name, values in ranges.items()}


def _violation(one: Tried, scales: Mapping[tuple[str, str], float]) -> float:
    """How far the figures lie outside their bands, all together."""
    return sum(distance_of(result) / scales.get(_name(result), 1.0) for result in one.results)


def around(plan: TunePlan, play: TunePlay, edit: Edit) -> Iterator[Tried]:
    """Every edit one step away, with all of the matches of each."""
    yield from play.race(plan.space.neighbours(edit), whole=True)
