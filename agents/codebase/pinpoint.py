"""From the best passages to the lines that are shown.

Ten lines come from nine files or more: the likeliest one may show two places that lie apart, the others
one, and what room is left goes to further lines. In a passage a line is worth the rarity of the question's
words on it, and a share of those on the lines beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from agents.codebase.index import Hit
from agents.codebase.ranking import Candidate
from agents.codebase.words import pieces, stem

FILES_WITH_TWO_PLACES = 1
APART = 40
"""Lines. A second place of a file that is nearer than this to the first one would show little new."""
EXACT = 1000.0
"""More than any number of a question's words can be worth."""
_BESIDE = ((1, 0.5), (2, 0.25))


class Line(NamedTuple):
    """A line of a file that holds words of the question (or stands for a passage whose path or names do)."""

    number: int
    text: str
    score: float


def places(candidates: Sequence[Candidate], most: int) -> list[tuple[int, Hit]]:
    """The passages to look at for `most` lines, each with its turn: 0 for those that are to show a line."""
    chosen: list[tuple[int, Hit]] = []
    for rank, candidate in enumerate(candidates):
        first = candidate.passages[0]
        apart = [hit for hit in candidate.passages if abs(hit.first + hit.last - first.first - first.last) > 2 * APART]
        shown = [first, *apart[:1]] if rank < FILES_WITH_TWO_PLACES else [first]
        chosen += [(int(hit not in shown), hit) for hit in candidate.passages[:most]]
    at_once = sum(turn == 0 for turn, _ in chosen)
    return sorted(chosen, key=lambda place: place[0])[: at_once if at_once >= most else 2 * most]


def rarity_of(shares: Mapping[str, float]) -> dict[str, float]:
    """How much each stem tells, by the share of passages that hold it: -log2 of the share, bounded."""
    return {stem: -math.log2(max(share, 1e-6) / (1 + share)) for stem, share in shares.items()}


def lines_of(
    hit: Hit, text_lines: Sequence[str], rarity: Mapping[str, float], quoted: Sequence[str] = ()
) -> list[Line]:
    """The lines of a passage that hold words of the question, best first; its first full line when none does.

    A line that holds, letter by letter, what the question quotes (`as_written`) comes before all others.
    """
    passage = text_lines[hit.first - 1 : hit.last]
    own = [
        sum(rarity[word] for word in {stem(piece) for piece in pieces(text)} & rarity.keys())
        + EXACT * sum(literal in text for literal in quoted)
        for text in passage
    ]
    found = [Line(hit.first + at, passage[at], _with_neighbours(own, at)) for at, worth in enumerate(own) if worth]
    if not found:
        found = [Line(hit.first + at, text, 0.0) for at, text in enumerate(passage) if text.strip()][:1]
    return sorted(found, key=lambda line: (-line.score, line.number))


def _with_neighbours(own: Sequence[float], at: int) -> float:
    beside = sum(
        share * own[near]
        for distance, share in _BESIDE
        for near in (at - distance, at + distance)
        if 0 <= near < len(own)
    )
    return own[at] + beside
