"""What a run says, in words: names of the players, figures with their intervals, and the verdict in plain sentences."""

from __future__ import annotations

from dataclasses import dataclass

from kernels.codes import Outcome, Pairing
from sim.config.exactness import exactness
from sim.running.result import Run
from sim.stats import closeness, intervals
from sim.stats.metrics import DETERMINISTIC, METRICS, Estimate
from sim.stats.rounding import format_estimate

NOT_MEASURED = "not measured"
LONGEST_NAME = 28


@dataclass(frozen=True)
class Players:
    """What the two sides are called.

    Attributes
    ----------
    first, second
        Short names: "seat A" and "seat B" in self-play, else the bots'.
    by_seat
        Whether first sat in seat A throughout, so that sides are seats.
    """

    first: str
    second: str
    by_seat: bool


def players(run: Run) -> Players:
    """Names of the two sides of a run: seats in self-play, else the bots or people."""
    by_seat = run.sums.pairing != Pairing.SEATS
    if by_seat and run.first == run.second:
        return Players("seat A", "seat B", True)
    first, second = shortened(run.first), shortened(run.second)
    if by_seat:
        return Players(f"{first} (seat A)", f"{second} (seat B)", True)
    if first == second:
        return Players(f"{first} (first)", f"{second} (second)", False)
    return Players(first, second, False)


def shortened(name: str, longest: int = LONGEST_NAME) -> str:
    """A name cut in its middle where it is too long to be a label."""
    if len(name) <= longest:
        return name
    head = (longest - 1) * 2 // 3
    return f"{name[:head]}…{name[len(name) - (longest - 1 - head) :]}"


def estimate(run: Run, metric: str) -> Estimate | None:
    """A run's estimate, or None where the run has none of this name."""
    try:
        return run[metric]
    except KeyError:
        return None


def figure(run: Run, metric: str) -> str:
    """A figure and its interval as one phrase, with no more digits than the interval supports."""
    found = estimate(run, metric)
    return NOT_MEASURED if found is None else phrase(found, METRICS[metric].unit)


def phrase(found: Estimate, unit: str) -> str:
    """An estimate as one phrase."""
    return format_estimate(found.value, found.low, found.high, unit, found.method)


def level_words(run: Run) -> str:
    """The confidence of the run's intervals, as in "95%"."""
    return f"{float(run.manifest.get('level', 0.95)) * 100:g}%"


def n_counting(run: Run) -> int:
    """Matches that enter the figures: those of wholly legal, finished pairs."""
    return int(run.sums.legal_pairs.sum()) * len(run.sums.swaps)


def n_ended(run: Run, *outcomes: Outcome) -> int:
    """Matches that ended in one of these ways, illegal and unfinished ones among them."""
    return int(run.sums.outcomes[:, :, list(outcomes)].sum())


def is_deterministic(run: Run) -> bool:
    """Whether the figures are of single matches that would always be played the same."""
    return any(found.method == DETERMINISTIC for found in run.estimates)


def seats_are_alike(run: Run) -> bool:
    """Whether two bots that are declared mirror-fair played on an exact map: then no seat is favoured (rules 7)."""
    players = [run.manifest.get(which) for which in ("first", "second")]
    fair = all(isinstance(one, dict) and one.get("mirror_fair") is True for one in players)
    return fair and exactness(run.scenario.map).exact


def is_recorded(run: Run) -> bool:
    """Whether people played the matches, and their records were judged, so that nothing was drawn."""
    return "records" in run.manifest


def is_too_small(run: Run) -> bool:
    """Whether there were too few pairs for an interval of a mean."""
    found = estimate(run, "spread.mean")
    return found is not None and found.method == intervals.TOO_SMALL


def counted(n: int, noun: str) -> str:
    """A number with its noun, as in "1 match" and "2,000 matches"."""
    return f"{n:,} {noun if n == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """More than one of it."""
    return noun + ("es" if noun.endswith("ch") else "s")


def largest_reward(run: Run) -> int:
    """The most points that one delivery can earn."""
    rewards: tuple[int, ...] = run.scenario.cargo.rewards
    return max(rewards)


def close_limit(run: Run) -> int:
    """Largest spread of a close match, in points."""
    return closeness.close_up_to(largest_reward(run))


def blow_out_limit(run: Run) -> int:
    """Least spread of a blow-out, in points."""
    return closeness.blow_out_from(largest_reward(run))


def spread_share(run: Run, low: float, high: float) -> Estimate:
    """Share of the matches whose spread lies from `low` to `high` points, with its interval."""
    level, fixed = float(run.manifest.get("level", 0.95)), is_deterministic(run)
    return closeness.spread_share(run.sums, low, high, run.pairing, level=level, deterministic=fixed)


def close_share(run: Run) -> Estimate:
    """Share of close matches: spread at most the largest reward."""
    level, fixed = float(run.manifest.get("level", 0.95)), is_deterministic(run)
    return closeness.close_share(run.sums, largest_reward(run), run.pairing, level=level, deterministic=fixed)


def blow_out_share(run: Run) -> Estimate:
    """Share of blow-outs: spread at least twice the largest reward."""
    level, fixed = float(run.manifest.get("level", 0.95)), is_deterministic(run)
    return closeness.blow_out_share(run.sums, largest_reward(run), run.pairing, level=level, deterministic=fixed)


def nothing_to_show(run: Run) -> str | None:
    """The sentence that stands in for every figure when no match counts, or None."""
    if n_counting(run):
        return None
    if not run.sums.n_matches:
        return "No match was played."
    illegal, unfinished = n_ended(run, Outcome.ILLEGAL), n_ended(run, Outcome.UNFINISHED)
    reasons = [
        words
        for n, words in (
            (illegal, f"{counted(illegal, 'match')} ended by an illegal order"),
            (unfinished, f"{counted(unfinished, 'match')} not finished"),
        )
        if n
    ]
    return f"Of {counted(run.sums.n_matches, 'match')} played none counts: {', '.join(reasons)}."
