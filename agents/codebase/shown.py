"""What the tools returned: which files, which of their lines, and the texts of these lines.

Results are read from a tool log, {"tool", "args", "result"} per call, in which a result may be anything, so that what
has another shape is passed over. A failed call has shown nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentkit.more.values import as_object, failed
from agents.codebase.mentions import tidy

ToolLog = Sequence[Mapping[str, Any]]
Lines = dict[str, set[int]]  # by file
Place = tuple[str, int]  # a file, and the number of a line of it

_NUMBERED = re.compile(r"(\d{1,9}): ")


def what_was_shown(tool_log: ToolLog) -> Lines:
    """The files that tools returned, each with the numbers of its lines that were shown."""
    record: Lines = {}
    for result in _results(tool_log):
        for file, lines in _files(result):
            record.setdefault(file, set()).update(lines)
    return record


def lines_shown(tool_log: ToolLog) -> dict[Place, str]:
    """The texts of the lines that tools showed, in the order in which they were shown first."""
    return {
        (file, number): text
        for result in _results(tool_log)
        for file, lines in _files(result)
        for number, text in lines.items()
    }


def places_shown(tool_log: ToolLog) -> list[str]:
    """What an answer may cite, as path:line: the lines that were found, then those that were read, the last first."""
    found = [entry for entry in tool_log if entry.get("tool") == "search_files"]
    read = [entry for entry in reversed(tool_log) if entry.get("tool") != "search_files"]
    shown = [place for entry in (*found, *read) for place, text in lines_shown([entry]).items() if text.strip()]
    return [f"{file}:{line}" for file, line in dict.fromkeys(shown)]


def counts_shown(tool_log: ToolLog) -> list[tuple[str, int]]:
    """What the tools counted, as (name, number): lines and files, found, skipped or left out."""
    named = [pair for result in _results(tool_log) for pair in result.items()]
    named += [pair for _, value in named if isinstance(value, Mapping) for pair in value.items()]
    counts = [(str(name), value) for name, value in named if isinstance(value, int) and not isinstance(value, bool)]
    return [count for count in dict.fromkeys(counts) if count[0] != "first_line"]


def remarks_shown(tool_log: ToolLog) -> list[str]:
    """What the tools said beside the lines, such as how many more there are."""
    named = [pair for result in _results(tool_log) for pair in result.items()]
    return [value for name, value in named if isinstance(value, str) and name != "file"]


def _results(tool_log: ToolLog) -> list[dict[str, Any]]:
    results = [as_object(entry.get("result")) for entry in tool_log]
    return [result for result in results if not failed(result)]


def _files(result: Mapping[str, Any]) -> Iterator[tuple[str, dict[int, str]]]:
    """Each file that a result names, with the lines of it that it shows."""
    for match in _items(result.get("best_matches")):
        if isinstance(match, Mapping):
            number = match.get("line")
            is_number = isinstance(number, int) and not isinstance(number, bool)
            yield from _file(match.get("file"), {number: str(match.get("text", ""))} if is_number else {})
    numbered = [(line, _NUMBERED.match(line)) for line in _items(result.get("lines")) if isinstance(line, str)]
    yield from _file(result.get("file"), {int(found[1]): line[found.end() :] for line, found in numbered if found})
    for file in _items(result.get("files")):
        yield from _file(file, {})


def _file(name: object, lines: dict[int, str]) -> Iterator[tuple[str, dict[int, str]]]:
    if isinstance(name, str) and name:
        yield tidy(name).removeprefix("./"), lines


def _items(value: object) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []
