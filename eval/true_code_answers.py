"""True answers about files, to be spoiled: made-up folders in the shapes of the codebase helper's tools.

Role: `examples(count, seed)` makes tool logs of search_files, read_file and list_files over invented files, and a true
answer for each that cites shown lines as `file:line`, in several wordings. Two mistakes are put in: a file's neighbour
(another name, that no tool returned) and a line that was never shown, one past a stretch that was.
Not here: finding files (agents/codebase/), counting who noticed (mutate.py).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

from eval.true_answers import Example

FOLDERS = ["src/", "app/views/", "lib/core/", "", "tests/", "docs/", "server/api/v2/", "packages/web/src/"]
STEMS = [
    "router",
    "session",
    "settings",
    "models",
    "user_store",
    "index",
    "cache",
    "queue",
    "README",
    "helpers",
    "auth",
]
ENDINGS = [".py", ".js", ".ts", ".go", ".rs", ".md", ".rst", ".c", ".h", ".java", ".toml"]
TOPICS = ["the session cookie", "the retry limit", "the cache key", "the login route", "the default timeout"]
CITATION = re.compile(r"(?P<file>[\w./-]+\.[a-z]+):(?P<line>\d+)")


def examples(count: int, seed: int) -> list[Example]:
    """Return `count` true answers about files; the same seed gives the same ones."""
    rand = random.Random(seed)
    return [_example(rand) for _ in range(count)]


def _example(rand: random.Random) -> Example:
    files = list(dict.fromkeys(_file(rand) for _ in range(6)))
    found = [
        {"file": rand.choice(files[:4]), "line": rand.randint(1, 400), "text": "x = 1"}
        for _ in range(rand.randint(2, 6))
    ]
    file, first = rand.choice(files), rand.randint(1, 300)
    lines = [f"{number}: y = 2" for number in range(first, first + rand.randint(5, 40))]
    read = {"file": file, "first_line": first, "total_lines": first + 200, "lines": lines}
    log = [
        {
            "tool": "search_files",
            "args": {"text": "session"},
            "result": {"lines_found": len(found), "best_matches": found},
        },
        {"tool": "read_file", "args": {"path": file, "start": first}, "result": read},
    ]
    place = f"{file}:{rand.randint(first, first + len(lines) - 1)}"
    one, topic = rand.choice(found), rand.choice(TOPICS)
    return Example("codebase", _answer(f"{one['file']}:{one['line']}", place, topic, rand), log)


def _file(rand: random.Random) -> str:
    return rand.choice(FOLDERS) + rand.choice(STEMS) + rand.choice(ENDINGS)


def _answer(found: str, read: str, topic: str, rand: random.Random) -> str:
    return rand.choice(
        [
            f"It is set in {found} and used in {read}.",
            f"{topic.capitalize()} is defined at `{found}`; see also `{read}`.",
            f"Two places matter for {topic}:\n\n- {found}\n- {read}",
            f"See {read} ({topic}), which is called from **{found}**.",
            f"{topic.capitalize()} is written here: {read}. The lookup is in {found}, nowhere else.",
            f"1. `{found}` sets {topic}.\n2. `{read}` reads it.",
        ]
    )


def neighbouring_file(example: Example, rand: random.Random) -> str | None:
    """A cited file is one that no tool returned: another name in the same folder, or the same name elsewhere."""
    cited = rand.choice(list(CITATION.finditer(example.answer)))
    known = str(example.tool_log)
    folder, _, name = cited["file"].rpartition("/")
    stem, _, ending = name.rpartition(".")
    new = rand.choice([f"{folder}/{rand.choice(STEMS)}.{ending}".lstrip("/"), f"other/{name}", f"{stem}2.{ending}"])
    if new in known:
        return None
    return example.answer[: cited.start("file")] + new + example.answer[cited.end("file") :]


def line_beyond(example: Example, rand: random.Random) -> str | None:
    """A cited line is the first one past a stretch of lines that was shown."""
    cited = rand.choice(list(CITATION.finditer(example.answer)))
    shown = _shown(example.tool_log, cited["file"])
    beyond = [line + step for line in shown for step in (-1, 1) if line + step not in shown and line + step > 0]
    if not beyond:
        return None
    return example.answer[: cited.start("line")] + str(rand.choice(beyond)) + example.answer[cited.end("line") :]


def _shown(tool_log: list[dict[str, Any]], file: str) -> set[int]:
    shown = {one["line"] for one in tool_log[0]["result"]["best_matches"] if one["file"] == file}
    read = tool_log[1]["result"]
    if read["file"] == file:
        shown |= {int(line.partition(":")[0]) for line in read["lines"]}
    return shown


INVENTED: dict[str, Callable[[Example, random.Random], str | None]] = {
    "a file's neighbour": neighbouring_file,
    "a line beyond those shown": line_beyond,
}
