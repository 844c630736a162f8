"""With what a run was played: sources, versions, machine."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from kernels import fingerprint
from kernels.dispatch.layout import RULES_VERSION
from sim.catalogue import Player

__all__ = ["player_words", "provenance"]

_PACKAGES = ("dispatch-balance", "numpy", "numba", "llvmlite", "scipy", "pandas", "pyarrow")


def provenance() -> dict[str, Any]:
    """What every manifest says of the software and the machine."""
    return {
        "kernel_fingerprint": fingerprint(),
        "rules_version": RULES_VERSION,
        "packages": {name: _version(name) for name in _PACKAGES},
        "python": platform.python_version(),
        "machine": {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()},
    }


def player_words(player: Player) -> dict[str, Any]:
    """A player as manifests tell of it (`sim.catalogue.player_again` reads it)."""
    file = None if player.source is None else player.source[0]
    return {"name": player.name, **player.identity, "file": file, "mirror_fair": player.bot.mirror_fair}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
