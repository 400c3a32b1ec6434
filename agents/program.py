"""How a command-line program here ends: quietly, also on Ctrl-C or when nobody reads its output any more.

A letter that the terminal's encoding lacks is shown as its escape, instead of ending the program.

    if __name__ == "__main__":
        raise SystemExit(run_as_program(main))
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable


def run_as_program(main: Callable[[list[str]], int]) -> int:
    """Call `main` with the command line's arguments; its exit code, 130 on Ctrl-C, 1 on a closed pipe."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader went away, as in `… | head -1`; nothing is left to be told
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
