"""Claims: the checkable facts of an answer, each bound to the tool results that support it.

Role: `claims_of(answer, tool_log)` finds every number, date, time, id and move of an answer, where it stands, and
every value of the log that says the same: which call, which field, which record. No support means that no tool gave
it. The checks (checks.py, claims_checks.py), the receipts of a report and the page of a trace are uses of this.
Not here: how a number is read (numbers.py), what tools gave (sources.py), whether a true number stands beside the
right name (places.py).

What counts as a fact, and what doesn't:
- The numbers of a Markdown list or of headings (`1.`, `2)`) and of a table's column of ranks are numbering, as long
  as they rise by one; so is a lone `[1]` that points to a source.
- "one" is a number only before the name of something that the tools counted ("one draw"); a number word in the name
  of a tool that was called is that name.
- A number of things may be the length of a list with that name: "three players" for a list `players` of three.
- A number that a failed call was given, or that its error names, is supported only in a sentence that says that
  something failed or was not found.
- A loss may be written without its sign: "lost 16" for -16.

What it cannot see: numbers as ordinal words ("came second", "twice", "both"), a number that is right but was summed,
compared or counted by the model ("six more than") is refused unless it stands somewhere by chance; a small number
stands somewhere nearly always, so it is only as good as its place (in_the_right_place); lone squares (`c3`).
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, NamedTuple

from agentkit.more.numbers import Token, agrees, fold, scan
from agentkit.more.sources import Index, Source, index_of
from agentkit.more.words import following_words, sentence_at, stem, words_of

__all__ = ["Claim", "claims_of", "read"]

NUMBERING = re.compile(
    r"^[ \t>]*(?:#{1,6}[ \t]+|[-*+][ \t]+)?(?:\*\*|__)?\(?(\d{1,3})[.)](?=[ \t]|\*\*|__)", re.MULTILINE
)
POINTER = re.compile(r"(?<=[\w.,;:)])\s?\[(\d{1,2})\]")
RANKS = re.compile(r"^[ \t]*\|[ \t]*(?:#|no\.?|nr\.?|rank|place|pos\.?|position)?[ \t]*\|", re.IGNORECASE)
FAILURE = re.compile(
    r"\b(?:not (?:be )?(?:found|accepted|approved|saved|run|exist|available|possible|known|valid|read|opened|played)"
    r"|no (?:such|tournament|file|record|result|match|player|id|tool|game)s?\b|n't exist|could ?n[o']t|cannot|can't"
    r"|unable|fail(?:s|ed|ure)?|errors?|refused|rejected|unknown|invalid|missing|must be|must have)\b",
    re.IGNORECASE,
)
GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:[ '’_]\d{3})+(?!\w|[.,]\d)")
LOSS = re.compile(
    r"\b(?:lost|losing|loses?|loss|down|below|behind|minus|fell|falls?|falling|drops?|dropped|dropping|decline[sd]?"
    r"|decrease[sd]?|less)\b[^.\d]*$",
    re.IGNORECASE,
)


class Claim(NamedTuple):
    """A fact that an answer states, and the values of the log that say the same (none: no tool gave it)."""

    kind: str  # number, move, date, time, id
    start: int
    end: int
    text: str
    token: Token
    support: tuple[Source, ...]


_last: tuple[str, Index, list[Claim]] | None = None


def claims_of(answer: str, tool_log: list[dict[str, Any]]) -> list[Claim]:
    """Return the facts of an answer in the order they stand, each with what supports it."""
    return read(answer, tool_log)[0]


def read(answer: str, tool_log: list[dict[str, Any]]) -> tuple[list[Claim], Index]:
    """Return the claims of an answer and the index of the log; the last ones are kept for the checks that follow."""
    global _last
    answer, index, kept = answer or "", index_of(tool_log), _last
    if kept is None or kept[0] != answer or kept[1] is not index:
        kept = (answer, index, bind(answer, facts_of(answer), index))
        _last = kept
    return kept[2], index


def facts_of(answer: str) -> list[Token]:
    """Return the tokens of an answer that state facts: all but numbering and parts of words."""
    numbering = _numbering(answer)
    return [token for token in scan(answer) if token.kind != "part" and token.start not in numbering]


def bind(answer: str, facts: list[Token], index: Index) -> list[Claim]:
    """Return a claim for each fact; a "one" that counts nothing the tools counted is left out."""
    claims = []
    for fact in facts:
        if fact.word and fact.value == 1 and not _counts_something(answer, fact, index):
            continue
        if fact.word and fact.text.casefold() in index.tool_words:
            continue
        claims.append(Claim(fact.kind, fact.start, fact.end, fact.text, fact, tuple(_support(answer, fact, index))))
    return claims


def _support(answer: str, fact: Token, index: Index) -> list[Source]:
    found = index.supports(fact) + _lengths(answer, fact, index)
    if found:
        return found
    if fact.kind == "number":
        found = _as_fraction(fact, index) or _as_loss(answer, fact, index) or _as_port(fact, index)
        found = found or _as_grouped(answer, fact, index)
    elif fact.kind == "time":
        found = _as_score(fact, index)
    elif fact.kind == "id":
        found = _as_glued(fact, index) or _as_grouped(answer, fact, index)
    if not found and index.failures and FAILURE.search(sentence_at(answer, fact.start)):
        found = _in_failures(fact, index)
    return found


def _lengths(answer: str, fact: Token, index: Index) -> list[Source]:
    """Return the lists of that length whose name the number counts: "three players"."""
    if fact.value is None or fact.decimals or fact.unit:
        return []
    lists = index.lengths.get(fact.value)
    if not lists:
        return []
    counted = {stem(word) for word in following_words(answer, fact.end)}
    return [source for source in lists if counted & {stem(word) for word in words_of(source.field)}]


def _as_fraction(fact: Token, index: Index) -> list[Source]:
    if not fact.key:
        return []
    top, bottom = (int(part) for part in fact.key.split("/"))
    return index.supports(fact._replace(value=Decimal(top) / bottom, key="", decimals=4)) if bottom else []


def _as_loss(answer: str, fact: Token, index: Index) -> list[Source]:
    """ "lost 16" is right for -16."""
    if fact.value is None or fact.value <= 0 or not LOSS.search(answer[max(0, fact.start - 40) : fact.start]):
        return []
    return index.supports(fact._replace(value=-fact.value))


def _as_score(fact: Token, index: Index) -> list[Source]:
    """Read `2:10` as two numbers, when no tool gave that time."""
    parts = [index.supports(Token("number", fact.start, fact.end, part, Decimal(part))) for part in fact.key.split(":")]
    return [part[0] for part in parts] if all(parts) else []


def _as_glued(fact: Token, index: Index) -> list[Source]:
    """Read `Elo1216` and `v1.2` as the number in it."""
    glued = re.fullmatch(r"[^\W\d_]*(\d+(?:\.\d+)?)", fact.key)
    return _exactly(Decimal(glued[1]), fact, index) if glued else []


def _as_grouped(answer: str, fact: Token, index: Index) -> list[Source]:
    """Read `1 000` and `1'000` as one number, when no tool gave its parts."""
    for found in GROUPED.finditer(answer, max(0, fact.start - 20), fact.end + 20):
        if found.start() <= fact.start < found.end():
            return _exactly(Decimal(re.sub(r"\D", "", found.group())), fact, index)
    return []


def _exactly(value: Decimal, fact: Token, index: Index) -> list[Source]:
    return index.supports(Token("number", fact.start, fact.end, fact.text, value, decimals=20))


def _as_port(fact: Token, index: Index) -> list[Source]:
    """The port of an address that a tool gave."""
    return index.ports.get(fact.value, []) if fact.value is not None else []


def _in_failures(fact: Token, index: Index) -> list[Source]:
    if fact.value is None:
        return [source for source in index.failures if source.token.key == fact.key]
    return [
        source
        for source in index.failures
        if source.token.value is not None and agrees(fact, source.token.value, source.unit)
    ]


def _counts_something(answer: str, fact: Token, index: Index) -> bool:
    before = re.search(r"([^\W\d_]+) $", answer[max(0, fact.start - 12) : fact.start])
    if before and before[1].casefold() in ("no", "the", "any", "each", "every", "this", "that", "which", "another"):
        return False
    following = following_words(answer, fact.end)[:1]
    return any(stem(word) in index.field_stems for word in following)


def _numbering(answer: str) -> set[int]:
    """Return where numbers stand that only number things: of list items and headings, ranks of a table, pointers."""
    plain = fold(answer)
    positions = {found.start(1) for found in POINTER.finditer(plain)} if "[" in plain else set()
    last: dict[int, int] = {}
    for found in NUMBERING.finditer(plain):
        number, indent = int(found[1]), len(found.group()) - len(found.group().lstrip())
        if number in (0, 1) or number == last.get(indent, -1) + 1:
            positions.add(found.start(1))
            last[indent] = number
    if "|" in plain:
        positions |= _ranks(plain)
    return positions


def _ranks(plain: str) -> set[int]:
    """Return the numbers of a first column that counts rows 1, 2, 3 under `#`, `Rank` or nothing."""
    positions: set[int] = set()
    counting: int | None = None
    at = 0
    for line in plain.splitlines(keepends=True):
        if "|" not in line:
            counting = None
        elif counting is None:
            counting = 1 if RANKS.match(line) else 0
        elif counting:
            cell = re.match(r"[ \t]*\|[ \t*_`]*(\d{1,3})(?:st|nd|rd|th)?\.?[ \t*_`]*\|", line)
            if cell and int(cell[1]) == counting:
                positions.add(at + cell.start(1))
                counting += 1
        at += len(line)
    return positions
