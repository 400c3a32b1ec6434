"""A trace as one HTML page: every step from top to bottom, and each fact of each answer linked to its source.

Role: `render(events)` returns the page as text. It needs no network and no script, reads well on paper, and shows
all text of models and tools as text (everything is escaped). A fact that a tool supports is a link to the very value
in that tool's result; a fact that no tool supports stands out and says so. Times, steps, retries, approvals, errors
and the reason of a stop stand where they happened.
Not here: reading the file (agentkit.trace.read_trace), writing the page (show_trace.py --html).

    Path("trace.html").write_text(render(read_trace("data/traces/20261028-140501.jsonl")), encoding="utf-8")

Facts are bound as in agentkit/more/receipts.py: what is linked is the support that fits best, not a proof that the
sentence around the number is true.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from html import escape
from typing import Any

from agentkit.more.claims import Claim
from agentkit.more.places import bindings
from web.markup import as_code, as_text, cut, json_text, parsed

__all__ = ["render"]

Event = dict[str, Any]

STYLE = """
:root { color-scheme: light dark; --line: #8885; --good: #0a6b35; --bad: #b00020; --soft: #8881; }
@media (prefers-color-scheme: dark) { :root { --good: #5fd08c; --bad: #ff8a95; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
section { border-left: 3px solid var(--line); margin: .75rem 0; padding: .1rem 0 .1rem .9rem; }
section.answer { border-color: var(--good); }
section.failed, section.error, section.stopped { border-color: var(--bad); }
header { color: GrayText; font-size: .85rem; } header b { color: CanvasText; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); padding: .5rem; margin: .3rem 0; }
pre { font: 13px/1.45 ui-monospace, monospace; } .text { font: inherit; }
a.fact { color: var(--good); text-decoration: underline dotted; }
mark.unsupported { background: none; color: var(--bad); font-weight: bold; border: 2px solid; padding: 0 .15rem; }
.value { border-bottom: 1px dotted var(--good); }
.value:target { outline: 3px solid var(--good); }
ul.problems { color: var(--bad); }
table { border-collapse: collapse; }
td, th { padding: .1rem .6rem .1rem 0; text-align: left; }
th { font-weight: normal; color: GrayText; }
nav { font-size: .9rem; }
@media print { body { max-width: none; font-size: 11pt; } section { break-inside: avoid-page; } a.fact::after {
  content: " [" attr(data-source) "]"; font-size: .75em; } }
"""


def render(events: Iterable[Event]) -> str:
    """Return a trace's events as one self-contained HTML page."""
    page = _Page([event for event in events if isinstance(event, dict)])
    title = escape(page.title())
    whole = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"{page.summary()}\n{page.body()}\n</body>\n</html>\n"
    )
    return whole.encode("utf-8", "replace").decode("utf-8")  # half a character cannot be written


class _Page:
    """The events of one trace, with the claims of its answers and the values that they point to."""

    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self.claims: dict[int, list[Claim]] = {}  # by the place of the answer's event
        self.calls: dict[int, list[int]] = {}  # for such an answer: the places of its agent's tool events
        self.marked: dict[int, dict[str, str]] = {}  # by the place of a tool's event: path -> anchor
        self._bind()
        self.begun = _time(events[0]) if events else None

    def _bind(self) -> None:
        """Bind the facts of each answer to its agent's tool log; a task begins a new log."""
        logs: dict[str, list[int]] = {}
        for place, event in enumerate(self.events):
            name, kind = str(event.get("agent", "")), event.get("kind")
            if kind == "task":
                logs[name] = []
            elif kind == "tool":
                logs.setdefault(name, []).append(place)
            elif kind == "answer":
                self._bind_answer(place, event, list(logs.get(name, [])))

    def _bind_answer(self, place: int, event: Event, calls: list[int]) -> None:
        tool_log = [{key: self.events[call].get(key) for key in ("tool", "args", "result")} for call in calls]
        self.calls[place] = calls
        self.claims[place] = bindings(str(event.get("text") or ""), tool_log)
        for claim in self.claims[place]:
            if claim.support:
                call, path = calls[claim.support[0].call - 1], claim.support[0].path.removesuffix(" (length)")
                marks = self.marked.setdefault(call, {})
                marks.setdefault(path, f"e{call}-v{len(marks)}")

    # --- the head of the page ---

    def title(self) -> str:
        run = next((event for event in self.events if event.get("kind") == "run"), {})
        program = run.get("program") or run.get("agent") or "Trace"
        return f"{program}, {_shown_time(self.events[0])}" if self.events else "An empty trace"

    def summary(self) -> str:
        if not self.events:
            return "<p>This trace holds no events.</p>"
        answers = [place for place, event in enumerate(self.events) if event.get("kind") == "answer"]
        facts = [claim for place in answers for claim in self.claims[place]]
        unsupported = sum(not claim.support for claim in facts)
        retries = sum(bool(self.events[place].get("problems")) for place in answers)
        counts = {
            "Agents": ", ".join(dict.fromkeys(str(e.get("agent", "")) for e in self.events if e.get("kind") == "task")),
            "Tool calls": sum(event.get("kind") == "tool" for event in self.events),
            "Answers": f"{len(answers)}, {retries} with problems",
            "Facts in answers": f"{len(facts)}, {unsupported} without a source",
            "Lasted": _seconds(self.begun, _time(self.events[-1])),
        }
        rows = "".join(f"<tr><th>{name}</th><td>{escape(str(value))}</td></tr>" for name, value in counts.items())
        links = " · ".join(f'<a href="#e{place}">{escape(self._answer_name(place))}</a>' for place in answers)
        return f"<table>{rows}</table>\n<nav>Answers: {links or 'none'}</nav>"

    def _answer_name(self, place: int) -> str:
        event = self.events[place]
        return f"{event.get('agent', '')} at {_shown_time(event)}" + (" (problems)" if event.get("problems") else "")

    # --- the events ---

    def body(self) -> str:
        return "\n".join(self._section(place, event) for place, event in enumerate(self.events))

    def _section(self, place: int, event: Event) -> str:
        kind = str(event.get("kind", ""))
        failed = bool(event.get("problems")) or _is_error(event.get("result"))
        step = f", step {event['step']}" if "step" in event else ""
        took = f", {event['seconds']} s" if isinstance(event.get("seconds"), (int, float)) else ""
        head = f"{_shown_time(event)} · {_seconds(self.begun, _time(event))} · {event.get('agent', '')}{step}{took} · "
        heading = f"<header>{escape(head)}<b>{escape(_name_of(event))}</b></header>"
        classes = escape(" ".join([kind, "failed"] if failed else [kind]), quote=True)
        before = f"<h2>{escape(str(event.get('agent', '')))}</h2>\n" if kind == "task" else ""
        return f'{before}<section class="{classes}" id="e{place}">{heading}{self._content(place, event)}</section>'

    def _content(self, place: int, event: Event) -> str:
        kind = event.get("kind")
        if kind == "answer":
            return self._answer(place, event)
        if kind == "tool":
            return self._tool(place, event)
        if kind == "task":
            return as_text(event.get("text")) + (as_text(event["instructions"]) if event.get("instructions") else "")
        if kind == "reply":
            return _reply(event.get("message"))
        if kind in ("call", "approval"):
            return as_code(event.get("args"))
        if kind in ("stopped", "error"):
            return as_text(event.get("reason") or event.get("text") or event.get("error"))
        rest = {key: value for key, value in event.items() if key not in ("time", "agent", "kind", "step")}
        return as_code(rest)

    def _answer(self, place: int, event: Event) -> str:
        text, at, parts = str(event.get("text") or ""), 0, []
        for claim in self.claims[place]:
            parts += [escape(text[at : claim.start]), self._fact(place, claim)]
            at = claim.end
        parts.append(escape(text[at:]))
        return f'<pre class="text">{"".join(parts)}</pre>' + _problems(event.get("problems"))

    def _fact(self, place: int, claim: Claim) -> str:
        shown = escape(claim.text)
        if not claim.support:
            return f'<mark class="unsupported" title="No tool gave this.">{shown}</mark>'
        best = claim.support[0]
        call = self.calls[place][best.call - 1]
        anchor = self.marked[call][best.path.removesuffix(" (length)")]
        source = escape(f"{best.tool}, call {best.call}: {best.path}", quote=True)
        return f'<a class="fact" href="#{anchor}" title="{source}" data-source="{source}">{shown}</a>'

    def _tool(self, place: int, event: Event) -> str:
        marks = self.marked.get(place, {})
        converted = f"<p>Converted: {escape(str(event['converted']))}</p>" if event.get("converted") else ""
        args = json_text(event.get("args"), marks, "args")
        result = event.get("result")
        if isinstance(result, str):
            result = parsed(result)
        return f"<pre>{args}</pre>{converted}<pre>{json_text(result, marks)}</pre>"


def _reply(message: Any) -> str:
    if not isinstance(message, dict):
        return as_code(message)
    content = as_text(message["content"]) if message.get("content") else ""
    return content + (as_code(message["tool_calls"]) if message.get("tool_calls") else "")


def _problems(problems: Any) -> str:
    listed = problems if isinstance(problems, list) else [problems] if problems else []
    return f'<ul class="problems">{"".join(f"<li>{cut(str(one))}</li>" for one in listed)}</ul>' if listed else ""


def _name_of(event: Event) -> str:
    kind = str(event.get("kind", "event"))
    names = {
        "run": "the run begins",
        "task": "task",
        "reply": "the model replied",
        "call": f"runs {event.get('tool')}",
        "tool": f"{event.get('tool')} returned",
        "approval": f"{event.get('tool')} was {'approved' if event.get('approved') else 'not approved'}",
        "answer": "answer with problems" if event.get("problems") else "answer",
        "stopped": "stopped",
        "error": "error",
    }
    return names.get(kind, kind)


def _is_error(result: Any) -> bool:
    return isinstance(result, dict) and bool(result.get("error"))


def _time(event: Event) -> datetime | None:
    try:
        return datetime.fromisoformat(str(event.get("time", "")).replace("Z", "+00:00"))
    except ValueError:
        return None


def _shown_time(event: Event) -> str:
    moment = _time(event)
    return moment.strftime("%Y-%m-%d %H:%M:%S") if moment else str(event.get("time", ""))


def _seconds(begun: datetime | None, moment: datetime | None) -> str:
    """Return how long after the beginning something happened."""
    if begun is None or moment is None:
        return "?"
    try:
        return f"+{(moment - begun).total_seconds():.1f} s"
    except TypeError:  # one with a time zone, one without
        return "?"
