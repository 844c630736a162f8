"""Block sums: exact, mergeable in any order, and refused when they do not add up."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.codes import N_COLUMNS, N_OUTCOMES, Column, Outcome, Pairing
from sim.stats.margins import MarginHistogram
from sim.stats.sums import BlockSums, merge, sum_rows

COUNTED = range(Column.DELIVERIES_A, Column.ILLEGAL_DISPATCH)


def made_rows(rng, n_pairs, pairing, *, edge=0, illegal=0.0, unfinished=0.0):
    """Random match rows, `edge` points added to seat A; outcomes follow from points and cash."""
    n_matches = n_pairs * (1 if pairing == Pairing.SINGLE else 2)
    rows = np.zeros((n_matches, N_COLUMNS), dtype=np.int32)
    rows[:, Column.POINTS_A] = rng.integers(0, 6, n_matches) + edge
    rows[:, Column.POINTS_B] = rng.integers(0, 6, n_matches)
    rows[:, [Column.CASH_A, Column.CASH_B]] = rng.integers(0, 3, (n_matches, 2))
    for k in COUNTED:
        rows[:, k] = rng.integers(0, 2 if "PICK" in Column(k).name else 4, n_matches)
    points = rows[:, Column.POINTS_A] - rows[:, Column.POINTS_B]
    cash = rows[:, Column.CASH_A] - rows[:, Column.CASH_B]
    rows[:, Column.OUTCOME] = np.select(
        [points > 0, points < 0, cash > 0, cash < 0],
        [Outcome.A_ON_POINTS, Outcome.B_ON_POINTS, Outcome.A_ON_CASH, Outcome.B_ON_CASH],
        Outcome.SHARED,
    )
    rows[rng.random(n_matches) < illegal, Column.OUTCOME] = Outcome.ILLEGAL
    rows[rng.random(n_matches) < unfinished, Column.OUTCOME] = Outcome.UNFINISHED
    return rows


def made_sums(seed, n_pairs, pairing, n_blocks=16, **how):
    rows = made_rows(np.random.default_rng(seed), n_pairs, pairing, **how)
    return sum_rows(rows, pairing, np.arange(n_pairs) % n_blocks, n_blocks)


def as_bytes(total):
    return {name: (array.shape, array.tobytes()) for name, array in total.as_arrays().items()}


@pytest.mark.parametrize("pairing", Pairing)
def test_sum_rows__agrees_with_a_plain_loop(pairing):
    rng = np.random.default_rng(4)
    rows = made_rows(rng, 60, pairing, illegal=0.05, unfinished=0.05 if pairing == Pairing.SINGLE else 0)
    blocks = rng.integers(0, 7, 60)
    total = sum_rows(rows, pairing, blocks, 7)
    total.validate()

    per_pair = 1 if pairing == Pairing.SINGLE else 2
    margins = {}
    pairs, outcomes = [0] * 7, np.zeros((7, 2, N_OUTCOMES), dtype=int)
    sums, squares = np.zeros((2, 7, 2, N_COLUMNS), dtype=int)
    pair_scores = np.zeros((7, 5), dtype=int)
    for pair, b in enumerate(blocks):
        of_pair = rows[pair * per_pair : (pair + 1) * per_pair].astype(int)
        pairs[b] += 1
        ended = [Outcome(row[Column.OUTCOME]) for row in of_pair]
        legal = all(outcome <= Outcome.SHARED for outcome in ended)
        score = 0
        for s, (row, outcome) in enumerate(zip(of_pair, ended, strict=True)):
            ended_legally = outcome <= Outcome.SHARED
            outcomes[b, s, outcome if legal or not ended_legally else Outcome.PARTNER_ILLEGAL] += 1
            if not legal:
                continue
            sums[b, s] += row
            squares[b, s] += row**2
            margin = row[Column.POINTS_A] - row[Column.POINTS_B]
            margins[b, s, margin] = margins.get((b, s, margin), 0) + 1
            won = {"A": 2, "B": 0}.get(outcome.name[0], 1)
            score += 2 - won if s == 1 and pairing == Pairing.SEATS else won
        if legal:
            pair_scores[b, score] += 1
    assert total.pairs.tolist() == pairs
    assert (total.outcomes == outcomes).all()
    assert (total.sums == sums).all()
    assert (total.squares == squares).all()
    assert (total.pair_scores == pair_scores).all()
    found = {(b, s, int(total.margins.values[v])): int(n) for (b, s, v), n in np.ndenumerate(total.margins.counts) if n}
    assert found == margins
    assert total.n_matches == len(rows)
    assert total.outcomes.sum() == len(rows)


def test_sum_rows__marked_partners_stay_partners():
    rows = made_rows(np.random.default_rng(1), 2, Pairing.SEATS)
    rows[0, Column.OUTCOME] = Outcome.ILLEGAL
    unmarked = sum_rows(rows, Pairing.SEATS, np.array([0, 0]), 1)
    rows[1, Column.OUTCOME] = Outcome.PARTNER_ILLEGAL
    assert as_bytes(sum_rows(rows, Pairing.SEATS, np.array([0, 0]), 1)) == as_bytes(unmarked)
    assert unmarked.outcomes[0, 1, Outcome.PARTNER_ILLEGAL] == 1
    assert unmarked.legal_pairs.tolist() == [1]


def test_sum_rows__refuses_what_was_never_played():
    rows = made_rows(np.random.default_rng(1), 3, Pairing.LANES)
    with pytest.raises(ValueError, match="shape"):
        sum_rows(rows[:5], Pairing.LANES, np.zeros(3, dtype=np.int64), 1)
    rows[2] = -(2**31)
    with pytest.raises(ValueError, match="never played"):
        sum_rows(rows, Pairing.LANES, np.zeros(3, dtype=np.int64), 1)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(Pairing),
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(0, 12), min_size=1, max_size=6),
    st.randoms(use_true_random=False),
)
def test_merge__any_order_and_any_chunks_give_the_same_bytes(pairing, seed, sizes, shuffler):
    rng = np.random.default_rng(seed)
    parts, rows, blocks = [], [], []
    for size in sizes:
        part_rows = made_rows(rng, size, pairing, edge=int(rng.integers(-9, 9)), illegal=0.1)
        part_blocks = rng.integers(0, 5, size)
        parts.append(sum_rows(part_rows, pairing, part_blocks, 5))
        rows.append(part_rows)
        blocks.append(part_blocks)
    whole = sum_rows(np.concatenate(rows), pairing, np.concatenate(blocks), 5)
    shuffled = parts.copy()
    shuffler.shuffle(shuffled)
    cut = shuffler.randint(0, len(shuffled))
    nested = [merge(half) for half in (shuffled[:cut], shuffled[cut:]) if half]
    assert as_bytes(merge(parts)) == as_bytes(merge(shuffled)) == as_bytes(merge(nested)) == as_bytes(whole)
    whole.validate()


def test_merge__unused_values_leave_no_trace():
    total = made_sums(2, 10, Pairing.SEATS)
    padded = dataclasses.replace(
        total,
        margins=MarginHistogram(
            np.append(total.margins.values, 99),
            np.concatenate([total.margins.counts, np.zeros((16, 2, 1), int)], axis=2),
        ),
    )
    assert as_bytes(merge([padded])) == as_bytes(total)


def test_merge__refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="nothing"):
        merge([])
    with pytest.raises(ValueError, match="SEATS and LANES"):
        merge([BlockSums.empty(Pairing.SEATS, 3), BlockSums.empty(Pairing.LANES, 3)])
    with pytest.raises(ValueError, match="3 and 4 blocks"):
        merge([BlockSums.empty(Pairing.SEATS, 3), BlockSums.empty(Pairing.SEATS, 4)])


@pytest.mark.parametrize("pairing", Pairing)
def test_arrays__there_and_back(pairing, tmp_path):
    total = made_sums(3, 50, pairing, illegal=0.1)
    np.savez(tmp_path / "sums.npz", **total.as_arrays())
    with np.load(tmp_path / "sums.npz") as stored:
        read = BlockSums.from_arrays(stored)
    assert read.pairing is pairing
    assert as_bytes(read) == as_bytes(total)
    arrays = total.as_arrays()
    del arrays["squares"]
    with pytest.raises(ValueError, match="squares"):
        BlockSums.from_arrays(arrays)


@pytest.mark.parametrize("pairing", Pairing)
def test_arrays__of_parts_in_a_row_are_those_of_padded_parts_added_up(pairing):
    """Their histograms have values of their own, and a part may be without a legal match."""
    parts = [made_sums(3, 50, pairing, edge=-3), made_sums(4, 9, pairing, illegal=1.0), made_sums(5, 40, pairing, 7)]
    sizes = [part.n_blocks for part in parts]
    total = BlockSums.empty(pairing, sum(sizes))
    for number, part in enumerate(parts):
        before, after = sum(sizes[:number]), sum(sizes[number + 1 :])
        padded = {
            name: array if name in part.not_by_block else np.pad(array, [(before, after)] + [(0, 0)] * (array.ndim - 1))
            for name, array in part.as_arrays().items()
        }
        total = total + BlockSums.from_arrays(padded)
    joined = BlockSums.from_arrays(*(part.as_arrays() for part in parts))
    assert as_bytes(joined) == as_bytes(total)


def test_arrays__of_parts_that_do_not_fit():
    good = made_sums(3, 50, Pairing.LANES).as_arrays()
    turned = {**good, "margin_values": good["margin_values"][::-1], "margin_counts": good["margin_counts"][..., ::-1]}
    for bad, why in (
        (made_sums(3, 50, Pairing.SEATS).as_arrays(), "pairing is"),
        ({**good, "outcomes": good["outcomes"][1:]}, "outcomes has 15 blocks, must have 16"),
        ({**good, "margin_counts": good["margin_counts"][1:]}, "margin_counts has shape"),
        (turned, "sorted"),
        ({**good, "pairs": good["pairs"] + 1}, "add up"),
        ({name: array for name, array in good.items() if name != "squares"}, "squares"),
    ):
        for parts in ((good, bad), (bad, good)):
            with pytest.raises(ValueError, match=why):
                BlockSums.from_arrays(*parts)


@pytest.mark.parametrize("pairing", Pairing)
@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("pairs", (3,)),
        ("outcomes", (3, 0, Outcome.A_ON_POINTS)),
        ("outcomes", (3, 0, Outcome.ILLEGAL)),
        ("outcomes", (3, 1, Outcome.SHARED)),
        ("sums", (3, 0, Column.POINTS_B)),
        ("sums", (3, 0, Column.OUTCOME)),
        ("pair_scores", (3, 1)),
        ("margin_counts", (3, 0, 2)),
    ],
)
@pytest.mark.parametrize("change", [1, -1])
def test_validate__sees_a_single_miscount(pairing, name, place, change):
    """One match too many or too few in any one array breaks a sum that another array also tells."""
    arrays = {key: array.copy() for key, array in made_sums(6, 800, pairing, illegal=0.01).as_arrays().items()}
    BlockSums.from_arrays(arrays)
    arrays[name][place] += change
    with pytest.raises(ValueError, match=r".+"):
        BlockSums.from_arrays(arrays)


def test_validate__names_the_reason():
    total = made_sums(6, 80, Pairing.SEATS)
    swapped = total.outcomes.copy()
    swapped[0, 0, [Outcome.A_ON_POINTS, Outcome.B_ON_POINTS]] += [1, -1]
    with pytest.raises(ValueError, match="different scores"):
        dataclasses.replace(total, outcomes=swapped).validate()
    with pytest.raises(ValueError, match="must be int64"):
        dataclasses.replace(total, pairs=total.pairs.astype(np.int32)).validate()
    with pytest.raises(ValueError, match="shape"):
        dataclasses.replace(total, squares=total.squares[:, :1]).validate()
    with pytest.raises(ValueError, match="squares are too small"):
        dataclasses.replace(total, squares=total.squares * 0).validate()
    turned = MarginHistogram(total.margins.values[::-1].copy(), total.margins.counts)
    with pytest.raises(ValueError, match="sorted"):
        dataclasses.replace(total, margins=turned).validate()
