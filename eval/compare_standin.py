"""The stand-in for compare_libraries.py: it also understands a library that writes calls and results as text.

smolagents tells a model about its earlier calls in prose ("Calling tools: [...]", then "Observation: ..."), and its
answer is one more tool, `final_answer`, that must be called. A language model makes sense of that; the stand-in's
fixed rules read calls only in their own form, so they are put back into it here, and the answer is wrapped.
Not here: any help that a real model would not get. This is behind the fake server only.
"""

from __future__ import annotations

import ast
from typing import Any

from devtools.standin import StandInModel

CALLS = "Calling tools:\n"
RESULT = "Observation:\n"
ANSWER = "final_answer"

Message = dict[str, Any]


class ReadingStandIn:
    """The stand-in, without mistakes, for any of the libraries."""

    def __init__(self) -> None:
        self.model = StandInModel(mistake_rate=0)

    def chat(self, messages: list[Message], tools: list[dict[str, Any]]) -> Message:
        """The stand-in's next call, or its answer, as a call of `final_answer` where that is offered."""
        others = [tool for tool in tools if tool["function"]["name"] != ANSWER]
        reply = self.model.chat([in_own_form(message) for message in messages], others)
        if reply.get("tool_calls") or len(others) == len(tools):
            return reply
        call = {"name": ANSWER, "arguments": {"answer": reply["content"]}}
        return {"role": "assistant", "content": "", "tool_calls": [{"function": call}]}


def in_own_form(message: Message) -> Message:
    """A message with calls or a result in its text as one that holds them; any other as it is."""
    text = str(message.get("content") or "")
    if message.get("role") == "assistant" and CALLS in text:
        try:
            calls = ast.literal_eval(text.partition(CALLS)[2])
        except (SyntaxError, ValueError):
            return message
        return {"role": "assistant", "content": "", "tool_calls": calls}
    if message.get("role") == "user" and text.startswith(RESULT):
        return {"role": "tool", "content": text.removeprefix(RESULT)}
    return message
