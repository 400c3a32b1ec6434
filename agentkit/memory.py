"""A notebook: what agents may remember from one run to the next.

Role: short dated notes in one JSON file, found again by the words that they share with a question. Agents only ever
read it, through `recall_tool()`; writing is the program's part, after a person approved (or, unattended, every check).
Not here: meaning. Words are compared as they are written, without stems or synonyms.

    notebook = Notebook("data/notebook.json")
    notebook.add("easy against medium: medium won", tags=["easy", "medium"])
    notebook.search("How did medium do?")
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from agentkit.errors import DamagedFile
from agentkit.files import locked, read_json, write_json
from agentkit.tools import Tool

__all__ = ["Notebook"]

Note = dict[str, Any]
WORD = re.compile(r"\w+")


class Notebook:
    """Notes in the file `path`: a list of `{"when": ISO time in UTC, "text": str, "tags": [str, …]}`, oldest first.

    A file that is no such list raises DamagedFile and is left as it is.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def notes(self) -> list[Note]:
        """All notes, oldest first; an empty list when there is no file yet."""
        try:
            notes = read_json(self.path)
        except FileNotFoundError:
            return []
        if not isinstance(notes, list) or not all(_is_note(note) for note in notes):
            raise DamagedFile(self.path, 'not a list of {"when", "text", "tags"}')
        return notes

    def add(self, text: str, tags: Iterable[str] = ()) -> Note:
        """Add a note and return it. Safe beside other processes that add theirs."""
        when = datetime.now(timezone.utc).isoformat(timespec="seconds")
        note = {"when": when, "text": text, "tags": list(tags)}
        with locked(self.path):
            write_json(self.path, [*self.notes(), note])
        return note

    def search(self, query: str, limit: int = 3) -> list[Note]:
        """At most `limit` notes that share a word with `query`: most words shared first, then the newest."""
        wanted = _words(query)
        scored = [(len(wanted & _words(note["text"], *note["tags"])), note) for note in reversed(self.notes())]
        scored.sort(key=lambda pair: -pair[0])  # stable: among equals the newest stays first
        return [note for score, note in scored if score > 0][:limit]

    def recall_tool(self) -> Tool:
        """The read-only tool `recall(query)` -> `{"notes_found", "notes"}` for an agent."""

        def recall(query: str) -> dict[str, Any]:
            """Find earlier notes that share words with the query.

            Args:
                query: words to look for, such as names
            """
            notes = self.search(query)
            return {"notes_found": len(notes), "notes": notes}

        return Tool(recall, limits={"query": {"maxLength": 500}})


def _words(*texts: str) -> set[str]:
    return {word for text in texts for word in WORD.findall(text.casefold())}


def _is_note(note: Any) -> bool:
    if not isinstance(note, dict) or not isinstance(note.get("text"), str) or not isinstance(note.get("when"), str):
        return False
    tags = note.setdefault("tags", [])
    return isinstance(tags, list) and all(isinstance(tag, str) for tag in tags)
