"""The walk through a call: every value of its arguments and result, with its path, its record and what it says.

Role: `Walk` reads one call and hands each value on to an index. It knows what makes a record (an object in a list, an
object or value under a name, a row of a Markdown table in a text, a call about one of several names), and that the
`N: ` before the lines of a text are labels.
Not here: finding values again (sources.py), what a number means (numbers.py).
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import Any, Protocol

from agentkit.more.layout import passages_of
from agentkit.more.numbers import Token, scan
from agentkit.more.patterns import HAS_FACT, UNITS, WORDS
from agentkit.more.values import Record, Source
from agentkit.more.words import words_of

__all__ = ["Walk"]

TABLE_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*\|", re.MULTILINE)
LABEL = re.compile(r"\s*(\d+): ")


class Sink(Protocol):
    """Where a walk puts what it finds: an Index."""

    sources: list[Source]
    failures: list[Source]
    records: list[Record]
    counts: list[tuple[str, Source]]
    texts: list[tuple[int, str, str, str]]
    known_texts: set[str]


class Walk:
    """One call's arguments or result, walked in the order that they would be read, without recursion."""

    def __init__(self, index: Sink, call: int, tool: str, is_failed: bool) -> None:
        self.index = index
        self.call = call
        self.tool = tool
        self.into = index.failures if is_failed else index.sources

    def record_of_call(self, args: Any, varied: set[str]) -> Record | None:
        """Return a record of the whole call, if the tool was asked about several names: each call is about its own."""
        if not varied or not isinstance(args, dict):
            return None
        record = self._record("", self.tool, None)
        record.fields = {name: value for name, value in args.items() if name in varied}
        return record

    def add(self, value: Any, path: str, record: Record | None = None) -> None:
        """Keep every value below this one."""
        stack: list[tuple[Any, str, str, Record | None]] = [(value, path, path, record)]
        while stack:
            value, path, field, record = stack.pop()
            if isinstance(value, dict):
                stack.extend(reversed(self._members(value, path, field, record)))
            elif isinstance(value, (list, tuple)):
                stack.extend(reversed(self._items(value, path, field, record)))
            else:
                self._leaf(value, path, field, record)

    def _members(
        self, value: dict[str, Any], path: str, field: str, record: Record | None
    ) -> list[tuple[Any, str, str, Record | None]]:
        named = self._is_keyed(value)
        members = []
        for key, item in value.items():
            name = str(key)
            below = f"{path}.{name}" if path else name
            owner = record
            if named:
                owner = self._record(below, f"{self.tool}.{path}", record, name)
            if HAS_FACT.search(name):
                self._text(name, below, name, owner)
            if owner is not None and not isinstance(item, (dict, list)):
                owner.fields[name if not named else "value"] = item
            members.append((item, below, field if named and not isinstance(item, dict) else name, owner))
        return members

    def _is_keyed(self, value: dict[str, Any]) -> bool:
        """Return whether the keys of an object are names: its values are objects alike, or it maps known names."""
        if len(value) < 2:
            return False
        first = next(iter(value.values()))
        if isinstance(first, dict):
            return all(isinstance(item, dict) and item.keys() == first.keys() for item in value.values())
        return all(str(key).casefold() in self.index.known_texts for key in value)

    def _items(
        self, value: list[Any] | tuple[Any, ...], path: str, field: str, record: Record | None
    ) -> list[tuple[Any, str, str, Record | None]]:
        if self.into is self.index.sources:
            count = Token("number", 0, 0, str(len(value)), Decimal(len(value)))
            source = Source(self.call, self.tool, f"{path} (length)", field, count, "", record, value)
            self.index.counts += [(name, source._replace(field=name)) for name in (field, _key_of(value)) if name]
        labelled = has_labels([item for item in value if isinstance(item, str)])
        items = []
        for number, item in enumerate(value):
            below = f"{path}[{number}]"
            owner = record
            if isinstance(item, dict):
                owner = self._record(below, f"{self.tool}.{path}", record)
            if labelled and isinstance(item, str):
                self._labelled(item, below, field, record)
            else:
                items.append((item, below, field, owner))
        return items

    def _record(self, path: str, group: str, parent: Record | None, named: str = "") -> Record:
        record = Record(self.call, self.tool, path, group, parent, named)
        if self.into is self.index.sources:
            self.index.records.append(record)
        return record

    def _leaf(self, value: Any, path: str, field: str, record: Record | None) -> None:
        if isinstance(value, str) and value.isalpha() and value.casefold() not in WORDS:
            if self.into is self.index.sources:  # one word, no fact
                self.index.texts.append((self.call, self.tool, path, value))
        elif isinstance(value, str):
            self._string(value, path, field, record)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
            if number.is_finite():
                self._keep(Token("number", 0, 0, str(value), number), path, field, record, value)

    def _string(self, text: str, path: str, field: str, record: Record | None) -> None:
        lines = text.splitlines() if "\n" in text else []
        if len(lines) > 1 and has_labels(lines):
            for line in lines:
                self._labelled(line, path, field, record)
        elif len(lines) > 1 and TABLE_RULE.search(text):
            self._report(text, path, field, record)
        else:
            self._text(text, path, field, record)
        if self.into is self.index.sources:
            self.index.texts.append((self.call, self.tool, path, text))

    def _report(self, text: str, path: str, field: str, record: Record | None) -> None:
        """Read a text with Markdown tables, such as a colleague's report: each row of a table is a record."""
        table = 0
        for passage in passages_of(text):
            if passage.kind != "row":
                self._text(text[passage.start : passage.end], path, field, record)
                continue
            table += passage.first_row
            row = self._record(path, f"{self.tool}.{path} table {table}", record)
            for head, (start, end) in zip(passage.heads, passage.cells, strict=False):
                name = "_".join(re.findall(r"\w+", head.casefold())) or field
                cell = text[start:end]
                row.fields[name] = int(cell) if cell.isdecimal() else cell
                self._text(cell, path, name, row)

    def _labelled(self, line: str, path: str, field: str, record: Record | None) -> None:
        label = LABEL.match(line)
        if label:
            token = Token("number", 0, 0, label[1], Decimal(label[1]), place=True)
            self._keep(token, path, field, record, line)
        self._text(line[label.end() :] if label else line, path, field, record)
        if self.into is self.index.sources:
            self.index.texts.append((self.call, self.tool, path, line))

    def _text(self, text: str, path: str, field: str, record: Record | None) -> None:
        for token in scan(text):
            self._keep(token, path, field, record, text)
            if token.kind == "date" and token.key[:4]:
                year = Token("number", 0, 0, token.key[:4], Decimal(token.key[:4]))
                self._keep(year, path, field, record, text)

    def _keep(self, token: Token, path: str, field: str, record: Record | None, given: Any) -> None:
        unit = token.unit or (_unit_of(field) if not isinstance(given, str) else "")
        self.into.append(Source(self.call, self.tool, path, field, token, unit, record, given))


def _key_of(items: list[Any] | tuple[Any, ...]) -> str:
    """Return the field that names each of a list's objects: the first one, if its texts all differ."""
    if not items or not all(isinstance(item, dict) and item for item in items):
        return ""
    field = next(iter(items[0]))
    values = [item.get(field) for item in items]
    is_key = all(isinstance(value, str) for value in values) and len(set(values)) == len(values)
    return str(field) if is_key else ""


def has_labels(lines: list[str]) -> bool:
    """Return whether the lines of a text are numbered: they start with rising `N: `."""
    found = [LABEL.match(line) for line in lines]
    numbers = [int(label[1]) for label in found if label]
    return bool(numbers) and len(numbers) * 5 >= len(lines) * 4 and numbers == sorted(set(numbers))


@lru_cache(maxsize=1024)
def _unit_of(field: str) -> str:
    """Return the unit that a field's name gives: `ms`, `rain_pct`, `time_s`."""
    words = words_of(field)
    for word in words:
        if len(word) > 1 and word not in ("min", "day", "days", "second"):
            unit = UNITS.get(word)
            if unit:
                return unit
    return "s" if len(words) > 1 and words[-1] == "s" else ""
