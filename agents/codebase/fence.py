"""The fence: every file is opened by a walk from the root's own descriptor that follows no link.

A path is taken apart into names, each name is judged (`secret_names`), and then the folders are opened
one inside the other with O_NOFOLLOW, so there is no moment between a check and its use: what is
checked is what is read, even while someone swaps a file for a link. Only plain files with one name
are read. Where a system has no such descriptors (Windows), the path is looked at before and after it
is opened, and both looks must show the opened file itself, reached through no link.

Covered: `..` and absolute paths, links of files and folders, dangling links, hard links, pipes,
sockets and devices, secrets and closed folders, other spellings of their names, broken names.
NOT covered: another file system mounted below the root (it counts as part of the folder), and a
person who may already write to the folder and puts a copy of a secret there under a harmless name.

A root that is itself a link is followed, once, when the fence is made.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import weakref
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from agents.codebase.secret_names import closed_because

_HAS_DESCRIPTORS = os.open in os.supports_dir_fd and os.scandir in os.supports_fd and hasattr(os, "O_NOFOLLOW")
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FILE = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_DRIVE = re.compile(r"[A-Za-z]:")
_OPEN_FOLDERS = 64
_IS_WINDOWS = os.name == "nt"
_KINDS = {stat.S_IFREG: "file", stat.S_IFLNK: "link", stat.S_IFDIR: "folder"}


class Refused(Exception):
    """The fence said no. The text says why, in words for the model."""


class Entry(NamedTuple):
    """One thing in a folder. `kind` is "file", "folder", "link" or "other"; `modified` is in nanoseconds."""

    name: str
    kind: str
    size: int
    modified: int
    links: int


def judge(parts: Sequence[str]) -> None:
    """Raise Refused when a name on the way to `parts` is closed."""
    reason = closed_because(parts)
    if reason:
        raise Refused(f"{shown('/'.join(parts))} is closed: {shown(reason)}.")


class Fence:
    """A folder whose files can be opened, and nothing outside it."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """Raises FileNotFoundError or NotADirectoryError when `root` is no folder."""
        given = Path(root)
        if not given.exists():
            raise FileNotFoundError(f"There is no folder {str(root)!r}. Name one that exists.")
        if not given.is_dir():
            raise NotADirectoryError(f"{str(root)!r} is a file, not a folder. Name the folder that holds it.")
        self.root = os.path.realpath(given)
        self._descriptor = -1
        if _HAS_DESCRIPTORS:
            self._descriptor = os.open(self.root, _FOLDER)
            weakref.finalize(self, os.close, self._descriptor)

    # -- paths ---------------------------------------------------------------------------------------

    def parts(self, path: str) -> tuple[str, ...]:
        """The names from the root to `path`, or Refused when it leads outside or to something closed.

        `..` is worked out on the names alone (no link is followed, so this is what it means), and an
        absolute path is accepted only when it begins with the root's own.
        """
        if "\0" in path:
            raise Refused("A path cannot hold a NUL character. Write the path as search_files returned it.")
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
        where = "/".join(parts)
        if not parts:
            raise Refused("That is a folder, not a file. Use list_files to see what is in it.")
        judge(parts)
        try:
            if not _HAS_DESCRIPTORS:
                return open_checked(self.root, parts)
            folder = self._open_folder(parts[:-1])
            try:
                return os.open(parts[-1], _FILE, dir_fd=folder)
            finally:
                os.close(folder)
        except (OSError, ValueError) as error:
            raise Refused(_reason(error, where)) from None

    def _open_folder(self, parts: Sequence[str]) -> int:
        folder = os.dup(self._descriptor)
        for name in parts:
            try:
                inner = os.open(name, _FOLDER, dir_fd=folder)
            finally:
                os.close(folder)
            folder = inner
        return folder

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
            if not _HAS_DESCRIPTORS:
                return _listed(folder_checked(self._root, parts))
            return _listed(self._folder(parts))
        except (OSError, ValueError) as error:
            raise Refused(_reason(error, "/".join(parts), wanted="folder")) from None

    def _folder(self, parts: tuple[str, ...]) -> int:
        depth = len(parts)
        while depth and parts[:depth] not in self._open:
            depth -= 1
        folder = self._open[parts[:depth]] if depth else self._root_descriptor
        for reached in range(depth, len(parts)):
            folder = os.open(parts[reached], _FOLDER, dir_fd=folder)
            self._open[parts[: reached + 1]] = folder
            if len(self._open) > _OPEN_FOLDERS:
                os.close(self._open.popitem(last=False)[1])
        return folder


def _listed(folder: int | str) -> list[Entry]:
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:  # gone since the folder was read
                continue
            found.append(Entry(entry.name, _kind(status), status.st_size, status.st_mtime_ns, status.st_nlink))
    return found


def _kind(status: os.stat_result) -> str:
    if _IS_WINDOWS and status.st_reparse_tag:  # type: ignore[attr-defined]
        return "link"
    return _KINDS.get(stat.S_IFMT(status.st_mode), "other")


def _must_be_plain(status: os.stat_result, where: str) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise Refused(f"{shown(where)} is a folder, not a file. Use list_files to see what is in it.")
    if not stat.S_ISREG(status.st_mode):
        raise Refused(f"{shown(where)} is no plain file (a pipe, socket or device), so it was not read.")
    if status.st_nlink > 1:
        raise Refused(
            f"{shown(where)} has a second name (a hard link) that may lie outside the folder, so it was not read."
        )


def _reason(error: OSError | ValueError, where: str, wanted: str = "file") -> str:
    code = getattr(error, "errno", None)
    name = shown(where) or "."
    if code in (errno.ELOOP, errno.EMLINK):
        return f"{name} is a link, and links are not followed."
    if code == errno.ENOTDIR and wanted == "folder":
        return f"{name} is not a folder (or is a link, and links are not followed). To see a file, use read_file."
    if code in (errno.ENOENT, errno.ENOTDIR):
        return f"There is no {wanted} {name}. Use list_files or search_files to see what there is."
    if code == errno.EISDIR:
        return f"{name} is a folder, not a file. Use list_files to see what is in it."
    if code in (errno.EACCES, errno.EPERM):
        return f"{name} may not be read by this user."
    return f"{name} could not be opened: {getattr(error, 'strerror', None) or error}."


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


# -- names as they are shown -----------------------------------------------------------------------------

_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\\\\\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def shown(name: str) -> str:
    r"""A name or path for people, models and JSON: control characters and broken bytes as `\x1b`, `\xff`.

    Different names are shown differently, since a backslash is escaped too.
    """
    return _UNSHOWN.sub(_escaped, name)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match.group())
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
