"""Which orders the kernel lets pass: exactly those that the oracle calls legal; each other one for its reason."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from kernels.codes import NO_TOGGLE, Illegal, Invest
from kernels.dispatch.layout import new_state
from kernels.dispatch.orders import invest_of, pack_order, reverse_of, toggle_of, train_of
from kernels.jit import PLAIN
from sim.lowering import pack_words
from sim.records import read_record
from sim.replaying import play_record
from tests.kernel_tools import N_MAPS, judged, seeded
from tests.reference.dispatch import Match
from tests.reference.generate import random_record

MATCHES = max(40, N_MAPS // (50 if PLAIN else 20))

REASONS = {
    "is upgraded already": Illegal.ALREADY_UPGRADED,
    "owns a siding at": Illegal.ALREADY_OWNED,
    "is not on offer": Illegal.NOT_ON_OFFER,
    " costs $": Illegal.TOO_EXPENSIVE,
}


def expected(match: Match, company: str, order: int) -> Illegal:
    """What the oracle says of a packed order, its fields unpacked here."""
    if not 0 <= order < 2**16:
        return Illegal.MALFORMED
    toggle, invest = order >> 2 & 127, order >> 9
    if toggle > len(match.junctions):
        return Illegal.UNKNOWN_JUNCTION
    if invest == 0:
        return Illegal.NO
    if invest >= 3 + len(match.junctions):
        return Illegal.UNKNOWN_JUNCTION
    what = f"upgrade:{company}{invest}" if invest < 3 else f"siding:{match.junctions[invest - 3]}"
    if what in match.legal_investments(company):
        return Illegal.NO
    reason = match._why_not_invest(company, what)
    return next(code for text, code in REASONS.items() if text in reason)


def boards(subject: str):
    """(match, rules, state, names) at random moments of random matches."""
    for number in range(MATCHES):
        rng = seeded(subject, number)
        record = random_record(rng)
        n = rng.randint(0, len(record["orders"]))
        moments = {**record, "orders": record["orders"][:n]}
        match = Match(record["scenario"])
        for orders in moments["orders"]:
            match.play(orders)
        if match.played == match.dispatches:
            continue
        played = play_record(read_record(moments))
        state = new_state()
        if n:
            state[:] = played.states[-1:].view(state.dtype)
        else:
            state["dispatch"] = 1
        yield rng, match, played.board, state


def test_kernel_orders__legal_exactly_where_the_oracle_says_so():
    seen: Counter[str] = Counter()
    for rng, match, board, state in boards("orders"):
        for c, company in enumerate("AB"):
            fields = {(0, i) for i in range(128)} | {(t, 0) for t in range(128)}
            fields = set(rng.sample(sorted(fields), 40))
            junctions = len(match.junctions)
            fields |= {(0, 1), (0, 2), (0, 3), (0, 2 + junctions), (0, 3 + junctions), (junctions, 0)}
            fields |= {(junctions + 1, 0), (rng.randrange(128), rng.randrange(128))}
            for toggle, invest in fields:
                order = rng.randrange(4) | toggle << 2 | invest << 9
                found = judged(board.rules, state, c, order)
                assert found == expected(match, company, order), (toggle, invest, c)
                seen[Illegal(found).name] += 1
            for order in (-1, -(2**63), 2**63 - 1, 2**16, 2**16 + rng.randrange(2**16), -rng.randrange(1, 2**40)):
                assert judged(board.rules, state, c, order) == Illegal.MALFORMED
                seen["MALFORMED"] += 1
    assert all(seen[reason.name] >= MATCHES // 10 for reason in Illegal), seen


def test_kernel_orders__every_legal_order_of_the_oracle_passes():
    """In words, packed by the lowering; and two words never share a packed order."""
    for rng, match, board, state in boards("legal"):
        for c, company in enumerate("AB"):
            legal = match.legal_orders(company)
            packed = {pack_words(board.names, c, **order) for order in legal}
            assert len(packed) == len(legal)
            for order in rng.sample(sorted(packed), min(30, len(packed))):
                assert judged(board.rules, state, c, order) == Illegal.NO


def test_kernel_orders__fields_come_back_from_the_packed_order():
    for train in (0, 1):
        for reverse in (0, 1):
            for toggle in (NO_TOGGLE, 0, 1, 61):
                for invest in (Invest.NONE, Invest.UPGRADE_1, Invest.UPGRADE_2, Invest.SIDING, Invest.SIDING + 61):
                    order = pack_order(np.int64(train), np.int64(reverse), np.int64(toggle), np.int64(invest))
                    assert 0 <= order < 2**16
                    fields = [f(np.int64(order)) for f in (train_of, reverse_of, toggle_of, invest_of)]
                    assert fields == [train, reverse, toggle, invest]


@pytest.mark.parametrize("c", [0, 1])
def test_kernel_orders__judging_leaves_the_board_alone(c):
    record = random_record(seeded("alone", 0))
    played = play_record(read_record(record))
    before = played.board.rules.tobytes()
    state = new_state()
    state["dispatch"] = 1
    untouched = state.tobytes()
    judged(played.board.rules, state, c, 2**40)
    assert state.tobytes() == untouched
    assert played.board.rules.tobytes() == before
