"""Whether an answer says that something is not there.

"No settings.py was found", "I looked for settings.py, but there is no such file" and "settings.py does
not exist" deny the file; "it is not in app.py but in settings.py" asserts it. Between the denying word
and the name only words may stand that keep the denial about the file itself (`_FILLING`).

English only. When in doubt the answer is read as an assertion, which the caller then asks proof of.
"""

from __future__ import annotations

import re

from agents.codebase.mentions import Mention, sentence_around, tidy

_FILLING = (
    r"(?:[\s\"'`‘“*(]*\b(?:a|an|any|the|such|other|files?|module|named|called|of|by|that|name|find|found|see|locate|is|was|"
    r"were|there|exists?|contains?|have|has|show|return|returned|list|in|folder|project|to)\b){0,6}[\s\"'`‘“*(]*$"
)
_BEFORE = re.compile(
    r"(?:\b(?:no|not|never|nor|neither|without|cannot|missing|lacks?|unable to|fail\w* to)\b|n['’]t\b)" + _FILLING,
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\W*(?:file\s+)?(?:(?:is|was|are|were|does|do|did|could|can|has|have|seems?|appears?|to|be|been)\s*)*"
    r"(?:\b(?:missing|absent|nowhere)\b"
    r"|(?:n['’]t|\bnot|\bnever)\s+(?:(?:be|been|seem|appear|to|in|among|one|of|part|the)\s+)*"
    r"(?:found|exist\w*|present|there|returned|listed|located|available|folder|project|files|results)\b)",
    re.IGNORECASE,
)
_LOOKED_FOR = re.compile(r"\b(?:look\w*|search\w*|ask\w*|check\w*)\s+(?:for|about)\b" + _FILLING, re.IGNORECASE)
_IN_VAIN = re.compile(
    r"\bno\s+(?:such|file|match|result)|\bnot?\s+(?:found|there)|\bnothing\b|\bnone\b"
    r"|(?:\bnot|n['’]t)\s+(?:find|exist)|\bin vain\b",
    re.IGNORECASE,
)
_NOTHING_FOUND = re.compile(
    r"\b(?:found|finds?|returned?)\s+(?:nothing|none|no)\b"
    r"|\bnothing\s+(?:(?:was|were|is|has|been|that|relevant|could|be)\s+)*(?:found|about|answers?|in)\b"
    r"|(?:\b(?:could|can|did|do|does|was|were|is|are)\s+not|\bcannot|\bnever|n['’]t)\s+(?:be\s+)?(?:find|found|locate)"
    r"|\bno\s+(?:such\s+)?(?:\w+\s+){0,3}(?:was|were|could be)\s+found\b"
    r"|\bno\s+(?:files?|lines?|match(?:es)?|mention|results?|answer|trace|sign|information)\b",
    re.IGNORECASE,
)


def is_denied(mention: Mention, answer: str) -> bool:
    """Whether `answer` says of this file that it is not there. A file with a line is always asserted."""
    if mention.spans:
        return False
    text = tidy(answer)
    first, last = sentence_around(text, mention.start, mention.end)
    before, after = text[first : mention.start], text[mention.end : last]
    looked_in_vain = _LOOKED_FOR.search(before) and _IN_VAIN.search(after)
    return bool(_BEFORE.search(before) or _AFTER.match(after) or looked_in_vain)


def says_nothing_was_found(answer: str) -> bool:
    """Whether `answer` says in plain words that the search found nothing."""
    return bool(_NOTHING_FOUND.search(answer))
