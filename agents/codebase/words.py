"""Words of a question and of a file: split identifiers, stop words, stems.

`getUserName`, `get_user_name` and `GET-USER-NAME` are the same three words. Words are compared by
their stem, found with M. F. Porter's algorithm ("An algorithm for suffix stripping", Program 14:3,
1980), the one that SQLite's full-text index uses too, so that both agree on what a word is.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

_HUMP = re.compile(r"[a-z0-9][A-Z]")
_AFTER_CAPITALS = re.compile(r"[A-Z][A-Z][a-z]")
_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"[^\W\d]\w*(?:[.:-]+\w+)+|\w*[^\W_]_\w+|[a-z]+[A-Z]\w*|[A-Z]+[a-z]+[A-Z]\w*")
_QUOTED = re.compile(r'"([^"\n]{3,})"|`([^`\n]{3,})`')

_STOP_TEXT = """
    a about all also am an and another any are as at be because been being but by can could did do does doing done
    each either else ever every for from further give given gives had happen happened happens has have having he
    her here hers him his how however i if in into is it its itself just let lets made make makes may me might
    mine more most much must my neither no nor not of off on once one only onto or other our ours out over own
    per please said same say says shall she should so some such tell than that the their theirs them themselves
    then there these they this those though through to too under until up upon us use used uses using very was
    we were what whatever when where whether which while who whom whose why will with within without would yes
    you your yours
"""
STOP_WORDS = frozenset(_STOP_TEXT.split())
"""Words that say how a question is put, not what it is about."""


def split_humps(text: str) -> str:
    """`text` with a space inside each name that has capitals inside: `getHTTPName` -> `get HTTP Name`."""
    return _AFTER_CAPITALS.sub(_spaced, _HUMP.sub(_spaced, text))


def _spaced(match: re.Match[str]) -> str:
    found = match.group()
    return f"{found[0]} {found[1:]}"


def pieces(text: str) -> list[str]:
    """The words of `text` in order, identifiers split, in small letters and without accents."""
    if not text.isascii():
        text = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return _WORD.findall(split_humps(text).lower())


def key_words(question: str) -> list[str]:
    """The words that a question is about, each once. When it has none but stop words, all of them."""
    words = list(dict.fromkeys(pieces(question)))
    return [word for word in words if word not in STOP_WORDS] or words


def names_in(question: str) -> list[list[str]]:
    """The pieces of each identifier in a question (`MAX_SIZE`, `app.run`, `getName`), for a search of them in a row."""
    found = [pieces(name) for name in _NAME.findall(question)]
    return [name for name in found if len(name) > 1]


def as_written(question: str) -> list[str]:
    """What a question quotes letter by letter: its identifiers (`MAX_SIZE`, `app.run`) and texts in quotes."""
    quoted = [one or other for one, other in _QUOTED.findall(question)]
    return quoted + [name for name in _NAME.findall(question) if "-" not in name]


# -- Porter's stemmer ------------------------------------------------------------------------------------
#
# A word is read as [C](VC)^m[V], C and V being runs of consonants and vowels; m is its measure.

_STEP_2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "logi": "log",
    "bli": "ble",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
}
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = (
    "al",
    "ance",
    "ence",
    "er",
    "ic",
    "able",
    "ible",
    "ant",
    "ement",
    "ment",
    "ent",
    "ion",
    "ou",
    "ism",
    "ate",
    "iti",
    "ous",
    "ive",
    "ize",
)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of an English word in small letters; words of one or two letters stay as they are."""
    if len(word) < 3:
        return word
    word = _without_past_or_ing(_without_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(_replaced(word, _STEP_2), _STEP_3)
    return _without_final_e(_without_last_suffix(word))


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_past_or_ing(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        start = word.removesuffix(suffix)
        if start != word and _has_vowel(start):
            return _mended(start)
    return word


def _mended(word: str) -> str:
    """`hopp` -> `hop`, `conflat` -> `conflate`, `fil` -> `file`."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) > 1 and word[-1] == word[-2] and not _is_vowel(word, len(word) - 1) and word[-1] not in "lsz":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_short(word) else word


def _replaced(word: str, endings: dict[str, str]) -> str:
    suffix = max((ending for ending in endings if word.endswith(ending)), key=len, default="")
    start = word[: len(word) - len(suffix)]
    return start + endings[suffix] if suffix and _measure(start) > 0 else word


def _without_last_suffix(word: str) -> str:
    suffix = max((ending for ending in _STEP_4 if word.endswith(ending)), key=len, default="")
    start = word[: len(word) - len(suffix)]
    fits = bool(suffix) and _measure(start) > 1 and (suffix != "ion" or start.endswith(("s", "t")))
    return start if fits else word


def _without_final_e(word: str) -> str:
    if word.endswith("e"):
        start = word[:-1]
        measure = _measure(start)
        word = start if measure > 1 or (measure == 1 and not _ends_short(start)) else word
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _is_vowel(word: str, at: int) -> bool:
    return word[at] in "aeiou" or (word[at] == "y" and at > 0 and not _is_vowel(word, at - 1))


def _has_vowel(word: str) -> bool:
    return any(_is_vowel(word, at) for at in range(len(word)))


def _measure(word: str) -> int:
    vowels = [_is_vowel(word, at) for at in range(len(word))]
    return sum(before and not after for before, after in pairwise(vowels))


def _ends_short(word: str) -> bool:
    """Whether the word ends consonant, vowel, consonant, the last one not w, x or y: `hop`, not `snow`."""
    if len(word) < 3 or word[-1] in "wxy":
        return False
    last = len(word) - 1
    return not _is_vowel(word, last - 2) and _is_vowel(word, last - 1) and not _is_vowel(word, last)
