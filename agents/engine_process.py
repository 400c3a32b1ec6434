"""Run the engine once: one JSON request in, one JSON answer out, and every way in which that can fail.

The functions here know processes, not draughts: what is asked and what the answer means belongs to
`agents/draughts_tools.py`, whose `arena()` is the only caller. Each failure is an `EngineError` whose text
is one sentence on what went wrong and one on the remedy:

    EngineError            Node or the engine cannot be used: missing, too old, silent, broken or hanging
      └── EngineRefused    the engine works and said no to this request ({"error": …})
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from agentkit.errors import AgentkitError

MINIMUM_NODE = 18
VERSION_TIMEOUT = 10  # seconds; printing a version takes a few milliseconds
GET_NODE = f"Install Node {MINIMUM_NODE} or later (nodejs.org), or set NODE_BINARY to where it is."
GET_PROJECT = "Compare it with a fresh copy of the project, and run `node tests/test_arena.js`."
ERROR_LINE = re.compile(r"\w*Error\b")
PROGRESS = "progress "  # how the engine's progress lines begin on standard error

OnProgress = Callable[[int, int, str], None]


class EngineError(AgentkitError):
    """The engine could not be used; the text says why and what to do."""


class EngineRefused(EngineError):
    """The engine answered `{"error": …}`: it works, but this request was wrong."""


def check_version(binary: str) -> None:
    """Raise EngineError unless `binary` can be started and, if it names a Node version, that is new enough.

    A program that prints something else is not judged here: its answer to the request will show what it is.
    """
    with tempfile.TemporaryFile() as output:
        process = _start([binary, "--version"], subprocess.DEVNULL, output, subprocess.DEVNULL)
        try:
            process.wait(VERSION_TIMEOUT)
        except subprocess.TimeoutExpired:
            raise EngineError(
                f"`{binary} --version` printed nothing for {VERSION_TIMEOUT} s and was stopped. {GET_NODE}"
            ) from None
        finally:
            _kill_with_children(process)
        output.seek(0)
        found = re.match(r"v(\d+)\.\S+", output.read(200).decode("utf-8", "replace").strip())
    if found and int(found[1]) < MINIMUM_NODE:
        raise EngineError(f"Node {found[0]} ({binary}) is too old for the engine. {GET_NODE}")


def ask(
    binary: str,
    script: Path,
    request: dict[str, Any],
    timeout: float,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Give `request` to `script` under Node and return its answer, a JSON object.

    `timeout` is in seconds; when it is over, the process and its children are killed. `on_progress(done,
    of, what)` is called, from another thread, for each progress line. Request and answer pass through
    temporary files, so neither side can block the other whatever their size.
    """
    if not Path(script).is_file():
        raise EngineError(f"The engine {script} is missing. {GET_PROJECT}")
    check_version(binary)
    with tempfile.TemporaryFile() as question, tempfile.TemporaryFile() as answer:
        question.write(json.dumps(request).encode("utf-8"))
        question.seek(0)
        process = _start([binary, str(script)], question, answer, subprocess.PIPE)
        last_words = _LastWords(process.stderr, on_progress)
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise EngineError(
                f"The engine did not answer within {timeout:g} s and was stopped. "
                "Ask for fewer players or pairs, or try again when the machine is less busy."
            ) from None
        finally:
            _kill_with_children(process)
        answer.seek(0)
        return _read_answer(answer.read(), code, last_words.text())


def _start(
    command: list[str], stdin: int | IO[bytes], stdout: IO[bytes], stderr: int
) -> subprocess.Popen[bytes]:
    """Start `command` as the leader of its own group, so that it can be ended together with its children."""
    try:
        return subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True)
    except FileNotFoundError:
        raise EngineError(f"Node was not found: there is no program {command[0]!r}. {GET_NODE}") from None
    except OSError as error:
        raise EngineError(f"Node could not be started as {command[0]!r}: {error}. {GET_NODE}") from error


def _kill_with_children(process: subprocess.Popen[bytes]) -> None:
    """End a process that is still running, and its group with it; one that has ended is left in peace."""
    if process.poll() is not None:
        return
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
    process.wait()


def _read_answer(output: bytes, code: int, last_words: str) -> dict[str, Any]:
    text = output.decode("utf-8", "replace").strip()
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    if isinstance(answer, dict) and "error" in answer:
        raise EngineRefused(str(answer["error"]))
    if code != 0:
        raise EngineError(
            f"The engine died with code {code}: {last_words or 'it said nothing'}. {GET_PROJECT}"
        )
    if not isinstance(answer, dict):
        printed = f"{text[:60]!r}, which is no JSON object" if text else "nothing"
        raise EngineError(f"The engine printed {printed}. {GET_PROJECT}")
    return answer


class _LastWords:
    """Reads standard error in a thread: passes progress on and keeps the line that says most.

    That is the last line naming an error (Node follows it with a stack and its own version), else the last one.
    """

    def __init__(self, stream: IO[bytes] | None, on_progress: OnProgress | None) -> None:
        self.on_progress = on_progress
        self.last = ""
        self.thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self.thread.start()

    def _read(self, stream: IO[bytes]) -> None:
        with stream:
            for raw in stream:
                line = raw.decode("utf-8", "replace").strip()
                if line.startswith(PROGRESS):
                    self._report(line.removeprefix(PROGRESS))
                elif line and (ERROR_LINE.match(line) or not ERROR_LINE.match(self.last)):
                    self.last = line

    def _report(self, text: str) -> None:
        if self.on_progress is None:
            return
        with contextlib.suppress(ValueError, KeyError, TypeError):  # a garbled line is not worth a failed run
            news = json.loads(text)
            self.on_progress(int(news["done"]), int(news["of"]), str(news.get("what", "")))

    def text(self) -> str:
        """Return the last line, once the stream has ended."""
        self.thread.join(timeout=5)
        return self.last.rstrip(".")
