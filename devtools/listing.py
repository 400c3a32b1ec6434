"""What tools returned, written as plain Markdown that a check can follow: the stand-in model's answers.

General rules, no knowledge of any job: each tool's result is one part. Simple values come first, on one
line; a list of records is a table with one row per record, its name in the first column; a file is written
`file:line` without the text of the line. Nothing is counted, compared or left out silently.
"""

from __future__ import annotations

from typing import Any

MOST = 12  # items of one list; more would bury the rest of the answer
SIMPLE = (str, int, float, bool)


def listing(results: list[tuple[str, Any]]) -> str:
    """Return one part of Markdown for each (tool, result)."""
    parts = [_part(tool, result) for tool, result in results]
    return "\n\n".join(parts) if parts else "There was nothing to do: no tool was called."


def _part(tool: str, result: Any) -> str:
    title = f"**{_words(tool).capitalize()}**"
    if isinstance(result, dict):
        return "\n\n".join([title, *_blocks(result)])
    return f"{title}\n\n{_value(result)}"


def _blocks(result: dict[str, Any]) -> list[str]:
    if isinstance(result.get("file"), str):
        return [_place(result)]
    result = {key: value for key, value in result.items() if key.split("_")[-1] != "note"}
    simple = [f"{_words(key)}: {_value(value)}" for key, value in result.items() if isinstance(value, SIMPLE)]
    blocks = ["; ".join(simple)] if simple else []
    for key, value in result.items():
        if isinstance(value, list):
            blocks.append(_list(key, value))
        elif isinstance(value, dict):
            blocks.append(f"{_words(key)}: " + _pairs(value))
    return blocks or ["Nothing was found."]


def _list(key: str, items: list[Any]) -> str:
    """Write a list: records by their kind, anything else line by line."""
    if not items:
        return f"{_words(key)}: nothing was found."
    shown, rest = items[:MOST], len(items) > MOST
    if all(isinstance(item, dict) for item in shown):
        lines = _records(shown)
    else:
        lines = [f"- {_value(item)}" for item in shown]
    return "\n".join([f"{_words(key)}:", "", *lines] + (["", "There are more."] if rest else []))


def _records(records: list[dict[str, Any]]) -> list[str]:
    if all("file" in record for record in records):
        return [f"- {_place(record)}" for record in records]
    if all("text" in record for record in records):
        return [f"- {_value(record['text'])}" for record in records]
    return _table(records)


def _table(records: list[dict[str, Any]]) -> list[str]:
    keys = list(dict.fromkeys(key for record in records for key in record))
    head = ["| " + " | ".join(_words(key) for key in keys) + " |", "|" + " --- |" * len(keys)]
    return head + ["| " + " | ".join(_value(record.get(key)) for key in keys) + " |" for record in records]


def _place(record: dict[str, Any]) -> str:
    line = record.get("line", record.get("first_line"))
    return str(record["file"]) + (f":{line}" if line is not None else "")


def _pairs(values: dict[str, Any]) -> str:
    return ", ".join(f"{_words(key)} {_value(value)}" for key, value in values.items())


def _value(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return _pairs(value)
    if isinstance(value, list):
        return ", ".join(_value(item) for item in value)
    return str(value).replace("|", "/").replace("\n", " ")


def _words(key: str) -> str:
    return key.replace("_", " ")
