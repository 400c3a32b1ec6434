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
from typing import Any

from agentkit.more.claims import Claim, read
from agentkit.more.facts import Fact, Item, Mentions, Misplaced, overlap
from agentkit.more.labels import Labels, alike
from agentkit.more.layout import Passage, passages_of
from agentkit.more.numbers import Token
from agentkit.more.records import Book, Mention, book_of
from agentkit.more.rows import Columns, judge_row
from agentkit.more.runs import explains
from agentkit.more.siblings import Item as ListItem
from agentkit.more.siblings import strangers
from agentkit.more.support import Support

__all__ = ["Misplaced", "bindings", "misplaced"]

LISTED = re.compile(r"(?:, ?|,? (?:and|or) )")
MOST_ITEMS = 12  # names and facts of earlier sentences that one goes on from


def misplaced(answer: str, tool_log: list[dict[str, Any]]) -> list[Misplaced]:
    """Return the facts of an answer that stand beside the wrong name, in order."""
    claims, index = read(answer, tool_log)
    if not index.records:
        return []
    reader = _Judge(answer, claims, book_of(index))
    faults = [fault for passage in passages_of(answer) for fault in reader.judge(passage)]
    return faults + reader.strangers()


def bindings(answer: str, tool_log: list[dict[str, Any]]) -> list[Claim]:
    """Return the claims of an answer, each with the values first that fit the names that it stands beside."""
    claims, index = read(answer, tool_log)
    judge = _Judge(answer, claims, book_of(index), keeps=True)
    for passage in passages_of(answer):
        judge.judge(passage)
    return [judge.support.bound.get(claim.start, claim) for claim in claims]


class _Judge:
    """Judges the passages of one answer in order, and remembers what the last one spoke of."""

    def __init__(self, answer: str, claims: list[Claim], book: Book, keeps: bool = False) -> None:
        self.answer = answer
        self.claims = [claim for claim in claims if claim.support]
        self.book = book
        self.labels = Labels(answer, book)
        self.support = Support(answer, claims, book, keeps)
        self.last_items: list[Item] = []
        self.last_end = 0
        self.follows_heading = False
        self.table_about: Mentions = ()
        self.columns: Columns = {}
        self.left: set[int] = set()  # headings that no longer say what the text is about
        self.next_claim = 0
        self.list_items: list[ListItem] = []

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
        if passage.item:
            self.list_items.append(ListItem(passage, mentions))
        return self._judge_items(passage, items, context)

    def strangers(self) -> list[Misplaced]:
        """Return the words that stand where the other items of a list have a name."""
        faults = []
        for item, name in strangers(self.answer, self.list_items):
            token = Token("name", name.start(), name.end(), name.group(), key=name.group().casefold())
            claim = Claim("name", name.start(), name.end(), name.group(), token, ())
            faults.append(Misplaced(claim, (), item.passage, ()))
        return faults

    def _adds_to_last(self, passage: Passage, items: list[Item]) -> bool:
        """Return whether a sentence tells more of the one before it: "The best move was ...", and names nobody."""
        between = self.answer[self.last_end : passage.start]
        if any(isinstance(item, Mention) for item in items) or between.count("\n") > 1:
            return False
        if "\n" in between:  # the next line of a paragraph, but no new item of a list
            return not between.strip() and passage.kind == "text"
        return any(isinstance(item, Fact) and item.claim.kind == "move" for item in items)

    def _judge_items(self, passage: Passage, items: list[Item], context: Mentions) -> list[Misplaced]:
        told_here = [item for item in items if isinstance(item, Fact) and item.start >= passage.start]
        for fact in told_here if self.support.keeps else ():
            self.support.keep(fact, _nearest(items, items.index(fact)) or context)
        if not told_here or explains(items, context, self.support, self.answer):
            return []
        return [fault for fault in self._faults(passage, items, context) if fault.claim.start >= passage.start]

    def _judge_row(self, passage: Passage, claims: list[Claim]) -> list[Misplaced]:
        if passage.first_row:
            self.last_items, self.columns = [], {}
            self.table_about = self._above(passage) if self.follows_heading else ()
        return judge_row(passage, claims, self.table_about, self.support, self.columns)

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
            mention = next((mention for mention in mentions if overlap(claim, mention)), None)
            if mention is None:
                free.append(claim)
            elif mention.is_key:
                self.support.keep_key(claim, mention)
        both: list[Claim | Mention] = sorted([*free, *mentions], key=_start)
        items: list[Item] = []
        low = 0
        told: Fact | None = None
        for item in both:
            if isinstance(item, Claim):
                fields = self.labels.of(item, low) or (told.fields if told and alike(told.claim, item) else frozenset())
                if not self.labels.has_place(item, fields):
                    continue
                told = Fact(item, fields)
                items.append(told)
                low = self.labels.end_of_noun(item)
            else:
                items.append(item)
                low = item.end
        return self._share_labels(items)

    def _share_labels(self, items: list[Item]) -> list[Item]:
        """Give the numbers of a list the label of its last one: "61, 97 and 78 moves"."""
        shared = list(items)
        for place in range(len(items) - 2, -1, -1):
            one, following = shared[place], shared[place + 1]
            if isinstance(one, Fact) and isinstance(following, Fact) and not one.fields:
                between = self.answer[one.end : following.start]
                if LISTED.fullmatch(between) and one.claim.kind == following.claim.kind == "number":
                    shared[place] = one._replace(fields=following.fields)
        return shared

    def _faults(self, passage: Passage, items: list[Item], context: Mentions) -> list[Misplaced]:
        """Return the facts that do not fit the mention they stand next to; all of them if each fits alone."""
        faults: list[Misplaced] = []
        alone: list[Misplaced] = []
        for position, item in enumerate(items):
            if isinstance(item, Fact):
                beside = _nearest(items, position) or context
                fault = Misplaced(item.claim, beside, passage, self.support.instead(item, beside))
                (alone if self.support.fits(item, beside) else faults).append(fault)
        return faults or alone


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


def _start(item: Claim | Mention) -> int:
    return item.start
