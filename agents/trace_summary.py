"""What a trace says in a few lines: for each agent its steps, tool calls, time and problems.

Everything is read from the trace's events, so a live run, a finished one and one that was resumed are
counted in the same way. Time is what an agent itself used: the model's replies and its tools. A person's
thinking time, the time of the colleagues it asked and the pause before a run was resumed belong to no
agent.

    for row in per_agent(read_trace(path)):
        print(agent_line(row))          # director: 4 steps, 3 tool calls, 1.2s, passed
    print(outcome(read_trace(path)))    # saved
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

Event = dict[str, Any]

UNFINISHED = "It has not finished."
UNTIMED = ("run", "approval", "resumed")  # the time before these lines is not an agent's


def per_agent(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Return `{"agent", "steps", "tool_calls", "seconds", "answer", "problems"}` for each agent, in order of
    appearance.

    `answer` is the last one, `problems` what was wrong with it, or why there is none.
    """
    rows: dict[str, dict[str, Any]] = {}
    before = None
    for event in events:
        now = _moment(event)
        if event["kind"] == "task" and event["agent"] not in rows:
            rows[event["agent"]] = _new_row(event["agent"])
        row = rows.get(event.get("agent", ""))
        if row is not None:
            _count(row, event)
            if before and now and event["kind"] not in UNTIMED:
                row["seconds"] += max(0.0, (now - before).total_seconds())
        before = now or before
    return list(rows.values())


def _new_row(agent: str) -> dict[str, Any]:
    return {"agent": agent, "steps": 0, "tool_calls": 0, "seconds": 0.0, "answer": "", "problems": []}


def _count(row: dict[str, Any], event: Event) -> None:
    kind = event["kind"]
    if kind == "task":
        row["problems"] = [UNFINISHED]
    elif kind == "reply":
        row["steps"] += 1
    elif kind == "tool":
        row["tool_calls"] += 1
    elif kind == "answer":
        row["answer"], row["problems"] = event.get("text", ""), list(event.get("problems") or ())
    elif kind == "stopped":
        row["problems"] = [f"It stopped: {event.get('reason')}."]
    elif kind == "error":
        row["problems"] = [str(event.get("text"))]


def agent_line(row: dict[str, Any]) -> str:
    """Return one row of `per_agent` as a line for people."""
    counts = f"{row['steps']} steps, {row['tool_calls']} tool calls, {row['seconds']:.1f}s"
    verdict = f"PROBLEMS: {' '.join(row['problems'])}" if row["problems"] else "passed"
    return f"{row['agent']}: {counts}, {verdict}"


def outcome(events: list[Event]) -> str:
    """Return how a run ended, in two or three words: by its program's own last word, else by its agents'."""
    kinds = {event["kind"] for event in events}
    if "saved" in kinds:
        return "saved"
    if any(event["kind"] == "end" for event in events):
        return "not saved"
    if "error" in kinds:
        return "failed"
    rows = per_agent(events)
    if not rows or any(row["problems"] == [UNFINISHED] for row in rows):
        return "not finished"
    return "problems" if any(row["problems"] for row in rows) else "passed"


def summary(events: list[Event]) -> dict[str, Any]:
    """Return one run as a row: `{"begun", "program", "model", "agents", "steps", "tool_calls", "seconds",
    "outcome"}`."""
    header = next((event for event in events if event["kind"] == "run"), {})
    rows = per_agent(events)
    model = header.get("model")
    return {
        "begun": str(events[0].get("time", ""))[:19] if events else "",
        "program": header.get("program") or header.get("agent", ""),
        "model": model.get("model", "") if isinstance(model, dict) else "",
        "agents": len(rows),
        "steps": sum(row["steps"] for row in rows),
        "tool_calls": sum(row["tool_calls"] for row in rows),
        "seconds": round(sum(row["seconds"] for row in rows), 1),
        "outcome": outcome(events),
    }


def _moment(event: Event) -> datetime | None:
    try:
        return datetime.fromisoformat(str(event["time"]).replace("Z", "+00:00"))
    except (KeyError, ValueError):
        return None
