"""Words of a text: field names taken apart, endings taken off, the words after a number, the sentence around it.

Role: the little that the claims modules need to know of English to see that "two wins" and `"wins": 2` are about the
same thing. Plain rules, no word lists of any job. Not here: numbers (numbers.py), names (records.py).
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["following", "following_words", "preceding_words", "sentence_at", "stem", "words_of"]

SENTENCE_END = re.compile(r"(?<=[.!?])[*_`\"')\]]*\s+(?=[\w*_`\"'\[|#-])")
IRREGULAR = {
    "won": "win", "winning": "win", "winner": "win", "wins": "win",
    "lost": "loss", "lose": "loss", "loses": "loss", "losing": "loss", "losses": "loss",
    "drew": "draw", "drawn": "draw", "drawing": "draw",
    "men": "man", "people": "person", "children": "child", "better": "best",
}  # fmt: skip
VERBS = frozenset("won winning lost lose loses losing drew drawn drawing".split())  # "drew 2 games" tells the draws
WORD = re.compile(r"[^\W\d_]+(?:'s)?")
STOP = re.compile(r"[^ \u00a0\t*_`'\"-]")
_CONJUNCTIONS = "and or but with in at on to from against for by while than as is was are were when who which had has"
_NUMBERS = "two three four five six seven eight nine ten eleven twelve"
CONJUNCTIONS = frozenset(f"{_CONJUNCTIONS} {_NUMBERS}".split())

BREAK = re.compile(r"[.,;!?|\d)\n]")
BREAK_WORDS = frozenset(("and", "or", "but", "while", "with", "against", "for", "by", "than"))


@lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a field's name: `mistakes_found` and `mistakesFound` give mistakes, found."""
    return tuple(word.casefold() for word in re.findall(r"[^\W_]+?(?=[A-Z]|_|\b|$)|\d+", name))


@lru_cache(maxsize=4096)
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
    return [word.group() for word in following(text, end, most)]


def following(text: str, end: int, most: int = 3) -> list[re.Match[str]]:
    """Return where the next few words of a number's phrase stand."""
    words: list[re.Match[str]] = []
    for word in WORD.finditer(text, end, end + 60):
        if STOP.search(text, end, word.start()) or word.group().casefold() in CONJUNCTIONS or len(words) == most:
            break
        words.append(word)
        end = word.end()
    return words


def preceding_words(text: str, low: int, start: int, most: int = 4) -> list[str]:
    """Return the words of the phrase before a number, the nearest first: for "an Elo of 1216" of, Elo, an."""
    phrase = BREAK.split(text[max(low, start - 60) : start])[-1]
    words: list[str] = []
    for word in reversed(WORD.findall(phrase)):
        if word.casefold() in BREAK_WORDS or len(words) == most:
            break
        words.append(word)
    return words


def sentence_at(text: str, position: int) -> str:
    """Return the sentence around a position, no longer than its line."""
    start = text.rfind("\n", 0, position) + 1
    line_end = text.find("\n", position)
    line_end = len(text) if line_end < 0 else line_end
    for stop in SENTENCE_END.finditer(text, start, line_end):
        if stop.start() > position:
            return text[start : stop.start()]
        start = stop.end()
    return text[start:line_end]
