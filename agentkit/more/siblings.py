"""Siblings: a name that no tool returned, standing where the other items of a list have a name that one did.

Role: items of a list are mostly worded alike: "- Elo 1216 for easy", "- Elo 1231 for hard". `strangers` looks at the
items that mention no name of a kind, and returns the words that stand in the same slot (between the same two words)
as the names of the other items.
Not here: names in tables (rows.py); a strange name in a sentence of its own cannot be told from any other word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agentkit.more.layout import Passage
from agentkit.more.patterns import HAS_FACT
from agentkit.more.records import Mention

__all__ = ["Item", "strangers"]

PIECE = re.compile(r"[^\W_]+(?:[-.,:][^\W_]+)*|[(;,]")
NAME = re.compile(r"[^\W\d_]{2,}$")

Slot = tuple[str, str]  # the words before and after a name; a word with a digit is #


class Item(NamedTuple):
    """An item of a list, with the names it mentions."""

    passage: Passage
    mentions: list[Mention]


def strangers(answer: str, items: list[Item]) -> Iterator[tuple[Item, re.Match[str]]]:
    """Yield the unknown words that stand in a name's slot, each with its item."""
    lists: dict[object, list[Item]] = {}
    for item in items:
        lists.setdefault(item.passage.above, []).append(item)
    for members in lists.values():
        kinds = [{mention.kind for mention in item.mentions} for item in members]
        if all(one == kinds[0] for one in kinds):
            continue  # every item has its names
        slots = {slot: kind for item in members for slot, kind in _slots(answer, item)}
        for item in members:
            stranger = _stranger(answer, item, slots)
            if stranger is not None:
                yield item, stranger


def _slots(answer: str, item: Item) -> Iterator[tuple[Slot, str]]:
    pieces = _pieces(answer, item)
    for place, piece in enumerate(pieces):
        mention = next((one for one in item.mentions if one.start == piece.start() and not one.is_key), None)
        if mention:
            yield _slot(pieces, place), mention.kind


def _stranger(answer: str, item: Item, slots: dict[Slot, str]) -> re.Match[str] | None:
    kinds = {mention.kind for mention in item.mentions}
    pieces = _pieces(answer, item)
    for place, piece in enumerate(pieces):
        kind = slots.get(_slot(pieces, place))
        if kind is not None and kind not in kinds and NAME.match(piece.group()):
            return piece
    return None


def _pieces(answer: str, item: Item) -> list[re.Match[str]]:
    return list(PIECE.finditer(answer, item.passage.start, item.passage.end))


def _slot(pieces: list[re.Match[str]], place: int) -> Slot:
    return _shape(pieces, place - 1), _shape(pieces, place + 1)


def _shape(pieces: list[re.Match[str]], place: int) -> str:
    if not 0 <= place < len(pieces):
        return ""
    text = pieces[place].group()
    return "#" if HAS_FACT.search(text) else text.casefold()
