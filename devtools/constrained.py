"""Replies held to a shape: what a server's grammar does to a model, done here to the stand-in.

A reply that is JSON of the wanted shape already stays as it is. Any other is replaced by a value that fits
the schema: filled by name from what the conversation tells (the task's inputs, the tools' results), else the
first choice, the default or the smallest value allowed; a question of yes or no is answered by yes.

What it does not do: make up text for a `pattern`; only a value from the conversation can meet one.
"""

from __future__ import annotations

import json
from typing import Any

from agentkit.arguments import Arguments
from devtools.standin import known_values

Schema = dict[str, Any]


def constrained(text: str, shape: Schema | str, messages: list[dict[str, Any]]) -> str:
    """JSON text of the `shape`: `"json"` for any object, or a JSON Schema."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(shape, dict):
        return text if isinstance(value, dict) else json.dumps({"answer": text}, ensure_ascii=False)
    if value is not None and fits(value, shape):
        return text
    return json.dumps(fitting(shape, known_values(messages)), ensure_ascii=False)


def fits(value: Any, schema: Schema) -> bool:
    """Whether a JSON value is of the schema's shape as it stands, with nothing converted."""
    if schema.get("type") == "object":
        schema = {"properties": {}, "required": [], **schema}
    judged = Arguments({"properties": {"value": schema}, "required": ["value"]}, {"value": value})
    return not judged.problems and not judged.converted


def fitting(schema: Schema, known: dict[str, Any], name: str = "") -> Any:
    """A value of the schema's shape; `known` are values by name, `name` is the one that is filled now."""
    if name in known and fits(known[name], schema):
        return known[name]
    if "enum" in schema:
        return schema["enum"][0]
    if "default" in schema:
        return schema["default"]
    if "anyOf" in schema:
        return fitting(schema["anyOf"][0], known, name)
    return smallest(schema, known)


def smallest(schema: Schema, known: dict[str, Any]) -> Any:
    """The smallest value of a schema that leaves no choice by name."""
    kind = schema.get("type", "object")
    if kind == "object":
        return {key: fitting(part, known, key) for key, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [fitting(schema.get("items", {}), known) for _ in range(schema.get("minItems", 0))]
    if kind == "string":
        return "-" * schema.get("minLength", 0)
    if kind in ("integer", "number"):
        least = max(0, schema.get("minimum", 0))
        return min(least, schema.get("maximum", least))
    return True if kind == "boolean" else None
