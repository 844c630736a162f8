"""What a tournament says, in words: names that fit, figures as phrases, and the verdict in plain sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sim.reports.words import counted, shortened
from sim.stats.intervals import ZERO_VARIANCE
from sim.stats.metagame import COUNT, NOISE_ONLY, SOLVER_FAILED
from sim.stats.metrics import DETERMINISTIC, EXACT, Estimate
from sim.stats.rounding import format_estimate
from sim.studies.tournament_result import Tournament, unit_of

SMALL_WEIGHT = 0.001
"""Weights below are not told apart."""
PLAYED_WEIGHT = 0.01
"""A bot that the equilibrium plays less often than this is not named among those it plays."""


def short_names(bots: Sequence[str], longest: int) -> list[str]:
    """Names no longer than so many characters, still different from each other; numbers where cutting does not do."""
    stems = [name.rpartition("/")[2] if ".py:" in name else name for name in bots]
    names = list(stems) if len(set(stems)) == len(stems) else list(bots)
    cut = [shortened(name, longest) for name in names]
    if len(set(cut)) == len(cut):
        return cut
    return [f"{shortened(name, longest - 3)} {number}" for number, name in enumerate(names, 1)]


def listed(names: Sequence[str], last: str = "and") -> str:
    """Names with commas, and a word before the last."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


def figure(found: Estimate) -> str:
    """A figure and its interval as one phrase."""
    unit = unit_of(found.metric)
    if unit == "bots":
        return whole_range(found)
    if found.metric.startswith("equilibrium_weight."):
        return weight_words(found)
    if unit == "payoff":
        return format_estimate(found.value, found.low, found.high, "count", found.method)
    return format_estimate(found.value, found.low, found.high, unit, found.method)


def whole_range(found: Estimate) -> str:
    """A whole number, or the range that it lies in."""
    if found.value is None:
        return found.method
    if found.low is None or found.high is None:
        return f"{found.value:.0f}" if found.method in (DETERMINISTIC, COUNT) else found.method
    return f"{found.low:.0f}" if found.low == found.high else f"{found.low:.0f} to {found.high:.0f}"


def score_cell(found: Estimate) -> tuple[str, str]:
    """A score in percent, and its half-width in points or nothing, short enough for a cell."""
    if found.value is None:
        return "?", ""
    if found.method in (EXACT, DETERMINISTIC):
        return f"{100 * found.value:.4g}", ""
    if found.low is None or found.high is None:
        return "?", ""
    half = 100 * max(found.high - found.value, found.value - found.low)
    places = 2 if half < 0.095 else 1 if half < 9.5 else 0
    return f"{100 * found.value:.{places}f}", f"±{max(half, 0.5 * 10.0**-places):.{places}f}"


def verdict(found: Tournament) -> list[str]:
    """What the tournament says, in sentences; what it could not find first."""
    sentences = [f"Not computed, so that nothing is known of it: {failure}." for failure in found.failures]
    if len(found.bots) > 1:
        sentences += [*_ranks(found), *_equilibrium(found), *_dominance(found), *_cycles(found)]
    sentences.append(
        "All of this is among the bots named here: a bot that is missing could change it, and people play otherwise."
    )
    return sentences


def _ranks(found: Tournament) -> list[str]:
    known = [(bot, found[f"rank.{bot}"]) for bot in found.bots]
    if any(rank.value is None or (rank.low is None and rank.method != DETERMINISTIC) for _, rank in known):
        return []
    best = [bot for bot, rank in known if (rank.value if rank.low is None else rank.low) == 1]
    if len(best) == 1:
        return [f"{best[0]} is the strongest: it scores {figure(found[f'mean_score.{best[0]}'])} against the others."]
    if len(best) == len(known):
        return [f"None of the {counted(len(known), 'bot')} is seen to be the strongest."]
    return [f"The strongest is {listed(best, 'or')}."]


def _equilibrium(found: Tournament) -> list[str]:
    weights = [(bot, found[f"equilibrium_weight.{bot}"]) for bot in found.bots]
    if any(weight.value is None for _, weight in weights):
        return []
    played = sorted(
        ((bot, weight) for bot, weight in weights if (weight.value or 0) >= PLAYED_WEIGHT),
        key=lambda one: -(one[1].value or 0),
    )
    if len(played) == 1:
        return [f"Whoever may choose a bot does best with {played[0][0]} throughout, as far as the matches can tell."]
    mixed = ", ".join(f"{bot} {weight_words(weight)}" for bot, weight in played)
    return [f"Whoever may choose a bot cannot be beaten with this mixture, the most even there is: {mixed}."]


def weight_words(weight: Estimate) -> str:
    """A weight with its interval; alone where there is none, and only as small where it is too small to matter."""
    if weight.value is None:
        return weight.method
    if weight.low is None or weight.high is None:
        shown = f"under {SMALL_WEIGHT:.1%}" if weight.value < SMALL_WEIGHT else f"{100 * weight.value:.3g}%"
        return shown if weight.method == DETERMINISTIC else f"{shown} ({weight.method})"
    if weight.high < SMALL_WEIGHT:
        return f"under {SMALL_WEIGHT:.1%}"
    return format_estimate(weight.value, weight.low, weight.high, "share", weight.method)


def _dominance(found: Tournament) -> list[str]:
    counted_bots = found["dominated_bots"]
    if counted_bots.method == SOLVER_FAILED:
        known = ", ".join(one["bot"] for one in found.dominated)
        return [f"How many bots are dominated is not known{f'; {known} is' if known else ''}."]
    if counted_bots.value is None:
        return [f"Whether a bot is dominated is not known: {counted_bots.method}."]
    sentences = [dominated_words(one) for one in found.dominated]
    if not sentences:
        if counted_bots.high:
            sentences = ["No bot is seen to be dominated, but more matches might show one."]
        else:
            sentences = ["No bot is dominated: each is worth playing against some mixture of the others."]
    beaten = [bot for bot in found.bots if _n_always_winning(found, bot) > 1]
    if beaten:
        sentences.append(
            f"Several bots win every match against {listed(beaten)}, and what is equal there hides which of them "
            "dominates another: a tournament without would say."
        )
    return sentences


def _n_always_winning(found: Tournament, bot: str) -> int:
    """How many bots win every match against a bot."""
    return sum(found.score(other, bot).value == 1 for other in found.bots if other != bot)


def dominated_words(one: dict[str, Any]) -> str:
    """One dominated bot, in a sentence."""
    if one["pure"]:
        wins = "each win" if len(one["pure"]) > 1 else "wins"
        return f"{one['bot']} is dominated: {listed(one['pure'])} {wins} more than it against every rival."
    mixture = ", ".join(f"{bot} {100 * weight:.0f}%" for bot, weight in one["by"].items())
    return f"{one['bot']} is dominated: the mixture {mixture} wins more than it against every rival."


def _cycles(found: Tournament) -> list[str]:
    share = found["cyclic_share"]
    if share.method == NOISE_ONLY:
        return ["The bots are so even that it cannot be said whether strength is one number."]
    if share.value is None or len(found.bots) < 3:
        return []  # two bots have one payoff, which any one strength explains
    known = share.method not in (DETERMINISTIC, ZERO_VARIANCE)
    shown = figure(share) if known else f"{100 * share.value:.3g}%"
    return [
        f"One strength for each bot explains the payoffs but for {shown} of their squares: cycles, as in rock, paper, "
        "scissors, and gaps too wide to add up within 100%."
    ]
