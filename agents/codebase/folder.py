"""Search, read and list in one fenced folder.

What the fence refuses is raised as `Refused`; one bad file never stops a search. Lines are read from
the files at the moment of asking: the index only says where to look.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from agents.codebase.fence import Fence
from agents.codebase.index import Hit, Index, Progress
from agents.codebase.kinds import LARGEST_SEARCHED
from agents.codebase.lines import Excerpt, excerpt, read_whole, shown_line
from agents.codebase.pinpoint import lines_of, places, rarity_of
from agents.codebase.ranking import Candidate, candidates
from agents.codebase.refusals import Refused, shown
from agents.codebase.sources import ignored, walk
from agents.codebase.words import as_written, key_words, stem


class Match(NamedTuple):
    """A line that was found: `turn` 0 is the best line of its passage; `score` says how good its file is."""

    turn: int
    score: float
    file: str
    line: int
    text: str


class Found(NamedTuple):
    """What a search found: matches, best first; how many files were searched, and left out by reason."""

    matches: list[Match]
    searched: int
    left_out: Counter[str]


class Folder:
    """One fenced folder with its index. Its methods may be called from several threads, one at a time."""

    def __init__(self, root: str | os.PathLike[str], progress: Progress | None = None) -> None:
        """Raises FileNotFoundError or NotADirectoryError when `root` is no folder. No index is made yet."""
        self.fence = Fence(root)
        self.name = Path(self.fence.root).name or "root"
        self._progress = progress
        self._indexes: dict[bool, Index] = {}
        self._lock = threading.RLock()

    def close(self) -> None:
        """Let go of the index. What is on disk stays."""
        with self._lock:
            for index in self._indexes.values():
                index.close()
            self._indexes.clear()

    def _index(self, translations: bool = False) -> Index:
        if translations not in self._indexes:
            self._indexes[translations] = Index(self.fence, self._progress, translations)
        self._indexes[translations].refresh()
        return self._indexes[translations]

    # -- search --------------------------------------------------------------------------------------

    def search(self, text: str, most: int) -> Found:
        """The lines that answer `text` best, from up to `most` files; in translations when no other file has any."""
        with self._lock:
            index = self._index()
            found = candidates(index, text, most)
            left_out = Counter(index.left_out)
            if not found and key_words(text):
                index = self._index(translations=True)
                found = candidates(index, text, most)
            rarity = rarity_of(index.shares([stem(word) for word in key_words(text)]))
            matches = sorted(
                self._matches(found, rarity, as_written(text), most), key=lambda match: (match.turn, -match.score)
            )
            return Found(matches, sum(each.searched for each in self._indexes.values()), left_out)

    def _matches(
        self, found: list[Candidate], rarity: Mapping[str, float], quoted: list[str], most: int
    ) -> Iterator[Match]:
        worth = {candidate.path: candidate.score for candidate in found}
        texts: dict[str, list[str]] = {}
        for first_turn, hit in places(found, most):
            if hit.path not in texts:
                texts[hit.path] = self._lines(hit)
            for turn, line in enumerate(lines_of(hit, texts[hit.path], rarity, quoted), first_turn):
                yield Match(turn, worth[hit.path], shown(hit.path), line.number, shown_line(line.text).strip())

    def _lines(self, hit: Hit) -> list[str]:
        try:
            data = read_whole(self.fence, tuple(hit.path.split("/")), LARGEST_SEARCHED)
        except Refused:
            return []
        return data.decode("utf-8-sig", errors="replace").split("\n")

    # -- read and list -------------------------------------------------------------------------------

    def read(self, path: str, start: int, count: int) -> tuple[str, Excerpt]:
        """The file's path as it is shown, and `count` lines from line `start` (from 1). Raises Refused."""
        with self._lock:
            parts = self._parts(path)
            self._must_not_be_ignored(parts)
            return shown("/".join(parts)), excerpt(self.fence, parts, start, count)

    def _parts(self, path: str) -> tuple[str, ...]:
        if "\\" in path:
            named = self._index().path_shown_as(path)
            if named is not None:
                return tuple(named.split("/"))
        return self.fence.parts(path)

    def files(self, folder: str) -> tuple[list[str], Counter[str]]:
        """The files below `folder` as they are shown, the nearest first, and what is left out, by reason."""
        parts = self.fence.parts(folder)
        left_out: Counter[str] = Counter()
        self._must_not_be_ignored(parts)
        sources = sorted(walk(self.fence, left_out, parts), key=lambda source: (len(source.parts), source.parts))
        return [shown(source.path) for source in sources], left_out

    def _must_not_be_ignored(self, parts: tuple[str, ...]) -> None:
        if ignored(self.fence, parts):
            raise Refused(f"{shown('/'.join(parts))} is left out by the folder's own .gitignore or .agentignore.")
