"""A file cut into passages of about thirty lines, with the names that each one defines.

A cut falls where something new begins (a function, a class, a heading), else at an empty line, else
after thirty lines. The signs of a beginning are those that most languages share; no language is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agents.codebase.refusals import shown
from agents.codebase.words import split_humps

MOST_LINES = 30
FEWEST_LINES = 12

_BEGINS = re.compile(
    r" {0,4}(?:export |pub |public |private |protected |static |async )*"
    r"(?:def|class|function|func|fn|struct|interface|enum|trait|impl|type|module|namespace|@\w|\.\. )"
    r"|#{1,6} |\[[\w.\"-]+\]$|[A-Z][A-Z0-9_]{2,} ?="
)
_DEFINES = re.compile(
    r"^[ \t]*(?:(?:export|pub|public|private|protected|static|async|default) )*"
    r"(?:def|class|function|func|fn|struct|interface|type|enum|trait|impl|module|namespace|package|const|let|var)"
    r" +(\w+)|^([A-Za-z_]\w*) *[:=]",
    re.MULTILINE,
)


class Passage(NamedTuple):
    """Lines `first` to `last` of a file (from 1, both included), as the index takes them."""

    first: int
    last: int
    names: str
    body: str


def path_words(parts: tuple[str, ...]) -> str:
    """The words of a path, for the index."""
    return split_humps(shown(" ".join(parts)))


def cut(text: str, is_program: bool) -> Iterator[Passage]:
    """The passages of a file, in order, that together are all of it. Only a program defines names."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    first = 0
    while first < len(lines):
        last = _end(lines, first)
        body = "\n".join(lines[first:last])
        names = " ".join(one or other for one, other in _DEFINES.findall(body)) if is_program else ""
        yield Passage(first + 1, last, split_humps(names), split_humps(body))
        first = last


def _end(lines: list[str], first: int) -> int:
    """Where the passage that begins at `first` ends: the last good place that keeps it long enough."""
    end = first + MOST_LINES
    if end >= len(lines):
        return len(lines)
    places = range(end, first + FEWEST_LINES, -1)
    for place in places:
        if _BEGINS.match(lines[place]) and not lines[place - 1].lstrip().startswith("@"):
            return place
    return next((place for place in places if not lines[place - 1].strip()), end)
