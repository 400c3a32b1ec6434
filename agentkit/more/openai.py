"""Any server that speaks OpenAI's chat completions: llama.cpp's server, vLLM, LM Studio and others.

Role: translate agentkit's messages to that form and back. Differences that are dealt with here: a call's arguments
travel as JSON text; each call has an id that its result must repeat (made here from their order, so that a model's
own missing or doubled ids do no harm).
Not here: streaming, images, audio.

    OpenAIModel("qwen2.5", "http://127.0.0.1:8080/v1").chat([{"role": "user", "content": "Hello"}], [])
"""

from __future__ import annotations

import json
import os
from typing import Any

from agentkit.errors import BadReply, BadSetting, ContextOverflow, ModelRefused, ModelUnreachable
from agentkit.models import Message, clean, text_of, tidy_calls
from agentkit.more.post import post_json
from agentkit.more.settings import address, decoding

__all__ = ["OpenAIModel"]


class OpenAIModel:
    """A model behind `url` (OPENAI_BASE_URL, http://127.0.0.1:8080/v1); decoding options as for OllamaModel."""

    def __init__(
        self,
        model: str | None = None,
        url: str | None = None,
        api_key: str | None = None,
        timeout: float | None = None,
        *,
        temperature: float | None = None,
        seed: int | None = None,
        num_ctx: int | None = None,
        max_tokens: int | None = None,
    ) -> None:
        self.model = model or os.environ.get("AGENT_MODEL") or "default"
        self.url = address("OPENAI_BASE_URL", url or os.environ.get("OPENAI_BASE_URL") or "http://127.0.0.1:8080/v1")
        self._api_key = (api_key or os.environ.get("OPENAI_API_KEY") or "").strip()
        if not (self._api_key.isascii() and self._api_key.isprintable()):  # said without showing it
            raise BadSetting("OPENAI_API_KEY holds characters that no key has: copy it again.")
        settings = decoding(timeout, num_ctx, max_tokens, temperature, seed)
        self.timeout, self.num_ctx, self.max_tokens, self.temperature, self.seed = settings

    def describe(self) -> dict[str, Any]:
        """What a trace should know of this model (never the key)."""
        return {"provider": "openai", "model": self.model, "url": self.url, **self._options()}

    def chat(self, messages: list[Message], tools: list[dict[str, Any]]) -> Message:
        """One reply; raises a ModelError that says what was wrong and what to do."""
        return self._ask(messages, {"tools": tools} if tools else {})

    def chat_constrained(self, messages: list[Message], tool: dict[str, Any]) -> Message:
        """One reply that can only be a call of `tool`: its arguments' schema is the grammar of the reply.

        A server that cannot do that is told to choose this one tool.
        """
        function = tool["function"]
        schema = {"name": function["name"], "schema": function["parameters"], "strict": True}
        try:
            reply = self._ask(messages, {"response_format": {"type": "json_schema", "json_schema": schema}})
        except ModelRefused as error:
            if error.status not in (400, 422):
                raise
            choice = {"type": "function", "function": {"name": function["name"]}}
            return self._ask(messages, {"tools": [tool], "tool_choice": choice})
        call = {"function": {"name": function["name"], "arguments": clean(text_of(reply.get("content")))}}
        return tidy_calls({**reply, "content": "", "tool_calls": [call]})

    def _options(self) -> dict[str, Any]:
        chosen = {"max_tokens": self.max_tokens, "temperature": self.temperature, "seed": self.seed}
        return {name: value for name, value in chosen.items() if value is not None}

    def _ask(self, messages: list[Message], extra: dict[str, Any]) -> Message:
        payload = {"model": self.model, "messages": _with_ids(messages), "stream": False, **self._options(), **extra}
        headers = {"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}
        try:
            body = post_json(f"{self.url}/chat/completions", payload, self.timeout, headers)
        except ModelUnreachable as error:
            raise ModelUnreachable(f"{error} Start your model server there, or set OPENAI_BASE_URL.") from None
        except ModelRefused as error:
            raise _with_remedy(error) from None
        return self._message(body)

    def _message(self, body: dict[str, Any]) -> Message:
        try:
            choice = body["choices"][0]
            message = dict(choice["message"])
        except (KeyError, IndexError, TypeError, ValueError):
            raise BadReply(f"{self.url} answered without a message: {json.dumps(body)[:200]}") from None
        counts = body["usage"] if isinstance(body.get("usage"), dict) else {}
        read, written = counts.get("prompt_tokens"), counts.get("completion_tokens")
        cut = choice.get("finish_reason") == "length"
        if cut and isinstance(written, int) and written + 1 < self.max_tokens:
            raise ContextOverflow(
                f"The reply was cut after {written} tokens although {self.max_tokens} were allowed: the conversation "
                "fills the server's context window. Give the server a larger one, or the agent less to read."
            )
        return tidy_calls({**message, "usage": {"tokens_in": read, "tokens_out": written, "cut": cut}})


def _with_remedy(error: ModelRefused) -> ModelRefused | ContextOverflow:
    words = str(error)
    if "context" in words and ("exceed" in words or "maximum" in words or "too long" in words):
        return ContextOverflow(f"{words} Give the server a larger window, or the agent less to read.")
    if error.status in (401, 403):
        words += " Set OPENAI_API_KEY."
    if error.status == 404:
        words += " Check OPENAI_BASE_URL and AGENT_MODEL; the server lists its models at /models."
    return ModelRefused(words, error.status)


def _with_ids(messages: list[Message]) -> list[Message]:
    """The conversation in OpenAI's form: the n-th result after a reply belongs to the reply's n-th call."""
    sent: list[Message] = []
    waiting: list[str] = []
    for number, message in enumerate(messages):
        if message.get("tool_calls"):
            waiting = [f"call_{number}_{i}" for i in range(len(message["tool_calls"]))]
            calls = [_call(c, i) for c, i in zip(message["tool_calls"], waiting, strict=True)]
            sent.append({"role": "assistant", "content": message.get("content") or "", "tool_calls": calls})
        elif message.get("role") == "tool":
            call_id = waiting.pop(0) if waiting else f"call_{number}"
            sent.append({"role": "tool", "tool_call_id": call_id, "content": message.get("content") or ""})
        else:
            sent.append({"role": message["role"], "content": message.get("content") or ""})
    return sent


def _call(call: dict[str, Any], call_id: str) -> dict[str, Any]:
    function = call["function"]
    arguments = json.dumps(function["arguments"], ensure_ascii=False)
    return {"id": call_id, "type": "function", "function": {"name": function["name"], "arguments": arguments}}
