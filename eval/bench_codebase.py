"""Benchmark of the codebase helper: index, freshness check, search, a line of a large log, and the fence under attack.

    python eval/retrieval.py --fetch             # get Flask and Django once (needs pip and the network)
    python eval/bench.py codebase
    python eval/bench.py codebase --quick        # a smaller log, a second of attack

Searches are the questions of `retrieval_questions.json`. Beside our figures stand those of a plain scan (every file
read and looked through, as without an index) and of ripgrep where it is installed, in the same run on the same
files. Indexes are made in a cache directory of the run's own. `cpu_ms` is the median of this process's own computing,
which a machine that is busy with other things disturbs less than the wall time. Compare within a run. Memory is what a
process of its own grew by while it read.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from agents.codebase.fence import Fence
from agents.codebase.folder import Folder
from agents.codebase.kinds import LARGEST_SEARCHED, content_reason, skip_reason
from agents.codebase.lines import excerpt, read_whole
from agents.codebase.refusals import Refused
from agents.codebase.sources import walk
from agents.codebase.words import key_words
from eval.projects import NoProject, default_place, folder_of, read_questions

MATCHES = 10
LOG_BYTES = 221_000_000
LOG_LINE = b"2026-11-30 12:00:00 worker %8d finished a job of ordinary length\n"
EXAMPLE = "Example: python eval/bench.py codebase --quick --json"
ROOT = Path(__file__).resolve().parents[1]
Row = dict[str, Any]

# --- Searching a project ----------------------------------------------------------------------------------


def search_rows(name: str, root: Path, questions: list[str]) -> Iterator[Row]:
    """The index made, checked and searched; then the same questions without an index."""
    folder = Folder(root)
    first = [_timed(lambda: folder.search(questions[0], MATCHES))]
    searched = folder.search(questions[0], MATCHES).searched
    yield {"what": f"{name}: first search, index made on the way", "files": searched, **_spread(first)}
    index = folder._index()
    checks = [_timed(index._check) for _ in range(7)]
    yield {"what": f"{name}: freshness check", "files": searched, **_spread(checks)}
    times = [_timed(lambda text=text: folder.search(text, MATCHES)) for text in questions]
    yield {"what": f"{name}: search, warm", "searches": len(times), **_spread(times)}
    folder.close()
    scans = [_timed(lambda text=text: plain_scan(root, text)) for text in questions[:3]]
    yield {"what": f"{name}: plain scan, no index", "searches": len(scans), **_spread(scans)}
    if shutil.which("rg"):
        rips = [_timed(lambda text=text: ripgrep(root, text)) for text in questions[:3]]
        yield {"what": f"{name}: ripgrep", "searches": len(rips), **_spread(rips)}


def plain_scan(root: Path, question: str) -> list[tuple[int, str, int]]:
    """Every file read, every line looked through, those with most words kept: a search without an index."""
    fence = Fence(root)
    words = re.compile("|".join(map(re.escape, key_words(question))), re.IGNORECASE)
    found: list[tuple[int, str, int]] = []
    for source in walk(fence, Counter()):
        if skip_reason(source.parts, source.size):
            continue
        with contextlib.suppress(Refused):
            data = read_whole(fence, source.parts, LARGEST_SEARCHED)
            if not content_reason(data):
                lines = data.decode("utf-8", errors="replace").split("\n")
                found += [(len(set(words.findall(line))), source.path, number) for number, line in enumerate(lines, 1)]
    return sorted(found, reverse=True)[:MATCHES]


def ripgrep(root: Path, question: str) -> None:
    """The lines with any of the question's words, as `rg` prints them."""
    pattern = "|".join(map(re.escape, key_words(question)))
    command = ["rg", "--no-config", "-i", "-n", "-e", pattern, str(root)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)


# --- A line of a large log --------------------------------------------------------------------------------

READ_LINE = """
import json, re, sys, time
from agents.codebase.fence import Fence
from agents.codebase.lines import excerpt
def most_memory():
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
fence = Fence(sys.argv[1])
before = most_memory()
started = time.perf_counter()
excerpt(fence, ("large.log",), int(sys.argv[2]), 1)
seconds = time.perf_counter() - started
print(json.dumps({"ms": round(1000 * seconds, 2), "grew_mb": round(most_memory() - before, 1),
                  "process_mb": round(most_memory(), 1)}))
"""


def log_rows(size: int) -> Iterator[Row]:
    """One line near the start of a log, and its last one, each read by a process of its own (on Linux)."""
    if not Path("/proc/self/status").exists():
        return
    with tempfile.TemporaryDirectory() as place:
        lines = size // len(LOG_LINE % 1)
        with open(Path(place) / "large.log", "wb") as log:
            for number in range(1, lines + 1):
                log.write(LOG_LINE % number)
        for what, line in (("line 100", 100), ("the last line", lines)):
            command = [sys.executable, "-c", READ_LINE, place, str(line)]
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
            yield {"what": f"{what} of a log of {size // 1_000_000} MB", **json.loads(done.stdout)}


# --- The fence under attack -------------------------------------------------------------------------------


def swap_row(seconds: float) -> Row:
    """A file and a link to a secret outside change places as fast as they can, while the file is read."""
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        root, secret = Path(place) / "root", Path(place) / "secret.txt"
        root.mkdir()
        secret.write_text("outside\n", encoding="utf-8")
        stop = threading.Event()
        swapper = threading.Thread(target=_swap, args=(root, secret, stop))
        swapper.start()
        try:
            _read_meanwhile(Fence(root), seconds, seen)
        finally:
            stop.set()
            swapper.join()
    counts = {name: seen[name] for name in ("inside", "refused", "leaked")}
    return {"what": f"a file swapped for a link, {seconds:g} s", **counts}


def _swap(root: Path, secret: Path, stop: threading.Event) -> None:
    new, path = root / "new", root / "x.txt"
    while not stop.is_set():
        new.write_text("inside\n", encoding="utf-8")
        new.replace(path)
        new.symlink_to(secret)
        new.replace(path)


def _read_meanwhile(fence: Fence, seconds: float, seen: Counter[str]) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            text = excerpt(fence, ("x.txt",), 1, 1).lines
            seen["leaked" if text == ["outside"] else "inside"] += 1
        except Refused:
            seen["refused"] += 1


# --- The run ----------------------------------------------------------------------------------------------


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock on the wall, and of this process's own computing."""
    started, computed = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - started, time.process_time() - computed


def _ms(seconds: float) -> float:
    return round(1000 * seconds, 1)


def _spread(times: list[tuple[float, float]]) -> Row:
    wall = sorted(seconds for seconds, _ in times)
    own = median(seconds for _, seconds in times)
    return {"median_ms": _ms(median(wall)), "p95_ms": _ms(wall[int(0.95 * (len(wall) - 1))]), "cpu_ms": _ms(own)}


@contextlib.contextmanager
def _own_cache() -> Iterator[None]:
    before = os.environ.get("XDG_CACHE_HOME")
    with tempfile.TemporaryDirectory() as place:
        os.environ["XDG_CACHE_HOME"] = place
        try:
            yield
        finally:
            os.environ.pop("XDG_CACHE_HOME")
            if before is not None:
                os.environ["XDG_CACHE_HOME"] = before


def rows(projects: Path, quick: bool) -> Iterator[Row]:
    """All measurements, one after another. Raises NoProject."""
    document = read_questions()
    for name, project in document["projects"].items():
        asked = [question["question"] for question in document["questions"] if question["repo"] == name]
        with _own_cache():
            yield from search_rows(name, folder_of(project, projects), asked)
    yield from log_rows(LOG_BYTES // (10 if quick else 1))
    if os.name == "posix":
        yield swap_row(1 if quick else 10)


def line_of(row: Row) -> str:
    """A row as it is printed."""
    return f"{row['what']:<46} " + "  ".join(f"{key} {value:,}" for key, value in row.items() if key != "what")


def main(argv: list[str] | None = None) -> int:
    """Measure as the arguments say; 0, or 2 when the projects are not there."""
    about = "Measure the codebase helper on this machine."
    parser = argparse.ArgumentParser(prog="python eval/bench.py codebase", description=about, epilog=EXAMPLE)
    parser.add_argument("--projects", type=Path, metavar="DIR", help="where Flask and Django are (the cache directory)")
    parser.add_argument("--quick", action="store_true", help="a log of 22 MB and one second of attack")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(argv)
    measured: list[Row] = []
    try:
        for row in rows(options.projects or default_place(), options.quick):
            measured.append(row)
            print(line_of(row), file=sys.stderr if options.json else sys.stdout, flush=True)
    except NoProject as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(measured, indent=2))
    return 0
