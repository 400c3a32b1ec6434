"""Support: which values of the results may stand behind a fact beside given names.

Role: `Support.fits(fact, mentions)` returns the records and fields that support a fact, given the names it stands
beside, its label, its unit and whether its sentence speaks of the past (an earlier tournament in a note).
`keep` remembers the best support of each fact, for receipts.
Not here: which names a fact stands beside (runs.py, rows.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from agentkit.more.claims import Claim
from agentkit.more.facts import Fact, Fit, Mentions, may_speak
from agentkit.more.records import Book, Mention
from agentkit.more.sources import Record, Source
from agentkit.more.words import WORD, following_words, preceding_words, sentence_at, words_of

__all__ = ["Support"]

_MEASURES = (
    "accuracy age amount average chance cost delay distance duration elapsed height latency length limit max mean "
    "median price probability progress rate ratio runtime score share size speed time timeout took total value wait "
    "weight width"
)
MEASURES = frozenset(_MEASURES.split())  # fields that may be told with any unit
EACH = re.compile(r"\b(?:each|every|per|apiece|both)\b", re.IGNORECASE)
PAST = re.compile(
    r"\b(?:earlier|previous(?:ly)?|last|before|notes?|compared|since|past|former(?:ly)?|from|ago|already|again|old)\b",
    re.IGNORECASE,
)
PLACED = ("number", "move")  # dates and ids stand for themselves


class Support:
    """What supports the facts of one answer."""

    def __init__(self, answer: str, claims: list[Claim], book: Book, keeps: bool = False) -> None:
        self.answer = answer
        self.book = book
        self.keeps = keeps  # whether the best support of each fact is wanted
        self.bound: dict[int, Claim] = {}  # by where it stands: a fact with its best support first
        self.dated = [claim.start for claim in claims if claim.kind in ("id", "date")]
        self._records: dict[Mentions, list[Record]] = {}
        self._about: dict[Mentions, frozenset[str]] = {}
        self._fits: dict[tuple[int, Mentions], list[Fit]] = {}

    def fits(self, fact: Fact, mentions: Mentions) -> list[Fit]:
        """Return the ways to support a fact beside mentions; none means that it does not belong there."""
        key = (fact.claim.start, mentions)
        known = self._fits.get(key)
        if known is None:
            known = self._fits[key] = list(self._find_fits(fact, mentions))
        return known

    def _find_fits(self, fact: Fact, mentions: Mentions) -> Iterator[Fit]:
        labelled, told_fields = self._labels_beside(fact, mentions)
        for source in fact.claim.support:
            if (
                labelled
                and source.field not in labelled
                and not self._is_told(fact.claim, source, labelled, told_fields)
            ):
                continue
            if not _unit_fits(fact.claim, source):
                continue
            subject = self.book.subject_of(source) if fact.claim.kind in PLACED else None
            if subject is not None:
                if may_speak(subject, mentions):
                    yield Fit(source.record, source.field)
            elif not (mentions and labelled and _is_sentence(source)) or self._is_retold(fact.claim, source):
                yield Fit(None, source.field)
        if self._is_count(fact, mentions):
            yield Fit(None, "")

    def _labels_beside(self, fact: Fact, mentions: Mentions) -> tuple[frozenset[str], bool]:
        """Return the fields of a fact's label that matter beside the mentions, and whether their records have one."""
        labelled = fact.fields
        if labelled and mentions:
            if mentions not in self._about:
                self._about[mentions] = frozenset(f for mention in mentions for f in self.book.fields_about(mention))
            about = self._about[mentions]
            return labelled & (about | self.book.free_fields), bool(labelled & about)
        if labelled and not EACH.search(sentence_at(self.answer, fact.start)):
            labelled = labelled & self.book.free_numbers or labelled  # "12 games": of all, not of somebody
        return labelled, False

    def _is_told(self, claim: Claim, source: Source, labelled: frozenset[str], told_fields: bool) -> bool:
        """Return whether a value stands in a tool's sentence, whose own words name one of the fields.

        Where a record has such a field, the sentence's value is the one of before, and the answer must say so.
        """
        if not _is_sentence(source):
            return False
        token, text = source.token, source.given
        if "\n" not in text:  # else it is a report of its own: its tables have labels elsewhere
            words = preceding_words(text, 0, token.start) + following_words(text, token.end)
            if not self.book.labels(words) & labelled:
                return False
        return not told_fields or self._speaks_of_past(claim)

    def _speaks_of_past(self, claim: Claim) -> bool:
        """Return whether a sentence tells what was before: by a word, or by the id or date of a tool's sentence."""
        low = self.answer.rfind("\n", 0, claim.start) + 1
        high = self.answer.find("\n", claim.end)
        if any(low <= start < (high if high >= 0 else len(self.answer)) for start in self.dated):
            return True
        return bool(PAST.search(sentence_at(self.answer, claim.start)))

    def _is_retold(self, claim: Claim, source: Source) -> bool:
        """Return whether what a tool said of nobody is said again: the words before, or another word, are the same."""
        before = preceding_words(self.answer, 0, claim.start, 1)
        said = _beginnings(source.given)
        words = preceding_words(self.answer, 0, claim.start) + following_words(self.answer, claim.end)
        return before == ["from"] or any(word[:4].casefold() in said for word in words if len(word) > 4)

    def _is_count(self, fact: Fact, mentions: Mentions) -> bool:
        """Return whether a number counts the records about a mention: two of the mistakes."""
        if fact.claim.token.value is None:
            return False
        value = fact.claim.token.value
        lists = fact.fields & self.book.list_names
        return any(self.book.count_about(field, one) == value for field in lists for one in mentions)

    def records_beside(self, mentions: Mentions) -> list[Record]:
        """Return the records that may speak of all the mentions."""
        if mentions not in self._records:
            subject = self.book.subject
            self._records[mentions] = [r for r in self.book.index.records if may_speak(subject(r), mentions)]
        return self._records[mentions]

    def instead(self, fact: Fact, mentions: Mentions) -> tuple[Source, ...]:
        """Return what the tools say of the mentions in the fields that the fact's label or its own fields name."""
        fields = fact.fields or {source.field for source in fact.claim.support}
        kind = fact.claim.kind
        found = [source for source in self.book.index.sources if source.field in fields and source.token.kind == kind]
        about = [one for one in found if one.record and mentions and may_speak(self.book.subject(one.record), mentions)]
        return tuple(about[:3])

    def keep(self, fact: Fact, beside: Mentions, best: dict[int, int] | None = None) -> None:
        """Remember a fact with its support in order: what fits beside these mentions first, the best record first."""
        fits = {(id(fit.record) if fit.record else None, fit.field) for fit in self.fits(fact, beside)}

        def is_fit(source: Source) -> bool:
            return (id(source.record) if source.record else None, source.field) in fits

        def rank(source: Source) -> tuple[bool, bool]:
            record = id(source.record) if source.record else None
            return record is None or (best is not None and record not in best), source.path.startswith("args")

        support = [source for source in fact.claim.support if is_fit(source)] or fact.claim.support
        support = [source for source in support if source.token.value == fact.claim.token.value] or support
        self.bound[fact.start] = fact.claim._replace(support=tuple(sorted(support, key=rank)))

    def keep_key(self, claim: Claim, mention: Mention) -> None:
        """Remember the number of "game 2" with the records that have that number."""
        support = [source for source in claim.support if source.record and source.field == mention.kind]
        self.bound[claim.start] = claim._replace(support=tuple(support) or claim.support)


@lru_cache(maxsize=256)
def _beginnings(text: str) -> frozenset[str]:
    """Return how the longer words of a text begin."""
    return frozenset(word[:4].casefold() for word in WORD.findall(text) if len(word) > 4)


def _is_sentence(source: Source) -> bool:
    return isinstance(source.given, str) and len(source.given) > 40


def _unit_fits(claim: Claim, source: Source) -> bool:
    """Return whether a number with a unit may come from a value without one: only from a field that is a measure."""
    if not claim.token.unit or source.unit:
        return True
    if isinstance(source.given, str):
        return source.given.strip() == source.token.text
    if claim.token.unit == "%" and claim.token.value != source.token.value:
        return True  # a share
    return not MEASURES.isdisjoint(words_of(source.field))
