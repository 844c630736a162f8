"""The edit as a scenario of its own: a file that extends the one that was tuned, and says only what differs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sim.config.errors import BadInput
from sim.config.loading import load_scenario
from sim.config.scenario import AnyScenario
from sim.config.sources import key_parts
from sim.config.starters import starter_path
from sim.config.tree import Source
from sim.config.writing import yaml_text
from sim.files import told, write_atomically
from sim.studies.tune_plan import TunePlan
from sim.studies.tune_space import Edit

__all__ = ["TUNED_FILE", "write_tuned"]

TUNED_FILE = "tuned.yaml"
MAP_FILE = "tuned-map.yaml"


def write_tuned(plan: TunePlan, edit: Edit, folder: Path) -> Path:
    """Write the scenario with an edit into a folder; it resolves to what was played, but for its name."""
    path = folder / TUNED_FILE
    wanted = plan.scenario(edit)
    values = plan.space.values(edit)
    head = f"# {plan.goals.scenario.name}, tuned to {plan.goals.file.name}: {plan.space.label(edit)}.\n"
    name = f"{plan.goals.scenario.name}-tuned"
    with told(folder):
        (folder / MAP_FILE).unlink(missing_ok=True)
        own = _file_of(plan)
        if own is not None:
            plain: dict[str, Any] = {"extends": _seen_from(own, folder), "name": name}
            for key, value in values.items():
                _set(plain, key, _map_beside(plan, value, folder) if key == "map" else value)
            write_atomically(path, (head + yaml_text(plain)).encode())
            if _same(path, wanted):
                return path
        (folder / MAP_FILE).unlink(missing_ok=True)
        whole = {**wanted.resolved(), "name": name}
        write_atomically(path, (head + yaml_text(whole)).encode())
    return path


def _file_of(plan: TunePlan) -> Path | None:
    """The file of the scenario that was tuned; None where there is none."""
    node = plan.goals.root.nearest(("scenario",))
    written = str(node.value)
    path = Path(os.path.normpath(node.source.folder / written))
    return path if path.is_file() else starter_path(written)


def _seen_from(path: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # on another drive
        return path.absolute().as_posix()


def _map_beside(plan: TunePlan, value: Any, folder: Path) -> str:
    """A map as a path: maps in place would be merged into the map that they are to replace."""
    if isinstance(value, str):
        return _seen_from(plan.turning.map_file(value), folder)
    write_atomically(folder / MAP_FILE, yaml_text(value).encode())
    return MAP_FILE


def _set(plain: dict[str, Any], key: str, value: Any) -> None:
    """Set a dotted key in nested mappings."""
    parts = key_parts(key, Source())[0]
    for part in parts[:-1]:
        plain = plain.setdefault(str(part), {})
    plain[str(parts[-1])] = value


def _same(path: Path, wanted: AnyScenario) -> bool:
    """Whether the file is the scenario that was played; lists that are changed in part cannot be written so."""
    try:
        found = load_scenario(path).resolved()
    except BadInput:
        return False
    return {**found, "name": ""} == {**wanted.resolved(), "name": ""}
