"""Checks that go beyond the course: facts in the right place, quotations, and whether the answer is complete.

Role: `in_the_right_place` refuses a true number beside the wrong name, `quotes_grounded` a quotation that no tool
returned, `covers(...)` an answer that leaves out a record which the job is about. Each is `check(answer, tool_log)`,
like those of agentkit/checks.py, and tells the model which fact is wrong and what the tools say instead.
Not here: how places are judged (places.py).

What these checks still cannot see:
- a false sentence without a number, a move or a quotation ("easy played well", "medium won game 2", "far ahead");
  only a table's cells are compared with texts of the results;
- a rank ("2nd"), a bound ("more than 2") and the writer's own count in words ("two moves stand out");
- an earlier value told as today's, where a note gives both for the same name ("had 3.5 points, now 4.0");
- a noun that no field of the results is called ("14 moves" of a `move_number` told as "14 steps");
- a small number that is true of the same name by another field, where neither the words around it nor the head of
  its column name a field;
- a fact of one of two names in a sentence that can be read both ways ("medium beat easy with 0.0 points"), and
  which of several games in one breath ("in games 2 and 5 ... 48 and 55 moves") where they are not told in order;
- a name that no tool returned, outside a table of names that tools did return;
- a true number that the answer worked out itself is refused, not understood ("46 above the start");
- a quotation of fewer than three words, which may be a word in inverted commas.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any

from agentkit.more.claims import Claim, read
from agentkit.more.layout import passages_of
from agentkit.more.numbers import Token
from agentkit.more.places import Misplaced, misplaced
from agentkit.more.records import Mention, book_of
from agentkit.more.sources import Index, Record, Source, index_of

__all__ = ["covers", "in_the_right_place", "quotes_grounded"]

ToolLog = list[dict[str, Any]]
Check = Callable[[str, ToolLog], list[str]]

QUOTATION = re.compile(r"“([^“”\n]+)”|\"([^\"\n]+)\"|(?<!\w)‘([^‘’\n]+(?:’\w[^‘’\n]*)*)’(?!\w)")
BLOCK = re.compile(r"^[ \t]*>[ \t]?(.+)$", re.MULTILINE)
MIN_WORDS = 3
MOVE_KEY = re.compile(r"[a-j]\d\d?(?:[-x?][a-j]\d\d?)+")


def in_the_right_place(answer: str, tool_log: ToolLog) -> list[str]:
    """Beside a name, each number and move must come from a record about that name, or belong to no name at all."""
    return [_tell(fault) for fault in misplaced(answer or "", tool_log)]


def _tell(fault: Misplaced) -> str:
    if fault.claim.kind == "name" and not fault.instead:
        return f"No tool returned anything about {fault.claim.text}."
    beside = " and ".join(_mention(mention) for mention in fault.mentions) or "what it stands beside"
    told = f"{fault.claim.text} does not belong to {beside}"
    if fault.claim.support:
        told += f" ({_origin(fault)})"
    if fault.instead:
        told += f": for {beside} the tools say " + ", ".join(_value(one) for one in fault.instead)
    return told + "."


def _origin(fault: Misplaced) -> str:
    """Return where a tool did give the fact; a record's value says more than one that belongs to nothing."""
    of_records = [source for source in fault.claim.support if source.record is not None]
    return (of_records or list(fault.claim.support))[0].receipt


def _mention(mention: Mention) -> str:
    return f"{mention.kind} {mention.name}" if mention.is_key else mention.name


def _value(source: Source) -> str:
    return f"{source.field} {source.token.text} ({source.receipt})"


def quotes_grounded(answer: str, tool_log: ToolLog) -> list[str]:
    """Each quotation of three words or more must stand in a tool's result, apart from white space and marks.

    An ellipsis in a quotation stands for words left out: the parts around it must stand in one text, in order.
    """
    quotations = [next(filter(None, found.groups())) for found in QUOTATION.finditer(answer or "")]
    quotations += [found[1] for found in BLOCK.finditer(answer or "")]
    quotations = [quoted for quoted in dict.fromkeys(quotations) if _is_quotation(quoted)]
    if not quotations:
        return []
    texts = [_plain(text) for _, _, _, text in index_of(tool_log).texts]
    wrong = [quoted for quoted in quotations if not _stands_in(quoted, texts)]
    return [f"These quotations do not stand in any tool's result: {'; '.join(wrong)}."] if wrong else []


def _is_quotation(text: str) -> bool:
    return len(text.split()) >= MIN_WORDS


def _stands_in(quoted: str, texts: list[str]) -> bool:
    parts = [_plain(part) for part in re.split(r"\s*(?:\[?…\]?|\[?\.\.\.\]?)\s*", quoted)]
    pattern = re.compile(".*".join(re.escape(part.strip(" .,;:!?")) for part in parts if part), re.DOTALL)
    return any(pattern.search(text) for text in texts)


def _plain(text: str) -> str:
    """Return a text with one kind of inverted commas, dashes and blanks, so that only its words are compared."""
    text = unicodedata.normalize("NFKC", text).casefold()
    text = text.translate({ord(char): "'" for char in '‘’“”"`'} | {ord(char): "-" for char in "–—−‑"})
    return " ".join(re.sub(r"[*_|>]", " ", text).split())


def covers(*lists: str) -> Check:
    """Return a check that the answer mentions every record of the named lists: `covers("table", "biggest_mistakes")`.

    A list is named by its field, by tool and field (`"standings.table"`), or with all others of a tool by the tool's
    name; of several calls the last one counts. Without names, it is every list of objects that a tool returned. A
    record is mentioned by a name that it alone has in its list (a player), else by a move or two values that together
    are its own ("game 2, move 14"). An empty list asks for nothing; a list that no tool returned is told.
    """

    def check(answer: str, tool_log: ToolLog) -> list[str]:
        claims, index = read(answer, tool_log)
        seen = _Seen(answer or "", claims, index)
        problems = []
        for name in _lists_meant(lists, index):
            records = _last_list(index, name)
            if records is None:
                problems.append(f"No tool returned {name}, which the answer must cover.")
                continue
            missing = [record for record in records if not seen.mentions(record, records)]
            if missing:
                told = "; ".join(_describe(record) for record in missing)
                problems.append(f"The answer leaves out {len(missing)} of {len(records)} in {name}: {told}.")
        return problems

    return check


def _lists_meant(names: tuple[str, ...], index: Index) -> list[str]:
    """Return the names with a tool's own replaced by its lists; without names, all lists."""
    known, meant = _all_lists(index), []
    for name in names:
        gave_lists = any(source.tool == name for _, source in index.counts)
        meant += [each for each in known if each.startswith(f"{name}.")] if gave_lists else [name]
    return meant if names else known


def _all_lists(index: Index) -> list[str]:
    """Return the lists of objects at the top of the results, by tool and field."""
    found = [
        f"{source.tool}.{source.path.removesuffix(' (length)')}"
        for _, source in index.counts
        if source.record is None and any(isinstance(item, dict) for item in source.given)
    ]
    return list(dict.fromkeys(found))


def _is_called(name: str, tool: str, path: str) -> bool:
    return f"{tool}.{path}" == name or path == name or path.rpartition(".")[2] == name


def _last_list(index: Index, name: str) -> list[Record] | None:
    """Return the records of the last list with that name, or None if there was none."""
    calls = [
        (source.call, f"{source.tool}.{path}")
        for _, source in index.counts
        if _is_called(name, source.tool, path := source.path.removesuffix(" (length)"))
    ]
    if not calls:
        return None
    call, group = calls[-1]
    return [record for record in index.records if record.call == call and record.group == group]


class _Seen:
    """What the passages of an answer mention: names, moves, numbers."""

    def __init__(self, answer: str, claims: list[Claim], index: Index) -> None:
        self.index = index
        self.book = book_of(index)
        self.names = {mention.name for mention in self.book.mentions(answer, 0, len(answer))}
        self.passages: list[set[str]] = []
        for passage in passages_of(answer):
            inside = [claim.token for claim in claims if passage.start <= claim.start < passage.end]
            names = {mention.name for mention in self.book.mentions(answer, passage.start, passage.end)}
            self.passages.append(names | {_said(token) for token in inside})

    def mentions(self, record: Record, records: list[Record]) -> bool:
        """Return whether a record of a list is mentioned."""
        own = self._own_names(record, records)
        if own:
            return bool(own & self.names)
        values = self._values(record)
        others = [self._values(other) for other in records if other is not record]
        return any(self._is_own(values & passage, others) for passage in self.passages)

    def _own_names(self, record: Record, records: list[Record]) -> set[str]:
        """Return the names of a record, of those kinds that tell every record of its list from the others."""
        found: set[str] = set()
        for kind, names in self.book.subject(record).names.items():
            of_kind = [frozenset(self.book.subject(one).names.get(kind, ())) for one in records]
            if len(records) > 1 and all(of_kind) and len(set(of_kind)) == len(records):
                found |= names
        return found

    def _is_own(self, shared: set[str], others: list[set[str]]) -> bool:
        tells = len(shared) > 1 or any(MOVE_KEY.fullmatch(value) for value in shared)
        return tells and not any(shared <= other for other in others)

    def _names(self, record: Record) -> set[str]:
        return {name for names in self.book.subject(record).names.values() for name in names}

    def _values(self, record: Record) -> set[str]:
        tokens = {_said(source.token) for source in self.index.sources if source.record is record}
        return tokens | self._names(record)


def _said(token: Token) -> str:
    return token.key if token.value is None else str(token.value.normalize())


def _describe(record: Record) -> str:
    """Return a record in a few words: its first four simple values."""
    values = [f"{field} {value}" for field, value in record.fields.items() if value is not None]
    return ", ".join(values[:4]) or record.path
