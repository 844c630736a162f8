"""How kernels are compiled: one decorator for helpers, one for entry points, and where the machine code is kept."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import njit

from kernels import fingerprint

__all__ = ["CACHE_FOLDER", "PLAIN", "cache_in", "entry", "helper", "routine"]

F = TypeVar("F", bound=Callable[..., Any])

PLAIN: bool = bool(vars(numba.config)["DISABLE_JIT"])
"""True when kernels run as plain Python (`NUMBA_DISABLE_JIT=1`)."""

KEPT_FOLDERS = 4  # caches of other kernel versions that are left in place


def _user_cache() -> Path:
    if "DISPATCH_BALANCE_CACHE" in os.environ:
        return Path(os.environ["DISPATCH_BALANCE_CACHE"])
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "dispatch-balance"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir())) / "dispatch-balance"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dispatch-balance"


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _drop_old(parent: Path, current: Path) -> None:
    """Remove the machine code of all but the newest few other kernel versions."""
    try:
        others = sorted(
            (p for p in parent.iterdir() if p.is_dir() and p != current), key=lambda p: p.stat().st_mtime, reverse=True
        )
    except OSError:
        return
    for folder in others[KEPT_FOLDERS:]:
        shutil.rmtree(folder, ignore_errors=True)


def _choose_cache() -> Path | None:
    """The cache folder of this fingerprint, or None when no candidate is writable (then nothing is cached)."""
    if PLAIN:
        return None
    for parent in (_user_cache() / "kernels", Path(tempfile.gettempdir()) / "dispatch-balance" / "kernels"):
        folder = parent / fingerprint()
        if _writable(folder):
            os.utime(folder)
            _drop_old(parent, folder)
            return folder
    return None


CACHE_FOLDER: Path | None = _choose_cache()
"""Where machine code is kept between processes; None: nowhere is writable, so every process compiles afresh."""

if CACHE_FOLDER is not None:
    setattr(numba.config, "CACHE_DIR", str(CACHE_FOLDER))  # noqa: B010 - the module has no types


@contextmanager
def cache_in(folder: Path | None) -> Iterator[None]:
    """Let numba keep the machine code of what is compiled here in another folder; None: as always."""
    always = vars(numba.config).get("CACHE_DIR")
    if folder is not None:
        setattr(numba.config, "CACHE_DIR", str(folder))  # noqa: B010
    try:
        yield
    finally:
        setattr(numba.config, "CACHE_DIR", always)  # noqa: B010


def helper(function: F) -> F:
    """Compile a small function into each of its callers."""
    return cast(F, njit(forceinline=True)(function))


def routine(function: F) -> F:
    """Compile a larger function that its callers call, and leave to the compiler whether it is copied into them."""
    return cast(F, njit(nogil=True)(function))


def entry(signature: Any) -> Callable[[F], F]:
    """Compile an entry point once, for one explicit signature, without the GIL, and keep the machine code."""

    def decorate(function: F) -> F:
        compiled: F = njit(signature, nogil=True, cache=CACHE_FOLDER is not None)(function)
        return compiled

    return decorate
