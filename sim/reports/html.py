"""What every page shares: its template, its look, and where its figures come from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["provenance_rows", "rendered", "write_text"]


def rendered(template: str, **values: Any) -> str:
    """A page from a template of this package; text is escaped, and a value that is missing is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("sim.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(**values)


def write_text(path: Path, text: str) -> None:
    """Write text as UTF-8, with the line ends that it has."""
    path.write_bytes(text.encode("utf-8"))


def provenance_rows(manifest: Mapping[str, Any], scenario_digest: str) -> list[tuple[str, str]]:
    """Where the figures come from, for whoever wants them again: label and value."""
    command = manifest.get("command")
    rows: list[tuple[str, object]] = [
        ("command", " ".join(command) if isinstance(command, list) else command),
        ("seed", manifest.get("seed")),
        ("scenario digest", manifest.get("scenario_digest") or scenario_digest),
        ("run digest", manifest.get("digest")),
        ("kernel fingerprint", manifest.get("kernel_fingerprint")),
        ("rules version", manifest.get("rules_version")),
        ("random numbers", manifest.get("rng_scheme")),
        ("packages", _listed(manifest.get("packages"))),
        ("Python", manifest.get("python")),
        ("machine", _listed(manifest.get("machine"))),
        ("threads", manifest.get("threads")),
        ("played by", manifest.get("played_by")),
        ("started", manifest.get("started")),
        ("finished", manifest.get("finished")),
        ("matches a second", _speed(manifest.get("matches_per_second"))),
    ]
    return [(label, str(value)) for label, value in rows if value not in (None, "")]


def _listed(found: object) -> str | None:
    if not isinstance(found, dict):
        return None
    return ", ".join(f"{name} {value}" for name, value in found.items() if value is not None)


def _speed(found: object) -> str | None:
    """Two significant digits."""
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found) or found <= 0:
        return None
    return f"{float(f'{found:.2g}'):,.0f}"
