"""Words of a text: field names taken apart, endings taken off, the words after a number, the sentence around it.

Role: the little that the claims modules need to know of English to see that "two wins" and `"wins": 2` are about the
same thing. Plain rules, no word lists of any job. Not here: numbers (numbers.py), names (records.py).
"""

from __future__ import annotations

import re

__all__ = ["following_words", "sentence_at", "stem", "words_of"]

SENTENCE_END = re.compile(r"(?<=[.!?])[*_`\"')\]]*\s+(?=[\w*_`\"'(\[|#-])|\n+")
IRREGULAR = {
    "won": "win", "winning": "win", "winner": "win", "wins": "win",
    "lost": "loss", "lose": "loss", "loses": "loss", "losing": "loss", "losses": "loss",
    "drew": "draw", "drawn": "draw", "drawing": "draw", "men": "man", "people": "person", "children": "child",
}  # fmt: skip
WORD = re.compile(r"[^\W\d_]+(?:'s)?")
STOP = re.compile(r"[^\s*_`'\"-]")
CONJUNCTIONS = frozenset("and or but with in at on to from against for by while than as is was are were when".split())


def words_of(name: str) -> list[str]:
    """Return the words of a field's name: `mistakes_found` and `mistakesFound` give mistakes, found."""
    return [word.casefold() for word in re.findall(r"[^\W_]+?(?=[A-Z]|_|\b|$)|\d+", name)]


def stem(word: str) -> str:
    """Return a word without its ending, so that "draws", "drew" and `draws` meet. Plain rules; enough for labels."""
    word = word.casefold()
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def following_words(text: str, end: int, most: int = 3) -> list[str]:
    """Return the next few words of the phrase that a number stands in."""
    words: list[str] = []
    for found in WORD.finditer(text, end, end + 60):
        word = found.group()
        if STOP.search(text, end, found.start()) or word.casefold() in CONJUNCTIONS or len(words) == most:
            break
        words.append(word)
        end = found.end()
    return words


def sentence_at(text: str, position: int) -> str:
    """Return the sentence or line around a position."""
    start = 0
    for end in SENTENCE_END.finditer(text):
        if end.start() > position:
            return text[start : end.start()]
        start = end.end()
    return text[start:]
