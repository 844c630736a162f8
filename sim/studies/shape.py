"""`shape`: how matches go, from a sample of them played again and written down dispatch by dispatch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.codes import Invest
from sim.api import Source, make_plan, plan_of
from sim.config.errors import BadInput
from sim.files import read_json, told, write_json
from sim.games.dispatch.plan import DispatchPlan
from sim.games.dispatch.recorded import RecordedPlan
from sim.games.dispatch.traces import Traces, play_traces, recorded_traces
from sim.lowering import names_of
from sim.running.chunks import Chunk
from sim.running.result import Run
from sim.running.runner import LEVEL, threads_here
from sim.stats.figures import Estimate, Int64s
from sim.stats.shape import Courses, Place, estimates_of_shape, evenness, places
from sim.store import SHAPE_FILE

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DEFAULT_SAMPLE", "MOST_SAMPLED", "Shape", "shape", "shape_beside", "shape_of"]

DEFAULT_SAMPLE = 10_000
"""Matches of a run, from the first, that are looked at: seconds with the slowest bot."""

MOST_SAMPLED = 1_000_000
CELLS = 4_000_000
"""Orders of a chunk that are held at once."""


@dataclass(frozen=True)
class Shape:
    """How a sample of matches went.

    Attributes
    ----------
    pairing
        Who played.
    n_matches
        Matches looked at.
    estimates
        `lead_changes`, `drama`, `comebacks` and `decided_at`, with their intervals.
    tracks
        `runs` and `head_ons` of every track, in the map's order.
    junctions
        `conflicts`, `tolls`, `shared_arrivals` and `sidings` of every junction.
    courses
        Leads after every dispatch, for pictures.
    evenness
        How evenly the runs are spread over the tracks: 1 where all are run along alike.
    n_different
        How many different matches there were among those looked at, by all orders of both sides.
    """

    pairing: str
    n_matches: int
    estimates: tuple[Estimate, ...]
    tracks: tuple[Place, ...]
    junctions: tuple[Place, ...]
    courses: Courses
    evenness: Estimate
    n_different: int

    def __getitem__(self, metric: str) -> Estimate:
        """A figure by its core name, such as ``shape["drama"]``."""
        for one in self.estimates:
            if one.metric == metric:
                return one
        raise KeyError(f"{metric} is no figure of a shape; it has {', '.join(one.metric for one in self.estimates)}")

    @cached_property
    def dead_tracks(self) -> tuple[str, ...]:
        """Tracks that no train ran along in any match."""
        return tuple(one.name for one in self.tracks if one.what == "runs" and one.never)

    def comeback(self, dispatch: int, behind: int) -> tuple[float, int]:
        """Score of the sides that were so many points behind after a dispatch, and how many there were."""
        return self.courses.comeback.score(dispatch, behind)

    @property
    def comeback_frame(self) -> pd.DataFrame:
        """The comeback curve: one row for each dispatch and deficit that occurred."""
        import pandas as pd

        curve = self.courses.comeback
        d, k = np.nonzero(curve.sides)
        return pd.DataFrame(
            {
                "dispatch": d + 1,
                "behind": curve.behind[k],
                "score": curve.doubled[d, k] / (2 * curve.sides[d, k]),
                "sides": curve.sides[d, k],
            }
        )

    @property
    def places_frame(self) -> pd.DataFrame:
        """Tracks and junctions: one row for each thing that may happen there."""
        import pandas as pd

        kinds = (("track", self.tracks), ("junction", self.junctions))
        return pd.DataFrame([{"kind": kind, **asdict(one)} for kind, listed in kinds for one in listed])

    def as_dict(self) -> dict[str, Any]:
        """All but the single courses, as plain data."""
        return {
            "pairing": self.pairing,
            "matches": self.n_matches,
            "estimates": [one.as_dict() for one in self.estimates],
            "tracks": [asdict(one) for one in self.tracks],
            "junctions": [asdict(one) for one in self.junctions],
            "dead_tracks": list(self.dead_tracks),
            "evenness": self.evenness.as_dict(),
            "different": self.n_different,
            "comeback": self.comeback_frame.to_dict("records"),
        }


def shape(
    source: Source | Run,
    *,
    bots: Sequence[Any] | None = None,
    matches: int = DEFAULT_SAMPLE,
    seed: int | None = None,
    threads: int | None = None,
    overrides: Sequence[str] | Mapping[str, Any] = (),
) -> Shape:
    """Say how matches go: who leads when, when it is over, and where trains run and meet.

    Parameters
    ----------
    source
        A finished run, whose first matches are looked at; or a scenario, as of `sim.run`.
    bots, seed, overrides
        As of `sim.run`, where a scenario is given.
    matches
        How many are looked at; of a run at most those that it played.
    threads
        One for each core when absent. Figures do not depend on it.

    Raises
    ------
    BadInput
        When something given is not usable, the game is another, or a run's bot is gone or has changed.
    """
    if isinstance(matches, bool) or not isinstance(matches, int) or not 1 <= matches <= MOST_SAMPLED:
        raise BadInput.of(f"matches is {matches!r}; must be a whole number from 1 to {MOST_SAMPLED:,}")
    if isinstance(source, Run):
        plan = plan_of(source)
        matches = min(matches, source.sums.n_matches)
    else:
        plan = make_plan(source, bots=bots, seed=seed, overrides=overrides)
    if not isinstance(plan, DispatchPlan | RecordedPlan):
        raise BadInput.of(f"scenario {plan.scenario.name} is of the game {plan.scenario.game}; shape needs dispatch")
    return shape_of(plan, matches, threads=threads)


def shape_of(plan: DispatchPlan | RecordedPlan, matches: int, *, threads: int | None = None) -> Shape:
    """The shape of a plan's first matches."""
    n_pairs = plan.n_pairs(matches)
    n_blocks = plan.n_blocks(n_pairs)
    per_chunk = max(1, min(1024, CELLS // (plan.n_swaps * plan.scenario.dispatches)))
    chunks = [Chunk(start, min(per_chunk, n_pairs - start)) for start in range(0, n_pairs, per_chunk)]
    plan.compile()
    with ThreadPoolExecutor(threads_here(threads), thread_name_prefix="shape") as pool:
        parts = list(pool.map(lambda chunk: _Part.of(plan, chunk, n_blocks), chunks))
    names = names_of(plan.scenario.map)
    pairs = np.arange(n_pairs * plan.n_swaps) // plan.n_swaps
    whole = np.concatenate([part.whole for part in parts])
    # A pair with an illegal order is in no figure of courses (rules 3.3); what happened in it counts where it happened.
    legal = whole.reshape(-1, plan.n_swaps).all(axis=1).repeat(plan.n_swaps)
    courses = Courses(
        points=np.concatenate([part.points for part in parts])[legal],
        dollars=np.concatenate([part.dollars for part in parts])[legal],
        blocks=(pairs % n_blocks)[legal],
        n_blocks=n_blocks,
        n_swaps=plan.n_swaps,
    )
    n_by_block = np.bincount(pairs % n_blocks, minlength=n_blocks)
    how: dict[str, Any] = {"level": LEVEL, "deterministic": plan.deterministic}

    def at(labels: list[str], what: str, counts: Int64s) -> list[Place]:
        return places(labels, what, counts, n_by_block, n_pairs, **how)

    runs, head_ons, meetings, sidings = (
        sum(getattr(part, name) for part in parts) for name in ("runs", "head_ons", "meetings", "sidings")
    )
    tracks = ["-".join(track) for track in plan.scenario.map.tracks]
    arcs = [names.arc_numbers[one, other] // 2 for one, other in plan.scenario.map.tracks]
    junctions = list(names.network.junctions)
    nodes = [names.node_numbers[label] for label in junctions]
    return Shape(
        pairing=plan.pairing_name,
        n_matches=int(whole.size),
        estimates=tuple(estimates_of_shape(courses, plan.pairing_name, plan.limits, **how)),
        tracks=(
            *at(tracks, "runs", (runs[:, 0::2] + runs[:, 1::2])[:, arcs]),
            *at(tracks, "head_ons", head_ons[:, arcs]),
        ),
        junctions=(
            *at(junctions, "conflicts", meetings[:, nodes, 0]),
            *at(junctions, "tolls", meetings[:, nodes, 1]),
            *at(junctions, "shared_arrivals", (meetings[:, :, 1] + meetings[:, :, 2])[:, nodes]),
            *at(junctions, "sidings", sidings[:, nodes]),
        ),
        courses=courses,
        evenness=evenness((runs[:, 0::2] + runs[:, 1::2])[:, arcs], int(whole.size), n_pairs, plan.pairing_name, **how),
        n_different=int(np.unique(np.concatenate([part.orders for part in parts])).size),
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """What is kept of a chunk."""

    points: Int64s
    dollars: Int64s
    whole: np.ndarray[Any, np.dtype[np.bool_]]
    runs: Int64s
    head_ons: Int64s
    meetings: Int64s
    sidings: Int64s
    orders: np.ndarray[Any, np.dtype[np.uint64]]

    @classmethod
    def of(cls, plan: DispatchPlan | RecordedPlan, chunk: Chunk, n_blocks: int) -> _Part:
        """Play a chunk."""
        traces = (recorded_traces if isinstance(plan, RecordedPlan) else play_traces)(plan, chunk, n_blocks)  # type: ignore[arg-type]
        standings = traces.standings.astype(np.int64)
        return cls(
            points=standings[:, :, 0] - standings[:, :, 1],
            dollars=standings[:, :, 2] - standings[:, :, 3],
            whole=traces.lengths == plan.scenario.dispatches,
            runs=traces.runs,
            head_ons=traces.head_ons,
            meetings=traces.meetings,
            sidings=_sidings(plan, chunk, traces, n_blocks),
            orders=_digests(traces.orders),
        )


def _digests(orders: Int64s) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """A number of 64 bits for all orders of each match, shape (m,): other orders have another, as good as surely."""
    flat = orders.reshape(len(orders), -1).astype(np.uint64)
    factors = np.random.Generator(np.random.Philox(key=0)).integers(0, 2**64, flat.shape[1], np.uint64) | np.uint64(1)
    mixed = (flat + np.uint64(1)) * factors
    return np.asarray((mixed ^ (mixed >> np.uint64(29))).sum(axis=1, dtype=np.uint64))


def _sidings(plan: DispatchPlan | RecordedPlan, chunk: Chunk, traces: Traces, n_blocks: int) -> Int64s:
    """Sidings bought by either side, by block and junction."""
    invest = (traces.orders >> 9) & 127
    m, d, c = np.nonzero(invest >= int(Invest.SIDING))
    counts = np.zeros((n_blocks, traces.meetings.shape[1]), np.int64)
    blocks = (chunk.first_pair + chunk.stride * (m // plan.n_swaps)) % n_blocks
    np.add.at(counts, (blocks, invest[m, d, c] - int(Invest.SIDING)), 1)
    return counts


def shape_beside(run: Run, folder: Path) -> dict[str, Any] | None:
    """The shape of a run's first matches as `Shape.as_dict` tells it, kept in the run folder once it was made.

    Returns
    -------
    dict or None
        None where no match counts, or a bot that played the run is gone or has changed.

    Raises
    ------
    BadInput
        When what the folder holds cannot be read or written.
    """
    path = folder / SHAPE_FILE
    if path.exists():
        kept = read_json(path)
        if isinstance(kept, dict) and kept.get("digest") == run.manifest["digest"]:
            return kept
    if not run.sums.legal_pairs.any():
        return None
    try:
        made = shape(run)
    except BadInput:
        return None
    found = {"schema": 1, "digest": run.manifest["digest"], **made.as_dict()}
    with told(folder):
        write_json(path, found)
    return found
