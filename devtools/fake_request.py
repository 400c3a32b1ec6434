"""Reading a chat request as strictly as Ollama does, and refusing it in the words of the JSON reader it uses.

Both doors of the fake server read with it. It judges the form only; whether there is such a model is the
backend's question (fake_backend.py).

Source of the words: the errors of Go's encoding/json, which Ollama passes on as they are.
"""

from __future__ import annotations

import json
from typing import Any

from flask import request

from devtools.fake_backend import Refusal


def read_body() -> dict[str, Any]:
    """The request's JSON object. Raises Refusal in the words of the JSON reader that Ollama uses."""
    text = request.get_data(as_text=True)
    if not text.strip():
        raise Refusal(400, "missing request body")
    try:
        body = json.loads(text)
    except json.JSONDecodeError as problem:
        if problem.pos >= len(text):
            raise Refusal(400, "unexpected EOF") from None
        wrong = text[problem.pos]
        raise Refusal(400, f"invalid character '{wrong}' looking for beginning of value") from None
    if not isinstance(body, dict):
        raise Refusal(400, f"json: cannot unmarshal {go_kind(body)} into Go value of type api.ChatRequest")
    return body


def go_kind(value: Any) -> str:
    """The name that Go's JSON reader gives to a value's kind."""
    kinds = {bool: "bool", int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return kinds.get(type(value), "null")


def check_messages(body: dict[str, Any]) -> None:
    """Refuse what Ollama's strict types refuse: text that is no text, arguments that are no object."""

    def must_be(value: Any, kind: type, where: str, go_type: str) -> None:
        if value is not None and not isinstance(value, kind):
            field = f"Go struct field ChatRequest.messages{where} of type {go_type}"
            raise Refusal(400, f"json: cannot unmarshal {go_kind(value)} into {field}")

    body["messages"] = body.get("messages") or []
    must_be(body["messages"], list, "", "[]api.Message")
    for message in body["messages"]:
        must_be(message, dict, "", "api.Message")
        must_be(message.get("content"), str, ".content", "string")
        for call in message.get("tool_calls") or []:
            arguments = (call.get("function") or {}).get("arguments")
            must_be(arguments, dict, ".tool_calls.function.arguments", "api.ToolCallFunctionArguments")
