"""Why answers failed, grouped: a problem's text without the values in it, so that the same kind counts together.

Role: for scorecards, which name a kind and how often it came. Not here: what is a problem (the checks decide).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

LONGEST = 100  # characters of a kind
VALUES_FOLLOW = re.compile(r"(These |No tool returned |The answer leaves out )")
NUMBER = re.compile(r"\d+(?:[-.:,]\d+)*")
BELONGS = re.compile(r"^.* (does not belong to) .*$", re.DOTALL)


def kind_of(problem: str) -> str:
    """A problem's kind: `These numbers did not come from any tool` for `… any tool: 7, 9.`"""
    if BELONGS.match(problem):
        return "A fact stands beside the wrong name"
    words = problem.partition(":")[0] if VALUES_FOLLOW.match(problem) else problem.partition(" Call ")[0]
    return " ".join(NUMBER.sub("N", words).split())[:LONGEST].rstrip(". ")


def grouped(problems: Iterable[str]) -> dict[str, int]:
    """How often each kind came, the most frequent first; among equals by their words."""
    counts = Counter(map(kind_of, problems))
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
