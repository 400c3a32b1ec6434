"""Which files of a folder there are to list, read and search.

A walk yields every file that may be listed and read. Closed places, links, special files and what the
ignore files leave out are not yielded but counted. The walk is a loop, not a recursion, so the depth of a
tree does not matter, and it opens nothing but folders and the ignore files. What kind of file each is, and
whether a search has any use for it, is `kinds.py`'s business.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set
from typing import NamedTuple

from agents.codebase.fence import Fence
from agents.codebase.ignore import IGNORE_FILES, Ignore, inside
from agents.codebase.lines import read_start
from agents.codebase.nofollow import Entry
from agents.codebase.refusals import Refused
from agents.codebase.secret_names import closed_because, may_lead_to_secrets, name_closed_because

_IGNORE_FILE_BYTES = 100_000


class Source(NamedTuple):
    """One file: its path below the root (names joined with "/"), its size in bytes, its time of change (ns)."""

    path: str
    size: int
    modified: int

    @property
    def parts(self) -> tuple[str, ...]:
        """The names on the way to the file."""
        return tuple(self.path.split("/"))


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
            by_place = may_lead_to_secrets(parts)
            for entry in entries:
                reason = _not_listed(entry, parts, rules, by_place)
                if reason:
                    left_out[reason] += 1
                elif entry.kind == "folder":
                    folders.append(((*parts, entry.name), rules))
                else:
                    yield Source(prefix + entry.name, entry.size, entry.modified)


def ignored(fence: Fence, parts: tuple[str, ...]) -> bool:
    """Whether an ignore file leaves out the file at `parts` or a folder on the way to it."""
    return any(
        rules is not None and rules.covers(parts[: depth + 1], is_folder=depth < len(parts) - 1)
        for depth, rules in enumerate(_rules_on_the_way(fence, parts))
    )


def _rules_above(fence: Fence, start: tuple[str, ...]) -> Ignore | None:
    return [None, *_rules_on_the_way(fence, start)][-1]


def _rules_on_the_way(fence: Fence, parts: tuple[str, ...]) -> Iterator[Ignore | None]:
    """The rules in force in the root and each folder below it that leads to `parts`, as far as there are such."""
    rules: Ignore | None = None
    with fence.walker() as walker:
        for depth in range(len(parts)):
            try:
                names = walker.holding(parts[:depth], IGNORE_FILES)
            except Refused:  # no such folder: whoever opens the path is told
                return
            rules = _rules_in(fence, parts[:depth], names, rules)
            yield rules


def _rules_in(fence: Fence, folder: tuple[str, ...], names: Set[str], above: Ignore | None) -> Ignore | None:
    """The rules in force in `folder`, which may hold files of these `names`."""
    if names.isdisjoint(IGNORE_FILES):
        return above
    text = "\n".join(read_start(fence, (*folder, name), _IGNORE_FILE_BYTES) for name in IGNORE_FILES if name in names)
    return inside(text, len(folder), above)


def _not_listed(entry: Entry, folder: tuple[str, ...], rules: Ignore | None, by_place: bool) -> str | None:
    """Why an entry is not yielded. `by_place` says that the names above it may make a difference."""
    if entry.kind == "link":
        return "link"
    if entry.kind == "unreadable":
        return "unreadable"
    if entry.kind == "other":
        return "not a plain file"
    if closed_because((*folder, entry.name)) if by_place else name_closed_because(entry.name, not folder):
        return "closed"
    if entry.links > 1 and entry.kind == "file":
        return "hard link"
    if rules and rules.covers((*folder, entry.name), entry.kind == "folder"):
        return "ignored"
    return None
