"""Where an index lives: one SQLite file per root in the user's cache directory.

`$XDG_CACHE_HOME/draughts-agents/` (else `~/.cache`, on Windows `%LOCALAPPDATA%`; a variable that is no absolute
path is passed over, as the XDG Base Directory Specification asks), a folder that only
its owner may enter (mode 0700), holding one file per root, named by a hash of the root's real path.
A file that is damaged, or of another format, is removed; where nothing can be written, the database is
in memory and lasts as long as the program.

This module does NOT know what is in an index: it is given the schema and a number for its format.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import suppress
from pathlib import Path

BUSY_SECONDS = 60
"""How long one process waits for another that is writing the same index."""
_MEMORY = ":memory:"


def folder() -> Path:
    """The cache directory of this project, made if need be. OSError when it cannot be used safely."""
    named = [os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("LOCALAPPDATA", "") if os.name == "nt" else ""]
    base = next(filter(os.path.isabs, named), None) or Path.home() / ".cache"
    place = Path(base) / "draughts-agents"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.name == "posix":
        if place.stat().st_uid != os.geteuid():
            raise PermissionError(f"{place} belongs to another user.")
        place.chmod(0o700)
    return place


def place_for(root: str, of: str) -> str:
    """The file for the index `of` something in `root` (a real path), or `:memory:` where none can be written."""
    name = hashlib.sha256(os.fsencode(root)).hexdigest()[:32]
    try:
        return str(folder() / f"{name}-{of}.sqlite3")
    except (OSError, RuntimeError):
        return _MEMORY


def opened(place: str, schema: str, version: int) -> sqlite3.Connection:
    """A database at `place` with the schema in it: the one that is there, a new one, or one in memory."""
    for attempt in (place, place, _MEMORY):
        try:
            return _prepared(attempt, schema, version)
        except sqlite3.Error as error:
            if not is_busy(error):
                remove(attempt)
    raise sqlite3.DatabaseError("SQLite cannot hold an index, even in memory. Python's SQLite needs FTS5.")


def _prepared(place: str, schema: str, version: int) -> sqlite3.Connection:
    database = sqlite3.connect(place, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        _prepare(database, schema, version)
    except BaseException:
        database.close()
        raise
    return database


def _prepare(database: sqlite3.Connection, schema: str, version: int) -> None:
    """Make the tables if there are none. Raises sqlite3.Error when what is there cannot be used."""
    database.execute("PRAGMA synchronous = OFF")
    database.execute("PRAGMA cache_size = -32000")
    if database.execute("PRAGMA user_version").fetchone()[0] == version:
        return
    database.execute("BEGIN IMMEDIATE")
    found = database.execute("PRAGMA user_version").fetchone()[0]
    if found == 0 and not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        for statement in filter(str.strip, schema.split(";")):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {version}")
    elif found != version:
        raise sqlite3.DatabaseError(f"an index of format {found}, not {version}")
    database.execute("COMMIT")


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another process held the database for too long, so that it must not be removed."""
    return isinstance(error, sqlite3.OperationalError) and ("locked" in str(error) or "busy" in str(error))


def remove(place: str) -> None:
    """Remove the index at `place` with what SQLite keeps beside it."""
    if place == _MEMORY:
        return
    for ending in ("", "-journal", "-wal", "-shm"):
        with suppress(OSError):
            Path(place + ending).unlink()
