"""`screen`: from the block sums of the points of trajectories to what each key does to each figure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.running.parts import PART_BLOCKS
from sim.stats.figures import Bins, MetricDefinition
from sim.stats.paired import quantile_of
from sim.stats.screening import Screened, screened
from sim.studies.sweep_plan import NAMESPACES, SweepPlan
from sim.studies.sweep_rows import CellParts, stacked

__all__ = ["KeyEffect", "key_effects", "screen_notes"]


@dataclass(frozen=True)
class KeyEffect:
    """What one key does to one figure.

    Attributes
    ----------
    key, metric, unit
        Which, and the figure's unit; effects are in it, shares in shares.
    rank
        Place by size among the resolved keys, from 1; None where it is not resolved, which is no ranking.
    found
        The measures.
    """

    key: str
    metric: str
    unit: str
    rank: int | None
    found: Screened

    def as_dict(self) -> dict[str, Any]:
        """The entry of `sweep.json`."""
        told = asdict(self.found)
        return {"key": self.key, "metric": self.metric, "unit": self.unit, "rank": self.rank, **told}


def key_effects(plan: SweepPlan, parts: Mapping[str, CellParts]) -> tuple[KeyEffect, ...]:
    """Every key's effects on every figure, figure by figure, the largest first and what is not resolved last."""
    if not plan.screens:
        return ()
    known = [_values(plan, number, parts[cell.key]) for number, cell in enumerate(plan.cells)]
    metrics = {name: metric.unit for cell in plan.cells for name, metric in cell.plan.metrics.items()}
    found: list[KeyEffect] = []
    for metric, unit in metrics.items():
        rows = []
        for key in plan.spec.read.keys:
            effects = [
                (known[move.after][metric] - known[move.before][metric]) / move.share
                for move in plan.moves
                if move.key == key and metric in known[move.before] and metric in known[move.after]
            ]
            one = screened(np.array(effects)) if effects else None
            if one is not None:
                rows.append((key, one))
        rows.sort(key=lambda row: (not row[1].resolved, -row[1].mu_star))
        found += [
            KeyEffect(key, metric, unit, place if one.resolved else None, one)
            for place, (key, one) in enumerate(rows, 1)
        ]
    return tuple(found)


def _values(plan: SweepPlan, number: int, parts: CellParts) -> dict[str, NDArray[np.float64]]:
    """Every figure of a cell in each namespace: the same in all without chance; none where it failed."""
    if parts.errors:
        return {}
    cell = plan.cells[number].plan
    n_parts = plan.n_parts(number)
    sums = stacked(plan.game, parts, n_parts)
    if cell.deterministic:
        return {name: np.repeat(_value(metric, sums, None), NAMESPACES) for name, metric in cell.metrics.items()}
    space = np.repeat(np.arange(n_parts) % NAMESPACES, PART_BLOCKS)
    blocks = [space == one for one in range(NAMESPACES)]
    return {name: _value(metric, sums, blocks) for name, metric in cell.metrics.items()}


def _value(metric: MetricDefinition, sums: Any, blocks: list[NDArray[np.bool_]] | None) -> NDArray[np.float64]:
    """A figure of some of the blocks, for each choice of blocks; of all of them where there is none."""
    found = metric.measure(sums)
    n_blocks = len(found.pairs)
    values = []
    for chosen in blocks or [np.ones(n_blocks, np.bool_)]:
        if isinstance(found, Bins):
            values.append(quantile_of(Bins(found.values, found.counts[chosen], found.pairs[chosen]), metric.q))
            continue
        n = found.scale * int(found.matches[chosen].sum())
        values.append(int(found.total[chosen].sum()) / n if n else math.nan)
    return np.array(values)


def screen_notes(plan: SweepPlan) -> list[str]:
    """What a reader must know of the steps."""
    if not plan.screens:
        return []
    notes = []
    loose = [key for key, levels in plan.spec.read.keys.items() if not levels.ordered]
    if loose:
        notes.append(
            f"{', '.join(loose)}: the values are no numbers; steps go along the list as it is written, and the sign of "
            "an effect means no more than that."
        )
    n_points = len(plan.moves) + len(plan.moves) // len(plan.spec.read.keys)
    n_cells = len({cell for move in plan.moves for cell in (move.before, move.after)})
    if n_points > n_cells:
        notes.append(
            f"Of {n_points:,} points of the trajectories some coincide; their {n_cells:,} cells are played once."
        )
    return notes
