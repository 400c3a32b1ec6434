"""Labels: the fields that the words around a fact name.

Role: "Elo 1216", "two wins", "move 14 of game 2", "won 3 games": words beside a number often say which field of the
results it must come from. `Labels` reads them; no label means that any field will do.
Not here: heads of columns (records.py), whether the value is right (support.py).
"""

from __future__ import annotations

import re

from agentkit.more.claims import Claim
from agentkit.more.records import Book
from agentkit.more.words import VERBS, following, following_words, preceding_words, stem, words_of

__all__ = ["Labels", "alike"]

LINKS = frozenset(("are", "is", "was", "were", "of", "at", "to", "only", "now", "just", "about"))
CONDITIONAL = frozenset(("would", "should", "could", "might", "instead", "rather"))
BOUND = re.compile(r"\b(?:than|at least|at most|up to|out of|possible|top|first|last) $", re.IGNORECASE)


class Labels:
    """Reads the labels of one answer's facts."""

    def __init__(self, answer: str, book: Book) -> None:
        self.answer = answer
        self.book = book

    def of(self, claim: Claim, low: int) -> frozenset[str]:
        """Return the fields that the words around a fact name; words before `low` belong to something else."""
        book = self.book
        if claim.kind == "move":
            words = [word for word in preceding_words(self.answer, low, claim.start) if stem(word) != claim.kind]
            if not CONDITIONAL.isdisjoint(words):  # "would have played" is not what was played
                return frozenset()
            return self._first_labels(words, book.move_fields)
        if claim.kind != "number":
            return frozenset()
        counted = self._counted(claim)
        before = preceding_words(self.answer, low, claim.start)
        named = self._named(before)
        if before and before[0].casefold() in VERBS and self._counts_things(claim):
            return named & counted or named or counted  # "drew 2 games" tells the draws, not the games
        # "won 2 points" may tell the points, and "played 20 points" is not about `games_played`
        done = {field for field in named if words_of(field)[-1].endswith("ed") and not counted & {field}}
        return named - done | counted if counted else named

    def has_place(self, claim: Claim, fields: frozenset[str]) -> bool:
        """Return whether a fact is told of what stands beside it.

        It is not if it is the writer's own count ("two moves stand out"), a rank ("2nd") or a bound ("more than one").
        """
        if claim.token.ordinal or (claim.token.word and not fields):
            return False
        return not BOUND.search(self.answer, max(0, claim.start - 14), claim.start)

    def end_of_noun(self, claim: Claim) -> int:
        """Return where the words of a fact end: after "orders" in "3 orders worth 120.50"."""
        nouns = (word for word in following(self.answer, claim.end) if self.book.labels([word.group()]))
        noun = next(nouns, None)
        return noun.end() if noun else claim.end

    def _named(self, words: list[str]) -> frozenset[str]:
        """Return the fields that the words before a number name: "game 2" is the `game`, no count of `games`."""
        for place, word in enumerate(words):
            fields = self.book.labels([word])
            if fields and stem(word) != word.casefold() and not LINKS.issuperset(words[:place]):
                return frozenset()  # "games lasted 61": no number of games
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

    def _counts_things(self, claim: Claim) -> bool:
        """Return whether a number counts things that have numbers of their own: "2 games", where there is a game 2."""
        words = following_words(self.answer, claim.end, most=1)
        return bool(words) and any(self.book.identifies(field) for field in self.book.labels(words))

    def _first_labels(self, words: list[str], usable: set[str]) -> frozenset[str]:
        """Return the usable fields of the first word that names any field."""
        for word in words:
            fields = self.book.labels([word])
            if fields:
                return frozenset(fields & usable)
        return frozenset()


def alike(told: Claim, claim: Claim) -> bool:
    """Return whether two numbers are written so alike that the second may go without a label: "2.0 points to 0.0"."""
    one, other = told.token, claim.token
    if one.value is None or other.value is None or one.decimals != other.decimals or one.unit != other.unit:
        return False
    return one.decimals > 0 or len(one.text) == len(other.text) > 2 or one.text == other.text
