"""The meta-game of a tournament: which bots to play, how often, which never, and whether strength is one number.

All figures are of the distinct bots: those whose rows of payoffs are equal are merged first, so that a copy of a bot
shares that bot's weight and changes nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from sim.stats import intervals
from sim.stats.dominance import Margin, dominance_margin, dominance_margins, pure_dominators
from sim.stats.equilibrium import SolverFailed, most_even_equilibria, most_even_equilibrium, slack_of
from sim.stats.metrics import DETERMINISTIC, NO_MATCHES, Estimate
from sim.stats.payoffs import Floats, Payoffs
from sim.stats.ratings import cyclic_share, ranks, ratings, resampled_cyclic_shares
from sim.stats.resampling import BOOTSTRAP, RESAMPLES, can_resample, percentile_limits, resampled_blocks
from sim.stats.sums import Int64s

__all__ = ["ALL_BOTS", "BOT_METRICS", "METAGAME_METRICS", "SOLVER_FAILED", "Dominated", "MetaGame", "meta_game"]

ALL_BOTS = "all bots"
"""Stands in for the pairing of figures that are of the tournament as a whole."""

SOLVER_FAILED = "solver failed"
NOISE_ONLY = "no payoff beyond noise"
ONE_BOT = "one distinct bot"
COUNT = "count"
ZERO = 1e-9
"""A margin no larger is rounding."""
LEAST_WEIGHT = 1e-6
"""Of a dominating mixture: weights below are rounding."""

METAGAME_METRICS: dict[str, tuple[str, str]] = {
    "distinct_bots": ("bots", "Bots left after bots with equal rows of payoffs are merged."),
    "dominated_bots": (
        "bots",
        "Distinct bots that another bot, or a mixture of others, beats against every rival beyond chance; the upper "
        "end also counts those for which the matches do not rule it out.",
    ),
    "cyclic_share": (
        "share",
        "Part of the squared payoffs that no difference of ratings explains, noise taken off: 0 where every payoff is "
        "the difference of two strengths, 1 where every bot wins as much as it loses.",
    ),
}
"""Figures of the tournament: unit and what they are."""

BOT_METRICS: dict[str, tuple[str, str]] = {
    "mean_score": ("share", "Mean score against all other distinct bots."),
    "rank": ("bots", "Rank by Bradley and Terry's model with ties and a seat term, 1 the strongest."),
    "equilibrium_weight": ("share", "How often the most even mixture that no bot beats plays the bot."),
    "dominance_margin": (
        "payoff",
        "By how much the best mixture of the others beats the bot against every rival, in payoff (2 * score - 1); "
        "above 0 the bot is dominated.",
    ),
}
"""Figures of each bot, as `<metric>.<bot>`: unit and what they are."""


@dataclass(frozen=True)
class Dominated:
    """A bot that nobody should play.

    Attributes
    ----------
    bot
        Its name, and those of its clones.
    by
        What dominates it: weights by name.
    pure
        Bots that alone beat it against every rival, each beyond chance.
    margin
        The margin of `by`, in payoff.
    """

    bot: str
    by: dict[str, float]
    pure: tuple[str, ...]
    margin: float


@dataclass(frozen=True)
class MetaGame:
    """What a table of payoffs says.

    Attributes
    ----------
    estimates
        Every figure, with the pairing "all bots".
    clones
        Groups of two or more bots with equal rows.
    dominated
        Dominated bots, one of each group.
    failures
        What could not be computed, and why: nothing may be concluded there.
    slack
        Of the equilibrium, in payoff.
    """

    estimates: tuple[Estimate, ...]
    clones: tuple[tuple[str, ...], ...]
    dominated: tuple[Dominated, ...]
    failures: tuple[str, ...]
    slack: float


T = TypeVar("T")


def meta_game(
    payoffs: Payoffs, n_pairs: int, *, seed: int, level: float = 0.95, resamples: int = RESAMPLES
) -> MetaGame:
    """Estimate every figure of the meta-game.

    Parameters
    ----------
    payoffs
        Of two or more bots.
    n_pairs
        Pairs of each pairing.
    seed
        Of the bootstrap; the same payoffs and seed give the same figures.
    level
        Confidence.
    resamples
        How many.
    """
    return _Study(payoffs, n_pairs, seed, level, resamples).result()


class _Study:
    """One table of payoffs on its way to its figures."""

    def __init__(self, payoffs: Payoffs, n_pairs: int, seed: int, level: float, resamples: int) -> None:
        self.all = payoffs
        self.groups = payoffs.clones()
        self.distinct = payoffs.only([group[0] for group in self.groups])
        self.n_pairs = n_pairs
        self.level = level
        self.failures: list[str] = []
        self.found: dict[str, Estimate] = {}
        self.counts: Int64s | None = None
        if not payoffs.all_exact and can_resample(payoffs.n_blocks):
            self.counts = resampled_blocks(payoffs.n_blocks, resamples, seed)
        i, j = np.triu_indices(self.distinct.n_bots, 1)
        matches = self.distinct.matches[:, i, j].sum(axis=0)
        exact = self.distinct.exact[i, j]
        self.n = int(matches[~exact].sum()) + 2 * int(exact.sum())
        self.n_units = 1 if payoffs.all_exact else n_pairs

    def result(self) -> MetaGame:
        slack = slack_of(0.0 if self.distinct.uncounted else self.distinct.typical_error)
        dominated: tuple[Dominated, ...] = ()
        self.enter("distinct_bots", float(len(self.groups)), None, None, COUNT)
        if self.distinct.uncounted:
            one, other = self.distinct.uncounted[0]
            self.failures.append(f"no match of {one} vs {other} counts, so that there is no table of payoffs")
            self.nothing(NO_MATCHES)
        else:
            tables = None if self.counts is None else self.distinct.resampled(self.counts)
            if tables is not None and not np.isfinite(tables).all():
                tables = self.counts = None  # so few matches count that a resample may hold none of some pairing
            self.mean_scores()
            self.cyclic()
            self.ranks()
            self.weights(tables, slack)
            dominated = self.dominance(tables)
        order = [*METAGAME_METRICS, *(f"{metric}.{bot}" for metric in BOT_METRICS for bot in self.all.bots)]
        clones = tuple(tuple(self.all.bots[place] for place in group) for group in self.groups if len(group) > 1)
        return MetaGame(tuple(self.found[name] for name in order), clones, dominated, tuple(self.failures), slack)

    def enter(self, metric: str, value: float | None, low: float | None, high: float | None, method: str) -> None:
        """Enter one figure."""
        self.found[metric] = Estimate(ALL_BOTS, metric, value, low, high, self.n, self.n_units, method)

    def enter_bots(
        self,
        metric: str,
        values: Floats,
        limits: tuple[Floats, Floats] | None,
        *,
        shared: bool = False,
        method: str | None = None,
    ) -> None:
        """Enter one figure of every bot; of clones all the same, or all an equal part where it is `shared`."""
        for place, group in enumerate(self.groups):
            parts = len(group) if shared else 1
            ends = (None, None) if limits is None else (limits[0][place] / parts, limits[1][place] / parts)
            for bot in group:
                value = float(values[place]) / parts
                low, high = (None if end is None else float(end) for end in ends)
                if low is not None and high is not None:
                    low, high = min(low, value), max(high, value)
                self.enter(f"{metric}.{self.all.bots[bot]}", value, low, high, method or self.method)

    @property
    def still(self) -> bool:
        """Whether blocks do not differ although chance had a hand in them: then a bootstrap has no width."""
        return self.counts is not None and self.distinct.n_bots > 1 and self.distinct.typical_error == 0

    @property
    def method(self) -> str:
        """How bootstrap intervals came about, or why there are none."""
        if self.all.all_exact:
            return DETERMINISTIC
        return intervals.TOO_SMALL if self.counts is None else BOOTSTRAP

    def nothing(self, method: str, *metrics: str) -> None:
        """Enter that figures are not known; all but the number of distinct bots where none is named."""
        wanted = metrics or (*(name for name in METAGAME_METRICS if name != "distinct_bots"), *BOT_METRICS)
        for metric in wanted:
            names = [f"{metric}.{bot}" for bot in self.all.bots] if metric in BOT_METRICS else [metric]
            for name in names:
                self.enter(name, None, None, None, method)

    def solved(self, what: str, compute: Callable[[], T], *metrics: str) -> T | None:
        """What a solver found; None, with the failure entered, where it failed."""
        try:
            return compute()
        except (SolverFailed, ArithmeticError, np.linalg.LinAlgError) as error:
            self.failures.append(f"{what}: {error}")
            if metrics:
                self.nothing(SOLVER_FAILED, *metrics)
            return None

    def mean_scores(self) -> None:
        """Mean score of each against all others."""
        n, blocks = self.distinct.n_bots, self.distinct.by_block
        if n == 1:
            self.nothing(ONE_BOT, "mean_score")
            return
        scores = 0.5 + self.distinct.table.sum(axis=1) / (2 * (n - 1))
        for place, group in enumerate(self.groups):
            by_block = 0.5 + blocks[:, place].sum(axis=1) / (2 * (n - 1))
            found = intervals.mean(float(scores[place]), by_block, self.n_pairs, self.level, (0.0, 1.0))
            if self.distinct.exact[place].all():
                found = intervals.Interval(found.value, None, None, DETERMINISTIC)
            for bot in group:
                self.enter(f"mean_score.{self.all.bots[bot]}", found.value, found.low, found.high, found.method)

    def cyclic(self) -> None:
        """How much of the payoffs is no difference of ratings."""
        observed = cyclic_share(self.distinct)
        if observed.value is None:
            self.nothing(ONE_BOT if self.distinct.n_bots == 1 else NOISE_ONLY, "cyclic_share")
            return
        low = high = None
        if self.counts is not None:
            # A resample adds the same noise to the observed table that the truth was seen through: how far its share is
            # from the observed one is how far the share is from the true one.
            resampled = resampled_cyclic_shares(self.distinct, self.counts)
            errors = np.array([share.value - observed.observed for share in resampled if share.value is not None])
            if len(errors) < len(resampled):
                self.enter("cyclic_share", observed.value, 0.0, 1.0, NOISE_ONLY)
                return
            below, above = percentile_limits(errors, self.distinct.n_blocks, self.level)
            low = min(max(observed.value - float(above), 0.0), observed.value)
            high = max(min(observed.value - float(below), 1.0), observed.value)
        if self.still:
            self.enter("cyclic_share", observed.value, None, None, intervals.ZERO_VARIANCE)
        else:
            self.enter("cyclic_share", observed.value, low, high, self.method)

    def ranks(self) -> None:
        """Ranks, as ranges."""
        n_blocks, n = self.distinct.n_blocks, self.distinct.n_bots
        if n == 1:
            self.enter_bots("rank", np.ones(1), None if self.counts is None else (np.ones(1), np.ones(1)))
            return
        matches = float(self.distinct.endings.sum(axis=(0, 3)).max())

        def compute() -> tuple[Floats, tuple[Floats, Floats] | None]:
            played = self.distinct.endings.sum(axis=0)[None]
            whole = ranks(ratings(played.astype(np.float64), matches))[0].astype(np.float64)
            if self.counts is None:
                return whole, None
            endings = self.counts @ self.distinct.endings.reshape(n_blocks, -1)
            resampled = ratings(endings.reshape(-1, n, n, 3).astype(np.float64), matches)
            # The best rank that may be is one more than the number of those above beyond chance; the worst likewise.
            surely_above = percentile_limits(resampled[:, None, :] - resampled[:, :, None], n_blocks, self.level)[0] > 0
            return whole, (1.0 + surely_above.sum(axis=1), float(n) - surely_above.sum(axis=0))

        found = self.solved("ranks", compute, "rank")
        if found is not None:
            self.enter_bots("rank", *found)

    def weights(self, tables: Floats | None, slack: float) -> None:
        """Weights of the most even equilibrium."""

        def compute() -> tuple[Floats, tuple[Floats, Floats] | None]:
            found = most_even_equilibrium(self.distinct.table, slack)
            if tables is None:
                return found.weights, None
            resampled = most_even_equilibria(tables, slack, found.multipliers)
            return found.weights, percentile_limits(resampled, self.distinct.n_blocks, self.level)

        found = self.solved("equilibrium", compute, "equilibrium_weight")
        if found is not None and self.still:
            self.enter_bots("equilibrium_weight", found[0], None, shared=True, method=intervals.ZERO_VARIANCE)
        elif found is not None:
            self.enter_bots("equilibrium_weight", *found, shared=True)

    def dominance(self, tables: Floats | None) -> tuple[Dominated, ...]:
        """Margins of dominance, and the bots that are dominated beyond chance."""
        n = self.distinct.n_bots
        if n == 1:
            self.nothing(ONE_BOT, "dominance_margin")
            self.enter("dominated_bots", 0.0, 0.0, 0.0, ONE_BOT)
            return ()
        pure = pure_dominators(self.distinct, self.n_pairs, self.level)
        dominated = []
        n_possible = 0
        failed = False
        for i, group in enumerate(self.groups):
            names = [self.all.bots[bot] for bot in group]
            found = self.margin(i, tables)
            if found is None:
                failed = True
                for name in names:
                    self.enter(f"dominance_margin.{name}", None, None, None, SOLVER_FAILED)
                continue
            margin, low, high = found
            for name in names:
                self.enter(f"dominance_margin.{name}", margin.value, low, high, self.method)
            seen = margin.value if self.all.all_exact else low
            certain = bool(pure[i].any()) or (seen is not None and seen > ZERO)
            n_possible += certain or (high is not None and high > ZERO)
            if certain:
                dominated.append(self.described(names[0], margin, pure[i]))
        if failed:
            self.enter("dominated_bots", None, None, None, SOLVER_FAILED)
        elif self.method == intervals.TOO_SMALL:
            self.enter("dominated_bots", None, None, None, self.method)
        else:
            n_certain = float(len(dominated))
            low, high = (None, None) if self.all.all_exact else (n_certain, float(n_possible))
            self.enter("dominated_bots", n_certain, low, high, self.method)
        return tuple(dominated)

    def margin(self, i: int, tables: Floats | None) -> tuple[Margin, float | None, float | None] | None:
        """The margin against the i-th distinct bot with its interval; None, with the failure entered, without one."""

        def compute() -> tuple[Margin, float | None, float | None]:
            margin = dominance_margin(self.distinct.table, i)
            if tables is None:
                return margin, None, None
            ends = percentile_limits(dominance_margins(tables, i), self.distinct.n_blocks, self.level)
            # Pairs that were all alike could yet differ, in payoffs by so much:
            unseen = 2 * float(intervals.clopper_pearson_limits(0.0, self.n_pairs, self.level)[1])
            low = min(float(ends[0]), margin.value - unseen)
            # The least over rivals draws resampled margins down: the upper end must not believe that.
            high = max(float(ends[1]), margin.value + unseen, 2 * margin.value - float(ends[0]))
            return margin, max(low, -2.0), min(high, 2.0)

        return self.solved(f"dominance of {self.distinct.bots[i]}", compute)

    def described(self, name: str, margin: Margin, pure: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Dominated:
        by = {
            bot: float(weight)
            for bot, weight in zip(self.distinct.bots, margin.mixture, strict=True)
            if weight > LEAST_WEIGHT
        }
        alone = tuple(bot for bot, dominates in zip(self.distinct.bots, pure, strict=True) if dominates)
        return Dominated(name, by, alone, margin.value)
