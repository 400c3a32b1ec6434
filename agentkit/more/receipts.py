"""Receipts: an answer with the sources of its facts, for people to read and for programs.

Role: `receipts_of(answer, tool_log)` binds every fact of an answer to the tool result that supports it and returns
that as one JSON document; `sources_section(answer, tool_log)` lists the same sources, numbered, as a few lines of
Markdown for the end of a report. `answer_in(events, agent)` takes both from a trace.
Not here: how facts are found and bound (claims.py, places.py), where a report is saved (its program decides).

    events = read_trace("data/traces/20261028-140501.jsonl")
    answer, tool_log = answer_in(events, "reporter")
    report = answer + "\\n\\n" + sources_section(answer, tool_log)
    write_json("reports/report-20261028-140501.json", receipts_of(answer, tool_log))

The document (format 1):

    {"format": 1,
     "sources": [{"number": 1, "call": 2, "tool": "standings", "args": {...}, "fields": ["table[].elo", ...]}],
     "claims": [{"text": "1216", "kind": "number", "start": 41, "end": 45, "source": 1,
                 "receipts": [{"call": 2, "tool": "standings", "path": "table[0].elo", "value": 1216}]}]}

`start` and `end` count characters of the answer. `call` counts the agent's tool calls from 1. A claim that no tool
supports has `"source": null` and no receipts. At most five receipts are kept for a claim, the best ones first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from agentkit.more.claims import Claim
from agentkit.more.places import bindings
from agentkit.more.sources import Source, result_of

__all__ = ["answer_in", "receipts_of", "sources_section", "value_at"]

FORMAT = 1
MOST_RECEIPTS = 5

ToolLog = list[dict[str, Any]]


def receipts_of(answer: str, tool_log: ToolLog) -> dict[str, Any]:
    """Return the claims of an answer and their sources as a JSON document (see the module's opening)."""
    claims = bindings(answer or "", tool_log)
    numbers = _numbered(claims)
    return {
        "format": FORMAT,
        "sources": [_source(number, call, claims, tool_log) for call, number in numbers.items()],
        "claims": [_claim(claim, numbers) for claim in claims],
    }


def sources_section(answer: str, tool_log: ToolLog) -> str:
    """Return the sources of an answer as Markdown: one numbered line for each call that a fact came from."""
    document = receipts_of(answer, tool_log)
    lines = [
        f"{source['number']}. {source['tool']} (call {source['call']}): {', '.join(source['fields'])}"
        for source in document["sources"]
    ]
    unsupported = [claim["text"] for claim in document["claims"] if claim["source"] is None]
    if unsupported:
        lines += ["", f"No tool gave: {', '.join(dict.fromkeys(unsupported))}."]
    return "\n".join(["## Sources", "", *lines]) if lines else ""


def answer_in(events: Iterable[dict[str, Any]], agent: str | None = None) -> tuple[str, ToolLog]:
    """Return the last answer of an agent (of any, without a name) in a trace, and the tool log it was judged against.

    Without an answer the text is empty. An agent's tool log begins anew with each of its tasks.
    """
    logs: dict[str, ToolLog] = {}
    answer, tool_log = "", []
    for event in events:
        name, kind = str(event.get("agent", "")), event.get("kind")
        if kind == "task":
            logs[name] = []
        elif kind == "tool":
            entry = {"tool": event.get("tool"), "args": event.get("args"), "result": event.get("result")}
            logs.setdefault(name, []).append(entry)
        elif kind == "answer" and agent in (None, name):
            answer, tool_log = str(event.get("text") or ""), list(logs.get(name, []))
    return answer, tool_log


def _numbered(claims: list[Claim]) -> dict[int, int]:
    """Return a number for each call that a claim came from, in the order of the calls."""
    calls = sorted({claim.support[0].call for claim in claims if claim.support})
    return {call: number for number, call in enumerate(calls, start=1)}


def _source(number: int, call: int, claims: list[Claim], tool_log: ToolLog) -> dict[str, Any]:
    entry = tool_log[call - 1]
    used = [claim.support[0] for claim in claims if claim.support and claim.support[0].call == call]
    fields = dict.fromkeys(re.sub(r"\[\d+\]", "[]", source.path) for source in used)
    return {
        "number": number,
        "call": call,
        "tool": str(entry.get("tool", "")),
        "args": entry.get("args"),
        "fields": list(fields),
    }


def _claim(claim: Claim, numbers: dict[int, int]) -> dict[str, Any]:
    return {
        "text": claim.text,
        "kind": claim.kind,
        "start": claim.start,
        "end": claim.end,
        "source": numbers[claim.support[0].call] if claim.support else None,
        "receipts": [_receipt(source) for source in claim.support[:MOST_RECEIPTS]],
    }


def _receipt(source: Source) -> dict[str, Any]:
    is_simple = isinstance(source.given, (str, int, float))
    value = source.given if is_simple else len(source.given)  # the length of a list
    return {"call": source.call, "tool": source.tool, "path": source.path, "value": value}


def value_at(entry: dict[str, Any], path: str) -> Any:
    """Return what stands at a path of a call: of its result, or of its arguments (`args.seed`). KeyError if nothing."""
    value: Any = {"args": entry.get("args")} if path.partition(".")[0].partition("[")[0] == "args" else result_of(entry)
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path.removesuffix(" (length)")):
        try:
            value = value[int(index)] if index else value[name]
        except (TypeError, LookupError):
            raise KeyError(f"nothing stands at {path!r}") from None
    return value
