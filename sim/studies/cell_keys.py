"""What a cell is known by: what it plays, and how a few matches of it end."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

from sim.games.game import Plan
from sim.running.chunks import Chunk
from sim.running.plan import digest_of

__all__ = ["cell_key", "identity_of"]

PROBE_PAIRS = 2
PROBE_SEED = 0


def identity_of(plan: Plan) -> str:
    """What two plans have in common that play the same, on whatever kernels: sha256 (hex)."""
    told = plan.identity({})
    told.pop("kernel")
    return digest_of(told)


def cell_key(plan: Plan, block_pairs: int, namespaces: int = 1, *, plays: str | None = None) -> str:
    """What a cell is known by, sha256 (hex); a change of the code that moves nothing keeps it.

    `plays` is the plan's `identity_of`, where that is known already.
    """
    told = {"plays": plays or identity_of(plan), "block_pairs": block_pairs, "behaves": _signature(plan)}
    return digest_of(told if namespaces == 1 else {**told, "namespaces": namespaces})


def _signature(plan: Plan) -> str:
    """How a fixed probe of matches ends, sha256 (hex)."""
    probe: Any = replace(plan, seed=PROBE_SEED)  # type: ignore[type-var]  # plans are dataclasses
    chunk = Chunk(0, 1 if plan.deterministic else PROBE_PAIRS)
    try:
        rows = probe.play_rows(chunk)
        probe.sum_rows(chunk, rows, 1)
    except Exception as error:  # it will be the cell's error when it is played
        return type(error).__name__
    return hashlib.sha256(rows.tobytes()).hexdigest()
