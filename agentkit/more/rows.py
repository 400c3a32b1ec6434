"""Rows: whether the cells of a table's row belong together.

Role: a row is about the names in its cells (or in the heads of its columns, or the heading above the table). Its
facts must come from one record of each list about those names, from the field that the column's head names where it
names one, and a column without a telling head must be one field throughout. A text under a head that names a field
of names ("Winner") must be what the record says.
Not here: sentences (runs.py).
"""

from __future__ import annotations

import re
from typing import Any

from agentkit.more.claims import Claim
from agentkit.more.facts import Fact, Fit, Mentions, Misplaced, joined, overlap
from agentkit.more.labels import Labels
from agentkit.more.layout import Passage, Span
from agentkit.more.numbers import Token
from agentkit.more.records import Mention
from agentkit.more.sources import Source
from agentkit.more.support import Support

__all__ = ["Columns", "judge_row"]

NO_NAMES = frozenset(("draw", "drawn", "tie", "tied", "none", "nobody", "both", "unknown", "yes", "white", "black"))

Columns = dict[tuple[int, int], set[str]]  # what a table's columns without a telling head can be


def judge_row(
    passage: Passage, claims: list[Claim], context: Mentions, support: Support, columns: Columns
) -> list[Misplaced]:
    """Return the facts of a row that do not belong to it; `columns` is kept from row to row of a table."""
    return _Row(passage, claims, context, support, columns).faults()


class _Row:
    """One row of a table: the names in its cells, and facts under heads."""

    def __init__(
        self, passage: Passage, claims: list[Claim], context: Mentions, support: Support, columns: Columns
    ) -> None:
        self.support = support
        self.book = support.book
        self.answer = support.answer
        self.columns = columns
        self.context = context
        self.passage = passage
        self.claims = claims
        self.column_names = [self._names_of_head(head) for head in passage.heads]

    def _names_of_head(self, head: str) -> list[Mention]:
        """Return the names in a column's head, unless it is a field: "Black" may be either."""
        book = self.book
        return [] if book.labels_of_head(head) else book.mentions(head, 0, len(head))

    def faults(self) -> list[Misplaced]:
        passage = self.passage
        mentions, facts, texts = self._read()
        if not facts and not texts:
            return []
        columns = any(self.column_names)
        about = joined(self.context, mentions)
        best = self._best_records(facts, texts, about)
        for fact, column in facts if self.support.keeps else ():
            self.support.keep(fact, joined(about, self.column_names[column]), best)
        if columns:
            return self._by_column(facts, about)
        faults = self._text_faults(texts, about)
        for fact, column in facts:
            fits = self.support.fits(fact, about)
            fits = self._of_main(fact, fits, best)
            fitting = [fit for fit in fits if fit.record is None or id(fit.record) in best]
            if not fitting or not self._continues_column(fact, column, fitting):
                faults.append(Misplaced(fact.claim, about, passage, self.support.instead(fact, about)))
        return faults

    def _continues_column(self, fact: Fact, column: int, fits: list[Fit]) -> bool:
        """Return whether a column without a telling head can still be one field of the rows' records throughout."""
        fields = {fit.field for fit in fits if fit.record is not None}
        if fact.fields or not fields:
            return True
        start = self.passage.cells[column][0]
        place = (column, sum(start <= claim.start < fact.start for claim in self.claims))  # the 2nd number of "3-1-0"
        known = self.columns.get(place, fields)
        self.columns[place] = fields & known or known
        return bool(fields & known)

    def _of_main(self, fact: Fact, fits: list[Fit], best: dict[int, int]) -> list[Fit]:
        """Return the fits in the record that explains most of the row, if that has a field with the fact's label."""
        main = max(best, key=lambda record: best[record], default=None)
        record = next((one for one in self.book.index.records if id(one) == main), None)
        if record is None or not any(field in record.fields for field in fact.fields):
            return fits
        return [fit for fit in fits if fit.record is record]

    def _read(self) -> tuple[list[Mention], list[tuple[Fact, int]], list[tuple[str, Span]]]:
        """Return the row's mentions, its facts with their columns, and its texts with the field they must equal."""
        book = self.book
        mentions: list[Mention] = []
        claims: list[tuple[Claim, int]] = []
        for column, (start, end) in enumerate(self.passage.cells):
            head = self.passage.heads[column].strip(" *_`").casefold()
            key = book.key_mention(head, self.answer[start:end].strip(), start, end)
            found = [key] if key else book.mentions(self.answer, start, end)
            mentions += found
            for claim in self.claims:
                if start <= claim.start < end and not any(overlap(claim, mention) for mention in found):
                    claims.append((claim, column))
                elif key and overlap(claim, key):
                    self.support.keep_key(claim, key)
        near = frozenset(field for mention in mentions for field in book.fields_about(mention))
        return mentions, [(self._fact(claim, column, near), column) for claim, column in claims], self._texts()

    def _fact(self, claim: Claim, column: int, near: frozenset[str]) -> Fact:
        book = self.book
        in_cell = Labels(self.answer, self.book).of(claim, self.passage.cells[column][0])  # "3 wins" under "Record"
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
        return self.book.labels_of_head(self.answer[start:end])

    def _texts(self) -> list[tuple[str, Span]]:
        """Return (field, where) for cells with a known text under a head that names one field of texts."""
        book, answer = self.book, self.answer
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
        records = self.support.records_beside(about)
        for field, (start, end) in texts:
            text = self.answer[start:end]
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
        for record in self.support.records_beside(about):
            group = scores.setdefault(f"{record.call}:{record.group}", {})
            group[id(record)] = sum(
                str(record.fields.get(field)).casefold() == self.answer[slice(*where)].casefold()
                for field, where in texts
            )
        for fact, _ in facts:
            for fit in {id(fit.record): fit for fit in self.support.fits(fact, about) if fit.record}.values():
                group = scores.get(f"{fit.record.call}:{fit.record.group}" if fit.record else "", {})
                if id(fit.record) in group:
                    group[id(fit.record)] += 1
        best: dict[int, int] = {}
        for group in scores.values():
            top = max(group.values())
            best |= {record: score for record, score in group.items() if score == top}
        return best

    def _by_column(self, facts: list[tuple[Fact, int]], about: Mentions) -> list[Misplaced]:
        """Judge a table whose columns are the names: each fact belongs to the name at the head of its column."""
        faults = []
        for fact, column in facts:
            beside = joined(about, self.column_names[column])
            fits = self.support.fits(fact, beside)
            if any(fact.fields & self.book.fields_about(mention) for mention in beside):
                fits = [fit for fit in fits if fit.record is not None]
            if beside and not fits:
                faults.append(Misplaced(fact.claim, beside, self.passage, self.support.instead(fact, beside)))
        return faults


def _may_name(text: str, known: set[str]) -> bool:
    """Return whether an unknown text in a column of names is meant as one: a word among words."""
    if not re.fullmatch(r"[^\W\d_]{3,}", text) or text in NO_NAMES:
        return False
    return all(" " not in name for name in known) and not any(name.startswith(text) for name in known)


def _text_token(value: Any) -> Token:
    return Token("name", 0, 0, str(value), key=str(value).casefold())
