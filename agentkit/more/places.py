"""Places: whether each fact of a passage stands beside the name that it belongs to.

Role: `misplaced(answer, tool_log)` goes through the sentences, list items and table rows of an answer. In each, the
facts and the names mentioned must have an explanation: a way to give every fact to a record such that

1. facts are given in runs: a run has its own mentions, and all its facts come from records about these mentions (a
   record about another one of the same kind contradicts), from one record of each list, or from a value that belongs
   to no entity;
2. or facts are dealt out in the order of the names: "A finished ahead of B with 2.0 points to 0.0";
3. a mention without facts of its own may be passed over ("A beat B, scoring 2.0"), but not a subject that a fact
   follows; a run without a mention goes on with the one before it, and repeats what was told of it;
4. a fact with a label (the words around it, or its column's head, name a field: "Elo 1216", "two wins") comes from
   a field of that name, where the records about the mention have one.

If no explanation is found, the facts that fit least are told, with what the tools say instead.
Not here: which facts no tool gave at all (checks.py says so), how names are known (records.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

from agentkit.more.claims import Claim, read
from agentkit.more.layout import Passage, Span, passages_of
from agentkit.more.numbers import Token
from agentkit.more.records import Book, Mention, Subject, book_of, contradicts, speaks_of
from agentkit.more.sources import Record, Source
from agentkit.more.words import WORD, following, following_words, preceding_words, sentence_at, stem, words_of

__all__ = ["Misplaced", "bindings", "misplaced"]

# the words before somebody whom something happened to
_OBJECT_WORDS = (
    "against ahead at beat beaten beating beats behind between by defeated defeating for from met of on over played "
    "than to v versus vs with"
)
OBJECT_WORDS = frozenset(_OBJECT_WORDS.split())
_MEASURES = (
    "accuracy age amount average chance cost delay distance duration elapsed height latency length limit max mean "
    "median price probability progress rate ratio runtime score share size speed time timeout took total value wait "
    "weight width"
)
MEASURES = frozenset(_MEASURES.split())  # fields that may be told with any unit
CONDITIONAL = frozenset(("would", "should", "could", "might", "instead", "rather"))
BOUND = re.compile(r"\b(?:than|at least|at most|up to|out of|possible) $", re.IGNORECASE)
EACH = re.compile(r"\b(?:each|every|per|apiece|both)\b", re.IGNORECASE)
PAST = re.compile(
    r"\b(?:earlier|previous(?:ly)?|last|before|notes?|compared|since|past|former(?:ly)?|from|ago|already|again|old)\b",
    re.IGNORECASE,
)
NO_NAMES = frozenset(("draw", "drawn", "tie", "tied", "none", "nobody", "both", "unknown", "yes", "white", "black"))
MOST_ITEMS = 12  # names and facts of earlier sentences that one goes on from
MOST_TRIES = 2_000  # a sentence that no explanation is found for within so many runs tried is left alone

PLACED = ("number", "move")  # dates and ids stand for themselves

Mentions = tuple[Mention, ...]


class Misplaced(NamedTuple):
    """A true fact in the wrong place."""

    claim: Claim
    mentions: Mentions
    passage: Passage
    instead: tuple[Source, ...]  # what the tools say of the mentions


class Fact(NamedTuple):
    """A claim in its passage, with the fields that its label allows (empty: no label)."""

    claim: Claim
    fields: frozenset[str]

    @property
    def start(self) -> int:
        return self.claim.start

    @property
    def end(self) -> int:
        return self.claim.end


class Fit(NamedTuple):
    """One way to support a fact: a record (None: belongs to no entity) and the field in it."""

    record: Record | None
    field: str


Item = Fact | Mention


def misplaced(answer: str, tool_log: list[dict[str, Any]]) -> list[Misplaced]:
    """Return the facts of an answer that stand beside the wrong name, in order."""
    claims, index = read(answer, tool_log)
    if not index.records:
        return []
    reader = _Judge(answer, claims, book_of(index))
    return [fault for passage in passages_of(answer) for fault in reader.judge(passage)]


def bindings(answer: str, tool_log: list[dict[str, Any]]) -> list[Claim]:
    """Return the claims of an answer, each with the values first that fit the names that it stands beside."""
    claims, index = read(answer, tool_log)
    judge = _Judge(answer, claims, book_of(index))
    for passage in passages_of(answer):
        judge.judge(passage)
    return [judge.bound.get(claim.start, claim) for claim in claims]


class _Judge:
    """Judges the passages of one answer in order, and remembers what the last one spoke of."""

    def __init__(self, answer: str, claims: list[Claim], book: Book) -> None:
        self.answer = answer
        self.claims = [claim for claim in claims if claim.support]
        self.book = book
        self.dated = [claim.start for claim in self.claims if claim.kind in ("id", "date")]
        self.bound: dict[int, Claim] = {}
        self.last_items: list[Item] = []
        self.last_end = 0
        self.follows_heading = False
        self.table_about: Mentions = ()
        self.columns: dict[tuple[int, int], set[str]] = {}  # what the table's columns without a telling head can be
        self.left: set[int] = set()  # headings that no longer say what the text is about
        self.next_claim = 0
        self._fits: dict[tuple[int, Mentions], list[Fit]] = {}

    def judge(self, passage: Passage) -> list[Misplaced]:
        claims = self._claims_in(passage)
        if passage.kind == "row":
            return self._judge_row(passage, claims)
        self.follows_heading = passage.kind == "heading"
        mentions = self.book.mentions(self.answer, passage.start, passage.end)
        context = self._above(passage)
        self._leave_headings(passage, mentions, context)
        items = self._items(claims, mentions)
        if passage.carries_on or self._adds_to_last(passage, items):
            items = [*self.last_items[-MOST_ITEMS:], *items]
        self.last_items, self.last_end = items, passage.end
        return self._judge_items(passage, items, context)

    def _adds_to_last(self, passage: Passage, items: list[Item]) -> bool:
        """Return whether a sentence tells more of the one before it: "The best move was ...", and names nobody."""
        if any(isinstance(item, Mention) for item in items) or "\n" in self.answer[self.last_end : passage.start]:
            return False
        return any(isinstance(item, Fact) and item.claim.kind == "move" for item in items)

    def _judge_items(self, passage: Passage, items: list[Item], context: Mentions) -> list[Misplaced]:
        told_here = [item for item in items if isinstance(item, Fact) and item.start >= passage.start]
        for fact in told_here:
            self.keep(fact, _nearest(items, items.index(fact)) or context)
        if not told_here or _Search(self, items, context).explains():
            return []
        return [fault for fault in self._faults(passage, items, context) if fault.claim.start >= passage.start]

    def _claims_in(self, passage: Passage) -> list[Claim]:
        while self.next_claim < len(self.claims) and self.claims[self.next_claim].start < passage.start:
            self.next_claim += 1
        found = []
        for claim in self.claims[self.next_claim :]:
            if claim.start >= passage.end:
                break
            found.append(claim)
        return found

    def _above(self, passage: Passage) -> Mentions:
        """Return what the headings and items above speak of, where they name one thing of a kind."""
        kinds: dict[str, Mention] = {}
        for start, end in passage.above:
            if start <= passage.start < end or start in self.left:
                continue
            found = self.book.mentions(self.answer, start, end)
            for kind in {mention.kind for mention in found}:
                of_kind = [mention for mention in found if mention.kind == kind]
                if len({mention.name for mention in of_kind}) == 1:
                    kinds[kind] = of_kind[0]
                else:
                    kinds.pop(kind, None)
        return tuple(kinds.values())

    def _leave_headings(self, passage: Passage, mentions: list[Mention], context: Mentions) -> None:
        """Forget what the headings speak of once a sentence below them speaks of something else of its kind."""
        spoken = {mention.kind: mention.name for mention in context}
        if any(spoken.get(mention.kind, mention.name) != mention.name for mention in mentions):
            self.left |= {start for start, end in passage.above if end < passage.start}

    def _items(self, claims: list[Claim], mentions: list[Mention]) -> list[Item]:
        """Return facts and mentions in the order they stand; a fact inside a mention is that mention."""
        free = []
        for claim in claims:
            mention = next((mention for mention in mentions if _overlap(claim, mention)), None)
            if mention is None:
                free.append(claim)
            elif mention.is_key:
                self.keep_key(claim, mention)
        both: list[Claim | Mention] = sorted([*free, *mentions], key=_start)
        items: list[Item] = []
        low = 0
        told: Fact | None = None
        for item in both:
            if isinstance(item, Claim):
                fields = self._labels(item, low) or (told.fields if told and _alike(told.claim, item) else frozenset())
                if not self._has_place(item, fields):
                    continue
                told = Fact(item, fields)
                items.append(told)
                low = self._end_of_noun(item)
            else:
                items.append(item)
                low = item.end
        return items

    def _has_place(self, claim: Claim, fields: frozenset[str]) -> bool:
        """Return whether a fact is told of what stands beside it.

        It is not if it is the writer's own count ("two moves stand out"), a rank ("2nd") or a bound ("more than one").
        """
        if claim.token.ordinal or (claim.token.word and not fields):
            return False
        return not BOUND.search(self.answer, max(0, claim.start - 14), claim.start)

    def _labels(self, claim: Claim, low: int) -> frozenset[str]:
        """Return the fields that the words around a fact name."""
        book = self.book
        if claim.kind == "move":
            words = [word for word in preceding_words(self.answer, low, claim.start) if stem(word) != claim.kind]
            if not CONDITIONAL.isdisjoint(words):  # "would have played" is not what was played
                return frozenset()
            return self._first_labels(words, book.move_fields)
        if claim.kind != "number":
            return frozenset()
        counted = self._counted(claim)
        named = self._named(preceding_words(self.answer, low, claim.start))
        # "won 2 games" may tell the wins, but "played 20 points" is not about `games_played`
        done = {field for field in named if words_of(field)[-1].endswith("ed") and not counted & {field}}
        return named - done | counted if counted else named

    def _end_of_noun(self, claim: Claim) -> int:
        """Return where the words of a fact end: after "orders" in "3 orders worth 120.50"."""
        nouns = (word for word in following(self.answer, claim.end) if self.book.labels([word.group()]))
        noun = next(nouns, None)
        return noun.end() if noun else claim.end

    def _named(self, words: list[str]) -> frozenset[str]:
        """Return the fields that the words before a number name: "game 2" is the `game`, no count of `games`."""
        for word in words:
            fields = self.book.labels([word])
            if fields:
                naming = {field for field in fields if self.book.identifies(field) and word.casefold() == stem(word)}
                usable = (naming or fields) & self.book.value_fields
                return frozenset(self.book.in_that_form(word, usable))
        return frozenset()

    def _counted(self, claim: Claim) -> frozenset[str]:
        """Return the fields of what a number counts: "2 games" are the `games`, not the `game` with that number."""
        for word in following_words(self.answer, claim.end):
            fields = self.book.labels([word])
            if fields:
                usable = {field for field in fields & self.book.number_fields if not self.book.identifies(field)}
                is_plural = stem(word) != word.casefold()
                return frozenset(self.book.in_that_form(word, usable) if is_plural else usable)
        return frozenset()

    def _first_labels(self, words: list[str], usable: set[str]) -> frozenset[str]:
        """Return the usable fields of the first word that names any field."""
        for word in words:
            fields = self.book.labels([word])
            if fields:
                return frozenset(fields & usable)
        return frozenset()

    # --- what supports a fact beside given mentions ---

    def fits(self, fact: Fact, mentions: Mentions) -> list[Fit]:
        key = (fact.claim.start, mentions)
        known = self._fits.get(key)
        if known is None:
            known = self._fits[key] = list(self._find_fits(fact, mentions))
        return known

    def _find_fits(self, fact: Fact, mentions: Mentions) -> Iterator[Fit]:
        labelled, may_be_past = fact.fields, True
        if labelled and mentions:
            about = {field for mention in mentions for field in self.book.fields_about(mention)}
            may_be_past = not labelled & about or self._speaks_of_past(fact.claim)
            labelled = labelled & (about | self.book.free_fields)
        elif labelled and not EACH.search(sentence_at(self.answer, fact.start)):
            labelled = labelled & self.book.free_fields or labelled  # "12 games": of all, not of somebody
        for source in fact.claim.support:
            subject = self.book.subject_of(source) if fact.claim.kind in PLACED else None
            if labelled and source.field not in labelled and not (may_be_past and self._is_told(source, labelled)):
                continue
            if not _unit_fits(fact.claim, source):
                continue
            if subject is None and mentions and labelled and _is_sentence(source):
                if self._is_retold(fact.claim, source):
                    yield Fit(None, source.field)
            elif subject is None:
                yield Fit(None, source.field)
            elif _may_speak(subject, mentions):
                yield Fit(source.record, source.field)
        if self._is_count(fact, mentions):
            yield Fit(None, "")

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

    def _is_told(self, source: Source, labelled: frozenset[str]) -> bool:
        """Return whether a value stands in a tool's sentence, whose own words name one of the fields."""
        if not _is_sentence(source):
            return False
        token, text = source.token, source.given
        if "\n" in text:
            return True  # a report of its own: its tables have labels elsewhere
        words = preceding_words(text, 0, token.start) + following_words(text, token.end)
        return bool(self.book.labels(words) & labelled)

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
        if fact.claim.token.value is None or not mentions:
            return False
        words = [stem(word) for word in following_words(self.answer, fact.claim.end)]
        lists = {name for name, _ in self.book.index.counts if self.book.labels(words) & {name}}
        return any(
            self.book.count_about(name, mention) == fact.claim.token.value for name in lists for mention in mentions
        )

    # --- rows ---

    def _judge_row(self, passage: Passage, claims: list[Claim]) -> list[Misplaced]:
        if passage.first_row:
            self.last_items, self.columns = [], {}
            self.table_about = self._above(passage) if self.follows_heading else ()
        return _Row(self, passage, claims, self.table_about).faults()

    # --- telling ---

    def _faults(self, passage: Passage, items: list[Item], context: Mentions) -> list[Misplaced]:
        """Return the facts that do not fit the mention they stand next to; all of them if each fits alone."""
        faults: list[Misplaced] = []
        alone: list[Misplaced] = []
        for position, item in enumerate(items):
            if isinstance(item, Fact):
                beside = _nearest(items, position) or context
                fault = Misplaced(item.claim, beside, passage, self.instead(item, beside))
                (alone if self.fits(item, beside) else faults).append(fault)
        return faults or alone

    def instead(self, fact: Fact, mentions: Mentions) -> tuple[Source, ...]:
        """Return what the tools say of the mentions in the fields that the fact's label or its own fields name."""
        fields = fact.fields or {source.field for source in fact.claim.support}
        kind = fact.claim.kind
        found = [source for source in self.book.index.sources if source.field in fields and source.token.kind == kind]
        about = [
            one for one in found if one.record and mentions and _may_speak(self.book.subject(one.record), mentions)
        ]
        return tuple(about[:3])


def _start(item: Claim | Mention) -> int:
    return item.start


def _overlap(claim: Claim, mention: Mention) -> bool:
    return claim.start < mention.end and mention.start < claim.end


def _names(mentions: list[Mention]) -> list[Mention]:
    return [mention for mention in mentions if not mention.is_key]


def _alike(told: Claim, claim: Claim) -> bool:
    """Return whether two numbers are written so alike that the second may go without a label: "2.0 points to 0.0"."""
    one, other = told.token, claim.token
    if one.value is None or other.value is None or one.decimals != other.decimals or one.unit != other.unit:
        return False
    return one.decimals > 0 or len(one.text) == len(other.text) > 2 or one.text == other.text


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


def _may_speak(subject: Subject, mentions: Mentions) -> bool:
    if not mentions:
        return True
    if any(contradicts(subject, mention) for mention in mentions):
        return False
    return any(speaks_of(subject, mention) for mention in mentions)


def _nearest(items: list[Item], position: int) -> Mentions:
    """Return the mentions a reader takes for a fact: the last one of each kind before it, else the first after it."""
    kinds: dict[str, Mention] = {}
    for item in items[:position]:
        if isinstance(item, Mention):
            kinds[item.kind] = item
    for item in items[position:]:
        if isinstance(item, Mention):
            kinds.setdefault(item.kind, item)
    return tuple(kinds.values())


class _Search:
    """Looks for an explanation of the items of one passage (see the module's opening)."""

    def __init__(self, judge: _Judge, items: list[Item], context: Mentions) -> None:
        self.judge = judge
        self.items = items
        self.context = context
        self.mentioned = bool(context) or any(isinstance(item, Mention) for item in items)
        self.closed = {i for i in range(1, len(items)) if self._opens_bracket(items[i - 1].end, items[i].start)}
        self.tries = 0
        self.last_fact = max((i for i, item in enumerate(items) if isinstance(item, Fact)), default=-1)

    def _opens_bracket(self, end: int, start: int) -> bool:
        """Return whether a bracket opens between two items: what is in it belongs to what stands before it."""
        between = self.judge.answer[end:start]
        return "(" in between[between.rfind(")") + 1 :]

    def explains(self) -> bool:
        return self._from(0, self.context, frozenset()) or self._in_order() or self.tries > MOST_TRIES

    def _from(self, start: int, before: Mentions, told: frozenset[str]) -> bool:
        """Return whether the items from `start` on fall into runs, after one about `before` that told `told`."""
        if start > self.last_fact:
            return True
        for end in range(len(self.items), start, -1):
            if end in self.closed:
                continue
            run = self.items[start:end]
            own = [item for item in run if isinstance(item, Mention)]
            if not any(isinstance(item, Fact) for item in run):
                continue
            for dropped in self._droppable(start, end, own):
                self.tries += 1
                if self.tries > MOST_TRIES:
                    return False
                kept = [mention for mention in own if mention not in dropped]
                fields = self._run_fields(run, kept, before, told)
                if fields is not None and self._from(end, _with(before, kept), fields):
                    return True
        return False

    def _droppable(self, start: int, end: int, own: list[Mention]) -> Iterator[tuple[Mention, ...]]:
        """Return the ways to pass over mentions, fewest first."""
        may = [mention for mention in own if self._may_drop(mention)]
        for size in range(len(may) + 1):
            yield from combinations(may, size)

    def _may_drop(self, mention: Mention) -> bool:
        if mention.is_key:
            return False
        position = self.items.index(mention)
        following = self.items[position + 1] if position + 1 < len(self.items) else None
        return not isinstance(following, Fact) or self._is_object(position)

    def _is_object(self, position: int) -> bool:
        """Return whether a mention is what something happened to, as in "against easy" or "beat easy and hard"."""
        mention = self.items[position]
        assert isinstance(mention, Mention)
        words = WORD.findall(self.judge.answer[max(0, mention.start - 30) : mention.start])
        last = words[-1].casefold() if words else ""
        if last in OBJECT_WORDS:
            return True
        earlier = self.items[position - 1] if position else None
        return last == "and" and isinstance(earlier, Mention) and self._is_object(position - 1)

    def _run_fields(
        self, run: list[Item], kept: list[Mention], before: Mentions, told: frozenset[str]
    ) -> frozenset[str] | None:
        """Return the fields that a run tells, or None if its facts cannot all come from records about its mentions."""
        about = _with(before, kept)
        facts = [item for item in run if isinstance(item, Fact)]
        if not about and self.mentioned:
            facts_fit = all(any(fit.record is None for fit in self.judge.fits(fact, ())) for fact in facts)
            return frozenset() if facts_fit else None
        fits = [self.judge.fits(fact, about) for fact in facts]
        if not all(fits) or not _share_records(facts, fits, bool(about)):
            return None
        fields = frozenset(fit.field for found in fits for fit in found if fit.record is not None)
        replaces = {mention.kind for mention in before} & {mention.kind for mention in kept}
        if told and not replaces and fields and 2 * len(fields & told) < max(len(fields), len(told)):
            return None
        return fields

    def _in_order(self) -> bool:
        """Return whether the facts are dealt out to the names in their order, field by field."""
        names = [item for item in self.items if isinstance(item, Mention) and not item.is_key]
        keys = tuple(item for item in self.items if isinstance(item, Mention) and item.is_key)
        names = [name for i, name in enumerate(names) if name.name not in {other.name for other in names[:i]}]
        listed = [one._replace(name=name, others=()) for one in keys for name in (one.name, *one.others)]
        facts = [item for item in self.items if isinstance(item, Fact)]
        bound = [fact for fact in facts if not any(fit.record is None for fit in self.judge.fits(fact, ()))]
        return any(self._dealt(names, keys if len(keys) == 1 else (), dealt) for dealt in (facts, bound)) or (
            len(listed) > 1 and any(self._dealt(listed, (), dealt) for dealt in (facts, bound))
        )

    def _dealt(self, names: list[Mention], keys: Mentions, facts: list[Fact]) -> bool:
        if len(names) < 2 or not facts or len(facts) % len(names):
            return False
        for low in range(0, len(facts), len(names)):
            round_of = facts[low : low + len(names)]
            fits = [self.judge.fits(fact, (name, *keys)) for fact, name in zip(round_of, names, strict=True)]
            shared = set.intersection(*({fit.field for fit in found} for found in fits))
            if not shared:
                return False
        return True


def _with(before: Mentions, kept: list[Mention]) -> Mentions:
    """Return the mentions of a run: its own, and of other kinds those of the run before."""
    kinds = {mention.kind for mention in kept}
    own = {mention[:2]: mention for mention in kept}
    return (*(mention for mention in before if mention.kind not in kinds), *own.values())


def _share_records(facts: list[Fact], fits: list[list[Fit]], about: bool) -> bool:
    """Return whether the facts of each list can come from one of its records.

    Without a mention this holds only for lists whose facts include a move: other numbers are compared across records.
    """
    by_group: dict[str, list[tuple[Fact, set[int]]]] = {}
    for fact, found in zip(facts, fits, strict=True):
        groups = {f"{fit.record.call}:{fit.record.group}" for fit in found if fit.record is not None}
        if len(groups) == 1 and all(fit.record is not None for fit in found):
            records = {id(fit.record) for fit in found}
            by_group.setdefault(groups.pop(), []).append((fact, records))
    for members in by_group.values():
        if (about or any(fact.claim.kind == "move" for fact, _ in members)) and not set.intersection(
            *(records for _, records in members)
        ):
            return False
    return True


class _Row:
    """One row of a table: the names in its cells, and facts under heads."""

    def __init__(self, judge: _Judge, passage: Passage, claims: list[Claim], context: Mentions) -> None:
        self.judge = judge
        self.context = context
        self.passage = passage
        self.claims = claims
        self.column_names = [self._names_of_head(head) for head in passage.heads]

    def _names_of_head(self, head: str) -> list[Mention]:
        """Return the names in a column's head, unless it is a field: "Black" may be either."""
        book = self.judge.book
        return [] if book.labels_of_head(head) else book.mentions(head, 0, len(head))

    def faults(self) -> list[Misplaced]:
        judge, passage = self.judge, self.passage
        mentions, facts, texts = self._read()
        if not facts and not texts:
            return []
        columns = any(self.column_names)
        about = _with(self.context, mentions)
        for fact, column in facts:
            judge.keep(fact, _with(about, self.column_names[column]), self._best_records(facts, texts, about))
        if columns:
            return self._by_column(facts, about)
        faults = self._text_faults(texts, about)
        best = self._best_records(facts, texts, about)
        for fact, column in facts:
            fits = judge.fits(fact, about)
            fits = self._of_main(fact, fits, best)
            fitting = [fit for fit in fits if fit.record is None or id(fit.record) in best]
            if not fitting or not self._continues_column(fact, column, fitting):
                faults.append(Misplaced(fact.claim, about, passage, judge.instead(fact, about)))
        return faults

    def _continues_column(self, fact: Fact, column: int, fits: list[Fit]) -> bool:
        """Return whether a column without a telling head can still be one field of the rows' records throughout."""
        fields = {fit.field for fit in fits if fit.record is not None}
        if fact.fields or not fields:
            return True
        start = self.passage.cells[column][0]
        place = (column, sum(start <= claim.start < fact.start for claim in self.claims))  # the 2nd number of "3-1-0"
        known = self.judge.columns.get(place, fields)
        self.judge.columns[place] = fields & known or known
        return bool(fields & known)

    def _of_main(self, fact: Fact, fits: list[Fit], best: dict[int, int]) -> list[Fit]:
        """Return the fits in the record that explains most of the row, if that has a field with the fact's label."""
        main = max(best, key=lambda record: best[record], default=None)
        record = next((one for one in self.judge.book.index.records if id(one) == main), None)
        if record is None or not any(field in record.fields for field in fact.fields):
            return fits
        return [fit for fit in fits if fit.record is record]

    def _read(self) -> tuple[list[Mention], list[tuple[Fact, int]], list[tuple[str, Span]]]:
        """Return the row's mentions, its facts with their columns, and its texts with the field they must equal."""
        judge, book = self.judge, self.judge.book
        mentions: list[Mention] = []
        claims: list[tuple[Claim, int]] = []
        for column, (start, end) in enumerate(self.passage.cells):
            head = self.passage.heads[column].strip(" *_`").casefold()
            key = book.key_mention(head, judge.answer[start:end].strip(), start, end)
            found = [key] if key else book.mentions(judge.answer, start, end)
            mentions += found
            for claim in self.claims:
                if start <= claim.start < end and not any(_overlap(claim, mention) for mention in found):
                    claims.append((claim, column))
                elif key and _overlap(claim, key):
                    judge.keep_key(claim, key)
        near = frozenset(field for mention in mentions for field in book.fields_about(mention))
        return mentions, [(self._fact(claim, column, near), column) for claim, column in claims], self._texts()

    def _fact(self, claim: Claim, column: int, near: frozenset[str]) -> Fact:
        book = self.judge.book
        in_cell = self.judge._labels(claim, self.passage.cells[column][0])  # "3 wins" under "Record"
        if in_cell:
            return Fact(claim, in_cell)
        of_head = book.labels_of_head(self.passage.heads[column], near) & (book.value_fields | book.move_fields)
        fields = of_head or self._label_of_row(column)
        return Fact(claim, frozenset(fields & (book.move_fields if claim.kind == "move" else book.number_fields)))

    def _label_of_row(self, column: int) -> set[str]:
        """Return the fields that the first cell names, for tables whose rows are fields."""
        if column == 0:
            return set()
        start, end = self.passage.cells[0]
        return self.judge.book.labels_of_head(self.judge.answer[start:end])

    def _texts(self) -> list[tuple[str, Span]]:
        """Return (field, where) for cells with a known text under a head that names one field of texts."""
        book, answer = self.judge.book, self.judge.answer
        found = []
        for column, (start, end) in enumerate(self.passage.cells):
            fields = book.labels_of_head(self.passage.heads[column]) & book.text_fields.keys()
            text = answer[start:end].casefold()
            if len(fields) == 1 and not any(start <= claim.start < end for claim in self.claims):
                field = fields.pop()
                if text in book.text_fields[field] or text in book.names or _may_name(text, book.text_fields[field]):
                    found.append((field, (start, end)))
        return found

    def _text_faults(self, texts: list[tuple[str, Span]], about: Mentions) -> list[Misplaced]:
        """Return the texts that no record about the row has in their field."""
        faults = []
        book = self.judge.book
        records = [record for record in self._records(about) if _may_speak(book.subject(record), about)]
        for field, (start, end) in texts:
            text = self.judge.answer[start:end]
            said = {str(record.fields[field]).casefold() for record in records if field in record.fields}
            if said and text.casefold() not in said:
                token = Token("name", start, end, text, key=text.casefold())
                instead = tuple(
                    Source(one.call, one.tool, f"{one.path}.{field}", field, _text_token(value), "", one, value)
                    for one in records
                    if (value := one.fields.get(field)) is not None
                )
                faults.append(Misplaced(Claim("name", start, end, text, token, ()), about, self.passage, instead[:3]))
        return faults

    def _best_records(
        self, facts: list[tuple[Fact, int]], texts: list[tuple[str, Span]], about: Mentions
    ) -> dict[int, int]:
        """Return, for each list, the record about the row's names that explains most of it, and how much."""
        scores: dict[str, dict[int, int]] = {}
        for record in self._records(about):
            if _may_speak(self.judge.book.subject(record), about):
                group = scores.setdefault(f"{record.call}:{record.group}", {})
                group[id(record)] = sum(
                    str(record.fields.get(field)).casefold() == self.judge.answer[slice(*where)].casefold()
                    for field, where in texts
                )
        for fact, _ in facts:
            for fit in {id(fit.record): fit for fit in self.judge.fits(fact, about) if fit.record}.values():
                group = scores.get(f"{fit.record.call}:{fit.record.group}" if fit.record else "", {})
                if id(fit.record) in group:
                    group[id(fit.record)] += 1
        best: dict[int, int] = {}
        for group in scores.values():
            top = max(group.values())
            best |= {record: score for record, score in group.items() if score == top}
        return best

    def _records(self, about: Mentions) -> list[Record]:
        """Return the records about the first mention, or about any where there is none."""
        return self.judge.book.records_about(about[0]) if len(about) == 1 else self.judge.book.index.records

    def _by_column(self, facts: list[tuple[Fact, int]], about: Mentions) -> list[Misplaced]:
        """Judge a table whose columns are the names: each fact belongs to the name at the head of its column."""
        faults = []
        for fact, column in facts:
            beside = _with(about, self.column_names[column])
            fits = self.judge.fits(fact, beside)
            if any(fact.fields & self.judge.book.fields_about(mention) for mention in beside):
                fits = [fit for fit in fits if fit.record is not None]
            if beside and not fits:
                faults.append(Misplaced(fact.claim, beside, self.passage, self.judge.instead(fact, beside)))
        return faults


def _may_name(text: str, known: set[str]) -> bool:
    """Return whether an unknown text in a column of names is meant as one: a word among words."""
    if not re.fullmatch(r"[^\W\d_]{3,}", text) or text in NO_NAMES:
        return False
    return all(" " not in name for name in known) and not any(name.startswith(text) for name in known)


def _text_token(value: Any) -> Token:
    return Token("name", 0, 0, str(value), key=str(value).casefold())
