"""Opening files and listing folders below a root without following any link.

Where the system has descriptors relative to a folder (Linux, macOS), folders are opened one inside the other
with O_NOFOLLOW: what is checked is what is opened. Elsewhere (Windows) the path is looked at before and after
it is opened, and both looks must show the opened file itself, reached through no link.

This module does NOT judge names (`fence.py` does); what cannot be opened is an OSError.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agents.codebase.refusals import Refused, reason_of

HAS_DESCRIPTORS = os.open in os.supports_dir_fd and os.scandir in os.supports_fd and hasattr(os, "O_NOFOLLOW")
FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FILE = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_OPEN_FOLDERS = 64
_IS_WINDOWS = os.name == "nt"
_KINDS = {stat.S_IFREG: "file", stat.S_IFLNK: "link", stat.S_IFDIR: "folder"}


class Entry(NamedTuple):
    """One thing in a folder. `kind` is "file", "folder", "link", "other", "unreadable"; `modified` is in ns."""

    name: str
    kind: str
    size: int
    modified: int
    links: int


def open_file(root: str, descriptor: int, parts: Sequence[str]) -> int:
    """A descriptor of the file at `parts` below the root, which is given by its path and its descriptor (if any)."""
    if not HAS_DESCRIPTORS:
        return open_checked(root, parts)
    folder = _open_folder(descriptor, parts[:-1])
    try:
        return os.open(parts[-1], _FILE, dir_fd=folder)
    finally:
        os.close(folder)


def _open_folder(descriptor: int, parts: Sequence[str]) -> int:
    folder = os.dup(descriptor)
    for name in parts:
        try:
            inner = os.open(name, FOLDER, dir_fd=folder)
        finally:
            os.close(folder)
        folder = inner
    return folder


class Walker:
    """Lists folders below the root. It keeps the last few open, so that a deep tree costs one step per level."""

    def __init__(self, root: str, descriptor: int) -> None:
        self._root = root
        self._root_descriptor = descriptor
        self._open: OrderedDict[tuple[str, ...], int] = OrderedDict()

    def close(self) -> None:
        """Close every folder that is still open."""
        while self._open:
            os.close(self._open.popitem()[1])

    def entries(self, parts: tuple[str, ...]) -> list[Entry]:
        """What the folder at `parts` holds, unsorted and unjudged. Refused when it cannot be listed."""
        try:
            if not HAS_DESCRIPTORS:
                return _listed(folder_checked(self._root, parts))
            return _listed(self._folder(parts))
        except (OSError, ValueError) as error:
            raise Refused(reason_of(error, "/".join(parts), wanted="folder")) from None

    def holding(self, parts: tuple[str, ...], names: Iterable[str]) -> set[str]:
        """Which of `names` stand in the folder at `parts`. Refused when it cannot be entered."""
        try:
            if not HAS_DESCRIPTORS:
                folder = folder_checked(self._root, parts)
                return {name for name in names if os.path.lexists(os.path.join(folder, name))}
            return {name for name in names if _exists(name, self._folder(parts))}
        except (OSError, ValueError) as error:
            raise Refused(reason_of(error, "/".join(parts), wanted="folder")) from None

    def _folder(self, parts: tuple[str, ...]) -> int:
        depth = len(parts)
        while depth and parts[:depth] not in self._open:
            depth -= 1
        folder = self._open[parts[:depth]] if depth else self._root_descriptor
        for reached in range(depth, len(parts)):
            folder = os.open(parts[reached], FOLDER, dir_fd=folder)
            self._open[parts[: reached + 1]] = folder
            if len(self._open) > _OPEN_FOLDERS:
                os.close(self._open.popitem(last=False)[1])
        return folder


def _exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _listed(folder: int | str) -> list[Entry]:
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:  # gone since the folder was read
                continue
            except OSError:
                found.append(Entry(entry.name, "unreadable", 0, 0, 1))
                continue
            found.append(Entry(entry.name, _kind(status), status.st_size, status.st_mtime_ns, status.st_nlink))
    return found


def _kind(status: os.stat_result) -> str:
    if _IS_WINDOWS and status.st_reparse_tag:  # type: ignore[attr-defined]
        return "link"
    return _KINDS.get(stat.S_IFMT(status.st_mode), "other")


# -- systems without descriptors relative to a folder ----------------------------------------------------


def folder_checked(root: str, parts: Sequence[str]) -> str:
    """The path of the folder at `parts` when no step of it is a link; OSError with ELOOP when one is."""
    path = root
    for name in parts:
        if os.name == "nt" and (":" in name or name != name.rstrip(". ")):
            raise FileNotFoundError(errno.ENOENT, "no such name", name)
        path = os.path.join(path, name)
        if _kind(os.lstat(path)) == "link":
            raise OSError(errno.ELOOP, "is a link", path)
    return path


def open_checked(root: str, parts: Sequence[str]) -> int:
    """Open the file at `parts` when the path, looked at before and after, holds no link and is that file."""
    path = folder_checked(root, parts)
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise OSError(errno.EISDIR if os.path.isdir(path) else errno.EINVAL, "no plain file", path)
    descriptor = os.open(path, _FILE)
    try:
        same = os.path.samestat(os.fstat(descriptor), os.lstat(folder_checked(root, parts)))
        if not same:
            raise OSError(errno.ELOOP, "was swapped while it was opened", path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
