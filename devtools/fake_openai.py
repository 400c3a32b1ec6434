"""The fake server's OpenAI form, `/v1/chat/completions` and `/v1/models`, as Ollama and others have it.

A request is translated into Ollama's form, answered by the same models (fake_backend.py), and translated
back: arguments of a tool call are JSON text here, results name the call by its id, costs are called `usage`.

What it does not do: other endpoints, several choices, log probabilities, checking an API key.

Source of the forms: the OpenAI API reference for chat completions; Ollama's openai/openai.go.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from typing import Any

from flask import Flask, Response

from devtools.fake_backend import Answer, Backend, Refusal, words
from devtools.fake_request import check_messages, read_body

Body = dict[str, Any]


# ---- from OpenAI's form to Ollama's ----------------------------------------------------------------


def to_native(body: Body) -> Body:
    """The same request as `/api/chat` would get it. Raises Refusal."""
    options = {key: body[key] for key in ("temperature", "seed", "num_ctx") if body.get(key) is not None}
    limit = body.get("max_completion_tokens") or body.get("max_tokens")
    if limit is not None:
        options["num_predict"] = limit
    return {
        "model": body.get("model"),
        "messages": [native_message(message, body["messages"]) for message in body.get("messages") or []],
        "tools": offered_tools(body),
        "format": wanted_shape(body.get("response_format") or {}),
        "options": options,
    }


def native_message(message: Body, conversation: list[Body]) -> Body:
    """One message with text as text, arguments as an object, and a tool's result under the tool's name."""
    native: Body = {"role": message.get("role"), "content": plain_text(message.get("content"))}
    if message.get("tool_calls"):
        native["tool_calls"] = [native_call(call) for call in message["tool_calls"]]
    if message.get("role") == "tool":
        native["tool_name"] = message.get("name") or called_name(message.get("tool_call_id"), conversation)
    return native


def plain_text(content: Any) -> str:
    """The text of a message: a string, nothing, or a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def native_call(call: Body) -> Body:
    """One call of an earlier message, its arguments read. Raises Refusal."""
    function = call.get("function") or {}
    try:
        arguments = json.loads(function.get("arguments") or "{}")
    except (TypeError, ValueError):
        arguments = None
    if not isinstance(arguments, dict):
        raise Refusal(400, "invalid tool call arguments")
    return {"id": call.get("id"), "function": {"name": function.get("name"), "arguments": arguments}}


def called_name(call_id: Any, conversation: list[Body]) -> str:
    """The tool that the call of this id asked for."""
    for message in conversation:
        for call in message.get("tool_calls") or []:
            if call.get("id") == call_id:
                return str(call["function"]["name"])
    return ""


def offered_tools(body: Body) -> list[Body]:
    """The tools, or those of them that `tool_choice` leaves."""
    tools, choice = body.get("tools") or [], body.get("tool_choice")
    if choice == "none":
        return []
    if isinstance(choice, dict):
        return [tool for tool in tools if tool["function"]["name"] == choice["function"]["name"]]
    return tools


def wanted_shape(response_format: Body) -> Any:
    """`response_format` as Ollama's `format`: a schema, `"json"`, or nothing."""
    if response_format.get("type") == "json_schema":
        return response_format["json_schema"]["schema"]
    return "json" if response_format.get("type") == "json_object" else None


# ---- from Ollama's form to OpenAI's ----------------------------------------------------------------


def tool_calls(answer: Answer, number: int) -> list[Body]:
    """The calls of an answer with ids of their own and arguments as JSON text."""
    calls = enumerate(answer.message.get("tool_calls", []))
    return [
        {
            "id": f"call_{number}_{index}",
            "index": index,
            "type": "function",
            "function": {
                "name": call["function"]["name"],
                "arguments": json.dumps(call["function"]["arguments"], ensure_ascii=False),
            },
        }
        for index, call in calls
    ]


def finish_reason(answer: Answer) -> str:
    """Why the reply ended: `tool_calls`, `stop` or `length`."""
    return "tool_calls" if answer.message.get("tool_calls") else answer.done_reason


def usage(answer: Answer) -> Body:
    """What the reply cost, in tokens."""
    return {
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.reply_tokens,
        "total_tokens": answer.prompt_tokens + answer.reply_tokens,
    }


def whole(header: Body, answer: Answer, calls: list[Body]) -> Body:
    """The answer as one object."""
    message: Body = {"role": "assistant", "content": answer.message["content"]}
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": finish_reason(answer)}
    return {**header, "object": "chat.completion", "choices": [choice], "usage": usage(answer)}


def streamed(header: Body, answer: Answer, calls: list[Body], with_usage: bool) -> Iterator[str]:
    """The answer as server-sent events: pieces of text, the calls, the reason, and `[DONE]`."""

    def event(choices: list[Body], **more: Any) -> str:
        part = {**header, "object": "chat.completion.chunk", "choices": choices, **more}
        return f"data: {json.dumps(part, ensure_ascii=False)}\n\n"

    def piece(delta: Body, reason: str | None = None) -> str:
        return event([{"index": 0, "delta": delta, "finish_reason": reason}])

    yield piece({"role": "assistant", "content": ""})
    for word in words(answer.message["content"]):
        yield piece({"content": word})
    if calls:
        yield piece({"tool_calls": calls})
    yield piece({}, finish_reason(answer))
    if with_usage:
        yield event([], usage=usage(answer))
    yield "data: [DONE]\n\n"


# ---- the pages -------------------------------------------------------------------------------------


def add_openai_pages(app: Flask, backend: Backend) -> None:
    """The pages under /v1, answered by the same models as Ollama's own."""
    numbers = itertools.count(1)

    @app.get("/v1/models")
    def models() -> Body:
        facts = {"object": "model", "created": 0, "owned_by": "library"}
        return {"object": "list", "data": [{"id": name, **facts} for name in backend.all_names()]}

    @app.post("/v1/chat/completions")
    def completions() -> Any:
        body = read_body()
        native = to_native(body)
        check_messages(native)
        if not native["messages"]:
            raise Refusal(400, "[] is too short - 'messages'")
        answer, number = backend.answer(native), next(numbers)
        header = {"id": f"chatcmpl-{number}", "created": int(time.time()), "model": body["model"]}
        calls = tool_calls(answer, number)
        if not body.get("stream"):
            return whole({**header, "system_fingerprint": "fp_fake"}, answer, calls)
        with_usage = bool((body.get("stream_options") or {}).get("include_usage"))
        return Response(streamed(header, answer, calls, with_usage), mimetype="text/event-stream")
