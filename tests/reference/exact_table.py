"""How far each shipped bot is from exact play: solve the small games and rewrite the table in docs/exact.md.

python -m tests.reference.exact_table                     all games and bots, and rewrite the page
python -m tests.reference.exact_table shed --bots greedy  print these only
... --samples 1000                                        fewer draws at a state, for bots that are slow
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path

from tests.reference.exact import best_response, solve, value_of
from tests.reference.small_games import SMALL_GAMES
from tests.test_exact_bots import SAMPLES, ReadsThePast, behaviour, shipped_names

PAGE = Path(__file__).parents[2] / "docs" / "exact.md"
BLOCK = re.compile(r"(<!-- exact table -->\n)(.*?)(<!-- end of the exact table -->)", re.DOTALL)
HEADS = (
    "game", "dispatches", "positions", "mixed", "value", "bot", "score against equilibrium", "½ less score",
    "best response to it",
)  # fmt: skip
FEWER_SAMPLES = {"equilibrium": 512}
"""For bots that think for long."""


def rows_of(name: str, bots: list[str], samples: int = SAMPLES) -> list[list[str]]:
    """The rows of one game, one for each bot."""
    game = SMALL_GAMES[name]
    solution = solve(game)
    about = [name, f"{game['dispatches']}", f"{solution.n_positions:,}", f"{solution.n_mixed:,}"]
    about.append(f"{solution.value:.4f}")
    rows = []
    for bot in bots:
        played = behaviour(bot, game, min(samples, FEWER_SAMPLES.get(bot, samples)))
        try:
            score = 1.0 - value_of(game, solution.mix, played)
            best = best_response(game, played, 0)
            print(f"{name}, {bot}: {len(played.mixes):,} states", file=sys.stderr)
            found = [f"{score:.4f}", f"{0.5 - score:.4f}", f"{best:.4f}"]
        except ReadsThePast:
            found = ["reads the past"] * 3
        rows.append([*about, bot, *found])
    return rows


def table(rows: list[list[str]]) -> str:
    """Rows as Markdown."""
    rule = ["---" if head in ("game", "bot") else "---:" for head in HEADS]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (HEADS, rule, *rows))


def main(words: list[str]) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.reference.exact_table", description=__doc__)
    parser.add_argument("games", nargs="*", help=f"of {', '.join(SMALL_GAMES)}; all when none is named")
    parser.add_argument("--bots", help="names with commas between; all shipped ones when absent")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="draws at a state, at least")
    given = parser.parse_args(words)
    unknown = [name for name in given.games if name not in SMALL_GAMES]
    if unknown:
        parser.error(f"no such game: {', '.join(unknown)}")
    bots = given.bots.split(",") if given.bots else shipped_names()
    rows = []
    for name in given.games or SMALL_GAMES:
        started = time.monotonic()
        rows += rows_of(name, bots, given.samples)
        print(f"{name}: {time.monotonic() - started:.0f} s", file=sys.stderr)
    text = table(rows)
    print(text, end="")
    if not given.games and given.bots is None:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(BLOCK.sub(lambda block: block[1] + text + block[3], page), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
