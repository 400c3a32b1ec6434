"""The passages of a folder in SQLite's full-text index (FTS5), brought up to date with the files.

The index holds words and places, never a line to be shown: lines are read from the files themselves.
It is brought up to date by comparing each file's size and time of change; it is safe for two processes
(one writes, the other waits and then finds the work done); and when it turns out to be damaged, it is
removed and made anew. Where it lives is `cache.py`'s business.

FTS5's table keeps no text (`content=''`), so the row of a passage that is gone cannot be taken out of
it. The row stays, points to nothing and is passed over; when half of the rows are such, the index is
made anew.
"""

from __future__ import annotations

import sqlite3
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from agents.codebase import cache
from agents.codebase.fence import Fence
from agents.codebase.kinds import (
    LARGEST_SEARCHED,
    WEIGHTS,
    content_reason,
    is_translation,
    kind_of,
    skip_reason,
)
from agents.codebase.lines import read_whole
from agents.codebase.passages import cut, path_words
from agents.codebase.refusals import Refused, shown
from agents.codebase.sources import Source, walk

FORMAT = 1
"""Raise it whenever what is indexed changes: an index of another format is made anew."""

_SCHEMA = """
    CREATE TABLE files (id INTEGER PRIMARY KEY, path BLOB UNIQUE, size INTEGER, modified INTEGER, skip TEXT);
    CREATE TABLE passages (id INTEGER PRIMARY KEY, file INTEGER, first INTEGER, last INTEGER, weight REAL);
    CREATE TABLE ids (next INTEGER);
    CREATE INDEX passages_of_file ON passages (file);
    CREATE VIRTUAL TABLE words USING fts5 (path, names, body, content='', tokenize='porter unicode61');
    CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, 'row');
    INSERT INTO ids VALUES (1)
"""
_COLUMN_WEIGHTS = "2.0, 3.0, 1.0"
"""How much a match counts in a passage's path, in the names it defines and in its text."""
_UNSETTLED = 20_000_000
"""Nanoseconds. A file changed so shortly before it was read may change again without its time showing it."""
_MOST_DEAD_ROWS = 0.5
_CHEAP_CHECK = 0.010
_CHECK_PAUSE = 20
_PROGRESS_STEP = 200
_WORDY = frozenset({"docs", "history", "translation", "style"})

T = TypeVar("T")
Progress = Callable[[int, int], None]
"""Called with the number of files done and the number to do, while an index is made."""


class Hit(NamedTuple):
    """A passage that a query found: its file (names joined with "/"), its lines, and how well it fits."""

    path: str
    first: int
    last: int
    score: float


class Index:
    """The full-text index of one fenced folder. `refresh()` comes before `find()`."""

    def __init__(self, fence: Fence, progress: Progress | None = None, translations: bool = False) -> None:
        """The index of all files but translations, or of translations alone (which are many and seldom asked for)."""
        self._fence = fence
        self._progress = progress
        self._translations = translations
        self._place = cache.place_for(fence.root, "translations" if translations else "files")
        self._database = self._opened()
        self._next_check = 0.0
        self.left_out: Counter[str] = Counter()
        """How many files are not searched, by reason, at the last check."""
        self.searched = 0
        """How many files are."""

    def _opened(self) -> sqlite3.Connection:
        database = cache.opened(self._place, _SCHEMA, FORMAT)
        weakref.finalize(self, database.close)
        return database

    def close(self) -> None:
        """Let go of the database. An index on disk stays."""
        self._database.close()

    def find(self, query: str, most: int) -> list[Hit]:
        """The passages that fit an FTS5 `query` best, best first."""
        rows = self._whole(
            lambda: self._database.execute(
                "SELECT files.path, passages.first, passages.last,"
                f" -bm25(words, {_COLUMN_WEIGHTS}) * passages.weight AS score"
                " FROM words JOIN passages ON passages.id = words.rowid JOIN files ON files.id = passages.file"
                " WHERE words MATCH ? ORDER BY score DESC LIMIT ?",
                (query, most),
            ).fetchall()
        )
        return [Hit(_path(key), first, last, score) for key, first, last, score in rows]

    def passages(self) -> int:
        """How many passages there have been, those of files that are gone included."""
        return int(self._whole(lambda: self._database.execute("SELECT next - 1 FROM ids").fetchone()[0]))

    def shares(self, stems: Sequence[str]) -> dict[str, float]:
        """The share of the passages that holds each stem (0 to 1)."""
        marks = ", ".join("?" * len(stems))
        query = f"SELECT term, doc FROM vocabulary WHERE term IN ({marks})"
        held = dict(self._whole(lambda: self._database.execute(query, tuple(stems)).fetchall()))
        passages = max(self.passages(), 1)
        return {stem: held.get(stem, 0) / passages for stem in stems}

    def path_shown_as(self, text: str) -> str | None:
        """The path of the file that is shown as `text`, for names that cannot be shown as they are."""
        keys = self._whole(lambda: self._database.execute("SELECT path FROM files").fetchall())
        return next((path for path in (_path(key) for (key,) in keys) if shown(path) == text), None)

    def refresh(self) -> None:
        """Bring the index up to date with the files.

        A check of a small folder takes a few milliseconds and is made every time. One of a large folder
        is followed by a pause of twenty times its length, so that it never takes much of the time.
        """
        if time.monotonic() < self._next_check:
            return
        took = self._whole(self._check)
        self._next_check = time.monotonic() + (took * _CHECK_PAUSE if took > _CHEAP_CHECK else 0)

    def _whole(self, work: Callable[[], T]) -> T:
        """Do `work` with the database; should that be damaged, make it anew and do it again."""
        try:
            return work()
        except sqlite3.Error as error:
            if cache.is_busy(error) or self._is_misused(error):
                raise
        self._database.close()
        cache.remove(self._place)
        self._database = self._opened()
        self._check()
        return work()

    @staticmethod
    def _is_misused(error: sqlite3.Error) -> bool:
        return isinstance(error, sqlite3.ProgrammingError) or "fts5: syntax error" in str(error)

    # -- keeping up to date --------------------------------------------------------------------------

    def _check(self) -> float:
        """Compare with the files and take in what changed. Returns the seconds that comparing took."""
        started, now = time.monotonic(), time.time_ns()
        left_out: Counter[str] = Counter()
        there = {
            _key(source.path): source
            for source in walk(self._fence, left_out)
            if is_translation(source.path) is self._translations
        }
        changed, gone = self._differences(there)
        took = time.monotonic() - started
        if changed or gone:
            with self._writing():
                changed, gone = self._differences(there)  # another process may have been quicker
                self._update(changed, gone, now)
        skipped = dict(self._database.execute("SELECT skip, count(*) FROM files GROUP BY skip").fetchall())
        self.searched = skipped.pop(None, 0)
        self.left_out = left_out + Counter(skipped)
        return took

    def _differences(self, there: dict[bytes, Source]) -> tuple[list[Source], list[bytes]]:
        """The files to read (again), and the keys of those that are gone."""
        known = {
            key: (size, modified)
            for key, size, modified in self._database.execute("SELECT path, size, modified FROM files")
        }
        changed = [source for key, source in there.items() if known.get(key) != (source.size, source.modified)]
        return changed, [key for key in known if key not in there]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    def _update(self, changed: list[Source], gone: list[bytes], now: int) -> None:
        forgotten = gone + [_key(source.path) for source in changed]
        self._database.executemany(
            "DELETE FROM passages WHERE file = (SELECT id FROM files WHERE path = ?)", ((key,) for key in forgotten)
        )
        self._database.executemany("DELETE FROM files WHERE path = ?", ((key,) for key in forgotten))
        for number, source in enumerate(changed, 1):
            self._add(source, now)
            if self._progress and (number % _PROGRESS_STEP == 0 or number == len(changed)):
                self._progress(number, len(changed))
        if self._mostly_dead():
            raise sqlite3.DatabaseError("too many rows point to nothing")

    def _mostly_dead(self) -> bool:
        ever = self._database.execute("SELECT next - 1 FROM ids").fetchone()[0]
        alive = self._database.execute("SELECT count(*) FROM passages").fetchone()[0]
        return ever > 1000 and alive < ever * (1 - _MOST_DEAD_ROWS)

    def _add(self, source: Source, now: int) -> None:
        skip, data = skip_reason(source.parts, source.size), b""
        if not skip:
            try:
                data = read_whole(self._fence, source.parts, LARGEST_SEARCHED)
                skip = content_reason(data)
            except Refused:
                skip = "unreadable"
        settled = source.modified if source.modified < now - _UNSETTLED else 0
        file = self._database.execute(
            "INSERT INTO files (path, size, modified, skip) VALUES (?, ?, ?, ?)",
            (_key(source.path), source.size, settled, skip),
        ).lastrowid
        if not skip:
            self._add_passages(source, file, data.decode("utf-8-sig", errors="replace"))

    def _add_passages(self, source: Source, file: int | None, text: str) -> None:
        kind, path = kind_of(source.parts), path_words(source.parts)
        start = self._database.execute("SELECT next FROM ids").fetchone()[0]
        passages = list(enumerate(cut(text, kind not in _WORDY), start))
        self._database.executemany(
            "INSERT INTO passages VALUES (?, ?, ?, ?, ?)",
            ((number, file, passage.first, passage.last, WEIGHTS[kind]) for number, passage in passages),
        )
        self._database.executemany(
            "INSERT INTO words (rowid, path, names, body) VALUES (?, ?, ?, ?)",
            ((number, path, passage.names, passage.body) for number, passage in passages),
        )
        self._database.execute("UPDATE ids SET next = ?", (start + len(passages),))


def _key(path: str) -> bytes:
    """A path as the database keeps it: names need not be valid Unicode."""
    return path.encode("utf-8", errors="surrogatepass")


def _path(key: bytes) -> str:
    return key.decode("utf-8", errors="surrogatepass")
