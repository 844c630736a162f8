"""What mainline days say, in words: figures with their intervals, and the verdict in plain sentences."""

from __future__ import annotations

from sim.config.mainline import MainlineScenario
from sim.games.mainline.figures import homes_of, metrics_of
from sim.running.result import Run
from sim.stats.figures import DETERMINISTIC, EXACT, Estimate
from sim.stats.rounding import format_estimate

__all__ = ["card_title", "counted", "figure", "is_deterministic", "phrase", "verdict"]

NOT_MEASURED = "not measured"


def figure(run: Run, metric: str) -> str:
    """A figure and its interval as one phrase, with no more digits than the interval supports."""
    try:
        found = run[metric]
    except KeyError:
        return NOT_MEASURED
    return phrase(found, metrics_of(run.scenario)[metric].unit)


def phrase(found: Estimate, unit: str) -> str:
    """An estimate as one phrase."""
    return format_estimate(found.value, found.low, found.high, unit, found.method)


def card_title(name: str) -> str:
    """A card as a person writes it: "Heavy Grade"."""
    return name.replace("_", " ").title()


def counted(n: int, noun: str) -> str:
    """A number with its noun, as in "1 day" and "2,000 days"."""
    return f"{n:,} {noun if n == 1 else noun + 's'}"


def is_deterministic(run: Run) -> bool:
    """Whether nothing is drawn, so that there is one day and no interval."""
    return any(found.method == DETERMINISTIC for found in run.estimates)


def verdict(run: Run) -> tuple[str, ...]:
    """Sentences on the whole run, the most important first; nothing that an interval does not bear out."""
    trips = (
        f"A trip takes {figure(run, 'trip_stages.east')} eastbound and {figure(run, 'trip_stages.west')} westbound, of "
        f"which a train is held off the cards for {figure(run, 'held_stages.east')} and "
        f"{figure(run, 'held_stages.west')}."
    )
    worth = (worth_words(run, home) for home in homes_of(run.scenario))
    said = (trips, gap_words(run), collision_words(run), unevenness_words(run), *worth)
    return tuple(sentence for sentence in said if sentence)


def gap_words(run: Run) -> str:
    """Whether a direction is slower."""
    gap = run["trip_gap"]
    shown = figure(run, "trip_gap")
    if gap.value is None:
        return "No day has a whole run each way, so that the directions cannot be compared."
    if gap.low is None or gap.high is None:
        return f"Eastbound minus westbound a trip differs by {shown} on this one day." if gap.value else ""
    if gap.low > 0 or gap.high < 0:
        slower, faster = ("Eastbound", "westbound") if gap.value > 0 else ("Westbound", "eastbound")
        return f"{slower} trains take longer than {faster} ones: the trip gap, east minus west, is {shown}."
    return f"Neither direction is seen to be slower: the trip gap, east minus west, is {shown}."


def collision_words(run: Run) -> str:
    """What the policy lets happen."""
    found = run["collisions"]
    if found.method == EXACT:
        return "Nobody is let onto a full card, so that there are no collisions."
    return f"There are {figure(run, 'collisions')} collisions a day under the policy {run.first}."


def unevenness_words(run: Run) -> str:
    """How unequal the districts are."""
    scenario: MainlineScenario = run.scenario
    if scenario.players == 1:
        return ""
    return (
        f"The deal leaves the districts uneven: on the two cards beside the worst seat trains lose "
        f"{figure(run, 'district_unevenness')} a day more than beside the best."
    )


def worth_words(run: Run, home: str) -> str:
    """What a Home card saves."""
    found = run[f"worth.{home}"]
    shown = figure(run, f"worth.{home}")
    title = card_title(home)
    if found.value is None or found.low is None or found.high is None:
        return f"{title} saves a train {shown}." if found.value else f"What {title} is worth was not measured."
    if found.low > 0:
        return f"{title} saves a train {shown} on the same deals."
    if found.high < 0:
        return f"{title} costs a train Stages: it saves {shown} on the same deals."
    return f"{title} is not seen to save or to cost anything: {shown} a train on the same deals."
