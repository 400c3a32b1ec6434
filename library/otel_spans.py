"""Which spans a trace's events are: one for the program, each agent's run, each reply and each call of a tool.

Role: walk through the events in order, and begin and end spans of OpenTelemetry's SDK at the events' own times.

    invoke_workflow run_team                the program
      invoke_agent director                 one run of one agent
        chat qwen3                          one reply of the model
        execute_tool run_tournament         one call, with the person's approval as an event
          invoke_agent analyst              an agent that was asked as a tool

A check's verdict is an event `gen_ai.evaluation.result` of its agent. Not here: where spans go (otel_export.py), two
agents at the same time (a trace does not say which of two runs of one agent a line belongs to).

Source of the names: OpenTelemetry's semantic conventions for generative AI (agent spans, model spans, execute_tool).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from agentkit.more.values import failed

Event = dict[str, Any]

OPERATION, ERROR_TYPE = "gen_ai.operation.name", "error.type"
REQUEST_OPTIONS = ("temperature", "seed", "max_tokens")
UNFINISHED = ("unfinished", "The trace ends before the agent does.")
NOTED = ("resumed", "saved", "remembered", "approval")  # a program's own lines


def nanoseconds(event: Event) -> int:
    """When an event was written, since 1970; traces are exact to a millisecond."""
    moment = datetime.fromisoformat(str(event["time"]).replace("Z", "+00:00"))
    return round(moment.timestamp() * 1000) * 1_000_000


@dataclass
class Open:
    """A run of an agent that has not ended yet, with the call that it waits for, if any."""

    agent: str
    span: Any
    last: int  # nanoseconds, of its latest event
    tool: Any = None
    problem: tuple[str, str] | None = UNFINISHED  # its kind and its words


class SpanMaker:
    """Goes through a trace's events in order and makes its spans with the SDK's `tracer`."""

    def __init__(self, tracer: Any, with_content: bool = False) -> None:
        self.tracer = tracer
        self.with_content = with_content
        self.model: Event = {}
        self.stack: list[Open] = []  # the program, its agent, the agent that this one asked, …
        self.now = 0

    def make(self, events: Sequence[Event], name: str) -> None:
        """All spans of a run; `name` is the program's unless the trace's header knows it."""
        header = next((event for event in events if event["kind"] == "run"), {})
        self.model = header.get("model") or {}
        self.now = nanoseconds(events[0])
        program = str(header.get("program") or name)
        attributes = {OPERATION: "invoke_workflow", "gen_ai.workflow.name": program}
        root = self._start(f"invoke_workflow {program}", attributes)
        self.stack.append(Open("", root, self.now, problem=None))
        for event in events:
            self.now = nanoseconds(event)
            self._take(event)
        self.stack[0].last = self.now
        while self.stack:
            self._close()

    def _take(self, event: Event) -> None:
        kind = event["kind"]
        if kind == "task":
            return self._task(event)
        run = self._run_of(event)
        if run is None:
            if kind in NOTED:
                self.stack[0].span.add_event(kind, _simple(event), self.now)
            return None
        handler = getattr(self, f"_{kind}", None) if kind in ("reply", "call", "approval", "tool") else None
        if handler:
            handler(run, event)
        elif kind in ("answer", "stopped", "error"):
            self._end_of_run(run, event)
        run.last = self.now
        return None

    def _task(self, event: Event) -> None:
        """An agent begins: below the call that asked for it, or else beside the one before it."""
        while len(self.stack) > 1 and self.stack[-1].tool is None:
            self._close()
        name = str(event["agent"])
        attributes = {OPERATION: "invoke_agent", "gen_ai.agent.name": name, **self._provider()}
        self.stack.append(Open(name, self._start(f"invoke_agent {name}", attributes), self.now))

    def _run_of(self, event: Event) -> Open | None:
        """The run that an event belongs to; those that it had asked have ended by now."""
        if all(run.agent != event.get("agent") for run in self.stack[1:]):
            return None
        while self.stack[-1].agent != event["agent"]:
            self._close()
        return self.stack[-1]

    def _reply(self, run: Open, event: Event) -> None:
        began = self.now - round(float(event.get("seconds") or 0) * 1e9)
        self._chat(run, max(began, run.last), event.get("message") or {})
        run.problem = UNFINISHED

    def _chat(self, run: Open, began: int, message: Event, problem: tuple[str, str] | None = None) -> None:
        from opentelemetry.trace import SpanKind

        usage = message.get("usage") or {}
        reason = "length" if usage.get("cut") else "tool_calls" if message.get("tool_calls") else "stop"
        options = {f"gen_ai.request.{name}": self.model.get(name) for name in REQUEST_OPTIONS}
        attributes = {
            OPERATION: "chat",
            **self._provider(),
            **options,
            "gen_ai.usage.input_tokens": usage.get("tokens_in"),
            "gen_ai.usage.output_tokens": usage.get("tokens_out"),
            "gen_ai.response.finish_reasons": None if problem else [reason],
        }
        name = f"chat {self.model['model']}" if self.model.get("model") else "chat"
        self._end(self._start(name, attributes, SpanKind.CLIENT, began), self.now, problem)

    def _call(self, run: Open, event: Event) -> None:
        self._end_tool(run, ("unfinished", "Another call began before this one had a result."))
        name = str(event["tool"])
        attributes = {OPERATION: "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.type": "function"}
        attributes["gen_ai.agent.name"] = run.agent
        if self.with_content:
            attributes["gen_ai.tool.call.arguments"] = json.dumps(event.get("args"), ensure_ascii=False)
        run.tool = self._start(f"execute_tool {name}", attributes)

    def _approval(self, run: Open, event: Event) -> None:
        (run.tool or run.span).add_event("approval", _simple(event), self.now)

    def _tool(self, run: Open, event: Event) -> None:
        if run.tool is None:
            self._call(run, event)
        result = event.get("result")
        if self.with_content:
            run.tool.set_attribute("gen_ai.tool.call.result", json.dumps(result, ensure_ascii=False))
        problem = ("tool_error", str(result.get("error") or result.get("errors"))) if failed(result) else None
        self._end_tool(run, problem)

    def _end_of_run(self, run: Open, event: Event) -> None:
        """An answer with its verdict (there may be another one), a stop, or a model that failed."""
        if event["kind"] == "answer":
            problems = " ".join(event.get("problems") or ())
            label = "fail" if problems else "pass"
            verdict = {"gen_ai.evaluation.name": "check", "gen_ai.evaluation.score.label": label}
            if problems:
                verdict["gen_ai.evaluation.explanation"] = problems
            run.span.add_event("gen_ai.evaluation.result", verdict, self.now)
            run.problem = ("check_failed", problems) if problems else None
        elif event["kind"] == "stopped":
            run.problem = ("stopped", str(event.get("reason")))
        else:
            run.problem = (str(event.get("error")), str(event.get("text")))
            self._chat(run, run.last, {}, run.problem)

    # --- small things ---

    def _provider(self) -> Event:
        """Which model was asked, and where."""
        parts = urlsplit(str(self.model.get("url") or ""))
        return {
            "gen_ai.provider.name": self.model.get("provider") or "_OTHER",
            "gen_ai.request.model": self.model.get("model"),
            "server.address": parts.hostname,
            "server.port": parts.port or ({"http": 80, "https": 443}.get(parts.scheme) if parts.hostname else None),
        }

    def _start(self, name: str, attributes: Event, kind: Any = None, began: int | None = None) -> Any:
        """A new span below what is going on now."""
        from opentelemetry.trace import SpanKind, set_span_in_context

        above = self.stack[-1] if self.stack else None
        context = set_span_in_context(above.tool or above.span) if above else None
        known = {key: value for key, value in attributes.items() if value is not None}
        began = self.now if began is None else began
        return self.tracer.start_span(name, context, kind or SpanKind.INTERNAL, known, start_time=began)

    def _end(self, span: Any, ended: int, problem: tuple[str, str] | None) -> None:
        from opentelemetry.trace import Status, StatusCode

        if problem:
            span.set_attribute(ERROR_TYPE, problem[0])
            span.set_status(Status(StatusCode.ERROR, problem[1]))
        span.end(ended)

    def _end_tool(self, run: Open, problem: tuple[str, str] | None) -> None:
        if run.tool is not None:
            self._end(run.tool, self.now, problem)
            run.tool = None

    def _close(self) -> None:
        """End the innermost run, and the call that it still waited for."""
        run = self.stack.pop()
        if run.tool is not None:
            self._end(run.tool, run.last, ("unfinished", "The trace ends before the tool does."))
        self._end(run.span, run.last, run.problem)


def _simple(event: Event) -> Event:
    """What of an event can be a span event's attributes."""
    own = {key: value for key, value in event.items() if key not in ("time", "kind", "agent")}
    return {key: value for key, value in own.items() if isinstance(value, (str, bool, int, float))}
