"""The workers of compare_libraries.py: one process for each library, in that library's own environment.

A worker speaks JSON lines (library/directors/job.py says which). One that does not answer in time, or dies, is
stopped, and a new one is started for the next run. Not here: what is asked, and what an answer is worth.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
DIRECTORS = ROOT / "library" / "directors"
START_LIMIT = 120  # seconds; a large library takes some on a busy machine

# Libraries that would send their own traces or news, told not to; and loopback asked without another proxy.
QUIET = {
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "LANGSMITH_TRACING": "false",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "NO_PROXY": "127.0.0.1,localhost",
    "PYTHONIOENCODING": "utf-8",
}


class Library(NamedTuple):
    """Where a library's director is, and what its environment is made from (None: nothing is needed)."""

    program: str
    requirements: str | None


LIBRARIES = {
    "agentkit": Library("with_agentkit.py", None),
    "langchain": Library("with_langchain.py", "requirements.txt"),
    "smolagents": Library("with_smolagents.py", "requirements-smolagents.txt"),
    "openai-agents": Library("with_openai_agents.py", "requirements-openai-agents.txt"),
}


class WorkerLost(Exception):
    """A worker died, or was stopped because it took too long; the text says which."""


def python_of(name: str, envs: Path) -> Path:
    """The Python of a library's environment; for one that needs nothing, this one."""
    if LIBRARIES[name].requirements is None:
        return Path(sys.executable)
    windows = envs / name / "Scripts" / "python.exe"
    return windows if windows.exists() else envs / name / "bin" / "python"


def missing_environment(pythons: dict[str, Path]) -> str:
    """What to type for the first environment that is not there; nothing when all are."""
    for name, python in pythons.items():
        if not python.exists():
            folder = python.parents[1]
            made = f"python -m venv {folder} && {python} -m pip install -r library/{LIBRARIES[name].requirements}"
            return f"The environment of {name} is missing: {made} (or leave {name} out with --libraries)."
    return ""


class Worker:
    """One library's process, started again when it was lost. Use it in a `with`, which stops it."""

    def __init__(self, name: str, python: Path) -> None:
        self.name = name
        self.version = ""
        self.start_seconds = 0.0
        self._command = [str(python), str(DIRECTORS / LIBRARIES[name].program)]
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()

    def __enter__(self) -> Worker:
        self._start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._stop()

    def ask(self, request: dict[str, Any], limit: float) -> dict[str, Any]:
        """The outcome of one request. Raises WorkerLost when there is none within `limit` seconds."""
        if self._process is None:
            self._start()
        assert self._process and self._process.stdin
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except OSError:
            pass  # it died; _read says so
        return self._read(limit)

    def _start(self) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        started = time.perf_counter()
        self._lines = queue.Queue()
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env={**environment, **QUIET},
        )
        threading.Thread(target=_pass_on, args=(self._process.stdout, self._lines), daemon=True).start()
        self.version = self._read(START_LIMIT)["version"]
        self.start_seconds = time.perf_counter() - started

    def _read(self, limit: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=limit)
        except queue.Empty:
            self._stop()
            raise WorkerLost(f"{self.name} did not answer within {limit:g} s and was stopped.") from None
        if line is None:
            code = self._stop()
            command = " ".join(self._command)
            raise WorkerLost(f"{self.name}'s worker ended (exit code {code}). See what it says: {command}")
        return dict(json.loads(line))

    def _stop(self) -> int | None:
        process, self._process = self._process, None
        if process is None:
            return None
        process.kill()
        code = process.wait()
        for stream in (process.stdin, process.stdout):
            if stream:
                stream.close()
        return code


def _pass_on(stream: Any, lines: queue.Queue[str | None]) -> None:
    """Put a worker's lines into a queue, so that they can be waited for with a limit; None is their end."""
    try:
        for line in stream:
            lines.put(line)
    except ValueError:
        pass  # the stream was closed meanwhile
    lines.put(None)
