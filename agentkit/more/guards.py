"""Ready-made guards: reasons to stop a run before its step limit.

A guard is `guard(state) -> reason | None`, asked before each step. `state` holds `messages`, `steps`, `tool_calls`
and `errors` (counts); agents add `tokens` and `seconds`. The reason becomes the result's `stopped`. A guard keeps
nothing between calls, so that one may serve many runs at once; it may put right what stands in `messages`.

    Agent(…, guards=[max_seconds(60), no_repeats()])
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

__all__ = ["max_seconds", "max_tokens", "max_tool_calls", "no_repeats"]

State = dict[str, Any]
Guard = Callable[[State], "str | None"]


def max_seconds(n: float) -> Guard:
    """Stop once `n` seconds have passed (since the guard was made, for a loop that does not count them)."""
    made = time.perf_counter()

    def guard(state: State) -> str | None:
        seconds = state.get("seconds", time.perf_counter() - made)
        return f"time limit ({n:g} s) reached" if seconds >= n else None

    return guard


def max_tool_calls(n: int) -> Guard:
    """Stop once `n` tools have been called."""
    return lambda state: f"tool call limit ({n}) reached" if state["tool_calls"] >= n else None


def max_tokens(n: int) -> Guard:
    """Stop once the model has read and written `n` tokens in all, as far as its server counts them."""
    return lambda state: f"token limit ({n}) reached" if state.get("tokens", 0) >= n else None


def no_repeats(n: int = 3) -> Guard:
    """When the same call was made `n` times, say so in place of its result; stop at the next time."""

    def guard(state: State) -> str | None:
        calls = [call for message in state["messages"] for call in _calls(message)]
        if not calls or calls.count(calls[-1]) < n:
            return None
        name, times = calls[-1][0], calls.count(calls[-1])
        if times > n:
            return f"the same call was made {times} times: {name}"
        correction = (
            f"This is the call number {times} of {name} with the same arguments, and its result is the same as "
            "before. Do not send it again: use that result for the next tool, or write the answer."
        )
        for message in reversed(state["messages"]):
            if message.get("role") == "tool":
                message["content"] = json.dumps({"error": correction})
                break
        return None

    return guard


def _calls(message: State) -> list[tuple[str, str]]:
    """The calls of a message as comparable pairs, in agentkit's form or in mini's flat one."""
    pairs = []
    for call in message.get("tool_calls") or []:
        function = call.get("function", call)
        arguments = function.get("arguments")
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, sort_keys=True, default=str)
        pairs.append((str(function.get("name")), text))
    return pairs
