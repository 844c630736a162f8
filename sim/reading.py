"""A finished run folder read back: whole, of this schema, and in agreement with itself, or bad input that says why."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernels.codes import Outcome
from sim.config.errors import BadInput
from sim.config.loading import load_scenario
from sim.running.result import SUMMARY_SCHEMA, Run
from sim.stats.metrics import METRICS, Estimate
from sim.stats.sums import BlockSums
from sim.store import MANIFEST_SCHEMA, read_json, read_sums

__all__ = ["load_run"]

_NUMBER = (int, float)
_MAYBE_NUMBER = (int, float, type(None))
_MANIFEST: dict[str, tuple[type, ...]] = {
    "game": (str,),
    "digest": (str,),
    "scenario": (dict,),
    "scenario_digest": (str,),
    "pairing": (str,),
    "first": (dict,),
    "second": (dict,),
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
_PLAYER: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "bot": (str,),
    "source": (str, type(None)),
    "values": (dict,),
    "file": (str, type(None)),
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
    sums = read_sums(path)
    _check(manifest_path, _manifest_damage(manifest, sums))
    _check(summary_path, _summary_damage(summary))
    try:
        scenario = load_scenario(manifest["scenario"], bots=False)
    except BadInput as error:
        raise BadInput.of(f"{manifest_path} is damaged: in its scenario, {error.problems[0].headline}") from None
    return Run(
        scenario=scenario,
        first=manifest["first"]["name"],
        second=manifest["second"]["name"],
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


def _manifest_damage(manifest: Mapping[str, Any], sums: BlockSums) -> str | None:
    damage = _wrong(manifest, _MANIFEST)
    for which in ("first", "second"):
        damage = damage or _wrong(manifest[which], _PLAYER, f"{which}.")
    if damage is not None:
        return damage
    if not all(isinstance(note, str) for note in manifest["notes"]):
        return "notes are not all text"
    counted = {code.name.lower(): int(sums.outcomes[:, :, code].sum()) for code in Outcome}
    if manifest["outcomes"] != counted or manifest["matches_played"] != sums.n_matches:
        return "its outcomes are not those of sums.npz"
    return None


def _summary_damage(summary: Mapping[str, Any]) -> str | None:
    estimates = summary.get("estimates")
    if not isinstance(estimates, list) or not all(isinstance(estimate, dict) for estimate in estimates):
        return "estimates is no list of figures"
    for place, estimate in enumerate(estimates):
        damage = _wrong(estimate, _ESTIMATE, f"estimates[{place}].")
        if damage is None and set(estimate) != set(_ESTIMATE):
            damage = f"estimates[{place}] has {', '.join(sorted(set(estimate) - set(_ESTIMATE)))}"
        if damage is not None:
            return damage
    missing = [name for name in METRICS if name not in {estimate["metric"] for estimate in estimates}]
    return f"it lacks {missing[0]}" if missing else None


def _wrong(found: Mapping[str, Any], wanted: Mapping[str, tuple[type, ...]], place: str = "") -> str | None:
    """The first key that is missing or of another type; True and False are no numbers."""
    for key, types in wanted.items():
        if key not in found:
            return f"it lacks {place}{key}"
        value = found[key]
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            return f"{place}{key} is {value!r:.60}"
    return None
