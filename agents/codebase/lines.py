"""Lines of a file of any size, cut and escaped so that a model can be shown them.

A file is read in blocks and only the lines asked for are kept, so a line of a file of many gigabytes
costs the memory of one block. Lines end at a line feed, as editors count them. A long line and a long
answer are cut, and say so.

This module does NOT judge paths: it takes a fence and names that the fence has already judged.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from agents.codebase.fence import Fence
from agents.codebase.refusals import INVISIBLE, Refused, escaped

BLOCK = 1 << 16
LONGEST_LINE = 400
"""Characters of one line that are shown."""
LONGEST_ANSWER = 9_000
"""Characters of all lines of one answer together."""
COUNTED_TO_THE_END = 10_000_000
"""Bytes. Of a larger file the lines are counted only as far as it was read."""

FURTHEST = 2_000_000_000
"""Bytes that one call reads at most: a file with a hole in it can claim to be larger than any disk."""

_UNSHOWN = re.compile(f"[\x00-\x08\x0b-\x1f{INVISIBLE}]")


class Excerpt(NamedTuple):
    """Lines `first` and following of a file; `total` is None when the end of a large file was not reached."""

    first: int
    lines: list[str]
    total: int | None
    cut: bool


def read_start(fence: Fence, parts: tuple[str, ...], most: int) -> str:
    """The first `most` bytes as text, or nothing when the file cannot be read."""
    try:
        return read_whole(fence, parts, most).decode("utf-8-sig", errors="replace")
    except Refused:
        return ""


def read_whole(fence: Fence, parts: tuple[str, ...], most: int) -> bytes:
    """The file's bytes, at most `most` of them. Raises Refused."""
    with fence.open(parts) as descriptor:
        blocks, room = [], most
        while room > 0 and (block := _read(descriptor, min(room, 1 << 20))):
            blocks.append(block)
            room -= len(block)
        return b"".join(blocks)


def excerpt(fence: Fence, parts: tuple[str, ...], start: int, count: int) -> Excerpt:
    """`count` lines from line `start` (from 1). Raises Refused, also for a binary file or a start past the end."""
    with fence.open(parts) as descriptor:
        size = os.fstat(descriptor).st_size
        reader = _Reader(start, count, to_the_end=size <= COUNTED_TO_THE_END)
        room = FURTHEST
        while not reader.done and room > 0 and (block := _read(descriptor, BLOCK)):
            reader.take(block)
            room -= len(block)
    total = reader.total() if room > 0 else None
    if room <= 0 and not reader.lines():
        raise Refused(f"Line {start} lies more than {FURTHEST:,} bytes into the file, which is further than is read.")
    if total is not None and start > max(total, 1):
        lines = "1 line" if total == 1 else f"{total} lines"
        raise Refused(f"{'/'.join(parts)} has {lines}, so there is no line {start}. Ask for a smaller start.")
    return _cut(start, reader.lines(), total)


def _read(descriptor: int, most: int) -> bytes:
    try:
        return os.read(descriptor, most)
    except OSError as error:
        raise Refused(f"The file could not be read: {error.strerror or error}.") from None


class _Reader:
    """Takes a file's blocks in order and keeps the start of each line that was asked for."""

    def __init__(self, start: int, count: int, to_the_end: bool) -> None:
        self._wanted = range(start, start + count)
        self._to_the_end = to_the_end
        self._kept: list[bytearray] = []
        self._line = 1
        self._last = b""
        self._room = 4 * LONGEST_LINE + 4
        self.done = False

    def take(self, block: bytes) -> None:
        if self._last == b"" and b"\0" in block[:8192]:
            raise Refused("That is a binary file, so its content is not shown.")
        self._last = block[-1:]
        if self._line >= self._wanted.stop:
            self._line += block.count(b"\n")
            return
        at = 0
        while self._line < self._wanted.start and at < len(block):
            at = self._skip(block, at)
        while self._line < self._wanted.stop and at < len(block):
            at = self._keep(block, at)
        self._line += block.count(b"\n", at)
        self.done = self._line >= self._wanted.stop and not self._to_the_end

    def _skip(self, block: bytes, at: int) -> int:
        """Step over lines before the first one wanted: all of the block at once when it holds none."""
        ends = block.count(b"\n", at)
        if self._line + ends < self._wanted.start:
            self._line += ends
            return len(block)
        for _ in range(self._wanted.start - self._line):
            at = block.index(b"\n", at) + 1
        self._line = self._wanted.start
        return at

    def _keep(self, block: bytes, at: int) -> int:
        end = block.find(b"\n", at)
        stop = len(block) if end < 0 else end
        if len(self._kept) <= self._line - self._wanted.start:
            self._kept.append(bytearray())
        line = self._kept[-1]
        line += block[at : min(stop, at + self._room - len(line))]
        if end < 0:
            return len(block)
        self._line += 1
        return end + 1

    def total(self) -> int | None:
        """How many lines the file has, if its end was reached. The last one need not end in a line feed."""
        if self.done:
            return None
        return self._line - (1 if self._last in (b"\n", b"") else 0)

    def lines(self) -> list[str]:
        texts = [bytes(line).decode("utf-8", errors="replace").rstrip("\r") for line in self._kept]
        if texts and self._wanted.start == 1:
            texts[0] = texts[0].removeprefix("\ufeff")
        return texts


def _cut(start: int, texts: list[str], total: int | None) -> Excerpt:
    lines, room = [], LONGEST_ANSWER
    for text in texts:
        line = shown_line(text)
        room -= len(line)
        if room < 0 and lines:
            return Excerpt(start, lines, total, cut=True)
        lines.append(line)
    return Excerpt(start, lines, total, cut=False)


def shown_line(text: str) -> str:
    r"""One line as a model or a person is shown it: `\x1b` or `\u202e` for what cannot be seen, and not too long."""
    if len(text) > LONGEST_LINE:
        text = f"{text[:LONGEST_LINE]} … [the line goes on]"
    return _UNSHOWN.sub(escaped, text)
