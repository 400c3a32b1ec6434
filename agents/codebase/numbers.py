"""Judging the numbers of an answer: each must stand in a line that the answer cites.

How a number is read and compared is agentkit's (21:05 agrees with `time(21, 5)`, 15 % with `0.15`); a number that
stands in the line with the same digits is right whatever stands beside it (`HTTP_404`, `512m`, `n-1`).

Not judged: the numbers of lines beside a file (grounding.py does), or of the lines cited where the answer speaks of a
line; numbers that count the tools' lines and files or the answer's own sources; numbering ("Step 1", "the 3rd
argument"); numbers written as words; versions and addresses.
Refused although it may be true: what was counted ("takes 2 arguments"), computed or converted from the lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agentkit.more.claims import Claim, claims_of
from agents.codebase.mentions import Mention, blank, mentions, without_mentions
from agents.codebase.shown import Place, ToolLog, counts_shown, lines_shown, remarks_shown, what_was_shown

NEAR = 2
"""Lines. A fact may stand this far from the line that is cited for it."""
_KINDS = ("number", "time", "date")
_COUNTED = re.compile(
    r"(?<![\w.,])(\d{1,9})[ -](?:[a-z]+ ){0,2}(?:lines?|files?|match(?:es)?|places?|results?|sources?)\b", re.IGNORECASE
)
_INTEGER = re.compile(r"(?<![\w.])(\d{1,9})\b(?!\.\d)")
_NUMBERING = re.compile(
    r"\b(?:step|option|case|part|phase|method|example) \d{1,2}(?=[:.)])|\b[01]-(?:based|indexed)\b", re.IGNORECASE
)
_BRACKETED = re.compile(r"(?<!\w)\((\d{1,2})\)(?= \w)")
_SCALED = re.compile(r"0[xob]|\d[kmb]|[kmb]illion|trillion|thousand", re.IGNORECASE)
_GROUPED = re.compile(r"(?<=\d)_(?=\d{3})|(?<=\d) (?=\d{3}(?: \d{3})*(?![\w.]))")


def numbers_shown(answer: str, tool_log: ToolLog, question: str = "") -> list[str]:
    """Problems with the numbers in `answer`; none when each stands in a line that it cites, or close to one.

    The numbers of the question are right, too. An answer that cites no line is judged by all lines that were shown.
    """
    shown = what_was_shown(tool_log)
    named = mentions(answer, shown)
    lines = {place: _GROUPED.sub("", text) for place, text in lines_shown(tool_log).items()}
    cited = {place for place in lines if any(_is_near(place, mention) for mention in named)}
    nowhere, elsewhere = [], []
    words = _GROUPED.sub("", without_mentions(_without_counts(answer, tool_log, named), shown))
    for number, places in _stated(words, question, lines):
        if not places:
            nowhere.append(number)
        elif cited and None not in places and not cited.intersection(places):
            file, line = places[0]
            elsewhere.append(f"{number} does not stand in the lines cited, but in {file}:{line}: cite that line.")
    listed = ", ".join(dict.fromkeys(nowhere))
    problems = [f"These numbers stand in no line that a tool showed: {listed}."] if nowhere else []
    return [*problems, *dict.fromkeys(elsewhere)]


def _stated(words: str, question: str, lines: dict[Place, str]) -> list[tuple[str, Sequence[Place | None]]]:
    """Each number of `words`, as written, with the lines that it stands in; None: it stands in the question."""
    places: list[Place | None] = [None, *lines]
    texts = [question, *lines.values()]
    claims = claims_of(words, [{"tool": "line", "args": {}, "result": {"text": text}} for text in texts])
    judged = [claim for claim in claims if claim.kind in _KINDS and not claim.token.word and not claim.token.ordinal]
    with_files = [question, *(f"{file}\n{text}" for (file, _), text in lines.items())]
    return [(claim.text, [places[at] for at in _where(claim, with_files)]) for claim in judged]


def _where(claim: Claim, texts: Sequence[str]) -> list[int]:
    """Which of the texts (each behind its file's name) hold what a claim states."""
    found = {source.call - 1 for source in claim.support}
    if plain := _as_written(claim):
        found |= {at for at, text in enumerate(texts) if plain.search(text)}
    return sorted(found)


def _as_written(claim: Claim) -> re.Pattern[str] | None:
    """What finds the digits of a claim where they stand by themselves; of `2024-05-06`, also in `date(2024, 5, 6)`."""
    if claim.kind == "date" and len(parts := claim.token.key.split("-")) == 3:
        return re.compile(r"\D{1,3}".join(f"(?<!\\d)0*{part.lstrip('0')}(?!\\d)" for part in parts))
    digits = re.sub(r"[^\d.]", "", claim.text).strip(".")
    if claim.kind != "number" or not digits or _SCALED.search(claim.text):
        return None
    whole = "" if "." in digits else r"(?!\.\d+(?![\d.]))"
    return re.compile(rf"(?<!\d)(?<!\d\.)0*{re.escape(digits.lstrip('0') or '0')}(?!\d){whole}")


def _is_near(place: Place, mention: Mention) -> bool:
    file, line = place
    return file == mention.name and any(first - NEAR <= line <= last + NEAR for first, last in mention.spans)


def _without_counts(answer: str, tool_log: ToolLog, named: Iterable[Mention]) -> str:
    """The answer without numbering, the tools' own remarks, and counts such as "files searched: 6" and "4 lines"."""
    for remark in remarks_shown(tool_log):
        answer = answer.replace(remark, " " * len(remark))
    counts = counts_shown(tool_log)
    for name, count in counts:
        written = rf"\b{re.escape(name.replace('_', ' '))}\W{{1,3}}{count}\b"
        answer = re.sub(written, blank, answer)
    spans = {(mention.name, span) for mention in named for span in mention.spans}
    answer = _blanked(_COUNTED, answer, {count for _, count in counts} | {len(spans), len({name for name, _ in spans})})
    if re.search(r"\blines?\b", answer, re.IGNORECASE):
        answer = _blanked(_INTEGER, answer, {line for _, span in spans for line in span})
    counted = len(_BRACKETED.findall(answer)) if "(1)" in answer else 0
    answer = _blanked(_BRACKETED, answer, set(range(1, counted + 1)))
    return _NUMBERING.sub(blank, answer)


def _blanked(pattern: re.Pattern[str], text: str, numbers: set[int]) -> str:
    """The text with spaces where the pattern is found with one of the numbers."""
    return pattern.sub(lambda found: blank(found) if int(found[1]) in numbers else found[0], text)
