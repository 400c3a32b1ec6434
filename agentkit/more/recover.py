"""Calls that a model wrote as text instead of sending them as calls, which small models do most of the time.

Role: `calls_from_text` reads `<tool_call>{…}</tool_call>`, a bare JSON object or a list of them, and fenced ones, with
the small faults that are seen in practice (doubled braces, `parameters` for `arguments`). A reply counts only when
all of it is such calls and each names a tool that was offered: prose with an example in it is an answer.
Not here: repairing JSON that was cut off. A call that has to be guessed is not made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container
from typing import Any

from agentkit.models import tidy_arguments

__all__ = ["calls_from_text"]

BETWEEN = re.compile(
    r"(?:[\s,;]|</?tool_calls?>|\[/?TOOL_CALLS\]|<\|python_tag\|>|(?:`{3,}|~{3,})[a-z_]*)*", re.IGNORECASE
)
KEYS = {"name", "arguments", "parameters", "type", "id", "function"}
_decode = json.JSONDecoder().raw_decode


def calls_from_text(text: str, offered: Container[str]) -> list[tuple[str, Any]]:
    """The calls that `text` consists of, as (name, arguments), or [] when it is an answer."""
    values = _values(text)
    if values is None and "{{" in text:
        values = _values(text.replace("{{", "{").replace("}}", "}"))
    calls = [_call(value, offered) for value in _flat(values or [])]
    return [call for call in calls if call] if all(calls) else []


def _values(text: str) -> list[Any] | None:
    """The JSON values that stand one after the other in `text`, or None when anything else stands there too."""
    values: list[Any] = []
    position = _next(text, 0)
    while position < len(text):
        try:
            value, position = _decode(text, position)
        except (ValueError, RecursionError):
            return None
        values.append(value)
        position = _next(text, position)
    return values


def _next(text: str, position: int) -> int:
    """Where the next value begins: tags, fences and commas are passed over."""
    between = BETWEEN.match(text, position)
    return between.end() if between else position


def _flat(values: list[Any]) -> list[Any]:
    """Lists of calls, and objects that hold one as `tool_calls`, opened."""
    found: list[Any] = []
    for value in values:
        inner = value.get("tool_calls") if isinstance(value, dict) and len(value) == 1 else value
        found += inner if isinstance(inner, list) else [value]
    return found


def _call(value: Any, offered: Container[str]) -> tuple[str, Any] | None:
    """(name, arguments) when the value is a call of an offered tool and nothing besides."""
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        value = value["function"]
    if not isinstance(value, dict) or not set(value) <= KEYS:
        return None
    name = value.get("name", value.get("function"))
    if not isinstance(name, str) or name not in offered:
        return None
    return name, tidy_arguments(value.get("arguments", value.get("parameters")))
