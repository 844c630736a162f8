"""What a reader must know beside the figures of a tournament, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kernels.codes import Outcome
from sim.config.exactness import exactness
from sim.config.scenario import Scenario
from sim.games.dispatch.plan import DispatchPlan
from sim.stats.metagame import MetaGame
from sim.stats.sums import BlockSums

__all__ = ["pairing_words", "tournament_notes"]

Places = tuple[int, int]


def pairing_words(pairing: DispatchPlan, sums: BlockSums) -> dict[str, Any]:
    """One pairing as the manifest tells of it."""
    return {
        "pairing": pairing.pairing_name,
        "self_play": pairing.self_play,
        "pairs_swap": pairing.pairing.name.lower(),
        "deterministic": pairing.deterministic,
        "matches_played": sums.n_matches,
        "n_blocks": sums.n_blocks,
        "outcomes": {code.name.lower(): int(sums.outcomes[:, :, code].sum()) for code in Outcome},
    }


def tournament_notes(
    scenario: Scenario,
    asked: int,
    pairings: Mapping[Places, DispatchPlan],
    sums: Mapping[Places, BlockSums],
    met: MetaGame,
) -> Iterator[str]:
    """Sentences on what is exact, what was rounded and what went wrong."""
    yield from scenario.warnings
    for group in met.clones:
        yield (
            f"{', '.join(group)} have equal rows of payoffs, to the last match: in all that was played they are one "
            "bot, and share one weight."
        )
    for places, pairing in pairings.items():
        illegal = int(sums[places].outcomes[:, :, Outcome.ILLEGAL].sum())
        if illegal:
            yield (
                f"{illegal:,} of {sums[places].n_matches:,} matches of {pairing.pairing_name} ended with an illegal "
                "order; they and the other matches of their pairs count in no score."
            )
    still = [pairing.pairing_name for places, pairing in pairings.items() if pairing.deterministic]
    if still:
        yield (
            f"Neither bot draws in {', '.join(still)}: there is one different match of each seating; it was played "
            "once, and its score is exact."
        )
    drawing = next((pairing for pairing in pairings.values() if not pairing.deterministic), None)
    if drawing is not None and drawing.n_pairs(asked) * drawing.n_swaps != asked:
        yield (
            f"{asked:,} matches a pairing were asked for; "
            f"{drawing.n_pairs(asked) * drawing.n_swaps:,} were played, since matches come in pairs."
        )
    breaches = exactness(scenario.map).breaches
    if breaches:
        where = ", ".join(dict.fromkeys(breach.junction for breach in breaches))
        yield (f"The mirror of map {scenario.map.name} is not exact (at {where}): the labels alone may favour a seat.")
