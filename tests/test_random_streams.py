"""Random streams: Philox as published, addresses that never share a draw, ranges without bias, integers throughout."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from kernels import random as streams_module
from kernels.jit import PLAIN
from kernels.random import (
    MAX_LANE,
    MAX_NAMESPACE,
    MAX_SEED,
    Purpose,
    absorbed,
    below,
    below_both,
    draw32,
    draw_at,
    draws,
    new_streams,
    philox,
    seek,
)

WORD = 2**32
LARGEST_PAIR = 2**63 - 1


def philox_of_integers(counter, key):
    """Philox4x32-10 in Python's own integers."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * c0, WORD)
        high1, low1 = divmod(0xCD9E8D57 * c2, WORD)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = (k0 + 0x9E3779B9) % WORD, (k1 + 0xBB67AE85) % WORD
    return [c0, c1, c2, c3]


def stream_at(seed=0, namespace=0, purpose=0, lane=0, pair=0):
    """A stream at an address."""
    stream = new_streams(1)[0]
    seek(stream, *(np.int64(x) for x in (seed, namespace, purpose, lane, pair)))
    return stream


def with_next_draws(*values):
    """A stream whose next draws are given."""
    stream = stream_at()
    stream.buffer[: len(values)] = values
    stream.position = 0
    return stream


KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((WORD - 1,) * 4, (WORD - 1,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_random_streams__known_answers(counter, key, expected):
    found = philox(*(np.uint64(word) for word in (*counter, *key)))
    assert [int(word) for word in found] == list(expected)
    assert philox_of_integers(counter, key) == list(expected)


ADDRESSES = st.tuples(
    st.integers(0, MAX_SEED) | st.sampled_from([0, 1, WORD - 1, WORD, MAX_SEED]),
    st.integers(0, MAX_NAMESPACE) | st.sampled_from([0, MAX_NAMESPACE]),
    st.integers(0, 255),
    st.integers(0, MAX_LANE),
    st.integers(0, LARGEST_PAIR) | st.sampled_from([0, WORD - 1, WORD, LARGEST_PAIR]),
)


@settings(deadline=None)
@given(ADDRESSES)
def test_random_streams__an_address_can_be_read_back_from_its_counter(address):
    """So the map from addresses to blocks is one to one: two addresses never share a draw."""
    stream = stream_at(*address)
    words = [int(word) for word in (*stream.key, *stream.counter)]
    assert all(0 <= word < WORD for word in words)
    k0, k1, block, middle, low, high = words
    found = (k1 << 32 | k0, middle >> 12, middle >> 4 & 255, middle & 15, high << 32 | low)
    assert found == address
    assert block == 0


@settings(deadline=None)
@given(ADDRESSES)
def test_random_streams__draws_are_philox_of_the_counter(address):
    stream = stream_at(*address)
    seed, namespace, purpose, lane, pair = address
    middle = namespace << 12 | purpose << 4 | lane
    expected = []
    for block in range(3):
        counter = (block, middle, pair % WORD, pair // WORD)
        expected += philox_of_integers(counter, (seed % WORD, seed // WORD))
    assert [int(draw32(stream)) for _ in range(12)] == expected
    assert all(int(word) < WORD for word in stream.counter)


def test_random_streams__extreme_seeds_differ():
    firsts = {int(draw32(stream_at(seed=seed))) for seed in (0, 1, WORD - 1, WORD, 2**62, MAX_SEED)}
    assert len(firsts) == 6
    assert MAX_SEED == 2**63 - 1


def test_random_streams__no_two_neighbouring_addresses_start_alike():
    addresses = itertools.product((0, 1, MAX_SEED), (0, 1), (0, 1), (0, 1), range(20))
    firsts = [tuple(int(draw32(stream)) for _ in range(4)) for stream in (stream_at(*each) for each in addresses)]
    assert len(set(firsts)) == len(firsts) == 480
    assert len({word for block in firsts for word in block}) == 4 * 480


def test_random_streams__draw_counter():
    stream = stream_at(seed=5, pair=9)
    for n in range(14):
        assert draws(stream) == n
        draw32(stream)
    seek(stream, *(np.int64(x) for x in (5, 0, int(Purpose.ORDERS), 0, 9)))
    assert draws(stream) == 0
    below(stream, np.int64(6))
    below_both(stream, np.int64(6), np.int64(7))
    assert draws(stream) == 2


def test_random_streams__a_place_is_found_again():
    stream = stream_at(seed=3, lane=1, pair=2)
    first = [int(draw32(stream)) for _ in range(7)]
    seek(stream, *(np.int64(x) for x in (3, 0, 0, 0, 2)))
    other = [int(draw32(stream)) for _ in range(7)]
    seek(stream, *(np.int64(x) for x in (3, 0, 0, 1, 2)))
    assert [int(draw32(stream)) for _ in range(7)] == first != other


@settings(deadline=None)
@given(st.integers(0, WORD - 1), st.integers(1, 2**31))
def test_random_streams__below_is_the_share_of_the_draw(draw, n):
    assert int(below(with_next_draws(draw), np.int64(n))) == draw * n // WORD < n


@settings(deadline=None)
@given(st.integers(0, WORD - 1), st.integers(1, 2**16), st.integers(1, 2**14))
def test_random_streams__below_both_keeps_both_ranges(draw, n, m):
    first, second = below_both(with_next_draws(draw), np.int64(n), np.int64(m))
    assert int(first) == draw * n // WORD < n
    assert int(second) == (draw * n % WORD) * m // WORD < m


@pytest.mark.parametrize("n", [1, 2, 3, 7, 252, 2**31])
def test_random_streams__below_reaches_both_ends(n):
    assert int(below(with_next_draws(0), np.int64(n))) == 0
    assert int(below(with_next_draws(WORD - 1), np.int64(n))) == n - 1
    first, second = below_both(with_next_draws(WORD - 1), np.int64(n), np.int64(1))
    assert (int(first), int(second)) == (n - 1, 0)


@pytest.mark.parametrize("n", [2, 3, 10, 36])
def test_random_streams__below_is_uniform(n):
    stream = stream_at(seed=n)
    found = [int(below(stream, np.int64(n))) for _ in range(4_000)]
    assert chisquare(np.bincount(found, minlength=n)).pvalue > 1e-4


@pytest.mark.parametrize(("n", "m"), [(2, 2), (3, 5), (36, 1), (12, 11)])
def test_random_streams__below_both_is_uniform_over_pairs(n, m):
    stream = stream_at(seed=n * m)
    found = [below_both(stream, np.int64(n), np.int64(m)) for _ in range(4_000)]
    counts = np.bincount([int(first) * m + int(second) for first, second in found], minlength=n * m)
    assert chisquare(counts).pvalue > 1e-4


def test_random_streams__digests_tell_words_apart_and_fit_32_bits():
    words = [[np.int64(bit == k) << np.int64(place) for k in range(6)] for bit in range(6) for place in range(32)]
    words += [[np.int64(n), *[np.int64(0)] * 5] for n in range(3, 300, 2)]
    found = [absorbed(*each) for each in words]
    assert len(set(found)) == len({tuple(each) for each in words})
    assert all(0 <= part < 2**32 for digest in found for part in digest)
    assert absorbed(*words[5]) == found[5]


def test_random_streams__bits_are_balanced():
    stream = stream_at(seed=MAX_SEED, pair=LARGEST_PAIR)
    words = np.array([int(draw32(stream)) for _ in range(4_000)], np.uint64)
    for bit in range(32):
        ones = int(((words >> np.uint64(bit)) & np.uint64(1)).sum())
        assert chisquare([ones, 4_000 - ones]).pvalue > 1e-5, bit


def test_draw_at__is_the_draw_of_that_number_and_moves_nothing():
    one, other = stream_at(), stream_at()
    expected = [draw32(one) for _ in range(23)]
    for k in (22, 0, 7, 5, 6, 4, 3, 2, 1, 22):
        assert draw_at(other, np.int64(k)) == expected[k]
    assert draws(other) == 0
    assert draw32(other) == expected[0]


@pytest.mark.skipif(PLAIN, reason="plain kernels have no signatures")
def test_random_streams__no_float_in_compiled_code():
    """uint64 mixed with int64 becomes float64 without a word: neither an argument nor any variable may be one."""
    stream = stream_at()
    philox(*[np.uint64(1)] * 6)
    draw32(stream)
    draws(stream)
    draw_at(stream, np.int64(3))
    below(stream, np.int64(3))
    below_both(stream, np.int64(3), np.int64(4))
    absorbed(*[np.int64(1)] * 6)
    helpers = {name: each for name, each in vars(streams_module).items() if hasattr(each, "overloads")}
    assert set(helpers) == {"philox", "seek", "draw32", "draw_at", "below", "below_both", "draws", "absorbed"}
    for name, helper in helpers.items():
        assert helper.nopython_signatures, name
        for signature in helper.nopython_signatures:
            assert "float" not in str((*signature.args, signature.return_type)), name
        for compiled in helper.overloads.values():
            for variable, kind in compiled.type_annotation.typemap.items():
                assert "float" not in str(kind), f"{name}: {variable} is {kind}"
    (signature,) = philox.nopython_signatures
    assert str(signature.return_type) == "UniTuple(uint64 x 4)"
    for each in (draw32, below, draws):
        assert {str(signature.return_type) for signature in each.nopython_signatures} == {"int64"}
