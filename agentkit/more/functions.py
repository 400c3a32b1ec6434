"""A model from a plain function: rules, a stub, or a library of your own behind agentkit's one method.

    FunctionModel(lambda messages, tools: {"content": "Hello."})
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentkit.models import Message

__all__ = ["FunctionModel"]


class FunctionModel:
    """Wraps `fn(messages, tools)`, which returns a message, or text for an answer."""

    def __init__(self, fn: Callable[[list[Message], list[dict[str, Any]]], Message | str]) -> None:
        self.fn = fn

    def chat(self, messages: list[Message], tools: list[dict[str, Any]]) -> Message:
        """What the function says; its own exceptions pass through."""
        reply = self.fn(messages, tools)
        return reply if isinstance(reply, dict) else {"role": "assistant", "content": reply}
