"""Words that programmers use for the same things, for questions put in other words than the code's.

`related_words.txt` was learnt once from the texts of two dozen Python packages and the standard library
(`eval/learn_related_words.py` tells how, the file's head from which). It knows no project and no question:
whoever asks for "credentials" may mean a password or a username, in any folder.

What is found through a related word counts less than what the question says itself; how much less is
`ranking.py`'s business.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("related_words.txt")


def related_to(stems: Sequence[str]) -> list[str]:
    """The words related to any of the `stems`, nearest first."""
    nearness: dict[str, int] = {}
    for stem in stems:
        for word, percent in _table().get(stem, ()):
            nearness[word] = max(percent, nearness.get(word, 0))
    return sorted(nearness, key=lambda word: (-nearness[word], word))


@cache
def _table() -> dict[str, list[tuple[str, int]]]:
    table = {}
    for line in _TABLE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            stem, *words = line.split()
            table[stem] = [(word, int(percent)) for word, percent in zip(words[::2], words[1::2], strict=True)]
    return table
