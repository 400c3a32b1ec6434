"""A conversation that fits into the model's context window.

Servers cut a prompt that is too long at its beginning, where the instructions and the task stand, often without a
word. So the agent makes room itself: old tool results are shortened first, the newest last, instructions, task and
the model's own words never. The trace keeps everything.
"""

from __future__ import annotations

import json
from typing import Any

from agentkit.errors import ContextOverflow
from agentkit.models import Message

__all__ = ["fitted", "read_less_than_before", "shortened"]

CHARACTERS_PER_TOKEN = 3  # of JSON and English, rounded down: measured 2.7 to 4.2 with Qwen's and Llama's vocabularies
MOST_CHARACTERS_PER_TOKEN = 10  # no ordinary text has more: what is longer than that certainly does not fit
KEPT = 300  # characters of a shortened result; one of less than twice as many stays whole


def shortened(text: str, most: int) -> str:
    """A text of more than `most` characters with its middle left out, which a notice says; a shorter one as it is."""
    left_out = len(text) - most
    if left_out <= 0:
        return text
    notice = f"\n… {left_out:,} of {len(text):,} characters were left out here: ask for less at a time. …\n"
    return text[: most // 2] + notice + text[-(most // 2) :]


def fitted(messages: list[Message], schemas: list[dict[str, Any]], window: int, reply: int) -> list[Message]:
    """`messages` where they fit into `window` tokens beside the tools and a reply, else a copy with results cut.

    Raises ContextOverflow when what may not be cut is certainly too long.
    """
    room = (window - min(reply, window // 2)) * CHARACTERS_PER_TOKEN - len(json.dumps(schemas))
    surplus = sum(len(message["content"]) for message in messages) - room
    sent = list(messages)
    for index, message in enumerate(messages):
        if surplus <= 0:
            break
        content = message["content"]
        if message["role"] == "tool" and len(content) > 2 * KEPT:
            notice = f" … {len(content) - KEPT:,} characters of this earlier result were left out to make room."
            sent[index] = {**message, "content": content[:KEPT] + notice}
            surplus -= len(content) - len(sent[index]["content"])
    left = sum(len(message["content"]) for message in sent)
    if left > window * MOST_CHARACTERS_PER_TOKEN:
        raise ContextOverflow(
            f"The conversation has {left:,} characters, far more than fit into {window} tokens of context. "
            "Raise AGENT_NUM_CTX, or give the agent a shorter task or instructions."
        )
    return sent


def read_less_than_before(known: dict[int, int], messages: list[Message], extra: dict[str, Any], read: int) -> bool:
    """True when a server read fewer tokens of this conversation than of an earlier, shorter state of it.

    `known` remembers what was read of which conversation; `extra` is what was asked for besides (the tools count).
    """
    digest, before = hash(json.dumps(extra)), 0
    for message in messages:
        digest = hash((digest, json.dumps(message)))
        before = max(before, known.get(digest, 0))
    if len(known) > 1000:
        known.clear()
    known[digest] = read
    return read < before
