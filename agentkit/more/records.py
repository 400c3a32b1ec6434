"""Names and records: which names the results know, where an answer mentions them, and what each record is about.

Role: `Book(index)` gathers the names that records carry in short texts (a player, a file, a city), the kinds of names
(fields whose values overlap are one kind: the `player` of one list is the `black` and `white` of another) and the
numbers that identify records (`game` 1, 2, 3 in order: "game 2" is a name too). It finds mentions of them in a
text, and says what each record is about.
Not here: whether a number stands beside the right mention (places.py).

Decisions: a short text is at most four words and no date, move, id or sentence. A name that is also a word of a
field (`draw` beside `draws`) is no name. A text without a record belongs, clause by clause, to the last name before
the number. Arguments that are lists of texts give names too; a tool that was called several times with different
texts has what it returned belong to that text.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, NamedTuple

from agentkit.more.fields import Fields
from agentkit.more.sources import Index, Record, Source
from agentkit.more.words import stem, words_of

__all__ = ["Book", "Mention", "Subject", "book_of", "speaks_of"]

NAME = re.compile(r"[^\W\d_][\w .'’/&+-]{0,39}$")
NOT_A_NAME = frozenset(("true", "false", "yes", "no", "none", "null", "unknown", "other", "ok"))
_NUMBERED = "case chapter day game id index item line match no number page part question round row section step week"
NUMBERED = frozenset(_NUMBERED.split())  # fields whose numbers are names
CLAUSE = re.compile(r"[;\n|]|\.\s")


class Mention(NamedTuple):
    """A name in an answer: a known text (`name`, key "") or a record's number (kind "game", name "2")."""

    kind: str
    name: str
    start: int
    end: int
    is_key: bool = False
    others: tuple[str, ...] = ()  # the rest of "games 2, 5 and 6"


class Subject(NamedTuple):
    """What a record is about: the names it carries by kind, and its own numbers by field."""

    names: dict[str, set[str]]
    keys: dict[str, str]

    @property
    def is_empty(self) -> bool:
        return not self.names and not self.keys


def speaks_of(subject: Subject, mention: Mention) -> bool:
    """Return whether a record with this subject is about the mention."""
    if mention.is_key:
        number = subject.keys.get(mention.kind)
        return number == mention.name or number in mention.others
    return mention.name in subject.names.get(mention.kind, ())


class Book(Fields):
    """What an index says about names. Made once for a log."""

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        self._fields = self._name_fields()
        self._kinds = _merged(self._fields)
        self.names: dict[str, set[str]] = {}
        for field, values in self._fields.items():
            for value in values:
                self.names.setdefault(value, set()).add(self._kinds[field])
        self.key_fields = self._find_key_fields()
        self._subjects: dict[int, Subject] = {}
        self._fields_about: dict[tuple[Any, ...], set[str]] = {}
        self._records_about: dict[tuple[Any, ...], list[Record]] = {}
        self._text_subjects: dict[tuple[int, int], Subject] = {}

    # --- names ---

    def _name_fields(self) -> dict[str, set[str]]:
        """Return the names by the field that they stand in."""
        fields: dict[str, set[str]] = {}
        for record in self.index.records:
            if record.named:
                self._note(fields, record.group, record.named)
            for field, value in record.fields.items():
                if isinstance(value, str):
                    self._note(fields, field, value)
        for _, source in self.index.counts:
            if isinstance(source.given, (list, tuple)):
                for value in source.given:
                    if isinstance(value, str):
                        self._note(fields, source.field, value)
        return fields

    def _note(self, fields: dict[str, set[str]], field: str, value: str) -> None:
        name = value.casefold().strip()
        known = fields.setdefault(field, set())
        if name not in known and self._may_be_name(name):
            known.add(name)

    def _may_be_name(self, name: str) -> bool:
        if len(name) > 40 or name in NOT_A_NAME or not NAME.match(name) or name.count(" ") > 3:
            return False
        if stem(name) in self.index.field_stems:
            return False
        return not re.fullmatch(r"[a-j]\d\d?(?:[-x][a-j]\d\d?)+", name)

    def _find_key_fields(self) -> set[str]:
        """Return the whole-number fields that number the records of a list, so that "game 2" is a name.

        They are called after something that is numbered, or come first and count 1, 2, 3.
        """
        groups: dict[str, list[Record]] = {}
        for record in self.index.records:
            groups.setdefault(f"{record.call}:{record.group}", []).append(record)
        found: set[str] = set()
        for records in groups.values():
            for field in records[0].fields:
                values = [record.fields.get(field) for record in records]
                is_first = field == next(iter(records[0].fields))
                if _are_whole(values) and (field in NUMBERED or (is_first and _count_up(values) and field[-1:] != "s")):
                    found.add(field)
        return found

    @cached_property
    def _name_pattern(self) -> re.Pattern[str] | None:
        if not self.names:
            return None
        longest_first = sorted(self.names, key=len, reverse=True)
        return re.compile(rf"(?<![\w/.-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w/]|\.\w)", re.IGNORECASE)

    @cached_property
    def _key_pattern(self) -> re.Pattern[str] | None:
        words = {words_of(field)[0]: field for field in self.key_fields if words_of(field)}
        if not words:
            return None
        return re.compile(
            rf"\b(?P<field>{'|'.join(map(re.escape, words))})s?[ \u00a0]?(?:no\.?|number|#)?"
            rf"[ \u00a0*_`]*(?P<number>\d+)\b(?P<more>(?:,? (?:and |or )?\d+\b(?![.,]?\d| [^\W\d_]+s\b))*)",
            re.IGNORECASE,
        )

    def mentions(self, text: str, start: int, end: int) -> list[Mention]:
        """Return the names and numbers of records that a stretch of text mentions, in order."""
        found: list[Mention] = []
        if self._name_pattern:
            for match in self._name_pattern.finditer(text, start, end):
                name = match.group().casefold()
                found += [Mention(kind, name, *match.span()) for kind in sorted(self.names[name])[:1]]
        if self._key_pattern:
            for match in self._key_pattern.finditer(text, start, end):
                mention = self.key_mention(match["field"], match["number"], *match.span("number"))
                if mention and match["more"]:
                    others = tuple(re.findall(r"\d+", match["more"]))
                    mention = mention._replace(others=others, end=match.end("more"))
                found += [mention] if mention else []
        return sorted(found, key=lambda mention: mention.start)

    def key_mention(self, word: str, number: str, start: int, end: int) -> Mention | None:
        """Return "game 2" as a mention, if there is a record with that number."""
        for field in self.key_fields:
            parts = words_of(field)
            if parts and parts[0] == stem(word) and (field, number) in self._known_keys:
                return Mention(field, number, start, end, True)
        return None

    @cached_property
    def _known_keys(self) -> set[tuple[str, str]]:
        return {pair for record in self.index.records for pair in self.subject(record).keys.items()}

    # --- records ---

    def subject(self, record: Record) -> Subject:
        """Return what a record is about, the records around it included."""
        known = self._subjects.get(id(record))
        if known is None:
            known = self._subjects[id(record)] = self._read_subject(record)
        return known

    def _read_subject(self, record: Record) -> Subject:
        names: dict[str, set[str]] = {}
        keys: dict[str, str] = {}
        if record.parent is not None:
            above = self.subject(record.parent)
            names = {kind: set(values) for kind, values in above.names.items()}
            keys = dict(above.keys)
        if record.named:
            self._add_name(names, record.group, record.named)
        for field, value in record.fields.items():
            if isinstance(value, str):
                self._add_name(names, field, value)
            elif field in self.key_fields and isinstance(value, int):
                keys[field] = str(value)
        return Subject(names, keys)

    def _add_name(self, names: dict[str, set[str]], field: str, value: str) -> None:
        name = value.casefold().strip()
        if name in self._fields.get(field, ()):
            names.setdefault(self._kinds[field], set()).add(name)

    def subject_of(self, source: Source) -> Subject | None:
        """Return what a value is about; None when it belongs to no entity."""
        if isinstance(source.given, str) and len(source.given) > 40:
            subject = self._text_subject(source)
            if subject is not None:
                return subject
        if source.record is None:
            return None
        subject = self.subject(source.record)
        return None if subject.is_empty else subject

    def _text_subject(self, source: Source) -> Subject | None:
        """Return the name that a number in a sentence belongs to: the last one before it in its clause, or the next."""
        key = (id(source.given), source.token.start)
        if key not in self._text_subjects:
            text = source.given
            start = max((stop.end() for stop in CLAUSE.finditer(text, 0, source.token.start)), default=0)
            stop = CLAUSE.search(text, source.token.end)
            names = [one for one in self.mentions(text, start, stop.start() if stop else len(text)) if not one.is_key]
            before = [one for one in names if one.start < source.token.start]
            nearest = before[-1:] or names[:1]
            self._text_subjects[key] = Subject({one.kind: {one.name} for one in nearest}, {})
        subject = self._text_subjects[key]
        return None if subject.is_empty else subject

    @cached_property
    def _fields_of(self) -> dict[int, set[str]]:
        """The fields with numbers or moves of each record."""
        fields: dict[int, set[str]] = {}
        for source in self.index.sources:
            if source.record is not None:
                fields.setdefault(id(source.record), set()).add(source.field)
        return fields

    def records_about(self, mention: Mention) -> list[Record]:
        """Return the records about a mention."""
        key = (*mention[:2], mention.others)
        if key not in self._records_about:
            self._records_about[key] = [r for r in self.index.records if speaks_of(self.subject(r), mention)]
        return self._records_about[key]

    def fields_about(self, mention: Mention) -> set[str]:
        """Return the fields with numbers or moves in the records about a mention."""
        key = (*mention[:2], mention.others)
        if key not in self._fields_about:
            of_records = (self._fields_of.get(id(record), set()) for record in self.records_about(mention))
            self._fields_about[key] = set().union(*of_records)
        return self._fields_about[key]

    def count_about(self, field: str, mention: Mention) -> int:
        """Return how many records of the lists called `field` are about a mention, in the call that has most."""
        per_group: dict[tuple[int, str], int] = {}
        for record in self.records_about(mention):
            if record.group.rpartition(".")[2] == field:
                per_group[record.call, record.group] = per_group.get((record.call, record.group), 0) + 1
        return max(per_group.values(), default=0)


def _are_whole(values: list[Any]) -> bool:
    return all(isinstance(value, int) and not isinstance(value, bool) for value in values)


def _count_up(values: list[Any]) -> bool:
    return values == list(range(1, len(values) + 1)) or (len(values) > 1 and values == list(range(len(values))))


def _merged(fields: dict[str, set[str]]) -> dict[str, str]:
    """Return a kind for each field: fields most of whose names are shared are one kind."""
    kinds: dict[str, str] = {}
    for field in sorted(fields, key=lambda field: (-len(fields[field]), field)):
        values = fields[field]
        alike = next((other for other in kinds if 2 * len(values & fields[other]) >= len(values)), None)
        kinds[field] = kinds[alike] if alike else field
    return kinds


_last: tuple[Index, Book] | None = None


def book_of(index: Index) -> Book:
    """Return the book of an index; the last one is kept."""
    global _last
    kept = _last
    if kept is None or kept[0] is not index:
        kept = (index, Book(index))
        _last = kept
    return kept[1]
