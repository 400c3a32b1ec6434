"""Show what a run did: the events of one trace line by line, or a table when many traces are named.

Nothing is run and nothing is changed; a last line that was cut in half (the run was killed while writing it) is
reported and passed over. How a trace is written is described in agentkit/trace.py.

    python show_trace.py data/traces/20261028-140501.jsonl
    python show_trace.py data/traces/*.jsonl
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentkit.files import write_whole
from agentkit.trace import event_line, read_trace
from agents.program import WrongUse, run_as_program
from agents.trace_summary import agent_line, per_agent, summary

EXAMPLE = "Example: python show_trace.py data/traces/20261028-140501.jsonl --agent director --kind tool"
PAUSE = 0.2  # seconds between two looks at a live trace

Event = dict[str, Any]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="show_trace.py", description="Show what a run did.", epilog=EXAMPLE)
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help="a trace; with several, a table of their runs")
    add("--agent", action="append", metavar="NAME", help="only this agent's events (may be given again)")
    add("--kind", action="append", metavar="KIND", help="only events of this kind, such as tool (may be given again)")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print one JSON document")
    how.add_argument("--follow", action="store_true", help="go on showing a live run until it ends")
    how.add_argument("--html", type=Path, metavar="OUT", help="write one page in which each fact leads to its source")
    return parser


# --- Reading ----------------------------------------------------------------------------------------------


def _read(path: Path, problems: list[str]) -> list[Event]:
    """Return the events of a trace. Raises WrongUse for a file that cannot be read or is no trace."""
    try:
        events = read_trace(path, problems)
    except OSError as error:
        raise WrongUse(f"The trace {path} cannot be read: {error.strerror}.") from None
    if not events:
        raise WrongUse(f"{path} holds no events, so it is no trace.")
    return events


def _chosen(event: Event, args: argparse.Namespace) -> bool:
    """Say whether an event is one of those asked for."""
    by_agent = not args.agent or event.get("agent") in args.agent
    return by_agent and (not args.kind or event["kind"] in args.kind)


def _what_there_is(traces: list[tuple[Path, list[Event]]]) -> str:
    events = [event for _, events in traces for event in events]
    agents = dict.fromkeys(str(event.get("agent")) for event in events)
    kinds = dict.fromkeys(event["kind"] for event in events)
    return f"Agents: {', '.join(agents)}. Kinds: {', '.join(kinds)}."


def _follow(path: Path) -> Iterator[Event]:
    """Give the events of a trace as they are written, until the one that ends its run."""
    rest = b""
    with path.open("rb") as file:
        while True:
            rest += file.read()
            *lines, rest = rest.split(b"\n")
            for line in lines:
                event = _event_of(line)
                if event:
                    yield event
                    if event["kind"] == "end":
                        return
            time.sleep(PAUSE)


def _event_of(line: bytes) -> Event | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and isinstance(event.get("kind"), str) else None


# --- Showing ----------------------------------------------------------------------------------------------


def _show_live(args: argparse.Namespace) -> int:
    _read(args.files[0], [])  # a file that is no trace is told at once
    for event in _follow(args.files[0]):
        if _chosen(event, args):
            print(event_line(event), flush=True)
    return 0


def _show_one(events: list[Event], chosen: list[Event], whole: bool) -> None:
    for event in chosen:
        print(event_line(event))
    if whole:
        print()
        for row in per_agent(events):
            print(agent_line(row))


def _show_table(runs: list[dict[str, Any]]) -> None:
    rows = [[name.replace("_", " ") for name in runs[0]], *([str(value) for value in run.values()] for run in runs)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _write_page(events: list[Event], out: Path) -> None:
    if out.is_file() and read_trace(out):
        raise WrongUse(f"{out} is a trace, and the page would take its place: give --html another name.")
    from web.trace_page import render

    try:
        write_whole(out, render(events))
    except OSError as error:
        raise WrongUse(f"The page {out} cannot be written: {error.strerror}.") from None
    print(f"Wrote {out.as_posix()}")


def _show(args: argparse.Namespace) -> int:
    if len(args.files) > 1 and (args.html or args.follow):
        raise WrongUse(f"{'--html' if args.html else '--follow'} takes one trace, not {len(args.files)}.")
    if args.html and (args.agent or args.kind):
        raise WrongUse("--html shows the whole trace: leave --agent and --kind out.")
    if args.follow:
        return _show_live(args)
    problems: list[str] = []
    traces = [(path, _read(path, problems)) for path in args.files]
    chosen = [[event for event in events if _chosen(event, args)] for _, events in traces]
    for problem in problems:
        print(problem, file=sys.stderr)
    if not any(chosen):
        print(f"No event is of that agent and kind. {_what_there_is(traces)}", file=sys.stderr)
        return 1
    if args.json:
        pairs = zip(traces, chosen, strict=True)
        documents = [{"trace": path.as_posix(), **summary(events), "events": some} for (path, events), some in pairs]
        print(json.dumps(documents if len(documents) > 1 else documents[0], indent=2, ensure_ascii=False))
    elif args.html:
        _write_page(traces[0][1], args.html)
    elif len(traces) > 1:
        _show_table([{"trace": path.name, **summary(events)} for path, events in traces])
    else:
        _show_one(traces[0][1], chosen[0], whole=not args.agent and not args.kind)
    return 0


def main(argv: list[str] | None = None) -> int:
    """Show the traces that the arguments name and return the exit code."""
    try:
        return _show(_parser().parse_args(argv))
    except SystemExit as stop:  # --help, or arguments that argparse refused
        return int(stop.code or 0)
    except WrongUse as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    raise SystemExit(run_as_program(main))
