"""Compiled kernels: numbers only, arrays in, arrays filled.

Nothing here knows a word of a scenario: `sim.lowering` turns words into the arrays that these kernels read, and
`sim` turns the arrays that they fill into words again. This package imports numpy, numba and the standard library.
"""

import functools
import hashlib
import os
from importlib.metadata import version
from pathlib import Path

__all__ = ["fingerprint", "source_digest"]


@functools.cache
def source_digest() -> str:
    """Sha256 (hex) of all kernel sources, by relative path and content."""
    root = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py"), key=lambda p: p.relative_to(root).as_posix()):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


@functools.cache
def fingerprint() -> str:
    """16 hex digits that name what the compiled kernels do: their sources, numba's version and its options.

    numba's disk cache looks only at the file of the cached function, so an edit in another kernel file would leave an
    old machine code in use; the cache folder is therefore named by this.
    """
    options = [f"{name}={os.environ.get(name, '')}" for name in ("NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_CPU_NAME")]
    text = "\0".join([source_digest(), version("numba"), version("numpy"), *options])
    return hashlib.sha256(text.encode()).hexdigest()[:16]
