"""What tools returned, written as plain Markdown: a page that a model writes from, or a plain answer by itself.

General rules, no knowledge of any job: each tool's result is one part. Simple values come first, on one line; a list
of records is a table with one row per record, its name in the first column; records with a text are listed by their
texts, those with a file as `file:line`. Nothing is counted, compared or left out silently.
"""

from __future__ import annotations

from typing import Any

MOST = 12  # items of one list; more would bury the rest of the answer
SIMPLE = (str, int, float, bool)


def listing(results: list[tuple[str, Any]], whole: bool = False) -> str:
    """Return one part of Markdown for each (tool, result).

    `whole` gives all there is: long lists to their end, notes, and the text of each line of a file; otherwise it is
    an answer for a reader.
    """
    parts = [_part(tool, result, whole) for tool, result in results]
    return "\n\n".join(parts) if parts else "There was nothing to do: no tool was called."


def _part(tool: str, result: Any, whole: bool) -> str:
    title = f"**{_words(tool).capitalize()}**"
    if isinstance(result, dict):
        return "\n\n".join([title, *_blocks(result, whole)])
    return f"{title}\n\n{_value(result)}"


def _blocks(result: dict[str, Any], whole: bool) -> list[str]:
    if isinstance(result.get("file"), str):
        return _file(result) if whole else [_place(result)]
    if not whole:
        result = {key: value for key, value in result.items() if key.split("_")[-1] != "note"}
    long = {key: value for key, value in result.items() if whole and isinstance(value, str) and "\n" in value}
    simple = {key: value for key, value in result.items() if isinstance(value, SIMPLE) and key not in long}
    blocks = ["; ".join(f"{_words(key)}: {_value(value)}" for key, value in simple.items())] if simple else []
    blocks += [f"{_words(key)}:\n\n{value}" for key, value in long.items()]
    for key, value in result.items():
        if isinstance(value, list):
            blocks.append(_list(key, value, whole))
        elif isinstance(value, dict):
            blocks.append(f"{_words(key)}: " + _pairs(value))
    return blocks or ["Nothing was found."]


def _list(key: str, items: list[Any], whole: bool) -> str:
    """Write a list: records by their kind, anything else line by line."""
    if not items:
        return f"{_words(key)}: nothing was found."
    shown = items if whole else items[:MOST]
    if all(isinstance(item, dict) for item in shown):
        lines = records(shown, whole)
    else:
        lines = [f"- {_value(item)}" for item in shown]
    return "\n".join([f"{_words(key)}:", "", *lines] + (["", "There are more."] if len(shown) < len(items) else []))


def records(rows: list[dict[str, Any]], whole: bool = False) -> list[str]:
    """Return the lines of a list of records: a table, or a list of texts or places."""
    if all("file" in row for row in rows):
        texts = [f": {_value(row['text'])}" if whole and "text" in row else "" for row in rows]
        return [f"- {_place(row)}{text}" for row, text in zip(rows, texts, strict=True)]
    if all("text" in row for row in rows):
        return [f"- {_value(row['text'])}" for row in rows]
    return _table(rows)


def _table(records: list[dict[str, Any]]) -> list[str]:
    keys = list(dict.fromkeys(key for record in records for key in record))
    head = ["| " + " | ".join(_words(key) for key in keys) + " |", "|" + " --- |" * len(keys)]
    return head + ["| " + " | ".join(_value(record.get(key)) for key in keys) + " |" for record in records]


def _place(record: dict[str, Any]) -> str:
    line = record.get("line", record.get("first_line"))
    return str(record["file"]) + (f":{line}" if line is not None else "")


def _file(result: dict[str, Any]) -> list[str]:
    """A file that was read: its name, and its lines as they were returned."""
    lines = result.get("lines")
    return [f"{result['file']}:", *([] if not isinstance(lines, list) else ["\n".join(map(_value, lines))])]


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
