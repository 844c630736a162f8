"""A tuning in words: what was found, what breaks a step away, and how all of it was looked for."""

from __future__ import annotations

from sim.reports.words import counted
from sim.stats.goals import GoalVerdict
from sim.stats.rounding import format_estimate
from sim.studies.tune_play import Tried
from sim.studies.tune_result import Tuned
from sim.studies.tune_space import Edit

__all__ = ["around_sentence", "headline", "looked_sentence", "missed_words", "size_words", "step_rows"]


def headline(found: Tuned) -> str:
    """What came of it, in a sentence."""
    if found.found is not None:
        n_keys, steps = found.space.size(found.found.edit)
        if not n_keys:
            return "Nothing has to be changed: the scenario meets all goals as it is, confirmed on fresh luck."
        return (
            f"The smallest edit that meets all goals changes {counted(n_keys, 'key')} by {counted(steps, 'step')}, "
            "confirmed on fresh luck:"
        )
    if found.open:
        return (
            f"Undecided: no edit was confirmed, and {counted(len(found.open), 'edit')} may meet the goals or not; "
            "more matches would say."
        )
    tail = " that was tried" if found.by_search else ""
    return f"No edit{tail} meets all goals."


def looked_sentence(found: Tuned) -> str:
    """How many edits there are, and how many were played."""
    sizes = " by ".join(str(len(ladder.values)) for ladder in found.space.ladders)
    how = "the smallest first, until one was confirmed" if found.found is not None else "the smallest first"
    if found.by_search:
        how = f"those of up to {counted(found.enumerated_keys, 'key')} one after the other, and others by a search"
    return f"Of {counted(found.space.n_edits, 'edit')} ({sizes} values) {found.n_tried:,} were played: {how}."


def size_words(found: Tuned, one: Tried) -> str:
    """How large an edit is."""
    n_keys, steps = found.space.size(one.edit)
    return f"{counted(n_keys, 'key')}, {counted(steps, 'step')}"


def missed_words(one: Tried, most: int = 1) -> str:
    """The goals that an edit misses, or where it misses none those that are open, with their figures."""
    if one.failure is not None:
        return one.failure
    bad = [result for result in one.results if result.verdict is one.verdict and one.verdict is not GoalVerdict.MET]
    pairings = {result.estimate.pairing for result in one.results}
    words = []
    for result in bad[:most]:
        found = result.estimate
        figure = format_estimate(found.value, found.low, found.high, result.goal.unit, found.method)
        words.append(
            f"{result.goal.metric} {figure}" + (f" ({found.pairing})" if len(pairings) > 1 and most > 1 else "")
        )
    if len(bad) > most:
        words.append(f"{len(bad) - most} more")
    return "; ".join(words)


def step_rows(found: Tuned) -> list[list[str]]:
    """A row for each edit one step away: the step, the edit's size, the verdict, and what it misses."""
    assert found.found is not None
    own: Edit = found.found.edit
    return [
        [
            found.space.label(one.edit, since=own, short=True),
            size_words(found, one),
            one.verdict.value,
            missed_words(one),
        ]
        for one in found.around
    ]


def around_sentence(found: Tuned) -> str:
    """Whether the edit lies on a ridge or a plateau, and whether a smaller one was missed."""
    assert found.found is not None
    n = len(found.around)
    met = sum(one.verdict is GoalVerdict.MET for one in found.around)
    violated = sum(one.verdict is GoalVerdict.VIOLATED for one in found.around)
    if violated == 0:
        ground = "stands on a plateau" if met == n else "may stand on a plateau"
    else:
        ground = "stands on a ridge" if violated == n else "stands at an edge"
    own = found.space.size(found.found.edit)
    missed = [
        one for one in found.around if found.space.size(one.edit) < own and one.verdict is not GoalVerdict.VIOLATED
    ]
    tail = ""
    if missed:
        label = found.space.label(missed[0].edit, short=True)
        met_too = missed[0].verdict is GoalVerdict.MET
        tail = (
            f" A smaller edit, {label}, meets them too on this luck, but was not confirmed on fresh luck."
            if met_too
            else f" Of a smaller edit, {label}, it is open."
        )
    counts = (met, "meets", "meet"), (violated, "misses", "miss"), (n - met - violated, "is", "are")
    meet, miss, are = (f"{number} {one if number == 1 else many}" for number, one, many in counts)
    return (
        f"Of {counted(n, 'edit')} one step away {meet} all goals, {miss} one and {are} open: the edit {ground}.{tail}"
    )
