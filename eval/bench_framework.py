"""How light the framework is: import, memory, one step of the loop, the trace, the schema of a tool.

    python eval/bench.py framework
    python eval/bench.py framework --peer langchain=/path/to/its/venv/bin/python --json

Each figure stands beside bare Python doing the same in the same run: the same function calls without a framework, an
empty interpreter for import and memory. Every measurement is a process of its own, in turns, and the median of
`--rounds` counts, with the range. Times are the processor time of that process, which a busy machine changes less.
Steps are those of a model that asks for one tool with two whole numbers, again and again, validation on; `calls` are
Python function calls, counted with sys.setprofile, which no machine changes.

Peers (langchain, smolagents, pydantic-ai, openai-agents) are measured when `--peer NAME=PYTHON`, or the environment
(BENCH_LANGCHAIN=PYTHON …), names a Python that has them; the others are left out by name. They do more than agentkit
does; what is compared is what a learner waits for.

Not here: how well agents work (run_eval.py).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

from eval.framework_peers import PEERS
from eval.framework_programs import (
    ALONE,
    BARE_IMPORT,
    BARE_SCHEMA,
    BARE_STEP,
    COUNT,
    FIVE,
    IMPORT,
    REPEAT,
    SCHEMA,
    START,
    STEP,
    WORK,
)

__all__ = ["main"]

ROOT = Path(__file__).resolve().parents[1]
STEPS = (10, 100, 1000)
# what agentkit is meant to stay under; printed beside the figures, and judged by the reader
TARGETS = {"import ms": 25.0, "memory MB": 15.0, "step us": 12.0, "traced step us": 35.0, "schema us": 60.0}


def run_program(python: str, code: str, *arguments: object) -> dict[str, Any]:
    """What one program printed, run by `python`; raises RuntimeError with its last words when it failed."""
    command = [python, "-c", code, str(ROOT), *map(str, arguments)]
    settings = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}  # modules are compiled once
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=ROOT / "eval", env=settings)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no words"])[-1]
        raise RuntimeError(last)
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


def in_turns(rounds: int, **programs: tuple[Any, ...]) -> dict[str, list[dict[str, Any]]]:
    """Run each program once a round, so that a busy moment meets them all."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            found[name].append(run_program(*program))
    return found


def spread(results: list[dict[str, Any]], key: str) -> dict[str, float] | None:
    """Median, lowest and highest of one figure."""
    values = [result[key] for result in results if result.get(key) is not None]
    if not values:
        return None
    return {name: round(fn(values), 2) for name, fn in (("median", median), ("lowest", min), ("highest", max))}


def measure_import(python: str, rounds: int, statement: str, start: str = START) -> list[dict[str, Any]]:
    """Rows for import time and peak memory of `statement`, beside an empty interpreter."""
    program = start + IMPORT.replace("STATEMENT", statement)
    found = in_turns(rounds, bare=(python, BARE_IMPORT), loaded=(python, program))
    return [
        {"what": "import ms", "ours": spread(found["loaded"], "ms"), "bare": spread(found["bare"], "ms")},
        {"what": "memory MB", "ours": spread(found["loaded"], "MB"), "bare": spread(found["bare"], "MB")},
    ]


def measure_steps(python: str, rounds: int, code: str, steps: tuple[int, ...], *more: str) -> list[dict[str, Any]]:
    """Rows for one step at each length of run, beside the same calls made by hand."""
    rows = []
    name = "traced step us" if "traced" in more else "step us"
    for n in steps:
        found = in_turns(rounds, bare=(sys.executable, BARE_STEP, n), ours=(python, code, n, *more))
        row = {"what": name, "steps": n, "ours": spread(found["ours"], "us"), "bare": spread(found["bare"], "us")}
        calls = {who: spread(results, "calls") for who, results in found.items()}
        rows += [row, {"what": "calls a step", "steps": n, **calls}]
    return rows


def measure_schema(python: str, rounds: int, code: str) -> list[dict[str, Any]]:
    """The row for the schema of a function with five arguments."""
    found = in_turns(rounds, bare=(sys.executable, BARE_SCHEMA), ours=(python, code))
    return [{"what": "schema us", "ours": spread(found["ours"], "us"), "bare": spread(found["bare"], "us")}]


def measure_ours(rounds: int, steps: tuple[int, ...]) -> list[dict[str, Any]]:
    """Every row for agentkit."""
    python = sys.executable
    return [
        *measure_import(python, rounds, "from agentkit import Agent, tool"),
        *measure_steps(python, rounds, STEP, steps, "plain"),
        *measure_steps(python, rounds, STEP, steps, "traced"),
        *measure_schema(python, rounds, SCHEMA),
    ]


def measure_peer(name: str, python: str, rounds: int, steps: tuple[int, ...]) -> list[dict[str, Any]]:
    """Every row for another framework; raises RuntimeError with the reason when it cannot be run."""
    peer = PEERS[name]
    program = ALONE + WORK + COUNT + peer["step"]
    few = tuple(n for n in steps if n <= peer["most_steps"])
    return [
        *measure_import(python, rounds, peer["import"], ALONE),
        *measure_steps(python, rounds, program, few),
        *measure_schema(python, rounds, ALONE + FIVE + REPEAT + peer["schema"]),
    ]


def peers_asked_for(given: list[str]) -> dict[str, str]:
    """Peer -> its Python, from --peer and the environment; raises ValueError for what is no such pair."""
    found = {}
    for name in PEERS:
        if python := os.environ.get(f"BENCH_{name.upper().replace('-', '_')}"):
            found[name] = python
    for pair in given:
        name, _, python = pair.partition("=")
        if name not in PEERS or not python:
            raise ValueError(f"--peer takes NAME=PYTHON with NAME one of {', '.join(PEERS)}, not {pair!r}.")
        found[name] = python
    return found


def measure_all(rounds: int, steps: tuple[int, ...], peers: dict[str, str]) -> dict[str, Any]:
    """The whole report as one JSON value."""
    machine = {"python": platform.python_version(), "system": platform.platform(), "cores": os.cpu_count()}
    load = round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
    report: dict[str, Any] = {"machine": {**machine, "load at start": load}, "rounds": rounds}
    report["results"] = {"agentkit": measure_ours(rounds, steps)}
    report["left out"] = {}
    for name in PEERS:
        if name not in peers:
            report["left out"][name] = f"no Python that has it was named: --peer {name}=PYTHON"
            continue
        print(f"measuring {name} …", file=sys.stderr)
        try:
            report["results"][name] = measure_peer(name, peers[name], rounds, steps)
        except (RuntimeError, OSError, ValueError, subprocess.TimeoutExpired) as error:
            report["left out"][name] = str(error)
    return report


def show(report: dict[str, Any]) -> None:
    """Print the report as tables for people."""
    print(", ".join(f"{name} {value}" for name, value in report["machine"].items()), f"(median of {report['rounds']})")
    for who, rows in report["results"].items():
        print(f"\n{who:<26}{'median':>10}{'lowest':>10}{'highest':>10}{'bare':>10}{'target':>10}")
        for row in rows:
            label = row["what"] + (f", {row['steps']} steps" if "steps" in row else "")
            ours, bare = row["ours"] or {}, (row["bare"] or {}).get("median", "")
            target = TARGETS.get(row["what"], "") if who == "agentkit" else ""
            figures = [ours.get(name, "-") for name in ("median", "lowest", "highest")]
            print(f"  {label:<24}" + "".join(f"{figure:>10}" for figure in [*figures, bare, target]))
    for who, reason in report["left out"].items():
        print(f"\n{who}: left out ({reason})")


def main(argv: list[str] | None = None) -> int:
    """Measure and print; 0 when everything asked for was measured, 1 when a peer could not be, 2 for wrong use."""
    parser = argparse.ArgumentParser(
        prog="python eval/bench.py framework",
        description="Measure import, memory, steps, trace and schema beside bare Python.",
        epilog="Example: python eval/bench.py framework --rounds 9 --peer smolagents=/venvs/smol/bin/python",
    )
    parser.add_argument("--rounds", type=int, default=7, help="processes for each figure (7)")
    parser.add_argument("--quick", action="store_true", help="3 rounds, up to 100 steps")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PYTHON", help="a framework to measure too")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(argv)
    if options.rounds < 1:
        parser.error(f"--rounds is at least 1, not {options.rounds}")
    try:
        peers = peers_asked_for(options.peer)
    except ValueError as error:
        parser.error(str(error))
    rounds, steps = (3, STEPS[:2]) if options.quick else (options.rounds, STEPS)
    report = measure_all(rounds, steps, peers)
    print(json.dumps(report, indent=2)) if options.json else show(report)
    return 1 if set(report["left out"]) & set(peers) else 0
