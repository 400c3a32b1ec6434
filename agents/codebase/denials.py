"""Whether an answer says that something is not there.

"No settings.py was found", "I looked for settings.py, but there is no such file" and "settings.py does
not exist" deny the file; "it is not in app.py but in settings.py" asserts it. Between the denying word
and the name only words may stand that keep the denial about the file itself (`_FILLING`), and other files
that are denied along with it ("neither config.py nor settings.py").

English only. When in doubt the answer is read as an assertion, which the caller then asks proof of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from agents.codebase.mentions import Mention, sentence_around, tidy

_HEARD = 500
"""Characters on either side of a name, at most, that may deny it."""
_OTHER = "\ufffc"
"""Stands for another file of the sentence."""
_FILLING = (
    r"(?:[\s\"'`‘“*(]*\b(?:a|an|any|the|such|other|files?|module|named|called|of|by|that|name|find|found|see|locate|is|was|"
    r"were|there|exists?|contains?|have|has|show|return|returned|list|in (?:the|this|your) (?:folder|project)|to|"
    r"appear|seem|be)\b){0,6}[\s\"'`‘“*(]*$"
)
_BEFORE = re.compile(
    r"(?:\b(?:no|not|never|nor|neither|without (?=an?\b|any\b)|cannot|missing|lacks?|unable to|fail\w* to)\b|n['’]t\b)"
    + _FILLING,
    re.IGNORECASE,
)
_NOTHING_OF = re.compile(
    r"\b(?:nothing|no (?:results?|match(?:es)?|hits?|trace|sign|mention|reference|evidence|information))\s+"
    r"(?:(?:is|was|were|found|that)\s+)*(?:named|called|about|for|of|to|on|match(?:es|ed|ing)?)" + _FILLING,
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"[^\w{_OTHER}]*"
    r"(?:file\s+)?(?:(?:(?:that|which)\s+)?you\s+(?:mention\w*|name[sd]?|mean|meant|asked\s+(?:for|about))\W*)?"
    r"(?:(?:is|was|are|were|does|do|did|could|can|has|have|seems?|appears?|to|be|been)\s*)*"
    r"(?:\b(?:missing|absent|nowhere)\b"
    r"|(?:n['’]t|\bnot|\bcannot|\bnever)\s+(?:(?:be|been|seem|appear|to|in|among|one|of|part|the|this|your)\s+)*"
    r"(?:found|exist\w*|present|there|returned|listed|located|available|folder|project|files|results|turn(?:ed)?\s+up)\b)",
    re.IGNORECASE,
)
_GAP = rf"[^\w,{_OTHER}]*"
_FURTHER = rf"(?:{_GAP},{_GAP}{_OTHER})*{_GAP},?{_GAP}"
_OR_BEFORE = re.compile(rf"{_OTHER}{_GAP},?{_GAP}\b(?:or|nor){_GAP}(?:\ban?{_GAP})?$", re.IGNORECASE)
_COMMA_BEFORE = re.compile(rf"{_OTHER}{_GAP},{_GAP}$")
_OR_AFTER = re.compile(rf"{_FURTHER}\b(?:or|nor){_GAP}{_OTHER}", re.IGNORECASE)
_ALL_AFTER = re.compile(
    rf"{_FURTHER}\b(?:and|or|nor){_GAP}{_OTHER}(?={_GAP}(?:are|were|do|don|have|could|can|cannot|seem|appear)\b)",
    re.IGNORECASE,
)
_LOOKED_FOR = re.compile(r"\b(?:look\w*|search\w*|ask\w*|check\w*)\s+(?:for|about)\b" + _FILLING, re.IGNORECASE)
_IN_VAIN = re.compile(
    r"\bno\s+(?:such|file|match|result)|\bnot?\s+(?:found|there)|\bnothing\b|\bnone\b"
    r"|(?:\bnot|n['’]t)\s+(?:find|exist)|\bin vain\b|\bempty\b|\bwithout\s+(?:success|results?)\b",
    re.IGNORECASE,
)
_NO_NEXT = re.compile(
    r"\s*(?:no such file|no,|none\b|nothing\b"
    r"|it (?:does|could|can|is|was)\s*(?:not|n['’]t) (?:be )?(?:found|exist|there))",
    re.IGNORECASE,
)
_NOTHING_FOUND = re.compile(
    r"\b(?:found|finds?|returned?)\s+(?:nothing|none|no)\b"
    r"|\bnothing\s+(?:(?:was|were|is|has|been|that|relevant|could|be)\s+)*(?:found|about|answers?|in)\b"
    r"|(?:\b(?:could|can|did|do|does|was|were|is|are)\s+not|\bcannot|\bnever|n['’]t)\s+(?:be\s+)?(?:find|found|locate)"
    r"|\bno\s+(?:such\s+)?(?:\w+\s+){0,3}(?:was|were|could be)\s+found\b"
    r"|\b(?:not\s+able|unable)\s+to\s+(?:find|locate)\b|\bcame\s+up\s+empty\b|\bno\s+such\s+thing\b"
    r"|(?:\bnot|n['’]t)\s+(?:(?:be|been|appear|mentioned|there)\s+)*in\s+(?:the|this|these|any)\s+(?:project|folder|files)\b"
    r"|\b(?:project|files?|folder|tools?)\s+(?:do|does|did)(?:\s+not|n['’]t)\s+(?:mention|say|show|contain\s+any)\b"
    r"|\bno\s+(?:files?|lines?|match(?:es)?|mention|results?|answer|trace|sign|information)\b",
    re.IGNORECASE,
)


def is_denied(mention: Mention, answer: str, others: Iterable[Mention] = ()) -> bool:
    """Whether `answer` says of this file that it is not there. A file with a line is always asserted.

    `others` are further files that the answer speaks of, which it may deny together with this one.
    """
    if mention.spans:
        return False
    text = tidy(answer)
    first, last = sentence_around(text, mention.start, mention.end)
    start, end = max(first, mention.start - _HEARD), min(last, mention.end + _HEARD)
    before = _with_others(text, start, mention.start, others)
    after = _with_others(text, mention.end, end, others)
    looked_for = _LOOKED_FOR.search(before) or text[last - 1 : last] == "?"
    in_vain = looked_for and (_IN_VAIN.search(after) or _NO_NEXT.match(text, last))
    before = _without_others(before, after)
    return bool(
        _BEFORE.search(before) or _NOTHING_OF.search(before) or _AFTER.match(_ALL_AFTER.sub("", after, 1)) or in_vain
    )


def _with_others(text: str, start: int, end: int, others: Iterable[Mention]) -> str:
    """`text[start:end]` with a sign in place of each of the `others`."""
    out, at = [], start
    for other in others:
        if at <= other.start and other.end <= end:
            out += [text[at : other.start], _OTHER]
            at = other.end
    return "".join([*out, text[at:end]])


def _without_others(before: str, after: str) -> str:
    """`before` without the files that are denied in one breath with the one that comes next."""
    in_a_list = bool(_OR_AFTER.match(after))
    while found := _OR_BEFORE.search(before) or (_COMMA_BEFORE.search(before) if in_a_list else None):
        before, in_a_list = before[: found.start()], True
    return before


def says_nothing_was_found(answer: str) -> bool:
    """Whether `answer` says in plain words that the search found nothing."""
    return bool(_NOTHING_FOUND.search(answer))
