"""Benchmark of the engine: perft, search, each player's moves, a five-player tournament and its review.

    python eval/bench.py engine                  about two minutes
    python eval/bench.py engine --quick          smaller counts, for a first look
    python eval/bench.py engine --install        fetch the engines of others that it is compared with

The engines of others (rapid-draughts from npm, pydraughts and py-draughts from PyPI) do the same work in the same
run where they are installed; each lives in an environment of its own and is spoken to through pipes (see
`against.py`). All figures are of one thread, but for the tournament and its review, which use `--workers`. Memory
is the largest that a process of ours has had so far. Noise is the machine's: compare within a run.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from agentkit.errors import AgentkitError
from agents.draughts_tools import PLAYERS, arena
from eval import against

START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"
RAPID_DRAUGHTS = "rapid-draughts@1.0.6"
REVIEW_DEPTH = 10
Row = dict[str, Any]


# --- Our engine -------------------------------------------------------------------------------------------


def perft_row(depth: int) -> Row:
    """Leaves from the start position, each of them made."""
    done = arena({"command": "measure", "what": "perft", "depth": depth})
    return {"what": f"perft {depth}", "who": "this engine", "count": done["leaves"], "unit": "leaves", **_rest(done)}


def search_rows(depth: int, count: int) -> Iterator[Row]:
    """Search nodes with each evaluator, on positions out of played games."""
    for player in ("hard", "learned", "neural"):
        request = {"command": "measure", "what": "search", "player": player, "depth": depth, "count": count}
        done = arena(request)
        what = f"search, depth {depth}, {count} positions"
        yield {"what": what, "who": player, "count": done["nodes"], "unit": "nodes", **_rest(done)}


def move_rows(count: int) -> Iterator[Row]:
    """Milliseconds a move of each player."""
    levels = arena({"command": "players"})["players"]
    for player in PLAYERS:
        done = arena({"command": "measure", "what": "moves", "player": player, "count": count})
        what = f"moves, {count} positions, depth {levels[player]['depth']}"
        times = {key: round(done[key], 2) for key in ("median_ms", "p99_ms", "max_ms")}
        yield {"what": what, "who": player, "count": count, "unit": "moves", **times, **_rest(done)}


def tournament_rows(workers: int) -> Iterator[Row]:
    """Five players, one opening, 20 games; then their review. Wall time, the processes' start included."""
    with _environment(ARENA_WORKERS=str(workers)):
        games, seconds = _timed(lambda: arena({"command": "tournament", "players": PLAYERS})["games"])
        shared = {"who": f"{workers} workers", "count": len(games), "unit": "games"}
        yield {"what": "tournament of five", **shared, "seconds": seconds, **_memory()}
        review = {"command": "review", "games": games, "depth": REVIEW_DEPTH}
        found, seconds = _timed(lambda: arena(review)["mistakes_found"])
        what = f"review at depth {REVIEW_DEPTH} ({found} mistakes)"
        yield {"what": what, **shared, "seconds": seconds, **_memory()}


# --- The engines of others --------------------------------------------------------------------------------


def install_others() -> None:
    """Fetch all engines of others. Raises OpponentError."""
    for name in against.OPPONENTS:
        against.install(name)
    folder = against.environment_of("rapid-draughts")
    folder.mkdir(parents=True, exist_ok=True)
    npm = shutil.which("npm")
    if npm is None:
        raise against.OpponentError("npm was not found, so rapid-draughts was not installed; it comes with Node.")
    command = [npm, "install", "--silent", "--prefix", str(folder), RAPID_DRAUGHTS]
    try:
        subprocess.run(command, check=True, stdout=sys.stderr)
    except (OSError, subprocess.CalledProcessError) as error:
        raise against.OpponentError(f"rapid-draughts could not be installed in {folder.as_posix()}: {error}") from error


def start_other(name: str) -> against.Opponent:
    """Start one engine of others. Raises OpponentError when it is not installed."""
    if name in against.OPPONENTS:
        return against.Opponent.installed(name)
    folder = against.environment_of(name)
    if not (folder / "node_modules" / name).is_dir():
        raise against.OpponentError(f"{name} is not installed. Run: python eval/bench.py engine --install")
    return against.Opponent(name, ["node", str(against.PROGRAMS / "rapid_draughts.mjs"), str(folder)])


def other_rows(quick: bool) -> Iterator[Row]:
    """Perft, and search where there is one, from the start position, at depths that each can do in seconds."""
    plan = [  # name, what, depth
        ("rapid-draughts", "perft", 7 if quick else 8),
        ("rapid-draughts", "search", 7 if quick else 9),
        ("py-draughts", "perft", 3 if quick else 4),
        ("py-draughts", "search", 5 if quick else 7),
        ("pydraughts", "perft", 3 if quick else 4),
    ]
    for name, what, depth in plan:
        unit = {"perft": "leaves", "search": "nodes"}[what]
        try:
            other = start_other(name)
        except (against.OpponentError, OSError) as error:
            yield {"what": f"{what} {depth}", "who": name, "left_out": str(error)}
            continue
        try:
            done = other.ask(what, START, depth=depth)
            label = f"perft {depth}" if what == "perft" else f"search, depth {depth}, start position"
            yield {"what": label, "who": name, "count": done[unit], "unit": unit, "seconds": done["seconds"]}
        finally:
            other.close()


# --- Clock, memory, table ---------------------------------------------------------------------------------


def _rest(done: dict[str, Any]) -> Row:
    return {"seconds": done["seconds"], "memory_mb": done["memory_mb"]}


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    value = work()
    return value, time.perf_counter() - start


def _memory() -> Row:
    """The largest child process so far, in MB; nothing where the system does not tell (Windows)."""
    try:
        import resource
    except ImportError:
        return {}
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return {"memory_mb": round(largest / (1024**2 if sys.platform == "darwin" else 1024))}


@contextlib.contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = {key: os.environ.get(key) for key in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                del os.environ[key]
            else:
                os.environ[key] = value


def line_of(row: Row) -> str:
    """Return one measurement for people."""
    head = f"{row['what']:34} {row['who']:15}"
    if "left_out" in row:
        return f"{head} left out: {row['left_out']}"
    if row["unit"] == "moves":
        figures = f"median {row['median_ms']:.1f} ms, 99 % below {row['p99_ms']:.1f} ms, longest {row['max_ms']:.1f} ms"
    elif row["unit"] == "games":
        figures = f"{row['count']} games in {row['seconds']:.2f} s"
    else:
        speed = row["count"] / row["seconds"]
        figures = f"{speed:12,.0f} {row['unit']}/s ({row['count']:,} in {row['seconds']:.2f} s)"
    memory = f", {row['memory_mb']} MB" if "memory_mb" in row else ""
    return f"{head} {figures}{memory}"


def measurements(quick: bool, workers: int) -> Iterator[Row]:
    """Yield every measurement as it is done."""
    yield perft_row(9 if quick else 11)
    yield from search_rows(9 if quick else 11, 10 if quick else 40)
    yield from other_rows(quick)
    yield from move_rows(50 if quick else 1000)
    yield from tournament_rows(workers)


def main(argv: list[str] | None = None) -> int:
    """Run the benchmark and return its exit code: 0 measured, 2 wrong use or no usable engine."""
    parser = argparse.ArgumentParser(
        prog="python eval/bench.py engine",
        description="Measure the engine, and the engines of others where they are installed.",
        epilog="Example: python eval/bench.py engine --quick",
    )
    parser.add_argument("--quick", action="store_true", help="smaller counts")
    parser.add_argument("--workers", type=int, default=2, help="threads of the tournament and its review (2)")
    parser.add_argument("--install", action="store_true", help="only fetch the engines of others")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(argv)
    if options.workers < 1:
        parser.error(f"--workers must be at least 1, not {options.workers}")
    rows = []
    try:
        if options.install:
            install_others()
            return 0
        for row in measurements(options.quick, options.workers):
            rows.append(row)
            print(line_of(row), file=sys.stderr if options.json else sys.stdout, flush=True)
    except AgentkitError as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps({"measurements": rows}, indent=2))
    return 0
