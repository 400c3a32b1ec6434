"""Fields: what the results' fields are called, and which of them a word or a column's head names.

Role: `Fields(index)` knows the fields with numbers, moves and texts. `labels` finds the fields that words name ("wins"
and "won" both name `wins`), `labels_of_head` those of a column's head, also a short one (`W`, `Pts`).
Not here: the words around a number (labels.py), names and records (records.py, which builds on this).
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from functools import cached_property

from agentkit.more.sources import Index
from agentkit.more.words import stem, words_of

__all__ = ["Fields"]


class Fields:
    """The fields of an index by their words."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.key_fields: set[str] = set()  # whose numbers are names, as `game`
        self._heads: dict[tuple[str, frozenset[str]], set[str]] = {}

    @cached_property
    def _fields_by_stem(self) -> dict[str, frozenset[str]]:
        fields = {source.field for source in self.index.sources} | {name for name, _ in self.index.counts}
        fields |= {field for record in self.index.records for field in record.fields}
        by_stem: dict[str, set[str]] = {}
        for field in fields:
            for word in words_of(field):
                by_stem.setdefault(stem(word), set()).add(field)
        return {word: frozenset(fields) for word, fields in by_stem.items()}

    @cached_property
    def value_fields(self) -> set[str]:
        """The fields with numbers."""
        return {source.field for source in self.index.sources if source.token.value is not None}

    @cached_property
    def list_names(self) -> set[str]:
        """The names of lists, and of what they list: what can be counted."""
        return {name for name, _ in self.index.counts}

    @cached_property
    def number_fields(self) -> set[str]:
        """What the noun after a number can mean: a field with numbers, or a list that it counts."""
        return self.value_fields | {name for name, _ in self.index.counts}

    @cached_property
    def move_fields(self) -> set[str]:
        return {source.field for source in self.index.sources if source.token.kind == "move"}

    @cached_property
    def free_fields(self) -> frozenset[str]:
        """The fields of values that belong to no record."""
        return self.free_numbers | {source.field for source in self.index.sources if source.record is None}

    @cached_property
    def free_numbers(self) -> frozenset[str]:
        """Those whose values are numbers, and lists, which can be counted; no texts."""
        free = {one.field for one in self.index.sources if one.record is None and not isinstance(one.given, str)}
        return frozenset(free | {name for name, _ in self.index.counts})

    @cached_property
    def text_fields(self) -> dict[str, set[str]]:
        """The short texts that each field of the records has."""
        texts: dict[str, set[str]] = {}
        for record in self.index.records:
            for field, value in record.fields.items():
                if isinstance(value, str) and len(value) <= 40:
                    texts.setdefault(field, set()).add(value.casefold())
        return texts

    def identifies(self, field: str) -> bool:
        """Return whether a field's numbers tell records apart and count nothing: `game` 1, 2, 3, a `move_number`."""
        return field in self.key_fields or words_of(field)[-1] in ("number", "no", "id", "index")

    def in_that_form(self, word: str, fields: AbstractSet[str]) -> set[str]:
        """Return the fields without those that differ from the word by a final s only, if others are exact."""
        word = word.casefold()
        exact = {field for field in fields if word in words_of(field)}
        other = f"{word}s" if stem(word) == word else word[:-1]
        return {field for field in fields if field in exact or other not in words_of(field)} if exact else set(fields)

    def labels(self, words: list[str]) -> frozenset[str]:
        """Return the fields that one of the words names."""
        if len(words) == 1:
            return self._fields_by_stem.get(stem(words[0]), frozenset())
        return frozenset(field for word in words for field in self._fields_by_stem.get(stem(word), ()))

    def labels_of_head(self, head: str, near: frozenset[str] = frozenset()) -> set[str]:
        """Return the fields that a column's head names: those that share most words with it, `near` ones first."""
        if (head, near) not in self._heads:
            self._heads[head, near] = self._find_labels_of_head(re.findall(r"[^\W\d_]+", head), near)
        return self._heads[head, near]

    def _find_labels_of_head(self, words: list[str], near: frozenset[str]) -> set[str]:
        found = set(self.labels(words))
        if not found and len(words) == 1:
            found = self._abbreviated(words[0].casefold())
        found = found & near or found
        for word in words:
            found = self.in_that_form(word, found)
        stems = {stem(word) for word in words}
        shared = {field: len({stem(word) for word in words_of(field)} & stems) for field in found}
        most = max(shared.values(), default=0)
        return {field for field in found if shared[field] == most}

    def _abbreviated(self, short: str) -> set[str]:
        """Return the fields that a short head such as W or Pts may stand for. P is points or played: nothing."""
        if len(short) > 4 or short in ("p", "pl"):
            return set()
        fields = {field for fields in self._fields_by_stem.values() for field in fields}
        return {field for field in fields if field[:1].casefold() == short[:1] and _is_within(short, field.casefold())}


def _is_within(short: str, name: str) -> bool:
    """Return whether the letters of a short form stand in a name, in order: pt in point."""
    letters = iter(name)
    return all(letter in letters for letter in short)
