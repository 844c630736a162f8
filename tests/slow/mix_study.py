"""How near the mixes of `equilibrium` are to an equilibrium of the matrices that it sees, and what knowing them wins.

    python -m tests.slow.mix_study [--states 10000] [--matches 2000] [--scenario standard]

The gap of two mixes is what both sides together could gain by knowing the other's, as a share of the range of the
matrix. States are met in matches of greedy against saboteur and of equilibrium against saboteur, half each.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import float64, int64, void

import sim
from kernels.dispatch.batch import RULES_ARRAY, STATE_ARRAY, replay_orders
from kernels.dispatch.bots import SHIPPED
from kernels.dispatch.bots.sensible import MOST
from kernels.dispatch.bots.thinking import equilibrium_mix
from kernels.dispatch.layout import new_state
from kernels.dispatch.match import PARAMS_TYPE
from kernels.jit import entry
from kernels.random import Purpose, new_streams, seek
from sim.config.loading import load_scenario
from sim.replaying import Board
from sim.reports.exploit_terminal import figure
from tests.kernel_tools import NO_LOG, seeded

VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "400 iterations": {"iterations": 400},
    "400 iterations, 16 orders": {"iterations": 400, "orders": 16},
}
PAIRS = (("greedy", "saboteur"), ("equilibrium", "saboteur"))


@entry(
    void(
        RULES_ARRAY, STATE_ARRAY, int64, PARAMS_TYPE, int64[::1], int64[::1], float64[:, ::1], float64[::1],
        float64[::1], float64[::1],
    )
)  # fmt: skip
def mix_at(rules, state, c, params, orders, their_orders, matrix, own, theirs, found):
    """The matrix and both mixes at a state; `found`: how many own orders, how many of the rival's, the worth."""
    n, m, value = equilibrium_mix(rules[0], state[0], c, params, orders, their_orders, matrix, own, theirs)
    found[0] = n
    found[1] = m
    found[2] = value


@dataclass(frozen=True)
class Mixes:
    """What `equilibrium` sees and plays at a state: the matrix [a, b], both mixes, own orders and the worth."""

    matrix: np.ndarray
    own: np.ndarray
    theirs: np.ndarray
    orders: np.ndarray
    value: float

    @property
    def gap(self) -> float:
        """What both sides together could gain, as a share of the range of the matrix."""
        most, least = (self.matrix @ self.theirs).max(), (self.own @ self.matrix).min()
        return float((most - least) / max(np.ptp(self.matrix), 1e-9))


def mixes_at(rules: np.ndarray, state: np.ndarray, c: int, memory: np.ndarray) -> Mixes:
    """Ask the kernel."""
    matrix, own, theirs, found = np.zeros((MOST, MOST)), np.zeros(MOST), np.zeros(MOST), np.zeros(3)
    orders, their_orders = np.zeros(MOST, np.int64), np.zeros(MOST, np.int64)
    mix_at(rules, state, c, memory, orders, their_orders, matrix, own, theirs, found)
    n, m = int(found[0]), int(found[1])
    return Mixes(matrix[:n, :m], own[:n], theirs[:m], orders[:n], float(found[2]))


def states_met(board: Board, n: int, subject: str, pair: tuple[str, str] = PAIRS[0]) -> Iterator[np.ndarray]:
    """`n` states, shape (1,), each at a random dispatch of a match of its own."""
    rng = seeded(subject, n)
    bots = [SHIPPED[name] for name in pair]
    memory = [bot.memory(board.rules, bot.values({})) for bot in bots]
    streams, verdict = new_streams(2), np.zeros(3, np.int64)
    for number in range(n):
        for lane in (0, 1):
            address = (np.int64(9), np.int64(0), np.int64(Purpose.ORDERS), np.int64(lane), np.int64(number))
            seek(streams[lane], *address)
        state = new_state()
        orders = np.zeros((rng.randrange(board.scenario.dispatches), 2), np.int64)
        replay_orders(board.rules, state, orders[:0], 0, NO_LOG, verdict)
        for d in range(len(orders)):
            for c in (0, 1):
                orders[d, c] = bots[c].compiled(board.rules[0], state[0], np.int64(c), memory[c], streams[c])
            replay_orders(board.rules, state, orders[: d + 1], d, NO_LOG, verdict)
        yield state


def gaps(scenario: str, n: int, given: Mapping[str, Any], overrides: Any = ()) -> np.ndarray:
    """The gaps at `n` states, shape (n,)."""
    board = Board(load_scenario(scenario, overrides))
    bot = SHIPPED["equilibrium"]
    memory = bot.memory(board.rules, bot.values(given))
    parts = [states_met(board, (n + i) // len(PAIRS), "gap", pair) for i, pair in enumerate(PAIRS)]
    return np.array([mixes_at(board.rules, state, 0, memory).gap for states in parts for state in states])


def same_value(scenario: str, matches: int, given: Mapping[str, Any]) -> Any:
    """The answer with the same value to `equilibrium` with these parameters."""
    define = {"it": {"bot": "equilibrium", **given}}
    return sim.exploit("it", scenario, matches=matches, seed=1, overrides={"define": define}, kinds=["same value"])


def main(words: list[str]) -> int:
    """Run the command; exit code 1 when a mix is worse than it should be."""
    parser = argparse.ArgumentParser(prog="python -m tests.slow.mix_study", description=__doc__)
    parser.add_argument("--states", type=int, default=10_000)
    parser.add_argument("--matches", type=int, default=2_000, help="of the answer with the same value")
    parser.add_argument("--scenario", default="standard")
    given = parser.parse_args(words)
    good = True
    for name, values in VARIANTS.items():
        found = gaps(given.scenario, given.states, values)
        answer = same_value(given.scenario, given.matches, values)["same value"]
        print(
            f"{name}: mean gap {found.mean():.4%}, largest {found.max():.4%} of {found.size:,} states; "
            f"the answer with the same value scores {figure(answer, 'score.first')}",
            flush=True,
        )
        good &= bool(found.mean() <= 0.01 if name == "default" else found.max() <= 0.01)
        if name == list(VARIANTS)[-1]:
            score = answer["score.first"]
            good &= score.value - 0.5 <= 0.05 + (score.high - score.low) / 2
    print("as it should be" if good else "NOT as it should be")
    return int(not good)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
