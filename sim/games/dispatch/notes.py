"""What a reader must know beside the figures, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.codes import Column, Outcome, Pairing
from sim.config.exactness import exactness
from sim.config.scenario import Scenario
from sim.stats.sums import BlockSums

if TYPE_CHECKING:
    from sim.games.dispatch.plan import DispatchPlan

__all__ = ["false_declaration", "inexact_note", "run_notes"]


def run_notes(plan: DispatchPlan, sums: BlockSums, asked: int | None) -> tuple[str, ...]:
    """Sentences on what is exact, what was rounded and what went wrong.

    Parameters
    ----------
    asked
        Matches asked for; None when a half-width decided how many.
    """
    notes = [*plan.scenario.warnings]
    played = sums.n_matches
    illegal = int(sums.outcomes[:, :, Outcome.ILLEGAL].sum())
    if illegal:
        notes.append(
            f"{illegal:,} of {played:,} matches ended with an illegal order. They and the other matches of their pairs "
            "are in no figure but illegal_orders."
        )
    fair = plan.certainty.mirror_proof
    if plan.deterministic:
        what = (
            "there is one different match: it was played once, and its figures have no interval."
            if played == 1
            else "there are two different matches, one for each seating: they were played once each, and their figures "
            "have no interval."
        )
        notes.append(f"Neither bot draws, so {what}")
        if plan.self_play and plan.first.bot.mirror_fair and exactness(plan.scenario.map).exact:
            notes.append(
                "Two equal bots without chance mirror each other on an exact map: every match is shared by symmetry, "
                "which tells nothing of the game."
            )
    elif asked is not None and played != asked:
        notes.append(f"{asked:,} matches were asked for; {played:,} were played, since matches come in pairs.")
    if fair and not plan.deterministic:
        legal = int(sums.legal_pairs.sum())
        uneven = legal - int(sums.pair_scores[:, 2].sum())
        if uneven:
            notes.append(
                f"{plan.first.name} is declared mirror-fair, but {uneven:,} of {legal:,} pairs are no mirror images; "
                "seat bias was measured instead."
            )
        elif legal == sums.n_pairs:
            notes.append(
                "Equal mirror-fair bots on an exact map: seat bias is 0 by proof, and every pair of matches bears "
                "it out."
            )
        elif legal:
            notes.append("Pairs with an illegal order bear no witness to a mirror-fair bot: seat bias was measured.")
    return (*notes, *inexact_note(plan.scenario))


def inexact_note(scenario: Scenario) -> tuple[str, ...]:
    """The sentence on a mirror that is not exact; none where it is."""
    breaches = exactness(scenario.map).breaches
    if not breaches:
        return ()
    where = ", ".join(dict.fromkeys(breach.junction for breach in breaches))
    return (f"The mirror of map {scenario.map.name} is not exact (at {where}): the labels alone may favour a seat.",)


def false_declaration(plan: DispatchPlan, sums: BlockSums) -> str | None:
    """What is wrong with a bot that was declared to draw nothing; None when nothing is."""
    second_in_a = 1 if plan.pairing is Pairing.SEATS else 0
    for swap in sums.swaps:
        for seat, column in enumerate((Column.DRAWS_A, Column.DRAWS_B)):
            bot = (plan.first, plan.second)[seat ^ (swap & second_in_a)]
            draws = int(sums.sums[:, swap, column].sum())
            if draws and bot.draws_nothing:
                matches = int(sums.legal_pairs.sum())
                return f"bot {bot.name} declares that it draws nothing, but took {draws:,} draws in {matches:,} matches"
    return None
