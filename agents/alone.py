"""One process at a time goes on with a run: its trace is held while the process lives, however that ends.

The hold belongs to the system, which lets go of it when a process is killed, so nothing is left to clear away. Other
processes may read the trace meanwhile. Not here: waiting for somebody else's turn (`locked` in agentkit/files.py).

    with alone_with("data/traces/20261028-140501.jsonl"):
        ...
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from agentkit.errors import AgentkitError

TAKEN = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)  # what systems say of a hold that another process has
FAR_OUT = 2**40  # the byte that Windows locks: nobody may read a locked one, and no trace is so long


class StillRunning(AgentkitError):
    """Another process is at work on this run."""


@contextlib.contextmanager
def alone_with(trace: Path) -> Iterator[None]:
    """Hold `trace` for this process. Raises StillRunning if another one does, OSError if it cannot be read."""
    with open(trace, "rb") as file:
        try:
            _hold(file.fileno())
        except OSError as error:  # a file system without locks says something else, and is no reason to refuse
            if error.errno in TAKEN:
                raise StillRunning(
                    f"The run in {trace} is still going on in another process: "
                    "let it end, or end it, before you resume it."
                ) from None
        yield


if os.name == "nt":
    import msvcrt

    def _hold(descriptor: int) -> None:
        os.lseek(descriptor, FAR_OUT, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
else:
    import fcntl

    def _hold(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
