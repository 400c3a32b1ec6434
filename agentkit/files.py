"""Files that are whole or not there at all, and locks between processes.

Role: everything in this project that must survive a power cut is written here: a temporary file beside the target,
flushed to the disk, then renamed over it in one step. A reader sees the old text or the new one, never a half.
Not here: what is in the files. Traces are appended line by line instead (trace.py).

    write_json("data/notebook.json", notes)
    with locked("data/notebook.json"):            # read, change, write: alone
        ...
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from agentkit.errors import DamagedFile

__all__ = ["claim_stamp", "locked", "read_json", "write_json", "write_whole"]


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write `content` (text is stored as UTF-8) so that `path` holds all of it or what it held before.

    Raises OSError (disk full, folder read-only, …); the old file is then untouched and no temporary file is left.
    """
    target = Path(os.path.realpath(path))  # a link stays a link: the file behind it is replaced
    data = content.encode("utf-8") if isinstance(content, str) else content
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.urandom(6).hex()}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(OSError):  # a replaced file keeps its permissions
            os.chmod(temporary, target.stat().st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the rename itself lasting, where the system can (Windows has no such call, some file systems refuse)."""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def write_json(path: str | Path, value: Any) -> None:
    """Write `value` as readable JSON, whole or not at all. Raises TypeError or ValueError when it is no JSON."""
    write_whole(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def read_json(path: str | Path) -> Any:
    """The JSON value in `path`. Raises FileNotFoundError, or DamagedFile when it is not JSON in UTF-8."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise DamagedFile(path, "not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        raise DamagedFile(path, f"not JSON: {error}") from None


@contextlib.contextmanager
def locked(path: str | Path) -> Iterator[None]:
    """Hold the lock that belongs to `path`, waiting for other threads and processes that hold it.

    The lock is the file `.NAME.lock` beside it, which stays; the system frees the lock when a process dies.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(target.with_name(f".{target.name}.lock"), "a+b") as file:
        _lock(file.fileno())
        try:
            yield
        finally:
            _unlock(file.fileno())


def claim_stamp(
    folder: str | Path,
    suffix: str,
    moment: datetime | None = None,
    taken: Callable[[str], bool] = lambda stamp: False,
) -> str:
    """Reserve a name like `20261028-140501` (UTC) and return it.

    The reservation is an empty file `folder/STAMP+suffix`, made only if it is not there yet, which holds between
    threads and processes. A stamp that is reserved, or `taken`, is passed over for the next second's.
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    moment = moment or datetime.now(timezone.utc)
    while True:
        stamp = moment.strftime("%Y%m%d-%H%M%S")
        claim = Path(folder) / (stamp + suffix)
        with contextlib.suppress(FileExistsError):
            claim.touch(exist_ok=False)
            if not taken(stamp):  # asked after claiming: nobody can finish it in between
                return stamp
            claim.unlink()
        moment += timedelta(seconds=1)


if os.name == "nt":
    import msvcrt

    def _lock(descriptor: int) -> None:
        while True:
            try:
                os.lseek(descriptor, 0, os.SEEK_SET)
                return msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined,no-any-return]
            except OSError:  # it gives up after ten seconds: ask again
                time.sleep(0.05)

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined]
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
