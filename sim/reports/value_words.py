"""What a value study says, in words and in cells that are short enough for a table."""

from __future__ import annotations

from collections.abc import Sequence

from sim.config.scenario import Scenario
from sim.stats.figures import DETERMINISTIC
from sim.stats.paired import IDENTICAL
from sim.stats.rounding import format_estimate
from sim.stats.worth import DEPENDS, Crossing, Price
from sim.studies.value_result import ValueStudy, Verdict, Worth
from sim.studies.versions import KINDS

__all__ = [
    "SHORT_VERDICTS",
    "cell",
    "cost_words",
    "costs_of",
    "half_of",
    "price_cell",
    "price_words",
    "subject_words",
    "verdict_words",
]

SHORT_VERDICTS = {DEPENDS: "by bot"}
"""Verdicts that are too long for a column."""


def costs_of(found: ValueStudy) -> dict[str, int | None]:
    """Today's cost of either kind [dollars]; none where the game has none."""
    if not isinstance(found.scenario, Scenario):
        return {}
    economy = found.scenario.economy
    return {"upgrade": economy.upgrade_cost, "siding": economy.siding_cost}


def subject_words(subject: str, costs: dict[str, int | None]) -> str:
    """What a subject is called in a table."""
    if subject in costs:
        return f"{subject} ({cost_words(costs[subject])})"
    kind, colon, what = subject.partition(":")
    if kind in ("junction", "track"):
        return f"{kind} {what.replace(' - ', '-')}"
    return f"{kind}{', train' if kind == 'upgrade' else ' at'} {what}" if colon else subject


def cost_words(cost: int | None) -> str:
    """Today's cost."""
    return "not on offer" if cost is None else f"${cost}"


def cell(one: Worth, scale: float = 100.0) -> str:
    """A value and the longer arm of its interval; `scale` 100 makes points of a hundred of a score."""
    if one.value is None:
        return "?"
    value = one.value * scale
    if one.method == IDENTICAL:
        return "0"
    if one.method == DETERMINISTIC:
        return f"{value:+.4g}" if value else "0"
    if one.low is None or one.high is None:
        return "?"
    half = half_of(one) * scale
    places = 2 if half < 0.095 else 1 if half < 9.5 else 0
    shown = f"{value:+.{places}f}"
    return f"{'0' if float(shown) == 0 else shown} ±{max(half, 0.5 * 10.0**-places):.{places}f}"


def half_of(one: Worth) -> float:
    """The longer arm of an interval; 0 where there is none."""
    if one.value is None or one.low is None or one.high is None:
        return 0.0
    return max(one.high - one.value, one.value - one.low)


def price_cell(price: Price) -> str:
    """A price and the longer arm of its interval, or in a word why there is none."""
    if price.kind is Crossing.ALWAYS:
        return f"over ${price.demand_ends:g}"
    if price.kind is not Crossing.CROSSES or price.value is None:
        return {Crossing.NEVER: "never", Crossing.NONE_SEEN: "no value"}.get(price.kind, "-")
    if price.low is None or price.high is None:
        return f"${price.value:.3g}" if price.method == DETERMINISTIC else "?"
    half = max(price.high - price.value, price.value - price.low)
    places = 1 if half < 9.5 else 0
    return f"${price.value:.{places}f} ±{max(half, 0.5 * 10.0**-places):.{places}f}"


def price_words(price: Price, cost: int | None) -> str:
    """A price as a sentence without its end: what it is, and how far it is from today's cost."""
    if price.kind is not Crossing.CROSSES or price.value is None:
        ends = "" if price.kind is not Crossing.ALWAYS else f"; demand ends at ${price.demand_ends:g}"
        return f"{price.kind.value}{ends}"
    shown = format_estimate(price.value, price.low, price.high, "dollars", price.method)
    if price.low is None and price.method != DETERMINISTIC:
        shown = f"about ${price.value:.0f} ({price.method})"
    more = "" if not price.further else f", again at {', '.join(f'${one:.0f}' for one in price.further)}"
    if cost is None:
        return f"{shown}{more}"
    low, high = (price.value if end is None else end for end in (price.low, price.high))
    if low > cost:
        away = f"${price.value - cost:.0f} above today's ${cost}"
    elif high < cost:
        away = f"${cost - price.value:.0f} below today's ${cost}"
    else:
        away = f"which today's ${cost} is as good as"
    return f"{shown}{more}, {away}"


def verdict_words(found: ValueStudy, verdict: Verdict) -> str:
    """What the panel says of a subject, and who says otherwise."""
    says: dict[str, list[str]] = {}
    for bot, vote in verdict.votes.items():
        says.setdefault(vote if bot in verdict.buyers or verdict.subject not in KINDS else "not bought", []).append(bot)
    votes = "; ".join(f"{vote}: {_listed(bots)}" for vote, bots in says.items())
    n = len(found.bots)
    alone = len(says) == 1
    agree = f"{verdict.agree} of {n}" if verdict.verdict != DEPENDS else f"at most {verdict.agree} of {n} agree"
    return f"{verdict.verdict} ({agree})" if alone else f"{verdict.verdict} ({agree}). {votes}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
