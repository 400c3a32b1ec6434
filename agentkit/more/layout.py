"""The layout of an answer: which sentences, list items and table rows it has, and what stands above each.

Role: `passages_of(answer)` cuts Markdown (or plain text) into the pieces that a reader takes as one statement. Each
passage knows its place in the text, its headings and the item it is part of, because a name in a heading is what the
lines below it are about. A row of a table knows its cells and the heads of its columns.
Not here: what the words mean (records.py, places.py). Only the Markdown that answers use is read: headings, a bold
line as a heading, list items, tables (with pipes, commas or aligned by blanks), code fences; the rest is prose.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agentkit.more.words import SENTENCE_END

__all__ = ["Passage", "Span", "passages_of"]

HEADING = re.compile(r"[ \t>]*(#{1,6})[ \t]+|[ \t>]*(?:\*\*|__)[^*_\n]+(?:\*\*|__):?[ \t]*$")
ITEM = re.compile(r"([ \t>]*)(?:[-*+•][ \t]+|\(?\d{1,3}[.)][ \t]+)")
RULE = re.compile(r"[ \t>]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*$")
PRONOUN = re.compile(
    r"[\s*_`\"'(]*(?:it|its|he|his|she|her|they|their|them|both|this one|that one|the (?:former|latter|other))\b",
    re.IGNORECASE,
)

PIPE = re.compile(r"\|")
# tables without pipes: what a line of one looks like, and what stands between its cells
PLAIN = {
    re.compile(r"[ \t]*\S+(?: \S+)*(?:(?: {2,}|\t+)\S+(?: \S+)*){2,}[ \t]*$"): re.compile(r" {2,}|\t+"),
    re.compile(r"[^,\s][^,\n]*(?:,[^,\s][^,\n]*)+$"): re.compile(r","),
}

Span = tuple[int, int]


class Passage(NamedTuple):
    """A piece of an answer that states something: `text` from start to end, or a `row` of cells."""

    kind: str  # text, row, heading
    start: int
    end: int
    above: tuple[Span, ...] = ()  # headings and the items that this one is part of, the nearest last
    carries_on: bool = False  # speaks of what the passage before it spoke of: "It scored ..."
    cells: tuple[Span, ...] = ()
    heads: tuple[str, ...] = ()
    first_row: bool = False  # of its table
    item: bool = False  # begins an item of a list


class _Reader:
    """Reads an answer line by line and keeps the headings and open list items above the current line."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.passages: list[Passage] = []
        self.headings: list[tuple[int, Span]] = []
        self.items: list[tuple[int, Span]] = []
        self.heads: tuple[str, ...] | None = None
        self.between = PIPE  # the cells of the table
        self.rows = 0

    def read(self) -> list[Passage]:
        lines = self._lines()
        for number, (start, end) in enumerate(lines):
            following = self.answer[slice(*lines[number + 1])] if number + 1 < len(lines) else ""
            self._line(start, end, following)
        return self.passages

    def _lines(self) -> list[Span]:
        spans, at = [], 0
        for line in self.answer.splitlines(keepends=True):
            spans.append((at, at + len(line.rstrip("\r\n"))))
            at += len(line)
        return spans

    def _line(self, start: int, end: int, following: str) -> None:
        line = self.answer[start:end]
        if not line.strip() or line.lstrip().startswith("```"):
            self.heads = None
        elif self.heads is not None and self.between.search(line):
            self._row(start, end, line)
        elif "|" in line and (RULE.match(following) or line.count("|") >= 2):
            self._table(start, end, line, PIPE, bool(RULE.match(following)))
        elif between := next((one for one in PLAIN if one.match(line) and one.match(following)), None):
            self._table(start, end, line, PLAIN[between], False)
        elif heading := HEADING.match(line):
            self._heading(start, end, len(heading[1]) if heading[1] else 7)
        elif item := ITEM.match(line):
            self._item(start, end, item)
        else:
            self._prose(start, end, line)

    def _prose(self, start: int, end: int, line: str) -> None:
        last = self.passages[-1] if self.passages else None
        if last and last.kind == "text" and self._is_wrapped(last, start):
            self.passages.pop()
            self._sentences(last.start, end, last.carries_on, bool(self.items))
            return
        if not line.startswith((" ", "\t")):
            self.items = []
        self._sentences(start, end, bool(self.items), bool(self.items))

    def _is_wrapped(self, last: Passage, start: int) -> bool:
        """Return whether the sentence of the line before goes on in this line: it was long and did not end."""
        between = self.answer[last.end : start]
        line_start = self.answer.rfind("\n", 0, last.end) + 1
        return (
            not between.strip()
            and between.count("\n") == 1
            and last.end - line_start >= 60
            and self.answer[last.end - 1] not in ".!?:;"
        )

    def _heading(self, start: int, end: int, level: int) -> None:
        self.heads, self.items = None, []
        self.headings = [pair for pair in self.headings if pair[0] < level]
        self.passages.append(Passage("heading", start, end, self._above()))
        self.headings.append((level, (start, end)))

    def _item(self, start: int, end: int, item: re.Match[str]) -> None:
        self.heads = None
        indent = len(item[1].expandtabs(4))
        self.items = [pair for pair in self.items if pair[0] < indent]
        first = len(self.passages)
        self._sentences(start + item.end(), end, False, True)
        lead = self.passages[first] if len(self.passages) > first else None
        self.items.append((indent, (lead.start, lead.end) if lead else (start, end)))

    def _sentences(self, start: int, end: int, first_carries_on: bool, in_item: bool) -> None:
        """Add the sentences from start to end; within a list item each carries on from the one before it."""
        self.heads = None
        at, carries_on = start, first_carries_on
        for stop in [*SENTENCE_END.finditer(self.answer, start, end), None]:
            close = stop.start() if stop else end
            if self.answer[at:close].strip():
                speaks_on = carries_on or bool(PRONOUN.match(self.answer, at))
                begins = in_item and not first_carries_on and at == start
                self.passages.append(Passage("text", at, close, self._above(), speaks_on, item=begins))
                carries_on = in_item
            at = stop.end() if stop else end

    def _table(self, start: int, end: int, line: str, between: re.Pattern[str], has_rule: bool) -> None:
        self.items, self.between = [], between
        cells = _cells(start, line, between)
        self.heads, self.rows = tuple(self.answer[a:b] for a, b in cells), 0
        if not has_rule and any(char.isdigit() for char in line):  # rows without a head
            self.heads = ("",) * len(cells)
            self._row(start, end, line)

    def _row(self, start: int, end: int, line: str) -> None:
        if RULE.match(line):
            return
        self.rows += 1
        cells, heads = _cells(start, line, self.between), self.heads or ()
        padded = (*heads, *[""] * (len(cells) - len(heads)))
        self.passages.append(
            Passage("row", start, end, self._above(), cells=cells, heads=padded, first_row=self.rows == 1)
        )

    def _above(self) -> tuple[Span, ...]:
        return tuple(span for _, span in [*self.headings, *self.items])


def passages_of(answer: str) -> list[Passage]:
    """Return the passages of an answer in order."""
    return _Reader(answer).read()


def _cells(start: int, line: str, between: re.Pattern[str]) -> tuple[Span, ...]:
    """Return where the cells of a row stand, without the blanks and marks around their text."""
    low, stop = len(line) - len(line.lstrip(" \t>")), len(line.rstrip())
    if between is PIPE:
        low += line[low : low + 1] == "|"
        stop -= line[low:stop].endswith("|")
    spans, at = [], low
    for gap in [*between.finditer(line, low, stop), None]:
        piece = line[at : gap.start() if gap else stop]
        text = piece.strip(" \t*_`")
        left = start + at + (piece.index(text) if text else 0)
        spans.append((left, left + len(text)))
        at = gap.end() if gap else stop
    return tuple(spans)
