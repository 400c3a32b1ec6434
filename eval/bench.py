"""Benchmarks: how fast and how large the parts of this project are, on this machine, now.

    python eval/bench.py engine
    python eval/bench.py engine --help

Each benchmark is a module of its own, `bench_NAME.py` beside this file, with a `main(argv) -> int`; this program
only finds it by its name. Nothing is compared with numbers of another day: what is compared runs in the same run.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

if not __package__:  # run as a file: the project's folder is not on the path yet
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.program import run_as_program


def benchmarks() -> list[str]:
    """Return the names of the benchmarks there are."""
    return sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))


def main(argv: list[str] | None = None) -> int:
    """Run one benchmark with the arguments behind its name and return its exit code; 2 for wrong use."""
    parser = argparse.ArgumentParser(
        prog="python eval/bench.py",
        description="Measure one part of the project on this machine.",
        epilog="Example: python eval/bench.py engine --quick",
    )
    parser.add_argument("benchmark", choices=benchmarks())
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="see: python eval/bench.py BENCHMARK --help")
    options = parser.parse_args(argv)
    return int(importlib.import_module(f"eval.bench_{options.benchmark}").main(options.arguments))


if __name__ == "__main__":
    raise SystemExit(run_as_program(main))
