"""With what a run was played: sources, versions, machine."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from kernels import fingerprint

__all__ = ["provenance"]

_PACKAGES = ("dispatch-balance", "numpy", "numba", "llvmlite", "scipy", "pandas", "pyarrow")


def provenance(rules_version: str) -> dict[str, Any]:
    """What every manifest says of the software and the machine; `rules_version` is the game's."""
    return {
        "kernel_fingerprint": fingerprint(),
        "rules_version": rules_version,
        "packages": {name: _version(name) for name in _PACKAGES},
        "python": platform.python_version(),
        "machine": {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
