"""The models behind the fake servers: who is asked, what they get to see, and how a reply is cut.

It copies what Ollama does with a conversation: a model that is not there, or cannot use tools, is refused;
a conversation longer than `num_ctx` loses its oldest messages without a word; `num_predict` cuts a reply;
`format` makes it JSON of that shape. It knows no HTTP: fake_ollama.py and fake_openai.py are its two doors.

A token is four characters here.

Source of the rules and the words: Ollama's server/routes.go and server/prompt.go.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from agentkit.errors import ModelError
from devtools.constrained import constrained

DEFAULT_NUM_CTX = 4096  # Ollama's own when nothing is asked for
CHARACTERS_PER_TOKEN = 4

Message = dict[str, Any]


class Chatting(Protocol):
    """Anything with agentkit's one method."""

    def chat(self, messages: list[Message], tools: list[dict[str, Any]]) -> Message: ...


class Refusal(Exception):
    """The server says no: an HTTP code and Ollama's words for it."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass
class Answer:
    """One reply of the model behind the server, with what it cost."""

    message: Message
    prompt_tokens: int
    reply_tokens: int
    done_reason: str
    nanoseconds: int


@dataclass
class Backend:
    """The models that the server claims to have, all of them played by `model`.

    `failures` are HTTP codes to answer with first, one request each: a server that is still starting.
    `seen` holds the body of every chat request, for tests that ask what was sent.
    """

    model: Chatting
    names: Sequence[str]
    without_tools: Sequence[str]
    failures: list[int] = field(default_factory=list)
    seen: list[dict[str, Any]] = field(default_factory=list)

    def all_names(self) -> list[str]:
        """Every model there is, by its full name."""
        return [full_name(name) for name in (*self.names, *self.without_tools)]

    def can_use_tools(self, name: str) -> bool:
        """Whether a model takes tools, as Ollama knows it from the model's template."""
        return full_name(name) not in map(full_name, self.without_tools)

    def answer(self, body: dict[str, Any]) -> Answer:
        """Ask the model, as Ollama would, what a chat request's `body` asks for. Raises Refusal."""
        self.seen.append(body)
        if self.failures:
            raise Refusal(self.failures.pop(0), "server busy, please try again")
        self.check_model(body)
        started = time.perf_counter_ns()
        options = body.get("options") or {}
        tools = body.get("tools") or []
        num_ctx = options.get("num_ctx") or DEFAULT_NUM_CTX
        messages, prompt_tokens = fit_window(body["messages"], tools, num_ctx)
        try:
            reply = dict(self.model.chat(messages, tools))
        except ModelError as problem:
            raise Refusal(500, str(problem)) from problem
        if body.get("format"):
            reply = {"content": constrained(reply.get("content") or "", body["format"], messages)}
        reply, done_reason = cut_reply(reply, options.get("num_predict"))
        message = {"role": "assistant", "content": reply.get("content") or ""}
        if reply.get("tool_calls"):
            message["tool_calls"] = reply["tool_calls"]
        return Answer(message, prompt_tokens, tokens_in(reply), done_reason, time.perf_counter_ns() - started)

    def check_model(self, body: dict[str, Any]) -> None:
        """Refuse a model that is not there, or tools for a model that cannot use them."""
        name = body.get("model")
        if not isinstance(name, str) or not name:
            raise Refusal(400, "model is required")
        if full_name(name) not in self.all_names():
            raise Refusal(404, f"model {json.dumps(name)} not found, try pulling it first")
        if body.get("tools") and not self.can_use_tools(name):
            raise Refusal(400, f"{full_name(name)} does not support tools")


def full_name(name: str) -> str:
    """`qwen3` is `qwen3:latest`."""
    return name if ":" in name else f"{name}:latest"


# ---- the context window ----------------------------------------------------------------------------


def tokens_in(value: Any) -> int:
    """How many tokens a JSON value would be: a quarter of its characters, rounded up."""
    text = json.dumps(value, ensure_ascii=False)
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def fit_window(messages: list[Message], tools: list[Any], num_ctx: int) -> tuple[list[Message], int]:
    """The part of the conversation that the model gets to see, and its length in tokens.

    As Ollama does it: instructions and the last message stay, the oldest of the others go first, and
    nobody is told. What is still too long is cut at its beginning, so the count never exceeds `num_ctx`.
    """
    shown = list(messages)
    while tokens_in([shown, tools]) > num_ctx:
        oldest = next((i for i, message in enumerate(shown[:-1]) if message.get("role") != "system"), None)
        if oldest is None:
            break
        del shown[oldest]
    too_many = tokens_in([shown, tools]) - num_ctx
    if too_many > 0 and shown:
        text = str(shown[-1].get("content") or "")
        shown[-1] = {**shown[-1], "content": text[too_many * CHARACTERS_PER_TOKEN :]}
    return shown, min(tokens_in([shown, tools]), num_ctx)


def cut_reply(reply: Message, num_predict: int | None) -> tuple[Message, str]:
    """The reply as far as `num_predict` tokens reach, and why it ended: `stop` or `length`."""
    if not num_predict or num_predict < 0 or tokens_in(reply) <= num_predict:
        return reply, "stop"
    text = reply.get("content") or json.dumps(reply.get("tool_calls"))
    return {"content": text[: num_predict * CHARACTERS_PER_TOKEN]}, "length"


def words(text: str) -> Iterator[str]:
    """The text in the pieces a stream would send: word by word, nothing lost."""
    for number, word in enumerate(text.split(" ")):
        yield word if number == 0 else f" {word}"
