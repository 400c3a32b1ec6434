"""Judging the numbers of an answer: each must stand in a line that the answer cites.

How a number is read and compared is agentkit's (21:05 agrees with `time(21, 5)`, 15 % with `0.15`). Not judged: the
numbers of lines beside a file (grounding.py does), and numbers in names and addresses, written as words, or that only
give an order ("the 3rd argument").
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from agents.codebase.mentions import Mention, mentions, without_mentions
from agents.codebase.shown import Place, ToolLog, counts_shown, lines_shown, remarks_shown, what_was_shown

NEAR = 2
"""Lines. A fact may stand this far from the line that is cited for it."""
_KINDS = ("number", "time", "date")
_COUNTED = re.compile(r"(?<![\w.,])(\d+) (?:[a-z]+ ){0,2}(?:lines?|files?|match(?:es)?|places?|results?)\b")
_ORDER = ("st", "nd", "rd", "th")
_GROUPED = re.compile(r"(?<=\d)_(?=\d{3})")


def numbers_shown(answer: str, tool_log: ToolLog, question: str = "") -> list[str]:
    """Problems with the numbers in `answer`; none when each stands in a line that it cites, or close to one.

    Right, too, are the numbers of the question, and how many lines or files the tools counted. An answer that cites
    no line is judged by all lines that were shown.
    """
    named = mentions(answer, what_was_shown(tool_log))
    words = without_mentions(_without_counts(answer, tool_log), [mention.name for mention in named])
    lines = {place: _GROUPED.sub("", text) for place, text in lines_shown(tool_log).items()}
    nowhere = _unsupported(words, [question, *lines.values()])
    problems = [f"These numbers stand in no line that a tool showed: {', '.join(nowhere)}."] if nowhere else []
    cited = [text for place, text in lines.items() if any(_is_near(place, mention) for mention in named)]
    for number in _unsupported(words, [question, *cited]) if cited else []:
        if number not in nowhere:
            file, line = next(place for place, text in lines.items() if not _unsupported(number, [text]))
            problems.append(f"{number} does not stand in the lines cited, but in {file}:{line}: cite that line.")
    return problems


def _is_near(place: Place, mention: Mention) -> bool:
    file, line = place
    return file == mention.name and any(first - NEAR <= line <= last + NEAR for first, last in mention.spans)


def _without_counts(answer: str, tool_log: ToolLog) -> str:
    """The answer without the tools' own remarks and counts, such as "files searched: 6" and "4 lines"."""
    for remark in remarks_shown(tool_log):
        answer = answer.replace(remark, _blank(remark))
    counts = counts_shown(tool_log)
    for name, count in counts:
        answer = re.sub(rf"\b{re.escape(name.replace('_', ' '))}\W{{1,3}}{count}\b", lambda it: _blank(it[0]), answer)
    numbers = {count for _, count in counts}
    return _COUNTED.sub(lambda it: _blank(it[0]) if int(it[1]) in numbers else it[0], answer)


def _blank(text: str) -> str:
    return " " * len(text)


def _unsupported(words: str, texts: Iterable[str]) -> list[str]:
    """The numbers of `words`, as written, that stand in none of the texts."""
    from agentkit.more.claims import claims_of

    claims = claims_of(words, [{"tool": "lines", "args": {}, "result": list(texts)}])
    judged = [claim for claim in claims if claim.kind in _KINDS and not claim.token.word]
    wrong = [claim.text for claim in judged if not claim.support and not claim.text.endswith(_ORDER)]
    return list(dict.fromkeys(wrong))
