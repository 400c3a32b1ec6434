"""The fence: a folder whose files can be opened, and nothing outside it.

A path is taken apart into names, each name is judged (`secret_names.py`), and the file is opened by a walk from
the root that follows no link (`nofollow.py`), so that swapping a file for a link while it is read leaks nothing.
Only plain files with one name are read.

Covered: `..` and absolute paths, links of files and folders, dangling links, hard links, pipes, sockets and
devices, secrets and closed folders, other spellings of their names, broken names.
NOT covered: another file system mounted below the root (it counts as part of the folder), and a person who may
already write to the folder and puts a copy of a secret there under a harmless name.

A root that is itself a link is followed, once, when the fence is made.
"""

from __future__ import annotations

import os
import re
import stat
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from agents.codebase.nofollow import FOLDER, HAS_DESCRIPTORS, Entry, Walker, open_file
from agents.codebase.refusals import Refused, reason_of, shown
from agents.codebase.secret_names import closed_because

LONGEST_PATH = 32_767
"""Characters; no common system takes a longer path."""
_DRIVE = re.compile(r"[A-Za-z]:")


def judge(parts: Sequence[str]) -> None:
    """Raise Refused when a name on the way to `parts` is closed."""
    reason = closed_because(parts)
    if reason:
        raise Refused(f"{shown('/'.join(parts))} is closed: {shown(reason)}.")


class Fence:
    """A folder whose files can be opened, and nothing outside it."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """Raises FileNotFoundError or NotADirectoryError when `root` is no folder, PermissionError when closed."""
        given = Path(root)
        if not os.fspath(root) or not given.exists():
            raise FileNotFoundError(f"There is no folder {str(root)!r}. Name one that exists.")
        if not given.is_dir():
            raise NotADirectoryError(f"{str(root)!r} is a file, not a folder. Name the folder that holds it.")
        self.root = os.path.realpath(given)
        self._descriptor = -1
        if HAS_DESCRIPTORS:
            try:
                self._descriptor = os.open(self.root, FOLDER)
            except PermissionError:
                raise PermissionError(f"You may not read the folder {str(root)!r}. Name one that you may.") from None
            weakref.finalize(self, os.close, self._descriptor)

    # -- paths ---------------------------------------------------------------------------------------

    def parts(self, path: str) -> tuple[str, ...]:
        """The names from the root to `path`, or Refused when it leads outside or to something closed.

        `..` is worked out on the names alone (no link is followed, so this is what it means), and an
        absolute path is accepted only when it begins with the root's own.
        """
        if "\0" in path:
            raise Refused("A path cannot hold a NUL character. Write the path as search_files returned it.")
        if len(path) > LONGEST_PATH:
            raise Refused(f"A path of {len(path)} characters is too long. Write it as search_files returned it.")
        names = self._below_root(path)
        if names is None:
            raise Refused(f"{shown(path)} is outside the folder. Write a path inside it, such as src/app.py.")
        judge(names)
        return names

    def _below_root(self, path: str) -> tuple[str, ...] | None:
        text = path.replace("\\", "/")
        if text.startswith("/") or _DRIVE.match(text):
            base = [name for name in self.root.replace("\\", "/").split("/") if name]
            given = [name for name in text.split("/") if name]
            if given[: len(base)] != base:
                return None
            text = "/".join(given[len(base) :])
        names: list[str] = []
        for name in text.split("/"):
            if name == ".." and not names:
                return None
            if name == "..":
                names.pop()
            elif name not in ("", "."):
                names.append(name)
        return tuple(names)

    # -- files ---------------------------------------------------------------------------------------

    @contextmanager
    def open(self, parts: Sequence[str]) -> Iterator[int]:
        """The descriptor of the plain file at `parts`, for the length of a `with` block."""
        descriptor = self._open_file(parts)
        try:
            _must_be_plain(os.fstat(descriptor), "/".join(parts))
            yield descriptor
        finally:
            os.close(descriptor)

    def _open_file(self, parts: Sequence[str]) -> int:
        if not parts:
            raise Refused("That is a folder, not a file. Use list_files to see what is in it.")
        judge(parts)
        try:
            return open_file(self.root, self._descriptor, parts)
        except (OSError, ValueError) as error:
            raise Refused(reason_of(error, "/".join(parts))) from None

    # -- folders -------------------------------------------------------------------------------------

    def entries(self, parts: Sequence[str]) -> list[Entry]:
        """What the folder at `parts` holds, unsorted and unjudged. Refused when it cannot be listed."""
        with self.walker() as walker:
            return walker.entries(tuple(parts))

    @contextmanager
    def walker(self) -> Iterator[Walker]:
        """A lister of many folders, which keeps some of them open; for the length of a `with` block."""
        walker = Walker(self.root, self._descriptor)
        try:
            yield walker
        finally:
            walker.close()


def _must_be_plain(status: os.stat_result, where: str) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise Refused(f"{shown(where)} is a folder, not a file. Use list_files to see what is in it.")
    if not stat.S_ISREG(status.st_mode):
        raise Refused(f"{shown(where)} is no plain file (a pipe, socket or device), so it was not read.")
    if status.st_nlink > 1:
        raise Refused(
            f"{shown(where)} has a second name (a hard link) that may lie outside the folder, so it was not read."
        )
