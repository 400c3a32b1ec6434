"""True answers about files, to be spoiled: made-up folders in the shapes of the codebase helper's tools.

Role: `examples(count, seed)` makes tool logs of search_files, read_file and list_files over invented files, and a true
answer for each that cites shown lines as `file:line`, in several wordings, half of them with the value that stands
there. Mistakes are put in: a file's neighbour (another name, that no tool returned), a line that was never shown, one
past a stretch that was, a value that no line has, and a value beside another line than the one that has it.
Not here: finding files (agents/codebase/), counting who noticed (mutate.py).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from agents.codebase.numbers import NEAR
from agents.codebase.shown import lines_shown, what_was_shown
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
UNITS = ["", " seconds", " entries", " KiB", " %"]
NAMES = ["LIMIT", "self.timeout", "size", "const MAX"]
TOPICS = ["the session cookie", "the retry limit", "the cache key", "the login route", "the default timeout"]
VALUE = re.compile(r"(?<![\w.:/])\d+(?:\.\d+)?(?![\w:/.])")
CITATION = re.compile(r"(?P<file>[\w./-]+\.[a-z]+):(?P<line>\d+)")


def examples(count: int, seed: int) -> list[Example]:
    """Return `count` true answers about files; the same seed gives the same ones."""
    rand = random.Random(seed)
    return [_example(rand) for _ in range(count)]


def _example(rand: random.Random) -> Example:
    files = list(dict.fromkeys(_file(rand) for _ in range(6)))
    values = rand.sample(range(3, 9_000), 6)
    places = {(rand.choice(files[:4]), rand.randint(500, 900)): value for value in values[: rand.randint(2, 6)]}
    found = [
        {"file": file, "line": line, "text": f"{rand.choice(NAMES)} = {_written(value, rand)}"}
        for (file, line), value in places.items()
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
    cited, value = f"{one['file']}:{one['line']}", str(one["text"]).rpartition(" ")[2]
    answer = _answer_with(value, cited, topic, rand) if rand.random() < 0.5 else _answer(cited, place, topic, rand)
    return Example("codebase", answer, log)


def _written(value: int, rand: random.Random) -> str:
    """A value as code may have it: 812 or 8.12."""
    return rand.choice([str(value), f"{value / 100:.2f}"])


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


def _answer_with(value: str, found: str, topic: str, rand: random.Random) -> str:
    unit = rand.choice(UNITS)
    return rand.choice(
        [
            f"{topic.capitalize()} is {value}{unit} ({found}).",
            f"It is set to **{value}**{unit}, see `{found}`.",
            f"In {found} it is {value}{unit}.",
            f"- {topic}: {value}{unit}, {found}",
        ]
    )


def neighbouring_file(example: Example, rand: random.Random) -> str | None:
    """A cited file is one that no tool returned: another name in the same folder, or the same name elsewhere."""
    cited = _one_citation(example, rand)
    if not cited:
        return None
    known = str(example.tool_log)
    folder, _, name = cited["file"].rpartition("/")
    stem, _, ending = name.rpartition(".")
    new = rand.choice([f"{folder}/{rand.choice(STEMS)}.{ending}".lstrip("/"), f"other/{name}", f"{stem}2.{ending}"])
    if new in known:
        return None
    return example.answer[: cited.start("file")] + new + example.answer[cited.end("file") :]


def line_beyond(example: Example, rand: random.Random) -> str | None:
    """A cited line is the first one past a stretch of lines that was shown."""
    cited = _one_citation(example, rand)
    if not cited:
        return None
    shown = what_was_shown(example.tool_log).get(cited["file"], set())
    beyond = [line + step for line in shown for step in (-1, 1) if line + step not in shown and line + step > 0]
    if not beyond:
        return None
    return example.answer[: cited.start("line")] + str(rand.choice(beyond)) + example.answer[cited.end("line") :]


def value_of_nobody(example: Example, rand: random.Random) -> str | None:
    """The value is one that no line has."""
    stated = VALUE.search(example.answer)
    if not stated:
        return None
    changed = f"{float(stated[0]) + rand.choice([-1, 1, 10]):.2f}" if "." in stated[0] else str(int(stated[0]) + 1)
    if changed in str(example.tool_log):
        return None
    return example.answer[: stated.start()] + changed + example.answer[stated.end() :]


def value_elsewhere(example: Example, rand: random.Random) -> str | None:
    """The line that is cited for the value is another one that was found."""
    cited = CITATION.search(example.answer)
    if not VALUE.search(example.answer) or not cited:
        return None
    places = [(file, line) for file, line in lines_shown(example.tool_log) if _is_other(file, line, cited)]
    file, line = rand.choice(places) if places else (None, None)
    return CITATION.sub(f"{file}:{line}", example.answer) if file else None


def _is_other(file: str, line: int, cited: re.Match[str]) -> bool:
    return file != cited["file"] or abs(line - int(cited["line"])) > NEAR


def _one_citation(example: Example, rand: random.Random) -> re.Match[str] | None:
    found = list(CITATION.finditer(example.answer))
    return rand.choice(found) if found else None


INVENTED: dict[str, Callable[[Example, random.Random], str | None]] = {
    "a file's neighbour": neighbouring_file,
    "a line beyond those shown": line_beyond,
    "a value that no line has": value_of_nobody,
}
MISPLACED: dict[str, Callable[[Example, random.Random], str | None]] = {"a value of another line": value_elsewhere}
