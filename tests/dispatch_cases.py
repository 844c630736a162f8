"""Matches with known outcomes, for every implementation of the dispatch game.

``recorded_cases()``, ``HAND_CASES`` and ``REFUSED_CASES`` are plain data and know no implementation::

    case.check(replay(case.record))             # a HandCase
    assert replay(recorded["record"]) == recorded["expected"]
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from tests.reference.by_hand import HandCase, RefusedCase
from tests.reference.by_hand_cargo import CARGOES, REFUSED, RESULTS
from tests.reference.by_hand_meetings import MEETINGS
from tests.reference.by_hand_tracks import INVESTMENTS, SWITCHES

__all__ = ["HAND_CASES", "REFUSED_CASES", "HandCase", "RefusedCase", "recorded_cases"]

DATA = Path(__file__).parent / "data"


def recorded_cases() -> list[dict[str, Any]]:
    """Recorded matches, each {"record": …, "expected": {"states", "events", "result"}}."""
    with gzip.open(DATA / "dispatch_cases.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


HAND_CASES: list[HandCase] = [*SWITCHES, *INVESTMENTS, *MEETINGS, *CARGOES, *RESULTS]
REFUSED_CASES: list[RefusedCase] = REFUSED
