"""A finished run folder read back: whole, of this schema, and in agreement with itself, or bad input that says why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sim.config.errors import BadInput
from sim.config.loading import load_scenario
from sim.files import read_json
from sim.games import GAMES, game_named
from sim.games.damage import wrong_key
from sim.games.game import Sums
from sim.running.result import SUMMARY_SCHEMA, Run
from sim.stats.figures import Estimate
from sim.store import MANIFEST_SCHEMA, read_sums

__all__ = ["load_run"]

_NUMBER = (int, float)
_MAYBE_NUMBER = (int, float, type(None))
_MANIFEST: dict[str, tuple[type, ...]] = {
    "game": (str,),
    "digest": (str,),
    "scenario": (dict,),
    "scenario_digest": (str,),
    "pairing": (str,),
    "seed": (int,),
    "namespace": (int,),
    "precise": (bool, type(None)),
    "level": _NUMBER,
    "matches_asked": (int, type(None)),
    "matches_played": (int,),
    "outcomes": (dict,),
    "kernel_fingerprint": (str,),
    "notes": (list,),
}
_ESTIMATE: dict[str, tuple[type, ...]] = {
    "pairing": (str,),
    "metric": (str,),
    "value": _MAYBE_NUMBER,
    "low": _MAYBE_NUMBER,
    "high": _MAYBE_NUMBER,
    "n": (int,),
    "n_units": (int,),
    "method": (str,),
}


def load_run(folder: str | Path) -> Run:
    """Read a finished run folder.

    Raises
    ------
    BadInput
        When the folder holds no finished run, one of another schema, or a damaged one.
    """
    path = Path(folder)
    if not path.is_dir():
        raise BadInput.of(f"{path} is no folder; must be a run folder")
    manifest_path, summary_path = path / "manifest.json", path / "summary.json"
    manifest = _of_schema(manifest_path, MANIFEST_SCHEMA)
    summary = _of_schema(summary_path, SUMMARY_SCHEMA)
    _check(manifest_path, _manifest_damage(manifest))
    game = game_named(manifest["game"])
    sums = read_sums(path, game.sums_from_arrays)
    _check(manifest_path, _counts_damage(manifest, sums) or game.manifest_damage(manifest, sums))
    try:
        scenario = load_scenario(manifest["scenario"], bots=False)
    except BadInput as error:
        raise BadInput.of(f"{manifest_path} is damaged: in its scenario, {error.problems[0].headline}") from None
    _check(manifest_path, None if scenario.game == game.name else f"its scenario is of the game {scenario.game}")
    _check(summary_path, _summary_damage(summary, game.metrics(scenario)))
    first, second = game.sides(manifest)
    return Run(
        scenario=scenario,
        first=first,
        second=second,
        sums=sums,
        estimates=tuple(Estimate(**estimate) for estimate in summary["estimates"]),
        manifest=manifest,
        notes=tuple(manifest["notes"]),
        folder=path,
    )


def _of_schema(path: Path, schema: int) -> dict[str, Any]:
    found = read_json(path)
    if not isinstance(found, dict) or "schema" not in found:
        raise BadInput.of(f"{path} is damaged: it names no schema")
    if found["schema"] != schema:
        raise BadInput.of(f"{path} is of schema {found['schema']}, from another version; must be {schema}")
    return found


def _check(path: Path, damage: str | None) -> None:
    if damage is not None:
        raise BadInput.of(f"{path} is damaged: {damage}")


def _manifest_damage(manifest: Mapping[str, Any]) -> str | None:
    damage = wrong_key(manifest, _MANIFEST)
    if damage is None and manifest["game"] not in GAMES:
        damage = f"game is {manifest['game']!r:.60}"
    if damage is None and not all(isinstance(note, str) for note in manifest["notes"]):
        damage = "notes are not all text"
    return damage


def _counts_damage(manifest: Mapping[str, Any], sums: Sums) -> str | None:
    return None if manifest["matches_played"] == sums.n_matches else "its outcomes are not those of sums.npz"


def _summary_damage(summary: Mapping[str, Any], metrics: Iterable[str]) -> str | None:
    estimates = summary.get("estimates")
    if not isinstance(estimates, list) or not all(isinstance(estimate, dict) for estimate in estimates):
        return "estimates is no list of figures"
    for place, estimate in enumerate(estimates):
        damage = wrong_key(estimate, _ESTIMATE, f"estimates[{place}].")
        if damage is None and set(estimate) != set(_ESTIMATE):
            damage = f"estimates[{place}] has {', '.join(sorted(set(estimate) - set(_ESTIMATE)))}"
        if damage is not None:
            return damage
    missing = [name for name in metrics if name not in {estimate["metric"] for estimate in estimates}]
    return f"it lacks {missing[0]}" if missing else None
