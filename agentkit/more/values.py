"""Values and records: the types of what tools gave, and how a log's entry is read.

Role: `Source` is one value with its receipt, `Record` an object that is about something. `result_of`, `as_object`
and `failed` read an entry of a tool log. Not here: walking a result (walk.py), finding values (sources.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from agentkit.more.numbers import Token

__all__ = ["Record", "Source", "as_object", "failed", "never_succeeded", "result_of"]


class Record:
    """An object of the results that is about something: its values by path, and where it stands."""

    __slots__ = ("call", "fields", "group", "named", "parent", "path", "tool")

    def __init__(self, call: int, tool: str, path: str, group: str, parent: Record | None, named: str = "") -> None:
        self.call = call
        self.tool = tool
        self.path = path
        self.group = group  # the list it is one of: "standings.table"
        self.parent = parent
        self.named = named  # the key it stands under, where that is a name
        self.fields: dict[str, Any] = {}


class Source(NamedTuple):
    """One value that a tool gave, and its receipt."""

    call: int  # 1 for the first call of the log
    tool: str
    path: str
    field: str  # the last name of the path: "elo"
    token: Token
    unit: str
    record: Record | None
    given: Any  # the whole value that the token stands in

    @property
    def receipt(self) -> str:
        return f"{self.tool}, {self.path}"


def result_of(entry: dict[str, Any]) -> Any:
    """Return an entry's result, read from JSON text where it is one."""
    return _read(entry.get("result"))


def as_object(result: Any) -> Mapping[str, Any]:
    """Return a result that is an object, or JSON text of one; an empty object for anything else."""
    value = _read(result)
    return value if isinstance(value, Mapping) else {}


def _read(result: Any) -> Any:
    if isinstance(result, str) and result.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(result)
        except (ValueError, RecursionError):
            return result
    return result


def never_succeeded(names: Iterable[str], tool_log: list[dict[str, Any]]) -> list[str]:
    """Return those of the named tools that have not run without an error yet, in order."""
    done = {entry.get("tool") for entry in tool_log if not failed(result_of(entry))}
    return [name for name in names if name not in done]


def failed(result: Any) -> bool:
    """Return whether a result is an error: one with an `error` that says something, or a bad status with `errors`."""
    if not isinstance(result, dict):
        return False
    refused = result.get("status", "ok") != "ok" and bool(result.get("errors"))
    return refused or result.get("error") not in (None, "", False)
