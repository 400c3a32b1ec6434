"""One line on a terminal that says how far a long piece of work has come and how long it may still take.

It is written over itself and wiped at the end, and there is none at all when the stream is no terminal. It
measures time only to estimate what is left: nothing that a run decides depends on it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TextIO


class ProgressLine:
    """Call it with (done, of, what); `close()` wipes the line. Usable as a context manager."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self.stream = stream
        self.clock = clock
        self.started = clock()
        self.width = 0

    def __call__(self, done: int, of: int, what: str) -> None:
        text = f"{done} of {of} {what}".rstrip() + self._time_left(done, of)
        self._write(text.ljust(self.width))
        self.width = len(text)

    def close(self) -> None:
        """Wipe the line, so that what is printed next starts on a clean one."""
        if self.width:
            self._write(" " * self.width + "\r")
        self.width = 0

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _time_left(self, done: int, of: int) -> str:
        if not 0 < done < of:
            return ""
        seconds = (self.clock() - self.started) / done * (of - done)
        return f", about {seconds / 60:.0f} min left" if seconds >= 90 else f", about {seconds:.0f} s left"

    def _write(self, text: str) -> None:
        self.stream.write("\r" + text)
        self.stream.flush()


def progress_line(stream: TextIO | None) -> ProgressLine | None:
    """Return a ProgressLine for a terminal, None for anything else."""
    return ProgressLine(stream) if stream is not None and stream.isatty() else None
