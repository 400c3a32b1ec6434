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

import marshal
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from decimal import Decimal
from functools import cached_property
from typing import Any

from agentkit.more.numbers import Token, agrees
from agentkit.more.values import Record, Source, failed, result_of
from agentkit.more.walk import Walk
from agentkit.more.words import stem, words_of

__all__ = ["Index", "Record", "Source", "failed", "index_of", "result_of"]

PORT = re.compile(r"https?://[^/]*:(\d+)(?!\d)")


class Index:
    """What the calls of a log gave. Look-ups return lists of Source, empty when nothing supports a token."""

    def __init__(self, tool_log: list[dict[str, Any]]) -> None:
        self._supports: dict[tuple[Decimal, int, str, bool], list[Source]] = {}
        self.sources: list[Source] = []
        self.failures: list[Source] = []
        self.records: list[Record] = []
        self.counts: list[tuple[str, Source]] = []  # lists, by name, with their length as a token
        self.texts: list[tuple[int, str, str, str]] = []  # call, tool, path, text
        self.tool_words = {word for entry in tool_log for word in words_of(str(entry.get("tool", "")))}
        self.known_texts = {text.casefold() for text in _texts(tool_log) if len(text) <= 60}
        varied = _varied_arguments(tool_log)
        for number, entry in enumerate(tool_log, start=1):
            self._add_call(number, entry, varied.get(str(entry.get("tool", "")), set()))

    def _add_call(self, number: int, entry: dict[str, Any], varied: set[str]) -> None:
        result = result_of(entry)
        walk = Walk(self, number, str(entry.get("tool", "")), failed(result))
        record = walk.record_of_call(entry.get("args"), varied)
        walk.add(entry.get("args"), "args", record)
        walk.add(result, "", record)

    @cached_property
    def by_value(self) -> dict[Decimal, list[Source]]:
        return _grouped((source.token.value, source) for source in self.sources)

    @cached_property
    def ports(self) -> dict[Decimal, list[Source]]:
        """The addresses by their ports."""
        found = ((PORT.match(source.token.key), source) for source in self.sources)
        return _grouped((Decimal(port[1]), source) for port, source in found if port)

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
        if token.decimals < 0:  # "1.4 million": whole numbers are rounded as well
            whole = (exact for exact in self.by_value if exact != value and not _has_decimals(exact))
            yield from (source for exact in whole for source in self.by_value[exact])


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
        return [token.key, token.key[4:], token.key[:7]] if len(token.key) == 10 else [token.key]
    if token.kind == "time":
        return [token.key, token.key[:5]] if len(token.key) > 5 else [token.key]
    if token.kind == "move":
        squares = re.split("[-x?]", token.key)
        return [token.key, "?".join(squares), f"{squares[0]}?{squares[-1]}"] if "?" not in token.key else [token.key]
    return [token.key]


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
