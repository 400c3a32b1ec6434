"""Text and JSON as HTML: escaped, shortened where it is very long, with an anchor at each value a fact points to.

Role: `json_text(value, marks)` writes indented JSON, where `marks` maps a path such as `standings.table[0].elo` to its
anchor's name. `as_text` and `as_code` make blocks of words and of JSON. Not here: what a page consists of
(trace_page.py), styles.

    json_text({"elo": 1208}, {"elo": "e4-v0"})   # holds <span class="value" id="e4-v0">1208</span>
"""

from __future__ import annotations

import json
from html import escape
from typing import Any

__all__ = ["as_code", "as_text", "cut", "json_text", "parsed"]

MOST_LETTERS = 20_000  # of one text on the page; the trace keeps the whole


def json_text(value: Any, marks: dict[str, str] | None = None, root: str = "") -> str:
    """Return a value as indented JSON in HTML; paths in `marks` begin with `root`."""
    return _Writer(marks or {}, root).write(value)


class _Writer:
    """Writes one value; it knows how much it has written, so that a page stays readable."""

    def __init__(self, marks: dict[str, str], root: str) -> None:
        self.marks = marks
        self.root = root
        self.letters = 0

    def write(self, value: Any) -> str:
        return self._value(value, self.root, 0)

    def _value(self, value: Any, path: str, depth: int) -> str:
        if self.letters > MOST_LETTERS and path not in self.marks:
            return "…"
        if isinstance(value, dict) and value and depth < 50:
            inner = [
                f"{quoted(str(key))}: {self._value(item, f'{path}.{key}' if path else str(key), depth + 1)}"
                for key, item in value.items()
            ]
            text = self._block("{", inner, "}", depth)
        elif isinstance(value, list) and value and depth < 50:
            inner = [self._value(item, f"{path}[{number}]", depth + 1) for number, item in enumerate(value)]
            text = self._block("[", inner, "]", depth)
        else:
            text = quoted(value)
        self.letters += len(text)
        anchor = self.marks.get(path)
        return f'<span class="value" id="{anchor}">{text}</span>' if anchor else text

    def _block(self, left: str, inner: list[str], right: str, depth: int) -> str:
        if sum(map(len, inner)) < 100 and not any("\n" in one for one in inner):
            return f"{left}{', '.join(inner)}{right}"
        space = "  " * (depth + 1)
        return f"{left}\n{space}" + f",\n{space}".join(inner) + f"\n{'  ' * depth}{right}"


def quoted(value: Any) -> str:
    """Return a single value as JSON."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = repr(type(value))
    return cut(text)


def cut(text: str) -> str:
    """Return a text escaped, and shortened with a notice where it is very long."""
    if len(text) <= MOST_LETTERS:
        return escape(text)
    return escape(text[:MOST_LETTERS]) + f"<em> … {len(text) - MOST_LETTERS} more letters are in the trace.</em>"


def as_text(value: Any) -> str:
    """Return words of a model or a person as a paragraph."""
    return f'<pre class="text">{cut(str(value or ""))}</pre>'


def as_code(value: Any) -> str:
    """Return a value as a block of JSON; nothing for an empty one."""
    return f"<pre>{json_text(value)}</pre>" if value not in (None, {}, "") else ""


def parsed(text: str) -> Any:
    """Return the value that JSON text holds, or the text itself."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
