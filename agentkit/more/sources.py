"""The facts that tools gave: every value of a tool log, findable by what it means.

Role: `Index(tool_log)` walks the arguments and results of each call once and keeps each value with its receipt: which
call, which tool, which field (a JSON path such as `table[0].elo`) and which record it belongs to. A record is an
object in a list, or an object or value under a name; what it says of itself in short texts are its names.
`index_of(tool_log)` keeps the last index, because several checks look at the same log one after another.
Not here: what an answer says (numbers.py reads it, claims.py binds it).

Decisions:
- Arguments count as sources. What a **failed** call was given, and the words of its error, support only a sentence
  that reports a failure (`index.failures`): an example id in an error text must not end up as a result.
- In a list of texts that start with rising `N: `, N is a line's label. It supports a place (`app.py:12`), no count.
- A date supports its year. A date is never read out of the digits of an id.
- A result may be JSON text of an object or a list, as libraries' messages hold it.
- A text with Markdown tables (a colleague's report) gives records too: each row is one, its cells under their heads.
"""

from __future__ import annotations

import json
import marshal
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from agentkit.more.layout import passages_of
from agentkit.more.numbers import HAS_FACT, UNITS, WORDS, Token, agrees, scan
from agentkit.more.words import stem, words_of

__all__ = ["Index", "Record", "Source", "failed", "index_of", "result_of"]

TABLE_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*\|", re.MULTILINE)
LABEL = re.compile(r"\s*(\d+): ")
PERCENT = ("pct", "percent", "percentage")


class Record:
    """An object of the results that is about something: its values by path, and where it stands."""

    __slots__ = ("call", "fields", "group", "named", "parent", "path", "tool")

    def __init__(self, call: int, tool: str, path: str, group: str, parent: Record | None, named: str = "") -> None:
        self.call = call
        self.tool = tool
        self.path = path
        self.group = group  # the list it is one of: "standings.table"
        self.parent = parent
        self.named = named  # the key it stands under, where that is a name
        self.fields: dict[str, Any] = {}


class Source(NamedTuple):
    """One value that a tool gave, and its receipt."""

    call: int  # 1 for the first call of the log
    tool: str
    path: str
    field: str  # the last name of the path: "elo"
    token: Token
    unit: str
    record: Record | None
    given: Any  # the whole value that the token stands in

    @property
    def receipt(self) -> str:
        return f"{self.tool}, {self.path}"


def result_of(entry: dict[str, Any]) -> Any:
    """Return an entry's result, read from JSON text where it is one."""
    result = entry.get("result")
    if isinstance(result, str) and result.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(result)
        except (ValueError, RecursionError):
            return result
    return result


def failed(result: Any) -> bool:
    """Return whether a result is an error: an object with an `error` that says something."""
    return isinstance(result, dict) and result.get("error") not in (None, "", False)


class Index:
    """What the calls of a log gave. Look-ups return lists of Source, empty when nothing supports a token."""

    def __init__(self, tool_log: list[dict[str, Any]]) -> None:
        self._supports: dict[tuple[Decimal, int, str, bool], list[Source]] = {}
        self.sources: list[Source] = []
        self.failures: list[Source] = []
        self.records: list[Record] = []
        self.counts: list[tuple[str, Source]] = []  # lists, by name, with their length as a token
        self.texts: list[tuple[int, str, str, str]] = []  # call, tool, path, text
        self.known_texts = {text.casefold() for text in _texts(tool_log) if len(text) <= 60}
        varied = _varied_arguments(tool_log)
        for number, entry in enumerate(tool_log, start=1):
            self._add_call(number, entry, varied.get(str(entry.get("tool", "")), set()))

    def _add_call(self, number: int, entry: dict[str, Any], varied: set[str]) -> None:
        result = result_of(entry)
        walk = _Walk(self, number, str(entry.get("tool", "")), failed(result))
        record = walk.record_of_call(entry.get("args"), varied)
        walk.add(entry.get("args"), "args", record)
        walk.add(result, "", record)

    @cached_property
    def by_value(self) -> dict[Decimal, list[Source]]:
        return _grouped((source.token.value, source) for source in self.sources)

    @cached_property
    def lengths(self) -> dict[Decimal, list[Source]]:
        """The lists by their lengths; a source's field is the list's name, or that of what it lists."""
        return _grouped((source.token.value, source) for _, source in self.counts)

    @cached_property
    def by_key(self) -> dict[str, list[Source]]:
        return _grouped((key, source) for source in self.sources for key in _keys(source.token))

    @cached_property
    def field_stems(self) -> set[str]:
        """The words of all the fields' names, without endings: what tools count and measure."""
        fields = {source.field for source in self.sources} | {name for name, _ in self.counts}
        return {stem(word) for field in fields for word in words_of(field)}

    @cached_property
    def inexact(self) -> list[tuple[Decimal, Source]]:
        """The values that can be rounded, in order."""
        values = [(source.token.value, source) for source in self.sources if _has_decimals(source.token.value)]
        return sorted(((value, source) for value, source in values if value is not None), key=lambda pair: pair[0])

    def supports(self, token: Token) -> list[Source]:
        """Return the values that say what the token says."""
        if token.value is None:
            return self.by_key.get(token.key, [])
        key = (token.value, token.decimals, token.unit, token.place)
        if key not in self._supports:
            found = [source for source in self._near(token) if agrees(token, _value(source), source.unit)]
            self._supports[key] = [source for source in found if token.place or not source.token.place]
        return self._supports[key]

    def _near(self, token: Token) -> Iterator[Source]:
        value = token.value
        assert value is not None
        share = value / 100 if token.unit == "%" else value * 100
        for exact in {value, share}:
            yield from self.by_value.get(exact, ())
        for scale in (1, 100) if token.unit == "%" else (1,):
            half = Decimal(5).scaleb(-token.decimals - 1) / scale
            low = bisect_left(self.inexact, value / scale - half, key=lambda pair: pair[0])
            high = bisect_right(self.inexact, value / scale + half, key=lambda pair: pair[0])
            yield from (source for exact, source in self.inexact[low:high] if exact != value / scale)


def _value(source: Source) -> Decimal:
    value = source.token.value
    assert value is not None
    return value


def _has_decimals(value: Decimal | None) -> bool:
    return value is not None and value != value.to_integral_value()


def _grouped(pairs: Any) -> dict[Any, list[Source]]:
    groups: dict[Any, list[Source]] = {}
    for key, source in pairs:
        if key is not None:
            groups.setdefault(key, []).append(source)
    return groups


def _keys(token: Token) -> list[str]:
    """Return all that a reader may write for a token that is no number: a date without its year, a move by its ends."""
    if not token.key or token.value is not None:
        return []
    if token.kind == "date":
        return [token.key, token.key[4:]]
    if token.kind == "time":
        return [token.key, token.key[:5]] if len(token.key) > 5 else [token.key]
    if token.kind == "move":
        squares = re.split("[-x?]", token.key)
        return [token.key, "?".join(squares), f"{squares[0]}?{squares[-1]}"] if "?" not in token.key else [token.key]
    return [token.key]


class _Walk:
    """One call's arguments or result, walked in the order that they would be read, without recursion."""

    def __init__(self, index: Index, call: int, tool: str, is_failed: bool) -> None:
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


def _texts(value: Any) -> Iterator[str]:
    stack = [value]
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            stack.extend(value.values())
        elif isinstance(value, (list, tuple)):
            stack.extend(value)


def _varied_arguments(tool_log: list[dict[str, Any]]) -> dict[str, set[str]]:
    """Return, for each tool, the arguments that were another short text in another call."""
    seen: dict[str, dict[str, set[str]]] = {}
    for entry in tool_log:
        args = entry.get("args")
        for name, value in args.items() if isinstance(args, dict) else ():
            if isinstance(value, str) and len(value) <= 40:
                seen.setdefault(str(entry.get("tool", "")), {}).setdefault(name, set()).add(value)
    return {tool: {name for name, values in args.items() if len(values) > 1} for tool, args in seen.items()}


_last: tuple[bytes, Index] | None = None


def index_of(tool_log: list[dict[str, Any]]) -> Index:
    """Return the index of a log; the last one is kept, by what the log says, for the checks that follow."""
    global _last
    try:
        said = marshal.dumps(tool_log, 2)  # version 2: the same values always give the same bytes
    except ValueError:  # something that is no JSON, or too deep
        return Index(tool_log)
    kept = _last
    if kept is None or kept[0] != said:
        kept = (said, Index(tool_log))
        _last = kept
    return kept[1]
