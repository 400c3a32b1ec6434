"""Which files of a folder count, what each is, and why the others do not.

A walk yields every file that may be listed and read. Closed places, links, special files and what the
ignore files leave out are not yielded but counted. Files that a search has no use for (too large, binary,
made by a program, or somebody else's code kept in the folder) are told by `skip_reason` and `content_reason`.

The walk is a loop, not a recursion, so the depth of a tree does not matter. It reads nothing but the
ignore files: whether a file without a telling name is binary is found out when it is indexed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from agents.codebase.fence import Entry, Fence, Refused
from agents.codebase.ignore import IGNORE_FILES, Ignore, inside
from agents.codebase.lines import read_start
from agents.codebase.secret_names import closed_because, name_closed_because

LARGEST_SEARCHED = 1_000_000
"""Bytes. A larger file is seldom written by hand; read_file reads it all the same."""

_IGNORE_FILE_BYTES = 100_000

WEIGHTS = {
    "code": 1.0,
    "docs": 0.65,
    "example": 0.45,
    "test": 0.3,
    "history": 0.25,
    "style": 0.15,
    "translation": 0.05,
}
"""How much a match counts by the kind of its file: a question is more often about what a program does
than about how it is tested, what changed last year or how it reads in Welsh."""

_ENDINGS = {
    "style": "css scss sass less svg",
    "docs": "md rst txt adoc org tex rtf",
}
_TRANSLATION_ENDINGS = (".po", ".pot", ".xlf", ".xliff")
_KIND_BY_ENDING = {ending: kind for kind, endings in _ENDINGS.items() for ending in endings.split()}
_BINARY_ENDINGS = """
    7z a avi avif bin bmp bz2 class db dll dylib eot exe flac gif gz ico jar jpeg jpg lib mo mov mp3 mp4 o obj odt
    ogg otf pdf png pyc pyd pyo rar so sqlite sqlite3 tar tgz tif tiff ttf wasm wav webm webp whl woff woff2 xls
    xlsx xz zip zst
"""
_BINARY = frozenset(_BINARY_ENDINGS.split())
_GENERATED_NAME = re.compile(
    r"\.min\.(js|css)$|\.map$|[-.]lock(\.json|b)?$|^(package-lock|npm-shrinkwrap)\.json$|^pnpm-lock\.yaml$|^go\.sum$"
    r"|^pkg-info$|_pb2(_grpc)?\.pyi?$|\.pb\.go$|\.designer\.cs$|\.g\.dart$"
)
_GENERATED_FOLDERS = frozenset(
    {
        ".eggs",
        ".mypy_cache",
        ".next",
        ".nox",
        ".nuxt",
        ".parcel-cache",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
        ".hypothesis",
        ".terraform",
        ".gradle",
        "htmlcov",
    }
)
_VENDORED_FOLDERS = frozenset(
    {
        "bower_components",
        "jspm_packages",
        "site-packages",
        "third-party",
        "third_party",
        "vendor",
        "vendored",
        ".venv",
        "virtualenv",
        ".hg",
        ".svn",
    }
)
_TEST_FOLDERS = frozenset({"test", "tests", "spec", "specs", "__tests__", "fixtures", "testdata", "js_tests"})
_TEST_NAME = re.compile(r"(test_.*|.*[_.-]tests?|.*[_.-]spec|conftest|tests?)$")
_EXAMPLE_FOLDERS = frozenset({"example", "examples", "sample", "samples", "demo", "demos", "tutorial"})
_HISTORY_FOLDERS = frozenset({"releases", "changelog", "changelogs", "release-notes", "whatsnew", "news"})
_HISTORY_NAME = re.compile(r"(changes|changelog|history|news|releases?|release[-_]notes|authors|contributors)$")


class Source(NamedTuple):
    """One file: its names below the root, its path (those joined with "/"), its size in bytes and its time
    of change in nanoseconds."""

    parts: tuple[str, ...]
    path: str
    size: int
    modified: int


def walk(fence: Fence, left_out: Counter[str], start: tuple[str, ...] = ()) -> Iterator[Source]:
    """Every file below `start` that may be listed, folder by folder.

    `left_out` counts what is not yielded, by reason. Raises Refused when `start` is no open folder.
    """
    with fence.walker() as walker:
        folders = [(start, _rules_above(fence, start))]
        while folders:
            parts, above = folders.pop()
            try:
                entries = sorted(walker.entries(parts))
            except Refused:
                if parts == start:
                    raise
                left_out["unreadable"] += 1
                continue
            rules = _rules_in(fence, parts, {entry.name for entry in entries}, above)
            prefix = "/".join((*parts, ""))
            hidden = prefix.startswith(".") or "/." in prefix
            for entry in entries:
                below = (*parts, entry.name)
                reason = _not_listed(entry, below, rules, hidden)
                if reason:
                    left_out[reason] += 1
                elif entry.kind == "folder":
                    folders.append((below, rules))
                else:
                    yield Source(below, prefix + entry.name, entry.size, entry.modified)


def ignored(fence: Fence, parts: tuple[str, ...]) -> bool:
    """Whether an ignore file leaves out the file at `parts` or a folder on the way to it."""
    rules: Ignore | None = None
    for depth in range(len(parts)):
        rules = _rules_in(fence, parts[:depth], frozenset(IGNORE_FILES), rules)
        if rules and rules.covers(parts[: depth + 1], is_folder=depth < len(parts) - 1):
            return True
    return False


def _rules_above(fence: Fence, start: tuple[str, ...]) -> Ignore | None:
    rules: Ignore | None = None
    for depth in range(len(start)):
        rules = _rules_in(fence, start[:depth], frozenset(IGNORE_FILES), rules)
    return rules


def _rules_in(fence: Fence, folder: tuple[str, ...], names: Set[str], above: Ignore | None) -> Ignore | None:
    """The rules in force in `folder`, which may hold files of these `names`."""
    if names.isdisjoint(IGNORE_FILES):
        return above
    text = "\n".join(read_start(fence, (*folder, name), _IGNORE_FILE_BYTES) for name in IGNORE_FILES if name in names)
    return inside(text, len(folder), above)


def _not_listed(entry: Entry, parts: tuple[str, ...], rules: Ignore | None, hidden: bool) -> str | None:
    """Why an entry is not yielded. `hidden` says that a name above it begins with a dot, as secret places do."""
    if entry.kind == "link":
        return "link"
    if entry.kind == "other":
        return "not a plain file"
    if closed_because(parts) if hidden else name_closed_because(entry.name, len(parts) == 1):
        return "closed"
    if entry.links > 1 and entry.kind == "file":
        return "hard link"
    if rules and rules.covers(parts, entry.kind == "folder"):
        return "ignored"
    return None


def is_translation(path: str) -> bool:
    """Whether the file holds messages of a program in another language."""
    return path.endswith(_TRANSLATION_ENDINGS)


def skip_reason(parts: Sequence[str], size: int) -> str | None:
    """Why a search leaves out the file, as far as its names and size tell."""
    name = parts[-1].lower()
    if size > LARGEST_SEARCHED:
        return "over 1 MB"
    if name.rpartition(".")[2] in _BINARY:
        return "binary"
    for part in parts[:-1]:
        if part in _VENDORED_FOLDERS:
            return "vendored"
        if part in _GENERATED_FOLDERS or part.endswith(".egg-info"):
            return "generated"
    return "generated" if _GENERATED_NAME.search(name) else None


_GENERATED_TEXT = re.compile(
    rb"@generated\b|\bcode generated by\b|\bautomatically generated by\b|\bgenerated\b.{0,40}\bdo not (?:edit|modify)\b"
    rb"|\bdo not (?:edit|modify)\b.{0,60}\bgenerated\b",
    re.IGNORECASE,
)
_LONGEST_MEAN_LINE = 500


def content_reason(data: bytes) -> str | None:
    """Why a search leaves out a file that holds `data`: it is binary or made by a program."""
    if b"\0" in data[:8192]:
        return "binary"
    if _GENERATED_TEXT.search(data[:600]) or len(data) > _LONGEST_MEAN_LINE * (data.count(b"\n") + 8):
        return "generated"
    return None


def kind_of(parts: Sequence[str]) -> str:
    """What a file is by its names: a key of WEIGHTS."""
    *folders, name = (part.lower() for part in parts)
    stem, _, ending = name.rpartition(".")
    stem = stem or name
    by_ending = _KIND_BY_ENDING.get(ending, "code")
    if is_translation(name):
        return "translation"
    if not _HISTORY_FOLDERS.isdisjoint(folders) or _HISTORY_NAME.match(stem):
        return "history" if by_ending == "docs" or "." not in name else "code"
    if not _TEST_FOLDERS.isdisjoint(folders) or _TEST_NAME.match(stem):
        return "test"
    if not _EXAMPLE_FOLDERS.isdisjoint(folders):
        return "example"
    return by_ending
