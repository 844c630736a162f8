"""What is sent to a worker that is another process, and what comes back: bytes and integers.

A plan holds functions and arrays of this process. It travels as what it is made of (`pickle`; bots by their names and
sources, `sim.travelling`), and the worker builds and compiles it anew, once for each cell. A worker whose kernels,
version or random numbers are other ones would play other matches: it refuses.
"""

from __future__ import annotations

import hashlib
import pickle
from collections import OrderedDict
from functools import cache
from importlib.metadata import version
from threading import Lock
from typing import Any, NamedTuple

from kernels import fingerprint
from kernels.random import RNG_SCHEME
from sim.config.errors import BadInput
from sim.games import game_of
from sim.games.game import Plan
from sim.running.parts import Pace, Part, Played, play_part
from sim.running.provenance import provenance

__all__ = ["Answer", "Errand", "errand_of", "lost", "mismatch", "play_errand", "played_of", "software"]

TRIES = 3
"""How often a part is played whose worker died; then it is its cell's error."""

MOST_PLANS = 512
"""Plans that a worker keeps."""

_PLANS: OrderedDict[bytes, Plan] = OrderedDict()
_LOCK = Lock()
_PACE = Pace()


class Errand(NamedTuple):
    """A part, as it is sent: whose it is, the plan as bytes, and which blocks."""

    software: dict[str, str]
    plan: bytes
    number: int
    block_pairs: int


class Answer(NamedTuple):
    """What comes back: the sums' arrays, or the error of the cell, or why the worker cannot play this at all."""

    arrays: dict[str, Any] | None = None
    error: str | None = None
    refusal: str | None = None


@cache
def software() -> dict[str, str]:
    """What has to be the same on both sides for the matches to be the same."""
    packages = provenance("")["packages"]
    return {
        "dispatch-balance": str(packages["dispatch-balance"]),
        "kernels": fingerprint(),
        "random numbers": RNG_SCHEME,
        "numpy": version("numpy"),
        "numba": version("numba"),
    }


def mismatch(here: dict[str, str], there: dict[str, str]) -> str | None:
    """In which a worker differs from what it is asked for; None where it may play."""
    other = [f"{name} {there.get(name)} instead of {said}" for name, said in here.items() if there.get(name) != said]
    return f"it has {', '.join(other)}; must be the same installation" if other else None


def errand_of(part: Part) -> Errand:
    """A part as it is sent.

    Raises
    ------
    BadInput
        When a bot cannot travel.
    """
    return Errand(software(), pickle.dumps(part.plan), part.number, part.block_pairs)


def play_errand(errand: Errand) -> Answer:
    """Play what was sent, in the worker."""
    errand = Errand(*errand)
    refusal = mismatch(errand.software, software())
    if refusal is not None:
        return Answer(refusal=refusal)
    try:
        plan = _plan(errand.plan)
    except BadInput as error:
        return Answer(refusal=str(error))
    except Exception as error:  # whatever is missing there
        return Answer(refusal=f"{type(error).__name__}: {error}")
    played = play_part(Part(0, plan, errand.number, errand.block_pairs), pace=_PACE)
    assert played is not None
    return Answer(error=played.error) if played.error is not None else Answer(arrays=played.sums.as_arrays())


def _plan(packed: bytes) -> Plan:
    """The plan of these bytes, compiled; kept for the next part of its cell."""
    key = hashlib.sha256(packed).digest()
    with _LOCK:
        if key not in _PLANS:
            plan: Plan = pickle.loads(packed)
            plan.compile()
            _PLANS[key] = plan
            if len(_PLANS) > MOST_PLANS:
                _PLANS.popitem(last=False)
        _PLANS.move_to_end(key)
        return _PLANS[key]


def played_of(part: Part, answer: Answer) -> Played:
    """What came back of a part, its sums checked.

    Raises
    ------
    BadInput
        When the worker refused.
    """
    answer = Answer(*answer)
    if answer.refusal is not None:
        raise BadInput.of(f"a worker cannot play this sweep: {answer.refusal}")
    if answer.arrays is None:
        return Played(part, error=answer.error)
    return Played(part, game_of(part.plan.scenario).sums_from_arrays(answer.arrays))


def lost(part: Part) -> Played:
    """A part whose workers died, again and again."""
    return Played(part, error=f"the process that played it died, {TRIES} times")
