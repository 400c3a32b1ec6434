"""Which files of a folder count, what each is, and why the others do not.

A walk yields every file that may be listed and read. Those that a search has no use for (too large,
binary, made by a program, or somebody else's code kept in the folder) carry the reason in `skip`.
Closed places, links, special files and what the ignore files leave out are not yielded but counted.

The walk is a loop, not a recursion, so the depth of a tree does not matter. It reads nothing but the
ignore files: whether a file without a telling name is binary is found out when it is indexed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
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
    "translation": "po pot xlf xliff",
    "style": "css scss sass less svg",
    "docs": "md rst txt adoc org tex rtf",
}
_KIND_BY_ENDING = {ending: kind for kind, endings in _ENDINGS.items() for ending in endings.split()}
_BINARY_ENDINGS = """
    7z a avi avif bin bmp bz2 class db dll dylib eot exe flac gif gz ico jar jpeg jpg lib mo mov mp3 mp4 o obj odt
    ogg otf pdf png pyc pyd pyo rar so sqlite sqlite3 tar tgz tif tiff ttf wasm wav webm webp whl woff woff2 xls
    xlsx xz zip zst
"""
_BINARY = frozenset(_BINARY_ENDINGS.split())
_GENERATED_NAME = re.compile(
    r"\.min\.(js|css)$|\.map$|[-.]lock(\.json|b)?$|^(package-lock|npm-shrinkwrap)\.json$|^pnpm-lock\.yaml$|^go\.sum$"
    r"|^pkg-info$|_pb2(_grpc)?\.pyi?$|\.pb\.go$|\.designer\.cs$|\.g\.dart$")
_GENERATED_FOLDERS = frozenset({
    ".eggs", ".mypy_cache", ".next", ".nox", ".nuxt", ".parcel-cache", ".pytest_cache", ".ruff_cache", ".tox",
    ".hypothesis", ".terraform", ".gradle", "htmlcov"})
_VENDORED_FOLDERS = frozenset({
    "bower_components", "jspm_packages", "site-packages", "third-party", "third_party", "vendor", "vendored",
    ".venv", "virtualenv", ".hg", ".svn"})
_TEST_FOLDERS = frozenset({"test", "tests", "spec", "specs", "__tests__", "fixtures", "testdata", "js_tests"})
_TEST_NAME = re.compile(r"(test_.*|.*[_.-]tests?|.*[_.-]spec|conftest|tests?)$")
_EXAMPLE_FOLDERS = frozenset({"example", "examples", "sample", "samples", "demo", "demos", "tutorial"})
_HISTORY_FOLDERS = frozenset({"releases", "changelog", "changelogs", "release-notes", "whatsnew", "news"})
_HISTORY_NAME = re.compile(r"(changes|changelog|history|news|releases?|release[-_]notes|authors|contributors)$")


class Source(NamedTuple):
    """One file: its names below the root, its size in bytes, its time of change in nanoseconds,
    and why a search leaves it out (None when it does not)."""

    parts: tuple[str, ...]
    size: int
    modified: int
    skip: str | None

    @property
    def path(self) -> str:
        """The path below the root, with forward slashes."""
        return "/".join(self.parts)


def walk(fence: Fence, left_out: Counter[str], start: tuple[str, ...] = ()) -> Iterator[Source]:
    """Every file below `start` that may be listed, folder by folder, the nearest folders first.

    `left_out` counts what is not yielded, by reason. Raises Refused when `start` is no open folder.
    """
    with fence.walker() as walker:
        rules = _rules_above(fence, start)
        folders = [(start, rules)]
        for parts, above in folders:
            try:
                entries = sorted(walker.entries(parts))
            except Refused:
                if parts == start:
                    raise
                left_out["unreadable"] += 1
                continue
            rules = _rules_in(fence, parts, entries, above)
            for entry in entries:
                below = (*parts, entry.name)
                reason = _not_listed(entry, below, rules)
                if reason:
                    left_out[reason] += 1
                elif entry.kind == "folder":
                    folders.append((below, rules))
                else:
                    yield Source(below, entry.size, entry.modified, skip_reason(below, entry.size))


def ignored(fence: Fence, parts: tuple[str, ...]) -> bool:
    """Whether an ignore file leaves out the file at `parts` or a folder on the way to it."""
    rules: Ignore | None = None
    for depth in range(len(parts)):
        rules = _rules_in(fence, parts[:depth], None, rules)
        if rules and rules.covers(parts[:depth + 1], is_folder=depth < len(parts) - 1):
            return True
    return False


def _rules_above(fence: Fence, start: tuple[str, ...]) -> Ignore | None:
    rules: Ignore | None = None
    for depth in range(len(start)):
        rules = _rules_in(fence, start[:depth], None, rules)
    return rules


def _rules_in(fence: Fence, folder: tuple[str, ...], entries: list[Entry] | None,
              above: Ignore | None) -> Ignore | None:
    """The rules in force in `folder`. With its `entries` at hand, nothing is opened when it has no ignore file."""
    there = IGNORE_FILES if entries is None else [
        name for name in IGNORE_FILES if any(entry.name == name for entry in entries)]
    text = "\n".join(read_start(fence, (*folder, name), _IGNORE_FILE_BYTES) for name in there)
    return inside(text, len(folder), above) if text.strip() else above


def _not_listed(entry: Entry, parts: tuple[str, ...], rules: Ignore | None) -> str | None:
    if entry.kind == "link":
        return "link"
    if entry.kind == "other":
        return "not a plain file"
    hidden_place = len(parts) > 1 and any(part.startswith(".") for part in parts[:-1])
    if closed_because(parts) if hidden_place else name_closed_because(entry.name, len(parts) == 1):
        return "closed"
    if entry.links > 1 and entry.kind == "file":
        return "hard link"
    if rules and rules.covers(parts, entry.kind == "folder"):
        return "ignored"
    return None


def skip_reason(parts: tuple[str, ...], size: int) -> str | None:
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
    rb"|\bdo not (?:edit|modify)\b.{0,60}\bgenerated\b", re.IGNORECASE)
_LONGEST_MEAN_LINE = 500


def content_reason(data: bytes) -> str | None:
    """Why a search leaves out a file that holds `data`: it is binary or made by a program."""
    if b"\0" in data[:8192]:
        return "binary"
    if _GENERATED_TEXT.search(data[:600]) or len(data) > _LONGEST_MEAN_LINE * (data.count(b"\n") + 8):
        return "generated"
    return None


def kind_of(parts: tuple[str, ...]) -> str:
    """What a file is by its names: a key of WEIGHTS."""
    *folders, name = (part.lower() for part in parts)
    stem, _, ending = name.rpartition(".")
    stem = stem or name
    by_ending = _KIND_BY_ENDING.get(ending, "code")
    if by_ending == "translation":
        return by_ending
    if not _HISTORY_FOLDERS.isdisjoint(folders) or _HISTORY_NAME.match(stem):
        return "history" if by_ending == "docs" or "." not in name else "code"
    if not _TEST_FOLDERS.isdisjoint(folders) or _TEST_NAME.match(stem):
        return "test"
    if not _EXAMPLE_FOLDERS.isdisjoint(folders):
        return "example"
    return by_ending
