"""The verdict of a run in plain words: what it says of fairness, closeness and ties, and what it cannot say."""

from __future__ import annotations

from kernels.codes import Outcome
from sim.reports import words
from sim.running.result import Run
from sim.stats.metrics import DETERMINISTIC, EXACT, METRICS, Estimate, histogram
from sim.stats.rounding import format_estimate

UNINFORMATIVE_BIAS = 0.5
"""An interval that reaches so far rules out nothing that anybody would believe of a game: one seat's 75% to 25%."""


def verdict(run: Run) -> tuple[str, ...]:
    """Sentences on the whole run, the most important first.

    They are put together from the run's own estimates; nothing is concluded that an interval does not bear out.
    """
    empty = words.nothing_to_show(run)
    if empty:
        return (empty, "So there is nothing to say of fairness, closeness or ties.")
    if words.is_deterministic(run):
        return (deterministic_words(run), *_left_out(run))
    if words.is_too_small(run):
        return (
            f"{words.counted(words.n_counting(run), 'match').capitalize()} counted: too few to say anything of "
            "fairness, closeness or ties. Play more.",
            *_left_out(run),
        )
    return (*_fairness(run), closeness_words(run), ties_words(run), *_left_out(run), unsaid_words(run))


def seat_words(run: Run) -> str:
    """What the run says of the seats, in a sentence."""
    bias = words.estimate(run, "seat_bias")
    if bias is None or bias.value is None:
        return "Nothing is known of the seats."
    shown = words.figure(run, "seat_bias")
    if bias.method == EXACT and bias.value == 0:
        return "The seats are equal by proof: the mirror of the map is exact and the bot plays both sides alike."
    if bias.method == DETERMINISTIC:
        return "No bot draws, so that this is no sample and says nothing of the seats."
    if bias.low is None or bias.high is None:
        return "Too few matches were played to say whether a seat is favoured."
    difference = f"the score of A minus the score of B is {shown}"
    if words.seats_are_alike(run):
        return (
            "The seats are equal: the mirror of the map is exact and both bots play both sides alike, so that what was "
            f"measured is luck ({difference})."
        )
    if bias.low > 0 or bias.high < 0:
        ahead, behind = ("A", "B") if bias.value > 0 else ("B", "A")
        return f"Seat {ahead} is favoured over seat {behind}: {difference}."
    most = max(-bias.low, bias.high)
    if most >= UNINFORMATIVE_BIAS:
        return f"Too few matches were played to say whether a seat is favoured: {difference}."
    limit = format_estimate(0.0, -most, most, METRICS["seat_bias"].unit).rpartition("± ")[2]
    return f"No seat bias was seen: {difference}, so that a bias of more than {limit} is unlikely."


def strength_words(run: Run) -> str:
    """Which of two unequal bots is ahead, in a sentence."""
    sides = words.players(run)
    score = words.estimate(run, "score.first")
    if score is None or score.low is None or score.high is None:
        return f"Too few matches were played to say which of {sides.first} and {sides.second} is ahead."
    shown = words.figure(run, "score.first")
    if score.low > 0.5:
        return f"{sides.first} beats {sides.second}: it scores {shown}, a shared victory counting half."
    if score.high < 0.5:
        return f"{sides.second} beats {sides.first}, which scores only {shown}, a shared victory counting half."
    return f"Neither of {sides.first} and {sides.second} is seen to be ahead: {sides.first} scores {shown}."


def closeness_words(run: Run) -> str:
    """How far apart matches end, in a sentence."""
    values, counts = histogram(run.sums, "spread")
    if values.size == 1 and values[0] == 0:
        return f"All {words.counted(int(counts.sum()), 'match')} ended with equal points."
    half, most = (_points(words.estimate(run, f"spread.p{percent}")) for percent in (50, 90))
    close = words.phrase(words.close_share(run), "share")
    blown = words.phrase(words.blow_out_share(run), "share")
    return (
        f"Half of the matches end at most {half} apart and nine in ten at most {most}; "
        f"{close} are close (at most {words.close_limit(run)} apart, the largest reward) "
        f"and {blown} are blow-outs ({words.blow_out_limit(run)} or more)."
    )


def ties_words(run: Run) -> str:
    """How many matches are shared and how many cash decides, in a sentence."""
    return (
        f"{words.figure(run, 'shared')} of the matches are shared victories, and cash decides "
        f"{words.figure(run, 'decided_by_cash')}; points decide all others."
    )


def unsaid_words(run: Run) -> str:
    """What no number of such matches can say."""
    if words.is_recorded(run):
        return (
            "All of this is how these people played: it says nothing of who else might play, nor which investments are "
            "worth their price. What bots do on the same scenario is another run: sim compare sets the two side by "
            "side."
        )
    who = "this bot plays itself" if run.first == run.second else "these two bots play each other"
    return f"All of this is how {who}: it does not say how people play, nor which investments are worth their price."


def deterministic_words(run: Run) -> str:
    """What a match that would always be played the same says: nothing of the game."""
    shared = words.estimate(run, "shared")
    n = 1 if shared is None else shared.n
    all_shared = shared is not None and shared.value == 1
    different = "is only one match" if n == 1 else f"are only {n} different matches, one for each seating"
    return (
        f"No bot draws, so that there {different}: these figures are exact, but they are no sample and say "
        "nothing of fairness or closeness."
        + (" Every match is shared because the sides mirror each other for ever." if all_shared else "")
    )


def _fairness(run: Run) -> tuple[str, ...]:
    if words.players(run).by_seat and run.first == run.second:
        return (seat_words(run),)
    return strength_words(run), seat_words(run)


def _points(found: Estimate | None) -> str:
    """A quantile of points: plain where its interval is a point."""
    if found is None or found.value is None:
        return words.NOT_MEASURED
    if found.low == found.high == found.value:
        return words.counted(round(found.value), "point")
    return words.phrase(found, METRICS[found.metric].unit)


def _left_out(run: Run) -> tuple[str, ...]:
    """What was played and does not count."""
    said = []
    n_illegal = words.n_ended(run, Outcome.ILLEGAL)
    if n_illegal:
        said.append(
            f"{words.counted(n_illegal, 'match').capitalize()} of {run.sums.n_matches:,} ended by an illegal order; "
            "they and their partners are in no other figure."
        )
    n_unfinished = words.n_ended(run, Outcome.UNFINISHED)
    if n_unfinished:
        said.append(
            f"{words.counted(n_unfinished, 'match').capitalize()} of {run.sums.n_matches:,} not finished, and in no "
            "figure."
        )
    return tuple(said)
