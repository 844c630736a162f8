"""From what was played of a value study to its figures: values, timings, prices and verdicts."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

from sim.running.runner import LEVEL
from sim.stats import intervals
from sim.stats.figures import DETERMINISTIC, EXACT, NO_MATCHES
from sim.stats.intervals import Interval
from sim.stats.metrics import METRICS
from sim.stats.paired import IDENTICAL, Measured, interval, measured
from sim.stats.worth import (
    EVEN,
    POINTS,
    SCORE,
    Crossing,
    Price,
    Scale,
    Tally,
    Vote,
    indifference_price,
    panel_verdict,
    unpaired_gain,
    vote_on,
    worth_of,
)
from sim.studies.value_plan import ValuePlan
from sim.studies.value_play import HOSTILE, BotPlay
from sim.studies.value_result import BotPrice, Verdict, Worth
from sim.studies.versions import KINDS

__all__ = ["figures_of", "knockouts_of", "prices_of", "subjects_of", "verdicts_of"]

KNOCKOUTS = {"upgrade": "siding", "siding": "upgrade", "both": "none"}
"""Which version shows what a subject is worth: the one that may buy only the other, or nothing."""


def subjects_of(plan: ValuePlan) -> tuple[str, ...]:
    """All that is valued: kinds, hostile toggles, every purchase, and places."""
    return (*KNOCKOUTS, HOSTILE, *plan.items, *plan.places)


def figures_of(plan: ValuePlan, play: BotPlay) -> Iterator[Worth]:
    """Every figure of one bot but its prices."""
    for unit, scale in EVEN.items():
        yield from knockouts_of(plan, play, subjects_of(plan), unit)
        none, upgrade, siding = (play.versions[name] for name in ("none", "upgrade", "siding"))
        value = worth_of([(1.0, none), (-1.0, upgrade), (-1.0, siding)], scale, exact=play.exact)
        yield _worth(play, "both", f"interaction.{unit}", value, none, 2 * _width(plan, scale))
    for kind in KINDS:
        yield _share(play, kind, "pick", None, play.free, f"pick.{kind}.first")
    for kind, (forbidden, forced) in play.timings.items():
        for dispatch, tally in forced.items():
            value = worth_of([(1.0, tally), (-1.0, forbidden)], SCORE, exact=play.exact)
            yield _worth(play, kind, "timing.score", value, tally, 1.0, at=dispatch)
    for kind, scan in play.scans.items():
        for cost, bought, forbidden in zip(scan.costs, scan.bought, scan.forbidden, strict=True):
            value = worth_of([(1.0, bought), (-1.0, forbidden)], SCORE, exact=play.exact)
            yield _worth(play, kind, "scan.score", value, bought, 1.0, at=cost)
            yield _share(play, kind, "scan.pick", cost, bought, f"pick.{kind}.second")


def knockouts_of(plan: ValuePlan, play: BotPlay, subjects: Sequence[str], unit: str) -> Iterator[Worth]:
    """What a bot loses without each subject, in score or in points (a key of `EVEN`)."""
    scale = EVEN[unit]
    width = _width(plan, scale)
    for subject in subjects:
        version = play.versions[KNOCKOUTS.get(subject, subject)]
        value = worth_of([(-1.0, version)], scale, exact=play.exact)
        gain = unpaired_gain(value, play.free, version) if scale is SCORE else None
        yield _worth(play, subject, f"knockout.{unit}", value, version, width, gain=gain)


def prices_of(plan: ValuePlan, play: BotPlay) -> Iterator[tuple[BotPrice, list[Worth]]]:
    """The price of each kind for one bot, and the same as figures with the headroom to today's cost."""
    for kind, scan in play.scans.items():
        costs, values, n = [], [], 0
        for cost, bought, forbidden in zip(scan.costs, scan.bought, scan.forbidden, strict=True):
            if int(bought[f"pick.{kind}.first"].total.sum()):
                costs.append(cost)
                values.append(worth_of([(1.0, bought), (-1.0, forbidden)], SCORE, exact=play.exact))
                n = int(bought[SCORE.metric].matches.sum())
        seed = zlib.crc32(f"{plan.seed}/{play.player.name}/{kind}".encode())
        price = indifference_price(costs, values, seed=seed, level=LEVEL)
        yield BotPrice(play.player.name, kind, scan.item, price), list(_of_price(plan, play, kind, price, n))


def _of_price(plan: ValuePlan, play: BotPlay, kind: str, price: Price, n: int) -> Iterator[Worth]:
    if price.kind is not Crossing.CROSSES or price.value is None:
        return
    units = n if play.exact else n // 2
    ends = (price.value, price.low, price.high)
    yield Worth(play.player.name, kind, "price", None, *ends, n, units, price.method)
    today = plan.cost(kind)
    if today is not None:
        value, low, high = (None if end is None else end - today for end in ends)
        yield Worth(play.player.name, kind, "headroom", None, value, low, high, n, units, price.method)


def _width(plan: ValuePlan, scale: Scale) -> float:
    """The most that a match can be away from even."""
    if scale is POINTS:
        limits = {"dispatches": plan.scenario.dispatches, "reward": max(plan.scenario.cargo.rewards)}
        return METRICS[POINTS.metric].limits(limits)[1]
    return 0.5


def _worth(
    play: BotPlay,
    subject: str,
    figure: str,
    value: Measured,
    tally: Tally,
    width: float,
    *,
    at: int | None = None,
    gain: float | None = None,
) -> Worth:
    found = interval(value, LEVEL, width)
    n = int(tally[SCORE.metric].matches.sum())
    if found.method == NO_MATCHES:
        return Worth(play.player.name, subject, figure, at, None, None, None, n, 0, NO_MATCHES)
    ends = (found.value, found.low, found.high)
    return Worth(play.player.name, subject, figure, at, *ends, n, value.pairs, found.method, gain)


def _share(play: BotPlay, kind: str, figure: str, at: int | None, tally: Tally, metric: str) -> Worth:
    share = measured(tally[metric])
    n = int(tally[metric].matches.sum())
    if n == 0:
        return Worth(play.player.name, kind, figure, at, None, None, None, 0, 0, NO_MATCHES)
    if play.exact:
        return Worth(play.player.name, kind, figure, at, share.value, None, None, n, share.pairs, DETERMINISTIC)
    found = intervals.proportion(share.value, share.means, share.pairs, LEVEL)
    return Worth(play.player.name, kind, figure, at, share.value, found.low, found.high, n, share.pairs, found.method)


def verdicts_of(plan: ValuePlan, worths: Sequence[Worth]) -> Iterator[Verdict]:
    """What the panel says of each subject."""
    delta, mandatory = plan.study.worthless_below, plan.study.mandatory_above
    for subject in subjects_of(plan):
        values = {one.bot: one for one in worths if (one.subject, one.figure) == (subject, "knockout.score")}
        votes = {bot: _vote(one, delta, mandatory) for bot, one in values.items()}
        buyers = tuple(bot for bot, one in values.items() if not _is_untouched(one))
        verdict, agree = panel_verdict(votes, buyers)
        yield Verdict(subject, verdict, agree, {bot: vote.value for bot, vote in votes.items()}, buyers)


def _vote(one: Worth, delta: float, mandatory: float) -> Vote:
    if one.value is None:
        return Vote.UNDECIDED
    return vote_on(Interval(one.value, one.low, one.high, one.method), delta, mandatory)


def _is_untouched(one: Worth) -> bool:
    """Whether a bot plays the same without: it never buys it."""
    return one.method in (IDENTICAL, EXACT) or (one.method == DETERMINISTIC and one.value == 0)
