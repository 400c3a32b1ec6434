"""From a question to the files that most probably answer it, each with its best passages.

1. BM25 over stems (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009),
   computed by SQLite over three fields (path, names defined, text) and weighted by the kind of file.
2. Passages with words related to the question's (`related.py`) gain a share of what those words are worth.
3. A passage gains a share of what the passages before and after it are worth.
4. A file is worth its best passage and a share of the next ones: a file that keeps coming up is likelier
   than one that has the words once.

Nothing here knows any project or question. The numbers were chosen with the `published` and `tuning`
questions of eval/retrieval_questions.json; of the `held_out` ones only the totals were seen, for about
two dozen settings. `python eval/retrieval.py` measures them all.
"""

from __future__ import annotations

from typing import NamedTuple

from agents.codebase.index import Hit, Index
from agents.codebase.related import related_to
from agents.codebase.words import key_words, names_in, stem

MOST_WORDS = 32
"""Words of a question that are looked for; a pasted page is cut after these."""
MOST_PASSAGES = 400
SHARE_OF_RELATED = 0.3
MOST_RELATED = 20
EVERYWHERE = 0.5
"""A word that more than this share of the passages holds tells them hardly apart."""
LARGE = 2000
"""Passages. In a smaller folder no word of a question is left out."""
COMMON = 0.05
"""A related word that more than this share of the passages holds says too little to be looked for."""
SHARE_OF_NEIGHBOURS = 0.4
SHARE_OF_NEXT = 0.3
NEXT_PASSAGES = 5


class Candidate(NamedTuple):
    """A file that may answer the question, what it is worth, and its passages, best first."""

    path: str
    score: float
    passages: list[Hit]


def candidates(index: Index, question: str, most: int) -> list[Candidate]:
    """The `most` likeliest files that hold words of the question; none when no file holds any."""
    words = key_words(question)[:MOST_WORDS]
    hits = index.find(query_for(question, _telling(index, words)), MOST_PASSAGES) if words else []
    if not hits:
        return []
    passages: dict[str, list[Hit]] = {}
    for hit in _with_related(index, words, hits):
        passages.setdefault(hit.path, []).append(hit)
    worth = {path: _worth(found) for path, found in passages.items()}
    likeliest = sorted(worth, key=lambda path: (-worth[path], path))[:most]
    return [Candidate(path, worth[path], _best_first(passages[path])) for path in likeliest]


def query_for(question: str, words: list[str]) -> str:
    """The FTS5 query for a question: any of its `words`, and its identifiers' words in a row as well."""
    rows = [" ".join(name) for name in names_in(question)[:MOST_WORDS]]
    return _any_of([*words, *rows])


def _any_of(terms: list[str]) -> str:
    return " OR ".join(f'"{term}"' for term in dict.fromkeys(terms))


def _telling(index: Index, words: list[str]) -> list[str]:
    """In a large folder, the words without those that most passages hold, which cost time and tell little."""
    share = index.shares([stem(word) for word in words])
    telling = [word for word in words if 0 < share[stem(word)] <= EVERYWHERE]
    return telling if telling and index.passages() > LARGE else words


def _with_related(index: Index, words: list[str], hits: list[Hit]) -> list[Hit]:
    worth = {hit[:3]: hit.score for hit in hits}
    others = _related_words(index, [stem(word) for word in words])
    for hit in index.find(_any_of(others), MOST_PASSAGES) if others else ():
        worth[hit[:3]] = worth.get(hit[:3], 0.0) + SHARE_OF_RELATED * hit.score
    return [Hit(*place, score) for place, score in worth.items()]


def _related_words(index: Index, stems: list[str]) -> list[str]:
    """Words of this folder that are related to the question's, nearest first."""
    new = {word: stem(word) for word in related_to(stems) if stem(word) not in stems}
    share = index.shares(list(new.values()))
    return [word for word, its_stem in new.items() if 0 < share[its_stem] <= COMMON][:MOST_RELATED]


def _worth(hits: list[Hit]) -> float:
    scores = sorted((hit.score for hit in hits), reverse=True)
    return scores[0] + SHARE_OF_NEXT * sum(scores[1 : 1 + NEXT_PASSAGES])


def _best_first(hits: list[Hit]) -> list[Hit]:
    """The passages of one file, each with its share of what its neighbours are worth."""
    ending = {hit.last: hit.score for hit in hits}
    beginning = {hit.first: hit.score for hit in hits}
    shared = [
        hit._replace(
            score=hit.score + SHARE_OF_NEIGHBOURS * (ending.get(hit.first - 1, 0.0) + beginning.get(hit.last + 1, 0.0))
        )
        for hit in hits
    ]
    return sorted(shared, key=lambda hit: (-hit.score, hit.first))
