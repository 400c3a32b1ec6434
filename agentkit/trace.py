"""The trace: a journal of a run, one JSON object a line, written and flushed as things happen.

Role: `Tracer` appends, `read_trace` reads, `show` prints for people. A trace is enough to replay a run without a
model, or to go on with one that was killed (agentkit/more/journal.py). Not here: judging what it says.

Format 1. Every line has `time` (UTC), `agent` (who; a program's own lines carry the program's name) and `kind`:

    run       the header: format, program, versions, model, options, inputs          (first line)
    task      text, instructions, tools: an agent begins
    reply     step, message, seconds, and of a led model `required`, the form it was held to: what it said, whole
    call      step, tool, args, and `id` of the lasting effect where there is one: a tool is about to run
    approval  step, tool, args, approved: what a person (or the approver in their place) said
    tool      step, tool, args, result, and `converted` where arguments were: exactly one line a call
    answer    step, text, problems
    stopped   step, reason: a run that ended without an accepted answer
    error     step, error, text: the model failed and the run ended

run_team.py adds lines of its own, as the agent `run_team`; its `approval` has the tool `save_report` and no step:

    resumed      model: a run that was killed goes on from here
    saved        path: where the report is kept
    remembered   text: the note in the notebook
    end          code: the run is over, with this exit code

Lines are flushed one by one; `sync` forces them to the disk around effects that last.

    tracer = Tracer("data/traces/20261028-140501.jsonl")
    Agent(…, tracer=tracer).run("…")
    show(tracer.path)
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from agentkit.arguments import plain

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Tracer", "event_line", "read_trace", "show", "timestamp"]

Event = dict[str, Any]

FORMAT = 1
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode  # a circle: RecursionError
_second: tuple[int, str] = (0, "")


class Tracer:
    """Appends events to the file `path`, which is made (with its folder) at the first one. Safe between threads."""

    _file: Any = None

    def __init__(self, path: str | Path) -> None:
        import threading  # here and not above: an agent without a trace needs neither
        from pathlib import Path

        self._lock = threading.Lock()
        self.path = Path(path)
        self._begun = False

    def begin(self, agent: str = "", **header: Any) -> Event | None:
        """Write the run's header and return it, unless this tracer has written one already."""
        if self._begun:
            return None
        self._begun = True
        versions = {"python": sys.version.split()[0], **header.pop("versions", {})}
        event = {"time": timestamp(), "agent": agent, "kind": "run", "format": FORMAT, "versions": versions, **header}
        self.write(**event)
        return event

    def write(self, **event: Any) -> None:
        """Append one line: `event` with its `time`, flushed. Raises OSError when the disk does not take it."""
        event = event if "time" in event else {"time": timestamp(), **event}
        try:
            data = _encode(event).encode() + b"\n"
        except UnicodeEncodeError:  # half a character, which no UTF-8 file takes, stands escaped
            data = json.dumps(event).encode() + b"\n"
        except (TypeError, ValueError, RecursionError):  # the line must exist: what is no JSON stands as text
            data = json.dumps(plain(event)).encode() + b"\n"
        with self._lock:
            file = self._file or self._open()
            written = file.write(data)  # unbuffered: a line is with the system when `write` returns
            while written < len(data):
                written += file.write(data[written:])

    def _open(self) -> Any:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open(self.path, "a+b", buffering=0)
        if self._file.tell():  # a last line that was cut in half must not swallow the next one
            self._file.seek(-1, os.SEEK_END)
            if self._file.read(1) != b"\n":
                self._file.write(b"\n")
        return self._file

    def sync(self) -> None:
        """Force what was written to the disk, so that a power cut does not lose it."""
        if self._file is not None:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file; a later write opens it again."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def __del__(self) -> None:
        if self._file is not None:
            self.close()

    def recall(self, agent: str, kind: str) -> Event | None:
        """What the journal of a resumed run already holds for the next event of this kind: here, never anything."""
        return None


def timestamp() -> str:
    """Now, in UTC, such as `2026-10-28T14:05:01.123Z`."""
    global _second
    second, milliseconds = divmod(time.time_ns() // 1_000_000, 1000)
    known = _second
    if known[0] != second:  # formatting is slow, and a run writes many lines a second
        known = _second = (second, time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second)))
    return f"{known[1]}.{milliseconds:03d}Z"


def read_trace(path: str | Path, problems: list[str] | None = None) -> list[Event]:
    """The events of a trace in order. What cannot be read (a last line cut in half) is skipped, never a crash.

    Each skipped line adds a sentence to `problems`. Raises OSError when there is no such file.
    """
    events = []
    problems = problems if problems is not None else []
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            event = None
        if isinstance(event, dict) and isinstance(event.get("kind"), str) and isinstance(event.get("agent", ""), str):
            events.append(event)
        elif number == len(lines):
            problems.append(f"{path}:{number}: the last line was cut in half: the run ended while writing it.")
        else:
            problems.append(f"{path}:{number}: this line is no event.")
    return events


def show(path: str | Path) -> None:
    """Print a trace for people."""
    problems: list[str] = []
    for event in read_trace(path, problems):
        print(event_line(event))
    for problem in problems:
        print(f"! {problem}")


def event_line(event: Event, width: int = 160) -> str:
    """One event as a line for people: when, who, and what happened, cut at `width` characters."""
    when = str(event.get("time", ""))[11:19]
    text = " ".join(_in_words(event).split())
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return f"{when}  {event.get('agent', '')!s:<10} {text if len(text) <= width else text[:width] + ' …'}"


def _in_words(event: Event) -> str:
    kind = event["kind"]
    step = f"step {event['step']}: " if "step" in event else ""
    call = f"{event.get('tool')}({_arguments(event.get('args'))})"
    if kind == "task":
        return f"task: {event.get('text')}"
    if kind == "reply":
        return f"{step}the model replied ({event.get('seconds', 0)} s)"
    if kind == "call":
        return f"{step}runs {call}"
    if kind == "approval":
        return f"{step}{call}: {'approved' if event.get('approved') else 'not approved'}"
    if kind == "tool":
        return f"{step}{call} -> {_encode(event.get('result'))}"
    if kind == "answer":
        return f"{step}answer: {event.get('text')}" + _problems(event.get("problems"))
    if kind in ("stopped", "error"):
        return f"{step}{kind}: {event.get('reason') or event.get('text')}"
    rest = {name: value for name, value in event.items() if name not in ("time", "agent", "kind", "step")}
    return f"{step}{kind}: {_encode(rest)}"


def _arguments(args: Any) -> str:
    if not isinstance(args, dict):
        return str(args)
    return ", ".join(f"{name}={_encode(value)}" for name, value in args.items())


def _problems(problems: Any) -> str:
    listed = problems if isinstance(problems, list) else [problems]
    return f"  PROBLEMS: {' '.join(map(str, listed))}" if problems else ""
