"""What a reader of a value study must know beside its figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from sim.config.exactness import exactness
from sim.studies.value_plan import FINE_COSTS, ValuePlan
from sim.studies.value_play import BotPlay
from sim.studies.value_result import BotPrice, Worth
from sim.studies.versions import KINDS

__all__ = ["value_notes"]


def value_notes(
    plan: ValuePlan, played: Sequence[BotPlay], worths: Sequence[Worth], prices: Sequence[BotPrice]
) -> tuple[str, ...]:
    """Sentences that a reader must know beside the figures."""
    notes = [*plan.scenario.warnings]
    for kind in ("upgrade", "siding"):
        if plan.cost(kind) is None:
            notes.append(f"{kind} is not on offer: its value is exactly 0, and its price has no headroom.")
    exact = [one.player.name for one in played if one.exact]
    if exact:
        notes.append(f"No luck in {', '.join(exact)}: there is one different match of each seating; figures are exact.")
    for one in played:
        tallies = [one.free, *one.versions.values()]
        illegal = sum(int(tally["illegal_orders"].total.sum()) for tally in tallies)
        if illegal:
            notes.append(
                f"{illegal:,} matches of {one.player.name} ended with an illegal order; their pairs do not count."
            )
        if any(scan.costs and scan.costs[-1] > FINE_COSTS for scan in one.scans.values()):
            notes.append(
                f"For {one.player.name} not every cost above ${FINE_COSTS} was tried: steps grow by a twentieth."
            )
    breaches = exactness(plan.scenario.map).breaches
    if breaches:
        where = ", ".join(dict.fromkeys(breach.junction for breach in breaches))
        notes.append(
            f"The mirror of map {plan.scenario.map.name} is not exact (at {where}); seats are swapped in every pair."
        )
    notes += [*_better_forced(worths, plan.study.worthless_below), *_jumping(prices)]
    gains = [one.gain for one in worths if one.figure == "knockout.score" and one.gain is not None]
    if gains:
        notes.append(
            f"With seats swapped on common luck the knockouts took {median(gains):.1f} times fewer matches than single "
            f"matches would have (median; {min(gains):.1f} to {max(gains):.1f})."
        )
    return tuple(notes)


def _better_forced(worths: Sequence[Worth], delta: float) -> Iterator[str]:
    """Where a bot's own purchases are worth nothing to it, though one that it is made to buy is."""
    for own in worths:
        if own.figure != "knockout.score" or own.subject not in KINDS or own.high is None or own.high >= delta:
            continue
        forced = [
            one
            for one in worths
            if (one.bot, one.subject, one.figure) == (own.bot, own.subject, "timing.score")
            and one.low is not None
            and one.low > delta
        ]
        best = max(forced, key=lambda one: one.value or 0.0, default=None)
        if best is not None and best.value is not None:
            yield (
                f"{own.bot} loses by the {own.subject}s that it buys, but one forced on it at dispatch {best.at} wins "
                f"it {100 * best.value:+.0f} pp: the verdict is on how the bot buys, not on what is on offer."
            )


def _jumping(prices: Sequence[BotPrice]) -> Iterator[str]:
    """Where the value is not falling with the cost."""
    for one in prices:
        if one.price.further:
            yield (
                f"What a forced {one.kind} is worth to {one.bot} does not fall with its cost but crosses 0 "
                f"{1 + len(one.price.further)} times: the bot plays the costs so differently that no price should be "
                "set by it."
            )
