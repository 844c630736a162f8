"""The command line: parses, calls, prints. What it calls is imported inside the commands, so that help is quick."""

from __future__ import annotations

import errno
import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the `sim` command and exit with its code.

    0 done or passed; 1 a check failed; 2 bad input or usage; 3 undecided; 130 interrupted.
    """
    # Before numpy is loaded. The matrices here are tiny: threads that share one are all waiting, ten times as long on a
    # busy machine, and could differ in the last bit from one machine to the next. Matches have threads of their own.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    from sim.collecting import seldom_collected
    from sim.config.errors import BadInput

    try:
        with seldom_collected():
            from sim.cli.app import app

            app(prog_name="sim")
    except BadInput as error:
        for line in str(error).splitlines():
            print(line, file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:  # in the moments before or after the command itself
        print("interrupted before anything was finished", file=sys.stderr)
        sys.exit(130)
    except OSError as error:
        # Whoever read the output has closed it, or there is no room for it; nothing more can be said there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno == errno.EPIPE:
            sys.exit(1)
        print(f"cannot write the output: {error.strerror or error}", file=sys.stderr)
        sys.exit(2)
