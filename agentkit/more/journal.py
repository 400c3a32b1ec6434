"""Traces used again: replay a run without a model, or go on with one that was killed.

`ReplayModel(path)` gives a trace's replies in order: with the same tools the run happens again, without a model.
`Replay(path)` is a tracer that also gives the recorded tool results and approvals: nothing is run, asked or written.
`Resumed(path)` goes through a killed run's trace in the same way, then writes on where it ended: nothing that is in
the trace is done or asked twice. A tool that was running when the power went is run again, with the id that its
`call` line holds, so that it finds its own finished work.

    Agent(…, model=OllamaModel(), tracer=Resumed("data/traces/20261028-140501.jsonl")).run("…")

Not here: programs and options. They must be those of the run's header (`.header`), which is for the caller to see to.
"""

from __future__ import annotations

import copy
import os
from collections import defaultdict, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentkit.errors import DamagedFile, ModelError
from agentkit.models import Message
from agentkit.trace import FORMAT, Event, Tracer, read_trace

__all__ = ["Replay", "ReplayModel", "Resumed", "is_whole"]

# what an event of each kind must hold to be used again
PARTS: dict[str, dict[str, Any]] = {
    "reply": {"message": dict},
    "call": {"tool": str},
    "approval": {"tool": str, "args": dict, "approved": bool},
    "tool": {"tool": str, "args": object, "result": object},
    "answer": {"text": str},
    "stopped": {"reason": str},
}


def is_whole(event: Event) -> bool:
    """Say whether an event holds what its kind must: a damaged one counts as if it had not happened."""
    parts = PARTS.get(event["kind"], {})
    return all(name in event and isinstance(event[name], kind) for name, kind in parts.items())


class ReplayModel:
    """A model that says again what a trace recorded, in order; with `agent`, only that agent's replies."""

    def __init__(self, trace_path: str | Path, agent: str | None = None) -> None:
        events = read_trace(trace_path)
        self._path = trace_path
        replies = [event for event in events if event["kind"] == "reply" and isinstance(event.get("message"), dict)]
        self._replies = deque(event for event in replies if agent in (None, event.get("agent")))
        if any("required" in event for event in self._replies):  # the recorded model could be constrained
            self.chat_constrained = self.chat

    def chat(self, messages: list[Message], tools: Any) -> Message:
        """The next recorded reply; raises ModelError when there are none left."""
        if not self._replies:
            raise ModelError(f"{self._path} holds no further reply: this run is not the one that was recorded.")
        return copy.deepcopy(self._replies.popleft()["message"])


class Replay(Tracer):
    """A tracer that knows a whole run already, and writes nothing."""

    def __init__(self, path: str | Path, forget: Callable[[Event], bool] = lambda event: False) -> None:
        super().__init__(path)
        self.problems: list[str] = []
        events = read_trace(path, self.problems)
        self.header: Event = next((event for event in events if event["kind"] == "run"), {})
        self._begun = bool(self.header)
        if self.header.get("format", FORMAT) != FORMAT:
            raise DamagedFile(path, f"a trace of format {self.header['format']}, and this program reads {FORMAT}")
        self._known: dict[tuple[str, str], deque[tuple[int, Event]]] = defaultdict(deque)
        for number, event in enumerate(events):
            past = event["kind"] not in ("run", "error")  # an error ended a try: the next one may go well
            if past and is_whole(event) and not forget(event):
                self._known[event.get("agent", ""), event["kind"]].append((number, event))

    def recall(self, agent: str, kind: str) -> Event | None:
        """The recorded event that comes next for this agent and kind, or None.

        A stop counts only when nothing else of the agent comes before it.
        """
        known = self._known.get((agent, kind))
        if not known:
            return None
        number, event = known[0]
        if kind == "stopped" and any(q and q[0][0] < number for (who, _), q in self._known.items() if who == agent):
            return None
        return event

    def write(self, **event: Any) -> None:
        """Pass over what is recorded; what is new is lost here (and appended by Resumed)."""
        known = self._known.get((event.get("agent", ""), event.get("kind", "")))
        if not known:
            return self._new(event)
        number, recorded = known.popleft()
        if recorded["kind"] == "tool":  # its approval is history as well
            approvals = self._known[recorded["agent"], "approval"]
            while approvals and approvals[0][0] < number:
                approvals.popleft()
        return None

    def _new(self, event: Event) -> None:
        pass


class Resumed(Replay):
    """A tracer that goes on with the run in `path`. A last line cut in half is taken off (see `.problems`).

    An event of which `forget(event)` is true has not happened: a call that failed because the disk was full, say.
    """

    def __init__(self, path: str | Path, forget: Callable[[Event], bool] = lambda event: False) -> None:
        super().__init__(path, forget)
        data = self.path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if any("cut in half" in problem for problem in self.problems):  # not one that lacks only its line's end
            os.truncate(self.path, whole)

    def _new(self, event: Event) -> None:
        Tracer.write(self, **event)
