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

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

from agentkit.more.claims import Claim, bind, facts_of
from agentkit.more.layout import Passage, Span, passages_of
from agentkit.more.numbers import Token
from agentkit.more.records import Book, Mention, Subject, book_of, contradicts, speaks_of
from agentkit.more.sources import Record, Source, index_of
from agentkit.more.words import WORD, following_words, preceding_words, stem

__all__ = ["Misplaced", "misplaced"]

# the words before somebody whom something happened to
OBJECT_WORDS = frozenset(
    [
        "against",
        "ahead",
        "at",
        "beat",
        "beaten",
        "beating",
        "beats",
        "behind",
        "between",
        "by",
        "defeated",
        "defeating",
        "for",
        "from",
        "met",
        "of",
        "on",
        "over",
        "played",
        "than",
        "to",
        "v",
        "versus",
        "vs",
        "with",
    ]
)
MOST_TRIES = 2_000  # a sentence that no explanation is found for within so many runs tried is left alone

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
    index = index_of(tool_log)
    if not index.records:
        return []
    reader = _Judge(answer, bind(answer, facts_of(answer), index), book_of(index))
    return [fault for passage in passages_of(answer) for fault in reader.judge(passage)]


class _Judge:
    """Judges the passages of one answer in order, and remembers what the last one spoke of."""

    def __init__(self, answer: str, claims: list[Claim], book: Book) -> None:
        self.answer = answer
        self.claims = [claim for claim in claims if claim.support]
        self.book = book
        self.spoken_of: Mentions = ()
        self.next_claim = 0
        self._fits: dict[tuple[int, Mentions], list[Fit]] = {}

    def judge(self, passage: Passage) -> list[Misplaced]:
        claims = self._claims_in(passage)
        if passage.kind == "row":
            return self._judge_row(passage, claims)
        mentions = self.book.mentions(self.answer, passage.start, passage.end)
        inherited = self.spoken_of if passage.carries_on and not _names(mentions) else ()
        context = inherited or self._above(passage)
        items = self._items(claims, mentions)
        if mentions or not passage.carries_on:
            self.spoken_of = tuple(mentions)
        facts = [item for item in items if isinstance(item, Fact)]
        if not facts or _Search(self, items, context).explains():
            return []
        return self._faults(passage, items, context)

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
            if start <= passage.start < end:
                continue
            found = self.book.mentions(self.answer, start, end)
            for kind in {mention.kind for mention in found}:
                of_kind = [mention for mention in found if mention.kind == kind]
                if len({mention.name for mention in of_kind}) == 1:
                    kinds[kind] = of_kind[0]
                else:
                    kinds.pop(kind, None)
        return tuple(kinds.values())

    def _items(self, claims: list[Claim], mentions: list[Mention]) -> list[Item]:
        """Return facts and mentions in the order they stand; a fact inside a mention is that mention."""
        free = [claim for claim in claims if not any(_overlap(claim, mention) for mention in mentions)]
        both: list[Claim | Mention] = sorted([*free, *mentions], key=_start)
        items: list[Item] = []
        low = 0
        told: Fact | None = None
        for item in both:
            if isinstance(item, Claim):
                fields = self._labels(item, low) or (told.fields if told and _alike(told.claim, item) else frozenset())
                told = Fact(item, fields)
                items.append(told)
            else:
                items.append(item)
            low = item.end
        return items

    def _labels(self, claim: Claim, low: int) -> frozenset[str]:
        """Return the fields that the words around a fact name."""
        usable = self.book.move_fields if claim.kind == "move" else self.book.number_fields
        before = self._first_labels(preceding_words(self.answer, low, claim.start), usable)
        if claim.kind == "move":
            return before
        return before | self._first_labels(following_words(self.answer, claim.end), usable)

    def _first_labels(self, words: list[str], usable: set[str]) -> frozenset[str]:
        for word in words:
            fields = self.book.labels([word]) & usable
            if fields:
                return frozenset(fields)
        return frozenset()

    # --- what supports a fact beside given mentions ---

    def fits(self, fact: Fact, mentions: Mentions) -> list[Fit]:
        key = (fact.claim.start, mentions)
        known = self._fits.get(key)
        if known is None:
            known = self._fits[key] = list(self._find_fits(fact, mentions))
        return known

    def _find_fits(self, fact: Fact, mentions: Mentions) -> Iterator[Fit]:
        labelled = fact.fields
        if labelled and mentions:
            about = {field for mention in mentions for field in self.book.fields_about(mention)}
            labelled = labelled & (about | self.book.free_fields) if labelled & about else frozenset()
        for source in fact.claim.support:
            subject = self.book.subject_of(source)
            if labelled and source.field not in labelled and not self._is_told(source, labelled):
                continue
            if subject is None:
                yield Fit(None, source.field)
            elif _may_speak(subject, mentions):
                yield Fit(source.record, source.field)
        if self._is_count(fact, mentions):
            yield Fit(None, "")

    def _is_told(self, source: Source, labelled: frozenset[str]) -> bool:
        """Return whether a value stands in a tool's sentence, whose own words name one of the fields."""
        if not isinstance(source.given, str) or len(source.given) <= 40:
            return False
        token, text = source.token, source.given
        words = preceding_words(text, 0, token.start) + following_words(text, token.end)
        return bool(self.book.labels(words) & labelled)

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
        row = _Row(self, passage, claims)
        if passage.first_row:
            self.spoken_of = ()
        return row.faults()

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
    return one.decimals > 0 or len(one.text) == len(other.text) > 2


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
        if told and not kept and not any(all(f.record is None for f in found) for found in fits) and not fields & told:
            return None
        return fields

    def _in_order(self) -> bool:
        """Return whether the facts are dealt out to the names in their order, field by field."""
        names = [item for item in self.items if isinstance(item, Mention) and not item.is_key]
        keys = tuple(item for item in self.items if isinstance(item, Mention) and item.is_key)
        names = [name for i, name in enumerate(names) if name.name not in {other.name for other in names[:i]}]
        facts = [item for item in self.items if isinstance(item, Fact)]
        bound = [fact for fact in facts if not any(fit.record is None for fit in self.judge.fits(fact, ()))]
        return any(self._dealt(names, keys if len(keys) == 1 else (), dealt) for dealt in (facts, bound)) or (
            len(keys) > 1 and any(self._dealt(list(keys), (), dealt) for dealt in (facts, bound))
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

    def __init__(self, judge: _Judge, passage: Passage, claims: list[Claim]) -> None:
        self.judge = judge
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
        context = judge._above(passage)
        columns = any(self.column_names)
        about = _with(context, mentions)
        if columns:
            return self._by_column(facts, about)
        faults = self._text_faults(texts, about)
        best = self._best_records(facts, texts, about)
        for fact, _ in facts:
            fits = judge.fits(fact, about)
            if not any(fit.record is None or id(fit.record) in best for fit in fits):
                faults.append(Misplaced(fact.claim, about, passage, judge.instead(fact, about)))
        return faults

    def _read(self) -> tuple[list[Mention], list[tuple[Fact, int]], list[tuple[str, Span]]]:
        """Return the row's mentions, its facts with their columns, and its texts with the field they must equal."""
        judge, book = self.judge, self.judge.book
        mentions: list[Mention] = []
        facts: list[tuple[Fact, int]] = []
        for column, (start, end) in enumerate(self.passage.cells):
            head = self.passage.heads[column]
            inside = [claim for claim in self.claims if start <= claim.start < end]
            key = book.key_mention(head.strip(" *_`").casefold(), judge.answer[start:end].strip(), start, end)
            if key:
                mentions.append(key)
                continue
            found = book.mentions(judge.answer, start, end)
            mentions += found
            fields = frozenset(book.labels_of_head(head) or self._label_of_row(column))
            for claim in inside:
                if not any(_overlap(claim, mention) for mention in found):
                    usable = book.move_fields if claim.kind == "move" else book.number_fields
                    facts.append((Fact(claim, fields & usable), column))
        return mentions, facts, self._texts()

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
                if text in book.text_fields[field] or text in book.names:
                    found.append((field, (start, end)))
        return found

    def _text_faults(self, texts: list[tuple[str, Span]], about: Mentions) -> list[Misplaced]:
        """Return the texts that no record about the row has in their field."""
        faults = []
        book = self.judge.book
        records = [record for record in book.index.records if _may_speak(book.subject(record), about)]
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

    def _best_records(self, facts: list[tuple[Fact, int]], texts: list[tuple[str, Span]], about: Mentions) -> set[int]:
        """Return, for each list, the record about the row's names that explains most of it."""
        scores: dict[str, dict[int, int]] = {}
        for record in self.judge.book.index.records:
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
        best: set[int] = set()
        for group in scores.values():
            top = max(group.values())
            best |= {record for record, score in group.items() if score == top}
        return best

    def _by_column(self, facts: list[tuple[Fact, int]], about: Mentions) -> list[Misplaced]:
        """Judge a table whose columns are the names: each fact belongs to the name at the head of its column."""
        faults = []
        for fact, column in facts:
            beside = _with(about, self.column_names[column])
            if beside and not self.judge.fits(fact, beside):
                faults.append(Misplaced(fact.claim, beside, self.passage, self.judge.instead(fact, beside)))
        return faults


def _text_token(value: Any) -> Token:
    return Token("name", 0, 0, str(value), key=str(value).casefold())
