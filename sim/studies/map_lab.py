"""`map_lab`: maps by chance, played, and ranked by how fair, close and varied their matches are."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from kernels.random import RNG_SCHEME
from sim.api import Source, scenario_of
from sim.collecting import seldom_collected
from sim.config.errors import BadInput
from sim.config.layouts import layout_positions
from sim.config.loading import dispatch_only
from sim.config.map_generator import MapGenerator, generated_maps
from sim.config.scenario import Scenario
from sim.config.shapes import shaped
from sim.config.tree import Source as Written
from sim.config.tree import plain_tree
from sim.config.writing import yaml_text
from sim.files import told, write_atomically, write_json
from sim.games.dispatch.game import GAME
from sim.games.dispatch.plan import DispatchPlan
from sim.running.plan import digest_of
from sim.running.provenance import provenance
from sim.running.runner import LEVEL, Amount, Interrupted, Progress, play, threads_here
from sim.stats.closeness import close_share
from sim.store import MANIFEST_SCHEMA, RunFolder
from sim.studies.map_lab_result import RESULT, LabMap, MapLab, load_map_lab, ranked
from sim.studies.shape import shape_of
from sim.studies.turning import Turning

__all__ = ["MapLabPlan", "make_map_lab_plan", "map_lab", "play_map_lab"]

STUDY = "map lab"
DEFAULT_MATCHES = 4_000
MOST_MATCHES = 200_000

FIGURES = ("seat_bias", "shared", "decided_by_cash", "spread.mean", "deliveries.first", "stuck", "conflicts")
"""Figures of the runs that are kept beside."""


@dataclass(frozen=True)
class MapLabPlan:
    """Maps by chance, and who plays them by which rules.

    Attributes
    ----------
    spec
        What maps.
    plans
        What is played of each, by the name of the map.
    matches, seed
        Of each map.
    """

    spec: MapGenerator
    plans: Mapping[str, DispatchPlan]
    matches: int
    seed: int

    @property
    def first(self) -> DispatchPlan:
        """What is played of the first map."""
        return next(iter(self.plans.values()))

    @cached_property
    def digest(self) -> str:
        """Sha256 (hex) of all that decides the outcome."""
        amount = {"matches": self.matches}
        return digest_of({"study": STUDY, "plays": [plan.identity(amount) for plan in self.plans.values()]})


def make_map_lab_plan(
    scenario: Source = "standard",
    *,
    generate: Mapping[str, Any] | MapGenerator | None = None,
    bots: Sequence[Any] | str | None = None,
    matches: int | None = None,
    seed: int | None = None,
) -> MapLabPlan:
    """What `map_lab` plays, without playing it.

    Raises
    ------
    BadInput
        When something given is not usable, or there are no such maps.
    """
    base = dispatch_only(scenario_of(scenario), "maps by chance")
    spec = _generator(generate or {})
    matches = DEFAULT_MATCHES if matches is None else matches
    if isinstance(matches, bool) or not isinstance(matches, int) or not 2 <= matches <= MOST_MATCHES:
        raise BadInput.of(f"matches is {matches!r}; must be a whole number from 2 to {MOST_MATCHES:,}")
    seed = spec.seed if seed is None else seed
    drawn = generated_maps(spec)
    if len(drawn) < spec.count:
        raise BadInput.of(f"{len(drawn)} such maps are found of {spec.count}; must ask for fewer, or for wider legs")
    turning = Turning(base, None, Path())
    plans: dict[str, DispatchPlan] = {}
    for plain in drawn:
        plan = GAME.make_plan(_with_map(base, turning, plain), bots=bots, seed=seed)
        plans[plain["name"]] = plan
    if plan.deterministic:
        raise BadInput.of(
            f"{plan.pairing_name} leave nothing to chance, so that there is one match on each map; bots must name one "
            "that draws, such as greedy"
        )
    return MapLabPlan(spec, plans, matches, plan.seed)


def _generator(given: Mapping[str, Any] | MapGenerator) -> MapGenerator:
    if isinstance(given, MapGenerator):
        spec: MapGenerator | None = given
    else:
        problems: list[Any] = []
        spec = shaped(MapGenerator, dict(given), plain_tree(dict(given), Written(), problems), (), problems)
        if spec is None or problems:
            raise BadInput(problems)
    assert spec is not None
    wrong = spec.breach()
    if wrong is not None:
        raise BadInput.of(f"{wrong[0]} {wrong[1]}")
    return spec


def _with_map(base: Scenario, turning: Turning, plain: Mapping[str, Any]) -> Scenario:
    return dispatch_only(turning.turned({"map": plain})[0], "maps by chance")


@seldom_collected()
def map_lab(
    scenario: Source = "standard",
    *,
    generate: Mapping[str, Any] | MapGenerator | None = None,
    bots: Sequence[Any] | str | None = None,
    matches: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    out: str | Path | None = None,
    progress: bool = False,
) -> MapLab:
    """Draw maps by chance, play them, and rank them by how fair, close and varied their matches are.

    Parameters
    ----------
    scenario
        Whose rules they are played by.
    generate
        What maps, by the keys of `generate` in a sweep file, as in ``{"junctions": 8, "terminals": 6, "count": 20}``.
    bots
        Who plays; the scenario's own when absent. One of them has to draw.
    matches
        Of each map (4,000).
    seed
        Of the matches; that of the maps when absent.
    threads
        One for each core when absent. Figures do not depend on it.
    out
        A folder to write and, when it holds this study unfinished, to continue; None writes nothing.
    progress
        Show a bar.

    Raises
    ------
    BadInput
        When something given is not usable.
    sim.running.runner.Interrupted
        From the keyboard; with `out`, the same call continues.
    """
    from sim.running.keeping import kept_or_played

    plan = make_map_lab_plan(scenario, generate=generate, bots=bots, matches=matches, seed=seed)
    return kept_or_played(
        None if out is None else RunFolder(Path(out), plan.digest),
        load_map_lab,
        lambda held, show: play_map_lab(
            plan, threads=threads, folder=held, progress=show, command=() if held is None else ("sim.map_lab",)
        ),
        progress=progress,
    )


def play_map_lab(
    plan: MapLabPlan,
    *,
    threads: int | None = None,
    folder: RunFolder | None = None,
    progress: Progress | None = None,
    command: Sequence[str] = (),
) -> MapLab:
    """Play a map lab and keep it in `folder`, which this process holds; continue what is unfinished there.

    Raises
    ------
    Interrupted
        From the keyboard; the folder holds the maps that were finished.
    BadInput
        When the folder cannot be written, or a bot raises.
    """
    started, clock = datetime.now(UTC), time.perf_counter()
    played: list[LabMap] = []
    each = plan.matches
    try:
        for name, one in plan.plans.items():
            found = None if folder is None or folder.state == "new" else _kept(folder, name)
            if found is None:
                found = _of_map(one, plan.matches, threads)
                if folder is not None:
                    told_by = json.dumps(found.as_dict()).encode()
                    folder.keep(_file(name), {"json": np.frombuffer(told_by, np.uint8)})
            played.append(found)
            if progress is not None:
                progress(len(played) * each, len(plan.plans) * each)
    except KeyboardInterrupt:
        path = None if folder is None else folder.path
        raise Interrupted(len(played) * each, len(plan.plans) * each, path) from None
    scenario = plan.first.scenario
    maps = ranked(played)
    notes = _notes(maps, plan)
    manifest = {
        "schema": MANIFEST_SCHEMA,
        "study": STUDY,
        "game": scenario.game,
        "digest": plan.digest,
        "command": list(command),
        "scenario": scenario.resolved(),
        "scenario_digest": scenario.digest,
        "generate": plan.spec.model_dump(mode="json"),
        "seed": plan.seed,
        "namespace": 0,
        "rng_scheme": RNG_SCHEME,
        "level": LEVEL,
        "matches_asked": plan.matches,
        "matches_played": sum(one.n_matches for one in maps),
        **provenance(GAME.rules_version),
        "threads": threads_here(threads),
        "started": started.isoformat(timespec="seconds"),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(time.perf_counter() - clock, 3),
        "notes": list(notes),
    }
    path = None if folder is None else folder.path
    lab = MapLab(scenario.name, plan.first.pairing_name, maps, manifest, notes, path)
    if folder is not None:
        _keep(lab, folder)
    return lab


def _file(name: str) -> str:
    return f"map-{name}"


def _kept(folder: RunFolder, name: str) -> LabMap | None:
    """A map that was finished before."""
    arrays = folder.kept(_file(name))
    return None if arrays is None else LabMap.read(json.loads(arrays["json"].tobytes()))


def _of_map(plan: DispatchPlan, matches: int, threads: int | None) -> LabMap:
    """Play one map and measure it."""
    run = play(plan, Amount(matches), threads=threads)
    shape = shape_of(plan, matches, threads=threads)
    reward = max(plan.scenario.cargo.rewards)
    figures = {one.metric: one for one in plan.summarise(run.sums, metrics=FIGURES)}
    close = close_share(run.sums, reward, plan.pairing_name)
    figures["close"] = replace(close, metric="close")
    figures |= {one.metric: one for one in shape.estimates}
    figures["traffic_evenness"] = shape.evenness
    placed = plan.scenario.map.model_copy(update={"layout": layout_positions(plan.scenario.map)})
    traffic = {one.name: one.value for one in shape.tracks if one.what == "runs"}
    return LabMap(placed, figures, traffic, shape.dead_tracks, shape.n_different, shape.n_matches)


def _notes(maps: Sequence[LabMap], plan: MapLabPlan) -> tuple[str, ...]:
    notes = [
        "Ranked by the mean rank over five criteria: many close matches, many lead changes, even traffic, few shared "
        "victories, few dispatches stuck. Maps on which a seat is favoured or a track is never used come last.",
        "These are figures of these bots. Where intervals overlap, one map is not seen to be better than the other.",
        "The best of many maps looks better than it is: measure it anew (--match-seed) before it is chosen.",
    ]
    exact = sum(one.figures["seat_bias"].method == "exact" for one in maps)
    if exact == len(maps):
        notes.append("Every mirror is exact, and equal bots play both sides alike: no seat is favoured, by proof.")
    if not any(one.dead for one in maps):
        notes.append("Every track of every map was used.")
    return tuple(notes)


def _keep(lab: MapLab, folder: RunFolder) -> None:
    """Write the finished lab; the manifest last, since it is what says that the rest is there."""
    from sim.reports.map_lab_page import write_map_lab_report

    with told(folder.path):
        (folder.path / "maps").mkdir(exist_ok=True)
        for one in lab.maps:
            write_atomically(folder.path / "maps" / f"{one.name}.yaml", yaml_text(one.map).encode())
        write_json(folder.path / RESULT, lab.result())
        write_map_lab_report(lab, folder.path)
        write_json(folder.path / "manifest.json", lab.manifest)
    folder.clear_unfinished()
