"""A word before the first command on a machine compiles the kernels, which takes half a minute in silence."""

from __future__ import annotations

import sys

__all__ = ["say_when_cold"]


def say_when_cold() -> None:
    """Say on standard error that the kernels are to be compiled, unless their machine code is there.

    To be called before anything that imports `kernels.dispatch.batch`, whose import is what compiles.
    """
    if "kernels.dispatch.batch" in sys.modules:
        return
    from kernels.jit import CACHE_FOLDER, PLAIN

    if PLAIN:
        return
    if CACHE_FOLDER is None:
        print("compiling the kernels (half a minute; no folder is writable to keep them in)", file=sys.stderr)
    elif next(CACHE_FOLDER.rglob("batch.fill_rows*.nbi"), None) is None:
        print("compiling the kernels (once; about half a minute)", file=sys.stderr, flush=True)
