"""Whether bots favour a seat: mirrored states must get mirrored orders, and self-play must show no bias.

    python -m tests.slow.mirror_study [--states 10000] [--matches 200000] [BOT …]

States are met on all exact maps alike; the mirrored one is asked of the other company with the same luck. Self-play
is without swapped lanes, so that nothing cancels out by itself; bots that think longer play fewer matches. Holm's
procedure holds the chance of any false alarm at 1%.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from kernels.codes import NO_TOGGLE, Invest
from kernels.dispatch.bots import SHIPPED
from kernels.dispatch.bots.decorator import Bot
from kernels.dispatch.layout import new_state
from kernels.dispatch.orders import invest_of, pack_order, reverse_of, toggle_of, train_of
from kernels.random import Purpose, new_streams, seek
from sim.api import make_plan
from sim.config.loading import load_scenario
from sim.games.dispatch.plan import DispatchPlan
from sim.replaying import Board
from sim.running.engine import play_pairs
from sim.running.ledger import Ledger
from sim.running.runner import threads_here
from tests.slow.mix_study import states_met

EXACT = ("standard", "compact", "corridor", "grand", "ladder")
SLOWER = {"planner": 4, "equilibrium": 20}
"""By how much fewer matches a bot plays."""

FALSE_ALARM = 0.01
POWER = 0.8
ONE_SIGMA = 2 * norm.cdf(1) - 1


class Mirror:
    """The mirror of an exact map, in the numbers of the kernels."""

    def __init__(self, rules: np.ndarray) -> None:
        self.rules = rules[0]
        head, exits = self.rules.head, self.rules.exit
        n_arcs, n_junctions = int(self.rules.n_arcs), int(self.rules.n_junctions)
        self.node = [int(node) for node in self.rules.mirror_node]
        arcs = {(int(head[a ^ 1]), int(head[a])): a for a in range(n_arcs)}
        self.arc = [arcs[self.node[int(head[a ^ 1])], self.node[int(head[a])]] for a in range(n_arcs)]
        # Where the mirror reverses the order of the neighbours, the image stands on the other route (rules 7).
        self.reversed = [False] * n_junctions
        for a in range(n_arcs):
            if int(head[a]) < n_junctions:
                straight = self.arc[int(exits[a, 0])] == int(exits[self.arc[a], 0])
                self.reversed[int(head[a])] = not straight

    def junctions(self, bits: int) -> int:
        """The image of a set of junctions."""
        return sum(1 << self.node[j] for j in range(len(self.reversed)) if bits >> j & 1)

    def routes(self, bits: int) -> int:
        """The image of the switches."""
        return sum(1 << self.node[j] for j, turned in enumerate(self.reversed) if (bits >> j & 1) != int(turned))

    def state(self, state: np.ndarray) -> np.ndarray:
        """The mirrored state, shape (1,): companies swapped, everything where its image is."""
        one, other = state[0], new_state()
        image = other[0]
        for name in state.dtype.names or ():
            image[name] = one[name][::-1] if one[name].ndim else one[name]
        image.routes = self.routes(int(one.routes))
        image.sidings = [self.junctions(int(bits)) for bits in one.sidings[::-1]]
        image.arc = [[self.arc[int(a)] for a in pair] for pair in one.arc[::-1]]
        image.last_order = [self.order(int(order)) if one.dispatch > 1 else 0 for order in one.last_order[::-1]]
        return other

    def order(self, order: int) -> int:
        """The mirrored order."""
        order = np.int64(order)
        toggle, invest = int(toggle_of(order)), int(invest_of(order))
        if toggle != NO_TOGGLE:
            toggle = self.node[toggle]
        if invest >= Invest.SIDING:
            invest = int(Invest.SIDING) + self.node[invest - int(Invest.SIDING)]
        return int(pack_order(train_of(order), reverse_of(order), np.int64(toggle), np.int64(invest)))


def unmirrored(bot: Bot, scenario: str, n: int, overrides: Sequence[str] = ()) -> list[int]:
    """Numbers of the states, of `n` met on an exact map, whose mirror image does not get the mirrored order."""
    board = Board(load_scenario(scenario, overrides))
    mirror = Mirror(board.rules)
    memory = bot.memory(board.rules, bot.values({}))
    stream = new_streams(1)[0]
    wrong = []
    for number, state in enumerate(states_met(board, n, f"mirror {scenario}")):
        c = number % 2
        found = []
        for asked, company in ((state, c), (mirror.state(state), 1 - c)):
            address = (np.int64(5), np.int64(0), np.int64(Purpose.ORDERS), np.int64(0), np.int64(number))
            seek(stream, *address)
            found.append(int(bot.compiled(board.rules[0], asked[0], np.int64(company), memory, stream)))
        if found[1] != mirror.order(found[0]):
            wrong.append(number)
    return wrong


@dataclass(frozen=True)
class SeatBias:
    """The score of seat A minus that of seat B in self-play, and its standard error."""

    bot: str
    scenario: str
    n: int
    value: float
    error: float

    @property
    def p(self) -> float:
        """How likely at least such a bias would be by chance."""
        return 1.0 if self.error == 0 else float(2 * norm.sf(abs(self.value) / self.error))


def seat_bias(bot: str, scenario: str, matches: int, overrides: Sequence[str] = ()) -> SeatBias:
    """Self-play without swapped lanes."""
    plan = make_plan(scenario, bots=(bot, bot), seed=2, overrides=overrides)
    assert isinstance(plan, DispatchPlan)
    plan = DispatchPlan(plan.scenario, plan.first, plan.second, plan.seed, swaps=False)
    ledger = Ledger(plan.empty_sums(plan.n_blocks(matches)), [])
    play_pairs(plan, ledger, matches, threads=threads_here(None))
    (found,) = plan.summarise(ledger.sums, level=ONE_SIGMA, metrics=["seat_bias"])
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    return SeatBias(bot, scenario, matches, found.value, (found.high - found.low) / 2)


def holm(found: Sequence[SeatBias]) -> list[SeatBias]:
    """Those whose bias is no chance, by Holm's procedure."""
    rejected = []
    for place, one in enumerate(sorted(found, key=lambda one: one.p)):
        if one.p > FALSE_ALARM / (len(found) - place):
            break
        rejected.append(one)
    return rejected


def detectable(one: SeatBias, n_tests: int) -> float:
    """The smallest bias that would be seen among so many tests four times in five."""
    return float((norm.isf(FALSE_ALARM / n_tests / 2) + norm.ppf(POWER)) * one.error)


def main(words: list[str]) -> int:
    """Run the command; exit code 1 when a bot favours a seat."""
    parser = argparse.ArgumentParser(prog="python -m tests.slow.mirror_study", description=__doc__)
    parser.add_argument("bots", nargs="*", help="all shipped ones when none is named")
    parser.add_argument("--states", type=int, default=10_000, help="for each bot, over all exact maps")
    parser.add_argument("--matches", type=int, default=200_000, help="of self-play of the quick bots on each map")
    given = parser.parse_args(words)
    names = given.bots or list(SHIPPED)
    good = True
    for name in names:
        wrong = {scenario: unmirrored(SHIPPED[name], scenario, given.states // len(EXACT)) for scenario in EXACT}
        count = sum(map(len, wrong.values()))
        good &= count == 0
        print(
            f"{name}: {count:,} of {given.states:,} mirrored states got another order than the mirrored one", flush=True
        )
    found = []
    for name in names:
        for scenario in EXACT:
            found.append(seat_bias(name, scenario, given.matches // SLOWER.get(name, 1)))
            one = found[-1]
            print(
                f"{name} on {scenario}: seat bias {one.value:+.3%}, standard error {one.error:.3%}, p {one.p:.3f}; "
                f"detectable {detectable(one, len(names) * len(EXACT)):.2%} ({one.n:,} matches)",
                flush=True,
            )
    biased = holm(found)
    good &= not biased
    for one in biased:
        print(f"BIASED: {one.bot} on {one.scenario}")
    print("no bot favours a seat" if good else "NOT fair")
    return int(not good)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
