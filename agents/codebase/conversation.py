"""Questions that follow one another: what was shown for an earlier one may be cited in a later one.

Each question is a run of its own. The last few questions and answers go along as inputs, and the checks
see the tool calls of the whole conversation. A file that a question names may be denied in its answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from agentkit import Agent, Result
from agents.codebase.check import check_of
from agents.codebase.mentions import mentions
from agents.codebase.shown import what_was_shown

REMEMBERED = 3
"""Earlier questions that a later one may refer to."""


class Source(NamedTuple):
    """A span of lines that an answer cites, and that a tool showed."""

    file: str
    first: int
    last: int


class Conversation:
    """One helper, asked one question after another."""

    def __init__(self, helper: Agent) -> None:
        """`helper` is an agent of `build_helper`; its check is replaced by one that knows the conversation."""
        self._helper = helper
        self._turns: list[dict[str, str]] = []
        self._log: list[Mapping[str, Any]] = []

    def ask(self, question: str) -> Result:
        """The helper's result for `question`. Raises ModelError."""
        asked = "\n".join([*(turn["question"] for turn in self._turns), question])
        self._helper.check = check_of(lambda: asked, tuple(self._log))
        earlier = {"earlier": self._turns[-REMEMBERED:]} if self._turns else None
        result = self._helper.run(question, earlier)
        self._log += result.tool_log
        self._turns.append({"question": question, "answer": result.answer})
        return result

    def sources(self, answer: str) -> list[Source]:
        """The lines that `answer` cites, each once, in order; those alone that a tool showed."""
        record = what_was_shown(self._log)
        spans = [Source(mention.name, *span) for mention in mentions(answer, record) for span in mention.spans]
        return [
            source
            for source in dict.fromkeys(spans)
            if record.get(source.file, set()).issuperset(range(source.first, source.last + 1))
        ]
