"""Random numbers that are addressed, not consumed: Philox4x32-10 streams.

A stream is named by (seed, namespace, purpose, lane, pair): the key is the seed, and the counter holds, from the low
word up, the number of the block of four draws, `namespace << 12 | purpose << 4 | lane`, and the pair id in two words.
So any match can be played again from its number alone, a bot that draws more moves nobody else's luck, and two
addresses never share a draw: the map from address to counter is one to one.

uint64 is used in this file only; what leaves it is int64. (uint64 mixed with int64 silently becomes int64 or float64
in compiled code.)

Reference: J. K. Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (SC11).
"""

from enum import IntEnum, unique

import numpy as np
from numba import from_dtype

from kernels.jit import helper

__all__ = [
    "MAX_NAMESPACE",
    "MAX_SEED",
    "RNG_SCHEME",
    "STREAM_DTYPE",
    "Purpose",
    "absorbed",
    "below",
    "below_both",
    "draw32",
    "draw_at",
    "draws",
    "new_streams",
]

RNG_SCHEME = "philox4x32-10/1"
"""Name of the generator and of the addressing above; part of every result."""

MAX_SEED = 2**63 - 1
MAX_NAMESPACE = 2**20 - 1
MAX_LANE = 15


@unique
class Purpose(IntEnum):
    """What a stream is drawn for (8 bits)."""

    ORDERS = 0  # a bot's orders; lane 0 is seat A's unless the lanes are swapped
    MODEL = 1  # what is drawn to learn a bot's mix at a state; the lane is its company, the pair id the state's digest
    SEQUEL = 8  # a bot's orders where a match is played on from a board; the lane is the seat, the pair id the luck
    DEAL = 16  # cards of a Division, slot by slot
    ORIENTATION = 17  # which way is up: bit 31 - s of the first draw for slot s
    DEPARTURES = 18  # draw n for train number n
    RULINGS = 19  # draw 10,000 * Stage + n for train number n


STREAM_DTYPE = np.dtype(
    [
        ("key", np.uint64, (2,)),
        ("counter", np.uint64, (4,)),  # of the next block
        ("buffer", np.uint64, (4,)),  # the current block's four draws of 32 bits
        ("position", np.int64),  # of the next draw in the buffer; 4: used up
    ],
    align=True,
)
STREAM_TYPE = from_dtype(STREAM_DTYPE)

_U32 = np.uint64(32)
_MASK = np.uint64(0xFFFFFFFF)
_ONE = np.uint64(1)
_M0 = np.uint64(0xD2511F53)
_M1 = np.uint64(0xCD9E8D57)
_W0 = np.uint64(0x9E3779B9)
_W1 = np.uint64(0xBB67AE85)


def new_streams(n: int) -> np.recarray:
    """`n` streams, shape (n,), to be placed with `seek` before use."""
    return np.zeros(n, STREAM_DTYPE).view(np.recarray)


@helper
def philox(c0, c1, c2, c3, k0, k1):  # type: ignore[no-untyped-def]
    """Philox4x32-10 of one counter: four uint64 below 2**32, from counter words and key words below 2**32."""
    for _ in range(10):
        p0 = _M0 * c0
        p1 = _M1 * c2
        c0 = (p1 >> _U32) ^ c1 ^ k0
        c2 = (p0 >> _U32) ^ c3 ^ k1
        c1 = p1 & _MASK
        c3 = p0 & _MASK
        k0 = (k0 + _W0) & _MASK
        k1 = (k1 + _W1) & _MASK
    return c0, c1, c2, c3


@helper
def absorbed(digest, other, w0, w1, w2, w3):  # type: ignore[no-untyped-def]
    """A digest of two words with four more words taken in; all are int64 from 0 to 2**32 - 1.

    Philox with the digest as its key: words that differ give other digests as surely as 64 bits can tell.
    """
    x0, x1, x2, x3 = philox(
        np.uint64(w0), np.uint64(w1), np.uint64(w2), np.uint64(w3), np.uint64(digest), np.uint64(other)
    )
    return np.int64(x0 ^ x2), np.int64(x1 ^ x3)


@helper
def seek(stream, seed, namespace, purpose, lane, pair):  # type: ignore[no-untyped-def]
    """Place a stream at the start of an address; all arguments are non-negative int64."""
    stream.key[0] = np.uint64(seed) & _MASK
    stream.key[1] = np.uint64(seed) >> _U32
    stream.counter[0] = np.uint64(0)
    stream.counter[1] = np.uint64((namespace << 12) | (purpose << 4) | lane)
    stream.counter[2] = np.uint64(pair) & _MASK
    stream.counter[3] = np.uint64(pair) >> _U32
    stream.position = 4


@helper
def draw32(stream):  # type: ignore[no-untyped-def]
    """The next draw: int64, uniform over 0 to 2**32 - 1."""
    position = stream.position
    if position == 4:
        x0, x1, x2, x3 = philox(
            stream.counter[0], stream.counter[1], stream.counter[2], stream.counter[3], stream.key[0], stream.key[1]
        )
        stream.buffer[0] = x0
        stream.buffer[1] = x1
        stream.buffer[2] = x2
        stream.buffer[3] = x3
        stream.counter[0] = (stream.counter[0] + _ONE) & _MASK
        position = 0
    stream.position = position + 1
    return np.int64(stream.buffer[np.uint64(position)])


@helper
def draw_at(stream, k):  # type: ignore[no-untyped-def]
    """Draw number `k`, from 0 to 2**34 - 1, of the address where the stream was placed: int64, uniform over 32 bits.

    It moves nothing: what is drawn under one number does not depend on whether others were drawn before.
    """
    x0, x1, x2, x3 = philox(
        np.uint64(k >> 2), stream.counter[1], stream.counter[2], stream.counter[3], stream.key[0], stream.key[1]
    )
    which = k & 3
    if which == 0:
        return np.int64(x0)
    if which == 1:
        return np.int64(x1)
    if which == 2:
        return np.int64(x2)
    return np.int64(x3)


@helper
def below(stream, n):  # type: ignore[no-untyped-def]
    """A whole number, uniform over 0 to n - 1 for 1 <= n <= 2**31 (bias below n / 2**32): one draw."""
    return (draw32(stream) * n) >> 32


@helper
def below_both(stream, n, m):  # type: ignore[no-untyped-def]
    """Two independent whole numbers, uniform over 0 to n - 1 and 0 to m - 1, from one draw (bias below n * m / 2**32).

    n * m must be below 2**31; the draw's fraction of 2**32 is spread over n * m cells, m to each value of the first.
    """
    spread = draw32(stream) * n
    return spread >> 32, ((spread & 0xFFFFFFFF) * m) >> 32


@helper
def draws(stream):  # type: ignore[no-untyped-def]
    """How many draws were taken since the stream was placed."""
    return np.int64(stream.counter[0]) * 4 + stream.position - 4
