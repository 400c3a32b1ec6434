"""From a question to the files that most probably answer it, each with its best passages.

BM25 over stems (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
2009), computed by SQLite over three fields (path, names defined, text) and weighted by the kind of
file. A file is worth its best passage and a share of the next ones: a file that keeps coming up is
likelier than one that has the words once.

Nothing here knows any project or question. The numbers were chosen with the `published` and `tuning`
questions of eval/retrieval_questions.json; `python eval/retrieval.py` measures them.
"""

from __future__ import annotations

from typing import NamedTuple

from agents.codebase.index import Hit, Index
from agents.codebase.words import key_words, names_in

MOST_WORDS = 32
"""Words of a question that are looked for; a pasted page is cut after these."""
MOST_PASSAGES = 400
_NEXT_PASSAGES = 3
_SHARE_OF_NEXT = 0.3


class Candidate(NamedTuple):
    """A file that may answer the question, what it is worth, and its passages, best first."""

    path: str
    score: float
    passages: list[Hit]


def query_for(question: str) -> str:
    """The FTS5 query for a question: any of its words, and its identifiers' words in a row as well."""
    words = key_words(question)[:MOST_WORDS]
    rows = [" ".join(name) for name in names_in(question)[:MOST_WORDS]]
    return " OR ".join(f'"{term}"' for term in dict.fromkeys(words + rows))


def candidates(index: Index, question: str) -> list[Candidate]:
    """The files that hold words of the question, the likeliest first; none when it holds no word at all."""
    query = query_for(question)
    if not query:
        return []
    passages: dict[str, list[Hit]] = {}
    for hit in index.find(query, MOST_PASSAGES):
        passages.setdefault(hit.path, []).append(hit)
    found = [Candidate(path, _worth(hits), hits) for path, hits in passages.items()]
    return sorted(found, key=lambda candidate: (-candidate.score, candidate.path))


def _worth(hits: list[Hit]) -> float:
    return hits[0].score + _SHARE_OF_NEXT * sum(hit.score for hit in hits[1:1 + _NEXT_PASSAGES])
