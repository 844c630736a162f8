"""What is the same of the plan of any game: how pairs are spread over blocks, and which seed and digest it has."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from kernels.random import MAX_SEED
from sim.config.errors import BadInput

__all__ = ["BLOCKS", "FEWEST_BLOCKED_PAIRS", "blocks_of", "checked_seed", "digest_of", "made_of"]

BLOCKS = 64
"""Blocks of a run."""

FEWEST_BLOCKED_PAIRS = 10 * BLOCKS
"""Under this many pairs every pair is a block of its own."""


def blocks_of(n_pairs: int) -> int:
    """Blocks that so many pairs are spread over."""
    return BLOCKS if n_pairs >= FEWEST_BLOCKED_PAIRS else n_pairs


def checked_seed(seed: int | None) -> int:
    """The seed to use: the one given, or a drawn one; BadInput when it is out of range."""
    if seed is None:
        return secrets.randbelow(MAX_SEED + 1)
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MAX_SEED:
        raise BadInput.of(f"seed is {seed!r}; must be a whole number from 0 to {MAX_SEED}")
    return seed


def made_of(plan: Any) -> dict[str, Any]:
    """State of a plan that is pickled: its fields, without what was computed from them, which holds compiled code."""
    return {one.name: getattr(plan, one.name) for one in fields(plan)}


def digest_of(identity: Mapping[str, Any]) -> str:
    """Sha256 (hex) of what decides an outcome, as canonical JSON."""
    return hashlib.sha256(json.dumps(identity, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
