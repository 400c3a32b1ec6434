"""Models: anything with `chat(messages, tools) -> message`.

Role: `OllamaModel` asks a local Ollama server over HTTP; `ScriptedModel` gives canned replies, for tests and demos.
Both return one message: text in `content`, or `tool_calls: [{"function": {"name": str, "arguments": dict}}]`, and
where the server counts them `usage: {"tokens_in", "tokens_out", "cut"}` (`cut`: the reply hit the limit on its length).
Not here: running tools (tools.py) or deciding when to stop (agent.py). Other servers: agentkit/more/openai.py; the
HTTP request itself: agentkit/more/post.py.

    export AGENT_MODEL=qwen3 OLLAMA_URL=http://127.0.0.1:11434
    OllamaModel().chat([{"role": "user", "content": "Hello"}], [])
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from typing import Any, Protocol

from agentkit.arguments import read_strictly
from agentkit.errors import BadReply, ContextOverflow, ModelError, ModelRefused, ModelUnreachable

__all__ = ["Model", "OllamaModel", "ScriptedModel", "clean", "text_of", "tidy_arguments", "tidy_calls"]

Message = dict[str, Any]

HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")
THINKING = re.compile(r"(</?think(?:ing)?>)", re.IGNORECASE)


class Model(Protocol):
    """What an agent needs of a model."""

    def chat(self, messages: list[Message], tools: list[dict[str, Any]]) -> Message:
        """One reply to the conversation so far; raises ModelError."""
        ...


def clean(text: str | None) -> str:
    """The answer without private reasoning: `<think>…</think>`, also when it was never opened or never closed."""
    if not text or "think" not in text.lower():
        return (text or "").strip()
    kept: list[str] = []
    thinking = False
    for part in THINKING.split(text):
        tag = part.lower()
        if tag in ("<think>", "<thinking>"):
            thinking = True
        elif tag in ("</think>", "</thinking>"):
            if not thinking:  # never opened: all before it was reasoning
                kept.clear()
            thinking = False
        elif not thinking:
            kept.append(part)
    return "".join(kept).strip()


def text_of(content: Any) -> str:
    """The text of a reply's `content`: text, or the list of parts that some servers send; anything else is no text."""
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in content]
        content = "".join(part for part in parts if isinstance(part, str))
    if not isinstance(content, str) or content.isascii():
        return content if isinstance(content, str) else ""
    return HALF_A_CHARACTER.sub("\ufffd", content)  # no file and no server takes one


def tidy_calls(message: Message) -> Message:
    """Make the `arguments` of every call in `message` a dictionary where that can be done; returns the message.

    An object stays, JSON text of an object is read, empty text and None are no arguments. Anything else stays as it
    is: the ToolBox tells the model what was wrong with it. A call may be flat, without its `function`.
    """
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function", call if "name" in call else None) if isinstance(call, dict) else None
        if isinstance(function, dict):
            function["arguments"] = tidy_arguments(function.get("arguments"))
    return message


def tidy_arguments(arguments: Any) -> Any:
    """One call's arguments as an object where that can be done, else as they are."""
    if arguments is None or (isinstance(arguments, str) and not arguments.strip()):
        return {}
    if isinstance(arguments, str):
        try:
            read = read_strictly(arguments)
        except (ValueError, RecursionError):
            return arguments
        return read if isinstance(read, dict) else arguments
    return arguments


class OllamaModel:
    """A model behind an Ollama server's /api/chat.

    Arguments left out come from the environment: AGENT_MODEL (qwen3), OLLAMA_URL (http://127.0.0.1:11434),
    AGENT_TIMEOUT (120 seconds), AGENT_TEMPERATURE, AGENT_SEED, AGENT_NUM_CTX (8192), AGENT_MAX_TOKENS (2048).
    Raises BadSetting for an impossible one. One instance may be used from several threads.
    """

    def __init__(
        self,
        model: str | None = None,
        url: str | None = None,
        timeout: float | None = None,
        *,
        temperature: float | None = None,
        seed: int | None = None,
        num_ctx: int | None = None,
        max_tokens: int | None = None,
    ) -> None:
        from agentkit.more.settings import address, decoding

        self.model = model or os.environ.get("AGENT_MODEL") or "qwen3"
        self.url = address("OLLAMA_URL", url or os.environ.get("OLLAMA_URL") or "http://127.0.0.1:11434")
        settings = decoding(timeout, num_ctx, max_tokens, temperature, seed)
        self.timeout, self.num_ctx, self.max_tokens, self.temperature, self.seed = settings
        self._read: dict[int, int] = {}  # conversations and the tokens that the server read of them

    def describe(self) -> dict[str, Any]:
        """What a trace should know of this model."""
        return {"provider": "ollama", "model": self.model, "url": self.url, **self._options()}

    def chat(self, messages: list[Message], tools: list[dict[str, Any]]) -> Message:
        """One reply; raises a ModelError that says what was wrong and what to do."""
        return self._ask(messages, {"tools": tools})

    def chat_constrained(self, messages: list[Message], tool: dict[str, Any]) -> Message:
        """One reply that can only be a call of `tool`: its arguments' schema is the grammar of the reply.

        A server that cannot do that is asked with this one tool on offer.
        """
        function = tool["function"]
        try:
            reply = self._ask(messages, {"format": function["parameters"]})
        except ModelRefused as error:
            if error.status != 400:
                raise
            return self.chat(messages, [tool])
        call = {"function": {"name": function["name"], "arguments": clean(text_of(reply.get("content")))}}
        return tidy_calls({**reply, "content": "", "tool_calls": [call]})

    def _options(self) -> dict[str, Any]:
        options = {"num_ctx": self.num_ctx, "num_predict": self.max_tokens}
        chosen = {"temperature": self.temperature, "seed": self.seed}
        return options | {name: value for name, value in chosen.items() if value is not None}

    def _ask(self, messages: list[Message], extra: dict[str, Any]) -> Message:
        from agentkit.more.post import post_json

        payload = {"model": self.model, "messages": messages, "stream": False, "options": self._options(), **extra}
        try:
            body = post_json(f"{self.url}/api/chat", payload, self.timeout)
        except ModelUnreachable as error:
            remedy = "Start it with `ollama serve`, set OLLAMA_URL, or add --standin to a program that has it."
            raise ModelUnreachable(f"{error} {remedy}") from None
        except ModelRefused as error:
            raise ModelRefused(f"{error} {self._remedy(str(error))}".rstrip(), error.status) from None
        message = body.get("message")
        if not isinstance(message, dict):
            raise BadReply(f"{self.url} answered without a message: {json.dumps(body)[:200]}")
        self._notice_a_cut_prompt(messages, extra, body)
        usage = {"tokens_in": body.get("prompt_eval_count"), "tokens_out": body.get("eval_count")}
        return tidy_calls({**message, "usage": {**usage, "cut": body.get("done_reason") == "length"}})

    def _remedy(self, words: str) -> str:
        if "does not support tools" in words:
            return "Choose a model that does, such as AGENT_MODEL=qwen3."
        return f"Fetch it with `ollama pull {self.model}`." if "not found" in words else ""

    def _notice_a_cut_prompt(self, messages: list[Message], extra: dict[str, Any], body: dict[str, Any]) -> None:
        """Raise ContextOverflow when Ollama dropped the start of the conversation, which it does silently.

        The signs: fewer tokens read than for an earlier, shorter state of this conversation; or a reply that ended
        for its length although it was shorter than it might have been, because the window was full.
        """
        from agentkit.more.context import read_less_than_before

        read, written = body.get("prompt_eval_count"), body.get("eval_count")
        full = body.get("done_reason") == "length" and isinstance(written, int) and written + 1 < self.max_tokens
        if full or (isinstance(read, int) and read_less_than_before(self._read, messages, extra, read)):
            raise ContextOverflow(
                f"The conversation no longer fits into {self.num_ctx} tokens: the server read only {read}, so its "
                "beginning would be lost. Raise AGENT_NUM_CTX, or give the agent less to read."
            )


class ScriptedModel:
    """Canned replies, one a call, for tests and demos; `.seen` holds a copy of all that it was asked."""

    def __init__(self, replies: Iterable[Message | str]) -> None:
        self.replies = [reply if isinstance(reply, dict) else {"content": reply} for reply in replies]
        self.seen: list[dict[str, Any]] = []

    def chat(self, messages: list[Message], tools: list[dict[str, Any]]) -> Message:
        """The next canned reply; raises ModelError when there are none left."""
        import copy

        if len(self.seen) >= len(self.replies):
            raise ModelError(f"The script has no reply left: it holds {len(self.replies)}, and one more was asked for.")
        reply = self.replies[len(self.seen)]
        self.seen.append(copy.deepcopy({"messages": messages, "tools": tools}))
        return tidy_calls(copy.deepcopy(reply))
