"""Run the kernel tests in the three ways in which kernels run: compiled, plain, and compiled with bounds checked.

    python -m tests.kernel_modes [pytest options]

`DISPATCH_BALANCE_MAPS` is the number of random maps (2,000 when not set). Exits with 1 when any of the ways fails.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = ("kernel_rules", "kernel_orders", "kernel_bots", "mainline_kernel", "mainline_rules", "random_streams")
MODES = {
    "compiled": {},
    "plain": {"NUMBA_DISABLE_JIT": "1"},
    "bounds checked": {"NUMBA_BOUNDSCHECK": "1"},  # does nothing to machine code that is kept: a fresh folder
}


def main(options: list[str]) -> int:
    """Run every mode, say how long it took, and return the exit code."""
    root = Path(__file__).parents[1]
    files = [f"tests/test_{name}.py" for name in TESTS]
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    failed = []
    for name, settings in MODES.items():
        with tempfile.TemporaryDirectory() as fresh:
            environment = {**inherited, **settings}
            if "NUMBA_BOUNDSCHECK" in settings:
                environment["DISPATCH_BALANCE_CACHE"] = fresh
            started = time.monotonic()
            done = subprocess.run([sys.executable, "-m", "pytest", *files, *options], cwd=root, env=environment)
            print(f"{name}: {'passed' if done.returncode == 0 else 'FAILED'} in {time.monotonic() - started:.0f} s")
            if done.returncode != 0:
                failed.append(name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
